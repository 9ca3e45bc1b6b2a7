"""antelog/workbench/play/bench.py: edits as the page posts them, over HTTP and behind its guard."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from antelog.watch.web.api import PostError
from antelog.watch.web.app import Entry, page_app
from antelog.workbench.play.bench import PlayBench
from antelog.workbench.play.running import DraftFiles, PlayOptions
from tests.watch.web.asking import ACTS, ADDRESS, TOKEN, Answered, ask, guarded, sight

RULES = "input P(a, time) delay 1.\nQ(X, T) :- P(X, T), P(X, T+1).\nquery Q(X, T).\n"
EDITS = "/api/bench"


@pytest.fixture
def files(tmp_path: Path) -> DraftFiles:
    (tmp_path / "rules.alog").write_text(RULES)
    (tmp_path / "P.csv").write_text("a,time\nx,0\nx,1\ny,1\n")
    return DraftFiles(tmp_path / "rules.alog", {"P": tmp_path / "P.csv"})


@pytest.fixture
def bench(files: DraftFiles, tmp_path: Path) -> PlayBench:
    assert files.program is not None
    return PlayBench(files, PlayOptions(str(files.program)), tmp_path)


@dataclass(frozen=True)
class Client:
    """Requests to a page with an editor."""

    bench: PlayBench

    def get(self, path: str) -> Answered:
        return self._ask(path, token=ACTS)

    def post(self, *, token: str | None = ACTS, **edit: Any) -> Answered:
        return self.send(json.dumps(edit).encode(), token=token)

    def send(self, body: bytes, *, token: str | None = ACTS, **headers: str) -> Answered:
        given: dict[str, Any] = {"content_type": "application/json", **headers}
        return self._ask(EDITS, method="POST", body=body, token=token, **given)

    def _ask(self, path: str, **given: Any) -> Answered:
        entry = Entry(ADDRESS.hosts, ADDRESS.origins, ADDRESS.tokens, bench=self.bench)
        return ask(page_app(self.bench.live, entry), path, **given)


@pytest.fixture
def page(bench: PlayBench) -> Client:
    return Client(bench)


def post(bench: PlayBench, **edit: Any) -> dict[str, Any]:
    return asyncio.run(bench.post(json.dumps(edit).encode()))


def test_the_views_are_those_of_the_tick(page: Client) -> None:
    first = page.get(EDITS).json
    assert (first["tick"], first["ticks"]) == (0, [0, 1, 2, 3])
    assert "Q" in page.get("/part/now").text
    found = page.post(tick=3).json
    assert found["tick"] == 3
    assert page.get("/api/now").json["total"] == 0
    assert page.get("/api/decided").json["answers"]
    assert page.post(tick=99).status == 400


def test_an_answer_has_its_details(page: Client) -> None:
    answer = page.get("/api/now").json["answers"][0]
    details = page.get(f"/api/answers/{answer['id']}").json["details"]
    assert details["tick"] == 0
    assert [each["literal"] for each in details["literals"]] == ["P(x, 1)"]


def test_an_edit_changes_the_views_and_no_file(page: Client, files: DraftFiles) -> None:
    before = {name: Path(name).read_bytes() for name in files.names}
    rules = RULES.replace("Q(X, T)", "Again(X, T)")
    found = page.post(program=rules, tables=page.get(EDITS).json["tables"]).json
    assert found["problems"] == []
    assert page.get("/api/now").json["answers"][0]["query"] == "Again"
    assert {name: Path(name).read_bytes() for name in files.names} == before


def test_saving_writes_the_files_and_no_others(page: Client, files: DraftFiles, tmp_path: Path) -> None:
    there = sorted(each.name for each in tmp_path.iterdir())
    tables = {"P": {"columns": ["a", "time", "arrival"], "rows": [["x", "0", ""], ["x", "1", "2"]]}}
    page.post(program="% mine\n" + RULES, tables=tables)
    assert page.post(save=True).json == {"saved": files.names}
    assert Path(files.names[0]).read_text().startswith("% mine\n")
    assert Path(files.names[1]).read_text() == "a,time,arrival\nx,0,0\nx,1,2\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == there


def test_a_column_of_arrivals_that_nobody_uses_is_not_saved(bench: PlayBench, files: DraftFiles) -> None:
    tables = {"P": {"columns": ["a", "time", "arrival"], "rows": [["x", "0", ""]]}}
    post(bench, program=RULES, tables=tables)
    post(bench, save=True)
    assert Path(files.names[1]).read_text() == "a,time\nx,0\n"


def test_errors_leave_the_views_as_they_were(bench: PlayBench) -> None:
    tables = bench.state()["tables"]
    found = post(bench, program="Q(X, T) :-", tables=tables)
    assert found["problems"][0]["severity"] == "error"
    assert found["ticks"] == [0, 1, 2, 3]
    assert bench.live.board.open
    assert post(bench, tick=1)["tick"] == 1


@pytest.mark.parametrize("body", [b"", b"[]", b'{"save": 1}', b'{"path": "/"}', b"\xff", b'{"lesson": "x"}'])
def test_what_is_no_edit(bench: PlayBench, body: bytes) -> None:
    with pytest.raises(PostError):
        asyncio.run(bench.post(body))


@pytest.mark.parametrize(
    ("token", "headers", "status"),
    [
        (ACTS, {}, 200),
        (TOKEN, {}, 401),
        (ACTS, {"origin": "https://evil.example", "sec_fetch_site": "cross-site"}, 403),
    ],
)
def test_only_those_who_may_act_edit(
    page: Client, token: str | None, headers: dict[str, str], status: int
) -> None:
    assert page.send(b'{"tick": 1}', token=token, **headers).status == status


def test_an_ordinary_page_has_no_editor() -> None:
    app = guarded(sight())
    assert ask(app, EDITS).status == 404
    assert ask(app, "/export/shared.html").status == 404
    assert "codemirror" not in ask(app, "/").text


def test_what_is_shared_has_all_ticks_and_no_script(page: Client) -> None:
    evil = "<script>alert(1)</script>"
    tables = {"P": {"columns": ["a", "time"], "rows": [[evil, "0"], ["x", "0"], ["x", "1"]]}}
    page.post(program=RULES + f"% {evil}\n", tables=tables)
    text = page.get("/export/shared.html").text
    assert text.count('class="moment"') == len(page.get(EDITS).json["ticks"])
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "src=" not in text.replace("Content-Security", "")


def test_a_lesson_is_opened(tmp_path: Path) -> None:
    bench = PlayBench(DraftFiles(), PlayOptions(), tmp_path)
    assert bench.state()["lesson"] in bench.state()["lessons"]
    found = post(bench, lesson="Numbers")
    assert "degrees" in found["program"]
    assert post(bench, save=True) == {"saved": []}
