"""Several `antelog watch` on one state or output, by whatever name, killed at any moment: they write as one.

The output is always the beginning of what one process writes, but for kinds that some of them leave out.
"""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random

from antelog.cli.main import main
from tests.attack.findings import Attempt

_PROGRAM = """\
input Temp(device, level, time) delay 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T).
"""
_ROWS = 600
_TURNS = 3
_MOST = 5.0  # Seconds until one has written, at most: it may write what is there already
_STATES = ("s", "./s", "link", "here/s")
_OUTPUTS = ("out.jsonl", "./out.jsonl", "soft.jsonl", "hard.jsonl", "here/out.jsonl")

# Copies of one process that has imported all: a new one would start too slowly for many kills.
_MACHINE = multiprocessing.get_context("forkserver")
_MACHINE.set_forkserver_preload(["pandas", "antelog.cli.commands.watch", __name__])


@dataclass(frozen=True)
class _Place:
    """A folder in which processes are at work, the facts that its files grow to, and all that is written."""

    folder: Path
    data: bytes
    whole: bytes

    @property
    def output(self) -> bytes:
        return (self.folder / "out.jsonl").read_bytes()

    def grow(self, share: float, random: Random) -> None:
        """Adds a little to the files, up to a share of the facts, and looks at the output."""
        data = self.data[: int(len(self.data) * share)]
        _grow(self.folder / "grows.csv", data, random.randrange(1, 40))
        _grow(self.folder / "later.csv", data[: len(data) // 2], random.randrange(1, 20))
        _rest(self.output, self.whole)
        time.sleep(0.01)  # noqa: TID251 - the kills come at any moment; nothing is waited for


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """So many times several processes; every other time they have a state."""
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as folder:
        for number in range(count):
            path = Path(folder) / str(number)
            run = partial(_all, path, Random(f"{seed} {number}"), stateful=number % 2 == 0)
            yield Attempt(f"processes {number} of seed {seed}", run)


def _all(folder: Path, random: Random, *, stateful: bool) -> None:
    """Raises AssertionError if the output is ever another than it may be."""
    place = _made(folder, random, stateful=stateful)
    for turn in range(_TURNS):
        _turn(place, random, (turn + 1) / _TURNS, stateful=stateful)
    _grow(folder / "grows.csv", place.data, len(place.data))
    state = ("--state", "s") if stateful else ()
    _done(folder, "--input", "Temp=grows.csv", *state, "--output", "out.jsonl", "--once")
    lost = [each for each in _rest(place.output, place.whole) if b'"confirmed"' in each or not stateful]
    assert not lost, f"lost: {lost[0]!r}"
    assert b"Traceback" not in (folder / "said").read_bytes()


def _made(folder: Path, random: Random, *, stateful: bool) -> _Place:
    folder.mkdir()
    (folder / "p.alog").write_text(_PROGRAM)
    for name in ("out.jsonl", "grows.csv", "later.csv"):
        (folder / name).touch()
    (folder / "here").symlink_to(folder)
    (folder / "link").symlink_to("s")
    (folder / "soft.jsonl").symlink_to("out.jsonl")
    (folder / "hard.jsonl").hardlink_to(folder / "out.jsonl")
    lines = [f"{i % 20},{random.choice(('high', 'low'))},{i // 20},{i // 20}" for i in range(_ROWS)]
    data = "\n".join(["device,level,time,arrival", *lines, ""]).encode()
    (folder / "all.csv").write_bytes(data)
    state = ("--state", "whole") if stateful else ()
    _done(folder, "--input", "Temp=all.csv", *state, "--output", "whole.jsonl", "--once")
    whole = (folder / "whole.jsonl").read_bytes()
    assert whole.count(b"\n") > _ROWS // 4
    return _Place(folder, data, whole)


def _turn(place: _Place, random: Random, share: float, *, stateful: bool) -> None:
    """Some processes at once, and one more when one of them has written; then all are killed."""

    def start() -> BaseProcess:
        return _started(place.folder, *_some_arguments(random, stateful=stateful))

    before, end = place.output, time.monotonic() + _MOST
    processes = [start() for _ in range(random.randrange(1, 3))]
    while place.output == before and time.monotonic() < end:
        place.grow(share, random)
    processes.append(start())
    end = time.monotonic() + random.uniform(0.2, 1)
    while time.monotonic() < end:
        place.grow(share, random)
    for each in random.sample(processes, len(processes)):
        each.terminate() if random.random() < 0.2 else each.kill()
        each.join()
        place.grow(share, random)
        if random.random() < 0.5:
            time.sleep(0.3)  # noqa: TID251 - for one that waits to begin
    _rest(place.output, place.whole)


def _some_arguments(random: Random, *, stateful: bool) -> list[str]:
    """Those of one of the processes. A state knows its input and its output, so these keep their names."""
    state = ["--state", random.choice(_STATES)] if stateful else []
    output = "out.jsonl" if stateful else random.choice(_OUTPUTS)
    source = "grows.csv" if stateful else random.choice(("grows.csv", "later.csv"))
    only = random.choice(([], ["--only", "confirmed"]))
    waits = random.choice(([], ["--wait"]))
    return ["--input", f"Temp={source}", *state, "--output", output, *only, *waits]


def _grow(path: Path, data: bytes, most: int) -> None:
    done = path.stat().st_size
    with path.open("ab") as file:
        file.write(data[done : done + most])


def _rest(written: bytes, whole: bytes) -> list[bytes]:
    """The lines that are still to be written; of other kinds than `confirmed` some may have been left out."""
    complete, _, cut = written.rpartition(b"\n")
    rest = iter(whole.splitlines())
    for line in complete.splitlines():
        for other in rest:
            if other == line:
                break
            assert b'"confirmed"' not in other, f"lost: {other!r}"
        else:
            raise AssertionError(f"twice, or not whole: {line!r}, {written.count(0)} bytes are NUL")
    left = list(rest)
    assert not cut or any(other.startswith(cut) for other in left), f"not the beginning of a line: {cut!r}"
    return left


def _started(folder: Path, *arguments: str) -> BaseProcess:
    process = _MACHINE.Process(target=_watch, args=(folder, arguments), daemon=True)
    process.start()
    return process


def _done(folder: Path, *arguments: str) -> None:
    process = _started(folder, *arguments)
    process.join()
    assert process.exitcode == 0, (folder / "said").read_text()


def _watch(folder: Path, arguments: tuple[str, ...]) -> None:
    """`antelog watch` in this process; it writes its messages to a file."""
    os.chdir(folder)
    said = os.open("said", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(said, 1)
    os.dup2(said, 2)
    main(["watch", "p.alog", "--no-page", *arguments])
