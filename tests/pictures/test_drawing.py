"""antelog/pictures/{answers,drawing,entry,overview,panels,rows,theme}.py: answers, or how many there are."""

import json
import re
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import altair as alt
import pytest

import antelog
from antelog.answers import CONFIRMED, OPEN, REJECTED
from antelog.errors import DataError, OutputError
from antelog.language.moments import Timescale
from antelog.lines import literal_of
from antelog.pictures import theme
from antelog.pictures.answers import draw_answers, easy
from antelog.pictures.drawing import THEMES
from antelog.pictures.history import Answer, History, of_row
from antelog.pictures.rows import Clock, Frame, answer_rows, clock, mark_rows
from tests.cli.trying import LOG, PROGRAM
from tests.pictures.looks import colours, texts
from tests.processes import longest_file

ROWS = [json.loads(line) for line in LOG]


def answer(number: int, outcome: str = OPEN, **more: Any) -> Answer:
    names = [each.name for each in fields(Answer)]
    given: dict[str, Any] = {"since": number, "until": number + 2, "outcome": outcome}
    given |= {name: value for name, value in more.items() if name in names}
    line = {"tick": number} | {name: value for name, value in more.items() if name not in names}
    given["evidence"] = {literal_of(text): tick for text, tick in more.get("evidence", {}).items()}
    given["missing"] = tuple(map(literal_of, more.get("missing", ())))
    row = {"change": "possible", "query": "Malf", "answer": {"X": f"wt{number}", "T": number}, **line}
    return Answer(of_row(row), **given)


def of(*answers: Answer, now: int = 9) -> History:
    return History(answers, now)


def framed(last: int, *, first: int = 0) -> Frame:
    return Frame(Clock(), first, last, last, 700, 50)


MANY = of(*(answer(n % 40, (OPEN, CONFIRMED, REJECTED)[n % 3]) for n in range(300)), now=42)


# ---- a row for each answer ----


def test_each_answer_has_its_label_and_its_marks() -> None:
    svg = antelog.draw(ROWS).svg()
    shown = texts(svg)
    for row in ROWS:
        assert {row["answer"]["X"], "Malf", str(row["answer"]["T"])} <= {*shown}
    assert {"evidence", "confirmed", "rejected", "tick", "Answers over time"} <= {*shown}
    assert "awaited" not in shown, "everything is decided"


def test_marks_of_an_open_answer() -> None:
    one = answer(
        3, evidence={"Temp(wt3, high, 3)": 3}, missing=("Temp(wt3, high, 7)", "Temp(wt3, low, T2)"),
        until=5, decided_by=9,
    )  # fmt: skip
    shown = mark_rows(of(one), framed(12))
    assert [(m["kind"], m["x"], m.get("x2")) for m in shown] == [
        ("bar", 3, 5),
        ("evidence", 3, None),
        ("awaited", 7, None),
        ("awaited", 9, None),  # its time is not known; it has to come before the deadline
        ("ahead", 5, 9),
        ("deadline", 9, None),
    ]


def test_marks_of_an_open_answer_without_a_deadline() -> None:
    shown = mark_rows(of(answer(3, until=5)), framed(12))
    assert [(m["kind"], m["x"], m.get("x2")) for m in shown] == [("bar", 3, 5), ("ahead", 5, 12)]


def test_a_mark_does_not_cover_another() -> None:
    one = answer(3, until=5, evidence={"P(5)": 5}, missing=("P(5)", "Q(5)"), decided_by=7)
    shown = {m["kind"]: m["shift"] for m in mark_rows(of(one), framed(9))}
    assert shown["awaited"] > 0 == shown["evidence"]


