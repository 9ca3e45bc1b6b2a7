"""antelog/watch/web: what is shown, and how."""

import asyncio
import csv
import io
import json
import re
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

import antelog
from antelog.answers import name_of
from antelog.errors import DataError
from antelog.run.answer_details import DetailWriter
from antelog.run.store.feed import FolderFeed
from antelog.run.store.inbox import Act
from antelog.run.store.store import Store
from antelog.theme import embedded_face
from antelog.watch.alerts.letters import Letter
from antelog.watch.alerts.outbox import SENT, counts_in, opened
from antelog.watch.board.board import Board
from antelog.watch.live import Live
from antelog.watch.web.api import PostError, metrics, posted
from antelog.watch.web.app import DetailReader, Entry
from antelog.watch.web.export import as_csv
from antelog.watch.web.live_board import LiveBoard, reader_of
from antelog.watch.web.templating import ASSETS, VIEWS
from antelog.watch.web.views import PARTS
from tests.lines import lines_of
from tests.processes import until_async
from tests.watch.lines import Record, add, ago, confirmed, possible, rejected, status, written
from tests.watch.web.asking import FACTS, NoFeed, ask, guarded, sight

WT2 = name_of("Malf", {"X": "wt2", "T": 7})
REPORTED = (
    possible("old", 5, chance=0.8),
    possible("old", 5, 6, 0.9, change="likely"),
    confirmed("old", 5, 7),
    possible("gone", 4),
    rejected("gone", 4, 7),
    possible("wt2", 7),
    possible("wt3", 7, chance=0.9),
    status(8),
)
ROOT = Path(__file__).parents[3]
SIGHT = sight(*REPORTED)
APP = guarded(SIGHT)


def test_open_answers_as_json() -> None:
    found = ask(APP, "/api/now?count=1").json
    assert (found["tick"], found["total"], found["from"]) == (8, 2, 0)
    (answer,) = found["answers"]
    assert (answer["X"], answer["T"], answer["since"], answer["chance"]) == ("wt3", 7, 7, 0.9)
    assert (answer["query"], answer["group"], answer["change"]) == ("Malf", "wt3", "possible")
    assert ask(APP, f"/api/answers/{answer['id']}").status == 200


def test_a_look_is_asked_for_in_the_address() -> None:
    assert [each["id"] for each in ask(APP, "/api/now?text=wt2").json["answers"]] == [WT2]
    assert ask(APP, "/api/now?query=Other").json["total"] == 0
    assert ask(APP, "/api/now?from=1&count=5&sort=name").json["answers"][0]["X"] == "wt3"


def test_one_answer_as_json_has_its_lines_and_rules() -> None:
    found = ask(APP, f"/api/answers/{WT2}").json
    assert (found["open"], found["lines"]) == (True, [possible("wt2", 7)])
    assert [each["line"] for each in found["rules"]] == [3, 4]
    assert ask(APP, "/api/answers/none").status == 404


def test_decided_answers_as_json_say_how_early_they_were_reported() -> None:
    gone, old = ask(APP, "/api/decided").json["answers"]
    assert (old["change"], old["open_for"], old["alerted_before"]) == ("confirmed", 2, 1)
    assert (gone["change"], gone["open_for"], gone["alerted_before"]) == ("rejected", 3, None)
    assert [each["change"] for each in ask(APP, "/api/decided?kind=confirmed").json["answers"]] == [
        "confirmed"
    ]


def test_inputs_trust_and_plan_as_json() -> None:
    found = ask(APP, "/api/inputs").json
    assert (found["holding"], found["inputs"]["Temp"]["facts"]) == ("Temp", 100)
    assert ask(APP, "/api/trust").json["queries"][0]["answers"] == 2
    assert ask(APP, "/api/plan").json["changes"]["Malf"]["confirmed"] == 1
    assert ask(APP, "/api/plan").json["path"] == "plant/hot.alog"
    assert ask(APP, "/api/none").status == 404


def test_the_state_in_a_few_numbers() -> None:
    found = ask(APP, "/api/state").json
    assert (found["open"], found["tick"], found["reached"]) == ({"Malf": 2}, 8, "tick 8")
    assert (found["program"], found["wall"]) == ("hot.alog", False)


