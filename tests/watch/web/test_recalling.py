"""antelog/watch/web/live_board.py, antelog/watch/board/board.py: links to answers of long ago."""

from pathlib import Path

import pytest

from antelog.answers import name_of
from antelog.watch.web.live_board import LiveBoard, reader_of
from tests.watch.lines import add, confirmed, possible, rejected, status, written
from tests.watch.web.asking import ask, guarded

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
