"""Rules that were changed since the last run: in words, as steps for sinks, and for the waiting rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow.compute as pc

from antelog.arrow.arrays import from_blob
from antelog.compile.meanings import Fate
from antelog.compile.nodes.plan import Plan
from antelog.engine.transition import QueryChange, RuleChange
from antelog.language.moments import tick_in_words
from antelog.run.sinks.result import StepResult
from antelog.run.waiting import WaitingRows

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


def waiting_for(waiting: WaitingRows, change: RuleChange, plan: Plan) -> WaitingRows:
    """The waiting rows that are facts of the new rules, with their columns' new names."""
    before = {each.name: each.columns for each in change.old.inputs}
    after = {each.name: each.columns for each in plan.inputs}
    found = WaitingRows()
    for each in waiting.stored():
        old, new = before[each.input], after.get(each.input)
        if new is not None and len(old) == len(new):
            names = dict(zip(old, new, strict=True))
            table = from_blob(each.content)
            table = table.rename_columns([names.get(name, name) for name in table.column_names])
            found.add(each.input, each.file, table)
    return found
