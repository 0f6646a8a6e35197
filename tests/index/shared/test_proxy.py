"""The server behind nginx, with a token and TLS: the guide's own configuration, word for word."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assistant.errors import ServerError
from assistant.index.index import Index
from tests.chroma_server import ChromaServer
from tests.index.stand_in import StandIn, settings_in, some_papers
from tests.nginx import running_nginx
from tests.ports import KeptPort

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "sharing.md"
TOKEN = "CHANGE-THIS-TOKEN"
Change = Callable[[str], str]


@contextmanager
def nginx_before(server: ChromaServer, folder: Path, change: Change = str) -> Iterator[str]:
    found = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
    openssl = shutil.which("openssl")
    if found is None or openssl is None:
        pytest.skip("no nginx or no openssl: on Debian, apt-get install nginx-light openssl")
    guide = re.search(r"```nginx\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert guide is not None
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-keyout", folder / "server.key", "-out", folder / "server.crt"),
        ],
        check=True,
        capture_output=True,
    )
    places = "".join(
        f"{name}_temp_path {folder}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # Its workers would be nobody, who may not write into a test's folder.
    user = "user root;\n" if os.geteuid() == 0 else ""
    with KeptPort() as port:
        block = (
            guide[1]
            .replace("listen 8443", f"listen 127.0.0.1:{port.number}")
            .replace("/etc/ask-papers", str(folder))
            .replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
        )
        (folder / "nginx.conf").write_text(
            f"{user}daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
            f"events {{}}\nhttp {{ access_log off;\n{places}{change(block)}}}\n"
        )
        command: list[str | Path] = [found, "-p", folder, "-c", folder / "nginx.conf"]
        with running_nginx(command, port.number):
            yield f"https://127.0.0.1:{port.number}"


def test_token_and_certificate(
    on_server: ChromaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with nginx_before(on_server, tmp_path) as url:
        monkeypatch.setenv("CHROMA_URL", url)

        def attempt() -> str:
            with (
                pytest.raises(ServerError) as caught,
                Index(settings_in(tmp_path / "x"), StandIn()) as one,
            ):
                one.sync(some_papers(1), source="a")
            return str(caught.value)

        assert "cannot be trusted" in attempt()
        assert "set SSL_CERT_FILE" in attempt()
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "server.crt"))
        assert attempt().endswith("(401): set CHROMA_TOKEN")
        monkeypatch.setenv("CHROMA_TOKEN", "wrong-one")
        told = attempt()
        assert told.endswith("(401): see that CHROMA_TOKEN is right")
        assert "wrong-one" not in told
        monkeypatch.setenv("CHROMA_TOKEN", TOKEN)
        settings = settings_in(tmp_path / "one")
        assert TOKEN not in repr(settings)
        with Index(settings, StandIn()) as one:
            assert TOKEN not in repr(one.shared and one.shared.address)
            assert one.sync(some_papers(20), source="a").added == 20
            assert one.check(deep=True) == []


def test_a_proxy_that_takes_only_small_calls(
    on_server: ChromaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def small(block: str) -> str:
        return block.replace("client_max_body_size 64m", "client_max_body_size 64k")

    with nginx_before(on_server, tmp_path, small) as url:
        monkeypatch.setenv("CHROMA_URL", url)
        monkeypatch.setenv("CHROMA_TOKEN", TOKEN)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "server.crt"))
        with Index(settings_in(tmp_path / "one"), StandIn()) as one:
            assert one.sync(some_papers(400), source="a").added == 400
            assert one.check(deep=True) == []


def test_below_a_path(
    on_server: ChromaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def below(block: str) -> str:
        return block.replace("location / {", "location /chroma/ {").replace(
            f"{on_server.port};", f"{on_server.port}/;"
        )

    with nginx_before(on_server, tmp_path, below) as url:
        monkeypatch.setenv("CHROMA_URL", f"{url}/chroma/")
        monkeypatch.setenv("CHROMA_TOKEN", TOKEN)
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "server.crt"))
        with Index(settings_in(tmp_path / "one"), StandIn()) as one:
            assert one.sync(some_papers(3), source="a").added == 3
