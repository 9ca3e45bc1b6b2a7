"""The checks of a program: functions that look for one kind of mistake each, and all of them run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from antelog.diagnostics import Diagnostic, errors_of, in_source_order
from antelog.language.checks import names, safety, sorts, units
from antelog.language.checks.declarations import declare
from antelog.language.literals.literal import TypeGroups, Types
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.syntax import Aggregation, Document
from antelog.language.vocabulary import Predicate, Type, Vocabulary

Check = Callable[[Parsed, Vocabulary], Iterator[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    *(names.check_names, names.check_arities, names.check_calls, names.check_queries),
    *(names.check_covariates, names.check_taken_names, sorts.check_sorts, sorts.check_ranges),
    *(units.check_durations, safety.check_safety, safety.check_unguarded, safety.check_clocks),
    *(safety.check_static_rules, names.check_unused, names.check_lone_variables),
    names.check_small_variables,
)


@dataclass(frozen=True)
class Checked:
    """A checked program: its syntax tree, its vocabulary, and all diagnostics."""

    document: Document
    vocabulary: Vocabulary
    diagnostics: tuple[Diagnostic, ...]

    @property
    def ok(self) -> bool:
        return not errors_of(self.diagnostics)


def check(parsed: Parsed) -> Checked:
    vocabulary, found = declare(parsed)
    found = [*parsed.diagnostics, *found]
    parsed = replace(parsed, document=units.with_ticks_in_facts(parsed.document, vocabulary, found))
    found += units.check_ticks_of_background(parsed.document, vocabulary)
    vocabulary = sorts.with_times_in_heads(parsed.document, vocabulary)
    parsed = replace(parsed, document=units.with_times_apart(parsed.document, vocabulary))
    for each in CHECKS:
        found += each(parsed, vocabulary)
    vocabulary = _with_types(parsed, vocabulary, found)
    return Checked(parsed.document, vocabulary, in_source_order(found))


def _with_types(parsed: Parsed, vocabulary: Vocabulary, found: list[Diagnostic]) -> Vocabulary:
    """Finds out whether columns hold numbers or texts; unknown ones hold whatever the data has."""
    groups = TypeGroups(to_text)
    for declaration in parsed.document.declarations:
        for i, column in enumerate(declaration.columns):
            if column.type in {t.value for t in Type}:
                because = f"column {column.name} of {declaration.name} is declared as {column.type}"
                groups.is_type((declaration.name, i), Type(column.type).general, column.span, because)
            if column.most is not None:
                because = f"column {column.name} of {declaration.name} has a bound"
                groups.is_type((declaration.name, i), Type.NUMBER, column.span, because)
    for delay in parsed.document.delays:
        if delay.name in vocabulary.predicates:
            groups.hold(vocabulary[delay.name], delay.pattern[:-1])
    for number, rule in enumerate(parsed.document.rules):
        times = frozenset(name for name, is_time in sorts.sorts_of(rule, vocabulary).items() if is_time)
        types = Types(groups, vocabulary, number, times)
        types.holds(rule.head)
        for literal in rule.body:
            if not isinstance(literal, Aggregation):  # which has inner variables
                for atom, _ in literal.atoms:
                    types.holds(atom)
            literal.check_types(types)
        for name, literal in safety.amounts(rule, vocabulary).items():
            because = f"{name} is the value of `{literal.left.function}(…)`, a number"
            types.is_type(name, Type.NUMBER, literal.span, because)
    for query in parsed.document.queries:
        known = vocabulary.predicates.get(query.atom.predicate)
        if known is not None and len(query.atom.terms) == known.arity:
            groups.hold(known, query.atom.terms)
    for cell, reason in groups.excluded:
        clash = groups.known.get(groups.group(cell))
        if clash is not None and clash.type is reason.type:
            hint = "Use a column of numbers; the different values of a column of texts can be counted: "
            groups.report(reason, clash, f"{hint}`count(distinct V : …)`.")
    predicates = {
        name: replace(each, types=_types_of(each, groups)) for name, each in vocabulary.predicates.items()
    }
    # A chance changes no type, but may contradict others.
    for chance in parsed.document.chances:
        if chance.name in vocabulary.predicates:
            groups.hold(vocabulary[chance.name], chance.pattern[:-1])
    found += groups.found
    return replace(vocabulary, predicates=predicates)


def _types_of(predicate: Predicate, groups: TypeGroups) -> tuple[Type | None, ...]:
    known = [groups.known.get(groups.group((predicate.name, i))) for i in range(len(predicate.types))]
    return tuple(
        given if given is Type.INTEGER else reason and reason.type
        for given, reason in zip(predicate.types, known, strict=True)
    )
