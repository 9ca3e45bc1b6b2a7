"""Which facts a program has no use for, found out before the buckets see them.

A fact matters only if it meets a literal: the constants in it, and what its variables are compared
with. Under a negation it also has to have the values the negation asks for. One that meets none is
passed over and counted, but only if it is neither late nor early nor malformed by its own columns,
for those are to be reported. Of inputs with `one per` all facts matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.terms import Const, Term, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Plan, Relation
from antelog.engine.columns.tables import Mask
from antelog.engine.facts.ticks import LAST, ticks_of
from antelog.engine.values.kinds import Kind, kind_of
from antelog.engine.values.types import Types

_TESTS = {
    "<": pc.less, "<=": pc.less_equal, ">": pc.greater, ">=": pc.greater_equal,
    "=": pc.equal, "!=": pc.not_equal,
}  # fmt: skip


@dataclass(frozen=True)
class Test:
    """What a fact's column has to be for it to meet a literal."""

    column: str
    operator: str
    value: str | int | float


Needs = tuple[tuple[Test, ...], ...]
"""A fact is of use if it passes all tests of one of these; without tests, every fact is."""


def needs_of(plan: Plan, name: str, types: Types) -> Needs:
    """What facts of an input are of use, given the types of its columns."""
    source = next(s for s in plan.inputs if s.name == name)
    if source.slot is not None:
        return ((),)  # each of them excludes others
    kinds = dict(zip(source.columns, map(kind_of, types), strict=True))
    for column, declared in zip(source.columns, source.types, strict=False):
        if declared == "text" and kinds[column] is not Kind.TEXT:
            kinds[column] = None  # the engine makes texts of what these are
    found = {
        _tests(source.columns, kinds, atom.arguments, _conditions(pattern, demand))
        for relation, demand in _demands(plan)
        for pattern in relation.patterns
        for atom in pattern.atoms
        if atom.predicate == name
    }
    return ((),) if () in found else tuple(sorted(found, key=str))


def _tests(
    columns: tuple[str, ...],
    kinds: Mapping[str, Kind | None],
    arguments: tuple[Term, ...],
    conditions: _Conditions,
) -> tuple[Test, ...]:
    tests = {
        Test(column, operator, value)
        for column, argument in zip(columns, arguments, strict=False)
        for operator, value in _asked_of(argument, conditions)
    }
    return tuple(sorted((test for test in tests if _can_tell(test, kinds[test.column])), key=str))


# ---- what is asked of a relation's answers, and of a pattern's variables ----

_Condition: TypeAlias = tuple[str, str | int | float]
"""An operator, and the value that stands on its right."""

_Conditions: TypeAlias = Mapping[str, frozenset[_Condition]]
"""For each variable of a pattern what it has to be."""

_Demand: TypeAlias = tuple[frozenset[_Condition], ...]
"""For each variable of a relation what it has to be for anybody to ask."""


def _demands(plan: Plan) -> set[tuple[Relation, _Demand]]:
    """The relations, each with all that is asked of it: by queries anything, by negations their values."""
    relations = {relation.name: relation for relation in plan.relations}
    found = {(query, (frozenset[_Condition](),) * len(query.answer.variables)) for query in plan.queries}
    waiting = list(found)
    while waiting:
        relation, demand = waiting.pop()
        for pattern in relation.patterns:
            conditions = _conditions(pattern, demand)
            for negation in pattern.negations:
                asked = tuple(_asked_of(term, conditions) for term in negation.asked)
                new = (relations[negation.relation], asked)
                if new not in found:
                    found.add(new)
                    waiting.append(new)
    return found


def _asked_of(term: Term, conditions: _Conditions) -> frozenset[_Condition]:
    if isinstance(term, Const):
        return frozenset({("=", term.value)})
    return conditions.get(term.name, frozenset())


def _conditions(pattern: Pattern, demand: _Demand) -> _Conditions:
    """What the variables of a pattern have to be: what they are compared with, and what is asked for.

    A value that fails the comparisons with an unguarded variable is told as well, so its facts count.
    """
    found: dict[str, frozenset[_Condition]] = {}
    unguarded = set(pattern.unguarded)
    for comparison in pattern.comparisons:
        for variable, condition in _of_variables(comparison):
            if variable.name in unguarded:
                continue
            found[variable.name] = found.get(variable.name, frozenset()) | {condition}
    for term, asked in zip(pattern.answer, demand, strict=True):
        if isinstance(term, Var):
            found[term.name] = found.get(term.name, frozenset()) | asked
    return found


def _of_variables(comparison: Comparison) -> Iterator[tuple[Var, _Condition]]:
    for each in (comparison, comparison.mirrored):
        if isinstance(each.left, Var) and isinstance(each.right, Const):
            yield each.left, (each.operator, each.right.value)


def _can_tell(test: Test, kind: Kind | None) -> bool:
    """Whether Arrow tells it as the engine does. Whole numbers may differ that are equal as doubles."""
    if isinstance(test.value, str):
        return kind is Kind.TEXT and test.operator in ("=", "!=")
    return kind is Kind.NUMBER and test.operator != "!="


def of_use(needs: Needs, table: pa.Table) -> Mask:
    """Which rows are of use."""
    found = np.zeros(table.num_rows, np.bool_)
    for tests in needs:
        met = np.ones(table.num_rows, np.bool_)
        for test in tests:
            met &= _passes(test, table.column(test.column))
        found |= met
    return found


def _passes(test: Test, column: pa.ChunkedArray) -> Mask:
    if not isinstance(test.value, str):
        column = column.cast(pa.float64(), safe=False)
    passed = _TESTS[test.operator](column, pa.scalar(test.value, column.type))
    mask: Mask = pc.fill_null(passed, False).to_numpy()
    return mask


def in_order(plan: Plan, name: str, table: pa.Table, arrival: str) -> Mask:
    """Which rows are neither late nor early nor malformed, as far as they tell themselves."""
    source = next(s for s in plan.inputs if s.name == name)
    time = ticks_of(table.column(source.columns[-1]), plan.tick)
    arrived = ticks_of(table.column(arrival), plan.tick)
    soonest = min(source.delays)
    waited = arrived.numbers - time.numbers
    fine: Mask = time.whole & arrived.whole & (time.numbers >= 0) & (arrived.numbers <= LAST)
    fine &= (waited >= 0) & (waited <= soonest)
    for column, declared in zip(source.columns, source.types, strict=False):
        array = table.column(column)
        kind = kind_of(array.type)
        if declared is not None and (declared == "number") != (kind is Kind.NUMBER):
            return np.zeros(table.num_rows, np.bool_)
        fine &= array.is_valid().to_numpy()
        if is_a.is_floating(array.type):
            fine &= pc.fill_null(pc.is_finite(array), False).to_numpy()
    return fine