def test_an_answer_that_was_open_for_a_moment_is_seen() -> None:
    one = answer(3, CONFIRMED, evidence={"P(3)": 3}, until=4)
    (bar, _, tick) = mark_rows(of(one), framed(10_000))
    assert bar["shift"] == 10  # pixels; the tick is less than one
    assert tick["shift"] == 24  # the mark of the outcome does not cover it
    (bar, _, tick) = mark_rows(of(one), framed(9))
    assert (bar["shift"], tick["shift"]) == (0, 14)
    (bar, *_) = mark_rows(of(answer(3, until=3, decided_by=5)), framed(10_000))
    assert bar["shift"] == 0  # it goes on, and would seem to be open later than now


def test_marks_at_the_ends_have_room() -> None:
    area = framed(10_000, first=100)
    first, last = _domain(area.x(marks=True))
    assert area.pixels(100 - first) == pytest.approx(10)
    assert area.pixels(last - 10_000) == pytest.approx(36)
    assert _domain(framed(9).x(marks=True)) == [-0.6, 9.6]


def _domain(axis: alt.X) -> list[float]:
    found: Any = axis.to_dict()
    domain: list[float] = found["scale"]["domain"]
    return domain


def test_what_is_said_of_an_answer() -> None:
    one = answer(
        3, evidence={"P(3)": 3}, missing=("P(4)",), decided_by=6, if_silent={"change": "rejected", "tick": 5}
    )
    (row,) = answer_rows(of(one), Clock())
    assert row["tip"] == {
        "answer": "Malf(wt3, 3)", "state": "open", "since": "3", "evidence": "P(3)  known at 3",
        "missing": "P(4)", "deadline": "6", "if silent": "rejected at 5",
    }  # fmt: skip
    (row,) = answer_rows(of(answer(3, REJECTED, because=("P(4)",))), Clock())
    assert row["tip"]["state"] == "rejected at 5"
    assert row["tip"]["because"] == "P(4)"


def test_what_is_said_has_timestamps_where_the_axis_has() -> None:
    one = answer(
        19786, evidence={"P(a, 19786)": 19787}, missing=("P(a, 19788)", "P(S) where S > 19787"),
        because=("not P(19787)",), decided_by=19789, if_silent={"change": "rejected", "tick": 19788},
    )  # fmt: skip
    days = clock(Timescale(24 * 3600 * 1_000_000), 19786, 19789)
    (row,) = answer_rows(of(one), days)
    assert row["tip"] == {
        "answer": "Malf(wt19786, 19786)", "state": "open", "since": "2024-03-04",
        "evidence": "P(a, 2024-03-04)  known at 2024-03-05",
        "missing": "P(a, 2024-03-06)\nP(S) where S > 2024-03-05",
        "deadline": "2024-03-07", "if silent": "rejected at 2024-03-06", "because": "not P(2024-03-05)",
    }  # fmt: skip


def test_long_lists_are_cut() -> None:
    one = answer(3, missing=tuple(f"P({n})" for n in range(100)))
    (row,) = answer_rows(of(one), Clock())
    assert row["tip"]["missing"].endswith("P(11)\nand 88 more")


def test_colours_tell_the_outcomes_apart() -> None:
    for outcome, colour in ((OPEN, theme.BLUE), (CONFIRMED, theme.BLUE), (REJECTED, theme.GREY)):
        found = colours(draw_answers(of(answer(3, outcome))).svg())
        others = {theme.BLUE, theme.GREY} - {colour, theme.BLUE}  # the legend has blue, and all text is ink
        assert found[colour] > 0
        assert not any(found[other] for other in others)


@pytest.mark.parametrize("severity", theme.SEVERITY)
def test_what_is_confirmed_has_the_colour_of_its_severity(severity: str) -> None:
    worded = answer(3, CONFIRMED, severity=severity, words="turbine wt3 is about to shut down")
    svg = draw_answers(of(worded)).svg()
    assert colours(svg)[theme.SEVERITY[severity]] > 0
    assert {*theme.SEVERITY.values()} & colours(svg).keys() == {theme.SEVERITY[severity]}
    assert "turbine wt3 is about to shut down" in texts(svg)
    (row,) = answer_rows(of(worded), Clock())
    assert row["tip"]["atom"] == "Malf(wt3, 3)"


