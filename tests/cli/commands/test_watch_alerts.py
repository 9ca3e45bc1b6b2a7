"""antelog/cli/commands/watch.py: `antelog watch` sends alerts, and tells the same if they do not arrive."""

import json
import re
import subprocess
import time
import urllib.error
import urllib.request
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from antelog import parse
from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import WATCH
from antelog.cli.commands.watch import wanted_alerts
from antelog.run.settings import AlertSettings
from antelog.watch.alerts.alert import Alert, AlertSetup
from tests.cli.trying import LOG, READINGS, antelog, command
from tests.processes import Start, until

pytestmark = pytest.mark.usefixtures("here")
ONCE = ("watch", "p.alog", "--input", "Temp=temp.csv", "--once", "--no-page")
STARTED = (*ONCE, "--alert", "command:tee -a sent")
CONFIRMED = [line for line in LOG if '"confirmed"' in line]


def sent() -> list[dict[str, Any]]:
    """The messages that have arrived whole: a long one is written in parts."""
    path = Path("sent")
    lines = path.read_text("utf-8").splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def watch(*arguments: object) -> Result:
    Path("temp.csv").write_text(READINGS, encoding="utf-8")
    return antelog(*ONCE, "--alert-from", "start", *arguments)


def test_what_is_confirmed_is_sent() -> None:
    done = watch("--alert", "command:tee -a sent", "--alert-template", "{X} has failed")
    assert (done.exit_code, done.stdout.splitlines()) == (0, LOG)
    (one,) = sent()
    assert one.pop("text") == "wt2 has failed"
    assert one.pop("program") == "p.alog"
    assert one.pop("key")
    added = {"status": "firing", "group": "wt2", "severity": "info", "count": 1, "still_firing": 0}
    assert {name: one.pop(name) for name in added} == added
    assert [one] == [json.loads(line) for line in CONFIRMED]


def test_of_what_is_over_there_is_no_alert() -> None:
    """An hour of past facts: what is confirmed only when they have been read is news, and nothing else."""
    hour = "".join(f"wt2,high,{tick}\n" for tick in range(60))
    Path("temp.csv").write_text(f"device,level,time\n{hour}", encoding="utf-8")
    done = antelog(*STARTED, "--alert-every", "0")
    assert done.exit_code == 0, done.stderr
    confirmed = [each for each in map(json.loads, done.stdout.splitlines()) if each["change"] == "confirmed"]
    assert len(confirmed) == 59
    assert [each["tick"] for each in sent()] == [each["tick"] for each in confirmed if each["tick"] >= 59]
    Path("sent").unlink()
    assert antelog(*STARTED, "--alert-every", "0", "--alert-from", "58").exit_code == 0
    assert len(sent()) == 2


CALM = """\
input Temp(device, level, time).
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+2).
Calm(X, T) :- Temp(X, low, T).
query Malf(X, T) critical "{X} is failing".
query Calm(X, T) SEVERITY "{X} runs quietly".
"""


def calm(severity: str, *arguments: str) -> list[tuple[Any, ...]]:
    Path("p.alog").write_text(CALM.replace("SEVERITY", severity), encoding="utf-8")
    Path("temp.csv").write_text("device,level,time\nwt2,high,1\nwt2,low,4\n", encoding="utf-8")
    Path("sent").unlink(missing_ok=True)
    done = antelog(*STARTED, "--alert-from", "start", *arguments)
    assert done.exit_code == 0, done.stderr
    return [
        tuple(each[part] for part in ("status", "severity", "query", "change", "count")) for each in sent()
    ]


def test_that_all_is_well_is_told_to_those_who_ask_for_it() -> None:
    told = ("firing", "good", "Calm", "confirmed", 1)
    assert calm("good") == []
    assert calm("good", "--alert-where", "X=wt2") == []
    assert calm("good", "--alert-where", "Calm") == [told]
    assert calm("good", "--alert-on", "confirmed") == [told]
    assert calm("info") == [("firing", "info", "Calm", "confirmed", 1)]


def test_a_message_is_headed_by_its_worst_part_and_has_the_status_of_that() -> None:
    kinds = ("--alert-on", "possible,confirmed,rejected")
    first = ("firing", "critical", "Malf", "possible", 1)
    assert calm("good", *kinds) == [first, ("resolved", "critical", "Malf", "rejected", 2)]
    assert calm("info", *kinds) == [first, ("firing", "info", "Calm", "confirmed", 2)]


