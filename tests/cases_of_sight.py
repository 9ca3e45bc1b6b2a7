"""Random programs that deny facts of sources which fall silent, with streams."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import Checked, read
from antelog.language.syntax import Value
from antelog.language.vocabulary import Predicate, PredicateKind
from tests.declared import COLUMNS, NUMBERS, declarations
from tests.specification.helpers import Fact
from tests.strategies import Case

_STARTS = ("A(X, T)", "A(X, T)", "B(X, b, T)", "R(X, 5, T)", "A(X, T), not C(T)")
_LONG = ("T..T+9", "T+1..T+10", "T-9..T", "T+1..T+20", "0..T+5")
_SHORT = ("T", "T+1", "T..T+2", "T-1..T+1", "T-3..T-1", "T+1..T+3")
_DENIED = ("not B(X, a, {})", "not R(X, 10, {})", "not Q(X, {})", "not Q(X, {})", "not Q(_, {})")
_SILENT = ("not B(X, _, {})", "not A(X, {})", "count(R(X, _, {})) < 2", "count(B(X, _, {})) >= 1")
_COUNTED = (
    *("count(B(X, a, {})) < 2", "count(R(X, V, {})) >= 2", "count(Q(X, {})) >= 1", "count(Q(X, {})) < 3"),
    *("count(R(X, N, {}), N > 5) = 0", "count(distinct N : R(X, N, {})) < 3"),
    *("count(B(X, a, {})) > count(B(X, b, T-2..T))", "count(B(X, _, {})) > count(B(X, a, T..T+2))"),
)
_VALUED = ("N = count(B(X, a, {})), N < 2", "N = avg(V : R(X, V, {})), N > 5", "N = count(Q(X, {})), N != 1")
_SUMMED = ("sum(N : R(X, N, {}), N >= 0) < 40", "avg(N : R(X, N, {})) <= 10", "max(N : R(X, N, {})) > 10")
_THERE = ("B(X, a, {})", "R(X, 10, {})", "B(X, a, T+1), R(X, 10, T+2)", "R(X, V, T+1), V > 5", "B(X, a, 4)")
_LATEST = (
    *("last B(X, a, {})", "last R(X, L, {}), L > 5", "last R(X, 10, {})", "last B(X, Y, {}), A(Y, T)"),
    "last Q(X, {r}) per X",
)
_LATER = ("B(X, a, U), U > T, U <= T+10", "R(X, V, U), U > T, U <= T+3, V > 5", "B(X, Y, U), U > T, U < T+12")
_ENDS = ("B(X, Y, U), U > T, U <= T+4, not Q(X, T+1..U)", "A(X, U), U > T, U <= T+3, not B(X, a, T..U)")
_EDGES = (
    "Q(X, T) :- B(X, a, T), R(X, V, T+1), V >= 10.",
    "Q(X, T) :- A(X, T), not B(X, a, T+1).",
    "Q(X, T) :- B(X, _, T).",
    "Q(X, T) :- A(X, T), count(R(X, _, T..T+2)) < 2.",
    "Q(X, T) :- B(X, b, T), not R(X, 10, T..T+2).",
    "Q(X, T) :- Site(X), not A(X, T), not B(X, a, T-1).",
    "Q(X, T) :- A(X, T), last R(X, L, T), L > 5.",
)


@st.composite
def programs_of_sight(draw: st.DrawFn) -> str:
    """A program as text: one rule or two, and one or two for what they deny."""
    rules = [f"P(X, T) :- {_body(draw)}." for _ in range(draw(st.sampled_from([1, 1, 2])))]
    if "Q(" in " ".join(rules):
        rules += draw(st.lists(st.sampled_from(_EDGES), min_size=1, max_size=2, unique=True))
    if draw(st.integers(0, 3)) == 0:
        asked = draw(st.sampled_from(["not P(X, T)", "not P(X, T..T+9)", "count(P(X, T..T+2)) < 1"]))
        rules.append(f"N(X, T) :- A(X, T), {asked}.")
    query = "query N(X, T)." if rules[-1].startswith("N") else "query P(X, T)."
    return "\n".join((*declarations(draw, " ".join(rules), watched=True), *rules, query))


def _body(draw: st.DrawFn) -> str:
    kinds = (_DENIED, _DENIED, _SILENT, _COUNTED, _SUMMED, _VALUED, _THERE, _LATEST, _LATER, _ENDS)
    body = [draw(st.sampled_from(_STARTS))]
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=2, unique=True)):
        ranges = st.sampled_from(_LONG) | st.sampled_from(_SHORT)
        text = draw(st.sampled_from(kind))
        at = draw(st.sampled_from(["T", "T", "T+1"]) if kind is _LATEST else ranges)
        body.append(text.format(at, r=draw(st.sampled_from(["T-9..T", "T-2..T+1"]))))
    return ", ".join(body)


@st.composite
def cases_of_sight(draw: st.DrawFn, latest: int = 14) -> Case:
    """Such a program, and a stream in which sources come as often as they say, or fall silent."""
    text = draw(programs_of_sight().filter(lambda text: read(Source(text)).ok))
    random = draw(st.randoms(use_true_random=False))
    arriving = tuple(_facts(read(Source(text)), random, latest))
    until = max((arrival for _, _, arrival in arriving), default=0) + draw(st.integers(0, 12))
    return Case(text, arriving, until)


def _facts(checked: Checked, random: Random, latest: int) -> list[Fact]:
    found: list[Fact] = []
    for predicate in checked.vocabulary.predicates.values():
        if predicate.kind is PredicateKind.INPUT:
            for one in "ab":
                for tick in _ticks(predicate, random, latest):
                    values = (_value(column, random) for column in COLUMNS[predicate.name][1:])
                    row = (one, *values, tick) if COLUMNS[predicate.name] else (tick,)
                    found.append((predicate.name, row, tick + random.choice([0, 0, _delay(predicate)])))
    return found


def _ticks(predicate: Predicate, random: Random, latest: int) -> list[int]:
    """The ticks a source sends about: a few, or as often as it says but for a silence and some holes."""
    if not predicate.source or random.random() < 0.2:
        return random.sample(range(latest + 1), k=random.choice([1, 2, 3]))
    gap, begin = predicate.schedule.gap or 1, random.randint(0, latest)
    silent = random.choice([0, 0, 3, latest])
    ticks = range(random.randrange(gap), latest + 1, gap)
    holes = random.choice([0, 0.1])
    return [t for t in ticks if not begin <= t < begin + silent and random.random() >= holes]


def _delay(predicate: Predicate) -> int:
    return max(predicate.schedule.bound, *(each.delay for each in predicate.schedule.refinements), 0)


def _value(column: str, random: Random) -> Value:
    return random.choice(NUMBERS) if column.endswith("number") else random.choice("abccc")
