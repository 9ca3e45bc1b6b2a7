"""`zone "Europe/Berlin".`: the zone in which times are shown."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pyarrow as pa

from antelog import Engine, parse
from antelog.compile.show.explain import plan_text
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult

RULES = "input P(x, time) delay 3. A(X, T) :- P(X, T), not P(X, T+1). query A(X, T)."
BERLIN = f'tick 30 minutes. zone "Europe/Berlin". {RULES}'


def test_times_have_the_offset_of_the_zone() -> None:
    program = parse(BERLIN)
    engine = Engine(program)
    # In this night Europe's clocks go from 2 to 3 o'clock.
    at = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
    changes = engine.advance(at, {"P": [("a", at)]})
    assert changes["A"].schema.field("T_time").type == pa.timestamp("us", "Europe/Berlin")
    line = json.loads(change_lines(list(program.plan.queries), StepResult(0, changes), Style()))
    assert line["times"] == {"T": "2026-03-29T01:30:00+01:00"}
    assert line["decided_by_time"] == "2026-03-29T04:30:00+02:00"


def test_check_names_the_zone() -> None:
    assert "zone: Europe/Berlin\n" in plan_text(parse(BERLIN).plan)


def test_the_zone_that_times_are_shown_in_changes_no_answer() -> None:
    """So a state may go on with another one, if times without an offset are read as before."""
    engine = Engine(parse(BERLIN))
    at = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
    engine.advance(at, {"P": [("a", at)]})
    plain = parse(f"tick 30 minutes. {RULES}").with_times(zones={"P": "Europe/Berlin"})
    again = Engine.from_bytes(engine.to_bytes(), plain)
    assert again.answers("A").schema.field("T_time").type == pa.timestamp("us", "UTC")
