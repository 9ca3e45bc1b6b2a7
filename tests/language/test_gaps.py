"""`every 10 s`: how often the facts of an input come."""

from __future__ import annotations

import pytest

import antelog
from antelog.diagnostics import Source
from antelog.errors import ProgramError
from antelog.language import read
from antelog.run import clock

RULE = "Q(X, T) :- P(X, T). query Q(X, T)."
SECOND = 1_000_000


@pytest.mark.parametrize(
    ("clauses", "gap"),
    [
        ("every 10 s", 5),
        ("delay 1, every 10 s", 5),
        ("one per x, every 3", 3),
        ("delay 2 s, one per x, every 3 s", 2),  # a gap that may begin within a tick
        ("delay 1", None),
    ],
)
def test_a_gap_is_counted_in_ticks(clauses: str, gap: int | None) -> None:
    program = antelog.parse(f"tick 2 s. input P(x, time) {clauses}. {RULE}")
    assert [each.expected.gap for each in program.plan.inputs] == [gap]


@pytest.mark.parametrize(
    ("clauses", "source"),
    [
        ("every 3 per x", (0,)),
        ("every 3 s per y and x", (0, 1)),
        ("delay 1, one per x, every 3 per y", (1,)),
        ("one per x, every 3", (0,)),
        ("one per tick, every 3", ()),
        ("every 3", ()),
        ("one per x", ()),
    ],
)
def test_the_columns_of_a_source(clauses: str, source: tuple[int, ...]) -> None:
    checked = read(Source(f"tick 1 s. input P(x, y, time) {clauses}. Q(X, T) :- P(X, _, T). query Q(X, T)."))
    assert checked.ok
    assert checked.vocabulary["P"].source == source


def test_columns_and_predicates_may_be_called_every() -> None:
    rule = "Q(T) :- every(_, T). query Q(T)."
    program = antelog.parse(f"input every(every, time) one per every, every 3. {rule}")
    assert program.plan.inputs[0].columns == ("every", "time")


def test_no_answer_depends_on_it() -> None:
    def lines(clauses: str) -> object:
        engine = antelog.Engine(antelog.parse(f"input P(x, time) delay 1{clauses}. {RULE}"))
        return engine.advance(40, {"P": [("a", 3), ("b", 30)]})["Q"].to_pylist()

    assert lines(", every 2") == lines("")


def test_time_waits_as_long_for_another_fact() -> None:
    plan = antelog.parse(f"tick 1 s. input P(x, time) delay 1, every 30 s. input S(time). {RULE}").plan
    assert clock.rhythms_of(plan)["P"] == 31 * SECOND


@pytest.mark.parametrize(
    ("clauses", "said"),
    [
        ("every 0 s", "facts do not come every 0 s"),
        ("every 5 parsecs", "`parsecs` is not a unit of time"),
        ("every 5 s per y", "P has no column named y"),
        ("every 5 s per x and x", "`per` names the column x twice"),
        ("every 1.5", "1.5 is not a whole number of ticks"),
        ("every", "`every` stands last, with a number of ticks or a duration"),
        ("every 5 s, one per x", "`every` stands last"),
        ("every 5 s, delay 2", "`every` stands last"),
        ("one per x every 5 s", "`every` stands last"),
        ("delay 1 every 5 s", "`every` stands last"),
    ],
)
def test_what_is_wrong_is_said(clauses: str, said: str) -> None:
    with pytest.raises(ProgramError) as caught:
        antelog.parse(f"tick 1 s.\ninput P(x, time) {clauses}.\n{RULE}")
    assert said in str(caught.value)
