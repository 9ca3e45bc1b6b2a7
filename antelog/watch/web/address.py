"""The address of the page and its tokens, which keep out the other pages that a browser has open."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct, field

from antelog.errors import UnsupportedError
from antelog.watch.board.judged_feed import IncidentFile

ACTS = "/api/acts"  # the address to which people post what they do: acknowledge, snooze, note
INCIDENTS = "/api/incidents"  # the address to which they post what went wrong, and what did not
EDITS = "/api/bench"  # the address to which a page with an editor posts its edits
EMBEDS = "/embed/"  # the beginning of addresses for frames of other pages
# The same empty page, which requests its view.
PAGES = ("/", "/list", "/decided", "/inputs", "/trust", "/plan")
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:\d{1,5})?", re.ASCII | re.IGNORECASE)


def new_token() -> str:
    return secrets.token_urlsafe(24)


class Tokens(Struct, frozen=True):
    """The tokens of a page; without one to act or to post facts nobody may do that."""

    look: str | None = None  # without it everybody may look
    act: str | None = None  # to look as well
    facts: str | None = None

    @property
    def embed(self) -> str | None:
        """The token that opens what is for frames and nothing else; it stays the same while `look` does."""
        return self.look and hmac.new(self.look.encode(), b"embed", hashlib.sha256).hexdigest()

    @property
    def of_readers(self) -> list[str]:
        return [each for each in (self.look, self.act) if each is not None]


class PageAddress(Struct, frozen=True):
    """The address of a page, and the list that its answers are judged by. `port` 0 is any free port."""

    host: str = "127.0.0.1"
    port: int = 0
    allowed_hosts: tuple[str, ...] = ()
    certificate: str | None = None
    key: str | None = None
    behind_proxy: bool = False
    embed_from: tuple[str, ...] = ()  # the origins of pages that may show the brief and the map in frames
    tokens: Tokens = field(default_factory=lambda: Tokens(new_token()))
    incidents: IncidentFile | None = None

    @property
    def local(self) -> bool:
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def origin(self) -> str:
        """The origin of the page: `http://127.0.0.1:8080`, or with its public name."""
        if self.allowed_hosts and not self.local:
            name = self.allowed_hosts[0]
            secure = self.certificate is not None or self.behind_proxy
            ported = ":" in name.rpartition("]")[2] or self.behind_proxy
            return f"{'https' if secure else 'http'}://{name if ported else f'{name}:{self.port}'}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{self.port}"

    @property
    def link(self) -> str:
        """The link to print, with the token, which the page removes from its address at once."""
        return f"{self.origin}/?token={self.tokens.look}"

    @property
    def link_to_act(self) -> str | None:
        return None if self.tokens.act is None else f"{self.origin}/?token={self.tokens.act}"

    @property
    def hosts(self) -> frozenset[str]:
        """The host names of this server, in small letters."""
        names = {self.host.strip("[]"), *(("localhost", "127.0.0.1", "::1") if self.local else ())}
        own = {f"[{name}]" if ":" in name else name for name in names}
        found = {f"{name}:{self.port}" for name in own}
        for name in self.allowed_hosts:
            found |= {name, f"{name}:{self.port}"}
        return frozenset(each.casefold() for each in found)

    @property
    def origins(self) -> frozenset[str]:
        schemes = ("https",) if self.certificate else ("http", "https") if self.behind_proxy else ("http",)
        return frozenset(f"{scheme}://{host}" for scheme in schemes for host in self.hosts)


def origins_of(given: Iterable[str], option: str = "--embed-from") -> tuple[str, ...]:
    """Checks the origins of pages that may show frames of this one. Raises UnsupportedError."""
    origins = tuple(given)
    for each in origins:
        if _ORIGIN.fullmatch(each) is None:
            raise UnsupportedError.of("page.origin", option=option, each=each)
    return origins


def checked(address: PageAddress) -> PageAddress:
    """Checks an address. Raises UnsupportedError if others could listen in, or a file is missing."""
    for path in (address.certificate, address.key):
        if path is not None and not Path(path).is_file():
            raise UnsupportedError(f"{path}: there is no such file; --certificate and --key need PEM files")
    if address.key is not None and address.certificate is None:
        raise UnsupportedError("--key needs a certificate; add --certificate FILE")
    for name in address.allowed_hosts:
        if urlsplit(f"//{name}").netloc != name or "@" in name or "*" in name:
            raise UnsupportedError(f"--allowed-host {name}: is not the name of a host, as in plant.example")
    origins_of(address.embed_from)
    if address.local:
        return address
    if not address.allowed_hosts:
        raise UnsupportedError.of("page.no-name", host=address.host)
    if address.certificate is None and not address.behind_proxy:
        raise UnsupportedError.of("page.no-certificate", host=address.host)
    return address
