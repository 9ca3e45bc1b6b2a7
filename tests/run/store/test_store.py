"""antelog/run/store/{store,database}.py: what is written together is there together, for one writer."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from antelog.errors import InUseError, StateError
from antelog.run.store import database as files
from antelog.run.store import store as module
from antelog.run.store.feed import FeedReader, StoredFeedAt
from antelog.run.store.store import RecordedStep, Store, StoredRows, StoredState
from tests.processes import Process, Start

ROWS = StoredRows("Temp", "temp.csv", b"rows")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "turbines.state"


def test_a_state_is_there_after_a_restart(path: Path) -> None:
    with closing(Store(path)) as store:
        assert store.stored() is None
        store.save(b"engine", [ROWS], b"known")
    with closing(Store(path)) as store:
        assert store.stored() == StoredState(b"engine", (ROWS,), (), b"known")


def test_steps_since_the_state_are_there_in_order(path: Path) -> None:
    steps = [RecordedStep(7, (ROWS, StoredRows("Ack", "<stdin>", b"more"))), RecordedStep(8)]
    with closing(Store(path)) as store:
        store.save(b"engine", [], b"0")
        for number, step in enumerate(steps):
            with store.transaction():
                store.record(str(number).encode(), step)
    with closing(Store(path)) as store:
        assert store.stored() == StoredState(b"engine", (), tuple(steps), b"1")
        store.save(b"later", [ROWS], b"2")
        assert store.stored() == StoredState(b"later", (ROWS,), (), b"2")


def test_a_large_state_is_in_pieces(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECE", 10)
    engine = bytes(range(25))
    with closing(Store(path)) as store:
        for state in (engine, engine[:3], engine):
            store.save(state, [], b"known")
            stored = store.stored()
            assert stored is not None
            assert stored.engine == state
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT count(*) FROM pieces").fetchone() == (3,)


def test_a_state_that_was_not_completed_does_not_count(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PIECE", 4)
    with closing(Store(path)) as store:
        store.save(b"before", [], b"known")
        monkeypatch.setattr(store, "transaction", _fails)
        with pytest.raises(KeyboardInterrupt):
            store.save(b"a longer state", [ROWS], b"new")
    with closing(Store(path)) as store:
        assert store.stored() == StoredState(b"before", (), (), b"known")
        store.save(b"it", [], b"new")
        assert store.stored() == StoredState(b"it", (), (), b"new")


def _fails() -> None:
    raise KeyboardInterrupt


def test_a_step_is_there_as_a_whole_or_not_at_all(path: Path) -> None:
    with closing(Store(path)) as store:
        store.save(b"engine", [], b"0")
        store.feed.begin({})
        with pytest.raises(KeyboardInterrupt):
            _half_a_step(store)
        stored = store.stored()
        assert stored is not None
        assert (stored.known, stored.steps) == (b"0", ())
        assert FeedReader(StoredFeedAt(store.path)).read() == [{"head": {"open": []}}]


def _half_a_step(store: Store) -> None:
    with store.transaction():
        store.feed.append(['{"tick": 1}'])
        store.record(b"1", RecordedStep(1, (ROWS,)))
        raise KeyboardInterrupt


WRITER = """
import sys, itertools
from pathlib import Path
from antelog.run.store.store import RecordedStep, Store
store = Store(Path(sys.argv[1]))
stored = store.stored()
if stored is None:
    store.save(b"0", [], b"0")
store.feed.begin({})
print("ready", flush=True)
start = int(store.stored().known)
for number in itertools.count(start + 1):
    with store.transaction():
        store.feed.append([f'{{"tick": {number}, "part": {part}}}' for part in range(3)])
        store.record(str(number).encode(), RecordedStep(number))
    if number % 5 == 0:
        store.save(str(number).encode() * 1000, [], str(number).encode())
"""


def _writer(path: Path, start: Start) -> Process:
    process = start([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_killed_time_and_again_it_has_each_step_once(path: Path, start: Start) -> None:
    for _ in range(4):
        process = _writer(path, start)
        feed = FeedReader(StoredFeedAt(path))
        before = len(feed.read(10**9))
        while len(feed.read(10**9)) < 30:
            pass
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert before >= 1
    with closing(Store(path)) as store:
        stored = store.stored()
        assert stored is not None
        last = int(stored.known)
        reported = [
            (r["tick"], r["part"]) for r in FeedReader(StoredFeedAt(store.path)).read(10**9) if "tick" in r
        ]
        assert reported == [(tick, part) for tick in range(1, last + 1) for part in range(3)]
        saved = int(stored.engine[: len(stored.engine) // 1000].decode() or "0") if last >= 5 else 0
        assert [step.now for step in stored.steps] == list(range(saved + 1, last + 1))


def test_a_store_has_one_writer_by_whatever_name(path: Path) -> None:
    (path.parent / "link").symlink_to(path)
    (path.parent / "folder").symlink_to(path.parent)
    with closing(Store(path)):
        for other in (path.parent / "link", path.parent / "folder" / path.name):
            with pytest.raises(InUseError, match=r"another `antelog watch` writes to it"):
                Store(other)
    with closing(Store(path.parent / "link")), pytest.raises(InUseError):
        Store(path)


def test_a_store_with_a_second_name_is_refused(path: Path) -> None:
    """SQLite has its journal beside one name; by the other one it would not find what is in there."""
    Store(path).close()
    (path.parent / "hard").hardlink_to(path)
    for each in (path, path.parent / "hard"):
        with pytest.raises(StateError, match=r"has another name, a hard link.*remove one of them"):
            Store(each)


def test_only_the_store_is_left_behind_and_only_the_owner_reads_it(path: Path) -> None:
    store = Store(path)
    store.save(b"engine", [], b"known")
    assert {stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()} == {0o600}
    store.close()
    assert list(path.parent.iterdir()) == [path]


def test_another_file_is_refused(path: Path) -> None:
    path.write_text("device,level,time\n")
    with pytest.raises(StateError, match=r"is not a store that antelog wrote"):
        Store(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE others (x)")
    with pytest.raises(StateError, match=r"is not a store that antelog wrote"):
        Store(path)


def test_a_store_of_another_version_is_refused(path: Path) -> None:
    Store(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 77")
    with pytest.raises(StateError, match=rf"of version 77, but this antelog reads version {files.VERSION};"):
        Store(path)


def test_a_file_that_cannot_be_made(path: Path) -> None:
    with pytest.raises(StateError, match=r"turbines\.state: cannot be written: No such file"):
        Store(path / "turbines.state")


MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /mnt rw shared:1 - nfs4 server:/export rw,vers=4.2
31 30 254:1 / /mnt/fast\\040disk rw - xfs /dev/vdb rw
32 22 0:41 / /home/me/far rw - fuse.sshfs me@far:/ rw
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/lib", "ext4"), ("/mnt/x", "nfs4"), ("/mnt", "nfs4"), ("/mnt/fast disk/a", "xfs"),
        ("/mntx", "ext4"), ("/home/me/far/a", "fuse.sshfs"),
    ],
)  # fmt: skip
def test_the_file_system_of_a_folder(folder: str, kind: str) -> None:
    assert files.file_system(Path(folder), MOUNTS) == kind


def test_a_network_disk_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "file_system", lambda *_: "nfs4")
    with pytest.raises(
        StateError, match=r"locks do not work there \(nfs4\); a store has to be on a disk of this"
    ):
        Store(path)
    assert list(path.parent.iterdir()) == []
