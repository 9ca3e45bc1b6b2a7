"""An engine's state as bytes or as a file, and back.

It is a sealed archive (see `sealed`) without pickled code, whose members are

    state.json      the last finished tick, what was counted and given up, the static facts given
    plan.json       the plan, as `antelog.compile.nodes.plan` writes it
    types.arrow     an Arrow schema: for each input and static predicate a struct of its columns' types
    values.json     the values that have ids, the constants first
    facts/N         the kept facts of the plan's Nth input: cells, times, arrivals
    seen/N          the values seen for the Nth unguarded variable: cells, and since when
    latest/N        the latest fact of each slot of the plan's Nth input, if rules ask for these
    limits.json     from which ticks on all is known, where rules were changed
    decided/N       the remembered atoms of the plan's Nth relation, if it rests on its own negation:
                    cells, ticks, whether they are true, from when on
    settled/N       the answers of the plan's Nth relation that earlier rules have confirmed: cells, times

Columns are whole numbers of 8 bytes, little-endian, one column after the other.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa

from antelog.accounts import Counts
from antelog.compile.meanings import compared, sentence
from antelog.compile.nodes.plan import Input, Plan, Relation, from_json, to_json
from antelog.compile.rules.statics import Row
from antelog.engine import sealed
from antelog.engine.carried import NOTHING_CARRIED, Carried, Dropped, SettledAnswers
from antelog.engine.columns.tables import Column
from antelog.engine.facts.history import Facts, SeenValues, added, gather
from antelog.engine.sealed import AGAIN, MOST
from antelog.engine.state import State, pruned, seeing
from antelog.engine.state import start as begin
from antelog.engine.step.derivations import DecidedAtoms
from antelog.engine.values.values import SavedValues, Values
from antelog.errors import FunctionError, PlanError, RulesChangedError, StateError
from antelog.functions import NO_FUNCTIONS, UserFunction

__all__ = ["MOST", "SavedEngine", "from_bytes", "restore", "to_bytes"]


@dataclass(frozen=True)
class SavedEngine:
    """The content of a saved engine; `forecast` has the members that forecasts add."""

    plan: Plan
    state: State
    given: Mapping[str, list[Row]]
    counts: Mapping[str, Counts]
    dropped: Mapping[str, Dropped]
    limit: int | None
    forecast: Mapping[str, bytes] = field(default_factory=dict)


FORECAST = "forecast/"


class _Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits of what is known, where rules were changed: see `Carried`."""

    facts: dict[str, int]
    latest: dict[str, int]
    since: dict[str, int]
    anew: tuple[str, ...]


