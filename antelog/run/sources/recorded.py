"""Complete files, read once in the order of names; one of a folder that cannot be read is set aside whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from glob import has_magic
from itertools import islice
from pathlib import Path

from antelog.engine.facts.frames import Frame, columns_in
from antelog.errors import DataError
from antelog.files.chunks import Chunk, no_rows, sorted_out
from antelog.files.columns import WantedColumns
from antelog.files.naming import form_of
from antelog.files.reading import chunks_of, frame_chunks
from antelog.files.records import Bad
from antelog.run.sources.source import FactSource, Mark, SourceExtent, SourcePiece

_AT_ONCE = 4  # pieces of a file that are read at a time; each has about a megabyte, or 65,000 rows


class RecordedFrame(FactSource):
    """Reads a frame, whose name is that of the source in messages."""

    def __init__(self, frame: Frame, name: Path, wanted: WantedColumns) -> None:
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


class RecordedFiles(FactSource):
    """Reads files once they are there; if `complete`, they all are, and the source ends with the last."""

    def __init__(
        self,
        path: Path,
        wanted: WantedColumns,
        *,
        mark: Mark | None = None,
        complete: bool = False,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        super().__init__()
        self._path, self._wanted, self._progress = path, wanted, progress
        mark = mark or {}
        self._done = set(mark.get("done", ()))
        self._name: str | None = mark.get("name")
        self._pieces = int(mark.get("pieces", 0))
        self._chunks: Iterator[Chunk] | None = None
        self._sizes: dict[str, int] = {}
        self._read = self._there = 0
        self._waiting, self._complete = False, complete
        self._all = self._names() if complete else None
        self.ended = self._has_ended()

    @property
    def mark(self) -> Mark:
        return {"done": sorted(self._done), "name": self._name, "pieces": self._pieces}

    @property
    def extent(self) -> SourceExtent:
        """The bytes of files read to their end, and of all files at the last poll."""
        return SourceExtent(self._read, self._there)

    def poll(self) -> list[SourcePiece]:
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
                    list(sorted_out(self._wanted, [chunk], file))
                found.append(SourcePiece(replace(chunk, misfit="") if in_folder else chunk, file))
        except DataError as error:
            if not in_folder:
                raise
            reason = str(error).removeprefix(f"{file}: ")
            found = [
                SourcePiece(no_rows(self._wanted, [Bad(1, f"the file cannot be used: {reason}", "")]), file)
            ]
            self._end()
            return found
        self._pieces += len(found)
        if len(found) < _AT_ONCE:
            self._end()
        return found

    def close(self) -> None:
        self._chunks = None

    def _next(self) -> bool:
        """Begins with the next file, or reads on in the one that was left."""
        if self._name is None:
            names = self._names() if self._all is None else self._all
            self.there = self._path.exists() or bool(names)
            for name in names:
                if name not in self._done and name not in self._sizes:
                    with suppress(OSError):  # it is gone
                        self._sizes[name] = self._path_of(name).stat().st_size
                        self._there += self._sizes[name]
            self._name = next((name for name in names if name not in self._done), None)
            self._pieces = 0
        if self._name is None:
            return False
        path = self._path_of(self._name)
        whole = path == self._path
        chunks = chunks_of(path, self._wanted, self.notes, self._progress, whole=whole)
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

    def _path_of(self, name: str) -> Path:
        if self._path.is_dir():
            return self._path / name
        return self._path.with_name(name) if self._is_pattern else self._path

    @property
    def _is_pattern(self) -> bool:
        """Whether the path stands for several files, as `*.csv` does."""
        return self._complete and has_magic(self._path.name) and not self._path.exists()

    def _names(self) -> list[str]:
        try:
            if self._path.is_dir():
                each = (path for path in self._path.iterdir() if path.name[0] not in "._" and form_of(path))
                return sorted(path.name for path in each if path.is_file())
            if self._is_pattern:
                found = sorted(path.name for path in self._path.parent.glob(self._path.name))
                if not found:
                    raise DataError(f"{self._path}: there is no such file")
                return found
        except OSError as error:
            raise DataError(f"{self._path}: cannot be read: {error.strerror or error}") from None
        if self._complete or self._path.exists():
            return [self._path.name]  # a complete one that is missing cannot be read, which is an error
        if not self._waiting:
            self.notes.append(f"{self._path} is not there yet; it is read once it is")
            self._waiting = True
        return []
