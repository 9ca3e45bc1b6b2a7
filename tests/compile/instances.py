"""The patterns of a plan in the specification's terms."""

from __future__ import annotations

from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.fact import Atom
from antelog.compile.literals.negation import Negation
from antelog.compile.literals.terms import Const, Operand, Sum, Term, Time, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Relation
from antelog.language.syntax import number
from tests.specification import terms as told
from tests.specification.patterns import Pattern as Specified


def specified(pattern: Pattern) -> Specified:
    return Specified(
        (*map(_term, pattern.answer), _operand(pattern.time)),
        tuple(_atom(atom) for atom in pattern.atoms),
        tuple(_atom(negation) for negation in pattern.negations),
        tuple(_with_names(_static(s), i) for i, s in enumerate(pattern.statics) if not s.negated),
        tuple(told.Denial(_static(s)) for s in pattern.statics if s.negated),
        tuple(_comparison(c) for c in pattern.comparisons),
        {each.variable: each.tick for each in pattern.earliest},
    )


def asked(relation: Relation, kept: tuple[bool, ...]) -> told.Atom:
    """What a relation for a negation asks for: `ANY` where it keeps no argument."""
    names = iter(relation.answer.variables)
    arguments = (told.Variable(next(names)) if is_kept else told.ANY for is_kept in kept)
    return told.Atom(relation.predicate, (*arguments, told.Variable(relation.answer.time or "T")))


def _atom(atom: Atom | Negation) -> told.Atom:
    return told.Atom(atom.predicate, (*map(_term, atom.arguments), _operand(atom.time)))


def _static(atom: StaticAtom) -> told.Atom:
    return told.Atom(atom.predicate, tuple(map(_term, atom.arguments)))


def _with_names(atom: told.Atom, number: int) -> told.Atom:
    """A background fact in which each `_` is a variable of its own."""
    arguments = (
        told.Variable(f"_{number}_{i}") if a is told.ANY else a for i, a in enumerate(atom.arguments)
    )
    return told.Atom(atom.predicate, tuple(arguments))


def _term(term: Term | None) -> told.Term:
    return told.ANY if term is None else _operand(term)


def _comparison(comparison: Comparison) -> told.Comparison:
    return told.Comparison(_operand(comparison.left), comparison.operator, _operand(comparison.right))


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
