"""One word's normal form: case, accents, spelling and endings folded away."""

from __future__ import annotations

import re
import threading
import unicodedata

import Stemmer

__all__ = ["AS_WRITTEN", "BOILERPLATE", "STOPWORDS", "fold", "stem"]

_STOPWORDS = """
    a about above after again against all also although am among an and another any are around as
    at be became because become becomes been before being below between both but by can cannot
    could did do does doing done down due during each either else etc ever every few for from
    further had has have having he hence her here hers him his how however i if in indeed instead
    into is it its itself just let like many may me might mine more moreover most much must my
    myself namely neither no nor not now of off often on once one only onto or other others
    otherwise our ours ourselves out over own per perhaps quite rather really s same several shall
    she should since so some such t than that the their theirs them themselves then there thereby
    therefore these they this those through throughout thus to together too toward towards under
    until up upon us very via was we well were what whatever when where whereas whether which
    while who whom whose why will with within without would yet you your yours yourself
    isnt arent wasnt werent dont doesnt didnt wont wouldnt cant couldnt shouldnt havent hasnt hadnt
    ive im youre theyre thats whats lets ie eg vs
"""
STOPWORDS = frozenset(_STOPWORDS.split())
"""English function words, folded and without apostrophes."""

_BOILERPLATE = """
    abstract abstracts anybody anyone anything article articles author authors bring brings
    call called came come comes collection compare compared concern concerned concerns
    consider considered considers contain contained contains cover covered covers deal deals dealt
    describe described describes discuss discussed discusses examine examined examines exist exists
    explain explained explains find finds found focus focused focuses gave get gets give given
    gives got happen happened happens investigate investigated investigates kind kinds know known
    list listed literature look looked looking looks made make makes mention mentioned mentions
    named names offer offers paper papers please present presented presents propose proposed
    proposes proposing publication publications report reported reports research say says said
    seen show showed shown shows somebody someone something studied studies study studying
    summarise summarize suggest suggested suggests talk talks tell tells thing things
    tried tries try use used uses using want wants work worked works write writes written wrote
"""
BOILERPLATE = frozenset(_BOILERPLATE.split())
"""Words that questions about papers are made of, whatever the papers are about."""

AS_WRITTEN = frozenset(("explore", "explored", "explores", "relate", "related", "relates"))
"""Boilerplate only as it stands here: the stem also belongs to "exploration" and "relation"."""

_IGNORED = re.compile("[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff]+")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "⁄": "/"}
)
_GREEK_NAMES = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma
    tau upsilon phi chi psi omega
"""
_GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψω", _GREEK_NAMES.split(), strict=True))
_KEPT_SIGNS = ".%*+#/"
_BRITISH_IZE = re.compile(
    r"(?<=..)(al|el|il|an|on|ar|er|or|im|dom|tom|um|gn|et|nt|es|as|ic|id|op|og)"
    r"is(?=(?:e[drs]?|ers|ing|ations?|able)$)"
)
_BRITISH_OUR = re.compile(r"^(behavi|col|neighb|fav|lab|hon|vap|rum|harb|endeav)our")
_YZE = re.compile(r"(?<=..)(al|ol)yz(?=(?:e[drs]?|ers|ing)$)")
_VOWEL = re.compile("[aeiouy]")


class _EnglishStemmer(threading.local):
    # A snowball object keeps the word at hand inside itself: one for each thread.
    def __init__(self) -> None:
        self.word = Stemmer.Stemmer("english", 0).stemWord


_stemmer = _EnglishStemmer()


def fold(text: str) -> str:
    """Fold away what a reader does not tell apart: case, accents, ligatures, widths.

    Args:
        text: one word, number or name as it was written.

    Returns:
        Its letters and digits in Unicode NFKC, case-folded, without accents; a single Greek
        letter becomes its name; may be empty.
    """
    if text.isascii() and text.isalnum():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    bare = _IGNORED.sub("", unicodedata.normalize("NFD", folded)).translate(_LETTERS)
    composed = unicodedata.normalize("NFC", bare)
    kept = "".join(c for c in composed if c.isalnum() or c in _KEPT_SIGNS)
    return _GREEK.get(kept, kept)


def stem(word: str) -> str:
    """Cut a folded word's ending, British spelling made American first.

    The stemmer is Porter's second English one (https://snowballstem.org). It keeps the s of
    words without a vowel, which are plural acronyms here ("llms"): that is cut too.

    Args:
        word: what `fold` gave.

    Returns:
        The stem; numbers, names with digits and words of other scripts come back unchanged.
    """
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    if "is" in word:
        word = _BRITISH_IZE.sub(r"\1iz", word)
    elif "our" in word:
        word = _BRITISH_OUR.sub(r"\1or", word)
    elif "lyz" in word:
        word = _YZE.sub(r"\1ys", word)
    if word[-1] == "s" and len(word) > 3 and word[-2] != "s" and not _VOWEL.search(word):
        return word[:-1]
    return str(_stemmer.word(word))
