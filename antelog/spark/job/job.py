"""The job that every worker gets: the program, its data and the options."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from types import ModuleType
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pyarrow as pa
from pyspark import cloudpickle

from antelog.arrow.ticks import LAST, InTicks, ticks_of
from antelog.compile.nodes.plan import Input, Plan, to_json
from antelog.compile.rules.statics import Row
from antelog.engine.dividing import key_columns
from antelog.engine.facts.admission import admit, arrivals
from antelog.engine.sealed import VERSIONS, other_version
from antelog.engine.step.schema import answer_columns
from antelog.engine.values.functions import MOST_FAILED
from antelog.engine.values.types import Types
from antelog.engine.values.values import Values
from antelog.errors import FunctionError
from antelog.forecast.judges.looks import looks_of
from antelog.functions import UserFunction, is_of_library
from antelog.language.epochs import Counting
from antelog.run.clock import MAX_WAITING, NOTHING, Timing
from antelog.spark.job.needed import EVERYTHING, Needs, needs_of

if TYPE_CHECKING:  # without chances nothing of the forecast is loaded
    from antelog.spark.job.forecasts import Forecasts

ARRIVED = InTicks("arrived at")  # the column of arrivals, as ticks; no column of an input can have that name

WALL = "the clock of this machine"  # the column with the time of a micro-batch, in rows of streams
OTHERS = "others"  # the column with the variables that stand for all other values


@dataclass(frozen=True)
class Predecessor:
    """Rules that the state of a stream may still be of: the identity of their run, and their plan."""

    identity: Mapping[str, str]
    plan: Plan


@dataclass(frozen=True)
class Data:
    """The types of the data, the background facts and the functions, known before any facts are read."""

    given: Mapping[str, tuple[Row, ...]]  # background facts from outside the program
    types: Mapping[str, Types]  # of the columns of each input, the time's last, and of each given relation
    arriving: Set[str]  # the inputs whose facts have arrivals of their own
    countings: Mapping[str, Counting]
    called: bytes = b""  # the functions that the program calls, pickled
    before: tuple[Predecessor, ...] = ()  # earlier rules, which the state of a stream may still be of

    @cached_property
    def functions(self) -> Mapping[str, UserFunction]:
        return pickle.loads(self.called) if self.called else {}

    @property
    def background(self) -> dict[str, list[Row]]:
        return {name: list(rows) for name, rows in self.given.items()}


@dataclass(frozen=True)
class Job:
    """A program to be run over DataFrames."""

    plan: Plan
    data: Data
    numbers: tuple[int, ...]  # of its buckets
    timing: Timing
    batch: bool
    only: tuple[str, ...]  # the kinds of changes that are wanted
    explanations: int | None = None  # the most of a line; None: all of them
    begin: int | None = None  # the first tick, if given
    until: int | None = None  # in a batch the last tick, if given
    forecasts: Forecasts | None = None
    max_waiting: int = MAX_WAITING  # rows of a stream that may wait for their ticks, in all buckets
    most_failed: float = MOST_FAILED  # the share of a step's calls of functions that may fail
    seeds: Mapping[int, Sequence[bytes]] = field(default_factory=dict)  # what buckets begin with, if anything

    def __reduce__(self) -> tuple[Callable[[bytes], Job], tuple[bytes]]:
        values = [getattr(self, each.name) for each in fields(self)]
        return loaded, (cloudpickle.dumps(values),)  # type: ignore[no-untyped-call]  # PySpark gives it no types

    @cached_property
    def without_model(self) -> Job:
        """The job without its model and its seeds, for workers that only need the columns of chances."""
        if self.forecasts is None:
            return replace(self, seeds={}) if self.seeds else self
        return replace(self, forecasts=replace(self.forecasts, content=None), seeds={})

    @cached_property
    def inputs(self) -> Mapping[str, Input]:
        return {source.name: source for source in self.plan.inputs}

    @cached_property
    def schemas(self) -> Mapping[str, pa.Schema]:
        """The schema of each query's lines, the same for all buckets whatever their data."""
        columns = answer_columns(self.plan, self.data.types)
        engine = {name: each.schema for name, each in columns.items()}
        chances = dict.fromkeys(engine, ()) if self.forecasts is None else self.forecasts.columns(self.plan)
        return {name: pa.schema([*schema, *chances[name]]) for name, schema in engine.items()}

    @cached_property
    def tables(self) -> Mapping[str, pa.Schema]:
        """The schema of each input's tables for the buckets."""
        found = {}
        for name in self.data.types.keys() & self.inputs.keys():
            columns = [*zip(self.inputs[name].columns, self.data.types[name], strict=True)]
            arrival = [(ARRIVED, pa.int64())] if name in self.data.arriving else []
            found[name] = pa.schema([*columns, *arrival])
        return found

    @cached_property
    def needs(self) -> Mapping[str, Needs]:
        """The facts of each input that are needed; all of them if a model learns or looks at values."""
        if self.forecasts is not None and self.forecasts.learns_what_is_shared:
            return dict.fromkeys(self.tables, EVERYTHING)
        given = self.forecasts is not None and self.forecasts.content is not None
        queries = self.plan.queries if given else ()
        seen = {look.predicate for query in queries for look in looks_of(self.plan, query.name)}
        return {
            name: EVERYTHING if name in seen else needs_of(self.plan, name, self.data.types[name])
            for name in self.tables
        }

    @cached_property
    def key_columns(self) -> Mapping[str, str | None]:
        """The column by which each input is divided; None if all its facts belong to the first bucket."""
        return key_columns(self.plan)

    @cached_property
    def begins_together(self) -> bool:
        """Whether lines depend on the first tick: chances, and answers that need no fact."""
        if self.plan.tick is None or self.begin is not None:
            return False
        patterns = (pattern for relation in self.plan.relations for pattern in relation.patterns)
        return self.forecasts is not None or any(pattern.clock_driven for pattern in patterns)

    @cached_property
    def ends_together(self) -> bool:
        """Whether a bucket without open answers may get some with every tick: all have to end at one."""
        if not self.batch or self.until is not None or not self.only or len(self.numbers) == 1:
            return False
        patterns = [pattern for query in self.plan.queries for pattern in query.patterns]
        learns = self.forecasts is not None and self.forecasts.learns_what_is_shared
        return learns or any(each.clock_driven or each.unguarded_time is not None for each in patterns)

    def predecessor(self, identity: Mapping[str, str]) -> Job | None:
        """The job with the earlier rules of an identity; None if the state may not go on from them."""
        found = next((each for each in self.data.before if each.identity == identity), None)
        if found is None:
            return None
        names = {each.name for each in found.plan.statics}
        given = {name: rows for name, rows in self.data.given.items() if name in names}
        types = {n: t for n, t in self.data.types.items() if n in names or n in self.inputs}
        data = replace(self.data, given=given, types=types, before=())
        # The model is of the new rules; of those before it is gone.
        forecasts = None if self.forecasts is None else replace(self.forecasts, content=None)
        return replace(self, plan=found.plan, data=data, forecasts=forecasts)

    @cached_property
    def identity(self) -> dict[str, str]:
        """The properties that a job and a stored state must have in common."""
        learns = None if self.forecasts is None else self.forecasts.learning.on
        return {
            "format": str(VERSIONS["state"]),
            "program": _digest(to_json(self.plan.meaning).encode()),
            "background facts": _digest(msgspec.json.encode(sorted(self.data.given.items()), enc_hook=str)),
            "buckets": str(len(self.numbers)),
            "clock": str(self.timing.clock),
            "chances": {None: "no", True: "learned", False: "not learned"}[learns],
        }


