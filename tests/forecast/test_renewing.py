"""antelog/forecast/parts.py: values that nothing has any more are forgotten, and nothing else changes."""

from __future__ import annotations

import antelog
from antelog.process import Engine

RULES = """
input Placed(order, time).
input Paid(order, time) delay 1.
Late(O, T) :- Placed(O, T), not Paid(O, T+1), not Paid(O, T+2).
query Late(O, T).
"""


def test_orders_of_long_ago_take_no_room() -> None:
    engine = Engine(antelog.parse(RULES), model="learn")
    sizes, chances = [], []
    for tick in range(0, 12_000, 40):
        placed = [(f"o{tick}-{i}", tick) for i in range(50)]
        paid = [(order, tick + 1) for order, _ in placed if not order.endswith("7")]
        log = engine.advance(tick + 3, {"Placed": placed, "Paid": paid})["Late"].to_pylist()
        sizes.append(len(engine.forecaster.known.sightings.values))
        chances += [row["chance"] for row in log if row["change"] == "possible"]
    assert max(sizes) < 10_000 < 50 * 300
    # One in ten is never paid.
    assert all(abs(chance - 0.1) < 0.02 for chance in chances[-200:])
