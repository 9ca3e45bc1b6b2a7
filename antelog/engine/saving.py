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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

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
from antelog.engine.values.types import Types
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
Limits = dict[str, Any]  # the limits of what is known, where rules were changed: see `Carried`
_LIMITS = ("facts", "latest", "since")


class SavedState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`until` is the tick up to which each relation that rests on its own negation is decided."""

    now: int
    begin: int | None
    forgotten: int
    limit: int | None
    until: dict[str, int]
    counts: dict[str, Counts]
    dropped: dict[str, Dropped]
    given: dict[str, list[tuple[str | int | float, ...]]]


@dataclass(frozen=True, eq=False)
class StateParts:
    """The parts of a state: what is written of it, as values, their types, and the columns of each member."""

    head: SavedState
    limits: Limits
    types: Mapping[str, Types]
    values: Values
    columns: Mapping[str, Sequence[Column]]
    forecast: Mapping[str, bytes]


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
    state = pruned(saved.plan, saved.state)
    members = {
        "state.json": msgspec.json.encode(head_of(saved)),
        "plan.json": to_json(saved.plan).encode(),
        "types.arrow": types_to_bytes(state.observed.types),
        "values.json": msgspec.json.encode(state.values.saved()),
        **{
            name: b"".join(column.astype("<i8").tobytes() for column in columns)
            for name, columns in columns_of(saved.plan, state).items()
        },
    }
    if replace(state.carried, forgotten=0) != NOTHING_CARRIED:
        members["limits.json"] = msgspec.json.encode(limits_of(state))
    return sealed.pack({**members, **saved.forecast})


def head_of(saved: SavedEngine) -> SavedState:
    state = saved.state
    return SavedState(
        now=state.now,
        begin=state.begin,
        forgotten=state.carried.forgotten,
        limit=saved.limit,
        until={name: each.until for name, each in state.decided.items()},
        counts=dict(saved.counts),
        dropped=dict(saved.dropped),
        given=dict(saved.given),
    )


def limits_of(state: State) -> Limits:
    known = vars(state.carried)
    return {**{name: dict(known[name]) for name in _LIMITS}, "anew": sorted(known["anew"])}


def types_to_bytes(types: Mapping[str, Types]) -> bytes:
    fields = [
        (name, pa.struct([pa.field(str(i), each) for i, each in enumerate(of)])) for name, of in types.items()
    ]
    return bytes(pa.schema(fields).serialize().to_pybytes())


def columns_of(plan: Plan, state: State) -> dict[str, list[Column]]:
    """The columns of a state by member: cells of its values, then ticks."""
    found: dict[str, list[Column]] = {}
    for name, member in _members("facts", plan.inputs).items():
        facts = gather(state.history, name, None)
        found[member] = [*facts.columns, facts.time, facts.arrival]
    for name, member in _members("latest", plan.inputs).items():
        if (latest := state.history[name].latest) is not None:
            found[member] = [*latest.columns, latest.time, latest.arrival]
    for number, own in enumerate(state.observed.seen.values()):
        found[f"seen/{number}"] = [own.cells, own.since]
    member_of = _members("decided", plan.relations)
    for name, each in state.decided.items():
        found[member_of[name]] = [*each.columns, each.ticks, each.true.astype(np.int64), each.when]
    member_of = _members("settled", plan.relations)
    for name, settled in state.carried.settled.items():
        found[member_of[name]] = [*settled.columns, settled.time]
    return found


KINDS = ("facts", "latest", "seen", "decided", "settled")  # of members with columns


def names_of(plan: Plan, member: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the columns of a member: those of cells, and those of ticks."""
    kind, number = member.split("/")
    if kind == "seen":
        return ("value",), ("since",)
    if kind in ("facts", "latest"):
        *values, time = plan.inputs[int(number)].columns
        return tuple(values), (time, "arrival")
    answer = plan.relations[int(number)].answer
    ticks = ("tick", "true", "since") if kind == "decided" else (answer.time or "tick",)
    return answer.variables, ticks


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
        state = msgspec.json.decode(members["state.json"], type=SavedState)
        plan = from_json(members["plan.json"])
        if program is not None and not plan.means(program):
            raise other_rules(name, plan, program)
        check_functions(name, plan, functions)
        return _read(members, state, plan if program is None else program, functions)
    except KeyError as error:
        raise StateError(f"{name} is not a state of an engine: it has no {error.args[0]}") from None
    except (msgspec.MsgspecError, PlanError) as error:
        raise StateError(f"{name} is not a state that can be restored: {error}. {AGAIN}") from None


