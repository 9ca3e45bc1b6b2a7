"""Addresses: the texts that say where facts come from and where lines go; none shows its passwords."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Generic, Literal, TypeAlias, TypeVar, get_args
from urllib.parse import parse_qsl, unquote, urlsplit

from antelog import secrets
from antelog.files.naming import ENDINGS, Form, form_of
from antelog.files.remote import FilePath, RemotePath, in_store
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.printer import listed
from antelog.run.door import BroughtAddress, SourceAddress, address_at, schemes
from antelog.run.values import SettingError, filled, refused
from antelog.secrets import is_secret, redacted

TableForm: TypeAlias = Literal["delta", "iceberg"]


@dataclass(frozen=True)
class Files:
    """A file, a folder or a pattern; `form` is None for a folder with files of several forms, or none.

    `options` are for an object store, if it is there.
    """

    noun: ClassVar[str] = "a file or folder"
    example: ClassVar[str] = "a path, with csv:, json: or parquet: before it if its ending does not say"
    path: str
    form: Form | None = None
    folder: bool = field(default=False, compare=False)
    options: tuple[tuple[str, str], ...] = ()

    @property
    def scheme(self) -> str:
        """The scheme of a path that is not on this machine; else an empty text."""
        return self.path.partition("://")[0] if "://" in self.path else ""

    @property
    def file_path(self) -> FilePath:
        """The path of those who read it without Spark."""
        if in_store(self.path):
            return RemotePath.of(self.path, self.options, is_folder=self.folder)
        return Path(self.path)

    @property
    def grows(self) -> bool:
        """Whether lines can be appended to the file: it is here, not a folder, not packed, not Parquet."""
        packed = self.path.lower().endswith(".gz")
        return not self.scheme and not self.folder and self.form is not Form.PARQUET and not packed

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True)
class Standard:
    """Standard input: CSV, or JSON lines if it begins with `{`."""

    noun: ClassVar[str] = "standard input"
    example: ClassVar[str] = "- for standard input"

    def __str__(self) -> str:
        return "<stdin>"


@dataclass(frozen=True)
class Posted:
    """Facts that are posted to the page by HTTP."""

    noun: ClassVar[str] = "facts by HTTP"
    example: ClassVar[str] = "http: for facts that are posted to the page"

    def __str__(self) -> str:
        return "http:"


@dataclass(frozen=True)
class Jdbc:
    """A table of a database; a source may also be a query in parentheses; `options` are for the driver."""

    noun: ClassVar[str] = "a table of a database"
    example: ClassVar[str] = "jdbc:…#table"
    url: str
    table: str
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        address = re.split("[?;]", self.url, maxsplit=1)[0]
        return redacted(f"{address}#{self.table}")

    __repr__ = __str__


@dataclass(frozen=True)
class Table:
    """A Delta or Iceberg table by its folder or name."""

    noun: ClassVar[str] = "a table of a catalog"
    example: ClassVar[str] = "delta:… or iceberg:…"
    form: TableForm
    name: str

    @property
    def is_folder(self) -> bool:
        """Whether the name is that of a folder: it has a slash."""
        return "/" in self.name

    def __str__(self) -> str:
        return f"{self.form}:{self.name}"


@dataclass(frozen=True)
class Rate:
    """Made-up facts for trying out: this many rows each second, about this many things."""

    noun: ClassVar[str] = "made-up facts"
    example: ClassVar[str] = "rate://100 for trying out"
    rows: int
    keys: int = 10

    def __str__(self) -> str:
        return f"rate://{self.rows}?keys={self.keys}"


@dataclass(frozen=True)
class Console:
    """Standard output, for people."""

    noun: ClassVar[str] = "standard output"
    example: ClassVar[str] = "console"

    def __str__(self) -> str:
        return "console"


Address: TypeAlias = Files | Standard | Posted | Jdbc | Table | Rate | Console | BroughtAddress
T = TypeVar("T", bound=Address)


@dataclass(frozen=True)
class Reach(Generic[T]):
    """The kinds of addresses that a runner reads, or writes; `instead` has advice for others."""

    runner: str
    verb: Literal["read", "write"]
    kinds: tuple[type[T], ...]
    instead: Mapping[type[Address], str] = field(default_factory=dict)
    form: Form | None = None  # of files whose name tells none
    formless: bool = False  # whether a folder needs no form
    config: bool = True  # whether an address may name a file with options
    listing: bool = False  # whether all rows are read at once
    systems: bool = False  # whether it has file systems of its own, as Spark has, for what is not here

    @property
    def examples(self) -> str:
        """The addresses, for help."""
        return ", ".join(kind.example for kind in self.kinds)

    def read(self, text: str, folder: Path = Path()) -> T:
        """The address of a text, with paths relative to a folder. Raises SettingError."""
        return self.take(address_of(text, folder, self.form))

    def take(self, address: Address) -> T:
        """The address, if the runner can read or write its kind. Raises SettingError."""
        if not isinstance(address, self.kinds):
            message = f"`{address}` is {address.noun}, which {self.runner} does not {self.verb}"
            nouns = list(dict.fromkeys(kind.noun for kind in self.kinds))
            advice = (said for kind, said in self.instead.items() if isinstance(address, kind))
            raise SettingError(message, next(advice, "") or f"Give {listed(nouns, 'or')}.")
        if isinstance(address, Files):
            is_remote = self.verb == "read" and not self.systems and in_store(address.path)
            if address.scheme and not self.systems and not is_remote:
                raise refused(f"no-{self.verb}", runner=self.runner, address=address, scheme=address.scheme)
            if self.systems and address.options:
                raise refused("store-options", runner=self.runner, address=address)
            if address.form is None and not self.formless and not (is_remote and address.folder):
                raise _formless(str(address))
            if self.verb == "write" and re.search(r"[*?]", address.path):
                raise refused("pattern", address=address)
            if self.verb == "write" and address.path.endswith(".gz"):
                raise refused("packed", address=address)
        is_path = isinstance(address, Table) and address.form == "iceberg" and address.is_folder
        if self.verb == "write" and is_path:
            raise refused("iceberg-folder", address=address)
        if self.listing and isinstance(address, SourceAddress) and not address.lists:
            raise refused("no-list", address=address, noun=address.noun)
        if isinstance(address, BroughtAddress) and address.config is not None and not self.config:
            raise refused("no-config", runner=self.runner, config=address.config)
        return address


# ---- the grammar ----

_TABLES: tuple[TableForm, ...] = get_args(TableForm)
_REMOTE = {
    "hdfs", "viewfs", "s3", "s3a", "s3n", "gs", "abfs", "abfss", "wasb", "wasbs", "file", "dbfs", "oss",
}  # fmt: skip
_OF_STORES = {"endpoint": r"https?://\S+", "order": "name|time"}
_KINDS = ("rate", "jdbc", "console", *Form, *_TABLES)
_Fill: TypeAlias = Callable[[str], str]
_ORACLE = re.compile(r"(jdbc:oracle:\w+:)([^/@]+)/([^@]+)@")
_USER = re.compile(r"(jdbc:[\w:]+//)([^/:@?]+):([^/@?]+)@")
# In braces a semicolon is one of the value's.
_SEMICOLON = re.compile(r";(?![^{}]*\})")


def address_of(text: str, folder: Path = Path(), form: Form | None = None) -> Address:
    """The address of a text, with variables `${NAME}` filled in, seen from a folder. Raises SettingError."""
    text = text.strip()
    # Variables are replaced after these addresses were split: a password may have any characters.
    if text.startswith("jdbc:"):
        return _jdbc(text, filled)
    found = address_at(text, folder, filled)
    if found is not None:
        return found
    text = filled(text)
    kind, colon, rest = text.partition(":")
    if text == "-":
        return Standard()
    if text in ("http:", "https:"):
        return Posted()
    if text == "console":
        return Console()
    if not colon or kind in _REMOTE or len(kind) < 2 or "/" in kind or "." in kind:
        return _files(text, folder, None, form)
    if kind in list(Form):
        return _files(rest, folder, Form(kind), form)
    match kind:
        case "delta" | "iceberg" if rest:
            return Table(kind, located(rest, folder) if "/" in rest else rest)
        case "rate":
            return _rate(text)
        case "jdbc":
            return _jdbc(text, str)
        case _:
            if (found := address_at(text, folder, str)) is not None:
                return found
            known = (*_KINDS, *schemes())
            hint = did_you_mean(kind, known) or f"There are {', '.join(known)} and paths."
    raise SettingError(f"`{text}` begins with `{kind}:`, which is not a kind of address", hint)


def _files(path: str, folder: Path, given: Form | None, default: Form | None) -> Files:
    if not path:
        raise refused("no-path")
    path, options = _store_options(path)
    there = located(path, folder)
    # Of a name that no folder can have, too.
    is_folder = path.endswith("/") or os.path.isdir(there)  # noqa: PTH112
    form = given or form_of(Path(path)) or (_form_within(Path(there)) if is_folder else None) or default
    if form is None and not is_folder:
        raise _formless(path)
    return Files(there.rstrip("/") or "/", form, is_folder, options)


def _store_options(path: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Splits off the options of an object store; any other question mark is a pattern's. SettingError."""
    match = re.search(r"\?(?=[\w-]+=)", path)
    if not in_store(path) or match is None:
        return path, ()
    path, options = path[: match.start()], parse_qsl(path[match.end() :], keep_blank_values=True)
    _remember(options)
    for name, value in options:
        if not re.fullmatch(_OF_STORES.get(name, "(?!)"), value):
            near = "" if name in _OF_STORES else did_you_mean(name, _OF_STORES)
            hint = near or "Write ?endpoint=https://host:9000, ?order=name or ?order=time."
            raise SettingError(f"`{path}` has {name}={value}", hint)
    return path, tuple(options)


