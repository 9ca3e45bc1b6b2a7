"""antelog/cli/commands/watch.py, antelog/run/following.py: `antelog watch`."""

import json
import random
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from antelog.run.store.feed import FeedReader, StoredFeedAt
from antelog.run.store.inbox import post
from tests.cli.trying import LOG, PROGRAM, READINGS, ROOT, antelog, command, messages, try_
from tests.processes import Start, until
from tests.tables import cases
from tests.watch.killing import killed_while_it_runs

pytestmark = pytest.mark.usefixtures("here")

EXAMPLES = ROOT / "examples"


def watch(*arguments: object) -> Result:
    return antelog("watch", "p.alog", "--no-page", *arguments)


@pytest.mark.parametrize(
    ("example", "arguments"),
    [
        ("turbines", ["Temp=Temp.csv"]),
        ("relay", ["Sent=sent.csv", "Got=got.csv"]),
        ("heartbeats", ["Heard=beats.csv"]),
    ],
)
def test_it_tells_what_try_tells(example: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES / example)
    program, inputs = f"{example}.alog", [each for pair in arguments for each in ("--input", pair)]
    recorded = antelog("try", program, *inputs)
    followed = antelog("watch", program, *inputs, "--once", "--no-page")
    assert followed.stdout == recorded.stdout
    assert sorted(followed.stderr.splitlines()) == sorted(messages(recorded).splitlines())
    assert len(followed.stdout.splitlines()) > 5


def test_try_and_watch_begin_to_show_at_a_tick() -> None:
    arguments = ("--input", "Temp=temp.csv", "--since", 2)
    assert try_(*arguments).stdout.splitlines() == LOG[2:]
    assert watch(*arguments, "--once").stdout.splitlines() == LOG[2:]
    assert watch(*arguments, "--once", "--output", "out.jsonl", "--only", "rejected").exit_code == 0
    assert Path("out.jsonl").read_text().splitlines() == LOG[4:]
    shots = try_(*arguments, "--snapshots").stdout.splitlines()
    assert [json.loads(line)["tick"] for line in shots] == [2, 3]
    assert "tick 1" not in try_(*arguments, "--format", "table").stdout
    Path("p.alog").write_text("tick 1 minute.\n" + Path("p.alog").read_text())
    Path("temp.csv").write_text("device,level,time\nwt2,high,2024-03-04 06:00\nwt2,high,2024-03-04 06:03\n")
    (first, *_) = watch(*arguments[:2], "--since", "2024-03-04 06:03", "--once").stdout.splitlines()
    assert json.loads(first)["time"] == "2024-03-04T06:03:00+00:00"


def test_it_goes_on_where_it_was(here: Path) -> None:
    (header, *rows) = READINGS.splitlines(keepends=True)
    Path("temp.csv").write_text(header)
    arguments = ("--input", "Temp=temp.csv", "--once", "--state", "s", "--output", "out.jsonl")
    reported = []
    for row in ["", *rows, "wt9,low,9,9\n"]:
        with Path("temp.csv").open("a") as file:
            file.write(row)
        done = watch(*arguments, "--lag", 2)
        assert done.exit_code == 0, done.stderr
        reported.append(len(Path("out.jsonl").read_text().splitlines()))
    assert reported == sorted(reported)
    assert Path("out.jsonl").read_text().splitlines() == LOG
    assert not list(here.glob("s?*"))


def test_a_feed_is_kept_with_the_state() -> None:
    arguments = ("--input", "Temp=temp.csv", "--input", "Posted=http:", "--once", "--state", "s")
    Path("p.alog").write_text("input Posted(x, time).\n" + Path("p.alog").read_text())
    assert watch(*arguments).exit_code == 0
    reader = FeedReader(StoredFeedAt(Path("s")))
    assert [json.dumps(record) for record in reader.read() if "change" in record] == LOG[:4][:2]
    assert post(Path("s"), "Posted", [b'{"x": "a", "time": 3}'])
    assert watch(*arguments).exit_code == 0
    records = reader.read()
    assert len(records[0]["head"]["open"]) == 2
    assert [json.dumps(record) for record in records if "change" in record] == LOG[2:4]


