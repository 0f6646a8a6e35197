"""Which language a question is in."""

from __future__ import annotations

import pytest
from hypothesis import given

from assistant.retrieval.language import language_of
from tests.texts import abstract_like, any_text

QUESTIONS = [
    ("en", "which papers study KV caches?"),
    ("en", "RelayCaching?"),
    ("en", "TTFT"),
    ("en", ""),
    ("en", "4.7x 80 %"),
    ("en", "Which method by Müller and García is the best for die casting?"),
    ("en", "what does the symbol λ mean in the bound?"),
    ("en", "Perspective Transformer Nets: Learning Single-View 3D Object Reconstruction"),
    ("en", "2D image-based 3D shape retrieval"),
    ("en", "Recently, Chavdarova et al. (2021) report this for Lookahead-Minmax"),
    ("en", "Do no-regret algorithms converge?"),
    ("en", "Is o1 as good as DeepSeek-R1?"),
    ("en", "Monte Carlo per step"),
    ("en", "What's do-calculus?"),
    ("fr", "Comment réduire la taille d'un cache de l'état ?"),
    ("fr", "Comment réduire la taille d’un modèle ?"),
    ("de", "Welche Arbeiten befassen sich mit KV-Caches?"),
    ("de", "Wie viel schneller ist die Methode als der Stand der Technik?"),
    ("es", "¿Qué artículos estudian las cachés de los modelos?"),
    ("fr", "Quels articles parlent de la mémoire des modèles ?"),
    ("it", "Quali articoli parlano della memoria dei modelli?"),
    ("pt", "Quais artigos falam sobre a memória dos modelos?"),
    ("zh", "哪些论文研究拜占庭攻击？"),
    ("zh", "RelayCaching 能快多少？"),
    ("ja", "どの論文がキャッシュを研究していますか？"),
    ("ko", "어떤 논문이 캐시를 연구합니까?"),
    ("ru", "Какие статьи изучают кэш моделей?"),
    ("ar", "ما هي الأوراق التي تدرس النماذج؟"),
    ("el", "Ποια άρθρα μελετούν τη μνήμη;"),
]


@pytest.mark.parametrize(("code", "question"), QUESTIONS)
def test_languages(code: str, question: str) -> None:
    assert language_of(question) == code


@given(any_text | abstract_like)
def test_every_text_has_a_two_letter_code(text: str) -> None:
    assert len(language_of(text)) == 2
