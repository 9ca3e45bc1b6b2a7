"""The state of one program carried over to another: rules that change while they run, between two ticks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa

from antelog.compile.meanings import Fate, Meanings, QueryDifference, compared
from antelog.compile.nodes.plan import Input, Plan, Relation
from antelog.compile.plan.bounds import base_reaches
from antelog.compile.prepared.rules import Rules, prepared
from antelog.engine.carried import Carried, SettledAnswers
from antelog.engine.columns.joins import find_rows
from antelog.engine.columns.tables import Column, marked
from antelog.engine.facts.history import SeenValues, added, gather, seen_with
from antelog.engine.kernel import Current, current_answers, no_answers
from antelog.engine.state import Given, State, has_begun, seeing, start, with_cells
from antelog.engine.step.derivations import DecidedAtoms
from antelog.engine.step.explanations import CONFIRMED, OPEN
from antelog.engine.step.lines import Lines
from antelog.engine.step.query import CONFIRM, KINDS, POSSIBLE, REVISED, Kinds, LineSelection, Share
from antelog.engine.values.values import Values
from antelog.errors import UnsupportedError
from antelog.functions import NO_FUNCTIONS, UserFunction

CLOSED = "closed"


@dataclass(frozen=True)
class QueryChange:
    """The fate of a query, and the ticks from which on its answers are reported, and complete."""

    difference: QueryDifference
    since: int | None = None  # answers about earlier ticks are not reported (None: all are)
    complete: int | None = None  # from this tick on lines are those of a run from the start (None: never)
    why: str | None = None  # the reason why never

    @property
    def name(self) -> str:
        return self.difference.name

    @property
    def continues(self) -> bool:
        return self.difference.continues


@dataclass(frozen=True, eq=False)
class Transition:
    """A state carried over to another plan; `closed` has open answers that end, by queries of the old one."""

    tick: int
    old: Plan
    plan: Plan
    state: State
    given: Given
    queries: tuple[QueryChange, ...]
    changes: Mapping[str, Lines]
    closed: Mapping[str, pa.Table]


@dataclass(frozen=True, eq=False)
class RuleChange:
    """The change of rules after `tick`, by query; `closed` has the answers that end, of the `old` plan."""

    tick: int
    old: Plan
    queries: tuple[QueryChange, ...]
    closed: Mapping[str, pa.Table]
    changes: Mapping[str, pa.Table]
    anew: tuple[str, ...] = ()  # queries for which learning starts again


def transition(
    old: Plan,
    state: State,
    new: Plan,
    given: Given,
    functions: Mapping[str, UserFunction] = NO_FUNCTIONS,
    *,
    lacking: frozenset[str] = frozenset(),
    staged: bool = False,
    old_share: Share | None = None,
    new_share: Share | None = None,
) -> Transition:
    """Carries a state over to a plan, some of whose inputs are `lacking` facts. Raises UnsupportedError."""
    refuse_other_ticks(old, new)
    comparison, known = compared(old, new), first_ticks(old, state, new, lacking)
    moved = _moved(old, state, new, start(new, given, functions=functions), known)
    queries = list[QueryChange]()
    changes, closed = dict[str, Lines](), dict[str, pa.Table]()
    for each in comparison.queries:
        if each.continues:
            queries.append(QueryChange(each, state.carried.since.get(each.name)))
            continue
        before = _answers(old, state, each.old, moved.values, LineSelection(KINDS, old_share))
        if each.new is None:
            queries.append(QueryChange(each))
            closed[each.name] = _closed(old, state, each.name, before, before.open_)
            continue
        change = change_of(each, old, state, new, known)
        moved = _with_since(moved, each.name, change.since)
        settled = before.confirmed_in(each.new, change.since)
        after = _answers(new, moved, each.new, moved.values, LineSelection(KINDS, new_share, staged))
        if settled is not None:
            moved = _with_settled(moved, each.name, settled)
        goes_on = not each.has_other_columns
        kind, ends = _kinds(before, after, goes_on=goes_on)
        lines = no_answers(new, moved, each.name)
        if after.current is not None:
            lines = after.current.lines(after.moment[kind >= 0], kind[kind >= 0])
        changes[each.name] = replace(lines, opened=len(after.open_))
        if each.old is not None:
            closed[each.name] = _closed(old, state, each.name, before, ends)
        queries.append(_until_settled(change, settled, each.new, state.now))
    return Transition(state.now, old, new, moved, given, tuple(queries), changes, closed)


def _closed(old: Plan, state: State, query: str, before: _Answers, which: Column) -> pa.Table:
    if before.current is None:
        return no_answers(old, state, query).table
    return before.current.ended(before.moment.take(which), CLOSED)


def refuse_other_ticks(old: Plan, new: Plan) -> None:
    one, other = (
        None if p.timescale is None else (p.tick, p.zone if p.timescale.of_days else "") for p in (old, new)
    )
    if one != other:
        raise UnsupportedError.of("state.other-tick")


# ---- the state ----


def _moved(old: Plan, state: State, new: Plan, fresh: State, known: FirstTicks) -> State:
    """The state with all that the new plan can use: facts, remembered atoms, values seen."""
    before, after = prepared(old), prepared(new)
    recoded = partial(fresh.values.recoded, of=state.values)
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
            history[name] = history[name].with_latest(with_cells(latest, recoded))
    kept = {name: with_cells(gather(state.history, name, None), recoded) for name in both}
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
    names = {query.name for query in new.queries}
    since = {name: tick for name, tick in state.carried.since.items() if name in names}
    settled = {name: with_cells(s, recoded) for name, s in state.carried.settled.items() if name in names}
    carried = Carried(state.carried.forgotten, known.facts, known.latest, since, known.anew, settled)
    return replace(
        resumed,
        now=state.now,
        begin=state.begin,
        history=added(history, kept),
        observed=replace(resumed.observed, seen=seen),
        decided=decided,
        carried=carried,
    )


def _decided(
    empty: DecidedAtoms, name: str, state: State, known: FirstTicks, recoded: Callable[[Column], Column]
) -> DecidedAtoms:
    """The remembered atoms of a relation; those of a new one are false up to the last tick."""
    was = known.cycles.get(name)
    if was is None:
        return empty if name not in known.anew else replace(empty, until=state.now)
    return with_cells(state.decided[was], recoded)


def _with_since(state: State, name: str, since: int | None) -> State:
    others = {other: tick for other, tick in state.carried.since.items() if other != name}
    found = others if since is None else {**others, name: since}
    without = {other: each for other, each in state.carried.settled.items() if other != name}
    return replace(state, carried=replace(state.carried, since=found, settled=without))


def _with_settled(state: State, name: str, settled: SettledAnswers) -> State:
    found = {**state.carried.settled, name: settled}
    return replace(state, carried=replace(state.carried, settled=found))


# ---- since when ----
#
# A state keeps the facts that matter to its rules. New rules may look further back, or at other inputs, so
# their answers begin at the first tick for which all they rest on is known.
#
#     facts about ticks from 35 on are kept, and the new rules look back 10 ticks: answers from tick 45 on


@dataclass(frozen=True)
class FirstTicks:
    """The first tick about which all is known, by input and relation; of missing ones it always is."""

    facts: Mapping[str, int]
    latest: Mapping[str, int]
    relations: Mapping[str, int]
    cycles: Mapping[str, str]  # the old names of relations in a cycle of negations
    anew: frozenset[str]  # such relations without a past


@dataclass(frozen=True)
class QueryStart:
    """The first tick about which a query's answers are those of a run from the start; or why `never`."""

    since: int | None
    never: str | None = None


