"""antelog/watch/alerts/routes.py: each receiver gets its lines, in its own words."""

import json
from typing import Any

import pytest

from antelog.watch.alerts.alert import Alert, AlertError, AlertSetup
from antelog.watch.alerts.receivers import receiver_of
from antelog.watch.alerts.routes import key_of, letter_of, letters, routes_of
from tests.watch.alerts.lines import QUERIES, line

ALERTS = (
    Alert("slack:@a", template="{X} is hot"),
    Alert("command:cat", on=("likely", "confirmed"), where=("X=wt*",)),
    Alert("command:cat", on=("confirmed",)),
)
ROUTES = routes_of(AlertSetup(ALERTS, QUERIES, "p.alog"))


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (line("likely"), ["slack:@a", "command:cat"]),
        (line("confirmed"), ["command:cat", "command:cat #2"]),
        (line("confirmed", answer={"X": "p1", "T": 1}), ["command:cat #2"]),
        (line("possible"), []),
        ({"status": {"tick": 8}}, []),
        ({"head": {"segment": 1, "open": []}}, []),
        ({"reject": {"input": "Temp", "reason": "late"}}, []),
    ],
)
def test_who_gets_a_change(change: dict[str, object], names: list[str]) -> None:
    assert [name for name, _ in letters(ROUTES, change)] == names


def test_in_their_words() -> None:
    found = dict(letters(ROUTES, line()))
    assert json.loads(found["slack:@a"].body)["text"] == "wt2 is hot"
    assert json.loads(found["command:cat"].body)["text"].startswith("Malf X = wt2, T = 7: likely")
    assert {letter.key for letter in found.values()} == {key_of(line())}


def test_a_wrong_alert_is_refused() -> None:
    with pytest.raises(AlertError):
        routes_of(AlertSetup((Alert("nobody"),), QUERIES, "p.alog"))


def test_a_repeat_has_the_same_key() -> None:
    assert key_of(line()) == key_of(line(chance=0.9, explanations=[]))


@pytest.mark.parametrize(
    "more",
    [
        {"tick": 9},
        {"change": "confirmed"},
        {"query": "B"},
        {"answer": {"X": "wt3", "T": 7}},
        {"others": ["X"]},
    ],
)
def test_another_change_has_another_key(more: dict[str, Any]) -> None:
    assert key_of(line()) != key_of({**line(), **more})


@pytest.mark.parametrize("to", ["webhook:@x", "command:cat"])
def test_a_letter_is_the_line_and_more(to: str) -> None:
    letter = letter_of(line(), "Take care", receiver_of(to), "turbines.alog")
    assert json.loads(letter.body) == {
        "key": letter.key, "text": "Take care", "program": "turbines.alog", **line(),
    }  # fmt: skip


def test_slack_gets_a_text_that_calls_nobody() -> None:
    letter = letter_of(line(), "<!channel> & <http://evil>", receiver_of("slack:@x"), "p.alog")
    message = json.loads(letter.body)
    assert message["text"] == "&lt;!channel&gt; &amp; &lt;http://evil&gt;"
    assert (message["mrkdwn"], message["unfurl_links"], message["link_names"]) == (False, False, False)
