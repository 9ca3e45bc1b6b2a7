"""Drops facts that a program does not need, before they are sent to buckets.

A fact is needed if it fits a literal, as far as constants and comparisons in the rules decide that. Others
are only counted, unless they are late, early or malformed by their own columns, as those are reported. All
facts are needed of inputs with `one per` or `every`, and of those with a column that an unguarded variable
leads to: each may have a new value.

    not P(X, high, V, T), V > 3      P is needed with level = high and v > 3
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
from antelog.compile.literals.literal import Value
from antelog.compile.literals.terms import Const, Term, Var
from antelog.compile.nodes.columns import input_columns
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Plan, Relation
from antelog.engine.columns.tables import Mask
from antelog.engine.values.numbers import Numbers
from antelog.engine.values.types import Types
from antelog.engine.values.values import Values
from antelog.language.literals.comparison import HOLDS


@dataclass(frozen=True, order=True)
class Requirement:
    """A comparison with a constant: `> 3`."""

    operator: str
    value: Value


Requirements: TypeAlias = frozenset[Requirement]
"""The comparisons that a value has to meet."""

Needs: TypeAlias = frozenset[frozenset[tuple[str, Requirement]]]
"""A fact is needed if its columns meet all requirements of one of these; an empty one fits every fact."""

EVERYTHING: Needs = frozenset({frozenset()})


def needs_of(plan: Plan, name: str, types: Types) -> Needs:
    """The needed facts of an input, given the types of its columns."""
    source = next(s for s in plan.inputs if s.name == name)
    if (
        source.slot is not None
        or source.expected.of
        or any(column.name == name for column in input_columns(plan))
    ):
        return EVERYTHING
    kinds = dict(zip(source.columns, map(kind_of, types), strict=True))
    for column, declared in zip(source.columns, source.types, strict=False):
        if declared == "text" and kinds[column] is not Kind.TEXT:
            kinds[column] = None  # the engine makes texts of these
    found = frozenset(
        frozenset(
            (column, requirement)
            for column, argument in zip(source.columns, reference.arguments, strict=False)
            for requirement in _required_of(argument, required)
            if _can_tell(requirement, kinds[column])
        )
        for pattern, required in _patterns(plan)
        for literal in pattern.literals
        for reference in literal.references
        if reference.of_input and reference.name == name
    )
    return EVERYTHING if frozenset() in found else found


def covers(known: Needs, wanted: Needs) -> bool:
    """Whether all facts that are wanted are among the known ones."""
    return all(any(_implies(more, fewer) for fewer in known) for more in wanted)


def _implies(more: frozenset[tuple[str, Requirement]], fewer: frozenset[tuple[str, Requirement]]) -> bool:
    """Whether a fact that meets some requirements meets these, too."""
    return all(
        any(column == other and _follows(needed, given) for other, given in more) for column, needed in fewer
    )


def _follows(needed: Requirement, given: Requirement) -> bool:
    """Whether one comparison holds wherever another does: `> 90` where `> 91` does."""
    if needed == given:
        return True
    if isinstance(needed.value, str) or isinstance(given.value, str):
        return given.operator == "=" and needed.operator == "!=" and needed.value != given.value
    if given.operator == "=":
        return bool(HOLDS[needed.operator](given.value, needed.value))
    if needed.operator not in (given.operator[0], f"{given.operator[0]}=") or given.operator == "!=":
        return False
    if needed.value == given.value:
        return needed.operator == f"{given.operator[0]}="
    return bool(HOLDS[given.operator[0]](given.value, needed.value))


def _patterns(plan: Plan) -> Iterator[tuple[Pattern, Mapping[str, Requirements]]]:
    """The patterns that queries depend on, each with the requirements of its variables.

    Queries require nothing of a relation, literals the values of their variables.
    """
    relations = {relation.name: relation for relation in plan.relations}
    waiting = [(query, (Requirements(),) * len(query.answer.variables)) for query in plan.queries]
    seen: set[tuple[Relation, tuple[Requirements, ...]]] = set(waiting)
    while waiting:
        relation, wanted = waiting.pop()
        for pattern in relation.patterns:
            required = _required(pattern, wanted)
            yield pattern, required
            for reference in (each for literal in pattern.literals for each in literal.references):
                if not reference.of_input:
                    values = tuple(_required_of(term, required) for term in reference.given)
                    new = (relations[reference.name], values)
                    if new not in seen:
                        seen.add(new)
                        waiting.append(new)


def _required(pattern: Pattern, wanted: tuple[Requirements, ...]) -> Mapping[str, Requirements]:
    """The requirements of a pattern's variables: by its comparisons, and those of its answer."""
    found: dict[str, Requirements] = {}
    for each in (c for comparison in pattern.comparisons for c in (comparison, comparison.mirrored)):
        if isinstance(each.left, Var) and isinstance(each.right, Const):
            requirement = Requirement(each.operator, each.right.value)
            found[each.left.name] = found.get(each.left.name, Requirements()) | {requirement}
    for term, required in zip(pattern.answer, wanted, strict=True):
        if isinstance(term, Var):
            found[term.name] = found.get(term.name, Requirements()) | required
    return found


