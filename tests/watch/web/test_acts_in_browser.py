"""Acknowledging, snoozing and noting in Chromium: by keys and buttons, seen by all readers, and by whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from antelog.run.settings import JudgingOptions
from antelog.run.store.store import Store
from antelog.watch.board.judged_feed import IncidentFile
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
KEYS = Path(__file__).with_name("keys.txt")
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
    tab.run(AXE.read_text("utf-8"))
    assert tab.run("axe.run(byId('act')).then(found => found.violations.map(each => each.id))") == []
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
    tab = opened(chromium, served[0].address.link_to_act)
    tab.run(f"acted = () => {ACTS}")
    for line in KEYS.read_text("utf-8").splitlines()[1:]:
        keys, _, seen = line.partition(" | ")
        for key in re.split(r"(?<!\\) ", keys):
            if key.startswith("to:"):
                tab.keys_to(key[3:].replace("\\ ", " "))
            else:
                tab.key({"Space": " "}.get(key, key.split("+")[-1]), control=key.startswith("Control+"))
        tab.until(seen)
    care = "[...document.querySelectorAll('[name=care]')].map(each => each.parentElement.innerText)"
    tab.run("go('/list')")
    tab.until("shown === 'list'")
    assert tab.run(care) == ["mine\n1", "nobody's\n2"]
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


def test_an_answer_is_marked_and_trust_has_what_no_rule_saw(chromium: Browser, tmp_path: Path) -> None:
    lines = [status(0), possible("wt2", 20), confirmed("wt2", 20, 21), possible("wt4", 99), status(100)]
    file = IncidentFile(str(tmp_path / "list.csv"), JudgingOptions(lead="0..10"))
    address = PageAddress(tokens=Tokens(new_token(), new_token()), incidents=file)
    with serving(tmp_path, lines, PROGRAM, address) as (page, _):
        tab = chromium.opened(str(page.address.link_to_act))
        tab.until("document.querySelector('a.row') && document.body.dataset.acts")
        tab.run("go('/decided')")
        tab.until("shown === 'decided' && document.querySelector('a.row')")
        tab.run("go(document.querySelector('a.row').href)")
        tab.until("document.querySelector('[data-act=incident]')")
        tab.run("document.querySelector('[data-act=incident]').click()")
        tab.until("byId('act').open")
        assert tab.run("byId('act-form').elements.time.value") == "20"
        assert tab.run("byId('act-key').hidden")
        tab.run("byId('act-form').elements.who.value = 'ann'; byId('act-do').click()")
        tab.until("!byId('act').open && byId('said').textContent === 'it is in the list of incidents'")
        tab.run("go('/trust')")
        tab.until("document.querySelector('main').innerText.includes('Each incident had an alert.')")
        tab.run("document.querySelector('[data-act=incident]').click()")
        tab.until("byId('act').open")
        tab.run(AXE.read_text("utf-8"))
        assert tab.run("axe.run(byId('act')).then(found => found.violations.map(each => each.id))") == []
        tab.run("byId('act-form').elements.key.value = 'wt9'; byId('act-form').elements.time.value = 'soon'")
        tab.run("byId('act-do').click()")
        tab.until("byId('act-error').textContent.startsWith('`soon` is not a time')")
        tab.run("byId('act-form').elements.time.value = '70'; byId('act-do').click()")
        tab.until("document.querySelector('main').innerText.includes('1 of 2 incidents were added without')")
        assert tab.run("axe.run(document.querySelector('main')).then(f => f.violations.map(e => e.id))") == []
        assert tab.errors == []
    text = (tmp_path / "list.csv").read_text(encoding="utf-8")
    assert text == "device,time,kind,who\nwt2,20,,ann\nwt9,70,,ann\n"


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
