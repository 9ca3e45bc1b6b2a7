"""Evaluates the static relations before the run, by semi-naive evaluation.

Near(a, b). Near(b, c). Far(X, Z) :- Near(X, Y), Near(Y, Z).    Far(a, c)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from antelog.compile.literals import StaticAtom
from antelog.compile.literals.literal import PutIn, Value
from antelog.compile.literals.terms import Const, Var, variables_in
from antelog.compile.nodes.plan import Plan, StaticRule
from antelog.errors import FunctionError, UnsupportedError
from antelog.language.graph import components

Row = tuple[Value, ...]
Facts = dict[str, set[Row]]
Values = dict[str, Value]

MOST_FACTS = 1_000_000  # the most facts that static rules may derive; all of them are kept in memory

MOST_JOINED = 3_000_000  # the most rows that static rules may join, a few seconds' work


Call: TypeAlias = Callable[[str, Sequence[Value]], Value | bool | None]  # calls a function by its name


def _call_nothing(function: str, _arguments: Sequence[Value]) -> None:
    raise FunctionError(f"the static rules call {function}, and no function is given")


def evaluate(
    plan: Plan, given: Mapping[str, Iterable[Row]] | None = None, call: Call = _call_nothing
) -> dict[str, frozenset[Row]]:
    """Returns all facts of every static relation: the program's, the given ones, and the derived ones."""
    facts: Facts = {static.name: set(static.facts) for static in plan.statics}
    for name, rows in (given or {}).items():
        facts[name].update(rows)
    rules: dict[str, list[StaticRule]] = {static.name: [] for static in plan.statics}
    for rule in plan.static_rules:
        rules[rule.predicate].append(rule)
    world = _World(facts, call)
    needs = {name: [each for rule in own for each in rule.predicates] for name, own in rules.items()}
    for members in components(needs):
        _saturate([rule for name in members for rule in rules[name]], set(members), world)
    return {name: frozenset(rows) for name, rows in facts.items()}


class _World:
    """The static facts and the functions; counts the facts that rules derive and the rows they join."""

    def __init__(self, facts: Facts, call: Call) -> None:
        self.facts, self.called = facts, call
        self._tables: dict[tuple[str, tuple[int, ...]], dict[Row, list[Row]]] = {}
        self._derived = self._joined = 0

    def exists(self, name: str, known: tuple[Value | None, ...]) -> bool:
        positions = tuple(i for i, value in enumerate(known) if value is not None)
        return tuple(known[i] for i in positions) in self.table(name, positions)

    def table(self, name: str, positions: tuple[int, ...]) -> Mapping[Row, Sequence[Row]]:
        """Returns the facts by the values at some of their positions."""
        key = name, positions
        if key not in self._tables:
            self._tables[key] = _put({}, self.facts[name], positions)
        return self._tables[key]

    def add(self, name: str, rows: set[Row]) -> None:
        self.facts[name] |= rows
        for (own, positions), table in self._tables.items():
            if own == name:
                _put(table, rows, positions)

    def derive(self, name: str) -> None:
        self._derived += 1
        if self._derived > MOST_FACTS:
            raise _too_much(name, f"derive more than {MOST_FACTS} facts")

    def join(self, name: str, rows: int) -> None:
        self._joined += rows
        if self._joined > MOST_JOINED:
            raise _too_much(name, f"join more than {MOST_JOINED} rows")


def _put(
    table: dict[Row, list[Row]], rows: Iterable[Row], positions: tuple[int, ...]
) -> dict[Row, list[Row]]:
    """Adds rows to a table by the values at some of their positions."""
    for row in rows:
        table.setdefault(tuple([row[i] for i in positions]), []).append(row)
    return table


def _too_much(name: str, what: str) -> UnsupportedError:
    return UnsupportedError(
        f"{name}: the rules of static relations {what}, the most there may be. Let the atoms "
        "of its rules share variables, and leave out columns that nothing asks for."
    )


