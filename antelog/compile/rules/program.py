"""The rules and queries of a program as clauses, and the dependencies of its predicates.

Each derived predicate has clauses; a rule whose conditions contradict each other has none and is handed back
apart. A query is a clause with one goal, whose head has the values that are asked for, and so is what an
asked literal asks: both are followed down the rules just as rules are. From the clauses follow the edges
between predicates, by which `stratify` sees whether every negation can be decided before what rests on it.

    P(X, T) :- A(X, T), not Q(X, T-2).    P has one clause; it rests on Q, negated, two ticks earlier
    query P(X, high, T) window 5.         head (X; T), goal P(X, high, T); the frame is [T-5, T]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from antelog.compile.literals.fact import Atom
from antelog.compile.literals.terms import AnswerTerm, Time, Var
from antelog.compile.rules.clauses import Clause, LoweredRule, clause_of
from antelog.compile.rules.stratify import Dependency
from antelog.language import Checked, syntax
from antelog.language.checks.units import ticks_of
from antelog.language.vocabulary import PredicateKind, Vocabulary

Clauses: TypeAlias = Mapping[str, Sequence[Clause]]
"""The clauses of every derived predicate, by its name."""


def rules_of(checked: Checked) -> Mapping[str, Mapping[int, LoweredRule]]:
    """The rules of every derived predicate, lowered, by their numbers in the program."""
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
    """The clauses of a program, and the rules that have none, for they can never hold."""
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
    """The dependencies of each predicate, with the number of ticks by which the other lies later."""
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
    """The window and horizon of a query in ticks, if it declares one of them."""
    if query.window is None and query.horizon is None:
        return None
    window, horizon = (ticks_of(b, vocabulary.tick, []) if b else 0 for b in (query.window, query.horizon))
    return EvidenceFrame(-window, horizon)


def query_clause(query: syntax.Query, vocabulary: Vocabulary) -> Clause:
    """The query as a rule whose head has the query's variables."""
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
    earliest = {name: max(0, tick) for name, tick in clause.earliest}
    return Clause(head, (goal,), tuple(earliest.items()), -1)


def asked_clause(predicate: str, kept: tuple[int, ...], vocabulary: Vocabulary) -> Clause:
    """The query of an asked literal: is there an atom with these arguments?"""
    columns = vocabulary[predicate].columns[:-1]
    names = [column[0].upper() + column[1:] for column in columns]
    if len({*names, "T"}) <= len(names):
        names = [f"X{i + 1}" for i in range(len(columns))]
    variables = tuple(map(Var, names))
    goal = Atom(predicate, variables, Time("T", 0))
    head = Atom(predicate, tuple(variables[i] for i in kept), goal.time)
    return Clause(head, (goal,), (("T", 0),), -1)
