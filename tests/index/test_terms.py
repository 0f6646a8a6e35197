from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.index.surfaces import forms, surfaces
from assistant.index.terms import (
    Emphasis,
    analyse,
    content_words,
    is_generic,
    is_stopword,
    query_terms,
    weighted_terms,
)
from assistant.index.words import STOPWORDS, fold, stem

MARKUP = st.text(alphabet="aBe4. ,-–/_^${}\\*%×x+#@&'’sé̈\u200bβℓ知识かﬁ½²\n", max_size=40)
ANY = st.one_of(st.text(max_size=60), MARKUP, st.characters().map(lambda c: f"a{c}-{c}B{c}"))


def terms(text: str) -> set[str]:
    return {term.text for term in analyse(text)}


@given(ANY)
def test_offsets_cut_the_text(text: str) -> None:
    for term in analyse(text):
        assert 0 <= term.start < term.end <= len(text)
        assert term.text
        assert not any(c.isspace() for c in term.text)


@given(ANY)
def test_surfaces_give_the_same_terms_as_the_text(text: str) -> None:
    one_by_one = [form.text for surface in surfaces(text) for form in forms(surface)]
    assert one_by_one == [term.text for term in analyse(text)]


@given(ANY)
def test_a_question_keeps_each_term_once_and_in_order(text: str) -> None:
    kept = query_terms(text)
    every = list(dict.fromkeys(term.text for term in analyse(text)))
    assert kept == [term for term in every if term in set(kept)]
    assert bool(kept) == bool(every)


@given(st.text(max_size=20))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_lone_surrogates_are_passed_over() -> None:
    assert [term.text for term in analyse("ab\ud800cd")] == ["ab", "cd"]


@pytest.mark.parametrize(
    "text",
    ["-" * 100_000, "a-" * 50_000, "1," * 50_000, "a{b}" * 25_000, "Ab1" * 30_000, "$^{" * 30_000],
    ids=["hyphens", "one compound", "commas", "braces", "camel case", "indices"],
)
def test_long_runs_do_not_hang(text: str) -> None:
    assert all(0 <= term.start < term.end <= len(text) for term in analyse(text))


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("KV cache", "KV-caches"),
        ("kv-cache", "the KVCache"),
        ("k/v caches", "KV cache"),
        ("key value", "key–value"),
        ("relaycaching?", "RelayCaching"),
        ("relay caching", "RelayCaching"),
        ("RELAYCACHING!", "(RelayCaching)"),
        ("cheap-2-rich", "Cheap2Rich"),
        ("Active-o3", "Active O3"),
        ("autoencoder", "auto-encoders"),
        ("word2vec", "Word2Vec"),
        ("sim-to-real", "the sim2real gap"),
        ("ModelNet", "ModelNet40"),
        ("cifar 10", "CIFAR-10"),
        ("qwen", "Qwen2.5-Omni-7B"),
        ("LLM", "llms"),
        ("SAE", "SAEs"),
        ("gpus", "GPUs"),
        ("iid", "i.i.d. samples"),
        ("4.7x", r"$4.7\times$"),
        ("4.7×", r"**4.7x**"),
        ("10.33x", r"$10.33$\times"),
        ("94.6%", r"94.6\% F1"),
        ("over 80%", r"$80$\%"),
        ("80 %", "80%"),
        ("640x480", "640 × 480"),
        ("3×3", r"$3\times3$"),
        ("L0", r"$L_0$"),
        ("l_0 norm", r"the $\ell_{0}$-norm"),
        ("ℓ0", r"$\ell_0$"),
        ("FedA2", "$FedA^2$"),
        ("FedA^2", "FedA²"),
        ("sparseinfer", r"\textbf{SparseInfer}"),
        ("sparse", r"\textbf{S}parse"),
        ("beta-VAE", r"$\beta$-VAE"),
        ("lambda", "λ"),
        ("k-means", "$k$-means"),
        ("frechet", "Fréchet"),
        ("Fréchet", r"Fr\'{e}chet"),
        ("Godel", 'G\\"odel'),
        ("Fre\u0301chet", "FRÉCHET"),
        ("algorithm", "algo\u00adrithm"),
        ("fine", "ﬁne"),
        ("full", "ｆｕｌｌ"),
        ("RRT", "RRT*"),
        ("A* search", "$A^*$"),
        ("C++", "c++"),
        ("decentralised optimisation", "decentralized"),
        ("behaviour", "behaviors"),
        ("analysed", "analyzing"),
        ("neighbouring colours", "neighboring"),
        ("github", "https://github.com/someone/RGGT."),
        ("RGGT", "https://github.com/someone/RGGT."),
        ("ConservationBench 一共生成了多少道题？", "ConservationBench"),
        ("一共生成", "生成模型"),
    ],
)
def test_spellings_of_one_thing_meet(asked: str, written: str) -> None:
    assert set(query_terms(asked)) & terms(written)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("supervision", "superb"),
        ("exploration", "explanation"),
        ("GPT-4", "GPT-3"),
        ("promise", "prominent"),
        ("4.7x", "4.8x"),
        ("LoRA", "lo"),
    ],
)
def test_different_things_stay_apart(one: str, other: str) -> None:
    assert terms(one).isdisjoint(terms(other) - {"gpt"})


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("GPT-4o", [("gpt4o", "GPT-4o"), ("gpt", "GPT"), ("4o", "4o")]),
        ("3DMatch", [("3dmatch", "3DMatch"), ("3d", "3D"), ("match", "Match")]),
        ("L0", [("l0", "L0")]),
        (r"$4.7\times$ TTFT", [("4.7x", r"4.7\times"), ("4.7", "4.7"), ("ttft", "TTFT")]),
        ("a model's size", [("a", "a"), ("model", "model"), ("size", "size")]),
        (r"\emph{x}", [("x", "x")]),
        ("87,413 papers", [("87413", "87,413"), ("paper", "papers")]),
        ("LoRA", [("lora", "LoRA")]),
        ("知识图谱", [("知识", "知识"), ("识图", "识图"), ("图谱", "图谱")]),
        ("2018-2020", [("2018", "2018"), ("2020", "2020")]),
        ("\u200b", []),
        ("???", []),
        ("", []),
    ],
)
def test_surfaces_are_cut_as_written(text: str, cut: list[tuple[str, str]]) -> None:
    assert [(term.text, text[term.start : term.end]) for term in analyse(text)] == cut


