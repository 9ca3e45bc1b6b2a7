"""By when everything has come that a negated literal with open variables may rest on.

    P(X, T) :- A(X, T), C(Y, T+1), not B(Y, T).     B with delay 2
    A(a, 3) came: not B(Y, 3) rests on any B about tick 3, so it is settled by 5

Such a literal is neither true nor false; here it only matters how long it may delay the answer. If its
time is open, all ticks that this can be are looked at together, and never one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.literal import AskedLiteral
from antelog.compile.literals.terms import Var
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.spans import covering
from antelog.engine.columns.tables import NEVER, Column, groups, keys_of, marked
from antelog.engine.matching.partials import Partial, partials
from antelog.engine.matching.rows import AS_OF, Rows, term_column, time_column
from antelog.engine.truth.atoms import Judge, answering, looked_at, with_negations
from antelog.engine.truth.deadlines import first_of, first_tick, last_of, latest_tick
from antelog.engine.truth.derivations import Derivations, with_facts
from antelog.engine.values.comparing import passing

_SEED, _FIRST, _LAST = "<seed>", "<first>", "<last>"
_DEPTH = "<depth>"
_DEEPEST = 8
"""Negations with open variables that are nested deeper than this are left out."""


def settled_by(judge: Judge, found: Derivations, negation: AskedLiteral) -> Column:
    """For each derivation the last deadline of what the negated literal may rest on; -1 if there is none."""
    rows, time = found.rows, negation.references[0].last
    depth = int(rows.bound[_DEPTH][0]) + 1 if _DEPTH in rows.bound and rows.count else 1
    settled = np.full(rows.count, np.int64(-1))
    if rows.count == 0 or depth > _DEEPEST:
        return settled
    timed = time.variable is None or time.variable in rows.bound
    if timed:
        first = last = time_column(time, rows)
    else:
        first, last = first_tick(found.prepared, time, rows), latest_tick(found.prepared, time, rows)
    settled[last == NEVER] = NEVER
    asked: dict[int, Column] = {
        i: term_column(term, rows, judge.known.values)
        for i, term in enumerate(negation.references[0].asked)
        if not isinstance(term, Var) or term.name in rows.bound
    }
    conditions = _own_conditions(found.prepared, negation, rows)
    given = sorted({name for c in conditions for name in c.variables} & rows.bound.keys())
    wanted = [*asked.values(), *(rows.bound[name] for name in given), first, last, rows.bound[AS_OF]]
    (key,) = keys_of([wanted])
    same = groups(key)
    once = [column.take(same.first) for column in wanted]
    count = len(once[0])
    seed = Rows(
        {
            **dict(zip([*map(str, asked), *map(_given, given)], once, strict=False)),
            _SEED: np.arange(count), _FIRST: once[-3], _LAST: once[-2], AS_OF: once[-1],
        },
        count,
    )  # fmt: skip
    seed = seed.take(marked((seed.bound[_FIRST] <= seed.bound[_LAST]) & (seed.bound[_LAST] < NEVER)))
    latest = np.full(count, np.int64(-1))
    asked_for = _Asked(negation, seed, timed, conditions, depth)
    for number in range(len(judge.known.rules.patterns[negation.references[0].name])):
        _settle(judge, asked_for, number, latest)
    return np.maximum(settled, latest.take(same.numbers))


def _own_conditions(prepared: Prepared, negation: AskedLiteral, rows: Rows) -> list[Comparison]:
    """The comparisons that the open variables of the literal have to meet, about no other open ones."""
    open_, own = negation.variables - rows.bound.keys(), negation.variables | rows.bound.keys()
    return [c for c in prepared.pattern.comparisons if c.variables & open_ and c.variables <= own]


def _given(name: str) -> str:
    """What a known variable of the derivation is called in the rows of what it negates."""
    return f"<given {name}>"


@dataclass(frozen=True, eq=False)
class _Asked:
    """The atoms of a negated literal, as far as they have values, and what the others have to meet.

    If they are not `timed`, their time may be any tick from _FIRST to _LAST.
    """

    negation: AskedLiteral
    seed: Rows
    timed: bool
    conditions: list[Comparison]
    depth: int


def _settle(judge: Judge, asked: _Asked, number: int, latest: Column) -> None:
    """Writes down the last deadlines of a pattern's derivations of the atoms."""
    known, relation = judge.known, asked.negation.references[0].name
    prepared, background = known.rules.patterns[relation][number], known.background[relation][number]
    started = _started(judge, prepared, asked)
    if started.count == 0:
        return
    about = covering(started.bound[_FIRST], started.bound[_LAST])
    for part in partials(prepared, started, known.found(prepared, about), background, known.values):
        kept = part.take(_meeting(judge, asked, prepared, part))
        if kept.rows.count == 0:
            continue
        deeper = Rows({**kept.rows.bound, _DEPTH: np.full(kept.rows.count, asked.depth)}, kept.rows.count)
        each = with_negations(judge, with_facts(known, prepared, Partial(deeper, kept.arrived)))
        then = looked_at(each)
        last = np.where((each.holds > then) & (each.fails > then), each.settled, -1).max(axis=0, initial=-1)
        np.maximum.at(latest, each.rows.bound[_SEED], np.where(each.failed > then, last, -1))


def _started(judge: Judge, prepared: Prepared, asked: _Asked) -> Rows:
    """The atoms asked for that the answer of a pattern fits, as values of its variables."""
    pattern, seed = prepared.pattern, asked.seed
    given = {i: seed.bound[str(i)] for i in range(len(pattern.answer)) if str(i) in seed.bound}
    bound, fits = answering(pattern, given, seed.count, judge.known.values)
    bound |= {name: column for name, column in seed.bound.items() if name.startswith("<")}
    time = pattern.time
    first, last = seed.bound[_FIRST] - time.offset, seed.bound[_LAST] - time.offset
    if time.variable is None:
        fits &= (first <= 0) & (last >= 0)
    elif asked.timed:
        bound[time.variable] = last
    else:
        bound[first_of(time.variable)], bound[last_of(time.variable)] = first, last
    return Rows(bound, seed.count).take(fits)


def _meeting(judge: Judge, asked: _Asked, prepared: Prepared, part: Partial) -> Column:
    """The rows that meet the conditions of the literal's own variables, as far as they have values."""
    rows, values, time = part.rows, judge.known.values, asked.negation.references[0].last
    known = {name for test in asked.conditions for name in test.variables if _given(name) in rows.bound}
    bound: dict[str, Column] = {name: rows.bound[_given(name)] for name in known} | {
        term.name: term_column(answer, rows, values)
        for term, answer in zip(asked.negation.references[0].asked, prepared.pattern.answer, strict=True)
        if isinstance(term, Var) and (not isinstance(answer, Var) or answer.name in rows.bound)
    }
    own = prepared.pattern.time
    if own.variable is None or own.variable in rows.bound:
        ticks = time_column(own, rows)
        fits = (rows.bound[_FIRST] <= ticks) & (ticks <= rows.bound[_LAST])
        if time.variable is not None:
            bound[time.variable] = ticks - time.offset
    else:
        fits = first_tick(prepared, own, rows) <= latest_tick(prepared, own, rows)
    return marked(fits & passing(asked.conditions, bound, rows.count, values))