def test_metrics_say_what_they_said_when_written_by_hand() -> None:
    answer = ask(APP, "/metrics")
    before, now = (
        {family.name: family for family in text_string_to_metric_families(text)}
        for text in (Path(__file__).with_name("metrics.txt").read_text(), answer.text)
    )
    assert before == now
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")


def test_metrics_say_which_input_is_silent() -> None:
    known = {"facts": 1, "heard": "2026-11-25T09:00:00.000Z"}
    board, late = Board(), {"Temp": known | {"gap": 10.0}, "Ack": known | {"gap": 1e12}, "Beat": known}
    board.take([{"status": {"tick": 8, "inputs": late}}])
    text = metrics(board, {}).decode()
    assert 'antelog_silent_input{input="Temp"} 1' in text
    assert 'antelog_silent_input{input="Ack"} 0' in text
    assert "Beat" not in text.partition("antelog_silent_input{")[2]
    assert re.search(r'antelog_seconds_since_fact{input="Beat"} \d', text)


def test_the_dashboard_asks_for_metrics_that_there_are() -> None:
    dashboard = (ROOT / "docs/grafana/antelog.json").read_text(encoding="utf-8")
    page = (ROOT / "docs/live-page.md").read_text(encoding="utf-8")
    assert set(re.findall(r"antelog_\w+", dashboard)) <= set(re.findall(r"antelog_\w+", page))


def test_alerts_are_counted_where_there_are_any(tmp_path: Path) -> None:
    assert counts_in(None) == counts_in(tmp_path / "s") == {}
    Store(tmp_path / "s").close()
    assert counts_in(tmp_path / "s") == {}
    with opened(tmp_path / "s") as outbox:
        outbox.receive(['slack:@a"b', "x"])
        outbox.add(('slack:@a"b', Letter(str(number), "{}", str(number))) for number in range(3))
        first = outbox.first('slack:@a"b')
        assert first is not None
        outbox.settle('slack:@a"b', first, SENT)
    found = metrics(Board(), counts_in(tmp_path / "s")).decode()
    samples = {(each.name, *sorted(each.labels.values())): each.value for each in _samples(found)}
    assert samples["antelog_alerts_total", "sent", 'slack:@a"b'] == 1
    assert samples["antelog_alerts_total", "failed", "x"] == 0
    assert samples["antelog_alerts_waiting", 'slack:@a"b'] == 2
    assert not [name for name in samples if "waiting" in name[1:]]


def _samples(text: str) -> list[Sample]:
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]


@pytest.mark.parametrize("view", [*PARTS])
def test_every_view_can_be_kept_as_a_table_and_as_a_page(view: str) -> None:
    path = f"answer/{WT2}" if view == "answer" else view
    rows = list(csv.reader(io.StringIO(ask(APP, f"/export/{path}.csv").text)))
    assert len(rows) > 1
    page = ask(APP, f"/export/{path}.html").text
    assert "<style>" in page
    assert not any(text in page for text in ("<script", "src=", "@import"))
    assert set(re.findall(r"url\((.)", page.replace(embedded_face(), ""))) <= {"#"}
    assert ask(APP, f"/export/{path}.exe").status == 404


def test_a_table_of_open_answers_has_what_the_look_has() -> None:
    rows = list(csv.DictReader(io.StringIO(ask(APP, "/export/list.csv?text=wt2").text)))
    assert [row["answer"] for row in rows] == ["Malf(wt2, 7)"]
    assert rows[0]["evidence"] == "Temp(wt2, high, 7)"
    assert rows[0]["decided by"] == "10"
    assert "wt3" not in ask(APP, "/export/list.html?text=wt2").text.partition("<main")[2]


def test_texts_that_a_spreadsheet_would_compute_stay_texts() -> None:
    assert as_csv([("=1+1", -1, None)]) == "'=1+1,-1,\r\n"


def test_a_page_has_links_to_all_views_wherever_it_is_mounted() -> None:
    text = ask(APP, "/", root="/live").text
    for name in VIEWS:
        assert f'href="/live/{name}"' in text
    for name in ASSETS:
        assert ask(APP, f"/static/{name}").status == 200
    assert ask(APP, "/static/other.js").status == 404


def test_what_does_not_exist_is_not_found() -> None:
    for path in ("/part/none", "/part/answer/none", "/export/none.csv", "/export/answer/none.html", "/none"):
        assert ask(APP, path).status == 404


