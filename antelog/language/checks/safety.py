"""Safety: every variable gets its values from somewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from antelog.diagnostics import Diagnostic
from antelog.language import syntax
from antelog.language.checks.sorts import sorts_of
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.syntax import Anonymous, Comparison, variable_of
from antelog.language.vocabulary import Vocabulary


def comparisons(rule: syntax.Rule) -> Iterator[Comparison]:
    return (literal for literal in rule.body if isinstance(literal, Comparison))


def compared(rule: syntax.Rule) -> set[str]:
    """The variables of a rule's comparisons."""
    return {name for each in comparisons(rule) for name in each.variables}


@dataclass
class _Rule:
    """A rule, and where its variables get their values from."""

    rule: syntax.Rule
    vocabulary: Vocabulary
    times: frozenset[str]
    head: frozenset[str]
    positive: frozenset[str]
    negated: frozenset[str]
    reported: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, rule: syntax.Rule, vocabulary: Vocabulary) -> _Rule:
        times = (name for name, is_time in sorts_of(rule, vocabulary).items() if is_time)
        head = frozenset(syntax.variables_of(rule.head.terms))
        positive, negated = map(frozenset[str], syntax.in_atoms(rule))
        found = cls(rule, vocabulary, frozenset(times), head, positive, negated)
        found.reported = {name for name in compared(rule) - found.times if not found.left_free(name)}
        if found.is_static():
            found.reported |= head
        return found

    def text(self, node: object) -> str:
        return to_text(node)

    def is_time(self, name: str) -> bool:
        return name in self.times

    def is_static(self, predicate: str | None = None) -> bool:
        return self.vocabulary.is_static(self.rule.head.predicate if predicate is None else predicate)

    def left_free(self, name: str) -> bool:
        """Whether all comparisons of an unguarded variable are such as it may have."""
        own = (c for c in comparisons(self.rule) if name in c.variables)
        return all(each.leaves_free(name, self) for each in own)


def check_safety(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    for rule in parsed.document.rules:
        looked = _Rule.of(rule, vocabulary)
        yield from _check_head(looked)
        for literal in rule.body:
            yield from literal.check_safety(looked)


def _check_head(looked: _Rule) -> Iterator[Diagnostic]:
    rule, negated = looked.rule, looked.negated
    bound = looked.positive if looked.is_static() else looked.positive | negated
    reported: set[str] = set()
    for term in rule.head.terms:
        name = variable_of(term)
        if isinstance(term, Anonymous):
            message = "the head of a rule cannot have `_`: it says which values the rule derives"
            yield Diagnostic("E401", message, term.span, "Write a variable of the body, or a constant.")
        elif name is not None and name not in bound | compared(rule) | reported:
            reported.add(name)
            message = f"{name} occurs in the head but in no atom of the body"
            message += " without `not`" if name in negated else ""
            hint = f"Add a condition that says which values {name} has, or write a constant."
            if looked.is_time(name):
                hint = f"Add a condition that says at which times {name} the head holds, or write a number."
            if not rule.body:
                message = f"`{to_text(rule.head)}` is a fact, and facts have no variables"
                hint = "Write constants, or add conditions behind `:-`."
            yield Diagnostic("E401", message, term.span, hint)
