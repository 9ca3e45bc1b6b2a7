"""antelog/compile/plan/partition.py: keys of examples, and programs with keys for other tests."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from tests.compile.plans import plan_of
from tests.strategies import Case

OFFSETS = st.sampled_from(("", "", "+1", "+2", "-1"))
POSITIVE = ("A(X, T{})", "B(X, Y, T{})", "B(Z, X, T{})", "C(X, V, T{}), V >= 2", "B(X, X, T{})")
NEGATED = ("not A(X, T{})", "not B(X, _, T{})", "not B(_, X, T{})", "not C(X, 2, T{})")
OF_MANY = (
    *(
        "not A(X, T..T+2)",
        "not B(X, _, T-2..T-1)",
        "count(A(X, T-1..T+1)) >= 2",
        "count(B(X, _, T..T+1)) < 2",
    ),
    *("count(distinct N : B(X, N, T{}..T+2)) != 1", "sum(N : C(X, N, T-1..T), N >= 0) > 3"),
    *("avg(N : C(X, N, T..T+1)) < 2", "max(N : C(X, N, T-2..T)) <= 2", "min(N : C(X, N, T..T+2)) = 1"),
    *("last C(X, L, T-2..T) per X, L >= 2", "last C(X, 2, T..T+1) per X", "last B(X, Z, T-1..T) per X"),
    *("count(A(X, T-2..T)) < count(B(X, _, T..T+2))", 'not contains(X, "b")'),
)
INPUTS = (
    "input A(x, time) delay 1. input B(x: text, y: text, time). input C(x, v, time) delay 1. "
    "static S(x). S(a). S(b)."
)
TYPED = (
    "input A(x: text, time) delay 1. input B(x: text, y: text, time). "
    "input C(x: text, v: number, time) delay 1. static S(x: text). S(a). S(b)."
)
FACTS = {
    "A": (("a",), ("b",)),
    "B": (("a", "b"), ("a", "a"), ("b", "c")),
    "C": (("a", 2), ("b", 3), ("a", 1)),
}


@st.composite
def keyed(draw: st.DrawFn, inputs: str = INPUTS) -> Case:
    """A program in which X is everywhere, and a stream; most have a key."""
    rules = []
    for head, extra in (("P", ()), ("Q", ("P(X, T{})", "not P(X, T{})", "S(X)"))):
        for _ in range(draw(st.integers(1, 2))):
            body = [draw(st.sampled_from((*POSITIVE, *extra[:1])))]
            body += draw(
                st.lists(st.sampled_from((*POSITIVE, *NEGATED, *OF_MANY, *extra)), max_size=2, unique=True)
            )
            rules.append(f"{head}(X, T) :- {', '.join(literal.format(draw(OFFSETS)) for literal in body)}.")
    facts = []
    for name in draw(st.lists(st.sampled_from(sorted(FACTS)), min_size=2, max_size=7)):
        tick = draw(st.integers(0, 3))
        late = draw(st.integers(0, 1)) if name != "B" else 0
        facts.append((name, (*draw(st.sampled_from(FACTS[name])), tick), tick + late))
    return Case(f"{inputs} {' '.join(rules)} query Q(X, T).", tuple(facts), 4)


def _key(rules: str) -> dict[str, int] | None:
    plan = plan_of(rules)
    return {k.name: k.position for k in plan.key.positions} if plan.key else None


@pytest.mark.parametrize(
    ("rules", "key"),
    [
        ("Q(X, T) :- A(X, T), B(X, T+1). query Q(X, T).", {"A": 0, "B": 0, "Q": 0}),
        ("Q(Y, X, T) :- A(X, Y, T), B(Y, X, T+1). query Q(X, Y, T).", {"A": 0, "B": 1, "Q": 1}),
        ("Q(X, Y, T) :- A(X, Y, T). Q(X, Y, T) :- A(Y, X, T). query Q(X, Y, T).", None),
        ("Q(A, B, T) :- H(A, M, T), H(B, M, T+1). query Q(A, B, T).", None),
        ("Q(A, M, B, T) :- H(A, M, T), H(B, M, T+1). query Q(A, M, B, T).", {"H": 1, "Q": 1}),
        ("Q(X, T) :- A(X, T). Q(a, T) :- B(a, T). query Q(X, T).", None),
        ("Q(X, T) :- A(X, T), not B(X, T+1). query Q(X, T).", {"A": 0, "Q": 0, "B(c0, time)": 0, "B": 0}),
        ("Q(X, T) :- A(X, T), not B(X, T-1). query Q(X, T).", {"A": 0, "B": 0, "Q": 0, "B(c0, time)": 0}),
        ("Q(T) :- A(X, T). query Q(T).", None),
        ("static S(x). Q(X, T) :- S(X), not A(X, T). query Q(X, T).", {"A": 0, "Q": 0, "A(c0, time)": 0}),
        ("Q(X, T) :- not A(X, T). query Q(X, T).", {"A": 0, "Q": 0, "A(c0, time)": 0}),
        # What excludes each other stays together: the key is one of the slot's columns, or there is none.
        ("input A(x, y, time) one per x. Q(X, T) :- A(X, Y, T). query Q(X, T).", {"A": 0, "Q": 0}),
        ("input A(x, y, time) one per y. Q(X, T) :- A(X, Y, T). query Q(X, T).", None),
    ],
)
def test_keys_of_examples(rules: str, key: dict[str, int] | None) -> None:
    assert _key(rules) == key


def test_a_plan_without_a_key_says_why() -> None:
    why_not = plan_of("Q(T) :- A(X, T). query Q(T).").key.why_not
    assert why_not == "Q has no argument but its time; a column that all rules share could be the key"
    why_not = plan_of("Q(A, B, T) :- H(A, M, T), H(B, M, T). query Q(A, B, T).").key.why_not
    shared = "would have to share one variable with each other and with the answer"
    assert why_not == f"no argument of Q can be the key: H(A, M, T) and H(B, M, T) {shared}"
