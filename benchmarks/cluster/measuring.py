"""Runs a case on a cluster of its own, as a user would, and measures all processes of it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean

import psutil
import pyarrow.dataset as ds

from benchmarks.cluster.cases import PROGRAM, Case, Given
from benchmarks.cluster.machines import HOST, Machines, cluster


@dataclass(frozen=True)
class Ran:
    """The cost of a run: CPU seconds of all processes, their most memory, and the bytes of its state on disk.

    `longest` is the time of the longest task that computes, as a multiple of the mean of its stage.
    `wrong` is empty if the confirmed answers are as many as they have to be.
    """

    name: str
    facts: int
    cpu: float
    executors: int
    workers: int
    state: int
    longest: float
    wrong: str


@dataclass
class Watched:
    """The processes under this one: their CPU seconds, and the most memory they had together."""

    cpu: dict[int, float] = field(default_factory=dict)
    executors: int = 0
    workers: int = 0

    def look(self) -> None:
        executors = workers = 0
        for each in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                times, command = each.cpu_times(), " ".join(each.cmdline())
                self.cpu[each.pid] = times.user + times.system
                if "CoarseGrainedExecutorBackend" in command:
                    executors += each.memory_info().rss
                elif "pyspark" in command and "daemon" in command:
                    workers += each.memory_info().rss
        self.executors, self.workers = max(self.executors, executors), max(self.workers, workers)


def run(case: Case, given: Given, folder: Path) -> Ran:
    with _machines(case, folder) as machines, watched() as seen:
        before = sum(seen.cpu.values())
        stream(case, given, folder, machines)
        seen.look()
        seconds = sum(seen.cpu.values()) - before
    state = sum(each.stat().st_size for each in (folder / "state").rglob("*") if each.is_file())
    longest, wrong = _longest(folder / "events"), _wrong(given, folder / "out")
    return Ran(case.name, given.facts, seconds, seen.executors, seen.workers, state, longest, wrong)


def _machines(case: Case, folder: Path) -> AbstractContextManager[Machines]:
    if not case.workers:
        return nullcontext(Machines("local[2]", ()))
    return cluster(case.workers, folder / "cluster", memory=case.memory)


def stream(case: Case, given: Given, folder: Path, machines: Machines) -> None:
    """Runs the pipeline to its end; a case that loses a worker loses it after the second micro-batch."""
    program, events = folder / "silent.alog", folder / "events"
    program.write_text(PROGRAM)
    events.mkdir()
    conf = {
        "spark.driver.host": HOST,
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events.as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.executor.memory": case.memory,
    }
    command = [
        sys.executable,
        "-m",
        "antelog",
        "run",
        str(program),
        "--stream",
        "--trigger",
        "available-now",
        "--chunk",
        "1",
    ]
    command += ["--input", f"Beat=parquet:{given.beats}", "--input", f"Off=parquet:{given.off}"]
    command += [
        "--only",
        "confirmed",
        "--output",
        f"parquet:{folder / 'out'}",
        "--checkpoint",
        str(folder / "state"),
    ]
    command += ["--master", machines.master, "--buckets", str(case.buckets)]
    command += [word for name, value in conf.items() for word in ("--conf", f"{name}={value}")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if case.loses and line.startswith("batch 1:"):
                machines.workers[0].kill()
    if process.returncode:
        raise RuntimeError(f"{case.name} failed:\n{''.join(said)}")


@contextmanager
def watched() -> Iterator[Watched]:
    """Looks at all processes under this one each half second."""
    found, ended = Watched(), threading.Event()
    found.look()

    def look() -> None:
        while not ended.wait(0.5):
            found.look()

    looks = threading.Thread(target=look, daemon=True)
    looks.start()
    try:
        yield found
    finally:
        ended.set()
        looks.join()


def _longest(events: Path) -> float:
    """The longest task divided by the mean of its stage, averaged over the five largest stages."""
    times: dict[int, list[int]] = {}
    for log in events.iterdir():
        for line in log.read_text().splitlines():
            event = json.loads(line)
            if event["Event"] == "SparkListenerTaskEnd" and "Task Metrics" in event:
                times.setdefault(event["Stage ID"], []).append(event["Task Metrics"]["Executor Run Time"])
    several = {stage: each for stage, each in times.items() if len(each) > 1}
    most = sorted(several.values(), key=sum)[-5:]
    return mean(max(each) / max(mean(each), 1) for each in most) if most else 1.0


def _wrong(given: Given, out: Path) -> str:
    found = ds.dataset(out, format="parquet").count_rows()
    return "" if found == given.confirmed else f"{given.confirmed} answers are right, written were {found}"