@pytest.mark.parametrize(("keep", "runs"), [([], 2), (["--keep", "1 hour"], 1)])
def test_lines_of_the_feed_go_after_a_while(
    keep: list[str], runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_700_000_000.0]
    monkeypatch.setattr("antelog.run.store.feed.time.time", lambda: now[0])
    Path("p.alog").write_text("input Posted(x, time).\n" + Path("p.alog").read_text())
    inputs = ("--input", "Temp=temp.csv", "--input", "Posted=http:")
    reported = []
    for _ in range(2):
        reported.append(watch(*inputs, "--once", "--state", "s", *keep).stdout.splitlines())
        assert post(Path("s"), "Posted", [b'{"x": "a", "time": 3}'])
        now[0] += 7_200
    lines = [json.dumps(each) for each in FeedReader(StoredFeedAt(Path("s"))).read() if "change" in each]
    assert all(reported)
    assert lines == [line for run in reported[-runs:] for line in run]


@cases(__file__, "wrong")
def test_what_is_wrong_with_the_command_is_said(arguments: list[str], message: str) -> None:
    Path("p.alog").write_text("input Other(x, time).\n" + Path("p.alog").read_text())
    done = watch(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--lead", "6"], "error: `6` is not a lead. Write the least and the most: 1..24"),
        (["--incidents", "none/list.csv"], "error: none/list.csv: there is no folder none; make it, and "),
        (["--incidents", "list.parquet"], "error: list.parquet: cannot grow; a list that grows is a file "),
    ],
)
def test_what_is_wrong_with_incidents_is_said(options: list[str], message: str) -> None:
    done = antelog("watch", "p.alog", "--input", "Temp=temp.csv", "--incidents", "list.csv", *options)
    assert done.exit_code == 1
    assert message in done.stderr
    assert not Path("list.csv").exists()


def test_incidents_without_a_page_are_not_judged() -> None:
    done = watch("--input", "Temp=temp.csv", "--incidents", "list.csv", "--once")
    assert "note: --incidents is for the page, which is not there with --no-page and --once" in done.stderr


def test_changes_alone_are_not_judged_by_incidents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antelog.cli.commands.watch.show_changes", lambda *_: None)
    Path("changes.jsonl").touch()
    done = antelog("watch", "changes.jsonl", "--incidents", "list.csv")
    assert "note: --incidents is for a state: changes do not say by which rules" in done.stderr


def test_what_is_wrong_with_the_data_is_said() -> None:
    Path("bad.csv").write_text("device,time\na,7\n")
    done = watch("--input", "Temp=bad.csv", "--once")
    said = "bad.csv: has no column level for Temp(device, level, time); it has device, time."
    assert (done.exit_code, done.stderr.startswith(f"error: {said}")) == (1, True)
    done = watch("--input", "Temp=bad.csv", "--once", "--state", "s0")
    assert (done.exit_code, f"note: {said}" in done.stderr) == (1, True)
    done = watch("--input", "Temp=temp.csv", "--clock", "arrival", "--arrival", "came", "--once")
    assert (done.exit_code, "has no column came for the arrivals" in done.stderr) == (1, True)
    Path("out.jsonl").write_text("mine\n")
    done = watch("--input", "Temp=temp.csv", "--once", "--state", "s", "--output", "out.jsonl")
    assert (done.exit_code, "is there already, and the state knows nothing of it" in done.stderr) == (1, True)
    assert Path("out.jsonl").read_text() == "mine\n"


def test_another_source_is_read_from_its_start() -> None:
    assert watch("--input", "Temp=temp.csv", "--once", "--state", "s").exit_code == 0
    Path("more.csv").write_text("device,level,time,arrival\nwt9,high,9,9\nwt9,low,11,11\n")
    done = watch("--input", "Temp=more.csv", "--once", "--state", "s")
    assert "note: Temp came from temp.csv before; more.csv is read from its start" in done.stderr
    assert '"answer": {"X": "wt9", "T": 9}' in done.stdout


