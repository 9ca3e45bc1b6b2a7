"""antelog/watch/board/saved_board.py: a page that is started again goes on from what it knew."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from antelog.run.store.feed import FeedReader
from antelog.watch.board import saved_board
from antelog.watch.web.api import API, of_answer
from antelog.watch.web.live_board import LiveBoard, reader_of
from tests.processes import until_async
from tests.watch.recorded_run import recorded


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(saved_board, "_SHORTEST", 0.0)
    monkeypatch.setattr(saved_board, "_SHARE", 0)
    return recorded(tmp_path)


def followed(state: Path) -> LiveBoard:
    """A page's board that has read all there is, and was kept."""
    live = LiveBoard(reader_of(state), path=state.with_name("s-board"))

    async def follow() -> None:
        following = asyncio.create_task(live.follow())
        await until_async(lambda: live.caught_up and not live.catching_up)
        following.cancel()
        if live._kept is not None:
            await live._kept.keep(live.board)

    asyncio.run(follow())
    return live


def position(live: LiveBoard) -> int:
    assert isinstance(live.reader, FeedReader)
    return live.reader.position


def said(live: LiveBoard) -> dict[str, Any]:
    """All that the page says of its answers, and lines of one that it reads again."""
    views: dict[str, Any] = {name: make(live, {}) for name, make in API.items()}
    views["answer"] = of_answer(live, views["decided"]["answers"][-1]["id"])
    return views


def test_a_board_that_was_kept_is_the_same_and_reads_nothing_again(state: Path) -> None:
    before = followed(state)
    assert len(before.board.decided) > 500
    assert before.board.open
    after = LiveBoard(reader_of(state), path=state.with_name("s-board"))
    assert position(after) == position(before) > 3_000
    assert said(after) == said(before)
    assert [*map(vars, after.board.pieces.kept)] == [*map(vars, before.board.pieces.kept)]
    assert after.reader.read(10) == []
    assert state.with_name("s-board").stat().st_mode & 0o777 == 0o600


def test_a_kept_board_goes_on_as_one_that_read_all(state: Path) -> None:
    followed(state)
    again = recorded(state.parent, 260)  # the run goes on with more facts
    after, whole = followed(again), LiveBoard(reader_of(again))
    while not whole.caught_up:
        whole.take_some()
    assert said(after)["trust"]["queries"][0]["answers"] > 500
    assert {**said(after), "plan": 0, "inputs": 0} == {**said(whole), "plan": 0, "inputs": 0}


@pytest.mark.parametrize("how", ["another feed", "cut", "damaged", "another version"])
def test_what_was_kept_of_something_else_is_not_used(state: Path, how: str) -> None:
    followed(state)
    kept = state.with_name("s-board")
    content = kept.read_bytes()
    if how == "another feed":
        with closing(sqlite3.connect(state)) as database, database:
            database.execute("UPDATE feed SET lines = replace(CAST(lines AS TEXT), 'wt2', 'wt7')")
            database.execute("UPDATE feed SET lines = CAST(lines AS BLOB)")
    elif how == "cut":
        kept.write_bytes(content[:-9])
    elif how == "damaged":
        kept.write_bytes(content.replace(b"Malf", b"\xff\xff\xff\xff"))
    else:
        kept.write_bytes(content.replace(b"board 2", b"board 0"))
    live = LiveBoard(reader_of(state), path=kept)
    assert (position(live), live.board.tick) == (0, None)
