"""antelog/watch/live.py: the page as an app in one's own, of an engine, a feed or a folder of changes."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

import antelog
from antelog.errors import DataError, UnsupportedError
from tests.processes import until, until_async
from tests.watch.lines import PROGRAM, possible, written
from tests.watch.web.asking import ask

TURBINES = antelog.parse(PROGRAM)


def seen(page: Any, path: str = "/api/now", **more: Any) -> Any:
    return ask(page, path, token=more.pop("token", None), **more)


def test_a_page_of_an_engine_shows_what_it_is_reported() -> None:
    engine = antelog.Engine(TURBINES)
    engine.advance(7, {"Temp": [("wt2", "high", 7)]})
    page = antelog.live(engine, program=TURBINES, embed_from=["https://wall.example"])
    by = seen(page, "/embed/brief").headers["content-security-policy"]
    assert "frame-ancestors https://wall.example;" in by
    with pytest.raises(UnsupportedError, match="embed_from everybody: is not the origin"):
        antelog.live(engine, program=TURBINES, embed_from=["everybody"])
    assert [each["T"] for each in seen(page, "/api/now?sort=name").json["answers"]] == [6, 7]
    page.tell(engine.advance(8, {"Temp": [("wt2", "high", 8)]}))
    assert {"X": "wt2", "T": 7}.items() <= seen(page, "/api/decided").json["answers"][0].items()
    assert seen(page, "/api/state").json["tick"] == 8
    assert "Malf(X, T) :- Hot(X, T), Hot(X, T+1)." in seen(page, "/api/plan").json["program"]


def test_a_page_of_an_engine_goes_on_with_other_rules() -> None:
    engine = antelog.Engine(TURBINES)
    engine.advance(7, {"Temp": [("wt2", "high", 7)]})
    page = antelog.live(engine, program=TURBINES)
    with pytest.raises(DataError, match="have not been changed"):
        page.change_rules(TURBINES)
    other = antelog.parse(PROGRAM.replace("Malf", "Fault"))
    engine.change_rules(other, accept=True)
    page.change_rules(other)
    assert {each["query"] for each in seen(page).json["answers"]} == {"Fault"}
    assert {each["change"] for each in seen(page, "/api/decided").json["answers"]} == {"closed"}
    assert "Fault" in seen(page, "/api/plan").json["program"]
    page.tell(engine.advance(8, {"Temp": [("wt2", "high", 8)]}))
    assert seen(page, "/api/state").json["tick"] == 8


def test_a_notebook_shows_a_link_to_the_page() -> None:
    engine = antelog.Engine(TURBINES)
    page = antelog.live(engine, program=TURBINES)
    html = page._repr_html_()
    (link,) = re.findall(r'href="(http://127.0.0.1:\d+/\?token=[\w-]+)"', html)
    assert page._repr_html_() == html
    page.tell(engine.advance(7, {"Temp": [("wt2", "high", 7)]}))
    address, _, token = link.partition("/?token=")
    headers = {"authorization": f"Bearer {token}"}
    assert httpx.get(f"{address}/api/now").status_code == 401

    def answers() -> int:
        return int(httpx.get(f"{address}/api/now", headers=headers).json()["total"])

    until(lambda: answers() == 2)
    with pytest.raises(antelog.UnsupportedError, match="served to a notebook"):
        seen(page)


def test_a_page_that_is_mounted_says_so_in_a_notebook() -> None:
    page = antelog.live(antelog.Engine(TURBINES), program=TURBINES)
    assert seen(page).status == 200
    assert "mounted" in page._repr_html_()


def test_it_can_be_mounted_anywhere() -> None:
    page = antelog.live(antelog.Engine(TURBINES), program=TURBINES, hosts=["Plant.example"])
    assert 'href="/antelog/plan"' in seen(page, "/plan", root="/antelog", host="plant.example").text
    for host in ("plant.example", "plant.example:8000"):
        assert seen(page, "/api/state", root="/antelog", host=host, origin=f"https://{host}").status == 200
    for host in ("plant.example.evil", "127.0.0.1:8080", "plant.example:evil"):
        assert seen(page, "/api/state", host=host).status == 421
    assert seen(page, "/api/state", host="plant.example", origin="https://evil").status == 403


def test_unless_names_are_given_only_this_machine_is_answered() -> None:
    page = antelog.live(antelog.Engine(TURBINES), program=TURBINES)
    for host in ("localhost:8000", "127.0.0.1", "[::1]:80"):
        assert seen(page, "/api/state", host=host).status == 200
    assert seen(page, "/api/state", host="evil.example:8000").status == 421


def test_names_and_a_token_may_be_asked_for(tmp_path: Path) -> None:
    written(tmp_path / "s", [possible("wt2", 7)])
    page = antelog.live(tmp_path / "s", hosts=["plant.example"], token="secret")
    assert seen(page, host="plant.example").status == 401
    assert seen(page, host="plant.example", token="secret").json["total"] == 1
    assert seen(page, host="evil.example", token="secret").status == 421


def test_a_folder_of_changes_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(possible("wt2", 7)) + "\n")
    page = antelog.live(str(tmp_path))

    async def run() -> None:
        async def receive() -> dict[str, Any]:
            await asyncio.Event().wait()  # nobody leaves
            return {"type": "http.disconnect"}

        async def send(_message: Any) -> None:
            pass

        scope = {"type": "http", "path": "/healthz", "method": "GET", "headers": [], "query_string": b""}
        await page(scope, receive, send)
        await until_async(lambda: len(page._live.board.open) == 1)
        with (tmp_path / "a.jsonl").open("a") as file:
            file.write(json.dumps(possible("wt3", 7)) + "\n")
        await until_async(lambda: len(page._live.board.open) == 2)

    asyncio.run(run())
    assert seen(page).json["total"] == 2


def test_what_cannot_be_shown_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="give an engine, a store or a folder of changes"):
        antelog.live(7)
    with pytest.raises(DataError, match=r"add program="):
        antelog.live(antelog.Engine(antelog.parse(PROGRAM)))
    with pytest.raises(DataError, match="no such file or folder"):
        antelog.live(tmp_path / "none")
    with pytest.raises(DataError, match="only a page of an engine"):
        antelog.live(tmp_path).tell({})
