"""Literals of derivations as texts in the language's own syntax, sorted by time, then text.

    A(X, V, T+1), V > W, where rows bind X, T and W     `A(`, X and `, `, `V, `    T+1    `) where V > `, W

Such a *template* is the same for all rows that bind the same variables. Until a text is made it is a number,
of the ranks of its time and its pieces, none of which begins with another. Where a range begins in another
text, `0..` before 2, the time itself stands in that place to sort by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate, chain, zip_longest
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.compile.literals import Comparison, Negation, terms
from antelog.compile.literals.literal import Literal
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.tables import ROOM, Column, inverse, numbered
from antelog.engine.step.derivations import Derivations
from antelog.engine.step.rows import Rows, cells_of
from antelog.engine.values.decoding import in_pieces, sorted_by_arrow
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values
from antelog.language.printer import value_text
from antelog.lines import LITERAL

Bound: TypeAlias = frozenset[str]  # the variables that rows have values for


@dataclass(frozen=True)
class Blank:
    """The text of an operand in each row, between two fixed texts."""

    operand: terms.Operand
    before: str = ""
    after: str = ""


Part: TypeAlias = str | Blank


@dataclass(frozen=True, eq=False)
class LiteralTemplate:
    """The parts of a literal before its time, the time, and the parts after it."""

    opening: tuple[Part, ...]
    time: terms.Time
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
    found = list[LiteralTemplate]()
    for node in (literal.node for literal in prepared.literals):
        before, time, after = node.around_with(bound)
        opening, closing = _pieces(before, bound), _closing(prepared, node, after, bound)
        found.append(LiteralTemplate(tuple(opening), time, tuple(closing)))
    return tuple(found)


def _pieces(parts: Iterable[str | terms.Operand], bound: Bound) -> list[Part]:
    """A text, and then each operand, or `_`, with the text that follows it."""
    pieces: list[Part] = []
    for part in _as_known(parts, bound):
        if not isinstance(part, str):
            names = terms.variables_in([part])
            filled = names <= bound and (names or isinstance(part, terms.Calculated))
            pieces.append(Blank(part) if filled else terms.operand_text(part))
        elif part == "_" or not pieces:
            pieces.append(part)
        else:
            pieces[-1] = _between("", pieces[-1], part)
    return pieces


def _as_known(parts: Iterable[str | terms.Operand], bound: Bound) -> Iterator[str | terms.Operand]:
    """Texts and operands; calculations with open variables are cut into their parts."""
    for part in parts:
        if isinstance(part, terms.Calculated) and (part.has_inner or not part.variables <= bound):
            yield from _as_known(part.parts, bound)
        else:
            yield part


def _between(before: str, part: Part, after: str) -> Part:
    if isinstance(part, str):
        return before + part + after
    return Blank(part.operand, before + part.before, part.after + after)


def _closing(
    prepared: Prepared, literal: Literal, after: Sequence[str | terms.Operand], bound: Bound
) -> list[Part]:
    """The end of a text, and the open conditions that a fact has to meet besides."""
    pieces = _pieces(after, bound)
    open_names = prepared.pattern.leading_to(literal.variables - bound)
    tests = sorted(prepared.tests(bound), key=lambda test: not isinstance(test, Comparison))
    conditions = (_pieces(test.parts, bound) for test in tests if test.variables & open_names)
    for number, condition in enumerate(conditions):
        if len(condition) == 2 and isinstance(condition[0], str):
            condition[:] = [_between(condition[0], condition[1], "")]
        end = _between("", pieces.pop(), COMMA if number else " where ")
        if number == 0 and isinstance(end, str):
            condition[0] = _between(end, condition[0], "")
        else:
            pieces.append(end)
        pieces += condition
    return pieces


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
    """A time in each row: `which` of some ticks it is, plus an offset."""

    ticks: Column
    which: Column
    offset: int


Argument: TypeAlias = Piece | Word


@dataclass(frozen=True, eq=False)
class Text:
    """A literal in each row: what is before its time, the time (an open one is the same in all), the rest."""

    opening: list[Argument]
    time: TickText | terms.Time
    closing: list[Argument]
    ranged: bool = False

    @property
    def sorted_opening(self) -> list[Argument]:
        """The opening, and the time as it is compared with the beginning of a range."""
        if isinstance(self.time, terms.Time):
            return [*self.opening, Piece(terms.time_text(self.time) + CLOSED)]
        ticks = pc.cast(pa.array(self.time.ticks + self.time.offset), pa.string())
        return [*self.opening, Piece(pc.binary_join_element_wise(ticks, CLOSED, ""), self.time.which)]


CLOSED = ")"


class Writer:
    """Cuts the literals of some rows of a block into pieces; what they share is looked up once."""

    def __init__(self, block: Derivations, rows: Rows, values: Values) -> None:
        self._prepared, self._rows, self._values = block.prepared, rows, values
        self.templates = templates(block.prepared, frozenset(rows.bound))
        self._different: dict[str, tuple[Column, Column]] = {}
        self._pieces: dict[Blank, Piece] = {}

    def texts(self) -> list[Text]:
        return [self._text(template) for template in self.templates]

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
                self._ticks(about.first if self.templates[place].ranged else about.last, rows),
                self._ticks(about.last, rows),
            ],
            fields=[*LITERAL][1:],
        )

    def _argument_texts(self, term: terms.AnswerTerm | None, rows: Column) -> pa.Array:
        if isinstance(term, terms.Time):
            return self._ticks(term, rows).cast(pa.string())
        if isinstance(term, terms.Const):
            return pa.array([value_text(term.value)]).take(pa.array(np.zeros(len(rows), np.int64)))
        if term is None or term.name not in self._rows.bound:
            return pa.nulls(len(rows), pa.string())
        cells = self._rows.bound[term.name].take(rows)
        return pc.if_else(pa.array(cells == OTHERS), None, self._values.texts(cells))

    def _ticks(self, time: terms.Time, rows: Column) -> pa.Array:
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
        if not isinstance(blank.operand, terms.Var):
            return self._piece(blank)
        return Word(self._rows.bound[blank.operand.name], self._values, partial(self._piece, blank))

    def _piece(self, blank: Blank) -> Piece:
        if blank not in self._pieces:
            filled, which = self._filled(blank.operand)
            names = pc.binary_join_element_wise(blank.before, filled, blank.after, "")
            self._pieces[blank] = Piece(names, which)
        return self._pieces[blank]

    def _filled(self, operand: terms.Operand) -> tuple[pa.Array, Column]:
        """The different texts that an operand has, and for each row which of them."""
        match operand:
            case terms.Time(str(variable), offset):
                ticks, which = self._numbered(variable)
                return pc.cast(pa.array(ticks + offset), pa.string()), which
            case terms.Var(name):
                cells, which = self._numbered(name)
                texts, others = self._values.texts(cells), cells == OTHERS
                # All others have the name of their variable.
                return (pc.if_else(pa.array(others), name, texts) if others.any() else texts), which
            case _:
                found = cells_of(operand, self._rows.bound, self._values)
                cells, which = numbered(np.broadcast_to(found, self._rows.count))
                return self._values.texts(cells), which

    def _time(self, template: LiteralTemplate) -> TickText | terms.Time:
        time = template.time
        if time.variable is None:
            return TickText(np.array([time.offset]), np.zeros(self._rows.count, np.int64), 0)
        if time.variable not in self._rows.bound:
            return time
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
    literals = ((writer, place) for writer in writers for place in range(len(writer.templates)))
    for (writer, place), each in zip(literals, numbers, strict=True):
        end = begin + len(each)
        parts.append(writer.structs(place, at[(begin <= at) & (at < end)] - begin))
        begin = end
    about = pa.concat_arrays(parts).take(pa.array(inverse(order)))
    return pa.StructArray.from_arrays([names, *about.flatten()], fields=[*LITERAL])


_END = Piece("")


def numbered_texts(texts: Sequence[Text], counts: Sequence[int]) -> tuple[list[Column], pa.Array]:
    """Numbers for columns of literals, which sort by time, then text, and the texts they stand for."""
    keys = [np.zeros(count, np.int64) for count in counts]
    size = 1
    steps: list[tuple[pa.Array, Column | None]] = []
    ranged = any(text.ranged for text in texts)
    opened = (text.sorted_opening if ranged else text.opening for text in texts)
    openings = [*zip_longest(*opened, fillvalue=_END)]
    closings = zip_longest(*(text.closing for text in texts), fillvalue=_END)
    times = _ranked_times([text.time for text in texts])
    for place, given in enumerate(chain([times], map(_ranked, chain(openings, closings)))):
        names, ranks = _tight(*given)
        shown = names
        if ranged and 0 < place <= len(openings):
            # Without names that only sort: nothing else in an opening ends with a bracket.
            shown = pc.if_else(pc.ends_with(names, CLOSED), "", names)
        if size > ROOM // len(names):
            values, keys = _renumbered(keys)
            steps.append((None, values))
            size = len(values)
        steps.append((shown, None))
        if len(names) > 1:
            keys = _appended(keys, len(names), ranks) if size > 1 else _spread(ranks, counts)
            size *= len(names)
    rest, keys = _renumbered(keys)
    written: list[tuple[pa.Array, Column | None]] = []
    for names, values in reversed(steps):
        if values is not None:
            rest = values.take(rest)
        elif len(names) == 1:
            written.append((names, None))
        else:
            before = rest // len(names)  # twice as fast as `divmod`
            written.append((names, rest - before * len(names)))
            rest = before
    time, *around = written[::-1]
    return keys, in_pieces([*around[: len(openings)], time, *around[len(openings) :]], len(rest))


def _tight(names: pa.Array, ranks: Sequence[Column | int]) -> tuple[pa.Array, Sequence[Column | int]]:
    """The names and ranks; of many names, those from the first to the last that occur."""
    if len(names) < 4096:  # then it costs more than it saves
        return names, ranks
    different = {id(rank): rank for rank in ranks if isinstance(rank, int) or len(rank)}.values()
    first = min((int(np.min(rank)) for rank in different), default=0)
    last = max((int(np.max(rank)) for rank in different), default=0)
    less = {id(rank): rank - first for rank in ranks}
    return names[first : last + 1], [less[id(rank)] for rank in ranks]


def _appended(keys: Sequence[Column], count: int, ranks: Sequence[Column | int]) -> list[Column]:
    """Keys for texts followed by one of `count` further texts."""
    # Several literals often begin alike, and then have the same keys, and the same ranks.
    made: dict[tuple[int, int], Column] = {}
    for key, rank in zip(keys, ranks, strict=True):
        if (id(key), id(rank)) not in made:
            made[id(key), id(rank)] = key * count + rank
    return [made[id(key), id(rank)] for key, rank in zip(keys, ranks, strict=True)]


def _spread(ranks: Sequence[Column | int], counts: Sequence[int]) -> list[Column]:
    """Ranks as keys; a single one is that of all rows."""
    return [
        np.full(count, rank) if isinstance(rank, int) else rank
        for rank, count in zip(ranks, counts, strict=True)
    ]


def _ranked(given: Sequence[Argument]) -> tuple[pa.Array, Sequence[Column | int]]:
    """The different texts of pieces, sorted, and for each piece which of them its rows have."""
    fixed = [part.names for part in given if isinstance(part, Piece) and isinstance(part.names, str)]
    if len(fixed) == len(given) and len(set(fixed)) == 1:
        return pa.array(fixed[:1]), [0] * len(given)
    words = [part for part in given if isinstance(part, Word)]
    if words and len(words) + len(fixed) == len(given):
        others = tuple(sorted(set(fixed)))
        known = words[0].values.ranked([word.cells for word in words], COMMA, others)
        if known is not None:
            names, found, rank_of = known
            places = iter(found)
            return names, [rank_of[p.names] if isinstance(p, Piece) else next(places) for p in given]
    pieces = [part if isinstance(part, Piece) else part.piece() for part in given]
    texts = sorted(set(fixed))
    # What has been looked up once for several literals is one object.
    arrays = {id(piece.names): piece.names for piece in pieces if not isinstance(piece.names, str)}
    whole = pa.concat_arrays([pa.array(texts, pa.string()), *arrays.values()])
    names, ranks = whole, np.arange(len(whole))
    if arrays:
        names, ranks = sorted_by_arrow(whole)
    rank_of = dict(zip(texts, ranks.tolist(), strict=False))
    ends = accumulate(map(len, arrays.values()), initial=len(texts))
    ranks_of = {key: ranks[end:] for key, end in zip(arrays, ends, strict=False)}
    return names, [
        rank_of[piece.names] if piece.which is None else ranks_of[id(piece.names)].take(piece.which)
        for piece in pieces
    ]


def _ranked_times(times: Sequence[TickText | terms.Time]) -> tuple[pa.Array, list[Column | int]]:
    """The texts of times (ticks, then open times by offset and name), and which of them each time has."""
    ticks, ranks = _ranked_ticks([time for time in times if isinstance(time, TickText)])
    open_ = {(time.offset, terms.time_text(time)) for time in times if isinstance(time, terms.Time)}
    place = {text: at for at, (_, text) in enumerate(sorted(open_), len(ticks))}
    names = pa.concat_arrays([pc.cast(pa.array(ticks), pa.string()), pa.array(place, pa.string())])
    known = iter(ranks)
    return names, [
        place[terms.time_text(time)] if isinstance(time, terms.Time) else next(known) for time in times
    ]


def _ranked_ticks(times: Sequence[TickText]) -> tuple[Column, list[Column]]:
    """The different ticks, in order, and for each time which of them its rows have."""
    there = [time for time in times if len(time.ticks)]
    if not there:
        return np.zeros(0, np.int64), [time.which for time in times]
    least = min(int(time.ticks[0]) + time.offset for time in there)
    most = max(int(time.ticks[-1]) + time.offset for time in there)
    dense = all(int(time.ticks[-1] - time.ticks[0]) < len(time.ticks) for time in there)
    if dense and most - least <= 2 * sum(len(time.ticks) for time in there):
        # The ticks of each have no gap, so that numbers which count them are at hand.
        return np.arange(least, most + 1), [
            time.which + (int(time.ticks[0]) + time.offset - least) if len(time.ticks) else time.which
            for time in times
        ]
    different, at = numbered(np.concatenate([time.ticks + time.offset for time in times]))
    split = _split(at, [len(time.ticks) for time in times])
    return different, [rank.take(time.which) for rank, time in zip(split, times, strict=True)]


def _split(column: Column, sizes: Sequence[int]) -> list[Column]:
    return np.split(column, list(accumulate(sizes))[:-1])


def _renumbered(keys: Sequence[Column]) -> tuple[Column, list[Column]]:
    """The different keys, sorted, and their positions there in place of the keys."""
    values, which = numbered(np.concatenate(keys))
    return values, _split(which, [len(key) for key in keys])
