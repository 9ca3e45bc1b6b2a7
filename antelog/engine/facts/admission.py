"""Admission of facts: a row of a batch becomes a fact, a repetition, or a reject with its reason."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.accounts import FATES, PARTICULAR, REASONS, Counts
from antelog.arrow.arrays import Array, why_of_no_use
from antelog.arrow.kinds import Kind, kind_of_column
from antelog.arrow.ticks import LAST, InTicks, Ticks, is_timestamp, no_tick, notes_on_clocks, times_of
from antelog.compile.nodes.plan import Input, Plan
from antelog.compile.plan.bounds import DelayTable
from antelog.compile.prepared.rules import prepared
from antelog.engine.columns.joins import alike, find_rows
from antelog.engine.columns.tables import Column, Mask, groups, keys_of, marked
from antelog.engine.facts import rejects
from antelog.engine.facts.frames import Frame, FrameRows, naming, read_frame
from antelog.engine.facts.history import Facts, no_facts
from antelog.engine.facts.rejects import CONFLICTING, EARLY, LATE, MALFORMED, sentence
from antelog.engine.values.encoding import infinite
from antelog.engine.values.numbers import Numbers
from antelog.engine.values.types import declared
from antelog.engine.values.values import UNBOUND, Values
from antelog.errors import DataError, DataWarning
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.epochs import TICKS, Counting


@dataclass(frozen=True, eq=False)
class Admitted:
    """The facts of a batch, each once, and the rows set aside: see `rejects.SCHEMA`."""

    facts: Mapping[str, Facts]
    counts: Mapping[str, Counts]
    rejects: pa.Table
    places: Column  # the rows of the rejects in their frames
    types: Mapping[str, tuple[pa.DataType, ...]]
    of_no_use: Mapping[str, int]  # the number of rows that can never be used
    notes: frozenset[str]


@dataclass(frozen=True, eq=False)
class _AdmittedFrame:
    facts: Facts
    counts: Counts
    rejects: pa.Table
    places: Column
    of_no_use: int = 0
    notes: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class _Objection:
    """Rows that cannot be admitted, the reason, and a function that describes the fault of some of them."""

    reason: str
    applies: Mask
    detail: Callable[[Column], pa.Array]


Objector: TypeAlias = Callable[[Input, Facts], tuple[Mask, pa.Array]]  # masks conflicting facts, with reasons


def admit(
    plan: Plan,
    frames: Mapping[str, Frame],
    values: Values,
    before: int,
    now: int,
    *,
    arrival: str = "arrival",
    conflicts: Objector | None = None,
) -> Admitted:
    """Admits facts that arrived after `before`, up to `now`; `conflicts` judges last. Raises DataError."""
    rules = prepared(plan)
    sources = rules.inputs
    for name in frames:
        if name not in sources:
            raise DataError(_unknown_input(plan, name))
    facts, counts, types, of_no_use = {}, {}, {}, dict.fromkeys(sources, 0)
    tables, places, notes = [rejects.none()], [np.zeros(0, np.int64)], set[str]()
    for name, source in sources.items():
        facts[name] = no_facts(len(source.columns) - 1)
        counts[name] = Counts()
        if name in frames:
            rows = read_frame(source, frames[name], arrival)
            counting = rules.countings[name]
            if isinstance(arrival, InTicks):
                counting = Counting(plan.timescale, TICKS)
            found = _admit(source, rows, values, conflicts, before=before, now=now, counting=counting)
            facts[name], counts[name], of_no_use[name] = found.facts, found.counts, found.of_no_use
            notes |= found.notes
            types[name] = tuple(map(declared, (column.type for column in rows.columns), source.types))
            if len(found.places):
                tables.append(found.rejects)
                places.append(found.places)
    table = pa.concat_tables(tables) if len(tables) > 1 else rejects.none()
    return Admitted(facts, counts, table, np.concatenate(places), types, of_no_use, frozenset(notes))


def _unknown_input(plan: Plan, name: str) -> str:
    if any(static.name == name for static in plan.statics):
        return f"{name} is background: its facts are there from the start, and arrive at no time"
    known = [source.name for source in plan.inputs]
    return f"the program has no input {name}; it has {', '.join(known)}. {did_you_mean(name, known)}".rstrip()


def _admit(
    source: Input,
    rows: FrameRows,
    values: Values,
    conflicts: Objector | None,
    *,
    before: int,
    now: int,
    counting: Counting,
) -> _AdmittedFrame:
    kinds = tuple(kind_of_column(column.type) for column in rows.columns)
    read = tuple(map(partial(_cells, source, values), rows.columns, range(len(kinds)), kinds))
    cells = tuple(each for each, _ in read)
    time = _ticks(rows.time, counting, f"column {source.columns[-1]} of {source.name}")
    if rows.arrival is None:
        arrival = Ticks(arrivals(time.numbers, before, now), time.whole, rows.time)
    else:
        arrival = _ticks(rows.arrival, counting, f"the arrival of {source.name}")
    notes = frozenset(notes_on_clocks(time, counting, source.name))
    given = Facts(cells, time.numbers, arrival.numbers)
    fine = np.ones(rows.count, np.bool_)
    found: list[tuple[str, Column, pa.Array]] = []
    of_no_use = (
        *_of_no_use(source, rows, [bad for _, bad in read]),
        *_about_values(source, cells, kinds, values),
        *_about_times(time, arrival, counting),
    )
    objections = (
        *of_no_use,
        *_about_batch(arrival, before, now),
        *_about_order(source, given, delays(source, cells, values), counting),
    )
    # Mostly there are none.
    for objection in objections if any(each.applies.any() for each in objections) else ():
        faulty = marked(objection.applies & fine)
        if len(faulty):
            fine[faulty] = False
            found.append((objection.reason, faulty, objection.detail(faulty)))
    if conflicts is not None and source.slot is not None:
        claims = marked(fine)
        conflicting, detail = conflicts(source, given.take(claims))
        if conflicting.any():
            fine[claims[conflicting]] = False
            found.append((CONFLICTING, claims[conflicting], detail))
    if not found:
        facts = _once(given)
        counts = Counts(facts.count, rows.count - facts.count)
        return _AdmittedFrame(facts, counts, rejects.none(), np.zeros(0, np.int64), notes=notes)
    facts = _once(given.take(fine))
    lost = {reason: sum(len(at) for r, at, _ in found if r == reason) for reason in REASONS}
    counts = Counts(facts.count, int(fine.sum()) - facts.count, **lost)
    at = np.concatenate([rows for _, rows, _ in found])
    as_json = rejects.json_rows([column[at] for column in given.columns], len(at), values)
    table = _rejected(source.name, as_json, time, arrival, found)
    unusable = int(np.logical_or.reduce([each.applies for each in of_no_use]).sum())
    return _AdmittedFrame(facts, counts, table, np.sort(at), unusable, notes)


def _cells(
    source: Input, values: Values, array: Array, number: int, kind: Kind | None
) -> tuple[Column, Mask | None]:
    """The cells of a column, spelled out where the program has texts; and a mask of values of no use."""
    with naming(f"column {source.columns[number]} of {source.name}", array.type):
        cells, bad = values.encode_usable(array)
        spelled = source.types[number] == "text" and kind is not Kind.TEXT
        return values.spelled(cells) if spelled else cells, bad


def _ticks(array: Array, counting: Counting, what: str) -> Ticks:
    if counting.tick is None and is_timestamp(array.type):
        raise DataError(no_tick(f"{what} has timestamps"))
    with naming(what, array.type):
        return times_of(array, counting)


def _of_no_use(source: Input, rows: FrameRows, bad: Sequence[Mask | None]) -> Iterator[_Objection]:
    for name, column, applies in zip(source.columns, rows.columns, bad, strict=False):
        if applies is not None:
            fault = f"the value of column {name} {why_of_no_use(column.type)}"
            yield _Objection(MALFORMED, applies, partial(_same, fault))


def _same(fault: str, rows: Column) -> pa.Array:
    return pa.array([fault] * len(rows), pa.string())


def _about_values(
    source: Input, cells: Sequence[Column], kinds: Sequence[Kind | None], values: Values
) -> Iterator[_Objection]:
    for name, type_, column, kind in zip(source.columns, source.types, cells, kinds, strict=False):
        wanted = kind if type_ is None else Kind.TEXT if type_ == "text" else Kind.NUMBER
        # A column of one kind has values of that, or none.
        wrong = column == UNBOUND if kind is wanted else values.kinds(column) != wanted
        if type_ == "integer":
            wrong |= ~Numbers.of_cells(column, values).is_whole
        elif kind in (None, Kind.NUMBER):
            wrong |= infinite(column)
        yield _Objection(MALFORMED, wrong, partial(rejects.about_value, name, type_, column, values))


def _about_times(time: Ticks, arrival: Ticks, counting: Counting) -> Iterator[_Objection]:
    for what, times, wrong in (("time", time, ~time.natural), ("arrival", arrival, ~arrival.whole)):
        yield _Objection(MALFORMED, wrong, partial(rejects.about_time, what, times, counting=counting))


def _about_batch(arrival: Ticks, before: int, now: int) -> Iterator[_Objection]:
    def detail(arrives: str, why: str, rows: Column) -> pa.Array:
        return sentence(f"{arrives} at tick ", arrival.numbers[rows], f", but {why}")

    over, end = f"tick {before} was already over", f"this batch ends with tick {now}"
    yield _Objection(MALFORMED, arrival.numbers <= before, partial(detail, "arrived", over))
    yield _Objection(MALFORMED, arrival.numbers > now, partial(detail, "arrives", end))


def _about_order(source: Input, given: Facts, allowed: Column, counting: Counting) -> Iterator[_Objection]:
    ahead, behind = given.time - given.arrival, given.arrival - given.time - allowed

    def detail(by: Column, where: str, rows: Column) -> pa.Array:
        fault = sentence("arrived at tick ", given.arrival[rows], ", ", rejects.ticks(by[rows]), where)
        return rejects.with_remedy(fault, given.time[rows], counting, source)

    yield _Objection(EARLY, ahead > 0, partial(detail, ahead, " before its time"))
    yield _Objection(LATE, behind > 0, partial(detail, behind, " after its deadline"))


def _rejected(
    name: str, as_json: pa.Array, time: Ticks, arrival: Ticks, found: Sequence[tuple[str, Column, pa.Array]]
) -> pa.Table:
    """The rejects of an input in the order of its rows; `as_json` has the rows in the order of `found`."""
    at = np.concatenate([rows for _, rows, _ in found])
    order = pa.array(np.argsort(at))
    count = len(at)
    table = pa.table(
        [
            pa.array([name] * count, pa.string()),
            as_json,
            pa.array(time.numbers[at], mask=~time.whole[at]),
            pa.array(arrival.numbers[at], mask=~arrival.whole[at]),
            pa.concat_arrays([pa.array([reason] * len(rows), pa.string()) for reason, rows, _ in found]),
            pa.concat_arrays([detail for _, _, detail in found]),
        ],
        schema=rejects.SCHEMA,
    )
    return table.take(order)


def _once(facts: Facts) -> Facts:
    if facts.count < 2 or len(suspects := alike(facts.digests)) == 0:
        return facts  # different digests, different facts
    # Of equal keys the first comes first, and that shall be the fact that arrived first.
    suspects = suspects[np.argsort(facts.arrival[suspects], kind="stable")]
    (key,) = keys_of([[column[suspects] for column in (*facts.columns, facts.time)]])
    kept = np.ones(facts.count, np.bool_)
    kept[suspects] = False
    kept[suspects[groups(key).first]] = True
    return facts.take(kept)


# ---- delays ----


def arrivals(time: Column, now: int, latest: int | None = None) -> Column:
    """The arrivals of rows without one: their own ticks, from `now + 1` to `latest`, if that is given."""
    first = now + 1
    return np.maximum(time, first) if latest is None else np.clip(time, first, max(first, latest))


@dataclass(frozen=True, eq=False)
class DelayRows:
    """The delay declarations with constants at the same positions: cells and a delay for each."""

    positions: tuple[int, ...]
    cells: tuple[Column, ...]
    delays: Column


# Making the tables of thousands of declarations takes longer than looking up a small batch.
_KNOWN: WeakKeyDictionary[Values, dict[str, tuple[Input, tuple[DelayRows, ...]]]] = WeakKeyDictionary()


def tables_of(source: Input, values: Values) -> tuple[DelayRows, ...]:
    """The delay declarations of an input, those with fewer constants first."""
    known = _KNOWN.setdefault(values, {})
    of, tables = known.get(source.name, (None, ()))
    if of is source:
        return tables
    found = []
    for positions, declared_delays in reversed(DelayTable(source).tables.items()):
        rows = [[*map(values.cell, row), delay] for row, delay in declared_delays.items()]
        *columns, delays = (np.array(column, np.int64) for column in zip(*rows, strict=True))
        found.append(DelayRows(positions, tuple(columns), delays))
    known[source.name] = (source, tuple(found))
    return tuple(found)


def delays(source: Input, columns: Sequence[Column], values: Values) -> Column:
    """The delay of each fact, by the matching declaration with the most constants."""
    result = np.full(len(columns[0]) if columns else 1, source.delay, np.int64)
    for table in tables_of(source, values):
        if not table.positions:
            result[:] = table.delays[0]
            continue
        at = find_rows([columns[i] for i in table.positions], table.cells)
        matches = at >= 0
        result[matches] = table.delays[at[matches]]
    return result


# ---- rows that come too late for a run: `--until 5`, and one that arrived at 6 ----


def beyond(plan: Plan, frames: Mapping[str, Frame], until: int, *, arrival: str) -> Admitted:
    """Counts rows that arrived after tick `until`; malformed ones are set aside with their reason."""
    batch = admit(plan, frames, Values(), until, LAST, arrival=arrival)
    malformed = pc.equal(batch.rejects.column("reason"), MALFORMED)
    counts = {
        name: Counts(malformed=each.malformed, after_until=each.given - each.malformed)
        for name, each in batch.counts.items()
    }
    rejects, places = batch.rejects.filter(malformed), batch.places[malformed.to_numpy(zero_copy_only=False)]
    return replace(batch, facts={}, counts=counts, rejects=rejects, places=places)


# ---- frames of which most rows, or all of them, are set aside ----
#
#     Temp: none of its 4,032 rows can be used: the time `soon` is not a whole number, as in ["wt2", 91]
#
# A frame of which nothing was understood would look like one in which nothing happened.

_MANY = 20  # in frames of fewer rows it is ordinary that most are late, early, or in conflict
_CALLER = 4  # the stack level of the line that called `advance`, above the check of its arguments
_LONGEST = 200  # the most characters of an example
_REMEDIES = {
    LATE: "Hand them over before, have a column with their arrivals, or declare a longer delay",
    EARLY: "Advance to a later tick, or have a column with their arrivals",
    CONFLICTING: "The input is declared `one per` with fewer columns than distinguish these facts",
    MALFORMED: "Mend the columns, or leave these rows out",
}


def check_use(batch: Admitted) -> None:
    """Warns of frames of which more than half is set aside. Raises DataError if no row is of use."""
    for name, counts in batch.counts.items():
        aside = {reason: getattr(counts, reason) for reason in REASONS if getattr(counts, reason)}
        count = sum(aside.values()) if counts.given >= _MANY else batch.of_no_use[name]
        if counts.given < 2 or 2 * count <= counts.given:
            continue  # a single row says nothing of those to come
        rejects = batch.rejects.filter(pc.equal(batch.rejects.column("input"), name))
        if batch.of_no_use[name] == counts.given:
            raise DataError(f"{name}: none of its {counts.given:,} rows can be used: {_mostly(rejects)}")
        warnings.warn(_warning(name, counts, aside, rejects), DataWarning, stacklevel=_CALLER)


def _warning(name: str, counts: Counts, aside: dict[str, int], rejects: pa.Table) -> str:
    each = ", ".join(f"{count:,} {FATES[reason]}" for reason, count in aside.items())
    reason = max(aside, key=aside.__getitem__)
    said = _mostly(rejects.filter(pc.equal(rejects.column("reason"), reason)))
    return (
        f"{name}: {sum(aside.values()):,} of {counts.given:,} rows were set aside ({each}); {said}. "
        f"{_REMEDIES[reason]}; `rejects` of the engine has them, each with its reason"
    )


def _mostly(rejects: pa.Table) -> str:
    """The most common reason of rejects, with the first example."""
    kinds = pc.replace_substring_regex(rejects.column("detail"), PARTICULAR, "…")
    each = pc.value_counts(kinds)
    numbers = each.field("counts").to_numpy()
    most = int(numbers.argmax())
    alike = rejects.filter(pc.equal(kinds, each.field("values")[most]))
    detail, row = (alike.column(name)[0].as_py() for name in ("detail", "values"))
    mostly = "" if numbers[most] == len(rejects) else "mostly "
    return f"{mostly}{detail}, as in {row[:_LONGEST]}{'…' if len(row) > _LONGEST else ''}"
