"""What no query needs."""

from __future__ import annotations

from collections.abc import Iterator

from antelog.diagnostics import Diagnostic
from antelog.language import syntax
from antelog.language.parser import Parsed
from antelog.language.vocabulary import Kind, Vocabulary


def check_unused(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Rules and declarations no query rests on; nothing is said where a statement could not be read."""
    queried = [q.atom.predicate for q in parsed.document.queries]
    if not queried or parsed.diagnostics or not all(map(vocabulary.is_derived, queried)):
        return
    needs: dict[str, set[str]] = {}
    for rule in parsed.document.rules:
        needed = needs.setdefault(rule.head.predicate, set())
        needed.update(atom.predicate for atom, _ in syntax.atoms_of(rule))
    reached = set(queried)
    waiting = list(queried)
    while waiting:
        for name in needs.get(waiting.pop(), ()):
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    seen: set[str] = set()
    for rule in parsed.document.rules:
        name = rule.head.predicate
        if name not in reached and vocabulary.is_derived(name) and name not in seen:
            seen.add(name)
            hint = f"Ask for it with `query {name}(…).`, use it in another rule, or remove it."
            yield Diagnostic("W101", f"no query needs {name}", rule.head.name_span, hint)
    for predicate in vocabulary.predicates.values():
        if predicate.declared and predicate.name not in reached and predicate.kind is not Kind.DERIVED:
            message = f"no query needs the {predicate.kind.value} {predicate.name}"
            hint = "Use it in a rule, or remove its declaration."
            yield Diagnostic("W102", message, predicate.span, hint)
