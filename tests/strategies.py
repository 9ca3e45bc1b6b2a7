"""Random programs and streams, for the tests that compare two ways to compute the same thing.

Programs are well-formed and stratified over time by construction:

- derived predicates come in levels, `P1` below `P2` below `P3`; a rule uses lower levels freely;
- a predicate may negate itself in its past, and only if it does not rest on itself otherwise;
- two neighbours may rest on each other in the past, and one of them on the other's negation;
- one predicate may rest on itself, and then it and what rests on it are asked for in a window.

Literals are added while the estimated number of derivations stays in a budget: the specification enumerates.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hypothesis import assume
from hypothesis import strategies as st

from antelog.diagnostics import Source
from antelog.language import Checked, read, syntax
from antelog.language.syntax import Value
from antelog.language.vocabulary import PredicateKind
from tests import random_literals
from tests.declared import COLUMNS, NUMBERS, STATIC, STATIC_ARITY, TEXTS, declarations


@dataclass(frozen=True)
class Case:
    """A program, the facts that arrive (predicate, values with the time last, arrival), and the last tick."""

    text: str
    facts: tuple[tuple[str, tuple[Value, ...], int], ...]
    until: int

    @property
    def checked(self) -> Checked:
        return read(Source(self.text))

    def later(self, ticks: int) -> Case:
        """The case with facts that come so much later and are about ticks so much later."""
        facts = tuple(
            (name, (*values[:-1], int(values[-1]) + ticks), at + ticks) for name, values, at in self.facts
        )
        return Case(self.text, facts, self.until + ticks)

    def __str__(self) -> str:
        lines = (f"{name}{values} arrives at {tick}" for name, values, tick in self.facts)
        return "\n".join((self.text, *lines, f"until {self.until}"))


# ---- what programs are made of ----

_OBJECTS, _TICKS, _BUDGET = 4, 25, 400


@dataclass
class _Predicate:
    """A derived predicate: its arguments, how it uses itself or its `past`, and its cost in derivations."""

    name: str
    arity: int
    mode: str
    past: tuple[str, ...] = ()
    rules: list[str] = field(default_factory=list)
    cost: int = 0
    windowed: bool = False


@dataclass
class _Body:
    """A rule's body while it grows: its literals, its variables, and its cost."""

    literals: list[str] = field(default_factory=list)
    objects: set[str] = field(default_factory=set)
    denied: set[str] = field(default_factory=set)
    times: set[str] = field(default_factory=set)
    denied_times: set[str] = field(default_factory=set)
    cost: int = 1
    windowed: bool = False


@st.composite
def programs(
    draw: st.DrawFn, *, negation: bool = True, recursion: bool = True, unrelated: bool = True
) -> str:
    """A program as text; without negation, recursion or unrelated times if asked for."""
    predicates: list[_Predicate] = []
    for level in range(1, draw(st.sampled_from([1, 2, 2, 3])) + 1):
        modes = ["plain", "plain", *(["past"] if negation else [])]
        if negation and not any(p.past for p in predicates):
            modes.append("mutual")
        if recursion and not any(p.mode == "recursive" for p in predicates):
            modes.append("recursive")
        arity = draw(st.sampled_from([1, 1, 1, 0, 2]))
        mode = draw(st.sampled_from(modes))
        arity = min(arity, 1) if mode == "mutual" else arity
        name, other = f"P{level}", f"Q{level}"
        past = {"past": (f"not {name}",), "mutual": (f"not {other}",)}.get(mode, ())
        predicate = _Predicate(name, arity, mode, past)
        _add_rules(draw, predicate, predicates, negation, unrelated)
        if predicate.mode == "mutual" and predicate.rules:
            back = _Predicate(other, arity, mode, (name, f"not {name}"))
            _add_rules(draw, back, predicates, negation, unrelated)
            assume(back.rules)
            # They rest on each other, so what one of them needs the other needs.
            predicate.windowed = back.windowed = predicate.windowed or back.windowed
            predicates.append(back)
        if predicate.mode == "recursive" and predicate.rules:
            predicate.rules.append(_recursive_rule(draw, predicate))
            predicate.windowed = True
            predicate.cost = 60
        if predicate.rules:
            predicates.append(predicate)
    assume(predicates)
    rules = "\n".join(rule for p in predicates for rule in p.rules)
    # For ranges that lie before tick 0 the kernel also checks what they ask for, the specification does not.
    tick = "5" if ".." in rules else "0"
    asked = (p for p in predicates if p.windowed or p is predicates[-1] or draw(_rarely()))
    queries = [_query(draw, p, tick) for p in asked]
    text = "\n".join((*declarations(draw, rules), rules, *queries))
    checked = read(Source(text))
    assume(checked.ok)
    return text


