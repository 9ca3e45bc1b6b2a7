"""A pattern prepared for matching: where its variables and constants stand in the facts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from antelog.compile.plan import Atom, Comparison, Negated, Operand, Pattern, Sum, Time, Var


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


@dataclass(frozen=True)
class Layout:
    """A pattern with its positive literals as places."""

    pattern: Pattern
    places: tuple[Place, ...]
    negations: tuple[Negated, ...]

    @cached_property
    def sliced(self) -> bool:
        """Whether every awaited fact stands at a fixed distance from the answer's time."""
        time = self.pattern.time.variable
        return time is not None and all(place.atom.time.variable == time for place in self.places)

    @cached_property
    def by_clock(self) -> bool:
        """Whether no fact gives the answer its time, so that it is considered when that has come."""
        time = self.pattern.time.variable
        tied = time is None or any(place.atom.time.variable == time for place in self.places)
        return not tied or not self.places

    @cached_property
    def tests(self) -> tuple[Comparison, ...]:
        """The comparisons that concern more than one literal."""
        own = {test for place in self.places for test in place.tests}
        return tuple(c for c in self.pattern.comparisons if c not in own)


def variables_of(literal: Atom | Negated) -> frozenset[str]:
    names = {a.name for a in literal.arguments if isinstance(a, Var)}
    return frozenset(names | ({literal.time.variable} if literal.time.variable else set()))


def compared(comparison: Comparison) -> frozenset[str]:
    """The variables of a comparison."""
    return frozenset(filter(None, (_variable(comparison.left), _variable(comparison.right))))


def _variable(operand: Operand) -> str | None:
    match operand:
        case Var(name):
            return name
        case Sum(variable, _) | Time(variable, _):
            return variable
        case _:
            return None


def layout(pattern: Pattern) -> Layout:
    places = tuple(_place(atom, pattern) for atom in pattern.atoms)
    return Layout(pattern, places, tuple(pattern.negations))


def _place(atom: Atom, pattern: Pattern) -> Place:
    binds: dict[str, int] = {}
    repeats, constants = [], []
    for column, argument in enumerate(atom.arguments):
        if not isinstance(argument, Var):
            constants.append((column, argument.value))
        elif argument.name in binds:
            repeats.append((binds[argument.name], column))
        else:
            binds[argument.name] = column
    tests = tuple(c for c in pattern.comparisons if compared(c) <= variables_of(atom))
    return Place(atom, tuple(binds.items()), tuple(repeats), tuple(constants), tests)
