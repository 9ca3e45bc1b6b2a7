"""What follows from background facts, worked out beforehand.

In come the static facts of the program and those that are given, out go all facts of every static
relation. Relations are worked out one after the other, each after those it rests on, until nothing new
follows; every round joins at least one fact the last round found (semi-naive evaluation).

    Near(a, b). Near(b, c). Far(X, Z) :- Near(X, Y), Near(Y, Z).    Far(a, c)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from antelog.compile.conditions.comparisons import outcome
from antelog.compile.nodes.patterns import Comparison, Const, Operand, StaticAtom, Sum, Var
from antelog.compile.nodes.plan import Plan, StaticRule
from antelog.language.graph import components
from antelog.language.syntax import number

Row = tuple[str | int | float, ...]
Facts = dict[str, set[Row]]
Bindings = dict[str, str | int | float]


def evaluate(plan: Plan, given: Mapping[str, Iterable[Row]] | None = None) -> dict[str, frozenset[Row]]:
    """All facts of every static relation: the program's, those given, and what follows."""
    facts: Facts = {static.name: set(static.facts) for static in plan.statics}
    for name, rows in (given or {}).items():
        facts[name].update(rows)
    rules: dict[str, list[StaticRule]] = {static.name: [] for static in plan.statics}
    for rule in plan.static_rules:
        rules[rule.predicate].append(rule)
    needs = {name: [a.predicate for rule in own for a in rule.body] for name, own in rules.items()}
    for members in components(needs):
        _saturate([rule for name in members for rule in rules[name]], set(members), facts)
    return {name: frozenset(rows) for name, rows in facts.items()}


def _saturate(rules: list[StaticRule], members: set[str], facts: Facts) -> None:
    indexes = _Indexes(facts)
    fresh: Facts = {name: set() for name in members}
    for rule in rules:
        fresh[rule.predicate] |= _derive(rule, None, indexes, facts)
    while any(fresh.values()):
        new = {name: rows - facts[name] for name, rows in fresh.items()}
        for name, rows in new.items():
            indexes.add(name, rows)
        fresh = {name: set() for name in members}
        for rule in rules:
            for position, atom in enumerate(rule.body):
                if new.get(atom.predicate) and not atom.negated:
                    fresh[rule.predicate] |= _derive(rule, (position, new[atom.predicate]), indexes, facts)
        fresh = {name: rows - facts[name] for name, rows in fresh.items()}


class _Indexes:
    """Facts by the values at some of their positions, made when first asked for."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._made: dict[tuple[str, tuple[int, ...]], dict[Row, list[Row]]] = {}

    def find(self, name: str, positions: tuple[int, ...], values: Row) -> Iterable[Row]:
        if not positions:
            return tuple(self._facts[name])
        key = (name, positions)
        if key not in self._made:
            self._made[key] = {}
            self._enter(key, self._facts[name])
        return self._made[key].get(values, ())

    def add(self, name: str, rows: set[Row]) -> None:
        self._facts[name] |= rows
        for key in self._made:
            if key[0] == name:
                self._enter(key, rows)

    def _enter(self, key: tuple[str, tuple[int, ...]], rows: Iterable[Row]) -> None:
        table, positions = self._made[key], key[1]
        for row in rows:
            table.setdefault(tuple(row[i] for i in positions), []).append(row)


def _derive(rule: StaticRule, new: tuple[int, set[Row]] | None, indexes: _Indexes, facts: Facts) -> set[Row]:
    """The heads a rule gives; with `new`, its atom at that position takes only those rows."""
    positive = [i for i, atom in enumerate(rule.body) if not atom.negated]
    if new is not None:
        positive = [new[0], *(i for i in positive if i != new[0])]
    rows: list[Bindings] = [{}]
    for i in positive:
        only = new[1] if new is not None and i == new[0] else None
        rows = [extended for bound in rows for extended in _join(rule.body[i], bound, only, indexes)]
    heads = set()
    for bound in rows:
        if all(_holds(c, bound) for c in rule.comparisons) and not any(
            atom.negated and next(_join(atom, bound, None, indexes), None) is not None for atom in rule.body
        ):
            heads.add(tuple(_value(term, bound) for term in rule.answer))
    return heads - facts[rule.predicate]


def _value(term: Var | Const, bound: Bindings) -> str | int | float:
    return bound[term.name] if isinstance(term, Var) else term.value


def _join(atom: StaticAtom, bound: Bindings, only: set[Row] | None, indexes: _Indexes) -> Iterator[Bindings]:
    """The bindings, extended by each fact that fits the atom."""
    known = {
        i: a.value if isinstance(a, Const) else bound[a.name]
        for i, a in enumerate(atom.arguments)
        if isinstance(a, Const) or (isinstance(a, Var) and a.name in bound)
    }
    if only is None:
        rows = indexes.find(atom.predicate, tuple(known), tuple(known.values()))
    else:
        rows = [row for row in only if all(row[i] == value for i, value in known.items())]
    for row in rows:
        extended = dict(bound)
        if all(
            not isinstance(a, Var) or extended.setdefault(a.name, value) == value
            for a, value in zip(atom.arguments, row, strict=True)
        ):
            yield extended


def _holds(comparison: Comparison, bound: Bindings) -> bool:
    left, right = _operand(comparison.left, bound), _operand(comparison.right, bound)
    return outcome(Comparison(left, comparison.operator, right)) is True


def _operand(operand: Operand, bound: Bindings) -> Operand:
    if isinstance(operand, Var):
        return Const(bound[operand.name])
    if isinstance(operand, Sum):
        value = bound[operand.variable]
        assert not isinstance(value, str)
        return Const(number(value + operand.offset))
    return operand
