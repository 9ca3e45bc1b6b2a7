"""Few lines, one by one: what `changes` and `explaining` tell of many, said in the plainest way.

In come moments, the kinds of changes and what is known ahead, out go the same columns. A step with one fact
tells two or three lines, and there this takes less than a third of the time.

    a derivation at tick 1: evidence ["Temp(wt2, high, 0)"], hypotheses ["Temp(wt2, high, 1)"]
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, TypeAlias, TypeVar

import pyarrow as pa

from antelog.compile.literals.terms import time_text
from antelog.engine.answers.lives import Lives
from antelog.engine.answers.moments import views_of
from antelog.engine.columns import few
from antelog.engine.columns.tables import Column
from antelog.engine.facts.ticks import LAST
from antelog.engine.log.outlook import Outlook
from antelog.engine.log.schema import AFTER_ANSWER
from antelog.engine.log.shapes import As, Blank, Shape, shapes
from antelog.engine.log.told import CONFIRM, KINDS, REJECT, REVISED, Kinds, Told
from antelog.engine.truth.atoms import Judge
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values
from antelog.language.printer import value_text

_Key: TypeAlias = tuple[tuple[bool, int, str], str]
"""By what literals are in order: by time, open times last, and then by their text."""


class _Literal(NamedTuple):
    """A literal of a derivation, when it is true, and when false."""

    key: _Key
    holds: int
    fails: int

    @property
    def text(self) -> str:
        return self.key[1]


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


_AROUND = pa.struct([("tick", pa.int64()), ("change", pa.string()), *AFTER_ANSWER.items()])


def few_columns(
    judge: Judge, told: Told, moment: Column, kind: Kinds, ahead: Outlook
) -> list[pa.Array] | None:
    """See `changes.columns_around`; None if there are too many explanations."""
    line, view = views_of(told.at, told.kept, moment - (kind == REJECT))
    if len(line) > few.FEW:
        return None
    views = _views(judge, told, line, view, len(moment))
    known = (column.tolist() for column in (ahead.confirmed, ahead.tick, ahead.decided))
    outlooks = zip(*known, strict=True)
    lines = []
    for own, tick, change in zip(views, told.at.tick.take(moment).tolist(), kind.tolist(), strict=True):
        silent, decided = _silence(*next(outlooks)) if change <= REVISED else (None, None)
        because = _failed(own, tick) if change == REJECT else None
        lines.append((tick, KINDS[change], [each.texts for each in own], silent, decided, because))
    # One call for all columns: each takes Arrow as long as all that was done here.
    columns: list[pa.Array] = pa.array(lines, _AROUND).flatten()
    return columns


def _silence(confirmed: bool, tick: int, decided: int) -> tuple[tuple[str, int] | None, int | None]:
    """What becomes of an open answer in silence, and by when it is decided; None if never."""
    then = (KINDS[CONFIRM if confirmed else REJECT], tick)
    return then if tick <= LAST else None, decided if decided <= LAST else None


def _views(judge: Judge, told: Told, line: Column, view: Column, count: int) -> list[list[_View]]:
    """For each of so many lines what is told in it, each once: two patterns may say the same."""
    found: list[list[_View]] = [[] for _ in range(count)]
    row, then = told.at.view_of.take(view), told.at.then.take(view)
    derivations: dict[int, list[_Literal]] = {}
    for i, each, tick in zip(line.tolist(), row.tolist(), then.tolist(), strict=True):
        if each not in derivations:
            derivations[each] = _derivation(judge, told.found, each)
        literals = derivations[each]
        true = [literal for literal in literals if literal.holds <= tick]
        found[i].append(_View(true, [literal for literal in literals if literal.holds > tick]))
    return [_in_order(several) for several in found]


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
        _Literal(_written(shape, cells, judge.known.values), *ticks)
        for shape, *ticks in zip(of_row, holds, fails, strict=True)
    ]
    return _in_order(literals)


_Keyed = TypeVar("_Keyed", _Literal, _View)


def _in_order(found: list[_Keyed]) -> list[_Keyed]:
    """Literals or views sorted, and of those that are alike the first one."""
    if len(found) < 2:
        return found
    return [next(alike) for _, alike in groupby(sorted(found, key=_BY_KEY), _BY_KEY)]


def _written(shape: Shape, cells: Mapping[str, int], values: Values) -> _Key:
    """A literal with the values of a row in its blanks."""
    time = shape.time
    if shape.known:
        tick = time.offset if time.variable is None else cells[time.variable] + time.offset
        when, said = (False, tick, ""), str(tick)
    else:
        said = time_text(time)
        when = (True, time.offset, said)
    parts = [*shape.opening, said, *shape.closing]
    return when, "".join([p if isinstance(p, str) else _filled(p, cells, values) for p in parts])


def _filled(blank: Blank, cells: Mapping[str, int], values: Values) -> str:
    return blank.before + _said(blank, cells[blank.variable], values) + blank.after


def _said(blank: Blank, cell: int, values: Values) -> str:
    match blank.as_:
        case As.TICK:
            return str(cell + int(blank.offset))
        case As.NUMBER:
            return value_text(values.number(cell) + blank.offset)
        case As.VALUE:
            # All others have the name of their variable.
            return blank.variable if cell == OTHERS else values.text(cell)
