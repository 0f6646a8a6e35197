"""BibTeX as people keep it: LaTeX letters, strings, cross-references, and broken entries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus.latex import plain_text, without_commands
from assistant.corpus.reading import ReadResult, read_paths
from assistant.errors import InputError
from tests.texts import paragraph

FIRST = "We study how caches of large models can be kept small without loss."
SECOND = "We study how point clouds are aligned when the objects bend and move."

BALANCED = paragraph().filter(
    lambda text: not any(char in text for char in '\\{}"@%#') and text.isprintable()
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bibtex")


def read(folder: Path, content: str, name: str = "papers.bib", **more: Any) -> ReadResult:
    (folder / name).write_text(content, encoding="utf-8")
    return read_paths([folder / name], **more)


def reasons(found: ReadResult) -> list[tuple[int, str]]:
    return [(skipped.place, skipped.reason) for skipped in found.skipped]


@given(st.lists(BALANCED, min_size=1, max_size=4), st.booleans())
def test_abstracts_come_back_letter_for_letter(
    folder: Path, abstracts: list[str], quotes: bool
) -> None:
    start, end = '""' if quotes else "{}"
    entries = [
        f"@article{{key{i},\n  title = {{T{i}}},\n  abstract = {start}{text}{end},\n}}\n"
        for i, text in enumerate(abstracts)
    ]
    found = read(folder, "\n".join(entries))
    assert found.skipped == ()
    assert [(p.id, p.title, p.abstract) for p in found.papers] == [
        (f"key{i}", f"T{i}", text.strip()) for i, text in enumerate(abstracts)
    ]


def test_an_entry_with_all_that_bibtex_has(tmp_path: Path) -> None:
    content = r"""
