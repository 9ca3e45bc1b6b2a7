"""A log that is rotated while it is followed, or while the follower is stopped: each row is read once."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

from antelog.files.naming import Form
from antelog.run.sources.growing import GrowingFile
from antelog.run.sources.source import Mark
from tests.attack.findings import Attempt
from tests.run.sources.taking import HEADER, WANTED, taken


class _Log:
    """A writer of unique rows, and what follows it."""

    def __init__(self, path: Path, form: Form, random: Random) -> None:
        self.path, self._form, self._random = path, form, random
        self.written: list[str] = []
        self.read: list[str] = []
        self.notes: list[str] = []
        self._mark: Mark | None = None
        self._source: GrowingFile | None = None

    def begin(self, path: Path | None = None) -> None:
        if self._form is Form.CSV:
            self.append(path or self.path, HEADER)

    def write(self, rows: int, path: Path | None = None) -> None:
        self.append(path or self.path, "".join(self.row() for _ in range(rows)))

    def row(self) -> str:
        self.written.append(f"{len(self.written)}-{'x' * self._random.randrange(200)}")
        if self._form is Form.CSV:
            return f"{self.written[-1]},1,7,7\n"
        return json.dumps({"device": self.written[-1], "value": 1, "time": 7}) + "\n"

    def look(self) -> None:
        if self._source is None:
            self._source = GrowingFile(self.path, self._form, WANTED, mark=self._mark)
        rows, wrong = taken(self._source.poll())
        self.read += [device for device, _ in rows]
        self.notes += [*self._source.notes, *wrong]
        self._source.notes.clear()

    def stop(self) -> None:
        if self._source is not None:
            self._mark = json.loads(json.dumps(self._source.mark))
            self._source.close()
            self._source = None

    def append(self, path: Path, text: str) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)

    # ---- what happens to its file ----

    def renamed(self, end: str = ".1") -> Path:
        return self.path.rename(self.path.with_name(self.path.name + end))

    def copied_and_cut(self) -> None:
        shutil.copyfile(self.path, self.path.with_name(f"{self.path.name}.1"))
        os.truncate(self.path, 0)


def _at_once(log: _Log) -> None:
    log.renamed()
    log.begin()
    log.write(2)


def _later(log: _Log) -> None:
    log.renamed()
    log.look()
    log.begin()
    log.write(2)


def _to_the_old_one(log: _Log) -> None:
    old = log.renamed()
    log.begin()
    log.write(2)
    log.look()
    log.write(3, old)


def _half_a_line(log: _Log) -> None:
    row = log.row()
    log.append(log.path, row[:5])
    log.look()
    old = log.renamed()
    log.look()
    log.append(old, row[5:])
    log.begin()
    log.write(2)


def _empty_at_first(log: _Log) -> None:
    old = log.renamed()
    log.path.touch()
    log.look()
    log.write(2, old)
    log.look()
    log.begin()
    log.write(1)


def _cut(log: _Log) -> None:
    log.copied_and_cut()
    log.look()
    log.write(1)


def _cut_and_longer(log: _Log) -> None:
    log.copied_and_cut()
    log.begin()
    log.write(60)


def _twice(log: _Log) -> None:
    old = log.renamed()
    log.begin()
    log.write(3)
    old.rename(old.with_name(f"{log.path.name}.2"))
    log.renamed()
    log.begin()
    log.write(2)


def _by_date(log: _Log) -> None:
    for day in ("-20240101", "-20240102"):
        log.renamed(day)
        log.begin()
        log.write(3)


def _back_and_forth(log: _Log) -> None:
    for number in (3, 2, 1):
        log.renamed(f".{number}")
        log.begin()
        log.write(2)
        log.look()


def _link(log: _Log) -> None:
    new = log.path.with_name("another.csv")
    log.begin(new)
    log.write(2, new)
    log.path.rename(log.path.with_name("first.csv"))
    log.path.symlink_to(new)


def _packed(log: _Log) -> None:
    log.look()
    log.renamed().unlink()
    log.begin()
    log.write(2)


WAYS: Mapping[str, Callable[[_Log], None]] = {
    "renamed, the new one at once": _at_once,
    "renamed, the new one later": _later,
    "renamed, and rows to the old one": _to_the_old_one,
    "renamed, and half a line": _half_a_line,
    "renamed, and empty at first": _empty_at_first,
    "copied and cut": _cut,
    "copied, cut and longer": _cut_and_longer,
    "twice between two looks": _twice,
    "by dates": _by_date,
    "three times": _back_and_forth,
    "a link to another": _link,
    "gone, all of it was read": _packed,
}


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """So many logs, each rotated in one of the ways, while it is followed or not."""
    random = Random(seed)
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as folder:
        for number in range(count):
            name = list(WAYS)[number % len(WAYS)]
            form, stopped = random.choice([Form.CSV, Form.JSON]), random.random() < 0.5
            path = Path(folder) / str(number) / "temp.csv"
            path.parent.mkdir()
            log = _Log(path, form, Random(random.random()))
            called = f"log {number} of seed {seed}: {name}, {form}{', stopped' * stopped}"
            yield Attempt(called, partial(_followed, log, WAYS[name], stopped=stopped))


def _followed(log: _Log, way: Callable[[_Log], None], *, stopped: bool) -> None:
    """Raises AssertionError if not each row is read once."""
    log.begin()
    log.write(3)
    log.look()
    log.write(4)
    if stopped:
        log.stop()
    with suppress(FileNotFoundError):
        way(log)
    for _ in range(6):
        log.look()
        if stopped:
            log.stop()
    log.write(1)
    log.look()
    log.stop()
    missing = [each[:9] for each in log.written if each not in log.read]
    assert sorted(log.read) == sorted(log.written), f"{missing} are missing, {log.notes}"
