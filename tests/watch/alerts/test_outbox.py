"""antelog/watch/alerts/outbox.py: what waits is there after a restart, and nothing is taken twice."""

from pathlib import Path

import pytest

from antelog.run.store.store import Store
from antelog.watch.alerts import outbox as module
from antelog.watch.alerts.alert import AlertError
from antelog.watch.alerts.letters import Letter
from antelog.watch.alerts.outbox import DROPPED, REFUSED, SENT, Outbox, opened

A, B, C = (Letter(key, f'{{"n": {n}}}', key) for n, key in enumerate("abc", 1))


def keys(outbox: Outbox, receiver: str = "x") -> list[str]:
    found = []
    while (letter := outbox.first(receiver)) is not None:
        found.append(letter.key)
        outbox.settle(receiver, letter, SENT)
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    Store.open(tmp_path / "s").close()
    return tmp_path / "s"


def test_counts(path: Path) -> None:
    with opened(path) as outbox:
        assert outbox.counts() == {}
        outbox.receive(["x", "z"])
        outbox.add([("x", A), ("x", B), ("x", C)])
        for outcome in (SENT, REFUSED):
            first = outbox.first("x")
            assert first is not None
            outbox.fail("x", first, itself=False)
            outbox.settle("x", first, outcome)
    with opened(path) as outbox:
        assert outbox.counts() == {
            "x": {"sent": 1, "failed": 2, "refused": 1, "dropped": 0, "waiting": 1},
            "z": {"sent": 0, "failed": 0, "refused": 0, "dropped": 0, "waiting": 0},
        }


def test_the_oldest_of_too_many_are_given_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    with opened(path) as outbox:
        outbox.receive(["x"])
        outbox.add([("y", A), ("x", A), ("x", B), ("x", C)])
        assert outbox.counts()["x"][DROPPED] == 1
        assert keys(outbox) == ["b", "c"]
        assert keys(outbox, "y") == ["a"]


def test_another_file_is_refused(path: Path) -> None:
    path.write_text("no database, but some text of a length that is beyond doubt\n" * 20, encoding="utf-8")
    with (
        pytest.raises(
            AlertError, match=r"the alerts cannot be kept in .*is not a store.*Give another --state"
        ),
        opened(path),
    ):
        pass
