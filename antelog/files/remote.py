"""Files in object stores, with as much of a path's interface as readers of files need; fsspec reads them.

s3://bucket/2026-*/readings-*.csv
╰─ folder ╯ ╰────── name ───────╯     each file that is found has this folder, and a name of its own
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, partial
from glob import has_magic
from pathlib import Path
from traceback import walk_tb
from typing import Any, BinaryIO, TypeAlias, cast

from antelog.errors import AwayError, UnsupportedError
from antelog.lazily import brought_by
from antelog.secrets import redacted, remember

EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gs", "abfs": "azure", "abfss": "azure"}
LIBRARIES = {"s3": "s3fs", "gs": "gcsfs", "azure": "adlfs"}
_PATIENCE = 6.0  # seconds for an answer whether something is there
_AT_ONCE = 1 << 22  # bytes that are fetched at a time
_TIMES = ("LastModified", "mtime", "last_modified", "created")  # what stores call the time of a change
_answered: set[tuple[str, object]] = set()  # folders whose store has answered this process


def in_store(text: str) -> bool:
    """Whether a text is an address in an object store."""
    return text.partition("://")[0] in EXTRAS


@dataclass(frozen=True)
class RemotePath:
    """A file by its name, the files of a pattern, or, without a name, those of the folder."""

    folder: str
    name: str = ""
    options: tuple[tuple[str, str], ...] = ()
    size: int = field(default=-1, compare=False)  # in bytes; negative if it is not known
    changed: float = field(default=0.0, compare=False)  # when, if files are read in that order

    @classmethod
    def of(cls, text: str, options: tuple[tuple[str, str], ...] = (), *, is_folder: bool) -> RemotePath:
        scheme, _, bucket, *parts = text.rstrip("/").split("/")
        if is_folder and has_magic(text):
            parts, is_folder = [*parts, "*"], False
        first = next((i for i, part in enumerate(parts) if has_magic(part)), len(parts) - 1)
        at = len(parts) if is_folder else max(0, first)
        return cls("/".join([scheme, "", bucket, *parts[:at]]), "/".join(parts[at:]), options)

    def __str__(self) -> str:
        return f"{self.folder}/{self.name}" if self.name else self.folder

    def with_name(self, name: str) -> RemotePath:
        return replace(self, name=name, size=-1)

    __truediv__ = with_name

    def is_dir(self) -> bool:
        return not self.name

    def is_file(self) -> bool:
        if self.size >= 0 or not self.name or has_magic(self.name):
            return self.size >= 0
        with self._store() as (store, root):
            return self._about(store, f"{root}/{self.name}") is not None

    exists = is_file  # folders are there in the names of files only

    def found(self) -> Iterator[RemotePath]:
        """The files of the pattern, or of the folder, without those of folders in it."""
        by_time = dict(self.options).get("order") == "time"
        with self._store() as (store, root):
            if (self.folder, self.options) not in _answered:
                self._about(store, root)
            try:
                if self.name:
                    listed = [*store.glob(f"{root}/{self.name}", detail=True).values()]
                else:
                    listed = store.ls(root, detail=True)
            except FileNotFoundError:
                self._about(store, root)  # no file yet, unless the bucket is missing
                return
        for each in listed:
            name = each["name"].lstrip("/")[len(root.strip("/")) + 1 :]
            if each["type"] == "file" and name and not name.endswith("/"):
                time = next((each[key] for key in _TIMES if key in each), 0) if by_time else 0
                at = time.timestamp() if isinstance(time, datetime) else float(time)
                yield replace(self, name=name, size=int(each["size"] or 0), changed=at)

    @contextmanager
    def open(self, _mode: str = "rb") -> Iterator[BinaryIO]:
        """The bytes of the file, fetched as they are read: of Parquet only the ranges that are needed."""
        with self._store() as (store, root):
            path = f"{root}/{self.name}"
            if (self.folder, self.options) not in _answered:
                self._about(store, path)
            cache_type = "none" if path.lower().endswith(".parquet") else "readahead"
            try:
                opened = store.open(path, "rb", block_size=_AT_ONCE, cache_type=cache_type)
            except PermissionError as error:
                self._about(store, root)  # the store lets us in: then nobody may read this one file
                raise OSError(f"access is denied: {_said(error)}") from None
            with opened as file:
                yield cast("BinaryIO", file)

    def _about(self, store: Any, path: str) -> object | None:
        """The answer of the store about a path, within some seconds; None if nothing is there."""
        from fsspec.asyn import sync  # noqa: PLC0415 - an extra

        ask = partial(sync, store.loop, store._info, timeout=_PATIENCE) if store.async_impl else store.info
        found: object | None = None
        with suppress(FileNotFoundError):
            found = ask(path)
        if found is None:
            bucket = path.strip("/").partition("/")[0]
            try:
                with suppress(PermissionError):  # of buckets it tells others only
                    ask(bucket)
            except FileNotFoundError:
                raise AwayError(self, f"there is no bucket {bucket}") from None
        _answered.add((self.folder, self.options))
        return found

    @contextmanager
    def _store(self) -> Iterator[tuple[Any, str]]:
        """The file system, and the folder in it. Raises OSError about a file, AwayError about the store."""
        extra = EXTRAS[self.folder.partition(":")[0]]
        try:
            yield _file_system(self.folder, extra, self.options)
        except ImportError:
            said = f"{self}: needs {LIBRARIES[extra]}, which is not installed: {brought_by(extra)}"
            raise UnsupportedError(said) from None
        except FileNotFoundError:
            raise FileNotFoundError("there is no such file") from None
        except PermissionError as error:
            raise AwayError(self, f"access is denied: {_said(error)}") from None
        except Exception as error:
            # What libraries raise has no common root: errors of sockets, of HTTP, of credentials. Others are
            # of those who read: then the store has given the bytes, which are of no use.
            frames = (frame.f_globals["__name__"] for frame, _ in walk_tb(error.__traceback__))
            if any(each.partition(".")[0] in ("fsspec", *LIBRARIES.values()) for each in frames):
                raise AwayError(self, _said(error)) from None
            raise


FilePath: TypeAlias = Path | RemotePath


def _said(error: Exception) -> str:
    said = "it does not answer" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
    return redacted(" ".join(said.split())).rstrip(".")


@cache
def _file_system(folder: str, extra: str, options: tuple[tuple[str, str], ...]) -> tuple[Any, str]:
    """The file system of an address, with credentials that its library finds, and the path in it."""
    from fsspec.core import url_to_fs  # noqa: PLC0415 - an extra

    for name, value in os.environ.items():
        if name.startswith(("AWS_", "AZURE_")):
            remember(name, value)
    for name in ("asyncio", "fsspec", *LIBRARIES.values(), "azure", "google", "aiobotocore", "botocore"):
        # They write to stderr what is tried again, and what is told as an error.
        logging.getLogger(name).addHandler(logging.NullHandler())
        logging.getLogger(name).propagate = False
    known: dict[str, Any] = {"use_listings_cache": False}
    if extra == "s3":
        known["config_kwargs"] = {"retries": {"total_max_attempts": 1}}  # s3fs has retries of its own
    if endpoint := dict(options).get("endpoint"):
        known["account_host" if extra == "azure" else "endpoint_url"] = endpoint
    found: tuple[Any, str] = url_to_fs(folder, **known)
    return found