def _saturate(rules: list[StaticRule], members: set[str], world: _World) -> None:
    """Adds all facts of some relations that rest on each other."""
    new: Facts = {name: set() for name in members}
    for rule in rules:
        new[rule.predicate] |= _derive(rule, {}, world)
    while any(new.values()):
        for name, rows in new.items():
            world.add(name, rows)
        fresh: Facts = {name: set() for name in members}
        for rule in rules:
            for position, atom in enumerate(rule.background):
                if new.get(atom.predicate):
                    fresh[rule.predicate] |= _derive(rule, {position: new[atom.predicate]}, world)
        new = fresh


def _derive(rule: StaticRule, only: Mapping[int, set[Row]], world: _World) -> set[Row]:
    """Returns the new heads a rule gives; an atom at a position of `only` has those rows alone."""
    known, found = world.facts[rule.predicate], set[Row]()
    for joined in _rows(rule, only, world):
        values = _with_worked_out(rule, joined, world)
        if all(test.variables <= values.keys() and test.holds(values, world) for test in rule.tests):
            row = tuple(values[term.name] if isinstance(term, Var) else term.value for term in rule.answer)
            if row not in known and row not in found:
                world.derive(rule.predicate)
                found.add(row)
    return found


def _with_worked_out(rule: StaticRule, values: Values, world: _World) -> Values:
    """Adds the values that equations give: D = W - V."""
    equations = [each.defines for each in rule.comparisons if each.defines is not None]
    for _ in equations:
        for name, operand in equations:
            if name not in values and variables_in([operand]) <= values.keys():
                found = PutIn(values, world).operand(operand)
                values = {**values, name: found.value} if isinstance(found, Const) else values
    return values


def _rows(rule: StaticRule, only: Mapping[int, set[Row]], world: _World) -> Iterable[Values]:
    """Yields the values with which all atoms of a rule are facts; there may be very many."""
    constants = [each for atom in rule.background for each in atom.arguments if isinstance(each, Const)]
    found: Iterable[Values] = [{_constant(each): each.value for each in constants}]
    bound, count = set[str](), partial(world.join, rule.predicate)
    count(1)
    # An atom with few rows comes first.
    for place, atom in sorted(enumerate(rule.background), key=lambda each: each[0] not in only):
        join = _Join.of(atom, bound, only.get(place), world)
        bound.update(name for name, _ in join.binds)
        found = join.extended(found, count)
    return found


def _constant(term: Const) -> str:
    """Names a constant among the values of variables."""
    return f"={term.value!r}"


@dataclass(frozen=True, slots=True)
class _Join:
    """The join with an atom: its rows by the `given` values; `same` are pairs of places with equal values."""

    table: Mapping[Row, Sequence[Row]]
    given: tuple[str, ...]
    binds: Sequence[tuple[str, int]]
    same: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, atom: StaticAtom, bound: Collection[str], only: set[Row] | None, world: _World) -> _Join:
        binds: dict[str, int] = {}
        given: dict[int, str] = {}
        same: list[tuple[int, int]] = []
        for place, each in enumerate(atom.arguments):
            if isinstance(each, Const):
                given[place] = _constant(each)
            elif isinstance(each, Var) and each.name in bound:
                given[place] = each.name
            elif isinstance(each, Var) and binds.setdefault(each.name, place) != place:
                same.append((binds[each.name], place))
        table = world.table(atom.predicate, tuple(given)) if only is None else _put({}, only, tuple(given))
        return cls(table, tuple(given.values()), tuple(binds.items()), tuple(same))

    def extended(self, known: Iterable[Values], count: Callable[[int], None]) -> Iterator[Values]:
        for values in known:
            rows = self.table.get(tuple([values[name] for name in self.given]), ())
            if self.same:
                rows = [row for row in rows if all(row[one] == row[other] for one, other in self.same)]
            count(len(rows))
            for row in rows:
                yield {**values, **{name: row[place] for name, place in self.binds}}
