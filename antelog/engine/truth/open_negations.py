"""By when everything has come that a negated literal with open variables may rest on.

    P(X, T) :- A(X, T), C(Y, T+1), not B(Y, T).     B with delay 2
    A(a, 3) came: not B(Y, 3) rests on any B about tick 3, so it is settled by 5

Such a literal is neither true nor false; here it only matters how long it may delay the answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antelog.compile.nodes.patterns import Comparison, Time, Var
from antelog.compile.nodes.variables import compared
from antelog.compile.prepared.literals import NegatedLiteral
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.spans import spans_of
from antelog.engine.columns.tables import NEVER, Column, distinct, groups, keys_of, marked
from antelog.engine.matching.partials import Partial, partials
from antelog.engine.matching.rows import AS_OF, Bound, Rows, term_column, time_column
from antelog.engine.truth.atoms import Judge, looked_at, with_negations
from antelog.engine.truth.deadlines import latest_tick
from antelog.engine.truth.derivations import Derivations, with_facts
from antelog.engine.values.comparing import passing

_SEED = "<seed>"
_DEPTH = "<depth>"
_DEEPEST = 8
"""Negations with open variables that are nested deeper than this are left out."""


def settled_by(judge: Judge, found: Derivations, negation: NegatedLiteral) -> Column:
    """For each derivation the last deadline of what the negated literal may rest on; -1 if there is none."""
    rows, time = found.rows, negation.atom.time
    depth = int(rows.bound[_DEPTH][0]) + 1 if _DEPTH in rows.bound and rows.count else 1
    settled = np.full(rows.count, np.int64(-1))
    if rows.count == 0 or depth > _DEEPEST:
        return settled
    ticks = time_column(time, rows) if _is_known(time, rows) else latest_tick(found.prepared, time, rows)
    endless = ticks == NEVER
    settled[endless] = NEVER
    asked: dict[int, Column] = {
        i: term_column(term, rows, judge.known.values)
        for i, term in enumerate(negation.atom.asked)
        if not isinstance(term, Var) or term.name in rows.bound
    }
    conditions = _own_conditions(found.prepared, negation, rows)
    given = sorted({name for c in conditions for name in compared(c)} & rows.bound.keys())
    wanted = [*asked.values(), *(rows.bound[name] for name in given), ticks, rows.bound[AS_OF]]
    (key,) = keys_of([wanted])
    same = groups(key)
    once = [column.take(same.first) for column in wanted]
    count = len(once[0])
    seed = Rows(
        {
            **dict(zip([*map(str, asked), *map(_given, given)], once, strict=False)),
            _SEED: np.arange(count), AS_OF: once[-1], "time": once[-2],
        },
        count,
    ).take(marked(~endless.take(same.first)))  # fmt: skip
    latest = np.full(count, np.int64(-1))
    asked_for = _Asked(negation, seed, conditions, depth)
    for number in range(len(judge.known.rules.patterns[negation.atom.relation])):
        _settle(judge, asked_for, number, latest)
    return np.maximum(settled, latest.take(same.numbers))


def _is_known(time: Time, rows: Rows) -> bool:
    return time.variable is None or time.variable in rows.bound


def _own_conditions(prepared: Prepared, negation: NegatedLiteral, rows: Rows) -> list[Comparison]:
    """The comparisons that the open variables of the literal have to meet, about no other open ones."""
    open_, own = negation.variables - rows.bound.keys(), negation.variables | rows.bound.keys()
    return [c for c in prepared.pattern.comparisons if compared(c) & open_ and compared(c) <= own]


def _given(name: str) -> str:
    """What a known variable of the derivation is called in the rows of what it negates."""
    return f"<given {name}>"


@dataclass(frozen=True, eq=False)
class _Asked:
    """The atoms of a negated literal, as far as they have values, and what the others have to meet."""

    negation: NegatedLiteral
    seed: Rows
    conditions: list[Comparison]
    depth: int


def _settle(judge: Judge, asked: _Asked, number: int, latest: Column) -> None:
    """Writes down the last deadlines of a pattern's derivations of the atoms."""
    known, relation = judge.known, asked.negation.atom.relation
    prepared, background = known.rules.patterns[relation][number], known.background[relation][number]
    started = _started(judge, prepared, asked.seed)
    if started.count == 0:
        return
    about = spans_of(distinct(time_column(prepared.pattern.time, started)))
    for part in partials(prepared, started, known.found(prepared, about), background, known.values):
        kept = part.take(_meeting(judge, asked, prepared, part))
        if kept.rows.count == 0:
            continue
        deeper = Rows({**kept.rows.bound, _DEPTH: np.full(kept.rows.count, asked.depth)}, kept.rows.count)
        each = with_negations(judge, with_facts(known, prepared, Partial(deeper, kept.arrived)))
        then = looked_at(each)
        last = np.where((each.holds > then) & (each.fails > then), each.settled, -1).max(axis=0, initial=-1)
        np.maximum.at(latest, each.rows.bound[_SEED], np.where(each.failed > then, last, -1))


def _started(judge: Judge, prepared: Prepared, seed: Rows) -> Rows:
    """The atoms asked for that the answer of a pattern fits, as values of its variables."""
    pattern = prepared.pattern
    bound: dict[str, Column] = {name: c for name, c in seed.bound.items() if name.startswith("<")}
    fits = np.ones(seed.count, np.bool_)
    for i, term in enumerate(pattern.answer):
        column = seed.bound.get(str(i))
        if column is None:
            continue
        if isinstance(term, Var):
            fits &= bound.setdefault(term.name, column) == column
        else:
            fits &= column == judge.known.values.cell(term.value)
    ticks = seed.bound["time"] - pattern.time.offset
    if pattern.time.variable is not None:
        bound[pattern.time.variable] = ticks
    else:
        fits &= ticks == 0
    return Rows(bound, seed.count).take(fits)


def _meeting(judge: Judge, asked: _Asked, prepared: Prepared, part: Partial) -> Column:
    """The rows that meet the conditions of the literal's own variables, as far as they have values."""
    rows, values = part.rows, judge.known.values
    known = {name for test in asked.conditions for name in compared(test) if _given(name) in rows.bound}
    bound: Bound = {name: rows.bound[_given(name)] for name in known} | {
        term.name: term_column(answer, rows, values)
        for term, answer in zip(asked.negation.atom.asked, prepared.pattern.answer, strict=True)
        if isinstance(term, Var) and (not isinstance(answer, Var) or answer.name in rows.bound)
    }
    return marked(passing(asked.conditions, bound, rows.count, values))
