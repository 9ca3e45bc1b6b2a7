"""The truth table and the papers' operator R agree at every tick, and both with the models."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings

from antelog.reference import Evaluation, models, snapshots
from antelog.reference.atoms import Atom
from antelog.reference.program import Program
from antelog.reference.truth import NEVER, Ticks, input_ticks
from tests.constructs import constructs
from tests.recorded import recorded
from tests.reference.helpers import evaluation_of
from tests.strategies import Case, cases


def disagreements(evaluation: Evaluation) -> list[str]:
    """Derivations whose status differs between the two formulations, and answers reported by one only."""
    program = evaluation.program
    found = [
        f"{candidate.atom} at {tick}"
        for groups in evaluation.candidates.values()
        for group in groups.values()
        for candidate in group
        for tick in range(program.until + 1)
        if evaluation.table(candidate, tick) != evaluation.operator(candidate, tick)
    ]
    ours, theirs = set(snapshots(evaluation)), set(snapshots(evaluation, evaluation.operator))
    return found + [str(report) for report in ours ^ theirs]


@pytest.mark.slow
@settings(max_examples=max(1, settings().max_examples // 2))  # the operator is slow: it is as it is written
@given(cases())
def test_both_formulations_agree(case: Case) -> None:
    evaluation = evaluation_of(case)
    assert disagreements(evaluation) == []
    assert all(max(ticks) == NEVER for ticks in evaluation.truth.ticks.values())


@pytest.mark.slow
@given(cases())
def test_truth_is_that_of_the_perfect_model(case: Case) -> None:
    """What becomes true is entailed by all facts together, and what becomes false is not.

    Everything is decided sooner or later, unless it depends on times that nothing bounds. With
    a window some derivations are left out, so that with negation nothing can be said, and
    otherwise only that what becomes true is entailed.
    """
    evaluation = evaluation_of(case)
    program = evaluation.program
    used = constructs(case.text)
    model = models.perfect_model(program, program.arrivals)
    if program.windows and any(name.startswith("neg") for name in used):
        return
    derived = (a for a in evaluation.derivations if a.predicate in program.clauses and not a.projected)
    for atom in derived:
        ticks = evaluation.truth.ticks[atom]
        if ticks.true_at < NEVER:
            assert atom in model, atom
        if program.windows or atom.time > program.shown:
            continue
        if ticks.false_at < NEVER:
            assert atom not in model, atom
        if "time unrelated to the head" not in used:
            assert min(ticks) < NEVER, atom


@pytest.mark.slow
@given(cases())
def test_the_cut_does_not_show(case: Case) -> None:
    """Looking further ahead changes no tick, and more unknown values change nothing about the known."""
    evaluation = evaluation_of(case)
    further = evaluation_of(case, later=3)
    larger = evaluation_of(case, more=("unheard", "of", 7, 11.5))
    certain = evaluation.program.certain
    for atom, ticks in evaluation.truth.ticks.items():
        if all(argument in evaluation.program.known for argument in atom.arguments[:-1]):
            assert larger.truth.ticks[atom] == ticks, atom
        if atom in further.truth.ticks and atom.time <= evaluation.program.shown:
            expected = Ticks(*(t if t <= certain else NEVER for t in further.truth.ticks[atom]))
            assert ticks == expected, atom


def test_recursion_within_a_tick_needs_no_window() -> None:
    """Where evidence and answer have the same time, a window of 0 leaves nothing out."""
    text = (
        "input A(x: text, time). input B(x: text, y: text, time).\n"
        "P(X, T) :- A(X, T).\nP(X, T) :- B(X, Y, T), P(Y, T).\nquery P(X, T) window 0."
    )
    links = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "b")]
    facts = (("A", ("c", 0), 0), *(("B", (x, y, 0), 0) for x, y in links))
    evaluation = evaluation_of(Case(text, facts, 1))
    model = models.perfect_model(evaluation.program, evaluation.program.arrivals)
    for atom in (a for a in evaluation.derivations if a.predicate == "P"):
        assert (evaluation.truth.ticks[atom].true_at < NEVER) == (atom in model), atom
    assert len([atom for atom in model if atom.predicate == "P"]) == 4


# ---- the tests above can fail ----


def conformance_evaluation(name: str) -> Evaluation:
    case = recorded(name)
    return evaluation_of(Case(case.checked.document.source.text, case.facts, case.until))


def late_by_one(program: Program, arrivals: Mapping[Atom, int], atom: Atom) -> Ticks:
    ticks = input_ticks(program, arrivals, atom)
    return Ticks(ticks.true_at, ticks.false_at + 1)


BROKEN = {
    "input atoms become false a tick late": ("antelog.reference.truth.input_ticks", late_by_one),
    "nothing is disproved": ("antelog.reference.update_operator.without_disproved", lambda x, _: x),
    "nothing is absent": ("antelog.reference.update_operator.with_absent", lambda _, y: y),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_formulation_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert disagreements(conformance_evaluation("negation-delay")) == []
    monkeypatch.setattr(*BROKEN[name])
    assert disagreements(conformance_evaluation("negation-delay")) != []


def test_a_broken_grounding_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the condition that all times are natural, derivations appear that the model does not have."""
    text = "input C(time).\nA(T) :- B(T-3).\nB(T) :- C(T+3).\nquery A(T)."

    def unsound() -> bool:
        evaluation = evaluation_of(Case(text, (("C", (2,), 2),), 2))
        model = models.perfect_model(evaluation.program, evaluation.program.arrivals)
        found = (a for a in evaluation.derivations if a.predicate == "A")
        return any(evaluation.truth.ticks[a].true_at < NEVER and a not in model for a in found)

    assert not unsound()
    monkeypatch.setattr("antelog.reference.grounding._natural", lambda *_: True)
    assert unsound()


def test_a_program_that_is_not_stratified_is_noticed() -> None:
    text = "input C(time).\nP1(T) :- C(T), not P1(T).\nquery P1(T)."
    evaluation = evaluation_of(Case(text, (("C", (0,), 0),), 1))
    with pytest.raises(ValueError, match="not stratified"):
        models.perfect_model(evaluation.program, evaluation.program.arrivals)
