"""antelog/engine/transition.py: rules that change while they run, against runs with one version only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import event, given, note, settings

from antelog.engine.step.schema import AFTER_ANSWER
from antelog.process import Engine
from tests.engine.few import at_most_for
from tests.engine.pairs import Pair, possible_pairs
from tests.engine.plain import PlainEngine
from tests.engine.replay import Compiled, frames

pytestmark = pytest.mark.slow

Row = dict[str, Any]
_REPORTED = ("tick", "change", "query", *AFTER_ANSWER, "severity", "text")


def about(row: Row) -> str:
    """The answer that a line is about."""
    values = {name: value for name, value in row.items() if name not in _REPORTED}
    return repr((row["query"], values))


def rows_of(tables: Any) -> list[Row]:
    return [{"query": name, **row} for name, table in tables.items() for row in table.to_pylist()]


def alike(rows: list[Row]) -> list[Row]:
    """Lines without what is only shown, in an order of their own."""
    return sorted((plain(row) for row in rows), key=repr)


def plain(value: Any) -> Any:
    """A line without what is only shown, and with the first names of inner predicates."""
    match value:
        case dict():
            return {name: plain(each) for name, each in value.items() if name not in ("severity", "text")}
        case list():
            return sorted(map(plain, value), key=repr)
        case str():
            return value.replace("Inner", "")
        case _:
            return value


class Changed:
    """A run in which the rules are changed: the log before, the lines of the change, the log after."""

    def __init__(self, pair: Pair, old: Compiled, new: Compiled) -> None:
        case = pair.case
        engine = PlainEngine(old)
        self.before: list[Row] = []
        for tick in range(pair.cut + 1):
            self.before += rows_of(engine.advance(tick, _frames(pair, old, tick - 1, tick)))
        functions = {**old.functions, **new.functions}
        self.engine = Engine.restore(engine.to_bytes(), functions=functions)
        self.engine._forecaster = None
        change = self.engine.change_rules(new, accept=True)
        self.change = change
        self.closed = [] if change is None else rows_of(change.closed)
        self.lines = [] if change is None else rows_of(change.changes)
        self.after: list[Row] = []
        for tick in range(pair.cut + 1, case.until + 1):
            self.after += rows_of(self.engine.advance(tick, _frames(pair, new, tick - 1, tick)))
            content = self.engine.to_bytes()
            if tick % 3 == 0:
                self.engine = Engine.restore(content, new)
                self.engine._forecaster = None


def _frames(pair: Pair, compiled: Compiled, after: int, until: int) -> dict[str, Any]:
    names = {source.name: len(source.columns) for source in compiled.plan.inputs}
    facts = [each for each in pair.case.facts if names.get(each[0]) == len(each[1])]
    return frames(facts, compiled.plan, after, until)


@settings(max_examples=max(1, settings().max_examples // 2))  # each runs three engines tick by tick
@given(possible_pairs())
def test_the_log_is_that_of_runs_with_one_version(pair: Pair) -> None:
    programs = pair.programs
    assert programs is not None
    note(str(pair))
    with at_most_for(pair.case):
        check(pair, *programs)


def check(pair: Pair, old: Compiled, new: Compiled) -> None:
    found = Changed(pair, old, new)
    ends = range(pair.case.until + 1)
    old_log, new_log = _run(pair, old, ends), _run(pair, new, ends)
    queries = {q.name for q in new.plan.queries}
    if found.change is None:
        assert alike(found.after) == alike([row for row in old_log if row["tick"] > pair.cut])
        return
    for each in found.change.queries:
        after = [row for row in found.after if row["query"] == each.name]
        event(each.difference.fate.value)
        if each.name not in queries:
            assert after == []
            continue
        if each.continues:
            expected = [r for r in old_log if r["query"] == each.name and r["tick"] > pair.cut]
            assert alike(after) == alike(expected), f"{each.name} was not changed"
            continue
        if each.complete is None:
            event("never complete")
            continue
        event("complete")
        expected = [r for r in new_log if r["query"] == each.name and r["tick"] >= each.complete]
        mine = [row for row in after if row["tick"] >= each.complete]
        assert alike(mine) == alike(expected), f"{each.name} is complete from {each.complete} on"
    check_laws(found)


@given(possible_pairs())
def test_rules_can_be_changed_there_and_back(pair: Pair) -> None:
    """What is known is less after each change, and is said again."""
    programs = pair.programs
    assert programs is not None
    note(str(pair))
    with at_most_for(pair.case):
        check_twice(pair, *programs)


def check_twice(pair: Pair, old: Compiled, new: Compiled) -> None:
    back = (pair.cut + pair.case.until) // 2
    shorter = replace(pair, case=replace(pair.case, until=back))
    found = Changed(shorter, old, new)
    change = found.engine.change_rules(old, accept=True)
    rest = replace(pair, cut=back)
    lines: list[Row] = [] if change is None else rows_of(change.closed) + rows_of(change.changes)
    after: list[Row] = []
    for tick in range(back + 1, pair.case.until + 1):
        after += rows_of(found.engine.advance(tick, _frames(rest, old, tick - 1, tick)))
    old_log = _run(pair, old, range(pair.case.until + 1))
    for each in () if change is None else change.queries:
        known = each.name in {q.name for q in old.plan.queries}
        if not known or each.complete is None or each.continues:
            continue
        event("changed twice")
        expected = [r for r in old_log if r["query"] == each.name and r["tick"] >= each.complete]
        mine = [row for row in after if row["query"] == each.name and row["tick"] >= each.complete]
        assert alike(mine) == alike(expected), f"{each.name} is complete from {each.complete} on"
    found.after += [*lines, *after]
    always = {q.name for q in old.plan.queries} & {q.name for q in new.plan.queries}
    check_laws(found, always)


def check_laws(found: Changed, of: set[str] | None = None) -> None:
    """No answer is confirmed twice, what was open goes on or is closed, what is open in the end is known."""
    open_: set[str] = set()
    confirmed: set[str] = set()
    # Where columns are called otherwise, answers are others.
    for row in (*found.before, *found.closed, *found.lines, *found.after):
        key, kind = about(row), row["change"]
        if of is not None and row["query"] not in of:
            continue  # it was taken out for a while, and is another one since
        if kind == "possible":
            assert key not in open_, (key, row)
            open_.add(key)
        elif kind == "revised":
            assert key in open_, (key, row)
        elif kind in ("rejected", "closed"):
            assert key in open_, (key, row)
            open_.discard(key)
        else:
            assert key not in confirmed, (key, row)
            confirmed.add(key)
            open_.discard(key)
    now = {
        about({"query": query.name, **row})
        for query in found.engine.plan.queries
        if of is None or query.name in of
        for row in found.engine.answers(query.name).to_pylist()
        if row["change"] == "open"
    }
    assert now == open_


def _run(pair: Pair, compiled: Compiled, ends: range) -> list[Row]:
    engine = PlainEngine(compiled)
    log = []
    for tick in ends:
        log += rows_of(engine.advance(tick, _frames(pair, compiled, tick - 1, tick)))
    return log