@pytest.mark.parametrize("most", [1, 60])
def test_nothing_to_draw_says_so(most: int, tmp_path: Path) -> None:
    nothing = draw_answers(of(), most=most)
    assert {"0 answers", "Nothing to draw: there are no answers."} <= {*texts(nothing.svg())}
    assert re.search(r'width="800" height="\d{3}"', nothing.svg())
    for name in ("none.png", "none.html", "none.svg"):
        nothing.save(tmp_path / name)


# ---- a part of time ----


def test_since_and_until() -> None:
    log = [row | {"explanations": []} for row in ROWS]
    whole = [each for row in log for each in [row["tick"]]]
    assert (min(whole), max(whole)) == (0, 3)
    shown = texts(antelog.draw(log, until=1).svg())
    assert {"2 answers: 2 open", "now"} <= {*shown}
    shown = texts(antelog.draw(log, since=3).svg())
    assert "2 answers: 2 rejected" in shown
    assert not {"2"} & {*shown}, "ticks before are not on the axis"
    assert "0 answers" in texts(antelog.draw(log, since=9).svg())


def test_since_and_until_may_be_timestamps() -> None:
    program = antelog.parse("tick 1 hour.\n" + PROGRAM)
    first = 474_778  # 2024-02-29, 10:00
    changes = antelog.Engine(program).advance(
        first + 9, {"Temp": [("wt2", "high", first), ("wt2", "high", first + 1)]}
    )
    at = datetime(2024, 2, 29, 11, 30, tzinfo=UTC)
    drawn = antelog.draw(changes, program=program, since=at, until=datetime(2024, 2, 29, 12, tzinfo=UTC))
    shown = texts(drawn.svg())
    assert "2 answers: 1 open, 1 confirmed" in shown
    assert shown.count("10:00") == 1, "it is the time of an answer, and not on the axis"
    for since, now in (
        ("2024-02-29 11:30", "2024-02-29T12:00Z"),
        (at, datetime(2024, 2, 29, 12, tzinfo=UTC)),
    ):
        again = antelog.draw(changes, program=program, since=since, until="2024-02-29 12:00", now=now)
        assert texts(again.svg()) == shown
    with pytest.raises(DataError, match="'2024-02-29' is a timestamp, and the program does not say"):
        antelog.draw(changes, since="2024-02-29")
    with pytest.raises(DataError, match="timestamp"):
        antelog.draw(changes, since=at)
    with pytest.raises(DataError, match="leave out `until`"):
        antelog.draw(antelog.Engine(program), until=3)


# ---- many answers ----


def test_many_answers_are_counted() -> None:
    drawing = draw_answers(MANY)
    shown = texts(drawing.svg())
    assert "300 answers: 100 open, 100 confirmed, 100 rejected" in shown
    assert "Open answers" in shown
    assert not any(text.startswith("Malf") for text in shown)


def test_counts_are_whole_numbers() -> None:
    few = of(*(answer(n, CONFIRMED, until=n) for n in range(0, 300, 4)), now=300)
    shown = texts(draw_answers(few).svg())
    assert not any("." in text for text in shown if text[:1].isdigit())
    assert {"0", "1", "2"} <= {*shown}
    assert not any(text.startswith("\N{MINUS SIGN}") for text in shown)


def test_how_many_are_shown_one_by_one() -> None:
    assert sum(text == "Malf" for text in texts(draw_answers(MANY, most=300).svg())) == 300


def test_the_numbers_add_up() -> None:
    counted = draw_answers(MANY).chart.to_dict()
    open_ones, decided, waited = (counted["datasets"][view["data"]["name"]] for view in counted["vconcat"])
    assert open_ones[-1] == {"x": 42, "open": 100, "tip": {"tick": "42", "open": 100}}
    numbers = [(each["kind"], each["number"] - each["from"]) for each in decided]
    assert sum(number for kind, number in numbers if kind == CONFIRMED) == 100
    assert sum(number for kind, number in numbers if kind == REJECTED) == -100
    assert sum(each["number"] for each in waited) == 300


