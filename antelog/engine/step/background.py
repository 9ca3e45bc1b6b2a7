"""The background of patterns, worked out once: bindings of static facts, absent ones, and twins.

    Turbine(X) with Turbine(wt2), Turbine(wt4)      rows X = wt2 and X = wt4

    Lead(S, P, T) :- Shop(S, R), Hot(R, P, T).   Shop(annes, middle). Shop(bos, middle). Shop(carls, coast).

*Twins* are values of an answer that the background treats alike, and that nothing else looks at. The lines
about leads for annes and for bos are the same but for the name. So only those for annes are worked out, and
each line is written for both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from antelog.compile.literals import Call, Comparison, StaticAtom
from antelog.compile.literals.terms import Var, variables_in
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import Rules
from antelog.compile.rules.statics import Row
from antelog.engine.columns.joins import find, spread
from antelog.engine.columns.tables import Column, keys_of, marked
from antelog.engine.step.lines import joined
from antelog.engine.step.rows import ONE, Rows, distinct, passing
from antelog.engine.values.values import Values

Tables = Mapping[str, Sequence[tuple[int, ...]]]
"""The rows of each static relation, as cells."""


@dataclass(frozen=True)
class Background:
    """The static facts of a pattern: the bindings they leave, and those they forbid."""

    rows: Rows
    forbidden: tuple[Rows, ...]


@dataclass(frozen=True)
class StaticFacts:
    """The background: the rows of each relation, the background of each pattern, and the twins of queries."""

    tables: Tables
    of_patterns: Mapping[str, tuple[Background, ...]]
    twins: Mapping[str, Twins]


def static_of(plan: Plan, rules: Rules, rows: Mapping[str, frozenset[Row]], values: Values) -> StaticFacts:
    """The background of a plan, given the rows of its static relations."""
    tables = {name: [tuple(map(values.cell, row)) for row in table] for name, table in rows.items()}
    of_patterns = {
        name: tuple(background_of(each, tables, values) for each in patterns)
        for name, patterns in rules.patterns.items()
    }
    found = {
        query.name: twins(query, rules.patterns[query.name], of_patterns[query.name])
        for query in plan.queries
    }
    return StaticFacts(tables, of_patterns, {name: each for name, each in found.items() if each is not None})


def background_of(each: Prepared, tables: Tables, values: Values) -> Background:
    """The background of a pattern."""
    rows = ONE
    for atom in each.pattern.background:
        rows = joined(rows, rows_of(atom, tables[atom.predicate], values))
    tests: list[Comparison | Call] = [*each.pattern.comparisons, *each.calls]
    rows = rows.take(passing([t for t in tests if t.variables], rows.bound, rows.count, values))
    # A variable of the background alone is met by some value; which one makes no difference.
    rows = distinct([Rows({n: column for n, column in rows.bound.items() if n in each.used}, rows.count)])
    forbidden = (rows_of(atom, tables[atom.predicate], values) for atom in each.absent)
    return Background(rows, tuple(forbidden))


def rows_of(atom: StaticAtom, table: Sequence[tuple[int, ...]], values: Values) -> Rows:
    """The bindings of the variables of a static atom."""
    found: dict[tuple[int, ...], None] = {}
    names = list(dict.fromkeys(a.name for a in atom.arguments if isinstance(a, Var)))
    for row in table:
        bound: dict[str, int] = {}
        fits = True
        for argument, cell in zip(atom.arguments, row, strict=True):
            if isinstance(argument, Var):
                fits = fits and bound.setdefault(argument.name, cell) == cell
            elif argument is not None:
                fits = fits and values.cell(argument.value) == cell
        if fits:
            found[tuple(bound[name] for name in names)] = None
    columns = {name: np.array([row[i] for row in found], np.int64) for i, name in enumerate(names)}
    return Rows(columns, len(found))


# ---- twins ----


@dataclass(frozen=True, eq=False)
class Twins:
    """The twins at one position of a query's answers, and the background of each pattern with one of them.

    `one` of them stands for all; those it stands for are `all_` of them from `start` on, `size` in number.
    """

    position: int
    background: tuple[Background, ...]
    one: Column
    start: Column
    size: Column
    all_: Column

    def sizes(self, cells: Column) -> Column:
        """The number of twins of each value."""
        return self.size.take(find(cells, self.one))

    def each(self, cells: Column) -> tuple[Column, Column]:
        """All twins of some values: for each twin the position of its value among these, and its own."""
        at = find(cells, self.one)
        which, sought = spread(self.start.take(at), self.size.take(at))
        return which, self.all_.take(sought)


def twins(relation: Relation, patterns: Sequence[Prepared], background: Sequence[Background]) -> Twins | None:
    """The twins at the first position of a query's answers that has any; None if no position has."""
    if relation.unguarded:
        return None
    for position in range(len(relation.answer.variables)):
        names = [_alone(prepared, position) for prepared in patterns]
        if names and all(name in each.rows.bound for name, each in zip(names, background, strict=True)):
            found = _twins(position, [str(name) for name in names], background)
            if len(found.one) < len(found.all_):
                return found
    return None


def _alone(prepared: Prepared, position: int) -> str | None:
    """The variable at a position of the answer, if only the background and the answer have it."""
    pattern = prepared.pattern
    term = pattern.answer[position]
    if not isinstance(term, Var) or term.name not in pattern.given:
        return None
    others = (*pattern.answer[:position], *pattern.answer[position + 1 :])
    return None if term.name in prepared.looked_at | variables_in(others) else term.name


def _twins(position: int, names: Sequence[str], background: Sequence[Background]) -> Twins:
    """Values are twins if each pattern has them with the same values of other variables."""
    contexts: dict[int, set[tuple[int, int]]] = {}
    for number, (name, each) in enumerate(zip(names, background, strict=True)):
        rest = [column for other, column in each.rows.bound.items() if other != name]
        key = keys_of([rest])[0] if rest else np.zeros(each.rows.count, np.int64)
        for cell, other in zip(each.rows.bound[name].tolist(), key.tolist(), strict=True):
            contexts.setdefault(cell, set()).add((number, other))
    alike: dict[frozenset[tuple[int, int]], list[int]] = {}
    for cell, others in sorted(contexts.items()):
        alike.setdefault(frozenset(others), []).append(cell)
    size = np.array([len(cells) for cells in alike.values()], np.int64)
    one = np.array([cells[0] for cells in alike.values()], np.int64)
    chosen = tuple(_only(each, name, one) for name, each in zip(names, background, strict=True))
    all_ = np.array([cell for cells in alike.values() for cell in cells], np.int64)
    return Twins(position, chosen, one, np.cumsum(size) - size, size, all_)


def _only(background: Background, name: str, cells: Column) -> Background:
    """The background with some values of a variable only."""
    rows = background.rows
    return replace(background, rows=rows.take(marked(find(rows.bound[name], cells) >= 0)))
