"""A time as a column of an answer, and the ticks between two times: in all that shows an answer."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antelog as library
from antelog import draw
from antelog.language.durations import ticks_in_words
from antelog.language.moments import Timescale
from antelog.watch.alerts.alert import queries_of
from antelog.watch.alerts.letters import ChangeTexts
from antelog.watch.board.board import Board
from tests.cases_of_open_ends import cases_of_open_ends
from tests.cli.trying import antelog
from tests.engine.replay import compare
from tests.lines import Fact, lines_of
from tests.random_literals import with_times_in_heads
from tests.strategies import Case
from tests.two_times import cases_with_two_times
from tests.watch.lines import head

FIXED = (
    'tick 1 minute. zone "Europe/Berlin".\n'
    "input Alarm(device, time) delay 2.\n"
    "input Ack(device, who, time) delay 2.\n"
    "Fixed(U, X, D, T) :- Alarm(X, T), Ack(X, _, U), U > T, U <= T + 9 minutes, D = U - T.\n"
    'query Fixed(U, X, D, T) warning "{X} was fixed at {U}, after {D}".\n'
)
TEN = 29714880
"""Ten o'clock of a day in July, in minutes."""
FACTS: list[Fact] = [("Alarm", ("wt2", TEN), TEN), ("Ack", ("wt2", "ann", TEN + 9), TEN + 9)]
WORDS = "wt2 was fixed at 2026-07-01 10:09+02:00, after 9 minutes"


@st.composite
def cases(draw: st.DrawFn) -> Case:
    case = draw(cases_with_two_times() | cases_of_open_ends())
    return replace(case, text=with_times_in_heads(draw, case.text))


@given(cases())
def test_the_engine_tells_what_the_specification_tells(case: Case) -> None:
    compare(case)


def confirmed() -> Any:
    (line,) = (each for each in lines_of(FIXED, FACTS, TEN + 20) if each["change"] == "confirmed")
    return line


def test_lines_have_ticks_and_beside_them_times() -> None:
    first, line = lines_of(FIXED, FACTS, TEN + 20)[0], confirmed()
    assert (first["answer"]["U"], first["times"]["U"], first["answer"]["D"]) == (None,) * 3
    assert line["answer"] == {"U": TEN + 9, "X": "wt2", "D": 9, "T": TEN}
    assert line["times"] == {"U": "2026-07-01T10:09:00+02:00", "T": "2026-07-01T10:00:00+02:00"}
    assert (first["text"], line["text"]) == ("wt2 was fixed at ?, after ?", WORDS)


def test_tables_have_whole_numbers_and_beside_times_a_column_of_timestamps() -> None:
    engine = library.Engine(library.parse(FIXED))
    rows = {name: [values for each, values, _ in FACTS if each == name] for name in ("Alarm", "Ack")}
    table = engine.advance(TEN + 20, rows)["Fixed"]
    names = table.column_names[table.column_names.index("change") + 1 :]
    assert names[:6] == ["U", "U_time", "X", "D", "T", "T_time"]
    stamp = pa.timestamp("us", "Europe/Berlin")
    assert [table.schema.field(name).type for name in ("U", "U_time", "D")] == [pa.int64(), stamp, pa.int64()]
    row = next(each for each in table.to_pylist() if each["change"] == "confirmed")
    assert row["U_time"] == datetime(2026, 7, 1, 8, 9, tzinfo=UTC)
    label = library.show({"Fixed": table}, program=library.parse(FIXED))._repr_html_()
    assert "Fixed(2026-07-01 10:09+02:00, wt2, 9 minutes, 2026-07-01 10:00+02:00)" in label
    history = draw({"Fixed": table}, program=library.parse(FIXED))._repr_mimebundle_()
    assert "9 minutes" in json.dumps(history, ensure_ascii=False)


def test_the_page_and_alerts_have_times_and_durations() -> None:
    board, line = Board(), confirmed()
    board.take([head(program=FIXED), *lines_of(FIXED, FACTS, TEN + 20)])
    labels = [board.head.label(each) for each in board.decided.values()]
    assert "Fixed(2026-07-01 10:09+02:00, wt2, 9 minutes, 2026-07-01 10:00+02:00)" in labels
    assert {board.head.key_of(each) for each in board.decided.values()} == {"wt2"}
    plan = library.parse(FIXED).plan
    words = ChangeTexts({each.name: each for each in queries_of(plan, chances=False)}, plan.timescale)
    assert [words.of(line, "")[name] for name in "UD"] == ["2026-07-01 10:09+02:00", "9 minutes"]


def test_commands_have_times_and_durations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fixed.alog").write_text(FIXED, encoding="utf-8")
    Path("new.alog").write_text(FIXED.replace("9 minutes,", "8 minutes,"), encoding="utf-8")
    Path("Alarm.csv").write_text("device,time\nwt2,2026-07-01 10:00\n", encoding="utf-8")
    Path("Ack.csv").write_text("device,who,time\nwt2,ann,2026-07-01 10:09\n", encoding="utf-8")
    given_files = ("--input", "Alarm=Alarm.csv", "--input", "Ack=Ack.csv")
    listed = antelog("try", "fixed.alog", *given_files, "--format", "table").stdout
    assert "  confirmed  wt2 was fixed at 10:09, after 9 minutes   Fixed  T = 10:00\n" in listed
    assert "○ Ack(wt2, V1, U) where U > 10:00, U <= 10:09, D = U - 10:00" in listed
    why = antelog("why", "fixed.alog", "Fixed(U, _, D, 2026-07-01 10:00)", *given_files).stdout
    assert why.startswith("Fixed(2026-07-01 10:09+02:00, _, 9, 2026-07-01 10:00+02:00) is confirmed since")
    assert "this is for U = 2026-07-01 10:09+02:00, D = 9; give U, D a value" in why
    assert (
        "Fixed(2026-07-01 10:09+02:00, wt2, 9 minutes, 2026-07-01 10:00+02:00)"
        in antelog("diff", "fixed.alog", "new.alog", *given_files).stdout
    )
    case = "cases:\n- name: fixed\n  facts:\n  - Alarm(wt2, 2026-07-01 10:00)\n  - Ack(wt2, ann, {} 10:09)\n"
    Path("fixed.test.yaml").write_text(case.format("2026-07-01"), encoding="utf-8")
    assert antelog("test", "--record").exit_code == 0
    recorded = Path("fixed.test.yaml").read_text(encoding="utf-8")
    assert "- Fixed(2026-07-01 10:09+02:00, wt2, 9, 2026-07-01 10:00+02:00)" in recorded
    assert antelog("test").exit_code == 0


