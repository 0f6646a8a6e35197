"""What is math, bold, emphasis or an address in an abstract, and what is only text."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.web.markup import Node, parse, safe_url, urls_in
from tests.web.stand_in import seed_papers

PIECES = st.sampled_from(
    [
        "$",
        "$$",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "**",
        "*",
        "\\textbf{",
        "\\emph{",
        "{",
        "}",
        "\\url{",
        "\\href{",
        "https://a.b/c",
        " ",
        "x",
        "5",
        "%",
        "\\%",
        "\\alpha",
        "_",
        "^2",
        "<b>",
        "\n",
        "{\\em ",
        ".",
        ")",
        "]",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))


def shown(text: str) -> str:
    return "".join(_shown(node) for node in parse(text))


def _shown(node: Node) -> str:
    inner = node.shown or "".join(map(_shown, node.children))
    return inner if node.kind == "text" else f"<{node.kind}:{inner}>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("up to $4.7\\times$ faster", "up to <math:4.7\\times> faster"),
        ("over $80$\\% reuse", "over <math:80>% reuse"),
        ("10.33$\\times$ speed up", "10.33<math:\\times> speed up"),
        ("few ($\\sim$10) shots", "few (<math:\\sim>10) shots"),
        ("is $n \\approx k^2 $ here", "is <math:n \\approx k^2 > here"),
        ("$FedA^2$-$LoRA$", "<math:FedA^2>-<math:LoRA>"),
        ("a \\(x_1\\) b \\[y^2\\] c", "a <math:x_1> b <display:y^2> c"),
        ("$$a = b$$", "<display:a = b>"),
        ("rate \\mathcal{O}(n) holds", "rate <math:\\mathcal{O}>(n) holds"),
        ("price $5 and $10", "price $5 and $10"),
        ("from $5-$10 to US$3 million and US$4", "from $5-$10 to US$3 million and US$4"),
        (
            "under $6,000 (based on U.S. prices) or $50",
            "under $6,000 (based on U.S. prices) or $50",
        ),
        ("costs \\$5 and \\$6", "costs $5 and $6"),
        ("$\\href{javascript:1}{x}$", "$x$"),
        ("one $ alone", "one $ alone"),
        ("**UniFLoW**(Universal)", "<strong:UniFLoW>(Universal)"),
        (
            "\\textbf{SparseInfer} and \\emph{all} {\\em these}",
            "<strong:SparseInfer> and <em:all> <em:these>",
        ),
        ("\\textbf{a $x$ b}", "<strong:a <math:x> b>"),
        ("a * b ** c", "a * b ** c"),
        ("# no heading\n1. no list <b>", "# no heading\n1. no list <b>"),
        ("see \\url{https://a.b/c\\_d}.", "see <link:https://a.b/c_d>."),
        ("see (https://a.b/c).", "see (<link:https://a.b/c>)."),
        ("see https://a.b/(c)!", "see <link:https://a.b/(c)>!"),
        ("\\href{https://a.b}{our code}", "<link:our code>"),
        ("\\href{javascript:alert(1)}{x}", "x"),
        ("94.6\\% F1", "94.6% F1"),
        ("\\textbf{unclosed and $open", "\\textbf{unclosed and $open"),
    ],
)
def test_what_is_markup(text: str, expected: str) -> None:
    assert shown(text) == expected


@given(TEXTS)
def test_the_pieces_cover_the_text_without_gap_or_overlap(text: str) -> None:
    def covered(nodes: tuple[Node, ...], start: int, end: int) -> None:
        for node in nodes:
            assert start <= node.start < node.end <= end
            covered(node.children, node.start, node.end)
            start = node.end

    nodes = parse(text)
    covered(nodes, 0, len(text))
    assert "".join(text[node.start : node.end] for node in nodes) == text


@given(TEXTS)
def test_plain_pieces_show_their_own_characters(text: str) -> None:
    for node in parse(text):
        if node.kind == "text" and len(node.shown) == node.end - node.start:
            assert node.shown == text[node.start : node.end]


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "https://",
        "//a.b",
        "ftp://a.b",
        "https://a b",
        "",
        None,
        'https://a.b/"onx=',
        "https://[bad",
        "JaVaScRiPt:https://a.b",
    ],
)
def test_other_addresses_are_no_links(url: str | None) -> None:
    assert safe_url(url) is None


def test_http_addresses_are_links() -> None:
    assert safe_url(" https://arxiv.org/abs/2603.13289 ") == "https://arxiv.org/abs/2603.13289"
    assert safe_url("HTTP://a.b/c?d=1&e#f") == "HTTP://a.b/c?d=1&e#f"


def test_the_addresses_of_the_seeds_are_found_whole() -> None:
    found = {url for paper in seed_papers() for url in urls_in(paper.abstract)}
    assert "https://github.com/zhengcy-lambo/RGGT" in found
    assert "https://github.com/Yangqun123456/SAIM" in found
    assert not [url for url in found if url.endswith((".", "}", ")"))]


def test_no_dollar_is_left_in_the_seeds() -> None:
    left = [
        paper.id
        for paper in seed_papers()
        for node in parse(paper.abstract)
        if node.kind == "text" and "$" in node.shown
    ]
    assert left == []


def test_few_dollars_are_left_in_many_abstracts(test_data: Path) -> None:
    drawn = left = 0
    with gzip.open(test_data / "abstracts.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            if "$" not in line:
                continue
            for node in parse(json.loads(line).get("abstract") or ""):
                drawn += node.kind in ("math", "display")
                left += node.kind == "text" and "$" in node.shown
    assert drawn > 15_000
    assert left < 150
