"""The latest fact of each slot, of those that are too old to be kept for anything else.

    last Mode(X, run, T)    Mode(a, run, 3) stays until Mode(a, stop, 9) is as old

Facts that the history forgets come here. Replaced ones are dropped once there are as many of them as slots,
so that adding some costs little, however many slots there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from antelog.compile.prepared.rules import Rules
from antelog.engine.columns.spans import span
from antelog.engine.columns.tables import keys_of, sorting
from antelog.engine.facts.history import Facts, History, LatestFacts, Stream, gather, joint, no_facts, without

_FEW = 256


def stream_of(rules: Rules, name: str) -> Stream:
    """An empty stream for an input."""
    width = len(rules.inputs[name].types)
    return Stream(width, {}, LatestFacts(no_facts(width)) if name in rules.remembered else None)


def with_latest_facts(history: History, name: str) -> Facts:
    """All facts of an input, with the older ones that are the latest of their slots."""
    known, facts = history[name].latest, gather(history, name, None)
    return facts if known is None else joint((known.facts, facts), len(facts.columns))


def forgetting(rules: Rules, history: History, before: Mapping[str, int], now: int) -> History:
    """Forgets the facts of each input about ticks before the given one, except the latest of each slot."""
    moved = dict(history)
    for name in rules.remembered:
        old = gather(history, name, span(0, before[name] - 1)) if before[name] > 0 else no_facts(0)
        known = history[name].latest
        if old.count and known is not None:
            more = LatestFacts(joint((known.facts, old), len(old.columns)), known.slots)
            many = more.facts.count > 2 * more.slots + _FEW
            moved[name] = replace(
                history[name], latest=_only_latest(rules, name, more, now) if many else more
            )
    return without(moved, before)


def only_latest(rules: Rules, history: History, now: int) -> History:
    """Keeps one fact of each slot among the older ones, as in a saved state."""
    return {
        name: stream
        if stream.latest is None
        else replace(stream, latest=_only_latest(rules, name, stream.latest, now))
        for name, stream in history.items()
    }


def _only_latest(rules: Rules, name: str, known: LatestFacts, now: int) -> LatestFacts:
    """Keeps the latest fact of each slot, unless it is too old to matter."""
    back, slot = rules.remembered[name], rules.inputs[name].slot or ()
    facts = known.facts.take(known.facts.time >= (0 if back is None else now + back))
    order = np.argsort(facts.time, kind="stable")
    key = np.zeros(facts.count, np.int64)
    if slot:
        (key,) = keys_of([[facts.columns[i] for i in slot]])
    order = order.take(sorting(key.take(order)))
    ends = np.ones(len(order), np.bool_)
    np.not_equal(key.take(order[1:]), key.take(order[:-1]), out=ends[:-1])
    return all_of(facts.take(np.sort(order[ends])))


def all_of(facts: Facts) -> LatestFacts:
    """Facts that are each the latest of its slot."""
    return LatestFacts(facts, facts.count)