def _add_rules(
    draw: st.DrawFn, predicate: _Predicate, lower: list[_Predicate], negation: bool, unrelated: bool
) -> None:
    for number in range(draw(st.sampled_from([1, 1, 2]))):
        rule = _rule(draw, predicate, lower, negation, unrelated, first=number == 0)
        if rule is not None:
            predicate.rules.append(rule)


def _rarely() -> st.SearchStrategy[bool]:
    return st.sampled_from([False, False, False, True])


def _rule(
    draw: st.DrawFn, head: _Predicate, lower: list[_Predicate], negation: bool, unrelated: bool, first: bool
) -> str | None:
    """A rule for a predicate, or None if it would cost too much."""
    if not first and draw(_rarely()):
        head.cost += 1
        return f"{_atom(head.name, _some(draw, ('a', 'b'), head.arity), str(draw(st.integers(0, 3))))}."
    body = _Body()
    clock = negation and draw(st.integers(0, 5)) == 0
    for _ in range(0 if clock else draw(st.sampled_from([1, 1, 2, 2, 3]))):
        _add_positive(draw, body, head, lower, unrelated)
    if draw(_rarely()) or (clock and draw(st.booleans())):
        _add_static(draw, body, negation)
    if negation:
        for _ in range(1 if clock else draw(st.sampled_from([0, 0, 1, 1, 2]))):
            _add_negated(draw, body, lower)
        if draw(_rarely()):
            _add_last(draw, body, lower)
        if draw(_rarely()):
            _add_aggregation(draw, body, lower)
    time = "T" if "T" in body.times | body.denied_times else str(draw(st.integers(0, 3)))
    shift = draw(st.sampled_from([0, 0, 0, 1, -1, -2])) if time == "T" else 0
    if time == "T" and shift:
        time = f"T{shift:+d}"
    if head.past and time.startswith("T"):
        past = draw(st.sampled_from(head.past))
        back = draw(st.integers(1, 2)) - shift
        values = _some(draw, ("a", "_", *sorted(body.objects)), head.arity)
        before = f"T{-back:+d}" if back else "T"
        if past.startswith("not ") and draw(_rarely()):
            before = f"T{-back - 2:+d}..{before}" if back != -2 else "T..T+2"
        if past.startswith("not ") and draw(_rarely()):
            body.literals.append(
                random_literals.count_of_past(draw, past.removeprefix("not "), values, before)
            )
        else:
            body.literals.append(_atom(past, values, before))
    if draw(st.booleans()) or {"T", "U"} <= body.times:
        _add_comparison(draw, body)
    if time.startswith("T") and "T" not in body.times and not clock:
        _add_bound(draw, body)
    variables = sorted(body.objects | body.denied)
    arguments = _some(draw, (*variables, *variables, "a"), head.arity)
    if body.denied - set(arguments):
        if not arguments:
            return None
        arguments[draw(st.integers(0, head.arity - 1))] = "X"
    unbound = len(body.objects - set(arguments))
    head.cost += body.cost * _OBJECTS**unbound
    head.windowed |= body.windowed
    if not body.literals or head.cost * _OBJECTS**head.arity > _BUDGET:
        return None
    return f"{_atom(head.name, arguments, time)} :- {', '.join(body.literals)}."


def _recursive_rule(draw: st.DrawFn, head: _Predicate) -> str:
    """A rule by which a predicate rests on itself, at the same time or across ticks."""
    # Within one tick there is most often no plan, and finding that out takes seconds.
    time = draw(st.sampled_from(["T-1", "T+1"] * 6 + ["T"]))
    if head.arity == 0:
        return f"{head.name}(T) :- {head.name}({time if time != 'T' else 'T-1'}), C(T)."
    if head.arity == 1:
        link = draw(st.sampled_from(["B(X, Y, T)", "Link(X, Y), C(T)", "Path(X, Y), A(X, T)"]))
        return f"{head.name}(X, T) :- {link}, {head.name}(Y, {time})."
    return f"{head.name}(X, Z, T) :- B(X, Y, T), {head.name}(Y, Z, {time})."


def _some(draw: st.DrawFn, values: tuple[str, ...], count: int) -> list[str]:
    return [draw(st.sampled_from(values)) for _ in range(count)]


def _atom(name: str, values: list[str], time: str) -> str:
    return f"{name}({', '.join((*values, time))})"


_OPERATOR = st.sampled_from(syntax.OPERATORS)
_TIMES = ("T", "T", "T", "T", "T+1", "T+1", "T-1", "T+2")
_RANGES = ("T..T+1", "T..T+2", "T-1..T", "T-2..T-1", "T+1..T+2", "T-1..T+1", "T..T", "0..T")


