"""antelog/forecast/rates/{odds,tally}.py: the odds that a program declares, and ledgers of counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values
from antelog.forecast.rates.odds import Odds, Series, declared, exclusive, memory, possible_kinds
from antelog.forecast.rates.slots import shared
from antelog.forecast.rates.tally import Ledger, before, closed, entered, nothing_counted, opened
from tests.forecast.making import chains, input_of, keys, odds, once_and_again


def test_what_never_happens_may_happen_all_the_same() -> None:
    moves = odds(once=[0.0], again=[1.0]).moves(np.zeros(2, np.int64)).transpose(2, 0, 1)
    assert moves.shape == (2, 2, 2)
    assert (moves > 0).all()
    assert moves[0, 0, 1] < 1e-15
    np.testing.assert_allclose(moves.sum(axis=2), 1)


def test_series_exclude_each_other_by_different_constants() -> None:
    high, low = (Series("Temp", ((1, level),), (), (0,), ()) for level in ("high", "low"))
    any_ = Series("Temp", (), (), (0,), ())
    assert exclusive(high, low)
    assert not exclusive(high, high)
    assert not exclusive(high, any_)
    one, same = (Series("Reading", ((1, number),), (), (0,), ()) for number in (1, 1.0))
    assert not exclusive(one, same)  # equal numbers, however they are written


HALF_LIVES = np.array([3.0, 40.0, np.inf])
FORGOTTEN = 25


def column(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def nothing(forgets: int | None = FORGOTTEN) -> Ledger:
    return opened(nothing_counted(1, 6, forgets=forgets))


def counted(ledger: Ledger, *rows: tuple[int, int, float]) -> Ledger:
    """With (key, tick, number), each number being one of one in every memory."""
    key, tick, number = zip(*rows, strict=True)
    numbers = np.stack([np.ones(len(rows)), np.array(number, np.float64)], axis=1)
    return entered(ledger, column(*tick), (column(*key),), numbers, HALF_LIVES)


def expected(rows: list[tuple[int, int, float]], key: int, tick: int) -> list[float]:
    """The sums of a key before a tick, added up one by one."""
    sums, last = np.zeros((3, 2)), None
    for at, number in sorted((at, number) for own, at, number in rows if own == key and at < tick):
        if last is not None:
            sums = sums * np.exp2(-(at - last) / HALF_LIVES)[:, None] * (at - last <= FORGOTTEN)
        sums, last = sums + np.array([1, number]), at
    if last is not None:
        sums = sums * np.exp2(-(tick - last) / HALF_LIVES)[:, None] * (tick - last <= FORGOTTEN)
    found: list[float] = sums.ravel().tolist()
    return found


@pytest.mark.parametrize("seed", range(20))
def test_it_is_as_if_each_were_added_alone_however_a_run_is_cut(seed: int) -> None:
    numbers = np.random.default_rng(seed)
    ticks = np.sort(numbers.integers(0, numbers.integers(2, 300), 80)).tolist()
    rows = [(int(numbers.integers(6)), tick, float(numbers.integers(2))) for tick in ticks]
    ledger, at = nothing(), -1
    while at <= 310:
        end = at + int(numbers.integers(1, 120))
        step = [row for row in rows if at < row[1] <= end]
        if step:
            ledger = counted(ledger, *(step[i] for i in numbers.permutation(len(step))))
        asked = numbers.integers(at + 1, end + 1, 40)
        keys = numbers.integers(0, 7, 40)
        found = before(ledger, (keys,), asked, HALF_LIVES)
        wanted = [expected(rows, int(key), int(tick)) for key, tick in zip(keys, asked, strict=True)]
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-300)
        ledger, at = closed(ledger, end), end


def test_at_the_end_of_a_step_forgotten_keys_are_dropped() -> None:
    ledger = closed(counted(nothing(), (7, 0, 1), (8, 20, 1)), 30)
    assert ledger.tally.keys[0].tolist() == [8]
    assert closed(counted(nothing(None), (7, 0, 1)), 10**6).tally.count == 1


INPUT = "input Temp(x: text, level: text, time) delay 1{}."
RULE = "P(X, T) :- Temp(X, high, T). query P(X, T)."
CHANCES = "chance Temp(_, high, _) = 5%, again 80%."


def found(declarations: str, *devices: str, slot: str = "", rule: str = RULE) -> Odds:
    text = f"{INPUT.format(slot)} {declarations} {rule}"
    (chain,) = chains(text)
    return declared(chain, input_of(text), keys(Values(), X=devices))


def test_the_declaration_with_most_constants_decides() -> None:
    more = "chance Temp(_, _, _) = 50%. chance Temp(wt4, high, _) = 10%. "
    odds = found(f"{CHANCES} {more} delay Temp(wt4, _, _) = 2 (70%, 20%, 8%).", "wt2", "wt4")
    once, again = once_and_again(odds)
    assert once.tolist() == [[0.05], [0.1]]
    assert again.tolist() == [[0.8], [0.1]]  # without `again`, what came before does not matter
    assert odds.delay.tolist() == [[1], [2]]
    np.testing.assert_allclose(odds.shares, [[[0.5, 0.5, 0]], [[0.7, 0.2, 0.08]]])
    assert odds.known.tolist() == [True, True]


def test_a_declaration_that_fits_some_facts_of_a_series_leaves_it_open() -> None:
    rule = "P(X, T) :- Temp(X, _, T). query P(X, T)."
    assert found(CHANCES, "wt2", rule=rule).known.tolist() == [False]
    assert found("chance Temp(_, _, _) = 5%.", "wt2", rule=rule).known.tolist() == [True]


def test_a_value_that_no_fact_has_has_no_facts() -> None:
    text = f"{INPUT.format('')} {CHANCES} {RULE}"
    (chain,) = chains(text)
    rows = replace(keys(Values(), X=["a"]), cells={"X": np.array([OTHERS])})
    odds = declared(chain, input_of(text), rows)
    once, again = once_and_again(odds)
    assert (once.tolist(), again.tolist(), odds.known.tolist()) == ([[0]], [[0]], [True])


def test_chances_in_a_slot_are_at_most_one_together() -> None:
    rule = "P(X, T) :- Temp(X, high, T), not Temp(X, low, T+1). query P(X, T)."
    # A declaration for any level counts for both of them, and for all other levels together.
    for percent, known in ((33, True), (34, False)):
        chance = f"chance Temp(_, _, _) = {percent}%."
        assert found(chance, "a", slot=", one per x", rule=rule).known.tolist() == [known]


def test_other_kinds_of_facts_in_a_slot() -> None:
    chances = f"{CHANCES} chance Temp(wt2, low, _) = 15%. chance Temp(wt4, high, _) = 1%."
    text = f"{INPUT.format(', one per x')} {chances} {RULE}"
    (chain,) = chains(text)
    assert [dict(s.series.constants).get(1) for s in chain.states] == ["high", "low", None]
    rows = keys(Values(), X=["wt2", "wt4"])
    # Of high ones the formula asks, so they are no other kind; of low ones one declaration speaks, for wt2.
    masks = [mask.tolist() for mask in possible_kinds(chain, input_of(text), rows)]
    assert masks == [[True, True], [True, False], [True, True]]
    odds = declared(chain, input_of(text), rows)
    np.testing.assert_allclose(once_and_again(odds)[0], [[0.05, 0.15, 0], [0.01, 0, 0]], atol=1e-10)
    # What is impossible is not counted, nor what is declared.
    assert odds.chance_declared.tolist() == [[True, True, False]] * 2


def test_what_a_declaration_leaves_over_is_shared() -> None:
    odds = found(CHANCES, "a", slot=", one per x")
    (moves,) = shared(odds, np.array([[0.25, 0.5, 1.0]]), np.ones(1, np.bool_)).transitions
    # By what came before: after another fact it is always one or the other.
    np.testing.assert_allclose(moves, [[0.7125, 0.05, 0.2375], [0.1, 0.8, 0.1], [0, 0.05, 0.95]], atol=1e-12)
    (same,) = shared(odds, np.ones((1, 3)), np.zeros(1, np.bool_)).transitions
    assert same.tolist() == odds.transitions[0].tolist()


@pytest.mark.parametrize(
    ("declarations", "ticks"),
    [
        (CHANCES, 0),  # nothing is lost
        ("delay Temp(_, _, _) = 1 (60%, 40%). " + CHANCES, 0),
        ("delay Temp(_, _, _) = 1 (60%, 30%). chance Temp(_, high, _) = 5%.", 1),  # no tick rests on another
        ("delay Temp(_, _, _) = 1 (60%, 30%). chance Temp(_, high, _) = 5%, again 55%.", 40),
        ("delay Temp(_, _, _) = 1 (60%, 30%). chance Temp(_, high, _) = 0%, again 99.99%.", 300),
    ],
)
def test_how_long_a_lost_fact_matters(declarations: str, ticks: int) -> None:
    assert memory(input_of(f"{INPUT.format('')} {declarations} {RULE}")) == ticks
