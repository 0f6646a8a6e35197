"""Questions to start from, made of what is indexed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assistant.corpus.names import introduced_names
from assistant.corpus.paper import Paper
from assistant.index.terms import analyse, is_generic

__all__ = ["EXAMPLES", "SAMPLED", "examples_of"]

EXAMPLES = (
    "Which papers study KV caches?",
    "What goes wrong if a sparse autoencoder's L0 is too low?",
    "What speed-ups do RelayCaching and SparseInfer each claim?",
    "Which papers are about robots?",
)
"""For the abstracts that ship."""

SAMPLED = 200
_OWN = ("RelayCaching:", "SparseInfer:")
_SHORTEST = 4


def examples_of(papers: Sequence[Paper]) -> tuple[str, ...]:
    """Return questions that the collection answers, as far as a sample of it tells.

    Args:
        papers: a sample, `SAMPLED` papers or all.
    """
    labels = [paper.label for paper in papers]
    if all(any(label.startswith(own) for label in labels) for own in _OWN):
        return EXAMPLES
    asked = [f"Which papers are about {subject}?" for subject in _subjects(papers)[:2]]
    names = _names(papers)
    asked += [f"What does {name} do?" for name in names[:1]]
    if len(names) > 2:
        asked.append(f"How do {names[1]} and {names[2]} differ?")
    return tuple(asked)


def _subjects(papers: Sequence[Paper]) -> list[str]:
    """What several papers are about, though not most: keywords, else words of their titles.

    Two words say more than one: "learning" is every paper's, "reinforcement learning" is not.
    """
    counted: Counter[str] = Counter()
    surfaces: dict[str, str] = {}
    for paper in papers:
        named = {word.casefold(): word for word in paper.keywords}
        if not named and paper.title:
            named = _title_words(paper.title)
        counted.update(list(named))
        surfaces = named | surfaces
    usual = max(2, len(papers) // 3)
    shared = [term for term in counted if 2 <= counted[term] <= usual]
    shared.sort(key=lambda term: (-(" " in term), -counted[term], term))
    subjects: list[str] = []
    words: set[str] = set()
    for term in shared:
        # No two that say the same: "diffusion model" and "diffusion models".
        own = {word.text for word in analyse(surfaces[term])} or {term}
        if words.isdisjoint(own):
            subjects.append(surfaces[term])
            words |= own
    return subjects


def _title_words(title: str) -> dict[str, str]:
    """Words of a title that say what it is about, and pairs of them that stand side by side."""
    named: dict[str, str] = {}
    before: tuple[int, str, str] | None = None
    for term in analyse(title):
        word = title[term.start : term.end]
        if not word.isalpha() or len(word) < _SHORTEST or is_generic(term.text):
            before = None
            continue
        word = word if word.isupper() else word.casefold()
        named.setdefault(term.text, word)
        if before is not None and title[before[0] : term.start] in (" ", "-"):
            joint = title[before[0] : term.start]
            named.setdefault(f"{before[1]} {term.text}", f"{before[2]}{joint}{word}")
        before = (term.end, term.text, word)
    return named


def _names(papers: Sequence[Paper]) -> list[str]:
    """Names that papers give to what they introduce and put at the head of their titles."""
    named = []
    for paper in papers:
        head, colon, _ = paper.label.partition(":")
        if colon and head in introduced_names(paper).values():
            named.append(head)
    return list(dict.fromkeys(named))
