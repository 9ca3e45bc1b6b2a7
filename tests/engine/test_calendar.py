"""Calendar functions: the engine against the specification, and where clocks go on and back."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st
from msgspec import structs

from antelog import Engine, parse
from antelog.compile.nodes.plan import Plan
from antelog.compile.show.explain import plan_text
from antelog.compile.show.plan_json import from_json, to_json
from antelog.language.calendar import CALENDAR
from tests.engine.replay import Compiled, follow, runnable
from tests.engine.test_drift import evaluation_of
from tests.few_literals import cases_of_few_literals
from tests.strategies import Case, cases
from tests.two_times import cases_with_two_times

DECLARED = (
    'tick 6 hours. zone "Europe/Berlin".\n',
    'tick 1 day. zone "America/New_York".\n',
    "tick 10 days.\n",
)
VALUES = {"hour": (1, 7, 13, 0), "weekday": (4, 5, 6), "day": (1, 2, 5), "month": (1, 2, 3)}


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
    found = Case(draw(st.sampled_from(DECLARED)) + text, case.facts, case.until)
    assume(found.checked.ok)
    return found


def _conditions(draw: st.DrawFn, body: str) -> str:
    """Conditions on times of a body, with a comma before each."""
    times = sorted(set(re.findall(r"\b[TU]\b(?=\)|[+-]\d\))", body)))
    if not times or draw(st.integers(0, 3)) == 0:
        return ""
    name, time = draw(st.sampled_from(sorted(CALENDAR))), draw(st.sampled_from(times))
    shift, value = draw(st.sampled_from(["", "+1", "-1"])), draw(st.sampled_from(VALUES[name]))
    call = f"{name}({time}{shift})"
    return draw(
        st.sampled_from(
            [
                f", {call} <= {value}",
                f", {call} != {value}",
                f", {value} = {call}",
                f", N = {call}, N > {value}",
            ]
        )
    )


@pytest.mark.slow
@given(cases_on_a_calendar())
def test_the_engine_tells_what_the_specification_tells(case: Case) -> None:
    note(str(case))
    compiled, evaluation = runnable(case.checked), evaluation_of(case)
    assert (compiled is None) == (evaluation is None)
    if compiled is None or evaluation is None:
        return
    assert from_json(to_json(compiled.plan)) == compiled.plan
    # Time begins at 0, as it does for the specification.
    plan = structs.replace(compiled.plan, tick=None)
    note(plan_text(plan))
    follow(case, Compiled(plan), evaluation)


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
    return parse(f'tick {tick}. zone "{zone}". {rules}').plan.meaning


def test_a_zone_is_part_of_what_a_program_means_where_it_changes_answers() -> None:
    for tick, condition, differ in (
        ("1 hour", "T > 5", False),
        ("1 hour", "hour(T) > 5", True),
        ("1 day", "T > 5", True),
    ):
        one, other = (_meaning(tick, zone, condition) for zone in ("Europe/Berlin", "UTC"))
        assert (one != other) is differ
