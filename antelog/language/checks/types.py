"""Types: a column holds numbers or texts, by its declaration, constants, comparisons and shared variables.

Columns of which nothing is known hold whatever the data has.
"""

from __future__ import annotations

from antelog.diagnostics import Diagnostic
from antelog.language.checks.safety import amounts
from antelog.language.checks.sorts import sorts_of
from antelog.language.literals.literal import TypeGroups, Types
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.syntax import Aggregation
from antelog.language.vocabulary import Predicate, Type, Vocabulary


def infer_types(
    parsed: Parsed, vocabulary: Vocabulary
) -> tuple[dict[str, tuple[Type | None, ...]], list[Diagnostic]]:
    """The types of all columns but the times, and the contradictions between them."""
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
        times = frozenset(name for name, is_time in sorts_of(rule, vocabulary).items() if is_time)
        types = Types(groups, vocabulary, number, times)
        types.holds(rule.head)
        for literal in rule.body:
            if not isinstance(literal, Aggregation):  # which has inner variables
                for atom, _ in literal.atoms:
                    types.holds(atom)
            literal.check_types(types)
        for name, literal in amounts(rule, vocabulary).items():
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
    columns = {name: _types_of(each, groups) for name, each in vocabulary.predicates.items()}
    # A chance may contradict the others, but changes nothing: see `DeclaredOdds`.
    for chance in parsed.document.chances:
        if chance.name in vocabulary.predicates:
            groups.hold(vocabulary[chance.name], chance.pattern[:-1])
    return columns, groups.found


def _types_of(predicate: Predicate, groups: TypeGroups) -> tuple[Type | None, ...]:
    known = [groups.known.get(groups.group((predicate.name, i))) for i in range(len(predicate.types))]
    return tuple(
        given if given is Type.INTEGER else reason and reason.type
        for given, reason in zip(predicate.types, known, strict=True)
    )
