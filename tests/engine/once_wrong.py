"""Cases in which the engine once did not do what the specification says, each for a reason of its own."""

from __future__ import annotations

from dataclasses import replace

from tests.strategies import Case

# Each level asks the one below for two ticks, which would double the work from level to level.
NEGATIONS_OF_NEGATIONS = Case(
    "input A(x: text, time) delay 1. input B(x: text, time) delay 1. P0(X, T) :- B(X, T). "
    + "".join(f"P{i + 1}(X, T) :- A(X, T), not P{i}(X, T+1), not P{i}(X, T+2). " for i in range(10))
    + "query P10(X, T).",
    (*(("A", ("a", t), t) for t in range(14)), *(("B", ("a", t), t + 1) for t in (5, 7, 8, 12))),
    16,
)

# Whatever C(_) is met by, P1(a, 3) is settled when C(3) is.
NEEDLESS_LITERAL = Case(
    "input C(time) delay 1. input R(x: text, v: number, time) delay 2. P1(a, T) :- C(_), C(T), T >= 1. "
    "P2(X, T) :- R(X, W, T-1), W = 10, not P1(a, T+1), not P1(a, T). query P2(X, T).",
    (("C", (0,), 1), ("R", ("c", 10, 1), 1)),
    6,
)

# From tick 4 on only R(a, 3) can still come, so what was said of all values is said of a alone.
SLOWER_VALUE = Case(
    "input R(x: text, time) delay 1. delay R(a, _) = 5. input S(x: text, time) delay 1. "
    "Q(X, T) :- R(X, T), not S(X, T-3). query Q(X, T).",
    (("S", ("b", 0), 0), ("R", ("c", 5), 5), ("R", ("a", 4), 7)),
    9,
)

# What P2(2) will be is known before C(3) is: the second rule needs no fact, but is looked at at tick 2 only.
CERTAIN_WITH_ITS_TIME = Case(
    "input A(x: text, time). input C(time) delay 1. static Site(x: text). Site(a). P1(a, T) :- A(a, T). "
    "P2(T) :- C(T+1), not P2(T-2). P2(T) :- Site(a), not P1(_, T+2), not P2(T-2). query P2(T).",
    (("C", (0,), 1), ("A", ("a", 2), 2), ("C", (3,), 4)),
    6,
)

# B(c, 1) speaks for P2(c, T) at whatever T.
TIME_STILL_OPEN = Case(
    "input A(x: text, time). input B(x: text, time) delay 1. P1(X, T) :- A(X, T+2), not A(X, T-2). "
    "P2(X, T) :- B(X, U), A(X, T+1), not P1(X, T+1). query P2(X, T).",
    (("B", ("c", 1), 1), ("A", ("c", 2), 2)),
    3,
)

# What X, U and T leave open is needless once A(c, 3) has come, but for U = T and X = Y, with the same A.
SPOKEN_FOR_BY_FEWER = Case(
    "input A(x: text, time) delay 1. input C(time) delay 1. "
    "P(X, T) :- A(a, U+1), A(Y, T), A(X, U-1), C(T+1), not A(a, U), not A(a, T-1). query P(X, T).",
    (("A", ("c", 3), 3), ("C", (1,), 2)),
    3,
)

# A(a, 0) excludes U = 0 for a, so a needs C(1), which for all others is needless; U has a value then.
SPOKEN_FOR_UNTIL_A_FACT = Case(
    "input A(x: text, time) delay 1. input B(x: text, y: text, time) delay 1. input C(time) delay 1. "
    "P(X, T) :- C(T), C(U), B(X, Y, T), C(T+1), not A(X, U). query P(X, T).",
    (("C", (0,), 0), ("A", ("a", 0), 0), ("C", (1,), 1), ("B", ("c", "a", 2), 4)),
    4,
)

# A(a, T) with T = 3 may be A(a, 2), which C(2) waits for.
ONE_OF_TWO_LITERALS = Case(
    "input A(x: text, time) delay 1. input C(time) delay 1. P1(a, T) :- A(a, T), C(T). "
    "P2(X, T) :- P1(X, U), A(X, T), A(X, T-1), T > 0. query P2(X, T).",
    (("C", (1,), 1), ("C", (2,), 2), ("A", ("a", 1), 2), ("A", ("a", 3), 4)),
    4,
)

