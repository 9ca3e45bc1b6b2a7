"""The site of the documentation: its home page, what it loads, how wide its code is, and its logo."""

import os
import re
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import nbformat
import pytest

import antelog
import antelog.spark
from antelog import theme
from scripts.notebook import NOTEBOOK
from scripts.site_pages import changelog_page, elsewhere, notebook_page, styled
from tests.docs.pages import ROOT, Block, all_blocks, blocks
from tests.watch.browser import CHROMIUM, browser

DOCS = ROOT / "docs"
CSS = (DOCS / "css" / "site.css").read_text(encoding="utf-8")
COLUMNS = int(re.findall(r"--code-columns: (\d+)", CSS)[0])
SHOWN = re.compile(r"!\[[^\]]+\]\(([^)#]+)(?:#[^)]*)?\)")
ON_THE_SITE = [block for block in all_blocks() if (DOCS / block.page).is_file()]


def pictures(page: Path) -> set[Path]:
    return {(page.parent / name).resolve() for name in SHOWN.findall(page.read_text(encoding="utf-8"))}


def too_wide(some: list[Block]) -> list[str]:
    return [
        f"{block.page}:{number}"
        for block in some
        for number, line in enumerate(block.text.splitlines(), block.line + 1)
        if len(line) > COLUMNS
    ]


# ---- the home page ----


def test_the_home_page_has_the_pictures_of_the_readme_and_of_the_live_page() -> None:
    shown = pictures(DOCS / "index.md")
    assert {DOCS / "images" / "answers.svg", DOCS / "pictures" / "live-now.png"} <= shown
    of_readme = {path for path in pictures(ROOT / "README.md") if path.name != "logo.svg"}
    assert of_readme <= shown
    assert all(path.is_file() for path in shown)


def test_the_logo_is_the_icon_of_the_live_page() -> None:
    logo = (DOCS / "pictures" / "logo.svg").read_text(encoding="utf-8")
    assert logo == theme.sign()
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert settings.count("pictures/logo.svg") == 2  # in the header, and as the favicon
    assert "docs/pictures/logo.svg" in (ROOT / "README.md").read_text(encoding="utf-8")


# ---- the reference ----


def test_every_public_name_is_in_the_reference() -> None:
    page = (DOCS / "python.md").read_text(encoding="utf-8")
    shown = re.findall(r"^::: antelog\.([\w.]+)$", page, re.MULTILINE)
    assert {name for name in shown if "." not in name} == set(antelog.__all__)
    of_spark = [name for name in shown if name.startswith("spark.")]
    assert {name.rpartition(".")[2] for name in of_spark} == set(antelog.spark.__all__)


MEMBERS = [name for name in dir(antelog.Engine) if not name.startswith("_")]


def test_every_public_member_says_what_it_is() -> None:
    """Those that do not are left out of the reference."""
    assert [name for name in MEMBERS if not getattr(antelog.Engine, name).__doc__] == []


def test_the_reference_has_every_member_of_an_engine(built: Path) -> None:
    page = (built / "python" / "index.html").read_text(encoding="utf-8")
    assert [name for name in MEMBERS if f'id="antelog.Engine.{name}"' not in page] == []


# ---- the width of code ----


def test_code_is_not_wider_than_the_style_allows() -> None:
    text, _ = notebook_page(NOTEBOOK)
    assert too_wide([*ON_THE_SITE, *blocks(text, "notebook")]) == [], f"{COLUMNS} characters at most"


# ---- nothing from elsewhere ----


@pytest.mark.parametrize(
    "page",
    [
        '<link rel="stylesheet" href="https://a.example/x.css">',
        '<link rel="preconnect" href="//a.example">',
        '<script src="HTTPS://a.example/x.js"></script>',
        '<img src="https://a.example/x.png">',
        '<img src="x.png" srcset="x.png 1x, https://a.example/x.png 2x">',
        '<video poster="http://a.example/x.png"></video>',
        '<object data="https://a.example/x.svg"></object>',
        '<p style="background: url(https://a.example/x.png)">',
        "<style>@import 'https://a.example/x.css';</style>",
    ],
)
def test_what_a_page_loads_from_elsewhere_is_found(page: str) -> None:
    assert len(elsewhere(page)) == 1
    assert "a.example" in elsewhere(page)[0].lower()