def _required_of(term: Term | None, required: Mapping[str, Requirements]) -> Requirements:
    if isinstance(term, Const):
        return Requirements({Requirement("=", term.value)})
    return Requirements() if term is None else required.get(term.name, Requirements())


# ---- rows ----


def _can_tell(requirement: Requirement, kind: Kind | None) -> bool:
    """Whether `_met_by` agrees with the engine: `!=` may not, as whole numbers can be equal as doubles."""
    if isinstance(requirement.value, str):
        return kind is Kind.TEXT and requirement.operator in ("=", "!=")
    return kind is Kind.NUMBER and requirement.operator != "!="


def of_use(needs: Needs, table: pa.Table) -> Mask:
    """The rows that are needed."""
    found = np.zeros(table.num_rows, np.bool_)
    for tests in needs:
        met = np.ones(table.num_rows, np.bool_)
        for column, requirement in tests:
            met &= _met_by(requirement, table.column(column))
        found |= met
    return found


def _met_by(requirement: Requirement, column: pa.ChunkedArray) -> Mask:
    if isinstance(requirement.value, str):
        equal: Mask = pc.fill_null(pc.equal(column, requirement.value), False).to_numpy()
        mask = equal if requirement.operator == "=" else ~equal
    elif abs(requirement.value) < EXACT:
        doubles = column.cast(pa.float64(), safe=False).to_numpy()
        mask = HOLDS[requirement.operator](doubles, requirement.value)
    else:
        values = Values()
        limit = Numbers.of_cells(np.array([values.cell(requirement.value)]), values)
        numbers = Numbers.of_cells(values.encode(column), values)
        mask = numbers.compared(HOLDS[requirement.operator], limit)
    return mask


def in_order(plan: Plan, name: str, table: pa.Table, arrival: str) -> Mask:
    """The rows that are neither late nor early nor malformed, judged by each row alone."""
    source = next(s for s in plan.inputs if s.name == name)
    time = ticks_of(table.column(source.columns[-1]), plan.timescale)
    arrived = ticks_of(table.column(arrival), plan.timescale)
    soonest = min(source.delays)
    waited = arrived.numbers - time.numbers
    fine: Mask = time.whole & arrived.whole & (time.numbers >= 0) & (arrived.numbers <= LAST)
    fine &= (waited >= 0) & (waited <= soonest)
    for column, declared in zip(source.columns, source.types, strict=False):
        array = table.column(column)
        kind = kind_of(array.type)
        if declared is not None and (declared == "text") is (kind is Kind.NUMBER):
            return np.zeros(table.num_rows, np.bool_)
        fine &= array.is_valid().to_numpy()
        if declared == "integer" and not is_a.is_integer(array.type):
            fine &= Numbers.of_cells((values := Values()).encode(array), values).is_whole
        if is_a.is_floating(array.type):
            fine &= pc.fill_null(pc.is_finite(array), False).to_numpy()
    return fine
