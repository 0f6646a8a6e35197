"""The bar at the top: what this is, what is in it, and the ways to look at it."""

from __future__ import annotations

from assistant.web.escaping import escape

__all__ = ["NAVIGATION", "TITLE", "banner_html"]

TITLE = "Ask papers"
_VIEWS = {"chat": "Chat", "papers": "Papers", "map": "Map", "status": "Status"}

NAVIGATION = (
    '<nav class="ap-views" aria-label="Views">'
    + "".join(
        f'<button type="button" class="ap-view" data-view="{name}"'
        f"{' aria-current=page' if name == 'chat' else ''}>{words}</button>"
        for name, words in _VIEWS.items()
    )
    + '</nav><button type="button" class="ap-history" aria-expanded="false">History</button>'
    '<button type="button" class="ap-fresh">New conversation</button>'
)


def banner_html(facts: str) -> str:
    """Return the heading with one line on the collection.

    Args:
        facts: the line.
    """
    return (
        f'<header class="ap-banner"><h1>{TITLE}</h1>'
        f'<p class="ap-collection" role="status">{escape(facts)}</p>'
        '<button type="button" class="ap-theme" aria-label="Switch between light and dark">'
        "</button></header>"
    )
