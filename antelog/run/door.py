"""The door for kinds of addresses that packages bring: brokers, databases, metrics. Ours use it, too.

[project.entry-points."antelog.sources"]      pyproject.toml of a package
nats = "antelog_nats:Nats"                    reads `nats://…`: a SourceAddress
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

from antelog import secrets
from antelog.errors import UnsupportedError
from antelog.language.checks.suggestions import did_you_mean
from antelog.run.values import SettingError, filled, refused

if TYPE_CHECKING:
    from antelog.files.columns import WantedColumns
    from antelog.run.sinks.result import LinesOfStep, Sink
    from antelog.run.sources.source import FactSource, Mark

V = TypeVar("V")
Group = Literal["antelog.sources", "antelog.sinks", "antelog.receivers"]
_PASSWORD_FILE = "password-file"


@dataclass(frozen=True)
class Url:
    """An address in its parts: `scheme://user:password@host:port,…/path?option=value#fragment`.

    Variables `${NAME}` were filled in after it was split, so a password may have any characters.
    """

    shown: str  # the address without user, password, options: what messages call it
    scheme: str
    hosts: tuple[str, ...]  # each with a port, if it has one
    path: str  # without slashes around it, if there is a host
    fragment: str = ""
    user: str = ""
    password: str = field(default="", repr=False)
    options: Mapping[str, str] = field(default_factory=dict, repr=False)
    folder: Path = Path()  # where paths in options begin

    @classmethod
    def of(cls, text: str, folder: Path = Path(), fill: Callable[[str], str] = filled) -> Url:
        """Raises SettingError."""
        # A fragment goes before the options, as in `postgresql://host/db#readings?order=id`.
        whole, hash_mark, end = text.partition("#")
        fragment, mark, query = end.partition("?")
        parts = urlsplit(f"{whole}?{query}" if mark else whole)
        credentials, _, hosts = parts.netloc.rpartition("@")
        user, _, password = credentials.partition(":")
        options = {name: fill(each) for name, each in parse_qsl(parts.query, keep_blank_values=True)}
        secret = fill(unquote(password))
        if _PASSWORD_FILE in options:
            place = folder / options.pop(_PASSWORD_FILE)
            try:
                secret = place.read_text("utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise refused("no-password", path=place, reason=getattr(error, "strerror", error)) from None
        secrets.remember("password", secret)
        for name, value in options.items():
            secrets.remember(name, value)
        hosts, path = fill(hosts), fill(unquote(parts.path))
        fragment = fill(unquote(fragment))
        path = path.strip("/") if hosts else path
        if hash_mark and not fragment and whole.endswith("/"):
            path = f"{path}/#".lstrip("/")  # as in `mqtt://host/plant/#`, which stands for all topics there
        shown = f"{parts.scheme}://{hosts}/{path}".rstrip("/") if hosts else f"{parts.scheme}:{path}"
        shown += f"#{fragment}" if fragment else ""
        return cls(
            shown, parts.scheme, tuple(filter(None, hosts.split(","))), path, fragment,
            fill(unquote(user)), secret, options, folder,
        )  # fmt: skip

    def only(self, *known: str, example: str = "") -> None:
        """Refuses options that are not known, and an address without a host. Raises SettingError."""
        if not self.hosts:
            raise refused("no-host", text=self.shown, example=example or f"{self.scheme}://host/…")
        for name in self.options:
            if name not in known:
                hint = did_you_mean(name, known) or f"There are {', '.join((*known, _PASSWORD_FILE))}."
                raise SettingError(f"`{self.shown}` has the unknown option {name}", hint)

    def option(self, name: str, default: V, read: Callable[[str], V]) -> V:
        """The value of an option. Raises SettingError if it cannot be read."""
        if name not in self.options:
            return default
        try:
            return read(self.options[name])
        except SettingError as error:
            raise SettingError(f"`{self.shown}` has a wrong {name}: {error.message}", error.hint) from None

    def one_of(self, name: str, *allowed: str) -> Any:
        """The value of an option that is one of some words, by default the first. Raises SettingError."""
        value = self.options.get(name, allowed[0])
        if value not in allowed:
            hint = did_you_mean(value, allowed) or f"It is {' or '.join(allowed)}."
            raise SettingError(f"`{self.shown}` has {name}={value}", hint)
        return value

    def file(self, name: str) -> str | None:
        """The path of a file that an option names. Raises SettingError if it is not there."""
        if name not in self.options:
            return None
        path = self.folder / self.options[name]
        if not path.is_file():
            raise SettingError(f"`{self.shown}` has {name}={path}", "There is no such file.")
        return str(path)

    def host(self, port: int) -> tuple[str, int]:
        """The first host, and its port or the usual one."""
        found = urlsplit(f"//{self.hosts[0]}")
        try:
            return found.hostname or "", found.port or port
        except ValueError:
            raise refused("no-port", text=self.hosts[0].rpartition(":")[2]) from None


class BroughtAddress(ABC):
    """An address that a package reads from a text. `str` of it has no secrets, and differs for each place."""

    noun: ClassVar[str] = "what else `antelog sources` lists"  # such as `a topic of an MQTT broker`
    example: ClassVar[str] = "what `antelog sources` lists"  # such as `mqtt://host:1883/plant/+/temp`
    package: ClassVar[str] = ""  # the library that it needs
    install: ClassVar[str] = ""  # how to install that
    config: Path | None = None  # a file with more options, which this process reads

    @classmethod
    @abstractmethod
    def read(cls, url: Url) -> BroughtAddress:
        """Raises SettingError."""


class SourceAddress(BroughtAddress):
    """An address that facts come from; `lists` says that all rows that are there can be read at once."""

    lists: ClassVar[bool] = False

    @abstractmethod
    def source(self, wanted: WantedColumns, mark: Mark | None) -> FactSource:
        """The source, behind a mark. Raises DataError if it cannot be reached, as soon as that is sure."""


class SinkAddress(BroughtAddress):
    """An address that lines go to."""

    @property
    def needs_all(self) -> bool:
        """Whether it has to have the lines of all kinds, and those of answers that are open already."""
        return False

    @abstractmethod
    def sink(self, mark: Mapping[str, Any] | None, lines: LinesOfStep) -> Sink:
        """The output, behind a mark. Raises OutputError if it cannot be reached."""


@dataclass(frozen=True)
class BroughtReceiver:
    """A receiver of alerts: `send` gets a letter and the lines of the file or variable with its address.

    It returns whether the letter was accepted. It runs in a process of its own, which is ended if it hangs.
    """

    send: Callable[[Mapping[str, Any], Sequence[str]], bool]
    package: str = ""  # the library that it needs
    install: str = ""  # how to install that


@dataclass(frozen=True)
class Brought:
    """A kind that a package brings: its scheme or name, and where its class is."""

    name: str
    entry: EntryPoint

    def load(self) -> Any:
        """The object that the entry point names. Raises UnsupportedError if it cannot be imported."""
        try:
            return self.entry.load()
        except (ImportError, AttributeError) as error:
            raise UnsupportedError.of(
                "packages.door", name=self.name, place=self.entry.value, reason=error
            ) from None


@cache
def brought(group: Group) -> Mapping[str, Brought]:
    """The kinds that installed packages bring for a group, by name; of two with one name the first."""
    found: dict[str, Brought] = {}
    for each in entry_points(group=group):
        found.setdefault(each.name, Brought(each.name, each))
    return dict(sorted(found.items()))


def schemes() -> Collection[str]:
    return dict.fromkeys((*brought("antelog.sources"), *brought("antelog.sinks")))


def brought_address(scheme: str) -> Brought | None:
    """The kind of address with a scheme, as a source or, if it is none, as an output."""
    return brought("antelog.sources").get(scheme) or brought("antelog.sinks").get(scheme)


def address_at(text: str, folder: Path, fill: Callable[[str], str]) -> BroughtAddress | None:
    """The address of a scheme that a package brings; None if there is none. Raises SettingError."""
    kind = brought_address(text.partition(":")[0])
    if kind is None:
        return None
    url, loaded = Url.of(text, folder, fill), kind.load()
    try:
        found: BroughtAddress = loaded.read(url)
    except ValueError as error:
        if isinstance(error, SettingError):
            raise
        raise SettingError(f"`{url.shown}`: {error}", f"Write {loaded.example}.") from None
    return found
