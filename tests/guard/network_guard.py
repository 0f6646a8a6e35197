"""Refuses every connection that would leave this machine, and writes down who asked.

The refusal looks like a machine without a network, so code under test behaves as it would there;
the record lets the test fail all the same when the code swallows the error.
"""

from __future__ import annotations

import os
import socket
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Any

LOG_VARIABLE = "NETWORK_GUARD_LOG"

_connect = socket.socket.connect
_connect_ex = socket.socket.connect_ex
_sendto = socket.socket.sendto
_getaddrinfo = socket.getaddrinfo
_gethostbyname = socket.gethostbyname


class NetworkRefusedError(ConnectionRefusedError):
    """A connection beyond this machine was asked for."""


def install() -> None:
    """Put the guard before the functions of `socket` that reach a network."""
    socket.socket.connect = _guarded_connect  # type: ignore[method-assign,assignment]
    socket.socket.connect_ex = _guarded_connect_ex  # type: ignore[method-assign,assignment]
    socket.socket.sendto = _guarded_sendto  # type: ignore[method-assign,assignment]
    socket.getaddrinfo = _guarded_getaddrinfo
    socket.gethostbyname = _guarded_gethostbyname


def taken() -> list[str]:
    """Give the refusals since the last call, of this process and its children, and forget them."""
    log = Path(os.environ[LOG_VARIABLE])
    refusals = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return refusals


def _guarded_connect(self: socket.socket, address: Any) -> None:
    _check_address(self, address)
    _connect(self, address)


def _guarded_connect_ex(self: socket.socket, address: Any) -> int:
    _check_address(self, address)
    return _connect_ex(self, address)


def _guarded_sendto(self: socket.socket, data: Any, *rest: Any) -> int:
    _check_address(self, rest[-1])
    return _sendto(self, data, *rest)


def _guarded_getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
    _check_name(host)
    return _getaddrinfo(host, *args, **kwargs)


def _guarded_gethostbyname(hostname: Any) -> str:
    _check_name(hostname)
    return _gethostbyname(hostname)


def _check_address(sock: socket.socket, address: Any) -> None:
    if sock.family in (socket.AF_INET, socket.AF_INET6) and not _stays_here(address[0]):
        _write_down(f"connection to {address}")
        raise NetworkRefusedError(f"tests may not leave this machine: {address}")


def _check_name(host: Any) -> None:
    if not _stays_here(host) and _as_address(host) is None:
        _write_down(f"look-up of {host}")
        raise socket.gaierror(socket.EAI_NONAME, f"tests may not leave this machine: {host}")


def _stays_here(host: Any) -> bool:
    if isinstance(host, bytes):
        host = host.decode()
    if host in (None, "", "localhost", socket.gethostname()):
        return True
    address = _as_address(host)
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address is not None and (address.is_loopback or address.is_unspecified)


def _as_address(host: Any) -> Any:
    try:
        return ip_address(host.partition("%")[0] if isinstance(host, str) else host)
    except ValueError:
        return None


def _write_down(what: str) -> None:
    if log := os.environ.get(LOG_VARIABLE):
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{what} by process {os.getpid()}\n")
