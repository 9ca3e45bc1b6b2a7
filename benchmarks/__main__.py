"""`python -m benchmarks`: measure, and write what was found to `benchmarks/results`."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from pathlib import Path

from benchmarks.measuring import Measured, measure
from benchmarks.report import as_json, as_markdown, setting
from benchmarks.workloads import WORKLOADS

RESULTS = Path(__file__).parent / "results"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=f"of {', '.join(WORKLOADS)}; all")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the devices or facts; 1")
    parser.add_argument("--runs", type=int, default=3, help="how often each is measured; 3")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    unknown = [name for name in given.workloads if name not in WORKLOADS]
    if unknown:
        parser.error(f"there is no workload {unknown[0]}; there are {', '.join(WORKLOADS)}")
    if given.scale <= 0 or given.runs < 1:
        parser.error("scale and runs must be positive")
    where = setting(given.scale, given.runs)
    results = measured(given.workloads or list(WORKLOADS), given.scale, given.runs)
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "kernel.json").write_text(as_json(where, results))
    (given.results / "kernel.md").write_text(as_markdown(where, results))
    print(f"\nwritten to {given.results}")
    return 1 if any(run.wrong for runs in results for run in runs) else 0


def measured(names: list[str], scale: float, runs: int) -> list[list[Measured]]:
    """The runs of each workload, taken in turns, each in a process of its own."""
    results: list[list[Measured]] = [[] for _ in names]
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for _ in range(runs):
            for name, found in zip(names, results, strict=True):
                run = pool.apply(measure, (name, scale))
                found.append(run)
                late = "" if run.late is None else f", late batches {run.late:.2f} times early ones"
                print(f"{name:20} {run.rate:12,.0f} facts a second{late} {run.wrong}".rstrip(), flush=True)
    return results


if __name__ == "__main__":
    sys.exit(main())
