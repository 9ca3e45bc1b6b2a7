"""`python -m benchmarks.spark`: measure pipelines, and write what was found to `benchmarks/results`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from antelog.spark import BUCKETS, LOCAL_CHECKPOINT
from antelog.spark.pipeline.configuration import settings_of
from antelog.spark.pipeline.session import session
from benchmarks.options import parser_for
from benchmarks.report import setting
from benchmarks.spark.measuring import Run, measure
from benchmarks.spark.queries import IDLING, QUERIES
from benchmarks.spark.readings import DEVICES, TICKS
from benchmarks.spark.report import as_json, as_markdown, versions
from benchmarks.workloads import size


def main() -> int:
    known = [*QUERIES, *IDLING]
    parser = parser_for("benchmarks.spark", __doc__, known, "the devices")
    parser.add_argument("--warm", type=int, default=3, help="how often each is run before, with fewer; 3")
    parser.add_argument("--conf", action="append", default=[], metavar="K=V", help="settings of Spark's own")
    given = parser.parse_args()
    if given.warm < 0:
        parser.error("warm must not be negative")
    conf = {**LOCAL_CHECKPOINT, **dict(each.split("=", 1) for each in given.conf)}
    found: dict[str, list[Run]] = {}
    with (
        tempfile.TemporaryDirectory(prefix="antelog-", ignore_cleanup_errors=True) as folder,
        session("antelog's benchmark", settings_of([], buckets=BUCKETS, conf=conf)) as spark,
    ):
        assert spark.sparkContext._jvm is not None
        java = str(spark.sparkContext._jvm.System.getProperty("java.version"))
        names = given.names or known
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
