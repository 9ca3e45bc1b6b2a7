"""The state of one program carried over to another: rules that change while they run.

    queries that mean the same       continue as if nothing had been changed
    new and changed ones             are computed from the facts that are kept
    their open answers               continue (revised), or are `closed`; confirmed ones stay confirmed

The change lies between two ticks: its lines are about the last finished one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from antelog.compile.meaning.versions import Fate, QueryDifference, compared
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.prepared.rules import prepared
from antelog.engine.carried import Carried, SettledAnswers
from antelog.engine.columns.joins import find_rows
from antelog.engine.columns.tables import Column, marked
from antelog.engine.facts.history import Facts, SeenValues, added, gather, seen_with
from antelog.engine.kernel import current_answers
from antelog.engine.known import FirstTicks, QueryStart, first_ticks, start_of, usable
from antelog.engine.state import Given, State, has_begun, seeing, start
from antelog.engine.step.decided import DecidedAtoms
from antelog.engine.step.explanations import CONFIRMED, OPEN
from antelog.engine.step.lines import Changes, Lines, lines, no_lines
from antelog.engine.step.query import CONFIRM, KINDS, POSSIBLE, REVISED, Kinds, LineSelection, Share
from antelog.engine.values.values import Values
from antelog.errors import UnsupportedError
from antelog.functions import NO_FUNCTIONS, UserFunction

CLOSED = "closed"


@dataclass(frozen=True)
class QueryChange:
    """The fate of a query: its answers about ticks from `since` on are reported (None: all).

    From the tick `complete` on its lines are those of a run from the start; if None, they may always differ,
    for the reason `why`.
    """

    difference: QueryDifference
    since: int | None = None
    complete: int | None = None
    why: str | None = None

    @property
    def name(self) -> str:
        return self.difference.name

    @property
    def continues(self) -> bool:
        return self.difference.continues


@dataclass(frozen=True)
class Shares:
    """The shares of answers that are reported, by the old rules and by the new ones (None: all)."""

    old: Share | None = None
    new: Share | None = None


NO_SHARES = Shares()


@dataclass(frozen=True, eq=False)
class Transition:
    """A state carried over to another plan, after the tick `tick`.

    `changes` has the lines of new and changed queries, `closed` those of the open answers that end, by the
    queries of the old plan.
    """

    tick: int
    old: Plan
    plan: Plan
    state: State
    given: Given
    queries: tuple[QueryChange, ...]
    changes: Mapping[str, Changes]
    closed: Mapping[str, pa.Table]


def transition(
    old: Plan,
    state: State,
    new: Plan,
    given: Given,
    functions: Mapping[str, UserFunction] = NO_FUNCTIONS,
    *,
    lacking: frozenset[str] = frozenset(),
    staged: bool = False,
    shares: Shares = NO_SHARES,
) -> Transition:
    """Carries a state over to a new plan; `lacking` are inputs of which not all that matters was kept.

    Only answers in the `shares` of the old plan and of the new one are reported. Raises UnsupportedError if
    ticks have another length or begin elsewhere.
    """
    refuse_other_ticks(old, new)
    comparison, known = compared(old, new), first_ticks(old, state, new, lacking)
    moved = _moved(old, state, new, start(new, given, functions=functions), known)
    queries = list[QueryChange]()
    changes, closed = dict[str, Changes](), dict[str, pa.Table]()
    for each in comparison.queries:
        if each.continues:
            queries.append(QueryChange(each, state.carried.since.get(each.name)))
            continue
        before = _answers(old, state, each.old, moved.values, LineSelection(KINDS, shares.old))
        if each.new is None:
            queries.append(QueryChange(each))
            closed[each.name] = before.closed(before.open_)
            continue
        change = change_of(each, old, state, new, known)
        moved = _with_since(moved, each.name, change.since)
        settled = before.confirmed_in(each.new, change.since)
        after = _answers(new, moved, each.new, moved.values, LineSelection(KINDS, shares.new, staged))
        if settled is not None:
            moved = _with_settled(moved, each.name, settled)
        goes_on = not each.has_other_columns
        kind, ends = _kinds(before, after, goes_on=goes_on)
        changes[each.name] = Changes(after.lines(kind), int((after.status == OPEN).sum()))
        if each.old is not None:
            closed[each.name] = before.closed(ends)
        queries.append(_until_settled(change, settled, each.new, state.now))
    return Transition(state.now, old, new, moved, given, tuple(queries), changes, closed)


def refuse_other_ticks(old: Plan, new: Plan) -> None:
    """Raises UnsupportedError if ticks of two plans differ."""
    scales = [
        None if p.timescale is None else (p.tick, p.zone if p.timescale.of_days else "") for p in (old, new)
    ]
    if scales[0] != scales[1]:
        raise UnsupportedError(
            "the new rules have another `tick` than those the state is of, so that nothing in it can go on: "
            "begin with a new state, and replay the facts"
        )


# ---- the state ----


def _moved(old: Plan, state: State, new: Plan, fresh: State, known: FirstTicks) -> State:
    """The state with all that the new plan can use: facts, remembered atoms, values seen."""
    before, after, values = prepared(old), prepared(new), fresh.values

    def recoded(cells: Column) -> Column:
        return values.recoded(cells, state.values)

    def facts(found: Facts) -> Facts:
        return Facts(tuple(map(recoded, found.columns)), found.time, found.arrival)

    both = [
        name
        for name, source in after.inputs.items()
        if name in before.inputs
        and usable(before.inputs[name], source)
        and known.facts.get(name, 0) <= state.now
    ]
    history = dict(fresh.history)
    for name in both:
        latest = state.history[name].latest
        if latest is not None and name in after.remembered:
            history[name] = history[name].with_latest(facts(latest))
    kept = {name: facts(gather(state.history, name, None)) for name in both}
    types = {name: state.observed.types[name] for name in both}
    resumed = seeing(new, fresh, types)
    seen = {}
    for columns, begun in fresh.observed.seen.items():
        if columns in state.observed.seen:
            mine = state.observed.seen[columns]
            seen[columns] = SeenValues(recoded(mine.cells), mine.since)
        else:
            seen |= seen_with({columns: begun}, kept)
    decided = {name: _decided(each, name, state, known, recoded) for name, each in fresh.decided.items()}
    carried = Carried(
        state.forgotten,
        known.facts,
        known.latest,
        {name: tick for name, tick in state.carried.since.items() if _is_query(new, name)},
        known.anew,
        {
            name: SettledAnswers(tuple(map(recoded, each.columns)), each.time)
            for name, each in state.carried.settled.items()
            if _is_query(new, name)
        },
    )
    return replace(
        resumed,
        now=state.now,
        begin=state.begin,
        history=added(history, kept),
        observed=replace(resumed.observed, seen=seen),
        decided=decided,
        carried=carried,
    )


def _is_query(plan: Plan, name: str) -> bool:
    return any(query.name == name for query in plan.queries)


def _decided(
    empty: DecidedAtoms, name: str, state: State, known: FirstTicks, recoded: Callable[[Column], Column]
) -> DecidedAtoms:
    """The remembered atoms of a relation; those of a new one are false up to the last tick."""
    was = known.cycles.get(name)
    if was is None:
        return empty if name not in known.anew else replace(empty, until=state.now)
    found = state.decided[was]
    return replace(found, columns=tuple(map(recoded, found.columns)))


def _with_since(state: State, name: str, since: int | None) -> State:
    others = {other: tick for other, tick in state.carried.since.items() if other != name}
    found = others if since is None else {**others, name: since}
    without = {other: each for other, each in state.carried.settled.items() if other != name}
    return replace(state, carried=replace(state.carried, since=found, settled=without))


def _with_settled(state: State, name: str, settled: SettledAnswers) -> State:
    found = {**state.carried.settled, name: settled}
    return replace(state, carried=replace(state.carried, settled=found))


# ---- since when ----


def change_of(each: QueryDifference, old: Plan, state: State, new: Plan, known: FirstTicks) -> QueryChange:
    """The change of a new or changed query: from which tick on its answers are reported."""
    assert each.new is not None
    begin = start_of(each.name, new, known, state.now)
    if not begin.never and _sees_other_values(each.name, old, state, new):
        begin = QueryStart(begin.since, "values that were seen before the change count as not seen")
    ticks = [state.carried.since.get(each.name)]
    if each.fate in (Fate.ADDED, Fate.CHANGED):
        ticks.append(begin.since)
    if each.old is not None and each.old.bounds.delay is not None and has_begun(state):
        # What the old rules have decided stays as it is.
        ticks.append(state.now - each.old.bounds.delay + 1)
    since = max((tick for tick in ticks if tick is not None and tick > 0), default=None)
    complete = _complete(each.new, [since, begin.since], state.now)
    why = begin.never
    if complete is None and why is None:
        why = "nothing bounds when its answers are decided"
    return QueryChange(each, since, None if begin.never else complete, why)


def _complete(query: Relation, ticks: Iterable[int | None], now: int) -> int | None:
    """The first tick at which no answer about a tick before these can change any more."""
    last = max((tick for tick in ticks if tick is not None), default=None)
    if last is None:
        return now + 1
    delay = query.bounds.delay
    return None if delay is None else max(now + 1, last + delay)


def _until_settled(
    change: QueryChange, settled: SettledAnswers | None, query: Relation, now: int
) -> QueryChange:
    """Puts off the completeness of a query to after the last answer that was confirmed before."""
    if settled is None or settled.count == 0 or change.complete is None:
        return change
    found = _complete(query, [int(settled.time.max()) + 1], now)
    if found is None or (settled.time < 0).any():
        return replace(change, complete=None, why="nothing bounds when its answers are decided")
    return replace(change, complete=max(found, change.complete))


def _sees_other_values(query: str, old: Plan, state: State, new: Plan) -> bool:
    """Whether a query has unguarded variables whose values were not followed from the start."""
    wanted = {each.seen for each in prepared(new).patterns[query] if each.seen is not None}
    return has_begun(state) and not wanted <= prepared(old).seen.keys()


# ---- answers at the change ----


@dataclass(frozen=True, eq=False)
class _Answers:
    """The open answers of a query after the last finished tick, and the confirmed ones still looked at."""

    relation: Relation | None
    keys: Sequence[Column]
    status: Kinds
    moment: Column
    make: Callable[[Column, Kinds], Lines]

    @property
    def open_(self) -> Column:
        return marked(self.status == OPEN)

    def lines(self, kind: Kinds) -> Lines:
        """The lines of answers that have a kind of change."""
        return self.make(self.moment[kind >= 0], kind[kind >= 0])

    def closed(self, which: Column) -> pa.Table:
        """The lines of open answers that end with the change."""
        table = self.make(self.moment.take(which), np.full(len(which), REVISED)).table
        for name in ("if_silent", "decided_by"):
            place = table.schema.get_field_index(name)
            table = table.set_column(
                place, table.schema.field(place), pa.nulls(table.num_rows, table.schema.field(place).type)
            )
        place = table.schema.get_field_index("change")
        return table.set_column(
            place, table.schema.field(place), pa.array([CLOSED] * table.num_rows, pa.string())
        )

    def confirmed_in(self, query: Relation, since: int | None) -> SettledAnswers | None:
        """The confirmed answers about which the new rules of their query could report something."""
        if len(self.keys) != len(query.answer.variables) + 1:
            return None
        *columns, time = self.keys
        chosen = self.status == CONFIRMED
        if since is not None:
            chosen &= (time < 0) | (time >= since)
        found = SettledAnswers(tuple(columns), time).take(chosen)
        return found if found.count else None


def _answers(
    plan: Plan, state: State, relation: Relation | None, values: Values, wanted: LineSelection
) -> _Answers:
    """The answers of a query of a plan, with cells of these values; none without a relation."""
    nothing = np.zeros(0, np.int64)
    width = 0 if relation is None else len(relation.answer.variables) + 1
    if relation is None or not has_begun(state):
        return _Answers(relation, [nothing] * width, nothing, nothing, lambda *_: _no_lines(state, relation))
    settled = state.carried.settled.get(relation.name)
    if settled is None:  # with it, even if it is empty, answers are found one by one, twins as well
        settled = SettledAnswers((nothing,) * (width - 1), nothing)
    now = current_answers(plan, _with_settled(state, relation.name, settled), relation.name, wanted)
    reported = now.reported
    moment = np.flatnonzero(reported.status != 0)
    first = reported.found.by_answer.first[reported.at.answer[moment]]
    cells = (values.recoded(column[first], state.values) for column in reported.found.answer)
    keys = [*cells, reported.found.time[first]]
    old = (*(values.recoded(column, state.values) for column in settled.columns), settled.time)
    keys = [np.concatenate(both) for both in zip(keys, old, strict=True)]
    status = np.concatenate([reported.status[moment], np.full(settled.count, CONFIRMED, np.int8)])

    def make(moment: Column, kind: Kinds) -> Lines:
        return lines(now.known, now.query, reported, moment, kind)

    return _Answers(relation, keys, status, np.append(moment, np.full(settled.count, -1)), make)


def _no_lines(state: State, relation: Relation | None) -> Lines:
    if relation is None:
        nothing = np.zeros(0, np.int64)
        return Lines(pa.table({}), (), nothing, nothing, nothing)
    return no_lines(state.observed.answers[relation.name].schema.empty_table(), relation)


def _kinds(before: _Answers, after: _Answers, *, goes_on: bool) -> tuple[Kinds, Column]:
    """The kind of line, or -1, for each answer of the new rules; and the open answers that end."""
    width = len(before.keys) == len(after.keys)
    known = find_rows(after.keys, before.keys) if width else np.full(len(after.status), -1)
    was = np.where(known >= 0, np.append(before.status, 0).take(known), 0)
    open_, kind = after.status == OPEN, np.full(len(after.status), -1, np.int8)
    kind[open_] = POSSIBLE
    if goes_on:
        kind[open_ & (was == OPEN)] = REVISED
    kind[after.status == CONFIRMED] = CONFIRM
    kind[was == CONFIRMED] = -1
    stays = np.zeros(len(before.status), np.bool_)
    if goes_on and width:
        stays = find_rows(before.keys, after.keys) >= 0
    return kind, marked((before.status == OPEN) & ~stays)
