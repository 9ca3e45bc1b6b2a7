"""antelog/workbench/play: a draft has the changes of `antelog try`, and edits as the page posts them."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import antelog
from antelog.errors import AntelogError, DataError
from antelog.watch.web.api import PostError
from antelog.watch.web.app import Entry, page_app
from antelog.watch.web.export import Draft, Sheet
from antelog.workbench.play.bench import LESSONS, PlayBench
from antelog.workbench.play.running import LARGEST, Course, DraftFiles, Played, PlayOptions, fitted, play
from scripts import lessons
from tests.watch.web.asking import ACTS, ADDRESS, TOKEN, Answered, ask, guarded, sight

RULES = "input P(a, time) delay 1.\nQ(X, T) :- P(X, T), P(X, T+1).\nquery Q(X, T).\n"
FACTS = Sheet(("a", "time", "arrival"), (("x", "0", ""), ("x", "1", "2"), ("y", "1", ""), ("x", "2", "9")))


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str, dict[str, Sheet]], Played]:
    return lambda program, tables: play(Draft(program, tables), PlayOptions(), tmp_path)


Run = Callable[[str, dict[str, Sheet]], Played]


def course_of(played: Played) -> Course:
    assert played.course is not None, played.problems
    return played.course


def changes_of(played: Played) -> list[object]:
    return [record for _, record in course_of(played).records if "change" in record]


@pytest.mark.parametrize("title", LESSONS)
def test_a_lesson_has_the_answers_of_try(tmp_path: Path, title: str) -> None:
    draft = LESSONS[title]
    files = DraftFiles(tmp_path / "rules.alog", {name: tmp_path / f"{name}.csv" for name in draft.tables})
    files.save(draft)
    folder = tmp_path / "play"
    folder.mkdir()
    played = play(draft, PlayOptions(), folder)
    program = antelog.load(tmp_path / "rules.alog")
    inputs = {each.name for each in program.plan.inputs}
    static = {
        name: [tuple(row) for row in sheet.rows] for name, sheet in draft.tables.items() if name not in inputs
    }
    given = {name: path for name, path in files.tables.items() if name in inputs}
    lines = [json.loads(line) for line in antelog.replay(program, given, static=static).lines()]
    assert changes_of(played) == lines
    assert played.problems == []


def test_the_lessons_are_those_of_the_tutorial() -> None:
    assert lessons.LESSONS.read_bytes() == lessons.content(), "python -m scripts.lessons"


def test_the_board_of_each_tick(run: Run) -> None:
    course = course_of(run(RULES, {"P": FACTS}))
    assert course.ticks == list(range(10))
    assert course.labels == [str(tick) for tick in range(10)]
    seen = {tick: len(course.board_at(tick).open) for tick in course.ticks}
    assert seen[0] == 1
    assert course.board_at(2).changes["Q", "confirmed"] == 1
    assert not seen[9]
    counts = [next(course.board_at(tick).inputs.each()).facts for tick in (0, 1, 2)]
    assert counts == [1, 2, 3]
    assert course.begin == 0


def test_the_engine_of_a_tick_has_what_arrived_by_then(run: Run) -> None:
    course = course_of(run(RULES, {"P": FACTS}))
    for tick in course.ticks:
        engine = course.engine_at(tick)
        assert engine.now == tick
        still = [each for each in engine.answers("Q").to_pylist() if each["change"] != "confirmed"]
        assert len(still) == len(course.board_at(tick).open)


def test_rows_set_aside_have_their_place_and_empty_ones_none(run: Run) -> None:
    rows = (("x", "0"), ("", ""), ("y", "soon"), ("z", "-1"), ("x", "1"))
    played = run(RULES, {"P": Sheet(("a", "time"), rows)})
    assert [(each["table"], each["row"]) for each in played.aside] == [("P", 2), ("P", 3)]
    assert all(each["why"] for each in played.aside)
    course = course_of(played)
    assert course.board_at(course.ticks[-1]).changes["Q", "confirmed"] == 1


def test_problems_have_their_places(run: Run) -> None:
    played = run("input P(a, time).\nQ(X, T) :- P(X T).\nquery Q(X, T).\nquery Z(T).\n", {})
    assert played.course is None
    assert {each["line"] for each in played.problems} >= {2}


def test_a_program_without_facts_has_tables_to_fill(run: Run) -> None:
    played = run(RULES, {})
    assert played.draft.tables == {"P": Sheet(("a", "time", "arrival"))}
    assert played.problems == []
    assert course_of(played).ticks == []


def test_a_calendar_has_times_for_ticks(run: Run) -> None:
    rows = (("x", "2026-03-30T02:50:00Z"), ("x", "2026-03-30T03:00:00Z"))
    course = course_of(run(f"tick 10 minutes.\n{RULES}", {"P": Sheet(("a", "time"), rows)}))
    assert course.labels[0].startswith("2026-03-30 02:50")
    assert len(course.ticks) == len(course.labels) < 10


def test_what_cannot_be_run_is_said(tmp_path: Path) -> None:
    both = Sheet(("a", "time"), (("x", "1"),) * 6_000)
    found = play(Draft(RULES, {"P": both}), PlayOptions(), tmp_path)
    assert "5,000 rows" in str(found.problems)
    called = "input P(a, time).\nfunction f(a).\nQ(X, T) :- P(X, T), f(X).\nquery Q(X, T).\n"
    found = play(Draft(called, {"P": FACTS}), PlayOptions(), tmp_path)
    assert "f" in str(found.problems[-1])


def test_a_newer_draft_stops_an_older_one(tmp_path: Path) -> None:
    with pytest.raises(PostError):
        play(Draft(RULES, {"P": FACTS}), PlayOptions(), tmp_path, lambda: True)


@pytest.mark.parametrize("text", ["", "%", "query", "\0", "P(X) :- " * 2_000, "🦌", 'include "../x.alog".'])
def test_no_text_gives_a_traceback(run: Run, text: str) -> None:
    try:
        assert isinstance(run(text, {"P": FACTS}), Played)
    except AntelogError as error:  # would be shown, too, but the page counts on problems
        pytest.fail(str(error))


SHEET = Sheet(("device", "level", "time"), (("wt2", "high", "0"),))


@pytest.mark.parametrize(
    ("sheet", "wanted", "columns"),
    [
        (None, ("device", "time"), ("device", "time", "arrival")),
        (Sheet(), ("device", "time"), ("device", "time", "arrival")),
        (SHEET, ("device", "level", "time"), ("device", "level", "time")),
        (SHEET, ("time", "device", "level"), ("device", "level", "time")),
        (SHEET, ("turbine", "level", "time"), ("turbine", "level", "time")),
        (SHEET, ("device", "level", "state", "time"), ("device", "level", "time", "state")),
        (SHEET, ("device", "time"), ("device", "level", "time")),
        (Sheet(("a", "arrival", "time")), ("b", "c", "time"), ("b", "arrival", "time", "c")),
    ],
)
def test_a_table_fits_the_program(sheet: Sheet | None, wanted: tuple[str, ...], columns: object) -> None:
    found = fitted(sheet, wanted, ("arrival",))
    assert found.columns == columns
    assert found.rows == (() if sheet is None else sheet.rows)


def test_what_is_saved_is_read_again_as_it_was(tmp_path: Path) -> None:
    files = DraftFiles(tmp_path / "new.alog", {"Temp": tmp_path / "new.csv"})
    assert files.read() == Draft("", {"Temp": Sheet()})
    rows = (('a "quoted", one', "high", "1"), ("two\nlines", "", "2"), ("Ü", "=1+1", "3"))
    draft = Draft("query P(T).\r\n% the end", {"Temp": Sheet(("device", "level", "time"), rows)})
    assert files.save(draft) == files.names
    assert files.read() == draft


def test_rows_that_are_empty_are_not_saved(tmp_path: Path) -> None:
    files = DraftFiles(None, {"Temp": tmp_path / "Temp.csv"})
    files.save(Draft("", {"Temp": Sheet(("a", "time"), (("x", "1"), ("", " "), ("y",)))}))
    assert (tmp_path / "Temp.csv").read_text() == "a,time\nx,1\ny,\n"
    assert [each.name for each in tmp_path.iterdir()] == ["Temp.csv"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe\x00", "is not text in UTF-8"),
        (b'a,b\n"x,1\n', "is not CSV"),
        (b"a,time\n" + b"x,1\n" * (LARGEST + 1), "5,001 rows"),
    ],
)
def test_a_file_that_is_no_table(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "Temp.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=said):
        DraftFiles(None, {"Temp": path}).read()


def test_a_mark_at_the_beginning_of_a_file_is_no_part_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / "Temp.csv"
    for content, sheet in (("", Sheet()), ("\ufeffdevice,time\n", Sheet(("device", "time")))):
        path.write_bytes(content.encode())
        assert DraftFiles(None, {"Temp": path}).read().tables["Temp"] == sheet


# ---- edits over HTTP, behind the guard of the page ----

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
