"""antelog/pictures/{clock,history,reading}.py: answers are put together from changes, whatever their form."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import antelog
from antelog.errors import DataError
from antelog.language.moments import Timescale
from antelog.lines import literal_of
from antelog.pictures.history import Answer, History, changes_in, history, of_table
from antelog.pictures.rows import clock
from tests.cli.trying import LOG, PROGRAM

ROWS = [json.loads(line) for line in LOG]
FACTS = [("wt2", "high", 0, 0), ("wt4", "high", 1, 1), ("wt2", "high", 1, 2)]


def engine_of(facts: list[tuple[Any, ...]], until: int) -> tuple[antelog.Engine, list[dict[str, Any]]]:
    engine = antelog.Engine(antelog.parse(PROGRAM))
    frame = pd.DataFrame(facts, columns=["device", "level", "time", "arrival"])
    return engine, [
        engine.advance(tick, {"Temp": frame[frame["arrival"] == tick]}) for tick in range(until + 1)
    ]


def found(source: Any, now: int | None = None) -> History:
    return history(changes_in(source), now)


def by_label(shown: History) -> dict[str, Answer]:
    return {answer.label: answer for answer in shown.answers}


# ---- from changes to answers ----


def test_an_answer_from_evidence_to_decision() -> None:
    answer = by_label(found(ROWS))["Malf(wt2, 0)"]
    assert (answer.since, answer.until, answer.outcome) == (0, 2, "confirmed")
    evidence = {literal.text(str): tick for literal, tick in answer.evidence.items()}
    assert evidence == {"Temp(wt2, high, 0)": 0, "Temp(wt2, high, 1)": 2}
    assert answer.missing == ()


def test_a_rejected_answer_says_why() -> None:
    answer = by_label(found(ROWS))["Malf(wt4, 1)"]
    assert (answer.since, answer.until, answer.outcome) == (1, 3, "rejected")
    assert tuple(answer.change.because) == (literal_of("Temp(wt4, high, 2)"),)


def test_a_closed_answer_ends() -> None:
    closed = {**ROWS[1], "tick": 2, "change": "closed", "if_silent": None, "decided_by": None}
    answer = by_label(found([ROWS[1], closed], 9))["Malf(wt4, 1)"]
    assert (answer.since, answer.until, answer.outcome) == (1, 2, "closed")


def test_answers_with_the_same_words_have_the_values_by_which_they_differ() -> None:
    rows = [{**row, "text": f"{row['answer']['X']} is hot"} for row in ROWS]
    times = {row["answer"]["T"] for row in rows if row["answer"]["X"] == "wt2"}
    shown = by_label(found(rows).with_distinct_words())
    assert {f"wt2 is hot, T = {each}" for each in times} <= shown.keys()
    alone = by_label(found(rows[:1]).with_distinct_words())
    assert list(alone) == ["wt2 is hot"]


def test_an_open_answer_lasts_until_now() -> None:
    _, log = engine_of(FACTS, 1)
    answer = by_label(found(log, 1))["Malf(wt4, 1)"]
    assert (answer.outcome, answer.until, answer.change.decided_by) == ("open", 1, 3)
    assert answer.missing == (literal_of("Temp(wt4, high, 2)"),)
    assert answer.change.silent == {"change": "rejected", "tick": 3}
    assert by_label(found(log, 2))["Malf(wt4, 1)"].until == 2


def test_answers_stand_in_the_order_of_queries_and_beginnings() -> None:
    rows = [
        {"tick": tick, "change": "possible", "query": query, "answer": {"X": x}, "explanations": []}
        for tick, query, x in [(0, "B", "b"), (1, "A", "a"), (2, "B", "a")]
    ]
    assert [answer.label for answer in found(rows).answers] == ["B(b)", "B(a)", "A(a)"]


def test_an_answer_that_comes_up_again_is_another_one() -> None:
    change = {"query": "A", "answer": {"X": "a"}, "explanations": []}
    rows = [
        {"tick": 0, "change": "possible", **change},
        {"tick": 1, "change": "rejected", **change},
        {"tick": 4, "change": "possible", **change},
    ]
    (answer,) = found(rows).answers
    assert (answer.since, answer.outcome) == (4, "open")


# ---- forms of changes ----


def test_all_forms_give_the_same(tmp_path: Path) -> None:
    _, log = engine_of(FACTS, 4)
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(LOG), encoding="utf-8")
    tables = [table for changes in log for table in changes.values()]
    frames = [{"Malf": table.to_pandas()} for table in tables]
    as_pipelines_write = [{**row, "answer": json.dumps(row["answer"])} for row in ROWS]
    for source in (log, path, str(path), frames, as_pipelines_write):
        assert found(source, 4) == found(ROWS, 4)
    alone = found(tables, 4)
    assert [answer.values for answer in alone.answers] == [answer.values for answer in found(ROWS).answers]


def test_values_are_written_as_the_language_has_them() -> None:
    values = {"A": "high", "B": "n/a", "C": None, "D": 91.0, "E": True}
    row = {"tick": 0, "change": "possible", "query": "Q", "answer": values, "explanations": []}
    (answer,) = found([row]).answers
    assert answer.label == 'Q(high, "n/a", _, 91, true)'


CALM = """input Alarm(x, time) delay 1.
    Calm(X, T) :- not Alarm(X, T). query Calm(X, T)."""


def test_all_others_are_no_open_variable() -> None:
    line = {"tick": 0, "change": "possible", "query": "Calm", "answer": {"X": None, "T": 0}}
    open_, others = found([line, {**line, "others": ["X"]}]).answers
    assert open_.label == "Calm(_, 0)"
    assert others.label == "Calm(all others, 0)"


@pytest.mark.parametrize(("facts", "seen"), [(["wt2"], ("wt2",)), (["wt2", 3], ("3", "wt2"))])
def test_all_others_of_an_engine(facts: list[str | int], seen: tuple[str, ...]) -> None:
    """Also where the values are of several kinds, and so written as texts."""
    engine = antelog.Engine(antelog.parse(CALM))
    engine.advance(0, {"Alarm": [(value, 0) for value in facts]})
    reported = {each.label: each for each in found(engine.advance(1), 0).answers}
    assert reported.keys() == {f"Calm({name}, {t})" for name in ("all others", *seen) for t in (0, 1)} - {
        f"Calm({name}, 0)" for name in seen
    }
    assert {reported[f"Calm({name}, 1)"].outcome for name in seen} == {"open"}


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"tick": 1}', LOG[0].replace("possible", "maybe")])
def test_a_line_that_is_no_change(line: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{LOG[0]}\n\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"log\.jsonl:3: is not a change"):
        found(path)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        *((each, "cannot be drawn; give") for each in (3, [3], {"Malf": 3})),
        (pd.DataFrame({"device": [1]}), "a table with the columns device has no changes"),
        ("nowhere/log.jsonl", "cannot be read: No such file"),
    ],
)
def test_what_cannot_be_drawn(source: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        found(source)


# ---- what is shown of it ----


def test_filters() -> None:
    shown = found(ROWS)
    assert {a.label for a in shown.only(["Malf"], {"X": "wt4"}).answers} == {
        a.label for a in shown.answers if a.values["X"] == "wt4"
    }
    with pytest.raises(DataError, match=r"no answer has the query Mal\. Did you mean Malf\?"):
        shown.only(["Mal"], {})
    with pytest.raises(DataError, match=r"no answer has the variable Y\. The variables are X, T\."):
        shown.only([], {"Y": "wt2"})


def test_an_engine_knows_when_its_facts_were_not_when_they_came() -> None:
    engine, _ = engine_of(FACTS, 1)
    table = engine.answers("Malf")
    shown = by_label(history(of_table(table, "Malf"), engine.now).by_time())
    assert shown["Malf(wt2, 0)"].since == 0
    assert shown["Malf(wt2, 0)"].evidence == {literal_of("Temp(wt2, high, 0)"): 0}


def test_timestamps_where_ticks_have_a_length() -> None:
    minute = 60_000_000
    start = 1_704_067_200 // 60  # 2024-01-01 00:00
    assert clock(None, start, start).text(start) == str(start)
    assert clock(Timescale(minute), 3, 9).title == "tick (1 minute each)"
    one_day, two_days = (
        clock(Timescale(minute), start, start + 60),
        clock(Timescale(minute), start, start + 2000),
    )
    assert (one_day.text(start + 61), one_day.title) == ("01:01", "2024-01-01, UTC, a tick is 1 minute")
    assert two_days.text(start + 61) == "2024-01-01 01:01"
    assert two_days.title == "2024-01-01 to 2024-01-02, UTC, a tick is 1 minute"
    assert one_day.axis_value(start) == 1_704_067_200_000
    assert one_day.text(start + 24 * 60) == "2024-01-02 00:00", "a deadline on the day after the last change"
    assert clock(Timescale(7 * 24 * 60 * minute), 2827, 2830).text(2827) == "2024-03-04"
    assert not clock(Timescale(minute), start, 2**60).stamps, "after the last year that can be written"


# ---- chances ----


def line_of(tick: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"tick": tick, "change": kind, "query": "Malf", "answer": {"X": "a"}, "explanations": [], **more}


def test_chances_are_kept_by_the_tick_at_which_they_were_said() -> None:
    log = [
        line_of(0, "possible", chance=0.4),
        line_of(2, "likely", chance=0.8),
        line_of(3, "revised", chance=None),
        line_of(4, "confirmed"),
    ]
    (answer,) = found(log).answers
    assert (answer.outcome, answer.chances) == ("confirmed", {0: 0.4, 2: 0.8})
    assert answer.chance == 0.8


def test_columns_of_chances_are_no_variables() -> None:
    engine = antelog.Engine(antelog.parse(PROGRAM), model="learn")
    log = engine.advance(1, {"Temp": [("wt2", "high", 0)]})
    assert [answer.label for answer in found(log).answers] == ["Malf(wt2, 0)"]