% A library
@comment{jabref-meta: x}
@preamble{"\newcommand{\x}{y}"}
@string{ICML = "International Conference on " # "Machine Learning"}
@string(pmlr = {PMLR})

@InProceedings{loewe24,
  Author    = {L{\"o}we, Ada and {\'E}mile Zola and {The Big Team} and others},
  title     = "{BERT} and Fr{\'e}chet: $O({n}^2)$ for 50\% of {\em all} -- or ``some''",
  booktitle = icml # { 2024},
  year      = 2024,
  abstract  = {Erd{\H o}s and na{\"\i}ve \'etudes cost $\mathcal{O}(\'{n}) < \{x\}$, by \textbf{53\%}, at {\ss}.},
  keywords  = {caches, large models},
  url       = {https://a.example/x_y?a=1&b=2},
  doi       = {10.1000/x},
}
"""
    (paper,) = read(tmp_path, content).papers
    assert paper.id == "loewe24"
    assert paper.authors == ("Ada Löwe", "Émile Zola", "The Big Team")
    assert paper.title == "BERT and Fréchet: $O({n}^2)$ for 50% of all – or “some”"
    assert paper.venue == "International Conference on Machine Learning 2024"
    assert paper.year == 2024
    assert paper.abstract == (
        r"Erdős and naïve études cost $\mathcal{O}(\'{n}) < \{x\}$, by \textbf{53\%}, at ß."
    )
    assert paper.keywords == ("caches", "large models")
    assert paper.url == "https://a.example/x_y?a=1&b=2"


@pytest.mark.parametrize(
    ("fields", "venue", "year", "url"),
    [
        ("journaltitle={J}, date={2025-07-01}", "J", 2025, None),
        ("journal={J}, year={in press}", "J", None, None),
        (
            "eprint={2507.01234}, archiveprefix={arXiv}",
            None,
            None,
            "https://arxiv.org/abs/2507.01234",
        ),
        ("doi={https://doi.org/10.1/x}", None, None, "https://doi.org/10.1/x"),
        ("booktitle={COLM 2025}", "COLM", 2025, None),
        ("url={javascript:alert(1)}", None, None, None),
        (r"url={https://a.example/x\_y}", None, None, "https://a.example/x_y"),
    ],
)
def test_where_a_paper_appeared(
    tmp_path: Path, fields: str, venue: str | None, year: int | None, url: str | None
) -> None:
    (paper,) = read(tmp_path, f"@article{{a, abstract={{{FIRST}}}, {fields}}}").papers
    assert (paper.venue, paper.year, paper.url) == (venue, year, url)


def test_an_entry_takes_from_the_one_it_refers_to(tmp_path: Path) -> None:
    content = f"""
@inproceedings{{child, title={{C}}, crossref={{Parent}}, abstract={{{FIRST}}}}}
@proceedings{{parent, title={{Proc. of X}}, year={{2001}}, abstract={{{SECOND}}}}}
"""
    child, parent = read(tmp_path, content).papers
    assert (child.title, child.venue, child.year, child.abstract) == (
        "C",
        "Proc. of X",
        2001,
        FIRST,
    )
    assert parent.title == "Proc. of X"


def test_a_broken_entry_costs_itself_alone_and_is_told_by_its_line(tmp_path: Path) -> None:
    content = f"""@article{{a, title={{A}}, abstract={{{FIRST}}}}}
@article{{b, title={{B, abstract={{{FIRST}}}

@article{{c, title={{C}}, abstract={{{SECOND}}}}}
@article{{d, title={{D}}}}
@article{{e title={{E}}, abstract={{{FIRST}}}}}
@article(f, title="F", abstract="{SECOND}")
@article{{g, title={{G}}, abstract={{cut"""
    found = read(tmp_path, content)
    assert [paper.id for paper in found.papers] == ["a", "c", "f"]
    assert [place for place, _ in reasons(found)] == [2, 5, 6, 8]
    never = "not BibTeX: a brace or quote of this entry is never closed"
    assert [reason for _, reason in reasons(found)][:2] == [never, "no abstract"]
    assert reasons(found)[3] == (8, never)


def test_keys_given_twice_hide_nothing(tmp_path: Path) -> None:
    content = "".join(f"@misc{{key, abstract={{{text}}}}}\n" for text in (FIRST, SECOND, FIRST))
    found = read(tmp_path, content)
    assert [paper.abstract for paper in found.papers] == [FIRST, SECOND, FIRST]
    assert found.papers[0].id == found.papers[2].id == "key"
    assert found.papers[1].id.startswith("key-")


def test_a_field_given_twice_does_not_lose_the_entry(tmp_path: Path) -> None:
    (paper,) = read(tmp_path, f"@misc{{k, note={{a}}, note={{b}}, abstract={{{FIRST}}}}}").papers
    assert paper.abstract == FIRST


def test_a_library_without_any_abstract_says_what_it_has(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"papers\.bib has no field .*; it has: 'title', 'note'"):
        read(tmp_path, f"@misc{{k, title={{x}}, note={{{FIRST}}}}}")
    (paper,) = read(
        tmp_path, f"@misc{{k, title={{x}}, note={{{FIRST}}}}}", mapping={"abstract": "note"}
    ).papers
    assert paper.abstract == FIRST


def test_no_word_of_the_parser_reaches_the_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    read(tmp_path, f"@misc{{a, abstract={{{FIRST}}}}}\n@misc{{b, x={{")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r"Fr{\'e}chet", "Fréchet"),
        (r"Fr\'{e}chet", "Fréchet"),
        (r"Erd\H{o}s", "Erdős"),
        (r"{\L}ukasz", "Łukasz"),
        (r"na\"{\i}ve", "naïve"),
        (r"\v{S}koda \c{c}a", "Škoda ça"),
        ("100% of $x$", "100% of $x$"),
        ("Q&A -- {M}ergers & more", "Q&A – Mergers & more"),
        (r"{A} {{B}} \textsc{C} \& D~E", "A B C & D E"),
        (r"$\alpha_{1}$-{GAN}", r"$\alpha_{1}$-GAN"),
        ("don't", "don't"),
        ("a { b", "a b"),
        (r"\unknown", r"\unknown"),
        (r"{\sys}: \sqrtT {R}egret", r"\sys: \sqrtT Regret"),
        ("$100K or {100} Days", "$100K or 100 Days"),
    ],
)
def test_titles_and_names_without_latex(latex: str, plain: str) -> None:
    assert plain_text(latex) == plain


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r"10.5{\%} of {\#}1 {\&} a{\_}b, 5\% \& more", "10.5% of #1 & a_b, 5% & more"),
        ("{``}hard{''} {`}x{'} 3{--}5 {---} all", "“hard” ‘x’ 3–5 — all"),
        (r"{\textasciitilde}9 {\textless}5 \textgreater{}6 5{\textdegree}", "~9 <5 >6 5°"),
        (
            r"3.2{\mbox{$\times$}} and 4{$\times$} {\ensuremath{\alpha}}",
            r"3.2$\times$ and 4$\times$ $\alpha$",
        ),
        (
            r"{\textbf{GPT}}-4, {\em all} of \textit{it \emph{is}} \texttt{x}",
            "GPT-4, all of it is x",
        ),
        (r"see \url{https://a.b/c} and \href{https://a.b}{here}", "see https://a.b/c and here"),
        (r"the {LLM} of {S}mith {\textit{et al.}}", "the LLM of Smith et al."),
        (
            r"\sys{Foo} in $O(\textbf{n})$ \cite{x} {a, b}",
            r"\sys{Foo} in $O(\textbf{n})$ \cite{x} {a, b}",
        ),
        (r"100% of Q&A ~5 -- \unknown", r"100% of Q&A ~5 -- \unknown"),
    ],
)
def test_abstracts_lose_the_commands_that_only_dress_words(latex: str, plain: str) -> None:
    assert without_commands(latex) == plain


@given(st.lists(st.sampled_from([*"{}$\\%`'-_ a\ue000\ue0010", "\\textbf{", "\\em ", "\\'", "x}"])))
def test_any_heap_of_commands_is_read_in_good_time(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert len(without_commands(text)) <= 3 * len(text)
    assert without_commands(text.replace("\\", "").replace("{", "")) == text.replace(
        "\\", ""
    ).replace("{", "")


@given(st.text(max_size=60), st.text(max_size=20).filter(lambda text: "$" not in text))
def test_mathematics_in_abstracts_is_never_touched(text: str, inner: str) -> None:
    math = f"${inner}$"
    for before in ("x ", "x \\'e "):
        assert math in without_commands(f"{before}{math} {text.replace('$', '')}")


@given(st.text(max_size=200).filter(lambda text: "\\" not in text and "{" not in text))
def test_an_abstract_without_latex_stays_as_it_is(text: str) -> None:
    assert without_commands(text) == text