@pytest.mark.parametrize(
    ("number", "step"), [(0, 1), (1, 1), (1.1, 2), (3, 5), (7, 10), (11, 20), (201, 500)]
)
def test_easy_numbers(number: float, step: int) -> None:
    assert easy(number) == step


def test_a_page_of_many_answers_has_each_of_them() -> None:
    page = draw_answers(MANY).html()
    assert all(re.search(rf'"lane": ?\[?"wt{n}"', page) for n in range(40))
    assert '"stretch"' in page


# ---- light and dark, narrow and wide ----


def test_every_colour_has_a_counterpart_on_dark() -> None:
    for drawing in (antelog.draw(ROWS), draw_answers(MANY), antelog.draw(antelog.parse(PROGRAM))):
        assert colours(drawing.svg()).keys() <= theme.DARK.keys()


def test_themes() -> None:
    auto, light, dark = (antelog.draw(ROWS, theme=each).svg() for each in THEMES)
    assert "prefers-color-scheme:dark" in auto
    assert "prefers-color-scheme" not in light + dark
    assert colours(dark).keys() <= {*theme.DARK.values()}
    with pytest.raises(DataError, match=r"there is no theme drak\. Did you mean dark\?"):
        antelog.draw(ROWS, theme="drak")  # type: ignore[arg-type]


# ---- files and notebooks ----


def test_files(tmp_path: Path) -> None:
    drawing = antelog.draw(ROWS)
    for name, beginning in (("a.svg", b"<svg"), ("a.PNG", b"\x89PNG"), ("a.html", b"<!doctype html>")):
        drawing.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(beginning)
    with pytest.raises(DataError, match=r"a\.pdf: a picture is \.svg, \.png or \.html, not \.pdf"):
        drawing.save(tmp_path / "a.pdf")
    with pytest.raises(OutputError, match="cannot be written: No such file"):
        drawing.save(tmp_path / "none" / "a.svg")


def test_a_picture_that_finds_no_room_leaves_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    path.write_text("before")
    with longest_file(1000), pytest.raises(OutputError, match=r"a\.svg: cannot be written: File too large"):
        antelog.draw(ROWS).save(path)
    assert path.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["a.svg"]


def test_a_page_asks_for_nothing_else() -> None:
    page = antelog.draw(ROWS).html()
    without_scripts = re.sub(r"(<script[^>]*>).*?</script>", r"\1", page, flags=re.DOTALL)
    assert not re.search(r"src=|href=|url\((?!'data:)|@import", without_scripts)
    assert "vegaEmbed" in page
    assert page.count("</script") == 1


def test_notebooks_get_an_svg() -> None:
    bundle = antelog.draw(ROWS)._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg")


def test_an_engine_is_drawn_as_it_is_now() -> None:
    engine = antelog.Engine(antelog.parse(PROGRAM))
    engine.advance(1, {"Temp": [("wt2", "high", 0), ("wt4", "high", 1)]})
    shown = texts(antelog.draw(engine).svg())
    assert {"wt2", "wt4", "Malf", "0", "1", "awaited", "deadline", "now"} <= {*shown}


def test_facts_do_not_end_or_begin_a_script() -> None:
    evil = "<!--<script></script>\u2028\u202e"
    program = antelog.parse("input A(x: text, time).\nP(X, T) :- A(X, T).\nquery P(X, T).\n")
    engine = antelog.Engine(program)
    drawing = antelog.draw(engine.advance(0, {"A": [(evil, 0)]}), title=evil)
    page = drawing.html()
    assert any("<script></script>" in text for text in texts(drawing.svg()))
    (specification,) = re.findall(r"^const specification = (.*);$", page, re.MULTILINE)
    assert "\\u003c!--\\u003cscript>" in specification
    assert not re.search("[<\u2028\u202e]", specification)
    assert evil in json.dumps(json.loads(specification), ensure_ascii=False)
    assert "<!--" not in page.partition("<script")[0]
