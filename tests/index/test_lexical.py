from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assistant.corpus.reading import read_paths
from assistant.errors import IndexDamagedError
from assistant.index.lexical import K1, B, LexicalIndex
from assistant.index.surfaces import forms, surfaces
from assistant.index.terms import is_stopword, query_terms, weighted_terms
from assistant.resources import seeds_dir

ROOT = Path(__file__).parent.parent.parent
DOCUMENTS = [
    "RelayCaching shares KV caches between agents; the KV-cache of one serves the next.",
    "Sparse Autoencoders (SAEs) extract features. The L0 of an SAE matters.",
    "Byzantine attackers slow decentralized optimization.",
    "",
    "We study GPT-4 and Qwen2.5 on video models.",
]
WORDS = st.sampled_from(
    "kv cache kv-cache video models GPT-4 sparse the of byzantine x 知识 ".split(" ")
)
TEXTS = st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=8)


def ask(index: LexicalIndex, question: str) -> NDArray[np.float32]:
    weights = index.weigh(question)
    return index.scores(list(weights), list(weights.values()))


@pytest.fixture(scope="module")
def index() -> LexicalIndex:
    return LexicalIndex.build(DOCUMENTS)


@pytest.fixture(scope="module")
def seeds() -> tuple[list[str], LexicalIndex]:
    texts = [paper.abstract for paper in read_paths([seeds_dir()]).papers]
    return texts, LexicalIndex.build(texts)


def first(seeds: tuple[list[str], LexicalIndex], question: str) -> str:
    texts, index = seeds
    return texts[int(np.argmax(ask(index, question)))]


def test_words_are_scored_as_bm25s_scores_them(seeds: tuple[list[str], LexicalIndex]) -> None:
    from bm25s import BM25

    texts, index = seeds
    tokens = [
        [f.text for s in surfaces(text) for f in forms(s) if not is_stopword(f.text)]
        for text in texts
    ]
    reference = BM25(k1=K1, b=B, method="lucene")
    reference.index(tokens, show_progress=False)
    for question in ("KV caches of agents", "reward models for video", "L0 too high"):
        terms = query_terms(question)
        np.testing.assert_allclose(
            index.scores(terms), reference.get_scores(terms), rtol=1e-5, atol=1e-6
        )


def test_weights_multiply_and_unknown_terms_add_nothing(index: LexicalIndex) -> None:
    once = index.scores(["kv", "nowhere", "kv nowhere"])
    assert once.dtype == np.float32
    assert once.shape == (len(DOCUMENTS),)
    np.testing.assert_allclose(index.scores(["kv"], [2.0]), 2 * once)
    np.testing.assert_allclose(index.scores(["kv"], np.array([2.0])), 2 * once)  # type: ignore[arg-type]
    assert not index.scores([]).any()
    with pytest.raises(ValueError, match=r"shorter|longer"):
        index.scores(["kv"], [])


def test_neighbours_are_found_as_pairs(index: LexicalIndex) -> None:
    assert index.rows("kv cach").tolist() == [0]
    assert index.rows("cach kv").tolist() == []
    assert index.document_frequency("kv cach") == 1
    assert index.scores(["kv cach"])[0] > 0


def test_pairs_do_not_reach_from_one_document_into_the_next() -> None:
    index = LexicalIndex.build(["ends with video", "models begin this", "video models"])
    assert index.rows("video model").tolist() == [2]


def test_frequencies_and_rarity(index: LexicalIndex) -> None:
    assert index.document_frequency("sae") == 1
    assert index.document_frequency("quantum") == 0
    assert index.idf("quantum") > index.idf("sae") > 0
    assert index.idf("sae") == pytest.approx(math.log(1 + (5 - 1 + 0.5) / (1 + 0.5)))
    assert index.idf("the") == 0
    assert index.rows("the").tolist() == []


@pytest.mark.parametrize(
    "documents",
    [[], [""], ["", "  "], ["the of and"], ["one"], ["same text"] * 3, ["\ud800", "知识图谱"]],
    ids=["none", "empty", "blank", "function words", "one", "same", "odd"],
)
def test_odd_collections_are_no_error(documents: list[str], tmp_path: Path) -> None:
    LexicalIndex.build(documents).save(tmp_path / "lexical")
    index = LexicalIndex.load(tmp_path / "lexical")
    assert len(index) == len(documents)
    for question in ("same text", "one", "the", "", "知识", "reinforcment learnig"):
        scores = ask(index, question)
        assert scores.shape == (len(documents),)
        assert np.isfinite(scores).all()
        index.correct(question)
        index.idf(question)
        index.expand(query_terms(question))
    if documents == ["same text"] * 3:
        assert len(set(ask(index, "same text").tolist())) == 1


@given(TEXTS, st.lists(WORDS, max_size=6).map(" ".join))
def test_a_document_scores_when_it_holds_a_term(texts: list[str], question: str) -> None:
    index = LexicalIndex.build(texts)
    weights = {
        term: weight
        for term, weight in weighted_terms(question).items()
        if index.document_frequency(term)
    }
    scores = index.scores(list(weights), list(weights.values()))
    holders = {row for term in weights for row in index.rows(term).tolist()}
    assert {int(row) for row in scores.nonzero()[0]} == holders
    assert (scores >= 0).all()


def test_a_saved_index_answers_the_same(
    seeds: tuple[list[str], LexicalIndex], tmp_path: Path
) -> None:
    _, built = seeds
    built.save(tmp_path)
    loaded = LexicalIndex.load(tmp_path)
    for question in ("KV caches", "sparse autoencodres L0", "RelayCaching TTFT", "nothing known"):
        assert loaded.weigh(question) == built.weigh(question)
        np.testing.assert_array_equal(ask(loaded, question), ask(built, question))


