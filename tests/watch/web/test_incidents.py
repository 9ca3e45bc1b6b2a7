"""A list of incidents that grows: the figures on the page, the acts that add to it, and its file."""

from __future__ import annotations

import csv
import json
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp

import antelog
from antelog.errors import DataError
from antelog.incidents.incident_list import add_row, can_grow
from antelog.program import parse
from antelog.run.settings import JudgingOptions
from antelog.run.store.feed import StoredFeedAt
from antelog.watch.board.board import Board
from antelog.watch.board.judged_feed import IncidentFile, JudgedFeed
from antelog.watch.web.app import Entry, page_app
from antelog.watch.web.live_board import LiveBoard, reader_of
from tests.watch.lines import PROGRAM, confirmed, possible, rejected, status, written
from tests.watch.web.asking import ACTS, ADDRESS, TOKEN, Answered, ask

LINES = [
    status(0), possible("wt1", 20), possible("wt2", 40), confirmed("wt1", 20, 21), rejected("wt2", 40, 43),
    possible("wt1", 60), confirmed("wt1", 60, 61), status(100),
]  # fmt: skip
Served = Callable[..., ASGIApp]


@pytest.fixture
def served(tmp_path: Path) -> Served:
    """The page of a store with these lines, judged by `list.csv`."""
    written(tmp_path / "s", LINES).close()

    def page(text: str | None = None, name: str = "list.csv", **options: Any) -> ASGIApp:
        if text is not None:
            (tmp_path / name).write_text(text, encoding="utf-8")
        reader = reader_of(tmp_path / "s")
        live = LiveBoard(reader, Board())
        live.take_some()
        file = IncidentFile(str(tmp_path / name), JudgingOptions(**{"lead": "1..10", **options}))
        judged = JudgedFeed(StoredFeedAt(tmp_path / "s"), file)
        entry = Entry(ADDRESS.hosts, ADDRESS.origins, ADDRESS.tokens, tmp_path / "s", judged=judged)
        return page_app(live, entry)

    return page


def figures(app: ASGIApp) -> Any:
    return ask(app, "/api/incidents").json


def post(app: ASGIApp, token: str = ACTS, **told: Any) -> Answered:
    body, headers = json.dumps(told).encode(), {"content-type": "application/json"}
    return ask(app, "/api/incidents", method="POST", body=body, token=token, **headers)


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def of(app: ASGIApp, device: str) -> str:
    """The name of the last answer about a device."""
    return str(next(e for e in ask(app, "/api/decided").json["answers"] if e["X"] == device)["id"])


def test_the_figures_are_those_of_what_the_store_keeps(served: Served) -> None:
    app = served("device,time\nwt1,25\nwt1,64\nwt3,50\n")
    found = figures(app)
    names = ("level", "caught", "incidents", "false")
    assert [[each[name] for name in names] for each in found["queries"]] == [
        ["possible", 2, 3, 1],
        [0.95, 2, 3, 0],
        ["confirmed", 2, 3, 0],
    ]
    assert [each["key"] for each in found["missed"]] == ["wt3"]
    page = ask(app, "/part/trust").text
    assert "1 of 3 incidents were added without an alert" in page
    assert "An alert is right from 1 tick to 10 ticks before an incident." in page
    assert "2 of 3" in page


def test_the_figures_are_those_of_a_backtest_of_the_same_facts(tmp_path: Path) -> None:
    draw = random.Random(3)
    facts = [
        (device, "high" if draw.random() < 0.3 else "low", at)
        for at in range(150)
        for device in ("wt1", "wt2", "wt3")
    ]
    went_wrong = [{"device": f"wt{draw.randint(1, 3)}", "time": draw.randrange(12, 140)} for _ in range(8)]
    inputs = {"Temp": facts}
    lines = [json.loads(each) for each in antelog.replay(parse(PROGRAM), inputs).lines()]
    written(tmp_path / "s", [status(0), *lines, status(149)]).close()
    (tmp_path / "list.jsonl").write_text("\n".join(map(json.dumps, went_wrong)), encoding="utf-8")
    judged = JudgedFeed(
        StoredFeedAt(tmp_path / "s"), IncidentFile(str(tmp_path / "list.jsonl"), JudgingOptions(lead="1..6"))
    )
    judged.update(parse(PROGRAM))
    found = antelog.backtest(parse(PROGRAM), inputs, went_wrong, lead="1..6").to_dict()
    assert judged.to_dict()["queries"] == found["queries"]
    assert [each["key"] for each in judged.to_dict()["missed"]] == [each["key"] for each in found["missed"]]
    assert 0 < found["queries"][-1]["caught"] < 8


