"""antelog/run/workers/divided.py: `antelog watch` with workers, over kills and with other numbers of them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import psutil
import pyarrow as pa
import pytest

from antelog.run import journal
from antelog.run.workers import divided
from tests.cli.trying import antelog, command
from tests.processes import runs, started, until
from tests.run.cases import example
from tests.run.workers.test_divided import DIVIDED, cut

pytestmark = pytest.mark.usefixtures("here")

ALL = ("watch", "p.alog", "--input", "Temp=all.csv", "--once", "--workers", 2)
OUT = ("--state", "s", "--output", "out.jsonl", "--no-page")
RULES = """\
input Temp(device, level, time) delay 3.
static Known(device).
Known(wt1). Known(wt20).
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
Calm(X, T) :- Known(X), not Temp(X, high, T..T+2).
query Malf(X, T).
query Calm(X, T).
"""


def grown(rows: int, dice: random.Random) -> str:
    """Writes a program, and returns facts for it as CSV, by arrival."""
    Path("p.alog").write_text(RULES, encoding="utf-8")
    lines = [
        (i // 20 + dice.randrange(3), f"wt{dice.randrange(30)},{dice.choice(['high', 'low'])},{i // 20}")
        for i in range(rows)
    ]
    return "device,level,time,arrival\n" + "".join(f"{row},{at}\n" for at, row in sorted(lines))


def told_by_one(data: str, *flags: str) -> bytes:
    """Runs one worker over all facts; returns its lines."""
    Path("all.csv").write_text(data, encoding="utf-8")
    more = (*flags, "--once", "--state", "one", "--output", "one.jsonl", "--no-page")
    assert antelog("watch", "p.alog", "--input", "Temp=all.csv", *more).exit_code == 0
    return Path("one.jsonl").read_bytes()


@pytest.mark.parametrize(
    "name",
    [n if n in ("turbines", "heartbeats") else pytest.param(n, marks=pytest.mark.long) for n in DIVIDED],
)
def test_examples(name: str) -> None:
    """The lines and the feed, from which the page and alerts are made."""
    arguments = [each for each in example(name).arguments if each not in ("--format", "table")]
    told = []
    for workers in (1, 2, 3, 7):
        with cut(300), mock.patch.object(journal, "BETWEEN_STATES", 0.0):
            done = antelog("watch", *arguments, "--once", "--state", f"s{workers}", "--workers", workers)
        assert done.exit_code == 0, done.stderr
        told.append((done.stdout, done.stderr))
    assert told[0][0]
    assert told[1:] == told[:1] * 3


@pytest.mark.parametrize("flags", [(), ("--model", "learn")])
def test_it_goes_on_with_another_number(flags: tuple[str, ...]) -> None:
    dice = random.Random(3)
    data = grown(900, dice)
    if flags:
        Path("p.alog").write_text(RULES.replace("query Malf(X, T)", "query Malf(X, T) alert 30%"), "utf-8")
    whole = data.splitlines(keepends=True)
    for number, workers in enumerate([1, 2, 7, 1, 3, 2, 3]):
        with Path("temp.csv").open("w", encoding="utf-8") as file:
            file.writelines(whole[: 1 + 900 * (number + 1) // 7])
        arguments = ("--input", "Temp=temp.csv", "--once", *OUT, *flags, "--workers", workers)
        with cut(100):
            done = antelog("watch", "p.alog", *arguments)
        assert done.exit_code == 0, done.stderr
        assert "one worker runs all of it" not in done.stderr
    assert Path("out.jsonl").read_bytes() == told_by_one(data, *flags)


@contextmanager
def killing(at: Sequence[int]) -> Iterator[None]:
    """Kills a worker before it gets the steps of these numbers."""
    begin_step, steps = divided.DividedEngine.begin_step, list[int]()

    def begin(
        engine: divided.DividedEngine, now: int, facts: Mapping[str, pa.Table], style: None = None
    ) -> None:
        steps.append(now)
        if len(steps) in at:
            worker = engine.workers[len(steps) % len(engine.workers)]
            os.kill(worker.number, signal.SIGKILL)
            until(lambda: not runs(worker.number))
        begin_step(engine, now, facts, style)

    with cut(100, at_once=False), mock.patch.object(divided.DividedEngine, "begin_step", begin):
        yield


@pytest.mark.parametrize("flags", [(), pytest.param(("--model", "learn"), marks=pytest.mark.long)])
def test_workers_that_die_begin_anew(flags: tuple[str, ...]) -> None:
    expected = told_by_one(grown(900, random.Random(5)), *flags)
    with killing([3]):
        done = antelog(*ALL, *OUT, *flags)
    assert done.exit_code == 0
    said = "note: a worker was ended by signal 9: all workers go on from the state of the run\n"
    assert done.stderr.count(said) == 1
    assert Path("out.jsonl").read_bytes() == expected


@pytest.mark.long
def test_a_run_ends_with_a_worker_without_a_state_or_if_it_dies_again() -> None:
    told_by_one(grown(900, random.Random(5)))
    for dies, state in (([3], []), ([3, 4], ["--state", "s"])):  # to begin a step anew is a step, too
        with killing(dies):
            done = antelog(*ALL, "--no-page", *state)
        assert done.exit_code == 1
        assert done.stderr.endswith(
            "a worker was ended by signal 9, and the run with it. Is memory short? Fewer workers take less\n"
        )


@pytest.mark.parametrize("times", [2, pytest.param(20, marks=pytest.mark.long)])
def test_what_is_killed_time_and_again_tells_everything_once(times: int) -> None:
    dice = random.Random(11)
    data = grown(2_000 * times, dice)
    path, out, done = Path("temp.csv"), Path("out.jsonl"), 0
    path.write_text("", encoding="utf-8")
    out.touch()
    for number in range(times):
        workers, told = dice.choice([2, 2, 3, 7][: times // 2 + 1]), out.stat().st_size
        called = command("watch", "p.alog", "--input", f"Temp={path}", *OUT, "--workers", workers)
        with started(called, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            end = time.monotonic() + dice.uniform(0.5, 3)
            while time.monotonic() < end or (number % 2 and out.stat().st_size <= told):
                assert process.poll() is None
                more = done + dice.randrange(1, 200)
                with path.open("a", encoding="utf-8") as file:
                    file.write(data[done:more])
                done = more
                time.sleep(0.03)  # noqa: TID251 - the kills come at any moment, and nothing is waited for
            if number % 2:  # a worker first, and then all
                dice.choice(psutil.Process(process.pid).children()).kill()
                time.sleep(dice.choice([0, 0.5, 3]))  # noqa: TID251 - as above
                assert process.poll() is None
            ended = psutil.Process(process.pid).children()
            process.kill()
            until(lambda: not any(runs(each.pid) for each in ended))  # noqa: B023 - at once
    with path.open("a", encoding="utf-8") as file:
        file.write(data[done:])
    last = antelog("watch", "p.alog", "--input", f"Temp={path}", "--once", *OUT)
    assert last.exit_code == 0, last.stderr
    assert out.read_bytes() == told_by_one(data)


def test_a_limit_needs_one_worker() -> None:
    done = antelog(
        "watch", "p.alog", "--input", "Temp=temp.csv", "--once", *OUT, "--limit", 5, "--workers", 2
    )
    assert done.exit_code == 1
    assert "a limit of facts needs all of them in one place: leave out `limit`, or `workers`" in done.stderr
