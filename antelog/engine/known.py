"""The ticks from which on a query's answers are those of a run from the start, after its rules were changed.

A state keeps the facts that matter to its rules. New rules may look further back, or at other inputs, so
their answers begin at the first tick for which all they rest on is known.

    facts about ticks from 35 on are kept, and the new rules look back 10 ticks: answers from tick 45 on
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from antelog.compile.meaning.meanings import Meanings
from antelog.compile.nodes.plan import Input, Plan
from antelog.compile.plan.bounds import base_reaches
from antelog.compile.prepared.rules import Rules, prepared
from antelog.engine.state import State


@dataclass(frozen=True)
class FirstTicks:
    """The first tick about which all is known, by input (facts, latest facts) and relation; missing: always.

    `anew` are the relations in a cycle of negations whose past is not known, `cycles` those that continue,
    with their names in the old plan.
    """

    facts: Mapping[str, int]
    latest: Mapping[str, int]
    relations: Mapping[str, int]
    cycles: Mapping[str, str]
    anew: frozenset[str]


@dataclass(frozen=True)
class QueryStart:
    """The first tick about which a query's answers are those of a run from the start (None: all are).

    `never` is the reason why they may always differ.
    """

    since: int | None
    never: str | None = None


def usable(old: Input, new: Input) -> bool:
    """Whether the kept facts of an input can be facts of the new one."""
    return len(old.columns) == len(new.columns) and old.slot == new.slot


def first_ticks(old: Plan, state: State, new: Plan, lacking: frozenset[str] = frozenset()) -> FirstTicks:
    """The ticks from which on a state of the old plan suffices for the new one.

    `lacking` are inputs of which not all facts were kept.
    """
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
            facts |= _if_any(name, _facts(before, state, source), before, state)
        if name in after.remembered:
            old_ones = there and name in before.remembered
            found = _latest(before, state, source) if old_ones else facts.get(name)
            latest |= _if_any(name, found, before, state)
    cycles = _cycles(before, after)
    anew = frozenset(name for name in after.cycles if name not in cycles and not nothing_yet)
    anew |= {name for name, was in cycles.items() if was in state.carried.anew}
    relations = {name: state.decided[was].until + 1 for name, was in cycles.items()}
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


def _facts(old: Rules, state: State, new: Input) -> int | None:
    """The first tick about which all facts of an input are kept that both rules take."""
    name = new.name
    back, carried = old.needed[name], state.carried.facts.get(name)
    found = [carried, None if back is None else state.now + back, state.forgotten or None]
    return max((*(tick for tick in found if tick is not None), *_retimed(old, state, new)), default=None)


def _latest(old: Rules, state: State, new: Input) -> int | None:
    """The first tick from which on the latest fact of each slot is known."""
    back, carried = old.remembered[new.name], state.carried.latest.get(new.name)
    found = [carried, None if back is None else state.now + back]
    return max((*(tick for tick in found if tick is not None), *_retimed(old, state, new)), default=None)


def _retimed(old: Rules, state: State, new: Input) -> Iterator[int]:
    """Yields the first tick at which old and new delays agree about every fact, if they differ."""
    before = old.inputs[new.name]
    timing = [(each.delay, [(r.pattern, r.delay) for r in each.refinements]) for each in (before, new)]
    if timing[0] != timing[1]:
        yield state.now - min(before.delays | new.delays)


def _cycles(old: Rules, new: Rules) -> dict[str, str]:
    """The relations in a cycle of negations that both plans have, with their names in the old one."""
    before, after = Meanings(old.plan), Meanings(new.plan)
    known = {before.relation(name): name for name in old.cycles}
    found = {name: known.get(after.relation(name)) for name in new.cycles}
    return {name: was for name, was in found.items() if was is not None}
