"""What can go wrong before a model server answers at all, each with what to do."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from socket import gaierror

from assistant.errors import ModelError

__all__ = ["ServerName", "connection_failed"]

_NO_TLS = re.compile(
    r"wrong.version.number|record.layer|unknown.protocol|packet.length.too.long|http.request",
    re.IGNORECASE,
)
_GONE = re.compile(r"disconnected|without sending|closed|incomplete|reset", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ServerName:
    """A model server as messages name it.

    Args:
        host: host and port, without credentials.
        address: where calls go, without credentials.
        model: the model asked for.
        key_variable: the environment variable that holds the key.
        address_variable: the one that holds the address, None where there is none to set.
        key: the key, never shown: it is what messages are cleared of.
        password: the one in the address, likewise.
    """

    host: str
    address: str
    model: str
    key_variable: str | None
    address_variable: str | None
    key: str | None
    password: str | None = None

    def __repr__(self) -> str:
        return f"ServerName({self.host!r}, {self.model!r})"

    @property
    def check(self) -> str:
        """Where to look when the address may be wrong."""
        if self.address_variable is None:
            return "check that nothing stands between this machine and the internet"
        return f"check {self.address_variable}"


def connection_failed(error: Exception, server: ServerName) -> ModelError | None:
    """Turn a failure to talk with a server into what a person can act on.

    Args:
        error: what the client raised.
        server: the server that was asked.

    Returns:
        None where the failure is of another kind.
    """
    chain = list(_causes(error))
    names = {kind.__name__ for link in chain for kind in type(link).__mro__}
    if "TooManyRedirects" in names:
        return ModelError(f"{server.address} redirects in a circle: {server.check}")
    for link in chain:
        if isinstance(link, ssl.SSLError):
            return ModelError(_tls(link, server))
    if any(isinstance(link, gaierror) for link in chain):
        return ModelError(
            f"{server.host} is not known by this name: "
            + (f"check {server.address_variable}, and " if server.address_variable else "check ")
            + "that this machine is online",
            retryable=True,
        )
    if "ConnectTimeout" in names or "PoolTimeout" in names or "ConnectError" in names:
        return ModelError(
            f"{server.host} cannot be reached: check that the model server runs"
            + (f" and that {server.address_variable} is right" if server.address_variable else "")
            + ", or that this machine is online",
            retryable=True,
        )
    if "TimeoutException" in names or "APITimeoutError" in names:
        return ModelError(f"{server.host} did not answer in time: ask again", retryable=True)
    if "RemoteProtocolError" in names and not _GONE.search(str(chain[-1])):
        return ModelError(f"{server.host} does not speak HTTP: {server.check}")
    if names & {"APIConnectionError", "NetworkError", "ProtocolError", "ConnectionError"}:
        return ModelError(
            f"{server.host} dropped the connection: ask again, and if that does not help "
            f"{server.check}",
            retryable=True,
        )
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    # httpx raises from httpcore's error, which is raised while ssl's or the socket's is handled.
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__ or link.__context__


def _tls(error: ssl.SSLError, server: ServerName) -> str:
    if _NO_TLS.search(str(error)):
        return (
            f"{server.host} does not speak TLS: write its address with http:// in place of https://"
            if server.address_variable
            else f"{server.host} does not speak TLS: {server.check}"
        )
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = error.verify_message
        return (
            f"the certificate of {server.host} is not trusted ({reason}): set SSL_CERT_FILE to the "
            "file of the authority that signed it"
        )
    reason = error.reason or str(error)
    return f"no secure connection with {server.host} ({reason}): {server.check}"
