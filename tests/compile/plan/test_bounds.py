"""antelog/compile/plan/bounds.py: bounds hold on random streams, and are tight on examples."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.compile.literals import Atom
from antelog.compile.literals.terms import Const, Term, Time, Var
from antelog.compile.nodes.plan import Input, Refinement
from antelog.compile.plan.bounds import DelayTable
from tests.compile.plans import plan_of, possible_plan, rules_of
from tests.specification import snapshots
from tests.specification.helpers import evaluation_of
from tests.specification.stream import time_of
from tests.strategies import Case, cases


@pytest.mark.slow
@given(cases())
def test_answers_are_settled_in_time_and_rest_on_recent_facts(case: Case) -> None:
    plan = possible_plan(case.checked)
    for report in snapshots(evaluation_of(case)):
        relation = plan.relation(report.query)
        answer = dict(report.answer)
        tick = answer[relation.answer.time] if relation.answer.time is not None else None
        bounds = relation.bounds
        if bounds.delay is None or not isinstance(tick, int):
            continue
        if report.confirmed:
            assert report.tick <= max(tick, tick + bounds.delay)
        else:
            assert report.tick < tick + bounds.delay
        evidence = (li for e in report.explanations for li in e.evidence if li.positive)
        times = [time_of(atom) for li in evidence for atom in [li.body.goal] if atom]
        if bounds.window is not None and times:
            assert min(times) > report.tick - bounds.window


TURBINES = """
input Temp(device, level, time) delay 1.
delay Temp(wt4, _, _) = 3.
Flag(X, T) :- Temp(X, high, T).
Cool(X, T+1) :- Flag(X, T), Flag(X, T+1).
Shdn(X, T+1) :- Cool(X, T), Flag(X, T+1).
"""


@pytest.mark.parametrize(
    ("rules", "delay", "window"),
    [
        (TURBINES + "Q(X, T-2) :- Shdn(X, T).", 5, 6),
        (TURBINES + "Q(X, T) :- Shdn(X, T).", 3, 6),
        (TURBINES + "Q(X, T-2) :- Shdn(X, T), X != wt4.", 5, 6),
        (TURBINES + "Q(wt2, T-2) :- Shdn(wt2, T).", 3, 4),
        ("Q(X, T) :- A(X, T).", 0, 1),
        ("Q(X, T) :- A(X, T-5).", -5, 1),
        ("Q(X, T) :- A(X, T+5).", 5, 1),
        ("Q(X, T) :- A(X, T), B(X, T2), T2 >= T, T2 < T + 4.", 3, 4),
        ("Q(X, T) :- A(X, T), B(X, T2).", None, None),
        ("Q(X, 3) :- A(X, T).", None, None),
        ("Q(X, 3) :- A(X, 5).", 2, 1),
        ("Q(X, T) :- A(X, T), not B(X, T+2).", 2, 3),
        ("Q(T+1) :- A(T+1), not Q(T).", 0, None),
    ],
)
def test_bounds_of_examples(rules: str, delay: int | None, window: int | None) -> None:
    arguments = "T" if "Q(T+1)" in rules else "X, T"
    relation = next(plan_of(f"{rules} query Q({arguments}).").queries)
    assert relation.bounds.delay == delay
    if window is not None or delay is None:
        assert relation.bounds.window == window


def test_negations_ask_as_long_as_their_answers_are_open() -> None:
    plan = plan_of("Q(X, T) :- A(X, T+3), not B(X, T-1). B(X, T) :- C(X, T). query Q(X, T).")
    negated = plan.relation("B(X, T)")
    assert negated.bounds.asked_by == ("Q",)
    assert negated.bounds.kept == 4  # B at T-1 may be asked for until Q about T is decided, at T+3
    plan = plan_of("Q(X, T) :- A(X, T), B(X, T2), not C(X, T2). query Q(X, T).")
    assert plan.relation("C(c0, time)").bounds.kept is None


def test_evidence_that_piles_up_is_named() -> None:
    plan = plan_of("Q(X, 0) :- A(X, T1), B(X, T2). query Q(X, T).")
    assert plan.relation("Q").bounds.piling_up == "T2"
    plan = plan_of("Q(X, 0) :- A(X, T1), B(X, T2), T2 >= T1, T2 <= T1 + 3. query Q(X, T).")
    assert plan.relation("Q").bounds.piling_up is None
    plan = plan_of("Q(X, T) :- A(X, T), B(X, 5). query Q(X, T).")
    assert plan.relation("Q").bounds.piling_up is None


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("input A(x, time). Q(X, T) :- A(X, T). query Q(X, T).", {"A": -1}),
        # P about T is decided at T + 2, and rests on the A of three ticks before.
        (
            "input A(time) delay 2. input B(time) delay 2. P(T) :- A(T-3), B(T). query P(T).",
            {"A": -6, "B": -3},
        ),
        # through a negation as well
        (
            """input A(x, time). input B(x, time) delay 1. C(X, T) :- B(X, T-4).
                Q(X, T) :- A(X, T), not C(X, T). query Q(X, T).""",
            {"A": -1, "B": -5},
        ),
        # Any B will do, however old.
        ("input A(x, time). input B(x, time). Q(X, T) :- A(X, T), B(X, U). query Q(X, T).", None),
        # What holds a slot matters until no other fact can claim it: a slow one may, until 9 ticks later.
        (
            """input A(x, y, time) delay 9, one per y. delay A(fast, _, _) = 0.
                Q(Y, T) :- A(fast, Y, T). query Q(Y, T).""",
            {"A": -9},
        ),
    ],
)
def test_counted_from_now(text: str, needed: dict[str, int] | None) -> None:
    found = rules_of(text).needed
    assert found == (dict.fromkeys(found) if needed is None else needed)


def test_how_far_before_its_own_time_the_facts_of_an_atom_lie() -> None:
    text = "input A(x, time). Q(X, T) :- A(X, T-3), not P(X, T-1). P(X, T) :- A(X, T-5). query Q(X, T)."
    assert rules_of(text).reaches["Q"] == 6
    loop = "input A(x, time). Q(X, T) :- A(X, T), not Q(X, T-1). query Q(X, T)."
    assert rules_of(loop).reaches["Q"] is None


VALUES = ("a", "b")
NEW = ("u", "v", "w")  # values no declaration names


@st.composite
def inputs(draw: st.DrawFn) -> Input:
    pattern = st.tuples(*[st.sampled_from((*VALUES, None))] * 3)
    patterns = draw(st.lists(pattern, unique=True, max_size=6))
    delays = [draw(st.integers(0, 5)) for _ in patterns]
    refinements = tuple(Refinement(p, d) for p, d in zip(patterns, delays, strict=True))
    return Input(
        "P", ("x", "y", "z", "time"), (None,) * 3, draw(st.integers(0, 5)), _without_conflicts(refinements)
    )


def _without_conflicts(refinements: tuple[Refinement, ...]) -> tuple[Refinement, ...]:
    """As the checks demand: equally specific declarations that overlap agree."""
    kept: list[Refinement] = []
    for new in refinements:
        overlapping = [
            old
            for old in kept
            if _constants(old) == _constants(new)
            and all(o is None or n is None or o == n for o, n in zip(old.pattern, new.pattern, strict=True))
        ]
        if all(old.delay == new.delay for old in overlapping):
            kept.append(new)
    return tuple(kept)


def _constants(refinement: Refinement) -> int:
    return sum(value is not None for value in refinement.pattern)


def _delay(source: Input, values: tuple[str, ...]) -> int:
    fitting = [
        r
        for r in source.refinements
        if all(want is None or want == have for want, have in zip(r.pattern, values, strict=True))
    ]
    return max(fitting, key=_constants).delay if fitting else source.delay


terms = st.sampled_from((Const("a"), Const("b"), Var("X"), Var("Y"), Var("Z")))


@given(inputs(), st.tuples(terms, terms, terms))
def test_largest_delay_is_that_of_some_instance_and_of_none_less(
    source: Input, arguments: tuple[Term, ...]
) -> None:
    names = sorted({a.name for a in arguments if isinstance(a, Var)})
    largest = -1
    for values in product((*VALUES, *NEW), repeat=len(names)):
        bound = dict(zip(names, values, strict=True))
        instance = tuple(bound[a.name] if isinstance(a, Var) else str(a.value) for a in arguments)
        largest = max(largest, _delay(source, instance))
    assert DelayTable(source).largest(arguments) == largest


@given(inputs())
def test_every_fact_has_one_of_the_delays_of_its_input(source: Input) -> None:
    for values in product((*VALUES, *NEW), repeat=3):
        atom = Atom("P", tuple(map(Const, values)), Time("T", 0))
        assert DelayTable(source).largest(atom.terms) in source.delays
