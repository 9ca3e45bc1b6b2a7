"""Small programs whose derivations, delays and domains can be read off."""

from __future__ import annotations

import pytest

from antelog.diagnostics import Source
from antelog.language import read
from antelog.language.syntax import Value
from antelog.reference import Evaluation, Stream, TooManyDerivationsError, admit, evaluate
from antelog.reference.atoms import Atom, compare
from antelog.reference.stream import Arrival, Reason, delta_of
from tests.reference.helpers import evaluate_text, stream_of


def derivations(evaluation: Evaluation, predicate: str, *arguments: Value) -> set[str]:
    """The derivations of an atom, each as the sorted texts of its literals."""
    found = evaluation.derivations[Atom(predicate, arguments)]
    return {", ".join(sorted(map(str, d.literals))) for d in found}


INPUTS = "input A(x: text, time). input B(x: text, y: text, time) delay 1. input C(time).\n"


def test_every_time_term_is_natural() -> None:
    """Unfolding keeps the condition for the terms that disappear."""
    evaluation = evaluate_text("input C(time).\nA(T) :- B(T-3).\nB(T) :- C(T+3).\nquery A(T).")
    assert derivations(evaluation, "A", 2) == set()
    assert derivations(evaluation, "A", 3) == {"C(3)"}


def test_a_variable_alone_need_not_be_natural() -> None:
    evaluation = evaluate_text("input C(time).\nA(T+1) :- C(T+1).\nquery A(T).")
    assert derivations(evaluation, "A", 0) == {"C(0)"}


def test_times_under_negation_are_natural_too() -> None:
    evaluation = evaluate_text("input C(time).\nA(T) :- C(T), not C(T-1).\nquery A(T).")
    assert derivations(evaluation, "A", 0) == set()
    assert derivations(evaluation, "A", 1) == {"C(1), not C(0)"}


def test_comparisons_are_over_all_integers() -> None:
    evaluation = evaluate_text("input C(time).\nA(T) :- C(T), T-2 < T, 0 > T-2.\nquery A(T).")
    assert derivations(evaluation, "A", 1) == {"C(1)"}
    assert derivations(evaluation, "A", 2) == set()


def test_anonymous_variables_of_positive_atoms_are_different() -> None:
    evaluation = evaluate_text(INPUTS + "P(T) :- B(_, _, T).\nquery P(T).", [("B", ("a", "b", 0), 0)])
    assert len(derivations(evaluation, "P", 0)) == 9  # a, b and another value, for either


def test_anonymous_variables_under_negation_deny_all_instances() -> None:
    evaluation = evaluate_text(
        INPUTS + "P(X, T) :- A(X, T), not B(X, _, T).\nquery P(X, T).", [("A", ("a", 0), 0)]
    )
    assert derivations(evaluation, "P", "a", 0) == {"A(a, 0), not B(a, _, 0)"}


def test_static_atoms_are_evaluated_away() -> None:
    text = """input A(x: text, time).
        static Link(x, y). Link(a, b). Link(b, c).
        static Path(x, y). Path(X, Y) :- Link(X, Y). Path(X, Z) :- Link(X, Y), Path(Y, Z).
        static Root(x). Root(X) :- Link(X, _), not Link(_, X).
        P(X, Y, T) :- Root(X), A(Y, T), Path(X, Y), not Link(X, Y).
        query P(X, Y, T)."""
    evaluation = evaluate_text(text)
    assert derivations(evaluation, "P", "a", "c", 0) == {"A(c, 0)"}
    assert derivations(evaluation, "P", "a", "b", 0) == set()
    assert derivations(evaluation, "P", "b", "c", 0) == set()


def test_facts_about_derived_predicates_have_no_literals() -> None:
    evaluation = evaluate_text("input C(time).\nA(1).\nA(T) :- C(T).\nquery A(T).")
    assert derivations(evaluation, "A", 1) == {"", "C(1)"}


def test_a_window_prunes_goals_and_none_is_repeated() -> None:
    text = INPUTS + "P(X, T) :- A(X, T).\nP(X, T) :- B(X, Y, T), P(Y, T-1).\nquery P(X, T) window 1."
    evaluation = evaluate_text(text, [("A", ("a", 0), 0)])
    found = derivations(evaluation, "P", "a", 5)
    assert found == {"A(a, 5)"} | {f"A({y}, 4), B(a, {y}, 5)" for y in ("a", "other1")}
    cyclic = evaluate_text(text.replace("T-1", "T").replace("window 1", "window 0"))
    assert derivations(cyclic, "P", "other1", 0) == {"A(other1, 0)"}