# C(0) and C(1) may still come, but not where there is no D.
NOTHING_IS_LEFT = Case(
    "input A(x: text, time). input C(time) delay 2. input D(time). "
    "P(X, T) :- C(U), A(X, T), not D(U), U <= T. query P(X, T).",
    (("D", (0,), 0), ("D", (1,), 1), ("A", ("a", 1), 1)),
    2,
)

# No number is above 10 and below 7.5, so Q is certainly false from the first tick on, at ticks to come too.
NO_SUCH_NUMBER = Case(
    "input A(x: text, time). input R(x: text, v: number, time). "
    "Q(X, T) :- R(X, V, T), R(X, W, T+1), V > 10, W + 2.5 < 10, W >= V. "
    "P(X, T-1) :- R(X, V, T), V < 8, not Q(X, T-2). query P(X, T).",
    (("R", ("a", 5, 3), 3),),
    4,
)

# R(a, 20, 1) is no evidence, for nothing above 20 is below 10.
NONE_ABOVE = Case(
    "input R(x: text, v: number, time) delay 1. "
    "P(X, T) :- R(X, V, T), R(X, W, T+1), W > V, W < 10. query P(X, T).",
    (("R", ("a", 20, 1), 1), ("R", ("b", 5, 1), 1)),
    3,
)

# Rows that leave X and Y open speak for X and a, and those that leave U open for these.
SPOKEN_FOR_THROUGH_ANOTHER = Case(
    "input A(x: text, time) delay 1. input C(time). "
    "P(X, Y, T) :- not C(U+1), A(Y, T), A(a, U+1), not A(X, T). query P(X, Y, T).",
    (("A", ("a", 1), 2),),
    3,
)

# Before any fact has come there are no texts to be told in order.
NO_VALUE_YET = Case(
    "input A(x: text, time) delay 1. input R(x: text, v: number, time) delay 1. "
    "P(X, V, T) :- R(X, V, T+1), R(Y, V, T+1), not R(Y, V, T), V <= 5. "
    "P(X, V, T) :- A(X, T+1), R(Y, V, T), not R(X, V, T+1), not R(Y, V, T+1), V != 3. query P(X, V, T).",
    (("R", ("a", 10, 2), 2), ("R", ("c", 5, 3), 3), ("R", ("b", 4, 1), 2)),
    4,
)

# Only A(a, 1) may be that late, and it has come: from tick 2 on nothing else is waited for.
SLOWEST_HAS_COME = Case(
    "input A(x: text, time) delay 0. input B(x: text, y: text, time) delay 2. input C(time) delay 1. "
    "delay A(a, _) = 3. P(X, T) :- C(T), A(X, T-1), B(X, Y, T-1), not A(Y, T-1). query P(X, T).",
    (("C", (0,), 0), ("A", ("a", 1), 1), ("C", (3,), 3), ("B", ("c", "b", 3), 3)),
    5,
)

# The same of two slow values, the one slower than the other.
SLOWER_HAS_COME = Case(
    "input A(x: text, time) delay 1. input B(x: text, y: text, time) delay 1. input C(time). "
    "delay A(a, _) = 4. delay A(b, _) = 3. P(T) :- C(T), A(X, T), B(X, Y, T+3). query P(T).",
    (("C", (1,), 1), ("A", ("a", 1), 3), ("B", ("c", "a", 1), 1), ("C", (0,), 0), ("A", ("b", 0), 3)),
    6,
)

# A(a, T) may be later than others, but background facts forbid a.
SLOWEST_IS_FORBIDDEN = Case(
    "input A(x: text, time). delay A(a, _) = 2. input B(x: text, time). static Link(x: text). Link(a). "
    "P(X, T) :- A(X, T), not Link(X), not B(c, T). query P(X, T).",
    (("B", ("b", 1), 1),),
    2,
)

# Only a may be late, and it is not less than itself.
SLOWEST_IS_NOT_LESS = Case(
    "input R(x: text, v: number, time). delay R(a, _, _) = 2. input A(x: text, time). "
    "P(X, T) :- R(Y, V, T), V = 10, R(X, _, T), not A(a, T), X < Y. query P(X, 0).",
    (("R", ("c", 5, 0), 1),),
    2,
)

