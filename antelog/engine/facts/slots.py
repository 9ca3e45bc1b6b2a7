"""Facts that exclude each other: which of those that claim one slot counts.

    input Temp(device, level, time) delay 2, one per device.
    Temp(wt2, low, 7) arrived at 7 holds the slot (wt2, 7); Temp(wt2, high, 7), at 8, is set aside

The fact that arrived first counts, and of several that arrived at one tick the least: by the order
of their columns, numbers before texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Input
from antelog.engine.columns.spans import spans_of
from antelog.engine.columns.tables import Column, Mask, distinct, find, groups, keys_of
from antelog.engine.facts.facts import Facts
from antelog.engine.facts.history import History, gather
from antelog.engine.values.values import Values


def conflicting(source: Input, facts: Facts, kept: History, values: Values) -> Mask:
    """Which facts claim a slot that another one holds, a kept one or one of these."""
    lost = np.zeros(facts.count, np.bool_)
    if source.slot is None or facts.count == 0:
        return lost
    held = gather(kept, source.name, spans_of(distinct(facts.time)))
    slots = keys_of([_slot(source, each) for each in (facts, held)])
    whole = keys_of([[*each.columns, each.time] for each in (facts, held)])
    at = find(*slots)
    there = at >= 0
    lost[there] = find(*whole)[there] < 0
    (slot,) = keys_of([_slot(source, facts)])
    same = groups(slot)
    if same.count < facts.count:
        holder = _first(same.numbers, facts, values)
        (fact,) = keys_of([[*facts.columns, facts.time]])
        lost |= ~there & (fact != fact.take(holder.take(same.numbers)))
    return lost


def _slot(source: Input, facts: Facts) -> list[Column]:
    return [*(facts.columns[i] for i in source.slot or ()), facts.time]


def _first(slot: Column, facts: Facts, values: Values) -> Column:
    """For each slot the fact that holds it."""
    order = np.lexsort([*reversed(_order(facts.columns, values)), facts.arrival, slot])
    first = np.ones(len(order), np.bool_)
    first[1:] = slot[order[1:]] != slot[order[:-1]]
    return order[first]


def _order(columns: Sequence[Column], values: Values) -> list[Column]:
    """What puts facts into the order of their columns: kinds first, then numbers, then other values."""
    found: list[Column] = []
    for column in columns:
        numbers = values.numbers(column)
        found += [values.kinds(column).astype(np.int64), np.nan_to_num(numbers), values.ranks(column)]
    return found


def sentence(source: Input, count: int) -> pa.Array:
    """What is wrong with so many facts that claim a slot another one holds."""
    names = [source.columns[i] for i in source.slot or ()]
    what = " and ".join([*names, "tick"]) if len(names) < 2 else f"{', '.join(names)} and tick"
    return pa.array([f"another fact of this {what} came first"] * count, pa.string())
