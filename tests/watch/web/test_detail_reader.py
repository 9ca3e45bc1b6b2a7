"""antelog/watch/web/app.py and the view of an answer: what if, latest facts, and answers of long ago."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

import antelog
from antelog.answers import name_of
from antelog.run.answer_details import DetailWriter
from antelog.watch.live import Live
from antelog.watch.web.app import DetailReader, Entry
from antelog.watch.web.live_board import LiveBoard, reader_of
from tests.lines import lines_of
from tests.watch.lines import add, confirmed, possible, rejected, status, written
from tests.watch.web.asking import ask, guarded

RULES = """\
input Temp(device, level, time) one per device.
input Oil(device, level, time).
chance Temp(_, high, _) = 20%, again 80%.
chance Oil(_, low, _) = 10%.
Dry(X, T) :- Temp(X, high, T), Oil(X, low, U), U > T, U <= T+3.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Dry(X, T).
query Malf(X, T).
"""
DRY, MALF = (name_of(query, {"X": "wt2", "T": 5}) for query in ("Dry", "Malf"))


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page)).replace("\xa0", " ")


def test_an_engine_in_this_process_says_what_if() -> None:
    program = antelog.parse(RULES)
    engine = antelog.Engine(program)
    page: Live = antelog.live(engine, program=program)
    page.tell(engine.advance(5, {"Temp": [("wt2", "high", 5)]}))
    page.tell(engine.advance(6))
    while page._live.reader.read(1) or page._live.board.tick != 6:
        page._live.take_some()
    seen = text_of(ask(page._app, f"/part/answer/{DRY}", token=None, host="localhost").text)
    # By hand: of three ticks two are left, at each of which it comes with 10 %.
    assert "nothing came since 19 %" in seen
    assert "if missing" in seen
    assert "comes with 19 %" in seen
    assert "Why, down to the facts" in seen
    assert "● Temp(wt2, high, 5) arrived at tick 5" in seen
    found = ask(page._app, f"/api/answers/{DRY}", token=None, host="localhost").json
    assert found["details"]["chance"] == pytest.approx(0.19)


def test_the_run_is_asked_through_the_store(tmp_path: Path) -> None:
    engine = antelog.Engine(antelog.parse(RULES))
    engine.advance(5, {"Temp": [("wt2", "high", 5)]})
    lines = lines_of(RULES, [("Temp", ("wt2", "high", 5), 5)], 5)
    (line,) = [each for each in lines if each["query"] == "Malf" and each["answer"]["T"] == 5]
    store = written(tmp_path / "s", [line, status(5)], RULES)
    live = LiveBoard(reader_of(tmp_path / "s"))
    live.take_some()
    details, answer = DetailReader(tmp_path / "s", live), live.board.open[MALF]

    async def looked() -> int:
        assert details.of(answer) is None
        version = live.board.version
        DetailWriter(store.inbox, engine).tend()
        await live.news(version)
        found = details.of(answer)
        assert found is not None
        return len(found.literals)

    assert asyncio.run(looked()) == 1
    app = guarded(live, tmp_path / "s")
    assert "last Temp(high, 5)" in text_of(ask(app, f"/part/answer/{MALF}").text).replace("wt2, ", "")
    assert "details" in ask(app, f"/api/answers/{MALF}").json
    store.close()


def test_there_may_be_nobody_to_ask(tmp_path: Path) -> None:
    live = LiveBoard(reader_of(tmp_path))
    live.take([possible("wt2", 7)])
    (answer,) = live.board.open.values()
    assert DetailReader(tmp_path / "none", live).of(answer) is None
    assert DetailReader(Entry().store, live).of(answer) is None


# ---- links to answers of long ago ----

WT2 = name_of("Malf", {"X": "wt2", "T": 7})


def test_a_link_leads_to_an_answer_that_only_the_store_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antelog.watch.board.board.DECIDED", 5)
    monkeypatch.setattr("antelog.watch.board.board.PIECE_LINES", 7)
    writer = written(tmp_path / "s", [possible("wt2", 7), possible("wt2", 7, 8, 0.9, change="likely")])
    live = LiveBoard(reader_of(tmp_path / "s"))
    live.take_some()
    add(writer, confirmed("wt2", 7, 9), *(rejected(f"old{n}", n, n + 3) for n in range(40)))
    live.take_some()
    add(writer, {"change": "of another writer"}, status(60))
    live.take_some()
    assert live.board.find(WT2) is None
    app = guarded(live)
    found = ask(app, f"/api/answers/{WT2}").json
    assert (found["open"], found["since"], [each["change"] for each in found["lines"]]) == (
        False, 7, ["possible", "likely", "confirmed"],
    )  # fmt: skip
    assert "confirmed" in ask(app, f"/part/answer/{WT2}").text
    live.board.recalled.clear()
    assert len(ask(app, f"/export/answer/{WT2}.csv").text.splitlines()) == 4
    live.board.recalled.clear()
    assert "confirmed" in ask(app, f"/export/answer/{WT2}.html").text
    assert ask(app, "/api/answers/0123456789abcdef").status == 404
    assert ask(app, "/api/answers/nonsense").status == 404
    writer.close()
