"""The network guard of the test run: it must refuse, and it must not refuse this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

import network_guard

# Addresses set aside for documentation (RFC 5737, RFC 3849, RFC 2606): nobody answers there.
OUTSIDE = [(socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")]


@pytest.mark.parametrize(("family", "host"), OUTSIDE)
def test_a_connection_beyond_this_machine_is_refused(family: int, host: str) -> None:
    with socket.socket(family) as sock, pytest.raises(network_guard.NetworkRefusedError):
        sock.connect((host, 80))
    with socket.socket(family) as sock, pytest.raises(network_guard.NetworkRefusedError):
        sock.connect_ex((host, 80))
    with (
        socket.socket(family, socket.SOCK_DGRAM) as sock,
        pytest.raises(network_guard.NetworkRefusedError),
    ):
        sock.sendto(b"x", (host, 53))
    assert len(network_guard.taken()) == 3


def test_a_name_beyond_this_machine_is_not_looked_up() -> None:
    with pytest.raises(socket.gaierror):
        socket.create_connection(("papers.example", 443))
    with pytest.raises(socket.gaierror):
        socket.gethostbyname("papers.example")
    assert [line.split(" by ")[0] for line in network_guard.taken()] == [
        "look-up of papers.example",
        "look-up of papers.example",
    ]


def test_a_child_process_is_guarded_too() -> None:
    code = "import socket; socket.create_connection(('192.0.2.1', 80))"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert child.returncode == 1
    assert "NetworkRefusedError" in child.stderr
    assert len(network_guard.taken()) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_can_be_reached(host: str) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection((host, server.getsockname()[1])) as client,
    ):
        assert client.getpeername()[0] == "127.0.0.1"
    assert network_guard.taken() == []


def test_the_person_s_settings_are_out_of_reach() -> None:
    names = [name for name in os.environ if name.startswith(("ASSISTANT_", "OPENAI_", "CHROMA_"))]
    assert set(names) <= {"ASSISTANT_DATA_DIR", "ASSISTANT_TEST_DATA"}
    assert os.environ["HOME"] in os.environ["ASSISTANT_DATA_DIR"]
