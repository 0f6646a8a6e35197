"""Servers that do not answer at all, each with what to do."""

from __future__ import annotations

import shutil
import socket
import ssl
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from assistant.answering.connecting import ServerName, connection_failed
from assistant.errors import ModelError
from tests.answering.conftest import MakeModel, ask
from tests.scripted_server import (
    Connection,
    Request,
    ScriptedServer,
)


def test_a_server_that_is_not_there(make_model: MakeModel) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(ModelError, match=r"cannot be reached.*OPENAI_BASE_URL"):
            ask(make_model(openai_base_url=f"http://127.0.0.1:{port}"))


def test_credentials_in_the_address_are_not_told(make_model: MakeModel) -> None:
    with pytest.raises(ModelError) as caught:
        ask(make_model(openai_base_url="http://me:hunter2@127.0.0.1:1/v1"))
    assert "hunter2" not in str(caught.value)


def test_redirects_in_a_circle(server: ScriptedServer, make_model: MakeModel) -> None:
    def around(_: Request, connection: Connection) -> None:
        connection.start(307, "text/plain", Location=f"{server.url}/chat/completions")

    server.reply(around)
    with pytest.raises(ModelError, match=r"redirects in a circle: check OPENAI_BASE_URL"):
        ask(make_model(max_retries=2))


def test_a_server_that_speaks_something_else(server: ScriptedServer, make_model: MakeModel) -> None:
    server.reply(lambda _, connection: connection.write(b"-ERR unknown 'POST'\r\n\r\n"))
    with pytest.raises(ModelError, match="does not speak HTTP: check OPENAI_BASE_URL"):
        ask(make_model())


def test_a_connection_that_is_reset(make_model: MakeModel) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def reset() -> None:
            connection, _ = listening.accept()
            connection.recv(10)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

        threading.Thread(target=reset, daemon=True).start()
        port = listening.getsockname()[1]
        with pytest.raises(ModelError, match="dropped the connection: ask again") as caught:
            ask(make_model(openai_base_url=f"http://127.0.0.1:{port}"))
    assert caught.value.retryable


def test_https_for_a_server_that_speaks_http(server: ScriptedServer, make_model: MakeModel) -> None:
    with pytest.raises(ModelError, match="does not speak TLS: write its address with http://"):
        ask(make_model(openai_base_url=server.url.replace("http:", "https:"), max_retries=2))


def test_a_certificate_that_nobody_trusts(make_model: MakeModel, tmp_path: Path) -> None:
    untrusted = pytest.raises(ModelError, match=r"is not trusted \(self.signed.*SSL_CERT_FILE")
    with secure_server(tmp_path) as port, untrusted:
        ask(make_model(openai_base_url=f"https://localhost:{port}", max_retries=2))


def test_a_name_that_nobody_knows(make_model: MakeModel) -> None:
    # No name is looked up in tests: the error is built as httpx builds it.
    failed = httpx.ConnectError("[Errno -2] Name or service not known")
    failed.__cause__ = socket.gaierror(-2, "Name or service not known")
    server = ServerName("h.example", "http://h.example/v1", "m", None, "OPENAI_BASE_URL", None)
    told = connection_failed(failed, server)
    assert told is not None
    assert str(told).startswith("h.example is not known by this name: check OPENAI_BASE_URL")
    assert told.retryable


def test_other_failures_are_not_of_the_connection() -> None:
    server = ServerName("h.example", "http://h.example/v1", "m", None, None, None)
    assert connection_failed(ValueError("x"), server) is None


@contextmanager
def secure_server(folder: Path) -> Iterator[int]:
    """A port on loopback that shows a certificate it signed itself."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to sign a certificate with")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext"),
            *("subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def greet() -> None:
            with suppress(OSError):
                connection, _ = listening.accept()
                with connection, context.wrap_socket(connection, server_side=True):
                    pass

        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        yield listening.getsockname()[1]
    thread.join(5)