def _formless(path: str) -> SettingError:
    near = did_you_mean(path, ("console",)) if "/" not in path else ""
    hint = f"Write parquet:{path}, csv:{path} or json:{path}; known endings are {ENDINGS}."
    return SettingError(f"`{path}` does not say the form of its files", near or hint)


def _form_within(folder: Path) -> Form | None:
    """The form of the files in a folder on this machine, if they agree."""
    if not folder.is_dir():
        return None
    forms = {form_of(each) for each in folder.iterdir() if each.name[0] not in "._"}
    return forms.pop() if len(forms) == 1 else None


def located(path: str, folder: Path) -> str:
    """A path relative to a folder; an address of another machine is unchanged."""
    return path if folder == Path() or re.match(r"[a-z0-9]{2,}:", path) else str(folder / path)


def _query(text: str, fill: _Fill = str) -> dict[str, str]:
    pairs = parse_qsl(urlsplit(text).query, keep_blank_values=True)
    return {name: fill(value) for name, value in pairs}


def _rate(text: str) -> Rate:
    parts, options = urlsplit(text), _query(text)
    unknown = [name for name in options if name != "keys"]
    numbers = (parts.netloc or "10", options.get("keys", "10"))
    if unknown or parts.path.strip("/") or not all(number.isdecimal() and int(number) for number in numbers):
        raise refused("no-rate", text=text)
    return Rate(*map(int, numbers))