class _State(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`until` is the tick up to which each relation that rests on its own negation is decided."""

    now: int
    begin: int | None
    forgotten: int
    limit: int | None
    until: dict[str, int]
    counts: dict[str, Counts]
    dropped: dict[str, Dropped]
    given: dict[str, list[tuple[str | int | float, ...]]]


def restore(
    path: str | PathLike[str], most: int = MOST, functions: Mapping[str, UserFunction] = NO_FUNCTIONS
) -> SavedEngine:
    """Reads the state in a file; otherwise as `from_bytes`."""
    try:
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise sealed.too_large(str(path), size, most)
            sealed.digest_in(file.peek(), str(path))  # what is not a state may have no end
            content = file.read()
    except FileNotFoundError:
        raise StateError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise StateError(f"{path}: cannot be read: {getattr(error, 'strerror', error)}") from None
    return from_bytes(content, str(path), None, most, functions)


def to_bytes(saved: SavedEngine) -> bytes:
    old, plan = saved.state, saved.plan
    pure = pruned(plan, old)
    kept, history, decided = pure.values, pure.history, pure.decided
    state = _State(
        now=old.now,
        begin=old.begin,
        forgotten=old.forgotten,
        limit=saved.limit,
        until={name: each.until for name, each in decided.items()},
        counts=dict(saved.counts),
        dropped=dict(saved.dropped),
        given=dict(saved.given),
    )
    types = [
        (name, pa.struct([pa.field(str(i), each) for i, each in enumerate(of)]))
        for name, of in old.observed.types.items()
    ]
    members = {
        "state.json": msgspec.json.encode(state),
        "plan.json": to_json(plan).encode(),
        "types.arrow": pa.schema(types).serialize().to_pybytes(),
        "values.json": msgspec.json.encode(kept.saved()),
    }
    for name, member in _members("facts", plan.inputs).items():
        facts = gather(history, name, None)
        members[member] = _to_bytes([*facts.columns, facts.time, facts.arrival])
    for name, member in _members("latest", plan.inputs).items():
        if (latest := history[name].latest) is not None:
            members[member] = _to_bytes([*latest.columns, latest.time, latest.arrival])
    for number, own in enumerate(pure.observed.seen.values()):
        members[f"seen/{number}"] = _to_bytes([own.cells, own.since])
    member_of = _members("decided", plan.relations)
    for name, each in decided.items():
        true = each.true.astype(np.int64)
        members[member_of[name]] = _to_bytes([*each.columns, each.ticks, true, each.when])
    carried = pure.carried
    if replace(carried, forgotten=0) != NOTHING_CARRIED:
        facts_from, latest_from, since = map(dict, (carried.facts, carried.latest, carried.since))
        limits = _Limits(facts_from, latest_from, since, tuple(sorted(carried.anew)))
        members["limits.json"] = msgspec.json.encode(limits)
    member_of = _members("settled", plan.relations)
    for name, settled in carried.settled.items():
        members[member_of[name]] = _to_bytes([*settled.columns, settled.time])
    return sealed.pack({**members, **saved.forecast})


def from_bytes(
    content: bytes,
    name: str = "the saved state",
    program: Plan | None = None,
    most: int = MOST,
    functions: Mapping[str, UserFunction] = NO_FUNCTIONS,
) -> SavedEngine:
    """Reads a state, which errors call by this name. Raises StateError if it is damaged, or beyond `most`."""
    members = sealed.unpack(content, name, most)
    try:
        state = msgspec.json.decode(members["state.json"], type=_State)
        plan = from_json(members["plan.json"])
        if program is not None and not plan.means(program):
            raise other_rules(name, plan, program)
        if missing := [each.name for each in plan.functions if each.name not in functions]:
            raise FunctionError(
                f"the program of {name} calls {', '.join(missing)}, and a state has no functions: "
                "restore it with the program, `Engine.restore(path, program)`, read with `functions=`"
            )
        return _read(members, state, plan if program is None else program, functions)
    except KeyError as error:
        raise StateError(f"{name} is not a state of an engine: it has no {error.args[0]}") from None
    except (msgspec.MsgspecError, PlanError) as error:
        raise StateError(f"{name} is not a state that can be restored: {error}. {AGAIN}") from None


def other_rules(name: str, plan: Plan, program: Plan) -> RulesChangedError:
    """The error about a state of another program, with the differences between the two."""
    differences = sentence(compared(plan, program))
    return RulesChangedError(
        f"{name} was saved by other rules than these: {differences}. Go on with them by `accept=True`, or "
        "restore it with the program that wrote it, or start anew and replay the facts",
        differences,
    )


def _read(
    members: Mapping[str, bytes], state: _State, plan: Plan, functions: Mapping[str, UserFunction]
) -> SavedEngine:
    values = Values.from_saved(msgspec.json.decode(members["values.json"], type=SavedValues))
    start = begin(plan, state.given, values, functions)
    types = pa.ipc.read_schema(pa.BufferReader(members["types.arrow"]))
    known = seeing(plan, start, {field.name: tuple(column.type for column in field.type) for field in types})
    facts, history = dict[str, Facts](), dict(start.history)
    for number, source in enumerate(plan.inputs):
        stream = history[source.name]
        facts[source.name] = _facts(members[f"facts/{number}"], stream.width)
        if stream.latest is not None:
            history[source.name] = stream.with_latest(_facts(members[f"latest/{number}"], stream.width))
    seen = {
        columns: SeenValues(*_from_bytes(members[f"seen/{number}"], 2))
        for number, columns in enumerate(start.observed.seen)
    }
    decided = {
        name: _decided(members[member], len(start.decided[name].columns), state.until[name])
        for name, member in _members("decided", plan.relations).items()
        if name in start.decided
    }
    resumed = replace(
        known,
        now=state.now,
        begin=state.begin,
        history=added(history, facts),
        observed=replace(known.observed, seen=seen),
        decided=decided,
    )
    carried = Carried(state.forgotten)
    if "limits.json" in members:
        limits = msgspec.json.decode(members["limits.json"], type=_Limits)
        settled = {
            name: _settled(members[member], len(plan.relation(name).answer.variables))
            for name, member in _members("settled", plan.relations).items()
            if member in members
        }
        anew = frozenset(limits.anew)
        carried = Carried(state.forgotten, limits.facts, limits.latest, limits.since, anew, settled)
    resumed = replace(resumed, carried=carried)
    others = {name: content for name, content in members.items() if name.startswith(FORECAST)}
    return SavedEngine(plan, resumed, state.given, state.counts, state.dropped, state.limit, others)


def _members(kind: str, of: Iterable[Input | Relation]) -> dict[str, str]:
    """The member of some kind for each input or relation of a plan."""
    return {each.name: f"{kind}/{number}" for number, each in enumerate(of)}


def _facts(content: bytes, width: int) -> Facts:
    *columns, time, arrival = _from_bytes(content, width + 2)
    return Facts(tuple(columns), time, arrival)


def _settled(content: bytes, width: int) -> SettledAnswers:
    *columns, time = _from_bytes(content, width + 1)
    return SettledAnswers(tuple(columns), time)


def _decided(content: bytes, width: int, until: int) -> DecidedAtoms:
    *columns, ticks, true, when = _from_bytes(content, width + 3)
    return DecidedAtoms(until, tuple(columns), ticks, true != 0, when)


def _to_bytes(columns: Iterable[Column]) -> bytes:
    return b"".join(column.astype("<i8").tobytes() for column in columns)


def _from_bytes(content: bytes, width: int) -> list[Column]:
    return list(np.frombuffer(content, "<i8").astype(np.int64, copy=False).reshape(width, -1))
