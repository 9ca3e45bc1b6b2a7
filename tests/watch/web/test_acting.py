"""antelog/watch/web/api.py: acknowledging, snoozing and noting, and who may."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.types import ASGIApp

from antelog.run.store.store import Store
from antelog.watch.web.app import Entry, page_app
from antelog.watch.web.live_board import LiveBoard
from antelog.watch.web.views.context import TickClock
from tests.watch.lines import PROGRAM, confirmed, head, possible
from tests.watch.web.asking import ACTS, ADDRESS, FACTS, TOKEN, ask, guarded, sight


@pytest.fixture
def found() -> LiveBoard:
    return sight(possible("wt2", 7, 8), possible("wt2", 8, 8), possible("wt4", 7, 8))


@pytest.fixture
def app(found: LiveBoard, tmp_path: Path) -> ASGIApp:
    Store(tmp_path / "s").close()
    return guarded(found, tmp_path / "s")


def post(app: ASGIApp, token: str = ACTS, **act: Any) -> tuple[int, Any]:
    body, headers = json.dumps(act).encode(), {"content-type": "application/json"}
    answer = ask(app, "/api/acts", method="POST", body=body, token=token, **headers)
    return answer.status, answer.json


def listed(app: ASGIApp) -> list[tuple[str, str, str]]:
    acts = ask(app, "/api/acts").json["acts"]
    return [(each["group"], each["kind"], each["who"]) for each in acts]


def test_an_acknowledgement_is_there_until_all_its_answers_are_settled(
    app: ASGIApp, found: LiveBoard
) -> None:
    before = found.board.version
    assert post(app, group="wt2", kind="acknowledged", who="ann")[0] == 200
    assert found.board.version > before  # other readers hear of it
    assert listed(app) == [("wt2", "acknowledged", "ann")]
    found.take([confirmed("wt2", 7, 9)])
    assert listed(app) == [("wt2", "acknowledged", "ann")]
    found.take([confirmed("wt2", 8, 10)])
    assert listed(app) == []


def test_a_snooze_and_a_note(app: ASGIApp) -> None:
    assert post(app, group="wt2", kind="snoozed", who="ann", minutes=30)[0] == 200
    status, answer = post(app, group="wt2", kind="noted", who="bob", note="the crane comes")
    assert status == 200
    snoozed, noted = answer["acts"]
    assert snoozed["until"] - snoozed["at"] == 1_800
    assert (noted["note"], noted["until"]) == ("the crane comes", None)
    assert post(app, group="wt2", kind="snoozed", end=True)[1]["acts"] == [noted]


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        ({"group": "wt2", "kind": "acknowledged"}, "say who does it"),
        ({"group": "wt9", "kind": "acknowledged", "who": "ann"}, "nothing is open of `wt9`"),
        ({"group": "wt2", "kind": "snoozed", "who": "ann"}, "say for how long"),
        ({"group": "wt2", "kind": "snoozed", "who": "ann", "minutes": 1e9}, "minutes"),
        ({"group": "wt2", "kind": "noted", "who": "ann", "note": " "}, "write a `note`"),
        ({"group": "wt2", "kind": "solved", "who": "ann"}, "kind"),
        ({"kind": "noted", "who": "ann"}, "group"),
        ({"group": "wt2", "kind": "noted", "who": "ann", "note": "x", "more": 1}, "more"),
    ],
)
def test_what_is_no_act_is_refused_with_the_reason(app: ASGIApp, act: Any, reason: str) -> None:
    status, answer = post(app, **act)
    assert status == 400
    assert reason in answer["error"]
    assert listed(app) == []


@pytest.mark.parametrize("token", [TOKEN, FACTS, "", "s.x.y"])
def test_only_who_has_the_link_to_act_may(app: ASGIApp, token: str) -> None:
    assert post(app, token, group="wt2", kind="noted", who="eve", note="x")[0] == 401
    assert listed(app) == []


def test_the_link_to_act_lets_one_look_as_well(app: ASGIApp) -> None:
    assert ask(app, "/api/session", token=TOKEN).json["acts"] is False
    given = ask(app, "/api/session", token=ACTS).json
    assert given["acts"] is True
    assert ask(app, "/api/now", token=given["session"]).status == 200
    assert ask(app, f"/?token={ACTS}", token=None).status == 200
    assert post(app, given["session"], group="wt2", kind="noted", who="ann", note="x")[0] == 200


def test_a_page_without_a_store_keeps_no_acts(found: LiveBoard) -> None:
    assert ask(guarded(found), "/api/acts").status == 404
    assert ask(guarded(found), "/api/session", token=ACTS).json["acts"] is False


def test_a_proxy_says_who_it_is(found: LiveBoard, tmp_path: Path) -> None:
    Store(tmp_path / "s").close()
    entry = Entry(ADDRESS.hosts, ADDRESS.origins, ADDRESS.tokens, tmp_path / "s", proxied=True)
    body = msgspec.json.encode({"group": "wt2", "kind": "noted", "who": "mallory", "note": "x"})
    headers = {"content-type": "application/json", "x-forwarded-user": "ann"}
    answer = ask(page_app(found, entry), "/api/acts", method="POST", body=body, token=ACTS, **headers)
    assert [each["who"] for each in answer.json["acts"]] == ["ann"]


def order(app: ASGIApp, given: str = "") -> list[str]:
    return [each["X"] for each in ask(app, f"/api/now?{given}").json["answers"]]


def test_what_somebody_takes_care_of_comes_after_all_others(tmp_path: Path) -> None:
    program = PROGRAM.replace("alert 75%", "critical alert 75%") + "query Hot(X, T) warning.\n"
    answers = (("a", 0.9, "Malf"), ("b", 0.8, "Malf"), ("c", 0.7, "Hot"), ("d", 0.6, "Hot"))
    lines = [possible(name, 7, 8, chance, query=query) for name, chance, query in answers]
    board = sight(head(program=program), *lines)
    Store(tmp_path / "s").close()
    app = guarded(board, tmp_path / "s")
    assert order(app) == ["a", "b", "c", "d"]
    post(app, group="a", kind="acknowledged", who="ann")
    post(app, group="c", kind="snoozed", who="ben", minutes=30)
    post(app, group="d", kind="noted", who="ben", note="noon")
    assert order(app) == ["b", "d", "a", "c"]
    assert order(app, "care=ann&sort=name") == ["a"]
    assert order(app, "care=ann&care=ben") == ["a", "c"]
    assert order(app, "care=nobody%27s") == ["b", "d"]
    assert ask(app, "/api/now?care=ben").json["total"] == 1
    page = ask(app, "/part/list?care=ben").text
    counts = re.findall(r'name="care" value="([^"]+)"( checked)?>.*?figure">(\d+)<', page)
    assert counts == [("ann", "", "1"), ("ben", " checked", "1"), ("nobody&#39;s", "", "2")]
    page = ask(app, "/part/list").text
    assert "✓ ann, until decided" in page
    assert "Zz ben, until " in page
    assert page.index("Zz ben") > page.index("✓ ann") > page.index("✎ noon")
    post(app, group="c", kind="snoozed", end=True)
    post(app, group="c", kind="acknowledged", who="ann")
    assert order(app) == ["b", "d", "a", "c"]
    board.take([possible("c", 8, 8, 0.1)])  # something worse: whoever takes care of the other may not know
    assert order(app) == ["b", "c", "c", "d", "a"]


def test_a_snooze_beyond_today_says_the_day() -> None:
    clock = TickClock(None, 7)
    assert re.fullmatch(r"\d\d:\d\d", clock.hour(time.time()))
    assert re.fullmatch(r"\d+ \w{3} \d\d:\d\d", clock.hour(time.time() + 3 * 86_400))
