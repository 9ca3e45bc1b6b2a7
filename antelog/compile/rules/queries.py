"""What is asked for, as a clause with one goal: by a query, or by a negated atom.

In comes a query or the predicate of a negated atom, out goes a clause whose head has the values that
are asked for. So queries are followed down the rules just as rules are, and a negated atom is one more query.

    query P(X, high, T) window 5.    head (X; T), goal P(X, high, T); the frame is [T-5, T]
"""

from __future__ import annotations

from dataclasses import dataclass

from antelog.compile.nodes.patterns import Atom, Time, Var
from antelog.compile.rules.clauses import Clause, clause_of
from antelog.language import syntax
from antelog.language.checks.declarations import ticks_of
from antelog.language.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Frame:
    """A declared window: goals and evidence lie in [T + first, T + last] for an answer about T."""

    first: int
    last: int

    @property
    def width(self) -> int:
        return self.last - self.first


def frame_of(query: syntax.Query, vocabulary: Vocabulary) -> Frame | None:
    """The window and horizon of a query in ticks, if it declares one of them."""
    if query.window is None and query.horizon is None:
        return None
    window, horizon = (ticks_of(b, vocabulary.tick, []) if b else 0 for b in (query.window, query.horizon))
    return Frame(-window, horizon)


def query_clause(query: syntax.Query, vocabulary: Vocabulary) -> Clause:
    """The query as a rule whose head has the query's variables."""
    rule = syntax.Rule(query.atom, (query.atom,))
    clause = clause_of(rule, -1, vocabulary)
    assert clause is not None
    goal = clause.goals[0]
    names = dict.fromkeys(t.name for t in query.atom.terms[:-1] if isinstance(t, syntax.Variable))
    time = Time(goal.time.variable, 0 if goal.time.variable else goal.time.offset)
    head = Atom(query.atom.predicate, tuple(map(Var, names)), time)
    earliest = dict(clause.earliest)
    if time.variable is not None:
        earliest[time.variable] = max(0, earliest[time.variable])
    return Clause(head, (goal,), (), (), (), tuple(earliest.items()), -1)


def negation_clause(predicate: str, kept: tuple[int, ...], vocabulary: Vocabulary) -> Clause:
    """What a negation asks: is there an atom with these arguments?"""
    columns = vocabulary[predicate].columns[:-1]
    names = [column[0].upper() + column[1:] for column in columns]
    if len({*names, "T"}) <= len(names):
        names = [f"X{i + 1}" for i in range(len(columns))]
    variables = tuple(map(Var, names))
    goal = Atom(predicate, variables, Time("T", 0))
    head = Atom(predicate, tuple(variables[i] for i in kept), goal.time)
    return Clause(head, (goal,), (), (), (), (("T", 0),), -1)
