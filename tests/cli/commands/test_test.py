"""antelog/cli/commands/test_.py: `antelog test` as people see it."""

import re
import shutil
import signal
import subprocess
from itertools import takewhile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import Result

from tests.cli.trying import antelog, command
from tests.processes import PATIENCE, Start
from tests.workbench.testing.suites import PROGRAM, case, written

FAILURES = Path(__file__).parents[2] / "workbench" / "testing" / "failures"
GOOD = case("- Temp(wt2, high, 0)\n- Temp(wt2, high, 1)\n- Temp(wt4, high, 3)", "- confirmed: Malf(wt2, 0)")

# The trees have tests of their own, in tests/why.
REASON = re.compile(r"^(      why\n.*\n)(?:      .*\n)*", re.MULTILINE)
ODD = """\
import antelog

@antelog.function(rowwise=True)
def odd(value):
    return value % 2 == 1
"""
GIVEN = case("- P(81, 0)", "- confirmed: Q(0)")


def run(*arguments: object) -> Result:
    return antelog("test", *arguments)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_is_fine(folder: Path) -> None:
    written(folder, GOOD)
    done = run()
    assert done.exit_code == 0
    assert done.stdout == (
        "✓ turbines.test.yaml  1 case\n\n"
        "turbines.alog: 6 of 6 parts of rules covered, 100 %\n\n"
        "1 case: 1 passed\n"
    )
    assert done.stderr == ""


@pytest.mark.parametrize("name", sorted(path.name for path in FAILURES.glob("*.test.yaml")))
def test_failures_read_well(folder: Path, name: str, record: bool) -> None:
    for each in FAILURES.iterdir():
        shutil.copy(each, folder)
    done = run(name)
    assert done.exit_code == 1
    expected, shown = FAILURES / f"{name.partition('.')[0]}.txt", REASON.sub(r"\1      …\n", done.output)
    if record:
        expected.write_text(shown, "utf-8")
    assert expected.read_text("utf-8") == shown


def test_a_folder_without_tests_is_no_success(folder: Path) -> None:
    (folder / "rules.alog").write_text(PROGRAM, "utf-8")
    done = run()
    assert done.exit_code == 1
    assert done.stdout == (
        "note: rules.alog has no tests\n\nthere are no tests: no file has a name that ends in .test.yaml\n"
    )


def test_all_that_is_wrong_comes_at_once(folder: Path) -> None:
    written(folder, GOOD, name="good")
    written(folder, case("- Temp(wt2 high, 0)\n- Tmp(wt2, high, 0)"))
    written(folder, case(), "query Q(X, T).", name="wrong")
    done = run(folder)
    assert done.exit_code == 1
    assert "turbines.test.yaml:4:14: error E803 (test-misfit)" in done.stderr
    assert "turbines.test.yaml:5:5: error E803 (test-misfit): the program has no input Tmp" in done.stderr
    assert "wrong.alog:1:7: error E203" in done.stderr
    assert "1 case: 1 passed; 2 files cannot be used" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.test.yaml"], "error: there is no file or folder nothing.test.yaml."),
        (
            ["rules.alog"],
            "error: rules.alog has no tests: there is no file rules.test.yaml beside it. Write one",
        ),
        (["turbines.csv"], "error: turbines.csv is not a file of tests: their names end in .test.yaml"),
        (["turbines.test.yml"], "Did you mean turbines.test.yaml?"),
        (["turbines.test.yaml", "--set", "hot=3"], "error: no program has a limit hot. There are none."),
    ],
)
def test_what_cannot_be_run(folder: Path, arguments: list[str], message: str) -> None:
    (folder / "rules.alog").write_text(PROGRAM, "utf-8")
    (folder / "turbines.csv").write_text("a\n", "utf-8")
    written(folder, GOOD)
    done = run(*arguments)
    assert done.exit_code in (1, 2)
    assert message in done.stderr


def test_functions_and_limits_come_from_the_command(folder: Path) -> None:
    program = """\
    limit hot = 90.
    input P(value: number, time).
    function odd(value).
    Q(T) :- P(V, T), V > hot, odd(V).
    query Q(T).
    """
    (folder / "odd.py").write_text(ODD, "utf-8")
    written(folder, GIVEN, program)
    assert "the program calls odd" in run().stdout
    done = run("--functions", "odd.py", "--set", "hot=80")
    assert (done.exit_code, done.stderr) == (0, "")
    (folder / "turbines.test.yaml").write_text(f"functions: odd.py\nset:\n  hot: 70\n{GIVEN}", "utf-8")
    assert run().exit_code == 0


def test_hidden_folders_are_left_out_and_included_programs_need_no_tests(folder: Path) -> None:
    (folder / ".hidden").mkdir()
    written(folder / ".hidden", "wrong")
    (folder / "part.alog").write_text("Flag(X, T) :- Temp(X, high, T).\n", "utf-8")
    program = 'input Temp(x, level, time).\ninclude "part.alog".\nquery Flag(X, T).\n'
    written(folder, case("- Temp(a, high, 0)", "- confirmed: Flag(a, 0)"), program)
    done = run(".")
    assert done.exit_code == 0
    assert "note" not in done.stdout


