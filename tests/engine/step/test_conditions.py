"""antelog/engine/step/literal_texts.py: conditions that are still open, in the texts of answers."""

import pytest

import antelog

RISING = """
input P(x, v: number, time) delay 1.
Q(X, T) :- P(X, A, T), P(X, B, T+1), P(X, C, T+2), B >= A + 5, C >= B + 5.
query Q(X, T).
"""


@pytest.mark.parametrize(
    ("facts", "hypotheses"),
    [
        ([("a", 1, 0)], ["P(a, B, 1) where B >= 6, C >= B+5", "P(a, C, 2) where C >= B+5"]),
        ([("a", 1, 0), ("a", 9, 1)], ["P(a, C, 2) where C >= 14"]),
    ],
)
def test_sums_of_open_and_of_known_values(facts: list[tuple[str, int, int]], hypotheses: list[str]) -> None:
    """Of some literals no row has such a sum: their texts are none, and still texts."""
    engine = antelog.Engine(antelog.parse(RISING))
    engine.advance(0, {"P": [fact for fact in facts if fact[2] == 0]})
    engine.advance(1, {"P": [fact for fact in facts if fact[2] == 1]})
    (row,) = (row for row in engine.answers("Q").to_pylist() if row["T"] == 0)
    assert hypotheses in [explanation["hypotheses"] for explanation in row["explanations"]]


def test_background_that_must_not_be_there() -> None:
    program = antelog.parse(
        "input Badge(door, x, time) delay 1. input Open(door, time). static Staff(x, y). Staff(ann, day). "
        "Stranger(D, T) :- Open(D, T), Badge(D, X, T+1), Badge(D, Y, T+2), not Staff(X, _), not Staff(X, Y). "
        "query Stranger(D, T)."
    )
    engine = antelog.Engine(program)
    engine.advance(0, {"Open": [("d1", 0)]})
    ((only,),) = engine.answers("Stranger").column("explanations").to_pylist()
    assert only["evidence"] == ["Open(d1, 0)"]
    assert only["hypotheses"] == [
        "Badge(d1, X, 1) where not Staff(X, _), not Staff(X, Y)",
        "Badge(d1, Y, 2) where not Staff(X, Y)",
    ]
    engine.advance(1, {"Badge": [("d1", "bob", 1)]})
    hypotheses = [e["hypotheses"] for e in engine.answers("Stranger").to_pylist()[0]["explanations"]]
    assert ["Badge(d1, Y, 2) where not Staff(bob, Y)"] in hypotheses
