"""Matches the columns of a file with the wanted ones, and says which `--map` helps where it has others."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.arrow.ticks import InTicks
from antelog.errors import DataError
from antelog.files.cells import looks_like_time
from antelog.language.checks.suggestions import did_you_mean, similar
from antelog.language.epochs import TICKLESS, TICKS, Counting

DEFAULT_ARRIVAL = "arrival"  # the files' name of the column of arrivals, unless a user gives another
ARRIVAL = InTicks("the arrival")  # the column of arrivals in tables; no predicate can have it

_UNNAMED = re.compile("c[0-9]+")  # names of columns of predicates that are not declared
LINE = "the line"  # the name of the column of the lines in files that rows are from
ROW = "@row"  # the name to which the column of a row's place is mapped: `readings.csv:17`
NUMBER = "@number"  # the name to which the column of a row's number in its input is mapped: 1, 2, 3, …


@dataclass(frozen=True)
class RowColumn:
    """A column, by its position, that has the places of rows, or their numbers."""

    position: int
    name: str
    is_number: bool


@dataclass(frozen=True)
class WantedColumns:
    """The columns a file is read for: of an input, the last being its time, or of a static predicate."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str | None, ...]  # without that of the time
    arrival: str = DEFAULT_ARRIVAL  # as the file calls it
    counting: Counting = TICKLESS
    called: tuple[tuple[str, str], ...] = ()  # columns with the names that the file has for them
    must_arrive: bool = False
    slot: tuple[str, ...] | None = None  # the columns of `one per` (None: all)
    of_rows: tuple[RowColumn, ...] = ()  # that say where rows were read; the time may be one

    @property
    def timed(self) -> bool:
        return len(self.columns) > len(self.types)

    @property
    def time_of_rows(self) -> str | None:
        """The column of times if these are the numbers of rows, and none is read."""
        return self.of_rows[-1].name if self.of_rows and not self.timed else None

    @property
    def time(self) -> str:
        return self.time_of_rows or self.columns[-1]

    @property
    def known(self) -> list[str]:
        """The columns, and that of arrivals, unless there is none or a column has its name."""
        arrives = self.timed and self.arrival not in self.columns
        return [*self.columns, *([self.arrival] if arrives else [])]

    @property
    def value_types(self) -> tuple[str | None, ...]:
        """The types of values: those of a column of ticks are numbers."""
        return tuple("number" if type_ == TICKS else type_ for type_ in self.types)

    @property
    def declared(self) -> bool:
        """Whether its columns have names, and not only numbers as those of an undeclared input."""
        objects = self.columns[:-1] if self.timed else self.columns
        return not objects or not all(map(_UNNAMED.fullmatch, objects))

    @property
    def required(self) -> list[str]:
        """The names that each record must have, as its source calls them."""
        columns = [*self.columns, *([self.arrival] if self.must_arrive else [])]
        return [dict(self.called).get(column, column) for column in columns]

    def with_places(self, table: pa.Table, file: str, before: int) -> pa.Table:
        """Adds the columns with places or numbers of rows; `before` says how many were read earlier."""
        for each in self.of_rows:
            lines = pc.cast(table.column(LINE), pa.string())
            values = pc.binary_join_element_wise(pa.scalar(file), lines, ":")
            if each.is_number:
                values = pa.array(np.arange(before + 1, before + 1 + table.num_rows))
            table = table.add_column(each.position, each.name, values)
        return table

    def shown(self, column: str) -> str:
        """A column in messages: with its name in the file, if that is another."""
        name = dict(self.called).get(column, column)
        return column if name == column else f"{column} ({name})"


@dataclass(frozen=True)
class ColumnPositions:
    """The positions of the wanted columns and of the arrival; `misfit` is the error if values do not fit."""

    columns: tuple[int, ...]
    arrival: int | None
    named: bool
    misfit: str = ""

    @property
    def all(self) -> tuple[int, ...]:
        return self.columns if self.arrival is None else (*self.columns, self.arrival)

    def names(self, given: Sequence[str]) -> tuple[str, ...]:
        """The names of the wanted columns and of the arrival, among all names of a row."""
        return tuple(given[i] for i in self.all)


def mapped(wanted: WantedColumns, maps: Mapping[str, str]) -> WantedColumns:
    """The wanted columns, with the files' names for them by `P.column` or `column` in `maps`."""
    called = {
        column: maps[key]
        for column in wanted.known
        for key in (column, f"{wanted.name}.{column}")
        if key in maps
    }
    of_rows = tuple(
        RowColumn(i, name, called[name] == NUMBER)
        for i, name in enumerate(wanted.columns)
        if called.get(name) in (ROW, NUMBER)
    )
    names = [each.name for each in of_rows]
    kept = [i for i, name in enumerate(wanted.columns) if name not in names]
    return replace(
        wanted,
        columns=tuple(wanted.columns[i] for i in kept),
        types=tuple(wanted.types[i] for i in kept if i < len(wanted.types)),
        called=tuple(each for each in called.items() if each[0] not in names),
        of_rows=of_rows,
    )


