"""antelog/workbench/testing/coverage.py: the parts of rules that no case shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import antelog
import antelog.testing
from antelog.errors import ArgumentError, UnsupportedError
from antelog.workbench.testing.coverage import PATTERN, Coverage, covered
from antelog.workbench.testing.recording import Recorded, yaml_text
from antelog.workbench.testing.results import run_suite
from antelog.workbench.testing.suite import Suite, read_suite
from tests.docs.pages import ROOT
from tests.tables import cases
from tests.workbench.testing.suites import PROGRAM, case, said, suite, written


def coverage(folder: Path, facts: str, program: str = PROGRAM, more: str = "") -> Coverage:
    found = suite(folder, case(facts, more=more), program)
    assert said(found) == ""
    assert found.program is not None
    known = covered(found.program, found.cases)
    assert known is not None
    return known


def missing(found: Coverage) -> list[tuple[int, str]]:
    """The lines of what no case shows, and the complaints."""
    return [(found.position(each)[1], each.complaint) for each in found.missing]


def test_a_rule_that_no_test_confirms(tmp_path: Path) -> None:
    found = coverage(tmp_path, "- Temp(wt2, low, 0)")
    assert missing(found) == [
        (5, "no test confirms this rule"),
        (6, "no test confirms this rule"),
        (6, "`Flag(X, T)` is never missing where the rest of its rule holds"),
        (6, "`Flag(X, T+1)` is never missing where the rest of its rule holds"),
        (7, "no test denies `not Flag(X, T)` where the rest of its rule holds"),
    ]
    assert (found.covered, len(found.parts), found.percent) == (1, 6, 16)
    found = coverage(tmp_path, "- Temp(wt2, high, 3)\n- Temp(wt2, high, 4)")
    assert (missing(found), found.percent) == ([], 100)


@cases(__file__, "literals")
def test_each_kind_of_literal(tmp_path: Path, body: str, facts: str, complaints: list[str]) -> None:
    program = (
        "input P(x, value: number, time).\ninput R(x, time).\ninput M(x, mode, time), one per x.\n"
        f"Q(X, T) :- {body}.\nquery Q(X, T).\n"
    ).replace("time), one", "time) one")
    found = coverage(tmp_path, facts, program)
    assert [complaint for _, complaint in missing(found)] == complaints


def test_layout_limits_includes_and_chances_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "part.alog").write_text("% rules\nFlag(X, T) :-\n   Temp(X, V, T),   V >= hot.\n", "utf-8")
    program = """\
    limit hot = 90.
    include "part.alog".
    input Temp(device, value: number, time) delay 1 (90%, 5%).
    chance Temp(_, _, _) = 5%.
    query Flag(X, T) alert 80%.
    """
    found = coverage(tmp_path, "- Temp(a, 85, 0)", program, "set:\n  hot: 80\n")
    (part,) = found.missing
    assert part.text == "V >= hot"
    file, line, column = found.position(part)
    assert (Path(file).name, line, column) == ("part.alog", 3, 21)


def test_recursive_rules_and_background_are_asked_about(tmp_path: Path) -> None:
    program = """\
    input Press(x, time).
    static Link(a, b).
    static Behind(a, b).
    Behind(X, Y) :- Link(X, Y).
    Behind(X, Z) :- Link(X, Y), Behind(Y, Z).
    On(X, T) :- Press(X, T).
    On(X, T+1) :- On(X, T), not Press(X, T+1).
    Near(X, T) :- Press(X, T), Behind(X, _).
    query On(X, T) window 5.
    query Near(X, T).
    """
    found = coverage(tmp_path, "- Link(a, b)\n- Press(a, 0)", program)
    assert missing(found) == [
        (5, "no test confirms this rule"),
        (7, "no test denies `not Press(X, T+1)` where the rest of its rule holds"),
        (8, "`Behind(X, _)` is never missing where the rest of its rule holds"),
    ]


def test_a_program_whose_names_are_those_of_the_questions(tmp_path: Path) -> None:
    program = "Covers1(X, T) :- P(X, T).\nCoversx(X, T) :- Covers1(X, T).\nquery Coversx(X, T).\n"
    assert missing(coverage(tmp_path, "- P(a, 0)", program)) == []


def test_each_way_to_an_answer_is_asked_about(tmp_path: Path) -> None:
    program = "A(X, T) :- P(X, T).\nA(X, T) :- R(X, T).\nB(X, T) :- A(X, T), A(X, T+1).\nquery B(X, T).\n"
    found = coverage(tmp_path, "- P(a, 0)\n- P(a, 1)\n- R(a, 2)\n- R(a, 3)\n- P(b, 1)", program)
    ways = [each.text for each in found.missing if each.kind == PATTERN]
    assert ways == ["B: R(X, T), P(X, T+1)"]
    assert found.position(found.missing[-1])[1] == 4
    assert len([each for each in found.parts if each.kind == PATTERN]) == 4


test_turbines = antelog.testing.check(ROOT / "examples" / "turbines" / "turbines.test.yaml")

MODULE = """\
import antelog

