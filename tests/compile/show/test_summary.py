"""antelog/compile/show/{summary,explain}.py: what is said of a program before any fact has come."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import create_autospec

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import antelog
from antelog.cli.main import main
from antelog.compile import compile_program, from_json, to_json
from antelog.compile.comparisons import Times
from antelog.compile.plan.bounds import DelayTable
from antelog.compile.show import explain
from antelog.compile.show.summary import Summary, first_facts, summaries, work_text
from antelog.diagnostics import Source
from antelog.language import read
from tests.compile.plans import plan_of, possible_plan
from tests.few_literals import programs
from tests.odds import with_odds
from tests.recorded import FOLDER
from tests.tables import cases

MALF = "Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2). query Malf(X, T)."


def summary_of(text: str) -> Summary:
    return next(summaries(plan_of(text)))


@pytest.mark.parametrize(
    ("delay", "open_when", "decided", "memory"),
    [
        (0, "Temp(X, high, T) arrives", "by T+2: it may need the Temp for T+2", 3),
        (1, "Temp(X, high, T) arrives", ": the Temp for T+2 may come 1 tick late", 4),
        (2, "Temp(X, high, T) or Temp(X, high, T+1) arrives", ": the Temp for T+2 may come 2 ticks late", 5),
    ],
)
def test_a_query_in_three_lines(delay: int, open_when: str, decided: str, memory: int) -> None:
    found = summary_of(f"input Temp(device, level, time) delay {delay}. {MALF}")
    assert found.query == "Malf(X, T)"
    assert found.open == f"when {open_when}"
    assert found.decided.startswith(f"by T+{2 + delay}: ")
    assert found.decided.endswith(decided)
    assert found.memory == f"facts about the last {memory} ticks; older ones are forgotten"


@pytest.mark.parametrize("delay", range(4))
def test_the_engine_tells_an_answer_for_just_these_facts(delay: int) -> None:
    text = f"input Temp(device, level, time) delay {delay}. {MALF}"
    plan = plan_of(text)
    (pattern,) = next(plan.queries).patterns
    first = {a.time.offset for (a,) in first_facts(pattern, {"Temp": DelayTable(plan.inputs[0])})}
    engine = antelog.Engine(antelog.parse(text))
    engine.advance(9, {})
    reported = engine.advance(10, {"Temp": [("a", "high", 10)]})["Malf"].to_pylist()
    assert {10 - line["T"] for line in reported} == first


def test_of_hundreds_of_facts_few_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = "P(X, T) :- A(X, T). P(X, T) :- Q(X, T), P(X, T-1). query P(X, T) window 60."
    plan = plan_of(f"input A(x, time). input Q(x, time). {rules}")
    longest = max(next(plan.queries).patterns, key=lambda pattern: len(pattern.facts))
    furthest = create_autospec(Times.furthest, side_effect=Times.furthest)
    monkeypatch.setattr(Times, "furthest", furthest)
    assert len(longest.facts) == 61
    delays = {source.name: DelayTable(source) for source in plan.inputs}
    assert len(list(first_facts(longest, delays))) == 1
    assert furthest.call_count < 10 * 61


@cases(__file__, "open")
def test_when_answers_open(rules: str, open_when: str) -> None:
    assert summary_of(f"input A(x, time). input B(x, time). {rules}").open == open_when


@cases(__file__, "decided")
def test_when_answers_are_decided(rules: str, decided: str) -> None:
    assert decided in summary_of(f"input A(x, time). input B(x, time) delay 2. {rules}").decided


@cases(__file__, "memory")
def test_memory(rules: str, memory: str) -> None:
    assert summary_of(rules).memory.startswith(memory)


def test_durations_where_a_tick_has_a_length() -> None:
    found = summary_of(f"tick 10 minutes. input Temp(device, level, time) delay 1 day. {MALF}")
    assert "by T+146 (1 day 20 minutes later): " in found.decided
    assert "the last 147 ticks (1 day 30 minutes)" in found.memory


def test_by_what_the_work_is_divided() -> None:
    rules = "Q(X, T) :- Open(X, T), Close(X, T). query Q(X, T)."
    plan = plan_of(f"input Open(door, time). input Close(door, time). {rules}")
    assert work_text(plan).startswith("divided by door (of Open and Close): ")
    both = work_text(plan_of("Both(X, Y, T) :- A(X, T), A(Y, T), X < Y. query Both(X, Y, T)."))
    assert both.startswith(
        "not divided, so it runs on one core: no argument of Both can be the key: A(X, T) and"
    )


PLAN = antelog.parse(
    """
    input  Temp(device, level, time) delay 2 (70%, 20.5%, 9.5%).
    chance Temp(_, high, _) = 5%, again 80%.
    chance Temp(wt4, "High", _) = 0.5%.
    delay  Temp(wt4, _, _) = 1 (60%, 30%).
    Malf(X, T) :- Temp(X, high, T).
    query Malf(X, T) alert 80% many "{n} stop".
    """
).plan


def test_lines() -> None:
    assert list(explain.odds_lines(PLAN.inputs[0])) == [
        "Temp(_, high, _): 5 in 100 ticks after one without have one, 80 in 100 after one with",
        'Temp(wt4, "High", _): 0.5 in 100 ticks have one, whether or not the tick before has',
        "Temp(_, _, _): of 100 facts 70 come in time, 20.5 come 1 tick late, 9.5 come 2 ticks late",
        "Temp(wt4, _, _): of 100 facts 60 come in time, 30 come 1 tick late, 10 never come",
    ]


def test_they_are_explained() -> None:
    more = ("alert: an open answer with a chance of 80% or more", 'many: "{n} stop"')
    for line in [*explain.odds_lines(PLAN.inputs[0]), *more]:
        assert f"  {line}\n" in explain.explain(PLAN)
        assert line.replace('"', "&quot;") in explain.plan_html(PLAN)


@given(programs().filter(lambda text: read(Source(text)).ok), st.data())
def test_they_go_through_json(text: str, data: st.DataObject) -> None:
    plan = possible_plan(read(Source(data.draw(with_odds(text)))))
    assert from_json(to_json(plan)) == plan


GOLDEN = Path(__file__).resolve().parents[2] / "golden"
PROGRAMS = {path.parent.name: path for path in FOLDER.glob("*/program.alog")} | {
    path.stem: path for path in (GOLDEN / "papers").glob("*.alog")
}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_check_prints_what_is_recorded(name: str, record: bool) -> None:
    result = CliRunner().invoke(main, ["check", str(PROGRAMS[name])])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    text = result.output.replace(str(PROGRAMS[name]), PROGRAMS[name].name)
    golden = GOLDEN / "plans" / f"{name}.txt"
    if record:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_nothing_is_left_over() -> None:
    assert {path.stem for path in (GOLDEN / "plans").glob("*.txt")} == PROGRAMS.keys()


def test_recursion_needs_a_window() -> None:
    def codes(name: str) -> set[str]:
        source = Source(PROGRAMS[name].read_text(encoding="utf-8"))
        return {diagnostic.code for diagnostic in compile_program(read(source)).diagnostics}

    assert codes("aaai20-example-7") == {"E601"}
    assert codes("aaai20-example-7-window") == set()


# ---- line by line ----


BACKED = plan_of("""input A(x: text, time) delay 2. static S(x). S(a). S(b).
    P(X, T) :- A(X, T), S(X), not B(X, T). P(c, 5) :- A(c, 5). B(X, T) :- A(X, T+1). query P(X, T).""")


def test_the_whole_ends_with_the_key() -> None:
    lines = explain.explain(BACKED).splitlines()
    assert lines[1].startswith("  open     when ")
    assert lines[-1] == explain.key_text(BACKED)
    assert explain.plan_text(BACKED).splitlines() == lines


def test_a_row_for_each_relation_with_what_explain_says() -> None:
    rules = 'Q(X, T) :- A(X, T), not B(X, T), X != "<b>". B(X, T) :- A(X, T+1).'
    html = explain.plan_html(plan_of(f"input A(x, time) delay 2. {rules} query Q(X, T)."))
    assert html.count("<tr>") == 1 + 1 + 1 + 2
    assert "decided by T+" in html
    assert html.index("when A(X, T") < html.index("<details>") < html.index("window")
    assert "&lt;b&gt;" in html


def test_facts_of_the_background_that_rules_derive_are_counted() -> None:
    assert (
        list(explain.source_lines(BACKED, {"S": 3}))[1]
        == "static S(x: text), 2 facts in the program, 1 derived"
    )


def test_what_is_kept_for_ever_is_said() -> None:
    plan = plan_of("""input A(x: text, time). input R(x: text, time) delay 1.
        Old(X, T) :- A(X, T), not R(X, 0..T-1). query Old(X, T).""")
    lines = [*explain.bounds_lines(plan, plan.relation("Old"))]
    assert "state: no bound; all there is of R is kept for ever" in lines


def test_another_version_is_refused() -> None:
    document = json.loads(to_json(BACKED)) | {"version": 0}
    with pytest.raises(antelog.PlanError, match="version 0"):
        from_json(json.dumps(document))


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda _: "",
        lambda _: "[]",
        lambda text: text.replace('"delay":2', '"delay":"none"', 1),
        lambda text: text.replace('"type":"Atom"', '"type":"Bomb"', 1),
        lambda text: text.replace('"relations"', '"relation"', 1),
    ],
)
def test_what_is_no_plan_is_refused(damage: object) -> None:
    assert callable(damage)
    with pytest.raises(antelog.PlanError, match="not a plan that antelog wrote"):
        from_json(damage(to_json(BACKED)))
