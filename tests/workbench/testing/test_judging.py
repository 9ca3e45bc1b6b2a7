"""antelog/workbench/testing/judging.py: expectations that are met, and both sides of others."""

from __future__ import annotations

from pathlib import Path

from antelog.workbench.testing.judging import Side
from antelog.workbench.testing.results import CaseResult, run_case
from tests.tables import cases
from tests.workbench.testing.suites import PROGRAM, case, said, suite

FACTS = """\
- Temp(wt2, high, 0)
- Temp(wt2, high, 1) @ 2
- Temp(wt4, high, 3)
"""


def result(folder: Path, facts: str, expect: str, program: str = PROGRAM, more: str = "") -> CaseResult:
    found = suite(folder, case(facts, expect, more), program)
    assert said(found) == ""
    assert found.program_error is None
    return run_case(found.cases[0], found.name)


def sides(found: CaseResult) -> list[tuple[str, str]]:
    """The sides that do not agree."""
    assert found.outcome.error == ""
    wrong = [each for failure in found.failures for each in failure.sides if not each.agrees]
    return [(each.expected, each.found) for each in wrong]


@cases(__file__, "met")
def test_expectations_that_are_met(tmp_path: Path, expect: str) -> None:
    assert sides(result(tmp_path, FACTS, expect)) == []


@cases(__file__, "sides")
def test_both_sides_of_a_failure(tmp_path: Path, expect: str, expected: str, found: str) -> None:
    assert sides(result(tmp_path, FACTS, expect)) == [(expected, found)]


def test_what_never_came_is_shown_with_what_came_instead(tmp_path: Path) -> None:
    found = result(tmp_path, FACTS, "- confirmed: Malf(wt9, 0)")
    (failure,) = found.failures
    assert failure.sides == (
        Side("Malf(wt9, 0) is confirmed", "it never came", agrees=False),
        Side("", "but Malf(wt2, 0) is confirmed since 2", agrees=False),
    )
    assert (failure.answer, failure.when) == ("Malf(wt9, 0)", "at the end")


def test_nothing_else(tmp_path: Path) -> None:
    expect = "- at: 1\n  open: Malf(wt2, 0)\n  nothing_else: "
    assert sides(result(tmp_path, FACTS, f"{expect}Malf")) == []
    assert sides(result(tmp_path, FACTS, f"{expect}yes")) == [
        ("nothing else of Malf, OK", "OK(wt4, 0) is confirmed since 1"),
        ("", "OK(wt2, 1) is open"),
        ("", "OK(wt4, 1) is open"),
    ]


def test_counts_so_far_and_chances(tmp_path: Path) -> None:
    program = """\
    input Frost(post, time) delay 2 (70%, 20%, 5%).
    chance Frost(_, _) = 2%, again 85%.
    Damage(P, T) :- Frost(P, T), count(Frost(P, T..T+3)) >= 3.
    query Damage(P, T).
    """
    facts = "- Frost(hollow, 0)\n- Frost(hollow, 1)\n"
    expect = """\
    - at: 1
      open:
      - Damage(hollow, 0):
          awaits: count(Frost(hollow, 0..3)) >= 3
          so_far: 2
          chance: over 80%
      - Damage(hollow, 1):
          so_far: 1
          chance: 70% to 75%
    """
    assert sides(result(tmp_path, facts, expect, program)) == []
    wrong = expect.replace("so_far: 2", "so_far: 3").replace("over 80%", "under 80%")
    assert sides(result(tmp_path, facts, wrong, program)) == [
        ("  so_far 3", "  so_far 2"),
        ("  chance under 80%", "  chance 84 %"),
    ]


