"""A check that some row of an input can be used; if not, the most common reason, with an example.

    readings.csv: none of its 3 rows can be used; mostly (3): the time `soon` is not a whole number,
    as in line 2: wt2,91,soon

Counts the rows that were read and those that were set aside, and raises DataError if all of an input were.
Without it, a file of which nothing was understood would look like one in which nothing happened.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from antelog.errors import DataError

_KINDS = 1_000
"""At most so many different reasons are counted, so that odd files take no endless memory."""
_LONGEST = 200
"""Of an example no more letters are shown."""
PARTICULAR = "`[^`]*`|[0-9]+"
"""What is particular about a row in a reason: its values and numbers. Also for Java."""


@dataclass(frozen=True)
class Example:
    """A row that was set aside: the line it is in (None: not known), why, and its text."""

    line: int | None
    detail: str
    row: str

    def __str__(self) -> str:
        place = f"line {self.line}: " if self.line is not None else ""
        row = self.row.strip()
        return f"{self.detail}, as in {place}{row[:_LONGEST]}{'…' if len(row) > _LONGEST else ''}"


@dataclass(eq=False)
class Usable:
    """The rows of one input, or static predicate, and why some of them were set aside."""

    files: dict[str, None] = field(default_factory=dict)
    rows: int = 0
    set_aside: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Example] = field(default_factory=dict)

    def came(self, file: str, rows: int) -> None:
        if rows:
            self.files[file] = None
            self.rows += rows

    def add(self, example: Example) -> None:
        """A row was set aside."""
        self.set_aside += 1
        kind = kind_of(example.detail)
        if kind in self.examples or len(self.examples) < _KINDS:
            self.kinds[kind] += 1
            self.examples.setdefault(kind, example)

    def check(self) -> None:
        """Raises DataError if there are rows, and all were set aside."""
        if self.rows and self.set_aside >= self.rows:
            kind, count = self.kinds.most_common(1)[0]
            raise DataError(no_use(next(iter(self.files)), self.rows, count, self.examples[kind]))


def kind_of(detail: str) -> str:
    """A reason without the values and numbers of its row."""
    return re.sub(PARTICULAR, "…", detail)


def no_use(file: str, rows: int, count: int, example: Example) -> str:
    """The message that no row can be used, with the most common reason."""
    if rows == 1:
        return f"{file}: its only row cannot be used: {example}"
    mostly = "" if count == rows else f"mostly ({count:,}): "
    return f"{file}: none of its {rows:,} rows can be used: {mostly}{example}"
