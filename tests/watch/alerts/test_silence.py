"""antelog/watch/alerts/groups.py: an input falls silent and is heard again, each once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import antelog
from antelog.run.store import Store
from antelog.watch.alerts.alert import Alert, AlertSetup, queries_of
from antelog.watch.alerts.groups import AlertGroups, SilentInputs
from antelog.watch.alerts.letters import routes_of
from antelog.watch.alerts.outbox import SENT, opened

PROGRAM = antelog.parse("input Temp(x, level, time). A(X, T) :- Temp(X, high, T). query A(X, T).")
HEARD = "2026-03-09T10:02:14.000Z"
AT = 1_773_050_534.0  # the same moment, in seconds since 1970


def status(heard: str = HEARD, gap: float | None = 10.0) -> dict[str, Any]:
    return {"status": {"tick": 8, "inputs": {"Temp": {"heard": heard, "gap": gap}}}}


def changes(silent: SilentInputs, now: float, *records: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(each["change"], each["text"]) for each in silent.changes(records, now)]


def test_an_input_falls_silent_once_and_is_heard_once() -> None:
    silent = SilentInputs((), AT - 60)
    assert changes(silent, AT + 10, status()) == []
    ((change, text),) = changes(silent, AT + 11)
    assert change == "silent"
    assert text == "no fact of Temp since 2026-03-09 10:02:14 UTC; the next was expected within 10 seconds"
    assert changes(silent, AT + 12, status()) == []
    again = status("2026-03-09T10:09:00.000Z")
    assert [change for change, _ in changes(silent, AT + 410, again)] == ["heard"]
    assert changes(silent, AT + 411) == []


def test_nothing_is_silent_that_had_no_time_to_speak() -> None:
    silent = SilentInputs((), AT + 3_600)  # a restart after an hour
    assert changes(silent, AT + 3_609, status()) == []
    assert [change for change, _ in changes(silent, AT + 3_611)] == ["silent"]


@pytest.mark.parametrize("gap", [None, 1e9])
def test_without_a_gap_nothing_is_silent(gap: float | None) -> None:
    assert changes(SilentInputs((), AT), AT + 9_999, status(gap=gap)) == []


def test_what_was_silent_before_a_restart_is_not_said_again(tmp_path: Path) -> None:
    Store.open(tmp_path / "s").close()
    queries = queries_of(PROGRAM.plan, chances=False)
    setup = AlertSetup((Alert("command:cat"),), queries, "p.alog", link="http://127.0.0.1:8080")
    with opened(tmp_path / "s") as outbox:
        groups = AlertGroups(outbox, routes_of(setup))
        groups.add([*SilentInputs((), AT - 60).changes([status()], AT + 11)])
        assert groups.silent() == [("Temp", "")]
        restarted = SilentInputs(groups.silent(), AT + 20)
        assert changes(restarted, AT + 99, status()) == []
        groups.add([*restarted.changes([status("2026-03-09T10:04:00.000Z")], AT + 108)])
        assert groups.silent() == []
        found = []
        while (letter := outbox.first("command:cat")) is not None:
            found.append(json.loads(letter.body))
            outbox.settle("command:cat", letter, SENT)
    assert [(each["status"], each["group"], each["change"]) for each in found] == [
        ("firing", "Temp", "silent"),
        ("resolved", "Temp", "heard"),
    ]
    assert found[0]["severity"] == "warning"
    assert found[0]["link"] == "http://127.0.0.1:8080/inputs"


def slotted(silent: int, heard: str = HEARD, **listed: str) -> dict[str, Any]:
    """A status of an input that is heard, with silent slots of 60."""
    slots = {"of": "device", "known": 60, "silent": silent, "listed": listed}
    return {"status": {"tick": 8, "inputs": {"Temp": {"heard": heard, "gap": 10.0, "slots": slots}}}}


def said(silent: SilentInputs, *records: dict[str, Any], now: float = AT + 5) -> list[str]:
    return [f"{each['change']} {each['answer'].get('slot')}" for each in silent.changes(records, now)]


def test_a_device_falls_silent_and_is_heard() -> None:
    silent = SilentInputs((), AT - 60)
    assert said(silent, slotted(0)) == []
    (line,) = silent.changes([slotted(1, wt9="2026-03-09T10:01:00.000Z")], AT + 5)
    assert line["text"] == (
        "no fact of Temp of wt9 since 2026-03-09 10:01:00 UTC; the next was expected within 10 seconds"
    )
    assert line["answer"] == {"input": "Temp", "slot": "wt9"}
    _, line = silent.changes([slotted(1, wt4=HEARD)], AT + 5)
    assert line["text"] == "facts of Temp of wt9 come again"
    # The whole input is silent: of its devices nothing is known until it is heard again.
    assert said(silent, now=AT + 11) == ["silent None"]
    assert said(silent, slotted(0, "2026-03-09T10:09:00.000Z"), now=AT + 410) == ["heard None", "heard wt4"]


def test_many_devices_are_one_alert() -> None:
    silent = SilentInputs((), AT - 60)
    assert said(silent, slotted(1, wt0=HEARD)) == ["silent wt0"]
    many = {f"wt{n}": HEARD for n in range(30)}
    (line,) = silent.changes([slotted(30, **many)], AT + 5)
    assert line["text"] == (
        "30 of 60 devices of Temp are silent, such as wt0, wt1, wt2; the next was expected within 10 seconds"
    )
    assert said(silent, slotted(29, **many)) == []
    assert said(silent, slotted(2, wt0=HEARD, wt1=HEARD)) == ["silent wt1", "heard *"]
    assert said(silent, slotted(0)) == ["heard wt0", "heard wt1"]


def test_alerts_on_other_kinds_only_hear_nothing_of_it() -> None:
    queries = queries_of(PROGRAM.plan, chances=False)
    for on, wanted in (((), True), (("confirmed",), False), (("confirmed", "silent"), True)):
        setup = AlertSetup((Alert("command:cat", on=on),), queries, "p.alog")
        (route,) = routes_of(setup)
        (line,) = SilentInputs((), AT - 60).changes([status()], AT + 11)
        assert route.choice.fits(line) is wanted
