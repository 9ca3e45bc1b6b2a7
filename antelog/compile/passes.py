"""The compiler: a checked program to its plan, pass by pass.

clauses     rules in normal form
strata      is every negation decided before what rests on it?
relations   the patterns of the queries, and of what their patterns ask for, until none is new
refusals    patterns that cannot be run
assembled   declarations, background and relations as a plan; from here on only if nothing is wrong
bounds      delays, windows, how long things are remembered
levels      the order in which the relations are evaluated
key         the argument by which the work can be divided
remarks     what is odd about a program that can be run
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from antelog.compile.nodes.plan import Plan
from antelog.compile.patterns.relations import Failed, Resolved, relations_of
from antelog.compile.patterns.resolve import EndlessError
from antelog.compile.plan import assembling
from antelog.compile.problems import failures
from antelog.compile.problems.refusals import refusals as refused
from antelog.compile.problems.remarks import remarks as remarks_on
from antelog.compile.rules.program import Clauses, clauses_of, edges_of
from antelog.compile.rules.stratify import Violation, stratify
from antelog.diagnostics import Diagnostic, errors_of, in_source_order
from antelog.language import Checked

PATTERN_LIMIT = 10_000
"""How many patterns a predicate may have, unless the caller says otherwise."""


@dataclass(frozen=True)
class Compiled:
    """The plan, if the program has one, and all diagnostics."""

    plan: Plan | None
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class Draft:
    """The intermediate result of compilation; each pass adds to it.

    `limit` is the most patterns a predicate may have.
    """

    checked: Checked
    limit: int
    diagnostics: tuple[Diagnostic, ...]
    clauses: Clauses = field(default_factory=dict)
    relations: tuple[Resolved, ...] = ()
    plan: Plan | None = None

    def saying(self, diagnostics: Iterable[Diagnostic]) -> Draft:
        """The draft with further diagnostics."""
        return replace(self, diagnostics=(*self.diagnostics, *diagnostics))

    def with_plan(self, step: Callable[[Plan], Plan]) -> Draft:
        """The draft with the step applied to its plan, if it has one."""
        return self if self.plan is None else replace(self, plan=step(self.plan))


def compile_program(checked: Checked, limit: int = PATTERN_LIMIT) -> Compiled:
    """The plan of a program; without one, the diagnostics have the reasons."""
    known = Draft(checked, limit, checked.diagnostics)
    for each in PASSES if checked.ok else ():
        known = each(known)
    return Compiled(known.plan, in_source_order(known.diagnostics))


def clauses(known: Draft) -> Draft:
    found, contradictory = clauses_of(known.checked)
    return replace(known, clauses=found).saying(map(failures.contradictory, contradictory))


def strata(known: Draft) -> Draft:
    found = stratify(known.clauses, edges_of(known.clauses))
    if isinstance(found, Violation):
        return known.saying([failures.unstratified(found, known.checked.document)])
    return known


def relations(known: Draft) -> Draft:
    resolved, failed = relations_of(known.checked, known.clauses, known.limit)
    return replace(known, relations=resolved).saying(_failure(each, known) for each in failed)


def _failure(failed: Failed, known: Draft) -> Diagnostic:
    document, why = known.checked.document, failed.why
    if isinstance(why, EndlessError):
        return failures.endless(why, failed.asked, document)
    return failures.too_many(why, known.limit, document)


def refusals(known: Draft) -> Draft:
    return known.saying(refused(known.relations, known.checked.document))


def assembled(known: Draft) -> Draft:
    if errors_of(known.diagnostics):
        return known
    return replace(known, plan=assembling.assembled(known.checked, known.relations))


def bounds(known: Draft) -> Draft:
    return known.with_plan(assembling.with_bounds)


def levels(known: Draft) -> Draft:
    return known.with_plan(assembling.with_levels)


def key(known: Draft) -> Draft:
    return known.with_plan(assembling.with_key)


def remarks(known: Draft) -> Draft:
    if known.plan is None:
        return known
    return known.saying(remarks_on(known.plan, known.clauses, known.checked.document))


PASSES: tuple[Callable[[Draft], Draft], ...] = (
    clauses,
    strata,
    relations,
    refusals,
    assembled,
    bounds,
    levels,
    key,
    remarks,
)
