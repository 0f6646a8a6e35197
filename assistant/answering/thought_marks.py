"""How models mark their thoughts and turns: tags, channels and tokens that a server let through."""

from __future__ import annotations

import regex

__all__ = ["CHANNEL_ENDS", "ENDS", "NEVER", "NEXT_TURN", "PLAIN_ENDS", "visible_mark"]

_NAMES = (
    r"(?:\w{1,12}:)?(?:think(?:ing)?|thoughts?|reasoning|reflection|analysis|scratchpad"
    r"|chain_of_thought|inner_monologue)"
)
_ATTRIBUTE = r"(?:\s{1,2}\w{1,20}=[^<>\n]{0,40})?"
_BRACKETED = r"THINK(?:ING)?"

_OPENING = rf"""
    <\s?{_NAMES}{_ATTRIBUTE}\s?>
    | \[{_BRACKETED}\]
    | ◁think▷
    | <\|(?:begin_of_thought|start_thinking|inner_prefix|think|thinking|thought)\|>
    | <\|channel>\s?thought
"""
_CLOSING = rf"""
    <\s?/\s?{_NAMES}\s?>
    | \[/{_BRACKETED}\]
    | ◁/think▷
    | <\|(?:end_of_thought|end_thinking|inner_suffix|/think|/thinking|/thought)\|>
    | <channel\|>
"""
_EMPTY = rf"<\s?{_NAMES}\s?/\s?>"
_TURN_END = (
    r"<\|(?:end|return|call|im_end|eot_id|eom_id|endoftext|end_of_text|end_of_turn|end_of_turn_token"
    r"|eos|eot)\|>|</s>|<end_of_turn>|<turn\|>|<eos>"
)
_TURN_START = (
    r"<\|(?:im_start|start_of_turn)\|>\s{0,2}assistant|<start_of_turn>\s{0,2}model"
    r"|<\|start_header_id\|>\s?assistant\s?<\|end_header_id\|>|<\|assistant\|>"
)
# gpt-oss names a channel for each message: what is not in `final` is not for the reader.
_CHANNEL = r"""
    (?:<\|start\|>[^<\n]{0,60})?
    <\|channel\|>\s?(?P<channel>analysis|commentary|final)[^<\n]{0,80}
    (?:<\|constrain\|>[^<\n]{0,40})?
    <\|message\|>
    | <\|start\|>assistant<\|message\|>
"""
_WRAPPING = (
    r"<(?:final_)?answer>|<response>|<\|(?:begin_of_solution|start_response|begin_of_box)\|>"
)
_WRAPPED = r"</(?:final_)?answer>|</response>|<\|(?:end_of_solution|end_response|end_of_box)\|>"
_FLAGS = regex.IGNORECASE | regex.VERBOSE

_VISIBLE = regex.compile(
    rf"""(?P<opening>{_OPENING}) | (?P<closing>{_CLOSING}) | (?P<empty>{_EMPTY})
    | (?P<head>{_CHANNEL}) | (?P<turn>{_TURN_END}) | (?P<start>{_TURN_START})
    | (?P<wrapping>{_WRAPPING}) | (?P<wrapped>{_WRAPPED})""",
    _FLAGS,
)
# Where a server drops the tokens and keeps the names of the channels.
_PLAIN = regex.compile(r"(?P<plain>analysis)(?=[A-Z])")

ENDS = regex.compile(_CLOSING, _FLAGS)
"""What ends a thought that a tag began."""

CHANNEL_ENDS = regex.compile(rf"(?P<head>{_CHANNEL})|{_TURN_END}", _FLAGS)
"""What ends a message that is in a channel."""

PLAIN_ENDS = regex.compile(r"assistantfinal(?![a-z])")
"""What ends the first channel where its tokens were dropped."""

NEXT_TURN = regex.compile(
    r"<\|(?:im_start|start_header_id|start_of_turn|user|system)\|>|<start_of_turn>|<\|turn>", _FLAGS
)
"""What a model writes behind its answer where it goes on with a turn of somebody else."""

NEVER = regex.compile(r"(?!)")
"""The end of what has none."""


def visible_mark(text: str, *, first: bool, final: bool) -> regex.Match[str] | None:
    """Read the mark that a text begins with.

    Args:
        text: what comes next in the reply.
        first: nothing of the reply was shown yet.
        final: nothing comes after it.

    Returns:
        The mark, `partial` where more must come to tell, else `lastgroup` says which it is; None
        where the text begins with none.
    """
    plain = _PLAIN.match(text, partial=not final) if first else None
    return plain or _VISIBLE.match(text, partial=not final)