def _jdbc(text: str, fill: _Fill) -> Jdbc:
    whole, sign, table = text.partition("#")
    url, options = apart(whole, fill)
    _remember(options)
    if not sign or not table:
        raise refused("no-table", address=str(Jdbc(url, ""))[:-1], example=Jdbc(url, "readings"))
    return Jdbc(url, fill(table), options)


def _remember(options: Iterable[tuple[str, str]]) -> None:
    for name, value in options:
        secrets.remember(name, value)


def apart(url: str, fill: _Fill) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Splits user and secrets off a database's address, as errors show it; then `fill` replaces variables."""
    options: dict[str, str] = {}
    if (match := _ORACLE.match(url)) is not None:
        options |= {"user": fill(match[2]), "password": fill(match[3])}
        url = f"{match[1]}@{url[match.end() :]}"
    elif (match := _USER.match(url)) is not None:
        options |= {"user": fill(unquote(match[2])), "password": fill(unquote(match[3]))}
        url = match[1] + url[match.end() :]
    base, mark, query = url.partition("?")
    if mark:
        kept = [each for each in query.split("&") if not _taken(each, options, unquote, fill)]
        url = base + (f"?{'&'.join(kept)}" if kept else "")
    else:
        base, *settings = _SEMICOLON.split(url)
        kept = [each for each in settings if not _taken(each, options, _without_braces, fill)]
        url = ";".join([base, *kept])
    return fill(url), tuple(options.items())


def _taken(setting: str, options: dict[str, str], read: _Fill, fill: _Fill) -> bool:
    """Moves `name=value` to the options if it is the user or a secret; returns whether it did."""
    name, sign, value = setting.partition("=")
    if not sign or not (name.lower() == "user" or is_secret(name)):
        return False
    options[name] = fill(read(value))
    return True


def _without_braces(value: str) -> str:
    return value[1:-1] if value.startswith("{") and value.endswith("}") else value
