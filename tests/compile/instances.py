"""The patterns of a plan in the specification's terms."""

from __future__ import annotations

from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.terms import Const, Operand, Sum, Term, Time, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Relation
from antelog.language.syntax import number
from antelog.language.vocabulary import Predicate, PredicateKind, Vocabulary
from tests.specification import terms as told
from tests.specification.literals.literal import Lowering
from tests.specification.patterns import Pattern as Specified
from tests.specification.reading import bodies


def specified(pattern: Pattern) -> Specified:
    """A pattern, by the texts of its literals."""
    names = (each.predicate for each in pattern.literals if isinstance(each, StaticAtom))
    lowering = Lowering(Vocabulary({name: Predicate(name, PredicateKind.STATIC, (), ()) for name in names}))
    head = ", ".join((*pattern.answered, "0"))
    texts = ", ".join(each.text for each in pattern.literals)
    return Specified(
        (*map(_term, pattern.answer), _operand(pattern.time)),
        tuple(bodies(texts, lowering, head) if texts else ()),
        {each.variable: each.tick for each in pattern.earliest},
    )


def asked(relation: Relation, kept: tuple[bool, ...]) -> told.Atom:
    """What a relation for a negation asks for: `ANY` where it keeps no argument."""
    names = iter(relation.answer.variables)
    arguments = (told.Variable(next(names)) if is_kept else told.ANY for is_kept in kept)
    return told.Atom(relation.predicate, (*arguments, told.Variable(relation.answer.time or "T")))


def _term(term: Term | None) -> told.Term:
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
