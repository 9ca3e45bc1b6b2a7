"""Alerts of a soak: a good receiver beside ten that answer whatever they like, and what becomes of lines.

with receivers(here) as good:
    …                               antelog watch, with `options()`
    good.compared(lines)            lines that were not sent, and how late the latest one was
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from tests.attack.receivers import BAD, bad
from tests.watch.alerts.receiving import serving

QUERY = "Due"
KINDS = ("possible", "confirmed", "rejected")
HOSTILE = (
    "far Retry-After",
    "hangs",
    "resets",
    "slow header",
    "slow body",
    "endless header",
    "endless 100",
    "endless pieces",
    "TLS that breaks off",
    "redirects",
)
LATEST = 5.0
"""Seconds after its line within which an alert has to be there."""
_LOOK = 0.1

Key = str


@dataclass(eq=False)
class Good:
    """A receiver that takes all, and the lines of the log: when each was seen first."""

    log: Path
    came: dict[Key, float] = field(default_factory=dict)
    told: dict[Key, float] = field(default_factory=dict)
    open: dict[str, str] = field(default_factory=dict)
    _read: int = 0

    def append(self, letter: dict[str, Any]) -> None:
        """A letter has come."""
        self.came.setdefault(key_of(letter), time.time())

    def look(self) -> None:
        """Reads on in the log."""
        if not self.log.exists():
            return
        with self.log.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        now, mark = time.time(), f'"query": "{QUERY}"'.encode()
        for text in whole.splitlines():
            if mark in text and (line := json.loads(text))["change"] in KINDS:
                self.told[key_of(line)] = now
                answer = json.dumps(line["answer"], sort_keys=True)
                if line["change"] == "possible":
                    self.open[answer] = line["change"]
                else:
                    self.open.pop(answer, None)

    def wait(self, seconds: float) -> None:
        """Waits until each line has its alert, for so long at most."""
        end = time.monotonic() + seconds
        while self.lost and time.monotonic() < end:
            time.sleep(_LOOK)

    @property
    def latest(self) -> float:
        """How many seconds after its line the latest alert came."""
        late = (self.came[key] - self.told[key] for key in self.came.keys() & self.told.keys())
        return max(late, default=0.0)

    @property
    def lost(self) -> int:
        """The lines without an alert, and the alerts without a line."""
        return len(self.came.keys() ^ self.told.keys())


def key_of(line: dict[str, Any]) -> Key:
    return json.dumps([line[name] for name in ("tick", "change", "answer")], sort_keys=True)


@contextmanager
def receivers(here: Path) -> Iterator[Good]:
    """The receivers, with files of their addresses in a folder, and whoever follows the log there."""
    with ExitStack() as stack:
        good, server = Good(here / "changes.jsonl"), stack.enter_context(serving())
        server.got = good  # type: ignore[assignment] # it only appends
        (here / "good").write_text(server.url, encoding="utf-8")
        mine, theirs = get_context("spawn").Pipe()
        process = get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
        process.start()
        stack.callback(process.kill)
        for name, port in zip(HOSTILE, mine.recv(), strict=True):
            scheme = "https" if "TLS" in name else "http"
            (here / _file(name)).write_text(f"{scheme}://127.0.0.1:{port}/in", encoding="utf-8")
        ending = threading.Event()
        following = threading.Thread(target=_follow, args=(good, ending), daemon=True)
        following.start()
        try:
            yield good
        finally:
            ending.set()
            following.join()
            good.look()


def _follow(good: Good, ending: threading.Event) -> None:
    while not ending.wait(_LOOK):
        good.look()


def _serve(pipe: Connection) -> None:
    """The servers of those that are hostile, in a process of its own: they take time."""
    with ExitStack() as stack, suppress(EOFError, KeyboardInterrupt):
        pipe.send([stack.enter_context(bad(BAD[name], Random(name))) for name in HOSTILE])
        pipe.recv()


def options() -> list[str]:
    """The options of `antelog watch` for these receivers."""
    names = ["good", *map(_file, HOSTILE)]
    to = [part for name in names for part in ("--alert", f"webhook:@{name}")]
    how = [
        "--alert-on",
        ",".join(KINDS),
        "--alert-where",
        QUERY,
        "--alert-every",
        "0",
        "--alert-from",
        "start",
    ]
    return [*to, *how, "--output", "changes.jsonl"]


def _file(name: str) -> str:
    return name.replace(" ", "-")
