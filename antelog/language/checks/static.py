"""Static rules: they rest on static predicates only, and not on their own negation."""

from __future__ import annotations

from collections.abc import Iterator

from antelog.diagnostics import Diagnostic, Note
from antelog.language import syntax
from antelog.language.graph import components
from antelog.language.parser import Parsed
from antelog.language.vocabulary import Vocabulary


def check_static_rules(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    rules = [rule for rule in parsed.document.rules if vocabulary.is_static(rule.head.predicate)]
    edges: dict[str, set[str]] = {}
    for rule in rules:
        for atom, _ in syntax.atoms_of(rule):
            if vocabulary.is_static(atom.predicate):
                edges.setdefault(rule.head.predicate, set()).add(atom.predicate)
                continue
            name, head = atom.predicate, rule.head.predicate
            note = Note(f"{head} is declared static here", vocabulary[head].span)
            message = f"{head} is static, but {name} changes over time"
            hint = (
                f"Declare `static {name}(…)` if it has no time, or do not declare {head} and give it a time."
            )
            yield Diagnostic("E501", message, atom.span, hint, (note,))
    component = {name: i for i, names in enumerate(components(edges)) for name in names}
    for rule in rules:
        for atom, is_negated in syntax.atoms_of(rule):
            head, name = rule.head.predicate, atom.predicate
            if is_negated and name in component and component[name] == component.get(head):
                through = "" if name == head else f": it needs `not {name}`, and {name} rests on {head}"
                message = f"{head} rests on its own negation{through}"
                hint = "Define the predicate under `not` by rules that do not need this one."
                yield Diagnostic("E502", message, atom.span, hint)