def usable(old: Input, new: Input) -> bool:
    """Whether the kept facts of an input can be facts of the new one."""
    return len(old.columns) == len(new.columns) and old.slot == new.slot


def first_ticks(old: Plan, state: State, new: Plan, lacking: frozenset[str] = frozenset()) -> FirstTicks:
    """The ticks from which on a state suffices for a new plan; inputs may be `lacking` facts."""
    before, after = prepared(old), prepared(new)
    nothing_yet = state.begin is None or state.now < state.begin
    facts, latest = dict[str, int](), dict[str, int]()
    for name, source in after.inputs.items():
        if nothing_yet:
            continue
        there = name in before.inputs and usable(before.inputs[name], source) and name not in lacking
        if not there:
            facts[name] = state.now + 1
        else:
            limits = [state.carried.facts.get(name), state.carried.forgotten or None]
            first = _kept_from(before, state, source, before.needed[name], limits)
            facts |= _if_any(name, first, before, state)
        if name in after.remembered:
            first = facts.get(name)
            if there and name in before.remembered:
                limits = [state.carried.latest.get(name)]
                first = _kept_from(before, state, source, before.remembered[name], limits)
            latest |= _if_any(name, first, before, state)
    meanings, was = Meanings(after.plan), Meanings(before.plan)
    known = {was.relation(name): name for name in before.cycles}
    same = {name: known.get(meanings.relation(name)) for name in after.cycles}
    cycles = {name: of for name, of in same.items() if of is not None}
    anew = frozenset(name for name in after.cycles if name not in cycles and not nothing_yet)
    anew |= {name for name, of in cycles.items() if of in state.carried.anew}
    relations = {name: state.decided[of].until + 1 for name, of in cycles.items()}
    relations |= dict.fromkeys(anew - cycles.keys(), state.now + 1)
    return FirstTicks(facts, latest, relations, cycles, anew)


