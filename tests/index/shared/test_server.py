"""What goes wrong between here and a server is said in one line that tells what to do."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from assistant.errors import ServerError, SettingsError
from assistant.index.index import Index
from assistant.index.shared import server as servers
from assistant.index.shared.address import Address
from assistant.index.shared.server import Server
from assistant.settings import Settings, load_settings
from tests.chroma_server import ChromaServer


def at(url: str, database: str = "default_database") -> Server:
    return Server(Address(url, "default_tenant", database))


class TestAddress:
    @pytest.mark.parametrize(
        ("raw", "url"),
        [
            ("http://localhost:8000", "http://localhost:8000"),
            (" https://Chroma.Example.org/ ", "https://chroma.example.org"),
            ("http://host/below/", "http://host/below"),
            ("http://host:8000/api/v2", "http://host:8000"),
            ("http://[::1]:8000", "http://[::1]:8000"),
        ],
    )
    def test_as_people_write_it(self, raw: str, url: str) -> None:
        address = Address.of(Settings(chroma_url=raw))
        assert address is not None
        assert address.url == url

    @pytest.mark.parametrize(
        "raw", ["localhost:8000", "chroma.example.org", "ftp://host", "http://", "http://host:port"]
    )
    def test_what_is_no_address_is_refused(self, tmp_path: Path, raw: str) -> None:
        with pytest.raises(
            SettingsError, match=r"CHROMA_URL cannot be used.*write it like https?://"
        ):
            Index(Settings(data_dir=tmp_path, chroma_url=raw), None)

    def test_a_password_in_it_is_refused_and_not_repeated(self) -> None:
        with pytest.raises(SettingsError, match="CHROMA_TOKEN") as caught:
            Address.of(Settings(chroma_url="https://me:secret@host"))
        assert "secret" not in str(caught.value)

    @pytest.mark.parametrize("raw", ["http://host?a=b", "http://host#x"])
    def test_a_query_is_refused(self, raw: str) -> None:
        with pytest.raises(SettingsError, match="cannot hold"):
            Address.of(Settings(chroma_url=raw))

    def test_none_is_none(self) -> None:
        assert Address.of(Settings()) is None
        assert Address.of(Settings(chroma_url="  ")) is None

    def test_the_same_database_has_the_same_key(self) -> None:
        one = Address("http://a", "t", "d")
        assert one.key == Address("http://a", "t", "d", "token").key
        assert (
            len({one.key, Address("http://b", "t", "d").key, Address("http://a", "t", "e").key})
            == 3
        )


class TestErrors:
    def test_nobody_there(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{probe.getsockname()[1]}"
            with pytest.raises(ServerError, match=r"cannot be reached.*see that the Chroma server"):
                at(url).version()

    def test_somebody_who_does_not_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(servers, "_REPLY_SECONDS", 0.2)
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            with pytest.raises(ServerError, match="does not answer in time"):
                at(f"http://127.0.0.1:{silent.getsockname()[1]}").version()

    @pytest.mark.parametrize(
        ("status", "body", "told"),
        [
            (401, "<html>Unauthorized</html>", r"token \(401\): set CHROMA_TOKEN"),
            (403, "", r"token \(403\): set CHROMA_TOKEN"),
            (404, "Not Found", "see that CHROMA_URL is the server's own address"),
            (302, "", "see that CHROMA_URL is the server's own address"),
            (200, "<html>Welcome</html>", "not as a Chroma server does"),
            (500, '{"error": "InternalError", "message": "disk is full"}', "refuses: disk is full"),
            (503, "starting", "503: starting"),
            (503, "<html><title>Down</title></html>", "503: a web page, 'Down'"),
            (400, "The plain HTTP request was sent to HTTPS port", "CHROMA_URL with https://"),
        ],
    )
    def test_what_it_answers(
        self, httpserver: HTTPServer, status: int, body: str, told: str
    ) -> None:
        httpserver.expect_request("/api/v2/version").respond_with_data(body, status)
        with pytest.raises(ServerError, match=told) as caught:
            at(httpserver.url_for("/")).version()
        assert len(str(caught.value).splitlines()) == 1

    def test_what_passes_is_tried_again(self, httpserver: HTTPServer) -> None:
        limits = Response('{"max_batch_size": 7}')
        answers = iter([Response("busy", 503), Response("busy", 429), limits])

        def answer(_: Request) -> Response:
            return next(answers)

        httpserver.expect_request("/api/v2/pre-flight-checks").respond_with_handler(answer)
        assert at(httpserver.url_for("/")).batch == 7

    def test_a_database_that_is_not_there(self, chroma_server: ChromaServer) -> None:
        missing = "has no database 'nowhere' of tenant 'default_tenant': see that CHROMA_DATABASE"
        with pytest.raises(ServerError, match=missing):
            at(chroma_server.url, "nowhere").create("papers.x.records", {})
        with pytest.raises(ServerError, match=missing):
            at(chroma_server.url, "nowhere").find("papers.x.records")

    @pytest.mark.parametrize(
        ("setting", "told"),
        [
            ({"chroma_tenant": "nobody"}, "has no tenant 'nobody': see that CHROMA_TENANT"),
            ({"chroma_database": "nowhere"}, "has no database 'nowhere' of tenant"),
        ],
    )
    def test_a_wrong_name_is_told_before_that_there_are_no_papers(
        self, chroma_server: ChromaServer, tmp_path: Path, setting: dict[str, str], told: str
    ) -> None:
        settings = load_settings(data_dir=tmp_path, chroma_url=chroma_server.url, **setting)
        index = Index(settings, None)
        with pytest.raises(ServerError, match=told):
            index.snapshot()
        with pytest.raises(ServerError, match=told):
            index.check()
        index.close()

    def test_https_for_a_server_that_has_none(self, chroma_server: ChromaServer) -> None:
        with pytest.raises(ServerError, match="does not speak TLS: write CHROMA_URL with http://"):
            at(chroma_server.url.replace("http:", "https:")).version()
