"""tests/specification/world.py: confirmed answers are so in the model of all facts; rejected ones are not."""

from __future__ import annotations

from hypothesis import assume, event, given, note

from antelog.language import syntax
from tests.cases_of_latest import cases_of_latest
from tests.few_literals import cases_of_few_literals
from tests.specification import Evaluation
from tests.specification.helpers import evaluation_of
from tests.specification.model import Model, Row
from tests.specification.terms import OTHERS, Calculation, Inner, Variable
from tests.specification.world import NEVER
from tests.strategies import Case, cases
from tests.two_times import cases_with_two_times

_AHEAD = 8
"""Ticks beyond the last fact, more than rules look ahead."""


def _model(evaluation: Evaluation, case: Case) -> Model:
    vocabulary = case.checked.vocabulary
    facts: dict[str, set[Row]] = {}
    domain: set[str | int | float] = set()
    last = 0
    for fact in (*evaluation.program.arrivals, *evaluation.program.background):
        row = tuple(a for a in fact.arguments if not isinstance(a, Variable | Calculation | Inner))
        facts.setdefault(fact.predicate, set()).add(row)
        domain |= {
            a
            for a in (row[:-1] if vocabulary[fact.predicate].temporal else row)
            if isinstance(a, str | int | float)
        }
        last = max(last, row[-1] if vocabulary[fact.predicate].temporal and isinstance(row[-1], int) else 0)
    for rule in case.checked.document.rules:
        for atom in (rule.head, *(a for a, _ in syntax.atoms_of(rule))):
            terms = atom.terms[:-1] if vocabulary[atom.predicate].temporal else atom.terms
            domain |= {t.value for t in terms if isinstance(t, syntax.Constant)}
    return Model(case.checked, facts, [*sorted(domain, key=str), OTHERS], last + _AHEAD)


def _is_beyond(literal: syntax.Literal) -> bool:
    """Whether the model does not know what a literal means: one that counts or calculates."""
    if isinstance(literal, syntax.Comparison):
        return any(isinstance(side, syntax.Calculation) for side in (literal.left, literal.right))
    return isinstance(literal, syntax.Aggregation)


@given(
    cases(recursion=False, latest=2, most=6)
    | cases_of_latest(latest=2, most=6).filter(lambda case: " D " not in case.text)  # no equations
    | cases_of_few_literals()
    | cases_with_two_times(latest=2, most=6)
)
def test_what_is_confirmed_is_so_and_what_is_so_is_never_rejected(case: Case) -> None:
    note(str(case))
    assume(not any(q.window or q.horizon for q in case.checked.document.queries))
    assume(not any(_is_beyond(literal) for rule in case.checked.document.rules for literal in rule.body))
    evaluation = evaluation_of(case)
    model = _model(evaluation, case)
    some = False
    for query in case.checked.document.queries:
        for answer, group in evaluation.answers[query.atom.predicate].candidates.items():
            values = {name: value for name, value in answer if value is not None}
            if len(values) < len(answer):
                continue  # an open one is many
            wanted = model.some(query.atom, values)
            some = some or wanted
            confirmed = any(c.derivation.ticks.true_at < NEVER for c in group)
            alive = any(c.derivation.ticks.false_at == NEVER for c in group)
            assert wanted or not confirmed, f"{answer} is confirmed, and not so"
            assert alive or not wanted, f"{answer} is so, and rejected"
    event("some are so" if some else "none is so")
