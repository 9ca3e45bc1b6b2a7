"""Cases in which an answer once did not end as was said, or the log broke another of its laws."""

from __future__ import annotations

from tests.strategies import Case

# R(a, V, 2) may come later than for others, and serve all: it is told with what is said of all Y.
SLOWEST_INSTANCE = Case(
    "input A(x: text, time). input R(x: text, v: number, time) delay 1. delay R(a, _, _) = 2. "
    "P(X, V, T) :- not A(X, U), not A(Y, T), R(_, V, T), R(Y, V, U), R(X, W, U). query P(X, V, T).",
    (("A", ("b", 2), 2),),
    2,
)

# When what is said of P1(_, _, 2) alone is over, P1(_, _, T) still says the rest, so it ends at 3, not at 4.
SAID_BY_ANOTHER = Case(
    "input B(x: text, y: text, time) delay 1. input R(x: text, v: number, time) delay 1. "
    "static Link(x: text, y: text). Link(a, b). "
    "P1(X, X, T) :- Link(a, Y), B(X, Y, T+1), not P1(Y, a, T-1), X != Y. "
    "P1(X, X, T) :- not R(X, 10, T+1), not P1(a, a, T-1). query P1(X, Y, T).",
    (("B", ("a", "a", 1), 2), ("R", ("c", 12.5, 2), 2)),
    6,
)

# A value that a fact names for one site is named for the other, too, for which it is confirmed.
NAMED_FOR_ONE_SITE = Case(
    "input B(x: text, y: text, time) delay 1. delay B(a, _, _) = 0. static Site(x: text). Site(a). Site(b). "
    "P(X, T) :- not B(Y, X, T), Site(Y). query P(X, T).",
    (("B", ("b", "c", 0), 1),),
    1,
)

# P(11) is possible as soon as C(9) has come, also beside a rule whose times are not tied.
NOT_BEFORE_ITS_TICK = Case(
    "input A(time). input C(time) delay 5. P(T) :- C(T-2), not A(T). query P(T).", (("C", (0,), 0),), 2
)

# There are ticks U that nobody looks at yet, but none after 2, so it ends when B(a, a, 3) does not come.
ENDS_AFTER_THE_LAST_TICK = Case(
    "input B(x: text, y: text, time) delay 1. delay B(a, _, _) = 2. input C(time) delay 1. "
    "P(X, T) :- A(Y, T), not A(X, U+1), C(T), B(Y, Y, U+1), U <= 2. query P(X, T).",
    (),
    0,
)
