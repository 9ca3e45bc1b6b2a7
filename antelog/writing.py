"""Files that are written whole or not at all, checked outputs, locks of files, and temporary folders.

A new file is made beside the old one, under a random name, and replaces it when it is complete, even if that
is a link. What is not an ordinary file, such as a named pipe, is written to as it is.
"""

from __future__ import annotations

import errno
import io
import os
import secrets
import select
import shutil
import stat
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from types import ModuleType
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from antelog.errors import AntelogError, OutputError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
# Opens a file that is not a link, and that other programs do not inherit; not every system can do all this.
PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def write(path: str | PathLike[str], content: bytes, *, mode: int | None = None) -> None:
    """Replaces the content of a file; `mode` and errors are those of `replacing`."""
    with replacing(path, mode=mode) as file:
        file.write(content)


def write_text(path: Path, text: str) -> None:
    """Replaces the text of a file, which keeps its byte order mark if it has one."""
    mark = BOM_UTF8 if path.read_bytes().startswith(BOM_UTF8) else b""
    write(path, mark + text.encode())


@contextmanager
def replacing(path: str | PathLike[str], *, mode: int | None = None) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of the one at `path` when the block ends well.

    Without `mode` its permissions stay, or are up to the umask. Raises OutputError with the reason.
    """
    target = Path(path)
    with errors_at(path):
        found = None
        with suppress(FileNotFoundError):
            found = target.lstat().st_mode
        if found is not None and not (stat.S_ISREG(found) or stat.S_ISLNK(found)):
            beside, old = None, None
            raw = Output(os.open(target, os.O_WRONLY | PLAIN), str(path))
        else:
            old = stat.S_IMODE(found) & 0o777 if mode is None and found and stat.S_ISREG(found) else None
            allowed = 0o666 if mode is None else mode
            beside = target.with_name(f".antelog-{secrets.token_hex(8)}.partial")
            raw = Output(os.open(beside, _NEW | PLAIN, allowed if old is None else old), str(path))
    try:
        buffered = io.BufferedWriter(raw)
        yield cast("BinaryIO", buffered)
        buffered.flush()
        if beside is not None:
            with errors_at(path):
                if old is not None:  # the umask may have taken something away
                    beside.chmod(old)
                os.fsync(raw.fileno())
                raw.close()
                beside.replace(target)
    finally:
        with suppress(OSError):
            raw.close()  # what is still buffered is not wanted
        if beside is not None:
            beside.unlink(missing_ok=True)


class Output(io.FileIO):
    """An open file whose failed writes raise OutputError, caused by BrokenPipeError in a broken pipe."""

    def __init__(self, descriptor: int, name: str, *, closefd: bool = True) -> None:
        super().__init__(descriptor, "w", closefd=closefd)
        self.name = name

    def write(self, data: ReadableBuffer, /) -> int:
        with errors_at(self.name):
            # Nothing is written to a pipe that is full if whoever shares it made it not wait.
            while (count := super().write(data)) is None:
                select.select([], [self], [])
            return count

    def write_all(self, data: bytes) -> int:
        """Writes data in as many writes as it takes; returns the number of bytes."""
        rest = memoryview(data)
        while rest:
            rest = rest[self.write(rest) :]
        return len(data)


def given_by_system(module: str) -> ModuleType | None:
    """A module that not every system has, such as `fcntl`; None on Windows."""
    return None if find_spec(module) is None else import_module(module)


def claimed(descriptor: int, *, wait: bool = False) -> bool:
    """Locks an open file for this process; False if another has locked it. OSError if there are no locks."""
    locks: Any = given_by_system("fcntl")
    if locks is None:
        return True
    try:
        locks.flock(descriptor, locks.LOCK_EX | (0 if wait else locks.LOCK_NB))
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise
    return True


def is_at(descriptor: int, path: str | PathLike[str]) -> bool:
    """Whether an open file is still the one at this path: another process may have removed or replaced it."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), os.stat(path))  # noqa: PTH116 - a path of any kind
    return False


@contextmanager
def errors_at(path: str | PathLike[str], kind: type[AntelogError] = OutputError) -> Iterator[None]:
    """Raises errors of the system as those of a kind, with the path that cannot be written."""
    try:
        yield
    except OSError as error:
        raise kind(f"{path}: cannot be written: {error.strerror or error}") from error


# ---- temporary folders ----
#
# A process that is killed leaves its folder behind, and the next one that makes one removes it: each folder
# has a file that its process keeps locked.

_PREFIX = "antelog-"
_LOCK = "in-use"


def _is_own(descriptor: int) -> bool:
    return not hasattr(os, "getuid") or os.fstat(descriptor).st_uid == os.getuid()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for this process alone, which is removed in the end."""
    for left in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # somebody else's folder, or one that is just being made or removed
            lock = os.open(left / _LOCK, os.O_RDWR | PLAIN)
            try:
                if _is_own(lock) and not left.is_symlink() and claimed(lock):
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
