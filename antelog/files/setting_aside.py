"""Rows that cannot be used: each is kept with its place and the reason, and stops nothing else.

If none of an input can be used, that is an error, unless rows only came at the wrong time: a file of which
nothing was understood would look like one in which nothing happened.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TextIO, cast

from antelog.accounts import FAILED, PARTICULAR
from antelog.arrow.ticks import comes_twice
from antelog.errors import AntelogError, DataError, OutputError
from antelog.escaping import cell
from antelog.files.naming import Form, form_of
from antelog.writing import replacing

_KINDS = 1_000  # different reasons that are counted, at most, so that odd files do not fill the memory
_MALFORMED = "malformed"
_LONGEST = 200  # letters of an example that are shown, at most
SHOWN = 5  # rejects that a summary shows in full

_WRITTEN = ("file", "line", "predicate", "reason", "detail", "row")  # what files have of a reject


@dataclass(frozen=True)
class Reject:
    """A row set aside for one of `accounts.REASONS`, or a failed call; with `delay` it would not be late."""

    file: str
    line: int | None
    predicate: str
    reason: str
    detail: str
    row: str
    delay: int | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.detail}"

    @property
    def place(self) -> str:
        """The file, and the line or, without one, the row."""
        if self.reason == FAILED:
            return self.row
        return f"{self.file}:{self.line}" if self.line is not None else f"{self.file}: {self.row}"


@dataclass(eq=False)
class Usable:
    """Counts of one predicate's rows, and why some were set aside; `twice`: the clock showed their time."""

    file: str = ""
    rows: int = 0
    set_aside: int = 0
    malformed: int = 0
    twice: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Reject] = field(default_factory=dict)

    def add(self, reject: Reject) -> None:
        self.set_aside += 1
        self.malformed += reject.reason == _MALFORMED
        kind = re.sub(PARTICULAR, "…", reject.detail)  # without the values and numbers of its row
        if kind in self.examples or len(self.examples) < _KINDS:
            self.kinds[kind] += 1
            self.examples.setdefault(kind, reject)

    def check(self) -> None:
        """Raises DataError if there are rows, and all were set aside, some not only as late or early."""
        if self.rows and self.set_aside >= self.rows and self.malformed:
            kind, count = self.kinds.most_common(1)[0]
            raise DataError(no_use(self.file, self.rows, count, self.examples[kind]))

    def warning(self) -> str | None:
        """A warning with the most common reason, if more than half of the rows were set aside."""
        if 2 * self.set_aside <= self.rows:
            return None
        kind, count = self.kinds.most_common(1)[0]
        few = f"{self.set_aside:,} of {self.rows:,} rows {'was' if self.set_aside == 1 else 'were'} set aside"
        return f"{self.file}: {few}: {_mostly(self.set_aside, count, self.examples[kind])}"


def no_use(file: str, rows: int, count: int, example: Reject) -> str:
    """The message that no row can be used, with the most common reason."""
    few = "its only row cannot" if rows == 1 else f"none of its {rows:,} rows can"
    return f"{file}: {few} be used: {_mostly(rows, count, example)}"


def _mostly(rows: int, count: int, example: Reject) -> str:
    """The most common reason, that of `count` rows, with an example."""
    line = f"line {example.line}: " if example.line is not None else ""
    row = example.row.strip()
    mostly = "" if count == rows else f"mostly ({count:,}): "
    return f"{mostly}{example.detail}, as in {line}{row[:_LONGEST]}{'…' if len(row) > _LONGEST else ''}"


@dataclass(frozen=True, eq=False)
class Rejects:
    """Counts rejects, keeps the first, and writes all to `out`; in a strict run the first is an error."""

    strict: bool = False
    out: TextIO | None = None
    form: Form = Form.JSON
    first: list[Reject] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    tally: Counter[str] = field(default_factory=Counter)  # of rows judged before the engine sees them
    noted: set[str] = field(default_factory=set, init=False)
    usable: defaultdict[str, Usable] = field(default_factory=lambda: defaultdict(Usable))
    # How many late facts would have been in time with how much delay.
    delays: defaultdict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter), init=False)
    gaps: dict[str, int] = field(default_factory=dict, init=False)  # the least within a tick

    def came(self, predicate: str, file: str, rows: int, twice: int = 0, gap: int | None = None) -> None:
        """Counts rows that were read, and notes the least gap between facts that exclude each other."""
        known = self.usable[predicate]
        if rows:
            known.file = known.file or file
            known.rows += rows
            known.twice += twice
        if gap is not None:
            self.gaps[predicate] = min(gap, self.gaps.get(predicate, gap))

    @property
    def at_end(self) -> list[str]:
        """The notes that count rows, once all have been read."""
        return [comes_twice(each.twice, name) for name, each in self.usable.items() if each.twice]

    def require_use(self) -> None:
        for each in self.usable.values():
            each.check()

    def new_of(self, notes: Mapping[str, str]) -> list[str]:
        """The notes with names that are new, and are not from now on."""
        new = [name for name in notes if name not in self.noted]
        self.noted.update(new)
        return [notes[name] for name in new]

    def add(self, rejects: Iterable[Reject]) -> None:
        """Counts, keeps and writes rejects. Raises DataError in a strict run."""
        for reject in rejects:
            self.counts[reject.reason] += 1
            if reject.reason != FAILED:
                self.usable[reject.predicate].add(reject)
            if reject.delay is not None:
                self.delays[reject.predicate][reject.delay] += 1
            if len(self.first) < SHOWN:
                self.first.append(reject)
            if self.out is not None:
                row = {name: getattr(reject, name) for name in _WRITTEN}
                if self.form is Form.CSV:
                    csv.writer(self.out).writerow(
                        cell(each) if isinstance(each, str) else each for each in row.values()
                    )
                else:
                    self.out.write(json.dumps(row) + "\n")
            if self.strict:
                raise DataError(str(reject))


@contextmanager
def rejects_to(path: Path | None, *, strict: bool) -> Iterator[Rejects]:
    """Rejects written to a new file, also after an error or a Ctrl-C; the old one stays if output fails."""
    if path is None:
        yield Rejects(strict)
        return
    form = form_of(path)
    if form not in (Form.CSV, Form.JSON) or path.suffix == ".gz":
        raise DataError(f"{path}: rejects are written to a file that ends in .csv or .jsonl")
    ended: AntelogError | KeyboardInterrupt | None = None
    with replacing(path) as file:
        out = TextIOWrapper(cast("IO[bytes]", file), "utf-8", "backslashreplace", newline="")
        if form is Form.CSV:
            csv.writer(out).writerow(_WRITTEN)
        try:
            yield Rejects(strict, out, form)
        except OutputError:
            raise
        except (AntelogError, KeyboardInterrupt) as early:
            ended = early
        out.detach()
    if ended is not None:
        raise ended
