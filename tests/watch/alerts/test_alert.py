"""antelog/watch/alerts/alert.py: what is sent as a rule depends on whether anything can be likely."""

import pytest

from antelog import parse
from antelog.watch.alerts.alert import AlertError, AlertQuery, queries_of

PROGRAM = parse(
    "input Temp(x, level, time). A(X, T) :- Temp(X, high, T). B(T) :- Temp(X, high, T).\n"
    "query A(X, T) alert 80%. query B(T)."
)


@pytest.mark.parametrize(("chances", "usual"), [(True, "likely"), (False, "confirmed")])
def test_usual_kind(chances: bool, usual: str) -> None:
    assert queries_of(PROGRAM.plan, chances=chances) == (
        AlertQuery("A", ("X", "T"), {"T": "time"}, usual, "warning", "X"),
        AlertQuery("B", ("T",), {"T": "time"}, "confirmed"),
        AlertQuery("silent input", ("input", "slot"), {}, "silent", "warning", "input"),
    )


def test_an_error_has_a_reason_and_a_remedy() -> None:
    assert str(AlertError("it is so", "Do this.")) == "it is so. Do this."