def test_links_to_follow_and_own_files_are_not_from_elsewhere() -> None:
    page = (
        '<a href="https://a.example">x</a><img src="a/x.png"><link rel="canonical" href="https://a.example">'
    )
    assert elsewhere(page) == []


def test_the_style_loads_nothing_from_elsewhere() -> None:
    assert styled(CSS) == []


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it, where its tools are installed."""
    if any(find_spec(name) is None for name in ("mkdocs", "material", "mkdocstrings", "mkdocs_click")):
        pytest.skip("`make docs` installs what builds the site, and looks at each page too")
    folder = tmp_path_factory.mktemp("site")
    # Not `--quiet`, which drops warnings before `--strict` can count them.
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_no_page_loads_anything_from_elsewhere(built: Path) -> None:
    pages = {path: elsewhere(path.read_text(encoding="utf-8")) for path in built.rglob("*.html")}
    assert len(pages) > 20
    assert {path: found for path, found in pages.items() if found} == {}
    styles = {path: styled(path.read_text(encoding="utf-8")) for path in built.rglob("*.css")}
    assert {path: found for path, found in styles.items() if found} == {}


def test_the_notebook_and_the_changelog_are_pages(built: Path) -> None:
    page = (built / "notebooks" / "tutorial" / "index.html").read_text(encoding="utf-8")
    assert page.count('class="shown"') > 3
    assert (built / "notebooks" / "tutorial-1.svg").is_file()
    assert 'href="../notebooks/tutorial/"' in (built / "pictures" / "index.html").read_text(encoding="utf-8")
    assert 'href="../alerts/"' in (built / "changelog" / "index.html").read_text(encoding="utf-8")


# ---- in a browser ----

TOUCHES = Path(__file__).with_name("touches.js").read_text(encoding="utf-8")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt install chromium")
def test_nothing_touches_the_edge_of_the_window(built: Path) -> None:
    pages = sorted(path.parent.relative_to(built).as_posix() for path in built.rglob("index.html"))
    assert len(pages) > 30
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(built)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        with browser() as chromium:
            tab = chromium.tab()
            for width in (390, 1024, 1440):
                tab.size(width, 900)
                for page in pages:
                    tab.open(f"http://127.0.0.1:{server.server_port}/{page}/")
                    assert tab.run(TOUCHES) == [], f"{page} at {width} pixels"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# ---- what is made for it ----


def test_a_notebook_becomes_a_page(tmp_path: Path) -> None:
    cells = [
        nbformat.v4.new_markdown_cell("# Title\n\nSee [the language](../language.md)."),
        nbformat.v4.new_code_cell("%%antelog rules\ninput A(x, time).\nquery A(X, T)."),
        nbformat.v4.new_code_cell(
            "draw(log[-1])",
            outputs=[
                nbformat.v4.new_output("execute_result", {"image/svg+xml": "<svg/>", "text/plain": "Drawing"})
            ],
        ),
        nbformat.v4.new_code_cell(
            "log", outputs=[nbformat.v4.new_output("execute_result", {"text/html": "<b>1</b>"})]
        ),
        nbformat.v4.new_code_cell("print(1)", outputs=[nbformat.v4.new_output("stream", text="1\n")]),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "small.ipynb")
    text, made = notebook_page(tmp_path / "small.ipynb")
    assert made == {"small-1.svg": "<svg/>"}
    assert text == (
        "# Title\n\nSee [the language](../language.md).\n\n"
        "```antelog\n%%antelog rules\ninput A(x, time).\nquery A(X, T).\n```\n\n"
        "```python\ndraw(log[-1])\n```\n\n![What draw(log(-1)) draws](small-1.svg)\n\n"
        '```python\nlog\n```\n\n<div class="shown"><b>1</b></div>\n\n'
        "```python\nprint(1)\n```\n\n```output\n1\n```\n"
    )


def test_links_of_the_changelog_are_those_of_a_page() -> None:
    assert (
        changelog_page("[a](docs/alerts.md), [b](https://b.example)")
        == "[a](alerts.md), [b](https://b.example)"
    )
