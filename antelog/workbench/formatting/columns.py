"""Alignment: heads and bodies of rules, the parts of declarations, comments.

    Flag(X, T)   :- Temp(X, high, T).          % hot now
    Cool(X, T+1) :- Flag(X, T), Flag(X, T+1).  % hot twice

Lines of one kind that follow one another are aligned cell by cell, as far as all of them have the cell. A
cell that is much longer than the shortest one does not move the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

WIDTH = 100
"""The letters of a line of code, at most, where there is a way."""
_SPREAD = 24
"""How much longer than the shortest cell one may be that moves the others."""
_COMMENT_SPREAD = 40
_COMMENT_WIDTH = 120


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """A line in cells, and the comment at its end. Lines of the same `kind` are aligned; None: it is not."""

    cells: tuple[str, ...] = ()
    kind: str | None = None
    comment: str | None = None
    gap: int = 1

    @property
    def text(self) -> str:
        """The line without alignment and comment."""
        return (" " * self.gap).join(each for each in self.cells if each)


BLANK = ProgramLine()


def written(lines: Sequence[ProgramLine]) -> Iterator[str]:
    """The texts of lines, aligned."""
    texts = [each.text for each in lines]
    for run in _runs(lines):
        for index, text in zip(run, _aligned([lines[index] for index in run]), strict=True):
            texts[index] = text
    for with_comment, group in groupby(range(len(lines)), key=lambda i: bool(texts[i] and lines[i].comment)):
        rows = list(group)
        column = _column([len(texts[i]) for i in rows], _COMMENT_SPREAD) if with_comment else 0
        for i in rows:
            comment = lines[i].comment or ""
            filled = texts[i].ljust(column) if column + 2 + len(comment) <= _COMMENT_WIDTH else texts[i]
            yield f"{filled}  {comment}" if with_comment else texts[i] or comment


def _runs(lines: Sequence[ProgramLine]) -> Iterator[list[int]]:
    """The numbers of lines that are aligned with each other; comments between them are none."""
    run: list[int] = []
    for index, line in enumerate(lines):
        if run and line.kind != lines[run[0]].kind and (line.kind or line.cells or not line.comment):
            yield run
            run = []
        if line.kind is not None:
            run.append(index)
    if run:
        yield run


def _column(lengths: Sequence[int], spread: int) -> int:
    """The length up to which cells are filled up."""
    least = min(lengths)
    return max(each for each in lengths if each <= least + spread)


def _aligned(run: Sequence[ProgramLine]) -> list[str]:
    rows = [list(each.cells) for each in run]
    _fill(rows, 0, run[0].gap)
    texts = ["".join(each) for each in rows]
    return [text if len(text) <= WIDTH else line.text for text, line in zip(texts, run, strict=True)]


def _fill(rows: list[list[str]], at: int, gap: int) -> None:
    """Fills up the cells of a column, in each stretch of rows that have a further one."""
    for has_next, group in groupby(rows, key=lambda row: len(row) > at + 1):
        if not has_next:
            continue
        stretch = list(group)
        column = _column([len(row[at]) for row in stretch], _SPREAD)
        for row in stretch:
            row[at] = row[at].ljust(column) + " " * (gap if column else 0)
        _fill(stretch, at + 1, gap)
