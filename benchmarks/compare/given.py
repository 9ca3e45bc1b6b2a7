"""What engines are given, made once for each workload and scale, and kept in a folder that git does not know.

A workload and a scale go in, folders and the file of the answers come out: twenty million events take a
minute to make, and so are there before anything is measured. They are made by a process of its own, so that
whoever measures does not hold them in memory beside the engines. What was made by other code is made anew.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from benchmarks import counting, streams
from benchmarks.compare import answers, folder, phones, workloads
from benchmarks.compare.systems import CACHE
from benchmarks.report import ROOT

PLACE = CACHE / "given"
_MAKERS = (answers, counting, folder, phones, streams, workloads)


@dataclass(frozen=True)
class Kept:
    """A folder of events, one with nothing but the end of the stream, and the answers there must be."""

    path: Path

    @property
    def folder(self) -> Path:
        return self.path / "full"

    @property
    def empty(self) -> Path:
        return self.path / "empty"

    @property
    def events(self) -> int:
        return int(json.loads((self.path / "events.json").read_text(encoding="utf-8")))

    @property
    def answers(self) -> pl.DataFrame:
        return pl.read_parquet(self.path / "answers.parquet")


def kept(name: str, scale: float, place: Path = PLACE) -> Kept:
    """What was made before, or is made now."""
    known = Kept(place / f"{name}-{scale:g}-{_stamp()}")
    if not known.path.exists():
        for old in place.glob(f"{name}-{scale:g}-*"):
            shutil.rmtree(old)
        command = [sys.executable, "-m", "benchmarks.compare.given", name, repr(scale), str(known.path)]
        subprocess.run(command, cwd=ROOT, check=True)
    return known


def _stamp() -> str:
    """It changes with the code that makes events and answers."""
    sources = b"".join(Path(str(module.__file__)).read_bytes() for module in _MAKERS)
    return hashlib.sha256(sources).hexdigest()[:8]


def make(name: str, scale: float, path: Path) -> None:
    """All of it is there, or nothing: it is made beside its place, and moved at the end."""
    unfinished = path.with_name(f"unfinished-{path.name}")
    shutil.rmtree(unfinished, ignore_errors=True)
    workload = workloads.WORKLOADS[name]
    given = workload.prepare(scale)
    folder.write(unfinished / "full", workload, given)
    folder.write(unfinished / "empty", workload, given, empty=True)
    given.answers.write_parquet(unfinished / "answers.parquet")
    (unfinished / "events.json").write_text(json.dumps(given.events.height), encoding="utf-8")
    unfinished.rename(path)


if __name__ == "__main__":
    make(sys.argv[1], float(sys.argv[2]), Path(sys.argv[3]))