def start_of(query: str, new: Plan, known: FirstTicks, now: int) -> QueryStart:
    """The start of a query's answers that the old rules do not have."""
    since: int | None = None
    for each in sorted(base_reaches(new, query, prepared(new).cycles), key=repr):
        table = known.latest if each.is_latest else known.facts if each.of_input else known.relations
        if each.name in known.anew and not each.of_input:
            why = f"it rests on its past, which is taken to be empty up to tick {now}"
            return QueryStart(max(now + 1, since or 0), why)
        first = table.get(each.name)
        if first is None:
            continue
        if each.ticks is None:
            what = "the latest" if each.is_latest else "earlier"
            return QueryStart(now + 1, f"it may rest on {what} facts of {each.name} that are not kept")
        since = max(first + each.ticks, since or 0)
    return QueryStart(since)


def _if_any(name: str, first: int | None, rules: Rules, state: State) -> Iterator[tuple[str, int]]:
    """Yields a first tick, unless no fact can be earlier."""
    delays = rules.inputs[name].delays if name in rules.inputs else frozenset({0})
    if first is not None and first > max(0, (state.begin or 0) - max(delays)):
        yield name, first


def _kept_from(
    old: Rules, state: State, new: Input, back: int | None, limits: Iterable[int | None]
) -> int | None:
    """The first tick from which on all facts of an input are kept that both rules take."""
    before = old.inputs[new.name]
    ticks = [*limits, None if back is None else state.now + back]
    timing = [(each.delay, [(r.pattern, r.delay) for r in each.refinements]) for each in (before, new)]
    if timing[0] != timing[1]:  # from here on no fact is late by one of the declarations only
        ticks.append(state.now - min(before.delays | new.delays))
    return max((tick for tick in ticks if tick is not None), default=None)


def change_of(each: QueryDifference, old: Plan, state: State, new: Plan, known: FirstTicks) -> QueryChange:
    """The change of a new or changed query: from which tick on its answers are reported."""
    assert each.new is not None
    begin = start_of(each.name, new, known, state.now)
    followed = {pattern.seen for pattern in prepared(new).patterns[each.name]} - {None}
    if not begin.never and has_begun(state) and not followed <= prepared(old).seen.keys():
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


# ---- answers at the change ----


@dataclass(frozen=True, eq=False)
class _Answers:
    """The open answers of a query after the last tick, and confirmed ones that rules still look at."""

    keys: Sequence[Column]
    status: Kinds
    moment: Column
    current: Current | None

    @property
    def open_(self) -> Column:
        return marked(self.status == OPEN)

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
        return _Answers([nothing] * width, nothing, nothing, None)
    settled = state.carried.settled.get(relation.name)
    if settled is None:  # with it, even if it is empty, answers are found one by one, twins as well
        settled = SettledAnswers((nothing,) * (width - 1), nothing)
    now = current_answers(plan, _with_settled(state, relation.name, settled), relation.name, wanted)
    moment = np.flatnonzero(now.reported.status != 0)
    keys = zip(now.keys(moment), (*settled.columns, settled.time), strict=True)
    *columns, time = (np.concatenate(both) for both in keys)
    status = np.concatenate([now.reported.status[moment], np.full(settled.count, CONFIRMED, np.int8)])
    moment = np.append(moment, np.full(settled.count, -1))
    return _Answers([*(values.recoded(each, state.values) for each in columns), time], status, moment, now)


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
