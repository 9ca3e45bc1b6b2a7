"""Rules in place of recursion that carries something on from tick to tick until something else comes.

On(X, T) :- Start(X, T).                       On(X, U) :- Start(X, T), U >= T, U <= T+10,
On(X, T) :- On(X, T-1), not Stop(X, T).            not Stop(X, T+1..U).
"""

from __future__ import annotations

from collections.abc import Iterator

from antelog.language import syntax


def without_recursion(document: syntax.Document, name: str) -> Iterator[syntax.Rule]:
    """Yields rules that derive a predicate without recursion; none if it is not merely carried on."""
    own = [rule for rule in document.rules if rule.head.predicate == name]
    carrying = [rule for rule in own if any(atom.predicate == name for atom, _ in syntax.atoms_of(rule))]
    if len(carrying) != 1:
        return
    begins = [rule for rule in own if rule not in carrying]
    *columns, now = carrying[0].head.terms
    names = syntax.variables_of(columns)
    goal, *denied = sorted(carrying[0].body, key=lambda each: isinstance(each, syntax.Negation))
    ends = [each.atom for each in denied if isinstance(each, syntax.Negation)]
    if (
        len(ends) < len(denied)
        or not isinstance(now, syntax.Variable)
        or goal != syntax.Atom(name, (*columns, syntax.Shifted(now.name, -1)))
        or any(rule.head != carrying[0].head for rule in begins)
        or any(each.terms[-1] != now or not syntax.variables_of(each.terms[:-1]) <= names for each in ends)
    ):
        return
    used = {v for rule in begins for atom in syntax.all_atoms(rule) for v in syntax.variables_of(atom.terms)}
    until = syntax.Variable(next(each for each in ("U", "V", "W", f"{now.name}2") if each not in used))
    window = next((q.window for q in document.queries if q.atom.predicate == name and q.window), None)
    last = syntax.Shifted(now.name, *((window.amount, window.unit) if window else (_TICKS,)))
    for rule in begins:
        since = syntax.Range(syntax.Shifted(now.name, 1), until)
        apart = (syntax.Negation(syntax.Atom(each.predicate, (*each.terms[:-1], since))) for each in ends)
        times = (syntax.Comparison(until, ">=", now), syntax.Comparison(until, "<=", last))
        yield syntax.Rule(syntax.Atom(name, (*columns, until)), (*rule.body, *times, *apart))


_TICKS = 10  # for which something is carried on in advice, if there is no window