def test_kinds_tables_and_chances() -> None:
    only = watch("--input", "Temp=temp.csv", "--once", "--only", "confirmed").stdout
    assert only == try_("--input", "Temp=temp.csv", "--only", "confirmed").stdout
    table = watch("--input", "Temp=temp.csv", "--once", "--format", "table").stdout
    assert table == try_("--input", "Temp=temp.csv", "--format", "table").stdout
    chances = watch("--input", "Temp=temp.csv", "--once", "--model", "learn", "--explanations", 1).stdout
    assert chances == try_("--input", "Temp=temp.csv", "--model", "learn", "--explanations", 1).stdout
    assert '"chance": ' in chances


def _command(*arguments: object) -> list[str]:
    return command("watch", "p.alog", "--no-page", *arguments)


def test_it_says_of_a_state_without_facts_that_it_has_none(here: Path) -> None:
    (here / "none.csv").write_text("device,level,time\n")
    first, again = (watch("--input", "Temp=none.csv", "--state", "s", "--once").stderr for _ in range(2))
    assert "going on" not in first
    assert "going on from s, which has no facts yet" in again


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_when_it_is_asked_to_and_keeps_its_state(number: int, start: Start) -> None:
    process = start(_command("--input", "Temp=temp.csv", "--state", "s"), stdout=subprocess.PIPE)
    assert process.stdout is not None
    lines = [process.stdout.readline().strip() for _ in range(2)]
    process.send_signal(number)
    assert process.wait(60) == 0
    assert lines == LOG[:2]
    assert (
        "going on from s, after tick 1" in watch("--input", "Temp=temp.csv", "--state", "s", "--once").stderr
    )


@pytest.mark.slow
@pytest.mark.parametrize("grows", ["file", pytest.param("folder", marks=pytest.mark.long)])
@pytest.mark.parametrize("times", [3, pytest.param(20, marks=pytest.mark.long)])
def test_what_was_killed_time_and_again_tells_everything_once(grows: str, times: int) -> None:
    dice = random.Random(7)
    lines = [
        f"wt{dice.randrange(9)},{dice.choice(['high', 'low'])},{i // 20},{i // 20 + dice.randrange(2)}\n"
        for i in range(2_000 * times)
    ]
    data = ("device,level,time,arrival\n" + "".join(sorted(lines, key=_arrival))).encode()[:-5]
    path = Path("grows.csv" if grows == "file" else "grows")
    path.touch() if grows == "file" else path.mkdir()
    arguments = ("--input", f"Temp={path}", "--state", "s", "--output", "out.jsonl")
    assert killed_while_it_runs(_command(*arguments), path, data, dice, times) == times
    assert watch(*arguments, "--once").exit_code == 0
    whole = watch("--input", f"Temp={path}", "--once", "--state", "t", "--output", "whole.jsonl")
    assert whole.exit_code == 0
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
    assert len(Path("out.jsonl").read_text().splitlines()) > 500 * times


@pytest.mark.parametrize("state", [[], ["--state", "s"]])
def test_a_second_one_is_refused_or_waits(here: Path, state: list[str], start: Start) -> None:
    output = here / "out.jsonl"
    arguments = ("--input", "Temp=temp.csv", *state, "--output", "out.jsonl")

    def until_written(word: bytes) -> None:
        until(lambda: output.exists() and word in output.read_bytes())

    first = start(_command(*arguments), stderr=subprocess.DEVNULL)
    until_written(b"possible")
    reported = output.read_bytes()
    refused = watch(*arguments)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "writes to it; stop that one first" in refused.stderr
    assert "--wait" in refused.stderr
    assert output.read_bytes() == reported
    with (here / "said").open("wb") as said:
        start(_command(*arguments, "--wait"), stderr=said)
    until(lambda: b"this one waits for its end" in (here / "said").read_bytes())
    with (here / "temp.csv").open("a") as file:
        file.write("wt9,high,9,9\nwt9,high,10,10\n")
    until_written(b"wt9")
    first.kill()
    first.wait()
    with (here / "temp.csv").open("a") as file:
        file.write("wt7,high,12,12\nwt7,high,13,13\n")
    until_written(b"wt7")
    lines = output.read_bytes().splitlines()
    assert len(set(lines)) == len(lines)
    assert b"\0" not in output.read_bytes()


