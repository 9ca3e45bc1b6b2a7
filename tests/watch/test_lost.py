"""A device falls silent while an answer is open: what a run, the board, the page and alerts make of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from antelog.run.store.feed import FeedReader, StoredFeedAt
from antelog.watch.alerts.alert import Alert
from antelog.watch.board.board import Board
from antelog.watch.board.selection import AnswerFilter
from tests.cli.trying import antelog
from tests.watch.alerts import test_groups
from tests.watch.web.asking import ACTS, ask, guarded, sight

PROGRAM = """\
input Temp(device, level, time) delay 1, one per device, every 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T) critical "{X} is about to shut down".
Well(X, T) :- Temp(X, low, T), not Temp(X, high, T+1).
query Well(X, T) good.
"""
Records = list[dict[str, Any]]
Follow = Callable[..., Records]


@pytest.fixture
def follow(tmp_path: Path) -> Follow:
    """Goes on with a run: more rows of the devices, and then what is new in the feed."""
    (tmp_path / "p.alog").write_text(PROGRAM)
    (tmp_path / "temp.csv").write_text("device,level,time\n")
    reader = FeedReader(StoredFeedAt(tmp_path / "s"))

    def more(*rows: str) -> Records:
        with (tmp_path / "temp.csv").open("a") as file:
            file.write("".join(f"{row}\n" for row in rows))
        facts = ("--input", f"Temp={tmp_path / 'temp.csv'}")
        done = antelog("watch", tmp_path / "p.alog", *facts, "--once", "--state", tmp_path / "s")
        assert done.exit_code == 0, done.stderr
        return reader.read()

    return more


def of_b(first: int, last: int) -> list[str]:
    return [f"b,low,{tick}" for tick in range(first, last + 1)]


def told(records: Records, device: str = "a") -> list[tuple[Any, ...]]:
    changes = (each for each in records if "change" in each)
    return [(e["tick"], e["change"], e.get("lost")) for e in changes if e["answer"]["X"] == device]


FIRST = ("a,low,0", "a,high,1", "c,low,0", "c,low,1", *of_b(0, 6))
# The devices a and c fall silent after 1, b goes on; and a comes again.
AGAIN = (*of_b(7, 8), "a,low,8", *of_b(9, 10))


def test_a_run_tells_when_facts_of_what_was_lost_come_again(follow: Follow) -> None:
    assert told(follow(*FIRST))[-2:] == [(1, "rejected", None), (3, "rejected", ["Temp(a, high, 2)"])]
    records = follow(*AGAIN)
    assert [each["query"] for each in records[0]["head"]["open"] if "lost" in each] == ["Malf", "Well"]
    assert [each for each in told(records) if each[2]] == [(8, "seen", ["Temp(a, high, 2)"])]
    assert not any(each[2] for each in told(records, "c"))  # c is still silent
    board = Board()
    board.take(follow())  # a page that begins later knows it from the head
    assert [each.query for each in board.open.values() if each.now.change == "lost"] == ["Well"]


def test_it_stays_open_on_the_page_until_then_and_is_no_outcome(follow: Follow) -> None:
    live = sight(*follow(*FIRST))
    board = live.board
    ((name, page),) = [(each.id, guarded(live)) for each in board.open.values() if each.query == "Malf"]
    assert (board.open[name].now.change, board.decided.get(name)) == ("lost", None)
    assert "lost from sight since 2" in ask(page, "/part/list").text
    assert "lost from sight since tick 2" in ask(page, f"/part/answer/{name}").text
    well = ask(page, "/api/decided?query=Well").json["answers"]
    assert {each["X"] for each in well if each["change"] == "confirmed"} == {"b", "c"}
    live.take(follow(*AGAIN))
    assert (board.decided[name].now.change, name in board.open) == ("lost", False)
    assert "was seen again at tick 8" in ask(page, f"/part/answer/{name}").text
    assert "lost for want of a fact, not seen since 2: Temp(high, 2)" in ask(page, "/part/decided").text
    assert "lost" in ask(page, "/export/decided.csv").text
    bins = board.tables.decided.histogram(AnswerFilter(), 1)
    assert [counts["lost"] for counts in bins.values()] == [1]
    assert all(each.counted.answers == 0 for q, each in board.trust.results().items() if q == "Malf")


def alerts(folder: Path) -> test_groups.Clock:
    alert = Alert("command:cat", on=("possible",), where=("Malf",))
    return test_groups.Clock(folder / "s", alert, every=0.0)


def texts(clock: test_groups.Clock, records: Records) -> list[str]:
    clock.groups.take(1, records)
    return [f"{each['status']}: {each['text'].removeprefix('a is about to ')}" for each in clock.sent()]


def test_alerts_go_on_until_it_is_seen_again(follow: Follow, tmp_path: Path) -> None:
    first = follow(*FIRST)
    clock = alerts(tmp_path)
    assert texts(clock, first) == [
        "firing: shut down: possible, decided by 3",
        "firing: shut down: lost from sight since 2: nobody could see Temp(a, high, 2)",
    ]
    assert texts(clock, follow(*of_b(7, 8))) == []
    said = texts(clock, follow("a,low,9", *of_b(9, 11)))
    assert said == ["resolved: shut down: seen again; what became of it is not known"]


def test_somebody_ends_what_is_lost(follow: Follow, tmp_path: Path) -> None:
    first = follow(*FIRST)
    live, clock = sight(*first), alerts(tmp_path)
    texts(clock, first)
    (name,) = (each.id for each in live.board.open.values() if each.query == "Malf")
    page = guarded(live, tmp_path / "s")
    act: dict[str, Any] = {
        "body": json.dumps({"group": "a", "kind": "ended", "who": "ann"}).encode(),
        "token": ACTS,
    }
    act |= {"method": "POST", "content-type": "application/json"}
    assert ask(page, "/api/acts", **act).status == 200
    records = follow(*of_b(7, 8))
    live.take(records)
    assert live.board.decided[name].now.change == "lost"
    assert ". ann ended it at tick " in ask(page, f"/part/answer/{name}").text
    assert texts(clock, records) == ["resolved: shut down: ended by ann; what became of it is not known"]
    assert "nothing is lost of `a`" in ask(page, "/api/acts", **act).json["error"]
