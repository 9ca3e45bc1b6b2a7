"""The result of a step, sinks that write it, rejects, and changed rules: as steps and in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from antelog.accounts import FAILED
from antelog.compile.meanings import Fate
from antelog.compile.nodes.plan import Plan, Relation
from antelog.engine.facts.rejects import LATE
from antelog.engine.transition import QueryChange, RuleChange
from antelog.files import Reject
from antelog.language.epochs import LIKELY
from antelog.language.moments import Timescale, moment, tick_in_words
from antelog.language.printer import value_text

Tables = Mapping[str, pa.Table]


@dataclass(frozen=True, eq=False)
class StepResult:
    """The changes of each query after a tick, or its open answers, with `changes` beside them then."""

    tick: int
    tables: Tables
    changes: Tables | None = None
    relations: Sequence[Relation] | None = None  # if they are those of another plan


LinesOfStep = Callable[[StepResult], str]  # the lines that an output gets


def weight_of(tables: Tables) -> int:
    """The lines and explanations in tables, if these are not written yet: about how much memory they take."""
    lists = (each.column("explanations") for each in tables.values() if "explanations" in each.column_names)
    explained = sum(pc.sum(pc.list_value_length(each)).as_py() or 0 for each in lists)
    return explained + sum(int(each.num_rows) for each in tables.values())


class Sink(Protocol):
    """Writes the steps of a run."""

    def write(self, step: StepResult) -> None: ...

    def mark(self) -> Mapping[str, Any] | None:
        """The position after the last safe write, as JSON; None if no run can resume from there."""

    def close(self) -> None: ...


def reject_of(row: Mapping[str, Any], file: str, line: int | None, timescale: Timescale | None) -> Reject:
    """A row of `engine.last_rejects` as a reject; on Spark it may have its text in place of its number."""
    if isinstance(row["row"], str):
        written = row["row"]
    elif row["reason"] == FAILED:
        written = f"{row['input']}({', '.join(map(_value, json.loads(row['values'])))})"
    else:
        written = fact_text(row["input"], json.loads(row["values"] or "[]"), row["time"], timescale)
    delay = None
    if row["reason"] == LATE and max(row["time"], row["arrival"]) < LIKELY[0].first:  # ticks, as it seems
        delay = row["arrival"] - row["time"]
    return Reject(file, line, row["input"], row["reason"], row["detail"], written, delay)


def fact_text(name: str, values: Iterable[object], time: int | None, timescale: Timescale | None) -> str:
    """A fact in the language's syntax, with `_` for missing values."""
    written = [*map(_value, values), "_" if time is None else moment(time, timescale)]
    return f"{name}({', '.join(written)})"


def _value(value: object) -> str:
    if value is None:
        return "_"
    return value_text(value if isinstance(value, str | int | float) else str(value))


# ---- changed rules ----

_WORDS = {
    Fate.CHANGED: "is changed",
    Fate.RETIMED: "is decided at other ticks",
    Fate.ADDED: "is new",
    Fate.GONE: "is gone",
    Fate.SAME: "has other columns",
}


def sentences(change: RuleChange, plan: Plan) -> Iterator[str]:
    """The fates of the queries, one by one; those that go on are listed together."""
    for each in change.queries:
        if not each.continues:
            yield f"{each.name} {'; '.join(_parts(each, change, plan))}"
    if change.anew:
        yield f"what is learned about {', '.join(change.anew)} begins anew"
    same = [each.name for each in change.queries if each.continues]
    if same:
        yield f"{', '.join(same)} {'goes' if len(same) == 1 else 'go'} on as before"


def _parts(each: QueryChange, change: RuleChange, plan: Plan) -> Iterator[str]:
    yield _WORDS[each.difference.fate]
    scale = plan.timescale
    if each.difference.fate is not Fate.GONE:
        if each.since is not None:
            yield f"answers about {tick_in_words(each.since, scale)} and later are reported"
        if each.complete is None:
            yield f"it may differ from a run from the start: {each.why}"
        else:
            yield f"complete from {tick_in_words(each.complete, scale)} on"
    lines = change.changes.get(each.name)
    on = 0 if lines is None else pc.sum(pc.equal(lines.column("change"), "revised")).as_py() or 0
    closed = change.closed[each.name].num_rows if each.name in change.closed else 0
    if on:
        yield f"{on:,} open answer{'' if on == 1 else 's'} of before go{'es' if on == 1 else ''} on"
    if closed:
        yield f"{closed:,} {'is' if closed == 1 else 'are'} closed"


def steps_of(change: RuleChange, plan: Plan) -> tuple[StepResult, StepResult]:
    """The lines of closed answers, and those of new and changed queries."""
    old = tuple(each for each in change.old.queries if each.name in change.closed)
    new = tuple(each for each in plan.queries if each.name in change.changes)
    return (
        StepResult(change.tick, change.closed, relations=old),
        StepResult(change.tick, change.changes, relations=new),
    )


def remark(change: RuleChange, plan: Plan) -> dict[str, Any]:
    """The change as a head of the feed has it, for the page."""
    return {"tick": change.tick, "queries": list(sentences(change, plan))}
