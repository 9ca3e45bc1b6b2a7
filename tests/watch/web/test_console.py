"""antelog/watch/web: the page as a console, in a real browser; skipped where there is no Chromium."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from antelog.run.store.store import Store
from antelog.watch.web.serving import Page
from tests.lines import lines_of
from tests.processes import until
from tests.watch.browser import CHROMIUM, Browser, Tab
from tests.watch.lines import Record, add, ago, confirmed, possible, rejected, served, status
from tests.watch.web.test_freshness import silent

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt install chromium"),
]
PROGRAM = """\
input Temp(device, level, time) delay 2.
input Oil(device, level, time) delay 2.
chance Temp(_, high, _) = 5%, again 80%.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
Dry(X, T) :- Temp(X, high, T), Oil(X, low, T+2).
query Malf(X, T) alert 75%.
query Dry(X, T).
"""
HALLS = ("north-hall", "south-hall", "paint-shop")
WIDTHS = (1920, 1440, 1024, 390)
VIEWS = ("", "list", "decided", "inputs", "trust", "plan")
AXE = Path(__file__).with_name("axe") / "axe.min.js"
CHECKS = Path(__file__).with_name("now_checks.js")
KEYS = "[...document.querySelectorAll('.rows .item:not(.part) .who > .whole')].map(each => each.textContent)"
ANSWERS = "document.getElementById('rows')?.dataset.answers"


def device(number: int) -> str:
    return f"{HALLS[number % 3]}/press-{number % 60:02}"


def plant(count: int) -> list[Record]:
    """So many open answers of sixty devices, half of them of each query, and some that are decided."""
    found = [status(4, at=ago(4)), status(9, facts=180, at=ago(2))] if count else []
    for number in range(count):
        about, chance = 6 + number // 60, (number % 24 + 1) / 25
        query = "Malf" if number % 2 else "Dry"
        found.append(possible(device(number), about, max(8, about), chance, query=query))
    for number in range(min(count, 40)):
        name = f"old-{number}"
        found.append(possible(name, number % 8))
        end = confirmed if number % 2 else rejected
        found.append(end(name, number % 8, number % 8 + 1))
    return [*found, status(9, facts=300, at=ago(0))] if count else []


@pytest.fixture
def page_and_store(tmp_path: Path) -> Iterator[tuple[Page, Store]]:
    with served(tmp_path, plant(200), PROGRAM) as found:
        yield found


def opened(chromium: Browser, page: Page, answers: int = 200) -> Tab:
    tab = chromium.opened(page.address.link)
    tab.until(f"{ANSWERS} === '{answers}'")
    return tab


def findings(tab: Tab) -> list[Any]:
    """The findings of axe: rule, and the first element."""
    tab.run(AXE.read_text("utf-8"))
    found: list[Any] = tab.run(
        "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations.map(each => "
        "[each.id, each.nodes[0].html.slice(0, 200), each.nodes[0].failureSummary]))"
    )
    return found


@pytest.mark.parametrize(
    ("count", "widths", "themes"),
    [
        (200, WIDTHS[-1:], [False]),
        *(
            pytest.param(count, WIDTHS, [False, True], marks=pytest.mark.long)
            for count in (0, 5, 60, 200, 20_000)
        ),
    ],
)
def test_every_view_without_a_finding(
    chromium: Browser, tmp_path: Path, count: int, widths: Sequence[int], themes: Sequence[bool]
) -> None:
    with served(tmp_path, plant(count), PROGRAM) as (page, _):
        tab = opened(chromium, page, count)
        if count:
            tab.run("go(document.querySelector('a.row').href)")
            tab.until("shown.startsWith('answer/')")
        views = [*VIEWS, tab.run("shown")] if count else VIEWS
        for view in views:
            tab.run(f"go('/{view}')")
            tab.until(f"shown === '{view or 'now'}'")
            assert tab.run("document.querySelectorAll('nav [aria-current=page]').length") == 1
            for width, dark in product(widths, themes):
                tab.size(width, 900, dark=dark)
                assert tab.run("document.documentElement.scrollWidth <= innerWidth"), (view, width)
                assert findings(tab) == [], (view, width, dark)
                assert tab.run(CHECKS.read_text("utf-8")) == [], (view, width)
        fonts = "[...document.fonts].filter(each => each.status === 'loaded').map(each => each.family).join()"
        assert {"Inter", "JetBrains Mono"} <= {each.strip('"') for each in tab.run(fonts).split(",")}
        assert tab.errors == []


def test_a_row_is_a_device_and_opens_to_its_parts(tab: Tab) -> None:
    keys = tab.run(KEYS)
    assert len(set(keys)) == len(keys)
    tab.run("document.querySelector('.toggle').click()")
    tab.until("document.querySelectorAll('.item.part').length > 1")
    assert "open=" in tab.run("location.search")
    tab.run("document.querySelector('.toggle').click()")
    tab.until("!document.querySelector('.item.part')")
    tab.key("j")
    tab.until("document.activeElement.closest('.item')?.ariaPosInSet === '1'")
    tab.key("ArrowRight")
    tab.until("document.querySelector('.item.part')")
    tab.key("ArrowLeft")
    tab.until("!document.querySelector('.item.part')")


def test_facets_are_in_the_address_and_count(tab: Tab) -> None:
    tab.run("document.querySelector('.facets input[value=Malf]').click()")
    tab.until(f"{ANSWERS} === '100'")
    tab.run("document.querySelector('.facets input[value=\"north-hall/\"]').click()")
    tab.until(f"Number({ANSWERS}) < 100")
    assert tab.run("location.search") == "?query=Malf&prefix=north-hall%2F"
    assert all(key.startswith("north-hall/") for key in tab.run(KEYS))
    seen = tab.run(ANSWERS)
    tab.open(tab.run("location.origin") + "/list?query=Malf&prefix=north-hall%2F")
    tab.until(f"{ANSWERS} === '{seen}'")
    assert tab.run("document.querySelector('.facets input[value=Malf]').checked")
    tab.run("document.querySelector('[name=group]').value = 'none'")
    tab.run("document.querySelector('[name=group]').dispatchEvent(new Event('input', {bubbles: true}))")
    tab.until("!document.querySelector('.toggle')")
    assert "group=none" in tab.run("location.search")


def test_one_axis_for_all_rows(tab: Tab) -> None:
    at = "Math.round(each.getBoundingClientRect().x)"
    lines = tab.run(f"[...new Set([...document.querySelectorAll('.lane .now')].map(each => {at}))]")
    assert len(lines) == 1
    head = tab.run("Math.round(document.querySelector('.axis path.present').getBoundingClientRect().x)")
    assert abs(head - lines[0]) <= 2
    assert tab.run("document.querySelector('.item').offsetHeight") == 52
    tab.run("document.querySelector('[name=dense]').click()")
    tab.until("document.querySelector('.item').offsetHeight === 28")
    tab.run("scrollTo(0, 400)")
    assert tab.run("document.querySelector('.heads').getBoundingClientRect().top") == 54


def test_rows_do_not_move_under_the_pointer(tab: Tab, writer: Store) -> None:
    before = tab.run(KEYS)
    spot = tab.run("(({x, y}) => [x + 300, y + 60])(document.getElementById('list').getBoundingClientRect())")
    tab.tell("Input.dispatchMouseEvent", type="mouseMoved", x=spot[0], y=spot[1])
    add(writer, possible("paint-shop/new", 8, 9, 0.99), status(9, at=ago(0)))
    tab.until("document.getElementById('paused').textContent.includes('waits while you point')")
    assert tab.run(KEYS)[:10] == before[:10]
    tab.tell("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    tab.until(f"{KEYS}[0] === 'paint-shop/new'")
    assert tab.run("document.getElementById('paused').textContent") == ""


def test_what_a_reader_has_opened_and_typed_stays(tab: Tab, writer: Store) -> None:
    tab.run("go('/inputs')")
    tab.until("document.querySelector('.plot .canvas canvas')")
    tab.run("document.querySelector('.numbers').open = true")
    add(writer, status(11, facts=900, at=ago(0)))
    tab.until("document.querySelector('.inputs').innerText.includes('900')")
    assert tab.run("document.querySelector('.numbers').open")
    assert tab.run("document.querySelectorAll('.plot .canvas canvas').length") == 1
    tab.run("go('/')")
    tab.until("shown === 'now'")
    tab.key("/")
    tab.until("document.activeElement.type === 'search'")
    tab.run("document.activeElement.value = 'press'")
    add(writer, possible("fresh", 11, 12), status(12, at=ago(0)))
    tab.until("document.getElementById('tick').textContent === 'tick 12'")
    tab.until(f"Number({ANSWERS}) === 201")
    assert tab.run("document.activeElement.value") == "press"


def test_decided_answers_are_chosen_by_a_stretch_of_time(tab: Tab) -> None:
    tab.run("go('/decided')")
    tab.until("document.querySelector('.brush canvas')")
    box = tab.run(
        "(({x, y, width}) => [x, y, width])(document.querySelector('.u-over').getBoundingClientRect())"
    )
    for kind, at in (("mousePressed", 0.05), ("mouseMoved", 0.3), ("mouseReleased", 0.3)):
        place = {"x": box[0] + at * box[2], "y": box[1] + 20}
        tab.tell("Input.dispatchMouseEvent", type=kind, button="left", buttons=1, clickCount=1, **place)
    tab.until(f"location.search.startsWith('?between=') && Number({ANSWERS}) < 40")
    assert "because" in tab.run("document.querySelector('.heads').innerText")
    tab.run("document.querySelector('.clear').click()")
    tab.until(f"{ANSWERS} === '40'")
    tab.run("document.querySelector('.facets input[value=rejected]').click()")
    tab.until(f"{ANSWERS} === '20'")


def test_an_answer_is_there_after_it_is_decided(tab: Tab, writer: Store) -> None:
    add(writer, possible("paint-shop/new", 8, 9, 0.99), status(9, at=ago(0)))
    tab.until(f"{KEYS}[0] === 'paint-shop/new'")
    tab.run("document.querySelector('a.row').click()")
    tab.until("shown.startsWith('answer/')")
    for words in ("What drives the chance", "What if", "When it is confirmed", "Rules behind it"):
        assert words in tab.run("document.querySelector('main').innerText")
    add(writer, confirmed("paint-shop/new", 8, 10), status(10, at=ago(0)))
    tab.until("document.querySelector('main').innerText.includes('What became of it')")
    tab.run("location.reload()")
    tab.until("document.querySelector('main').innerText.includes('What became of it')")


# ---- three scenes: sixty devices, two hundred open answers ----

LEVELS = {"Stop": "high", "Dry": "warm", "Calm": "low"}
SCENE = """\
input Temp(device, level, time) delay 8 (0%, 0%, 0%, 0%, 0%, 0%, 0%, 0%, 100%).
Stop(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
Dry(X, T) :- Temp(X, warm, T), Temp(X, warm, T+1).
Calm(X, T) :- Temp(X, low, T), Temp(X, low, T+1).
query Stop(X, T) critical alert 75% "{X} is about to stop".
query Dry(X, T) alert 50% "the bearing of {X} runs dry".
query Calm(X, T) good.
"""


@dataclass(frozen=True)
class Due:
    """An answer about a device that is open at 9, how likely it is, and the ticks that are left."""

    query: str
    number: int
    chance: float
    left: int


def lines_at_9(due: Sequence[Due]) -> list[Record]:
    facts = [("Temp", (device(each.number), LEVELS[each.query], each.left), 9) for each in due]
    chances = {
        f'chance Temp("{device(each.number)}", {LEVELS[each.query]}, _) = 1%, again {100 * each.chance:g}%.'
        for each in due
    }
    wanted = {(each.query, device(each.number), each.left) for each in due}
    found = lines_of("\n".join([SCENE, *sorted(chances)]), facts, 9)
    return [each for each in found if (each["query"], *each["answer"].values()) in wanted]


def all_is_well(but: int = 0) -> list[Due]:
    """More than a hundred answers that are nearly certain, and say that nothing is wrong."""
    return [Due("Calm", number, 0.999, left) for number in range(60) for left in (7, 8) if number != but]


BUSY = [Due("Dry", number, 0.9 + number / 1000, 1) for number in range(20, 60)]
SCENES = {
    "one device is about to stop while others are likelier to run dry": (
        [*all_is_well(), *BUSY, Due("Stop", 17, 0.76, 4)],
        ("paint-shop/press-17", "is about to stop", "76 %", "4 ticks", "Temp is high at 5"),
    ),
    "of two that are as likely, the one with less time": (
        [
            *all_is_well(),
            *BUSY,
            *(Due("Stop", number, 0.1, 1) for number in range(10)),
            Due("Stop", 11, 0.9, 5),
            Due("Stop", 12, 0.9, 2),
        ],
        ("north-hall/press-12", "is about to stop", "90 %", "2 ticks", "Temp is high at 3"),
    ),
    "where nothing is critical, the warning that is furthest over its threshold": (
        [*all_is_well(), *(Due("Dry", number, 0.3, 1) for number in range(40)), Due("Dry", 44, 0.8, 6)],
        ("paint-shop/press-44", "runs dry", "80 %", "6 ticks", "Temp is warm at 7"),
    ),
}


@pytest.mark.parametrize("scene", SCENES)
def test_the_first_card_is_the_device_to_go_to(chromium: Browser, tmp_path: Path, scene: str) -> None:
    due, expected = SCENES[scene]
    with served(tmp_path, [*lines_at_9(due), status(9, at=ago(-3600))], SCENE) as (page, _):
        for width in WIDTHS:
            tab = chromium.opened(page.address.link, width, "")
            card = tab.run("document.querySelector('.fork-card').innerText.replaceAll('\\xa0', ' ')")
            for words in (*expected, "1 of 2 facts", "it is not", "clears at", "nobody is on it"):
                assert words in re.sub(r"[\s/]*\n[\s/]*", "/", card), (width, card)
            assert tab.run("document.querySelector('.fork-card').getBoundingClientRect().bottom") < 900
            assert tab.run(CHECKS.read_text("utf-8")) == []


def test_keys_walk_the_cards_and_the_dots(chromium: Browser, page_and_store: tuple[Page, Store]) -> None:
    tab = chromium.opened(page_and_store[0].address.link, view="")
    focus = "document.activeElement.closest('[data-group], a').outerHTML.slice(0, 200)"
    for key, start in (("j", "#cards a"), ("ArrowRight", "#dots a"), ("ArrowLeft", "#dots a:last-of-type")):
        # In one call: between two the page may draw itself anew.
        before = {tab.run(f"document.querySelector('{start}').focus(), {focus}")}
        for _ in range(3):
            tab.key(key)
            before.add(tab.run(focus))
        assert len(before) >= 3, key
    assert "% of its threshold" in tab.run("byId('pointed').textContent").replace("\xa0", " ")
    tab.run("go(document.activeElement.href.baseVal)")
    tab.until("shown.startsWith('answer/')")


# ---- how fresh it is ----


def heard(seconds: float, gap: float | None, tick: int = 9) -> Record:
    """A status in which facts of one input came last some seconds ago."""
    found = status(tick, at=ago(0))
    found["status"]["inputs"]["Temp"] |= {"heard": ago(seconds), "gap": gap}
    return found


def test_a_silent_input_is_named_in_every_tab(chromium: Browser, page_and_store: tuple[Page, Store]) -> None:
    page, writer = page_and_store
    tabs = [opened(chromium, page), opened(chromium, page)]
    add(writer, heard(1, 3600))
    for tab in tabs:
        tab.until("document.getElementById('state').textContent.startsWith('last fact')")
        assert tab.run("document.getElementById('band').innerText") == ""
    add(writer, heard(130, 30))
    for tab in tabs:
        tab.until("document.getElementById('band').innerText.includes('Temp has been silent for 2:1')")
        words = tab.run("document.getElementById('band').innerText")
        assert "expected within 30 s" in words
        assert "200 open answers rest on it" in words
        tab.until("document.querySelectorAll('.item.stale').length > 10")
        assert tab.run("document.getElementById('live').dataset.kind") == "silent"
        assert findings(tab) == []
    add(writer, heard(0, 3600))
    for tab in tabs:
        tab.until("document.getElementById('band').innerText === ''")
        tab.until("document.querySelectorAll('.item.stale').length === 0")


@pytest.mark.parametrize(("view", "old"), [("list", ".item.stale"), ("", ".unanswered .fork-card")])
def test_the_page_says_since_when_nobody_follows(
    chromium: Browser, tmp_path: Path, view: str, old: str
) -> None:
    with served(tmp_path, [possible("wt1", 8, 8, 0.999), status(9, at=ago(60))], PROGRAM) as (page, _):
        tab = chromium.opened(page.address.link, view=view)
        tab.until(
            "document.getElementById('band').innerText.includes('Nothing has come from antelog watch since')"
        )
        page.child.process.kill()
        page.child.process.wait()
        tab.until("document.getElementById('band').innerText.includes('no answer from its server since')")
        tab.until(f"document.querySelector('{old}')")
        for width, dark in product(WIDTHS, (False, True)):
            tab.size(width, 900, dark=dark)
            assert findings(tab) == [], (width, dark)


def test_a_silent_device_is_named_and_its_rows_are_grey(chromium: Browser, tmp_path: Path) -> None:
    band = "document.getElementById('band').innerText"
    lines = [possible("wt2", 7, 8), possible("wt4", 7, 8), silent(1, "wt2")]
    with served(tmp_path, lines, PROGRAM) as (page, writer):
        tab = chromium.opened(page.address.link)
        tab.until(f"{band}.includes('No fact of Temp from wt2 (since ')")
        assert tab.run("document.querySelectorAll('.item').length") == 2
        assert tab.run("[...document.querySelectorAll('.item.stale')].map(each => each.dataset.group)") == [
            "wt2"
        ]
        assert findings(tab) == []
        add(writer, silent(12, *(f"wt{number}" for number in range(12))))
        tab.until(f"{band}.includes('12 of 60 devices, such as wt0, wt1, wt2; from each')")
        add(writer, silent(12, "wt2", heard=200))  # the whole input: that is one line
        tab.until(f"{band}.includes('Temp has been silent for')")
        assert "devices" not in tab.run(band)
        add(writer, silent(0))
        tab.until(f"{band} === ''")
        assert tab.errors == []


# ---- what a page holds ----

ROUND = ("inputs", "decided", "plan", "trust", "", "list")


def nodes(tab: Tab) -> int:
    for _ in range(3):
        tab.tell("HeapProfiler.collectGarbage")
    found: int = tab.tell("Memory.getDOMCounters")["nodes"]
    return found


def rounds(tab: Tab, count: int) -> int:
    for _ in range(count):
        for view in ROUND:
            tab.run(f"go('/{view}')")
            tab.until(f"shown === '{view or 'now'}'")
            if view in ("inputs", "decided"):
                tab.until("document.querySelector('.plot .canvas canvas')")
    return nodes(tab)


@pytest.mark.long
def test_a_view_that_was_left_is_gone(chromium: Browser, tmp_path: Path) -> None:
    with served(tmp_path, plant(200), PROGRAM) as (page, _):
        tab = chromium.opened(page.address.link)
        tab.until("document.querySelector('a.row')")
        # A look between two views finds far fewer nodes than one at a view.
        before = max(rounds(tab, 1) for _ in range(3))
        rounds(tab, 21)
        tab.until("charts.size === 0")
        # Twenty-four rounds would hold eight times as much as three; a busy browser collects garbage later.
        until(
            lambda: nodes(tab) < 4 * before, about=lambda: f"{nodes(tab)} nodes, {before} after three rounds"
        )
        assert tab.errors == []
