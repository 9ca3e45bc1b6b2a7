"""antelog/forecast/rates/odds.py: how often facts come and how late, each different set of that once."""

from __future__ import annotations

import numpy as np

from antelog.engine.values.values import Values
from antelog.forecast.rates.odds import each_once
from tests.forecast.making import keys, odds, state


def test_moves_lead_from_each_state_to_each() -> None:
    high_low = odds(once=[0.1, 0.2], again=[0.8, 0.3])
    (moves,) = high_low.moves(np.zeros(1, np.int64))
    wanted = [
        [0.7, 0.1, 0.2],  # after nothing
        [0.0, 0.8, 0.2],  # after the first: it comes again, or the second comes
        [0.6, 0.1, 0.3],
    ]
    np.testing.assert_allclose(moves, wanted, atol=1e-14)


def test_what_never_happens_may_happen_all_the_same() -> None:
    moves = odds(once=[0.0], again=[1.0]).moves(np.zeros(2, np.int64))
    assert moves.shape == (2, 2, 2)
    assert (moves > 0).all()
    assert moves[0, 0, 1] < 1e-15
    np.testing.assert_allclose(moves.sum(axis=2), 1)


def test_columns_of_a_state() -> None:
    values = Values()
    rows = keys(values, X=["wt2", "wt4"])
    temp = state("Temp", "X", "high", "_")
    device, level = rows.column(temp, 0), rows.column(temp, 1)
    assert device is not None
    assert level is not None
    assert device.tolist() == [values.cell("wt2"), values.cell("wt4")]
    assert level.tolist() == [values.cell("high")] * 2
    assert rows.column(temp, 2) is None


def test_each_different_set_once() -> None:
    one, other = odds([0.05], [0.8]), odds([0.1], [0.8])
    table = one.and_then(other, one)
    found, which = each_once(table)
    assert len(found.once) == 2
    assert found.take(which).once.tolist() == [[0.05], [0.1], [0.05]]


def test_what_has_come_by_a_lag() -> None:
    lossy = odds([0.05], [0.8], [[0.6, 0.2, 0.1]])
    lags = np.array([-3, -1, 0, 1, 2, 99])
    come = lossy.come(np.zeros(6, np.int64), lags)
    np.testing.assert_allclose(come[:, 0], [0, 0, 0.6, 0.8, 0.9, 0.9])
    for lag, wanted in zip(lags.tolist(), come.tolist(), strict=True):
        assert lossy.come(np.zeros(1, np.int64), lag).tolist() == [wanted]


def test_some_rows_of_keys() -> None:
    values = Values()
    assert keys(values, X=["a", "b", "c"]).take(np.array([2, 0])).cells["X"].tolist() == [
        values.cell("c"),
        values.cell("a"),
    ]
