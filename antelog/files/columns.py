"""Which of a file's columns are the ones that are wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from antelog.compile.nodes.plan import Plan
from antelog.errors import DataError
from antelog.language.checks.suggestions import did_you_mean, similar

DEFAULT_ARRIVAL = "arrival"
"""What files call the column of arrivals, unless a user says otherwise."""
ARRIVAL = "the arrival"
"""What the column of arrivals is called in tables. No column of a predicate can have that name."""

LINE = "the line"
"""What the column is called that says from which line of its file a row is."""


@dataclass(frozen=True)
class Wanted:
    """The columns a file is read for: those of an input, the last being its time, or of a static.

    `types` are those of the columns without the time, `arrival` is what files call the column of
    arrivals, and `tick` is the length of a tick in microseconds, where times may be timestamps.
    `called` has the names that files give to columns otherwise; with `must_arrive`, a column of
    arrivals must be there.
    """

    name: str
    columns: tuple[str, ...]
    types: tuple[str | None, ...]
    timed: bool
    arrival: str = DEFAULT_ARRIVAL
    tick: int | None = None
    called: tuple[tuple[str, str], ...] = ()
    must_arrive: bool = False


@dataclass(frozen=True)
class Places:
    """Where in a row the wanted columns stand, and the arrival if there is one."""

    columns: tuple[int, ...]
    arrival: int | None
    named: bool

    @property
    def all(self) -> tuple[int, ...]:
        return self.columns if self.arrival is None else (*self.columns, self.arrival)


def wanted_of(plan: Plan, name: str, arrival: str = DEFAULT_ARRIVAL) -> Wanted:
    """What a file has to have for an input or a static predicate of a program."""
    for source in plan.inputs:
        if source.name == name:
            return Wanted(name, source.columns, source.types, True, arrival, plan.tick)
    static = next(static for static in plan.statics if static.name == name)
    return Wanted(name, static.columns, static.types, False)


def places(wanted: Wanted, names: Sequence[str], file: str) -> Places:
    """Where the wanted columns are. Raises DataError if they cannot be told.

    By name, if the file has them all; it may have others, which are ignored. Otherwise by
    position, provided that no object is named or nearly so: what is left over are then the
    columns that have other names, and one after them is the arrival.
    """
    at = _places(wanted, _as_called(wanted, names, file), file)
    if wanted.must_arrive and at.arrival is None:
        hint = did_you_mean(wanted.arrival, names) or f"It has {_listed(names)}."
        raise DataError(f"{file}: has no column {wanted.arrival} for the arrivals of {wanted.name}. {hint}")
    return at


def _as_called(wanted: Wanted, names: Sequence[str], file: str) -> list[str]:
    """The names with those of the program in place of those that columns have been said to have."""
    shown = list(names)
    for column, name in wanted.called:
        if name not in names:
            hint = did_you_mean(name, names) or f"It has {_listed(names)}."
            raise DataError(f"{file}: has no column {name}, which {column} is mapped to. {hint}")
        # A column of the name that is mapped elsewhere is not the one that is wanted.
        shown = ["" if each == column else each for each in shown]
        shown[names.index(name)] = column
    return shown


def _places(wanted: Wanted, names: Sequence[str], file: str) -> Places:
    takes_arrival = wanted.timed and wanted.arrival not in wanted.columns
    known = [*wanted.columns, *([wanted.arrival] if takes_arrival else [])]
    for name in known:
        if names.count(name) > 1:
            raise DataError(f"{file}: has several columns {name}")
    at = {name: names.index(name) for name in known if name in names}
    misspelt = [
        name for name in names if name not in known and similar(name, [k for k in known if k not in at])
    ]
    if misspelt:
        hint = did_you_mean(misspelt[0], [name for name in known if name not in at])
        raise DataError(f"{file}: {wanted.name} has no column {misspelt[0]}. {hint}")
    if all(name in at for name in wanted.columns):
        return _found(wanted, at, takes_arrival, True)
    objects = wanted.columns[:-1] if wanted.timed else wanted.columns
    missing = [name for name in wanted.columns if name not in at]
    if any(name in at for name in objects):
        raise DataError(f"{file}: lacks the column {missing[0]} of {wanted.name}; it has {_listed(names)}")
    free = [name for name in known if name not in at]
    others = [i for i, name in enumerate(names) if name not in at]
    if not len(missing) <= len(others) <= len(free):
        raise DataError(
            f"{file}: has the columns {_listed(names)}; {wanted.name} has {_listed(wanted.columns)}. "
            "Give them the same names or the same number"
        )
    at |= dict(zip(free, others, strict=False))
    return _found(wanted, at, takes_arrival, False)


def _found(wanted: Wanted, at: Mapping[str, int], takes_arrival: bool, named: bool) -> Places:
    arrival = at.get(wanted.arrival) if takes_arrival else None
    return Places(tuple(at[name] for name in wanted.columns), arrival, named)


def by_position(wanted: Wanted, count: int) -> Places | None:
    """The places in rows of so many values that have no names; None if the number does not fit."""
    width = len(wanted.columns)
    if count == width:
        return Places(tuple(range(width)), None, False)
    if wanted.timed and count == width + 1:
        return Places(tuple(range(width)), width, False)
    return None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
