"""Temporary folders that outlive no process for long: the next process that makes one removes them.

    with temporary_folder() as folder: …

Each has a file that its process keeps locked: if the lock is free, the process has ended without tidying up.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from antelog.writing import PLAIN, claimed

_PREFIX = "antelog-"
_LOCK = "in-use"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for this process alone, which is removed in the end."""
    for left in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # somebody else's folder, or one that is just being made or removed
            lock = os.open(left / _LOCK, os.O_RDWR | PLAIN)
            try:
                if os.fstat(lock).st_uid == os.getuid() and not left.is_symlink() and claimed(lock):
                    shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(lock)
    with TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        made = folder / f"{_LOCK}.new"
        lock = os.open(made, os.O_RDWR | os.O_CREAT | os.O_EXCL | PLAIN, 0o600)
        try:
            with suppress(OSError):  # a file system without locks
                claimed(lock)
                made.rename(folder / _LOCK)  # once it is locked, lest another process finds it free
            yield folder
        finally:
            os.close(lock)
