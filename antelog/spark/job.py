"""What the workers are told: the program and how it is to be run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec
import pyarrow as pa

from antelog.compile.plan import Input, Plan
from antelog.compile.plan_json import to_json
from antelog.compile.statics import Row
from antelog.engine.log.schema import answer_types, changes_schema
from antelog.engine.sealed import VERSION
from antelog.engine.values.types import Types
from antelog.spark.needed import Needs, needs_of

ARRIVED = "arrived at"
"""The column of arrivals in the tables that are handed on. No column of an input can have that name."""


@dataclass(frozen=True)
class Job:
    """A program to be run over DataFrames.

    given       the background facts from outside the program
    types       the types of the columns of each input, the time's last, and of each of the given relations
    own         the type of the arrivals of those inputs whose facts have arrivals of their own
    numbers     the number of each bucket
    until       batches: the last tick, if it was given
    idle        microseconds after which a stream without rows follows the wall clock
    batch       whether it is a batch

    The rest is as `antelog.spark` says.
    """

    plan: Plan
    given: Mapping[str, tuple[Row, ...]]
    types: Mapping[str, Types]
    own: Mapping[str, pa.DataType]
    numbers: tuple[int, ...]
    only: tuple[str, ...]
    clock: str
    lag: int
    idle: int | None
    until: int | None
    batch: bool

    def divided(self, numbers: tuple[int, ...]) -> Job:
        """The same with buckets of these numbers."""
        return replace(self, numbers=numbers)

    @cached_property
    def inputs(self) -> Mapping[str, Input]:
        return {source.name: source for source in self.plan.inputs}

    @cached_property
    def schemas(self) -> Mapping[str, pa.Schema]:
        """For each query what the engine tells of it, in the same types whatever a bucket has seen."""
        types = answer_types(self.plan, self.types)
        return {query.name: changes_schema(self.plan, query.name, types) for query in self.plan.queries}

    @cached_property
    def tables(self) -> Mapping[str, pa.Schema]:
        """For each input its tables on their way to a bucket: columns, and arrivals if it has some."""
        found = {}
        for name in self.types.keys() & self.inputs.keys():
            columns = dict(zip(self.inputs[name].columns, self.types[name], strict=True))
            if name in self.own:
                columns[ARRIVED] = self.own[name]
            found[name] = pa.schema(list(columns.items()))
        return found

    @cached_property
    def needs(self) -> Mapping[str, Needs]:
        """For each input what facts are of use."""
        return {name: needs_of(self.plan, name, self.types[name]) for name in self.tables}

    @cached_property
    def key_columns(self) -> Mapping[str, str]:
        """For each input the column it is divided by: any will do for one that no pattern asks for."""
        positions = {each.name: each.position for each in self.plan.key.positions}
        return {name: source.columns[positions.get(name, 0)] for name, source in self.inputs.items()}

    @cached_property
    def talks_by_itself(self) -> bool:
        """Whether some answers need no fact, so that each tick has something to say."""
        patterns = [pattern for query in self.plan.queries for pattern in query.patterns]
        return any(pattern.clock_driven for pattern in patterns)

    @cached_property
    def deals_out_answers(self) -> bool:
        """Whether several buckets may know of the same answer, which no fact has named values for.

        What rests on background facts that are not there is certain by the rules alone.
        """
        negated = (relation for relation in self.plan.relations if not relation.asked)
        return self.talks_by_itself or any(p.statics for relation in negated for p in relation.patterns)

    @cached_property
    def identity(self) -> dict[str, str]:
        """What must stay the same for a state to be of use."""
        return {
            "format": str(VERSION),
            "program": _digest(to_json(self.plan).encode()),
            "background facts": _digest(msgspec.json.encode(sorted(self.given.items()), enc_hook=str)),
            "buckets": str(len(self.numbers)),
            "clock": self.clock,
        }


def differences(old: Mapping[str, str], new: Mapping[str, str]) -> str | None:
    """What differs between two identities, in words; None if nothing does."""
    parts = [_difference(name, old.get(name), new[name]) for name in new if old.get(name) != new[name]]
    return " and ".join(parts) or None


def _difference(name: str, old: str | None, new: str) -> str:
    if name == "format":
        return "another version of antelog"
    if name in ("program", "background facts"):
        return f"another program ({old}, not {new})" if name == "program" else "other background facts"
    return f"{old} {name}, not {new}" if name == "buckets" else f"the {name} `{old}`, not `{new}`"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
