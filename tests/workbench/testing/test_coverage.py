"""antelog/workbench/testing/coverage.py: the parts of rules that no case shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import antelog
import antelog.testing
from antelog.errors import ArgumentError, UnsupportedError
from antelog.workbench.testing.coverage import PATTERN, Coverage, covered
from tests.docs.pages import ROOT
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


def test_all_of_a_program(tmp_path: Path) -> None:
    found = coverage(tmp_path, "- Temp(wt2, high, 3)\n- Temp(wt2, high, 4)")
    assert missing(found) == []
    assert found.percent == 100


@pytest.mark.parametrize(
    ("body", "facts", "complaints"),
    [
        (
            "P(X, V, T), V >= 90",
            "- P(a, 95, 0)",
            ["`V >= 90` is never false where the rest of its rule holds"],
        ),
        ("P(X, V, T), V >= 90", "- P(a, 95, 0)\n- P(a, 80, 1)", []),
        ("P(X, V, T), V >= 90", "- P(a, 80, 1)", ["no test confirms this rule"]),
        ("P(X, V, T), D = V - 1, D > 5", "- P(a, 7, 0)\n- P(a, 5, 1)", []),
        ("P(X, _, T), count(P(X, _, T..T+2)) >= 2", "- P(a, 7, 0)\n- P(a, 5, 1)", []),
        (
            "P(X, _, T), count(P(X, _, T..T+2)) < 9",
            "- P(a, 7, 0)",
            ["`count(P(X, _, T..T+2)) < 9` is never false where the rest of its rule holds"],
        ),
        ("P(X, _, T), not R(X, T..T+3)", "- P(a, 7, 0)\n- R(a, 2)\n- P(a, 7, 3)", []),
        (
            "P(X, _, T), not R(X, T..T+3)",
            "- P(a, 7, 0)\n- R(b, 2)",
            ["no test denies `not R(X, T..T+3)` where the rest of its rule holds"],
        ),
        ('P(X, _, T), contains(X, "a")', "- P(a, 7, 0)\n- P(b, 7, 0)", []),
        (
            "P(X, _, T), last M(X, run, T)",
            "- P(a, 7, 0)\n- M(a, run, 0)",
            ["`last M(X, run, T)` is never false where the rest of its rule holds"],
        ),
        ("P(X, _, T), last M(X, run, T)", "- P(a, 7, 0)\n- M(a, run, 0)\n- M(a, stop, 1)\n- P(a, 7, 1)", []),
        ("P(X, _, T), R(X, U), U > T, U <= T+3", "- P(a, 7, 1)\n- R(a, 2)\n- R(a, 0)\n- R(a, 9)", []),
    ],
)
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
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "-p",
        "no:cacheprovider",
        str(tmp_path),
        f"--rootdir={tmp_path}",
    ]
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
