"""antelog/engine/step/{lines,literals}.py: how open answers end in silence, and by when they are decided."""

from __future__ import annotations

import pytest

from tests.engine.telling import Fact, reported

INPUTS = "input A(x, time) delay 1. input B(x, time) delay 3. static S(x). S(a). "

OPEN: dict[str, tuple[str, list[Fact], str]] = {
    "it ends when the first fact it waits for is due": (
        "P(X, T) :- A(X, T), A(X, T+1), B(X, T).",
        [("A", "a", 1, 1)],
        "rejected at 3, decided by 4",
    ),
    "of two explanations with the last that is left": (
        "P(X, T) :- A(X, T), A(X, T+1).  P(X, T) :- A(X, T), B(X, T+1).",
        [("A", "a", 1, 1)],
        "rejected at 5, decided by 5",
    ),
    "an absence is confirmed": (
        "P(X, T) :- A(X, T), not B(X, T).",
        [("A", "a", 1, 1)],
        "confirmed at 4, decided by 4",
    ),
    "what is negated may be due sooner than that is decided": (
        "Both(X, T) :- A(X, T+1), B(X, T+2).  P(X, T) :- A(X, T), not Both(X, T).",
        [("A", "a", 1, 1)],
        "confirmed at 3, decided by 6",
    ),
    "nothing bounds it": ("P(X, T) :- A(X, T), B(X, U).", [("A", "a", 1, 1)], ""),
}


@pytest.mark.parametrize("name", OPEN)
def test_what_is_known_ahead(name: str) -> None:
    rules, facts, expected = OPEN[name]
    lines = reported(f"{INPUTS}{rules} query P(X, T).", facts, 1)[1]
    (line,) = (line for line in lines if line.startswith("possible P(a, 1)"))
    _, _, ahead = line.partition(" | ")
    assert ahead.endswith(expected)
    assert ("decided" in ahead) == bool(expected)


def test_a_fact_that_takes_the_slot_ends_it_at_once() -> None:
    text = "input A(x, level, time) delay 1{}. P(X, T) :- A(X, high, T), A(X, high, T+1). query P(X, T)."
    facts = [("A", "a", "high", 1, 1), ("A", "a", "low", 2, 2)]
    ends = [max(reported(text.format(slot), facts, 4)) for slot in ("", ", one per x")]
    assert ends == [3, 2]


def test_an_answer_is_revised_when_what_it_was_said_to_become_is_overdue() -> None:
    text = """input A(x, time). input B(x, time) delay 1. Sure(X, T) :- B(X, T), B(X, T+1).
        P(X, T) :- A(X, T), not Sure(X, T). query P(X, T)."""
    # With B(a, 3) at 4, not Sure(a, 3) is not decided at 4, as was said at 3, but at 5.
    lines = reported(text, [("A", "a", 3, 3), ("B", "a", 3, 4)], 9)
    kinds = {tick: [line.split()[0] for line in found] for tick, found in lines.items()}
    assert kinds == {3: ["possible"], 4: ["revised"], 5: ["confirmed"]}


# ---- by when facts must have come ----

VALUES = "input A(time). input B(x: text, y: text, time) delay 1. query P(X, T). "


@pytest.mark.parametrize(
    ("rules", "deadline"),
    [
        ("delay B(a, b, _) = 3. P(X, T) :- A(T), B(X, b, T).", 4),
        ("delay B(a, b, _) = 3. P(X, T) :- A(T), B(X, c, T).", 2),
        # What a comparison says of an open value is not looked at.
        ("delay B(a, b, _) = 3. P(X, T) :- A(T), B(X, Y, T), X != a.", 4),
        # One value cannot be two.
        ("delay B(a, b, _) = 3. P(X, T) :- A(T), B(X, X, T).", 2),
        ("delay B(b, b, _) = 3. P(X, T) :- A(T), B(X, X, T).", 4),
        # What is declared for more values decides, for those that are known and for those that are not.
        ("delay B(a, _, _) = 3. delay B(a, b, _) = 0. P(X, T) :- A(T), B(X, b, T).", 2),
        ("delay B(a, _, _) = 3. delay B(a, b, _) = 0. P(X, T) :- A(T), B(X, c, T).", 4),
        ("delay B(_, b, _) = 0. delay B(a, b, _) = 3. P(X, T) :- A(T), B(X, b, T).", 4),
        ("delay B(_, b, _) = 0. delay B(_, c, _) = 3. P(X, T) :- A(T), B(X, b, T).", 1),
    ],
)
def test_deadline_of_an_open_value(rules: str, deadline: int) -> None:
    lines = reported(VALUES + rules, [("A", 1, 1)], 5)
    ends = [
        now for now, found in lines.items() for line in found if line.startswith(("rejected", "possible"))
    ]
    assert ends == [1, deadline] if deadline > 1 else not lines


def test_literals_with_open_values_have_deadlines_of_their_own() -> None:
    """B(b, a, 1) may come at 4, though R(a, 1), which it needs, then is late: each is looked at alone."""
    text = """input A(time). input B(x: text, y: text, time) delay 1. input R(y: text, time) delay 4.
        delay B(_, a, _) = 3. delay R(a, _) = 0. P(Y, T) :- A(T), B(X, Y, T), R(Y, T). query P(Y, T)."""
    assert reported(text, [("A", 1, 1)], 6) == {
        1: ["possible P(_, 1): A(1) | B(X, Y, 1), R(Y, 1), rejected at 4, decided by 5"],
        4: ["rejected P(_, 1): A(1) | B(X, Y, 1), R(Y, 1), because B(X, Y, 1)"],
    }


NEGATED = (
    "input A(x, time). input B(y, x, time) delay 2. input C(y, time) delay 9. {delays} {rule} query P(X, T)."
)


@pytest.mark.parametrize(
    ("rule", "delays", "decided"),
    [
        # C(Y, 1) may come until 10, so nothing else is to be decided later.
        ("P(X, T) :- A(X, T), C(Y, T), not B(Y, X, T).", "", 10),
        # B(Y, a, 13) until 15, for whichever Y
        ("P(X, T) :- A(X, T), C(Y, T), not B(Y, X, T+12).", "", 15),
        ("P(X, T) :- A(X, T), C(Y, T), not B(Y, X, T+12).", "delay B(slow, _, _) = 7.", 20),
        # U is 3 at most
        ("P(X, T) :- A(X, T), C(Y, U), not B(Y, X, U+9), U > T, U <= T+2.", "", 14),
    ],
)
def test_an_answer_is_decided_when_its_open_negations_are(rule: str, delays: str, decided: int) -> None:
    (line,) = reported(NEGATED.format(rule=rule, delays=delays), [("A", "a", 1, 1)], 1)[1]
    assert line.endswith(f"decided by {decided}")
