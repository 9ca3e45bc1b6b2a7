"""Rules with their literals lowered, and the clauses that resolution works on.

In a clause `_` is a variable of its own or, in an asked literal, a gap, and equations are put in wherever
their variable stands. A rule whose conditions contradict each other has no clause.

    P(X, T) :- A(X, T2), B(_, T), T2 = T + 5, V != 3.    A(X, T+5), B(_1, T), V != 3
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, TypeAlias

from antelog.compile.comparisons import possible
from antelog.compile.literals import AnyLiteral, Atom, Comparison, lowered
from antelog.compile.literals.literal import Condition, Lowering
from antelog.compile.literals.terms import AnswerTerm, Replacement, Substitution, Time, Var
from antelog.compile.nodes.patterns import ByRole, Earliest, arranged
from antelog.compile.nodes.plan import StaticRule
from antelog.compile.rules.stratify import Dependency
from antelog.language import Checked, syntax
from antelog.language.checks.sorts import sorts_of
from antelog.language.checks.units import ticks_of
from antelog.language.vocabulary import PredicateKind, Vocabulary


@dataclass(frozen=True)
class Clause(ByRole):
    """A rule with a temporal head."""

    head: Atom
    literals: tuple[AnyLiteral, ...]
    earliest: tuple[Earliest, ...]  # the first ticks at which all terms of times are natural numbers
    rule: int  # its number in the program

    @cached_property
    def body_times(self) -> tuple[Time, ...]:
        """The times of the goals, and then of the asked literals."""
        return (*(goal.time for goal in self.facts), *(time for each in self.asked for time in each.natural))


@dataclass(frozen=True)
class LoweredLiteral:
    """A literal of a rule's text, and the literals of the compiler that it stands for."""

    source: syntax.Literal
    parts: tuple[AnyLiteral, ...]

    @property
    def goal(self) -> Atom | None:
        """The atom of a positive literal."""
        return next((each for each in self.parts if isinstance(each, Atom)), None)


@dataclass(frozen=True)
class LoweredRule:
    """A rule as it is written: its head and the literals of its body, in the order of the text."""

    source: syntax.Rule
    head: Atom
    body: tuple[LoweredLiteral, ...]

    @classmethod
    def of(cls, rule: syntax.Rule, vocabulary: Vocabulary, general: frozenset[str] = frozenset()) -> Self:
        """Lowers a temporal rule; `general` are the predicates that a query asks for in general."""
        times = {name for name, is_time in sorts_of(rule, vocabulary).items() if is_time}
        lowering = Lowering(vocabulary, times, general)
        body = tuple(LoweredLiteral(each, lowered(each, lowering)) for each in rule.body)
        return cls(rule, Atom.of(rule.head, lowering), body)

    def replaced(self, by: Replacement) -> LoweredRule:
        body = (
            LoweredLiteral(each.source, tuple(part.replaced(by) for part in each.parts)) for each in self.body
        )
        return LoweredRule(self.source, self.head.replaced(by), tuple(body))

    @property
    def parts(self) -> Iterator[AnyLiteral]:
        """The literals of the compiler that its body stands for."""
        return (part for each in self.body for part in each.parts)

    @property
    def natural(self) -> tuple[Time, ...]:
        """The times that have to be natural numbers; those of comparisons need not be."""
        parts = (self.head, *(each for each in self.parts if not isinstance(each, Condition)))
        return tuple(time for part in parts for time in (*part.shown, *part.natural))

    def clause(self, number: int) -> Clause | None:
        """Returns the rule's clause with this number; None if its conditions contradict each other."""
        known, solved = Substitution(), set[Comparison]()
        literals = arranged(self.parts)
        for each in literals:
            if isinstance(each, Comparison) and each.operator == "=" and not each.calculates:
                solved.add(each)
                if not known.equate(each.left, each.right):
                    return None
        literals = arranged(each.replaced(known) for each in literals if each not in solved)
        clause = Clause(self.head.replaced(known), literals, (), number)
        earliest: dict[str, int] = {}
        # The times of comparisons need not be natural numbers, so they do not count here.
        shown = (time for each in (clause.head, *literals) for time in each.shown)
        for time in (clause.head.time, *shown, *clause.body_times):
            if time.variable is not None:
                earliest[time.variable] = max(earliest.get(time.variable, -time.offset), -time.offset)
            elif time.offset < 0:
                return None
        if not possible(clause.comparisons, earliest):
            return None
        return replace(clause, literals=undecided(literals), earliest=_first_ticks(earliest))


def clause_of(rule: syntax.Rule, number: int, vocabulary: Vocabulary) -> Clause | None:
    return LoweredRule.of(rule, vocabulary).clause(number)


def _first_ticks(earliest: Mapping[str, int]) -> tuple[Earliest, ...]:
    return tuple(Earliest(variable, tick) for variable, tick in earliest.items())


def undecided(literals: tuple[AnyLiteral, ...]) -> tuple[AnyLiteral, ...]:
    """Drops conditions that hold whatever their variables stand for."""
    return tuple(each for each in literals if not isinstance(each, Condition) or each.outcome is None)