def places(
    wanted: WantedColumns, names: Sequence[str], file: str, inner: Iterable[str] = (), *, whole: bool = True
) -> ColumnPositions:
    """The positions of the wanted columns. Raises DataError if they cannot be found.

    By name, if the file has them all; by position if it has none of them nor any with a similar name, but as
    many, or one more, the arrival. If it is not a `whole` file but goes on, only an undeclared input has its
    columns by position. `inner` are the paths of fields within fields, for errors.
    """
    inner, given = list(inner), names
    names = _as_called(wanted, given, file, inner)
    known = wanted.known
    for name in known:
        if names.count(name) > 1:
            raise DataError(f"{file}: has several columns {name}")
    at = {name: names.index(name) for name in known if name in names}
    free = [name for name in known if name not in at]
    missing, misfit = [name for name in wanted.columns if name not in at], ""
    if missing:
        misfit = f"{file}: {no_columns(wanted.name, wanted.columns, missing, given, inner)}"
        came = arrivals_of(given, inner) if wanted.arrival in free else None
        if came is not None:
            remedy = shlex.quote(f"{wanted.name}.{wanted.arrival}={came}")
            misfit += f". If {came} is when rows arrived, add --map {remedy}"
        others = [i for i, name in enumerate(names) if name not in at]
        near = any(similar(names[i], free) for i in others)
        # The columns of an input that is not declared have no names, but for its time.
        named = wanted.declared and len(wanted.columns) > 1
        partly = bool(at) if named else any(name in at for name in wanted.columns[:-1])
        if near or partly or not len(missing) <= len(others) <= len(free):
            raise DataError(_nameless(wanted, given, file) or misfit)
        if wanted.declared and not whole:
            raise DataError(misfit)
        at |= dict(zip(free, others, strict=False))
    elif wanted.arrival in free:
        # Without its arrivals a file is read as if nothing were late, so that must not come of a slip.
        slip = next((name for name in names if name not in at and similar(name, [wanted.arrival])), None)
        if slip is not None:
            raise DataError(f"{file}: {wanted.name} has no column {slip}. Did you mean {wanted.arrival}?")
    arrival = None if wanted.arrival in wanted.columns else at.get(wanted.arrival)
    if wanted.must_arrive and arrival is None:
        hint = did_you_mean(wanted.arrival, given) or f"It has {has(given)}."
        raise DataError(f"{file}: has no column {wanted.arrival} for the arrivals of {wanted.name}. {hint}")
    return ColumnPositions(tuple(at[name] for name in wanted.columns), arrival, not missing, misfit)


def _as_called(wanted: WantedColumns, names: Sequence[str], file: str, inner: Iterable[str]) -> list[str]:
    """The names of a file, with mapped ones replaced by those of the program."""
    shown = list(names)
    for column, name in wanted.called:
        if name not in names:
            hint = did_you_mean(name, _flat(names, inner)) or f"It has {has(names, inner)}."
            raise DataError(f"{file}: has no column {name}, which {column} is mapped to. {hint}")
        # A column of the name that is mapped elsewhere is not the one that is wanted.
        shown = ["" if each == column and names[i] == column else each for i, each in enumerate(shown)]
    for column, name in wanted.called:
        shown[names.index(name)] = column
    return shown


def _nameless(wanted: WantedColumns, names: Sequence[str], file: str) -> str | None:
    """Advice for a file without a header line whose columns do not match by position; None for others."""
    if not any(map(looks_like_time, names)):
        return None
    columns = ", ".join(wanted.columns)
    return (
        f"{file}: its first line has values in place of names, and there are {len(names)} columns, "
        f"so it is unclear which are those of {wanted.name}({columns}). "
        "Write a line before it with a name for each column"
    )


def by_position(wanted: WantedColumns, count: int) -> ColumnPositions | None:
    """The positions in rows of `count` values without names; None if the number does not fit."""
    width = len(wanted.columns)
    arrives = wanted.timed and count == width + 1
    if not arrives and count != width:
        return None
    return ColumnPositions(tuple(range(width)), width if arrives else None, False)


# ---- names that do not fit ----