def test_no_list_yet(served: Served) -> None:
    app = served()
    assert figures(app)["said"] == "no incident is in the list yet"
    assert "There is no figure yet: no incident is in the list yet." in ask(app, "/part/trust").text


def test_rows_that_cannot_be_used_and_files_that_cannot(served: Served) -> None:
    app = served("device,time\nwt1,25\nwt1,soon\n")
    assert "1 row cannot be used: " in ask(app, "/part/trust").text
    assert figures(served("device,at\nwt1,25\n"))["said"].endswith("nor start and end. It has device, at.")
    assert figures(served("device,time\nwt1,25\n", lead="6"))["said"].startswith("`6` is not a lead.")
    said = figures(served("device,time\nwt1,5\n"))["said"]
    assert "list.csv: no incident can be judged: facts are from 0 to 100, incidents begin from 5 to 5" in said


def test_lines_that_come_later_and_other_lists_change_the_figures(served: Served, tmp_path: Path) -> None:
    app = served("device,time\nwt1,25\n")
    assert figures(app)["queries"][0]["caught"] == 1
    (tmp_path / "list.csv").write_text("device,time\nwt1,25\nwt2,45\n", encoding="utf-8")
    assert figures(app)["queries"][0]["caught"] == 2


# ---- acts ----


def test_an_answer_is_marked_with_its_own_time_or_another(served: Served, tmp_path: Path) -> None:
    app = served()
    assert ' data-time="40"' in ask(app, f"/part/answer/{of(app, 'wt2')}").text
    assert post(app, answer=of(app, "wt2"), who="ann").status == 200
    assert post(app, answer=of(app, "wt1"), time="66", who="ann").json["added"] == {
        "key": "wt1", "time": "66", "who": "ann",
    }  # fmt: skip
    assert rows(tmp_path / "list.csv") == [
        {"device": "wt2", "time": "40", "kind": "", "who": "ann"},
        {"device": "wt1", "time": "66", "kind": "", "who": "ann"},
    ]
    assert figures(app)["queries"][0]["incidents"] == 2


def test_what_no_rule_saw_is_added_and_counted_as_such(served: Served) -> None:
    app = served("device,time\nwt1,25\n")
    assert "Each incident had an alert." in ask(app, "/part/trust").text
    assert post(app, key="wt9", time="70", who="ann").status == 200
    assert figures(app)["added_without_alert"] == 1
    assert "1 of 2 incidents were added without an alert" in ask(app, "/part/trust").text


def test_a_false_alarm_is_a_row_that_is_no_incident(served: Served, tmp_path: Path) -> None:
    app = served("device,time,kind\nwt1,25,bearing\n", where={"kind": "bearing"})
    assert post(app, answer=of(app, "wt2"), false=True, who="ann").status == 200
    assert post(app, key="wt1", time="66", who="ann").status == 200
    kinds = [(each["device"], each["kind"]) for each in rows(tmp_path / "list.csv")]
    assert kinds == [("wt1", "bearing"), ("wt2", "none"), ("wt1", "bearing")]
    found = figures(app)
    assert (found["marked_false"], found["queries"][0]["incidents"]) == (1, 2)
    assert "1 alert marked as false." in ask(app, "/part/trust").text


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"key": "wt1", "time": "66"}, "say who does it, with `who`"),
        ({"key": "wt1", "who": "ann"}, "say when it was, with `time`"),
        ({"time": "66", "who": "ann"}, "say which device it is about"),
        ({"key": "wt1", "time": "soon", "who": "ann"}, "`soon` is not a time of this program. Write it "),
        ({"answer": "0", "who": "ann"}, "this answer is not kept any more; add the incident with its key "),
        ({"key": "wt1", "time": "66", "who": "ann", "false": True}, "a false alarm is about an `answer`"),
        ({"key": 7}, "an incident is a JSON object such as"),
    ],
)  # fmt: skip
def test_what_cannot_be_added_is_refused_with_the_reason(
    served: Served, tmp_path: Path, told: Any, reason: str
) -> None:
    answer = post(served(), **told)
    assert answer.status == 400
    assert reason in answer.json["error"]
    assert not (tmp_path / "list.csv").exists()


