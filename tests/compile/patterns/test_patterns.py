"""antelog/compile/patterns/{resolve,relations}.py: the patterns are those of the specification."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import assume, event, given, note

from antelog.compile import compile_program
from antelog.compile.literals import StaticAtom
from antelog.compile.literals.terms import Const, Operand, Sum, Time, Var
from antelog.compile.nodes.patterns import Pattern as Compiled
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.show.explain import plan_text
from antelog.diagnostics import Source, errors_of
from antelog.language import Checked, read
from antelog.language.syntax import number
from antelog.language.vocabulary import Predicate, PredicateKind, Vocabulary
from tests.compile.plans import plan_of
from tests.few_literals import programs as programs_of_few_literals
from tests.specification import RefusedError, Stream, TooManyDerivationsError, evaluate
from tests.specification import terms as told
from tests.specification.literals.literal import Lowering
from tests.specification.patterns import Pattern
from tests.specification.reading import bodies
from tests.specification.subsumption import subsumes
from tests.strategies import programs


def specified(pattern: Compiled) -> Pattern:
    """A pattern, by the texts of its literals."""
    names = (each.predicate for each in pattern.literals if isinstance(each, StaticAtom))
    lowering = Lowering(Vocabulary({name: Predicate(name, PredicateKind.STATIC, (), ()) for name in names}))
    head = ", ".join((*pattern.answered, "0"))
    texts = ", ".join(each.text for each in pattern.literals)
    return Pattern(
        (*map(_term, pattern.answer), _operand(pattern.time)),
        tuple(bodies(texts, lowering, head) if texts else ()),
        {each.variable: each.tick for each in pattern.earliest},
    )


def asked(relation: Relation, kept: tuple[bool, ...]) -> told.Atom:
    """What a relation for a negation asks for: `ANY` where it keeps no argument."""
    names = iter(relation.answer.variables)
    arguments = (told.Variable(next(names)) if is_kept else told.ANY for is_kept in kept)
    return told.Atom(relation.predicate, (*arguments, told.Variable(relation.answer.time or "T")))


def _term(term: Operand | None) -> told.Term:
    return told.ANY if term is None else _operand(term)


def _operand(operand: Operand) -> told.Term:
    match operand:
        case Time(None, offset):
            return offset
        case Time(str(variable), offset) | Sum(variable, offset):
            return told.Variable(variable, number(offset))
        case Var(name):
            return told.Variable(name)
        case Const(value):
            return value
        case _:
            raise TypeError(operand)


def _agree(checked: Checked, plan: Plan) -> None:
    program = evaluate(checked, Stream(()), 0).program
    for query in program.queries:
        _same(query.name, map(specified, plan.relation(query.name).patterns), query.patterns)
    references = {
        reference
        for relation in plan.relations
        for pattern in relation.patterns
        for literal in pattern.asked
        for reference in literal.references
    }
    for each in references:
        relation = plan.relation(each.name)
        atom = asked(relation, tuple(place in each.kept for place in range(len(each.arguments))))
        _same(relation.name, map(specified, relation.patterns), program.patterns_of(atom))


def _same(name: str, found: Iterable[Pattern], expected: Iterable[Pattern]) -> None:
    """Whether each pattern says the same as one of the others."""
    here, there = list(found), list(expected)
    for one, others in (*((p, there) for p in here), *((p, here) for p in there)):
        assert any(subsumes(one, other) and subsumes(other, one) for other in others), f"{name}: {one}"
    assert len(here) == len(there), name


def _compile(checked: Checked) -> Plan:
    """The plan; chains within one tick have none, so programs with these are not looked at."""
    compiled = compile_program(checked)
    assert {d.code for d in errors_of(compiled.diagnostics)} <= {"E408", "E601", "E602"}
    assume(compiled.plan is not None)
    assert compiled.plan is not None
    return compiled.plan


@given(programs() | programs_of_few_literals())
def test_plans_have_the_patterns_of_the_specification(text: str) -> None:
    checked = read(Source(text))
    assume(checked.ok)
    try:
        evaluate(checked, Stream(()), 0)
    except (RefusedError, TooManyDerivationsError):
        assume(False)
    plan = _compile(checked)
    note(plan_text(plan))
    _agree(checked, plan)


@given(programs() | programs_of_few_literals())
def test_what_is_refused_has_no_plan(text: str) -> None:
    """And what is not refused has one, unless evidence for it may have any size."""
    checked = read(Source(text))
    assume(checked.ok)
    compiled = compile_program(checked)
    refused = False
    try:
        evaluate(checked, Stream(()), 0)
    except RefusedError:
        refused = True
    except TooManyDerivationsError:
        assume(False)
    codes = {d.code for d in errors_of(compiled.diagnostics)} - {"E601", "E602", "E603"}
    event("refused" if refused else "not refused")
    assert bool(codes) == refused


def test_a_time_of_its_own_may_be_any_tick_from_0_on() -> None:
    text = (
        "input A(x: text, time). input B(x: text, time). "
        "P(X, T) :- A(X, T), B(X, U-2), U-1 <= T, not A(X, T+1). query P(X, T)."
    )
    plan = plan_of(text)
    (pattern,) = plan.relation("P").patterns
    assert pattern.text == "A(X, T), B(X, U), not A(X, T+1), U+1 <= T"
    assert {(first.variable, first.tick) for first in pattern.earliest} == {("T", 0), ("U", 0)}
