"""The engine against the specification, on random programs and streams, at every tick."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, event, example, given, note

from antelog.engine.engine import Engine
from antelog.language.syntax import variable_of
from antelog.reference import Outlook, outlook, snapshots
from antelog.reference.answers import Answer
from tests.engine.replay import (
    frames,
    is_confirmed_for_equals,
    is_nothing,
    known_only,
    lines,
    runnable,
    shown,
    without_needless,
)
from tests.few_literals import cases_of_few_literals
from tests.few_numbers import cases_of_few_numbers
from tests.reference.helpers import evaluation_of
from tests.reference.test_conformance import implied
from tests.strategies import Case, cases
from tests.two_times import cases_with_two_times

# The specification looks at every value and tick there is, so where two times are free there are few.
ANY = cases() | cases_with_two_times(latest=2, most=6) | cases_of_few_literals() | cases_of_few_numbers()

# Each level asks the one below for two ticks, which would double the work from level to level.
_NEGATIONS_OF_NEGATIONS = Case(
    "input A(x: text, time) delay 1. input B(x: text, time) delay 1. P0(X, T) :- B(X, T). "
    + "".join(f"P{i + 1}(X, T) :- A(X, T), not P{i}(X, T+1), not P{i}(X, T+2). " for i in range(10))
    + "query P10(X, T).",
    (*(("A", ("a", t), t) for t in range(14)), *(("B", ("a", t), t + 1) for t in (5, 7, 8, 12))),
    16,
)

# Whatever C(_) is met by, P1(a, 3) is settled when C(3) is.
_NEEDLESS_LITERAL = Case(
    "input C(time) delay 1. input R(x: text, v: number, time) delay 2. P1(a, T) :- C(_), C(T), T >= 1. "
    "P2(X, T) :- R(X, W, T-1), W = 10, not P1(a, T+1), not P1(a, T). query P2(X, T).",
    (("C", (0,), 1), ("R", ("c", 10, 1), 1)),
    6,
)

# From tick 4 on only R(a, 3) can still come, so what was said of all values is said of a alone.
_SLOWER_VALUE = Case(
    "input R(x: text, time) delay 1. delay R(a, _) = 5. input S(x: text, time) delay 1. "
    "Q(X, T) :- R(X, T), not S(X, T-3). query Q(X, T).",
    (("S", ("b", 0), 0), ("R", ("c", 5), 5), ("R", ("a", 4), 7)),
    9,
)

# What P2(2) will be is known before C(3) is: the second rule needs no fact, but is looked at at tick 2 only.
_CERTAIN_WITH_ITS_TIME = Case(
    "input A(x: text, time). input C(time) delay 1. static Site(x: text). Site(a). P1(a, T) :- A(a, T). "
    "P2(T) :- C(T+1), not P2(T-2). P2(T) :- Site(a), not P1(_, T+2), not P2(T-2). query P2(T).",
    (("C", (0,), 1), ("A", ("a", 2), 2), ("C", (3,), 4)),
    6,
)

# B(c, 1) speaks for P2(c, T) at whatever T.
_TIME_STILL_OPEN = Case(
    "input A(x: text, time). input B(x: text, time) delay 1. P1(X, T) :- A(X, T+2), not A(X, T-2). "
    "P2(X, T) :- B(X, U), A(X, T+1), not P1(X, T+1). query P2(X, T).",
    (("B", ("c", 1), 1), ("A", ("c", 2), 2)),
    3,
)

# What X, U and T leave open is needless once A(c, 3) has come, but for U = T and X = Y, with the same A.
_SPOKEN_FOR_BY_FEWER = Case(
    "input A(x: text, time) delay 1. input C(time) delay 1. "
    "P(X, T) :- A(a, U+1), A(Y, T), A(X, U-1), C(T+1), not A(a, U), not A(a, T-1). query P(X, T).",
    (("A", ("c", 3), 3), ("C", (1,), 2)),
    3,
)

# B(a, b, 3) excludes U = 2, which makes the next one needless for all others.
_NAMED_FOR_ANOTHER = Case(
    "input A(x: text, time) delay 1. input B(x: text, y: text, time) delay 2. input C(time) delay 2. "
    "P(X, T) :- C(T+1), C(U-1), A(a, T+1), C(T), not B(Y, X, T), not B(Y, X, U+1). query P(X, T).",
    (("C", (1,), 3), ("B", ("a", "b", 3), 3), ("C", (2,), 2)),
    5,
)

# A(a, 0) excludes U = 0 for a, so a needs C(1), which for all others is needless; U has a value then.
_SPOKEN_FOR_UNTIL_A_FACT = Case(
    "input A(x: text, time) delay 1. input B(x: text, y: text, time) delay 1. input C(time) delay 1. "
    "P(X, T) :- C(T), C(U), B(X, Y, T), C(T+1), not A(X, U). query P(X, T).",
    (("C", (0,), 0), ("A", ("a", 0), 0), ("C", (1,), 1), ("B", ("c", "a", 2), 4)),
    4,
)

# C(0) is tied to P(X, 2) only where both B are one, so P(X, 2) is considered at tick 2 and not before.
_ONE_BUT_BY_THE_CLOCK = Case(
    "input A(x: text, time) delay 2. input B(x: text, y: text, time) delay 2. input C(time) delay 1. "
    "P(X, T) :- C(U), C(U+1), A(a, U), not B(X, Y, T-1), not B(X, X, U+1). query P(X, T).",
    (("C", (0,), 0), ("A", ("c", 0), 1), ("C", (3,), 2), ("B", ("c", "b", 2), 5)),
    3,
)

# `not P1(X, T)` is certain for all X but a.
_LOOKED_AT_BY_THE_CLOCK = Case(
    "input A(x: text, time). input B(x: text, time) delay 1. static Site(x: text). Site(a). "
    "P1(X, T) :- Site(X), not A(X, T). P2(a, T) :- B(X, U), not P1(X, T). query P2(X, T).",
    (("A", ("a", 1), 1), ("B", ("b", 2), 2)),
    3,
)

# A(a, T) with T = 3 may be A(a, 2), which C(2) waits for.
_ONE_OF_TWO_LITERALS = Case(
    "input A(x: text, time) delay 1. input C(time) delay 1. P1(a, T) :- A(a, T), C(T). "
    "P2(X, T) :- P1(X, U), A(X, T), A(X, T-1), T > 0. query P2(X, T).",
    (("C", (1,), 1), ("C", (2,), 2), ("A", ("a", 1), 2), ("A", ("a", 3), 4)),
    4,
)

# R is asked about ticks from 4 on.
_FIRST_OF_ITS_TIME = Case(
    "input A(x: text, time). input R(x: text, v: number, time) delay 1. P1(T-2) :- not R(X, 10, T+2). "
    "P2(Y, T-1) :- A(Y, T), P1(U), not P2(Y, T-2). query P2(X, T).",
    (("A", ("b", 1), 1),),
    2,
)

# C(0) and C(1) may still come, but not where there is no D.
_NOTHING_IS_LEFT = Case(
    "input A(x: text, time). input C(time) delay 2. input D(time). "
    "P(X, T) :- C(U), A(X, T), not D(U), U <= T. query P(X, T).",
    (("D", (0,), 0), ("D", (1,), 1), ("A", ("a", 1), 1)),
    2,
)

# P1(X, 0) is false for nearly all X, so `not P1(X, U)` need not be waited for; for b it must be.
_NEEDLESS_BUT_FOR_ONE_VALUE = Case(
    "input A(x: text, time). input C(time) delay 1. static Site(x: text). Site(a). Site(b). "
    "P1(X, T) :- Site(X), not C(T). P1(X, T) :- A(X, T+1). "
    "P2(a, T) :- A(X, T-2), not P1(X, U), not P2(X, T-3). query P2(X, T).",
    (("A", ("a", 0), 0),),
    2,
)

# No number is above 10 and below 7.5, so Q is certainly false from the first tick on, at ticks to come too.
_NO_SUCH_NUMBER = Case(
    "input A(x: text, time). input R(x: text, v: number, time). "
    "Q(X, T) :- R(X, V, T), R(X, W, T+1), V > 10, W + 2.5 < 10, W >= V. "
    "P(X, T-1) :- R(X, V, T), V < 8, not Q(X, T-2). query P(X, T).",
    (("R", ("a", 5, 3), 3),),
    4,
)

# R(a, 20, 1) is no evidence, for nothing above 20 is below 10.
_NONE_ABOVE = Case(
    "input R(x: text, v: number, time) delay 1. "
    "P(X, T) :- R(X, V, T), R(X, W, T+1), W > V, W < 10. query P(X, T).",
    (("R", ("a", 20, 1), 1), ("R", ("b", 5, 1), 1)),
    3,
)

# Rows that leave X and Y open speak for X and a, and those that leave U open for these.
_SPOKEN_FOR_THROUGH_ANOTHER = Case(
    "input A(x: text, time) delay 1. input C(time). "
    "P(X, Y, T) :- not C(U+1), A(Y, T), A(a, U+1), not A(X, T). query P(X, Y, T).",
    (("A", ("a", 1), 2),),
    3,
)

# Before any fact has come there are no texts to be told in order.
_NO_VALUE_YET = Case(
    "input A(x: text, time) delay 1. input R(x: text, v: number, time) delay 1. "
    "P(X, V, T) :- R(X, V, T+1), R(Y, V, T+1), not R(Y, V, T), V <= 5. "
    "P(X, V, T) :- A(X, T+1), R(Y, V, T), not R(X, V, T+1), not R(Y, V, T+1), V != 3. query P(X, V, T).",
    (("R", ("a", 10, 2), 2), ("R", ("c", 5, 3), 3), ("R", ("b", 4, 1), 2)),
    4,
)

# Only A(a, 1) may be that late, and it has come: from tick 2 on nothing else is waited for.
_SLOWEST_HAS_COME = Case(
    "input A(x: text, time) delay 0. input B(x: text, y: text, time) delay 2. input C(time) delay 1. "
    "delay A(a, _) = 3. P(X, T) :- C(T), A(X, T-1), B(X, Y, T-1), not A(Y, T-1). query P(X, T).",
    (("C", (0,), 0), ("A", ("a", 1), 1), ("C", (3,), 3), ("B", ("c", "b", 3), 3)),
    5,
)

# The same of two slow values, the one slower than the other.
_SLOWER_HAS_COME = Case(
    "input A(x: text, time) delay 1. input B(x: text, y: text, time) delay 1. input C(time). "
    "delay A(a, _) = 4. delay A(b, _) = 3. P(T) :- C(T), A(X, T), B(X, Y, T+3). query P(T).",
    (("C", (1,), 1), ("A", ("a", 1), 3), ("B", ("c", "a", 1), 1), ("C", (0,), 0), ("A", ("b", 0), 3)),
    6,
)

# A(a, T) may be later than others, but background facts forbid a.
_SLOWEST_IS_FORBIDDEN = Case(
    "input A(x: text, time). delay A(a, _) = 2. input B(x: text, time). static Link(x: text). Link(a). "
    "P(X, T) :- A(X, T), not Link(X), not B(c, T). query P(X, T).",
    (("B", ("b", 1), 1),),
    2,
)

# B(b, c, 1) and C(2) confirm P(X, 0) for all X but c, for which it stays open.
_CONFIRMED_FOR_OTHERS = Case(
    "input B(x: text, y: text, time). input C(time) delay 1. Q(X, T) :- not B(a, X, T-1), C(T+1). "
    "P(X, T) :- Q(X, U), B(_, Y, U), not B(_, _, T), X != Y. query P(X, T).",
    (("B", ("b", "c", 1), 1), ("C", (2,), 3)),
    4,
)

# What speaks for X = a, U = 1 is told, but not for Y = a, and what speaks for these is needless.
_SPOKEN_FOR_BY_ONE_THAT_IS_NOT_TOLD = Case(
    "input A(x: text, time) delay 2. input B(x: text, y: text, time) delay 2. input C(time) delay 1. "
    "P1(a, T) :- B(a, a, T+1), not P1(a, T-2). P1(a, T) :- C(T-2), not A(a, T). "
    "P2(X, T) :- B(Y, Y, T+1), C(T-2), not P1(Y, U), not A(X, U). query P2(X, T).",
    (("C", (0,), 1), ("A", ("a", 0), 2)),
    2,
)

# Only a may be late, and it is not less than itself.
_SLOWEST_IS_NOT_LESS = Case(
    "input R(x: text, v: number, time). delay R(a, _, _) = 2. input A(x: text, time). "
    "P(X, T) :- R(Y, V, T), V = 10, R(X, _, T), not A(a, T), X < Y. query P(X, 0).",
    (("R", ("c", 5, 0), 1),),
    2,
)

# From tick 3 on nothing has come about tick 1 that Q needs, at whatever tick it is asked for.
_OVER_AT_ALL_TICKS = Case(
    "input A(x: text, time) delay 1. input R(x: text, v: number, time) delay 2. "
    "Q(X, T) :- R(X, V, T+1), R(X, W, 1), W >= 8. P(X, T-2) :- A(X, T), not Q(X, T). query P(X, T).",
    (("R", ("c", 5, 1), 2), ("A", ("b", 4), 4)),
    5,
)

# The same where it has come for c, which is an exception at all ticks.
_OVER_BUT_FOR_ONE_VALUE = replace(_OVER_AT_ALL_TICKS, text=_OVER_AT_ALL_TICKS.text.replace(", W >= 8", ""))


@pytest.mark.slow
@example(_NEGATIONS_OF_NEGATIONS)
@example(_OVER_AT_ALL_TICKS)
@example(_OVER_BUT_FOR_ONE_VALUE)
@example(_SLOWEST_IS_NOT_LESS)
@example(_SPOKEN_FOR_BY_ONE_THAT_IS_NOT_TOLD)
@example(_SLOWEST_IS_FORBIDDEN)
@example(_CONFIRMED_FOR_OTHERS)
@example(_SLOWEST_HAS_COME)
@example(_SLOWER_HAS_COME)
@example(_NO_VALUE_YET)
@example(_NO_SUCH_NUMBER)
@example(_NONE_ABOVE)
@example(_SPOKEN_FOR_THROUGH_ANOTHER)
@example(_NOTHING_IS_LEFT)
@example(_NEEDLESS_BUT_FOR_ONE_VALUE)
@example(_ONE_OF_TWO_LITERALS)
@example(_FIRST_OF_ITS_TIME)
@example(_SLOWER_VALUE)
@example(_TIME_STILL_OPEN)
@example(_LOOKED_AT_BY_THE_CLOCK)
@example(_SPOKEN_FOR_BY_FEWER)
@example(_ONE_BUT_BY_THE_CLOCK)
@example(_SPOKEN_FOR_UNTIL_A_FACT)
@example(_NAMED_FOR_ANOTHER)
@given(ANY)
def test_answers_are_those_of_the_specification(case: Case) -> None:
    checked = case.checked
    compiled = runnable(checked)
    assume(compiled is not None)
    assert compiled is not None
    note(f"{case}\n{compiled.plan}")
    evaluation = evaluation_of(case)
    program = evaluation.program
    reports = list(snapshots(evaluation))
    settled: dict[str, set[Answer]] = {query.name: set() for query in compiled.plan.queries}
    engine = Engine(compiled)
    some = False
    for now in range(case.until + 1):
        engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        for line in lines(engine, compiled.plan):
            name = line["query"]
            query = next(q.atom for q in checked.document.queries if q.atom.predicate == name)
            time = variable_of(query.terms[-1])
            names = list(dict.fromkeys(v for term in query.terms if (v := variable_of(term))))
            expected = {
                report.answer: kept
                for report in reports
                if report.tick == now and report.query == name
                if (kept := known_only(evaluation, report))
                and all(value in program.known for variable, value in report.answer if variable != time)
            }
            assume(not any(map(is_confirmed_for_equals, line["answers"])))
            assert not any(is_nothing(answer, now, evaluation) for answer in line["answers"])
            found = without_needless(implied(evaluation, line, names, settled[name]), line, evaluation)
            assert shown(found, time, program) == shown(expected, time, program), f"tick {now}"
            settled[name] |= {a for a, group in found.items() if any(not e.hypotheses for e in group)}
            some = some or bool(found)
    event("with answers" if some else "without answers")


@pytest.mark.slow
@example(_NEEDLESS_LITERAL)
@example(_CERTAIN_WITH_ITS_TIME)
@given(ANY)
def test_open_answers_end_as_the_specification_says(case: Case) -> None:
    compiled = runnable(case.checked)
    assume(compiled is not None)
    assert compiled is not None
    note(f"{case}\n{compiled.plan}")
    evaluation = evaluation_of(case)
    reports = {(r.tick, r.query, tuple(sorted(r.answer))): r for r in snapshots(evaluation)}
    engine = Engine(compiled)
    for now in range(case.until + 1):
        engine.advance(now, frames(case.facts, compiled.plan, now - 1, now))
        for line in lines(engine, compiled.plan):
            for answer in line["answers"]:
                name = line["query"]
                key = (now, name, tuple(sorted(answer["answer"].items(), key=lambda item: item[0])))
                report = reports.get(key)
                told = answer["change"] != "confirmed" and _is_ground(answer)
                shared = report is not None and len(report.explanations) > len(answer["explanations"])
                # What an answer for more values says of this one, too, is told there only.
                if report is not None and told and not (shared and _covered(answer, line["answers"])):
                    ahead = outlook(evaluation, report)
                    same = answer["decided_by"] == ahead.decided_by and _ends_as(answer, ahead)
                    assert (
                        same
                        or _is_told_with_others(answer, name, now, case)
                        or _goes_on(answer, ahead, key, case)
                    ), (key, answer, ahead)


def _ends_as(answer: dict[str, Any], ahead: Outlook) -> bool:
    silent = ahead.if_silent
    expected = silent and {"change": silent.change, "tick": silent.tick}
    return bool(answer["if_silent"] == expected)


def _goes_on(
    answer: dict[str, Any], ahead: Outlook, key: tuple[int, str, tuple[Any, ...]], case: Case
) -> bool:
    """Whether an answer has no end, and in the specification one as this looks at no later ticks."""
    longer = evaluation_of(case, later=1)
    report = next((r for r in snapshots(longer) if (r.tick, r.query, tuple(sorted(r.answer))) == key), None)
    if report is None or ahead.if_silent is None or answer["if_silent"] is not None:
        return False
    then = ahead.if_silent.tick + 1
    later = replace(ahead, if_silent=replace(ahead.if_silent, tick=then))
    return answer["decided_by"] == ahead.decided_by and outlook(longer, report) == later


def _is_told_with_others(answer: dict[str, Any], query: str, now: int, case: Case) -> bool:
    """Whether an answer ends, if nothing more arrives, because one for more values says what it would say."""
    compiled = runnable(case.checked)
    assert compiled is not None
    end = answer["if_silent"] and answer["if_silent"]["tick"]
    if end is None:
        return False
    engine = Engine(compiled)
    engine.advance(now, frames(case.facts, compiled.plan, -1, now))
    engine.advance(end)
    (line,) = (line for line in lines(engine, compiled.plan) if line["query"] == query)
    return _covered(answer, line["answers"])


def _covered(answer: dict[str, Any], others: list[dict[str, Any]]) -> bool:
    """Whether some answer stands for more values, and for these."""
    return any(
        None in other["answer"].values()
        and all(value in (None, answer["answer"][name]) for name, value in other["answer"].items())
        for other in others
    )


def _is_ground(answer: dict[str, Any]) -> bool:
    texts = [text for e in answer["explanations"] for text in e["hypotheses"]]
    return not any(re.search(r"(^|[ (])(_|[A-Z]\w*)[-+,) ]", text) for text in texts)
