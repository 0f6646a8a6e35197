"""Speaking with a Chroma server: one client with time limits, retries and plain errors."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast

from assistant.errors import ServerError
from assistant.index.shared.address import Address

if TYPE_CHECKING:
    import httpx
    from chromadb.api.collection_configuration import CreateCollectionConfiguration
    from chromadb.api.fastapi import FastAPI
    from chromadb.api.models.Collection import Collection
    from chromadb.errors import ChromaError

__all__ = ["Server", "parts"]

_CONNECT_SECONDS = 5.0
_REPLY_SECONDS = 120.0
"""A batch of passages takes a busy server half a minute; a look is not waited for so long."""

_ATTEMPTS = 2
_TOO_LARGE = 413
_PASSING = frozenset({429, 502, 503, 504})

T = TypeVar("T")
Item = TypeVar("Item")


class Server:
    """A Chroma server; it is first spoken to when something is asked of it.

    Chroma's own client waits without limit and drops the status of what is no Chroma error, so its
    parts are put together here: the same calls, with limits.

    Args:
        address: where it is.
    """

    def __init__(self, address: Address) -> None:
        self.address = address
        self._lock = Lock()
        self._opened: FastAPI | None = None
        self._collections: dict[str, Collection] = {}
        self._batch: int | None = None

    def close(self) -> None:
        """Close its connections."""
        with self._lock:
            opened, self._opened = self._opened, None
            self._collections.clear()
        if opened is not None:
            opened._session.close()

    def version(self) -> str:
        """Ask which version it runs.

        Raises:
            ServerError: it does not answer.
        """
        return str(self._call(lambda client: client.get_version(), patience=0))

    @property
    def batch(self) -> int:
        """How many entries it takes, or gives, at once; learnt from itself.

        Raises:
            ServerError: it does not answer.
        """
        if self._batch is None:
            self._batch = max(1, self._call(lambda client: client.get_max_batch_size()))
        return self._batch

    def find(self, name: str) -> bool:
        """Tell whether it has a collection.

        Args:
            name: the collection's name.

        Raises:
            ServerError: it does not answer.
        """
        return self._collection(name) is not None

    def create(self, name: str, configuration: CreateCollectionConfiguration) -> None:
        """Make a collection where there is none.

        Args:
            name: its name.
            configuration: how it searches; one that is there keeps its own.

        Raises:
            ServerError: it refuses, or does not answer.
        """
        if self._collection(name) is not None:
            return
        self._call(
            lambda client: client.get_or_create_collection(
                name=name,
                configuration=configuration,
                tenant=self.address.tenant,
                database=self.address.database,
            )
        )

    def use(
        self, name: str, task: Callable[[Collection], T], *, otherwise: T, patience: float = 30.0
    ) -> T:
        """Do something with a collection.

        Args:
            name: its name.
            task: what to do; done again when the connection breaks, so it must bear that.
            otherwise: what to return where there is no such collection.
            patience: seconds for which a server that cannot be reached is tried again.

        Returns:
            What `task` returned.

        Raises:
            ServerError: it refuses, or does not answer.
        """

        def attempt(client: FastAPI) -> T:
            collection = self._known(client, name)
            return otherwise if collection is None else task(collection)

        return self._call(attempt, patience=patience)

    def write(
        self,
        name: str,
        rows: Sequence[Item],
        task: Callable[[Collection, Sequence[Item]], object],
    ) -> None:
        """Write rows into a collection; what is too large for one call goes in several.

        Args:
            name: the collection's name.
            rows: any number.
            task: writes some of them.

        Raises:
            ServerError: it refuses, or does not answer.
        """
        waiting = list(parts(rows, self.batch))
        while waiting:
            part = waiting.pop(0)
            try:
                done = self.use(name, _on(task, part), otherwise=False)
            except _TooLargeError:
                if len(part) == 1:
                    raise
                half = len(part) // 2
                waiting[:0] = [part[:half], part[half:]]
                self._batch = min(self.batch, half)
                continue
            if not done:
                raise ServerError(
                    f"the collection {name} on {self.address.url} is gone: run `assistant sync` "
                    "again"
                )

    # --- one call

    def _collection(self, name: str) -> Collection | None:
        return self._call(lambda client: self._known(client, name))

    def _known(self, client: FastAPI, name: str) -> Collection | None:
        from chromadb.api.models.Collection import Collection
        from chromadb.errors import NotFoundError

        if name not in self._collections:
            try:
                model = client.get_collection(
                    name=name, tenant=self.address.tenant, database=self.address.database
                )
            except NotFoundError:
                return None
            self._collections[name] = Collection(
                client=client, model=model, embedding_function=None
            )
        return self._collections[name]

    def _call(self, task: Callable[[FastAPI], T], patience: float = 30.0) -> T:
        from tenacity import RetryCallState, Retrying, retry_if_exception, wait_random_exponential

        def enough(state: RetryCallState) -> bool:
            error = state.outcome.exception() if state.outcome else None
            if state.attempt_number < _ATTEMPTS:
                return False
            return isinstance(error, _GoneError) or (state.seconds_since_start or 0) >= patience

        # The second attempt is for a connection that the server closed while it lay unused, or for
        # a collection that was made anew; those after it for a server that is being restarted.
        attempts = Retrying(
            retry=retry_if_exception(_may_pass),
            stop=enough,
            wait=wait_random_exponential(0.1, max=3),
            reraise=True,
        )
        for attempt in attempts:
            with attempt, self._said_plainly():
                return task(self._client())
        raise AssertionError("tenacity returns or raises")

    def _client(self) -> FastAPI:
        with self._lock:
            if self._opened is None:
                self._opened = _open(self.address)
            return self._opened

    @contextmanager
    def _said_plainly(self) -> Iterator[None]:
        import httpx
        from chromadb.errors import ChromaError, NotFoundError

        url = self.address.url
        try:
            yield
        except ServerError:
            raise
        except NotFoundError as error:
            # A collection that was deleted and made again has another identity.
            self._collections.clear()
            raise _GoneError(
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
            raise _by_status(url, reply, has_token=self.address.token is not None) from error


class _GoneError(ServerError):
    """What was asked for is not there, or not under the identity it had."""


class _TooLargeError(ServerError):
    """One call was more than a proxy or the server takes."""


def parts(rows: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Cut a sequence into pieces.

    Args:
        rows: the sequence.
        size: the length of a piece.
    """
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _open(address: Address) -> FastAPI:
    os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
    import httpx
    from chromadb.api.fastapi import FastAPI
    from chromadb.config import Settings, System

    settings = Settings(
        anonymized_telemetry=False,
        chroma_api_impl="chromadb.api.fastapi.FastAPI",
        chroma_server_host=address.url,
        chroma_server_http_port=443 if address.url.startswith("https") else 80,
        chroma_server_ssl_enabled=address.url.startswith("https"),
        chroma_server_headers=cast("dict[str, str]", dict(address.headers)),
    )
    client = FastAPI(System(settings))
    client._session.timeout = httpx.Timeout(_REPLY_SECONDS, connect=_CONNECT_SECONDS)
    return client


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, ServerError) and error.retryable


