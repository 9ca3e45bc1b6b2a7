"""antelog/engine/log/{few_lines,shapes}.py: few lines read as they would among many."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings

import antelog
from antelog.compile.prepared.rules import prepared
from antelog.engine.columns import few
from antelog.engine.engine import Engine
from antelog.engine.log import changes
from antelog.engine.log.shapes import As, Blank, shapes
from tests.engine.few import at_most
from tests.engine.replay import Compiled, frames, runnable
from tests.few_literals import cases_of_few_literals
from tests.strategies import Case, cases
from tests.two_times import cases_with_two_times

ANY = cases() | cases_of_few_literals() | cases_with_two_times(latest=3, most=9)


def tables(case: Case, compiled: Compiled, rows: int) -> list[dict[str, pa.Table]]:
    """All that is told tick by tick, and at once; up to so many rows are few."""
    found = []
    with at_most(rows):
        for ends in (range(case.until + 1), [case.until]):
            engine = Engine(compiled)
            found += [engine.advance(end, frames(case.facts, compiled.plan, engine.now, end)) for end in ends]
            found.append({query.name: engine.answers(query.name) for query in compiled.plan.queries})
    return found


@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], deadline=None)
@given(ANY)
def test_few_lines_are_told_as_many_are(case: Case) -> None:
    compiled = runnable(case.checked)
    assume(compiled is not None)
    assert compiled is not None
    assert tables(case, compiled, few.FEW) == tables(case, compiled, 0)


def test_few_lines_go_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(*_: Any) -> Any:
        raise NotImplementedError

    monkeypatch.setattr(changes, "few_columns", short)
    program = antelog.parse("input A(x: text, time) delay 1. P(X, T) :- A(X, T), A(X, T+1). query P(X, T).")
    many = [(f"m{number}", 0) for number in range(few.FEW + 1)]
    assert antelog.Engine(program).advance(0, {"A": many})["P"].num_rows == len(many)
    with pytest.raises(NotImplementedError):
        antelog.Engine(program).advance(0, {"A": [("a", 0)]})


def test_a_shape_has_blanks_for_what_rows_bind() -> None:
    text = """input R(x: text, v: number, time) delay 3. static Odd(x: text, y: text).
        P(X, T) :- R(X, V, T), R(Y, W, T+1), W > V + 0.5, V < 9, not Odd(Y, X). query P(X, T)."""
    plan = antelog.parse(text).plan
    (pattern,) = prepared(plan).patterns["P"]
    first, second = shapes(pattern, frozenset({"X", "V", "T"}))
    value = Blank("X", As.VALUE, 0, "", ", ")
    assert first.opening == ("R(", value, Blank("V", As.VALUE, 0, "", ", "))
    assert first.known
    assert first.closing == (")",)
    assert second.opening == ("R(", "Y, ", "W, ")
    assert second.closing == (
        Blank("V", As.NUMBER, 0.5, ") where W > ", ", "),
        "not Odd(",
        "Y, ",
        Blank("X", As.VALUE, 0, "", ")"),
    )
    assert not shapes(pattern, frozenset({"Y"}))[0].known
