"""The interface of literals: each is a goal that resolution follows, is *stated*, or is a condition.

Facts and asked literals are stated: they have a time, and become true and false.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, TypeAlias

from antelog.language import syntax
from antelog.language.durations import ticks_later
from antelog.language.vocabulary import Vocabulary
from tests.specification.terms import (
    ANY,
    Atom,
    Calculation,
    Inner,
    Substitution,
    Term,
    TickLength,
    Variable,
    variables_in,
    worked_out,
)

if TYPE_CHECKING:
    from tests.specification.literals.aggregate import Aggregate, Aggregation, Instances
    from tests.specification.literals.comparison import Comparison
    from tests.specification.literals.last import Last

Tick: TypeAlias = float
NEVER: Tick = math.inf
START: Tick = -1
"""Before all ticks: what holds since then holds at each of them."""


class Ticks(NamedTuple):
    """From which tick on something is true, and from which on it is false."""

    true_at: Tick
    false_at: Tick


class Taken(NamedTuple):
    """Values that a literal gives, from a tick on and until another; none while it has none."""

    known: Substitution
    since: Tick
    until: Tick


@dataclass(frozen=True)
class Around:
    """A derivation around a literal: its comparisons that are open, and the first ticks of open times."""

    comparisons: tuple[Comparison, ...] = ()
    first: Mapping[str, int] = field(default_factory=dict, hash=False)


class Facts(Protocol):
    """The world in which a literal is looked at."""

    def truth(self, atom: Atom) -> Ticks:
        """Of an atom without open variables; `ANY` in it stands for whatever there is."""

    def slot(self, last: Last, tick: Tick) -> Ticks:
        """Of the atoms of the slot of a `last` at a tick of its range."""

    def come(self, atom: Atom, around: Around) -> Ticks:
        """Of a fact literal."""

    def instances(self, aggregate: Aggregate) -> Instances:
        """The atoms that an aggregate without open variables is about."""

    def closed(self, literal: Aggregation) -> tuple[Tick, float | None]:
        """The tick from which on the value of an aggregate cannot change, and this."""

    def atoms(self, atom: Atom) -> Iterator[tuple[Atom, Tick]]:
        """The atoms that are true once, with any values in place of `ANY`, and from which tick on."""

    def coming(self, atom: Atom) -> Tick:
        """Until when such atoms may become true that are not."""

    def none_left(self, names: Collection[str], around: Around) -> bool:
        """Whether the comparisons of some open variable leave it no value."""

    def last(self, time: Term, around: Around) -> Tick | None:
        """The latest tick that a time can be; None if there is none."""

    def last_arrival(self, atom: Atom, around: Around) -> Tick:
        """The latest t + δ that a fact literal may still stand for."""


class Below(Protocol):
    """What is collected of the atoms that literals rest on."""

    def fact(self, atom: Atom) -> None: ...

    def asked(self, atom: Atom) -> None: ...

    def valued(self, atom: Atom) -> None: ...


@dataclass(frozen=True)
class Body:
    """A literal in the body of a rule."""

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> tuple[Body, ...] | None:
        """The literals that one of the syntax tree stands for, if it is of this kind."""
        raise NotImplementedError

    @property
    def operands(self) -> tuple[Term, ...]:
        raise NotImplementedError

    def mapped(self, new: Callable[[Term], Term]) -> Self:
        raise NotImplementedError

    def __str__(self) -> str:
        raise NotImplementedError

    @property
    def variables(self) -> frozenset[str]:
        return variables_in(self.operands)

    @property
    def compared(self) -> frozenset[str]:
        """The variables that need a value; `X = 3` and `X != 3` are known of all others."""
        return frozenset()

    @property
    def key(self) -> tuple[object, ...] | None:
        """All of it but its operands; None if it may follow from several others."""
        raise NotImplementedError

    # ---- goals and stated literals ----

    @property
    def goal(self) -> Atom | None:
        """The atom that resolution follows."""
        return None

    @property
    def asked(self) -> tuple[Atom, ...]:
        """The atoms whose truth is asked for."""
        return ()

    @property
    def bounds(self) -> tuple[Comparison, ...]:
        """The bounds of the times of these atoms, where they lie in a range that is open."""
        return ()

    @property
    def time(self) -> Term | None:
        """The time of one that is stated; of a range of ticks the last."""
        return None

    @property
    def times(self) -> tuple[Term, ...]:
        """The times in one that is stated."""
        return () if self.time is None else (self.time,)

    @property
    def natural(self) -> tuple[Term, ...]:
        """The times that have to be natural numbers."""
        return self.times

    @property
    def needs(self) -> frozenset[str]:
        """The variables that it cannot give values; it may give some to the others."""
        return self.variables

    @property
    def takes(self) -> frozenset[str]:
        """The open variables that it gives values."""
        return frozenset()

    def taking(self, _names: frozenset[str]) -> Self:
        """The literal if nothing else gives these variables values."""
        return self

    def taken(self, _world: Facts) -> Iterator[Taken]:
        """The values that it gives, each while it does."""
        return iter(())

    def ticks(self, _world: Facts, _around: Around) -> Ticks:
        """From when on a stated literal is true, and from when on false."""
        raise NotImplementedError

    def rest(self, below: Below) -> None:
        """Collects the atoms that a stated literal rests on."""

    # ---- conditions ----

    @property
    def static(self) -> Atom | None:
        """The background atom it is about."""
        return None

    @property
    def denies(self) -> bool:
        """Whether it rests on the absence of its background atom."""
        return False

    def joined(self, _model: Set[Atom], known: Substitution) -> Iterator[Substitution]:
        """The extensions of a substitution under which it holds, if it gives values."""
        yield known

    def holds(self, _model: Set[Atom]) -> bool | None:
        """Whether a condition holds; None if that is open, and of one that gives values."""
        return None


@dataclass
class Lowering:
    """The rule whose literals are made; each `_` becomes a variable of its own.

    In a text that was `printed`, `W - 70` with blanks comes of `W - V`, `W-70` of itself.
    """

    vocabulary: Vocabulary
    used: int = 0
    own: frozenset[str] | None = None
    printed: str = ""

    def within(self, own: frozenset[str]) -> Lowering:
        """The lowering within an aggregate that has variables of its own."""
        return Lowering(self.vocabulary, 0, own)

    def is_static(self, atom: syntax.Atom) -> bool:
        return self.vocabulary.is_static(atom.predicate)

    def term(self, term: syntax.Term) -> Term:
        if isinstance(term, syntax.Variable):
            return Inner(term.name) if term.name in (self.own or ()) else Variable(term.name)
        if isinstance(term, syntax.Shifted):
            in_ticks = term.unit is not None
            offset = ticks_later(term, self.vocabulary.tick) if in_ticks else term.offset
            own = term.variable in (self.own or ())
            sign = re.search(r"\w ([+-]) \d", self.printed[term.span.start : term.span.end])
            if own or sign:
                shifted = Inner(term.variable) if own else Variable(term.variable)
                minus = offset < 0 or (sign is not None and sign[1] == "-")  # also of `U - 0`
                return Calculation("-" if minus else "+", (shifted, abs(offset)))
            return Variable(term.variable, offset)
        if isinstance(term, syntax.Constant):
            return term.value
        if isinstance(term, syntax.Later):
            return Calculation("+", (self.term(term.time), self.term(term.by)))
        if isinstance(term, syntax.Calculation):
            ticks = None
            if term.function in ("minute", "hour", "weekday", "day", "month"):
                ticks = TickLength(self.vocabulary.tick or 0, self.vocabulary.zone or "UTC")
            return worked_out(Calculation(term.function, tuple(map(self.term, term.arguments)), ticks))
        self.used += 1
        return Variable(f"_{self.used}") if self.own is None else Inner(f"_{self.used}")

    def atom(self, atom: syntax.Atom) -> Atom:
        return Atom(atom.predicate, tuple(map(self.term, atom.terms)))

    def gap(self, term: syntax.Term) -> Term:
        """A term in which `_` is `ANY`."""
        return ANY if isinstance(term, syntax.Anonymous) else self.term(term)

    def asked(self, atom: syntax.Atom) -> Atom:
        """An atom in which `_` is `ANY`."""
        return Atom(atom.predicate, tuple(map(self.gap, atom.terms)))


def guards(literals: Collection[Body]) -> frozenset[str]:
    """The variables that facts and background give values to."""
    giving = (each for each in literals if each.goal or (each.static and not each.denies))
    return frozenset[str]().union(*(each.variables for each in giving))


class Literal(NamedTuple):
    """A stated literal as it is reported, with the conditions on its open variables."""

    body: Body
    conditions: frozenset[Body] = frozenset()

    @property
    def positive(self) -> bool:
        """Whether it is a fact."""
        return self.body.goal is not None

    @property
    def variables(self) -> frozenset[str]:
        return self.body.variables.union(*(each.variables for each in self.conditions))

    def mapped(self, new: Callable[[Term], Term]) -> Literal:
        return Literal(self.body.mapped(new), frozenset(each.mapped(new) for each in self.conditions))

    def __str__(self) -> str:
        where = ", ".join(sorted(map(str, self.conditions)))
        return str(self.body) + (f" where {where}" if where else "")


def by_time(literals: Iterable[Literal]) -> list[Literal]:
    """Literals by time, then text. Times that are still open come last, by offset, then name."""
    return sorted(literals, key=lambda literal: (*place(literal.body.time), str(literal)))


def place(time: Term | None) -> tuple[bool, int | float, str]:
    if isinstance(time, Variable):
        return True, time.shift, time.name
    assert isinstance(time, int), f"{time} is not a time"
    return False, time, ""
