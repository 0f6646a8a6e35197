"""Parts of the page that only its script sees: buttons it presses, fields it reads."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr  # noqa: TID253 - the page's own layout

__all__ = ["Hidden"]


@dataclass(frozen=True, slots=True)
class Hidden:
    """What is laid out but not shown.

    Args:
        told: what the script tells beside the fields; filled as an event is sent.
        kept: the conversation as the browser keeps it.
        again: asks the last question again.
        back: takes it back.
        opens: opens a kept conversation, or a new one.
    """

    told: gr.Textbox
    kept: gr.Textbox
    again: gr.Button
    back: gr.Button
    opens: gr.Button

    @classmethod
    def lay_out(cls) -> Hidden:
        """Put them where the page is being laid out."""
        return cls(
            told=gr.Textbox(visible="hidden"),
            kept=gr.Textbox(visible="hidden"),
            again=gr.Button("Retry", elem_id="ap-again", visible="hidden"),
            back=gr.Button("Undo", elem_id="ap-back", visible="hidden"),
            opens=gr.Button("Open", elem_id="ap-opens", visible="hidden"),
        )
