"""The benchmark of forecasts: rivals look at nothing that comes later, and the page says what was found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from benchmarks.forecast import page, results
from benchmarks.forecast.made import MADE, MadeStream, Spells
from benchmarks.forecast.records import RECORDS
from benchmarks.forecast.results import BASE, CHANCE
from benchmarks.forecast.rivals import base_rate, boosting, logistic
from benchmarks.forecast.streams import STREAMS
from benchmarks.options import RESULTS


def test_the_base_rate_is_that_of_lines_decided_before() -> None:
    lines = pl.DataFrame(
        {"tick": [0, 3, 4, 9], "decided": [3, 8, 5, 12], "confirmed": [True, False, True, False]}
    )
    # (confirmed + 1/2) / (lines + 1), of those decided at an earlier tick
    assert np.allclose(base_rate(lines), [0.5, 0.5, 1.5 / 2, 2.5 / 4])


@pytest.mark.parametrize("rival", [boosting, logistic])
def test_rivals_do_not_look_ahead(rival: Callable[[pl.DataFrame, int], np.ndarray]) -> None:
    """Other outcomes of answers that are decided later change no chance before."""
    pytest.importorskip("sklearn")
    random, count = np.random.default_rng(0), 400
    tick = np.arange(count)
    stage, key = random.integers(0, 8, count), random.integers(0, 5, count).astype(np.uint64)
    lines = pl.DataFrame(
        {
            "tick": tick,
            "answer": tick,
            "stage": stage,
            "age": random.integers(0, 4, count),
            "key": key,
            "decided": tick + random.integers(1, 9, count),
            "confirmed": random.random(count) < 0.1 + stage / 10,
        }
    )
    until = 250
    later = lines.with_columns(
        confirmed=pl.when(pl.col("decided") >= until).then(~pl.col("confirmed")).otherwise("confirmed")
    )
    one, other = rival(lines, count - 1), rival(later, count - 1)
    assert np.array_equal(one[:until], other[:until])
    assert not np.array_equal(one[until:], other[until:])


def test_halves_keep_records_together() -> None:
    halves = {name: RECORDS[stream.record].reported for name, stream in STREAMS.items()}
    reported = [name for name, half in halves.items() if half]
    assert reported == ["gap-2", "steady-2", "again-2", "rush", "ebb", "sultry", "relief", "jam"]
    paths = [
        {RECORDS[STREAMS[n].record].path for n, half in halves.items() if half is own}
        for own in (True, False)
    ]
    assert not paths[0] & paths[1]


@pytest.mark.parametrize("name", MADE)
def test_the_truth_of_made_streams_cannot_be_bettered(name: str) -> None:
    """Over many lines: its Brier score is that of chances that are right, its own mean of p(1 - p)."""
    found = results.read(RESULTS)["made"][name]["scores"]
    assert (
        found["truth"]["log"] < min(each["log"] for judge, each in found.items() if judge != "truth") + 0.01
    )
    small = MadeStream("small", "", Spells(0.2, 0.7, (0.6, 0.4)), lambda spells: spells.facts(20, 300), 0)
    lines = small.replayed().lines
    truth, confirmed = lines["truth"].to_numpy(), lines["confirmed"].to_numpy()
    assert abs(((truth - confirmed) ** 2).mean() - (truth * (1 - truth)).mean()) < 0.01


def test_every_stream_has_a_program_with_one_query_that_says_nothing_of_chances() -> None:
    for stream in STREAMS.values():
        plan = stream.program.plan
        assert len(list(plan.queries)) == 1
        assert not any(source.odds.chances for source in plan.inputs)


def test_a_mean_is_of_shares_of_the_base_rate() -> None:
    streams = {
        "a": {"scores": {CHANCE: {"log": 0.2}, BASE: {"log": 0.4}}},
        "b": {"scores": {CHANCE: {"log": 0.3}, BASE: {"log": 0.3}}},
    }
    assert results.against_base(streams, CHANCE, "log") == 0.75
    assert results.against_base(streams, "model", "log") is None


def test_the_page_is_made_of_the_results() -> None:
    written = (page.DOCS / "forecast-results.md").read_text(encoding="utf-8")
    assert written == page.as_markdown(results.read(RESULTS))
    assert "| *mean, only reported* |" in written


def test_what_chances_cost_is_said_with_its_own_commit() -> None:
    """It may be measured at another time than the streams were scored."""
    found = results.read(RESULTS)
    cost = {**found["cost"], "commit": "0000001", "date": "2026-01-02", "cpu": "a fast one"}
    text = page.as_markdown({**found, "cost": cost})
    assert "*Measured at commit 0000001, 2026-01-02, a fast one.*" in text
    assert f"*Streams scored at commit {found['setting']['commit']}, " in text
