"""tests/specification/{worlds,resting}.py: chances computed by hand, and what has none."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from antelog.diagnostics import Source
from antelog.language import read
from antelog.language.syntax import Value
from tests.specification.helpers import Fact, arriving, stream_of
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


# ---- chances ----

LOST = "input A(x: text, time) delay 0 (90%).\nchance A(_, _) = 20%.\n"
AGAIN = LOST.replace("20%", "20%, again 90%")
OF_A, NOT_A = (
    "P(X, T) :- A(X, T). query P(X, T).",
    "static S(x). S(a). P(X, T) :- S(X), not A(X, T). query P(X, T).",
)
IS_HIGH = "P(X, T) :- Temp(X, high, T). query P(X, T)."
TWO = "chance Temp(_, high, _) = 10%, again 60%.\nchance Temp(_, low, _) = 40%, again 50%."
CALM = "P(X, T) :- Temp(X, high, T), not Temp(X, low, T+1).\nquery P(X, T)."
SURE, SLOW = (temp(delay, TWO, ", one per device") for delay in ("0 (100%)", "1 (50%, 50%)"))
ALIKE = SLOW.replace("60%", "50%") + IS_HIGH
REST = (
    temp(
        "1 (50%, 50%)",
        "chance Temp(_, high, _) = 10%, again 60%.\nchance Temp(_, _, _) = 30%.",
        ", one per device",
    )
    + IS_HIGH
)
REFINED = temp("0 (100%)", "chance Temp(_, _, _) = 20%.\ndelay Temp(wt4, _, _) = 1 (25%, 25%).") + IS_HIGH
OPEN = "input A(x, v: number, time) delay 1 (50%, 50%).\nchance A(_, _, _) = 20%, again 90%.\n"
OPEN += "P(X, T) :- A(X, _, T), not A(X, _, T+1). query P(X, T)."
NOT_HIGH = temp("1 (50%, 50%)") + "P(X, T) :- not Temp(X, high, T). query P(X, T)."
AB = "input A(x: text, time). input B(x: text, time) delay 1 (50%, 50%).\n"
AB += "chance A(_, _) = 20%. chance B(_, _) = 25%.\n"
NOT_B = "static S(x). S(a). P(X, T) :- S(X), not B(X, T). query P(X, T)."
THREE = "".join(
    f"input {n}(x: text, time). chance {n}(_, _) = {p}%.\n" for n, p in (("A", 20), ("B", 25), ("C", 40))
)
THREE += "P(X, T) :- A(X, T), B(X, T+1). P(X, T) :- C(X, T+3). query P(X, T)."
BOTH = AB + "P(X, T) :- A(X, T), B(X, T+1). P(X, T) :- A(X, T+2), B(X, T+1). query P(X, T)."
DERIVED = AB + "Q(X, T) :- B(X, T), A(X, T+1). P(X, T) :- A(X, T), not Q(X, T+1). query P(X, T)."
LATER = AB + "P(X, T) :- A(X, T), B(X, U), U > T, U <= T + 2. query P(X, T)."
NO_B = AB + "P(X, T) :- A(X, T), not B(X, T+1). query P(X, T)."
THRICE = temp("0 (100%)") + HIGH.replace(".", ", Temp(X, high, T+2).", 1)
DECIDED = "input A(x: text, time) delay 1. input B(x: text, time). chance B(_, _) = 20%. "
DECIDED += "P(X, T) :- A(X, T), not B(X, T+1). query P(X, T)."
AT2 = 0.05 * 0.8 + 0.95 * 0.05  # it did not come at tick 0, and the chain goes on to tick 2 by itself
TRUTH = (0.8 * 0.2 + 0.02 * 0.9) / 0.82  # of what was lost, which is 0.2 * 0.1
NOW, BEFORE = "0: Temp(wt2, high, 0)", "0: A(a, 0)"

CHANCES: dict[str, tuple[str, str, int, Answer, object]] = {
    "after a fact it comes again": (THRICE, NOW, 0, of("wt2", 0), approx(0.64, (2, 0.64))),
    "before any fact it has to come first": (
        temp("0 (100%)") + HIGH, "", 0, of("wt2", 2), approx(AT2 * 0.8, (3, AT2 * 0.8))
    ),
    "by when it is confirmed follows from the shares": (
        temp("1 (70%, 30%)") + HIGH, NOW, 0, of("wt2", 0), approx(0.8, (1, 0.56), (2, 0.8))
    ),
    "silence makes it less likely": (
        temp("1 (70%, 30%)") + HIGH, NOW, 1, of("wt2", 0), approx(0.24 / 0.44, (2, 0.24 / 0.44))
    ),
    "without shares each delay is as likely": (
        temp("1") + HIGH, NOW, 1, of("wt2", 0), approx(0.4 / 0.6, (2, 0.4 / 0.6))
    ),
    "a confirmed answer": (
        temp("0 (100%)") + HIGH, f"{NOW}; 1: Temp(wt2, high, 1)", 1, of("wt2", 0), approx(1)
    ),
    "a rejected answer": (temp("0 (100%)") + HIGH, NOW, 1, of("wt2", 0), approx(0)),
    # Loss
    "a lost fact holds all the same": (LOST + OF_A, "", 0, of("a", 1), approx(0.18, (1, 0.18), holds=0.2)),
    "also when it did not come": (LOST + OF_A, "", 1, of("a", 1), approx(0, holds=0.02 / 0.82)),
    "a confirmed absence may not hold": (LOST + NOT_A, "", 1, of("a", 1), approx(1, holds=0.8 / 0.82)),
    "what was lost persists": (
        AGAIN + OF_A, "", 0, of("a", 1), approx(0.9 * TRUTH, (1, 0.9 * TRUTH), holds=TRUTH)
    ),
    # Slots
    "facts of a slot exclude each other": (SURE + CALM, NOW, 0, of("wt2", 0), approx(0.6, (1, 0.6))),
    "at the same tick, too": (SURE + CALM.replace("T+1", "T"), "", 0, of("wt2", 1), approx(0.1, (1, 0.1))),
    # 60 of 100 are high again, half of them at once; else low, or its absence is certain one tick later.
    "what takes a slot settles it": (SLOW + CALM, NOW, 0, of("wt2", 0), approx(0.6, (1, 0.3), (2, 0.6))),
    # From low to high it is 10 in 100, and so it is from none.
    "a kind of fact that no literal has takes the slot as well": (
        SURE + IS_HIGH, "0: Temp(wt2, low, 0)", 0, of("wt2", 1), approx(0.1, (1, 0.1))
    ),
    # While a fact about tick 1 may still come, it may as well be a low one.
    "it may still come": (
        SLOW + IS_HIGH, "0: Temp(wt2, low, 0)", 1, of("wt2", 1), approx(0.05 / 0.7, (2, 0.05 / 0.7))
    ),
    "a fact that was not foreseen takes the slot": (
        ALIKE, f"{NOW}; 1: Temp(wt2, mid, 1)", 1, of("wt2", 1), approx(0)
    ),
    "and is as none for the next": (
        ALIKE, f"{NOW}; 1: Temp(wt2, mid, 1)", 1, of("wt2", 2), approx(0.1, (2, 0.05), (3, 0.1))
    ),
    "a declaration for any value is about what is left": (
        REST, "0: Temp(wt2, mid, 0)", 1, of("wt2", 1), approx(0.05 / 0.8, (2, 0.05 / 0.8))
    ),
    # Which declaration decides, and open columns
    "shares of a refined delay": (REFINED, "", 0, of("wt4", 1), approx(0.1, (1, 0.05), (2, 0.1), holds=0.2)),
    "a column left open is any value": (
        OPEN, "0: A(a, 7, 0); 1: A(a, 8, 0)", 1, of("a", 0), approx(0.1 / 0.55, (2, 0.1 / 0.55))
    ),
    "all others are a value that no fact has": (NOT_HIGH, "", 0, of(OTHERS, 0), approx(1, (1, 1))),
    "and one that a fact has is another": (NOT_HIGH, "1: Temp(wt2, high, 0)", 1, of("wt2", 0), approx(0)),
    # Negation, alternatives, times
    "negation": (NO_B, BEFORE, 0, of("a", 0), approx(0.75, (2, 0.75))),
    "negation in silence": (NO_B, BEFORE, 1, of("a", 0), approx(0.75 / 0.875, (2, 0.75 / 0.875))),
    # The absence of `A` about tick 2 is certain at 2, and so is that of `B` about tick 1.
    "negation of what is derived": (DERIVED, BEFORE, 0, of("a", 0), approx(0.95, (2, 0.95))),
    "an absence that the clock tells": (
        AB + NOT_B, "", 0, of("a", 0), approx(0.75 / 0.875, (1, 0.75 / 0.875))
    ),
    "one to come": (AB + NOT_B, "", 0, of("a", 2), approx(0.75, (3, 0.75))),
    "rejected at 1 and confirmed at 3": (THREE, BEFORE, 0, of("a", 0), approx(0.55, (1, 0.25), (3, 0.55))),
    "after 1": (THREE, BEFORE, 1, of("a", 0), approx(0.4, (3, 0.4))),
    "after 3": (THREE, BEFORE, 3, of("a", 0), approx(0)),
    "open times take every tick": (
        LATER, BEFORE, 0, of("a", 0), approx(1 - 0.5625, (1, 0.125), (2, 1 - 0.75 * 0.875), (3, 1 - 0.5625))
    ),
    "of what is decided no chance need be declared": (DECIDED, BEFORE, 0, of("a", 0), approx(0.8, (1, 0.8))),
    "whatever it came to": (DECIDED, "", 1, of("a", 0), approx(0)),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANCES)
def test_chances(name: str) -> None:
    text, facts, now, answer, expected = CHANCES[name]
    assert parts(given_chance(text, arriving(facts), now, answer)) == expected


def test_one_fact_in_two_derivations_is_one() -> None:
    assert given_chance(BOTH, [], 0, of("a", 1)).chance == pytest.approx(0.25 * (1 - 0.8 * 0.8))


def test_the_caller_may_give_shares() -> None:
    checked = read(Source(temp("1") + HIGH))
    worlds = Worlds(checked, stream_of(arriving(NOW)), 1, shares=lambda _name, _delay: (0.75, 0.25))
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


def test_time_may_begin_later() -> None:
    checked = read(Source(temp("0 (100%)") + "P(X, T) :- Temp(X, high, T).\nquery P(X, T)."))
    found = Worlds(checked, stream_of([]), 6, begin=7).chance_of("P", of("wt2", 7))
    assert found is not None
    assert found.chance == pytest.approx(0.05)


def test_the_declaration_with_the_most_constants_decides() -> None:
    declared = "chance Temp(_, high, _) = 5%.\nchance Temp(wt4, high, _) = 25%.\nchance Temp(_, _, _) = 1%."
    text = temp("0 (100%)", declared) + "P(X, T) :- Temp(X, high, T).\nquery P(X, T)."
    assert given_chance(text, [], 0, of("wt4", 1)).chance == pytest.approx(0.25)
    assert given_chance(text, [], 0, of("wt2", 1)).chance == pytest.approx(0.05)


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


def test_of_what_is_open_chances_have_to_be_declared() -> None:
    assert asked(DECIDED, [], 0, of("a", 0)) is None  # A may still come, and nobody knows how likely that is


def test_no_chance_of_what_cannot_be() -> None:
    text = "input A(x: text, time).\nchance A(_, _) = 0%.\nP(X, T) :- A(X, T), A(X, T+1).\nquery P(X, T)."
    assert asked(text, arriving(BEFORE), 0, of("a", 0)) is None
    assert asked(text, [], 0, of("a", 1)) == Chance(0, (), 0)


def test_too_much_is_not_enumerated() -> None:
    body = ", ".join(f"Temp(X, high, T+{i})" for i in range(17))
    with pytest.raises(TooManyWorldsError):
        asked(temp("0 (100%)") + f"P(X, T) :- {body}.\nquery P(X, T).", [], 0, of("wt2", 1))
