"""Speaking with a Chroma server: one client with time limits, retries and plain errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, cast

from assistant.errors import ServerError
from assistant.index.shared.address import Address
from assistant.index.shared.complaints import GoneError, NowhereError, TooLargeError, said_plainly

if TYPE_CHECKING:
    from chromadb.api.collection_configuration import CreateCollectionConfiguration
    from chromadb.api.fastapi import FastAPI
    from chromadb.api.models.Collection import Collection

__all__ = ["Server", "parts"]

_CONNECT_SECONDS = 5.0
_REPLY_SECONDS = 120.0
"""A batch of passages takes a busy server half a minute; a look is not waited for so long."""

_ATTEMPTS = 2

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
        self._has_database = False

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
        try:
            self._call(
                lambda client: client.get_or_create_collection(
                    name=name,
                    configuration=configuration,
                    tenant=self.address.tenant,
                    database=self.address.database,
                )
            )
        except ServerError:
            # Another machine may have made it at the same moment, which is as good.
            if self._collection(name) is None:
                raise

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
            except TooLargeError:
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
                # The same is said of a collection in a database that there is not.
                self._see_that_there_is_a_database(client)
                return None
            self._collections[name] = Collection(
                client=client, model=model, embedding_function=None
            )
        return self._collections[name]

    def _see_that_there_is_a_database(self, client: FastAPI) -> None:
        from chromadb.errors import NotFoundError

        if self._has_database:
            return
        tenant, database = self.address.tenant, self.address.database
        try:
            client.get_database(database, tenant=tenant)
        except NotFoundError as error:
            try:
                client.get_tenant(tenant)
            except NotFoundError:
                raise NowhereError(
                    f"{self.address.url} has no tenant {tenant!r}: see that CHROMA_TENANT is right"
                ) from error
            raise NowhereError(
                f"{self.address.url} has no database {database!r} of tenant {tenant!r}: see that "
                "CHROMA_DATABASE and CHROMA_TENANT are right, or make the database there first"
            ) from error
        self._has_database = True

    def _call(self, task: Callable[[FastAPI], T], patience: float = 30.0) -> T:
        from tenacity import RetryCallState, Retrying, retry_if_exception, wait_random_exponential

        def enough(state: RetryCallState) -> bool:
            error = state.outcome.exception() if state.outcome else None
            if state.attempt_number < _ATTEMPTS:
                return False
            return isinstance(error, GoneError) or (state.seconds_since_start or 0) >= patience

        # The second attempt is for a connection that the server closed while it lay unused, or for
        # a collection that was made anew; those after it for a server that is being restarted.
        attempts = Retrying(
            retry=retry_if_exception(_may_pass),
            stop=enough,
            wait=wait_random_exponential(0.1, max=3),
            reraise=True,
        )
        for attempt in attempts:
            with attempt:
                return self._once(task)
        raise AssertionError("tenacity returns or raises")

    def _once(self, task: Callable[[FastAPI], T]) -> T:
        try:
            with said_plainly(self.address):
                return task(self._client())
        except GoneError:
            # A collection that was deleted and made again has another identity.
            self._collections.clear()
            raise

    def _client(self) -> FastAPI:
        with self._lock:
            if self._opened is None:
                self._opened = _open(self.address)
            return self._opened


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


def upsert(
    collection: Collection,
    ids: Sequence[str],
    vectors: object,
    documents: Sequence[str] | None,
    metadatas: Sequence[Mapping[str, Any]],
    *,
    uris: Sequence[str] | None = None,
) -> None:
    """Write entries as Chroma's types want them.

    Args:
        collection: where.
        ids: of each.
        vectors: of each.
        documents: of each; None: there are none.
        metadatas: of each.
        uris: of each.
    """
    collection.upsert(
        ids=list(ids),
        embeddings=cast("Any", vectors),
        documents=None if documents is None else list(documents),
        metadatas=cast("Any", list(metadatas)),
        uris=None if uris is None else list(uris),
    )
