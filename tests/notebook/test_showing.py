"""antelog/notebook: programs, plans, changes and answers, and the cell magic."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

import antelog
from antelog.compile.show.explain import plan_html, plan_text
from antelog.notebook import Problems
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.theme import BOTH
from tests.broken_lines import HOSTILE
from tests.cli.trying import PROGRAM, TURBINES

WRONG = "Malf(X, T) :- Temp(X, high, T) and Temp(X, hot, T).\nquery Alarm(X, T).\n"
ODD = PROGRAM.replace("query Malf(X, T).", "query Malf(X, T) window 3.")


@pytest.fixture(scope="module")
def notebook() -> Iterator[InteractiveShell]:
    shell = InteractiveShell.instance()
    assert shell.display_formatter
    shell.display_formatter.active_types = shell.display_formatter.format_types
    shell.run_line_magic("load_ext", "antelog")
    yield shell
    shell.run_line_magic("unload_ext", "antelog")
    InteractiveShell.clear_instance()


@pytest.fixture
def engine() -> antelog.Engine:
    found = antelog.Engine(antelog.parse(PROGRAM))
    found.advance(1, {"Temp": [("wt2", "high", 0), ("<b>", "high", 1)]})
    return found


def displayed(notebook: InteractiveShell, what: Any) -> str | None:
    assert notebook.display_formatter
    bundle, _ = notebook.display_formatter.format(what)
    text: str | None = bundle.get("text/html")
    return text


def test_a_program_has_its_rules_and_its_plan() -> None:
    program = antelog.load(TURBINES)
    html = program._repr_html_()
    assert '<span class="nf">Malf</span>' in html
    assert plan_html(program.plan) in html
    assert str(program) == plan_text(program.plan)


def test_a_plan_is_the_table_that_check_prints(notebook: InteractiveShell) -> None:
    program = antelog.load(TURBINES)
    html = displayed(notebook, program.plan)
    assert html is not None
    assert html == plan_html(program.plan)
    assert html.count("<tr>") == 1 + len(list(program.plan.queries)) + 1 + len(program.plan.relations)
    for text in (
        "Temp(X, high, T) or Temp(X, high, T+1) arrives",
        "query Malf for X, T",
        "delay: decided by T+4",
        "window: 5 ticks",
        "partition key",
        "delay 1",
    ):
        assert text in html


def test_plans_are_no_markup() -> None:
    program = antelog.parse('P(X, T) :- Q(X, "<b>", T).\nquery P(X, T).\n')
    assert "<b>&quot;" not in program._repr_html_()
    assert "&lt;b&gt;" in plan_html(program.plan)


def test_answers(engine: antelog.Engine) -> None:
    html = antelog.show(engine.answers("Malf"))._repr_html_()
    assert "●&nbsp;<code>Temp(wt2, high, 0)</code> ○&nbsp;<code>Temp(wt2, high, 1)</code>" in html
    assert "rejected at 2 if nothing comes<br>decided by 2" in html
    assert ">chance<" not in html
    assert "<b>&quot;" not in html
    assert "&lt;b&gt;" in html


def test_no_part_of_a_change_becomes_a_tag() -> None:
    """A log is a file, which may say anything."""
    for change in ("possible", "rejected"):
        html = antelog.show([HOSTILE | {"change": change}])._repr_html_()
        assert "<i>" not in html
        assert "\u202e" not in html
        assert html.count("&lt;i&gt;") >= 7


def test_changes_in_the_order_of_time(engine: antelog.Engine) -> None:
    found = [engine.advance(2), engine.advance(3)]
    html = antelog.show(found)._repr_html_()
    assert html.count("rejected</b>") == 2
    assert html.index('<td style="text-align:left;vertical-align:top">2') < html.index('top">3')
    assert "because ✗&nbsp;<code>Temp(wt2, high, 1)</code>" in html


def test_an_engine_shows_what_is_open(engine: antelog.Engine) -> None:
    html = antelog.show(engine)._repr_html_()
    assert "Malf(wt2, 0)" in html
    assert "open</b>" in html
    assert "revised" not in html


def test_times_are_those_of_the_zone() -> None:
    program = antelog.parse('tick 1 h. zone "Europe/Berlin". A(T) :- P(T). query A(T).')
    at = datetime(2024, 3, 1, 12, tzinfo=UTC)
    changes = antelog.Engine(program).advance(at, {"P": [(at,)]})
    for shown in (antelog.show(changes), antelog.show(changes, program=program)):
        assert "A(2024-03-01 13:00+01:00)" in shown._repr_html_()


def test_times_where_a_tick_has_a_length() -> None:
    program = antelog.parse(
        "tick 10 minutes.\ninput Temp(device, level, time) delay 1.\n"
        "Hot(X, T) :- Temp(X, high, T), Temp(X, high, T+1).\nquery Hot(X, T).\n"
    )
    engine = antelog.Engine(program)
    at = datetime(2024, 3, 1, 12, tzinfo=UTC)
    changes = engine.advance(round(at.timestamp()) // 600, {"Temp": [("wt1", "high", at)]})
    lines = change_lines(list(program.plan.queries), StepResult(0, changes), Style())
    reported = [changes, [json.loads(line) for line in lines.splitlines()]]
    for shown in (antelog.show(engine), antelog.show(changes, program=program), *map(antelog.show, reported)):
        html = shown._repr_html_()
        for text in (
            "Hot(wt1, 2024-03-01 12:00)",
            "○&nbsp;<code>Temp(wt1, high, 2024-03-01 12:10)</code>",
            "rejected at 2024-03-01 12:20 if nothing comes<br>decided by 2024-03-01 12:20",
        ):
            assert text in html


def test_long_tables_are_cut(engine: antelog.Engine) -> None:
    shown = antelog.show(engine, most=1)
    assert "and 1 more" in shown._repr_html_()
    assert repr(shown) == "<2 changes>"
    assert "nothing is open" in antelog.show([])._repr_html_()


def test_tables_of_answers_display_themselves(notebook: InteractiveShell, engine: antelog.Engine) -> None:
    for what in (engine, engine.answers("Malf"), {"Malf": engine.answers("Malf")}):
        assert "Malf(wt2, 0)" in (displayed(notebook, what) or "").replace("<code>(", "<code>Malf(")


@pytest.mark.parametrize(
    "other", [pa.table({"tick": [1]}), pa.table({}), {}, {"a": 1}, {"a": pa.table({"b": [1]})}]
)
def test_other_tables_are_displayed_as_ever(notebook: InteractiveShell, other: Any) -> None:
    assert displayed(notebook, other) is None


def test_a_cell_with_rules(notebook: InteractiveShell) -> None:
    assert notebook.run_cell_magic("antelog", "malf", PROGRAM) is None
    assert notebook.user_ns["malf"].plan == antelog.parse(PROGRAM).plan
    assert notebook.run_cell_magic("antelog", "", PROGRAM).plan == antelog.parse(PROGRAM).plan


def test_a_cell_with_mistakes(notebook: InteractiveShell) -> None:
    notebook.user_ns.pop("wrong", None)
    found = notebook.run_cell_magic("antelog", "wrong", WRONG)
    assert isinstance(found, Problems)
    assert "wrong" not in notebook.user_ns
    html = displayed(notebook, found) or ""
    assert "wrong:1:32: error E001 (syntax): `and` cannot stand here" in html
    assert html.count("<pre") == 2
    assert "E203" in repr(found)


def test_a_cell_with_an_oddity(notebook: InteractiveShell) -> None:
    found = notebook.run_cell_magic("antelog", "odd", ODD)
    assert "warning W106" in repr(found)
    assert isinstance(notebook.user_ns["odd"], antelog.Program)


def test_a_cell_whose_name_is_none(notebook: InteractiveShell) -> None:
    with pytest.raises(UsageError, match="`a-b` is not a name for a program; write %%antelog turbines"):
        notebook.run_cell_magic("antelog", "a-b", PROGRAM)


def test_all_others(notebook: InteractiveShell) -> None:
    engine = antelog.Engine(
        antelog.parse("input Hot(x, time) delay 1. Calm(X, T) :- not Hot(X, T). query Calm(X, T).")
    )
    engine.advance(0, {"Hot": [("<b>", 0)]})
    shown = displayed(notebook, antelog.show(engine))
    assert shown is not None
    assert "<code>Calm(all others, 0)</code>" in shown


def test_chances_have_bars_and_the_likeliest_answer_is_first() -> None:
    rules = PROGRAM + "chance Temp(_, high, _) = 10%, again 80%.\nchance Temp(b, high, _) = 10%, again 90%.\n"
    engine = antelog.Engine(antelog.parse(rules))
    log = engine.advance(0, {"Temp": [("a", "high", 0), ("b", "high", 0)]})
    for shown in (antelog.show(engine), antelog.show(log)):
        page = shown._repr_html_()
        assert page.index("Malf(b, 0)") < page.index("Malf(a, 0)")
        assert '<th style="text-align:left">chance</th>' in page
        assert "width:54px" in page
        assert "90&nbsp;%" in page


def test_words_stand_in_place_of_the_atom() -> None:
    query = 'query Malf(X, T) critical "turbine {X} is about to shut down".'
    engine = antelog.Engine(antelog.parse(PROGRAM.replace("query Malf(X, T).", query)))
    html = antelog.show(engine.advance(2, {"Temp": [("<b>", "high", 0), ("<b>", "high", 1)]}))._repr_html_()
    assert (
        '<span title="Malf(&quot;&lt;b&gt;&quot;, 0)">turbine &lt;b&gt; is about to shut down</span>' in html
    )
    assert f'<b style="color:{BOTH["critical"]}">confirmed</b>' in html


def test_closed_answers_are_shown(notebook: InteractiveShell, engine: antelog.Engine) -> None:
    other = antelog.parse(PROGRAM.replace("Temp(X, high, T+1)", "Temp(X, low, T+1)"))
    change = engine.change_rules(other, accept=True)
    assert change is not None
    rest = antelog.parse("input Temp(device, level, time). P(X, T) :- Temp(X, _, T). query P(X, T).")
    gone = engine.change_rules(rest, accept=True)
    assert gone is not None
    html = displayed(notebook, antelog.show(gone.closed))
    assert html is not None
    assert "closed" in html
