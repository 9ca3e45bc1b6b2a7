"""`python -m benchmarks.compare`: run engines side by side, and write what was found.

Each round runs every engine on every workload, one after the other, so that what disturbs the machine for a while
does not fall on one of them alone.
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
from benchmarks.compare.results import Results, Run, load, save
from benchmarks.compare.systems import SYSTEMS, System, versions
from benchmarks.compare.workloads import WORKLOADS, Given
from benchmarks.report import setting

RESULTS = ROOT / "benchmarks" / "results"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="engines and workloads, all unless named: "
                        f"{', '.join([*SYSTEMS, *WORKLOADS])}")  # fmt: skip
    parser.add_argument("--scale", type=float, default=1.0, help="share of the devices; 1")
    parser.add_argument("--runs", type=int, default=3, help="how often each is measured; 3")
    parser.add_argument("--limit", type=float, default=600, help="seconds after which a run is stopped; 600")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder of compare.json")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="where performance.md is written")
    parser.add_argument("--report", action="store_true", help="only write the page of an earlier measurement anew")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in SYSTEMS and name not in WORKLOADS]
    if unknown:
        parser.error(f"there is no engine or workload {unknown[0]}")
    if given.scale <= 0 or given.runs < 1:
        parser.error("scale and runs must be positive")
    file = given.results / "compare.json"
    if not given.report:
        where = setting(given.scale, given.runs, versions())
        runs = []
        for run in measured(_chosen(given.names, SYSTEMS), _chosen(given.names, WORKLOADS), given.scale, given.runs, given.limit):
            runs.append(run)
            print(run, flush=True)
            save(Results(where, runs), file)
    results = load(file)
    report.write(results, given.docs)
    return 1 if any(run.failed for run in results.runs) else 0


def _chosen(names: Sequence[str], known: Sequence[str] | dict[str, object]) -> list[str]:
    return [name for name in names if name in known] or list(known)


def measured(
    systems: Sequence[str], workloads: Sequence[str], scale: float, runs: int, limit: float
) -> Iterator[Run]:
    """The runs of each engine that is there, in turns."""
    usable = [SYSTEMS[name] for name in systems]
    for system in usable:
        if system.missing:
            print(f"{system.name} is left out: {system.missing}", file=sys.stderr)
    usable = [system for system in usable if not system.missing]
    if "W6" in workloads and not phones.there():
        print(f"W6 is left out: {phones.FOLDER} has no recordings (variable OOO_DATASET)", file=sys.stderr)
        workloads = [name for name in workloads if name != "W6"]
    with tempfile.TemporaryDirectory(prefix="antelog-compare-") as scratch:
        place = Path(scratch)
        asked = {name: WORKLOADS[name].prepare(scale) for name in workloads}
        for name, given in asked.items():
            write(place / name, WORKLOADS[name], given)
            write(place / f"{name}-empty", WORKLOADS[name], given, empty=True)
        for number in range(runs):
            for system in usable:
                done = [name for name in workloads if name in system.workloads]
                if done:
                    yield _started(system, done[0], place, number, limit)
            for name, given in asked.items():
                for system in usable:
                    if name in system.workloads:
                        yield _run(system, name, given, place, number, limit)


def _started(system: System, workload: str, place: Path, number: int, limit: float) -> Run:
    """What the start alone costs: a stream of nothing but its end."""
    out = place / f"{system.name}-start-{number}"
    took = launch(system.launched(workload, place / f"{workload}-empty", out), place, limit)
    return Run(system.name, "start", 0, took, None)


def _run(system: System, workload: str, given: Given, place: Path, number: int, limit: float) -> Run:
    out = place / f"{system.name}-{workload}-{number}"
    took = launch(system.launched(workload, place / workload, out), place, limit)
    verdict = check(out, given.answers) if out.exists() else None
    return Run(system.name, workload, given.events.height, took, verdict)


if __name__ == "__main__":
    sys.exit(main())
