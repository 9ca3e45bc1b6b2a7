"""Endpoints as people write them: `readings/*.csv`, `kafka://host:9092/topic`, `jdbc:…#table`, …"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, get_args
from urllib.parse import parse_qsl, urlsplit

from antelog import secrets
from antelog.cli.arguments.setting_error import SettingError
from antelog.cli.run.jdbc_urls import apart
from antelog.cli.run.variables import filled
from antelog.language.checks.suggestions import did_you_mean
from antelog.spark.endpoints.endpoints import (
    Console,
    FileForm,
    Files,
    Jdbc,
    Kafka,
    Rate,
    Sink,
    Source,
    Table,
    TableForm,
)

FORMS: tuple[FileForm, ...] = get_args(FileForm)
_TABLES: tuple[TableForm, ...] = get_args(TableForm)
_ENDINGS: Mapping[str, FileForm] = {
    ".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet",
}  # fmt: skip
_REMOTE = {
    "hdfs",
    "viewfs",
    "s3",
    "s3a",
    "s3n",
    "gs",
    "abfs",
    "abfss",
    "wasb",
    "wasbs",
    "file",
    "dbfs",
    "oss",
}
_KINDS = ("kafka", "rate", "jdbc", "console", *FORMS, *_TABLES)
_KAFKA_OPTIONS = ("format", "from")
_HERE = Path()


def source_of(text: str, folder: Path = _HERE) -> Source:
    """The source a text names; files are looked at as seen from a folder. Raises SettingError.

    `${NAME}` in it stands for the variable NAME of the environment.
    """
    found = _endpoint(text, folder)
    if isinstance(found, Console):
        raise SettingError(
            "`console` is an output, not a source of facts", "Give a path, a topic or a table."
        )
    return found


def sink_of(text: str, folder: Path = _HERE) -> Sink:
    """The sink a text names, likewise. Raises SettingError."""
    found = _endpoint(text, folder)
    if isinstance(found, Rate):
        raise SettingError(
            f"`{text}` makes facts up, it is not an output", "Give console, a folder, a topic or a table."
        )
    if isinstance(found, Files):
        if re.search(r"[*?\[{]", found.path):
            raise SettingError(f"`{text}` is a pattern", "Name the one folder that is to be the output.")
        if found.path.endswith(".gz"):
            raise SettingError(
                f"`{text}` ends in .gz, and an output is a folder", "Give it a name without .gz."
            )
    return found


_Fill: TypeAlias = Callable[[str], str]


def _endpoint(text: str, folder: Path) -> Source | Sink:
    text = text.strip()
    # Of these the parts are filled in, and not the text before it is taken apart.
    if text.startswith("jdbc:"):
        return _jdbc(text, filled)
    if text.startswith("kafka:"):
        return _kafka(text, filled)
    return _filled_endpoint(filled(text), folder)


def _filled_endpoint(text: str, folder: Path) -> Source | Sink:
    kind, colon, rest = text.partition(":")
    if text == "console":
        return Console()
    if not colon or kind in _REMOTE or len(kind) < 2:
        return _files(text, None, folder)
    if kind in FORMS:
        return _files(rest, kind, folder)
    if kind in _TABLES and rest:
        return Table(kind, rest)
    if kind == "kafka":
        return _kafka(text, str)
    if kind == "rate":
        return _rate(text)
    if kind == "jdbc":
        return _jdbc(text, str)
    if "/" in kind or "." in kind:
        return _files(text, None, folder)
    hint = did_you_mean(kind, _KINDS) or f"There are {', '.join(_KINDS)} and paths."
    raise SettingError(f"`{text}` begins with `{kind}:`, which is not a kind of source or output", hint)


def _files(path: str, form: FileForm | None, folder: Path) -> Files:
    if not path:
        raise SettingError("a path is missing", "Write it behind the colon.")
    found = form or _form_by_ending(path) or _form_by_content(folder / path)
    if found is None:
        near = did_you_mean(path, ("console",)) if "/" not in path else ""
        raise SettingError(
            f"`{path}` does not tell the form of its files",
            near or f"Write parquet:{path}, csv:{path} or json:{path}.",
        )
    return Files(path, found)


def _form_by_ending(path: str) -> FileForm | None:
    return _ENDINGS.get(Path(path.removesuffix(".gz")).suffix.lower())


def _form_by_content(folder: Path) -> FileForm | None:
    """The form of the files in a folder on this machine, if they agree."""
    if not folder.is_dir():
        return None
    forms = {_form_by_ending(each.name) for each in folder.iterdir() if each.name[0] not in "._"}
    return forms.pop() if len(forms) == 1 else None


def _query(text: str, fill: _Fill = str) -> dict[str, str]:
    pairs = parse_qsl(urlsplit(text).query, keep_blank_values=True)
    return {name: fill(value) for name, value in pairs}


def _kafka(text: str, fill: _Fill) -> Kafka:
    address, mark, query = text.partition("?")
    text = fill(address) + mark + query
    parts = urlsplit(text)
    topic = parts.path.strip("/")
    if not parts.netloc or not topic or "/" in topic:
        raise SettingError(f"`{text}` lacks a server or a topic", "Write kafka://host:9092/topic.")
    options = _query(text, fill)
    _remember(options.items())
    for name in options:
        if name not in _KAFKA_OPTIONS and "." not in name:
            hint = did_you_mean(name, _KAFKA_OPTIONS) or (
                "There are format and from; what has a full stop in its name (kafka.security.protocol, …) "
                "goes to Kafka."
            )
            raise SettingError(f"`{text}` has the unknown option {name}", hint)
    servers = ",".join(each if ":" in each else f"{each}:9092" for each in parts.netloc.split(","))
    return Kafka(
        servers,
        topic,
        _one_of(text, options, "format", "json", "csv"),
        _one_of(text, options, "from", "earliest", "latest"),
        tuple((name, value) for name, value in options.items() if "." in name),
    )


def _one_of(text: str, options: Mapping[str, str], name: str, *allowed: str) -> Any:
    value = options.get(name, allowed[0])
    if value not in allowed:
        hint = did_you_mean(value, allowed) or f"It is {' or '.join(allowed)}."
        raise SettingError(f"`{text}` has {name}={value}", hint)
    return value


def _rate(text: str) -> Rate:
    parts, options = urlsplit(text), _query(text)
    unknown = [name for name in options if name != "keys"]
    numbers = (parts.netloc or "10", options.get("keys", "10"))
    if unknown or parts.path.strip("/") or not all(number.isdecimal() and int(number) for number in numbers):
        raise SettingError(
            f"`{text}` is not a rate", "Write rate://100?keys=10 for 100 facts a second about 10 things."
        )
    return Rate(*map(int, numbers))


def _jdbc(text: str, fill: _Fill) -> Jdbc:
    whole, sign, table = text.partition("#")
    url, options = apart(whole, fill)
    _remember(options)
    if not sign or not table:
        raise SettingError(
            f"`{str(Jdbc(url, ''))[:-1]}` lacks a table",
            f"Write its name behind a #: {Jdbc(url, 'readings')}",
        )
    return Jdbc(url, fill(table), options)


def _remember(options: Iterable[tuple[str, str]]) -> None:
    for name, value in options:
        secrets.remember(name, value)
