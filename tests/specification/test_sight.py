"""tests/specification/sight.py: what is lost, worked out by hand, and that nothing else depends on what was unseen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import event, given, note
from hypothesis import strategies as st

from antelog.language.vocabulary import Predicate, PredicateKind
from tests.cases_of_sight import cases_of_sight
from tests.specification import Evaluation, sight
from tests.specification.helpers import evaluation_of
from tests.specification.literals.literal import NEVER, Literal
from tests.specification.sight import Sight
from tests.specification.stream import delta, slot_of, time_of
from tests.specification.terms import Atom
from tests.specification.world import Derivation
from tests.strategies import Case, cases

ANY = cases_of_sight() | cases_of_sight(latest=6) | cases()


def _decided(evaluation: Evaluation) -> Iterator[tuple[Derivation, Literal]]:
    for answers in evaluation.answers.values():
        for candidates in answers.candidates.values():
            for each in candidates:
                literals = each.derivation.literals.items()
                yield from ((each.derivation, li) for li, ticks in literals if min(ticks) < NEVER)


@pytest.mark.slow
@given(ANY)
def test_who_sees_less_decides_the_same_or_nothing(case: Case) -> None:
    note(str(case))
    evaluation = evaluation_of(case)
    for derivation, literal in _decided(evaluation):
        true_at, false_at = derivation.literals[literal]
        seen = evaluation.sight.ticks(literal.body, derivation.around)
        assert seen.true_at == NEVER or true_at <= seen.true_at
        assert seen.false_at == NEVER or false_at <= seen.false_at


@pytest.mark.slow
@given(ANY, st.randoms(use_true_random=False))
def test_what_is_not_lost_no_fact_of_an_unseen_source_would_have_changed(case: Case, random: Random) -> None:
    """Whatever else such a source may have sent, but for what is excused."""
    evaluation = evaluation_of(case)
    more = tuple(_unseen_facts(evaluation, random))
    note(f"{case}\nand {more}")
    other = evaluation_of(Case(case.text, (*case.facts, *more), case.until)).world
    with (
        patch.object(sight, "_few", lambda doubts, _: not doubts),
        patch.object(sight, "asks_for_silence", lambda *_: False),
        patch.object(Sight, "unseen", _unseen),
    ):
        for derivation, literal in _decided(evaluation):
            ticks = derivation.literals[literal]
            if not evaluation.sight.is_lost(derivation, literal, min(ticks)):
                then = other.ticks(literal.body, derivation.around)
                assert NEVER in (ticks.true_at, then.false_at), literal
                assert NEVER in (ticks.false_at, then.true_at), literal
    event("with more facts" if more else "without more facts")


def _unseen(of: Sight, atom: Atom, tick: int, _unseen: Callable[..., bool] = Sight.unseen) -> bool:
    """Whether a source is unseen; one of which nothing is known is."""
    source = of.program.vocabulary[atom.predicate].source
    known = [each for i, each in enumerate(atom.arguments) if i in source and isinstance(each, str | int)]
    return _unseen(of, atom, tick) or bool(source and not known)


def _unseen_facts(evaluation: Evaluation, random: Random) -> Iterator[tuple[str, tuple[object, ...], int]]:
    """Facts that may have come of sources at ticks at which none of their facts did."""
    program, taken = evaluation.program, set()
    for predicate in program.vocabulary.predicates.values():
        if predicate.kind is PredicateKind.INPUT and predicate.source:
            for tick in range(program.until + 1):
                for row in (("a", "a"), ("b", "a"), ("a", 10), ("b", 10), ("a",), ("b",)):
                    fact = Atom(predicate.name, (*row, tick))
                    slot = slot_of(predicate, fact)
                    if (
                        predicate.arity == len(row) + 1
                        and slot not in taken
                        and random.random() < 0.5
                        and _may_come(evaluation, predicate, fact)
                    ):
                        taken |= {slot} - {None}
                        yield predicate.name, fact.arguments, tick + random.randint(0, delta(predicate, fact.arguments))


def _may_come(evaluation: Evaluation, predicate: Predicate, fact: Atom) -> bool:
    span = 3 * (predicate.schedule.gap or 0) // 2
    slot, tick = slot_of(predicate, fact), time_of(fact)
    return tick >= span - 1 and not any(
        (slot and slot == slot_of(predicate, other))
        or (
            tick - span < time_of(other) <= tick
            and any(other.arguments[i] == fact.arguments[i] for i in predicate.source)
        )
        for other in evaluation.program.arrivals
        if other.predicate == fact.predicate
    )
