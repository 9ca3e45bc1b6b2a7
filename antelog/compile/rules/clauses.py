"""Rules in the form resolution works on.

In comes a rule, out goes a clause, or None if its conditions contradict each other. Conditions are sorted
by kind, `_` has become a variable of its own (or, under negation, a gap), and equations are gone: what
they say is put in wherever the variable stands.

    P(X, T) :- A(X, T2), B(_, T), T2 = T + 5, V != 3.    goals A(X, T+5), B(_1, T); comparison V != 3
"""

from __future__ import annotations

from dataclasses import dataclass

from antelog.compile.conditions.comparisons import outcome
from antelog.compile.conditions.ordering import possible
from antelog.compile.nodes.patterns import (
    Atom,
    Comparison,
    Const,
    Negated,
    Operand,
    StaticAtom,
    Sum,
    Term,
    Time,
    Var,
)
from antelog.compile.nodes.plan import StaticRule
from antelog.compile.nodes.substitution import Substitution
from antelog.language import syntax
from antelog.language.checks.sorts import sorts_of
from antelog.language.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Clause:
    """A rule with a temporal head. `earliest` has, for each time variable, the first tick at
    which all the rule's terms with it are natural numbers; `rule` is its number in the program."""

    head: Atom
    goals: tuple[Atom, ...]
    negations: tuple[Negated, ...]
    statics: tuple[StaticAtom, ...]
    comparisons: tuple[Comparison, ...]
    earliest: tuple[tuple[str, int], ...]
    rule: int

    @property
    def body_times(self) -> tuple[Time, ...]:
        """The times of the goals, and then of the negations."""
        return (*(goal.time for goal in self.goals), *(negation.time for negation in self.negations))


def clause_of(
    rule: syntax.Rule, number: int, vocabulary: Vocabulary, asked: frozenset[str] = frozenset()
) -> Clause | None:
    """The clause of a temporal rule, or None if its conditions contradict each other.

    `asked` are the predicates that a query asks for in general.
    """
    times = {name for name, is_time in sorts_of(rule, vocabulary).items() if is_time}
    lowering = _Lowering(vocabulary, times, asked)
    goals, negations, statics, comparisons = [], [], [], []
    for literal in rule.body:
        if isinstance(literal, syntax.Comparison):
            comparisons.append(lowering.comparison(literal))
        elif isinstance(literal, syntax.Negation):
            if vocabulary.is_static(literal.atom.predicate):
                statics.append(lowering.static(literal.atom, negated=True))
            else:
                negations.append(lowering.negation(literal.atom))
        elif vocabulary.is_static(literal.predicate):
            statics.append(lowering.static(literal, negated=False))
        else:
            goals.append(lowering.atom(literal))
    clause = Clause(
        lowering.atom(rule.head),
        tuple(goals),
        tuple(negations),
        tuple(statics),
        tuple(comparisons),
        (),
        number,
    )
    return _without_equations(clause)


def shape(predicate: str, kept: tuple[int, ...], vocabulary: Vocabulary, asked: frozenset[str]) -> str:
    """The name of the relation that says whether some atom with these arguments holds.

    A query that asks for all of them has that relation already.
    """
    columns = vocabulary[predicate].columns
    if predicate in asked and len(kept) == len(columns) - 1:
        return predicate
    arguments = [c if i in kept else "_" for i, c in enumerate(columns[:-1])]
    return f"{predicate}({', '.join([*arguments, columns[-1]])})"


