"""Times in the heads of random rules that are not only the last argument.

P(X, U, T) :- A(X, T), B(X, Y, U), U > T, U <= T+3.     query P(X, Z, T).
"""

from __future__ import annotations

from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import Checked, read, syntax


def with_times_in_heads(draw: st.DrawFn, text: str) -> str:
    """The program with such a time where no body uses the predicate, and each rule for it has one to show."""
    checked = read(Source(text))
    document = checked.document
    used = {atom.predicate for rule in document.rules for atom, _ in syntax.atoms_of(rule)}
    for query in (each for each in document.queries if each.atom.predicate not in used):
        rules = [each for each in document.rules if each.head.predicate == query.atom.predicate]
        known = [_times(rule, checked) for rule in rules]
        if not all(known):
            continue
        shifts = ["", "", "", "+1", "-1"]
        shown = [draw(st.sampled_from(each)) + draw(st.sampled_from(shifts)) for each in known]
        name = next(each for each in ("U", "Z") if each not in syntax.variables_of(query.atom.terms))
        shown.append(draw(st.sampled_from([name, name, name, "_", "2"])))
        heads = [*(rule.head for rule in rules), query.atom]
        found, places = text, (each.terms[-1].span.start for each in heads)
        for place, term in sorted(zip(places, shown, strict=True), reverse=True):
            found = f"{found[:place]}{term}, {found[place:]}"
        if read(Source(found)).ok:
            return found
    return text


def _times(rule: syntax.Rule, checked: Checked) -> list[str]:
    """The times that atoms without `not` give a rule, that of the head last."""
    last = syntax.variable_of(rule.head.terms[-1])
    atoms = (each for each in rule.body if isinstance(each, syntax.Atom) and each.range is None)
    terms = (each.terms[-1] for each in atoms if checked.vocabulary[each.predicate].temporal)
    found = {name for term in terms if (name := syntax.variable_of(term)) is not None}
    return sorted(found, key=lambda name: (name == last, name))