@pytest.mark.parametrize("damage", ["cut", "gone", "longer"])
@pytest.mark.parametrize(
    "name",
    [
        "acronyms.tsv",
        "lexical.json",
        "pairs-rows.npy",
        "pairs.npy",
        "spelling.npy",
        "spelling.txt",
        "terms.txt",
        "words-scores.npy",
        "words-starts.npy",
    ],
)
def test_a_damaged_file_is_noticed_when_the_index_opens(
    index: LexicalIndex, tmp_path: Path, name: str, damage: str
) -> None:
    index.save(tmp_path)
    file = tmp_path / name
    content = file.read_bytes()
    file.unlink()
    if damage != "gone":
        file.write_bytes(content[: len(content) // 2] if damage == "cut" else content + b"more")
    with pytest.raises(IndexDamagedError, match="sync again"):
        LexicalIndex.load(tmp_path)


def test_an_index_of_another_version_is_refused(index: LexicalIndex, tmp_path: Path) -> None:
    index.save(tmp_path)
    file = tmp_path / "lexical.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"format": 0}))
    with pytest.raises(IndexDamagedError, match="another version"):
        LexicalIndex.load(tmp_path)


def test_opening_and_asking_need_no_bm25s(index: LexicalIndex, tmp_path: Path) -> None:
    index.save(tmp_path)
    code = (
        "import sys; from pathlib import Path; from assistant.index.lexical import LexicalIndex; "
        f"index = LexicalIndex.load(Path({str(tmp_path)!r})); index.scores(['kv']); "
        "print(sorted({'bm25s', 'scipy', 'tqdm', 'rapidfuzz'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("typed", "term"),
    [
        ("autoencodres", "autoencod"),
        ("decentralzied", "decentr"),
        ("byzentine", "byzantin"),
        ("relaycachng", "relaycach"),
        ("atackers", "attack"),
        ("pattackers", "attack"),
        ("Byzantine", None),
        ("gpt5", None),
        ("qwen2.6", None),
        ("12345", None),
        ("kva", None),
        ("viedo", "video"),
        ("bake", None),
        ("quantum", None),
        ("studdy", "studi"),
        ("which", None),
        ("", None),
        ("知识图谱", None),
    ],
)
def test_misspelt_words_find_the_collections_own(
    index: LexicalIndex, typed: str, term: str | None
) -> None:
    assert index.correct(typed) == term


def test_the_more_frequent_of_two_near_words_is_taken() -> None:
    index = LexicalIndex.build(["models models modes", "models", "modules"])
    assert index.correct("modles") == "model"


def test_a_question_is_respelt_and_nothing_else_changes(
    seeds: tuple[list[str], LexicalIndex],
) -> None:
    _, index = seeds
    assert index.respell("Sparse autoencodres, L0?") == "Sparse autoencoders, L0?"
    assert index.respell("how meny reward modles") == "how many reward models"
    for known in ("KV-Cache:  RelayCaching!", "FlashAttention-9", "一共生成了多少道题？", ""):
        assert index.respell(known) == known


@pytest.mark.parametrize(
    "question",
    [
        "How do I bake pizza?",
        "Once imagined, how are scenes turned into actions?",
        "How are mislabelled samples spotted?",
        "Do whole distributions save older dates?",
        "Is there work on superconductors or on quantum computing?",
    ],
)
def test_right_words_that_the_collection_lacks_stay(
    seeds: tuple[list[str], LexicalIndex], question: str
) -> None:
    assert seeds[1].respell(question) == question


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("BRED-M", "Resilience against Byzantine"),
        ("What is RGGT?", "Point cloud registration"),
        ("HCA", "Model Predictive Control"),
        ("TBPO", "Direct Preference Optimization"),
        ("relaycaching?", "The increasing complexity"),
        ("RELAYCACHING!", "The increasing complexity"),
        ("(RelayCaching)", "The increasing complexity"),
        ('"RelayCaching,"', "The increasing complexity"),
        ("relay caching", "The increasing complexity"),
        ("4.7x lower time to first token", "The increasing complexity"),
        ("4.7× TTFT", "The increasing complexity"),
        ("over 80% cache reuse", "The increasing complexity"),
        ("Byzentine robust decentralzied optimisation", "Resilience against Byzantine"),
        ("sparse autoencodres L0", "Sparse Autoencoders"),
        ("cheap 2 rich", "Bridging the sim2real gap"),
        ("ConservationBench 一共生成了多少道题？", "Understanding physical transformations"),
    ],
)
def test_names_numbers_and_slips_find_their_paper(
    seeds: tuple[list[str], LexicalIndex], question: str, begins: str
) -> None:
    assert first(seeds, question).startswith(begins)


def test_compounds_and_acronyms_add_to_a_question(
    seeds: tuple[list[str], LexicalIndex],
) -> None:
    _, index = seeds
    assert "relaycach" in index.weigh("relay caching")
    assert "spars autoencod" in index.weigh("SAE")
    assert "sae" in index.weigh("sparse autoencoders")
    assert index.expand(["kv", "cach"]) == {"kv": ["key valu"]}


def test_words_that_few_documents_misspell_bring_the_right_one() -> None:
    index = LexicalIndex.build(["a language model"] * 20_000 + ["a langauge model"])
    assert index.weigh("langauge")["languag"] == 1.0
    assert "langaug" in index.weigh("langauge")
    assert index.weigh("language") == {"languag": 1.0}


def test_known_items_are_ranked_well(test_data: Path) -> None:
    from benchmarks.lexical import tasks, values

    [task] = tasks(["known"])
    index = LexicalIndex.build([row["abstract"] for row in task.rows])
    found, _ = values(task, lambda question: ask(index, question))
    assert found.mean() > 0.93
