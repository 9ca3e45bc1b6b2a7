"""antelog/cli/run/pipeline.py: a batch in words, and a summary of all."""

import json
import re
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from antelog.cli.run.pipeline import Report, batch_line
from antelog.language.moments import Timescale
from antelog.run.sinks.result import reject_of
from antelog.run.store.feed import FeedReader, FolderFeed
from tests.cli.trying import spark_command, try_
from tests.processes import Process, started, until

pytestmark = pytest.mark.usefixtures("here")


def test_a_batch_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    from antelog.spark.pipeline.stream_run import Progress  # noqa: PLC0415 - needs PySpark

    counts: dict[str, int | None] = {"given": 12_000, "admitted": 11_000, "unneeded": 995, "late": 3}
    counts |= {"early": 0, "changes": 1, "open": 0, "held": 2, "kept": 40, "state_bytes": 12_345, "now": 7}
    assert batch_line(Progress(3, 2.0, {"files": 2}, counts)) == (
        "batch 3: 12,000 facts (11,000 used, 995 not needed, 3 late) in 2.0 s (6,000/s), 1 change, 0 open, "
        "2 held, state 40 facts in 12 kB, tick 7, 2 files waiting"
    )
    behind = {"given": 3, "held": 3, "now": 7, "behind": 90, "holding": "Ack from p2"}
    said = "batch 4: 3 facts in 0.5 s (6.0/s), 0 changes, 3 held, tick 7, Ack from p2 holds time back"
    assert batch_line(Progress(4, 0.5, {}, behind)) == f"{said} by 90 ticks"
    minutes = Timescale(60_000_000)
    assert batch_line(Progress(4, 0.5, {}, behind), minutes) == f"{said} by 90 minutes"
    report = Report(timescale=minutes, max_skew=90 * 60_000_000 - 1)
    report.batch(Progress(4, 0.5, {}, behind))
    report.batch(Progress(5, 0.5, {}, behind))
    warned = capsys.readouterr().err.splitlines()
    assert sum(line.startswith("warning: Ack from p2 is 90 minutes behind other") for line in warned) == 1
    assert "3 facts and 7 held before in 0.5 s" in batch_line(Progress(4, 0.5, {}, behind | {"held": 10}))
    assert batch_line(Progress(4, 0.5, {}, {})) == "batch 4: 0 facts in 0.5 s, 0 changes"
    # Where only confirmed answers are asked for, nobody knows how many are open.
    counts = {"given": 2, "admitted": 2, "changes": 1, "open": None, "held": 0}
    assert batch_line(Progress(5, 0.5, {}, counts)) == "batch 5: 2 facts in 0.5 s (4.0/s), 1 change"


def test_the_summary_accounts_for_every_fact(capsys: pytest.CaptureFixture[str]) -> None:
    from antelog.spark.pipeline.stream_run import Progress  # noqa: PLC0415 - needs PySpark

    report = Report()
    batches: list[dict[str, int | None]] = [
        {"given": 5, "admitted": 2, "repeated": 1, "changes": 3, "open": 2, "held": 2},
        {"given": 4, "admitted": 3, "unneeded": 1, "late": 1, "changes": 2, "open": 4, "held": 1},
        {"given": 0, "changes": 0, "open": None, "held": None},
    ]
    for counts in batches:
        report.batch(Progress(0, 1.0, {}, {}))
        report.count(counts)
    capsys.readouterr()
    report.summarize(stream=True, rejects=None, timescale=None)
    (done, note, warning, *_) = capsys.readouterr().err.splitlines()
    assert note == "note: 1 fact waits: its tick is not finished"
    assert done.startswith(
        "done: 3 batches, 9 facts (5 used, 1 repeated, 1 not needed, 1 late), 5 changes, 4 open, 1 held in "
    )
    assert warning == "warning: 1 row was set aside (1 late)"
    late = {"input": "Temp", "values": '["a", 6]', "time": 474771, "reason": "late", "row": None}
    report.first.append(
        reject_of(
            late | {"detail": "at tick 474777", "arrival": 474777}, "in", None, Timescale(3_600_000_000)
        )
    )
    report.summarize(stream=True, rejects=None, timescale=Timescale(3_600_000_000))
    (*_, said) = capsys.readouterr().err.splitlines()
    assert said == "  in: Temp(a, 6, 2024-02-29 03:00): at 2024-02-29 09:00"
    resumed = Report()
    resumed.count({"given": 4, "admitted": 3, "unneeded": 1, "late": 1, "changes": 2, "open": 2, "held": 0})
    resumed.summarize(stream=True, rejects=None, timescale=None)
    (done, aside, *_) = capsys.readouterr().err.splitlines()
    assert aside.startswith("warning: ")
    assert done.startswith("done: 0 batches, 4 facts and 1 held before (3 used, 1 not needed, 1 late), 2 ch")
    once = Report()
    once.count({"given": 3, "admitted": 1, "after_until": 2, "changes": 2, "open": 2, "held": 0})
    once.summarize(stream=False, rejects=None, timescale=None)
    (done, *_) = capsys.readouterr().err.splitlines()
    assert done.startswith("done: 3 facts (1 used, 2 after --until), 2 changes, 2 open in ")


