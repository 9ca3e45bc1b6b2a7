"""antelog/watch/alerts/groups.py: the first of a group at once, more as one, by a made-up clock."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

import antelog
from antelog.answers import name_of
from antelog.run.store import inbox
from antelog.run.store.store import Store
from antelog.watch.alerts import groups as module
from antelog.watch.alerts.alert import Alert, AlertQuery, AlertSetup, queries_of
from antelog.watch.alerts.groups import AlertGroups, SilentInputs
from antelog.watch.alerts.letters import routes_of
from antelog.watch.alerts.outbox import SENT, counts_in, opened
from tests.watch.alerts.lines import line

QUERIES = (
    AlertQuery("Malf", ("X", "T"), {"T": "time"}, "likely", "critical", key="X"),
    AlertQuery("Warm", ("X", "T"), {"T": "time"}, "confirmed", "warning", key="X"),
    AlertQuery("Total", ("City",), {}, "confirmed"),
)


class Clock:
    """Groups of one receiver, at a time that the test sets; each opening is a restart."""

    made: ClassVar[list[Clock]] = []

    def __init__(self, path: Path, *alerts: Alert, every: float = 300.0) -> None:
        self.path, self.now, self.position = path, 1_000.0, 0
        self._setup = AlertSetup(alerts or (Alert("command:cat"),), QUERIES, "p.alog", every=every)
        self._stack = ExitStack()
        self.made.append(self)
        self.restart()

    def close(self) -> None:
        self._stack.close()

    def forget(self, query: str) -> None:
        left = tuple(each for each in QUERIES if each.name != query)
        self._setup = replace(self._setup, queries=left)
        self.restart()

    def restart(self) -> None:
        self._stack.close()
        self.outbox = self._stack.enter_context(opened(self.path))
        if self.outbox.begin is None:
            self.outbox.begin_at(0)
        self.groups = AlertGroups(self.outbox, routes_of(self._setup), lambda: self.now)

    def act(self, kind: inbox.ActKind, until: float | None = None, *answers: dict[str, Any]) -> None:
        names = tuple(name_of(each["query"], each["answer"]) for each in answers)
        inbox.add_act(self.path, inbox.Act("wt2", kind, "ann", self.now, until, answers=names))

    def tell(self, *changes: dict[str, Any], after: float = 0.0) -> list[str]:
        """What is sent about some changes, some seconds after those before."""
        self.now += after
        self.position += len(changes)
        self.groups.take(self.position, changes)
        return self.due()

    def past(self) -> list[str]:
        """What is sent once all of the past is read."""
        self.groups.send_past()
        return self.due()

    def due(self, *, after: float = 0.0, at_the_end: bool = False) -> list[str]:
        self.now += after
        self.groups.send_due(at_the_end=at_the_end)
        return [f"{each['status']} {each['count']} {each['change']}" for each in self.sent()]

    def sent(self) -> list[dict[str, Any]]:
        found = []
        for receiver in self.outbox.waiting():
            while (letter := self.outbox.first(receiver)) is not None:
                self.outbox.settle(receiver, letter, SENT)
                found.append(json.loads(letter.body))
        return found


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    Store(tmp_path / "s").close()
    return Clock(tmp_path / "s")


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Closes the databases of a test's clocks: another thread may not, as whoever collects garbage later."""
    yield
    while Clock.made:
        Clock.made.pop().close()


def malf(change: str = "likely", time: int = 7, device: str = "wt2", **more: Any) -> Any:
    return line(change, tick=time + 1, answer={"X": device, "T": time}, **more)


def warm(time: int, change: str = "confirmed") -> Any:
    return line(change, "Warm", tick=time + 1, answer={"X": "wt2", "T": time})


