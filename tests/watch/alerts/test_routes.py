"""antelog/watch/alerts/routes.py: each receiver gets what it is to be told, in its own words."""

import json

import pytest

from antelog.watch.alerts.alert import Alert, AlertError, Wanted
from antelog.watch.alerts.letters import key_of
from antelog.watch.alerts.routes import letters, routes_of
from tests.watch.alerts.lines import QUERIES, line

ALERTS = (
    Alert("slack:@a", template="{X} is hot"),
    Alert("command:cat", on=("likely", "confirmed"), where=("X=wt*",)),
    Alert("command:cat", on=("confirmed",)),
)
ROUTES = routes_of(Wanted(ALERTS, QUERIES, "p.alog"))


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
def test_who_is_told(change: dict[str, object], names: list[str]) -> None:
    assert [name for name, _ in letters(ROUTES, change)] == names


def test_in_their_words() -> None:
    found = dict(letters(ROUTES, line()))
    assert json.loads(found["slack:@a"].body)["text"] == "wt2 is hot"
    assert json.loads(found["command:cat"].body)["text"].startswith("Malf X = wt2, T = 7: likely")
    assert {letter.key for letter in found.values()} == {key_of(line())}


def test_a_wrong_alert_is_refused() -> None:
    with pytest.raises(AlertError):
        routes_of(Wanted((Alert("nobody"),), QUERIES, "p.alog"))
