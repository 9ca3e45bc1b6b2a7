"""Complete files, read once in the order of names; one of a folder that cannot be read is set aside whole.

Those of an object store are listed again after some seconds, and waited for while it cannot be reached.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from glob import has_magic
from itertools import islice

from antelog.engine.facts.frames import Frame, columns_in
from antelog.errors import AwayError, DataError
from antelog.files.chunks import Chunk, no_rows, sorted_out
from antelog.files.columns import WantedColumns
from antelog.files.naming import files_at, size_of, unreadable
from antelog.files.reading import chunks_of, frame_chunks
from antelog.files.records import Bad
from antelog.files.remote import FilePath, RemotePath
from antelog.run.sources.source import ConnectedSource, FactSource, Mark, SourceExtent, SourcePiece

_AT_ONCE = 4  # pieces of a file that are read at a time; each has about a megabyte, or 65,000 rows
_LISTING, _SHARE = 3.0, 10  # seconds between two listings of a store, of which one takes a tenth at most


class RecordedFrame(FactSource):
    """Reads a frame, whose name is that of the source in messages."""

    def __init__(self, frame: Frame, name: FilePath, wanted: WantedColumns) -> None:
        super().__init__()
        names, arrays = columns_in(wanted.name, frame)
        self._name, self._chunks = name, frame_chunks(names, arrays, name, wanted)

    @property
    def mark(self) -> Mark:
        return {}

    def poll(self) -> list[SourcePiece]:
        found = [SourcePiece(chunk, str(self._name)) for chunk in islice(self._chunks, _AT_ONCE)]
        self.behind, self.ended = bool(found), not found
        return found


class RecordedFiles(ConnectedSource):
    """Reads files once they are there; if `complete`, they all are, and the source ends with the last."""

    lost = (AwayError,)  # of a store; files of this machine are read or set aside

    def __init__(
        self,
        path: FilePath,
        wanted: WantedColumns,
        *,
        mark: Mark | None = None,
        complete: bool = False,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        super().__init__(str(path), wanted)
        self._path, self._progress = path, progress
        mark = mark or {}
        self._done = set(mark.get("done", ()))
        self._name: str | None = mark.get("name")
        self._pieces = int(mark.get("pieces", 0))
        self._chunks: Iterator[Chunk] | None = None
        self._sizes: dict[str, int] = {}
        self._read = self._there = 0
        self._waiting, self._complete = False, complete
        self._listed: dict[str, FilePath] = {}
        self._look = 0.0  # when a store is listed again
        if isinstance(path, RemotePath) and not complete:
            self.begin()
        self._all = self._files() if complete else None
        self.ended = self._has_ended()

    @property
    def mark(self) -> Mark:
        return {"done": sorted(self._done), "name": self._name, "pieces": self._pieces}

    @property
    def extent(self) -> SourceExtent:
        """The bytes of files read to their end, and of all files at the last poll."""
        return SourceExtent(self._read, self._there)

    def connect(self) -> None:
        self._listed = self._files()

    def disconnect(self) -> None:
        self._chunks, self._look = None, 0.0

    def is_hopeless(self, error: Exception) -> bool:  # noqa: ARG002 - a replay waits for none
        return self._complete

    def take(self) -> list[SourcePiece]:
        if self._chunks is None and not self._next():
            self.behind = False
            return []
        self.behind = True
        assert self._chunks is not None
        assert self._name is not None
        path = self._path_of(self._name)
        in_folder = path != self._path
        file = str(path)
        try:
            found = []
            for chunk in islice(self._chunks, _AT_ONCE):
                if in_folder and chunk.misfit:  # DataError sets the file aside as a whole
                    list(sorted_out(self.wanted, [chunk], file))
                found.append(SourcePiece(replace(chunk, misfit="") if in_folder else chunk, file))
        except DataError as error:
            if not in_folder or isinstance(error, AwayError):
                raise
            reason = str(error).removeprefix(f"{file}: ")
            found = [
                SourcePiece(no_rows(self.wanted, [Bad(1, f"the file cannot be used: {reason}", "")]), file)
            ]
            self._end()
            return found
        self._pieces += len(found)
        if len(found) < _AT_ONCE:
            self._end()
        return found

    def _next(self) -> bool:
        """Begins with the next file, or reads on in the one that was left."""
        if self._name is None:
            self._listed = files = self._files() if self._all is None else self._all
            self.there = bool(files) or self._path.is_dir()
            for name, path in files.items():
                if name not in self._done and name not in self._sizes:
                    self._sizes[name] = size_of(path)
                    self._there += self._sizes[name]
            self._name = next((name for name in files if name not in self._done), None)
            self._pieces = 0
        if self._name is None:
            return False
        path = self._path_of(self._name)
        whole = path == self._path
        chunks = chunks_of(path, self.wanted, self.notes, self._progress, whole=whole)
        self._chunks = islice(chunks, self._pieces, None)
        return True

    def _end(self) -> None:
        assert self._name is not None
        self._read += self._sizes.pop(self._name, 0)
        self._done.add(self._name)
        self._name, self._chunks, self._pieces = None, None, 0
        self.ended = self._has_ended()

    def _has_ended(self) -> bool:
        if self._all is not None:
            return self._done.issuperset(self._all)
        return self._path.name in self._done and not self._path.is_dir()

    def _path_of(self, name: str) -> FilePath:
        if self._path.is_dir():
            return self._path / name
        return self._path.with_name(name) if self._is_pattern else self._path

    @property
    def _is_pattern(self) -> bool:
        """Whether the path stands for several files, as `*.csv` does."""
        can_be = self._complete or isinstance(self._path, RemotePath)
        return can_be and has_magic(self._path.name) and not self._path.exists()

    def _files(self) -> dict[str, FilePath]:
        """The files that are there, of a store some seconds ago, in the order in which they are read."""
        is_folder, in_store = self._path.is_dir(), isinstance(self._path, RemotePath)
        if (began := time.monotonic()) < self._look:
            return self._listed
        found: list[FilePath] = []
        try:
            if is_folder or self._is_pattern:
                found = files_at(self._path)
            elif self._complete or self._path.exists():
                found = [self._path]  # a complete one that is missing cannot be read, which is an error
        except OSError as error:
            raise unreadable(self._path, error) from None
        if not found and (in_store or not is_folder):  # a store has only folders with files
            if self._complete:
                raise DataError(f"{self._path}: there is no such file")
            if not self._waiting:
                self.notes.append(f"{self._path} is not there yet; it is read once it is")
                self._waiting = True
        if in_store:
            now = time.monotonic()
            self._look = now + max(_LISTING, _SHARE * (now - began))
        return {path.name: path for path in found}
