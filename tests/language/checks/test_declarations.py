"""antelog/language/checks: declarations, types, delays, slots, gaps, limits, durations, suggestions."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog import DataError, Engine, Program, ProgramError, parse
from antelog.compile import from_json, to_json
from antelog.diagnostics import Source, errors_of
from antelog.language import Checked, read
from antelog.language.checks.suggestions import did_you_mean, similar
from antelog.language.durations import UNITS, duration_text, in_ticks, microseconds
from antelog.language.printer import to_text
from antelog.language.syntax import Bound
from antelog.language.vocabulary import Predicate, PredicateKind, Type
from antelog.run import clock
from tests.tables import cases

RULE = "P(X, T) :- A(X, Y, T).\nquery P(X, T)."


def checked(text: str) -> Checked:
    return read(Source(text))


def codes(text: str) -> list[str]:
    return [d.code for d in errors_of(checked(text).diagnostics)]


# ---- what predicates are ----


def test_kinds_and_columns() -> None:
    vocabulary = checked(
        "input A(x, y, time). static S(x). P(X, T) :- A(X, _, T), S(X), B(X, T). query P(X, T)."
    ).vocabulary
    shown = {name: (p.kind, p.columns, p.declared) for name, p in vocabulary.predicates.items()}
    assert shown == {
        "A": (PredicateKind.INPUT, ("x", "y", "time"), True),
        "S": (PredicateKind.STATIC, ("x",), True),
        "P": (PredicateKind.DERIVED, ("X", "T"), False),
        "B": (PredicateKind.INPUT, ("c0", "time"), False),
    }


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("", (None, None)),
        ("Q(X, T) :- A(X, high, T).", (None, Type.TEXT)),
        ("Q(X, T) :- A(X, 1.5, T).", (None, Type.NUMBER)),
        ("Q(X, T) :- A(X, V, T), A(X, W, T+1), W > V + 1.", (None, Type.NUMBER)),
        ("Q(X, T) :- A(X, V, T), B(V, T). input B(v: number, time).", (None, Type.NUMBER)),
        ("Q(V, T) :- A(X, V, T). R(T) :- Q(5, T).", (None, Type.NUMBER)),
        ("Q(X, T) :- A(X, X, T), X != wt2.", (Type.TEXT, Type.TEXT)),
        ("Q(X, T) :- A(X, Y, T), X < Y, S(Y). static S(y). S(wt2).", (Type.TEXT, Type.TEXT)),
        ("delay A(wt4, 7, _) = 2.", (Type.TEXT, Type.NUMBER)),
        ("Q(X, T) :- A(X, Y, T), T > 5.", (None, None)),
    ],
)
def test_types_follow_from_all_that_is_said(rules: str, expected: tuple[Type | None, ...]) -> None:
    found = checked(f"input A(x, y, time).\n{rules}\n{RULE}")
    assert errors_of(found.diagnostics) == ()
    assert found.vocabulary["A"].types == expected


# ---- which delay decides ----


def decide(predicate: Predicate, values: tuple[str, ...]) -> set[int]:
    """The bounds of the declarations that fit and have the most constants."""
    fitting = [
        r
        for r in predicate.schedule.refinements
        if all(p in (None, v) for p, v in zip(r.pattern, values, strict=True))
    ]
    most = max((r.constants for r in fitting), default=0)
    return {r.delay for r in fitting if r.constants == most} or {predicate.schedule.bound}


def test_the_most_specific_delay_decides() -> None:
    text = (
        "input A(x, y, time) delay 1.\ndelay A(a, _, _) = 2.\ndelay A(_, b, _) = 2.\ndelay A(a, b, _) = 0.\n"
    )
    found = checked(text + RULE)
    assert errors_of(found.diagnostics) == ()
    decided = {values: decide(found.vocabulary["A"], values) for values in product("abc", repeat=2)}
    assert decided["a", "b"] == {0}
    assert decided["a", "c"] == decided["c", "b"] == {2}
    assert decided["c", "c"] == {1}


@cases(__file__, "equally_specific_delays_conflict")
def test_equally_specific_delays_conflict(one: str, other: str, conflict: bool) -> None:
    assert codes(f"input A(x, y, time).\ndelay A{one}.\ndelay A{other}.\n{RULE}") == ["E105"] * conflict
    assert codes(f"input A(x, y, time).\ndelay A{other}.\ndelay A{one}.\n{RULE}") == ["E105"] * conflict


PATTERNS = st.tuples(*(st.sampled_from(["_", "a", "b"]) for _ in range(3)))


@given(st.lists(st.tuples(PATTERNS, st.integers(0, 2)), max_size=5))
def test_delays_conflict_exactly_where_two_could_decide(
    given_delays: list[tuple[tuple[str, ...], int]],
) -> None:
    declared = "".join(f"delay A({', '.join(p)}, _) = {n}.\n" for p, n in given_delays)
    found = checked(f"input A(x, y, z, time).\n{declared}P(X, T) :- A(X, Y, Z, T).\nquery P(X, T).")
    refinements = found.vocabulary["A"].schedule.refinements
    meeting = any(
        p.constants == q.constants
        and p.delay != q.delay
        and all(a is None or b is None or a == b for a, b in zip(p.pattern, q.pattern, strict=True))
        for p, q in product(refinements, repeat=2)
    )
    assert ("E105" in codes(found.document.source.text)) is meeting
    # Otherwise no fact has two bounds.
    assert meeting or all(len(decide(found.vocabulary["A"], v)) == 1 for v in product("abc", repeat=3))


# ---- durations ----


@pytest.mark.parametrize(
    ("amount", "unit", "expected"),
    [
        (500, "ms", 500_000),
        (1, "s", 1_000_000),
        (1.5, "minutes", 90_000_000),
        (0.1, "us", Fraction(1, 10)),
        (2, "weeks", 1_209_600_000_000),
        (1, "mss", None),
        (1, "fortnight", None),
    ],
)
def test_durations(amount: float, unit: str, expected: Fraction | None) -> None:
    assert microseconds(Bound(amount, unit)) == expected


@pytest.mark.parametrize("unit", UNITS)
def test_units_print_as_they_are_read(unit: str) -> None:
    length = microseconds(Bound(3, unit))
    assert length is not None
    amount, shown = duration_text(int(length)).split()
    assert microseconds(Bound(int(amount), shown)) == length


@given(st.integers(1, 10**6), st.fractions(0, 10**7))
def test_durations_in_ticks(tick: int, length: Fraction) -> None:
    ticks = in_ticks(length, tick)
    starts = [Fraction(tick) - Fraction(1, 10**9), Fraction(0)]
    assert ticks * tick >= length
    assert (ticks - 1) * tick < length or ticks == 0
    assert max((start + length) // tick for start in starts) <= ticks


@cases(__file__, "delays_in_ticks")
def test_delays_in_ticks(tick: str, bound: str, ticks: int) -> None:
    found = checked(f"tick {tick}.\ninput A(x, y, time) delay {bound}.\ndelay A(a, _, _) = {bound}.\n{RULE}")
    assert errors_of(found.diagnostics) == ()
    predicate = found.vocabulary["A"]
    assert (predicate.schedule.bound, [r.delay for r in predicate.schedule.refinements]) == (ticks, [ticks])


# ---- slots ----


@pytest.mark.parametrize(
    ("clause", "slot"),
    [
        ("", None),
        ("delay 2", None),
        ("one per x", (0,)),
        ("delay 2, one per y", (1,)),
        ("one per y and x", (0, 1)),
        ("one per tick", ()),
    ],
)
def test_slots_are_columns(clause: str, slot: tuple[int, ...] | None) -> None:
    predicate = checked(f"input A(x, y, time) {clause}.\n{RULE}").vocabulary["A"]
    assert (predicate.slot, predicate.schedule.bound) == (slot, 2 if "delay" in clause else 0)


@cases(__file__, "variables_under_negation_only_that_are_bounded")
def test_variables_under_negation_only_that_are_bounded(rule: str) -> None:
    """Others are in tests/errors."""
    pair = "P(X, Y, T)" if "P(X, Y" in rule else "P(X, T)"
    assert codes(f"input A(x, y, time). input B(x, time).\n{rule}\nquery {pair}.") == []


@pytest.mark.parametrize(
    ("condition", "warned"),
    [("Beat(X, T)", True), ("last Beat(X, T-5)", False), ("last Beat(X, T-5..T-1) per X", True)],
)
def test_a_slot_of_all_columns_serves_last(condition: str, warned: bool) -> None:
    text = f"input Beat(x, time) one per x. P(X, T) :- Beat(X, T), {condition}. query P(X, T)."
    assert [each.code for each in checked(text).diagnostics] == ["W110"] * warned


def test_suggestions() -> None:
    assert did_you_mean("Tepm", ["Temp", "Wind"]) == "Did you mean Temp?"
    assert did_you_mean("Rain", ["Temp", "Wind"]) == ""
    assert similar("Temp1", ["Temp2"]) == []  # those are meant to differ
    assert similar("temp", ["Temp"]) == ["Temp"]


# ---- units of times ----

RULES = "{}input Temp(device, at{}) delay 1. Hot(X, T) :- Temp(X, T). query Hot(X, T)."


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns", "ticks"])
def test_a_unit_is_kept(unit: str) -> None:
    program = parse(RULES.format("tick 1 minute. ", f": {unit}"))
    assert program.plan.counting("Temp").unit == unit
    assert f"input Temp(device, at: {unit}) delay 1." in to_text(program.document)
    assert f"input Temp(device, at: {unit}), delay 1" in str(program)
    assert from_json(to_json(program.plan)) == program.plan
    assert program.plan.read == parse(RULES.format("tick 1 minute. ", "")).plan


@cases(__file__, "what_is_wrong_with_a_unit")
def test_what_is_wrong_with_a_unit(tick: str, type_: str, message: str, hint: str) -> None:
    with pytest.raises(ProgramError) as error:
        parse(RULES.format(tick, type_))
    first = error.value.diagnostics[0]
    assert message in first.message
    assert hint in (first.hint or "")


def test_a_tick_that_is_wrong_itself_is_enough_to_report() -> None:
    with pytest.raises(ProgramError) as error:
        parse(RULES.format("tick 1 minuet. ", ": ms"))
    assert len(error.value.diagnostics) == 1


WITHIN = """
tick 10 minutes.
input Ticket(id, priority: text, time). input Reply(id, time).
static Within(priority: text, limit <= 4 h).
{}
P(I, T) :- Ticket(I, K, T), Within(K, N), not Reply(I, T..T+N).
query P(I, T).
"""


def test_durations_in_facts_are_numbers_of_ticks() -> None:
    durations = "limit patience = 20. Within(a, 30 minutes). Within(b, 2 h). Within(c, patience minutes)."
    numbers = "Within(a, 3). Within(b, 12). Within(c, 2)."
    one, other = (parse(WITHIN.format(facts)) for facts in (durations, numbers))
    assert one.plan.statics == other.plan.statics
    assert one.plan.static_rules == other.plan.static_rules


# ---- `every 10 s`: how often the facts of an input come ----

SINGLE = "Q(X, T) :- P(X, T). query Q(X, T)."
SECOND = 1_000_000


@pytest.mark.parametrize(
    ("clauses", "gap"),
    [
        ("every 10 s", 5),
        ("delay 1, every 10 s", 5),
        ("one per x, every 3", 3),
        ("delay 2 s, one per x, every 3 s", 2),  # a gap that may begin within a tick
        ("delay 1", None),
    ],
)
def test_a_gap_is_counted_in_ticks(clauses: str, gap: int | None) -> None:
    program = parse(f"tick 2 s. input P(x, time) {clauses}. {SINGLE}")
    assert [each.expected.gap for each in program.plan.inputs] == [gap]


@pytest.mark.parametrize(
    ("clauses", "source"),
    [
        ("every 3 per x", (0,)),
        ("every 3 s per y and x", (0, 1)),
        ("delay 1, one per x, every 3 per y", (1,)),
        ("one per x, every 3", (0,)),
        ("one per tick, every 3", ()),
        ("every 3", ()),
        ("one per x", ()),
    ],
)
def test_the_columns_of_a_source(clauses: str, source: tuple[int, ...]) -> None:
    checked = read(Source(f"tick 1 s. input P(x, y, time) {clauses}. Q(X, T) :- P(X, _, T). query Q(X, T)."))
    assert checked.ok
    assert checked.vocabulary["P"].source == source


def test_columns_and_predicates_may_be_called_every() -> None:
    rule = "Q(T) :- every(_, T). query Q(T)."
    program = parse(f"input every(every, time) one per every, every 3. {rule}")
    assert program.plan.inputs[0].columns == ("every", "time")


def test_no_answer_depends_on_a_gap() -> None:
    def lines(clauses: str) -> object:
        engine = Engine(parse(f"input P(x, time) delay 1{clauses}. {SINGLE}"))
        return engine.advance(40, {"P": [("a", 3), ("b", 30)]})["Q"].to_pylist()

    assert lines(", every 2") == lines("")


def test_time_waits_as_long_for_another_fact() -> None:
    plan = parse(f"tick 1 s. input P(x, time) delay 1, every 30 s. input S(time). {SINGLE}").plan
    assert clock.rhythms_of(plan)["P"] == 31 * SECOND


@cases(__file__, "gaps")
def test_what_is_wrong_with_a_gap_is_said(clauses: str, said: str) -> None:
    with pytest.raises(ProgramError) as caught:
        parse(f"tick 1 s.\ninput P(x, time) {clauses}.\n{SINGLE}")
    assert said in str(caught.value)


# ---- limits: numbers with names, which can be set from outside ----

LIMITED = """
limit hot = 90.
limit cold = -5.
limit patience = 30.
tick 10 minutes.
input Temp(device, value: number, time) delay patience minutes.
Hot(X, T) :- Temp(X, V, T), V >= hot, V > cold, V - hot < 100, not Temp(X, cold, T..T + patience minutes).
query Hot(X, T).
"""
NUMBERED = """
tick 10 minutes.
input Temp(device, value: number, time) delay 30 minutes.
Hot(X, T) :- Temp(X, V, T), V >= 85, V > -5, V - 85 < 100, not Temp(X, -5, T..T + 30 minutes).
query Hot(X, T).
"""


def same(one: Program, other: Program) -> bool:
    return to_json(one.plan) == to_json(other.plan)


def test_a_limit_is_its_number_and_another_one_if_it_is_set() -> None:
    assert same(parse(LIMITED, limits={"hot": 85}), parse(NUMBERED))
    assert same(parse(LIMITED), parse(NUMBERED.replace("85", "90")))
    assert same(parse(LIMITED, limits={"hot": 85.0, "patience": 30}), parse(NUMBERED))


def test_a_limit_of_a_length() -> None:
    text = "limit step = 10.\ntick step minutes.\nP(X, T) :- Q(X, T).\nquery P(X, T)."
    assert parse(text).plan.tick == 600_000_000
    assert parse(text, limits={"step": 20}).plan.tick == 1_200_000_000


def test_what_is_in_quotes_is_a_text() -> None:
    text = 'limit hot = 90.\nP(X, T) :- Q(X, "hot", T), Q(X, V, T), V > hot.\nquery P(X, T).'
    with pytest.raises(ProgramError, match="E302"):
        parse(text)  # a column of numbers and texts
    document = checked(text).document
    assert to_text(document) == text + "\n"


def test_names_are_printed_whatever_is_set() -> None:
    statements = [line for line in LIMITED.splitlines() if line]
    printed = to_text(parse(LIMITED, limits={"hot": 85}).document).splitlines()
    assert printed == [each.replace("V - hot", "V-hot").replace("T + p", "T+p") for each in statements]


def test_values_from_outside_are_checked() -> None:
    with pytest.raises(DataError, match=r"no limit hott\. Did you mean hot\?"):
        parse(LIMITED, limits={"hott": 85})
    with pytest.raises(DataError, match=r"no limit hot\. It has none"):
        parse(NUMBERED, limits={"hot": 85})
    for wrong in ({"hot": "85"}, {"hot": float("nan")}, {"hot": 10**400}, ["hot"]):
        with pytest.raises(DataError, match="a dictionary from the names of limits to numbers"):
            parse(LIMITED, limits=wrong)  # type: ignore[arg-type]  # what a user may give


def test_a_program_with_errors_says_these() -> None:
    with pytest.raises(ProgramError, match="E001"):
        parse(LIMITED + "P(X", limits={"hott": 85})
    with pytest.raises(ProgramError, match="the limit patience is -1"):
        parse(LIMITED, limits={"patience": -1})
