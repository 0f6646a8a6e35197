"""A question in another language, said by the words it shares with an English collection."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.index.lexical import LexicalIndex
from assistant.index.terms import analyse, is_generic, is_stopword
from assistant.index.words import fold
from assistant.retrieval.asking import wants_of
from assistant.retrieval.language import is_function_word

__all__ = ["in_shared_words"]

_OPENINGS = {"number": "how many", "reason": "why"}
_COGNATES: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "de": (
        ("isierung", ("ization", "ize")),
        ("isierungen", ("ization",)),
        ("ierung", ("ation", "ing", "ion")),
        ("ierungen", ("ation", "ing", "ion")),
        ("ionen", ("ion",)),
        ("itäten", ("ity",)),
        ("ität", ("ity",)),
        ("isch", ("ic", "ical", "al")),
        ("ische", ("ic", "ical", "al")),
        ("ischen", ("ic", "ical", "al")),
        ("iert", ("ated", "ized")),
        ("ierte", ("ated", "ized")),
        ("iertes", ("ated", "ized")),
        ("ierten", ("ated", "ized")),
        ("ologie", ("ology",)),
        ("enz", ("ence", "ency")),
        ("anz", ("ance", "ancy")),
        ("ik", ("ics", "ic")),
        ("ell", ("al", "el")),
        ("elle", ("al", "el")),
        ("ellen", ("al", "el")),
        ("iv", ("ive",)),
        ("ive", ("ive",)),
        ("iven", ("ive",)),
        ("en", ("", "e")),
        ("er", ("", "s")),
        ("e", ("",)),
        ("n", ("",)),
    ),
    "fr": (
        ("isation", ("ization",)),
        ("iques", ("ic", "ical", "ics")),
        ("ique", ("ic", "ical", "ics")),
        ("ités", ("ity",)),
        ("ité", ("ity",)),
        ("eurs", ("or", "er")),
        ("eur", ("or", "er")),
        ("ologie", ("ology",)),
        ("ifs", ("ive",)),
        ("ives", ("ive",)),
        ("if", ("ive",)),
        ("aux", ("al",)),
        ("elle", ("al",)),
        ("elles", ("al",)),
        ("els", ("al",)),
        ("el", ("al",)),
        ("ée", ("ated", "ed", "e")),
        ("ées", ("ated", "ed", "e")),
        ("és", ("ated", "ed", "e")),
        ("é", ("ated", "ed", "e")),
        ("er", ("e", "")),
        ("es", ("", "e")),
        ("e", ("", "al")),
    ),
    "es": (
        ("ización", ("ization",)),
        ("ciones", ("tion",)),
        ("ción", ("tion",)),
        ("siones", ("sion",)),
        ("sión", ("sion",)),
        ("idades", ("ity",)),
        ("idad", ("ity",)),
        ("icos", ("ic", "ics", "ical")),
        ("icas", ("ic", "ics", "ical")),
        ("ico", ("ic", "ical")),
        ("ica", ("ic", "ics", "ical")),
        ("ología", ("ology",)),
        ("encias", ("ence",)),
        ("encia", ("ence", "ency")),
        ("ancia", ("ance",)),
        ("ivos", ("ive",)),
        ("ivo", ("ive",)),
        ("iva", ("ive",)),
        ("ivas", ("ive",)),
        ("ado", ("ated", "ed")),
        ("ada", ("ated", "ed")),
        ("ados", ("ated", "ed")),
        ("adas", ("ated", "ed")),
        ("miento", ("ment",)),
        ("ores", ("or", "ors")),
        ("ales", ("al",)),
        ("es", ("", "e")),
        ("os", ("", "e", "s")),
        ("as", ("", "e", "s")),
        ("o", ("", "e")),
        ("a", ("", "e")),
    ),
    "it": (
        ("izzazione", ("ization",)),
        ("zione", ("tion",)),
        ("zioni", ("tion",)),
        ("sione", ("sion",)),
        ("ità", ("ity",)),
        ("ologia", ("ology",)),
        ("enza", ("ence", "ency")),
        ("anza", ("ance",)),
        ("ico", ("ic", "ical")),
        ("ica", ("ic", "ics", "ical")),
        ("ici", ("ic", "ical")),
        ("iche", ("ic", "ical")),
        ("ivo", ("ive",)),
        ("iva", ("ive",)),
        ("ivi", ("ive",)),
        ("ato", ("ated",)),
        ("ata", ("ated",)),
        ("ati", ("ated",)),
        ("mento", ("ment",)),
        ("ori", ("or", "ors")),
        ("ale", ("al",)),
        ("ali", ("al",)),
        ("i", ("", "e", "s")),
        ("e", ("", "s")),
        ("o", ("", "e")),
        ("a", ("", "e")),
    ),
    "pt": (
        ("ização", ("ization",)),
        ("ções", ("tion",)),
        ("ção", ("tion",)),
        ("sões", ("sion",)),
        ("são", ("sion",)),
        ("dades", ("ty",)),
        ("dade", ("ty",)),
        ("icos", ("ic", "ical")),
        ("ico", ("ic", "ical")),
        ("ica", ("ic", "ics", "ical")),
        ("icas", ("ic", "ical")),
        ("ologia", ("ology",)),
        ("ência", ("ence", "ency")),
        ("ância", ("ance",)),
        ("ivo", ("ive",)),
        ("iva", ("ive",)),
        ("ivos", ("ive",)),
        ("ado", ("ated", "ed")),
        ("ada", ("ated", "ed")),
        ("ados", ("ated", "ed")),
        ("ais", ("al",)),
        ("ores", ("or", "ors")),
        ("ôs", ("ots", "ot")),
        ("ô", ("ot",)),
        ("es", ("", "e")),
        ("os", ("", "e", "s")),
        ("as", ("", "e", "s")),
        ("o", ("", "e")),
        ("a", ("", "e")),
    ),
    "nl": (
        ("isatie", ("ization",)),
        ("atie", ("ation",)),
        ("aties", ("ation",)),
        ("tie", ("tion",)),
        ("iteit", ("ity",)),
        ("ische", ("ic", "ical")),
        ("isch", ("ic", "ical")),
        ("ologie", ("ology",)),
        ("entie", ("ence", "ency")),
        ("ieve", ("ive",)),
        ("ief", ("ive",)),
        ("ele", ("al",)),
        ("eel", ("al",)),
        ("ica", ("ics",)),
        ("ers", ("er", "ers")),
        ("en", ("", "e", "s")),
        ("e", ("",)),
    ),
}
"""Endings of words that English took from the same place, with the ending it gives them."""
_SHORTEST = 5
_SPELLING = (
    ("k", "c"),
    ("z", "c"),
    ("f", "ph"),
    ("ö", "oe"),
    ("x", "cks"),
    ("qu", "k"),
    ("tt", "t"),
    ("ss", "s"),
)
_WORD = re.compile(r"[^\W\d_]+")


def in_shared_words(text: str, language: str, lexical: LexicalIndex) -> str:
    """Say a question by the words it shares with the collection and the answer it wants.

    Args:
        text: the question.
        language: ISO 639-1 code, not English.
        lexical: the words of the collection.

    Returns:
        The question as it stands where it shares none.
    """
    shared = _shared_words(text, language, lexical)
    wanted = {want.name for want in wants_of(text)}
    opening = [words for name, words in _OPENINGS.items() if name in wanted]
    return " ".join([*opening[:1], shared]) if shared else text


def _shared_words(text: str, language: str, lexical: LexicalIndex) -> str:
    kept: list[str] = []
    done, telling = 0, False
    for term in analyse(text):
        word = text[term.start : term.end]
        if term.start < done or is_function_word(word, language) or is_stopword(term.text):
            continue
        known = word if lexical.document_frequency(term.text) else _cognate(word, language, lexical)
        if known:
            kept.append(known)
            telling = telling or not is_generic(term.text)
            done = term.end
    return " ".join(kept) if telling else ""


def _cognate(word: str, language: str, lexical: LexicalIndex) -> str | None:
    """Find the English word of the collection that has the same root."""
    if not _WORD.fullmatch(word) or len(word) < _SHORTEST:
        return None
    # A root is in every dictionary; what stands here must be a word.
    forms = (form for one in _forms(word.lower(), language) for form in (one, f"{one}s"))
    return next((form for form in forms if len(form) > 2 and _is_written(form, lexical)), None)


def _is_written(word: str, lexical: LexicalIndex) -> bool:
    term = analyse(word)[:1]
    return bool(term and not is_stopword(term[0].text) and lexical.times_written(word))


def _forms(word: str, language: str) -> Iterator[str]:
    for ending, others in _COGNATES.get(language, ()):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST - 2:
            stem = fold(word[: -len(ending)])
            for other in others:
                yield stem + other
                yield from (
                    (stem + other).replace(here, there) for here, there in _SPELLING if here in stem
                )