def test_the_summary_says_why_there_is_nothing_or_less(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = Report()
    nothing.summarize(stream=True, rejects=None, timescale=None)
    (done, note) = capsys.readouterr().err.splitlines()
    assert done.startswith("done: 0 batches, 0 facts, 0 changes in ")
    assert note == "note: there was no batch, for nothing has come that was not read before"
    nothing.summarize(stream=False, rejects=None, timescale=None)
    assert len(capsys.readouterr().err.splitlines()) == 1
    some = Report(batches=1)
    some.count({"given": 3_000, "admitted": 1_000, "changes": 0, "open": 0, "held": 2_000})
    some.summarize(stream=True, rejects=None, timescale=None)
    (_, note) = capsys.readouterr().err.splitlines()
    assert note == "note: 2,000 facts wait: their ticks are not finished"


FIRST = """\
device,level,time,arrival
wt2,high,0,0
wt2,high,1,1
wt4,low,0,3
wt2,high,0,9
wt3,high,9,10
wt3,high,10,11
"""


@contextmanager
def run(*more: object) -> Iterator[Process]:
    arguments = ("p.alog", "--input", "Temp=in", "--output", "parquet:out", "--page", *more)
    with started(spark_command(*arguments), stderr=subprocess.PIPE) as process:
        yield process


def said_until(process: Process, beginning: str) -> str:
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if line.startswith(beginning):
            return said
    raise AssertionError(said)


def asked(said: str, path: str) -> Any:
    found = re.search(r"(http://127\.0\.0\.1:\d+/)\?token=(\S+)", said)
    assert found is not None, said
    request = urllib.request.Request(f"{found[1]}{path}", headers={"Authorization": f"Bearer {found[2]}"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def until_there(said: str, path: str) -> None:
    """Wait until the page, which reads the feed now and then, has answers to show."""
    until(lambda: asked(said, path)["total"])


def stopped(process: Process) -> int:
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    return process.returncode


def reported(folder: str) -> list[str]:
    records = FeedReader(FolderFeed(Path(folder))).read()
    return sorted(json.dumps(record) for record in records if "change" in record)


@pytest.mark.slow
def test_a_stream_shows_what_is_open_and_does_so_again_when_it_starts_again() -> None:
    pytest.importorskip("starlette")
    Path("in").mkdir()
    (Path("in") / "a.csv").write_text(FIRST, encoding="utf-8")
    with run("--stream", "--checkpoint", "state") as process:
        said = said_until(process, "batch 0: ")
        until_there(said, "api/now")
        assert [row["X"] for row in asked(said, "api/now")["answers"]] == ["wt3"]
        inputs = asked(said, "api/inputs")
        assert inputs["inputs"]["Temp"]["rejects"] == {"late": 2}
        assert {each["row"] for each in inputs["rejects"]} == {"Temp(wt2, high, 0)", "Temp(wt4, low, 0)"}
        assert stopped(process) == 0
    lines = try_("--input", "Temp=in/a.csv", "--until", 10).stdout.splitlines()
    assert reported("state.feed") == sorted(json.dumps(json.loads(line)) for line in lines)
    with run("--stream", "--checkpoint", "state") as process:
        said = said_until(process, "the page: ")
        assert [row["X"] for row in asked(said, "api/now")["answers"]] == ["wt3"]


@pytest.mark.long
@pytest.mark.slow
def test_what_is_read_once_stays_on_the_page_until_it_is_stopped() -> None:
    pytest.importorskip("starlette")
    Path("in").mkdir()
    (Path("in") / "a.csv").write_text(FIRST, encoding="utf-8")
    with run() as process:
        said = said_until(process, "the page stays")
        until_there(said, "api/decided")
        assert stopped(process) == 0
