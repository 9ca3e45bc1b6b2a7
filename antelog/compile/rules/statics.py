"""Evaluates the static relations before the run.

In come the static facts of the program and those that are given, out go all facts of every static
relation. Relations are worked out one after the other, each after those it rests on, until nothing new
follows; every round joins at least one fact the last round found (semi-naive evaluation).

    Near(a, b). Near(b, c). Far(X, Z) :- Near(X, Y), Near(Y, Z).    Far(a, c)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from antelog.compile.literals import StaticAtom
from antelog.compile.literals.literal import PutIn, Value
from antelog.compile.literals.terms import Const, Var, variables_in
from antelog.compile.nodes.plan import Plan, StaticRule
from antelog.errors import FunctionError, UnsupportedError
from antelog.language.graph import components

Row = tuple[Value, ...]
Facts = dict[str, set[Row]]
Values = dict[str, Value]

MOST_FACTS = 1_000_000
"""The facts that static rules may derive; all of them are kept in memory."""

MOST_JOINED = 3_000_000
"""The rows that static rules may join on the way to them, a few seconds' work."""


Call: TypeAlias = Callable[[str, Sequence[Value]], Value | bool | None]
"""Calls a function by its name."""


def _call_nothing(function: str, _arguments: Sequence[Value]) -> None:
    raise FunctionError(f"the static rules call {function}, and no function is given")


def evaluate(
    plan: Plan, given: Mapping[str, Iterable[Row]] | None = None, call: Call = _call_nothing
) -> dict[str, frozenset[Row]]:
    """All facts of every static relation: the program's, the given ones, and those derived from them."""
    facts: Facts = {static.name: set(static.facts) for static in plan.statics}
    for name, rows in (given or {}).items():
        facts[name].update(rows)
    rules: dict[str, list[StaticRule]] = {static.name: [] for static in plan.statics}
    for rule in plan.static_rules:
        rules[rule.predicate].append(rule)
    work = _Work(call)
    needs = {name: [each for rule in own for each in rule.predicates] for name, own in rules.items()}
    for members in components(needs):
        _saturate([rule for name in members for rule in rules[name]], set(members), facts, work)
    return {name: frozenset(rows) for name, rows in facts.items()}


def _saturate(rules: list[StaticRule], members: set[str], facts: Facts, work: _Work) -> None:
    indexes = _Indexes(facts, work.call)
    fresh: Facts = {name: set() for name in members}
    for rule in rules:
        fresh[rule.predicate] |= _derive(rule, None, indexes, facts, work)
    while any(fresh.values()):
        new = {name: rows - facts[name] for name, rows in fresh.items()}
        for name, rows in new.items():
            indexes.add(name, rows)
        fresh = {name: set() for name in members}
        for rule in rules:
            for position, atom in enumerate(rule.background):
                if new.get(atom.predicate):
                    only = _New(position, new[atom.predicate])
                    fresh[rule.predicate] |= _derive(rule, only, indexes, facts, work)
        fresh = {name: rows - facts[name] for name, rows in fresh.items()}


