"""antelog/forecast: the laws of chances beside the log.

A stream of hot and cold readings of some devices; the chances are learned while it runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antelog
from antelog.forecast.columns import COLUMNS
from antelog.process import Engine
from tests.engine.plain import PlainEngine as Plain
from tests.forecast.making import replayed

RULES = """
input Temp(device: text, level: text, time) delay 2.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2).
Calm(X, T) :- Temp(X, low, T), not Temp(X, high, T+1..T+1).
Often(X, T) :- Temp(X, high, T), count(Temp(X, high, T..T+5)) >= 4.
Mixed(X, T) :- Temp(X, high, T), count(Temp(X, _, T-2..T+6)) >= 8.
query Malf(X, T){}.
query Calm(X, T).
query Often(X, T).
query Mixed(X, T).
"""
TICKS = 200


def readings(seed: int = 0) -> list[tuple[str, str, int, int]]:
    """Readings that stay as they are for a while; some of them come late."""
    random = np.random.default_rng(seed)
    found = []
    for device in ("a", "b", "c", "d"):
        hot = False
        for tick in range(TICKS):
            hot = bool(random.random() < (0.7 if hot else 0.15))
            arrival = tick + int(random.choice(3, p=[0.7, 0.2, 0.1]))
            if random.random() < 0.9:
                found.append((device, "high" if hot else "low", tick, arrival))
    return sorted(found, key=lambda row: row[-1])


def run(engine: Any, ends: list[int]) -> dict[str, pa.Table]:
    return replayed(engine, {"Temp": readings()}, ends)


ONCE, CUT, BY_TICK = [TICKS + 5], [3, 50, 51, 119, 120, TICKS + 5], list(range(TICKS + 6))


def test_the_log_is_the_same_with_and_without_chances() -> None:
    program = antelog.parse(RULES.format(""))
    plain, more = run(Plain(program), CUT), run(Engine(program, model="learn"), CUT)
    for name, table in plain.items():
        assert more[name].drop_columns(COLUMNS.names).equals(table)


@pytest.mark.parametrize("alert", ["", " alert 60%"])
@pytest.mark.parametrize("ends", [CUT, BY_TICK])
def test_chances_do_not_depend_on_how_a_run_is_cut(alert: str, ends: list[int]) -> None:
    program = antelog.parse(RULES.format(alert))
    engine, other = Engine(program, model="learn"), Engine(program, model="learn")
    whole, cut = run(engine, ONCE), run(other, ends)
    for name in whole:
        same(whole[name], cut[name])
    assert engine.scores().equals(other.scores())
    first, second = (run(Engine(program, model=each.model), CUT) for each in (engine, other))
    for name in first:
        same(first[name], second[name])


def same(one: pa.Table, other: pa.Table) -> None:
    """Two logs have the same lines and chances, up to rounding."""
    plain = one.drop_columns(["chance", "forecast"])
    assert plain.equals(other.drop_columns(["chance", "forecast"]))
    first, second = (t.column("chance").to_numpy() for t in (one, other))
    np.testing.assert_allclose(first, second, rtol=0, atol=1e-12)
    for left, right in zip(
        one.column("forecast").to_pylist(), other.column("forecast").to_pylist(), strict=True
    ):
        assert [each["tick"] for each in left or ()] == [each["tick"] for each in right or ()]


def test_alerts_are_dated_by_tick_also_where_only_time_passes() -> None:
    rules = """
    input Ping(device: text, time).
    chance Ping(_, _) = 70%.
    Silent(X, T) :- Ping(X, T), not Ping(X, T+1), not Ping(X, T+2).
    query Silent(X, T) alert 25%.
    """
    engine = Engine(antelog.parse(rules))
    log = engine.advance(5, {"Ping": [("a", 0)]})["Silent"]
    rows = [(row["tick"], row["change"], row["chance"]) for row in log.to_pylist()]
    assert [row[:2] for row in rows] == [(0, "possible"), (1, "revised"), (1, "likely"), (2, "confirmed")]
    assert rows[0][2] == pytest.approx(0.09)
    assert rows[1][2] == rows[2][2] == pytest.approx(0.3)


@pytest.mark.parametrize("ends", [CUT, BY_TICK])
def test_what_is_left_out_does_not_depend_on_how_a_run_is_cut(ends: list[int]) -> None:
    program = antelog.parse(RULES.format(" alert 60%"))
    engine, other = (Engine(program, model="learn", min_chance=0.2, most=2) for _ in range(2))
    whole, cut = run(engine, ONCE), run(other, ends)
    for name in whole:
        same(whole[name], cut[name])
    counted, again = (each.left_out.to_pydict() for each in (engine, other))
    assert counted["lines"] == again["lines"]
    np.testing.assert_allclose(counted["chances"], again["chances"])


def test_limits_leave_out_lines_and_count_them() -> None:
    program = antelog.parse(RULES.format(""))
    everything = run(Engine(program, model="learn"), CUT)
    engine = Engine(program, model="learn", min_chance=0.2)
    log = run(engine, CUT)
    for row in engine.left_out.to_pylist():
        lines, found = everything[row["query"]].to_pylist(), log[row["query"]].to_pylist()
        unlikely = [r for r in lines if r["chance"] is not None and r["chance"] < 0.2]
        assert row["lines"] == len(unlikely)
        assert row["chances"] == pytest.approx(sum(r["chance"] for r in unlikely))
        likely = {(r["X"], r["T"]) for r in lines if r["change"] in OPEN and r not in unlikely}
        reported = [r for r in lines if r["change"] == "rejected" and (r["X"], r["T"]) in likely]
        assert [r for r in found if r["change"] == "rejected"] == reported
        rest = [r for r in lines if r["change"] != "rejected" and r not in unlikely]
        assert [r for r in found if r["change"] != "rejected"] == rest
    assert sum(engine.left_out["lines"].to_pylist()) > 0


OPEN = ("possible", "revised")


def test_the_state_is_the_same_with_limits_and_without() -> None:
    program = antelog.parse(RULES.format(" alert 60%"))
    engine, limited = Engine(program, model="learn"), Engine(program, model="learn", min_chance=0.4, most=1)
    run(engine, CUT)
    run(limited, CUT)
    assert engine.to_bytes() == limited.to_bytes()
    assert Engine.restore(engine.to_bytes(), min_chance=0.4).answers("Malf").num_rows <= limited.now


def test_the_likeliest_open_answer_of_a_tick_is_left() -> None:
    program = antelog.parse(RULES.format(""))
    log, every = (
        [
            (row["tick"], row["chance"] or 2)  # an unknown chance counts as the largest
            for row in run(Engine(program, model="learn", most=most), CUT)["Malf"].to_pylist()
            if row["change"] in OPEN
        ]
        for most in (1, None)
    )
    assert len(log) == len(dict(log)) > 0
    assert dict(log) == dict(sorted(every))
