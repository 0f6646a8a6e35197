"""Which language a question is in, told by its script and its function words."""

from __future__ import annotations

import re

__all__ = ["ENGLISH", "is_function_word", "language_of"]

ENGLISH = "en"
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("el", re.compile("[\u0370-\u03ff]{3}")),
)
_WORDS = {
    "en": "the of and is are what which how does do in to for with on paper papers who why when "
    "where that this it there any about be can have many much no yes not or by from at as",
    "de": "der die das und ist sind was welche welcher welches wie ein eine einen dem den des mit "
    "für von zu nicht auf bei wird werden wer warum gibt es um sich im bringt welchen beiden "
    "arten weiteren hallo guten tag danke morgen abend oder als auch durch über viele hat haben "
    "sich selbst behandeln handeln geht gehen untersuchen untersucht verwenden nutzen benutzen befassen "
    "beschäftigen arbeiten beiträge artikel zeige nenne finde mir alle keine ohne diese dieser dazu darüber",
    "es": "el la los las de y es son qué que cuál cuáles cómo un una con para por no en del se su "
    "hola gracias buenos buenas días tardes al quién dónde hay sobre qué cuántos cuántas "
    "más sin entre lo artículos artículo trabajos estudios hablan habla tratan trata usan utilizan estudian "
    "abordan muestra muéstrame encuentra existen acerca todos",
    "fr": "le la les des et est sont que quel quelle quels quelles comment un une avec pour par ne "
    "bonjour salut merci pas dans du au qui où il sur combien quoi d' l' y a-t-il plus sans de aux cette "
    "ces travaux papiers études parlent parle portent traitent traite concernent utilisent étudient abordent "
    "montre montrez trouve existe-t-il tous toutes leur leurs ou",
    "it": "il lo gli di e è sono che quale quali come un una con per non nel della dei su chi dove "
    "quanti quante più senza i le la del dello degli delle da articoli articolo lavori studi parlano parla "
    "trattano tratta usano utilizzano studiano riguardano elenca mostra mostrami trova sul sulla sulle sui "
    "ci sono tutti",
    "pt": "o os as de e é são que qual quais como um uma com para por não no na do da quem onde "
    "quantos mais sem sobre as quantas artigos artigo trabalhos estudos falam fala tratam trata usam "
    "utilizam estudam abordam mostre encontre nos nas ao há existem todos",
    "nl": "de het een en is zijn wat welke welk hoe waarom wie waar over van voor met op niet geen er "
    "artikelen onderzoeken gaan gaat behandelen bestuderen gebruiken gebruikt toon geef vind hoeveel "
    "alle zonder ook worden wordt deze die dat bij naar",
}
_LONG = 5
_WEIGHTS = {code: set(words.split()) for code, words in _WORDS.items()}
# No letters of "3D" or "L0"; a French "d'" keeps its sign, without which it is any letter d.
_TOKEN = re.compile(r"(?<![\d\w])[^\W\d_]+(?:-[^\W\d_]+)*(?!\d)(?:['’](?=\w))?")
_ET_AL = re.compile(r"\bet al\b", re.IGNORECASE)


def language_of(text: str) -> str:
    """Guess a question's language.

    Args:
        text: the question.

    Returns:
        An ISO 639-1 code; `en` where nothing speaks for another one.
    """
    letters = sum(char.isalpha() for char in text) or 1
    for code, script in _SCRIPTS:
        if len(script.findall(text)) >= max(2, letters // 8):
            return code
    tokens = [token.lower().replace("’", "'") for token in _TOKEN.findall(_ET_AL.sub(" ", text))]
    scores = {
        code: sum(token in words or token.rstrip("'") in words for token in tokens)
        for code, words in _WEIGHTS.items()
    }
    best = max(scores, key=lambda code: (scores[code], code == ENGLISH))
    # One long word such as "welche" tells as much as two short ones, where none is English.
    long = any(len(token) >= _LONG and token in _WEIGHTS[best] for token in tokens)
    enough = 1 if long and not scores[ENGLISH] else min(2, max(1, len(tokens) - 1))
    return best if scores[best] > scores[ENGLISH] and scores[best] >= enough else ENGLISH


def is_function_word(word: str, language: str) -> bool:
    """Tell whether a word is one of a language's function words.

    Args:
        word: as it was typed.
        language: ISO 639-1 code.
    """
    return word.lower() in _WEIGHTS.get(language, ())