def check_functions(name: str, plan: Plan, functions: Mapping[str, UserFunction]) -> None:
    """Raises FunctionError if a state's rules call a function that is not given."""
    if missing := [each.name for each in plan.functions if each.name not in functions]:
        raise FunctionError.of("state.functions", name=name, names=", ".join(missing))


def other_rules(name: str, plan: Plan, program: Plan) -> RulesChangedError:
    """The error about a state of another program, with the differences between the two."""
    differences = sentence(compared(plan, program))
    return RulesChangedError(
        f"{name} was saved by other rules than these: {differences}. Go on with them by `accept=True`, or "
        "restore it with the program that wrote it, or start anew and replay the facts",
        differences,
    )


def _read(
    members: Mapping[str, bytes], state: SavedState, plan: Plan, functions: Mapping[str, UserFunction]
) -> SavedEngine:
    values = Values.from_saved(msgspec.json.decode(members["values.json"], type=SavedValues))
    columns = {
        name: [
            *np.frombuffer(content, "<i8").astype(np.int64).reshape(sum(map(len, names_of(plan, name))), -1)
        ]
        for name, content in members.items()
        if name.partition("/")[0] in KINDS
    }
    limits = msgspec.json.decode(members["limits.json"]) if "limits.json" in members else {}
    others = {name: content for name, content in members.items() if name.startswith(FORECAST)}
    types = types_from(members["types.arrow"])
    return assembled(plan, StateParts(state, limits, types, values, columns, others), functions)


def types_from(content: bytes) -> dict[str, Types]:
    schema = pa.ipc.read_schema(pa.BufferReader(content))
    return {field.name: tuple(column.type for column in field.type) for field in schema}


def assembled(plan: Plan, parts: StateParts, functions: Mapping[str, UserFunction]) -> SavedEngine:
    """Makes a saved engine of its parts. Raises KeyError if a member is missing."""
    head, columns, limits = parts.head, parts.columns, parts.limits
    start = begin(plan, head.given, parts.values, functions)
    known = seeing(plan, start, parts.types)
    facts, history = dict[str, Facts](), dict(start.history)
    for number, source in enumerate(plan.inputs):
        stream = history[source.name]
        facts[source.name] = _facts(columns[f"facts/{number}"])
        if stream.latest is not None:
            history[source.name] = stream.with_latest(_facts(columns[f"latest/{number}"]))
    seen = {each: SeenValues(*columns[f"seen/{number}"]) for number, each in enumerate(start.observed.seen)}
    decided = {
        name: _decided(columns[member], head.until[name])
        for name, member in _members("decided", plan.relations).items()
        if name in start.decided
    }
    settled = {
        name: SettledAnswers(tuple(columns[member][:-1]), columns[member][-1])
        for name, member in _members("settled", plan.relations).items()
        if member in columns
    }
    facts_from, latest_from, since = (limits.get(name, {}) for name in _LIMITS)
    anew = frozenset(limits.get("anew", ()))
    resumed = replace(
        known,
        now=head.now,
        begin=head.begin,
        history=added(history, facts),
        observed=replace(known.observed, seen=seen),
        decided=decided,
        carried=Carried(head.forgotten, facts_from, latest_from, since, anew, settled),
    )
    return SavedEngine(plan, resumed, head.given, head.counts, head.dropped, head.limit, parts.forecast)


def _members(kind: str, of: Iterable[Input | Relation]) -> dict[str, str]:
    """The member of some kind for each input or relation of a plan."""
    return {each.name: f"{kind}/{number}" for number, each in enumerate(of)}


def _facts(columns: Sequence[Column]) -> Facts:
    *cells, time, arrival = columns
    return Facts(tuple(cells), time, arrival)


def _decided(columns: Sequence[Column], until: int) -> DecidedAtoms:
    *cells, ticks, true, when = columns
    return DecidedAtoms(until, tuple(cells), ticks, true != 0, when)