@dataclass(eq=False)
class Advice:
    """A note on the first record whose columns seem to have other names: what it has, and what to write."""

    wanted: WantedColumns
    notes: list[str]
    given: bool = False

    def lacks(self, names: Sequence[str], file: str, line: int, inner: Iterable[str] = ()) -> None:
        few = len(names) < len(self.wanted.columns)
        if self.given or (few and not any(name in names for name in self.wanted.required)):
            return  # it says something else
        try:
            places(self.wanted, names, file, inner, whole=False)
        except DataError as error:
            self.given = True
            self.notes.append(f"{str(error).rstrip('.')}; records without them are set aside, as line {line}")


_SHOWN = 20  # names of a file that are shown, at most
_TIMES = re.compile(
    r"(^|[_.])(time|ts|at|utc|date|day|week|when|sent|epoch|nanos|millis)$|(^|[_.])time[_.]|timestamp",
    re.IGNORECASE,
)
"""Names that columns of times often have."""
_ARRIVALS = re.compile(r"(^|[_.])(received|arrived|arrival|seen|ingested)($|[_.])", re.IGNORECASE)
"""Names that columns of arrivals often have."""
_UNKNOWN = "COLUMN"  # the placeholder of a name that could not be guessed
_SHORTEST = 3  # letters of a name, at least: a shorter one is part of too many others


def has(names: Sequence[str], inner: Iterable[str] = ()) -> str:
    """The columns of a file, with the paths of inner fields in place of those around them."""
    known = _flat(names, inner)
    return ", ".join(known[:_SHOWN]) + (", …" if len(known) > _SHOWN else "") if known else "none"


def no_columns(
    owner: str, columns: Sequence[str], missing: Sequence[str], names: Sequence[str], inner: Iterable[str]
) -> str:
    """The complaint that columns of a predicate are missing, with the `--map` that names them."""
    inner = list(dict.fromkeys(inner))
    free = [name for name in _flat(names, inner) if name and name not in columns]
    many = len(missing) > 1
    said = f"has no column{'s' if many else ''} {', '.join(missing)} for {owner}({', '.join(columns)}); "
    found = _counterparts(missing, free, columns[-1])
    maps = " ".join(f"--map {shlex.quote(f'{owner}.{each}={found.get(each, _UNKNOWN)}')}" for each in missing)
    remedy = f"Say which column{'s they are' if many else ' it is'}, as in {maps}"
    filled = "" if len(found) == len(missing) else f", where {_UNKNOWN} is to be one of these"
    return f"{said}it has {has(names, inner)}. {remedy}{filled}"


def arrivals_of(names: Sequence[str], inner: Iterable[str]) -> str | None:
    """The column of a file that most likely says when its rows arrived."""
    return next((name for name in _flat(names, inner) if _ARRIVALS.search(name)), None)


def _flat(names: Sequence[str], inner: Iterable[str]) -> list[str]:
    """The names, except for fields that have others within them in some row."""
    inner = list(dict.fromkeys(inner))
    around = {path[:at] for path in inner for at, letter in enumerate(path) if letter == "."}
    return [name for name in dict.fromkeys([*names, *inner]) if name not in around]


def _counterparts(missing: Sequence[str], free: Sequence[str], last: str) -> dict[str, str]:
    """A column of the file for each missing one that it may be, the surest first; the only one left, too."""
    rules: tuple[Callable[[str, str], bool], ...] = (
        lambda column, name: name.casefold() == column.casefold(),
        lambda column, name: bool(similar(column, [name])),
        lambda column, name: column == last and bool(_TIMES.search(name)),
        lambda column, name: _is_part(column, name) or _is_part(name, column),
        lambda column, name: any(_is_short(word, column) for word in re.split("[^a-z]+", name.casefold())),
    )
    found: dict[str, str] = {}
    came = [*filter(_ARRIVALS.search, free)]
    for rule in rules:
        for column in missing:
            left = (name for name in free if name not in found.values() and name not in came)
            fitting = (name for name in left if rule(column, name.rpartition(".")[2]) or rule(column, name))
            if column not in found and (name := next(fitting, None)) is not None:
                found[column] = name
    if last in missing and last not in found and len(came) == 1:
        found[last] = came[0]
    odd = (*found.values(), *filter(_TIMES.search, free), *came)
    rest = [name for name in free if name not in odd]
    others = [column for column in missing if column not in found]
    return found | dict(zip(others, rest, strict=True)) if len(rest) == len(others) == 1 else found


def _is_part(name: str, of: str) -> bool:
    return len(name) >= _SHORTEST and name.casefold() in of.casefold()


def _is_short(word: str, of: str) -> bool:
    """Whether a word has some letters of a name, in order, from the first on: `pkg` of `package`."""
    letters = iter(of.casefold())
    return len(word) >= _SHORTEST and word[0] == of[0].casefold() and all(each in letters for each in word)
