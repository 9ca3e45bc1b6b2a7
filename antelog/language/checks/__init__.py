"""The checks of a program: functions that look for one kind of mistake each, and all of them run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from antelog.diagnostics import Diagnostic, errors_of, in_source_order
from antelog.language.checks.declarations import declare
from antelog.language.checks.names import (
    check_arities,
    check_calls,
    check_covariates,
    check_lone_variables,
    check_names,
    check_queries,
    check_small_variables,
    check_taken_names,
    check_unused,
)
from antelog.language.checks.safety import check_clocks, check_safety, check_static_rules, check_unguarded
from antelog.language.checks.sorts import check_ranges, check_sorts, with_times_in_heads
from antelog.language.checks.types import infer_types
from antelog.language.checks.units import (
    check_durations,
    check_ticks_of_background,
    with_ticks_in_facts,
    with_times_apart,
)
from antelog.language.parser import Parsed
from antelog.language.syntax import Document
from antelog.language.vocabulary import Vocabulary

Check = Callable[[Parsed, Vocabulary], Iterator[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    check_names,
    check_arities,
    check_calls,
    check_queries,
    check_covariates,
    check_taken_names,
    check_sorts,
    check_ranges,
    check_durations,
    check_safety,
    check_unguarded,
    check_clocks,
    check_static_rules,
    check_unused,
    check_lone_variables,
    check_small_variables,
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
    vocabulary, diagnostics = declare(parsed)
    found = [*parsed.diagnostics, *diagnostics]
    parsed = replace(parsed, document=with_ticks_in_facts(parsed.document, vocabulary, found))
    found += check_ticks_of_background(parsed.document, vocabulary)
    parsed = replace(parsed, document=with_times_apart(parsed.document, vocabulary))
    vocabulary = with_times_in_heads(parsed.document, vocabulary)
    for each in CHECKS:
        found += each(parsed, vocabulary)
    types, diagnostics = infer_types(parsed, vocabulary)
    predicates = {
        name: replace(p, types=types.get(name, p.types)) for name, p in vocabulary.predicates.items()
    }
    typed = replace(vocabulary, predicates=predicates)
    return Checked(parsed.document, typed, in_source_order([*found, *diagnostics]))
