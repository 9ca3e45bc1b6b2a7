"""The first chances of a stream: answers that were confirmed early do not count before the others."""

from __future__ import annotations

import numpy as np

import antelog

PUMPS = antelog.parse("""
input Hot(pump, time) delay 3.
Failing(P, T) :- Hot(P, T), Hot(P, T+1), Hot(P, T+2).
query Failing(P, T).
""")


def test_the_first_chances_are_not_those_of_the_answers_that_came_true_so_far() -> None:
    """One answer in a hundred comes true. At first only such ones are decided."""
    random, engine = np.random.default_rng(1), antelog.Engine(PUMPS, model="learn")
    facts = [
        (f"p{pump}", tick, tick + int(random.choice(4, p=[0.6, 0.25, 0.1, 0.05])))
        for pump in range(300)
        for tick in range(12)
        if random.random() < 0.15
    ]
    rows = engine.advance(12, {"Hot": facts})["Failing"].to_pylist()
    early = [row["tick"] for row in rows if row["change"] == "confirmed"]
    chances = [row["chance"] for row in rows if row["change"] in ("possible", "revised")]
    known = [chance for chance in chances if chance is not None]
    assert min(early) < 6
    assert len(known) > 100
    assert np.mean(known) < 0.1
