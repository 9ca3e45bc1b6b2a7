"""antelog/cli/commands/check.py: exit status, what goes where, and help."""

import json
from pathlib import Path

import pytest
from click.testing import Result

from antelog.compile.patterns import subsume
from antelog.compile.rules import statics
from tests.cli.trying import ROOT, antelog

GOOD = "Malf(X, T) :- Temp(X, high, T).\nquery Malf(X, T).\n"
ODD = "Malf(X, T) :- Temp(X, high, T).\nquery Malf(X, T) window 3.\n"
WRONG = "Malf(X, T) :- Temp(X, high, T) and Temp(X, hot, T).\nquery Alarm(X, T).\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return tmp_path / "program.alog"


def check(program: Path, text: str, *options: str) -> Result:
    program.write_text(text, encoding="utf-8")
    return antelog("check", str(program), *options)


def test_static_rules_that_derive_too_much_end_in_one_line(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statics, "MOST_FACTS", 1_000)
    values = "".join(f"S({i}). " for i in range(60))
    rules = "static All(a, b, c). All(A, B, C) :- S(A), S(B), S(C). Q(X, T) :- A(X, T), All(X, _, _)."
    for options in ((), ("--json",)):
        done = check(program, f"static S(x). {values}{rules} query Q(X, T).", *options)
        assert (done.exit_code, done.stdout) == (1, "")
        (line,) = done.stderr.splitlines()
        assert line.startswith("error: All: the rules of static relations derive more than 1000 facts")


def test_warnings_go_to_stderr_and_change_no_status(program: Path) -> None:
    done = check(program, ODD)
    assert done.exit_code == 0
    assert f"{program}:2:1: warning W106 (needless-window)" in done.stderr
    assert "W106" not in done.stdout
    assert "Malf" in done.stdout


def test_a_wrong_program(program: Path) -> None:
    done = check(program, WRONG)
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"{program}:1:32: error E001 (syntax): `and` cannot stand here" in done.stderr
    assert f"{program}:2:7: error E203 (query-not-derived)" in done.stderr
    assert done.stderr.endswith("2 errors\n")


def test_markup_in_a_program_is_text(program: Path) -> None:
    done = check(
        program, 'Malf(X, T) :- Temp(X, "[bold]very[/] :warning:", T).\nquery Malf(X, T) window 3.\n'
    )
    assert "[bold]very[/] :warning:" in done.stdout


def test_the_pattern_limit(program: Path) -> None:
    text = "Malf(X, T) :- Temp(X, high, T).\nMalf(X, T) :- Temp(X, hot, T).\nquery Malf(X, T).\n"
    assert check(program, text, "--pattern-limit", "2").exit_code == 0
    done = check(program, text, "--pattern-limit", "1")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "E603" in done.stderr


def test_a_missing_file(program: Path) -> None:
    done = antelog("check", str(program))
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"error: {program}: cannot be read: No such file or directory\n"


def test_a_file_that_is_no_text(program: Path) -> None:
    program.write_bytes(b"query \xff")
    done = antelog("check", str(program))
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"error: {program}: is not UTF-8 text, see byte 6; save it as UTF-8\n"


def test_a_byte_order_mark_and_line_ends_of_windows(program: Path) -> None:
    program.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert antelog("check", str(program)).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "tests"), "is a directory."),
        (("check", "program.alog", "--pattern-limit", "0"), "Invalid value for '--pattern-limit'"),
        (("check", "one.alog", "two.alog"), "Got unexpected extra argument (two.alog)"),
    ],
)
def test_wrong_commands(arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = antelog(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Usage:" in done.stderr


def test_json(program: Path) -> None:
    done = check(program, ODD, "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found.keys() == {"program", "ok", "diagnostics", "queries", "work", "plan", "text"}
    assert [query["query"] for query in found["queries"]] == ["Malf(X, T)"]
    assert found["queries"][0].keys() == {"query", "open", "decided", "memory", "chances"}
    assert (found["program"], found["ok"]) == (str(program), True)
    assert [relation["name"] for relation in found["plan"]["relations"]] == ["Malf"]
    assert "Malf" in found["text"]
    (warning,) = found["diagnostics"]
    assert warning["hint"]
    assert warning["message"]
    del warning["hint"], warning["message"]
    place = {"line": 2, "column": 1, "end_line": 2, "end_column": 27}
    assert warning == {"code": "W106", "name": "needless-window", "severity": "warning", "notes": [], **place}


def test_json_of_a_wrong_program(program: Path) -> None:
    done = check(program, WRONG, "--json")
    assert (done.exit_code, done.stderr) == (1, "")
    found = json.loads(done.stdout)
    assert (found["ok"], found["plan"], found["text"]) == (False, None, None)
    assert [d["code"] for d in found["diagnostics"]] == ["E001", "E203"]


def test_searches_that_were_given_up_are_counted(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "P(X, T) :- A(X, T), B(X, Y, T), B(X, Z, T), B(Y, Z, T).\nquery P(X, T)."
    assert "given up" not in check(program, text).stdout
    monkeypatch.setattr(subsume, "LONGEST_SEARCH", 3)
    done = check(program, text)
    assert done.exit_code == 0
    assert "searches for needless literals and patterns took too many steps" in done.stdout