test_rules = antelog.testing.check("turbines.test.yaml")
test_nothing = antelog.testing.check("nothing.test.yaml")
"""


def test_each_case_is_a_test(tmp_path: Path) -> None:
    text = case("- Temp(wt2, high, 0)\n- Temp(wt2, high, 1)", "- confirmed: Malf(wt2, 0)")
    written(
        tmp_path, text + text.partition("\n")[2].replace("a case", "another").replace("confirmed", "never")
    )
    (tmp_path / "test_rules.py").write_text(MODULE, "utf-8")
    options = ("-v", "-p", "no:cacheprovider", str(tmp_path), f"--rootdir={tmp_path}")
    command = [sys.executable, "-m", "pytest", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert "test_rules[a case] PASSED" in done.stdout
    assert "test_rules[another] FAILED" in done.stdout
    assert "  - Malf(wt2, 0) never comes\n  + Malf(wt2, 0) is confirmed since 1\n" in done.stdout
    assert "└─ ● Malf(X, T) :- Flag(X, T), Flag(X, T+1)." in done.stdout
    assert "test_nothing[the file] FAILED" in done.stdout
    assert "error E801 (test-file): it cannot be read" in done.stdout
    assert "Traceback" not in done.stdout


def test_without_pytest_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytest", None)
    with pytest.raises(
        UnsupportedError, match="needs the package pytest, which is not installed: pip install"
    ):
        antelog.testing.check("turbines.test.yaml")


def test_the_path_is_a_path() -> None:
    with pytest.raises(ArgumentError):
        antelog.testing.check(7)  # type: ignore[arg-type]  # that is the mistake


LAYOUT = """\
# Hot turbines
cases:

- name: one        # a comment
  facts:
    - Temp(wt2, high, 0)
    - Temp(wt2, high, 1)   # the second

# The other one
- name: two
  expect: []
  facts: Temp(wt4, high, 0) @ 1
"""


def rewritten(found: Suite) -> Suite:
    """The suite, after what comes out was recorded."""
    assert said(found) == ""
    path = Path(found.name)
    path.write_bytes(Recorded(found).text.encode())
    return read_suite(path)


def test_what_is_recorded_is_met_and_recording_again_changes_nothing(tmp_path: Path) -> None:
    found = rewritten(suite(tmp_path, LAYOUT))
    result = run_suite(found)
    assert (result.fine, [each.recorded for each in result.cases]) == (True, [5, 4])
    text = Path(found.name).read_text("utf-8")
    assert Recorded(found).text == text
    assert Recorded(found).cases == 0
    for line in LAYOUT.splitlines():
        assert line.removesuffix(" []") in text


def test_facts_that_are_set_aside_are_recorded(tmp_path: Path) -> None:
    cases = "cases:\n- name: one\n  facts:\n  - Temp(wt2, high, 0) @ 7\n  - Temp(wt2, low, 5)\n"
    found = rewritten(suite(tmp_path, cases))
    assert "    set_aside:\n    - Temp(wt2, high, 0)\n" in Path(found.name).read_text("utf-8")
    assert run_suite(found).fine


def test_what_a_person_has_looked_at_stays(tmp_path: Path) -> None:
    found = rewritten(suite(tmp_path, LAYOUT))
    path = Path(found.name)
    first = path.read_text("utf-8").replace("    recorded: yes\n", "", 1)
    first = first.replace("if_silent: rejected at 2", "decided_by: 2", 1)
    path.write_text(first, "utf-8")
    assert Recorded(read_suite(path)).text == first
    path.with_name("turbines.alog").write_text(PROGRAM.replace("delay 1", "delay 2"), "utf-8")
    again = Recorded(read_suite(path))
    assert "decided_by: 2" in again.text
    assert again.cases == 2


def test_expectations_of_a_person_are_left_alone(tmp_path: Path) -> None:
    cases = "cases:\n- name: one\n  facts: Temp(wt2, high, 0)\n  expect:\n  - at: 0\n    open: Malf(wt2, 0)\n"
    assert Recorded(suite(tmp_path, cases)).text == cases


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n# the end\n"])
def test_line_ends_stay_as_they_are(tmp_path: Path, newline: str, end: str) -> None:
    path = written(tmp_path, "")
    text = f"cases:\n- name: one\n  facts: Temp(wt2, high, 0){end}".replace("\n", newline)
    path.write_bytes(text.encode())
    found = rewritten(read_suite(path))
    content = path.read_bytes().decode()
    assert content.replace("\r\n", "").count("\r") == 0
    assert ("\r\n" in content) == (newline == "\r\n")
    assert content.count(newline) == content.count("\n")
    assert run_suite(found).fine
    assert end.strip() in content


@cases(__file__, "not_recorded")
def test_what_cannot_be_recorded_is_said(tmp_path: Path, cases: str, reason: str) -> None:
    found = Recorded(suite(tmp_path, cases))
    assert found.text == cases
    assert reason in found.left_out[0]


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("frost", {"Frost": "messages.csv"}),
        ("alarms", {"Alarm": "alarms.csv", "Ack": "acks.csv"}),
        ("outbreak", {"Case": "cases.csv"}),
    ],
)
def test_examples_can_be_recorded(tmp_path: Path, name: str, inputs: dict[str, str]) -> None:
    folder = ROOT / "examples" / name
    program = (folder / f"{name}.alog").read_text("utf-8")
    facts = "".join(f"  - {predicate}: {folder / file}\n" for predicate, file in inputs.items())
    found = rewritten(suite(tmp_path, f"cases:\n- name: all\n  facts:\n{facts}", program))
    result = run_suite(found)
    assert [each.summary for case in result.cases for each in case.failures] == []
    assert result.fine
    assert Recorded(found).cases == 0


@given(st.text(st.characters(codec="utf-8", min_codepoint=1, max_codepoint=0xFFFF), min_size=1, max_size=12))
def test_texts_are_written_so_that_yaml_reads_them(text: str) -> None:
    node = yaml.compose(f"- {yaml_text(text)}\n", Loader=yaml.BaseLoader)
    assert node is not None
    assert node.value[0].value == text
