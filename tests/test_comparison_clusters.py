"""The comparison of engines for clusters: who is ahead is said first, and pieces are joined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("psutil")

from benchmarks.compare import __main__ as command
from benchmarks.compare import clusters, given
from benchmarks.compare.__main__ import Asked, measured
from benchmarks.compare.checking import Verdict, check
from benchmarks.compare.given import Kept, kept
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


def test_where_none_is_ahead_the_page_says_that() -> None:
    said = clusters.sentence(Results([_measured(1, *OWN, *JOINS)]))
    assert said.startswith("**Of engines for clusters, none is faster than antelog on Spark.** They")
    assert clusters.sentence(Results([_measured(1, *OWN)])) == ""
    assert clusters.section(Results([_measured(0.1, *OWN, *CEP)])) == ""


def test_an_engine_that_is_ahead_only_without_its_start_is_named_too() -> None:
    late = (("spark-joins", START, 50.0), ("spark-joins", "W1", 80.0))
    said = clusters.sentence(Results([_measured(1, *OWN, *late)]))
    assert "\n- *Spark, joins of streams*: 1.3 for W1, 2 million events, 0.75 without the starts\n" in said
    assert "Elsewhere" not in said


def test_what_an_engine_is_ahead_in_stands_by_its_size() -> None:
    more = _measured(1, ("antelog-spark-stream", "W2", 50.0), ("flink-cep", "W2", 5.0))
    (first, second) = RESULTS.measurements
    said = clusters.sentence(Results([replace(first, runs=[*first.runs, *more.runs]), second]))
    assert "\n- *Flink CEP*: 0.1 to 0.4 for W1, W2, up to 2 million events, 0.45 without the starts\n" in said


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


def test_a_disturbed_measurement_is_marked_in_the_table() -> None:
    (one, _) = RESULTS.measurements
    runs = [replace(run, took=replace(run.took, others=0.5)) for run in one.runs]
    assert "| Flink CEP † |" in clusters.section(Results([replace(one, runs=runs)]))


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
    assert f"| Spark, joins of streams | {late} |" in clusters.section(
        Results([Measurement(_where(1), found)])
    )
    assert list(measured([(SYSTEMS["spark-joins"], "W1")], Asked(minutes=1e-9))) == []


def test_pieces_of_one_day_and_commit_become_one_measurement() -> None:
    pieces = Results([]).added(_measured(1, *OWN)).added(_measured(1, *CEP))
    (one,) = pieces.measurements
    assert one.runs == _measured(1, *OWN, *CEP).runs
    assert len(pieces.added(_measured(10, *CEP)).measurements) == 2
    again = pieces.added(_measured(1, ("flink-cep", START, 7.0), ("flink-cep", "W1", 25.0)))
    assert [run.took.cpu for run in again.runs if run.system == "flink-cep"] == [7.0, 25.0]
    later = Measurement(_where(1, date="2026-01-02"), _measured(1, *CEP).runs)
    assert len(pieces.added(later).measurements) == 2


def test_the_usual_scale_takes_the_place_of_a_smaller_one() -> None:
    small = _measured(0.1, ("antelog", "W1", 1.0), ("flink-cep", "W1", 9.0), ("siddhi", "W1", 8.0))
    results = Results([small]).added(_measured(1, *CEP, ("antelog", "W1", 2.0)))
    left = {(each.where.scale, run.system) for each in results.measurements for run in each.runs}
    assert left == {(0.1, "antelog"), (0.1, "siddhi"), (1, "antelog"), (1, "flink-cep")}
    left_at = results.added(_measured(1, ("siddhi", "W1", 80.0))).scales
    assert left_at == [1]
    assert results.added(_measured(10, ("siddhi", "W1", 800.0))).scales == [10, 1, 0.1]


def test_what_is_given_is_made_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = kept("W1", 0.001, tmp_path)
    assert made.events == 16_001
    assert len(list((made.folder / "batches").iterdir())) == 21
    assert len(list((made.empty / "batches").iterdir())) == 1
    assert check(tmp_path / "nothing", made.answers).missing == made.answers.height > 0
    (made.path / "mark").touch()
    assert (kept("W1", 0.001, tmp_path).path / "mark").exists()
    monkeypatch.setattr(given, "_stamp", lambda: "other")
    assert not (kept("W1", 0.001, tmp_path).path / "mark").exists()
    assert len(list(tmp_path.iterdir())) == 1