def test_open_variables_and_conditions(tmp_path: Path) -> None:
    program = """\
    input A(x, time).
    input R(y, value: number, time) delay 1.
    Q(X, Y, T) :- A(X, T), R(Y, V, T), V >= 90.
    query Q(X, Y, T).
    """
    expect = """\
    - at: 0
      open:
      - Q(a, Y, 0):
          awaits: R(Y, V, 0) where V >= 90
      never: Q(a, b, 0)
    - confirmed: Q(a, b, 0)
    """
    found = result(tmp_path, "- A(a, 0)\n- R(b, 90, 0) @ 1\n", expect, program)
    assert sides(found) == []
    other = expect.replace("V >= 90", "V >= 95")
    found = result(tmp_path, "- A(a, 0)\n- R(b, 90, 0) @ 1\n", other, program)
    assert sides(found) == [("  awaits R(Y, V, 0) where V >= 95", "  awaits R(Y, V, 0) where V >= 90")]


def test_times_are_those_of_the_calendar(tmp_path: Path) -> None:
    program = f'tick 10 minutes.\nzone "Europe/Berlin".\n{PROGRAM}'
    facts = "- Temp(wt2, high, 2024-03-04 08:00+01:00)\n"
    expect = """\
    - at: 2024-03-04 08:00+01:00
      open:
      - Malf(wt2, 2024-03-04 08:00+01:00):
          awaits: Temp(wt2, low, 2024-03-04 08:10+01:00)
          if_silent: rejected at 2024-03-04 08:30+01:00
    """
    assert sides(result(tmp_path, facts, expect, program)) == [
        (
            "  awaits Temp(wt2, low, 2024-03-04 08:10+01:00)",
            "  awaits Temp(wt2, high, 2024-03-04 08:10+01:00)",
        ),
        ("  if_silent rejected at 2024-03-04 08:30+01:00", "  if_silent rejected at 2024-03-04 08:20+01:00"),
    ]


def test_facts_that_are_late_are_set_aside_with_their_line(tmp_path: Path) -> None:
    found = result(tmp_path, "- Temp(wt2, high, 0) @ 7\n- Temp(wt2, high, 3) @ 2\n", "- never: Malf(wt2, 0)")
    assert [(each.line, each.reason) for each in found.outcome.set_aside] == [(5, "early"), (4, "late")]
    assert found.passed


def test_facts_are_expected_to_be_set_aside(tmp_path: Path) -> None:
    facts = "- Temp(wt2, high, 0) @ 7\n- Temp(wt2, high, 6) @ 7\n"
    expect = "- set_aside:\n  - Temp(wt2, high, 0)\n"
    assert result(tmp_path, facts, expect).failures == ()
    assert sides(result(tmp_path, facts, expect.replace("0)", "6)"))) == [
        ("Temp(wt2, high, 6) is set aside", "it was not")
    ]


def test_facts_come_from_files_too(tmp_path: Path) -> None:
    (tmp_path / "Temp.csv").write_text("device,level,time,came\nwt2,high,0,0\nwt2,high,1,2\n", "utf-8")
    (tmp_path / "more.csv").write_text("device\nwt9\n", "utf-8")
    facts = "- Temp: Temp.csv\n- Temp(wt9, high, 1)\n- Turbine: more.csv\n"
    expect = "- at: 1\n  open: Malf(wt2, 0)\n  confirmed: OK(wt9, 0)\n- confirmed: Malf(wt2, 0)"
    assert sides(result(tmp_path, facts, expect, more="arrival: came\n")) == []


@cases(__file__, "refused")
def test_cases_that_cannot_be_run_say_why(tmp_path: Path, facts: str, expect: str, message: str) -> None:
    (tmp_path / "broken.csv").write_text("device,level,time\nwt2,high,soon\n", "utf-8")
    found = result(tmp_path, facts, expect)
    assert message in found.outcome.error
    assert not found.passed


def test_a_case_without_facts_and_one_that_looks_far_ahead(tmp_path: Path) -> None:
    program = "input P(x, time).\nQ(X, T) :- P(X, T).\nquery Q(X, T).\n"
    assert result(tmp_path, "", "- never: Q(_, _)", program).passed
    assert result(tmp_path, "- P(a, 0)\n", "- at: 900000000\n  confirmed: Q(a, 0)", program).passed
