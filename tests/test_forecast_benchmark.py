"""The benchmark of forecasts: rivals look at nothing that comes later, and the page says what was found."""

from __future__ import annotations

import numpy as np
import polars as pl

from benchmarks.forecast import page, results
from benchmarks.forecast.results import BASE, CHANCE
from benchmarks.forecast.rivals import base_rate
from benchmarks.forecast.streams import STREAMS
from benchmarks.options import RESULTS


def test_the_base_rate_is_that_of_lines_decided_before() -> None:
    lines = pl.DataFrame(
        {"tick": [0, 3, 4, 9], "decided": [3, 8, 5, 12], "confirmed": [True, False, True, False]}
    )
    # (confirmed + 1/2) / (lines + 1), of those decided at an earlier tick
    assert np.allclose(base_rate(lines), [0.5, 0.5, 1.5 / 2, 2.5 / 4])


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


def test_what_chances_cost_is_said_with_its_own_commit() -> None:
    """It may be measured at another time than the streams were scored."""
    found = results.read(RESULTS)
    cost = {**found["cost"], "commit": "0000001", "date": "2026-01-02", "cpu": "a fast one"}
    text = page.as_markdown({**found, "cost": cost})
    assert "*Measured at commit 0000001, 2026-01-02, a fast one.*" in text
    assert f"*Streams scored at commit {found['setting']['commit']}, " in text
