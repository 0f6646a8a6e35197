"""What a Chroma server, a proxy before it or the network complains of, in one line that helps."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from typing import TYPE_CHECKING

from assistant.errors import ServerError
from assistant.index.shared.address import Address
from assistant.wording import without_markup

if TYPE_CHECKING:
    import httpx
    from chromadb.errors import ChromaError

__all__ = ["GoneError", "NowhereError", "TooLargeError", "said_plainly"]

_TOO_LARGE = 413
_PASSING = frozenset({429, 502, 503, 504})

_NO_TLS = re.compile(
    r"wrong.version.number|record.layer|unknown.protocol|packet.length.too.long|http.request",
    re.IGNORECASE,
)
_WANTS_TLS = re.compile(
    r"http request (?:was sent )?to (?:an )?https (?:server|port)", re.IGNORECASE
)


class GoneError(ServerError):
    """What was asked for is not there, or not under the identity it had."""


class NowhereError(ServerError):
    """The server has no such tenant or database."""


class TooLargeError(ServerError):
    """One call was more than a proxy or the server takes."""


@contextmanager
def said_plainly(address: Address) -> Iterator[None]:
    """Turn what Chroma's client raises into one line that says what to do.

    Args:
        address: whom was spoken to.

    Raises:
        ServerError: always in place of what was raised.
    """
    import httpx
    from chromadb.errors import ChromaError, NotFoundError

    url = address.url
    try:
        yield
    except ServerError:
        raise
    except NotFoundError as error:
        raise GoneError(
            f"{url} does not have what is asked of it ({_line(error)}): see that CHROMA_TENANT "
            "and CHROMA_DATABASE are right",
            retryable=True,
        ) from error
    except httpx.HTTPError as error:
        raise _unreachable(url, error) from error
    except ssl.SSLError as error:
        raise _untrusted(url, error) from error
    except ChromaError as error:
        raise _refused(url, error) from error
    except Exception as error:
        reply = _reply(error)
        if reply is None:
            raise
        raise _by_status(url, reply, has_token=address.token is not None) from error


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


def _reply(error: BaseException) -> httpx.Response | None:
    """Find the reply that Chroma's client made an exception without a kind of."""
    import httpx

    at: BaseException | None = error
    while at is not None:
        if isinstance(at, httpx.HTTPStatusError):
            return at.response
        at = at.__cause__ or at.__context__
    if isinstance(error, (AttributeError, JSONDecodeError, KeyError, TypeError)):
        # It replied that all is well, with something that Chroma's client cannot read.
        return httpx.Response(200) if _raised_by_chroma(error) else None
    return None


def _raised_by_chroma(error: BaseException) -> bool:
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and str(at.tb_frame.f_globals.get("__name__")).startswith("chromadb.")


def _by_status(url: str, reply: httpx.Response, *, has_token: bool) -> ServerError:
    status = reply.status_code
    if status in (401, 403):
        step = "see that CHROMA_TOKEN is right" if has_token else "set CHROMA_TOKEN"
        return ServerError(f"{url} lets nobody in without the right token ({status}): {step}")
    if status == _TOO_LARGE:
        return TooLargeError(
            f"{url} takes no call of this size (413): raise client_max_body_size of the proxy "
            "before it"
        )
    if status in (200, 301, 302, 307, 308, 404, 405):
        return ServerError(
            f"{url} answers, but not as a Chroma server does ({status}): see that CHROMA_URL is "
            "the server's own address"
        )
    if _WANTS_TLS.search(reply.text):
        return ServerError(
            f"{url} wants a secure connection: write CHROMA_URL with https:// in place of http://"
        )
    said = _line(Exception(without_markup(reply.text)))
    return ServerError(
        f"{url} failed ({status}: {said}): try again, and look into the "
        "server's log if that does not help",
        retryable=status in _PASSING,
    )


def _refused(url: str, error: ChromaError) -> ServerError:
    said = f"{url} refuses: {_line(error)}"
    if "does not exist" in said:
        said += ": see that CHROMA_TENANT and CHROMA_DATABASE are right"
    return ServerError(said)


def _unreachable(url: str, error: httpx.HTTPError) -> ServerError:
    import httpx

    at: BaseException | None = error
    while at is not None:
        if isinstance(at, ssl.SSLError):
            return _untrusted(url, at)
        at = at.__cause__ or at.__context__
    if isinstance(error, httpx.ConnectError):
        what = "cannot be reached"
    elif isinstance(error, httpx.TimeoutException):
        what = "does not answer in time"
    else:
        what = "broke the connection off"
    return ServerError(
        f"{url} {what} ({_line(error)}): see that the Chroma server runs and CHROMA_URL is right",
        retryable=True,
    )


def _untrusted(url: str, error: ssl.SSLError) -> ServerError:
    if not isinstance(error, ssl.SSLCertVerificationError) and _NO_TLS.search(str(error)):
        return ServerError(
            f"{url} does not speak TLS: write CHROMA_URL with http:// in place of https://"
        )
    return ServerError(
        f"{url} cannot be trusted ({_line(error)}): set SSL_CERT_FILE to the certificate of your "
        "own authority, or write http:// where the server has none"
    )