# From tick 3 on nothing has come about tick 1 that Q needs, at whatever tick it is asked for.
OVER_AT_ALL_TICKS = Case(
    "input A(x: text, time) delay 1. input R(x: text, v: number, time) delay 2. "
    "Q(X, T) :- R(X, V, T+1), R(X, W, 1), W >= 8. P(X, T-2) :- A(X, T), not Q(X, T). query P(X, T).",
    (("R", ("c", 5, 1), 2), ("A", ("b", 4), 4)),
    5,
)

# The same where it has come for c, which is an exception at all ticks.
OVER_BUT_FOR_ONE_VALUE = replace(OVER_AT_ALL_TICKS, text=OVER_AT_ALL_TICKS.text.replace(", W >= 8", ""))

# A may still come about tick 2 alone, which does not count where T is 2.
LAST_TICK_IS_EXCLUDED = Case(
    "input A(x: text, time). input B(x: text, time) delay 1. "
    "Q(X, T) :- B(X, T), A(X, U), U <= 2, U != T. P(X, T) :- A(X, T), not Q(X, T). query P(X, T).",
    (("B", ("a", 0), 0),),
    3,
)

# Both C that there can be have come, and D is awaited with either: nothing is left of other ticks.
TICK_IN_THE_MIDDLE_IS_EXCLUDED = Case(
    "input A(x: text, time). input C(time) delay 4. input D(time) delay 4. "
    "P(X, T) :- A(X, T), C(U), D(U), U <= T, U != T-1. query P(X, T).",
    (("C", (0,), 0), ("A", ("a", 2), 2), ("C", (2,), 2)),
    4,
)

# A(a, 0) alone would do for Q(a, 2), so that there is evidence for P(a, 1) at tick 0.
EXCLUDED_TICK_MAKES_CERTAIN_SOONER = Case(
    "input A(x: text, time). input B(x: text, time) delay 3. "
    "Q(X, T) :- B(X, T), A(X, U), U <= T-1, U != 1. P(X, T) :- A(X, T), not Q(X, T+1). query P(X, T).",
    (("B", ("a", 0), 0),),
    2,
)

# What is said of all ticks has `a` for an exception, for which one fact is enough.
ONE_FACT_FOR_THE_EXCEPTION = Case(
    "input R(x: text, v: number, time) delay 1. P1(a, T) :- R(Y, 10, T+1), not P1(Y, T-2). "
    "P2(T) :- R(a, V, T+1), V != 7.5, P1(a, T). query P2(T).",
    (),
    1,
)

# A(a, 3) is a fact that the first rule waits for, with no more; but not if X were b.
NEEDLESS_AS_IT_MEETS_CONDITIONS = Case(
    "input A(x: text, time) delay 2. input B(x: text, time) delay 1. "
    "P(T) :- A(X, T), X < b. P(T) :- B(X, T), A(X, T). query P(T).",
    (("B", ("a", 3), 4), ("B", ("b", 2), 3)),
    4,
)

# Site(a) forbids what the first rule would say of A(a, 3), so what the second says is not needless.
NOT_NEEDLESS_FOR_A_SITE = Case(
    "input A(x: text, time) delay 2. input B(x: text, time) delay 1. static Site(x: text). Site(a). "
    "P(T) :- A(X, T), not Site(X). P(T) :- B(X, T), A(X, T). query P(T).",
    (("B", ("a", 3), 4), ("B", ("b", 2), 3)),
    4,
)

# What is asked of two values together: A(a, 3) and B(b, c, 3) meet it, A(b, 2) and B(b, c, 2) do not.
NEEDLESS_BY_TWO_VALUES = Case(
    "input A(x: text, time) delay 2. input B(x: text, y: text, time) delay 2. input C(x: text, time). "
    "P(T) :- A(X, T), B(Y, Z, T), X != Y. P(T) :- C(X, T), A(X, T), B(b, c, T). query P(T).",
    (("C", ("a", 3), 3), ("C", ("b", 2), 2)),
    3,
)

# A is awaited for `a` alone, and R(a, 10, 3) has come, so that nothing is left of any other Y.
SLOWEST_HAS_COME_FOR_ANOTHER_LITERAL = Case(
    "input A(x: text, time) delay 1. delay A(a, _) = 3. input R(x: text, v: number, time) delay 2. "
    "P(X, V, T) :- R(X, V, T), A(Y, T), R(Y, V, T). query P(X, V, T).",
    (("R", ("a", 10, 3), 3), ("R", ("b", 10, 3), 4)),
    6,
)

