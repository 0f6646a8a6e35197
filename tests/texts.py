"""Texts for property tests: any Unicode at all, and text that looks like abstracts."""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["abstract_like", "any_text", "blank", "paragraph"]

_PIECES = (
    "We propose RelayCaching, a training-free method.",
    "It is 4.7x faster (see Fig. 3, e.g., on KITTI).",
    "(1) What causes the gap? (2) What follows?",
    '“Quoted” words; "more" of them.',
    "Complexity is $\\mathcal{O}\\left((1-\\lambda)^{-6}\\right)$, i.e. less.",
    "\\textbf{SparseInfer} and **UniFLoW**(Universal) reach 53\\%.",
    "Code: \\url{https://github.com/a/b}. See https://a.example/x_y.",
    "它在三个数据集上更快。结果很好！",
    "Größe, naïve, Fréchet, Ελληνικά, русский, العربية, हिन्दी.",
    "🤖👩‍🔬 e\u0301 \u202eabc\u202c \ufeff\u200b",
    "<b onmouseover=x>HTML</b> [link](http://a.example) ![i](x) `code` {context} {{x}}",
    "1. First\n2. Second\n- item\n# head\n> quote\n| a | b |",
    "RRT*, A* and 2*3*4; x**2 and y**2; _em_ __bold__ ~~gone~~ &amp; &lt;",
    "\\[ x^2 \\] \\(y\\) $5 and $10 \\$ \\\\ \\{ \\_",
    "...",
    "?",
    "!",
    " ",
    "  ",
    "\t",
    "\n",
    "\u00a0",
    "\u2028",
    "\x85",
    "\x0c",
    "-",
    "—",
    "'",
    '"',
    "a",
    "A",
    "0",
    "ab-cd-ef",
    "GPT-4",
    "aB",
)

any_text = st.text(max_size=400)
"""Any valid Unicode."""

abstract_like = st.lists(st.sampled_from(_PIECES), max_size=14).map("".join) | st.lists(
    st.sampled_from(_PIECES), max_size=14
).map(" ".join)
"""What abstracts and attacks are made of, in any order."""

blank = st.text(alphabet=" \t\u00a0\u2003\u3000", max_size=4)
"""Blanks that may stand in an empty line."""


def paragraph(least: int = 40) -> st.SearchStrategy[str]:
    """Give texts that are one abstract each: no blank line inside, long enough to be kept.

    Args:
        least: characters at least.
    """
    return (
        (any_text | abstract_like)
        .map(_one_paragraph)
        .map(lambda text: f"{text} It ends with a full sentence, as an abstract does.".strip())
        .filter(lambda text: len(text) >= least)
    )


def _one_paragraph(text: str) -> str:
    text = text.replace("\r", " ").replace("\ufeff", "")
    return "\n".join(line for line in text.split("\n") if line.strip())
