"""Files that cannot be read, found in Spark's failures: the file, the reason, and rows without it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from antelog.engine.facts.rejects import MALFORMED
from antelog.secrets import redacted

_FAILED = re.compile(r"\[FAILED_READ_FILE\.\w+\] Encountered error while reading file (\S+?)\.?\s")
_CAUSE = re.compile(r"^Caused by: ([\w.$]+)(?:: (.*))?$", re.MULTILINE)

_DAMAGED = re.compile(
    r"java\.lang\.(Runtime|IllegalArgument|IllegalState|\w*IndexOutOfBounds|NegativeArraySize|NullPointer"
    r"|ClassCast|UnsupportedOperation|Arithmetic)Exception"
    r"|java\.io\.(EOF|UTFDataFormat)Exception|java\.util\.(zip\.\w+|NoSuchElementException)"
    r"|java\.nio\.Buffer\w+Exception|.*\bparquet\..*|.*SchemaColumnConvert\w+|.*\.ChecksumException"
    r"|.*\.Spark(Runtime|UnsupportedOperation)Exception|.*(Zstd|Snappy|LZ4)\w*Exception"
)
"""Failures that come of what is in a file."""
_DAMAGE = re.compile(
    r"gzip|zlib|bzip|snappy|zstd|lz4|crc|checksum|corrupt|magic|invalid|header", re.IGNORECASE
)
"""Other failures to read are such if they speak of it."""

_LOCAL = "file:"


@dataclass(frozen=True)
class Unreadable:
    """A file, as Spark names it, the reason why it cannot be read, and whether its content is damaged.

    A failure of a network or a store does not make a file damaged.
    """

    file: str
    reason: str
    damaged: bool

    @property
    def is_local(self) -> bool:
        return self.file.startswith(_LOCAL)

    def __str__(self) -> str:
        return f"{shown(self.file)}: cannot be read: {self.reason}"


def unreadable(error: BaseException) -> Unreadable | None:
    """The file that a failure of Spark is about, if it is about one."""
    text = str(error)
    failed = _FAILED.search(text)
    if failed is None:
        return None
    file = _alike(failed[1])
    causes = _CAUSE.findall(text, failed.end())
    kind, reason = causes[-1] if causes else ("", "")
    reason = reason.replace(unquote(file), "it").rstrip(". ") or kind.rpartition(".")[2] or "it is damaged"
    damaged = bool(_DAMAGED.fullmatch(kind) or (kind == "java.io.IOException" and _DAMAGE.search(reason)))
    return Unreadable(file, redacted(reason), damaged)


def shown(file: str) -> str:
    """A file as users name it; Spark has its URL."""
    return redacted(unquote(_alike(file)).removeprefix(_LOCAL))


def is_same(file: Unreadable, path: str) -> bool:
    """Whether a file has this path, which is no pattern."""
    return unquote(file.file) == _alike(path)


def as_rejects(frame: DataFrame, files: Iterable[tuple[str, Unreadable]]) -> DataFrame:
    """Rejects, with those for unreadable files of inputs added."""
    rows = []
    for name, file in files:
        detail = f"cannot be read: {file.reason}; the file is set aside"
        rows.append((name, None, None, None, MALFORMED, detail, shown(file.file)))
    if not rows:
        return frame
    return frame.unionAll(frame.sparkSession.createDataFrame(rows, frame.schema))


def commonest(rejects: DataFrame, particular: str) -> tuple[dict[str, Any], int]:
    """A reject of the most frequent kind, and its count; `particular` parts of details are ignored."""
    kind = f.regexp_replace("detail", particular, "…")
    example = f.struct(*rejects.columns)
    kinds = rejects.groupBy(kind.alias("kind")).agg(f.min(example).alias("row"), f.count("*").alias("rows"))
    found = kinds.orderBy(f.desc("rows"), "kind").first()
    assert found is not None
    return found.row.asDict(), found.rows


def without(frame: DataFrame, files: Collection[str]) -> DataFrame:
    """The rows of files without some, which are not opened."""
    if not files:
        return frame
    path = f.regexp_replace(f.col("_metadata.file_path"), "^file:/+", "file:/")
    return frame.where(~path.isin(sorted(files)))


def _alike(file: str) -> str:
    """A URL in one of the forms that Spark uses, for comparing."""
    return re.sub("^file:/+", "file:/", file)
