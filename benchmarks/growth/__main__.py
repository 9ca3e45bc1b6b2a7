"""`python -m benchmarks.growth`: measure how cost grows, and make `docs/growth.md` of it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from benchmarks.growth import latency, page, results
from benchmarks.growth.curves import CURVES
from benchmarks.growth.latency import Latency
from benchmarks.growth.measuring import measure
from benchmarks.growth.results import Found, Point
from benchmarks.options import RESULTS, parser_for

LATENCIES = {"latency": "process", "latency-spark": "spark"}
"""What is measured besides curves, and what it goes by in the results."""


def main() -> int:
    known = [*CURVES, *LATENCIES]
    parser = parser_for("benchmarks.growth", __doc__, known, "facts, largest size, and seconds")
    parser.add_argument("--page", action="store_true", help="make the page of what was measured before")
    given = parser.parse_args()
    right = True
    for name in () if given.page else given.names or known:
        kind, key = ("latency", LATENCIES[name]) if name in LATENCIES else ("curves", name)
        for measured in _measured(name, given.scale, given.runs):
            # What other runs have written meanwhile stays.
            found = results.read(given.results)
            found[kind][key] = measured
            results.write(given.results, found)
            right &= not results.wrong(measured)
    # A trial with results elsewhere has no business with the documentation.
    docs = page.DOCS if given.results == RESULTS else given.results
    page.write(results.read(given.results), docs)
    print(f"\nwritten to {given.results} and {docs}")
    return 0 if right else 1


def _measured(name: str, scale: float, runs: int) -> Iterator[Found]:
    """What is known of a curve or a latency, after each point."""
    if name in LATENCIES:
        for at, found in _in_process(scale) if name == "latency" else _on_spark(scale):
            _show(name, found[-1])
            yield {"setting": at, "rates": [asdict(each) for each in found]}
        return
    at, points = results.where(scale, runs), []
    for size in CURVES[name].within(scale):
        points.append(Point(size, tuple(measure(name, size, scale, runs))))
        _show_point(name, points[-1])
        yield results.as_found(points, at)


def _show_point(name: str, point: Point) -> None:
    print(
        f"{name:18} {point.size:12,} {point.middle(lambda run: run.compile):8.3f} s to compile "
        f"{point.middle(lambda run: run.seconds):9.3f} s to run {point.memory / 1e6:8.1f} MB "
        f"{' '.join(run.wrong for run in point.runs)}".rstrip(),
        flush=True,
    )


def _in_process(scale: float) -> Iterator[tuple[Found, list[Latency]]]:
    at, found = results.where(scale, 1), []
    for rate in latency.RATES:
        found.append(latency.in_process(rate, scale * latency.SECONDS))
        yield at, found


def _on_spark(scale: float) -> Iterator[tuple[Found, list[Latency]]]:
    # Whoever measures curves alone need not have Spark.
    from antelog.spark import BUCKETS, LOCAL_CHECKPOINT  # noqa: PLC0415
    from antelog.spark.pipeline.configuration import settings_of  # noqa: PLC0415
    from antelog.spark.pipeline.session import session  # noqa: PLC0415
    from benchmarks.growth import spark_latency  # noqa: PLC0415
    from benchmarks.spark.report import versions  # noqa: PLC0415

    seconds = spark_latency.WARM + scale * spark_latency.SECONDS
    settings = settings_of([], buckets=BUCKETS, master="local[2]", conf=LOCAL_CHECKPOINT)
    with (
        tempfile.TemporaryDirectory(prefix="antelog-", ignore_cleanup_errors=True) as folder,
        session("latency", settings) as spark,
    ):
        assert spark.sparkContext._jvm is not None
        at = results.where(
            scale, 1, versions(str(spark.sparkContext._jvm.System.getProperty("java.version")))
        )
        found = []
        for rate, lag in spark_latency.RATES:
            found.append(spark_latency.on_spark(spark, rate, Path(folder) / f"{rate}-{lag}", seconds, lag))
            yield at, found


def _show(name: str, each: Latency) -> None:
    print(
        f"{name:18} {each.rate:12,} a second: {1000 * each.waited.median:,.0f} ms, "
        f"99 % {1000 * each.waited.p99:,.0f} ms, {each.busy:.2f} cores busy, "
        f"{'keeps up' if each.keeps_up else 'does not keep up'} {each.wrong}".rstrip(),
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
