"""Literals of derivations as texts in the language's own syntax.

A literal of a pattern has a *template*, with blanks for the values of rows: the same for all rows that bind
the same variables, and so found once.

    A(X, V, T+1), V > W, where rows bind X, T and W     `A(`, X and `, `, `V, `    T+1    `) where V > `, W

A text is made once, however many rows have it: `antelog/engine/step/text_order.py` numbers them.

    Temp(X, high, T+1) with X = wt2, T = 0: `Temp(wt2, high, 1)`, after `Wind(wt2, 0)`
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.compile.literals import Comparison, Negation
from antelog.compile.literals.literal import Literal
from antelog.compile.literals.terms import (
    Calculated,
    Const,
    Operand,
    Term,
    Time,
    Var,
    operand_text,
    time_text,
    variables_in,
)
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.tables import Column, inverse, numbered
from antelog.engine.step.derivations import Derivations
from antelog.engine.step.rows import Rows, cells_of
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values
from antelog.language.printer import value_text
from antelog.lines import LITERAL

Bound: TypeAlias = frozenset[str]
"""The variables that rows have values for."""


@dataclass(frozen=True)
class Blank:
    """A place where each row has its own text: what an operand is there, between two texts."""

    operand: Operand
    before: str = ""
    after: str = ""

    def between(self, before: str, after: str) -> Blank:
        return Blank(self.operand, before + self.before, self.after + after)


Part: TypeAlias = str | Blank


@dataclass(frozen=True, eq=False)
class LiteralTemplate:
    """A literal: what it says up to its time, the time, and what comes after that.

    A time is `known` if rows bind its variable, or it has none.
    """

    opening: tuple[Part, ...]
    time: Time
    known: bool
    closing: tuple[Part, ...]

    @property
    def ranged(self) -> bool:
        """Whether the time is the last of a range."""
        *_, last = self.opening
        return (last if isinstance(last, str) else last.after).endswith("..")


COMMA = ", "


@lru_cache(maxsize=1024)
def templates(prepared: Prepared, bound: Bound) -> tuple[LiteralTemplate, ...]:
    """The templates of a pattern's literals, for rows that bind these variables."""
    return tuple(_template(prepared, literal.node, bound) for literal in prepared.literals)


def _template(prepared: Prepared, literal: Literal, bound: Bound) -> LiteralTemplate:
    before, time, after = literal.around_with(bound)
    known = time.variable is None or time.variable in bound
    opening, closing = _pieces(before, bound), _closing(prepared, literal, after, bound)
    return LiteralTemplate(tuple(opening), time, known, tuple(closing))


def _pieces(parts: Iterable[str | Operand], bound: Bound) -> list[Part]:
    """A text, and then each operand, or `_`, with the text that follows it."""
    pieces: list[Part] = []
    for part in _as_known(parts, bound):
        if not isinstance(part, str):
            pieces.append(_operand(part, bound))
        elif part == "_" or not pieces:
            pieces.append(part)
        else:
            pieces[-1] = _between("", pieces[-1], part)
    return pieces


def _as_known(parts: Iterable[str | Operand], bound: Bound) -> Iterator[str | Operand]:
    """Texts and operands, with calculations in parts that are worked out as far as they have values."""
    for part in parts:
        if isinstance(part, Calculated) and (part.has_inner or not part.variables <= bound):
            yield from _as_known(part.parts, bound)
        else:
            yield part


def _operand(operand: Operand, bound: Bound) -> Part:
    names = variables_in([operand])
    worked_out = names or isinstance(operand, Calculated)
    return Blank(operand) if worked_out and names <= bound else operand_text(operand)


def _between(before: str, part: Part, after: str) -> Part:
    return before + part + after if isinstance(part, str) else part.between(before, after)


