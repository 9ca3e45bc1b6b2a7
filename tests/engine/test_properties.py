"""The laws of the log, and what must not change it: the engine against itself, on random programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, event, given, note
from hypothesis import strategies as st

from antelog.engine.step.query import KINDS
from antelog.engine.step.schema import AFTER_ANSWER
from tests.all_cases import ANY, LONG
from tests.declared import TEXTS
from tests.engine.plain import PlainEngine
from tests.engine.replay import Compiled, frames, log_lines, run, runnable
from tests.rewriting import (
    compares_texts_by_order,
    renamed,
    switched,
    switched_off,
    with_idle_rules,
    with_names,
)
from tests.strategies import Case, cases

pytestmark = pytest.mark.slow

Row = dict[str, Any]
Log = list[Row]


def compiled_of(case: Case) -> Compiled:
    """The program of a case; those that are refused are passed over."""
    compiled = runnable(case.checked)
    assume(compiled is not None)
    assert compiled is not None
    note(f"{case}\n{compiled.plan}")
    return compiled


def log_of(case: Case, compiled: Compiled | None = None) -> Log:
    """The log of a case, tick by tick."""
    found = run(case, compiled or compiled_of(case), range(case.until + 1))
    event("with lines" if found else "without lines")
    return found


_REPORTED = ("tick", "change", *AFTER_ANSWER)


def about(query: str, row: Row) -> str:
    """Which answer a row is about."""
    return repr((query, {name: value for name, value in row.items() if name not in _REPORTED}))


def rows_of(tables: Mapping[str, pa.Table]) -> Iterator[tuple[str, Row]]:
    """The rows of tables by query, each with the answer it is about."""
    for name, table in tables.items():
        for row in table.to_pylist():
            yield about(name, row), row


def answers_of(engine: PlainEngine, compiled: Compiled) -> dict[str, Row]:
    """The answers at the engine's tick."""
    return dict(rows_of({query.name: engine.answers(query.name) for query in compiled.plan.queries}))


# ---- the two laws ----


@given(ANY)
def test_the_last_lines_give_the_answers(case: Case) -> None:
    compiled = compiled_of(case)
    engine = PlainEngine(compiled)
    last: dict[str, Row] = {}
    for now in range(case.until + 1):
        last = {key: row for key, row in last.items() if row["change"] in ("possible", "revised")}
        for key, row in rows_of(engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))):
            assert row["tick"] == now
            last[key] = row
        answers = answers_of(engine, compiled)
        reported = {key: _apart_from_amounts(row) for key, row in last.items() if row["change"] != "rejected"}
        assert reported == {key: _apart_from_amounts(row) for key, row in answers.items()}
        for key, row in answers.items():
            if row["change"] != "confirmed":
                silent = last[key]["if_silent"]
                assert silent is None or silent["tick"] > now, "overdue"
        still_open = sum(row["change"] != "confirmed" for row in answers.values())
        assert sum(engine.status.open_answers.values()) == still_open


def _apart_from_amounts(row: Row) -> list[Row]:
    """The explanations without what aggregates come to so far: in a line that is as of its tick."""
    return [{**each, "so_far": None} for each in row["explanations"]]


@given(ANY, st.randoms(use_true_random=False))
def test_in_silence_answers_end_as_was_said(case: Case, random: Random) -> None:
    compiled = compiled_of(case)
    cut = random.randint(0, case.until)
    engine = PlainEngine(compiled)
    engine.advance(cut, frames(case.facts, compiled.plan, -1, cut))
    answers = answers_of(engine, compiled)
    said = {key: row["if_silent"] for key, row in answers.items() if row["change"] != "confirmed"}
    # What is not said to end does not, nor later.
    until = max([cut, *(silent["tick"] for silent in said.values() if silent)]) + 8
    ended: dict[str, Row] = {}
    for key, row in rows_of(engine.advance(until)):
        if row["change"] in ("confirmed", "rejected"):
            ended.setdefault(key, {"change": row["change"], "tick": row["tick"]})
    assert said == {key: ended.get(key) for key in said}
    event("with open answers" if said else "without open answers")


@given(ANY, st.randoms(use_true_random=False))
def test_answers_are_decided_by_the_tick_that_is_said(case: Case, random: Random) -> None:
    """Whatever comes in between: after that tick an open answer waits for nothing it waited for."""
    compiled = compiled_of(case)
    cut = random.randint(0, case.until)
    engine = PlainEngine(compiled)
    engine.advance(cut, frames(case.facts, compiled.plan, -1, cut))
    by = {key: row for key, row in answers_of(engine, compiled).items() if row["decided_by"] is not None}
    for now in range(cut + 1, max([cut, *(row["decided_by"] for row in by.values())]) + 1):
        engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        after = answers_of(engine, compiled)
        for key, row in by.items():
            if row["decided_by"] == now and key in after:
                assert not _hypotheses(row) & _hypotheses(after[key])


def _hypotheses(row: Row) -> set[str]:
    """The hypotheses without open variables; what has one may wait for another fact, too."""
    texts = {text for each in row["explanations"] for text in each["hypotheses"]}
    return {text for text in texts if not any(word[:1].isupper() for word in _arguments(text))}


def _arguments(text: str) -> list[str]:
    return [word.strip() for word in text.partition("(")[2].rstrip(")").split(",")]


