"""tests/specification/sight.py: what is lost; and that no unseen source could have changed the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import event, given, note
from hypothesis import strategies as st

from antelog.language.syntax import Value
from antelog.language.vocabulary import Predicate
from tests.cases_of_sight import cases_of_sight
from tests.specification import Evaluation, Kind, changes, sight
from tests.specification.helpers import Fact, evaluate_text, evaluation_of
from tests.specification.literals.literal import NEVER, Literal, by_time
from tests.specification.sight import Sight
from tests.specification.stream import delta, slot_of, time_of
from tests.specification.terms import Atom
from tests.specification.world import Derivation
from tests.strategies import Case, cases

GO = "input Go(x: text, time). input Press(x: text, time) delay 3.\n"
TEMP = GO + "input Temp(x: text, level: text, time) delay 0, one per x, every 1.\n"
CALM = TEMP + "Calm(X, T) :- Go(X, T), not Temp(X, high, T).\n"
GLUED = CALM + "P(X, T) :- Go(X, T), T < 1, Press(X, U), U > T, U < 9, not Calm(X, T+1..U)."
SHORT = GLUED.replace(" delay 3", "")
SITES = GO + "input Temp(y: text, x: text, l: text, time) {}. P(X, T) :- Go(X, T), not Temp(s, X, high, T+1)."
FROM_A: Fact = ("Temp", ("s", "a", "low", 1), 1)
FROM_B: Fact = ("Temp", ("s", "b", "low", 1), 1)
SLOW = TEMP.replace("delay 0", "delay 2") + "P(X, T) :- Go(X, T), not Temp(X, {}, T+1). "
SLOW += "delay Temp(_, high, _) = 0."
LATE: Fact = ("Temp", ("a", "low", 1), 2)
MODE = GO + "input Mode(x: text, m: text, time) one per x, every 1. "
MODE += "P(X, T) :- Go(X, T), last Mode(X, M, T+2), M != b."


def go(*ticks: int) -> list[Fact]:
    return [("Go", ("a", tick), tick) for tick in ticks]


def low(*ticks: int) -> list[Fact]:
    return [("Temp", ("a", "low", tick), tick) for tick in ticks]


def mode(value: str, tick: int) -> Fact:
    return "Mode", ("a", value, tick), tick


def asked(literal: str) -> str:
    return f"{TEMP}Heard(X, T) :- Temp(X, _, T). P(X, T) :- Go(X, T), {literal}."


TEN_LATER = asked("Temp(X, high, U), U > T, U <= T+10")
NONE_CALM = CALM + "P(X, T) :- Go(X, T), T < 1, not Calm(X, T+1..T+10)."


WORDS = "Temp(a, high, U) where U <= 10, U > 0"
NOT_LOW, DISTINCT = "count(Temp(X, L, {}), L != low) < 1", "count(distinct L : Temp(X, L, {})) < 1"


@pytest.mark.parametrize(
    ("text", "facts", "expected"),
    [
        # An atom in doubt denies a range with an open end, or bounds it.
        (SHORT, go(0, 2), "2 rejected not Calm(a, 1..U) where U < 9, U > 0"),
        (SHORT, go(0, 2) + low(2), "2 rejected "),
        (GLUED, go(0, 2), "4 rejected Press(a, U) where U < 2, U < 9, U > 0"),
        (GLUED, go(0, 2) + low(2), "4 rejected "),
        # One tick in ten may be in doubt, but no atom that is there.
        (TEN_LATER, go(0) + low(*range(1, 10)), "10 rejected "),
        (TEN_LATER, go(0) + low(*range(2, 10)), f"10 rejected {WORDS}"),
        (asked("not Temp(X, high, 1..9)"), go(0) + low(*range(2, 10)), "9 confirmed not Temp(a, high, 1..9)"),
        (NONE_CALM, go(0, 3), "3 rejected not Calm(a, 1..10)"),
        (NONE_CALM, go(0), "10 confirmed "),
        # What asks for silence itself is never lost.
        (asked("not Temp(X, _, T+1..T+2)"), go(0), "2 confirmed "),
        (asked("count(Temp(X, _, T+1..T+2)) < 1"), go(0), "2 confirmed "),
        (asked(NOT_LOW.format("T+1..T+2")), go(0), "2 confirmed count(Temp(a, L, 1..2), L != low) < 1"),
        (asked(DISTINCT.format("T+1")), go(0), "1 confirmed count(distinct L : Temp(a, L, 1)) < 1"),
        (asked("not Heard(X, T+1)"), go(0), "1 confirmed not Heard(a, 1)"),
        # Which source it is
        (asked("not Temp(_, high, T+1)"), go(0), "1 confirmed "),
        (SITES.format("every 1 per y"), [*go(0), FROM_B], "1 confirmed "),
        (SITES.format("every 1 per x"), [*go(0), FROM_B], "1 confirmed not Temp(s, a, high, 1)"),
        (SITES.format("every 1 per y and x"), [*go(0), FROM_B], "1 confirmed not Temp(s, a, high, 1)"),
        (SITES.format("every 1 per y and x"), [*go(0), FROM_A], "1 confirmed "),
        (SITES.format("every 1"), go(0), "1 confirmed "),
        # By the deadline of the literal
        (SLOW.format("high"), [*go(0), LATE], "1 confirmed not Temp(a, high, 1)"),
        (SLOW.format("warm"), [*go(0), LATE], "2 confirmed "),
        # Where another fact is the latest, it decided.
        (MODE, [*go(0), mode("a", 0), mode("b", 1)], "1 rejected "),
        (MODE, [*go(0), mode("a", 0)], "2 confirmed last Mode(a, a, 2)"),
        (MODE, [*go(0), mode("a", 0), mode("a", 2)], "2 confirmed "),
    ],
)
def test_what_is_lost(text: str, facts: list[Fact], expected: str) -> None:
    decided = [
        f"{each.tick} {each.kind.value} {', '.join(map(str, by_time(each.lost)))}"
        for each in changes(evaluate_text(f"{text}\nquery P(X, T).", facts, 12))
        if each.kind in (Kind.CONFIRMED, Kind.REJECTED)
    ]
    assert decided == [expected]


def test_an_answer_that_is_possible_again_forgets_what_was_lost() -> None:
    text = TEMP + "P(0) :- Go(a, 0), Temp(a, high, 1). P(0) :- Press(a, 0), Go(a, 4). query P(T)."
    log = [*changes(evaluate_text(text, [*go(0), ("Press", ("a", 0), 2)], 9))]
    assert [(each.tick, [*map(str, each.lost)]) for each in log if each.kind is Kind.REJECTED] == [
        (1, ["Temp(a, high, 1)"]),
        (4, []),
    ]


ANY = cases_of_sight() | cases_of_sight(latest=6) | cases()


def _decided(evaluation: Evaluation) -> Iterator[tuple[Derivation, Literal]]:
    for answers in evaluation.answers.values():
        for candidates in answers.candidates.values():
            for each in candidates:
                literals = each.derivation.literals.items()
                yield from ((each.derivation, li) for li, ticks in literals if min(ticks) < NEVER)


@given(ANY)
def test_who_sees_less_decides_the_same_or_nothing(case: Case) -> None:
    note(str(case))
    evaluation = evaluation_of(case)
    for derivation, literal in _decided(evaluation):
        true_at, false_at = derivation.literals[literal]
        seen = evaluation.sight.ticks(literal.body, derivation.around)
        assert seen.true_at == NEVER or true_at <= seen.true_at
        assert seen.false_at == NEVER or false_at <= seen.false_at


@given(cases_of_sight(latest=6))
def test_what_is_lost_at_a_tick_needs_no_later_fact(case: Case) -> None:
    note(str(case))
    whole = [*changes(evaluation_of(case))]
    for now in range(0, case.until, 3):
        facts = tuple(fact for fact in case.facts if fact[-1] <= now)
        log = changes(evaluation_of(Case(case.text, facts, case.until)))
        assert [each for each in log if each.tick <= now] == [each for each in whole if each.tick <= now]


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


def _unseen_facts(evaluation: Evaluation, random: Random) -> Iterator[Fact]:
    """Facts that may have come of sources at ticks at which none of theirs did."""
    program = evaluation.program
    taken = {slot_of(program.vocabulary[each.predicate], each) for each in program.arrivals}
    watched = [each for each in program.vocabulary.predicates.values() if each.source]
    values: tuple[Value, ...] = ("a", "b", 10)
    for predicate, tick in product(watched, range(program.until + 1)):
        for row in product(values[:2], *[values[::2]] * (predicate.arity - 2)):
            fact = Atom(predicate.name, (*row, tick))
            slot = slot_of(predicate, fact)
            if (
                random.random() < 0.5
                and slot not in taken - {None}
                and _is_unseen(evaluation, predicate, fact)
            ):
                taken.add(slot)
                yield predicate.name, (*row, tick), tick + random.randint(0, delta(predicate, fact.arguments))


def _is_unseen(evaluation: Evaluation, predicate: Predicate, fact: Atom) -> bool:
    """Whether none of the facts about the last ticks has anything in common with the source of one."""
    tick, span = time_of(fact), 3 * (predicate.schedule.gap or 0) // 2
    return tick >= span - 1 and not any(
        tick - span < time_of(other) <= tick
        and any(other.arguments[i] == fact.arguments[i] for i in predicate.source)
        for other in evaluation.program.arrivals
        if other.predicate == fact.predicate
    )
