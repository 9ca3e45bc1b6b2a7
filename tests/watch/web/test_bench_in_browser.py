"""The page with an editor in a real browser: type, look at ticks, save, share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from antelog.watch.web.listening import served_here
from antelog.workbench.play.bench import PlayBench
from antelog.workbench.play.running import DraftFiles, PlayOptions
from tests.watch.browser import CHROMIUM, Browser, Tab
from tests.watch.web.test_console import CHECKS, WIDTHS, findings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt install chromium"),
]
RULES = "input P(device, time) delay 1.\nQ(X, T) :- P(X, T), P(X, T+1).\nquery Q(X, T).\n"
OPEN = "document.querySelectorAll('#rows .item').length"
WIDE = "document.documentElement.scrollWidth <= innerWidth"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules.alog").write_text(RULES)
    (tmp_path / "P.csv").write_text("device,time\nwt2,0\nwt2,1\nwt4,1\n")
    return tmp_path


@pytest.fixture
def tab(chromium: Browser, folder: Path) -> Iterator[Tab]:
    program = folder / "rules.alog"
    bench = PlayBench(DraftFiles(program, {"P": folder / "P.csv"}), PlayOptions(str(program)), folder)
    found = chromium.tab(alone=True)
    found.size(1440, 900)
    found.open(served_here(bench.live, bench))
    found.until(f"{OPEN} === 1 && document.querySelectorAll('#sheet tbody tr').length === 4")
    yield found
    assert found.errors == []


def rewrite(tab: Tab, old: str, new: str) -> None:
    tab.run(f"editor.text = editor.text.replace({old!r}, {new!r})")


def test_an_edit_is_seen_at_once(tab: Tab) -> None:
    rewrite(tab, "Q(X, T) :-", "Twice(X, T) :-")
    tab.until("byId('problems').children.length")
    assert "Q" in tab.run("byId('problems').innerText")
    assert tab.run(OPEN) == 1
    tab.run("byId('problems').querySelector('button').click()")
    assert tab.run("editor.view.hasFocus")
    rewrite(tab, "query Q", "query Twice")
    tab.until("document.querySelector('#rows')?.innerText.includes('Twice')")
    tab.until("byId('problems').children.length === 0")


def test_keys_in_the_editor_are_text(tab: Tab) -> None:
    tab.run("editor.view.focus()")
    for key in "2/j?":
        tab.tell("Input.insertText", text=key)
        tab.key(key)
    assert tab.run("here().name") == "list"
    assert not tab.run("byId('help').open")
    assert "2" in tab.run("editor.text")


def test_facts_are_typed_and_pasted(tab: Tab) -> None:
    tab.run("document.querySelectorAll('#sheet tbody tr')[3].querySelectorAll('input')[0].focus()")
    tab.tell("Input.insertText", text="wt7")
    tab.run("document.querySelectorAll('#sheet tbody tr')[3].querySelectorAll('input')[1].focus()")
    tab.tell("Input.insertText", text="soon")
    tab.until("document.querySelectorAll('#sheet tr.aside').length === 1")
    assert "soon" in tab.run("byId('aside').innerText")
    cell = "document.querySelectorAll('#sheet tbody tr')[3].querySelector('input')"
    tab.run(f"sheets.paste({cell}, 'wt7\\t0\\nwt8\\t0')")
    tab.until(f"{OPEN} === 3")
    assert tab.run("sheets.tables.P.rows.length") == 5
    tab.run("document.querySelectorAll('#sheet .away')[4].click()")
    tab.until(f"{OPEN} === 2")


def test_the_slider_goes_through_time(tab: Tab) -> None:
    assert tab.run("byId('at').textContent") == "tick 0"
    tab.run("byId('later').click()")
    tab.until(f"byId('at').textContent === 'tick 1' && {OPEN} === 2")
    tab.run("byId('moment').value = 3; byId('moment').dispatchEvent(new Event('input'))")
    tab.until(f"byId('at').textContent === 'tick 3' && {OPEN} === 0")
    assert tab.run("byId('later').disabled")
    tab.run("go('/decided')")
    tab.until("shown === 'decided' && document.querySelectorAll('#rows .item').length > 1")
    tab.run("go(document.querySelector('#rows a.row').href)")
    tab.until("shown.startsWith('answer/')")


def test_saving_and_sharing(tab: Tab, folder: Path) -> None:
    rewrite(tab, "query", "% mine\nquery")
    tab.until("byId('saved').textContent === 'not saved'")
    tab.run("byId('save').click()")
    tab.until("byId('saved').textContent.startsWith('saved')")
    assert "% mine" in (folder / "rules.alog").read_text()
    assert (folder / "P.csv").read_text() == "device,time\nwt2,0\nwt2,1\nwt4,1\n"
    (folder / "shared.html").write_text(tab.run("ask('/export/shared.html').then((found) => found.text())"))
    tab.open((folder / "shared.html").as_uri())
    seen = "[...document.querySelectorAll('.at')].filter((each) => each.offsetHeight).length"
    assert tab.run(seen) == 1
    tab.run("document.querySelector('.moment:checked').focus()")
    tab.key("ArrowRight")
    assert tab.run("document.querySelector('.moment:checked').value") == "1"
    assert tab.run(seen) == 1


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wrong_at_any_width(tab: Tab, width: int, dark: bool) -> None:
    tab.size(width, 900, dark=dark)
    rewrite(tab, "P(X, T+1)", "Pp(X, T+1), Z(")
    tab.until("byId('problems').children.length")
    assert tab.run(WIDE)
    rewrite(tab, "Pp(X, T+1), Z(", "P(X, T+1)")
    tab.until("byId('problems').children.length === 0")
    assert findings(tab) == []
    assert tab.run(CHECKS.read_text("utf-8")) == []


def test_the_lessons_open(chromium: Browser, tmp_path: Path) -> None:
    bench = PlayBench(DraftFiles(), PlayOptions(), tmp_path)
    tab = chromium.tab(alone=True)
    tab.open(served_here(bench.live, bench))
    tab.until("byId('lessons').options.length > 5")
    for name in bench.state()["lessons"]:
        tab.run(f"byId('lessons').value = {name!r}; byId('lessons').dispatchEvent(new Event('change'))")
        tab.until(f"bench.found.lesson === {name!r}")
        assert tab.run("byId('problems').querySelectorAll('.critical').length") == 0, name
    assert tab.errors == []
