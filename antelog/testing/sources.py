"""Checks that every source of facts has to pass, to be called from tests, on its real server.

    def test_rows_come_once() -> None:
        checks = SourceChecks("nats://127.0.0.1:4222/plant", put, stop=server.stop, start=server.start)
        checks.gives_all_rows()
        checks.continues_from_marks()
        checks.outlives_kills(20)

Records have a key, a value and a time: `{"key": "a", "value": 51.5, "time": 3}`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from antelog.files.chunks import sorted_out
from antelog.program import parse
from antelog.run.address import Posted, Standard, address_of
from antelog.run.reading import wanted_of
from antelog.run.sources.opening import FOLLOWED, source_of
from antelog.run.sources.source import FactSource, Mark

__all__ = ["Record", "SourceChecks"]

Record: TypeAlias = Mapping[str, Any]

PROGRAM = """\
input Reading(key: text, value: number, time) delay 5.
High(X, T) :- Reading(X, V, T), V > 50, not Quiet(X, T+1).
Quiet(X, T) :- Reading(X, V, T), V < 40.
query High(X, T).
"""
_PATIENCE = 60.0  # seconds for rows to come, and for a server to be back
_LOOK = 0.05
_CLOSING = 100_000  # the time of a last record: all answers before are decided once it is there


@dataclass(frozen=True)
class SourceChecks:
    """Checks of the source at an address; `put` writes records where it reads them, in their order.

    odd    writes one record that cannot be used, such as a text that is not JSON
    stop   stops the server, as a kill would; `start` brings it back with all that it keeps
    again  whether rows may come once more after a restart, where it says "at least once"
    """

    address: str
    put: Callable[[Sequence[Record]], None]
    odd: Callable[[], None] | None = None
    stop: Callable[[], None] = lambda: None
    start: Callable[[], None] = lambda: None
    again: bool = False

    def gives_all_rows(self, count: int = 1000) -> None:
        """All rows come, each once, in the order of each key."""
        with self._opened() as source:
            self.put(records(count))
            assert_same(taken(source, count), records(count))

    def continues_from_marks(self, count: int = 300) -> None:
        """A source behind a mark gives the rows that came after it, also those that came meanwhile."""
        wanted = records(3 * count)
        mark: Mark | None = None
        found: list[Record] = []
        for number in range(3):
            with self._opened(mark) as source:
                self.put(wanted[number * count : (number + 1) * count])
                found += taken(source, count, again=self.again, known=found)
                mark = json.loads(json.dumps(source.mark))
                source.saved()
        assert_same(_once(found) if self.again else found, wanted)

    def keeps_what_is_not_saved(self, count: int = 50) -> None:
        """Rows that were given and not saved come again: a run that is killed then has lost none."""
        with self._opened() as source:
            self.put(records(count))
            taken(source, count)
        with self._opened() as source:
            assert_same(_once(taken(source, count, again=True)), records(count))
            source.saved()

    def outlives_a_server_killed_before_saving(self) -> None:
        """Rows are saved while the server is away: nothing is raised, and the next rows come."""
        with self._opened() as source:
            self.put(records(10))
            found = taken(source, 10)
            self.stop()
            source.saved()
            self.start()
            self.put(records(20)[10:])
            found += taken(source, 10, again=True, known=found)
            assert_same(_once(found), records(20))

    def sets_odd_records_aside(self) -> None:
        """A record that cannot be used is set aside with a reason, and those around it are read."""
        assert self.odd is not None, "the checks need `odd`, which writes such a record"
        with self._opened() as source:
            self.put(records(1))
            self.odd()
            self.put(records(2)[1:])
            reasons: list[str] = []
            assert_same(taken(source, 2, reasons=reasons), records(2))
            until(lambda: reasons or (taken(source, 0, reasons=reasons), reasons)[1], "a reason")
            assert len(reasons) == 1, reasons

    def waits_for_its_server(self) -> None:
        """While the server is away nothing is raised, one note says so, and rows come once it is back."""
        with self._opened() as source:
            self.put(records(10))
            found = taken(source, 10)
            source.saved()
            self.stop()
            until(lambda: (source.poll(), not source.reachable)[1], "that the server is away")
            for _ in range(20):
                assert not source.poll()
            assert len([note for note in source.notes if "cannot be reached" in note]) == 1, source.notes
            self.start()
            self.put(records(20)[10:])
            found += taken(source, 10, again=self.again, known=found)
            assert source.reachable
            assert_same(_once(found), records(20))

    def outlives_kills(self, kills: int = 20, *, seed: int = 1, rows: int = 100) -> None:
        """`antelog watch` tells each line once, however often it and the server are killed meanwhile."""
        chance = random.Random(seed)
        wanted = [*records(rows * (kills + 1)), {"key": "last", "value": 0.0, "time": _CLOSING}]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            expected = _tried(folder, wanted)
            for number in range(kills + 1):
                is_last = number == kills
                with _watched(folder, self.address) as process:
                    self.put(wanted[number * rows : len(wanted) if is_last else (number + 1) * rows])
                    if is_last:
                        until(lambda: len(_told(folder)) >= len(expected) or process.poll(), "all lines")
                        process.send_signal(signal.SIGTERM)
                        process.wait(_PATIENCE)
                    else:
                        time.sleep(chance.uniform(0.1, 2.0))
                    assert process.poll() in (None, 0), (folder / "said").read_text("utf-8")
                if not is_last and chance.random() < 0.5:
                    self.stop()
                    self.start()
            assert _told(folder) == expected

    def tells_what_is_wrong(self, address: str, *words: str) -> None:
        """A wrong address, password or name is told in one line, within ten seconds, without a traceback."""
        with tempfile.TemporaryDirectory() as name:
            began = time.monotonic()
            with _watched(Path(name), address) as process:
                assert process.wait(20) != 0
            said = (Path(name) / "said").read_text("utf-8")
            assert time.monotonic() - began < 15, "it takes too long"  # with the start of Python
            assert "Traceback" not in said, said
            besides = ("note: ", "warning: ", "Usage: ", "Try ")
            told = [line for line in said.splitlines() if line and not line.startswith(besides)]
            assert len(told) == 1, said
            assert all(word in said for word in words), said

    @contextmanager
    def _opened(self, mark: Mark | None = None) -> Iterator[FactSource]:
        wanted = wanted_of(parse(PROGRAM).plan, "Reading")
        place = FOLLOWED.take(address_of(self.address))
        assert not isinstance(place, Posted | Standard)
        with closing(source_of(place, wanted, mark)) as source:
            yield source


def records(count: int) -> list[Record]:
    """Readings of five keys, one after the other: high at times, and quiet at times after that."""
    return [{"key": f"key {i % 5}", "value": (i * 37 % 101) + 0.25, "time": i // 5} for i in range(count)]


def taken(
    source: FactSource,
    count: int,
    *,
    again: bool = False,
    known: Sequence[Record] = (),
    reasons: list[str] | None = None,
) -> list[Record]:
    """The next rows of a source: as many as are wanted, of those that are not known if they come `again`."""
    wanted = wanted_of(parse(PROGRAM).plan, "Reading")
    found: list[Record] = []
    seen = {_text(each) for each in known} if again else set[str]()

    def enough() -> bool:
        for piece in source.poll():
            for checked in sorted_out(wanted, [piece.chunk], piece.file):
                if reasons is not None:
                    reasons.extend(each.detail for each in checked.set_aside)
                rows = zip(*(column.to_pylist() for column in checked.table.columns[:3]), strict=True)
                found.extend(dict(zip(("key", "value", "time"), row, strict=True)) for row in rows)
        return len({_text(each) for each in found} - seen if again else found) >= count

    until(enough, f"{count} rows; the source gave {len(found)}, and said {source.notes}")
    return found


def until(seen: Callable[[], object], what: str) -> None:
    """Waits until something is seen; fails after a minute."""
    end = time.monotonic() + _PATIENCE
    while not seen():
        assert time.monotonic() < end, f"never seen: {what}"
        time.sleep(_LOOK)


def assert_same(found: Sequence[Record], wanted: Sequence[Record]) -> None:
    """Rows are the same, in the order of each key."""
    for key in sorted({each["key"] for each in (*found, *wanted)}):
        of_key = ([_text(each) for each in rows if each["key"] == key] for rows in (found, wanted))
        given, expected = of_key
        assert given == expected, f"the rows of {key} are others"


def _once(rows: Sequence[Record]) -> list[Record]:
    return list({_text(each): each for each in rows}.values())


def _text(record: Record) -> str:
    return json.dumps(dict(record), sort_keys=True)


# ---- processes ----


@contextmanager
def _watched(folder: Path, address: str) -> Iterator[subprocess.Popen[str]]:
    """A process of `antelog watch`, killed at the end of the block if it has not ended."""
    (folder / "rules.alog").write_text(PROGRAM, "utf-8")
    flags = ("--output", "lines.jsonl", "--state", "state", "--clock", "event", "--no-page")
    with (folder / "said").open("a", encoding="utf-8") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "antelog", "watch", "rules.alog", "--input", f"Reading={address}", *flags],
            cwd=folder,
            stderr=said,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()


def _tried(folder: Path, rows: Sequence[Record]) -> list[str]:
    """The lines of an unbroken run over recorded rows, but for those after the last record."""
    (folder / "rules.alog").write_text(PROGRAM, "utf-8")
    (folder / "rows.jsonl").write_text("".join(f"{_text(each)}\n" for each in rows), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "antelog", "try", "rules.alog", "--input", "Reading=rows.jsonl"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in done.stdout.splitlines() if json.loads(line)["tick"] < _CLOSING // 2]


def _told(folder: Path) -> list[str]:
    path = folder / "lines.jsonl"
    lines = path.read_text("utf-8").split("\n")[:-1] if path.exists() else []
    return [line for line in lines if json.loads(line)["tick"] < _CLOSING // 2]
