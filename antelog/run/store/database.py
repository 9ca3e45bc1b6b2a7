"""The file of a store: SQLite in WAL mode, with one writer. It needs locks, so network disks are refused."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from antelog.engine.sealed import VERSIONS, other_version
from antelog.errors import InUseError, StateError
from antelog.writing import PLAIN, claimed, errors_at, is_at

APPLICATION = 0x414E_544C  # SQLite's `application_id` of a store
VERSION = VERSIONS["store"]  # SQLite's `user_version` of a store
PATIENCE = 60.0  # seconds to wait for another process's transaction

TABLES = Path(__file__).with_name("tables.sql").read_text("utf-8")

OTHERS = tuple(
    name
    for name in re.findall(r"CREATE TABLE (\w+)", TABLES)
    if name not in ("state", "pieces", "steps", "rows")
)
"""The tables that are not of the state."""

_KINDS = {"INTEGER": int, "TEXT": str, "BLOB": bytes, "REAL": int | float}
_EMPTY = frozenset({"until", "found"})  # columns that may have no value
_TYPES = {name: _KINDS[kind] for name, kind in re.findall(r"(\w+) (INTEGER|TEXT|BLOB|REAL)\b", TABLES)} | {
    "at": int | float  # of both types
}

_HEADER = b"SQLite format 3\0"

# File systems that several machines share, besides those that begin with `fuse.`.
_NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "lustre", "glusterfs", "ncpfs", "ocfs2"}
    | {"gfs2", "gpfs", "beegfs", "drvfs", "vboxsf", "prl_fs", "vmhgfs"}
)


def is_store(path: Path) -> bool:
    """Whether a file is a store. Only SQLite opens it: to close it otherwise would give up our locks."""
    try:
        if not path.is_file():
            return False
        with closing(_connected(path, durable=True)) as database:
            (application,) = database.execute("PRAGMA application_id").fetchone()
    except (StateError, OSError):  # the latter for a name that no file can have
        return False
    return bool(application == APPLICATION)


def created(path: Path, *, durable: bool) -> sqlite3.Connection:
    """Opens a connection for the writer, and makes the store if it is missing. Raises StateError."""
    _refuse_other_files(path)
    with suppress(OSError):  # not Linux; whether locks work is seen when one is taken
        mounts = Path("/proc/self/mountinfo").read_text(errors="replace")
        kind = file_system(Path(os.path.realpath(path.parent)), mounts)
        if kind in _NETWORK or kind.startswith("fuse."):
            raise _no_locks(path, kind)
    with errors_at(path, StateError):
        if not path.exists():
            path.touch(mode=0o600)  # facts are not for everybody on this machine
        links = path.stat().st_nlink
    if links > 1:  # SQLite keeps its journal beside one of the names, and does not find it by the other
        raise StateError.of("store.hard-link", path=path)
    return _ready(path, _make_or_check, durable=durable)


def opened(path: Path) -> sqlite3.Connection:
    """Opens a connection to a store that is there. Raises StateError."""
    if not is_store(path):
        raise StateError(f"{path} is not a store that antelog wrote")
    return _ready(path, _check, durable=True)


def _ready(
    path: Path, prepare: Callable[[sqlite3.Connection, Path], None], *, durable: bool
) -> sqlite3.Connection:
    """Opens and prepares a connection; closes it if that fails."""
    with _in_words(path):
        database = _connected(path, durable=durable)
        try:
            prepare(database, path)
        except BaseException:
            database.close()
            raise
        return database


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Commits all that is written within it, or nothing."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


class StoreLock:
    """A lock of this process beside a store: of its one writer, or of the one sender of its alerts."""

    def __init__(self, path: Path, end: str = "-lock", *, wait: bool = False) -> None:
        store = Path(os.path.realpath(path))  # one lock, by whatever links the store is named
        self._path = store.with_name(store.name + end)
        while True:
            self._descriptor = self._locked(path, wait)
            if is_at(self._descriptor, self._path):
                return
            os.close(self._descriptor)  # the writer before has removed it just now

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)

    def _locked(self, path: Path, wait: bool) -> int:
        with errors_at(path, StateError):
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | PLAIN, 0o600)
        try:
            if claimed(descriptor, wait=wait):
                return descriptor
        except OSError as error:
            os.close(descriptor)
            raise _no_locks(path, error.strerror or str(error)) from None
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        raise InUseError.of("store.in-use", path=path)


def file_system(path: Path, mounts: str) -> str:
    """The type of a path's file system, by the lines of `/proc/self/mountinfo`; empty if unknown."""
    best, found = -1, ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        point = Path(fields[4].encode().decode("unicode_escape"))
        if path.is_relative_to(point) and len(point.parts) >= best:
            best, found = len(point.parts), after.split(" ")[0]
    return found


def _no_locks(path: Path, reason: str) -> StateError:
    return StateError(
        f"{path}: locks do not work there ({reason}); a store has to be on a disk of this machine"
    )


def _refuse_other_files(path: Path) -> None:
    if is_store(path):
        return
    try:
        with path.open("rb") as file:
            begins = file.read(len(_HEADER))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StateError(f"{path}: cannot be read: {error.strerror or error}") from None
    if begins and begins != _HEADER:
        raise StateError(f"{path} is not a store that antelog wrote; give another name")


class _Connection(sqlite3.Connection):
    """A connection with errors as StateError, and with rows of the declared types."""

    path: Path

    def execute(self, *given: Any) -> sqlite3.Cursor:
        with _in_words(self.path):
            return super().execute(*given)

    def executemany(self, *given: Any) -> sqlite3.Cursor:
        with _in_words(self.path):
            return super().executemany(*given)

    def checked(self, cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """Returns a row of the declared types: SQLite keeps a value of any type in any column."""
        for value, (name, *_) in zip(row, cursor.description, strict=True):
            kind = _TYPES.get(name)
            if kind is not None and not isinstance(value, kind) and not (value is None and name in _EMPTY):
                raise StateError.of("store.other-type", path=self.path, name=name)
        return row


def _connected(path: Path, *, durable: bool) -> sqlite3.Connection:
    with _in_words(path):
        database = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, factory=_Connection)
    database.path, database.row_factory = path, database.checked
    database.text_factory = lambda content: content.decode("utf-8", "replace")
    database.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
    database.execute("PRAGMA journal_size_limit = 67108864")
    database.execute("PRAGMA secure_delete = OFF")  # some builds would write zeros over all that is deleted
    return database


def _make_or_check(database: sqlite3.Connection, path: Path) -> None:
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    new = application == 0 and not tables
    if new:
        database.execute("PRAGMA page_size = 16384")
        (mode,) = database.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise _no_locks(path, f"the journal would be {mode}")
    else:
        _check(database, path)
    with transaction(database):
        for statement in TABLES.split(";\n"):  # a store of an earlier make lacks the younger ones
            database.execute(re.sub(r"^\s*CREATE (TABLE|INDEX)", r"CREATE \1 IF NOT EXISTS", statement))
        if new:
            database.execute(f"PRAGMA application_id = {APPLICATION}")
            database.execute(f"PRAGMA user_version = {VERSION}")


def _check(database: sqlite3.Connection, path: Path) -> None:
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise StateError(f"{path} is not a store that antelog wrote; give another name")
    if version != VERSION:
        raise other_version(str(path), "store", version)


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """Raises errors of SQLite as StateError, with the path."""
    try:
        yield
    except sqlite3.Error as error:
        raise StateError(f"{path}: the store cannot be used: {error}") from None
