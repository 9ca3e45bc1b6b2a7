"""The comparison of engines for clusters: who is ahead is said first, and pieces are joined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("psutil")

from benchmarks.compare import __main__ as command
from benchmarks.compare import clusters
from benchmarks.compare.__main__ import Asked, measured
from benchmarks.compare.checking import Verdict
from benchmarks.compare.given import Kept
from benchmarks.compare.launching import LATE, Took
from benchmarks.compare.report import details, page
from benchmarks.compare.results import START, Measurement, Results, Run
from benchmarks.compare.systems import SYSTEMS, System
from benchmarks.report import Setting, setting

TOOK = Took(wall=3.0, cpu=5.0, peak=123_000_000, others=0.0, failed="")
RIGHT = Verdict(100, 0, 0, 0)


def _run(system: str, workload: str, cpu: float, events: int = 2_000_000) -> Run:
    start = workload == START
    return Run(system, workload, 0 if start else events, replace(TOOK, cpu=cpu), None if start else RIGHT)


def _where(scale: float, date: str = "2026-01-01", runs: int = 1) -> Setting:
    return replace(setting(scale, runs, {"Java": "17"}), date=date, commit="abc")


def _measured(scale: float, *runs: tuple[str, str, float]) -> Measurement:
    events = int(2_000_000 * scale)
    return Measurement(_where(scale), [_run(system, name, cpu, events) for system, name, cpu in runs])


OWN = (("antelog-spark-stream", START, 20.0), ("antelog-spark-stream", "W1", 60.0))
CEP = (("flink-cep", START, 6.0), ("flink-cep", "W1", 24.0))
JOINS = (("spark-joins", START, 20.0), ("spark-joins", "W1", 100.0))
CEP_AT_TEN = (("flink-cep", START, 6.0), ("flink-cep", "W1", 150.0))
OWN_AT_TEN = (("antelog-spark-stream", START, 20.0), ("antelog-spark-stream", "W1", 100.0))
RESULTS = Results([_measured(1, *OWN, *CEP, *JOINS), _measured(10, *OWN_AT_TEN, *CEP_AT_TEN)])


def _sections(text: str) -> Iterator[str]:
    return iter(text.split("\n## "))


def test_the_page_says_first_who_is_ahead_of_antelog_on_spark_and_why() -> None:
    top = next(_sections(page(RESULTS)))
    assert "**Of engines for clusters, some are faster than antelog on Spark.**" in top
    assert "\n- *Flink CEP*: 0.4 for W1, 2 million events, 0.45 without the starts\n\nFlink is one JVM" in top
    assert " Part of its lead is its start: 6 CPU seconds, where antelog's there takes 20.\n" in top
    assert "Spark by itself" not in top
    assert (
        "Elsewhere others took from 1.5 (Flink CEP, W1 with 20 million) to 1.7 (Spark, joins of streams, "
        "W1 with 2 million) times its CPU seconds." in top
    )
    assert "(performance-details.md#on-clusters-engines-2-and-20-million-events)" in top
    assert "\n## On clusters' engines: 2 and 20 million events\n" in details(RESULTS)


def test_one_table_has_each_engine_at_each_size_with_its_start_apart() -> None:
    rows = [line for line in clusters.section(RESULTS).splitlines() if line.startswith("| W1")]
    about, at_ten = "| W1: three in a row | 2,000,000 ", "| W1: three in a row | 20,000,000 "
    assert rows == [
        f"{about}| antelog on Spark, stream | all | 60.0 | 20.0 | 33,333 | 1 | 1 | 3.0 |",
        f"{about}| Flink CEP | all | 24.0 | 6.0 | 83,333 | **0.4** | **0.45** | 3.0 |",
        f"{about}| Spark, joins of streams | all | 100 | 20.0 | 20,000 | 1.7 | 2 | 3.0 |",
        f"{at_ten}| antelog on Spark, stream | all | 100 | 20.0 | 200,000 | 1 | 1 | 3.0 |",
        f"{at_ten}| Flink CEP | all | 150 | 6.0 | 133,333 | 1.5 | 1.8 | 3.0 |",
    ]
    assert "W1 with 2 million: Flink SQL, antelog on Spark, batch" in clusters.section(RESULTS)


def test_an_engine_that_takes_too_long_has_a_plain_line_and_is_not_asked_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    late = f"{LATE} 10 minutes"
    asked: list[tuple[str, bool]] = []

    def run(system: System, workload: str, _given: Kept, _limit: float, *, empty: bool = False) -> Run:
        asked.append((workload, empty))
        took = replace(TOOK, failed="" if empty else late)
        return Run(system.name, START if empty else workload, 0 if empty else 2_000_000, took, None)

    monkeypatch.setattr(command, "_run", run)
    monkeypatch.setattr(command, "kept", lambda *_: Kept(tmp_path))
    found = list(measured([(SYSTEMS["spark-joins"], "W1")], Asked(runs=3)))
    assert asked == [("W1", True), ("W1", False)]
    text = clusters.section(Results([Measurement(_where(1), found)]))
    assert f"| Spark, joins of streams | {late} |" in text
    assert list(measured([(SYSTEMS["spark-joins"], "W1")], Asked(minutes=1e-9))) == []
