"""Readings of wind turbines through a stream on Spark, one tick after the other: `make demo`.

A file of readings is put into a folder, the stream reads it and prints what changes; then comes the next
one. Everything happens in a folder of its own, which is gone afterwards.
"""

import csv
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import IO

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "turbines"
RULES, READINGS = "malfunctions.alog", "Temp.csv"
SILENT = ("batch ", "done: ", "stopping ")
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


def main() -> int:
    with tempfile.TemporaryDirectory() as place:
        here = Path(place)
        shutil.copy(EXAMPLE / RULES, here)
        (here / "readings").mkdir()
        print(f"$ antelog run {RULES} {OPTIONS}\n(Spark takes a while to start)", flush=True)
        stream = None
        for tick, rows in by_arrival(EXAMPLE / READINGS):
            facts = ", ".join(f"Temp({row['device']}, {row['level']}, {row['time']})" for row in rows)
            put(rows, here / "readings", f"{tick}.csv")
            print(f"\n>>> at tick {tick} comes {facts}", end="\n" if stream else "\n\n", flush=True)
            if stream is None:
                antelog = str(Path(sys.executable).with_name("antelog"))
                command = [antelog, "run", RULES, *OPTIONS.split()]
                stream = subprocess.Popen(command, cwd=here, stderr=subprocess.PIPE, text=True)
            if stream.stderr is None or not next_batch(stream.stderr):
                return stream.wait() or 1
        if stream is None or stream.stderr is None:
            return 1
        stream.send_signal(signal.SIGINT)
        next_batch(stream.stderr)
        return stream.wait()


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except KeyboardInterrupt:  # the stream has been told as well
        raise SystemExit(130) from None
