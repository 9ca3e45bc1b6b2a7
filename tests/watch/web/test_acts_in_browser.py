"""Acknowledging, snoozing and noting in Chromium: by keys and buttons, seen by all readers, and by whom."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from antelog.run.store.store import Store
from antelog.watch.web.address import PageAddress, Tokens, new_token
from antelog.watch.web.serving import Page
from tests.watch.browser import CHROMIUM, Browser, Tab
from tests.watch.lines import add, confirmed, possible, status
from tests.watch.lines import served as serving
from tests.watch.web.test_console import AXE, PROGRAM

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt install chromium"),
]
ACTS = "[...document.querySelectorAll('.act')].map(each => each.textContent).join(' | ')"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Page, Store]]:
    lines = [possible("wt2", 7, 8), possible("wt2", 6, 8), possible("wt4", 7, 8), status(8)]
    address = PageAddress(tokens=Tokens(new_token(), new_token()))
    with serving(tmp_path, lines, PROGRAM, address) as found:
        yield found


def opened(chromium: Browser, url: str | None) -> Tab:
    assert url is not None
    tab = chromium.opened(url)
    tab.until("document.querySelectorAll('#rows .item').length === 2")
    tab.until("document.body.dataset.acts")  # whether this reader may act comes after the rows
    return tab


def test_keys_act_on_the_row_that_is_chosen_and_all_readers_see_it(
    chromium: Browser, served: tuple[Page, Store]
) -> None:
    page, writer = served
    tab, reader = opened(chromium, page.address.link_to_act), opened(chromium, page.address.link)
    tab.key("j")
    group = tab.run("list.current.dataset.group")
    tab.key("a")
    tab.until("byId('act').open")  # nobody knows the name yet
    tab.run("byId('act-form').elements.who.value = 'ann'")
    tab.run("byId('act-do').click()")
    tab.until(f"{ACTS} === '✓ ann, until decided'")
    reader.until(f"{ACTS} === '✓ ann, until decided'")
    assert reader.run("document.querySelector('.act').closest('.item').dataset.group") == group
    # It has gone down, and the next row is the chosen one.
    tab.until(f"document.querySelector('.item:last-child').dataset.group === '{group}'")
    assert tab.run("list.current.dataset.group") != group
    tab.key("j")
    tab.until(f"list.current.dataset.group === '{group}'")
    tab.key("a")
    tab.until(f"{ACTS} === ''")  # it is taken back
    tab.until(f"document.querySelector('.item').dataset.group === '{group}'")
    tab.key("k")
    tab.until(f"list.current.dataset.group === '{group}'")
    tab.key("a")
    tab.until(f"{ACTS} === '✓ ann, until decided'")  # the name is known now
    add(writer, *(confirmed(group, about, 9) for about in (6, 7)), status(9))
    tab.until(f"{ACTS} === ''")
    assert tab.errors == []


def test_keys_alone_do_all(chromium: Browser, served: tuple[Page, Store]) -> None:
    page, _ = served
    tab = opened(chromium, page.address.link_to_act)
    for key in "js":
        tab.key(key)
    tab.until("byId('act').open")
    tab.run(AXE.read_text("utf-8"))
    assert tab.run("axe.run(byId('act')).then(found => found.violations.map(each => each.id))") == []
    assert tab.run("document.activeElement.name") == "who"  # nobody knows the name yet
    tab.key("Escape")
    tab.until("!byId('act').open")
    tab.key("s")
    tab.until("byId('act').open")
    for key in ("a", "n", "n", "Enter"):
        tab.key(key)
    tab.until(f"{ACTS}.startsWith('Zz ann, until ')")
    # The row has come down below the other.
    tab.until("document.querySelector('.item:last-child .act')")
    assert tab.run(
        "[...document.querySelectorAll('[name=care]')].map(each => each.parentElement.innerText)"
    ) == ["mine\n2", "nobody's\n1"]
    for key in "jjn":
        tab.key(key)
    tab.until("document.activeElement.name === 'note'")
    for key in "<b>noon</b>":
        tab.key(key)
    tab.key("Enter", control=True)
    tab.until(f"{ACTS}.endsWith('✎ <b>noon</b>')")
    tab.until("!byId('act').open")
    # What is taken back, and done at once by who is known.
    tab.key("s")
    tab.until(f"{ACTS} === '✎ <b>noon</b>'")
    tab.key("a")
    tab.until(f"{ACTS}.includes('✓ ann')")
    # One thing is closed at a time: a menu, typing, the row.
    tab.keys_to("#snapshot summary")
    tab.key("Enter")
    tab.until("byId('snapshot').open")
    tab.key("Escape")
    assert tab.run("[byId('snapshot').open, list.selected >= 0].join()") == "false,true"
    for key in "/wt4":
        tab.key(key)
    tab.until("document.querySelectorAll('#rows .item').length === 1")
    tab.key("Escape")
    tab.key("j")
    tab.until("list.current.contains(document.activeElement)")
    tab.keys_to("#filters [type=checkbox]")
    tab.key(" ")
    tab.until("document.activeElement.checked && location.search.includes('&')")
    dark = "getComputedStyle(document.body).colorScheme + document.documentElement.dataset.theme"
    before = tab.run(dark)
    tab.keys_to("#theme")
    tab.key("Enter")
    tab.until(f"{dark} !== {before!r}")
    tab.until("!moments.box.hidden")
    for key in ("t", "ArrowLeft", "ArrowLeft"):
        tab.key(key)
    tab.until("moments.at === moments.data.tick - 2 && document.querySelector('.past .back')")
    tab.keys_to(".past .back")
    tab.key("Enter")
    tab.until("!document.querySelector('div.past')")
    tab.key("1")
    tab.until("shown === 'now'")
    tab.keys_to("#dots a")
    first = tab.run("document.activeElement.href.baseVal")
    tab.key("ArrowLeft")
    assert tab.run("document.activeElement.href.baseVal") != first
    tab.key("Enter")
    tab.until("shown.startsWith('answer/')")
    tab.key("Escape")
    tab.until("shown === 'now'")
    assert tab.errors == []


def test_who_may_only_look_has_no_buttons_and_keys_do_nothing(
    chromium: Browser, served: tuple[Page, Store]
) -> None:
    page, _ = served
    tab = opened(chromium, page.address.link)
    tab.key("j")
    tab.key("a")
    assert not tab.run("byId('act').open")
    assert tab.run("document.body.dataset.acts") == "no"


def test_the_view_of_an_answer_has_the_acts_of_its_group(
    chromium: Browser, served: tuple[Page, Store]
) -> None:
    page, writer = served
    tab = opened(chromium, page.address.link_to_act)
    group = tab.run("document.querySelector('.item').dataset.group")
    tab.run("localStorage.setItem('antelog name', 'ann'); go(document.querySelector('a.row').href)")
    tab.until("shown.startsWith('answer/')")
    tab.run("document.querySelector('.care [data-act=acknowledged]').click()")
    tab.until(f"{ACTS}.startsWith('ann takes care of it')")
    tab.key("a")
    tab.until(f"{ACTS} === ''")
    tab.key("n")
    tab.until("byId('act').open")
    tab.run("byId('act-form').elements.note.value = 'noon'; byId('act-do').click()")
    tab.until(f"{ACTS}.endsWith('noon')")
    add(writer, *(confirmed(group, about, 9) for about in (6, 7)), status(9))
    tab.until("document.querySelector('main').innerText.includes('What became of it')")
    assert "noon" in tab.run(ACTS)
    assert tab.errors == []
