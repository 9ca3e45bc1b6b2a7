"""What stands behind `P=` on the command line, read: a file, a folder, a topic, …

readings.csv                            a file that grows
readings/                               a folder; each file in it is read once
-                                       standard input
kafka://host:9092/temp?format=json      a topic
http:                                   facts that are posted to the page
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from antelog.errors import DataError
from antelog.files.naming import ENDINGS, Form, form_of
from antelog.language.checks.suggestions import did_you_mean


@dataclass(frozen=True)
class FileAt:
    """A file that lines are appended to."""

    path: Path
    form: Form

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True)
class WholeAt:
    """A folder, or a file that cannot grow: packed, or Parquet."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True)
class Standard:
    """Standard input: CSV, or JSON lines if it begins with `{`."""

    def __str__(self) -> str:
        return "<stdin>"


@dataclass(frozen=True)
class Posted:
    """Facts that come by HTTP."""

    def __str__(self) -> str:
        return "http:"


@dataclass(frozen=True)
class Topic:
    """A topic of Kafka; `options` go to the client, and `file` names a file with more of them."""

    servers: str
    topic: str
    values: Literal["json", "csv"] = "json"
    starting: Literal["earliest", "latest"] = "earliest"
    options: tuple[tuple[str, str], ...] = ()
    file: Path | None = None

    def __str__(self) -> str:
        return f"kafka://{self.servers}/{self.topic}"

    __repr__ = __str__


Place: TypeAlias = FileAt | WholeAt | Standard | Posted | Topic


def place_of(text: str) -> Place:
    """The place that a text names. Raises DataError, whose message says what to write."""
    if text == "-":
        return Standard()
    if text in ("http:", "https:"):
        return Posted()
    if text.startswith("kafka:"):
        return _topic(text)
    path = Path(text)
    if path.is_dir() or text.endswith("/"):
        return WholeAt(path)
    form = form_of(path)
    if form is None:
        raise DataError(
            f"`{text}` has an ending that tells no form of file; there are {ENDINGS}, folders, "
            "`-`, `http:` and `kafka://host:9092/topic`"
        )
    grows = form is not Form.PARQUET and path.suffix.lower() != ".gz"
    return FileAt(path, form) if grows else WholeAt(path)


_OPTIONS = ("format", "from", "config")


def _topic(text: str) -> Topic:
    parts = urlsplit(text)
    topic = parts.path.strip("/")
    if not parts.netloc or not topic or "/" in topic:
        raise DataError(f"`{text}` lacks a server or a topic; write kafka://host:9092/topic")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    for name in options:
        if name not in _OPTIONS and "." not in name:
            hint = did_you_mean(name, _OPTIONS) or (
                "There are format, from and config; what has a full stop in its name goes to Kafka."
            )
            raise DataError(f"`{text}` has the unknown option {name}. {hint}")
        if "password" in name:
            raise DataError(
                f"the option {name} would be in the list of processes; write it into a file, one "
                "`name=value` a line, and give that with ?config=FILE"
            )
    values, starting = options.get("format", "json"), options.get("from", "earliest")
    if values not in ("json", "csv"):
        raise DataError(f"`{text}` has the format {values}; there are json and csv")
    if starting not in ("earliest", "latest"):
        raise DataError(f"`{text}` begins from {starting}; it can from earliest and latest")
    return Topic(
        ",".join(each if ":" in each else f"{each}:9092" for each in parts.netloc.split(",")),
        topic,
        "csv" if values == "csv" else "json",
        "latest" if starting == "latest" else "earliest",
        tuple((name, value) for name, value in options.items() if "." in name),
        Path(options["config"]) if "config" in options else None,
    )
