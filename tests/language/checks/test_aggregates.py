"""What the checks know of aggregates: their own variables, the clock, and sums that rise."""

from antelog.diagnostics import Source
from antelog.language import read
from tests.tables import cases

INPUT = "input Pay(card, place: text, amount: number, time){delay}.\nstatic Card(card).\n"
QUERY = "query P(C, T).\n"


def codes(body: str, delay: str = " delay 2") -> list[str]:
    text = f"{INPUT.format(delay=delay)}P(C, T) :- {body}.\n{QUERY}"
    return [each.code for each in read(Source(text)).diagnostics if each.code != "W102"]


def test_variables_of_an_aggregate_are_its_own() -> None:
    """In one of these V is a number, in the other a text."""
    numbers, texts = (
        "sum(V : Pay(C, _, V, T-9..T), V >= 0) > 100",
        "count(distinct V : Pay(C, V, _, T-9..T)) > 2",
    )
    assert codes(f"Pay(C, _, _, T), {numbers}, {texts}") == []
    assert codes("Pay(C, V, _, T), count(distinct V : Pay(C, V, _, T-9..T)) > 2") == ["E409"]
    assert codes("Pay(C, _, _, T), max(V : Pay(C, V, _, T-9..T)) > 100") == ["E302"]
    assert codes("Pay(C, _, _, T), count(Pay(C, V, _, T-9..T), V > 5) > 2") == ["E302"]


@cases(__file__, "clock")
def test_the_clock_asks_where_no_fact_stands_beside(body: str, asked: bool) -> None:
    assert codes(body) == (["W111"] if asked else [])


@cases(__file__, "a_sum_may_be_certain_before_its_time_is_over")
def test_a_sum_may_be_certain_before_its_time_is_over(sum_of: str, delay: str, late: bool) -> None:
    body = f"Pay(C, _, _, T), sum(V : Pay(C, _, V, {sum_of})) > 100"
    assert codes(body, delay) == (["W112"] if late else [])
    for least in ("V >= 0", "V > -5", "0 <= V", "V = 5"):
        assert codes(body.replace("))", f"), {least})"), delay) == []
    assert codes(body.replace("))", "), V <= 7)"), delay) == (["W112"] if late else [])
