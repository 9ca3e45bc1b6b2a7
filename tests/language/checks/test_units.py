"""antelog/language/checks/units.py: in which unit times count since 1970, and what is said of other words."""

from __future__ import annotations

import pytest

from antelog import ProgramError, parse
from antelog.compile import from_json, to_json
from antelog.language.printer import to_text

RULES = "{}input Temp(device, at{}) delay 1. Hot(X, T) :- Temp(X, T). query Hot(X, T)."


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns", "ticks"])
def test_a_unit_is_kept(unit: str) -> None:
    program = parse(RULES.format("tick 1 minute. ", f": {unit}"))
    assert program.plan.counting("Temp").unit == unit
    assert f"input Temp(device, at: {unit}) delay 1." in to_text(program.document)
    assert f"input Temp(device, at: {unit}), delay 1" in str(program)
    assert from_json(to_json(program.plan)) == program.plan
    assert program.plan.read == parse(RULES.format("tick 1 minute. ", "")).plan


@pytest.mark.parametrize(
    ("tick", "type_", "message", "hint"),
    [
        ("", ": ms", "`at: ms` means nothing without a `tick` declaration", "Say how long a tick is"),
        ("tick 1 minute. ", ": millis", "`millis` is not a unit of times", "Write ms."),
        ("tick 1 minute. ", ": Seconds", "`Seconds` is not a unit of times", "Write s."),
        ("tick 1 minute. ", ": nanoseconds", "`nanoseconds` is not a unit of times", "Write ns."),
        ("tick 1 minute. ", ": ms, time", "`ms` is not a type", "Only the time of an input"),
    ],
)
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
