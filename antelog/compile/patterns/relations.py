"""The relations of a program with their patterns: the queries, and the relations they ask for.

After the queries come the relations that their asked literals ask for, then those that these ask for, until
none is new. What cannot be followed to its end is handed back apart, with the reason.

    P(X, T) :- A(X, T), not B(X, T-1).    query P(X, T).
    P: A(X, T), not B(X, T-1)             B(x, time): B(X, T)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from antelog.compile.literals.terms import variable_in
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.patterns.renaming import apart
from antelog.compile.patterns.resolve import EndlessError, Resolver, TooManyPatternsError
from antelog.compile.rules.clauses import Clause, Clauses, asked_clause, frame_of, query_clause
from antelog.language import Checked


@dataclass(frozen=True)
class Request:
    """A relation to resolve: its name, whether a query asks for it, and its clause."""

    name: str
    by_query: bool
    clause: Clause

    @property
    def predicate(self) -> str:
        return self.clause.facts[0].predicate

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of its answers, without the time."""
        return tuple(name for a in self.clause.head.arguments if (name := variable_in(a)) is not None)


@dataclass(frozen=True)
class Resolved:
    """A relation and its patterns."""

    request: Request
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True)
class Failed:
    """A relation with endless or too many patterns."""

    request: Request
    why: EndlessError | TooManyPatternsError


def relations_of(
    checked: Checked, clauses: Clauses, limit: int, more: Iterable[Request] = ()
) -> tuple[tuple[Resolved, ...], tuple[Failed, ...], int]:
    """The queries and the relations they ask for, with their patterns; the relations that failed; and how
    many searches for what is needless were given up. `more` are relations that are wanted besides."""
    vocabulary, queries = checked.vocabulary, tuple(checked.document.queries)
    resolver = Resolver(clauses, limit)
    frames = {query.atom.predicate: frame_of(query, vocabulary) for query in queries}
    waiting = [Request(q.atom.predicate, True, query_clause(q, vocabulary)) for q in queries]
    waiting += (each for each in more if each.name not in {request.name for request in waiting})
    seen = {request.name for request in waiting}
    resolved, failed = [], []
    for request in waiting:
        try:
            found = resolver.answers(request.clause, frames.get(request.predicate))
        except (EndlessError, TooManyPatternsError) as error:
            failed.append(Failed(request, error))
            continue
        time = request.clause.head.time.variable
        patterns = tuple(apart(pattern, request.variables, time) for pattern in found)
        resolved.append(Resolved(request, patterns))
        for each in (r for pattern in patterns for literal in pattern.asked for r in literal.references):
            if each.name not in seen:
                seen.add(each.name)
                clause = asked_clause(each.predicate, each.kept, vocabulary)
                waiting.append(Request(each.name, False, clause))
    return tuple(resolved), tuple(failed), resolver.work.given_up