@lru_cache(maxsize=8)
def loaded(pickled: bytes) -> Job:
    """A job from its pickled values; all tasks of a worker share the object and its cached properties."""
    return Job(*pickle.loads(pickled))


def differences(old: Mapping[str, str], new: Mapping[str, str]) -> str | None:
    """The differences of two identities in words; None if there are none. Raises StateError for versions."""
    if old.get("format") != new["format"]:
        raise other_version("what the checkpoint keeps", "state", old.get("format"))
    words = {
        "program": "another program ({}, not {})",
        "background facts": "other background facts",
        "buckets": "{} buckets, not {}",
    }
    return (
        " and ".join(
            words.get(name, f"the {name} `{{}}`, not `{{}}`").format(old.get(name), new[name])
            for name in new
            if old.get(name) != new[name]
        )
        or None
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


# ---- arrivals ----


def with_arrival(job: Job, name: str, facts: pa.Table, now: int, latest: int | None = None) -> pa.Table:
    """Dates rows without arrivals, when `now` is finished and the wall clock is at `latest`."""
    if ARRIVED in facts.column_names:
        return facts
    time = ticks_of(facts.column(job.inputs[name].columns[-1]), None)
    arrival = np.where(time.whole, arrivals(time.numbers, now, latest), now + 1)
    return facts.append_column(ARRIVED, pa.array(arrival, pa.int64()))


def earliest(job: Job, name: str, facts: pa.Table) -> int | None:
    """The earliest arrival among the rows that the engine admits."""
    table = with_arrival(job, name, facts, NOTHING)
    arrival = ticks_of(table.column(ARRIVED), None)
    rows = np.flatnonzero(arrival.natural)
    rows = rows[np.argsort(arrival.numbers[rows], kind="stable")]
    start, size = 0, 1_000  # there is most likely a fact among the first ones
    while start < len(rows):
        some = table.take(pa.array(rows[start : start + size]))
        found = admit(job.plan, {name: some}, Values(), -1, LAST, arrival=ARRIVED).facts[name]
        if found.count:
            return int(found.arrival.min())
        start, size = start + size, 2 * size
    return None


# ---- functions of users ----

# A worker need not have the file of a function, so the code is sent, with all it refers to in its own file.
# Libraries are imported on the worker.


def sent(functions: Mapping[str, UserFunction]) -> bytes:
    """Pickles functions. Raises FunctionError if one cannot be pickled."""
    if not functions:
        return b""
    with contextlib.ExitStack() as stack:
        modules = [inspect.getmodule(inspect.unwrap(each.code)) for each in functions.values()]
        for module in {id(each): each for each in modules if each is not None and _is_own(each)}.values():
            cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]  # PySpark gives it no types
            stack.callback(cloudpickle.unregister_pickle_by_value, module)
        for name, each in functions.items():
            try:
                cloudpickle.dumps(each)  # type: ignore[no-untyped-call]  # PySpark gives it no types
            except Exception as error:  # whatever a user's object raises
                raise FunctionError.of("functions.not-sent", name=name, error=error) from None
        found: bytes = cloudpickle.dumps(dict(functions))  # type: ignore[no-untyped-call]  # likewise
    return found


