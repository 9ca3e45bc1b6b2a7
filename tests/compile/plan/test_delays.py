"""antelog/compile/plan/delays.py: δ of atoms with variables, the maximum over their instances."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from antelog.compile.literals.fact import Atom
from antelog.compile.literals.terms import Const, Term, Time, Var
from antelog.compile.nodes.plan import Input, Refinement
from antelog.compile.plan.delays import Declared, DelayTable, declared

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
        assert DelayTable(source).largest(atom.arguments) in source.delays


def test_of_declarations_those_with_more_constants_come_first() -> None:
    patterns: tuple[tuple[str | None, ...], ...] = (("a", None), ("b", None), ("a", "b"))
    refinements = tuple(Refinement(pattern, delay) for delay, pattern in enumerate(patterns))
    assert declared(Input("P", ("x", "y", "time"), (None, None), 9, refinements)) == (
        Declared((0, 1), {("a", "b"): 2}),
        Declared((0,), {("a",): 0, ("b",): 1}),
    )