def static_rule(rule: syntax.Rule, vocabulary: Vocabulary) -> StaticRule | None:
    """Returns a static rule or fact in normal form; None if its conditions contradict each other."""
    lowering = Lowering(vocabulary, set())
    literals = arranged(each for literal in rule.body for each in lowered(literal, lowering))
    answer = tuple(map(lowering.term, rule.head.terms))
    if not possible([each for each in literals if isinstance(each, Comparison)], {}):
        return None
    return StaticRule(rule.head.predicate, answer, undecided(literals))


Clauses: TypeAlias = Mapping[str, Sequence[Clause]]  # the clauses of every derived predicate, by its name


def rules_of(checked: Checked) -> Mapping[str, Mapping[int, LoweredRule]]:
    """Returns the rules of every derived predicate, lowered, by their numbers in the program."""
    vocabulary, queries = checked.vocabulary, checked.document.queries
    general = frozenset(q.atom.predicate for q in queries if len({*_names(q)}) == len(q.atom.terms))
    rules: dict[str, dict[int, LoweredRule]] = {
        p.name: {} for p in vocabulary.predicates.values() if p.kind is PredicateKind.DERIVED
    }
    for number, rule in enumerate(checked.document.rules):
        if vocabulary.is_derived(rule.head.predicate):
            rules[rule.head.predicate][number] = LoweredRule.of(rule, vocabulary, general)
    return rules


def _names(query: syntax.Query) -> Iterator[str]:
    return (term.name for term in query.atom.terms if isinstance(term, syntax.Variable))


def clauses_of(checked: Checked) -> tuple[Clauses, tuple[syntax.Rule, ...]]:
    """Returns the clauses of a program, and the rules that have none, for they can never hold."""
    clauses: dict[str, list[Clause]] = {}
    contradictory: dict[int, syntax.Rule] = {}
    for name, rules in rules_of(checked).items():
        own = clauses.setdefault(name, [])
        for number, rule in rules.items():
            clause = rule.clause(number)
            if clause is None:
                contradictory[number] = rule.source
            else:
                own.append(clause)
    return clauses, tuple(contradictory[number] for number in sorted(contradictory))


def edges_of(clauses: Clauses) -> Iterator[Dependency]:
    """Yields the dependencies of each predicate, weighted by how many ticks later the other lies."""
    for name, own in clauses.items():
        for clause in own:
            for literals, negative in ((clause.facts, False), (clause.asked, True)):
                for each in (reference for literal in literals for reference in literal.references):
                    if each.predicate in clauses:
                        weight = each.last.after(clause.head.time)
                        yield Dependency(name, each.predicate, weight, negative, clause.rule)


# ---- what is asked for ----


@dataclass(frozen=True, slots=True)
class EvidenceFrame:
    """A declared window: goals and evidence lie in [T + first, T + last] for an answer about T."""

    first: int
    last: int

    @property
    def width(self) -> int:
        return self.last - self.first


def frame_of(query: syntax.Query, vocabulary: Vocabulary) -> EvidenceFrame | None:
    """Returns the window and horizon of a query in ticks, if it declares one of them."""
    if query.window is None and query.horizon is None:
        return None
    window, horizon = (ticks_of(b, vocabulary.tick, []) if b else 0 for b in (query.window, query.horizon))
    return EvidenceFrame(-window, horizon)


def query_clause(query: syntax.Query, vocabulary: Vocabulary) -> Clause:
    """Returns the query as a rule whose head has the query's variables."""
    rule = syntax.Rule(query.atom, (query.atom,))
    clause = clause_of(rule, -1, vocabulary)
    assert clause is not None
    goal = clause.facts[0]
    time = Time(goal.time.variable, 0 if goal.time.variable else goal.time.offset)
    shown: dict[str | None, AnswerTerm] = {}
    for place, term in enumerate(query.atom.terms[:-1]):
        name = syntax.variable_of(term)
        if name is not None:
            shown[name] = Time(name, 0) if place in vocabulary.times_of(query.atom.predicate) else Var(name)
    shown.pop(time.variable, None)
    head = Atom(query.atom.predicate, tuple(shown.values()), time)
    earliest = {each.variable: max(0, each.tick) for each in clause.earliest}
    return Clause(head, (goal,), _first_ticks(earliest), -1)


def asked_clause(predicate: str, kept: tuple[int, ...], vocabulary: Vocabulary) -> Clause:
    """Returns the query whether there is an atom with arguments at the places that are `kept`."""
    columns, times = vocabulary[predicate].columns[:-1], vocabulary.times_of(predicate)
    names = [column[0].upper() + column[1:] for column in columns]
    if len({*names, "T"}) <= len(names):
        names = [f"X{i + 1}" for i in range(len(columns))]
    variables = tuple(Time(name, 0) if i in times else Var(name) for i, name in enumerate(names))
    goal = Atom(predicate, variables, Time("T", 0))
    head = Atom(predicate, tuple(variables[i] for i in kept), goal.time)
    return Clause(
        head, (goal,), tuple(Earliest(time.variable or "", 0) for time in (*goal.shown, goal.time)), -1
    )
