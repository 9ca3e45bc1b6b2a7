"""`python -m benchmarks.compare`: run engines side by side, and write what was found.

Each round runs every engine on every workload, one after the other, so that what disturbs the machine for a
while does not fall on one of them alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.compare import phones, report
from benchmarks.compare.checking import check
from benchmarks.compare.folder import write
from benchmarks.compare.launching import ROOT, launch
from benchmarks.compare.results import START, Measurement, Results, Run, load, save
from benchmarks.compare.systems import SYSTEMS, System, versions
from benchmarks.compare.workloads import WORKLOADS, Given
from benchmarks.options import RESULTS, positive
from benchmarks.report import setting

KNOWN = ", ".join([*SYSTEMS, *WORKLOADS])
NAMES = f"engines, workloads, or pairs such as antelog:W1; all unless named: {KNOWN}"

Pair = tuple[System, str]
"""An engine, and the name of a workload it is asked."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=NAMES)
    parser.add_argument("--scale", type=positive(float), default=1.0, help="share of the devices; 1")
    parser.add_argument("--runs", type=positive(int), default=3, help="how often each is measured; 3")
    parser.add_argument(
        "--limit", type=positive(float), default=600, help="seconds after which a run is stopped; 600"
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder of compare.json")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where performance.md is written")
    parser.add_argument(
        "--add", action="store_true", help="keep what was measured before of others, or at another scale"
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
    if not given.report:
        pairs = _there(chosen(given.names))
        where = setting(given.scale, given.runs, versions())
        earlier = load(file) if given.add else Results([])
        runs: list[Run] = []
        for run in measured(pairs, given.scale, given.runs, given.limit):
            runs.append(run)
            print(run, flush=True)
            save(earlier.added(Measurement(where, runs)), file)
    results = load(file)
    report.write(results, given.docs)
    return 1 if any(run.failed for run in results.runs) else 0


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


def measured(pairs: Sequence[Pair], scale: float, runs: int, limit: float) -> Iterator[Run]:
    """The runs of each pair, in turns, and what each engine needs to start."""
    with tempfile.TemporaryDirectory(prefix="antelog-compare-") as scratch:
        place = Path(scratch)
        asked = {name: WORKLOADS[name].prepare(scale) for name in dict.fromkeys(name for _, name in pairs)}
        for name, given in asked.items():
            write(place / name, WORKLOADS[name], given)
            write(place / f"{name}-empty", WORKLOADS[name], given, empty=True)
        for number in range(runs):
            started = set()
            for system, name in pairs:
                if system.name not in started:
                    yield _started(system, name, place, number, limit)
                    started.add(system.name)
                yield _run(system, name, asked[name], place, number, limit)


def _started(system: System, workload: str, place: Path, number: int, limit: float) -> Run:
    """What the start alone costs: a stream of nothing but its end."""
    out = place / f"{system.name}-start-{number}"
    took = launch(system.launched(workload, place / f"{workload}-empty", out), place, limit)
    return Run(system.name, START, 0, took, None)


def _run(system: System, workload: str, given: Given, place: Path, number: int, limit: float) -> Run:
    out = place / f"{system.name}-{workload}-{number}"
    took = launch(system.launched(workload, place / workload, out), place, limit)
    verdict = check(out, given.answers) if out.exists() else None
    return Run(system.name, workload, given.events.height, took, verdict)


if __name__ == "__main__":
    sys.exit(main())