def test_what_is_printed_is_another_matter() -> None:
    done = watch("--only", "possible", "--alert", "command:tee -a sent", "--alert-on", "rejected")
    assert {json.loads(line)["change"] for line in done.stdout.splitlines()} == {"possible"}
    assert {each["change"] for each in sent()} == {"rejected"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--alert", "slack:https://hooks.example/s3cr3t"), "an address is a secret"),
        (("--alert", "slack:@none.url"), "none.url: cannot be read"),
        (("--alert", "command:cat", "--alert-on", "likly"), "Did you mean likely or unlikely?"),
        (("--alert", "command:cat", "--alert-on", "likely"), "no query has an alert"),
        (("--alert", "command:cat", "--alert-from", "yesterday"), "yesterday"),
        (
            ("--alert", "command:cat", "--link", "https://a.example/?token=s3cr3t"),
            "is not the address of a page",
        ),
    ],
)
def test_a_wrong_alert_is_said_before_the_start(words: tuple[str, ...], said: str) -> None:
    done = watch(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert "s3cr3t" not in done.stderr


PAST = """\
tick 20 seconds.
input Temp(device, level, time).
input Fix(device, time).
chance Fix(_, _) = 5%.
Late(X, T) :- Temp(X, high, T), Fix(X, U), U > T, U <= T + 400.
Over(X, T) :- Temp(X, high, T), Temp(X, low, T+1).
query Late(X, T) critical alert 80%.
query Over(X, T).
"""


@pytest.mark.slow
def test_started_on_an_hour_of_the_past_it_tells_of_what_is_open_by_device(here: Path, start: Start) -> None:
    now = int(time.time()) // 20 * 20
    rows = [
        f"{device},{level},{stamp(now - back + later)}"
        for device in ("wt1", "wt2", "wt3")
        for back in range(900 if device == "wt3" else 600, 3600, 300)
        for later, level in ((0, "high"), (20, "low"))
    ]
    (here / "p.alog").write_text(PAST, encoding="utf-8")
    (here / "temp.csv").write_text(
        "\n".join(["device,level,time", *sorted(rows, key=lambda row: row[-20:]), ""])
    )
    (here / "fix.csv").write_text(f"device,time\nwt3,{stamp(now - 700)}\n")
    words = ("--input", "Temp=temp.csv", "--input", "Fix=fix.csv", "--alert", "command:tee -a sent")
    running = start(command("watch", "p.alog", *words), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert running.stderr is not None
    link = next(found[0] for line in running.stderr if (found := re.search(r"http\S+token=\S+", line)))
    address, _, token = link.partition("/?token=")

    until(lambda: len(sent()) >= 2)
    assert sorted((each["group"], each["count"], each["change"]) for each in sent()) == [
        ("wt1", 10, "likely"), ("wt2", 10, "likely"),
    ]  # fmt: skip
    for each in sent():
        assert each["link"].startswith(f"{address}/answer/")
        name = each["link"].rpartition("/")[2]
        ask = urllib.request.Request(
            f"{address}/api/answers/{name}", headers={"Authorization": f"Bearer {token}"}
        )
        line = until(partial(shown, ask))  # the page may read the lines a moment after the alert is sent
        assert (line["open"], line["lines"][0]["answer"]["X"]) == (True, each["group"])


def shown(ask: urllib.request.Request) -> dict[str, Any] | None:
    try:
        with urllib.request.urlopen(ask) as answer:
            found: dict[str, Any] = json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code != HTTPStatus.NOT_FOUND:
            raise
        return None
    return found


def stamp(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


# ---- options of alerts ----

ALERTING = parse("input P(x, time). Q(X, T) :- P(X, T). query Q(X, T) alert 80%.")
found: list[AlertSetup | None] = []


@click.command()
@flags(WATCH, settings=AlertSettings)
def wanted(settings: AlertSettings) -> None:
    found.append(wanted_alerts(settings, ALERTING, chances=True))


def call(*words: str) -> Result:
    found.clear()
    return CliRunner().invoke(wanted, words, catch_exceptions=False)


def test_all_receivers_are_told_the_same() -> None:
    words = ("--alert", "command:cat", "--alert", "command:tee x", "--alert-on", "likely,confirmed")
    assert (
        call(*words, "--alert-where", "X=a", "--alert-where", "X=b", "--alert-template", "{X}").exit_code == 0
    )
    assert found[0] is not None
    assert found[0].alerts == tuple(
        Alert(to, ("likely", "confirmed"), ("X=a", "X=b"), "{X}") for to in ("command:cat", "command:tee x")
    )


def test_a_file_has_more() -> None:
    Path("a.toml").write_text("[[alert]]\nto = 'command:cat'\non = ['rejected']", encoding="utf-8")
    assert call("--alerts", "a.toml", "--alert", "command:cat").exit_code == 0
    assert found[0] is not None
    assert found[0].alerts == (Alert("command:cat"), Alert("command:cat", ("rejected",)))
