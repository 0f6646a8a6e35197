"""Where a group's Chroma server is, as people write it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from assistant.endpoints import meant
from assistant.errors import SettingsError

if TYPE_CHECKING:
    from assistant.settings import Settings

__all__ = ["Address"]

_EXAMPLE = "http://localhost:8000 or https://chroma.example.org"


@dataclass(frozen=True, slots=True)
class Address:
    """A Chroma server, and the database in it.

    Args:
        url: scheme, host, port and path, without a slash at the end.
        tenant: the server's tenant.
        database: the tenant's database.
        token: what a proxy before it, or Chroma Cloud, wants to see; never shown.
    """

    url: str
    tenant: str
    database: str
    token: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, settings: Settings) -> Address | None:
        """Read where the server is; None: the collection is this machine's own.

        Args:
            settings: `chroma_url` and what stands beside it.

        Raises:
            SettingsError: the address cannot be used.
        """
        if settings.chroma_url is None:
            return None
        token = settings.chroma_token
        return cls(
            url=_normal(settings.chroma_url),
            tenant=settings.chroma_tenant,
            database=settings.chroma_database,
            token=None if token is None else token.get_secret_value().strip() or None,
        )

    @property
    def key(self) -> str:
        """12 hexadecimal digits: the same for whoever names the same database."""
        named = "\n".join((self.url, self.tenant, self.database))
        return hashlib.sha256(named.encode()).hexdigest()[:12]

    @property
    def place(self) -> str:
        """Server, tenant and database, as messages name them."""
        return f"{self.url} (tenant {self.tenant}, database {self.database})"

    @property
    def headers(self) -> dict[str, str]:
        """What every call carries: the token under the two names that are in use."""
        if self.token is None:
            return {}
        return {"Authorization": f"Bearer {self.token}", "X-Chroma-Token": self.token}


def _normal(raw: str) -> str:
    try:
        parts = urlsplit(raw.strip())
        # Reading the port is what checks it.
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable, parts = False, urlsplit("")
    if not usable:
        raise SettingsError(
            f"CHROMA_URL cannot be used, it is no address: write it like {meant(raw, _EXAMPLE)}"
        )
    if "@" in parts.netloc:
        raise SettingsError(
            "CHROMA_URL cannot hold a name or a password: put the token into CHROMA_TOKEN"
        )
    if parts.query or parts.fragment:
        raise SettingsError(f"CHROMA_URL cannot hold a ? or a #: write it like {_EXAMPLE}")
    path = parts.path.rstrip("/").removesuffix("/api/v2").rstrip("/")
    return urlunsplit((parts.scheme, parts.netloc.lower(), path, "", ""))
