"""A pattern prepared for matching: where its variables and constants stand in the facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from antelog.compile.bounds import static_variables
from antelog.compile.ordering import limits
from antelog.compile.plan import (
    Atom,
    Comparison,
    Earliest,
    Negated,
    Operand,
    Pattern,
    StaticAtom,
    Sum,
    Time,
    Var,
)
from antelog.compile.substitution import Substitution
from antelog.compile.times import Times, times_of


@dataclass(frozen=True)
class Place:
    """A positive literal: which columns of its input bind variables, repeat them, or are fixed.

    `tests` are the comparisons that concern no other literal.
    """

    atom: Atom
    binds: tuple[tuple[str, int], ...]
    repeats: tuple[tuple[int, int], ...]
    constants: tuple[tuple[int, str | int | float], ...]
    tests: tuple[Comparison, ...]

    @cached_property
    def variables(self) -> frozenset[str]:
        return variables_of(self.atom)


@dataclass(frozen=True, eq=False)
class Layout:
    """A pattern with its positive literals as places.

    `by_clock`: no fact gives the answers their time, so they are considered when that has come.
    `seeded`: a negated literal may be certain while all facts are still awaited, so the answers'
    ticks are looked at without waiting for a fact; `endless`: there may be evidence while the time is open.
    `rival`: a derivation no fact speaks for may make one of another pattern needless. `first_cell`
    numbers the cells that stand for the values of open variables (see `naming`). `same` says which
    variables of the answer are one in the pattern. `origin` is the number of the pattern, of which
    some literals have been made one, `by` a substitution if it is there.
    """

    pattern: Pattern
    places: tuple[Place, ...]
    negations: tuple[Negated, ...]
    by_clock: bool
    seeded: bool = False
    endless: bool = False
    rival: bool = False
    first_cell: int = 0
    same: tuple[Comparison, ...] = ()
    origin: int = 0
    by: Substitution | None = None

    @cached_property
    def literals(self) -> tuple[Atom | Negated, ...]:
        """The positive literals and then the negated ones, as the lines of derivations have them."""
        return (*(place.atom for place in self.places), *self.negations)

    @cached_property
    def sliced(self) -> bool:
        """Whether every awaited fact stands at a fixed distance from the answer's time."""
        time = self.pattern.time.variable
        return time is not None and all(place.atom.time.variable == time for place in self.places)

    @cached_property
    def limits(self) -> tuple[Comparison, ...]:
        """The comparisons, and what those of values say together, which may be of fewer variables."""
        return limits(self.pattern)

    @cached_property
    def conditions(self) -> tuple[Comparison, ...]:
        """The comparisons, and where times begin if neither these nor literals about earlier ticks say so."""
        pattern = self.pattern
        times = (pattern.time, *(literal.time for literal in pattern.literals))
        plain = [Earliest(t.variable, max(0, -t.offset)) for t in times if t.variable is not None]
        needed = [*pattern.earliest]
        for each in pattern.earliest:
            rest = [e for e in needed if e is not each]
            known = Times(pattern.comparisons, (*plain, *rest))
            least = known.furthest(Time(each.variable, 0), Time(None, 0))
            if least is not None and least <= -each.tick:
                needed = rest
        begin = (Comparison(Time(e.variable, 0), ">=", Time(None, e.tick)) for e in needed)
        return (*pattern.comparisons, *begin)

    def begin(self, time: str) -> int:
        """The first tick that a time variable may be: all that is about it is about ticks from 0 on."""
        times = (self.pattern.time, *(literal.time for literal in self.pattern.literals))
        said = (each.tick for each in self.pattern.earliest if each.variable == time)
        return max([0, *said, *(-each.offset for each in times if each.variable == time)])

    @cached_property
    def times(self) -> Times:
        return times_of(self.pattern)

    @cached_property
    def between(self) -> tuple[tuple[str, str, int], ...]:
        """What times that are open say of two others (or tick 0): by how much the second may be later."""
        return tuple(self.times.indirect())

    @cached_property
    def time_variables(self) -> frozenset[str]:
        times = (self.pattern.time, *(literal.time for literal in self.pattern.literals))
        return frozenset(time.variable for time in times if time.variable is not None)

    def variable(self, name: str) -> Var | Time:
        """A variable as a term."""
        return Time(name, 0) if name in self.time_variables else Var(name)

    @cached_property
    def absent(self) -> tuple[StaticAtom, ...]:
        """The background facts that must not be there."""
        return tuple(atom for atom in self.pattern.statics if atom.negated)

    @cached_property
    def given(self) -> frozenset[str]:
        """The variables that have values without any fact: from the background, or from the clock."""
        time = self.pattern.time.variable
        clock = {time} if self.by_clock and time is not None else set()
        return frozenset(static_variables(self.pattern) | clock)

    @cached_property
    def denied(self) -> frozenset[str]:
        """The variables of the negated literals."""
        return frozenset(name for negation in self.negations for name in variables_of(negation))

    @cached_property
    def loose(self) -> bool:
        """Whether the derivations of an answer may leave a variable of a negated literal open."""
        return any(not self.denied <= names for names in self.known)

    @cached_property
    def known(self) -> tuple[frozenset[str], ...]:
        """The fewest variables that have values in a derivation of an answer that is told."""
        speaking = tuple(place.variables | self.given for place in self.places)
        return (self.given,) if self.seeded or self.by_clock else speaking

    @cached_property
    def loose_within(self) -> bool:
        """The same where the answer's own values are known."""
        return not self.denied <= self.answered | self.given

    @cached_property
    def answered(self) -> frozenset[str]:
        """The variables that an answer has the values of."""
        time = self.pattern.time.variable
        own = {a.name for a in self.pattern.answer if isinstance(a, Var)}
        return frozenset(own | ({time} if time is not None else set()))

    @cached_property
    def cells(self) -> Mapping[str, int]:
        """For each variable of the negated literals the cell that stands for its value while it is open."""
        return {name: ANYONE - self.first_cell - i for i, name in enumerate(sorted(self.denied))}


ANYONE = -2
"""The first of the cells, downwards, that stand for all values nobody has named. No value has them."""


def variables_of(literal: Atom | Negated) -> frozenset[str]:
    names = {a.name for a in literal.arguments if isinstance(a, Var)}
    return frozenset(names | ({literal.time.variable} if literal.time.variable else set()))


def compared(comparison: Comparison) -> frozenset[str]:
    """The variables of a comparison."""
    return frozenset(filter(None, (variable_of(comparison.left), variable_of(comparison.right))))


def variable_of(operand: Operand) -> str | None:
    match operand:
        case Var(name):
            return name
        case Sum(variable, _) | Time(variable, _):
            return variable
        case _:
            return None


def layout(pattern: Pattern) -> Layout:
    said = limits(pattern)
    places = tuple(_place(atom, said) for atom in pattern.atoms)
    return Layout(pattern, places, tuple(pattern.negations), pattern.by_clock)


def _place(atom: Atom, said: Sequence[Comparison]) -> Place:
    binds: dict[str, int] = {}
    repeats, constants = [], []
    for column, argument in enumerate(atom.arguments):
        if not isinstance(argument, Var):
            constants.append((column, argument.value))
        elif argument.name in binds:
            repeats.append((binds[argument.name], column))
        else:
            binds[argument.name] = column
    tests = tuple(c for c in said if compared(c) <= variables_of(atom))
    return Place(atom, tuple(binds.items()), tuple(repeats), tuple(constants), tests)
