"""`python -m benchmarks.compare`: run engines side by side, and write what was found.

Each round runs every engine on every workload, one after the other, so that what disturbs the machine for a
while does not fall on one of them alone.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.compare import phones, report
from benchmarks.compare.checking import check
from benchmarks.compare.given import Kept, kept
from benchmarks.compare.launching import ROOT, launch
from benchmarks.compare.results import START, Measurement, Results, Run, load, save
from benchmarks.compare.systems import SYSTEMS, System, versions
from benchmarks.compare.workloads import WORKLOADS
from benchmarks.options import RESULTS, positive
from benchmarks.report import setting

KNOWN = ", ".join([*SYSTEMS, *WORKLOADS])
NAMES = f"engines, workloads, or pairs such as antelog:W1; all unless named: {KNOWN}"

Pair = tuple[System, str]
"""An engine, and the name of a workload it is asked."""


@dataclass(frozen=True)
class Asked:
    """How much is measured, and how often; seconds for a run, and minutes after which none is begun."""

    scale: float = 1.0
    runs: int = 3
    limit: float = 600.0
    minutes: float = math.inf


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=NAMES)
    parser.add_argument("--scale", type=positive(float), default=1.0, help="share of the devices; 1")
    parser.add_argument("--runs", type=positive(int), default=3, help="how often each is measured; 3")
    parser.add_argument(
        "--limit", type=positive(float), default=600, help="seconds after which a run is stopped; 600"
    )
    parser.add_argument(
        "--minutes", type=positive(float), default=math.inf, help="after so many, no run is begun; no limit"
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder of compare.json")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where performance.md is written")
    parser.add_argument(
        "--add", action="store_true", help="keep what was measured before of others, or at another scale"
    )
    parser.add_argument(
        "--resume", action="store_true", help="as --add, and go on with what was begun at this commit"
    )
    parser.add_argument(
        "--report", action="store_true", help="only write the page of an earlier measurement anew"
    )
    given = parser.parse_args()
    for name in given.names:
        for part in name.split(":"):
            if part not in SYSTEMS and part not in WORKLOADS:
                parser.error(f"there is no engine or workload {part}; there are {KNOWN}")
    file = given.results / "compare.json"
    runs: list[Run] = []
    if not given.report:
        pairs = _there(chosen(given.names))
        where = setting(given.scale, given.runs, versions())
        earlier = load(file) if (given.add or given.resume) and file.exists() else Results([])
        asked = Asked(given.scale, given.runs, given.limit, given.minutes)
        if given.resume and (begun := earlier.begun(where)) is not None:
            where, runs = replace(begun.where, runs=given.runs), [*begun.runs]
            earlier = Results([each for each in earlier.measurements if each is not begun])
        for run in measured(pairs, asked, tuple(runs)):
            runs.append(run)
            print(run, flush=True)
            save(earlier.added(Measurement(where, runs)), file)
    results = load(file)
    report.write(results, given.docs)
    return 1 if any(run.failed and not run.took.out_of_time for run in runs) else 0


def chosen(names: Sequence[str]) -> list[Pair]:
    """Engines with workloads: those named as pairs, and of the others each with each."""
    systems = [name for name in names if name in SYSTEMS]
    workloads = [name for name in names if name in WORKLOADS]
    pairs = {tuple(name.split(":")) for name in names if ":" in name}
    if systems or workloads or not pairs:
        pairs |= {(system, workload) for system in systems or SYSTEMS for workload in workloads or WORKLOADS}
    return [
        (system, name)
        for name in WORKLOADS
        for system in SYSTEMS.values()
        if (system.name, name) in pairs and name in system.workloads
    ]


def _there(pairs: Sequence[Pair]) -> list[Pair]:
    """Those that can be run here; what is missing is said."""
    lacking = {system.name: system.missing for system, _ in pairs if system.missing}
    for name, missing in lacking.items():
        print(f"{name} is left out: {missing}", file=sys.stderr)
    recorded = phones.there()
    if not recorded and any(name == "W6" for _, name in pairs):
        print(f"W6 is left out: {phones.FOLDER} has no recordings (variable OOO_DATASET)", file=sys.stderr)
    return [
        (system, name) for system, name in pairs if system.name not in lacking and (recorded or name != "W6")
    ]


def measured(pairs: Sequence[Pair], asked: Asked, done: Sequence[Run] = ()) -> Iterator[Run]:
    """The runs of each pair, in turns, and what each engine needs to start; what took too long is left.

    Those that are done already are not run again.
    """
    given: dict[str, Kept] = {}
    late = {(run.system, run.workload) for run in done if run.took.out_of_time}
    times = Counter((run.system, run.workload) for run in done)
    ends = time.monotonic() + 60 * asked.minutes
    for turn in range(asked.runs):
        started = {name for (name, workload), count in times.items() if workload == START and count > turn}
        for system, name in pairs:
            if (system.name, name) in late or times[system.name, name] > turn or time.monotonic() > ends:
                continue
            given[name] = given.get(name) or kept(name, asked.scale)
            if system.name not in started:
                yield _run(system, name, given[name], asked.limit, empty=True)
                started.add(system.name)
            run = _run(system, name, given[name], asked.limit)
            if run.took.out_of_time:
                late.add((system.name, name))
            yield run


def _run(system: System, workload: str, given: Kept, limit: float, *, empty: bool = False) -> Run:
    """On a stream of nothing but its end, too: that is what the start alone costs."""
    with tempfile.TemporaryDirectory(prefix="antelog-compare-") as scratch:
        out = Path(scratch) / "answers"
        folder = given.empty if empty else given.folder
        took = launch(system.launched(workload, folder, out), Path(scratch), limit)
        if empty:
            return Run(system.name, START, 0, took, None)
        done = out.exists() and not took.out_of_time
        return Run(system.name, workload, given.events, took, check(out, given.answers) if done else None)


if __name__ == "__main__":
    sys.exit(main())
