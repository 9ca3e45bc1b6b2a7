"""antelog/workbench/play/running.py: what comes of a draft is what `antelog try` says of the same files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import antelog
from antelog.errors import AntelogError, DataError
from antelog.watch.web.api import PostError
from antelog.workbench.play.bench import LESSONS
from antelog.workbench.play.running import (
    LARGEST,
    Course,
    Draft,
    DraftFiles,
    Played,
    PlayOptions,
    Sheet,
    fitted,
    play,
)
from scripts import lessons

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
