"""antelog/watch/alerts/work.py: what the process is told comes through, and what it says is safe to show."""

import msgspec
import pytest

from antelog.watch.alerts.alert import Alert, Wanted
from antelog.watch.alerts.work import Work, say
from tests.watch.alerts.lines import QUERIES


def test_told_as_json() -> None:
    work = Work("f", "o", Wanted((Alert("command:cat", ("likely",)),), QUERIES, "p.alog", 60))
    assert msgspec.json.decode(msgspec.json.encode(work), type=Work) == work


def test_nothing_said_is_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\x1b[2J\nb")
    assert capsys.readouterr().err == "alerts: a\\u001b[2J\\u000ab\n"