def test_the_page_as_it_was(tmp_path: Path) -> None:
    steps = (possible("wt2", 7), status(7, at=ago(60))), (confirmed("wt2", 7, 8), status(8, at=ago(-60)))
    writer = written(tmp_path / "s", [*steps[0], *steps[1], possible("wt3", 9), status(9)])
    live = LiveBoard(reader_of(tmp_path / "s"))
    live.take_some()
    app = guarded(live, tmp_path / "s")
    writer.acts.add(Act("wt2", "noted", "ann", time.time(), note="the bearing"))
    then = ask(app, "/part/now?at=7").text
    assert "You look at tick 7 , 2 ticks ago; only what was known then. Back to now" in text_of(then)
    assert f'"/answer/{WT2}?at=7"' in then
    assert "bearing" not in then + ask(app, f"/part/answer/{WT2}?at=7").text
    assert "bearing" in ask(app, f"/part/answer/{WT2}?at=8").text
    there = [ask(app, f"/api/answers/{WT2}?at={at}").json.get("open") for at in (6, 7, 8, 9)]
    assert there == [None, True, False, False]
    assert "wt2" in ask(app, "/export/now.csv?at=7").text
    for now in ("9", "99", "x", "-1", "9" * 40, ""):
        assert ask(app, f"/api/now?at={now}").json == ask(app, "/api/now").json
    marks = ask(app, "/api/moments?after=7").json
    assert (marks["first"], marks["tick"], [each["known"] for each in marks["marks"]]) == (0, 9, [1])
    assert ask(app, "/api/moments?after=8").json["marks"] == []
    writer.close()


# ---- posted facts ----


_REASON = (
    "a fact has no device; it has devise, time. Facts of Temp have device, time; if yours call a column "
    "otherwise, start `antelog watch` with --map Temp.device=NAME"
)


def test_posted_facts_are_in_the_inbox_when_they_are_acknowledged(tmp_path: Path) -> None:
    store = Store(tmp_path / "s")
    app = guarded(SIGHT, tmp_path / "s")
    given: dict[str, Any] = {"method": "POST", "token": FACTS, "content_type": "application/json"}
    refused = ask(app, "/facts/Temp", body=b'{"device": "wt2"}', **given)
    assert (refused.status, refused.json["error"]) == (
        400, "facts of Temp do not come by HTTP; give --input Temp=http:"
    )  # fmt: skip
    store.inbox.accept("Temp", ["device", "time"])
    answer = ask(
        app, "/facts/Temp", body=b'[{"device": "wt2",\n "time": 7}, {"device": "<b>", "time": 8}]', **given
    )
    assert (answer.status, answer.json) == (200, {"accepted": 2})
    assert [json.loads(fact) for _, fact in store.inbox.read("Temp", 0, 10)] == [
        {"device": "wt2", "time": 7},
        {"device": "<b>", "time": 8},
    ]
    wrong = ask(app, "/facts/Temp", body=b'{"devise": "wt2", "time": 7}', **given)
    assert (wrong.status, wrong.json["error"]) == (400, _REASON)
    for path, body, expected in (
        ("/facts/Other", b"[]", 404),
        ("/facts/Temp", b"[3]", 400),
        ("/facts/Temp", b"{", 400),
        ("/facts/Temp", b"\xff", 400),
        ("/facts/Temp", b"[[1]]", 400),
    ):
        assert ask(app, path, body=body, **given).status == expected
    assert len(store.inbox.read("Temp", 0, 10)) == 2
    store.close()


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".", "x" * 300, "a\0b"])
def test_an_input_that_takes_no_facts_is_said(tmp_path: Path, name: str) -> None:
    Store(tmp_path / "s").close()
    with pytest.raises(PostError, match="do not come by HTTP"):
        posted(tmp_path / "s", name, b'{"a": 1}')


# ---- news ----


def test_news_wait_for_something_new_and_a_slow_reader_gets_the_latest() -> None:
    async def run() -> None:
        found = sight(possible("wt2", 7))
        first = await asyncio.wait_for(found.news(-1), 5)
        assert first == found.board.version
        waiting = asyncio.create_task(found.news(first))
        await asyncio.sleep(0)  # noqa: TID251 - it waits for news from now on
        assert not waiting.done()
        for number in range(50):
            found.take([possible(f"wt{number}", 8)])
        assert await asyncio.wait_for(waiting, 5) == found.board.version
        assert len(found.board.open) == 51

    asyncio.run(run())