def _closing(
    prepared: Prepared, literal: Literal, after: Sequence[str | Operand], bound: Bound
) -> Iterator[Part]:
    """The end of a text, and the conditions that are still open: what a fact has to meet besides."""
    end = _pieces(after, bound)
    pattern = prepared.pattern
    open_names = pattern.leading_to(literal.variables - bound)
    tests = sorted(prepared.tests(bound), key=lambda test: not isinstance(test, Comparison))
    conditions = [_pieces(test.parts, bound) for test in tests if test.variables & open_names]
    if not conditions:
        yield from end
        return
    *before, last = end
    yield from before
    opening = _between("", last, " where ")
    for condition in conditions:
        if len(condition) == 2 and isinstance(condition[0], str):
            condition[:] = [_between(condition[0], condition[1], "")]
        if condition is conditions[0] and isinstance(opening, str):
            condition[0] = _between(opening, condition[0], "")
        elif condition is conditions[0]:
            yield opening
        if condition is not conditions[-1]:
            condition[-1] = _between("", condition[-1], COMMA)
        yield from condition


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece of a text in each row: `which` of a few it is, or the same everywhere."""

    names: pa.Array | str
    which: Column | None = None


@dataclass(frozen=True, eq=False)
class Word:
    """An argument in each row: a value, and a comma. It need not become a `piece` if all are words."""

    cells: Column
    values: Values
    piece: Callable[[], Piece]


@dataclass(frozen=True, eq=False)
class TickText:
    """A time in each row: `which` of some ticks it is, and by how much it is later."""

    ticks: Column
    which: Column
    offset: int


Argument: TypeAlias = Piece | Word


@dataclass(frozen=True, eq=False)
class Text:
    """A literal in each row: what it says up to its time, the time, and what comes after that.

    A time that is still open is the same in all rows. It may be the last of a range.
    """

    opening: list[Argument]
    time: TickText | Time
    closing: list[Argument]
    ranged: bool = False

    @property
    def sorted_opening(self) -> list[Argument]:
        """The opening, and the time as it is compared with the beginning of a range."""
        if isinstance(self.time, Time):
            return [*self.opening, Piece(time_text(self.time) + CLOSED)]
        ticks = pc.cast(pa.array(self.time.ticks + self.time.offset), pa.string())
        return [*self.opening, Piece(pc.binary_join_element_wise(ticks, CLOSED, ""), self.time.which)]


CLOSED = ")"


class Writer:
    """Cuts the literals of some rows of a block into pieces; what they share is looked up once."""

    def __init__(self, block: Derivations, rows: Rows, values: Values) -> None:
        self._prepared, self._rows, self._values = block.prepared, rows, values
        self._templates = templates(block.prepared, frozenset(rows.bound))
        self._different: dict[str, tuple[Column, Column]] = {}
        self._pieces: dict[Blank, Piece] = {}

    @property
    def literals(self) -> int:
        """The number of literals of the pattern."""
        return len(self._templates)

    def texts(self) -> list[Text]:
        return [self._text(template) for template in self._templates]

    def structs(self, place: int, rows: Column) -> pa.StructArray:
        """The literal at a place of the pattern in some rows, as `LITERAL` has it, without its text."""
        node, count = self._prepared.literals[place].node, len(rows)
        about, every = node.references[0], pa.array(np.zeros(count, np.int64))
        columns = [self._argument_texts(each, rows) for each in about.arguments]
        by_row = np.arange(len(columns) * count).reshape(len(columns), count).T.ravel()
        arguments = pa.concat_arrays([pa.array([], pa.string()), *columns]).take(pa.array(by_row))
        offsets = pa.array(np.arange(count + 1, dtype=np.int32) * np.int32(len(columns)))
        return pa.StructArray.from_arrays(
            [
                pa.array([about.predicate]).take(every),
                pa.array([isinstance(node, Negation)]).take(every),
                pa.ListArray.from_arrays(offsets, arguments),
                self._ticks(about.first if self._templates[place].ranged else about.last, rows),
                self._ticks(about.last, rows),
            ],
            fields=[*LITERAL][1:],
        )

    def _argument_texts(self, term: Term | None, rows: Column) -> pa.Array:
        if isinstance(term, Const):
            return pa.array([value_text(term.value)]).take(pa.array(np.zeros(len(rows), np.int64)))
        if term is None or term.name not in self._rows.bound:
            return pa.nulls(len(rows), pa.string())
        cells = self._rows.bound[term.name].take(rows)
        return pc.if_else(pa.array(cells == OTHERS), None, self._values.texts(cells))

    def _ticks(self, time: Time, rows: Column) -> pa.Array:
        known = None if time.variable is None else self._rows.bound.get(time.variable)
        if time.variable is not None and known is None:
            return pa.nulls(len(rows), pa.int64())
        ticks = np.full(len(rows), time.offset) if known is None else known.take(rows) + time.offset
        return pa.array(ticks, mask=ticks < 0)

    def _text(self, template: LiteralTemplate) -> Text:
        opening: list[Argument] = [
            Piece(p) if isinstance(p, str) else self._argument(p) for p in template.opening
        ]
        closing: list[Argument] = [
            Piece(p) if isinstance(p, str) else self._piece(p) for p in template.closing
        ]
        return Text(opening, self._time(template), closing, template.ranged)

    def _argument(self, blank: Blank) -> Argument:
        if not isinstance(blank.operand, Var):
            return self._piece(blank)
        return Word(self._rows.bound[blank.operand.name], self._values, partial(self._piece, blank))

    def _piece(self, blank: Blank) -> Piece:
        if blank not in self._pieces:
            filled, which = self._filled(blank.operand)
            names = pc.binary_join_element_wise(blank.before, filled, blank.after, "")
            self._pieces[blank] = Piece(names, which)
        return self._pieces[blank]

    def _filled(self, operand: Operand) -> tuple[pa.Array, Column]:
        """The different texts that an operand has, and for each row which of them."""
        match operand:
            case Time(str(variable), offset):
                ticks, which = self._numbered(variable)
                return pc.cast(pa.array(ticks + offset), pa.string()), which
            case Var(name):
                cells, which = self._numbered(name)
                texts, others = self._values.texts(cells), cells == OTHERS
                # All others have the name of their variable.
                return (pc.if_else(pa.array(others), name, texts) if others.any() else texts), which
            case _:
                found = cells_of(operand, self._rows.bound, self._values)
                cells, which = numbered(np.broadcast_to(found, self._rows.count))
                return self._values.texts(cells), which

    def _time(self, template: LiteralTemplate) -> TickText | Time:
        time = template.time
        if not template.known:
            return time
        if time.variable is None:
            return TickText(np.array([time.offset]), np.zeros(self._rows.count, np.int64), 0)
        return TickText(*self._numbered(time.variable), time.offset)

    def _numbered(self, variable: str) -> tuple[Column, Column]:
        if variable not in self._different:
            self._different[variable] = numbered(self._rows.bound[variable])
        return self._different[variable]


def as_structs(writers: Sequence[Writer], numbers: Sequence[Column], names: pa.Array) -> pa.StructArray:
    """The literals of some writers as structs, by the number of their text among the names."""
    _, first = np.unique(np.concatenate(numbers), return_index=True)
    order = np.argsort(first)
    at, begin, parts = first.take(order), 0, list[pa.StructArray]()
    literals = ((writer, place) for writer in writers for place in range(writer.literals))
    for (writer, place), each in zip(literals, numbers, strict=True):
        end = begin + len(each)
        parts.append(writer.structs(place, at[(begin <= at) & (at < end)] - begin))
        begin = end
    about = pa.concat_arrays(parts).take(pa.array(inverse(order)))
    return pa.StructArray.from_arrays([names, *about.flatten()], fields=[*LITERAL])
