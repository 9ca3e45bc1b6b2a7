"""The compiler: a checked program to its plan, pass by pass, or to the reasons why it has none."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from antelog.compile.nodes.plan import Plan
from antelog.compile.patterns.relations import relations_of
from antelog.compile.patterns.resolve import EndlessError
from antelog.compile.plan.assembling import assembled, with_levels
from antelog.compile.plan.partition import partition
from antelog.compile.problems import failures
from antelog.compile.problems.refusals import refusals
from antelog.compile.problems.remarks import remarks
from antelog.compile.rules.clauses import clauses_of, edges_of
from antelog.compile.rules.stratify import Violation, stratify
from antelog.diagnostics import Diagnostic, errors_of, in_source_order
from antelog.language import Checked

PATTERN_LIMIT = 10_000
"""How many patterns a predicate may have, unless the caller says otherwise."""


@dataclass(frozen=True)
class Compiled:
    """The plan, if there is one, diagnostics, and how many searches for what is needless were given up."""

    plan: Plan | None
    diagnostics: tuple[Diagnostic, ...]
    given_up: int = 0


def compile_program(checked: Checked, limit: int = PATTERN_LIMIT) -> Compiled:
    """The plan of a program; without one, the diagnostics have the reasons. `limit`: the most patterns."""
    document, found = checked.document, [*checked.diagnostics]
    if not checked.ok:
        return Compiled(None, in_source_order(found))
    # Rules in normal form, and whether every negation is decided before what rests on it.
    clauses, contradictory = clauses_of(checked)
    found += map(failures.contradictory, contradictory)
    strata = stratify(clauses, edges_of(clauses))
    if isinstance(strata, Violation):
        found.append(failures.unstratified(strata, document))
    # The patterns of the queries, and of what their patterns ask for, until none is new.
    relations, failed, given_up = relations_of(checked, clauses, limit)
    for each in failed:
        if isinstance(each.why, EndlessError):
            found.append(failures.endless(each.why, each.request, document))
        else:
            found.append(failures.too_many(each.why, limit, document))
    found += refusals(relations, document)
    if errors_of(found):
        return Compiled(None, in_source_order(found))
    plan = with_levels(assembled(checked, relations))
    plan = replace(plan, key=partition(plan.relations, plan.inputs))
    found += remarks(plan, clauses, document)
    return Compiled(plan, in_source_order(found), given_up)
