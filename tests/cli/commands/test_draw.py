"""antelog/cli/commands/draw.py: the command as a user meets it."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from antelog.cli.main import main
from tests.cli.trying import LOG, PROGRAM, READINGS, ROOT, TURBINES, antelog
from tests.pictures.looks import texts


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "program.alog").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "temp.csv").write_text(READINGS, encoding="utf-8")
    (tmp_path / "log.jsonl").write_text("\n".join(LOG), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def drawn(*arguments: str) -> list[str]:
    done = antelog("draw", *arguments, "--output", "picture.svg")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "warning" not in done.stderr
    return texts(Path("picture.svg").read_text(encoding="utf-8"))


def test_facts() -> None:
    shown = drawn("program.alog", "--input", "Temp=temp.csv")
    assert {"Malf", "wt2", "wt4", "evidence", "confirmed", "rejected"} <= {*shown}
    assert "now" not in shown


def test_since() -> None:
    shown = drawn("program.alog", "--input", "Temp=temp.csv", "--since", "3")
    assert "2 answers: 2 rejected" in shown
    assert "0" not in shown  # Malf(wt2, 0) was decided before
    assert drawn("log.jsonl", "--since", "3") == shown


def test_timestamps_say_which_part_is_drawn() -> None:
    Path("timed.alog").write_text("tick 1 hour.\n" + PROGRAM, encoding="utf-8")
    rows = "device,level,time\na,high,2024-02-29 10:05\nb,high,2024-02-29 15:05\n"
    Path("timed.csv").write_text(rows, encoding="utf-8")
    shown = drawn("timed.alog", "--input", "Temp=timed.csv", "--since", "2024-02-29 14:00")
    assert "1 answer: 1 rejected" in shown
    assert {"b", "Malf", "15:00"} <= {*shown}
    assert "a" not in shown


def test_filters_and_looks() -> None:
    shown = drawn("log.jsonl", "--answer", "X=wt4", "--query", "Malf", "--title", "Four", "--theme", "dark")
    assert "Four" in shown
    assert [text for text in shown if text.startswith(("Malf", "wt"))] == ["wt4", "Malf"]


def test_a_log_on_standard_input() -> None:
    done = CliRunner().invoke(main, ["draw", "-", "--output", "picture.svg"], input="\n".join(LOG))
    assert (done.exit_code, done.output) == (0, "")
    assert "wt2" in texts(Path("picture.svg").read_text(encoding="utf-8"))


def test_the_plan() -> None:
    plan = {*drawn(str(TURBINES), "--plan")}
    assert {"Flag", "stratum 1"} <= plan
    options = ("--plan", "--input", "Temp=temp.csv", "--until", "3", "--output", "plan.svg")
    done = antelog("draw", TURBINES, *options)
    assert (done.exit_code, done.stderr) == (0, "note: --plan draws the rules alone: no facts are read\n")
    assert {*texts(Path("plan.svg").read_text(encoding="utf-8"))} == plan


def test_rows_that_were_set_aside_are_reported() -> None:
    Path("temp.csv").write_text(READINGS + "wt2,high,0,9\n", encoding="utf-8")
    done = antelog("draw", "program.alog", "--input", "Temp=temp.csv", "--output", "picture.png")
    assert done.exit_code == 0
    assert "done: 4 facts (3 used, 1 late)" in done.stderr
    assert "1 row was set aside (1 late)" in done.stderr


def refused(*arguments: str, output: str = "picture.svg") -> Result:
    done = antelog("draw", *arguments, "--output", output)
    assert done.stdout == ""
    assert not Path(output).exists()
    return done


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("log.jsonl", "--plan"), "--plan needs a program, and this is a log"),
        (("log.jsonl", "--input", "Temp=temp.csv"), "a log has its answers already; leave out --input"),
        (("program.alog", "--since", "yesterday"), "--since"),
        (("log.jsonl", "--since", "2024-02-29 14:00"), "--since"),
        (("program.alog", "--answer", "wt2"), "`wt2` is not of the form X=VALUE. Write it like X=wt2"),
        (("log.jsonl", "--query", "Mal"), "error: no answer has the query Mal. Did you mean Malf?"),
        (("none.jsonl",), "error: none.jsonl: cannot be read: No such file or directory"),
        (("temp.csv",), "temp.csv:1:"),
    ],
)
def test_what_is_wrong(arguments: tuple[str, ...], message: str) -> None:
    done = refused(*arguments)
    assert done.exit_code == (1 if message.startswith(("error: ", "temp.csv")) else 2)
    assert message in done.stderr


@pytest.mark.parametrize("output", ["picture.pdf", "picture"])
def test_endings(output: str) -> None:
    said = f"`{output}` has an ending that names no form of picture. Let it end with .svg, .png or .html"
    done = refused("log.jsonl", output=output)
    assert (done.exit_code, said in done.stderr) == (2, True)


def test_without_altair() -> None:
    entry = (
        "import sys; sys.modules['altair'] = None; sys.argv[0] = 'antelog';"
        "from antelog.cli.main import main; main()"
    )
    for arguments, status in ((["draw", "log.jsonl", "-o", "a.svg"], 1), (["check", "program.alog"], 0)):
        done = subprocess.run(
            [sys.executable, "-c", entry, *arguments],
            env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        if status:
            assert done.stderr == (
                "error: drawing needs the package altair, which is not installed: "
                "pip install '.[draw]', in a copy of the project\n"
            )
