"""antelog/lines.py: literals as lines have them, read for views."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.language.moments import Timescale, moment
from antelog.language.printer import value_text
from antelog.lines import amount_text, awaited, literal_of
from tests.lines import lines_of
from tests.recorded import NAMES, recorded
from tests.specification.literals.absence import Absence
from tests.specification.literals.aggregate import Aggregation
from tests.specification.literals.fact import Fact
from tests.specification.literals.last import Last
from tests.specification.literals.literal import Body
from tests.specification.literals.negation import Negated
from tests.specification.reading import literal_of as specified
from tests.specification.terms import Term
from tests.tables import cases

DAY = 86_400_000_000


@pytest.mark.parametrize(
    ("text", "predicate", "negated", "tick"),
    [
        ("Temp(a, 7)", "Temp", False, 7),
        ("not Temp(7)", "Temp", True, 7),
        ("Temp(a, T+1)", "Temp", False, None),
        ('Temp("b, 3)", 7) where "b 3)" != W', "Temp", False, 7),
        ('Temp("not A(b, 3..4)", 7)', "Temp", False, 7),
        ("Temp(a, W, T) where 3 > abs(W - 5)", "Temp", False, None),
        ("last Mode(wt2, run, 3..7) per wt2", "Mode", False, 7),
        ("not Ack(a, -2..-1)", "Ack", True, None),
        ("not Ack(a, -2..0)", "Ack", True, 0),
        ("not Ack(X, _, 3..U)", "Ack", True, None),
        ("count(distinct V : Fail(wt2, V, 0..9)) >= 3", "Fail", False, 9),
        ("sum(V : Pay(c, V, T-9..T), V >= 0) > 100", "Pay", False, None),
        ("-2 * (1.5e+20 + max(V : Pay(c, V, 0..9)) / 3) > 100", "Pay", False, 9),
        ("N = 2 * count(Fail(wt2, 0..9)) where N > 3", "Fail", False, 9),
        ("what is this", "what is this", False, None),
        ("not this either", "not this either", True, None),
    ],
)
def test_the_parts_of_a_literal(text: str, predicate: str, negated: bool, tick: int | None) -> None:
    found = literal_of(text)
    assert (found.predicate, found.negated, found.tick) == (predicate, negated, tick)
    assert found.text(str) == text


@cases(__file__, "ticks_as_times")
def test_ticks_as_times(literal: str, text: str) -> None:
    found = literal_of(literal)
    assert found.text(partial(moment, timescale=Timescale(DAY))) == text
    assert found.text(partial(moment, timescale=None)) == literal


@pytest.mark.parametrize("name", NAMES)
def test_recorded_literals_are_read_as_the_specification_does(name: str) -> None:
    told = [
        text
        for line in recorded(name).lines
        for answer in line["answers"]
        for explanation in answer["explanations"]
        for text in (*explanation["evidence"], *explanation["hypotheses"])
    ]
    for text in {*told}:
        found, body = literal_of(text), specified(text).body
        predicate, time = _about(body)
        tick = time if isinstance(time, int) and time >= 0 else None
        negated = isinstance(body, Negated | Absence)
        assert (found.predicate, found.negated, found.tick) == (predicate, negated, tick), text
        assert found.text(str) == text


def _about(body: Body) -> tuple[str, Term]:
    """The predicate of a literal of the specification, and its last time."""
    match body:
        case Fact() | Negated():
            return body.atom.predicate, body.time
        case Absence() | Last():
            return body.predicate, body.last
        case Aggregation():
            return body.left.predicate, body.left.last
        case _:
            raise AssertionError(f"{body} is in no line")


@given(st.lists(st.text() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)), st.booleans())
def test_values_are_not_taken_for_anything_else(values: list[str | int | float], negated: bool) -> None:
    before = f"{'not ' * negated}Temp({''.join(f'{value_text(value)}, ' for value in values)}"
    found = literal_of(f"{before}19786)")
    assert (found.predicate, found.negated, found.tick) == ("Temp", negated, 19786)
    assert found.text("<{}>".format) == f"{before}<19786>)"


_PARTS = ("x", "7", "a ", "1 ", " where T < 1", "(", ") ", '"', "\\", 'R("', "not ", "..")


def test_hypotheses_say_what_aggregates_come_to_so_far() -> None:
    rules = (
        "input Fail(x, time). input Temp(x, v: number, time).\n"
        "Bad(X, T) :- Fail(X, T), count(Fail(X, T..T+9)) >= 3, avg(V : Temp(X, V, T..T+9)) > 7,"
        " Temp(X, 5, T+3).\n"
        "query Bad(X, T)."
    )
    (line,) = lines_of(rules, [("Fail", ("wt2", 0), 0)], 0)
    assert [each.text(lambda tick: f"{tick}:00") for each in awaited(line["explanations"][0])] == [
        "Temp(wt2, 5, 3:00)",
        "avg(V : Temp(wt2, V, 0:00..9:00)) > 7 (nothing so far)",
        "count(Fail(wt2, 0:00..9:00)) >= 3 (1 so far)",
    ]


@pytest.mark.parametrize(
    ("value", "text"), [(161 / 3, "53.667"), (2.5, "2.5"), (7, "7"), (0.0001, "0.0001"), (None, "nothing")]
)
def test_what_an_aggregate_comes_to_has_three_decimals(value: float | None, text: str) -> None:
    assert amount_text(value) == text


@pytest.mark.timeout(20)
@pytest.mark.parametrize("part", _PARTS)
@pytest.mark.parametrize(
    "form", ["{}", "R({}", "R({}, 7)", 'R("{}", T)', "R(T) where T > {}", "R({}, T) where {}", "count(R({}"]
)
def test_each_text_is_read_once(form: str, part: str) -> None:
    text = form.replace("{}", part * (300_000 // len(part)))
    assert literal_of(text).text(str) == text
