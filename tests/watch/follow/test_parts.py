"""antelog/watch/follow/{waiting,counting,output,state,telling}.py: what the follower is put together of."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

import antelog
from antelog import Engine
from antelog.errors import OutputError, StateError
from antelog.files import ARRIVAL, LINE, Reject
from antelog.forecast.columns import KINDS
from antelog.telling.json_lines import Style, change_lines
from antelog.telling.shown import Shown
from antelog.watch.feed.reader import FeedReader
from antelog.watch.feed.writer import FeedWriter
from antelog.watch.follow import telling
from antelog.watch.follow.counting import Count, Counts
from antelog.watch.follow.output import OutputFile
from antelog.watch.follow.state import Known, Marks, State, restored, save
from antelog.watch.follow.telling import About, Feed, with_kinds
from antelog.watch.follow.waiting import Waiting

PROGRAM = antelog.parse("input P(x, time) delay 2.\nQ(X, T) :- P(X, T), P(X, T+1).\nquery Q(X, T).")


def _rows(xs: list[object], times: list[int], arrivals: list[int]) -> pa.Table:
    return pa.table({"x": xs, "time": times, ARRIVAL: arrivals, LINE: range(2, len(xs) + 2)})


def _waiting() -> Waiting:
    waiting = Waiting()
    waiting.add("P", "a.csv", _rows(["a", "b", "c"], [1, 9, 1], [3, 9, 1]))
    waiting.add("P", "b.csv", _rows([1, 2], [1, 12], [2, 12]))
    return waiting


def test_rows_wait_until_they_arrive_and_come_in_that_order() -> None:
    for waiting in (_waiting(), Waiting.from_bytes(_waiting().to_bytes())):
        assert waiting.last == 12
        taken = waiting.taken(5)
        assert taken.facts["P"].column("x").to_pylist() == ["c", 1, "a"]
        assert taken.lines["P"].tolist() == [4, 2, 2]
        assert [taken.files["P"][i] for i in range(3)] == ["a.csv", "b.csv", "a.csv"]
        assert waiting.taken(5).facts == {}
        assert waiting.taken(12).facts["P"].column("x").to_pylist() == ["b", 2]
        assert waiting.last == -1


def test_what_the_engine_sets_aside_has_its_place() -> None:
    engine, waiting = Engine(PROGRAM, arrival=ARRIVAL), Waiting()
    waiting.add("P", "a.csv", _rows(["a", "b"], [9, 9], [9, 9]))
    waiting.add("P", "b.csv", _rows(["c", "d"], [9, 1], [9, 9]))
    taken = waiting.taken(9)
    engine.advance(9, taken.facts)
    (found,) = taken.rejects(engine.last_rejects, None)
    assert str(found) == "b.csv:3: arrived at tick 9, 6 ticks after its deadline"


def test_facts_are_counted_by_how_late_they_are() -> None:
    counts = Counts(PROGRAM.plan.inputs, {"P": Count(facts=1, newest=3, late={0: 1})})
    counts.add("P", _rows(["a"] * 4, [5, 5, 4, 1], [5, 6, 6, 9]))
    counts.add_rejects([Reject("a.csv", 2, "P", "late", "", "")] * 2)
    assert counts.status() == {
        "P": {"facts": 5, "newest": 5, "delay": 2, "late": {0: 2, 1: 1, 2: 1, 3: 1}, "rejects": {"late": 2}}
    }


def test_a_long_delay_is_counted_in_parts() -> None:
    plan = antelog.parse("input P(x, time) delay 599.\nQ(X, T) :- P(X, T).\nquery Q(X, T).").plan
    counts = Counts(plan.inputs)
    counts.add("P", _rows(["a"] * 3, [0, 0, 0], [9, 10, 5000]))
    assert counts.status()["P"]["late"] == {0: 1, 10: 1, 600: 1}


# ---- the output ----


def _lines(shown: Shown) -> str:
    return change_lines(list(PROGRAM.plan.queries), shown, Style())


def _shown() -> Shown:
    return Shown(9, Engine(PROGRAM).advance(9, {"P": [("ä", 9)]}))


def test_an_output_is_cut_to_what_the_state_knows(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    first = OutputFile(path, None, _lines)
    first.show(_shown())
    first.sync()
    size = first.size
    assert path.stat().st_size == size
    first.show(_shown())
    first.close()
    again = OutputFile(path, size, _lines)
    assert path.read_text(encoding="utf-8") == _lines(_shown())
    again.show(_shown())
    again.close()
    assert path.read_text(encoding="utf-8") == 2 * _lines(_shown())


def test_an_output_that_is_shorter_than_the_state_says_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("{}\n")
    with pytest.raises(StateError, match="has 3 bytes, but 7 had been written"):
        OutputFile(tmp_path / "out.jsonl", 7, _lines)
    with pytest.raises(OutputError, match="cannot be written: No such file"):
        OutputFile(tmp_path / "no" / "out.jsonl", None, _lines)


# ---- the state ----


def test_a_state_is_restored_as_it_was(tmp_path: Path) -> None:
    path, engine = tmp_path / "p.state", Engine(PROGRAM)
    assert restored(path) is None
    engine.advance(3)
    known = Known(
        {"P": Marks("a.csv", {"offset": 3})}, {"P": 9}, {"P": Count(3)}, feed=(1, 7), output=("out", 5)
    )
    save(path, State(engine.to_bytes(), known, _waiting()))
    found = restored(path)
    assert found is not None
    assert Engine.from_bytes(found.engine, PROGRAM).now == 3
    assert (found.known.sources, found.known.counts) == (known.sources, known.counts)
    assert (found.known.highest, found.known.feed, found.known.output) == ({"P": 9}, (1, 7), ("out", 5))
    assert found.waiting.to_bytes() == _waiting().to_bytes()


def test_a_state_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.state"
    Engine(PROGRAM).save(path)
    with pytest.raises(StateError, match="none of `antelog watch`"):
        restored(path)
    path.write_text("no")
    with pytest.raises(StateError, match="not a state that antelog wrote"):
        restored(path)
    with pytest.raises(StateError, match="cannot be read"):
        restored(tmp_path)


# ---- the feed ----


def test_a_feed_has_what_is_open_changes_rejects_and_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "MOST_REJECTS", 2)
    engine = Engine(PROGRAM)
    engine.advance(3, {"P": [("a", 3)]})
    feed, reader = (
        Feed(FeedWriter(tmp_path / "f"), engine, About("text", "p.alog")),
        FeedReader(tmp_path / "f"),
    )
    feed.begin()
    (head,) = reader.read()
    opened = head["head"].pop("open")
    assert [(line["query"], line["answer"]) for line in opened] == [
        ("Q", {"X": "a", "T": 2}),
        ("Q", {"X": "a", "T": 3}),
    ]
    assert head == {"head": {"segment": 0, "program": "text", "path": "p.alog", "tick": 3, "time": None}}
    shown = Shown(4, engine.advance(4, {"P": [("a", 4)]}))
    feed.changes(shown)
    feed.rejects([Reject("a.csv", 2, "P", "late", "late", "P(b, 1)")] * 3)
    feed.status({"P": {}}, "P")
    feed.status({"P": {}}, "P")
    *lines, first, _, status = reader.read()
    assert lines == [json.loads(line) for line in _lines(shown).splitlines()]
    assert first == {
        "reject": {"input": "P", "reason": "late", "row": "P(b, 1)", "tick": 4, "detail": "a.csv:2: late"}
    }
    at = status["status"].pop("at")
    assert at.endswith("Z")
    assert status == {"status": {"tick": 4, "open": {"Q": 1}, "seen": 0, "inputs": {"P": {}}, "holding": "P"}}


def test_what_has_not_changed_is_told_seldom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "BETWEEN", 0.0)
    feed, reader = Feed(FeedWriter(tmp_path), Engine(PROGRAM), About("text", "p.alog")), FeedReader(tmp_path)
    feed.begin()
    for facts in (1, 1, 2, 2):
        feed.status({"P": {"facts": facts}}, None)
    assert [record["status"]["inputs"]["P"]["facts"] for record in reader.read()[1:]] == [1, 2]
    feed.status({"P": {"facts": 2}}, None, at_once=True)
    assert len(reader.read()) == 1


def test_changes_of_some_kinds() -> None:
    engine = Engine(PROGRAM)
    shown = Shown(4, engine.advance(4, {"P": [("a", 3), ("a", 4)]}))
    assert {json.loads(line)["change"] for line in _lines(shown).splitlines()} > {"possible", "confirmed"}
    some = with_kinds(shown, ("confirmed",))
    assert {json.loads(line)["change"] for line in _lines(some).splitlines()} == {"confirmed"}
    assert with_kinds(shown, KINDS) is shown
