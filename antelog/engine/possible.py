"""Whether a state is one that steps can have led to: what is read from outside is looked at first.

The engine trusts what it has kept itself. So a fact that arrived before its time, a cell that stands for no
value, or a last tick beyond all ticks would not be noticed for long. Each function raises
ImpossibleError, with what is wrong.

    a fact about tick 7 that arrived at 5: ImpossibleError
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import numpy as np
import pyarrow as pa

from antelog.accounts import Counts
from antelog.compile.nodes.plan import Input, Plan, Static
from antelog.compile.plan import well_formed
from antelog.compile.rules.statics import Row
from antelog.engine import fact_limit
from antelog.engine.columns.tables import Column, distinct, keys_of
from antelog.engine.facts.counting import Dropped
from antelog.engine.facts.facts import Facts
from antelog.engine.facts.ticks import LAST, delays
from antelog.engine.state import State
from antelog.engine.step.schema import relation_types
from antelog.engine.step.settled import ALWAYS, Settled
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.types import MIXED, Types, declared, kind_of, wider
from antelog.engine.values.values import Values

_LARGEST = 2**63
"""No counter gets as far as this."""


class ImpossibleError(ValueError):
    """No engine can have saved this."""


def _must(holds: object, otherwise: str) -> None:
    if not holds:
        raise ImpossibleError(otherwise)


# ---- what is known before the facts ----


def check_plan(plan: Plan) -> None:
    """Whether the compiler can have made a plan."""
    well_formed.check(plan)


def check_limit(plan: Plan, limit: int | None) -> None:
    """Whether there can be this limit to the facts of a plan that are kept."""
    reason = None if limit is None else fact_limit.cannot_limit(plan)
    _must(reason is None, f"its program cannot have a limit: {reason}")


def check_given(plan: Plan, given: Mapping[str, Sequence[Row]]) -> None:
    """Whether rows are facts of static predicates."""
    statics = {static.name: static for static in plan.statics}
    for name, rows in given.items():
        _must(name in statics, f"it has static facts of {name}, which its program has not")
        for row in rows:
            _must(_is_row(row, statics[name]), f"it has a static fact that {name} cannot have")


def _is_row(row: Row, static: Static) -> bool:
    kinds = ("text" if isinstance(value, str) else "number" for value in row)
    return len(row) == len(static.columns) and all(
        type_ in (None, kind) for type_, kind in zip(static.types, kinds, strict=True)
    )


def check_counts(
    plan: Plan, counts: Mapping[str, Counts], dropped: Mapping[str, Dropped], forgotten: int
) -> None:
    """Whether facts can have been counted so, and those about ticks before `forgotten` dropped."""
    inputs = {source.name for source in plan.inputs}
    _must(counts.keys() | dropped.keys() <= inputs, "it counts facts of an input that its program has not")
    for name, own in counts.items():
        fine = all(0 <= number < _LARGEST for number in asdict(own).values())
        _must(fine, f"it counts fewer than no facts of {name}, or more than there can be")
    for name, lost in dropped.items():
        fine = 0 < lost.facts < _LARGEST and 0 <= lost.first <= lost.last < forgotten
        _must(fine, f"facts of {name} cannot have been dropped as it says")


def check_types(plan: Plan, start: State, seen: Mapping[str, Types]) -> None:
    """Whether the columns of facts can have these types, and those of static predicates do have them."""
    _must(seen.keys() == start.told.seen.keys(), "it has types of other predicates than its program")
    inputs = {source.name: source for source in plan.inputs}
    for name, before in start.told.seen.items():
        types = seen[name]
        same = len(types) == len(before) and tuple(map(wider, before, types)) == types
        if name in inputs:
            same = same and tuple(map(declared, types, inputs[name].types)) == types
        else:
            same = same and types == before
        _must(same, f"the columns of {name} cannot have the types that it says")


def check_constants(plan: Plan, start: State) -> None:
    """Whether what is held of values besides the facts is kept for good."""
    values = start.values
    used = [values.cell(v) for s in plan.inputs for r in s.refinements for v in r.pattern if v is not None]
    columns = [np.array(used, np.int64)]
    for own in start.static.of_patterns.values():
        for each in own:
            columns += [c for rows in (each.rows, *each.forbidden) for c in rows.bound.values()]
    _must(all(values.stay(column) for column in columns), "it lacks values that its program names")


# ---- the facts, and what is remembered ----


def check_kept(plan: Plan, state: State, facts: Mapping[str, Facts]) -> None:
    """Whether a state can have these facts. It has everything else already."""
    _must(state.begin is None or state.begin <= max(state.now, 0), "its time begins after its last tick")
    _must(plan.tick is not None or state.begin == 0, "its time does not begin at tick 0")
    _must(state.forgotten <= state.now + 1, "it has given up ticks that are still to come")
    for source in plan.inputs:
        _check_facts(source, facts[source.name], state)
    types = relation_types(plan, state.told.seen)
    for name, settled in state.settled.items():
        _check_settled(plan, name, settled, tuple(types[name].values()), state)


def _check_facts(source: Input, facts: Facts, state: State) -> None:
    name, time, arrival = source.name, facts.time, facts.arrival
    if not facts.count:
        return
    begin = LAST + 1 if state.begin is None else state.begin
    _must(state.forgotten <= time.min() and time.max() <= LAST, f"a fact of {name} is about no tick it keeps")
    in_time = begin <= arrival.min() and arrival.max() <= state.now and (time <= arrival).all()
    _must(in_time, f"a fact of {name} arrived at no tick that it can have arrived at")
    for number, (cells, type_) in enumerate(zip(facts.columns, state.told.seen[name], strict=True)):
        _check_cells(cells, type_, state.values, f"column {source.columns[number]} of {name}")
    late = arrival - time > delays(source, facts.columns, state.values)
    _must(not late.any(), f"a fact of {name} arrived too late to be kept")
    _must(_each_once([*facts.columns, time]), f"a fact of {name} is there twice")
    if source.slot is not None:
        slots = [*(facts.columns[i] for i in source.slot), time]
        _must(_each_once(slots), f"two facts of {name} hold one slot")


def _check_settled(plan: Plan, name: str, settled: Settled, types: Types, state: State) -> None:
    delay, ticks, when = plan.relation(name).bounds.delay or 0, settled.ticks, settled.when
    before, last = min(-1, -1 - delay), max(-1, max(state.now, 0) - 1 - delay)
    _must(before <= settled.until <= last, f"{name} cannot be settled up to tick {settled.until}")
    within = all(0 <= tick <= settled.until for tick in _ends(ticks))
    known = all(ALWAYS <= tick <= state.now for tick in _ends(when))
    _must(within and known, f"an atom of {name} is about no tick that is settled")
    for number, (cells, type_) in enumerate(zip(settled.columns, types, strict=True)):
        named = cells[cells != OTHERS]
        _check_cells(named, type_, state.values, f"column {number + 1} of {name}")
    _must(_each_once([*settled.columns, ticks]), f"an atom of {name} is there twice")


def _ends(column: Column) -> Iterator[int]:
    if len(column):
        yield from (int(column.min()), int(column.max()))


def _check_cells(cells: Column, type_: pa.DataType, values: Values, where: str) -> None:
    """Whether cells stand for values that can be told as this type."""
    _must(values.holds(cells).all(), f"{where} has something that stands for no value")
    if type_ == MIXED or not len(cells):
        return
    _must((values.kinds(cells) == kind_of(type_)).all(), f"{where} has a value that is not of type {type_}")
    if type_ in (pa.string(), pa.float64()):
        return  # any text is told as it is, and any number as the nearest double
    some = distinct(cells)
    with np.errstate(invalid="ignore"):  # what is not a whole number is found just so
        again = values.encode(values.decode(some, type_))
    _must((again == some).all(), f"{where} has a value that is not of type {type_}")


def _each_once(columns: list[Column]) -> bool:
    (key,) = keys_of([columns])
    return len(distinct(key)) == len(key)
