"""antelog/watch/web/{rendered,news}.py: one view for all who see the same, and only what is new."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from functools import partial
from typing import Any

import msgspec
import pytest

from antelog.watch.web import rendered
from antelog.watch.web.live_board import LiveBoard
from antelog.watch.web.rendered import changes
from antelog.watch.web.views import PARTS
from tests.watch.lines import ago, confirmed, possible, some, status
from tests.watch.web.asking import Answered, ask, guarded, sight
from tests.watch.web.test_freshness import silent

VIEWS = ("now", "list", "list/rows", "decided", "decided/rows", "inputs", "trust", "plan")


def applied(before: str, pieces: list[Any]) -> str:
    """What the script of the page makes of lines that are new and stretches of those before."""
    lines, known, given = list[str](), before.split("\n"), iter(pieces)
    for each in given:
        lines += [each] if isinstance(each, str) else known[each : each + next(given)]
    return "\n".join(lines)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The views that are rendered from now on, by name."""
    found: list[str] = []

    def counted(scene: Any, rest: str, name: str, make: Callable[..., Any]) -> Any:
        found.append(name)
        return make(scene, rest)

    for name, make in PARTS.items():
        monkeypatch.setitem(PARTS, name, partial(counted, name=name, make=make))
    return found


@pytest.mark.parametrize("view", VIEWS)
def test_a_reader_with_an_earlier_view_gets_what_is_new(view: str, made: list[str]) -> None:
    live = sight(*some(40))
    app = guarded(live)

    def asked(have: str) -> Answered:
        return ask(app, f"/part/{view}?count=30&have={have}")

    first = asked("")
    assert (asked(first.headers["x-view"]).status, asked("of-nobody").text) == (204, first.text)
    live.take([possible("new", 9, 9, 0.99), confirmed("wt3", 7, 9), silent(1, "wt4"), status(12, facts=900)])
    later = asked(first.headers["x-view"])
    assert applied(first.text, later.json) == asked("").text != first.text
    assert ask(app, f"/part/{view}?count=29&have={first.headers['x-view']}").text.startswith("<")
    assert [name for name in made if name != "answer"] == 3 * [view.partition("/")[0]]


def test_facts_alone_render_rates_and_no_answers(made: list[str]) -> None:
    live = sight(*some(5))
    app = guarded(live)
    for facts in (100, 200, 300):
        live.take([status(9, facts=facts)])
        for name in ("now", "inputs"):
            ask(app, f"/part/{name}")
    assert made == ["now", "inputs", "inputs", "inputs"]


def test_few_views_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendered, "_ADDRESSES", 2)
    app = guarded(sight(*some(5)))
    tags = [ask(app, f"/part/list?count={count}&have=").headers["x-view"] for count in (1, 2, 3)]
    assert [ask(app, f"/part/list?count={n + 2}&have={tags[n + 1]}").status for n in (0, 1)] == [204, 204]


@pytest.mark.parametrize(
    ("before", "after"), [("", "a"), ("a\nb\na\nb", "b\na\nb\na\na"), ("a\nb\nc", "c\nx\ny\na"), ("a\nb", "")]
)
def test_lines_may_repeat_move_and_go(before: str, after: str) -> None:
    assert applied(before, changes(before.split("\n"), after.split("\n"))) == after


def test_a_page_is_sent_packed_to_those_who_take_it() -> None:
    app = guarded(sight(*some(40)))
    for path in ("/part/now?have=", "/static/page.js"):
        packed, plain = ask(app, path, accept_encoding="gzip, br"), ask(app, path)
        assert packed.headers["content-encoding"] == "gzip"
        assert 2 * len(packed.body) < len(plain.body)


async def _heard(live: LiveBoard, only: str, *steps: list[Any]) -> list[dict[str, Any]]:
    """What a reader of news hears, as steps are taken."""
    from antelog.watch.web.app import Entry, _Routes  # noqa: PLC0415 - of a loop that runs

    found = []
    async with aclosing(_Routes(live, Entry()).news.told(only)) as told:
        for step in steps:
            found.append(msgspec.json.decode((await anext(told)).partition("data: ")[2]))
            live.take(step)
        found.append(msgspec.json.decode((await anext(told)).partition("data: ")[2]))
    return found


def test_a_page_hears_what_has_changed_and_a_hidden_one_what_is_due() -> None:
    more = [possible("wt9", 9, 9, 0.99), status(9, facts=200, at=ago(0))]
    whole, news = asyncio.run(_heard(sight(*some(5)), "page", more))
    assert (whole["due"], whole["reached"], whole["program"]) == ({}, "tick 9", "hot.alog")
    assert news.keys() == {"version", "view", "due"}
    due = asyncio.run(_heard(sight(*some(5)), "due", [status(9, facts=300, at=ago(0)), *more]))
    assert due == [{"due": {}}, {"due": {"warning": 1}}]
    states = asyncio.run(_heard(sight(*some(5)), "", more))
    assert [each["open"] for each in states] == [{"Malf": 5}, {"Malf": 6}]
