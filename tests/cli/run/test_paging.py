"""antelog/cli/run/pipeline.py: what a pipeline tells is in a feed, and a process of its own shows it."""

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

from antelog.run.store.feed import FeedReader, FolderFeed
from tests.cli.trying import spark_command, try_
from tests.processes import Process, started, until

pytest.importorskip("starlette")
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]

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


def test_a_stream_shows_what_is_open_and_does_so_again_when_it_starts_again() -> None:
    Path("in").mkdir()
    (Path("in") / "a.csv").write_text(FIRST, encoding="utf-8")
    with run("--stream", "--checkpoint", "state") as process:
        said = said_until(process, "batch 0: ")
        until_there(said, "api/now")
        assert [row["answer"]["X"] for row in asked(said, "api/now")["answers"]] == ["wt3"]
        inputs = asked(said, "api/inputs")
        assert inputs["inputs"]["Temp"]["rejects"] == {"late": 2}
        assert {each["row"] for each in inputs["rejects"]} == {"Temp(wt2, high, 0)", "Temp(wt4, low, 0)"}
        assert stopped(process) == 0
    lines = try_("--input", "Temp=in/a.csv", "--until", 10).stdout.splitlines()
    assert reported("state.feed") == sorted(json.dumps(json.loads(line)) for line in lines)
    with run("--stream", "--checkpoint", "state") as process:
        said = said_until(process, "the page: ")
        assert [row["answer"]["X"] for row in asked(said, "api/now")["answers"]] == ["wt3"]


@pytest.mark.long
def test_what_is_read_once_stays_on_the_page_until_it_is_stopped() -> None:
    Path("in").mkdir()
    (Path("in") / "a.csv").write_text(FIRST, encoding="utf-8")
    with run() as process:
        said = said_until(process, "the page stays")
        until_there(said, "api/decided")
        assert stopped(process) == 0
