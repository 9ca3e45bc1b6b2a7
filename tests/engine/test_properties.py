"""The laws of the log, and what must not change it, on random programs and streams.

The engine is compared with itself here; `test_drift.py` compares it with the specification.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import assume, event, example, given, note
from hypothesis import strategies as st

from antelog.compile.plan import Relation
from antelog.engine.engine import Engine
from antelog.engine.log.changes import KINDS
from tests.engine.once_unlawful import (
    ENDS_AFTER_THE_LAST_TICK,
    NAMED_FOR_ONE_SITE,
    NOT_BEFORE_ITS_TICK,
    SAID_BY_ANOTHER,
    SLOWEST_INSTANCE,
)
from tests.engine.replay import Compiled, frames, run, runnable
from tests.few_literals import cases_of_few_literals
from tests.rewriting import (
    compares_texts_by_order,
    renamed,
    switched,
    switched_off,
    with_idle_rules,
    with_names,
)
from tests.strategies import TEXTS, Case, cases
from tests.two_times import cases_with_two_times

pytestmark = pytest.mark.slow

# Long enough for what is settled to be forgotten, or remembered, before it is asked for again.
LONG = (
    cases(latest=9, most=30)
    | cases_with_two_times(latest=9, most=20)
    | cases_with_two_times()
    | cases_of_few_literals()
)
ANY = cases() | cases_with_two_times() | cases_of_few_literals()

Log = list[dict[str, Any]]


def compiled_of(case: Case) -> Compiled:
    """The program of a case; others than the engine runs are passed over."""
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


# ---- the two laws ----


@given(ANY)
def test_the_last_lines_give_the_answers(case: Case) -> None:
    compiled = compiled_of(case)
    engine = Engine(compiled)
    last: dict[str, dict[str, tuple[str, object]]] = {query.name: {} for query in compiled.plan.queries}
    for now in range(case.until + 1):
        changed = engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        for query in compiled.plan.queries:
            names = (*query.variables, *([query.time] if query.time else []))
            told = last[query.name]
            told = {key: entry for key, entry in told.items() if entry[0] not in ("confirmed", "rejected")}
            for row in changed[query.name].to_pylist():
                told[repr([row[name] for name in names])] = (row["change"], row["explanations"])
            last[query.name] = told
            rows = engine.answers(query.name).to_pylist()
            answers = {repr([row[name] for name in names]): row["explanations"] for row in rows}
            assert {key: entry[1] for key, entry in told.items() if entry[0] != "rejected"} == answers
            still_open = sum(row["change"] != "confirmed" for row in rows)
            assert engine.status.open_answers[query.name] == still_open


@example(SAID_BY_ANOTHER, Random(7))  # each of them cuts after tick 2
@example(SLOWEST_INSTANCE, Random(5))
@example(ENDS_AFTER_THE_LAST_TICK, Random(5))
@given(ANY, st.randoms(use_true_random=False))
def test_in_silence_answers_end_as_was_said(case: Case, random: Random) -> None:
    compiled = compiled_of(case)
    cut = random.randint(0, case.until)
    engine = Engine(compiled)
    engine.advance(cut, frames(case.facts, compiled.plan, -1, cut))
    said = {
        (query.name, *_values(row, query)): row["if_silent"]
        for query in compiled.plan.queries
        for row in engine.answers(query.name).to_pylist()
        if row["change"] != "confirmed"
    }
    # What is not said to end does not, nor later.
    until = max([cut, *(silent["tick"] for silent in said.values() if silent)]) + 8
    ended: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    over = set()
    for name, table in engine.advance(until).items():
        for row in table.to_pylist():
            if row["change"] in ("confirmed", "rejected"):
                key = (name, *_values(row, compiled.plan.relation(name)))
                ended.setdefault(key, []).append({"change": row["change"], "tick": row["tick"]})
                if row["because"] != []:  # if nothing fails, one about more values goes on to speak for it
                    over.add(key)
    for key, silent in said.items():
        # From some tick on one about more values may speak for it.
        ends = [end for other, found in ended.items() if _speaks_for(other, key) for end in found]
        assert (silent in ends) if silent else key not in over, key
    event("with open answers" if said else "without open answers")


def _speaks_for(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return all(a in (None, b) for a, b in zip(one, other, strict=False)) and len(one) == len(other)


def _values(row: dict[str, Any], query: Relation) -> list[object]:
    return [row[name] for name in (*query.variables, *([query.time] if query.time else []))]


@example(NAMED_FOR_ONE_SITE)
@given(ANY)
def test_an_answer_goes_from_possible_to_confirmed_or_rejected(case: Case) -> None:
    log = log_of(case)
    last: dict[str, dict[str, Any]] = {}
    for row in log:
        about = {name: value for name, value in row.items() if name not in _TOLD}
        before = last.get(repr(about))
        was_open = before is not None and before["change"] in ("possible", "revised")
        if before is not None:
            assert before["change"] != "confirmed"  # nothing is told of an answer that is certain
            assert before["tick"] < row["tick"]  # and at most one line about an answer at a tick
        assert (row["change"] == "possible") <= (not was_open)
        assert (row["change"] in ("revised", "rejected")) <= was_open
        complete = [not explanation["hypotheses"] for explanation in row["explanations"]]
        assert complete
        assert all(complete) if row["change"] == "confirmed" else not any(complete)
        last[repr(about)] = row


_TOLD = ("tick", "change", "explanations", "if_silent", "decided_by", "because")


@given(LONG, st.data())
def test_the_log_does_not_depend_on_how_the_ticks_are_cut(case: Case, data: st.DataObject) -> None:
    compiled = compiled_of(case)
    whole = log_of(case, compiled)
    cuts = data.draw(st.sets(st.integers(0, case.until)))
    assert run(case, compiled, sorted({*cuts, case.until})) == whole


@given(cases(), st.randoms())
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
    engine = Engine(compiled)
    log: Log = []
    for before, end in pairwise([-1, *cuts]):
        engine = Engine.from_bytes(engine.to_bytes(), compiled)
        changed = engine.advance(end, frames(case.facts, compiled.plan, before, end))
        log += [{"query": name, **row} for name, table in changed.items() for row in table.to_pylist()]
    assert sorted(log, key=lambda row: row["tick"]) == whole


@given(LONG, st.just({"confirmed"}) | st.sets(st.sampled_from(KINDS), min_size=1, max_size=3))
def test_asking_for_some_changes_gives_those_of_the_log(case: Case, kinds: set[str]) -> None:
    compiled = compiled_of(case)
    engine = Engine(compiled, only=sorted(kinds))
    some: Log = []
    for now in range(case.until + 1):
        changed = engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        some += [{"query": name, **row} for name, table in changed.items() for row in table.to_pylist()]
    assert some == [row for row in log_of(case, compiled) if row["change"] in kinds]


@given(cases(), st.data())
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


@given(cases(), st.randoms())
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


@example(NOT_BEFORE_ITS_TICK, 9)
@given(ANY, st.integers(0, 8))
def test_a_rule_whose_facts_never_come_does_not_change_the_log(case: Case, ticks: int) -> None:
    """It has a time that is not tied to the answer's; and after the first ticks less is looked at."""
    case = case.later(ticks)
    more = with_idle_rules(case)
    assume(more is not None)
    assert more is not None
    assert log_of(more) == log_of(case)
