"""JSON and JSON Lines in the shapes that exports have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.corpus.paper import Paper
from assistant.corpus.reading import ReadResult, Skipped, read_paths
from assistant.errors import InputError
from tests.texts import paragraph

FIRST = "We study how caches of large models can be kept small without loss."
SECOND = "We study how point clouds are aligned when the objects bend and move."
A, B = {"title": "A", "abstract": FIRST}, {"title": "B", "abstract": SECOND}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("json")


def read(folder: Path, content: Any, name: str = "papers.json", **more: Any) -> ReadResult:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text, encoding="utf-8")
    return read_paths([folder / name], **more)


def one(folder: Path, record: dict[str, Any]) -> Paper:
    (paper,) = read(folder, [record]).papers
    return paper


def reasons(found: ReadResult) -> list[tuple[int, str]]:
    return [(skipped.place, skipped.reason) for skipped in found.skipped]


RECORDS = st.lists(
    st.fixed_dictionaries(
        {"abstract": paragraph(), "title": st.sampled_from(["Caches", "$O(n)$ at 50%", "Ü — 它"])},
        optional={
            "authors": st.lists(st.sampled_from(["Ada Löwe", "C. Li"]), max_size=3),
            "year": st.integers(1900, 2099),
            "keywords": st.lists(st.sampled_from(["a b", "c"]), unique=True),
        },
    ),
    min_size=2,
    max_size=4,
)


@given(RECORDS, st.sampled_from(["list", "lines", "under a key", "by id", "indented", "escaped"]))
def test_whatever_the_shape_every_record_comes_back(
    folder: Path, records: list[dict[str, Any]], shape: str
) -> None:
    written = {
        "list": lambda: json.dumps(records, ensure_ascii=False),
        "lines": lambda: "\n".join(json.dumps(each, ensure_ascii=False) for each in records),
        "under a key": lambda: json.dumps({"count": len(records), "any": records}),
        "by id": lambda: json.dumps({f"id{i}": each for i, each in enumerate(records)}),
        "indented": lambda: json.dumps(records, indent=2),
        "escaped": lambda: json.dumps(records),
    }[shape]()
    found = read(folder, written)
    assert found.skipped == ()
    assert [
        (p.abstract, p.title, list(p.authors), p.year, list(p.keywords)) for p in found.papers
    ] == [
        (
            each["abstract"].strip(),
            each["title"],
            each.get("authors", []),
            each.get("year"),
            each.get("keywords", []),
        )
        for each in records
    ]
    assert [p.source and p.source.ordinal for p in found.papers] == [*range(1, len(records) + 1)]


@pytest.mark.parametrize(
    "content",
    [
        [A, B],
        {"papers": [A, B]},
        {"meta": {"name": "mine"}, "data": {"notes": [A, B]}, "n": 2},
        {"name": "A list", "train": [A], "test": [B]},
        {"sessions": [{"name": "S", "papers": [A]}, {"name": "T", "papers": [B]}]},
        [{"session": "S", "papers": [A]}, {"session": "T", "papers": [B]}],
        {"x": A, "y": B},
        f"{json.dumps(A, indent=1)}\n{json.dumps(B, indent=1)}",
        f"{json.dumps(A)}\n\n{json.dumps(B)}\r\n",
        f"\ufeff{json.dumps([A, B])}",
        [FIRST, SECOND],
    ],
)
@pytest.mark.parametrize("name", ["p.json", "p.jsonl", "p.ndjson", "export"])
def test_lists_are_found_wherever_they_stand(tmp_path: Path, content: Any, name: str) -> None:
    found = read(tmp_path, content, name)
    assert [paper.abstract for paper in found.papers] == [FIRST, SECOND]
    assert found.skipped == ()


def test_what_is_listed_beside_papers_is_told_and_what_is_no_list_is_not(tmp_path: Path) -> None:
    found = read(tmp_path, {"info": {"title": "Mine"}, "papers": [A, {"title": "C"}, {"x": 1}, B]})
    assert len(found.papers) == 2
    assert reasons(found) == [(2, "no abstract"), (3, "no abstract")]


def test_papers_that_a_paper_refers_to_are_not_read(tmp_path: Path) -> None:
    found = read(tmp_path, [A, {"title": "C", "references": [B], "authors": [{"name": "X"}]}])
    assert [paper.title for paper in found.papers] == ["A"]
    assert reasons(found) == [(2, "no abstract")]


def test_an_export_of_openreview(tmp_path: Path) -> None:
    value = {
        "title": {"value": "A title"},
        "abstract": {"value": FIRST},
        "authors": {"value": ["Ada Löwe", "Li, C."]},
        "keywords": {"value": ["caches", "memory"]},
        "TL;DR": {"value": "Caches, but small, and this is long enough to be an abstract."},
        "venue": {"value": "ICLR 2024 poster"},
        "pdf": {"value": "/pdf/0123.pdf"},
        "_bibtex": {"value": "@inproceedings{x, year={2024}}"},
    }
    note = {"id": "AbCdE12345", "forum": "AbCdE12345", "pdate": 1_736_000_000_000, "content": value}
    paper = read(tmp_path, {"notes": [note], "count": 1}).papers[0]
    assert paper.to_dict() == {
        "id": "AbCdE12345",
        "title": "A title",
        "label": "A title",
        "abstract": FIRST,
        "authors": ["Ada Löwe", "C. Li"],
        "venue": "ICLR",
        "year": 2024,
        "url": "https://openreview.net/forum?id=AbCdE12345",
        "keywords": ["caches", "memory"],
        "source": {"file": "papers.json", "ordinal": 1},
    }


def test_the_snapshot_of_arxiv(tmp_path: Path) -> None:
    record = {
        "id": "0704.0001",
        "submitter": "Someone",
        "authors": "C. Bal\\'azs, E. L. Berger",
        "title": "Calculation of prompt\n  diphoton production",
        "doi": "10.1103/PhysRevD.76.013009",
        "categories": "hep-ph cs.LG",
        "abstract": f"  {FIRST}\n  {SECOND}\n",
        "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
        "update_date": "2008-11-26",
        "authors_parsed": [["Bal\\'azs", "C.", ""], ["Berger", "E. L.", "Jr"]],
    }
    (paper,) = read(tmp_path, json.dumps(record), "arxiv-metadata.json").papers
    assert paper.id == "0704.0001"
    assert paper.title == "Calculation of prompt diphoton production"
    assert paper.abstract == f"{FIRST}\n  {SECOND}"
    assert paper.authors == ("C. Balázs", "E. L. Berger Jr")
    assert paper.year == 2007
    assert paper.keywords == ("hep-ph", "cs.LG")
    assert paper.url == "https://arxiv.org/abs/0704.0001"


def test_a_record_of_semantic_scholar(tmp_path: Path) -> None:
    paper = one(
        tmp_path,
        {
            "paperId": "649def34f8be52c8b66281af98ae884c09aef38b",
            "externalIds": {"DOI": "10.18653/v1/N18-3011", "CorpusId": 19170988},
            "title": "Construction of the Literature Graph",
            "abstract": FIRST,
            "venue": "",
            "publicationVenue": {"id": "x", "name": "NAACL"},
            "publicationDate": "2018-05-06",
            "authors": [{"authorId": "1", "name": "Waleed Ammar"}, {"name": None}],
            "tldr": {"text": SECOND},
            "fieldsOfStudy": ["Computer Science"],
        },
    )
    assert paper.id == "649def34f8be52c8b66281af98ae884c09aef38b"
    assert (paper.venue, paper.year, paper.authors) == ("NAACL", 2018, ("Waleed Ammar",))
    assert paper.url == "https://doi.org/10.18653/v1/N18-3011"
    assert paper.keywords == ("Computer Science",)


def test_a_record_of_crossref_with_its_markup(tmp_path: Path) -> None:
    item = {
        "DOI": "10.1000/x",
        "title": ["A <i>title</i>"],
        "container-title": ["Journal of X"],
        "abstract": f"<jats:title>Abstract</jats:title><jats:p>{FIRST} A &amp; B.</jats:p>",
        "author": [{"given": "Ada", "family": "Löwe"}],
        "issued": {"date-parts": [[2020, 5]]},
    }
    (paper,) = read(tmp_path, {"status": "ok", "message": {"items": [item]}}).papers
    assert paper.abstract == f"{FIRST} A & B."
    assert (paper.id, paper.venue, paper.year) == ("10.1000/x", "Journal of X", 2020)
    assert paper.authors == ("Ada Löwe",)


def test_a_bibtex_entry_inside_a_record_says_what_the_record_does_not(tmp_path: Path) -> None:
    cited = '@inproceedings{x,\nauthor={L{\\"o}we, Ada},\nbooktitle={A Conference},\nyear={2025}\n}'
    paper = one(tmp_path, {**A, "year": 2024, "bibtex": cited})
    assert (paper.authors, paper.venue, paper.year) == (("Ada Löwe",), "A Conference", 2024)
    assert one(tmp_path, {**A, "bibtex": "none"}).venue is None


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({}, "no abstract"),
        ({"abstract": None}, "no abstract"),
        ({"abstract": ""}, "no abstract"),
        ({"abstract": "  None\n"}, "no abstract"),
        ({"abstract": "N/A"}, "no abstract"),
        ({"abstract": "nan"}, "no abstract"),
        ({"abstract": float("nan")}, "no abstract"),
        ({"abstract": "No abstract available."}, "no abstract"),
        ({"abstract": "[No abstract]"}, "no abstract"),
        ({"abstract": {"value": "null"}}, "no abstract"),
        ({"abstract": ["x", {"y": 1}]}, "no abstract"),
        ({"abstract": True}, "no abstract"),
        ({"abstract": "<p></p>"}, "no abstract"),
        ({"abstract": "See the paper."}, "too short to be an abstract: 'See the paper.'"),
        (
            {"abstract": "long " * 20_001},
            "too long to be an abstract: more than 100,000 characters",
        ),
        (
            {"abstract": f"\ud83d {FIRST}"},
            "bad encoding: half of a surrogate pair, which is no character",
        ),
        (
            {"abstract": FIRST, "title": "\udfff"},
            "bad encoding: half of a surrogate pair, which is no character",
        ),
    ],
)
@pytest.mark.parametrize("lines", [False, True])
def test_a_record_that_is_no_paper_is_told_and_stops_nothing(
    tmp_path: Path, record: dict[str, Any], reason: str, lines: bool
) -> None:
    records = [A, record, B]
    content = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)
    found = read(tmp_path, content)
    assert [paper.title for paper in found.papers] == ["A", "B"]
    assert [paper.source and paper.source.ordinal for paper in found.papers] == [1, 3]
    assert reasons(found) == [(2, reason)]


def test_values_that_say_nothing_are_no_metadata(tmp_path: Path) -> None:
    nothing = dict.fromkeys(("title", "venue", "year", "url", "authors", "keywords"), "None")
    unknown: list[Any] = ["None", "nan", "", None, float("nan"), [], {}, "N/A"]
    for value in unknown:
        paper = one(tmp_path, {**dict.fromkeys(nothing, value), "abstract": FIRST})
        data = paper.to_dict()
        assert [data[key] for key in ("title", "venue", "year", "url")] == [None] * 4
        assert data["authors"] == data["keywords"] == []
        assert paper.id == paper.content_hash[:16]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ('{"title": "X", "abstract": "x}', "not JSON at column 28"),
        ("{title: 1}", "not JSON at column 2"),
        ("[1, 2]", "not a record"),
        ('"text"', "not a record"),
        ("[" * 50_000, "not JSON"),
        ('{"year": ' + "9" * 5_000 + "}", "not JSON that can be read"),
    ],
)
def test_a_broken_line_is_told_by_its_number(tmp_path: Path, broken: str, reason: str) -> None:
    found = read(tmp_path, f"{json.dumps(A)}\n\n{broken}\n{json.dumps(B)}\n", "p.jsonl")
    assert [paper.title for paper in found.papers] == ["A", "B"]
    ((place, said),) = reasons(found)
    assert place == 3
    assert said.startswith(reason)


@pytest.mark.parametrize(
    "broken",
    [
        '{"title": "X" "abstract": "y", "authors": [{"name": "a"}, {"name": "b"}]}',
        '{"title": "X", "abstract": tru}',
        '{"title": }',
        '{"title": "a \\q b"}',
    ],
)
def test_a_list_goes_on_behind_a_broken_record(tmp_path: Path, broken: str) -> None:
    for content in ("[%s, %s, %s]", '{"papers": [%s, %s, %s]}', '{"a": {"b": [\n%s,\n%s,\n%s\n]}}'):
        found = read(tmp_path, content % (json.dumps(A), broken, json.dumps(B)))
        assert [paper.title for paper in found.papers] == ["A", "B"]
        assert [place for place, _ in reasons(found)] == [2]
        assert not found.skipped[0].partial


def test_a_list_cut_off_keeps_what_came_before_and_says_so(tmp_path: Path) -> None:
    whole = json.dumps([A, B, A])
    found = read(tmp_path, whole[: whole.rindex("without")])
    assert [paper.title for paper in found.papers] == ["A", "B"]
    assert found.skipped == (
        Skipped(
            "papers.json",
            3,
            "the file ends in the middle of a record",
            partial=True,
        ),
    )


def test_not_a_number_as_python_writes_it_is_read(tmp_path: Path) -> None:
    found = read(tmp_path, [{**A, "year": float("nan"), "score": float("inf")}, B])
    assert [paper.title for paper in found.papers] == ["A", "B"]


def test_a_list_larger_than_the_buffer_is_read_record_by_record(tmp_path: Path) -> None:
    records = [{"title": f"T{i}", "abstract": f"{i} {FIRST * 40}"} for i in range(4_000)]
    for content in ({"meta": 1, "papers": records}, {"a": {"b": records}}, records):
        found = read(tmp_path, content)
        assert [paper.title for paper in found.papers] == [f"T{i}" for i in range(4_000)]
        assert found.skipped == ()
    by_id = read(tmp_path, {str(record["title"]): record for record in records})
    assert [paper.id for paper in by_id.papers] == [f"T{i}" for i in range(4_000)]


def test_names_that_cannot_be_guessed_are_asked_for_with_what_there_is(tmp_path: Path) -> None:
    records = [{"Name": "A", "Inhalt": FIRST}, {"Name": "B", "Inhalt": SECOND, "Jahr": "2020"}]
    with pytest.raises(InputError) as caught:
        read(tmp_path, records)
    assert str(caught.value) == (
        "papers.json has no field that is known to hold abstracts; it has: 'Name', 'Inhalt', 'Jahr'. "
        "Name it, as in --map abstract=NAME"
    )
    mapping = {"abstract": "Inhalt", "year": "jahr"}
    for content in (records, {"x": {"y": records}}):
        found = read(tmp_path, content, mapping=mapping)
        assert [(p.title, p.abstract, p.year) for p in found.papers] == [
            ("A", FIRST, None),
            ("B", SECOND, 2020),
        ]


def test_a_name_that_no_record_has_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"papers\.json has no field 'Inhalt'; it has: 'title'"):
        read(tmp_path, [A], mapping={"abstract": "Inhalt"})
    found = read(tmp_path, [A], mapping={"title": "Titel"})
    assert [str(skipped) for skipped in found.skipped] == [
        "papers.json: no record has a field 'Titel', named as the title"
    ]
    with pytest.raises(InputError, match="a paper has no field 'abstrct'; it has: id, title"):
        read(tmp_path, [A], mapping={"abstrct": "x"})
    with pytest.raises(InputError, match="say which field of the files is the title"):
        read(tmp_path, [A], mapping={"title": " "})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"id": 17}, "17"),
        ({"id": "  x\ny\t"}, "x y"),
        ({"forum": "AbC"}, "AbC"),
        ({"arxiv_id": "2507.01234"}, "2507.01234"),
        ({"DOI": "10.1/x"}, "10.1/x"),
        ({"id": None, "paper_id": "p"}, "p"),
        ({"id": "\x00"}, None),
        ({"id": ["a", "b"]}, "a"),
        ({"id": {"$oid": "5f"}}, None),
    ],
)
def test_the_records_own_id(tmp_path: Path, given: dict[str, Any], expected: str | None) -> None:
    paper = one(tmp_path, {**A, **given})
    assert paper.id == expected or (expected is None and paper.id == paper.content_hash[:16])


def test_an_endless_id_is_bounded_and_stays_distinct(tmp_path: Path) -> None:
    one_, two = read(tmp_path, [{**A, "id": "x" * 500}, {**B, "id": "x" * 501}]).papers
    assert len(one_.id) == len(two.id) == 128
    assert one_.id != two.id


@pytest.mark.parametrize("text", ["[]", "null", "{}", "[null]"])
def test_an_export_without_records_holds_no_papers(tmp_path: Path, text: str) -> None:
    path = tmp_path / "empty.json"
    path.write_text(text)
    assert read_paths([path]).papers == ()


def test_a_wrong_name_is_told_with_the_names_there_are(tmp_path: Path) -> None:
    path = tmp_path / "papers.json"
    path.write_text('[{"abstract": "A text that is long enough to be an abstract.", "title": "T"}]')
    with pytest.raises(InputError, match="'abstract', 'title'"):
        read_paths([path], mapping={"abstract": "nope"})