def _is_own(module: ModuleType) -> bool:
    """Whether a module that could be imported is the user's, not a library."""
    file = getattr(module, "__file__", None)
    if file is None or sys.modules.get(module.__name__) is not module or module.__name__ == "__main__":
        return False
    return not is_of_library(file)


# ---- numbers of buckets ----


@lru_cache
def numbers_of_buckets(count: int) -> tuple[int, ...]:
    """Numbers for buckets, of which Spark puts one into each of `count` partitions, by their murmur3."""
    found: dict[int, int] = {}
    number = 0
    while len(found) < count:
        found.setdefault(_murmur3(number) % count, number)
        number += 1
    return tuple(found[partition] for partition in range(count))


def _murmur3(number: int) -> int:
    """Spark's hash of a 32-bit number: murmur3 with the seed 42."""
    mask = 0xFFFFFFFF

    def rotated(x: int, by: int) -> int:
        return ((x << by) | (x >> (32 - by))) & mask

    hashed = rotated(number * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask
    hashed = (rotated(42 ^ hashed, 13) * 5 + 0xE6546B64 & mask) ^ 4
    hashed = (hashed ^ (hashed >> 16)) * 0x85EBCA6B & mask
    hashed = (hashed ^ (hashed >> 13)) * 0xC2B2AE35 & mask
    hashed ^= hashed >> 16
    return hashed - (1 << 32) if hashed >= 1 << 31 else hashed
