"""antelog/engine/truth/open_negations.py: by when all has come that an open negation may rest on."""

from __future__ import annotations

import pytest

from tests.engine.telling import reported

RULES = (
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
    (line,) = reported(RULES.format(rule=rule, delays=delays), [("A", "a", 1, 1)], 1)[1]
    assert line.endswith(f"decided by {decided}")