# ---- what else a page reads ----


def test_files_of_changes_are_read_as_they_grow(tmp_path: Path) -> None:
    path = tmp_path / "changes.jsonl"
    first, second = json.dumps(possible("wt2", 7)), json.dumps(possible("wt3", 7))
    path.write_text(first + "\n" + second[:20])
    reader = reader_of(path)
    assert reader.read(10) == [possible("wt2", 7)]
    assert reader.read(10) == []
    with path.open("a") as file:
        file.write(second[20:] + "\nno json\n")
    assert reader.read(10) == [possible("wt3", 7)]


def test_a_folder_of_changes_as_spark_writes_them(tmp_path: Path) -> None:
    row = possible("wt2", 7) | {"answer": '{"X":"wt2","T":7}', "time": None}
    row["forecast"] = [{"tick": tick, "chance": chance} for tick, chance in row["forecast"]]
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "part-0.parquet")
    (tmp_path / "part-1.json").write_text(json.dumps(possible("wt3", 7)) + "\n")
    (tmp_path / "part-2.parquet").write_bytes(b"half a file")
    (tmp_path / "_spark_metadata").mkdir()
    (tmp_path / "_spark_metadata" / "0.json").write_text(json.dumps(possible("none", 7)) + "\n")
    reader = reader_of(tmp_path)
    found = [*reader.read(1), *reader.read(10)]
    assert sorted(each["answer"]["X"] for each in found) == ["wt2", "wt3"]
    board = Board()
    board.take(found)
    assert board.open[WT2].line["forecast"] == possible("wt2", 7)["forecast"]
    assert reader.read(10) == []


def test_a_store_is_read_and_a_folder_may_become_a_feed_later(tmp_path: Path) -> None:
    written(tmp_path / "s", [possible("wt2", 7)]).close()
    assert reader_of(tmp_path / "s").read(9)[1:] == [possible("wt2", 7)]
    (tmp_path / "x").mkdir()
    early = reader_of(tmp_path / "x")
    assert early.read(9) == []
    writer = FolderFeed(tmp_path / "x")
    writer.begin({})
    writer.append([json.dumps(possible("wt2", 7))])
    assert early.read(9)[1:] == [possible("wt2", 7)]
    assert early.read(9) == []
    assert [*reader_of(tmp_path / "x").read(9)[0]] == ["head"]
    with pytest.raises(DataError, match="no such file or folder"):
        reader_of(tmp_path / "none")


def test_a_feed_that_cannot_be_read_is_tried_again() -> None:
    class Fails(NoFeed):
        fails = True

        def read(self, limit: int) -> list[Record]:
            if self.fails:
                raise OSError("the disk is gone")
            return super().read(limit)

    async def run() -> tuple[bool, str]:
        reader = Fails()
        found = LiveBoard(reader)
        following = asyncio.create_task(found.follow())
        failed = await until_async(lambda: found.failure)
        reader.fails = False
        await until_async(lambda: found.failure is None)
        following.cancel()
        return found.failure is None, failed

    assert asyncio.run(run()) == (True, "the disk is gone")
    broken = LiveBoard(NoFeed())
    broken.failure = "the disk is gone"
    answer = ask(guarded(broken), "/healthz", token=None)
    assert (answer.status, answer.json["status"]) == (503, "failed")
    assert "disk" not in answer.text


RULES = Path(__file__).with_name("dry.alog").read_text()
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
        assert details.of([answer]) == {}
        version = live.board.version
        DetailWriter(store.inbox, engine).tend()
        await live.news(version)
        found = details.of([answer])
        assert details.of([answer], 5) == found
        return len(found[MALF].literals)

    assert asyncio.run(looked()) == 1
    app = guarded(live, tmp_path / "s")
    assert "last Temp(high, 5)" in text_of(ask(app, f"/part/answer/{MALF}").text).replace("wt2, ", "")
    assert "details" in ask(app, f"/api/answers/{MALF}").json
    store.close()


def test_there_may_be_nobody_to_ask(tmp_path: Path) -> None:
    live = LiveBoard(reader_of(tmp_path))
    live.take([possible("wt2", 7)])
    (answer,) = live.board.open.values()
    assert DetailReader(tmp_path / "none", live).of([answer]) == {}
    assert DetailReader(Entry().store, live).of([answer]) == {}


# ---- links to answers of long ago ----


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
