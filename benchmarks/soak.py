"""`python -m benchmarks.soak`: a pipeline that is fed steadily, for as long as you like, and watched.

Every few seconds a file of readings is put into a folder, a few of them faulty. The pipeline follows the
folder and writes changes and rejects to files, as `antelog run` would. Each minute it is noted how much
memory its processes hold and how many facts are in the state; at the end all rows are counted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pyarrow.compute as pc
import pyarrow.dataset as ds

import antelog
from antelog.files.naming import Form
from antelog.run.address import Files
from antelog.spark import COUNTS, Outputs, guard, outputs
from antelog.spark.endpoints.sinks import MicroBatch, write
from antelog.spark.endpoints.sources import frame, reading_of
from antelog.spark.pipeline.configuration import settings_of
from antelog.spark.pipeline.session import session
from antelog.spark.pipeline.stream_run import Counts, Progress, StreamRun, follow
from antelog.spark.settings import STANDING
from benchmarks.faulty import HEADER, PROGRAM, Made, Readings
from benchmarks.options import RESULTS
from benchmarks.report import setting
from benchmarks.verdict import Minute, Run, as_markdown, complaints, row_of

EVERY = 5
"""A file has the readings of so many seconds."""
BUCKETS = 4
TRIGGER = 20
HEAP = "512m"
CONF = {"spark.driver.memory": HEAP, "spark.driver.extraJavaOptions": f"-Xms{HEAP}"}
"""The heap has its size from the start: one that may grow does so at leisure, with all the garbage in it."""
MB = 1_000_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="how long; 30")
    parser.add_argument("--rate", type=int, default=400, help="devices with a row a second each; 400")
    parser.add_argument("--faults", type=float, default=0.05, help="share of faulty rows; 0.05")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    if given.minutes < 3 or given.rate < 1 or not 0 <= given.faults < 1:
        parser.error("a run takes 3 minutes at least, the rate is positive, and faults are less than 1")
    run = soaked(Readings(given.rate, given.faults), given.minutes)
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "soak.md").write_text(as_markdown(run))
    for complaint in (found := complaints(run)):
        print(complaint)
    print(f"{'not flat' if found else 'flat'}; written to {given.results / 'soak.md'}")
    return 1 if found else 0


def soaked(readings: Readings, minutes: float) -> Run:
    """Feeds a pipeline for so long, and tells what was seen."""
    where = setting(1, 1)
    with tempfile.TemporaryDirectory(prefix="antelog-soak-") as name:
        folder = Path(name)
        feeder = Feeder(readings, folder / "facts", folder / "aside")
        feeder.feed()
        inputs = [Files(str(feeder.folder), Form.CSV)]
        settings = settings_of(inputs, buckets=BUCKETS, master="local[2]", conf=CONF)
        with session("soak", settings) as spark:
            program = antelog.parse(PROGRAM)
            reading = reading_of(spark, program.plan, "Temp", inputs[0], {}, stream=True)
            found = outputs(program, {"Temp": frame(spark, reading, stream=True)}, buckets=BUCKETS)
            state = str(folder / "state")
            guard(spark, state, found)
            query = follow(found, writer(folder), checkpoint=state, trigger=f"{TRIGGER} seconds")
            watch = Watch(feeder, query, max(r.bounds.window or 0 for r in program.plan.relations))
            watch.until(minutes * 60)
            changes = [str(each) for each in (folder / "changes").glob("*/*.parquet")]
            confirmed = ds.dataset(changes).to_table(["change"], pc.field("change") == "confirmed").num_rows
    return Run(
        f"{minutes:g} minutes, {readings.devices:,} devices that send a row a second or so, in a file every "
        f"{EVERY} seconds; {readings.faults:.0%} of the rows are faulty: late, early, malformed or repeated. "
        f"A batch every {TRIGGER} seconds, {BUCKETS} buckets, `local[2]`, a heap of "
        f"{HEAP}. Commit {where.commit}, {where.date}, on {where.cpu}, Python "
        f"{where.versions['Python']}.",
        tuple(watch.minutes),
        feeder.made,
        dict(watch.total),
        readings.alerts(watch.now),
        confirmed,
    )


def writer(folder: Path) -> Callable[[Outputs, MicroBatch, Counts], None]:
    def write_both(seen: Outputs, batch: MicroBatch, _: Counts) -> None:
        write(seen.changes, Files(str(folder / "changes"), Form.PARQUET), batch)
        write(seen.rejects, Files(str(folder / "rejects"), Form.JSON), batch)

    return write_both


@dataclass
class Feeder:
    """Puts files into a folder, one after the other; `aside` is where they are written before."""

    readings: Readings
    folder: Path
    aside: Path
    made: Made = field(default_factory=Made)
    files: int = 0

    def feed(self) -> None:
        """One more file."""
        first = self.files * EVERY
        self._put(*self.readings.file(first, first + EVERY - 1))

    def close(self) -> None:
        """A last reading, which says that the tick before it is over."""
        tick = self.files * EVERY
        self._put(f"{HEADER}\nd0,normal,{tick},{tick}\n", Made(unneeded=1))

    def go_on(self, enough: threading.Event) -> None:
        """A file every few seconds until it is enough, then the last one."""
        began = time.monotonic()
        while not enough.wait(max(0.0, began + self.files * EVERY - time.monotonic())):
            self.feed()
        self.close()

    def _put(self, text: str, made: Made) -> None:
        self.folder.mkdir(exist_ok=True)
        self.aside.mkdir(exist_ok=True)
        file = self.aside / f"{self.files:06}.csv"
        file.write_text(text)
        self.made += made
        self.files += 1
        file.rename(self.folder / file.name)


@dataclass
class Watch:
    """A pipeline that runs: what it counted, and what was seen of it each minute."""

    feeder: Feeder
    query: StreamRun
    window: int
    began: float = field(default_factory=time.monotonic)
    minutes: list[Minute] = field(default_factory=list)
    total: Counter[str] = field(default_factory=Counter)
    standing: dict[str, int] = field(default_factory=dict)
    batches: int = 0
    busy: float = field(default_factory=lambda: busy_seconds(psutil.Process()))

    @property
    def now(self) -> int:
        """The last finished tick."""
        return self.standing.get("now", -1)

    def until(self, seconds: float) -> None:
        """Feed the pipeline for so long; then let it read what is left, and stop it."""
        enough = threading.Event()
        feeding = threading.Thread(target=self.feeder.go_on, args=(enough,))
        feeding.start()
        try:
            for done in self.query.progress(lambda: enough.is_set() and self._is_through(feeding)):
                self._note(done)
                if time.monotonic() - self.began >= 60 * (len(self.minutes) + 1) and not enough.is_set():
                    self._look()
                if time.monotonic() - self.began >= seconds:
                    enough.set()
        finally:
            enough.set()
            feeding.join()
            self.query.stop(60)

    def _is_through(self, feeding: threading.Thread) -> bool:
        return not feeding.is_alive() and self.total["given"] >= self.feeder.made.rows

    def _note(self, done: Progress) -> None:
        self.batches += 1
        counts = {name: done.counts.get(name) or 0 for name in COUNTS}
        self.total.update({name: count for name, count in counts.items() if name not in STANDING})
        if counts["given"]:
            self.standing = {name: counts[name] for name in STANDING}

    def _look(self) -> None:
        me = psutil.Process()
        memory = memory_of(me)
        busy, before = busy_seconds(me), self.busy
        seconds = time.monotonic() - self.began
        since = seconds - (self.minutes[-1].seconds if self.minutes else 0.0)
        self.busy = busy
        window = range(self.now - self.window + 1, self.now + 1)
        self.minutes.append(
            Minute(
                seconds=seconds,
                driver=memory["driver"],
                jvm=memory["jvm"],
                workers=memory["workers"],
                kept=self.standing["kept"],
                predicted=sum(map(self.feeder.readings.needed, window)),
                state_bytes=self.standing["state_bytes"],
                batches=self.batches,
                given=self.total["given"],
                waiting=self.feeder.made.rows - self.total["given"],
                cores=(busy - before) / since,
            )
        )
        print(row_of(self.minutes[-1]), flush=True)


def memory_of(me: psutil.Process) -> dict[str, float]:
    """What this process, the JVM it started and the workers of that hold, in megabytes."""
    found = {"driver": me.memory_info().rss / MB, "jvm": 0.0, "workers": 0.0}
    for process in me.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            kind = "jvm" if process.name() == "java" else "workers"
            found[kind] += process.memory_info().rss / MB
    return found


def busy_seconds(me: psutil.Process) -> float:
    """The CPU seconds of this process and all that it started."""
    seconds = 0.0
    for process in (me, *me.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            seconds += sum(process.cpu_times()[:4])
    return seconds


if __name__ == "__main__":
    sys.exit(main())
