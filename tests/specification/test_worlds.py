"""tests/specification/{worlds,resting}.py: chances computed by hand, and what has none."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from antelog.diagnostics import Source
from antelog.language import read
from antelog.language.syntax import Value
from tests.specification.helpers import Fact, stream_of
from tests.specification.terms import OTHERS, Special
from tests.specification.worlds import Chance, TooManyWorldsError, Worlds, chance_of

Answer = tuple[tuple[str, Value | Special | None], ...]


def asked(text: str, facts: Iterable[Fact], now: int, answer: Answer, query: str = "P") -> Chance | None:
    checked = read(Source(text))
    assert checked.ok, checked.diagnostics
    return chance_of(checked, stream_of(facts).arrivals, now, query, answer)


def of(x: Value | Special | None, t: int) -> Answer:
    return (("X", x), ("T", t))


def given_chance(text: str, facts: Iterable[Fact], now: int, answer: Answer) -> Chance:
    found = asked(text, facts, now, answer)
    assert found is not None
    return found


def approx(chance: float, *forecast: tuple[int, float], holds: float | None = None) -> object:
    return (
        pytest.approx(chance, abs=1e-12),
        pytest.approx([x for pair in forecast for x in pair], abs=1e-12),
        pytest.approx(chance if holds is None else holds, abs=1e-12),
    )


def parts(found: Chance) -> object:
    return found.chance, [x for pair in found.forecast for x in pair], found.holds


def temp(delay: str, declared: str = "chance Temp(_, high, _) = 5%, again 80%.", slot: str = "") -> str:
    return f"input Temp(device: text, level: text, time) delay {delay}{slot}.\n{declared}\n"


HIGH = "P(X, T) :- Temp(X, high, T), Temp(X, high, T+1).\nquery P(X, T)."
HOT0: Fact = ("Temp", ("wt2", "high", 0), 0)


# ---- persistence, delay, silence ----


def test_after_a_fact_it_comes_again() -> None:
    rule = "P(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2).\nquery P(X, T)."
    found = given_chance(temp("0 (100%)") + rule, [HOT0], 0, of("wt2", 0))
    assert parts(found) == approx(0.64, (2, 0.64))


def test_before_any_fact_it_has_to_come_first() -> None:
    found = given_chance(temp("0 (100%)") + HIGH, [], 0, of("wt2", 2))
    # At tick 0 it did not come; the chain goes on to tick 2 by itself.
    at2 = 0.05 * 0.8 + 0.95 * 0.05
    assert parts(found) == approx(at2 * 0.8, (3, at2 * 0.8))


def test_by_when_it_is_confirmed_follows_from_the_shares() -> None:
    found = given_chance(temp("1 (70%, 30%)") + HIGH, [HOT0], 0, of("wt2", 0))
    assert parts(found) == approx(0.8, (1, 0.56), (2, 0.8))


def test_silence_makes_it_less_likely() -> None:
    found = given_chance(temp("1 (70%, 30%)") + HIGH, [HOT0], 1, of("wt2", 0))
    assert parts(found) == approx(0.24 / 0.44, (2, 0.24 / 0.44))


def test_without_shares_each_delay_is_as_likely() -> None:
    found = given_chance(temp("1") + HIGH, [HOT0], 1, of("wt2", 0))
    assert parts(found) == approx(0.4 / 0.6, (2, 0.4 / 0.6))


def test_the_caller_may_give_shares() -> None:
    checked = read(Source(temp("1") + HIGH))
    worlds = Worlds(checked, stream_of([HOT0]), 1, shares=lambda _name, _delay: (0.75, 0.25))
    found = worlds.chance_of("P", of("wt2", 0))
    assert found is not None
    assert found.chance == pytest.approx(0.2 / 0.4)


def test_a_later_fact_makes_an_earlier_one_likelier() -> None:
    text = temp("2 (50%, 25%, 25%)") + "P(X, T) :- Temp(X, high, T).\nquery P(X, T)."
    without = given_chance(text, [], 2, of("wt2", 1))
    # About tick 0 nothing came, so it was not so. Then what of tick 1 comes at 3, and of tick 2 at 3 or 4.
    none, one = 0.95 * (0.95 + 0.05 * 0.5), 0.05 * 0.25 * (0.2 + 0.8 * 0.5)
    assert parts(without) == approx(one / (none + one), (3, one / (none + one)))
    later = given_chance(text, [("Temp", ("wt2", "high", 2), 2)], 2, of("wt2", 1))
    none, one = 0.95 * 0.05 * 0.5, 0.05 * 0.25 * 0.8 * 0.5
    assert parts(later) == approx(one / (none + one), (3, one / (none + one)))
    assert later.chance > without.chance


def test_confirmed_and_rejected_answers() -> None:
    text = temp("0 (100%)") + HIGH
    assert parts(given_chance(text, [HOT0, ("Temp", ("wt2", "high", 1), 1)], 1, of("wt2", 0))) == approx(1)
    assert parts(given_chance(text, [HOT0], 1, of("wt2", 0))) == approx(0)


def test_time_may_begin_later() -> None:
    checked = read(Source(temp("0 (100%)") + "P(X, T) :- Temp(X, high, T).\nquery P(X, T)."))
    found = Worlds(checked, stream_of([]), 6, begin=7).chance_of("P", of("wt2", 7))
    assert found is not None
    assert found.chance == pytest.approx(0.05)


# ---- loss ----

LOST = "input A(x: text, time) delay 0 (90%).\nchance A(_, _) = 20%.\n"


def test_a_lost_fact_holds_all_the_same() -> None:
    text = LOST + "P(X, T) :- A(X, T).\nquery P(X, T)."
    assert parts(given_chance(text, [], 0, of("a", 1))) == approx(0.18, (1, 0.18), holds=0.2)
    assert parts(given_chance(text, [], 1, of("a", 1))) == approx(0, holds=0.02 / 0.82)


def test_a_confirmed_absence_may_not_hold() -> None:
    text = LOST + "static S(x). S(a).\nP(X, T) :- S(X), not A(X, T).\nquery P(X, T)."
    assert parts(given_chance(text, [], 1, of("a", 1))) == approx(1, holds=0.8 / 0.82)


def test_what_was_lost_persists() -> None:
    text = LOST.replace("20%", "20%, again 90%") + "P(X, T) :- A(X, T).\nquery P(X, T)."
    lost = 0.2 * 0.1
    truth = (0.8 * 0.2 + lost * 0.9) / (0.8 + lost)
    assert parts(given_chance(text, [], 0, of("a", 1))) == approx(0.9 * truth, (1, 0.9 * truth), holds=truth)


# ---- slots ----

TWO = "chance Temp(_, high, _) = 10%, again 60%.\nchance Temp(_, low, _) = 40%, again 50%."
CALM = "P(X, T) :- Temp(X, high, T), not Temp(X, low, T+1).\nquery P(X, T)."


def test_facts_of_a_slot_exclude_each_other() -> None:
    text = temp("0 (100%)", TWO, ", one per device")
    assert parts(given_chance(text + CALM, [HOT0], 0, of("wt2", 0))) == approx(0.6, (1, 0.6))
    rule = "P(X, T) :- Temp(X, high, T), not Temp(X, low, T).\nquery P(X, T)."
    assert parts(given_chance(text + rule, [], 0, of("wt2", 1))) == approx(0.1, (1, 0.1))


def test_what_takes_a_slot_settles_it_earlier() -> None:
    text = temp("1 (50%, 50%)", TWO, ", one per device")
    # 60 of 100 are high again, half of them at once; else low, or its absence is certain one tick later.
    found = given_chance(text + CALM, [HOT0], 0, of("wt2", 0))
    assert parts(found) == approx(0.6, (1, 0.3), (2, 0.6))


def test_a_kind_of_fact_that_no_literal_has_takes_the_slot_as_well() -> None:
    text = temp("0 (100%)", TWO, ", one per device")
    rule = "P(X, T) :- Temp(X, high, T).\nquery P(X, T)."
    # From low to high it is 10 in 100, and so it is from none.
    low: Fact = ("Temp", ("wt2", "low", 0), 0)
    assert parts(given_chance(text + rule, [low], 0, of("wt2", 1))) == approx(0.1, (1, 0.1))
    # While a fact about tick 1 may still come, it may as well be a low one.
    slow = temp("1 (50%, 50%)", TWO, ", one per device") + rule
    assert parts(given_chance(slow, [low], 1, of("wt2", 1))) == approx(
        0.05 / (0.05 + 0.25 + 0.4), (2, 0.05 / (0.05 + 0.25 + 0.4))
    )


def test_a_fact_that_was_not_foreseen_takes_the_slot() -> None:
    text = temp("1 (50%, 50%)", TWO, ", one per device") + "P(X, T) :- Temp(X, high, T).\nquery P(X, T)."
    text = text.replace("60%", "50%")
    odd: Fact = ("Temp", ("wt2", "mid", 1), 1)
    assert parts(given_chance(text, [HOT0, odd], 1, of("wt2", 1))) == approx(0)
    assert parts(given_chance(text, [HOT0, odd], 1, of("wt2", 2))) == approx(0.1, (2, 0.05), (3, 0.1))


def test_a_declaration_for_any_value_is_about_what_is_left() -> None:
    declared = "chance Temp(_, high, _) = 10%, again 60%.\nchance Temp(_, _, _) = 30%."
    text = temp("1 (50%, 50%)", declared, ", one per device") + "P(X, T) :- Temp(X, high, T).\nquery P(X, T)."
    odd: Fact = ("Temp", ("wt2", "mid", 0), 0)
    share = 0.05 / (0.05 + 0.15 + 0.6)
    assert parts(given_chance(text, [odd], 1, of("wt2", 1))) == approx(share, (2, share))


# ---- which declaration decides, and open columns ----


def test_the_declaration_with_the_most_constants_decides() -> None:
    declared = "chance Temp(_, high, _) = 5%.\nchance Temp(wt4, high, _) = 25%.\nchance Temp(_, _, _) = 1%."
    text = temp("0 (100%)", declared) + "P(X, T) :- Temp(X, high, T).\nquery P(X, T)."
    assert given_chance(text, [], 0, of("wt4", 1)).chance == pytest.approx(0.25)
    assert given_chance(text, [], 0, of("wt2", 1)).chance == pytest.approx(0.05)


def test_shares_of_a_refined_delay() -> None:
    text = temp("0 (100%)", "chance Temp(_, _, _) = 20%.\ndelay Temp(wt4, _, _) = 1 (25%, 25%).")
    text += "P(X, T) :- Temp(X, high, T).\nquery P(X, T)."
    found = given_chance(text, [], 0, of("wt4", 1))
    assert parts(found) == approx(0.1, (1, 0.05), (2, 0.1), holds=0.2)


def test_a_column_left_open_is_any_value() -> None:
    text = "input A(x, v: number, time) delay 1 (50%, 50%).\nchance A(_, _, _) = 20%, again 90%.\n"
    text += "P(X, T) :- A(X, _, T), not A(X, _, T+1).\nquery P(X, T)."
    facts: list[Fact] = [("A", ("a", 7, 0), 0), ("A", ("a", 8, 0), 1)]
    assert parts(given_chance(text, facts, 1, of("a", 0))) == approx(0.1 / 0.55, (2, 0.1 / 0.55))


def test_all_others_are_a_value_that_no_fact_has() -> None:
    text = temp("1 (50%, 50%)") + "P(X, T) :- not Temp(X, high, T).\nquery P(X, T)."
    assert parts(given_chance(text, [], 0, of(OTHERS, 0))) == approx(1, (1, 1))
    named = given_chance(text, [("Temp", ("wt2", "high", 0), 1)], 1, of("wt2", 0))
    assert parts(named) == approx(0)


# ---- negation, alternatives, times ----

AB = """input A(x: text, time).
input B(x: text, time) delay 1 (50%, 50%).
chance A(_, _) = 20%.
chance B(_, _) = 25%.
"""
A0: Fact = ("A", ("a", 0), 0)


def test_negation() -> None:
    text = AB + "P(X, T) :- A(X, T), not B(X, T+1).\nquery P(X, T)."
    assert parts(given_chance(text, [A0], 0, of("a", 0))) == approx(0.75, (2, 0.75))
    later = 0.75 / (0.75 + 0.125)
    assert parts(given_chance(text, [A0], 1, of("a", 0))) == approx(later, (2, later))


def test_negation_of_what_is_derived() -> None:
    text = AB + "Q(X, T) :- B(X, T), A(X, T+1).\nP(X, T) :- A(X, T), not Q(X, T+1).\nquery P(X, T)."
    # The absence of `A` about tick 2 is certain at 2, and so is that of `B` about tick 1.
    assert parts(given_chance(text, [A0], 0, of("a", 0))) == approx(0.95, (2, 0.95))


def test_an_absence_that_the_clock_tells() -> None:
    text = AB + "static S(x). S(a).\nP(X, T) :- S(X), not B(X, T).\nquery P(X, T)."
    assert parts(given_chance(text, [], 0, of("a", 0))) == approx(0.75 / 0.875, (1, 0.75 / 0.875))
    assert parts(given_chance(text, [], 0, of("a", 2))) == approx(0.75, (3, 0.75))


def test_rejected_at_1_and_confirmed_at_3() -> None:
    text = "".join(
        f"input {name}(x: text, time).\nchance {name}(_, _) = {p}%.\n"
        for name, p in (("A", 20), ("B", 25), ("C", 40))
    )
    text += "P(X, T) :- A(X, T), B(X, T+1).\nP(X, T) :- C(X, T+3).\nquery P(X, T)."
    assert parts(given_chance(text, [A0], 0, of("a", 0))) == approx(0.25 + 0.75 * 0.4, (1, 0.25), (3, 0.55))
    assert parts(given_chance(text, [A0], 1, of("a", 0))) == approx(0.4, (3, 0.4))
    assert parts(given_chance(text, [A0], 3, of("a", 0))) == approx(0)


def test_one_fact_in_two_derivations_is_one() -> None:
    text = AB + "P(X, T) :- A(X, T), B(X, T+1).\nP(X, T) :- A(X, T+2), B(X, T+1).\nquery P(X, T)."
    assert given_chance(text, [], 0, of("a", 1)).chance == pytest.approx(0.25 * (1 - 0.8 * 0.8))


def test_open_times_take_every_tick() -> None:
    text = AB + "P(X, T) :- A(X, T), B(X, U), U > T, U <= T + 2.\nquery P(X, T)."
    found = given_chance(text, [A0], 0, of("a", 0))
    none = 0.75 * 0.75
    by2 = 1 - 0.75 * 0.875
    assert parts(found) == approx(1 - none, (1, 0.125), (2, by2), (3, 1 - none))


# ---- no chance ----


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param(AB + "P(X, T) :- A(X, T), B(Y, T).\nquery P(X, T).", of(None, 0), id="open variable"),
        pytest.param(AB + "P(X, T) :- A(X, T), B(X, U), U > T.\nquery P(X, T).", of("a", 0), id="unbounded"),
        pytest.param(AB + "P(X, T) :- A(X, T), B(Y, T), A(Y, T).\nquery P(X, T).", of("a", 0), id="shared"),
        pytest.param(AB + "P(X, T) :- A(X, T), B(Y, T), Y != X.\nquery P(X, T).", of("a", 0), id="compared"),
        pytest.param(
            "chance A(_, _) = 5%.\nP(X, T) :- A(X, T), B(X, T+1).\nquery P(X, T).",
            of("a", 0),
            id="undeclared",
        ),
        pytest.param(
            temp("1") + "P(X, T) :- Temp(X, _, T).\nquery P(X, T).", of("wt2", 0), id="names an open value"
        ),
        pytest.param(
            temp("0", "chance Temp(_, _, _) = 5%. delay Temp(_, high, _) = 1.")
            + "P(X, T) :- Temp(X, _, T).\nquery P(X, T).",
            of("wt2", 0),
            id="delay of an open value",
        ),
        pytest.param(
            temp("0", "chance Temp(_, _, _) = 5%.")
            + "P(X, T) :- Temp(X, _, T), not Temp(X, high, T+1).\nquery P(X, T).",
            of("wt2", 0),
            id="one fact of two series",
        ),
        pytest.param(
            temp("0", "chance Temp(_, _, _) = 60%.", " , one per device") + CALM, of("wt2", 0), id="crowded"
        ),
        pytest.param(
            temp("0", "chance Temp(_, _, _) = 5%.", ", one per device")
            + "P(X, T) :- Temp(X, high, T), not Temp(_, low, T).\nquery P(X, T).",
            of("wt2", 0),
            id="open slot",
        ),
    ],
)
def test_no_chance(text: str, answer: Answer) -> None:
    assert asked(text, [], 0, answer) is None


def test_of_what_is_decided_no_chance_need_be_declared() -> None:
    text = (
        "input A(x: text, time) delay 1.\ninput B(x: text, time).\nchance B(_, _) = 20%.\n"
        "P(X, T) :- A(X, T), not B(X, T+1).\nquery P(X, T)."
    )
    assert parts(given_chance(text, [A0], 0, of("a", 0))) == approx(0.8, (1, 0.8))
    assert asked(text, [], 0, of("a", 0)) is None  # A may still come, and nobody knows how likely that is
    assert parts(given_chance(text, [], 1, of("a", 0))) == approx(0)


def test_no_chance_of_what_cannot_be() -> None:
    text = "input A(x: text, time).\nchance A(_, _) = 0%.\nP(X, T) :- A(X, T), A(X, T+1).\nquery P(X, T)."
    assert asked(text, [A0], 0, of("a", 0)) is None
    assert asked(text, [], 0, of("a", 1)) == Chance(0, (), 0)


def test_too_much_is_not_enumerated() -> None:
    body = ", ".join(f"Temp(X, high, T+{i})" for i in range(17))
    with pytest.raises(TooManyWorldsError):
        asked(temp("0 (100%)") + f"P(X, T) :- {body}.\nquery P(X, T).", [], 0, of("wt2", 1))
