"""Drops facts that a program does not need, before they are sent to buckets.

    not P(X, high, V, T), V > 3      P is needed with level = high and v > 3

All are needed of inputs with `one per` or `every`, and of those that give an unguarded variable its values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a

from antelog.arrow.grammar import EXACT
from antelog.arrow.kinds import Kind, kind_of
from antelog.arrow.ticks import LAST, ticks_of
from antelog.compile.literals.literal import Reference, Value
from antelog.compile.literals.terms import Const, Term, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Input, Plan
from antelog.compile.plan.partition import input_columns
from antelog.engine.columns.tables import Mask
from antelog.engine.values.types import Types
from antelog.language.literals.comparison import HOLDS

Test: TypeAlias = tuple[str, Value]  # a comparison with a constant: `> 3`
Tests: TypeAlias = frozenset[Test]  # the comparisons that a value has to meet


@dataclass(frozen=True)
class ColumnTest:
    """A comparison of a column with a constant: `v > 3`."""

    column: str
    operator: str
    value: Value

    def holds(self, table: pa.Table) -> Mask:
        """Which rows pass: the test holds of them, or their column has no value."""
        column = table.column(self.column)
        if not isinstance(self.value, str):
            column = column.cast(pa.float64(), safe=False)
        found: Mask = pc.fill_null(_COMPARED[self.operator](column, self.value), True).to_numpy()
        return found

    def follows(self, given: ColumnTest) -> bool:
        """Whether it holds wherever another test does: `> 90` holds where `> 91` does."""
        if self.column != given.column or self == given:
            return self == given
        if given.operator == "=":
            return bool(HOLDS[self.operator](given.value, self.value))
        sign = given.operator[0]
        if sign not in "<>" or self.operator[0] != sign:
            return False
        if self.value == given.value:
            return self.operator.endswith("=")
        return bool(HOLDS[sign](given.value, self.value))


_COMPARED = {
    "=": pc.equal, "!=": pc.not_equal, "<": pc.less, "<=": pc.less_equal,
    ">": pc.greater, ">=": pc.greater_equal,
}  # fmt: skip

Needs: TypeAlias = frozenset[frozenset[ColumnTest]]
"""A fact is needed if it passes all tests of one of these; an empty one fits every fact."""

EVERYTHING: Needs = frozenset({frozenset()})


def needs_of(plan: Plan, name: str, types: Types) -> Needs:
    """The tests of an input's facts that are needed, given the types of its columns."""
    source = next(s for s in plan.inputs if s.name == name)
    of_values = any(column.name == name for column in input_columns(plan))
    if source.slot is not None or source.expected.of or of_values:
        return EVERYTHING
    kinds = dict(zip(source.columns, map(kind_of, types), strict=True))
    for column, declared in zip(source.columns, source.types, strict=False):
        if declared == "text" and kinds[column] is not Kind.TEXT:
            kinds[column] = None  # the engine makes texts of these
    found = frozenset(
        frozenset(
            ColumnTest(column, *test)
            for column, argument in zip(source.columns, reference.untimed, strict=False)
            for test in _tests_of(argument, tests)
            if _can_tell(test, kinds[column])
        )
        for reference, tests in _references(plan)
        if reference.of_input and reference.name == name
    )
    return EVERYTHING if frozenset() in found else found


def covers(known: Needs, wanted: Needs) -> bool:
    """Whether facts that pass the wanted tests pass the known ones as well."""
    return all(
        any(all(any(test.follows(given) for given in more) for test in fewer) for fewer in known)
        for more in wanted
    )


def _can_tell(test: Test, kind: Kind | None) -> bool:
    """Whether a test as a double agrees with the engine, which compares whole numbers exactly."""
    operator, value = test
    if isinstance(value, str):
        return kind is Kind.TEXT and operator in ("=", "!=")
    return kind is Kind.NUMBER and operator != "!=" and abs(value) < EXACT


def _references(plan: Plan) -> Iterator[tuple[Reference, Mapping[str, Tests]]]:
    """The facts and atoms that queries depend on, each with the tests of its pattern's variables."""
    relations = {relation.name: relation for relation in plan.relations}
    waiting = [(query.name, (Tests(),) * len(query.answer.variables)) for query in plan.queries]
    seen = {*waiting}
    while waiting:
        name, wanted = waiting.pop()
        for pattern in relations[name].patterns:
            tests = _tests_in(pattern, wanted)
            for reference in (each for literal in pattern.literals for each in literal.references):
                yield reference, tests
                new = (reference.name, tuple(_tests_of(term, tests) for term in reference.untimed))
                if not reference.of_input and new not in seen:
                    seen.add(new)
                    waiting.append(new)


def _tests_in(pattern: Pattern, wanted: tuple[Tests, ...]) -> Mapping[str, Tests]:
    """The tests of a pattern's variables, from its comparisons and from those who want its answer."""
    found: dict[str, Tests] = {}
    for each in (c for comparison in pattern.comparisons for c in (comparison, comparison.mirrored)):
        if isinstance(each.left, Var) and isinstance(each.right, Const):
            test = (each.operator, each.right.value)
            found[each.left.name] = found.get(each.left.name, Tests()) | {test}
    for term, tests in zip(pattern.answer, wanted, strict=True):
        if isinstance(term, Var):
            found[term.name] = found.get(term.name, Tests()) | tests
    return found


def _tests_of(term: Term | None, tests: Mapping[str, Tests]) -> Tests:
    if isinstance(term, Const):
        return Tests({("=", term.value)})
    return Tests() if term is None else tests.get(term.name, Tests())


# ---- rows ----


def of_use(needs: Needs, table: pa.Table) -> Mask:
    """Which rows are needed, or have no value in a column that is tested."""
    found = np.zeros(table.num_rows, np.bool_)
    for tests in needs:
        met = np.ones(table.num_rows, np.bool_)
        for test in tests:
            met &= test.holds(table)
        found |= met
    return found


def in_order(source: Input, table: pa.Table, arrival: str) -> Mask:
    """Which rows, whose times are ticks, are surely neither late nor early nor malformed."""
    time, arrived = (ticks_of(table.column(name), None) for name in (source.columns[-1], arrival))
    waited = arrived.numbers - time.numbers
    fine: Mask = time.natural & arrived.whole & (arrived.numbers <= LAST)
    fine &= (waited >= 0) & (waited <= min(source.delays))
    for column, declared in zip(source.columns, source.types, strict=False):
        array = table.column(column)
        is_number = kind_of(array.type) is Kind.NUMBER
        misfit = declared is not None and (declared == "text") is is_number
        if misfit or (declared == "integer" and not is_a.is_integer(array.type)):
            return np.zeros(table.num_rows, np.bool_)
        usable = pc.is_finite(array) if is_a.is_floating(array.type) else pc.is_valid(array)
        fine &= pc.fill_null(usable, False).to_numpy()
    return fine