# U can be 0 alone, and A(a, 0), the only fact about it that may be late, has come.
SLOWEST_HAS_COME_AT_THE_ONLY_TICK = Case(
    "input A(x: text, time). delay A(a, _) = 2. input B(x: text, y: text, time). "
    "P(X, Y, T) :- B(X, _, T), A(_, T), A(Y, U), U < T. query P(X, Y, T).",
    (("A", ("a", 0), 0), ("B", ("c", "c", 1), 1)),
    1,
)

# Of `a` at tick 3 what is said of all others is true, though not at all ticks: it has to be told.
NO_EXCEPTION_AT_ONE_TICK = Case(
    "input B(x: text, y: text, time) delay 2. input C(time) delay 2. "
    "P1(a, T) :- C(T), not B(a, a, T+1), not P1(a, T-2). P1(a, T) :- B(a, a, T-2), not B(a, a, T). "
    "P2(X, T) :- C(T-2), C(U), not P1(X, U). query P2(X, T).",
    (("C", (0,), 1), ("C", (0,), 2)),
    2,
)

# What is remembered of values nobody has named has none that could be before b.
COMPARED_WHEN_REMEMBERED = Case(
    "input A(x: text, time) delay 1. P(Y, T) :- A(Y, T), Y < b, not P(a, T-1). P(b, 2). query P(X, T).",
    (("A", ("a", 8), 8), ("A", ("a", 9), 9), ("A", ("c", 10), 10)),
    12,
)

# Where U is T-1, less is asked; but of T = 0 there is no such U.
BEGINS_LATER = Case(
    "input A(x: text, time) delay 2. input C(time) delay 2. P1(a, T) :- not C(T-2), not P1(a, T-2). "
    "P2(X, T-2) :- A(X, U+2), A(X, T-1), not P1(X, U), U <= T. query P2(X, T).",
    (("A", ("c", 2), 3), ("A", ("b", 2), 4)),
    4,
)

# One A may stand for both literals: then the same is not B and not D, which is more than each of two says.
TWO_ARE_ONE = Case(
    "input A(x: text, time). input B(x: text, time). input D(x: text, time). "
    "P(T) :- A(X, U+1), A(Y, T), not B(Y, T-2), not D(X, T-2). query P(T).",
    (("A", ("c", 2), 2),),
    2,
)

ANSWERS = (
    BEGINS_LATER,
    COMPARED_WHEN_REMEMBERED,
    NO_EXCEPTION_AT_ONE_TICK,
    SLOWEST_HAS_COME_AT_THE_ONLY_TICK,
    NEEDLESS_AS_IT_MEETS_CONDITIONS,
    NOT_NEEDLESS_FOR_A_SITE,
    NEEDLESS_BY_TWO_VALUES,
    SLOWEST_HAS_COME_FOR_ANOTHER_LITERAL,
    ONE_FACT_FOR_THE_EXCEPTION,
    EXCLUDED_TICK_MAKES_CERTAIN_SOONER,
    NEGATIONS_OF_NEGATIONS,
    SLOWER_VALUE,
    TIME_STILL_OPEN,
    SPOKEN_FOR_BY_FEWER,
    SPOKEN_FOR_UNTIL_A_FACT,
    ONE_OF_TWO_LITERALS,
    NOTHING_IS_LEFT,
    NO_SUCH_NUMBER,
    NONE_ABOVE,
    SPOKEN_FOR_THROUGH_ANOTHER,
    NO_VALUE_YET,
    SLOWEST_HAS_COME,
    SLOWER_HAS_COME,
    SLOWEST_IS_FORBIDDEN,
    SLOWEST_IS_NOT_LESS,
    OVER_AT_ALL_TICKS,
    OVER_BUT_FOR_ONE_VALUE,
    LAST_TICK_IS_EXCLUDED,
    TICK_IN_THE_MIDDLE_IS_EXCLUDED,
    TWO_ARE_ONE,
)
"""Those in which answers were told that are none, or not told, or not when they were certain."""

ENDS = (NEEDLESS_LITERAL, CERTAIN_WITH_ITS_TIME)
"""Those in which it was not said rightly how open answers end."""