@given(ANY)
def test_an_answer_goes_from_possible_to_confirmed_or_rejected(case: Case) -> None:
    last: dict[str, Row] = {}
    for row in log_of(case):
        key = about(row["query"], row)
        before = last.get(key)
        was_open = before is not None and before["change"] in ("possible", "revised")
        if before is not None:
            assert before["change"] != "confirmed"  # nothing is reported of an answer that is confirmed
            assert before["tick"] < row["tick"]  # and at most one line about an answer at a tick
        assert (row["change"] == "possible") <= (not was_open)
        assert (row["change"] in ("revised", "rejected")) <= was_open
        complete = [not explanation["hypotheses"] for explanation in row["explanations"]]
        assert complete
        assert all(complete) if row["change"] == "confirmed" else not any(complete)
        last[key] = row


@given(LONG, st.data())
def test_the_log_does_not_depend_on_how_the_ticks_are_cut(case: Case, data: st.DataObject) -> None:
    compiled = compiled_of(case)
    whole = log_of(case, compiled)
    cuts = data.draw(st.sets(st.integers(0, case.until)))
    assert run(case, compiled, sorted({*cuts, case.until})) == whole


@given(ANY, st.randoms(use_true_random=False))
def test_the_log_does_not_depend_on_the_order_of_facts(case: Case, random: Random) -> None:
    compiled = compiled_of(case)
    shuffled = list(case.facts)
    random.shuffle(shuffled)
    assert log_of(Case(case.text, tuple(shuffled), case.until), compiled) == log_of(case, compiled)


# ---- what else must not matter ----


@given(LONG, st.data())
def test_saving_and_restoring_at_any_cut_does_not_change_the_log(case: Case, data: st.DataObject) -> None:
    compiled = compiled_of(case)
    whole = log_of(case, compiled)
    cuts = sorted({*data.draw(st.sets(st.integers(0, case.until))), case.until})
    engine = PlainEngine(compiled)
    log: Log = []
    for before, end in pairwise([-1, *cuts]):
        engine = PlainEngine.restore(engine.to_bytes(), compiled)
        changed = engine.advance(end, frames(case.facts, compiled.plan, before, end))
        log += log_lines(changed, compiled.plan)
    assert sorted(log, key=lambda row: row["tick"]) == whole


@given(LONG, st.just({"confirmed"}) | st.sets(st.sampled_from(KINDS), min_size=1, max_size=3))
def test_asking_for_some_changes_gives_those_of_the_log(case: Case, kinds: set[str]) -> None:
    compiled = compiled_of(case)
    engine = PlainEngine(compiled, only=sorted(kinds))
    some: Log = []
    for now in range(case.until + 1):
        changed = engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        some += log_lines(changed, compiled.plan)
    assert some == [row for row in log_of(case, compiled) if row["change"] in kinds]


@given(ANY, st.data())
def test_repeating_facts_does_not_change_the_log(case: Case, data: st.DataObject) -> None:
    compiled = compiled_of(case)
    assume(case.facts)
    more = []
    for name, values, tick in data.draw(st.lists(st.sampled_from(case.facts), min_size=1, max_size=6)):
        # One that was too early would not be so later.
        early = tick < int(values[-1])
        more.append((name, values, tick if early else tick + data.draw(st.integers(0, 3))))
    place = data.draw(st.integers(0, len(case.facts)))
    repeated = Case(case.text, (*case.facts[:place], *more, *case.facts[place:]), case.until)
    assert log_of(repeated, compiled) == log_of(case, compiled)


@given(cases(), st.permutations(["b2", "Wind turbine", "7"]))
def test_renaming_the_constants_renames_them_in_the_log(case: Case, others: list[str]) -> None:
    others = sorted(others) if compares_texts_by_order(case) else others
    names = dict(zip("abc", others, strict=True))
    expected = with_names(log_of(case), {name: name for name in "abc"})
    back = {new: old for old, new in names.items()}
    assert with_names(log_of(renamed(case, names)), back) == expected


@given(cases(), st.randoms(use_true_random=False))
def test_facts_that_no_rule_speaks_of_do_not_change_the_log(case: Case, random: Random) -> None:
    case = switched(case)
    compiled = compiled_of(case)
    more = [*case.facts, *switched_off(case)]
    random.shuffle(more)
    assert log_of(Case(case.text, tuple(more), case.until), compiled) == log_of(case, compiled)


@given(
    cases(), st.lists(st.tuples(st.sampled_from(TEXTS), st.integers(0, 4), st.integers(-1, 3)), max_size=8)
)
def test_another_query_and_its_facts_do_not_change_the_log(
    case: Case, others: list[tuple[str, int, int]]
) -> None:
    expected = log_of(case)
    more = [("Unrelated", (value, time), max(0, time + lag)) for value, time, lag in others]
    both = Case(f"{case.text}\n{_ANOTHER}", (*more, *case.facts), case.until)
    assert [row for row in log_of(both) if row["query"] != "Other"] == expected


_ANOTHER = """
input Unrelated(x: text, time) delay 2.
Other(X, T) :- Unrelated(X, T), not Unrelated(X, T+1).
query Other(X, T).
"""


@given(ANY, st.integers(0, 8))
def test_a_rule_whose_facts_never_come_does_not_change_the_log(case: Case, ticks: int) -> None:
    """It has a time that is not tied to the answer's; and after the first ticks less is looked at."""
    case = case.later(ticks)
    more = with_idle_rules(case)
    assume(more is not None)
    assert more is not None
    assert log_of(more) == log_of(case)
