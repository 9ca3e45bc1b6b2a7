"""antelog/watch/web/{app,shell}.py: the page in a real browser; skipped where there is no Chromium."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from antelog.run.store.store import Store
from antelog.watch import child
from antelog.watch.web.address import PageAddress
from antelog.watch.web.serving import Page
from tests.processes import until
from tests.watch.browser import CHROMIUM, Browser, Tab
from tests.watch.lines import add, ago, confirmed, possible, served, some, status
from tests.watch.web import golden
from tests.watch.web.test_console import findings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt install chromium"),
]
ROWS = "document.querySelectorAll('.rows .row').length"
VIEWS = ("", "list", "decided", "inputs", "trust", "plan")
WIDE = "document.documentElement.scrollWidth <= innerWidth"


@pytest.fixture
def page_and_store(tmp_path: Path) -> Iterator[tuple[Page, Store]]:
    with served(tmp_path, some(5)) as found:
        yield found


def test_the_link_lets_in_and_its_token_is_gone_from_the_address(
    chromium: Browser, page_and_store: tuple[Page, Store], tab: Tab
) -> None:
    page, _ = page_and_store
    assert tab.run("location.href") == page.address.origin + "/list"
    assert tab.run("document.cookie") == ""
    assert page.address.tokens.look not in tab.run("JSON.stringify([sessionStorage, localStorage])")
    tab.open(page.address.origin + "/plan")
    tab.until("document.querySelector('svg.graph')")
    stranger = chromium.tab(alone=True)
    stranger.open(page.address.origin + "/")
    stranger.until("document.body.innerText.includes('?token=')")
    assert "wt" not in stranger.run("document.querySelector('main').innerText")


def test_what_changes_is_seen_at_once(tab: Tab, writer: Store) -> None:
    add(writer, possible("fresh", 9, 9, 0.999), status(10, at=ago(0)))
    tab.until("document.querySelector('.rows .row').innerText.includes('fresh')")
    tab.until("document.getElementById('tick').textContent === 'tick 10'")
    add(writer, confirmed("fresh", 9, 11), status(11, at=ago(0)))
    tab.until("!document.querySelector('.rows').innerText.includes('fresh')")


def test_keys_lead_through_the_page(tab: Tab) -> None:
    tab.key("j")
    tab.until("document.activeElement.parentElement.ariaPosInSet === '1'")
    tab.key("j")
    tab.until("document.activeElement.parentElement.ariaPosInSet === '2'")
    tab.run("document.activeElement.click()")
    tab.until("shown.startsWith('answer/')")
    tab.key("Escape")
    tab.until("shown === 'list'")
    tab.key("/")
    tab.run("document.activeElement.value = 'wt'")
    tab.key("Escape")
    assert tab.run("[document.activeElement.name, byId('filters').elements.text.value].join()") == ",wt"
    tab.run("list.move(1)")
    tab.until("list.selected === 0 && document.activeElement.matches('.row')")
    papers = []
    for theme in ("system", "light", "dark", "system"):
        assert theme in tab.run("`${byId('theme').title} ${document.documentElement.dataset.theme}`")
        papers.append(tab.run("getComputedStyle(document.documentElement).backgroundColor"))
        tab.run("byId('theme').click()")
    assert papers[0] == papers[1] == papers[3] != papers[2]
    tab.key("6")
    tab.until("shown === 'plan'")
    tab.key("?")
    assert tab.run("document.getElementById('help').open")


def test_facts_with_markup_stay_text(tab: Tab, writer: Store) -> None:
    evil = "<img src=x onerror=\"document.title='evil'\"><script>document.title='evil'</script>"
    reject = {"reject": {"input": evil, "reason": evil, "row": evil, "tick": 9}}
    add(writer, possible(evil, 9, 9, 0.999), possible(evil, 3), confirmed(evil, 3, 4), reject)
    add(writer, status(10, at=ago(0)))
    tab.until("document.querySelector('.rows .row').innerText.includes('<img')")
    answer = tab.run("document.querySelector('.rows .row').getAttribute('href').slice(1)")
    for view in (*VIEWS, answer):
        tab.run(f"go('/{view}')")
        tab.until(f"shown === '{view or 'now'}'")
        assert tab.run("document.querySelectorAll('img, main script').length") == 0
        assert "evil" not in tab.run("document.title").replace(evil, "")


def test_it_goes_on_after_the_server_was_killed(
    chromium: Browser, page_and_store: tuple[Page, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    page, writer = page_and_store
    monkeypatch.setattr(child, "BETWEEN_STARTS", 0.0)
    monkeypatch.setattr(page, "_restarts", child.Restarts())
    tab = chromium.opened(page.address.link)
    tab.until(f"{ROWS} >= 5")
    page.child.process.kill()
    page.child.process.wait()
    tab.until("document.getElementById('live').dataset.kind === 'lost'")
    page.tend()
    add(writer, possible("after", 9, 9, 0.999), status(10, at=ago(0)))
    tab.until("document.getElementById('live').dataset.kind === 'live'")
    tab.until("document.querySelector('.rows .row').innerText.includes('after')")


def test_tabs_let_each_other_in_and_a_hidden_one_hears_what_is_due_alone(
    chromium: Browser, page_and_store: tuple[Page, Store]
) -> None:
    page, writer = page_and_store
    first = chromium.tab()
    first.open_page(page.address.link.replace("/?", "/list?"))
    first.until(f"{ROWS} >= 5")
    assert first.run("document.title").startswith("All that is open ")
    second = chromium.tab()
    second.open(page.address.origin + "/list")
    second.until(f"{ROWS} >= 5")
    streams = "navigator.locks.query().then(found => found.held.map(each => each.name).sort().join())"
    until(lambda: second.run(streams) == "antelog due ,antelog page ")
    assert first.run("document.hidden")
    add(writer, possible("both", 9, 9, 0.999), status(10, at=ago(0)))
    for tab in (first, second):
        tab.until("document.title.startsWith('(1) All that is open ')")
        tab.until("document.querySelector('link[rel=icon]').href.endsWith('icon-warning.svg')")
    second.until(f"{ROWS} === 6")
    chromium.tab()
    until(lambda: first.run(streams) == "antelog due ")
    add(writer, possible("more", 9, 9, 0.999), status(11, at=ago(0)))
    for tab in (first, second):
        tab.until("document.title.startsWith('(2) ')")
        assert tab.run("document.getElementById('tick').textContent") == "tick 10"
    first.tell("Page.bringToFront")
    first.until(f"{ROWS} === 7")
    first.until("document.getElementById('tick').textContent === 'tick 11'")
    assert first.errors + second.errors == []


@pytest.mark.parametrize("view", ["now", "inputs"])
def test_lines_that_are_new_make_the_view_of_the_server(tab: Tab, writer: Store, view: str) -> None:
    tab.run(f"go('/{view}')")
    tab.until(f"shown === '{view}'")
    tab.run(
        "sent = []; _whole = whole; whole = (answer, address) => "
        "{ sent.push(answer.headers.get('content-type')); return _whole(answer, address); }"
    )
    for tick in (10, 11):
        add(writer, possible(f"new{tick}", 9, 9, 0.9), status(tick, facts=10 * tick, at=ago(0)))
        tab.until(f"state.reached === 'tick {tick}' && !missed && kept.tag")
        whole = "ask(`/part/${kept.address}&have=`).then(found => found.text())"
        assert tab.run(f"{whole}.then(found => found === kept.text)")
        assert tab.run("sent.at(-1)") == "application/json"


@pytest.mark.parametrize("form", ["csv", "html"])
def test_a_view_can_be_kept(tab: Tab, tmp_path: Path, form: str) -> None:
    tab.tell("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    tab.run(f"document.querySelector('[data-snapshot={form}]').click()")
    found = until(lambda: list(tmp_path.glob(f"antelog-list-*.{form}")))
    data = found[0].read_bytes()
    assert b"wt4" in data
    assert len(data) > 500


def test_a_view_can_be_printed(tab: Tab) -> None:
    tab.run("window.print = () => { window.printed = true; }")
    tab.run("document.querySelector('[data-snapshot=print]').click()")
    tab.until("window.printed")
    assert tab.tell("Page.printToPDF")["data"]


@pytest.mark.long
def test_a_hundred_thousand_answers_scroll(chromium: Browser, tmp_path: Path) -> None:
    with served(tmp_path, some(100_000)) as (page, _):
        tab = chromium.opened(page.address.link, 1200)
        tab.until("document.getElementById('found')?.textContent === '100,000 answers'")
        for share in (0.3, 0.9, 1.0, 0.0):
            tab.run(f"scrollTo(0, {share} * (document.documentElement.scrollHeight - innerHeight))")
            place = round(share * 99_999) + 1
            seen = "[...document.querySelectorAll('.rows .item')].map(row => row.ariaPosInSet)"
            tab.until(f"{seen}.some(n => Math.abs(n - {place}) < 40)")
            assert tab.run(f"{ROWS}") < 80
        tab.key("/")
        tab.run("document.activeElement.value = 'wt99996'")
        tab.run("document.activeElement.dispatchEvent(new Event('input', {bubbles: true}))")
        tab.until(f"{ROWS} === 1")
        for view in VIEWS:
            tab.run(f"go('/{view}')")
            tab.until(f"shown === '{view or 'now'}'")
        assert tab.errors == []


@pytest.mark.parametrize("looks", [golden.LOOKS[2:3], pytest.param(golden.LOOKS, marks=pytest.mark.long)])
def test_views_look_as_they_did(chromium: Browser, tmp_path: Path, looks: Sequence[tuple[int, bool]]) -> None:
    blank = chromium.tab(alone=True)
    seen = dict(golden.pictures_of(chromium, tmp_path / "feed", looks))
    kept = {path.name: path.read_bytes() for path in golden.PICTURES.glob("*.png") if path.name in seen}
    assert len(kept) == len(looks) * len(golden.VIEWS)
    different = {
        name: found
        for name, data in seen.items()
        if (found := golden.difference(blank, data, kept[name])) > 0.01
    }
    anew = "look at them, and take them anew with python -m tests.watch.web.golden"
    assert not different, anew
    # One view is not another: the comparison sees that.
    assert golden.difference(blank, seen["plan-1600-light.png"], seen["now-1600-light.png"]) > 0.015


def test_a_page_that_is_named_shows_the_brief_in_a_frame_and_others_do_not(
    chromium: Browser, tmp_path: Path
) -> None:
    files = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), files) as server, ExitStack() as stack:
        Thread(target=server.serve_forever, daemon=True).start()
        stack.callback(server.shutdown)
        wall = f"http://localhost:{server.server_port}"
        address = PageAddress(embed_from=(wall,))
        page, store = stack.enter_context(served(tmp_path, some(5), address=address))
        link = f"{page.address.origin}/embed/brief?token={page.address.tokens.embed}"
        frame = f"<iframe src='{link}'></iframe>"
        (tmp_path / "wall.html").write_text(frame, encoding="utf-8")
        tab = chromium.tab(alone=True)
        tab.open(f"{wall}/wall.html")
        assert tab.errors == []
        tab.open(f"{wall.replace('localhost', '127.0.0.1')}/wall.html")
        until(lambda: tab.run("1") and any("frame-ancestors" in each for each in tab.errors))
        tab = chromium.tab(alone=True)
        tab.open(link)
        add(store, possible("fresh", 9, 9, 0.999), status(10, at=ago(0)))
        tab.until("anew() && document.getElementById('brief').innerText.includes('fresh')")
        assert findings(tab) == []
        tab.open(link.replace("brief", "map"))
        assert (findings(tab), tab.errors) == ([], [])