def _arrival(line: str) -> int:
    return int(line.rpartition(",")[2])


def _recorded_size(state: Path) -> int:
    """How much of the output is recorded in a state; a kill cuts off what was written after it."""
    if not state.exists():
        return 0
    with closing(sqlite3.connect(f"{state.absolute().as_uri()}?mode=ro", uri=True)) as database:
        try:
            found = database.execute("SELECT known FROM state").fetchone()
        except sqlite3.OperationalError:  # the table is not there yet
            return 0
    output = json.loads(found[0])["output"] if found else None
    return int(output[1]["size"]) if output else 0


def test_a_killed_follower_of_standard_input_has_all_it_has_reported(here: Path, start: Start) -> None:
    process = start(
        _command("--input", "Temp=-", "--state", "s", "--output", "out.jsonl"), stdin=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(READINGS)
    process.stdin.flush()
    until(lambda: _recorded_size(here / "s"), process)
    process.kill()
    process.communicate()
    subprocess.run(
        _command("--input", "Temp=-", "--state", "s", "--output", "out.jsonl"),
        input="device,level,time,arrival\nwt9,low,9,9\n", text=True, check=True,
    )  # fmt: skip
    assert (here / "out.jsonl").read_text().splitlines() == LOG


WATCH = ("watch", "p.alog", "--input", "Temp=temp.csv", "--once", "--no-page", "--state", "s")


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM rows", "rows that were recorded are missing or were changed: 0 of 1 are there"),
        ("UPDATE rows SET content = 5", "a value of `content` is of another type"),
        ("UPDATE rows SET file = CAST(X'ff' AS TEXT)", "rows that were recorded are missing or were changed"),
        ("UPDATE state SET known = 'text'", "a value of `known` is of another type"),
        ("UPDATE state SET recorded = 7", "1 of 7 are there"),
        ("UPDATE pieces SET content = 0.5", "a value of `content` is of another type"),
        ("DROP TABLE rows", "rows that were recorded are missing"),
    ],
)
def test_a_state_that_was_changed_is_refused(statement: str, said: str) -> None:
    with Path("temp.csv").open("a") as facts:
        facts.write("wt2,high,9,9\n")  # waits for the end of its tick
    assert antelog(*WATCH).exit_code == 0
    with closing(sqlite3.connect("s")) as database, database:
        assert database.execute("SELECT count(*) FROM rows").fetchone() == (1,)
        database.execute(statement)
    done = antelog(*WATCH)
    assert (done.exit_code, said in done.stderr, "Traceback" in done.stderr) == (1, True, False), done.stderr


def test_changes_may_go_to_what_is_not_a_file() -> None:
    for said in ("done: 2 facts", "going on from s"):
        done = antelog(*WATCH, "--output", "/dev/null")
        assert (done.exit_code, done.stdout, said in done.stderr) == (0, "", True), done.stderr


def test_facts_that_are_one_in_their_tick_are_a_band(here: Path, start: Start) -> None:
    (here / "q.alog").write_text(PROGRAM.replace("delay 1.", "delay 1, one per device."))
    (here / "temp.csv").write_text("device,level,time\na,high,0\na,low,0\na,low,3\n")
    start(command("watch", "q.alog", "--input", "Temp=temp.csv", "--state", "s", "--port", 0))

    def bands() -> list[str]:
        records = FeedReader(StoredFeedAt(here / "s")).read() if (here / "s").exists() else []
        return [note for each in records if "status" in each for note in each["status"].get("notes") or ()]

    until(lambda: "1 of 2 facts of Temp is conflicting in its tick." in bands())
