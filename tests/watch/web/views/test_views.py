"""antelog/watch/web/{views,templating,templates}: what is seen, and how."""

import re
from html.parser import HTMLParser
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from antelog.answers import name_of
from antelog.forecast.scores.scores import Scores, result
from antelog.language.moments import Timescale
from antelog.pictures.marks import LABEL, RULE
from antelog.theme import embedded_face
from antelog.watch.web.live_board import LiveBoard
from antelog.watch.web.templating import PACKAGE, share
from antelog.watch.web.views.context import TickClock, ViewContext
from antelog.watch.web.views.plan import PlanDrawing, _graph
from antelog.watch.web.views.trust import scores_page
from tests.forecast.reports.test_text import EDGES, MINUTES, RIGHT, SURE
from tests.lines import lines_of
from tests.watch.lines import PROGRAM, confirmed, head, possible, rejected, some, status
from tests.watch.web.asking import NoFeed, ask, guarded, sight
from tests.watch.web.test_freshness import silent

WT2 = name_of("Malf", {"X": "wt2", "T": 7})
EVIL = "<img src=x onerror=alert(1)>\"'&\x1b[2J"
VIEWS = ("now", "list", "list/rows", "decided", "inputs", "trust", "plan", f"answer/{WT2}")


def seen(view: str, *records: dict) -> str:  # type: ignore[type-arg]
    return ask(guarded(sight(*records)), f"/part/{view}").text


class Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(text)
        assert self.open == [], "every element ends"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs
        if tag not in ("input", "br", "meta", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("answers", [0, 5])
def test_views_are_well_formed_with_no_and_some_answers(view: str, answers: int) -> None:
    if answers == 0 and view.startswith("answer"):
        return
    records = [possible("wt2", 7, chance=0.7), *some(answers)] if answers else []
    found = Elements(seen(view, *records))
    assert found.names
    # The policy blocks styles and scripts in markup: there must be none to block.
    assert not {"script", "style"} & {*found.names}
    assert not [name for name, _ in found.attributes if name == "style" or name.startswith("on")]


@pytest.mark.parametrize("view", ["now", "list", "list/rows", "decided", "inputs", "trust", "plan", "answer"])
def test_facts_with_markup_stay_text(view: str) -> None:
    id_ = name_of("Malf", {"X": EVIL, "T": 7})
    old = (possible(EVIL, 3), confirmed(EVIL, 3, 4), possible(EVIL, 2), rejected(EVIL, 2, 5))
    reject = {"reject": {"input": EVIL, "reason": EVIL, "row": EVIL, "tick": 7}}
    state = status(8)
    state["status"]["inputs"][EVIL] = state["status"]["inputs"]["Temp"]
    state["status"]["holding"] = EVIL
    text = seen(f"answer/{id_}" if view == "answer" else view, possible(EVIL, 7), *old, reject, state)
    assert "img" not in Elements(text).names
    assert "\x1b" not in text
    if view in ("now", "list", "list/rows", "decided", "inputs", "answer"):
        assert any("<img src=x" in each for each in Elements(text).texts)


def test_a_row_says_all_that_matters() -> None:
    text = seen("list/rows", possible("wt2", 7, chance=0.8))
    words = " ".join("".join(Elements(text).texts).split())
    assert "80\xa0%" in text
    assert "wt2" in words
    assert "Malf(7)" in words
    assert 'title="Malf(wt2, 7)"' in text
    assert "1 of 2 there · awaits Temp(high, 8)" in words
    assert "alert from 75 %" in words
    assert "3 ticks" in words
    assert "else rejected" in words
    assert text.count('class="known"') == 1
    assert text.count('class="awaited"') == 1
    assert 'aria-posinset="1" aria-setsize="1"' in text
    assert "chance warning likely" in text
    assert "likely" not in seen("list/rows", possible("wt2", 7, chance=0.7))


def test_words_stand_in_place_of_the_answer() -> None:
    text = seen("list/rows", possible("wt2", 7, text="turbine wt2 is <about> to stop"))
    assert "possible: is &lt;about&gt; to stop" in text, "what is possible does not read as fact"
    assert "Malf(7)" not in text
    assert 'title="Malf(wt2, 7)"' in text
    assert "is about to stop" in seen("list/rows", possible("", 7, text="turbine  is about to stop"))
    text = seen(f"answer/{WT2}", possible("wt2", 7, text="turbine wt2 is about to stop"))
    assert "<h1>turbine wt2 is about to stop</h1>" in text
    assert "Malf" in "".join(Elements(text).texts)


@pytest.mark.parametrize(
    ("awaited", "words", "otherwise"),
    [
        ("count(Temp(X, high, T..T+4)) >= 3", "2 more Temp by 11", "fewer come"),
        ("not Ack(X, _, T..T+4)", "no Ack until 11", "it comes"),
        ("Ack(X, ann, T+1)", "Ack is ann at 8", "it is not"),
    ],
)
def test_a_fork_says_what_it_hangs_on(awaited: str, words: str, otherwise: str) -> None:
    rules = "input Temp(device, level, time) delay 1. input Ack(device, who, time) delay 1.\n"
    rules += f"Malf(X, T) :- Temp(X, high, T), {awaited}.\nquery Malf(X, T)."
    facts = [("Temp", ("wt2", "high", 7), 7), ("Temp", ("", "high", 7), 7)]  # a name may be empty, too
    texts = Elements(seen("now", head(program=rules), *lines_of(rules, facts, 7))).texts
    assert (texts.count(words), texts.count(otherwise)) == (2, 2)


def test_a_literal_with_an_open_time_is_a_stretch() -> None:
    rules = PROGRAM.replace("Hot(X, T+1).", "Oil(X, low, U), U > T, U <= T+2.")
    rules = f"input Oil(device, level, time).\n{rules}"
    text = seen("list/rows", head(program=rules), *lines_of(rules, [("Temp", ("wt2", "high", 7), 7)], 7))
    assert "awaited stretch" in text


def test_without_chances_none_is_made_up() -> None:
    for view in ("now", "list/rows", f"answer/{WT2}"):
        words = "".join(Elements(seen(view, possible("wt2", 7, chance=None))).texts)
        assert "%" not in words
        assert 'class="chance' not in seen(view, possible("wt2", 7, chance=None))


def test_what_is_certain_is_never_in_the_list_of_what_is_open() -> None:
    records = [possible("wt2", 7), possible("done", 5), confirmed("done", 5, 7)]
    assert "done" not in seen("list/rows", *records)
    assert 'data-group="done"' not in seen("now", *records)


def test_an_empty_list_says_why() -> None:
    assert "Nothing is open" in ask(guarded(sight()), "/part/list/rows").text
    nothing = LiveBoard(NoFeed(), caught_up=True)
    assert "Waiting for the first facts" in ask(guarded(nothing), "/part/list/rows").text
    nothing.board.take([head(tick=-1, program=f"tick 5 seconds.\n{PROGRAM}"), status(-1, facts=0)])
    for view in ("now", "inputs"):
        text = ask(guarded(nothing), f"/part/{view}").text
        assert "tick -1" not in text
        assert "1970" not in text
        assert "decided by" not in text
    assert "Waiting for the first facts" in ask(guarded(nothing), "/part/list/rows").text
    assert "Nothing is open" in seen("list/rows", status(8))
    assert "No open answer fits" in ask(guarded(sight(possible("wt2", 7))), "/part/list/rows?text=none").text


def test_names_are_cut_so_that_they_differ_in_the_list_of_decided_answers_too() -> None:
    keys = [f"north/hall/{'a' * 5_000}{n}{'b' * 5_000}" for n in (1, 2)]
    found = seen("decided/rows", *(confirmed(key, 7, 8) for key in keys))
    names = re.findall(r"north/hall/</span>([^<]+)</span>.* north/hall</span>", found)
    assert (len(names), len({*names}), max(map(len, names)) < 50) == (2, 2, True)


def test_an_answer_has_its_history_what_it_awaits_and_its_rules() -> None:
    reported = (possible("wt2", 7, chance=0.5), possible("wt2", 7, 8, 0.8))
    words = "".join(Elements(seen(f"answer/{WT2}", *reported)).texts)
    for expected in (
        "If nothing comes, it is ✕ rejected at tick 10.",
        "Temp(wt2, high, 8)✓ confirmed✕ rejected",
        "hot.alog:4",
        "Malf(X, T) :- Hot(X, T), Hot(X, T+1).",
        "80\xa0%",
        "rests on",
        "50\xa0%",
    ):
        assert expected in words, expected


def test_what_two_explanations_await_is_listed_once() -> None:
    rule = "Malf(X, T) :- Hot(X, T), Hot(X, T+1)."
    rules = PROGRAM.replace(rule, "\n".join(rule.replace(".", f", Oil(X, {at}, T+1).") for at in ("a", "b")))
    rules = f"input Oil(device, level, time).\n{rules}"
    lines = lines_of(rules, [("Temp", ("wt2", "high", 7), 7)], 7)
    words = "".join(Elements(seen(f"answer/{WT2}", head(program=rules), *lines)).texts)
    awaited = ("Temp(wt2, high, 8)", "Oil(wt2, a, 8)", "Oil(wt2, b, 8)")
    assert [words.count(f"{each}1 more is awaited") for each in awaited] == [1, 1, 1]


def test_a_decided_answer_says_what_became_of_it() -> None:
    words = "".join(Elements(seen(f"answer/{WT2}", possible("wt2", 7), rejected("wt2", 7, 10))).texts)
    assert "✕ rejected at tick 10" in words
    assert "because this can no longer hold" in words
    words = "".join(Elements(seen(f"answer/{WT2}", possible("wt2", 7), confirmed("wt2", 7, 8))).texts)
    assert "✓ confirmed at tick 8" in words
    assert "Open for1 tick" in words


def test_decided_answers_say_how_early_they_were_reported() -> None:
    reported = (possible("a", 5, 5), possible("a", 5, 6, 0.9, change="likely"), confirmed("a", 5, 8))
    words = "".join(Elements(seen("decided", *reported)).texts)
    assert "3 ticks" in words
    assert "2 ticks" in words
    assert "confirmed by Temp(high, 6)" in words
    assert "averted: no Temp(high, 6)" in seen("decided", possible("b", 5), rejected("b", 5, 8))
    rules = PROGRAM.replace("Hot(X, T+1)", "not Hot(X, T+2)")
    facts = [("Temp", ("wt2", "high", at), at) for at in (5, 7)]
    assert "averted by Hot(7)" in seen("decided", head(program=rules), *lines_of(rules, facts, 8))


def test_inputs_say_what_holds_time_back_and_how_late_facts_come() -> None:
    text = seen("inputs", status(7), {"reject": {"input": "Temp", "reason": "late", "row": "a,b", "tick": 7}})
    words = "".join(Elements(text).texts)
    assert "holds time back" in words
    assert "held by Temp" in words
    for ticks, how in ((40, "40 ticks behind"), (None, "no fact yet")):
        held = status(7, held={"source": "Temp from t[1]", "ticks": ticks})
        assert f"held by Temp from t[1], {how}" in "".join(Elements(seen("inputs", held)).texts)
    words = "".join(Elements(text).texts)
    assert "1 tick late, 50\xa0% of the delay" in words
    assert "90\xa0%" in words
    assert "declared delay" in words
    assert "a,b" in words


def test_the_rate_is_over_the_seconds_that_there_were() -> None:
    looks = [status(7, facts=100), status(8, facts=300, at="2026-11-25T09:00:02.000Z")]
    words = "".join(Elements(seen("inputs", *looks)).texts)
    assert "Facts a second100over the last seconds" in words
    assert "09:00:02" in words
    assert "Cut above" not in words


def test_a_backlog_does_not_flatten_rates_and_sources_and_silent_devices_are_named() -> None:
    facts = (0, 50_000, 50_010, 50_020, 50_030)
    looks = [status(7, each, f"2026-11-25T09:00:0{at}.000Z") for at, each in enumerate(facts)]
    names = [f"press-{number}" for number in range(30)]
    looks.append(silent(40, *names) | {})
    looks[-1]["status"]["sources"] = {"Temp": "kafka://broker:9092/t"}
    text = seen("inputs", *looks)
    words = "".join(Elements(text).texts)
    assert 'data-most="40.0"' in text
    assert "Cut above: 50,000 at 09:00:01." in words
    assert "fromkafka://broker:9092/t" in words
    assert re.search(r"Silentpress-0, since [^p]*press-1, since .*press-23, since [^p]*and 16 more", words)


def test_trust_has_the_worst_first_and_a_plan_of_many_answers_counts_some() -> None:
    rules = PROGRAM + "Cold(X, T) :- Hot(X, T), Hot(X, T+1).\nquery Cold(X, T) critical.\n"
    facts = [("Temp", (f"d{at}", "high", 5), 5) for at in range(1_100)]
    lines = [head(program=rules), *lines_of(rules, facts, 9)]
    assert re.findall(r"<h2>(\w+)</h2>", seen("trust", *lines, status(9))) == ["Cold", "Malf"]
    live = sight(*(each for each in lines if each.get("tick", 5) == 5))
    text = ask(guarded(live), "/part/plan").text
    assert set(re.findall(r'class="on-edge"[^>]*>≈ ● ([\d,]+)  ○ ([\d,]+)<', text)) == {("4,400", "4,400")}
    assert len(live.board.open) == 4_400


def test_equal_rows_that_were_set_aside_are_one() -> None:
    late = {"reject": {"input": "Temp", "reason": "late", "row": "a,b", "tick": 7}}
    other = {"reject": {"input": "Temp", "reason": "late", "row": "c,d", "tick": 8}}
    text = seen("inputs", late, late, other, late)
    assert (text.count("a,b"), text.count("c,d")) == (1, 1)
    assert "<td>3</td>" in text


def test_trust_is_what_the_score_command_says() -> None:
    reported = [
        record for n in range(40) for record in (possible(f"d{n}", 7, chance=0.5), confirmed(f"d{n}", 7, 8))
    ]
    words = "".join(Elements(seen("trust", *reported)).texts)
    assert "Are the chances right?" in words
    assert "40 answers" in words
    elements = Elements(seen("trust", *reported))
    assert elements.names.count("svg") == 3
    assert not any("<" in each for each in elements.texts)
    assert "There are no chances yet" in seen("trust")
    assert "Nothing to judge yet" in seen("trust", possible("wt2", 7))


def test_trust_asks_what_the_program_asks() -> None:
    reported = [
        record
        for n in range(40)
        for record in (
            possible(f"d{n}", 7, chance=0.72 if n < 30 else 0.76),
            *([possible(f"d{n}", 7, 8, 0.76, change="likely")] if n < 10 else []),
            *[confirmed(f"d{n}", 7, 10) if n % 2 else rejected(f"d{n}", 7, 10)],
        )
    ]
    words = "".join(Elements(seen("trust", *reported, status(13))).texts)
    assert "Alerts from 75 % that were right50 %20 alerts" in words
    assert "Confirmed answers with such an alert50 %of 20" in words
    assert words.index("Alerts from 75 %") < words.index("Expected calibration error")
    assert "Too little to tell" in words
    other = head(program=PROGRAM.replace("75%", "72%"))
    anew = "".join(Elements(seen("trust", *reported, other, *reported, status(13))).texts)
    assert "Alerts from 72 % that were right50 %40 alerts" in anew


def test_what_outcomes_say_about_a_chance_stands_beside_it() -> None:
    ends = [each for n in range(5) for each in (possible(f"a{n}", 3, chance=0.9), rejected(f"a{n}", 3, 4))]
    assert "learning: 5 of 20 outcomes" in seen("now", *ends, possible("wt2", 9, chance=0.9), status(9))
    until = status(20)
    assert "learning: 5 of 20 outcomes, about 54 ticks more at this pace" in seen("trust", *ends, until)
    ends = [
        each for n in range(800) for each in (possible(f"a{n}", n, chance=0.9), rejected(f"a{n}", n, n + 3))
    ]
    more = (possible("wt2", 900, chance=0.9), possible("wt3", 900, chance=0.2), status(900))
    assert re.search(r"\b0 of [\d,]+ like it came true: too sure here", seen("now", *ends, *more))
    text = seen("list", *ends, *more)
    assert text.count(">too sure here<") == 1


def test_the_plan_lists_all_files_of_a_program() -> None:
    rules = 'include "b.alog".\nHot(X, T) :- Temp(X, V, T), V >= hot, Warm(X, T).\nquery Hot(X, T).\n'
    other = "limit hot = 90.\nWarm(X, T) :- Temp(X, V, T), V >= 20.\n"
    included = [{"path": "rules/b.alog", "program": other}]
    record = head(program=rules)
    record["head"] |= {"included": included, "limits": {"hot": 80}}
    page = seen("plan", record)
    assert "rules/b.alog" in Elements(page).texts
    assert "Warm(X, T) :- Temp(X, V, T), V >= 20." in "".join(Elements(page).texts)
    anchors = re.findall(r'href="#(line-[\d-]+)"', page)
    assert sorted(anchors) == ["line-1-2", "line-2"]
    assert all(f'id="{each}"' in page for each in anchors)


def test_the_plan_has_counts_on_its_edges() -> None:
    words = "".join(Elements(seen("plan", possible("wt2", 7), possible("wt3", 7), status(8))).texts)
    assert "● 2  ○ 2" in words
    assert "2 open · 0/s new · 0/s confirmed" in words
    assert "100 facts" in words
    assert "The program is not known here" in seen("plan", head(program="no program"))


def test_times_as_people_read_them() -> None:
    assert (TickClock(None, 7).at(9), TickClock(None, 7).left(9)) == ("tick 9", "2 ticks")
    assert (TickClock(None, 9).left(9), TickClock(None, 9).milliseconds(9)) == ("this tick", None)
    clock = TickClock(Timescale(600_000_000), 2958000)
    assert (clock.at(2958002), clock.left(2958002)) == ("2026-03-29 16:20", "20 minutes")
    assert clock.milliseconds(2958002) is not None


def test_small_chances_and_unknown_ones() -> None:
    assert (share(0.0001), share(None), share(0.5)) == ("< 0.1\xa0%", "\N{EN DASH}", "50\xa0%")


def test_no_template_has_a_value_where_escaping_would_not_help() -> None:
    folder = files(PACKAGE).joinpath("templates")
    names = [each.name for each in folder.iterdir() if each.name.endswith(".html")]
    assert len(names) > 10
    for name in names:
        text = folder.joinpath(name).read_text("utf-8")
        assert not re.search(r"=\s*\{\{", re.sub(r"\{%.*?%\}", "", text)), name
        assert not re.search(r"<(script|style)\b[^>]*>[^<]*\{\{", text), name
        assert not re.search(r"\s(on\w+|style)=", text), name
        assert "safe" not in re.findall(r"\|\s*(\w+)", text), name


def test_the_plan_says_how_the_rules_were_changed() -> None:
    record = head()
    record["head"]["rules_changed"] = {"tick": 7, "queries": ["Hot is new; complete from tick 9 on"]}
    page = seen("plan", record)
    assert "Rules changed after" in page
    assert "Hot is new; complete from tick 9 on" in page
    assert "Rules changed" not in seen("plan", head())


def pictures(scores: Scores, tick: int | None = None) -> list[ElementTree.Element]:
    page = scores_page({"Malf": scores}, tick, "Scores")
    return [ElementTree.fromstring(each) for each in re.findall(r"<svg viewBox.*?</svg>", page, re.DOTALL)]


def marks(picture: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [each for each in picture.iter() if kind in each.get("class", "").split()]


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("tick", [None, MINUTES])
def test_a_page_is_whole_and_its_pictures_stay_in_their_frames(name: str, tick: int | None) -> None:
    page = scores_page({"Malf": EDGES[name]}, tick, "Scores")
    assert "script" not in Elements(page).names
    assert not re.search(r"https?:|@import|\bnan\b|\binf\b", page.replace(embedded_face(), ""))
    for picture in pictures(EDGES[name], tick):
        for each in picture.iter():
            for most, names in ((360, ("x", "cx", "x2")), (326, ("y", "cy", "y2"))):
                assert all(0 <= float(each.get(place, "0")) <= most for place in names)


def test_names_are_text() -> None:
    page = scores_page(
        {"<b>A</b>": RIGHT, "B": EDGES["nothing"]}, None, "{{ title }} <script>alert(1)</script>"
    )
    assert "script" not in Elements(page).names
    assert "<h2>&lt;b&gt;A&lt;/b&gt;</h2>" in page
    assert "{{ title }} &lt;script&gt;" in page
    assert "Nothing to judge yet" in scores_page({"B": EDGES["nothing"]}, None, "Scores")
    assert "There are no chances yet" in scores_page({}, None, "Scores")


def test_bins_are_marks_and_those_outside_diamonds() -> None:
    bins = result(SURE).calibration.bins
    picture, *_ = pictures(SURE)
    assert len(marks(picture, "band")) == len(bins)
    assert len(marks(picture, "wrong")) == sum(each.outside for each in bins) > 0
    assert len(marks(picture, "right")) == sum(not each.outside for each in bins)
    title = r"Of the answers with a chance of .* were confirmed \(95 % range .*\)\. [\d,]+ lines?\."
    assert all(re.fullmatch(title, each.text or "") for each in picture.iter("title"))


def test_columns_go_up_and_down() -> None:
    _, picture, _ = pictures(RIGHT)
    (base,) = marks(picture, "base")
    middle = float(base.get("y1", ""))
    ups, downs = ([e for e in marks(picture, kind) if e.tag == "rect"] for kind in ("yes", "no"))
    assert ups
    assert downs
    assert all(float(each.get("y", "")) <= middle for each in ups)
    assert all(float(each.get("y", "")) == pytest.approx(middle, abs=0.11) for each in downs)


@pytest.mark.parametrize(
    ("tick", "unit"),
    [(None, "ticks"), (1_000_000, "seconds"), (600_000_000, "minutes"), (86_400_000_000, "days")],
)
def test_thresholds_are_marks(tick: int | None, unit: str) -> None:
    *_, picture = pictures(RIGHT, MINUTES)
    assert len(marks(picture, "right")) == 6
    assert [each.text for each in marks(picture, "value")] == ["50 %", "60 %", "70 %", "80 %", "90 %", "95 %"]
    *_, early = pictures(EDGES["one"], tick)
    assert [each.text for each in marks(early, "note")] == ["no alert came true"]
    assert f"lead time, {unit}" in [each.text for each in marks(early, "axis")]


ROOT = Path(__file__).parents[4]
PROGRAMS = sorted((ROOT / "examples").rglob("*.alog"))


def drawing(text: str) -> PlanDrawing:
    record = head(program=text)
    live = sight(record, status(7))
    program = live.board.head.program
    assert program is not None
    scene = ViewContext(live.board)
    return _graph(scene, program)


def rectangles(found: PlanDrawing) -> list[tuple[str, float, float, float, float]]:
    return [
        (each.text, each.x - each.wide / 2, each.y - half, each.x + each.wide / 2, each.y + half)
        for half, marks in ((21, found.marks.of()), (12, found.marks.of(RULE)), (9, found.marks.of(LABEL)))
        for each in marks
    ]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_labels_boxes_and_rules_do_not_meet(path: Path) -> None:
    text = path.read_text("utf-8")
    if re.search(r"^include|^function", text, re.MULTILINE):
        pytest.skip("needs other files")
    found = drawing(text)
    assert found.marks.of()
    for one, other in combinations(rectangles(found), 2):
        apart = one[3] <= other[1] or other[3] <= one[1] or one[4] <= other[2] or other[4] <= one[2]
        assert apart, (one, other)
    for _, left, top, right, bottom in rectangles(found):
        assert found.left <= left
        assert right <= found.left + found.wide
        assert top >= 0
        assert bottom <= found.high


def flowing(seconds: int, facts: int) -> Any:
    return status(9, facts, f"2026-11-25T09:{seconds // 60:02}:{seconds % 60:02}.000Z")


def test_what_flows_is_on_edges_and_nodes() -> None:
    live = sight(flowing(0, 100), *(possible(f"d{n}", 7) for n in range(60)), flowing(20, 340))
    words = " ".join(re.sub(r"<[^>]*>", " ", ask(guarded(live), "/part/plan").text).split())
    assert "340 facts · 12/s" in words
    assert "3/s new · 0/s confirmed" in words
    live.take([confirmed("d1", 7, 9), flowing(30, 340), flowing(90, 340)])
    words = " ".join(re.sub(r"<[^>]*>", " ", ask(guarded(live), "/part/plan").text).split())
    assert "340 facts · 0/s" in words
    assert "0/s new" in words
    live.take([*(confirmed(f"d{n}", 7, 9) for n in range(2, 5)), flowing(120, 400)])
    found = ask(guarded(live), "/api/plan").json["rates"]
    assert found["facts"]["Temp"] == pytest.approx(2)  # 60 in the last half minute; before that is a gap
    assert found["changes"]["Malf"]["confirmed"] == pytest.approx(0.1)


def test_nothing_moves_while_numbers_change() -> None:
    lines = [possible(f"d{n}", 7) for n in range(3)]
    few, more = sight(*lines, flowing(0, 100)), sight(*lines, flowing(0, 100), *lines, flowing(20, 900))
    shape = re.compile(r'<(?:rect|text) x="([^"]+)" y="([^"]+)"[^>]*class="(?:box|on-edge)"')
    spots = [shape.findall(ask(guarded(each), "/part/plan").text) for each in (few, more)]
    assert spots[0] == spots[1]
    assert spots[0]
