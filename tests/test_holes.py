"""The libraries that come with antelog, and the check for known holes, which passes without a network."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from threading import Thread
from typing import Any

import pytest

from scripts import holes
from scripts.dependencies import Library, MissingError, closure, elsewhere, runtime

LEAKY = Library("leaky", "1.0")
TIGHT = Library("tight", "2.0")
HOLE = {"id": "GHSA-1", "aliases": ["CVE-1"], "fixed_in": ["1.1"], "withdrawn": None}


class Index(ThreadingHTTPServer):
    """An index of packages that answers with what it was given, by path."""

    def __init__(self, pages: Mapping[str, Any]) -> None:
        self.pages = pages
        super().__init__(("127.0.0.1", 0), Answering)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Index)
        page = self.server.pages.get(self.path)
        self.send_response(page if isinstance(page, int) else 404 if page is None else 200)
        self.end_headers()
        self.wfile.write(page if isinstance(page, bytes) else json.dumps(page).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the library's own name
        pass


@pytest.fixture
def index(request: pytest.FixtureRequest) -> Iterator[str]:
    with Index(request.param) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server.url
        server.shutdown()
        thread.join()


def page(*found: Mapping[str, Any], of: str = "1.0") -> dict[str, Any]:
    return {"info": {"version": of}, "vulnerabilities": list(found)}


@pytest.mark.parametrize(
    "index", [{"/leaky/1.0/json": page(HOLE), "/tight/2.0/json": page(of="2.0")}], indirect=True
)
def test_a_hole_is_named_with_its_repair(index: str) -> None:
    found = holes.all_known([LEAKY, TIGHT], index)
    said, status = holes.report(found, {})
    (line,) = said
    assert line.startswith("holes: leaky 1.0: GHSA-1 (CVE-1), fixed in 1.1; update it, or accept")
    assert status == 1


@pytest.mark.parametrize("index", [{"/leaky/1.0/json": page(HOLE)}], indirect=True)
@pytest.mark.parametrize(
    ("ignored", "status"), [({"CVE-1": "leaky"}, 0), ({"CVE-1": "other"}, 1), ({"CVE-2": "leaky"}, 1)]
)
def test_a_hole_may_be_accepted(index: str, ignored: dict[str, str], status: int) -> None:
    said, found = holes.report(holes.all_known([LEAKY], index), ignored)
    assert found == status
    assert ("holes: CVE-2 is accepted, but nothing has it any more" in said) == ("CVE-2" in ignored)


@pytest.mark.parametrize("index", [{}, {"/leaky/1.0/json": {"info": {"version": "1.0"}}}], indirect=True)
def test_an_index_that_tells_nothing_is_no_failure(index: str) -> None:
    said = holes.report(holes.all_known([LEAKY, TIGHT], index), {})
    assert said == (["holes: skipped, the index tells nothing of these versions"], 0)


def test_without_a_network_it_says_so_and_passes(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as bound:  # nobody listens there
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        assert holes.main(url) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"holes: skipped, {url} cannot be reached (")


def test_what_is_accepted_has_a_reason() -> None:
    text = '[holes]\n"CVE-1" = { library = "leaky", reason = "never called" }'
    assert holes.accepted(text) == {"CVE-1": "leaky"}
    with pytest.raises(SystemExit, match="CVE-1 needs a library, and a reason"):
        holes.accepted('[holes]\n"CVE-1" = { library = "leaky" }')
    holes.accepted(holes.ACCEPTED.read_text("utf-8"))


# ---- what comes with antelog: what a library needs comes too, and each extra brings its own ----

PROJECT = """
[project]
dependencies = ["rich>=13"]
[project.optional-dependencies]
page = ["uvicorn"]
dev = ["pytest"]
far = ["colorama; sys_platform == 'nowhere'"]
"""


def test_libraries_bring_theirs() -> None:
    found = runtime(PROJECT)
    assert found["rich"].version == version("rich")
    assert found["mdurl"].extras == ()  # rich needs markdown-it-py, which needs it
    assert found["h11"].extras == ("page",)
    assert "pytest" not in found, "those who use antelog do not get it"


def test_a_library_that_is_needed_elsewhere_is_none_of_ours_here() -> None:
    assert "colorama" not in runtime(PROJECT)
    assert "colorama" in elsewhere(PROJECT)
    assert "rich" not in elsewhere(PROJECT)


def test_an_extra_of_a_library_is_followed() -> None:
    with pytest.raises(MissingError):  # it needs a library of its own, which is not here
        closure(["lark[interegular]"])
    assert closure(["lark"]) == {"lark"}


def test_what_is_not_installed_is_named() -> None:
    with pytest.raises(MissingError, match=r"no-such-library is not installed here.*make setup"):
        closure(["no-such-library>=1"])


def test_users_get_what_the_project_says() -> None:
    found = runtime()
    assert {"numpy", "pyarrow", "pyspark", "altair", "starlette", "confluent-kafka"} <= set(found)
    assert not {"pytest", "mypy", "mkdocs"} & set(found)
    assert found["numpy"].extras == ()
    assert found["pyspark"].extras == ("spark",)