CHANCE = (
    "input Alarm(device: text, time). input Ack(device: text, time). input Good(device: text, time).\n"
    "chance Alarm(_, _) = 10%. chance Ack(_, _) = 50%. chance Good(_, _) = 30%.\n"
    "Fixed(X, U, T) :- Alarm(X, T), Ack(X, U), Good(X, T+4), U > T, U <= T+2. query Fixed(X, U, T).\n"
)


def test_chances_are_of_the_answer_with_this_time() -> None:
    engine = library.Engine(library.parse(CHANCE))
    table = engine.advance(3, {"Alarm": [("a", 1), ("b", 1)], "Ack": [("a", 2), ("b", 3)]})["Fixed"]
    rows = [each for each in table.to_pylist() if each["change"] == "possible"]
    found = {(each["X"], each["U"]): each["chance"] and round(each["chance"], 9) for each in rows}
    assert found == {("a", None): None, ("b", None): None, ("a", 2): 0.3, ("b", 3): 0.3}


def test_a_column_may_have_a_time_that_is_shifted() -> None:
    rules = "input A(x, time). Due(X, T+5, D, T) :- A(X, T), D = T - 2. query Due(X, U, D, T)."
    assert [each["answer"] for each in lines_of(rules, [("A", ("a", 1), 1), ("A", ("a", 3), 3)], 3)] == [
        {"X": "a", "U": 8, "D": 1, "T": 3}  # at 1 there is none: D would be before tick 0
    ]


PAIRS = (
    "tick 1 minute. input Open(door, time). input Shut(door, time) delay 1. input Alarm(door, time).\n"
    "Pass(X, U, T) :- Open(X, U), Shut(X, T), T > U, T <= U+9, not Shut(X, U+1..T-1).\n"
    "Within(X, U, R, D, T) :- Pass(X, U, R), Alarm(X, T), U < T, T < R, D = R - U.\n"
    "Quiet(X, U, T) :- Open(X, U), Alarm(X, T), T > U, T <= U+9, not Pass(X, U, U..T).\n"
    "query Within(X, U, R, D, T). query Quiet(X, U, T).\n"
)
PASSES: list[Fact] = [
    *[("Open", ("in", TEN), TEN), ("Alarm", ("in", TEN + 2), TEN + 2), ("Shut", ("in", TEN + 5), TEN + 5)],
    ("Alarm", ("in", TEN + 7), TEN + 7),
]


def test_another_rule_has_the_begin_and_the_end_of_a_pair() -> None:
    lines = [each for each in lines_of(PAIRS, PASSES, TEN + 9) if each["change"] == "confirmed"]
    (within,) = (each for each in lines if each["query"] == "Within")
    assert within["answer"] == {"X": "in", "U": TEN, "R": TEN + 5, "D": 5, "T": TEN + 2}
    assert within["times"]["R"] == "2026-07-01T08:05:00+00:00"
    assert [each["answer"]["T"] - TEN for each in lines if each["query"] == "Quiet"] == [2]


def test_a_time_that_is_asked_for_is_an_argument_of_its_literal() -> None:
    engine = library.Engine(library.parse(PAIRS), literals="structs")
    table = engine.advance(TEN + 2, {"Open": [("in", TEN)], "Alarm": [("in", TEN + 2)]})["Quiet"]
    (explanation,) = table.to_pylist()[-1]["explanations"]
    asked = next(each for each in explanation["hypotheses"] if each["predicate"] == "Pass")
    assert asked["arguments"] == ["in", str(TEN)]


def test_why_a_pair_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("doors.alog").write_text(PAIRS, encoding="utf-8")
    for name in ("Open", "Shut", "Alarm"):
        rows = "".join(f"{door},{time}\n" for each, (door, time), _ in PASSES if each == name)
        Path(f"{name}.csv").write_text(f"door,time\n{rows}", encoding="utf-8")
    given_files = [part for name in ("Open", "Shut", "Alarm") for part in ("--input", f"{name}={name}.csv")]
    ticks = ("--time-unit", "ticks")
    found = antelog("why", "doors.alog", f"Quiet(in, {TEN}, {TEN + 7})", *given_files, *ticks).stdout
    assert f"✗ not Pass(in, {TEN}, 2026-07-01 08:00..2026-07-01 08:07)   it is so" in found
    assert "Pass(in, 2026-07-01 08:00, 2026-07-01 08:05) is confirmed" in found


def test_durations_in_words() -> None:
    texts = [ticks_in_words(each, "duration", Timescale(60_000_000)) for each in (0, -1, 1500)]
    assert (texts, ticks_in_words(-1, "duration", None)) == (["0 minutes", "-1 minute", "25 hours"], "-1")
