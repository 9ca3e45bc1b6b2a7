"""The kinds of literals: when each is true and false.

A fact literal is true from the arrival of the fact on, false once it can come no more:

    input Temp(device, level, time) delay 2, one per device.
    Temp(wt2, high, 7)    false at 9, or when another fact of the slot (wt2, 7) comes

An asked literal is true and false as the atoms are that it asks for:

    not Shdn(X, T+2)      asks for Shdn(wt2, 2) where X = wt2, T = 0; true once that is false, and conversely

To add an asked kind: a function here that is an `AskedKind`, and an entry in `ASKED`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from antelog.compile.literals import Atom, Last, Negation
from antelog.compile.literals.atoms import FactLiteral
from antelog.compile.literals.literal import AskedNode
from antelog.compile.literals.terms import Const, Term, Var
from antelog.compile.nodes.plan import Input
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.joins import find_rows
from antelog.engine.columns.spans import spans_of
from antelog.engine.columns.tables import NEVER, Column, distinct, or_never
from antelog.engine.facts.admission import DelayRows, tables_of
from antelog.engine.facts.history import gather
from antelog.engine.facts.sight import AskedTicks
from antelog.engine.step.derivations import Derivations, Knowledge, Truth
from antelog.engine.step.matching import Partial
from antelog.engine.step.ranges import DOUBTS, TickTruths, latest
from antelog.engine.step.rows import Bound, Rows, first_tick, latest_tick, term_column, time_column
from antelog.engine.values.values import Values

# ---- asked literals ----


AskedKind: TypeAlias = Callable[[Sequence[TickTruths]], Truth]
"""The truth of a literal that asks for atoms of relations, given that of each reference, tick by tick."""


def negated(found: Sequence[TickTruths]) -> Truth:
    """The truth of negated atoms and ranges: some atom must not be true at any of their ticks."""
    atom = found[0].some
    return Truth(atom.false_at, atom.true_at, atom.decided)


def of_latest(found: Sequence[TickTruths]) -> Truth:
    """The truth of `last` where no latest facts are remembered: atoms that fit, and all of the slot."""
    # If they are the same, every atom fits: the first that is true decides it.
    return latest(*found) if len(found) > 1 else found[0].some


ASKED: dict[type[AskedNode], AskedKind] = {Negation: negated, Last: of_latest}


# ---- fact literals ----


Delays: TypeAlias = dict[tuple[str, tuple[Term | None, ...]], Column | np.int64]
"""How late facts may be, by predicate and arguments: literals of a row often differ in their time only."""


def with_facts(known: Knowledge, prepared: Prepared, partial: Partial) -> Derivations:
    """Rows of a pattern as derivations, with the lines of their fact literals."""
    rows, delays = partial.rows, Delays()
    holds, fails, decided = np.full((3, len(prepared.facts), rows.count), NEVER)
    for i, fact in enumerate(prepared.facts):
        arrived = partial.arrived[i]
        decided[i] = deadline(known, prepared, fact, rows, delays)
        late = taken(known, fact, rows)
        if rows.as_of is not None:
            arrived = or_never(arrived, arrived > rows.as_of)
            late = None if late is None else or_never(late, late > rows.as_of)
        holds[i] = arrived
        fails[i] = or_never(decided[i] if late is None else np.minimum(decided[i], late), arrived != NEVER)
    return Derivations(prepared, rows, holds, fails, decided)


def deadline(known: Knowledge, prepared: Prepared, fact: FactLiteral, rows: Rows, delays: Delays) -> Column:
    """For each row, the last tick at which the fact of the literal may arrive.

    With open variables, that of the slowest fact it may stand for; NEVER if nothing bounds its time, or if
    what it says cannot be relied on.
    """
    atom, time = fact.node, fact.node.time
    if (delay := delays.get((atom.predicate, atom.terms))) is None:
        delay = slowest(known.rules.inputs[atom.predicate], atom, rows, known.values)
        delays[atom.predicate, atom.terms] = delay
    if time.variable is None or time.variable in rows.bound:
        latest = first = time_column(time, rows)
    else:
        latest, first = latest_tick(prepared, time, rows), first_tick(prepared, time, rows)
    due = or_never(np.where(latest < first, -1, latest + delay), latest == NEVER)
    if known.sight is None:
        return due
    asked = AskedTicks(first, np.where(due == NEVER, first, latest), np.broadcast_to(delay, due.shape))
    cells = named_cells(atom.terms, rows, known.values)
    unseen = known.sight.unseen(known.rules.inputs[atom.predicate], cells, asked)
    return or_never(due, unseen > np.maximum(latest - first + 1, 0) // DOUBTS)


def named_cells(arguments: Sequence[Term | None], rows: Rows, values: Values) -> dict[int, Column]:
    """The cells of the arguments that have a value, by their places."""
    return {
        at: term_column(term, rows, values)
        for at, term in enumerate(arguments)
        if isinstance(term, Const) or (isinstance(term, Var) and term.name in rows.bound)
    }


def taken(known: Knowledge, fact: FactLiteral, rows: Rows) -> Column | None:
    """The tick at which any fact takes the slot of the literal; NEVER if it is free.

    None if there is no slot, or rows leave open which it is.
    """
    if fact.slot is None or not fact.slot_variables <= rows.bound.keys():
        return None
    ticks = time_column(fact.node.time, rows)
    facts = gather(known.history, fact.node.predicate, spans_of(distinct(ticks)))
    asked = [term_column(fact.node.arguments[i], rows, known.values) for i in fact.slot]
    there = [facts.columns[i] for i in fact.slot]
    at = find_rows([*asked, ticks], [*there, facts.time])
    return np.where(at >= 0, facts.arrival.take(at) if facts.count else NEVER, NEVER)


# ---- how late a fact may be that a literal stands for ----


def slowest(source: Input, atom: Atom, rows: Rows, values: Values) -> Column | np.int64:
    """δ of an atom in each row: the greatest there is among the facts it may stand for.

    There are always more values than the program names. So of the facts that fit a declaration it
    is enough to look at one with the values of the declaration and otherwise new ones.
    """
    if not source.refinements:
        return np.int64(source.delay)
    tables = tables_of(source, values)
    greatest = _decided(atom, rows.bound, np.full(rows.count, source.delay, np.int64), tables, values)
    for number, table in enumerate(tables):
        terms = [atom.terms[i] for i in table.positions]
        open_ = {t.name for t in terms if isinstance(t, Var)} - rows.bound.keys()
        if not open_:
            continue
        for *cells, delay in zip(*table.cells, table.delays, strict=True):
            named = _named(terms, cells, open_, rows.count)
            if named is None:
                continue
            bound = {**rows.bound, **named}
            declared = _decided(atom, bound, np.full(rows.count, delay), tables[number + 1 :], values)
            fits, each = declared > greatest, Rows(bound, rows.count)
            for term, cell in zip(terms, cells, strict=True):
                fits &= term_column(term, each, values) == cell
            greatest[fits] = declared[fits]
    return greatest


def _decided(atom: Atom, bound: Bound, delay: Column, tables: Sequence[DelayRows], values: Values) -> Column:
    """δ of atoms with these values: of the declarations that fit, the one with the most constants decides."""
    for table in tables:
        terms = [atom.terms[i] for i in table.positions]
        if all(isinstance(t, Const) or t.name in bound for t in terms):
            have = [term_column(t, Rows(bound, len(delay)), values) for t in terms]
            at = find_rows(have, table.cells) if have else np.zeros(len(delay), np.int64)
            delay = np.where(at >= 0, table.delays[at], delay)
    return delay


def _named(terms: Sequence[Term], cells: Sequence[int], open_: set[str], count: int) -> Bound | None:
    """The values that a declaration names for open variables; None if one would have two."""
    named: dict[str, int] = {}
    for term, cell in zip(terms, cells, strict=True):
        if isinstance(term, Var) and term.name in open_ and named.setdefault(term.name, cell) != cell:
            return None
    return {name: np.full(count, cell) for name, cell in named.items()}