@dataclass
class _Lowering:
    vocabulary: Vocabulary
    times: set[str]
    asked: frozenset[str] = frozenset()
    anonymous: int = 0

    def fresh(self) -> str:
        self.anonymous += 1
        return f"_{self.anonymous}"

    def term(self, term: syntax.Term) -> Term:
        match term:
            case syntax.Variable(name):
                return Var(name)
            case syntax.Constant(value):
                return Const(value)
            case _:
                return Var(self.fresh())

    def time(self, term: syntax.Term) -> Time:
        match term:
            case syntax.Variable(name):
                return Time(name, 0)
            case syntax.Shifted(variable, offset):
                return Time(variable, int(offset))
            case syntax.Constant(value):
                return Time(None, int(value))
            case _:
                return Time(self.fresh(), 0)

    def atom(self, atom: syntax.Atom) -> Atom:
        *arguments, time = atom.terms
        return Atom(atom.predicate, tuple(map(self.term, arguments)), self.time(time))

    def _gaps(self, terms: tuple[syntax.Term, ...]) -> tuple[Term | None, ...]:
        return tuple(None if isinstance(t, syntax.Anonymous) else self.term(t) for t in terms)

    def negation(self, atom: syntax.Atom) -> Negated:
        arguments = self._gaps(atom.terms[:-1])
        kept = tuple(i for i, a in enumerate(arguments) if a is not None)
        relation = shape(atom.predicate, kept, self.vocabulary, self.asked)
        return Negated(atom.predicate, arguments, self.time(atom.terms[-1]), relation)

    def static(self, atom: syntax.Atom, negated: bool) -> StaticAtom:
        return StaticAtom(atom.predicate, self._gaps(atom.terms), negated)

    def comparison(self, comparison: syntax.Comparison) -> Comparison:
        sides = (comparison.left, comparison.right)
        is_time = any(syntax.variable_of(side) in self.times for side in sides)
        left, right = (self.time(s) if is_time else self._operand(s) for s in sides)
        return Comparison(left, comparison.operator, right)

    def _operand(self, term: syntax.Term) -> Operand:
        return Sum(term.variable, term.offset) if isinstance(term, syntax.Shifted) else self.term(term)


def _unify(left: Operand, right: Operand, known: Substitution) -> bool:
    if isinstance(left, Time) and isinstance(right, Time):
        return known.unify_times(left, right)
    if isinstance(left, Var | Const) and isinstance(right, Var | Const):
        return known.unify_terms(left, right)
    return False


def _without_equations(clause: Clause) -> Clause | None:
    known = Substitution()
    kept = []
    for comparison in clause.comparisons:
        left, right = comparison.left, comparison.right
        if comparison.operator != "=" or isinstance(left, Sum) or isinstance(right, Sum):
            kept.append(comparison)
        elif not _unify(left, right, known):
            return None
    comparisons = tuple(dict.fromkeys(known.comparison(c) for c in kept))
    earliest: dict[str, int] = {}
    # The times of comparisons need not be natural numbers, so they do not count here.
    for time in (clause.head.time, *clause.body_times):
        value = known.time(time)
        if value.variable is not None:
            earliest[value.variable] = max(earliest.get(value.variable, -value.offset), -value.offset)
        elif value.offset < 0:
            return None
    if not possible(comparisons, earliest):
        return None
    return Clause(
        known.atom(clause.head),
        tuple(map(known.atom, clause.goals)),
        tuple(n for n in map(known.literal, clause.negations) if isinstance(n, Negated)),
        tuple(map(known.static, clause.statics)),
        tuple(c for c in comparisons if outcome(c) is None),
        tuple(earliest.items()),
        clause.rule,
    )


def static_parts(rule: syntax.Rule, vocabulary: Vocabulary) -> StaticRule | None:
    """A static rule or fact in normal form, or None if its conditions contradict each other."""
    lowering = _Lowering(vocabulary, set())
    body = []
    comparisons = []
    for literal in rule.body:
        if isinstance(literal, syntax.Comparison):
            comparisons.append(lowering.comparison(literal))
        elif isinstance(literal, syntax.Negation):
            body.append(lowering.static(literal.atom, negated=True))
        else:
            body.append(lowering.static(literal, negated=False))
    kept = tuple(c for c in comparisons if outcome(c) is not True)
    if not possible(kept, {}):
        return None
    answer = tuple(map(lowering.term, rule.head.terms))
    return StaticRule(rule.head.predicate, answer, tuple(body), kept)
