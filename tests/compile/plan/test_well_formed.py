"""antelog/compile/plan/well_formed.py: what the compiler cannot have made is told.

That an engine goes on with whatever is well-formed, `tests/engine/test_damaged_states.py` shows.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given

import antelog
from antelog.compile import compile_program, from_json, to_json
from antelog.compile.plan.assembling import completed
from antelog.compile.plan.well_formed import check
from antelog.errors import AntelogError, PlanError
from tests.few_literals import cases_of_few_literals
from tests.strategies import Case, cases
from tests.two_times import cases_with_two_times

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = sorted(path for folder in ("tests", "examples") for path in (ROOT / folder).rglob("*.alog"))


def test_the_programs_of_the_project_are_well_formed() -> None:
    count = 0
    for path in PROGRAMS:
        try:
            plan = antelog.load(path).plan
        except AntelogError:
            continue  # it is there to be refused
        check(plan)
        assert completed(plan) == plan
        count += 1
    assert count > 20


@given(cases() | cases_with_two_times() | cases_of_few_literals())
def test_any_program_is_well_formed(case: Case) -> None:
    plan = compile_program(case.checked).plan
    assume(plan is not None)
    assert plan is not None
    check(plan)


RULES = """
tick 1 minute. input Temp(device, level, v: number, time) delay 1 (60%, 40%).
delay Temp(wt2, _, _, _) = 2 (10%, 20%, 30%). chance Temp(_, _, 90, _) = 5%, again 80%.
static Site(device, name, v: number). static Near(name). Site(wt2, north, 3).
Near(N) :- Site(X, N, V), V + 1 > 2.
Hot(X, N, T) :- Temp(X, high, V, T), Site(X, N, W), V > W + 0.5, not Muted(X, T), not Near(N),
    Temp(X, _, _, S), S < T.
Muted(X, T+1) :- Temp(X, mute, _, T).
query Hot(X, N, T) alert 80%.
"""

Path_ = tuple[Any, ...]
_PATTERN: Path_ = ("relations", 0, "patterns", 0)


WRONG: list[tuple[Path_, Any, str]] = [
    (("inputs", 0, "name"), "Site", "a name stands for two predicates"),
    (("relations", 1, "name"), "Hot", "a name stands for two predicates"),
    (("inputs", 0, "name"), "Tmep", "a pattern of Hot does not fit"),
    (("tick",), 0, "its ticks have no length"),
    (("tick",), -1, "its ticks have no length"),
    (("inputs", 0, "types", 0), "date", "an unknown type"),
    (("inputs", 0, "types"), [], "the input Temp is not well formed"),
    (("inputs", 0, "columns", 0), "level", "the input Temp is not well formed"),
    (("inputs", 0, "delay"), -1, "the input Temp is not well formed"),
    (("inputs", 0, "delay"), 10**30, "the input Temp is not well formed"),
    (("inputs", 0, "refinements", 0, "pattern"), ["wt2"], "the input Temp is not well formed"),
    (("inputs", 0, "refinements", 0, "pattern", 2), "wt2", "the input Temp is not well formed"),
    (("inputs", 0, "refinements", 0, "shares"), [0.5, 0.5], "the input Temp is not well formed"),
    (("inputs", 0, "shares"), [1.0], "the input Temp is not well formed"),
    (("inputs", 0, "shares"), [0.6, 0.5], "the input Temp is not well formed"),
    (("inputs", 0, "shares", 0), -0.1, "the input Temp is not well formed"),
    (("inputs", 0, "chances", 0, "once"), 1.5, "the input Temp is not well formed"),
    (("inputs", 0, "chances", 0, "again"), -0.5, "the input Temp is not well formed"),
    (("inputs", 0, "chances", 0, "pattern"), ["wt2"], "the input Temp is not well formed"),
    (("inputs", 0, "chances", 0, "pattern", 2), "wt2", "the input Temp is not well formed"),
    (("relations", 0, "alert"), 0.0, "Hot has an alert that no query can have"),
    (("relations", 0, "alert"), 80, "Hot has an alert that no query can have"),
    (("relations", 1, "alert"), 0.8, "has an alert that no query can have"),
    (("inputs", 0, "types", 1), "number", "a pattern of Hot does not fit"),
    (("statics", 0, "facts", 0), ["wt2"], "the static predicate Site is not well formed"),
    (("statics", 0, "facts", 0, 2), "3", "the static predicate Site is not well formed"),
    (("static_rules", 0, "predicate"), "Hot", "a static rule for Hot does not fit"),
    (("static_rules", 0, "answer", 0, "name"), "Z", "a static rule for Near does not fit"),
    (("static_rules", 0, "literals", 0, "arguments"), [], "a static rule for Near does not fit"),
    (("static_rules", 0, "literals", 0, "negated"), True, "a static rule for Near does not fit"),
    (("static_rules", 0, "literals", 1, "operator"), "~", "a static rule for Near does not fit"),
    (("relations", 0, "answer", "types"), [None], "Hot lacks a type for some of its variables"),
    (("relations", 0, "answer", "variables", 1), "X", "Hot lacks a type for some of its variables"),
    ((*_PATTERN, "answer"), [], "a pattern of Hot does not fit"),
    ((*_PATTERN, "answer", 0, "name"), "Z", "a pattern of Hot does not fit"),
    ((*_PATTERN, "time", "variable"), "X", "a pattern of Hot does not fit"),
    ((*_PATTERN, "time", "offset"), 10**30, "a pattern of Hot does not fit"),
    ((*_PATTERN, "literals", 0, "predicate"), "Site", "a pattern of Hot does not fit"),
    ((*_PATTERN, "literals", 0, "arguments"), [], "a pattern of Hot does not fit"),
    ((*_PATTERN, "literals", 0, "time", "offset"), 3, "its bounds are not those of its patterns"),
    ((*_PATTERN, "literals", 3, "predicate"), "Near", "a pattern of Hot does not fit"),
    ((*_PATTERN, "literals", 5, "operator"), "or", "a pattern of Hot does not fit"),
    (("relations", 0, "bounds", "window"), 99, "its bounds are not those of its patterns"),
    (("relations", 0, "level", "component"), 7, "its bounds are not those of its patterns"),
    (("relations", 1, "bounds", "asked_by"), [], "its bounds are not those of its patterns"),
    (("key", "positions"), [], "its bounds are not those of its patterns"),
]


@pytest.mark.parametrize(("path", "value", "why"), WRONG)
def test_what_the_compiler_cannot_have_made_is_told(path: Path_, value: Any, why: str) -> None:
    document = json.loads(to_json(antelog.parse(RULES).plan))
    found = document["plan"]
    for key in path[:-1]:
        found = found[key]
    assert found[path[-1]] != value
    found[path[-1]] = value
    plan = from_json(json.dumps(document))
    with pytest.raises(PlanError, match=f"not a plan that antelog wrote: .*{why}"):
        check(plan)


def test_a_negation_of_itself_is_told() -> None:
    text = to_json(
        antelog.parse("input P(x, time). Q(X, T+1) :- P(X, T+1), not Q(X, T). query Q(X, T).").plan
    )
    check(from_json(text))
    document = json.loads(text)
    (pattern,) = document["plan"]["relations"][0]["patterns"]
    (negated,) = (each for each in pattern["literals"] if each["type"] == "Negation")
    negated["time"] = pattern["time"]
    with pytest.raises(PlanError, match="rests on its own negation"):
        check(from_json(json.dumps(document)))