def test_recording_says_what_is_only_recorded(folder: Path) -> None:
    written(
        folder, "cases:\n- name: one\n  facts: Temp(wt2, high, 0)\n- name: two\n  facts: Temp(wt2, low, 0)\n"
    )
    done = run("--record", "--no-coverage")
    assert done.stderr == "note: turbines.test.yaml: recorded what comes out of 2 cases; look at it\n"
    assert done.stdout.endswith("2 cases: 2 passed; 7 expectations are only recorded\n")
    text = (folder / "turbines.test.yaml").read_text("utf-8")
    again = run("--record", "--no-coverage")
    assert (again.exit_code, again.stderr) == (0, "")
    assert (folder / "turbines.test.yaml").read_text("utf-8") == text
    (folder / "turbines.test.yaml").write_text(f"\ufeff{text}", "utf-8")
    (folder / "turbines.alog").write_text(PROGRAM.replace("delay 1", "delay 3"), "utf-8")
    assert run().exit_code == 1
    assert run("--record").exit_code == 0
    assert (folder / "turbines.test.yaml").read_bytes().startswith(b"\xef\xbb\xbfcases")


def test_files_in_which_something_is_wrong_are_not_written(folder: Path) -> None:
    path = written(folder, "cases:\n- name: one\n  facts: Temp(wt2, high, 0)\n- nam: two\n")
    text = path.read_text("utf-8")
    assert run("--record").exit_code == 1
    assert path.read_text("utf-8") == text


def test_junit(folder: Path) -> None:
    bad = '- Temp("a<b>&\u202e", high, 0)'
    written(folder, case(bad, "- confirmed: Malf(wt9, 0)"))
    written(folder, GOOD, name="good")
    written(folder, "cases:\n- name: [a]\n", name="wrong")
    done = run("--junit", "results.xml")
    assert done.exit_code == 1
    root = ElementTree.parse(folder / "results.xml").getroot()
    assert [root.attrib[name] for name in ("tests", "failures", "errors")] == ["3", "1", "1"]
    cases = {each.attrib["classname"]: each for each in root.iter("testcase")}
    assert [each.tag for each in cases["good.test.yaml"]] == []
    (failure,) = cases["turbines.test.yaml"]
    assert failure.attrib["message"] == "expected Malf(wt9, 0) is confirmed, found it never came"
    assert (failure.text or "").startswith(
        "turbines.test.yaml:6: at the end\n  - Malf(wt9, 0) is confirmed\n"
    )
    (error,) = cases["wrong.test.yaml"]
    assert "error E802" in (error.text or "")
    assert run("--junit", folder / "no" / "results.xml").exit_code == 1


def test_annotations_of_github(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder))
    (folder / "rules").mkdir()
    text = case("- Temp(wt2, high, 0)", "- confirmed: Malf(wt2, 0)").replace("a case", "'50%, a: b'")
    written(folder / "rules", text)
    written(folder, "cases:\n- name: [a]\n", name="wrong")
    lines = [line for line in run(folder).stdout.splitlines() if line.startswith("::")]
    assert "::error file=wrong.test.yaml,line=2,col=9,title=test-form::`name` is a list, and has" in lines[0]
    assert lines[1] == (
        "::error file=rules/turbines.test.yaml,line=6,col=16,title=50%25%2C a%3A b::at the end: expected "
        "Malf(wt2, 0) is confirmed, found Malf(wt2, 0) is rejected since 2, because Temp(wt2, high, 1) "
        "did not come true"
    )
    assert lines[2].startswith("::notice file=rules/turbines.alog,line=6,col=1,title=no test shows this::no ")


def test_record_and_watch_do_not_go_together(folder: Path) -> None:
    written(folder, GOOD)
    done = run("--record", "--watch")
    assert done.exit_code == 2
    assert "leave out one of the two" in done.stderr


def test_watching(folder: Path, start: Start) -> None:
    path = written(folder, GOOD)
    process = start(command("test", "--watch", "--no-coverage"), stdout=subprocess.PIPE)
    assert process.stdout is not None

    def until_shown(text: str) -> None:
        assert process.stdout is not None
        shown = ""
        while text not in shown:
            lines = iter(process.stdout.readline, "")
            shown = "".join(takewhile(lambda line: not line.startswith("watching"), lines))

    until_shown("1 case: 1 passed\n")
    (folder / "turbines.alog").write_text(PROGRAM.replace("high", "hot"), "utf-8")
    until_shown("1 case: 0 passed, 1 failed\n")
    path.write_text("cases:\n- nam: a\n", "utf-8")
    until_shown("cannot be used")
    path.write_text(GOOD.replace("high", "hot"), "utf-8")
    until_shown("1 case: 1 passed\n")
    written(folder, GOOD, name="more")
    until_shown("2 cases: 2 passed\n")
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 0