def _on(
    task: Callable[[Collection, Sequence[Item]], object], part: Sequence[Item]
) -> Callable[[Collection], bool]:
    def done(collection: Collection) -> bool:
        task(collection, part)
        return True

    return done


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


def _reply(error: BaseException) -> httpx.Response | None:
    """Find the reply that Chroma's client made an exception without a kind of."""
    import httpx
    from orjson import JSONDecodeError

    at: BaseException | None = error
    while at is not None:
        if isinstance(at, httpx.HTTPStatusError):
            return at.response
        at = at.__cause__ or at.__context__
    if isinstance(error, (AttributeError, JSONDecodeError, KeyError, TypeError)):
        # It replied that all is well, with something that is not Chroma's.
        return httpx.Response(200)
    return None


def _by_status(url: str, reply: httpx.Response, *, has_token: bool) -> ServerError:
    status = reply.status_code
    if status in (401, 403):
        step = "see that CHROMA_TOKEN is right" if has_token else "set CHROMA_TOKEN"
        return ServerError(f"{url} lets nobody in without the right token ({status}): {step}")
    if status == _TOO_LARGE:
        return _TooLargeError(
            f"{url} takes no call of this size (413): raise client_max_body_size of the proxy "
            "before it"
        )
    if status in (200, 301, 302, 307, 308, 404, 405):
        return ServerError(
            f"{url} answers, but not as a Chroma server does ({status}): see that CHROMA_URL is "
            "the server's own address"
        )
    return ServerError(
        f"{url} failed ({status}: {_line(Exception(reply.text))}): try again, and look into the "
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
    return ServerError(
        f"{url} cannot be trusted ({_line(error)}): set SSL_CERT_FILE to the certificate of your "
        "own authority, or write http:// where the server has none"
    )


def upsert(
    collection: Collection,
    ids: Sequence[str],
    vectors: object,
    documents: Sequence[str],
    metadatas: Sequence[Mapping[str, Any]],
) -> None:
    """Write entries as Chroma's types want them.

    Args:
        collection: where.
        ids: of each.
        vectors: of each.
        documents: of each.
        metadatas: of each.
    """
    collection.upsert(
        ids=list(ids),
        embeddings=cast("Any", vectors),
        documents=list(documents),
        metadatas=cast("Any", list(metadatas)),
    )