def _add_positive(
    draw: st.DrawFn, body: _Body, head: _Predicate, lower: list[_Predicate], unrelated: bool
) -> None:
    known = {p.name: p for p in lower}
    inputs = ("A", "A", "B", "C", "R")
    name = draw(st.sampled_from((*inputs, *sorted(known), *sorted(known), *sorted(known))))
    arity = known[name].arity if name in known else len(COLUMNS[name])
    values = _some(draw, ("X", "X", "X", "Y", "Y", "a", "_"), arity)
    if name == "R":
        values[1] = draw(st.sampled_from(["V", "V", "W", "_", "10"]))
    time = draw(st.sampled_from(_TIMES))
    if unrelated and "U" not in body.times and draw(st.integers(0, 5)) == 0:
        time = draw(st.sampled_from(["U", "U", "U+1", "1", "_"]))
    cost = body.cost * (known[name].cost if name in known else 1)
    if "T" in body.times and draw(st.integers(0, 6)) == 0:
        time = draw(st.sampled_from(_RANGES))
        cost *= 3
    cost *= _OBJECTS ** values.count("_") * (_TICKS if time[0] in "U_" else 1)
    free = len(body.objects | {v for v in values if v.isupper()}) - head.arity
    if cost * _OBJECTS ** (max(free, 0) + head.arity) > _BUDGET * 2:
        return
    body.cost = cost
    body.windowed |= name in known and known[name].windowed
    body.literals.append(_atom(name, values, time))
    body.objects |= {v for v in values if v in {"X", "Y"}}
    body.times |= {time[0]} & {"T", "U"}
    numbers = {"V", "W"} & set(values)
    if numbers:
        body.literals += [
            f"{draw(st.sampled_from([v, v, f'{v} + 2.5']))} {draw(_OPERATOR)} 10" for v in sorted(numbers)
        ]
        if draw(st.integers(0, 3)) and not any("D" in each for each in body.literals):
            body.literals.append(random_literals.calculated(draw, sorted(numbers), draw(_OPERATOR), "5"))


def _add_static(draw: st.DrawFn, body: _Body, negation: bool) -> None:
    name = draw(st.sampled_from(sorted(STATIC)))
    if negation and body.objects and draw(_rarely()):
        values = _some(draw, ("a", "_", *sorted(body.objects)), STATIC_ARITY[name])
        body.literals.append(f"not {name}({', '.join(values)})")
        return
    values = _some(draw, ("X", "X", "Y", "a", "_"), STATIC_ARITY[name])
    body.literals.insert(0, f"{name}({', '.join(values)})")
    body.objects |= {v for v in values if v in {"X", "Y"}}


def _add_negated(draw: st.DrawFn, body: _Body, lower: list[_Predicate]) -> None:
    known = {p.name: p.arity for p in lower}
    name = draw(st.sampled_from(("A", "B", "C", "R", *sorted(known), *sorted(known), *sorted(known))))
    arity = known.get(name, len(COLUMNS.get(name, ())))
    bound = sorted(body.objects) or ["X"]
    values = _some(draw, ("a", "_", "_", *bound, *bound, *bound), arity)
    if name == "R":
        values[1] = draw(st.sampled_from(["_", "10"]))
    time = draw(st.sampled_from(_RANGES if draw(_rarely()) else _TIMES))
    if {"T", "U"} <= body.times and draw(st.integers(0, 3)):
        time = draw(st.sampled_from(["U..T", "T..U", "U+1..T-1"]))
    body.literals.append(f"not {_atom(name, values, time)}")
    body.denied |= {v for v in values if v == "X"} - body.objects
    body.denied_times |= {time[0]} & {"T"}


def _add_last(draw: st.DrawFn, body: _Body, lower: list[_Predicate]) -> None:
    arities = {name: len(columns) for name, columns in COLUMNS.items()} | {p.name: p.arity for p in lower}
    if "T" in body.times:
        literal = random_literals.last(draw, arities, sorted(body.objects))
        body.literals.append(literal)
        body.objects |= {"Y"} if "Y" in literal else set()
        if "L" in literal:
            body.literals += draw(st.sampled_from([[], ["L > 5"], ["L + 2.5 < 14"]]))


def _add_aggregation(draw: st.DrawFn, body: _Body, lower: list[_Predicate]) -> None:
    arities = {name: len(columns) for name, columns in COLUMNS.items()} | {p.name: p.arity for p in lower}
    if "T" in body.times and draw(st.integers(0, 2)) == 0:
        body.literals += random_literals.value(draw, arities, sorted(body.objects))
    elif "T" in body.times:
        body.literals.append(random_literals.aggregation(draw, arities, sorted(body.objects)))