def test_a_window_prunes_negated_goals() -> None:
    text = INPUTS + "P(T) :- C(T), not C(T-2).\nP(T) :- C(T), not C(T+1).\nquery P(T) window 1."
    assert derivations(evaluate_text(text), "P", 5) == set()
    assert derivations(evaluate_text(text.replace("window 1", "window 2 horizon 1")), "P", 5) != set()


def test_variables_under_negation_only_range_over_the_domain() -> None:
    evaluation = evaluate_text(INPUTS + "P(X, T) :- not A(X, T).\nquery P(X, T).", [("A", ("a", 0), 0)])
    assert derivations(evaluation, "P", "a", 0) == {"not A(a, 0)"}
    assert derivations(evaluation, "P", "other1", 0) == {"not A(other1, 0)"}


def test_typed_columns_hold_values_of_their_type_only() -> None:
    text = "input R(x: text, v: number, time).\nP(X, V, T) :- R(X, V, T).\nquery P(X, V, T)."
    evaluation = evaluate_text(text, [("R", ("a", 5, 0), 0)])
    pairs = {atom.arguments[:2] for atom in evaluation.derivations if atom.predicate == "R"}
    assert all(isinstance(x, str) and not isinstance(v, str) for x, v in pairs)
    assert ("a", 5) in pairs


# ---- delays and admission ----


def test_the_delay_with_the_most_constants_decides() -> None:
    text = INPUTS + "delay B(a, _, _) = 3.\ndelay B(a, b, _) = 0.\nP(X, T) :- B(X, _, T).\nquery P(X, T)."
    vocabulary = evaluate_text(text).program.vocabulary
    assert [delta_of(vocabulary, Atom("B", (x, y, 0))) for x, y in ("ab", "aa", "bb")] == [0, 3, 1]


@pytest.mark.parametrize(
    ("fact", "reason"),
    [
        (("B", ("a", "b", 2), 2), None),
        (("B", ("a", "b", 2), 3), None),
        (("B", ("a", "b", 2), 4), Reason.LATE),
        (("B", ("a", "b", 2), 1), Reason.EARLY),
        (("B", ("a", 2), 2), Reason.MALFORMED),
        (("B", ("a", 7, 2), 2), Reason.MALFORMED),
        (("B", ("a", "b", -1), 0), Reason.MALFORMED),
        (("B", ("a", "b", "noon"), 0), Reason.MALFORMED),
        (("Unknown", ("a", 2), 2), Reason.MALFORMED),
    ],
)
def test_admission(fact: tuple[str, tuple[Value, ...], int], reason: Reason | None) -> None:
    vocabulary = evaluate_text(INPUTS + "P(X, T) :- B(X, _, T).\nquery P(X, T).").program.vocabulary
    stream = stream_of([fact])
    admitted = admit(vocabulary, stream.arrivals)
    assert admitted.set_aside == (() if reason is None else ((stream.arrivals[0], reason),))
    assert len(admitted.arrivals) == (reason is None)


def test_a_repeated_fact_counts_at_its_first_arrival() -> None:
    vocabulary = evaluate_text(INPUTS + "P(X, T) :- B(X, _, T).\nquery P(X, T).").program.vocabulary
    fact = Atom("B", ("a", "b", 2))
    arrivals = [Arrival(fact, tick) for tick in (3, 1, 2, 4)]
    admitted = admit(vocabulary, arrivals)
    assert admitted.arrivals == {fact: 2}
    assert [reason for _, reason in admitted.set_aside] == [Reason.EARLY, Reason.LATE]


def test_background_facts_can_be_given() -> None:
    text = "input C(time).\nstatic Site(x).\nP(X, T) :- Site(X), C(T).\nquery P(X, T)."
    evaluation = evaluate(read(Source(text)), Stream(background=(Atom("Site", ("a",)),)), 1)
    assert derivations(evaluation, "P", "a", 0) == {"C(0)"}


@pytest.mark.parametrize(
    ("left", "relation", "right", "expected"),
    [
        (1, "=", 1.0, True),
        (1, "!=", "1", True),
        (1, "<", "1", False),
        (1, ">", "1", False),
        ("a", "<", "b", True),
        (2, ">=", 1.5, True),
        (None, "=", None, False),
    ],
)
def test_comparisons(left: Value | None, relation: str, right: Value | None, expected: bool) -> None:
    assert compare(left, relation, right) is expected


def test_no_more_ways_are_looked_at_than_asked_for() -> None:
    checked = read(Source("input A(x: text, time). P(X, T) :- A(X, T), A(Y, T+1), A(Z, T+2). query P(X, T)."))
    every = evaluate(checked, stream_of([]), 3)
    assert evaluate(checked, stream_of([]), 3, most=1_000).derivations == every.derivations
    with pytest.raises(TooManyDerivationsError):
        evaluate(checked, stream_of([]), 3, most=10)