class _Work:
    """Calls functions, and counts the facts that rules derive and the rows they join on the way."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self._facts = self._joined = 0

    def derive(self, name: str) -> None:
        self._facts += 1
        if self._facts > MOST_FACTS:
            raise _too_much(name, f"derive more than {MOST_FACTS} facts")

    def join(self, name: str, rows: int) -> None:
        self._joined += rows
        if self._joined > MOST_JOINED:
            raise _too_much(name, f"join more than {MOST_JOINED} rows")


def _too_much(name: str, what: str) -> UnsupportedError:
    return UnsupportedError(
        f"{name}: the rules of static relations {what}, the most there may be. Let the atoms "
        "of its rules share variables, and leave out columns that nothing asks for."
    )


class _Indexes:
    """Facts by the values at some of their positions, made when first asked for."""

    def __init__(self, facts: Facts, call: Call) -> None:
        self._facts = facts
        self.called = call
        self._made: dict[tuple[str, tuple[int, ...]], dict[Row, list[Row]]] = {}

    def exists(self, name: str, known: tuple[Value | None, ...]) -> bool:
        """Whether there is a fact with these values (None: any)."""
        return next(iter(self.find(name, known)), None) is not None

    def find(self, name: str, known: tuple[Value | None, ...]) -> Iterable[Row]:
        """The facts with these values."""
        positions = tuple(i for i, value in enumerate(known) if value is not None)
        values = tuple(value for value in known if value is not None)
        return self.table(name, positions).get(values, ())

    def table(self, name: str, positions: tuple[int, ...]) -> Mapping[Row, Sequence[Row]]:
        """The facts by the values at some of their positions."""
        key = (name, positions)
        if key not in self._made:
            self._made[key] = _table(self._facts[name], positions)
        return self._made[key]

    def add(self, name: str, rows: set[Row]) -> None:
        self._facts[name] |= rows
        for key in self._made:
            if key[0] == name:
                table, positions = self._made[key], key[1]
                for row in rows:
                    table.setdefault(tuple(row[i] for i in positions), []).append(row)


class _New(NamedTuple):
    """The rows that an atom of a rule has since the last round."""

    position: int
    rows: set[Row]


def _derive(rule: StaticRule, new: _New | None, indexes: _Indexes, facts: Facts, work: _Work) -> set[Row]:
    """The heads a rule gives; with `new`, its atom at that position takes only those rows."""
    known, found = facts[rule.predicate], set[Row]()
    for joined in _rows(rule, new, indexes, work):
        values = _with_worked_out(rule, joined, indexes)
        if all(test.variables <= values.keys() and test.holds(values, indexes) for test in rule.tests):
            row = tuple(values[term.name] if isinstance(term, Var) else term.value for term in rule.answer)
            if row not in known and row not in found:
                work.derive(rule.predicate)
                found.add(row)
    return found


def _with_worked_out(rule: StaticRule, values: Values, indexes: _Indexes) -> Values:
    """Values, with those of the variables that equations give some: D = W - V."""
    equations = [each.defines for each in rule.comparisons if each.defines is not None]
    for _ in equations:
        for name, operand in equations:
            if name not in values and variables_in([operand]) <= values.keys():
                found = PutIn(values, indexes).operand(operand)
                values = {**values, name: found.value} if isinstance(found, Const) else values
    return values


def _rows(rule: StaticRule, new: _New | None, indexes: _Indexes, work: _Work) -> Iterator[Values]:
    """The values with which all atoms of a rule are facts, one after the other: there may be very many."""
    atoms: list[tuple[StaticAtom, set[Row] | None]] = [(atom, None) for atom in rule.background]
    if new is not None:
        atoms.insert(0, (atoms.pop(new.position)[0], new.rows))
    joins, bound = list[_Join](), dict[str, int]()
    values: Values = {_constant(each): each.value for atom, _ in atoms for each in _constants(atom)}
    for atom, only in atoms:
        joins.append(_Join.of(atom, bound, only, indexes))
        bound.update(joins[-1].binds)
    work.join(rule.predicate, 1)
    depth, stack, joined = 0, [iter(joins[0].rows(values))] if joins else [], 0
    if not joins:
        yield values
    while stack:
        row = next(stack[depth], None)
        if row is None:
            work.join(rule.predicate, joined)
            stack.pop()
            depth, joined = depth - 1, 0
            continue
        join = joins[depth]
        if join.same and any(row[one] != row[other] for one, other in join.same):
            continue
        for name, place in join.binds:
            values[name] = row[place]
        joined += 1
        if depth + 1 == len(joins):
            yield values
        else:
            depth += 1
            stack.append(iter(joins[depth].rows(values)))


def _constants(atom: StaticAtom) -> list[Const]:
    return [each for each in atom.arguments if isinstance(each, Const)]


def _constant(term: Const) -> str:
    """The name of a constant among the values of variables."""
    return f"={term.value!r}"


@dataclass(frozen=True, slots=True)
class _Join:
    """An atom after those that bind some variables: its rows, by the values given, bind others.

    `same` are pairs of places that need the same value.
    """

    table: Mapping[Row, Sequence[Row]]
    given: tuple[str, ...]
    binds: Sequence[tuple[str, int]]
    same: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, atom: StaticAtom, bound: Collection[str], only: set[Row] | None, indexes: _Indexes) -> _Join:
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
        table = indexes.table(atom.predicate, tuple(given)) if only is None else _table(only, tuple(given))
        return cls(table, tuple(given.values()), tuple(binds.items()), tuple(same))

    def rows(self, values: Values) -> Sequence[Row]:
        return self.table.get(tuple([values[name] for name in self.given]), ())


def _table(rows: Iterable[Row], positions: tuple[int, ...]) -> dict[Row, list[Row]]:
    """Rows by the values at some of their positions."""
    table: dict[Row, list[Row]] = {}
    for row in rows:
        table.setdefault(tuple(row[i] for i in positions), []).append(row)
    return table
