"""`python -m benchmarks`: measure, and write what was found to `benchmarks/results`."""

from __future__ import annotations

import multiprocessing
import sys

from benchmarks.measuring import Measured, measure
from benchmarks.options import parser_for
from benchmarks.report import as_json, as_markdown, setting
from benchmarks.workloads import WORKLOADS


def main() -> int:
    given = parser_for("benchmarks", __doc__, WORKLOADS, "the devices or facts").parse_args()
    where = setting(given.scale, given.runs)
    results = measured(given.names or list(WORKLOADS), given.scale, given.runs)
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