def _add_bound(draw: st.DrawFn, body: _Body) -> None:
    """How late a time may be that stands under negation only."""
    choices = ["T <= U + 2", "T <= U, T >= U - 1", "T = U"] if "U" in body.times else ["T <= 3", "T < 2"]
    body.literals.append(draw(st.sampled_from(choices)))


def _add_comparison(draw: st.DrawFn, body: _Body) -> None:
    signs = st.sampled_from(["!=", "=", "<"])
    choices = [f"X {draw(signs)} {other}" for other in ("a", "b") if "X" in body.objects]
    if {"X", "Y"} <= body.objects:
        choices += ["X != Y", "X != Y", "X < Y"]
    if {"T", "U"} <= body.times:
        choices += ["U <= T", "T < U", "U <= T + 2", "U != T"] * 2
        choices += ["U > T, U <= T + 3", "U >= T - 2, U < T", "T <= U + 1, U != T"] * 4
    if "X" in body.denied:
        choices += ["X != a", "X != b", "X = a", "X != a, X != b"] * 2
    if "T" in body.times:
        choices += ["T >= 1", "T < 3", "T <= 4", "T > 0"]
    if choices:
        body.literals.append(draw(st.sampled_from(choices)))


def _query(draw: st.DrawFn, predicate: _Predicate, tick: str) -> str:
    names = ["X", "Y"][: predicate.arity]
    if draw(_rarely()) and names:
        names[-1] = draw(st.sampled_from(["_", "a", "X"]))
    time = tick if draw(st.integers(0, 19)) == 0 else "T"
    window = ""
    if predicate.windowed:
        window = f" window {draw(st.integers(0, 2))}"
        window += draw(st.sampled_from(["", "", " horizon 1"]))
    return f"query {_atom(predicate.name, names, time)}{window}."


# ---- streams ----


@st.composite
def facts(
    draw: st.DrawFn, checked: Checked, latest: int = 4, most: int = 10
) -> tuple[tuple[str, tuple[Value, ...], int], ...]:
    """Facts about a program's inputs with their arrivals; some are late, early, twice or conflicting."""
    inputs = [p for p in checked.vocabulary.predicates.values() if p.kind is PredicateKind.INPUT]
    found: list[tuple[str, tuple[Value, ...], int]] = []
    for _ in range(draw(st.integers(2, most)) if inputs else 0):
        if found and draw(st.integers(0, 9)) == 0:
            name, values, arrival = draw(st.sampled_from(found))
            if len(values) > 1 and draw(st.booleans()):
                values = (*values[:-2], draw(_values(COLUMNS[name][-1])), values[-1])
            found.append((name, values, arrival + draw(st.sampled_from([0, 1]))))
            continue
        predicate = draw(st.sampled_from(inputs))
        objects = tuple(draw(_values(column)) for column in COLUMNS[predicate.name])
        time = draw(st.integers(0, latest))
        slowest = max((predicate.schedule.bound, *(r.delay for r in predicate.schedule.refinements)))
        lag = draw(st.sampled_from([*range(slowest + 1)] * 4 + [slowest + 1, -1]))
        found.append((predicate.name, (*objects, time), max(0, time + lag)))
    return tuple(found)


def _values(column: str) -> st.SearchStrategy[Value]:
    return st.sampled_from(NUMBERS if column.endswith("number") else TEXTS)


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    negation: bool = True,
    recursion: bool = True,
    unrelated: bool = True,
    latest: int = 4,
    most: int = 10,
) -> Case:
    """A program and a stream, of at most so many facts about ticks up to the latest."""
    text = draw(programs(negation=negation, recursion=recursion, unrelated=unrelated))
    case = with_stream(draw, text, latest, most)
    shown = draw(st.integers(0, 7)) == 0
    return replace(case, text=random_literals.with_times_in_heads(draw, case.text)) if shown else case


def with_stream(draw: st.DrawFn, text: str, latest: int, most: int) -> Case:
    """A program and a stream for it, now and then with large numbers, or one that begins late."""
    arriving = draw(facts(read(Source(text)), latest, most))
    large = draw(st.sampled_from([None] * 2 * len(random_literals.LARGE) + [*random_literals.LARGE]))
    if large is not None and read(Source(large.text(text))).ok:
        text = large.text(text)
        arriving = tuple((name, large.values(values), at) for name, values, at in arriving)
    until = max((arrival for _, _, arrival in arriving), default=0) + draw(st.integers(0, 2))
    return Case(text, arriving, until).later(draw(st.sampled_from([0, 0, 0, _LATER])))


@st.composite
def streamed(draw: st.DrawFn, programs: st.SearchStrategy[str], latest: int, most: int) -> Case:
    """A program that can be read, and a stream for it."""
    text = draw(programs.filter(lambda text: read(Source(text)).ok))
    return with_stream(draw, text, latest, most)


_LATER = 6
"""More ticks than rules look back here."""
