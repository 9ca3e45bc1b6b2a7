"""The benchmarks of growth: their streams are counted right, and their page says what was measured."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.growth import latency, page, results
from benchmarks.growth.curves import CURVES
from benchmarks.growth.fitting import fitted
from benchmarks.growth.measuring import measure, run
from benchmarks.growth.results import Point
from benchmarks.growth.sources import alternatives, distant, endless, turbines
from benchmarks.options import RESULTS

TINY = 0.01

SMALL = {
    "turbines": lambda: turbines(20, 60, np.arange(70), delay=7),
    "distant": lambda: distant(10, 30, 9),
    "queries": lambda: alternatives(20, 20, 4, one_query=False),
    "endless": lambda: endless(20, 10, 4),
}
CHEAP = ("row", "patterns", "rules", "chain", "hot", "hot-near", "hot-pairs", "hot-exists", "keys")


@pytest.mark.parametrize("name", SMALL)
def test_streams_are_counted(name: str) -> None:
    found = run(SMALL[name]())
    assert found.wrong == ""
    assert found.changes > 0


@pytest.mark.parametrize("name", CHEAP)
def test_the_second_point_of_curves_is_counted(name: str) -> None:
    curve = CURVES[name]
    found = run(curve.source(curve.points[1], TINY))
    assert found.wrong == ""
    assert found.changes > 0


def test_a_wrong_count_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.growth.sources.hot_in_a_row", lambda *_: {"confirmed": -1})
    found = run(turbines(5, 10, np.arange(16)))
    assert "there are {'confirmed': -1}" in found.wrong
    assert results.wrong(results.as_found([Point(5, (found,))], {}))


def test_what_is_made_elsewhere_is_the_same() -> None:
    here = run(CURVES["hot"].source(10, 1.0))
    there = measure("hot", 10, 1.0, times=2)
    assert [(each.facts, each.changes, each.wrong) for each in there] == [(here.facts, here.changes, "")] * 2


# ---- exponents ----


def test_the_exponent_is_that_of_the_upper_range() -> None:
    sizes = [1, 10, 100, 1_000, 10_000]
    line = fitted(sizes, [5.0, 5.0, 2e2, 2e4, 2e6])
    assert line is not None
    assert line.exponent == pytest.approx(2)
    assert line.at(1_000) == pytest.approx(2e4)
    assert line.sizes == (100, 1_000, 10_000)


# ---- latency ----


def test_batches_wait_for_each_other() -> None:
    load = latency.Load(10, 1.0, 3)
    assert latency.queued(load, [0.5, 1.75, 0.5]).tolist() == [1.5, 3.75, 4.25]
    assert latency.queued(load, [0.5, 0.5, 0.5]).tolist() == [1.5, 2.5, 3.5]


def test_lines_that_come_later_and_later() -> None:
    load = latency.Load(10, 1.0, 8)
    on_time = latency.queued(load, [0.5] * 8)
    late = latency.queued(load, [3.0] * 8)
    assert not latency.grows(load, latency.behind(load, on_time))
    assert latency.grows(load, latency.behind(load, late))
    slow, quick = (latency.spread(load, load.facts(), each) for each in (late, on_time))
    assert slow.median > quick.median


def test_latency_is_measured_of_the_right_changes() -> None:
    found = latency.in_process(500, seconds=0.3, tick=0.01)
    assert found.wrong == ""
    assert found.alone is not None
    assert found.waited.p99 >= found.waited.median > 0


def test_a_rate_beyond_one_that_fails_does_not_count() -> None:
    none = latency.Spread(0.0, 0.0)
    rates = [
        latency.Latency(rate, 1, none, None, 1.0, (0.0, 0.0), keeps, "")
        for rate, keeps in ((1, True), (2, True), (3, False), (4, True))
    ]
    assert latency.highest(rates) == 2
    assert latency.highest(rates[2:]) is None


# ---- the page ----


def test_the_page_is_made_of_the_results() -> None:
    found = results.read(RESULTS)
    assert found["curves"].keys() <= CURVES.keys()
    assert (page.DOCS / "growth.md").read_text(encoding="utf-8") == page.as_markdown(found)
    for name, drawing in page.pictures(found):
        assert (page.DOCS / "images" / name).read_text(encoding="utf-8") == drawing.svg(), name