def test_the_first_goes_at_once_and_more_of_its_group_as_one(clock: Clock) -> None:
    assert clock.tell(malf()) == ["firing 1 likely"]
    assert clock.tell(malf(time=8), malf(time=9), after=10) == []
    assert clock.tell(malf(device="wt4")) == ["firing 1 likely"]  # of another group
    assert clock.due(after=280) == []
    assert clock.due(after=10) == ["firing 2 likely"]
    assert clock.tell(malf(time=10), after=299) == []
    assert clock.due(after=1) == ["firing 1 likely"]
    assert clock.due(after=1_000) == []
    assert clock.tell(malf(time=11)) == ["firing 1 likely"]


def test_a_query_without_a_key_is_a_group(clock: Clock) -> None:
    total = line("confirmed", "Total", answer={"City": "Bonn"})
    assert clock.tell(total, {**total, "answer": {"City": "Ulm"}}) == ["firing 1 confirmed"]
    assert clock.due(after=300) == ["firing 1 confirmed"]


def test_a_higher_severity_and_a_first_confirmed_never_wait(clock: Clock) -> None:
    assert clock.tell(warm(1)) == ["firing 1 confirmed"]
    assert clock.tell(warm(2), after=1) == []
    assert clock.tell(malf(), after=1) == ["firing 2 likely"]  # with the one that waited
    assert clock.tell(malf(time=8), after=1) == []
    assert clock.tell(malf("confirmed", time=8), after=1) == ["resolved 2 confirmed"]


def test_what_became_of_an_answer_resolves_it(clock: Clock) -> None:
    assert clock.tell(malf()) == ["firing 1 likely"]
    assert clock.tell(malf("rejected"), after=400) == ["resolved 1 rejected"]
    assert clock.tell(malf("rejected"), after=400) == []  # it fires no more
    assert clock.tell(malf("rejected", time=8)) == []  # of this one nothing was sent
    assert clock.tell(malf(), after=400) == ["firing 1 likely"]
    assert clock.tell(malf("confirmed"), after=1) == ["resolved 1 confirmed"]  # the first one does not wait


def test_what_is_wanted_fires_and_resolves_nothing(clock: Clock) -> None:
    clock = Clock(clock.path, Alert("command:cat", on=("likely", "unlikely", "confirmed")), every=0)
    assert clock.tell(malf(), malf("confirmed")) == ["firing 1 likely", "firing 1 confirmed"]
    assert clock.tell(malf("rejected")) == []  # after `confirmed` nothing is open
    assert clock.tell(malf(time=8), malf("unlikely", time=8)) == ["firing 1 likely", "resolved 1 unlikely"]


def test_where_is_about_what_fires_and_not_about_what_became_of_it(clock: Clock) -> None:
    clock = Clock(clock.path, Alert("command:cat", where=("chance>=80%",)), every=0)
    assert clock.tell(malf(), malf("rejected")) == ["firing 1 likely", "resolved 1 rejected"]


def test_it_goes_on_where_it_stopped(clock: Clock) -> None:
    assert clock.tell(malf(), malf(time=8)) == ["firing 1 likely"]
    clock.restart()
    assert clock.due(after=299) == []
    clock.restart()
    assert clock.due(after=1) == ["firing 1 likely"]
    clock.restart()
    assert clock.tell(malf("rejected", time=8), after=400) == ["resolved 1 rejected"]


def test_at_the_end_nothing_waits(clock: Clock) -> None:
    assert clock.tell(malf(), malf(time=8)) == ["firing 1 likely"]
    assert clock.due(at_the_end=True) == ["firing 1 likely"]
    clock.restart()
    assert clock.tell(malf(time=9)) == []  # but it was sent just now


def test_a_group_that_somebody_takes_care_of_sends_little(clock: Clock) -> None:
    assert clock.tell(warm(1)) == ["firing 1 confirmed"]
    clock.act("acknowledged", None, malf(time=9))
    assert clock.tell(warm(2), after=400) == []
    assert clock.tell(malf(), after=400) == ["firing 2 likely"]  # a higher severity
    assert clock.tell(malf(time=8), after=400) == []
    assert clock.tell(malf("rejected"), after=1) == ["firing 2 likely"]  # with what became of the first
    assert clock.tell(malf(time=9), after=1) == []
    assert clock.tell(malf("rejected", time=9), after=1) == ["resolved 2 rejected"]
    assert inbox.current_acts(clock.path, clock.now) == []
    assert clock.tell(malf(time=10), after=1) == []
    assert clock.due(after=400) == ["firing 1 likely"]


