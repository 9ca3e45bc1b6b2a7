"""antelog/language/checks/{bounds,crowded,percentages,refinements}.py: chances and shares, or why not."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.diagnostics import Source, errors_of
from antelog.language import Checked, read
from antelog.language.printer import percentage_text
from antelog.language.vocabulary import DeclaredChance, DeclaredOdds
from tests.tables import cases

RULE = "P(X, T) :- A(X, Y, Z, T).\nquery P(X, T)."


def checked(declared: str, slot: str = "") -> Checked:
    return read(Source(f"input A(x, y, z, time) delay 2{slot}.\n{declared}\n{RULE}"))


def codes(declared: str, slot: str = "") -> list[str]:
    return [d.code for d in errors_of(checked(declared, slot).diagnostics)]


def test_they_are_exact() -> None:
    odds = checked("chance A(_, a, 1.5, _) = 0.7%, again 80%.").vocabulary.odds_of("A")
    ((chance,), shares) = odds.chances, odds.shares
    assert chance.pattern == (None, "a", 1.5)
    assert (chance.once, chance.again) == (Fraction(7, 1000), Fraction(4, 5))
    assert shares is None
    assert checked("").vocabulary.odds_of("A") == DeclaredOdds()


def test_again_is_the_same_where_it_is_left_out() -> None:
    (chance,) = checked("chance A(_, _, _, _) = 5%.").vocabulary.odds_of("A").chances
    assert chance.again == chance.once == Fraction(1, 20)


def test_shares_belong_to_their_delay() -> None:
    vocabulary = checked("delay A(a, _, _, _) = 1 (33.3%, 66.7%).", " (70%, 20%, 8%)").vocabulary
    assert vocabulary.odds_of("A").shares == (Fraction(7, 10), Fraction(1, 5), Fraction(2, 25))
    assert vocabulary["A"].schedule.refinements[0].shares == (Fraction(333, 1000), Fraction(667, 1000))


@pytest.mark.parametrize(
    ("text", "fraction"),
    [("12.5%", Fraction(1, 8)), ("100%", 1.0), ("0%", 0), ("0.0001%", 1e-6), ("0.7%", Fraction(7, 1000))],
)
def test_a_percentage_as_text(text: str, fraction: float) -> None:
    assert percentage_text(fraction) == text


@cases(__file__, "what_is_accepted")
def test_what_is_accepted(declared: str) -> None:
    assert codes(declared) == []


def test_they_say_nothing_of_what_a_column_holds() -> None:
    assert checked("chance A(a, 1, _, _) = 1%.").vocabulary["A"].types == (None, None, None)


# ---- facts that exclude each other ----

CELLS = st.sampled_from(["_", "a", "b"])
DECLARED = st.lists(
    st.tuples(st.tuples(CELLS, CELLS, CELLS), st.integers(0, 10), st.integers(0, 10)), max_size=5
)


def deciding(chances: tuple[DeclaredChance, ...], fact: tuple[str, ...]) -> DeclaredChance | None:
    fitting = [c for c in chances if all(p in (None, v) for p, v in zip(c.pattern, fact, strict=True))]
    return max(fitting, key=lambda chance: chance.constants, default=None)


@given(DECLARED)
def test_slots_are_crowded_exactly_where_they_are(
    given_chances: list[tuple[tuple[str, str, str], int, int]],
) -> None:
    declared = "".join(
        f"chance A({', '.join(p)}, _) = {10 * once}%, again {10 * again}%.\n"
        for p, once, again in dict.fromkeys(given_chances)
    )
    found = checked(declared, ", one per x and y")
    errors = [d.code for d in errors_of(found.diagnostics)]
    if {"E110", "E101"} & set(errors):
        return
    chances = found.vocabulary.odds_of("A").chances
    crowded = False
    for slot in product("abc", repeat=2):
        # One fact for each value that declarations name there, and one for all others.
        named = {str(c.pattern[2] or "c") for c in chances}
        own = {
            v
            for v in named
            if any(str(c.pattern[2] or "c") == v and deciding((c,), (*slot, v)) for c in chances)
        }
        facts = [decided for v in sorted(own) if (decided := deciding(chances, (*slot, v)))]
        once = sum(c.once for c in facts)
        crowded |= any(once - c.once + max(c.once, c.again) > 1 for c in facts) and len(facts) > 1
    assert ("E112" in errors) is crowded
