"""antelog/engine/step/wording.py: severities, words and timestamps, against a short specification."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given

import antelog
from antelog import Engine, ProgramError, parse
from antelog.compile.nodes.plan import Plan
from antelog.diagnostics import Source
from antelog.engine.step.wording import finished
from antelog.language import read, syntax
from antelog.language.printer import to_text
from tests.all_cases import ANY
from tests.engine.replay import run
from tests.engine.test_properties import compiled_of
from tests.specification.wording import filled
from tests.strategies import Case

RULES = """
input Temp(device, value, time) delay 2.
Malf(X, T) :- Temp(X, V, T), V >= 90, Temp(X, W, T+1), W >= 90.
Many(X, T) :- Temp(X, _, T), count(Temp(X, _, T-3..T)) >= 2.
query Malf(X, T){malf}.
query Many(X, T){many}.
"""
FACTS = {"Temp": [("wt2", 95, 0), ("wt2", 92.5, 1), ("{X}", 91, 1)]}


def lines(malf: str, many: str = "", tick: str = "") -> dict[str, list[dict[str, Any]]]:
    engine = antelog.Engine(antelog.parse(tick + RULES.format(malf=malf, many=many)))
    return {name: table.to_pylist() for name, table in engine.advance(6, FACTS).items()}


def test_lines_of_a_query_have_its_severity_and_words() -> None:
    found = lines(' critical "turbine {X} stops, {{{T}}} by {decided_by} at {chance}"')
    assert {line["severity"] for line in found["Malf"]} == {"critical"}
    first = found["Malf"][0]
    assert (first["change"], first["text"]) == ("possible", "turbine wt2 stops, {0} by 3 at ?")
    assert found["Malf"][-1]["change"] == "rejected"
    texts = {line["text"] for line in found["Malf"] if (line["X"], line["T"]) == ("{X}", 1)}
    # The value of a variable is no template.
    assert texts == {"turbine {X} stops, {1} by 4 at ?", "turbine {X} stops, {1} by ? at ?"}
    assert not {"severity", "text"} & found["Many"][0].keys()


def test_one_of_the_two_is_enough() -> None:
    found = lines(" good", ' alert 80% "{X}: {so_far} so far"')
    assert (found["Malf"][0]["severity"], found["Malf"][0]["text"]) == ("good", "Malf(wt2, 0)")
    assert (found["Many"][0]["severity"], found["Many"][0]["text"]) == ("warning", "wt2: 1 so far")


def test_long_values_are_cut() -> None:
    words, long = "{X} " * 1_000, "漢" * 100_000
    engine = antelog.Engine(antelog.parse(f'input A(x, time). P(X, T) :- A(X, T). query P(X, T) "{words}".'))
    (line,) = engine.advance(0, {"A": [(long, 0)]})["P"].to_pylist()
    assert line["text"] == ("漢" * 20 + "… ") * 1_000
    assert line["X"] == long


def test_an_open_variable_and_one_that_stands_for_all_others_are_unknown() -> None:
    text = 'input A(x, time). input B(x, time) delay 3. P(X, T) :- A(_, T), not B(X, T). query P(X, T) "{X}".'
    engine = antelog.Engine(antelog.parse(text))
    found = engine.advance(1, {"A": [("a", 0)], "B": [("b", 0)]})["P"].to_pylist()
    assert [(line["X"], line["text"]) for line in found if line["change"] == "possible"] == [(None, "?")]


def test_times_are_times() -> None:
    scale = 'tick 10 minutes. zone "Europe/Berlin".'
    program = antelog.parse(scale + RULES.format(malf=' "{T} to {decided_by}"', many=""))
    facts = {"Temp": [("wt2", 95, "2026-03-09T12:00:00Z")]}
    last = antelog.Engine(program).advance("2026-03-09T12:00:00Z", facts)["Malf"].to_pylist()[-1]
    assert last["text"] == "2026-03-09 13:00+01:00 to 2026-03-09 13:30+01:00"


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (pa.array([1.0, 2.5, None]), ["1", "2.5", "?"]),
        (pa.array([True, False]), ["true", "false"]),
        (pa.array(["a b", '"', None]), ["a b", '"', "?"]),
        (pa.array([2**60]), [str(2**60)]),
        (pa.nulls(2), ["?", "?"]),
    ],
)
def test_values_read_as_they_are(values: pa.Array, texts: list[str]) -> None:
    table = pa.table({"X": values, "T": pa.nulls(len(values), pa.int64())})
    assert finished(table, _plan(' "{X}"'), "Malf").column("text").to_pylist() == texts


def test_the_chance_is_in_hundredths() -> None:
    table = pa.table({"X": ["wt2"] * 3, "T": [0] * 3, "chance": [0.836, 0.9993, None]})
    found = finished(table, _plan(' "{chance}"'), "Malf").column("text").to_pylist()
    assert found == ["84 %", "99.9 %", "?"]


def test_a_state_goes_on_with_other_words() -> None:
    before, after = (
        antelog.parse(RULES.format(malf=words, many="")) for words in (' "a {X}"', ' good "b {X}"')
    )
    engine = antelog.Engine(before)
    engine.advance(0, {"Temp": [("wt2", 95, 0)]})
    engine = antelog.Engine.restore(engine.to_bytes(), after)
    assert set(engine.answers("Malf").column("text").to_pylist()) == {"b wt2"}


@pytest.mark.slow
@given(ANY)
def test_words_change_no_line_and_say_what_is_specified(case: Case) -> None:
    ticks = range(case.until + 1)
    worded = replace(case, text=_worded(case.text))
    plan = compiled_of(worded).plan
    words = {query.name: query.notice.words for query in plan.queries}
    times = {query.name: query.answer.names for query in plan.queries}
    found = run(worded, compiled_of(worded), ticks)
    for line in found:
        answer = {name: line[name] for name in times[line["query"]]}
        assert line.pop("severity") == "critical"
        assert line.pop("text") == filled(words[line["query"]] or "", answer, line)
    assert found == run(case, compiled_of(case), ticks)


def _worded(text: str) -> str:
    """The program with words that name each variable of a query, and what else words may name."""
    document = read(Source(text)).document
    return to_text(
        replace(
            document,
            statements=tuple(
                replace(each, severity="critical", words=syntax.Words(_all_names(each)))
                if isinstance(each, syntax.Query)
                else each
                for each in document.statements
            ),
        )
    )


def _all_names(query: syntax.Query) -> str:
    names = sorted(syntax.variables_of(query.atom.terms))
    return "; ".join(["{{braces}}", *(f"{{{name}}}" for name in (*names, "decided_by", "so_far", "chance"))])


def _plan(words: str) -> Plan:
    return antelog.parse(RULES.format(malf=words, many="")).plan


# ---- the timestamps beside ticks ----

TIMED = "input P(x, time) delay 3. A(X, T) :- P(X, T), P(X, T+1). query A(X, T)."
TIME = datetime(2026, 3, 30, 2, 50, tzinfo=UTC)
TICK = timedelta(minutes=10)


def test_each_column_of_ticks_has_one_of_times() -> None:
    engine = Engine(parse(f"tick 10 minutes. {TIMED}"))
    changes = engine.advance(TIME, {"P": [("a", TIME)]})["A"]
    names = (
        "tick time change X T T_time explanations if_silent if_silent_time decided_by decided_by_time because"
    )
    assert changes.column_names == names.split()
    assert changes.schema.field("T_time").type == pa.timestamp("us", "UTC")
    rows = [(row["time"], row["T_time"], row["if_silent_time"]) for row in changes.to_pylist()]
    assert rows == [(TIME, TIME - TICK, TIME + 2 * TICK), (TIME, TIME, TIME + 4 * TICK)]
    assert engine.answers("A").to_pylist()[0]["decided_by_time"] == TIME + 2 * TICK
    assert engine.answers("A").schema == changes.schema


def test_ticks_that_are_counted_from_0_have_no_times() -> None:
    engine = Engine(parse(f"tick 10 minutes. {TIMED}"))
    changes = engine.advance(1, {"P": [("a", 1)]})["A"]
    names = ("time", "T_time", "if_silent_time", "decided_by_time")
    assert {changes.column(name).null_count for name in names} == {changes.num_rows}
    plain = Engine(parse(TIMED)).advance(1, {"P": [("a", 1)]})["A"]
    assert changes.drop_columns(names) == plain


def test_no_variable_is_called_as_a_column_of_times() -> None:
    text = "A(T_time, T) :- P(T_time, T). query A(T_time, T)."
    parse(text)
    with pytest.raises(ProgramError, match="a column T_time: the timestamps of T"):
        parse(f"tick 1 minute. {text}")
