"""The site in a browser: at three widths nothing leaves the window or touches its edge."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pytest

from tests.docs.pages import ROOT
from tests.watch.browser import CHROMIUM, browser

TOOLS = ("mkdocs", "material", "mkdocstrings", "mkdocs_click")
WIDTHS = (390, 1024, 1440)
TOUCHES = """(() => {
  const width = document.documentElement.clientWidth;
  const near = (box) => box.right > width - 6 || box.left < 6;
  const scrolled = (each) => {
    for (let up = each.parentElement; up && up !== document.body; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== 'visible') return !near(up.getBoundingClientRect());
    return false;
  };
  const found = [...document.querySelectorAll('.md-content__inner *')].filter((each) => {
    const box = each.getBoundingClientRect(), style = getComputedStyle(each);
    const seen = box.width && box.height && style.visibility !== 'hidden' && style.position !== 'absolute';
    return seen && near(box) && !scrolled(each);
  });
  const leaves = document.documentElement.scrollWidth > width ? ['the page scrolls'] : [];
  return [...leaves, ...found.slice(0, 3).map((each) => each.outerHTML.slice(0, 80))];
})()"""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder on a port of this machine."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt install chromium")
@pytest.mark.skipif(any(find_spec(name) is None for name in TOOLS), reason="`make docs` installs the tools")
def test_nothing_touches_the_edge_of_the_window(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "mkdocs", "--quiet", "build", "--strict", "--site-dir", str(tmp_path)]
    subprocess.run(words, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=True)
    pages = sorted(path.parent.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("index.html"))
    assert len(pages) > 30
    with served(tmp_path) as address, browser() as chromium:
        tab = chromium.tab()
        for width in WIDTHS:
            tab.size(width, 900)
            for page in pages:
                tab.open(f"{address}/{page}/")
                assert tab.run(TOUCHES) == [], f"{page} at {width} pixels"
