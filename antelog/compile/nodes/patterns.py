"""Patterns, each one way to derive an atom with all its conditions, and renamings of their variables.

P(X, T) :- R(X, V, T+1), V >= 9.    answer: X    time: T    literals: R(X, V, T+1), V >= 9
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cached_property
from itertools import count
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from antelog.compile.literals import (
    Aggregation,
    AnyLiteral,
    Atom,
    Comparison,
    Last,
    Negation,
    StaticAtom,
    terms,
)
from antelog.compile.literals.conditions import Equation
from antelog.compile.literals.literal import AskedNode, Condition, Reference


class Taking(NamedTuple):
    """An asked literal that gives variables values: of the latest atom, or of an aggregate."""

    literal: Last | Aggregation
    variables: frozenset[str]
    missing: frozenset[str]  # variables that it needs, and that nothing gives values before


class Earliest(Struct, frozen=True):
    """The first tick of a time variable: every time term of the rules is a natural number."""

    variable: str
    tick: int


class ByRole:
    """The literals of a pattern, a clause or a static rule by their roles."""

    literals: tuple[AnyLiteral, ...]

    @cached_property
    def facts(self) -> tuple[Atom, ...]:
        """The fact literals; of a clause also the derived atoms, which resolution replaces by patterns."""
        return tuple(each for each in self.literals if isinstance(each, Atom))

    @cached_property
    def asked(self) -> tuple[AskedNode, ...]:
        return tuple(each for each in self.literals if isinstance(each, AskedNode))

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """The facts and atoms that its literals look at."""
        return tuple(each for literal in self.literals for each in literal.references)

    @cached_property
    def asked_for(self) -> tuple[Reference, ...]:
        """The atoms that its asked literals look at."""
        return tuple(each for literal in self.asked for each in literal.references)

    @cached_property
    def stated(self) -> tuple[AnyLiteral, ...]:
        """Facts and asked literals, in the order of the rules: explanations consist of these."""
        return tuple(each for each in self.literals if not isinstance(each, Condition))

    @cached_property
    def conditions(self) -> tuple[AnyLiteral, ...]:
        return tuple(each for each in self.literals if isinstance(each, Condition))

    @cached_property
    def background(self) -> tuple[StaticAtom, ...]:
        """The background facts that have to be there; they give values."""
        return tuple(each for each in self.literals if isinstance(each, StaticAtom) and not each.negated)

    @cached_property
    def tests(self) -> tuple[Condition, ...]:
        """The conditions that give no values, comparisons among them."""
        conditions = (each for each in self.literals if isinstance(each, Condition))
        return tuple(each for each in conditions if each not in self.background)

    @cached_property
    def comparisons(self) -> tuple[Comparison, ...]:
        return tuple(each for each in self.literals if isinstance(each, Comparison))


class Pattern(ByRole, Struct, frozen=True, dict=True):
    """One way to derive an atom of a relation, whose variables and time stand for `answer` and `time`."""

    answer: tuple[terms.AnswerTerm, ...]
    time: terms.Time
    literals: tuple[AnyLiteral, ...]
    earliest: tuple[Earliest, ...] = ()

    @property
    def clock_driven(self) -> bool:
        """Whether its answers open at every tick; those of other patterns open once a fact is evidence."""
        return not self.facts

    @cached_property
    def guarded(self) -> frozenset[str]:
        """The variables that facts, the background, equations, latest atoms or aggregates give values."""
        taken = (each.variables for each in self.takings)
        return self.bound.union({each.variable for each in self.worked_out}, *taken)

    @cached_property
    def bound(self) -> frozenset[str]:
        """The variables that facts or the background give values."""
        return frozenset[str]().union(*(each.binds for each in self.literals))

    @cached_property
    def worked_out(self) -> tuple[Equation, ...]:
        """The equations that give variables values, each after those of the variables that it needs."""
        return self._given[0]

    def leading_to(self, open_: Set[str]) -> frozenset[str]:
        """Returns open variables and those that equations work out from them: W, and D by D = W - V."""
        found = set(open_)
        for each in self.worked_out:
            if terms.variables_in([each.operand]) & found:
                found.add(each.variable)
        return frozenset(found)

    @cached_property
    def takings(self) -> tuple[Taking, ...]:
        """The asked literals that give values, each after those that give what it needs."""
        return tuple(each for each in self._given[1] if each.variables)

    @cached_property
    def _given(self) -> tuple[tuple[Equation, ...], tuple[Taking, ...]]:
        """The sources of values besides facts and the background: equations, `last` and aggregates."""
        known, equations, takings = set(self.bound), list[Equation](), list[Taking]()
        amounts = set[str]()
        defined = [each.defines for each in self.comparisons if each.defines is not None]
        asked = [each for each in self.asked if each.needs < each.variables]
        waiting = [each for kind in (Last, Aggregation) for each in asked if isinstance(each, kind)]
        while True:
            while new := next((each for each in defined if _gives(each, known)), None):
                equations.append(new)
                known.add(new.variable)
            timed = known | terms.variables_in([self.time])
            ready = [each for each in waiting if each.needs <= timed]
            ready += [each for each in waiting if each.needs <= timed | self.answered]
            if not waiting:
                return tuple(equations), tuple(takings)
            chosen = (ready or waiting)[0]
            waiting.remove(chosen)
            # Of several aggregates the one that is closed first gives the value.
            elsewhere = known - amounts if isinstance(chosen, Aggregation) else known
            taken = chosen.variables - chosen.needs - elsewhere
            takings.append(Taking(chosen, taken, chosen.needs - timed - self.answered))
            known |= taken
            amounts |= taken if isinstance(chosen, Aggregation) else set()

    @cached_property
    def unguarded(self) -> tuple[str, ...]:
        """The variables of the answer (without its time) that only asked literals and comparisons have."""
        names = dict.fromkeys(a.name for a in self.answer if isinstance(a, terms.Var))
        return tuple(name for name in names if name not in self.guarded)

    @cached_property
    def unguarded_time(self) -> str | None:
        """The variable of the answer's time, if only asked literals and comparisons have it."""
        return None if self.time.variable in self.guarded else self.time.variable

    @cached_property
    def answered(self) -> frozenset[str]:
        """The variables of an answer, its time among them."""
        return terms.variables_in((*self.answer, self.time))

    @cached_property
    def given(self) -> frozenset[str]:
        """The variables that the background gives values."""
        return frozenset[str]().union(*(each.binds for each in self.background))

    @cached_property
    def times(self) -> tuple[terms.Time, ...]:
        """The answer's time, and those of its facts and asked literals."""
        return (self.time, *(time for each in self.stated for time in each.times))

    @property
    def text(self) -> str:
        """The pattern as a conjunction, with those first ticks that do not follow from its literals."""
        return self._text({})

    @property
    def as_written(self) -> str:
        """Its text with `first` for what is written so in the rules."""
        shown: dict[object, str] = {}
        for each in self.asked:
            if isinstance(each, Negation) and each.written is not None:
                before, time, after = each.written.around
                shown |= dict.fromkeys((*each.written.bounds, each.written.atom), "")
                shown[each] = terms.text_of((*before, time, *after))
        return self._text(shown)

    def _text(self, instead: Mapping[object, str]) -> str:
        shown: dict[str | None, int] = {}
        for time in self.times:
            shown[time.variable] = min(shown.get(time.variable, time.offset), time.offset)
        whole = (*self.background, *self.stated, *self.tests)
        parts = [text for each in whole if (text := instead.get(each, each.text))]
        parts += [
            f"{e.variable} >= {e.tick}" for e in self.earliest if e.tick > max(0, -shown.get(e.variable, 0))
        ]
        return ", ".join(parts) or "always"


