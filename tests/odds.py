"""Random declarations of chances, shares of delays and alerts, none of which may change an answer.

for query, answer in asked.answers:          `forecasts()` draws small programs with streams, a tick,
    asked.worlds().chance_of(query, answer)  and the answers up to it, many of which have chances
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hypothesis import assume
from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import read, syntax
from antelog.language.durations import microseconds
from antelog.language.printer import to_text
from antelog.language.syntax import Anonymous, Constant, Percentage
from antelog.language.vocabulary import Predicate, PredicateKind, Type
from tests.declared import NUMBERS, TEXTS
from tests.random_literals import CALCULATED
from tests.specification import snapshots
from tests.specification.answers import Answer
from tests.specification.chains import Others
from tests.specification.helpers import evaluation_of, stream_of
from tests.specification.worlds import Worlds
from tests.strategies import Case, with_stream

_PERCENTAGES = (5, 12.5, 20, 33.3, 40)
_SHARES = {
    1: ((100,), (90,), (60.5,), (0,)),
    2: ((50, 50), (70, 20), (0, 100), (80, 20)),
    3: ((70, 20, 10), (33.3, 33.3, 33.4), (50, 0, 30), (10, 20, 70)),
    4: ((40, 30, 20, 10), (25, 25, 0, 25)),
}


@st.composite
def with_odds(draw: st.DrawFn, text: str, every: bool = False) -> str:
    """The program with declarations; with `every`, all inputs have a chance and all delays have shares."""
    checked = read(Source(text))
    statements = [
        _declared(draw, statement, every, checked.vocabulary.tick)
        for statement in checked.document.statements
    ]
    for predicate in checked.vocabulary.predicates.values():
        if predicate.kind is PredicateKind.INPUT:
            statements += _chances(draw, predicate, every)
    found = to_text(syntax.Document(tuple(statements)))
    assume(read(Source(found)).ok)
    return found


def _declared(
    draw: st.DrawFn, statement: syntax.Statement, every: bool, tick: int | None
) -> syntax.Statement:
    """A statement with shares, or with an alert."""
    if isinstance(statement, syntax.Query) and draw(st.booleans()):
        return replace(statement, alert=Percentage(draw(st.sampled_from([1, 50, 99.9, 100]))))
    if not isinstance(statement, syntax.Input | syntax.Delay) or not (every or draw(st.booleans())):
        return statement
    if isinstance(statement, syntax.Input):
        bound = statement.delay or syntax.Bound(0)
        return replace(statement, delay=bound, shares=_shares(draw, bound, tick))
    return replace(statement, shares=_shares(draw, statement.bound, tick))


def _shares(draw: st.DrawFn, bound: syntax.Bound, tick: int | None) -> tuple[Percentage, ...]:
    length = microseconds(bound)
    ticks = int(bound.amount) if length is None or tick is None else int(length / tick)
    return tuple(map(Percentage, draw(st.sampled_from(_SHARES[ticks + 1]))))


def _chances(draw: st.DrawFn, predicate: Predicate, every: bool) -> Iterator[syntax.Chance]:
    """Chances of an input, of which no two fit a fact equally well and differ."""
    objects = range(predicate.arity - 1)
    patterns: list[tuple[syntax.Value | None, ...]] = []
    if every or draw(st.booleans()):
        patterns.append((None,) * len(objects))
    if objects:
        column = draw(st.sampled_from(objects))
        values = draw(st.lists(_values(predicate, column), max_size=2, unique=True))
        patterns += [tuple(value if i == column else None for i in objects) for value in values]
    for pattern in patterns:
        cells = tuple(Anonymous() if value is None else Constant(value) for value in (*pattern, None))
        once, again = (Percentage(draw(st.sampled_from(_PERCENTAGES))) for _ in range(2))
        yield syntax.Chance(predicate.name, cells, once, again if draw(st.booleans()) else None)


def _values(predicate: Predicate, column: int) -> st.SearchStrategy[syntax.Value]:
    return st.sampled_from(NUMBERS if predicate.types[column] is Type.NUMBER else TEXTS)


# ---- small programs, most of whose answers have chances ----


@dataclass(frozen=True)
class Asked:
    """A case, a tick, and answers that were reported by then: their chances at that tick are asked for."""

    case: Case
    now: int
    answers: tuple[tuple[str, Answer], ...]

    def worlds(self, others: Others | None = None) -> Worlds:
        """What may be, after what has arrived by now."""
        return Worlds(self.case.checked, stream_of(self.case.facts), self.now, others=others)

    def __str__(self) -> str:
        return f"{self.case}\nat {self.now}: {self.answers}"


_ATOMS = ("A(X, {})", "A(X, {})", "B(X, a, {})", "B(X, b, {})", "B(X, _, {})", "C({})", "A(b, {})")
_TIMES = ("T", "T", "T", "T+1", "T+1", "T+2", "T-1")
_DECLARED = {
    "A": ("input A(x: text, time){}.", ("", " delay 1", " delay 2", " one per tick")),
    "B": (
        "input B(x: text, y: text, time){}.",
        (" delay 1", " delay 2", " one per x", " delay 1, one per x"),
    ),
    "C": ("input C(time){}.", ("", " delay 1")),
}


_COUNTED = ("A(X, {})", "A(X, {})", "B(X, a, {})", "B(X, _, {})", "C({})", "A(b, {})")
_RANGES = ("T..T+1", "T..T+1", "T..T+2", "T-1..T+1", "T-2..T", "T-2..T-1", "T+1..T", "T")
_OPERATORS = (">=", ">", "<", "<=", "=", "!=")
_COMPARED = (">= 1", ">= 2", ">= 2", "> 1", "= 1", "= 2", "!= 1", "< 2", "<= 1", "< 1", "= 1.5")


@st.composite
def forecasts(draw: st.DrawFn, amounts: bool = False, slots: bool = False) -> Asked:
    """Programs whose rules share `X` and `T` alone, most with a chance for every input.

    With `amounts`, each rule counts or denies a range, and every input has a chance, as the specification
    needs. With `slots`, inputs have slots where they can.
    """
    declared = amounts or draw(st.sampled_from([True, True, True, False]))
    rules = [_rule(draw, "Q", (), amounts) for _ in range(draw(st.sampled_from([0, 0, 1, 2])))]
    below = ("Q(X, {})", "Q(X, {})", "Q(X, {})") if rules else ()
    rules += [_rule(draw, "P", below, amounts) for _ in range(draw(st.sampled_from([1, 1, 2])))]
    names = [name for name in _DECLARED if any(f"{name}(" in rule for rule in rules)]
    inputs = [_input(draw, name, slots) for name in names]
    sites = ["static S(x: text). S(a). S(b)."] if any("S(X)" in rule for rule in rules) else []
    text = draw(with_odds("\n".join((*inputs, *sites, *rules, "query P(X, T).")), every=declared))
    case = with_stream(draw, text, latest=2, most=6)
    reports = list(snapshots(evaluation_of(case)))
    still_open = sorted({report.tick for report in reports if not report.confirmed})
    now = draw(st.sampled_from([*still_open, *still_open, *range(case.until + 1)]))
    reported = ((report.query, report.answer) for report in reports if report.tick <= now)
    return Asked(case, now, tuple(dict.fromkeys(reported)))


def _input(draw: st.DrawFn, name: str, slots: bool) -> str:
    text, ways = _DECLARED[name]
    slotted = tuple(way for way in ways if "one per" in way)
    return text.format(draw(st.sampled_from(slotted if slots and slotted else ways)))


def _rule(draw: st.DrawFn, head: str, below: tuple[str, ...], amounts: bool) -> str:
    """A rule of few literals; one without facts takes its values from the background."""
    facts = [_literal(draw, (*_ATOMS, *below)) for _ in range(draw(st.sampled_from([0, 1, 1, 2, 3])))]
    body = [] if any("X" in fact for fact in facts) else ["S(X)"]
    denied = [_literal(draw, (*_ATOMS, *below)) for _ in range(draw(st.sampled_from([0, 0, 1, 1])))]
    if not facts and not denied:
        denied = ["A(X, T)"]
    if facts and draw(st.integers(0, 4)) == 0 and any("X" in fact for fact in facts):
        facts.append(draw(st.sampled_from(["A(X, U), U > T, U <= T+2", "C(U), U >= T-1, U < T"])))
    asked = [f"not {atom}" for atom in denied]
    if amounts:
        asked.append(_amount(draw, below))
    return f"{head}(X, T) :- {', '.join([*body, *facts, *asked])}."


def _amount(draw: st.DrawFn, below: tuple[str, ...]) -> str:
    atom = draw(st.sampled_from((*_COUNTED, *below))).format(draw(st.sampled_from(_RANGES)))
    if draw(st.integers(0, 4)) == 0:
        return f"not {atom}"
    if draw(st.integers(0, 4)) == 0:
        other = draw(st.sampled_from((*_COUNTED, *below))).format(draw(st.sampled_from(_RANGES)))
        one, two = (
            draw(st.sampled_from((*CALCULATED, "1.1 * {}"))).format(f"count({e})") for e in (atom, other)
        )
        return f"{one} {draw(st.sampled_from(_OPERATORS))} {two}"
    return f"{draw(st.sampled_from(CALCULATED)).format(f'count({atom})')} {draw(st.sampled_from(_COMPARED))}"


def _literal(draw: st.DrawFn, atoms: tuple[str, ...]) -> str:
    return draw(st.sampled_from(atoms)).format(draw(st.sampled_from(_TIMES)))


# ---- programs that ask for values ----

_VALUES = {"R": ("5", "10", "12.5"), "B": ("a", "b")}
_INPUTS = {
    "R": "input R(x: text, v: number, time){} one per x.",
    "B": "input B(x: text, y: text, time){} one per x.",
}


@st.composite
def asking_for_values(draw: st.DrawFn, several: bool = False) -> Asked:
    """Programs that ask for values of facts; most of these are declared one by one.

    With `several`, a tick may have several facts of each.
    """
    rules = [_asking(draw, "Q", ()) for _ in range(draw(st.sampled_from([0, 0, 1])))]
    below = ("not Q(X, T)", "not Q(X, T+1)", "count(Q(X, T-1..T+1)) >= 1", "Q(X, T)") if rules else ()
    rules += [_asking(draw, "P", below) for _ in range(draw(st.sampled_from([1, 1, 2])))]
    late = draw(st.sampled_from([0, 0, 1]))
    lines = ["input A(x: text, time).", "chance A(_, _) = 30%.", *rules, "query P(X, T)."]
    arriving: list[tuple[str, tuple[syntax.Value, ...], int]] = [("A", ("a", 0), 0)]
    for name in (each for each in _INPUTS if any(f"{each}(" in rule for rule in rules)):
        delay = f" delay {late} ({draw(st.sampled_from(['60%, 40%', '50%, 30%']))})," if late else ""
        declared = _INPUTS[name].format(delay)
        lines.append(declared.replace(" one per x", "").replace(",.", ".") if several else declared)
        chosen = draw(st.permutations(_VALUES[name]))[draw(st.sampled_from([0, 0, 1])) :]
        for value in (*chosen, *(["_"] if draw(st.integers(0, 19)) == 0 else [])):
            again = draw(st.sampled_from(["", ", again 30%", ", again 5%"]))
            lines.append(f"chance {name}(_, {value}, _) = {draw(st.sampled_from(_PERCENTAGES[:4]))}%{again}.")
        for tick in (*range(3), *(range(3) if several else ())):
            if draw(st.integers(0, 2)) == 0:
                value = draw(st.sampled_from([*chosen * 3, *_VALUES[name]]))
                arrival = tick + draw(st.integers(0, late))
                arriving.append((name, ("a", float(value) if name == "R" else value, tick), arrival))
    text = "\n".join(lines)
    assume(read(Source(text)).ok)
    case = Case(text, tuple(arriving), until=6)
    return Asked(case, draw(st.sampled_from([0, 0, 1, 2])), (("P", (("X", "a"), ("T", 0))),))


def _asking(draw: st.DrawFn, head: str, below: tuple[str, ...]) -> str:
    facts = draw(
        st.lists(st.sampled_from(["R(X, 5, T)", "R(X, 10, T+1)", "A(X, T+1)", *below * 3]), max_size=1)
    )
    asked = [_value(draw) for _ in range(draw(st.sampled_from([1, 1, 1, 2])))]
    return f"{head}(X, T) :- {', '.join(['A(X, T)', *facts, *asked])}."


def _value(draw: st.DrawFn) -> str:
    """A literal that asks for values: mostly an aggregate, or for the latest one."""
    time = draw(st.sampled_from(["T..T+1", "T..T+2", "T-1..T+1", "T+1..T+2", "T+1..T+1", "T+1"]))
    operator = draw(st.sampled_from(_OPERATORS))
    some = f"{operator} {draw(st.sampled_from(['0', '1', '1', '2', '2', '3', '1.5']))}"
    number = f"{operator} {draw(st.sampled_from(['5', '7.5', '10', '11.25', '15', '22.5']))}"
    within = draw(st.sampled_from(["", "", ", V >= 0", ", V > 5", ", V < 12"]))
    functions = ("sum", "sum", "avg", "min", "max")
    amounts = [f"{draw(st.sampled_from(functions))}(V : R(X, V, {time}){within}) {number}"] * 6
    distinct = [f"count(distinct V : R(X, V, {time}){within}) {some}"] * 4
    others = (
        f"count(distinct V : B(X, V, {time})) {some}",
        f"count(R(X, V, {time}), V > 5) {some}",
        f"last R(X, 5, {time})",
        f"max(V : R(X, V, {time})) {operator} min(V : R(X, V, T..T+1))",
        f"not R(X, 5, {time})",
    )
    return draw(st.sampled_from([*amounts, *distinct, *others]))
