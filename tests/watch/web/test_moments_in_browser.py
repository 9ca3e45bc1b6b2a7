"""The time machine in a real browser, on the page and in a film; skipped where there is no Chromium."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from antelog.watch.web.address import PageAddress
from antelog.watch.web.serving import Page
from tests.watch.browser import CHROMIUM, Browser
from tests.watch.recorded_run import recorded
from tests.watch.web.test_console import CHECKS, WIDTHS, findings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt install chromium"),
]
STEPS = Path(__file__).with_name("moments.js").read_text(encoding="utf-8")


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    found = Page(recorded(tmp_path), PageAddress())
    yield found
    found.stop()


def test_the_page_of_before_and_a_film_of_it(chromium: Browser, page: Page, tmp_path: Path) -> None:
    tab = chromium.opened(page.address.link)
    tab.run("go('/')")
    tab.until("moments.data !== null && !moments.box.hidden")
    assert json.loads(tab.run(f"{STEPS}; looked()")) == []
    for width in WIDTHS:
        tab.size(width, 900, dark=width == WIDTHS[0])
        assert tab.run("document.documentElement.scrollWidth <= innerWidth"), width
        assert findings(tab) == [], width
        assert tab.run(CHECKS.read_text("utf-8")) == [], width
    file = tmp_path / "film.html"
    file.write_text(tab.run("filmed()"), encoding="utf-8")
    expected = tab.run("filming.frame(moments.data.tick - 5)")
    film = chromium.tab(alone=True)
    film.tell(
        "Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0
    )
    film.open(file.as_uri())
    film.until("document.body.dataset.ready")
    assert film.run("film.frames[7].join('\\n')").split() == expected.split()
    film.run("document.getElementById('replay').click()")
    film.until("film.at === 12")
    assert findings(film) == []
    assert tab.errors == film.errors == []
