"""Explanations of few lines, one by one: what `explaining` makes of many, said in the plainest way.

In come moments and the views told at each, out go the same two columns: for each line its explanations, and
for each rejected one what became false.

    a derivation at tick 1: evidence ["Temp(wt2, high, 0)"], hypotheses ["Temp(wt2, high, 1)"]
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, TypeAlias, TypeVar

import pyarrow as pa

from antelog.compile.nodes.text import time_text
from antelog.engine.answers.lives import Lives
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.log.schema import AFTER_ANSWER
from antelog.engine.log.shapes import As, Blank, Part, Shape, shapes
from antelog.engine.log.told import Told
from antelog.engine.truth.atoms import Judge
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values
from antelog.language.printer import value_text

_Key: TypeAlias = tuple[tuple[bool, int, str], list[str], list[str]]
"""By what literals are in order: by time, open times last, and then piece by piece."""


class _Literal(NamedTuple):
    """A literal of a derivation: its text, when it is true, and when false."""

    key: _Key
    text: str
    holds: int
    fails: int


_BY_KEY = attrgetter("key")


class _View(NamedTuple):
    """The literals that are true at a tick, and those that are not yet."""

    evidence: list[_Literal]
    hypotheses: list[_Literal]

    @property
    def key(self) -> tuple[int, int, list[_Key], list[_Key]]:
        """By what views are in order: with fewer hypotheses first, then by their literals."""
        evidence, hypotheses = ([each.key for each in part] for part in (self.evidence, self.hypotheses))
        return len(hypotheses), len(evidence), hypotheses, evidence

    @property
    def texts(self) -> tuple[list[str], list[str]]:
        return [each.text for each in self.evidence], [each.text for each in self.hypotheses]


def few_explanations(
    judge: Judge, told: Told, moment: Column, rejected: Mask, views: tuple[Column, Column]
) -> tuple[pa.Array, pa.Array]:
    """See `explanations`. The views come with their lines: which of the moments each belongs to."""
    told_at: list[list[_View]] = [[] for _ in moment]
    line, view = views
    row, then = told.at.view_of.take(view), told.at.then.take(view)
    derivations: dict[int, list[_Literal]] = {}
    for i, each, tick in zip(line.tolist(), row.tolist(), then.tolist(), strict=True):
        if each not in derivations:
            derivations[each] = _derivation(judge, told.found, each)
        literals = derivations[each]
        true = [literal for literal in literals if literal.holds <= tick]
        told_at[i].append(_View(true, [literal for literal in literals if literal.holds > tick]))
    # Two patterns may say the same for some values.
    told_at = [_in_order(several) for several in told_at]
    ticks = told.at.tick.take(moment).tolist()
    because = [
        _failed(several, tick) if last else None
        for several, tick, last in zip(told_at, ticks, rejected.tolist(), strict=True)
    ]
    shown = [[each.texts for each in several] for several in told_at]
    return pa.array(shown, AFTER_ANSWER["explanations"]), pa.array(because, AFTER_ANSWER["because"])


def _failed(views: Sequence[_View], tick: int) -> list[str]:
    """The literals of views that become false at a tick."""
    literals = [literal for view in views for part in view for literal in part if literal.fails == tick]
    return [each.text for each in _in_order(literals)]


def _derivation(judge: Judge, found: Lives, row: int) -> list[_Literal]:
    """The literals of a row in order, each once."""
    b = bisect_right(found.starts, row) - 1
    block, at = found.blocks[b], row - found.starts[b]
    cells = {name: column.item(at) for name, column in block.rows.bound.items()}
    of_row = shapes(block.prepared, frozenset(cells))
    holds, fails = block.holds[:, at].tolist(), block.fails[:, at].tolist()
    literals = [
        _Literal(*_written(shape, cells, judge.known.values), *ticks)
        for shape, *ticks in zip(of_row, holds, fails, strict=True)
    ]
    return _in_order(literals)


_Keyed = TypeVar("_Keyed", _Literal, _View)


def _in_order(found: list[_Keyed]) -> list[_Keyed]:
    """Literals or views sorted, and of those that are alike the first one."""
    if len(found) < 2:
        return found
    return [next(alike) for _, alike in groupby(sorted(found, key=_BY_KEY), _BY_KEY)]


def _written(shape: Shape, cells: Mapping[str, int], values: Values) -> tuple[_Key, str]:
    """A literal with the values of a row in its blanks, and what it is sorted by."""
    opening = [_filled(part, cells, values) for part in shape.opening]
    closing = [_filled(part, cells, values) for part in shape.closing]
    time = shape.time
    tick = time.offset if time.variable is None or not shape.known else cells[time.variable] + time.offset
    text = str(tick) if shape.known else time_text(time)
    key = (not shape.known, tick, "" if shape.known else text), opening, closing
    return key, "".join([*opening, text, *closing])


def _filled(part: Part, cells: Mapping[str, int], values: Values) -> str:
    if isinstance(part, str):
        return part
    return part.before + _said(part, cells[part.variable], values) + part.after


def _said(blank: Blank, cell: int, values: Values) -> str:
    match blank.as_:
        case As.TICK:
            return str(cell + int(blank.offset))
        case As.NUMBER:
            return value_text(values.number(cell) + blank.offset)
        case As.VALUE:
            # All others have the name of their variable.
            return blank.variable if cell == OTHERS else values.text(cell)
