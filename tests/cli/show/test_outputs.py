"""antelog/cli/show/{endings,terminal}.py: what cannot be written is said, and data obeyed nowhere."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.text import Text

from antelog.cli.show.terminal import escaped, to_stdout
from tests.cli.trying import PROGRAM, READINGS, antelog, try_
from tests.obeyed import obeyed
from tests.processes import longest_file

pytestmark = pytest.mark.usefixtures("here")

ENTRY = """
import resource, sys
from antelog.cli.main import main
room = int(sys.argv.pop(1))
if room:
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
sys.argv[0] = "antelog"
main()
"""
TRY = "try p.alog --input Temp=temp.csv"
# Commands that write in different ways: by a console of rich, as messages, and by Click itself.
COMMANDS = [f"{TRY} --format table", "check p.alog", "--help"]


def run(line: str, redirection: str, *, room: int = 0, unbuffered: str = "") -> tuple[int, str]:
    """The status of a command and what it said on stderr; its files may grow to `room` bytes (0: any)."""
    done = subprocess.run(
        ["bash", "-c", f'"$@" {redirection}', "bash", sys.executable, "-c", ENTRY, str(room), *line.split()],
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered}, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("line", "to", "unbuffered", "reason"),
    [
        *((line, "> /dev/full", "", "No space left on device") for line in COMMANDS),
        (TRY, "> /dev/full", "1", "No space left on device"),
        (TRY, ">&-", "", "it is closed"),
    ],
)
def test_stdout_that_is_full_or_closed(line: str, to: str, unbuffered: str, reason: str) -> None:
    said = f"error: <stdout>: cannot be written: {reason}\n"
    assert run(line, to, unbuffered=unbuffered) == (1, said)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_reader_that_has_had_enough(line: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", ENTRY, "0", *line.split()], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_disk_that_becomes_full(unbuffered: str) -> None:
    """A single write of many lines may succeed in part, which is no error of its own."""
    rows = "".join(f"wt{i % 50},high,{i // 50},{i // 50}\n" for i in range(2000))
    Path("temp.csv").write_text("device,level,time,arrival\n" + rows, encoding="utf-8")
    ended = run("try p.alog --input Temp=temp.csv", "> out.jsonl", room=100_000, unbuffered=unbuffered)
    assert ended == (1, "error: <stdout>: cannot be written: File too large\n")


def test_stderr_that_cannot_be_written() -> None:
    assert run("try p.alog", "2> /dev/full")[0] == 1
    assert run("try none.alog", "2> /dev/full")[0] == 1
    assert run("try p.alog --input Temp=temp.csv --rejects r.csv", "> out <&- 2>&-")[0] == 0
    assert Path("out").read_text().startswith('{"tick": 0')
    assert Path("r.csv").read_text() == "file,line,predicate,reason,detail,row\n"


def test_stdin_that_is_closed() -> None:
    assert run("draw - -o a.svg", "<&-") == (1, "error: <stdin>: cannot be read: it is closed\n")


# ---- rejects ----


def malformed(rows: int) -> None:
    lines = (f"wt2,high,x{i}\n" for i in range(rows))
    Path("bad.csv").write_text("device,level,time\n" + "".join(lines), encoding="utf-8")


@pytest.mark.parametrize("rows", [10, 2000])
def test_rejects_that_find_no_room_leave_the_file_of_before(rows: int) -> None:
    malformed(rows)
    Path("r.csv").write_text("before")
    files = set(Path().iterdir())
    with longest_file(300):
        done = try_("--input", "Temp=bad.csv", "--rejects", "r.csv")
    assert done.exit_code == 1
    assert done.stderr.endswith("error: r.csv: cannot be written: File too large\n")
    assert "all of them are in" not in done.stderr
    assert Path("r.csv").read_text() == "before"
    assert set(Path().iterdir()) == files


def test_rejects_of_a_strict_run_are_kept() -> None:
    malformed(2)
    done = try_("--input", "Temp=bad.csv", "--rejects", "r.jsonl", "--strict")
    assert done.exit_code == 1
    assert [json.loads(line)["line"] for line in Path("r.jsonl").read_text().splitlines()] == [2]


def test_rejects_in_a_spreadsheet() -> None:
    names = ["=1+1", "@a", "-a"]
    bad = "".join(f"{each},high\n" for each in names)
    Path("bad.csv").write_text(f"device,level,time\n{bad}wt1,high,0\n")
    assert try_("--input", "Temp=bad.csv", "--rejects", "r.csv").exit_code == 0
    rows = list(csv.DictReader(io.StringIO(Path("r.csv").read_text(encoding="utf-8"))))
    assert [row["row"] for row in rows] == [f"'{each},high" for each in names]
    assert try_("--input", "Temp=bad.csv", "--rejects", "r.jsonl").exit_code == 0
    kept = [json.loads(line)["row"] for line in Path("r.jsonl").read_text().splitlines()]
    assert kept == [f"{each},high" for each in names]


# ---- what a terminal would obey ----

EVIL = "\x1b]0;evil\x07\x1b[2J\x9b31m\x7f\u202e\u2066\u200f\u061c"


def evil_files() -> tuple[Path, Path]:
    folder = Path(f"in{EVIL}")
    folder.mkdir()
    program, facts = folder / "p.alog", folder / "temp.csv"
    program.write_text(PROGRAM.replace("high", f'"{EVIL}"').replace("\x1b", "\\u001b"), encoding="utf-8")
    rows = [f'x{EVIL},"{EVIL}",0,0', f"x,y,{EVIL},0", f"x,y,0,{EVIL}", EVIL]
    facts.write_text("device,level,time,arrival\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return program, facts


@pytest.mark.parametrize("more", [[], ["--format", "table"], ["--snapshots", "--until", "2"], ["--strict"]])
def test_facts_and_paths_are_shown(more: list[str]) -> None:
    program, facts = evil_files()
    rejects = facts.with_name("rejects.jsonl")
    done = antelog("try", program, "--input", f"Temp={facts}", "--rejects", rejects, *more)
    assert not obeyed(done.output)
    assert "\\u001b]0;evil\\u0007" in done.stderr
    # Data that is written keeps what it has.
    assert any(EVIL in json.loads(line)["row"] for line in rejects.read_text(encoding="utf-8").splitlines())
    if not more:
        assert json.loads(done.stdout.splitlines()[0])["answer"]["X"] == f"x{EVIL}"


def test_headers_are_shown() -> None:
    Path("temp.csv").write_text(READINGS.replace("level", EVIL), encoding="utf-8")
    done = try_("--input", "Temp=temp.csv")
    assert done.exit_code == 1
    assert not obeyed(done.output)


def test_a_line_that_is_quoted_does_not_become_two() -> None:
    Path("temp.csv").write_text('device,level,time\nwt2,high,"x\nerror: forged"\n', encoding="utf-8")
    assert not any(
        line.startswith("error: forged") for line in try_("--input", "Temp=temp.csv").stderr.splitlines()
    )
    assert "error: no\\u000aerror: forged" in antelog("check", "no\nerror: forged").stderr


@pytest.mark.parametrize("program", [PROGRAM, PROGRAM.replace("Malf(X, T).", "Malf(X, Y, T).")])
def test_programs_are_shown(program: str) -> None:
    text = program.replace("high", f'"{EVIL}"').replace("\x1b", "\\u001b").replace("\x07", "\\u0007")
    path = Path(f"{EVIL}.alog")
    path.write_text(text + f"% {EVIL}\n", encoding="utf-8")
    for more in ([], ["--json"]):
        assert not obeyed(antelog("check", path, *more).output)


@pytest.mark.parametrize(
    "arguments",
    [
        [f"x{EVIL}"],
        ["try", "p.alog", f"--x{EVIL}"],
        ["try", "p.alog", "--input", f"{EVIL}=a.csv"],
        ["try", "p.alog", "--only", EVIL],
        ["run", "p.alog", "--output", f"{EVIL}:x"],
    ],
)
def test_a_command_line_is_shown(arguments: list[str]) -> None:
    done = antelog(*arguments)
    assert done.exit_code == 2
    assert not obeyed(done.output)


def test_colours_stay_with_what_they_are_of() -> None:
    text = escaped(Text("a", "bold").append("\x1bb", "red").append("c"))
    assert text.plain == "a\\u001bbc"
    assert [str(each) for each in (text.get_style_at_offset(to_stdout(), i) for i in (0, 1, 6, 8))] == [
        "bold", "bold red", "bold red", "bold",
    ]  # fmt: skip


def test_control_characters_of_one_colour_are_one_piece() -> None:
    text = escaped(Text("a").append("\x9bb" * 1000, "red"))
    assert (text.plain, len(text.spans)) == ("a" + "\\u009bb" * 1000, 1)