def _gives(equation: Equation, known: Set[str]) -> bool:
    """Returns whether an equation gives a new value, where these variables have values."""
    return equation.variable not in known and terms.variables_in([equation.operand]) <= known


def arranged(literals: Iterable[AnyLiteral]) -> tuple[AnyLiteral, ...]:
    """Removes repeated literals, and puts facts and asked before conditions, comparisons last."""
    unique = dict.fromkeys(literals)
    return tuple(sorted(unique, key=lambda each: isinstance(each, Condition) + isinstance(each, Comparison)))


class Renaming(terms.Replacement):
    """Renames variables; `name` returns the new name of each."""

    def __init__(self, name: Callable[[str], str]) -> None:
        self.name = name

    def term(self, term: terms.Term) -> terms.Term:
        return terms.Var(self.name(term.name)) if isinstance(term, terms.Var) else term

    def time(self, time: terms.Time) -> terms.Time:
        if time.variable is None or _is_shared(time.variable):
            return time
        return terms.Time(self.name(time.variable), time.offset)

    def pattern(self, pattern: Pattern) -> Pattern:
        return Pattern(
            self.answer(pattern.answer),
            self.time(pattern.time),
            tuple(literal.replaced(self) for literal in pattern.literals),
            tuple(Earliest(self.name(e.variable), e.tick) for e in pattern.earliest),
        )


