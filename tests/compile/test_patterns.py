"""The patterns of a plan against the specification: they have the same minimal derivations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hypothesis import assume, given, note, settings

from antelog.compile import compile_program, from_json, to_json
from antelog.compile.explain import pattern_text
from antelog.compile.plan import Negated, Plan
from antelog.diagnostics import Source, errors_of
from antelog.language import Checked, read
from antelog.language.syntax import Value
from antelog.reference import Stream, evaluate
from antelog.reference.atoms import Anything, Atom, match
from tests.compile.instances import Literals, instances
from tests.strategies import programs


def _minimal(sets: Iterable[Literals], latest: int) -> set[Literals]:
    """The sets that contain no other, leaving out those that speak of ticks after the latest."""
    found = {s for s in sets if all(literal.atom.time <= latest for literal in s)}
    return {s for s in found if not any(other < s for other in found)}


Wanted = tuple[str, tuple[tuple[str, Value], ...]]
"""A relation, and values for its variables."""


def _wanted(atom: Atom, plan: Plan, checked: Checked) -> Iterator[Wanted]:
    """The relations an atom belongs to, as an answer to a query or as what a negation asks for."""
    for query in checked.document.queries:
        bound = match(query.atom, atom, {}) if query.atom.predicate == atom.predicate else None
        if bound is not None and not atom.projected:
            yield query.atom.predicate, tuple(sorted(bound.items()))
    kept = tuple(not isinstance(a, Anything) for a in atom.arguments[:-1])
    values = tuple(a for a in atom.arguments if not isinstance(a, Anything))
    negations = {n for r in plan.relations for p in r.patterns for n in p.negations}
    for name in {n.relation for n in negations if n.predicate == atom.predicate and _kept(n) == kept}:
        relation = plan.relation(name)
        yield name, tuple(sorted(zip((*relation.variables, relation.time or ""), values, strict=True)))


def _kept(negation: Negated) -> tuple[bool, ...]:
    return tuple(a is not None for a in negation.arguments)


def _agree(checked: Checked, plan: Plan, until: int = 2) -> None:
    evaluation = evaluate(checked, Stream(()), until)
    expected: dict[Wanted, set[Literals]] = {}
    for atom, derivations in evaluation.derivations.items():
        if atom.time <= until + 1:
            for wanted in _wanted(atom, plan, checked):
                expected.setdefault(wanted, set()).update(d.literals for d in derivations)
    for (name, values), sets in expected.items():
        found = _minimal(instances(plan, plan.relation(name), dict(values), evaluation.program), until + 3)
        minimal = _minimal(sets, until + 3)
        assert found == minimal, f"{name} {values}: {_texts(found)} instead of {_texts(minimal)}"
    note(f"{len(expected)} atoms compared")


def _compile(checked: Checked) -> Plan:
    """The plan; chains within one tick have none, so programs with these are not looked at."""
    compiled = compile_program(checked)
    assert {d.code for d in errors_of(compiled.diagnostics)} <= {"E601"}
    assume(compiled.plan is not None)
    assert compiled.plan is not None
    return compiled.plan


def _texts(sets: set[Literals]) -> list[list[str]]:
    return sorted(sorted(map(str, s)) for s in sets)


@given(programs())
def test_plans_have_the_derivations_of_the_specification(text: str) -> None:
    checked = read(Source(text))
    plan = _compile(checked)
    note(str(plan))
    _agree(checked, plan)


@settings(max_examples=max(1, settings().max_examples // 5))
@given(programs())
def test_plans_survive_json(text: str) -> None:
    plan = _compile(read(Source(text)))
    again = from_json(to_json(plan))
    assert again == plan
    assert str(again) == str(plan)


def test_a_time_of_its_own_may_be_any_tick_from_0_on() -> None:
    text = (
        "input A(x: text, time). input B(x: text, time). "
        "P(X, T) :- A(X, T), B(X, U-2), U-1 <= T, not A(X, T+1). query P(X, T)."
    )
    plan = compile_program(read(Source(text))).plan
    assert plan is not None
    (pattern,) = plan.relation("P").patterns
    assert pattern_text(pattern) == "A(X, T), B(X, U), not A(X, T+1), U+1 <= T"
    assert {(first.variable, first.tick) for first in pattern.earliest} == {("T", 0), ("U", 0)}
