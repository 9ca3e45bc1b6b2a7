"""Small pictures of each view, compared coarsely; `python -m tests.watch.web.golden` takes them anew."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from antelog.watch.web.serving import Page
from tests.watch.browser import Browser, Tab, browser
from tests.watch.lines import ago, served, some, status

PICTURES = Path(__file__).with_name("pictures")
LOOKS = ((360, False), (360, True), (1600, False), (1600, True))
VIEWS = ("now", "list", "decided", "inputs", "trust", "plan", "answer")

_COMPARE = Path(__file__).with_name("golden.js").read_text()


def taken(tab: Tab, page: Page, looks: Sequence[tuple[int, bool]]) -> Iterator[tuple[str, bytes]]:
    tab.size(1600, 900)
    tab.open_page(page.address.link.replace("/?", "/list?"))
    tab.until("document.querySelectorAll('.rows .row').length >= 5")
    answer = tab.run("document.querySelector('.rows .row').getAttribute('href').slice(1)")
    for view in VIEWS:
        path = {"now": "", "answer": answer}.get(view, view)
        for width, dark in looks:
            tab.size(width, 720, dark=dark, scale=0.5)
            tab.run(f"go('/{path}')")
            tab.until(
                f"shown === '{path or 'now'}' && document.getElementById('live').dataset.kind !== undefined"
            )
            if view == "list":
                tab.until("document.querySelectorAll('.rows .row').length >= 5")
            tab.run("new Promise((done) => setTimeout(done, 300))")
            yield f"{view}-{width}-{'dark' if dark else 'light'}.png", tab.picture()


def difference(tab: Tab, one: bytes, other: bytes) -> float:
    """From 0, the same, to 1, black against white."""
    urls = [f"data:image/png;base64,{base64.b64encode(data).decode()}" for data in (one, other)]
    found: float = tab.run(f"{_COMPARE}({urls})")
    return found


def pictures_of(
    chromium: Browser, folder: Path, looks: Sequence[tuple[int, bool]] = LOOKS
) -> Iterator[tuple[str, bytes]]:
    folder.mkdir(exist_ok=True)
    # However slow the machine, the feed is not old, which the page would say.
    with served(folder, [*some(19)[:-1], status(9, at=ago(-3600))]) as (page, _):
        yield from taken(chromium.tab(alone=True), page, looks)


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with browser() as chromium, tempfile.TemporaryDirectory() as folder:
        for name, data in pictures_of(chromium, Path(folder)):
            (PICTURES / name).write_bytes(data)


if __name__ == "__main__":
    main()
