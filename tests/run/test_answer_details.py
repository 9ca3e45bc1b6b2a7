"""antelog/run/{answer_details,store/inbox}.py: what is worked out of answers that somebody looks at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import antelog
from antelog.process import Engine
from antelog.run.answer_details import AnswerDetail, DetailWriter, LiteralDetail, detail_of
from antelog.run.store.inbox import WHILE, ask
from antelog.run.store.store import Store

RULES = """
input Temp(device, level, time) one per device.
input Oil(device, kind, time).
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
Dry(X, T) :- Temp(X, high, T), Oil(X, "no oil", U), U > T, U <= T+3.
query Malf(X, T).
query Dry(X, T).
"""
CHANCES = "chance Temp(_, high, _) = 20%, again 80%.\nchance Oil(_, _, _) = 10%.\n"
FACTS = {"Temp": [("wt2", "low", 3), ("wt2", "high", 5), ("wt4", "high", 5)], "Oil": [("wt2", "full", 2)]}


def engine_of(rules: str) -> Engine:
    engine = Engine(antelog.parse(rules))
    engine.advance(5, FACTS)
    return engine


def line_of(engine: Engine, query: str) -> dict[str, Any]:
    (row,) = [each for each in engine.answers(query).to_pylist() if each["X"] == "wt2" and each["T"] == 5]
    return {"query": query, "answer": {"X": "wt2", "T": 5}, "explanations": row["explanations"]}


def test_chances_and_latest_facts() -> None:
    engine = engine_of(RULES + CHANCES)
    found = detail_of(engine, line_of(engine, "Malf"))
    (case,) = found.literals
    assert (found.tick, case.literal, case.latest) == (5, "Temp(wt2, high, 6)", "Temp(wt2, high, 5)")
    assert [found.chance, case.chance, case.if_so, case.if_not] == pytest.approx([0.8, 0.8, 1, 0])


def test_without_chances_there_are_latest_facts() -> None:
    engine = engine_of(RULES)
    found = detail_of(engine, line_of(engine, "Malf"))
    literal = LiteralDetail("Temp(wt2, high, 6)", latest="Temp(wt2, high, 5)")
    assert found == AnswerDetail(5, None, [literal], found.why)


def test_the_rules_are_there_down_to_the_facts() -> None:
    engine = engine_of(RULES)
    found = detail_of(engine, line_of(engine, "Malf"))
    assert msgspec.json.decode(msgspec.json.encode(found), type=AnswerDetail).why == found.why
    assert found.why is not None
    assert found.why.text == "Malf(wt2, 5) is open"
    (rule,) = found.why.children
    assert [each.text for each in rule.children] == ["Temp(wt2, high, 5)", "Temp(wt2, high, 6)"]
    decided = {"query": "Malf", "answer": {"X": "wt2", "T": 3}, "change": "rejected"}
    late = detail_of(engine, decided)
    assert late.literals == ()
    assert late.why is not None


def test_an_engine_without_its_text_explains_nothing() -> None:
    engine = engine_of(RULES)
    restored = Engine.restore(engine.to_bytes())
    assert detail_of(restored, line_of(engine, "Malf")).why is None


def test_an_answer_with_open_values_has_no_details() -> None:
    rules = (
        "input Go(time). input Temp(device, level, time) one per device.\n"
        "Any(X, T) :- Go(T), Temp(X, high, T+1).\nquery Any(X, T).\n"
        "Two(X, T) :- Temp(X, high, T), not Hot(X, T+1), count(Temp(X, _, T+1..T+3)) >= 2.\n"
        "Hot(X, T) :- Temp(X, high, T), Go(T).\nquery Two(X, T)."
    )
    engine = Engine(antelog.parse(rules))
    engine.advance(5, {"Go": [(5,)], "Temp": [("wt2", "high", 5)]})
    (row,) = engine.answers("Any").to_pylist()
    line = {"query": "Any", "answer": {"X": None, "T": 5}, "explanations": row["explanations"]}
    assert detail_of(engine, line).literals == [LiteralDetail("Temp(X, high, 6)")]
    assert detail_of(engine, {**line, "explanations": None}).literals == []
    latest = {each.literal: each.latest for each in detail_of(engine, line_of(engine, "Two")).literals}
    assert latest == {"not Hot(wt2, 6)": None, "count(Temp(wt2, _, 6..8)) >= 2": "Temp(wt2, high, 5)"}


def test_the_run_answers_what_the_page_asks(tmp_path: Path) -> None:
    engine, now = engine_of(RULES), [1_000.0]
    store = Store(tmp_path / "s", temporary=True)
    writer = DetailWriter(store.inbox, engine, lambda: now[0])
    line = json.dumps(line_of(engine, "Malf")).encode()

    def asked() -> AnswerDetail | None:
        found = ask(store._database, {"9f2c": line}, now[0]).get("9f2c")
        return None if found is None else msgspec.json.decode(found, type=AnswerDetail)

    writer.tend()
    assert asked() is None
    now[0] += 1
    writer.tend()
    first = asked()
    assert first is not None
    assert first.tick == 5
    engine.advance(6, {"Temp": [("wt2", "low", 6)]})
    writer.tend()  # it was just now that it looked
    assert asked() == first
    now[0] += 1
    writer.tend()
    second = asked()
    assert second is not None
    assert [each.latest for each in second.literals] == ["Temp(wt2, low, 6)"]
    now[0] += WHILE + 1
    engine.advance(7)
    writer.tend()  # nobody looks any more
    assert asked() == second
    store.close()
