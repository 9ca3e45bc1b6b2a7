"""Random programs with times in the heads of rules that are not only the last argument.

P(X, U, T) :- A(X, T), B(X, Y, U), U > T, U <= T+3.     query P(X, Z, T).
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import read, syntax
from tests.strategies import Case


def with_times_in_heads(draw: st.DrawFn, case: Case) -> Case:
    """The case with such a time where no body uses the predicate, and every rule for it has one to show."""
    document = case.checked.document
    used = {atom.predicate for rule in document.rules for atom, _ in syntax.atoms_of(rule)}
    for query in (each for each in document.queries if each.atom.predicate not in used):
        rules = [each for each in document.rules if each.head.predicate == query.atom.predicate]
        known = [_times(rule, case) for rule in rules]
        if not all(known):
            continue
        shown = [
            draw(st.sampled_from(each)) + draw(st.sampled_from(["", "", "", "+1", "-1"])) for each in known
        ]
        heads = [*(rule.head for rule in rules), query.atom]
        name = next(each for each in ("U", "Z") if each not in syntax.variables_of(query.atom.terms))
        text, named = case.text, draw(st.sampled_from([name, name, name, "_", "2"]))
        places = sorted(zip((each.terms[-1].span.start for each in heads), (*shown, named), strict=True))
        for place, term in reversed(places):
            text = f"{text[:place]}{term}, {text[place:]}"
        if read(Source(text)).ok:
            return replace(case, text=text)
    return case


def _times(rule: syntax.Rule, case: Case) -> list[str]:
    """The times that facts and atoms without `not` give a rule, those first that are not the head's."""
    vocabulary, last = case.checked.vocabulary, syntax.variable_of(rule.head.terms[-1])
    atoms = (each for each in rule.body if isinstance(each, syntax.Atom) and each.range is None)
    terms = (each.terms[-1] for each in atoms if vocabulary[each.predicate].temporal)
    found = {name for term in terms if (name := syntax.variable_of(term)) is not None}
    return sorted(found, key=lambda name: (name == last, name))