def test_markup_is_no_word() -> None:
    found = terms(r"\textbf{Sparse} $\mathcal{O}(\sqrt{n})$ \url{http://x.org} \left( \frac{1}{2}")
    assert found.isdisjoint({"textbf", "mathcal", "sqrt", "url", "left", "frac", "http"})
    assert "spars" in found


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("Which papers study KV caches?", ["kv", "cach"]),
        ("What is RGGT?", ["rggt"]),
        ("papers related to exploration", ["explor"]),
        ("Which paper explores video?", ["video"]),
        ("What work is there on reward models?", ["reward", "model"]),
        ("which papers are there?", ["paper"]),
        ("what is it?", ["what", "is", "it"]),
        ("   ", []),
    ],
)
def test_questions_lose_the_words_questions_are_made_of(question: str, kept: list[str]) -> None:
    assert query_terms(question) == kept


def test_function_words_are_known_by_their_stems() -> None:
    assert all(is_stopword(stem(word)) for word in STOPWORDS)
    assert is_generic("the")
    assert is_generic("paper")
    assert not is_stopword("paper")
    assert not is_generic("cach")


def test_a_compound_counts_less_than_words_apart() -> None:
    weights = weighted_terms("KV-cache compression", Emphasis(whole=0.5, part=0.7, pair=0.2))
    assert weights == {
        "kvcach": 0.5,
        "kv": 0.7,
        "cach": 0.7,
        "compress": 1.0,
        "kv cach": 0.2,
        "cach compress": 0.2,
    }


def test_pairs_do_not_bridge_the_words_a_question_is_made_of() -> None:
    assert "video robot" not in weighted_terms("Which video papers use robots?")


def test_content_words_skip_function_words_and_wholes() -> None:
    assert content_words("Time-To-First-Token of the KV cache") == [
        "time",
        "first",
        "token",
        "kv",
        "cach",
    ]
