"""The latest fact of each slot, of those that are too old to be kept for anything else.

    last Mode(X, run, T)    Mode(a, run, 3) stays until Mode(a, stop, 9) is as old

Facts that the history forgets come here. Those that a later one of their slot has replaced are left out once
there are as many of them as of slots, so that adding some costs little, however many slots there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from antelog.compile.prepared.rules import Rules
from antelog.engine.columns.spans import span
from antelog.engine.columns.tables import Column, keys_of, sorting
from antelog.engine.facts.history import Facts, History, gather, joint, no_facts


@dataclass(frozen=True, eq=False)
class LatestFacts:
    """The latest facts of slots, and some that others have replaced; it had so many `slots` when counted."""

    facts: Facts
    slots: int = 0

    @property
    def many(self) -> bool:
        """Whether it is time to leave out those that others have replaced."""
        return self.facts.count > 2 * self.slots + _FEW


Latest: TypeAlias = Mapping[str, LatestFacts]
"""For each input that `last` literals ask for the latest facts of its slots."""

_FEW = 256


def nothing_latest(rules: Rules) -> Latest:
    return {name: LatestFacts(no_facts(len(rules.inputs[name].types))) for name in rules.remembered}


def all_of(facts: Facts) -> LatestFacts:
    """Facts that are the latest ones of their slots, one of each."""
    return LatestFacts(facts, facts.count)


def forgetting(rules: Rules, latest: Latest, history: History, before: Mapping[str, int], now: int) -> Latest:
    """The latest facts once the history forgets those about ticks before the one given for their input."""
    found = dict(latest)
    for name, known in latest.items():
        slot, back = rules.inputs[name].slot or (), rules.remembered[name]
        old = gather(history, name, span(0, before[name] - 1)) if before[name] > 0 else no_facts(0)
        if old.count:
            more = LatestFacts(joint((known.facts, old), len(old.columns)), known.slots)
            found[name] = only_latest(more, slot, 0 if back is None else now + back) if more.many else more
    return found


def only_latest(known: LatestFacts, slot: Sequence[int], first: int = 0) -> LatestFacts:
    """The latest fact of each slot, without those about ticks before the first."""
    facts = known.facts.take(known.facts.time >= first)
    order = np.argsort(facts.time, kind="stable")
    (key,) = keys_of([[facts.columns[i] for i in slot]]) if slot else (np.zeros(facts.count, np.int64),)
    order = order.take(sorting(key.take(order)))
    ends = np.ones(len(order), np.bool_)
    np.not_equal(key.take(order[1:]), key.take(order[:-1]), out=ends[:-1])
    kept = facts.take(np.sort(order[ends]))
    return all_of(kept)


def all_latest(rules: Rules, latest: Latest, now: int) -> Latest:
    """The latest facts alone, as a state is saved with them."""
    found = {}
    for name, known in latest.items():
        back = rules.remembered[name]
        found[name] = only_latest(known, rules.inputs[name].slot or (), 0 if back is None else now + back)
    return found


def with_cells(known: LatestFacts, cells: Callable[[Column], Column]) -> LatestFacts:
    """The same facts with other cells."""
    facts = known.facts
    return LatestFacts(Facts(tuple(map(cells, facts.columns)), facts.time, facts.arrival), known.slots)
