"""Calendar functions: the engine against the specification, and where clocks go on and back."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from antelog import Engine, parse
from antelog.compile.nodes.plan import Plan, from_json, to_json
from tests.engine.replay import compare, runnable
from tests.few_literals import cases_of_few_literals
from tests.random_mixtures import TICKS, calendar_condition
from tests.strategies import Case, cases
from tests.two_times import cases_with_two_times


@st.composite
def cases_on_a_calendar(draw: st.DrawFn) -> Case:
    """A random case with calendar functions of its rules' times."""
    case = draw(cases() | cases_of_few_literals() | cases_with_two_times(latest=2, most=6))
    assume("delay P" not in case.text)
    text = re.sub(
        r":- (.*)\.$",
        lambda rule: f":- {rule[1]}{_conditions(draw, rule[1])}.",
        case.text,
        flags=re.MULTILINE,
    )
    found = Case("\n".join((draw(st.sampled_from([*TICKS])), text)), case.facts, case.until)
    assume(found.checked.ok)
    return found


def _conditions(draw: st.DrawFn, body: str) -> str:
    """Conditions on times of a body, with a comma before each."""
    times = sorted(set(re.findall(r"\b[TU]\b(?=\)|[+-]\d\))", body)))
    if not times or draw(st.integers(0, 3)) == 0:
        return ""
    return f", {calendar_condition(draw, times)}"


@pytest.mark.slow
@given(cases_on_a_calendar())
def test_the_engine_tells_what_the_specification_tells(case: Case) -> None:
    compiled = runnable(case.checked)
    assert compiled is None or from_json(to_json(compiled.plan)) == compiled.plan
    compare(case)


def _told(rules: str, times: Sequence[str]) -> list[tuple[object, ...]]:
    program = parse(f"{rules} input P(x, time). Q(X, N, T) :- P(X, T), N = hour(T). query Q(X, N, T).")
    facts = [("a", time) for time in times]
    lines = Engine(program).advance("2024-12-31", {"P": facts})["Q"].to_pylist()
    return [(each["N"], each["T_time"].isoformat(" ", "minutes")) for each in lines]


def test_hours_where_clocks_go_on_and_back() -> None:
    times = ["2024-03-31T00:30Z", "2024-03-31T01:30Z", "2024-10-27T00:30Z", "2024-10-27T01:30Z"]
    assert _told('tick 1 hour. zone "Europe/Berlin".', times) == [
        (1, "2024-03-31 01:00+01:00"),
        (3, "2024-03-31 03:00+02:00"),
        (2, "2024-10-27 02:00+02:00"),
        (2, "2024-10-27 02:00+01:00"),
    ]
    assert [hour for hour, _ in _told("tick 1 hour.", times)] == [0, 1, 0, 1]
    assert {hour for hour, _ in _told('tick 1 day. zone "Europe/Berlin".', times)} == {0}


def _meaning(tick: str, zone: str, condition: str) -> Plan:
    rules = f"input P(x, time). Q(X, T) :- P(X, T), {condition}. query Q(X, T)."
    return parse(f'tick {tick}. zone "{zone}". {rules}').with_times(zones={"P": "UTC"}).plan.meaning


def test_a_zone_is_part_of_what_a_program_means_where_it_changes_answers() -> None:
    for tick, condition, differ in (
        ("1 hour", "T > 5", False),
        ("1 hour", "hour(T) > 5", True),
        ("1 day", "T > 5", True),
    ):
        one, other = (_meaning(tick, zone, condition) for zone in ("Europe/Berlin", "UTC"))
        assert (one != other) is differ
