"""antelog/watch/alerts/letters.py: what receivers get, with a key that recognises repeats."""

import json
from typing import Any

import pytest

from antelog.watch.alerts.letters import key_of, letter_of
from antelog.watch.alerts.receivers import receiver_of
from tests.watch.alerts.lines import line


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