def test_the_end_of_a_snooze_waits_for_nothing(clock: Clock) -> None:
    clock.act("snoozed", clock.now + 4_001)
    assert clock.tell(malf()) == []
    assert clock.due(after=4_000) == []
    assert clock.due(after=1) == ["firing 1 likely"]


def test_changes_before_the_begin_are_not_sent(clock: Clock) -> None:
    clock.outbox.begin_at(9)
    assert clock.tell(malf(), malf(time=8)) == ["firing 1 likely"]


def test_what_is_still_open_is_sent_though_it_is_from_before(clock: Clock) -> None:
    clock.outbox.begin_at(100)
    over = [malf(time=1), malf("confirmed", time=1), malf(time=2), malf("rejected", time=2)]
    calmed = [malf(time=3), malf("unlikely", time=3)]
    assert clock.tell(*over, *calmed, malf(time=7), malf(time=8), malf(time=7, device="wt4")) == []
    assert clock.tell(warm(4)) == []  # it is confirmed, so it is over
    clock.restart()
    assert clock.past() == ["firing 2 likely", "firing 1 likely"]
    assert clock.past() == []
    assert clock.tell(malf("rejected")) == []  # 7 is before 100, and something was just sent
    assert clock.due(after=300) == ["resolved 1 rejected"]
    assert clock.tell(malf("confirmed", time=8), after=400) == ["resolved 1 confirmed"]
    assert clock.tell(malf(time=200), after=400) == ["firing 1 likely"]


def test_what_ends_before_all_of_the_past_is_read_is_not_sent(clock: Clock) -> None:
    clock.outbox.begin_at(9)
    assert clock.tell(malf(), {**malf("rejected"), "tick": 10}) == []
    assert clock.past() == []


def test_what_somebody_takes_care_of_waits_also_if_it_is_from_before(clock: Clock) -> None:
    clock.outbox.begin_at(100)
    clock.act("snoozed", clock.now + 4_000)
    assert clock.tell(malf()) == []
    assert clock.past() == []
    assert clock.due(after=4_001) == ["firing 1 likely"]


def test_a_clock_that_is_set_back_holds_nothing_up(clock: Clock) -> None:
    assert clock.tell(malf(), malf(time=8)) == ["firing 1 likely"]
    assert clock.due(after=-10_000) == ["firing 1 likely"]
    assert clock.tell(malf(time=9), after=-10_000) == ["firing 1 likely"]


def test_a_query_that_is_gone_is_resolved(clock: Clock) -> None:
    assert clock.tell(malf()) == ["firing 1 likely"]
    clock.forget("Malf")
    assert clock.tell(malf("closed"), after=400) == ["resolved 1 closed"]


def test_what_is_held_counts_as_waiting(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 3)
    clock.outbox.receive(["command:cat"])
    clock.tell(*(malf(time=time) for time in range(6)))
    assert counts_in(clock.path)["command:cat"] == {
        "sent": 1, "failed": 0, "refused": 0, "dropped": 0, "waiting": 5,
    }  # fmt: skip
    clock.due(after=300)
    assert counts_in(clock.path)["command:cat"]["waiting"] == 0


def test_of_many_that_wait_the_oldest_are_counted(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 3)
    clock.tell(*(malf(time=time) for time in range(11)))
    assert clock.due(after=300) == ["firing 10 likely"]


def test_only_what_is_stored_moves_the_position(clock: Clock) -> None:
    clock.groups.take(5, [malf("possible"), {"status": {}}])
    assert clock.outbox.position is None
    clock.groups.take(7, [malf()])
    assert clock.outbox.position == 7


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
    Store(tmp_path / "s").close()
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
