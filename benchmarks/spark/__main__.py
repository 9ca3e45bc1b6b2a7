"""`python -m benchmarks.spark`: measure pipelines, and write what was found to `benchmarks/results`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from antelog.spark import BUCKETS, LOCAL_CHECKPOINT
from antelog.spark.session import session
from benchmarks.report import setting
from benchmarks.spark.measuring import Run, measure
from benchmarks.spark.queries import IDLING, QUERIES
from benchmarks.spark.readings import DEVICES, TICKS
from benchmarks.spark.report import as_json, as_markdown, versions
from benchmarks.workloads import size

RESULTS = Path(__file__).parent.parent / "results"


def main() -> int:
    known = [*QUERIES, *IDLING]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__)
    parser.add_argument("queries", nargs="*", metavar="QUERY", help=f"of {', '.join(known)}; all")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the devices; 1")
    parser.add_argument("--runs", type=int, default=3, help="how often each is measured; 3")
    parser.add_argument("--warm", type=int, default=3, help="how often each is run before, with fewer; 3")
    parser.add_argument("--conf", action="append", default=[], metavar="K=V", help="settings of Spark's own")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    unknown = [name for name in given.queries if name not in known]
    if unknown:
        parser.error(f"there is no query {unknown[0]}; there are {', '.join(known)}")
    if given.scale <= 0 or given.runs < 1 or given.warm < 0:
        parser.error("scale and runs must be positive, and warm not negative")
    conf = {**LOCAL_CHECKPOINT, **dict(each.split("=", 1) for each in given.conf)}
    found: dict[str, list[Run]] = {}
    with (
        tempfile.TemporaryDirectory(prefix="antelog-", ignore_cleanup_errors=True) as folder,
        session("antelog's benchmark", [], buckets=BUCKETS, conf=conf) as spark,
    ):
        assert spark.sparkContext._jvm is not None
        java = str(spark.sparkContext._jvm.System.getProperty("java.version"))
        names = given.queries or known
        for run in measure(spark, names, Path(folder), given.scale, given.runs, given.warm):
            if run.counts:
                found.setdefault(run.name, []).append(run)
            what = "CPU seconds" if run.counts else "CPU seconds to warm up"
            print(f"{run.name:20} {run.seconds:8.3f} {what} {run.wrong}".rstrip(), flush=True)
    facts = size(given.scale, DEVICES) * TICKS
    where = setting(given.scale, given.runs, versions(java))
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "spark.json").write_text(as_json(where, facts, found))
    (given.results / "spark.md").write_text(as_markdown(where, facts, found))
    print(f"\nwritten to {given.results}")
    return 1 if any(run.wrong for runs in found.values() for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