def _is_shared(variable: str) -> bool:
    """Returns whether every pattern has this variable."""
    return variable.startswith("<")


def suffixed(suffix: str) -> Renaming:
    return Renaming(lambda old: old + suffix)


def called(names: Mapping[str, str]) -> Renaming:
    return Renaming(lambda old: names.get(old, old))


def readable(*, anonymous: bool = False) -> Renaming:
    """Names variables as in their rules, where that is possible; those of `_` are V, or stay `anonymous`."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    numbers: dict[str, Iterator[int]] = {}

    def name(old: str) -> str:
        if old in found:
            return found[old]
        if old.startswith("_") and anonymous:
            found[old] = f"_{len(found) + 1}"
            return found[old]
        wanted, first = ("V", 1) if old.startswith("_") else (old.partition("~")[0], 2)
        if old.startswith("_") or wanted in taken:
            stem = wanted.rstrip("0123456789") or wanted
            names = (f"{stem}{number}" for number in numbers.setdefault(stem, count(first)))
            wanted = next(each for each in names if each not in taken)
        taken.add(wanted)
        found[old] = wanted
        return wanted

    return Renaming(name)


def from_zero(pattern: Pattern) -> Pattern:
    """Moves a pattern's own times, so that they begin at tick 0, as a reader of `U+1` expects."""
    own = (e for e in pattern.earliest if e.variable not in pattern.answered and not _is_shared(e.variable))
    shifts = {each.variable: each.tick for each in own if each.tick}
    if not shifts:
        return pattern
    moved = terms.moved(shifts)
    return replace(
        pattern,
        literals=tuple(literal.replaced(moved) for literal in pattern.literals),
        earliest=tuple(Earliest(e.variable, e.tick - shifts.get(e.variable, 0)) for e in pattern.earliest),
    )


def apart(pattern: Pattern, names: tuple[str, ...], time: str | None) -> Pattern:
    """Renames variables that are called like one of the query but are another."""
    own = {name for name, term in zip(names, pattern.answer, strict=True) if terms.variable_in(term) == name}
    if time is not None and pattern.time.variable == time:
        own.add(time)
    reserved = {*names, *([time] if time is not None else [])} - own
    taken = {*_names(pattern), *reserved}
    new: dict[str, str] = {}
    for old in _names(pattern):
        if old in reserved:
            stem = old.rstrip("0123456789") or old
            names_like_it = (f"{stem}{number}" for number in count(2))
            new[old] = next(each for each in names_like_it if each not in taken)
            taken.add(new[old])
    if new:
        pattern = called(new).pattern(pattern)
    # What it has at several positions of the answer gets the first of the query's names for it.
    first: dict[str, str] = {}
    for name, term in zip(names, pattern.answer, strict=True):
        if isinstance(term, terms.Var):
            first.setdefault(term.name, name)
    there = _names(pattern)
    new = {old: name for old, name in first.items() if old != name and name not in there}
    return called(new).pattern(pattern) if new else pattern


def _names(pattern: Pattern) -> dict[str, None]:
    """Returns the variables of a pattern in the order of their first use, but for shared ones."""
    operands = (*pattern.answer, pattern.time, *(o for each in pattern.literals for o in each.operands))
    found = [name for operand in operands for name in terms.variables_in([operand])]
    found += [each.variable for each in pattern.earliest]
    return dict.fromkeys(name for name in found if not _is_shared(name))
