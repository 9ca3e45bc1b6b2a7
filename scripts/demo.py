"""Readings of wind turbines through a stream on Spark, then on a page that shows what is open: `make demo`.

First a file of readings is put into a folder, the stream reads it and prints what changes; then comes the
next one. After that forty turbines report each second, as of now, and `antelog watch` shows them on a page
until Ctrl-C; where nobody watches the terminal, for some seconds. The address of the page is repeated, since
what is printed moves it out of sight. Everything happens in a folder of its own, which is gone afterwards.
"""

import csv
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, groupby, islice
from pathlib import Path
from random import Random
from threading import Thread
from typing import IO

ANTELOG = str(Path(sys.executable).with_name("antelog"))
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "turbines"
RULES, READINGS = "malfunctions.alog", "Temp.csv"
SILENT = ("batch ", "done: ", "stopping ")
TURBINES, TICK, SHOWN = 40, timedelta(seconds=1), 12
"""The turbines on the page, how long their ticks are, and for how many it is shown if nobody watches."""
PAGE, AGAIN = "the page: ", 10
"""How the line with the page's address begins, and after how many ticks it is repeated."""
ODDS = "chance Temp(_, high, _) = 2%, again 80%.\n"
WATCH = "--input Temp=readings.csv --format table --only likely,confirmed --explanations 1"
OPTIONS = "--input Temp=readings --stream --checkpoint state --output console --lag 0 --buckets 1"


def by_arrival(readings: Path) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """The readings of each tick of arrival."""
    with readings.open(encoding="utf-8", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: int(row["arrival"]))
    for tick, group in groupby(rows, key=lambda row: row["arrival"]):
        yield tick, list(group)


def put(rows: list[dict[str, str]], folder: Path, name: str) -> None:
    """A file is moved into the folder when it is complete, since the stream reads each file once."""
    unfinished = folder.parent / name
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    unfinished.rename(folder / name)


def next_batch(errors: IO[str]) -> bool:
    """Wait until a batch is done; what else is said is passed on. False if the stream has ended."""
    for line in errors:
        if line.startswith("batch "):
            return True
        if not line.startswith(SILENT):
            print(line, end="", file=sys.stderr, flush=True)
    return False


def through_spark(here: Path) -> int:
    """The readings of the example, tick by tick."""
    shutil.copy(EXAMPLE / RULES, here)
    (here / "readings").mkdir()
    print(f"$ antelog run {RULES} {OPTIONS}\n(Spark takes a while to start)", flush=True)
    stream = None
    for tick, rows in by_arrival(EXAMPLE / READINGS):
        facts = ", ".join(f"Temp({row['device']}, {row['level']}, {row['time']})" for row in rows)
        put(rows, here / "readings", f"{tick}.csv")
        print(f"\n>>> at tick {tick} comes {facts}", end="\n" if stream else "\n\n", flush=True)
        if stream is None:
            command = [ANTELOG, "run", RULES, *OPTIONS.split()]
            stream = subprocess.Popen(command, cwd=here, stderr=subprocess.PIPE, text=True)
        if stream.stderr is None or not next_batch(stream.stderr):
            return stream.wait() or 1
    if stream is None or stream.stderr is None:
        return 1
    stream.send_signal(signal.SIGINT)
    next_batch(stream.stderr)
    return stream.wait()


def reports() -> Iterator[list[str]]:
    """The reports of forty turbines, tick by tick: a hot one stays hot for a while, some reports are late."""
    random, hot, late = Random(7), set[int](), list[str]()
    begun = datetime.now(UTC).replace(microsecond=0)
    for number in count():
        now, late = late, []
        at = begun + number * TICK
        for turbine in range(1, TURBINES + 1):
            is_hot = random.random() < (0.8 if turbine in hot else 0.02)
            (hot.add if is_hot else hot.discard)(turbine)
            report = f"wt{turbine},{'high' if is_hot else 'low'},{at.isoformat()}\n"
            (late if random.random() < 0.2 else now).append(report)
        time.sleep(max(0.0, (at - datetime.now(UTC)).total_seconds()))
        yield now


def passed_on(errors: IO[str], addresses: list[str]) -> None:
    """Prints what the watcher says, and keeps the lines with the page's address."""
    for line in errors:
        print(line, end="", file=sys.stderr, flush=True)
        if line.startswith(PAGE):
            addresses.append(line)


def on_a_page(here: Path) -> int:
    """Readings as they come, on a page."""
    rules = (EXAMPLE / RULES).read_text(encoding="utf-8").replace("tick 10 minutes.", "tick 1 second.")
    asked = rules.replace("query Malf(X, T) critical", f"{ODDS}query Malf(X, T) critical alert 75%")
    (here / "watched.alog").write_text(asked, encoding="utf-8")
    print(f"\n$ antelog watch watched.alog {WATCH}", flush=True)
    readings = here / "readings.csv"
    readings.write_text("device,level,time\n", encoding="utf-8")
    command = [ANTELOG, "watch", "watched.alog", *WATCH.split()]
    addresses = list[str]()
    with subprocess.Popen(command, cwd=here, stderr=subprocess.PIPE, text=True) as watch:
        assert watch.stderr is not None
        said = Thread(target=passed_on, args=(watch.stderr, addresses))
        said.start()
        try:
            for number, rows in enumerate(islice(reports(), None if sys.stdout.isatty() else SHOWN), 1):
                if watch.poll() is not None:
                    break
                with readings.open("a", encoding="utf-8") as file:
                    file.writelines(rows)
                if number % AGAIN == 0:
                    print(
                        f"\n{''.join(addresses[-1:]).rstrip()}   (Ctrl-C ends it)",
                        file=sys.stderr,
                        flush=True,
                    )
            else:
                watch.send_signal(signal.SIGINT)
        except KeyboardInterrupt:
            pass  # whoever follows the readings has been told as well
        said.join()
        return watch.wait()


def main() -> int:
    with tempfile.TemporaryDirectory() as place:
        return through_spark(Path(place)) or on_a_page(Path(place))


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except KeyboardInterrupt:  # the stream has been told as well
        raise SystemExit(130) from None
