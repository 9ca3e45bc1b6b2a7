"""Series: the facts that meet a literal, as a yes or no for each key and tick.

    Temp(X, high, T)                   a series of Temp with `high` in column 1, for each X
    Reading(X, V, T) where V >= 90     a series of Reading, for each X: is there any such V?

Turns a fact literal, and the variables that have values, into its series. The key are the columns
that have a value when the chance is computed. All other columns are open: any value does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.fact import Atom
from antelog.compile.literals.terms import Const, Term, Var
from antelog.compile.patterns.renaming import Called
from antelog.language.literals.comparison import HOLDS

Value = str | int | float


@dataclass(frozen=True)
class Series:
    """The facts of an input with these constants, equal in these pairs of columns, that pass the tests.

    `key` are the columns whose values tell one series of this form from another. In `tests` a
    variable is named after its column: V >= 90 for column 1 is `1 >= 90`.
    """

    predicate: str
    constants: tuple[tuple[int, Value], ...]
    repeats: tuple[tuple[int, int], ...]
    key: tuple[int, ...]
    tests: tuple[Comparison, ...]


def series_of(
    atom: Atom, bound: Mapping[str, Term], tests: tuple[Comparison, ...]
) -> tuple[Series, tuple[Var, ...]]:
    """The series of a literal, and the variables that are its key, given what its variables stand for."""
    constants: list[tuple[int, Value]] = []
    repeats: list[tuple[int, int]] = []
    key: list[tuple[int, Var]] = []
    open_: dict[str, int] = {}
    for column, argument in enumerate(atom.arguments):
        term = bound.get(argument.name, argument) if isinstance(argument, Var) else argument
        if isinstance(term, Const):
            constants.append((column, term.value))
        elif isinstance(argument, Var) and argument.name in bound:
            key.append((column, term))
        elif term.name in open_:
            repeats.append((open_[term.name], column))
        else:
            open_[term.name] = column
    by_column = Called({name: str(column) for name, column in open_.items()})
    own = tuple(
        each.replaced(by_column) for each in tests if each.variables and each.variables <= open_.keys()
    )
    series = Series(atom.predicate, tuple(constants), tuple(repeats), tuple(c for c, _ in key), own)
    return series, tuple(variable for _, variable in key)


def exclusive(one: Series, other: Series) -> bool:
    """Whether no fact meets both, whatever their keys: they have different constants in some column."""
    first, second = dict(one.constants), dict(other.constants)
    return any(not HOLDS["="](first[column], second[column]) for column in first.keys() & second.keys())


@dataclass(frozen=True)
class ChainState:
    """A fact that a chain may show: its series, and the answer's variables that are its key."""

    series: Series
    key: tuple[str, ...]


@dataclass(frozen=True)
class Chain:
    """A process with one outcome at each tick: no fact, or one of `states`.

    `places` are the columns by which its facts are found, and `terms` what stands there: variables of
    the answer, or constants. A chain with a slot shows one fact a tick, whichever it is; so after the
    states that the formula asks for there are further `kinds` of facts: those that declarations speak of,
    and as the last one another fact, whichever it is.
    """

    predicate: str
    places: tuple[int, ...]
    terms: tuple[Term, ...]
    states: tuple[ChainState, ...]
    slotted: bool
    kinds: int = 0

    @property
    def formula_states(self) -> int:
        """How many of its states are in the formula."""
        return len(self.states) - self.kinds

    @property
    def series(self) -> tuple[Series, ...]:
        """The series of its states, each once."""
        return tuple(dict.fromkeys(state.series for state in self.states))

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The answer's variables that say which facts it has, in order."""
        names = {term.name for term in self.terms if isinstance(term, Var)}
        return tuple(sorted(names.union(*(state.key for state in self.states))))

    @cached_property
    def _hash(self) -> int:
        return hash((self.predicate, self.places, self.terms, self.states, self.slotted, self.kinds))

    def __hash__(self) -> int:
        return self._hash  # what is kept of a chain is looked up in every step

    @property
    def outcomes(self) -> int:
        """The number of outcomes of a tick: no fact, and a fact of each state."""
        return 1 + len(self.states)