def test_rows_of_json(served: Served, tmp_path: Path) -> None:
    app = served('{"device": "wt1", "time": 25, "kind": ""}', "list.jsonl")
    assert post(app, answer=of(app, "wt2"), false=True, who="ann").status == 200
    assert post(app, key="wt1", time="66", who="ann").status == 200
    assert (tmp_path / "list.jsonl").read_text(encoding="utf-8").splitlines()[1:] == [
        '{"device": "wt2", "time": 40, "kind": "none"}',
        '{"device": "wt1", "time": 66, "kind": ""}',
    ]
    found = figures(app)
    assert (found["marked_false"], found["queries"][0]["incidents"]) == (1, 2)


def test_only_who_may_act_may_add(served: Served, tmp_path: Path) -> None:
    app = served()
    assert post(app, TOKEN, key="wt1", time="66", who="eve").status == 401
    assert not (tmp_path / "list.csv").exists()
    assert figures(app)["marked_false"] == 0


# ---- the file ----

PLAIN = parse(PROGRAM).plan
TIMED = parse('tick 1 hour.\nzone "Europe/Berlin".\n' + PROGRAM).plan
TOLD = {"key": "wt 1, left", "time": "7", "who": "=ann\nb"}


@pytest.mark.parametrize(
    ("name", "before", "line"),
    [
        ("a.csv", "", 'device,time,kind,who\n"wt 1, left",7,,\'=ann b\n'),
        ("b.csv", "time;device\n3;wt2", "\n7;wt 1, left\n"),
        ("c.csv", "device,start,end\n", '"wt 1, left",7,7\n'),
        ("d.jsonl", "", '{"device": "wt 1, left", "time": 7, "kind": "", "who": "\'=ann b"}\n'),
        ("e.jsonl", '{"time": 3, "device": "b"}', '\n{"time": 7, "device": "wt 1, left"}\n'),
    ],
)
def test_a_row_is_a_line_as_those_before(tmp_path: Path, name: str, before: str, line: str) -> None:
    path = tmp_path / name
    if before:
        path.write_text(before, encoding="utf-8")
    add_row(path, PLAIN, JudgingOptions(), TOLD)
    assert path.read_text(encoding="utf-8") == before + line


@pytest.mark.parametrize(
    ("text", "written_as"),
    [
        ("2026-03-02 06:17", "2026-03-02T06:17:00+01:00"),
        ("2026-07-02 06:17:30Z", "2026-07-02T06:17:30+00:00"),
        ("2026-07-02", "2026-07-02T00:00:00+02:00"),
        ("493254", "2026-04-09T08:00:00+02:00"),
    ],
)
def test_a_time_is_kept_with_its_offset(tmp_path: Path, text: str, written_as: str) -> None:
    add_row(tmp_path / "a.csv", TIMED, JudgingOptions(), {**TOLD, "time": text})
    assert rows(tmp_path / "a.csv")[0]["time"] == written_as


def test_a_list_that_cannot_take_a_row_says_why(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("device,time\n", encoding="utf-8")
    with pytest.raises(DataError, match="has no column kind, which is to say that it was nothing"):
        add_row(path, PLAIN, JudgingOptions(), {**TOLD, "kind": "none"})
    assert path.read_text(encoding="utf-8") == "device,time\n"
    for name, reason in {
        "a.parquet": "cannot grow; a list that grows is a file that ends with .csv or .jsonl",
        "a.csv.gz": "cannot grow",
        "none/a.csv": "there is no folder",
    }.items():
        with pytest.raises(DataError, match=reason):
            can_grow(tmp_path / name)


def test_rows_of_several_writers_are_whole(tmp_path: Path) -> None:
    def some(number: int) -> None:
        for at in range(20):
            add_row(tmp_path / "a.csv", PLAIN, JudgingOptions(), {**TOLD, "time": str(100 * number + at)})

    writers = [threading.Thread(target=some, args=(number,)) for number in range(4)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    found = rows(tmp_path / "a.csv")
    assert sorted(int(each["time"]) for each in found) == sorted(
        100 * n + at for n in range(4) for at in range(20)
    )
    assert {each["device"] for each in found} == {"wt 1, left"}
