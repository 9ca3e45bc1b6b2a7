"""Ground instances of the patterns of a plan, to compare them with the specification's derivations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from antelog.compile.comparisons import outcome
from antelog.compile.plan import (
    Atom,
    Comparison,
    Const,
    Literal,
    Operand,
    Pattern,
    Plan,
    Relation,
    StaticAtom,
    Sum,
    Term,
    Time,
    Var,
)
from antelog.language.syntax import Value, number
from antelog.reference import atoms as ground
from antelog.reference.program import Program

Bindings = dict[str, Value]
Literals = frozenset[ground.Literal]


def instances(
    plan: Plan, relation: Relation, wanted: Mapping[str, Value], program: Program
) -> Iterator[Literals]:
    """The literals of all instances of a relation's patterns that give its variables these values."""
    for pattern in relation.patterns:
        bound = _answer(relation, pattern, wanted)
        if bound is not None:
            for complete in _complete(pattern, bound, plan, program):
                yield frozenset(_literal(literal, complete) for literal in pattern.literals)


def _answer(relation: Relation, pattern: Pattern, wanted: Mapping[str, Value]) -> Bindings | None:
    bound: Bindings = {}
    for name, term in zip(relation.variables, pattern.answer, strict=True):
        value = wanted[name]
        known = bound.setdefault(term.name, value) if isinstance(term, Var) else term.value
        if known != value:
            return None
    tick = wanted[relation.time] if relation.time is not None else pattern.time.offset
    assert isinstance(tick, int)
    if pattern.time.variable is None:
        return bound if pattern.time.offset == tick else None
    bound[pattern.time.variable] = tick - pattern.time.offset
    return bound


def _complete(pattern: Pattern, bound: Bindings, plan: Plan, program: Program) -> Iterator[Bindings]:
    """The pattern's other variables in every way, so that all its conditions hold."""
    ranges = _ranges(pattern, plan, program)
    for static in (s for s in pattern.statics if not s.negated):
        for argument in static.arguments:
            if isinstance(argument, Var):
                ranges.setdefault(argument.name, program.ranges[None])
    free = [name for name in ranges if name not in bound]
    for values in product(*(ranges[name] for name in free)):
        complete = {**bound, **dict(zip(free, values, strict=True))}
        if _holds(pattern, complete, program):
            yield complete


def _ranges(pattern: Pattern, plan: Plan, program: Program) -> dict[str, tuple[Value, ...]]:
    inputs = {source.name: source for source in plan.inputs}
    found: dict[str, tuple[Value, ...]] = {}
    for literal in pattern.literals:
        if literal.time.variable is not None:
            found.setdefault(literal.time.variable, tuple(range(-9, program.last + 10)))
        if isinstance(literal, Atom):
            types, arguments = inputs[literal.predicate].types, literal.arguments
        else:
            types, arguments = plan.relation(literal.relation).types, literal.asked
        for argument, type_ in zip(arguments, types, strict=True):
            if isinstance(argument, Var):
                values = tuple(v for v in program.domain if _fits(v, type_))
                known = found.get(argument.name, values)
                found[argument.name] = tuple(v for v in known if v in values)
    return found


def _fits(value: Value, type_: str | None) -> bool:
    return type_ is None or isinstance(value, str) == (type_ == "text")


def _holds(pattern: Pattern, bound: Bindings, program: Program) -> bool:
    if any(_tick(literal.time, bound) < 0 for literal in pattern.literals):
        return False
    for condition in pattern.earliest:
        if condition.variable in bound and _number(bound[condition.variable]) < condition.tick:
            return False
    comparisons = (
        Comparison(_operand(c.left, bound), c.operator, _operand(c.right, bound)) for c in pattern.comparisons
    )
    return all(map(outcome, comparisons)) and all(_static(s, bound, program) for s in pattern.statics)


def _static(atom: StaticAtom, bound: Bindings, program: Program) -> bool:
    def fits(fact: ground.Atom) -> bool:
        return fact.predicate == atom.predicate and all(
            term is None or _value(term, bound) == value
            for term, value in zip(atom.arguments, fact.arguments, strict=True)
        )

    return any(map(fits, program.background)) != atom.negated


def _value(term: Term, bound: Bindings) -> Value:
    return bound[term.name] if isinstance(term, Var) else term.value


def _number(value: Value) -> int | float:
    assert not isinstance(value, str)
    return value


def _tick(time: Time, bound: Bindings) -> int:
    return int(time.offset + (_number(bound[time.variable]) if time.variable is not None else 0))


def _operand(operand: Operand, bound: Bindings) -> Operand:
    match operand:
        case Time():
            return Time(None, _tick(operand, bound))
        case Sum(variable, offset):
            return Const(number(_number(bound[variable]) + offset))
        case Var(name):
            return Const(bound[name])
        case _:
            return operand


def _literal(literal: Literal, bound: Bindings) -> ground.Literal:
    arguments = tuple(ground.ANYTHING if a is None else _value(a, bound) for a in literal.arguments)
    atom = ground.Atom(literal.predicate, (*arguments, _tick(literal.time, bound)))
    return ground.Literal(atom, isinstance(literal, Atom))
