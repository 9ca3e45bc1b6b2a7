"""antelog/watch/alerts/outbox.py: what waits is there after a restart, and nothing is taken twice."""

from pathlib import Path

import pytest

from antelog.errors import StateError
from antelog.run.store import Store
from antelog.watch.alerts import outbox as module
from antelog.watch.alerts.alert import AlertError
from antelog.watch.alerts.letters import Letter
from antelog.watch.alerts.outbox import DROPPED, REFUSED, SENT, Outbox, opened

A, B, C = (Letter(key, f'{{"n": {n}}}', key) for n, key in enumerate("abc", 1))


def take(outbox: Outbox, position: int, letters: list[tuple[str, Letter]]) -> None:
    with outbox.transaction():
        outbox.add(letters)
        outbox.read_to(position)


def keys(outbox: Outbox, receiver: str = "x") -> list[str]:
    """The keys in the order in which they would be sent."""
    found = []
    while (letter := outbox.first(receiver)) is not None:
        found.append(letter.key)
        outbox.settle(receiver, letter, SENT)
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    Store.open(tmp_path / "s").close()
    return tmp_path / "s"


def test_kept_over_a_restart(path: Path) -> None:
    with opened(path) as outbox:
        assert outbox.position is None
        take(outbox, 80, [("x", A), ("y", A), ("x", B)])
    with opened(path) as outbox:
        assert outbox.position == 80
        assert outbox.waiting() == {"x": 2, "y": 1}
        assert outbox.first("x") == A
        assert keys(outbox) == ["a", "b"]
        assert keys(outbox, "y") == ["a"]


def test_all_of_a_take_or_nothing(path: Path) -> None:
    with opened(path) as outbox:
        take(outbox, 1, [])
        with pytest.raises(StateError, match="type 'object'"):
            take(outbox, 2, [("x", A), ("x", Letter("b", object(), "b"))])  # type: ignore[arg-type]
        assert outbox.position == 1
        assert outbox.waiting() == {}


def test_counts(path: Path) -> None:
    with opened(path) as outbox:
        assert outbox.counts() == {}
        outbox.receive(["x", "z"])
        take(outbox, 1, [("x", A), ("x", B), ("x", C)])
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
        take(outbox, 1, [("y", A), ("x", A), ("x", B), ("x", C)])
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
