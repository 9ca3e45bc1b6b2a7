"""The sources of a page: a feed, files of changes that any pipeline wrote, or an engine.

    reader_of(Path("turbines.state"))    the feed in a store, as `antelog watch` writes it
    reader_of(Path("state.feed"))        a feed in a folder, as `antelog run --page` writes it
    reader_of(Path("changes"))           JSON lines or Parquet, as `antelog run` writes them
    EngineReader(engine, program)        an engine in this process, whose changes are passed to `tell`

All of them return records as a feed has them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from antelog.engine.transition import RuleChange
from antelog.errors import DataError
from antelog.lines import line_of
from antelog.process import Engine
from antelog.program import Program
from antelog.run.rule_changes import remark, steps_of
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.run.store import (
    FeedReader,
    FolderFeed,
    Record,
    StoredFeedAt,
    about,
    is_folder_feed,
    is_store,
    record_of,
)
from antelog.watch.web.live_board import Reader

_LINES = (".jsonl", ".ndjson", ".json")
_TABLES = (".parquet",)
_AT_ONCE = 5_000


def reader_of(path: Path) -> Reader:
    """A reader of a feed or of changes. Raises DataError if there is no such file or folder."""
    if is_store(path):
        return FeedReader(StoredFeedAt(path))
    if not os.path.exists(path):  # noqa: PTH110 - of a name that no file can have, too
        raise DataError(f"{path}: there is no such file or folder; give a store, or a folder of changes")
    return ChangesReader(path) if path.is_file() else FolderReader(path)


class FolderReader(Reader):
    """Reads a folder as a feed or as changes, once it has files: it may be empty at first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._found: Reader | None = None

    def read(self, limit: int) -> list[Record]:
        if self._found is not None:
            return self._found.read(limit)
        feed = is_folder_feed(self.path)
        found: Reader = FeedReader(FolderFeed(self.path)) if feed else ChangesReader(self.path)
        records = found.read(limit)
        if records:
            self._found = found
        return records

    @property
    def position(self) -> int | None:
        return 0 if self._found is None else self._found.position

    def read_again(self, position: int, limit: int) -> list[Record]:
        return [] if self._found is None else self._found.read_again(position, limit)

    @property
    def damaged(self) -> int:
        return 0 if self._found is None else self._found.damaged

    def share(self) -> float:
        return 1.0 if self._found is None else self._found.share()


class ChangesReader(Reader):
    """Reads a file of changes as it grows, or the files of a folder: each once, by age, then name.

    Files that begin with a dot or an underscore are skipped: they are Spark's own. `damaged` counts lines
    that are not changes.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._damaged = path, 0
        self._done: set[Path] = set()
        self._offsets: dict[Path, int] = {}
        self._waiting: deque[Record] = deque()

    def read(self, limit: int) -> list[Record]:
        for path in self._files() if len(self._waiting) < limit else ():
            self._waiting += self._grown(path) if path.suffix.lower() in _LINES else self._table(path)
            if len(self._waiting) >= limit:
                break
        return [self._waiting.popleft() for _ in range(min(limit, len(self._waiting)))]

    @property
    def damaged(self) -> int:
        return self._damaged

    def share(self) -> float:
        """The share of what there is that was read, in bytes of files."""
        sizes = {path: path.stat().st_size for path in self._files()}
        read = sum(size if path in self._done else self._offsets.get(path, 0) for path, size in sizes.items())
        return min(1.0, read / sum(sizes.values())) if any(sizes.values()) else 1.0

    def _files(self) -> list[Path]:
        if self.path.is_file():
            return [self.path]
        found = (
            path
            for path in self.path.rglob("*")
            if path.suffix.lower() in (*_LINES, *_TABLES)
            and not any(part.startswith((".", "_")) for part in path.relative_to(self.path).parts)
        )
        return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))

    def _grown(self, path: Path) -> Iterator[Record]:
        """The complete lines after those read before."""
        with path.open("rb") as file:
            file.seek(self._offsets.get(path, 0))
            for _ in range(_AT_ONCE):
                line = file.readline()
                if not line.endswith(b"\n"):
                    break
                self._offsets[path] = self._offsets.get(path, 0) + len(line)
                if (record := record_of(line)) is not None:
                    yield record
                else:
                    self._damaged += 1

    def _table(self, path: Path) -> Iterator[Record]:
        if path in self._done:
            return
        try:
            rows = pq.read_table(path).to_pylist()
        except (OSError, pa.ArrowException):
            return  # not written to its end yet
        self._done.add(path)
        found = [line_of(row) for row in rows]
        self._damaged += found.count(None)
        yield from (dict(each) for each in found if each is not None)


class EngineReader(Reader):
    """The records of an engine: the open answers at the start, then the changes given to `tell`."""

    def __init__(self, engine: Engine, program: Program) -> None:
        self.engine = engine
        self._waiting: deque[Record] = deque()
        self._begin(program, {})

    def _begin(self, program: Program, more: Mapping[str, Any]) -> None:
        """Adds a head with all that is open."""
        engine = self.engine
        self._relations = list(engine.plan.queries)
        tables = {query.name: engine.answers(query.name) for query in self._relations}
        known = {**about(program.source, engine.plan.tick), "tick": engine.now, **more}
        self._waiting.append({"head": {**known, "open": self._lines(StepResult(engine.now, tables))}})

    def change_rules(self, change: RuleChange, program: Program) -> None:
        """Adds the change of the engine's rules to those of a program."""
        closed, changes = steps_of(change, self.engine.plan)
        self._waiting.extend(self._lines(closed))
        self._begin(program, {"rules_changed": remark(change, self.engine.plan)})
        self._waiting.extend(self._lines(changes))

    def tell(self, tick: int, changes: Mapping[str, pa.Table]) -> None:
        """Adds the changes that `advance` has returned; may be called from any thread."""
        self._waiting.extend(self._lines(StepResult(tick, changes)))
        self._waiting.append({"status": {"tick": tick}})

    def read(self, limit: int) -> list[Record]:
        return [self._waiting.popleft() for _ in range(min(limit, len(self._waiting)))]

    def _lines(self, step: StepResult) -> list[Record]:
        text = change_lines(self._relations, step, Style())
        return [msgspec.json.decode(line) for line in text.splitlines()]
