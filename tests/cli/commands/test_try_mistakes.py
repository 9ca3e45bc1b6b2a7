"""antelog/cli/commands/try_.py: wrong commands and wrong data, and how it ends as a real process."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.trying import antelog, command, try_

pytestmark = pytest.mark.usefixtures("here")

# ---- wrong commands, wrong data ----


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--input", "temp.csv"], "`temp.csv` is not of the form P=SOURCE. Write it like Temp=temp.csv"),
        (["--input", "Malf=temp.csv"], "the program has no input Malf. The rules derive it from others."),
        (
            ["--static", "Temp=temp.csv"],
            "no static predicate Temp. It is an input: give it under input, Temp=temp.csv.",
        ),
        (["--static", "Site=temp.csv"], "the program has no static predicate Site. Known are: none."),
        (["--input", "Temp=temp.csv", "--input", "Temp=b.csv"], "Temp is given twice. Leave out one"),
        (["--only", "confirmd"], "there are no changes of the kind `confirmd`. Did you mean confirmed?"),
        (["--only", ""], "The kinds are possible, revised, confirmed, rejected, closed, likely, unlikely."),
        (["--only", "confirmed", "--snapshots"], "--only selects changes"),
        (["--format", "xml"], "Invalid value for '--format'"),
        (["--rejects", "out.txt"], "`out.txt` does not say the form of its files"),
    ],
)
def test_wrong_commands(arguments: list[str], message: str) -> None:
    done = try_(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--input", "Temp=absent.csv"], "absent.csv: cannot be read: No such file or directory"),
        (
            ["--input", "Temp=other.csv"],
            "has no columns device, level, time for Temp(device, level, time); it has a, b.",
        ),
    ],
)
def test_wrong_data(arguments: list[str], message: str) -> None:
    Path("other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    done = try_(*arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: {message}") or message in done.stderr


def test_a_wrong_program() -> None:
    Path("p.alog").write_text("Malf(X, T) :- Temp(X, T)\n", encoding="utf-8")
    done = try_()
    assert (done.exit_code, done.stdout) == (1, "")
    assert "p.alog:" in done.stderr
    assert done.stderr.endswith("errors\n") or done.stderr.endswith("error\n")
    absent = antelog("try", "absent.alog")
    assert (absent.exit_code, absent.stdout) == (1, "")
    assert "error: absent.alog: cannot be read" in absent.stderr


# ---- a real process ----

FACTS = ("try", "p.alog", "--input", "Temp=temp.csv")


def environment(**more: str) -> dict[str, str]:
    return {n: v for n, v in os.environ.items() if n not in {"NO_COLOR", "FORCE_COLOR"}} | more


def test_colours_are_for_terminals() -> None:
    def printed(**more: str) -> bytes:
        call = command(*FACTS, "--format", "table")
        return subprocess.run(
            call, env=environment(**more), capture_output=True, timeout=60, check=True
        ).stdout

    assert b"\x1b[" in printed(FORCE_COLOR="1", TERM="xterm-256color")
    assert b"\x1b[32m" not in printed(FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color")
    assert b"* Temp(wt2, high, 0)  o Temp(wt2, high, 1)" in printed(PYTHONIOENCODING="ascii", PYTHONUTF8="0")


def test_ascii_output_is_json_still() -> None:
    Path("temp.csv").write_text("device,level,time\nWärter,high,0\n", encoding="utf-8")
    plain = environment(PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    done = subprocess.run(command(*FACTS), env=plain, capture_output=True, timeout=60, check=True)
    assert json.loads(done.stdout.splitlines()[0])["answer"] == {"X": "Wärter", "T": 0}
