"""Records whose types change, posted to a real `antelog watch` that is ended, killed and started again.

It writes what a run writes that reads them all at once: no record and no alert is missing.
"""

from __future__ import annotations

import json
import re
import signal
import sys
import tempfile
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import antelog
from antelog.run.address import Posted
from antelog.run.following import FollowedRun, RunOutput
from antelog.run.settings import Settings
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.run.store.inbox import post
from antelog.run.store.store import Store
from tests.attack.changing import PROGRAMS, chances_for, records
from tests.attack.findings import Attempt
from tests.processes import started, until

_TOKEN = "sixteen-letters-or-more"
_CODE = "from antelog.cli.main import main; main()"
_PATIENCE = 120.0


@dataclass(frozen=True)
class _Case:
    """A program with an input, how it is run, and what is posted to it, body by body."""

    text: str
    source: str
    options: dict[str, Any]
    bodies: Sequence[Sequence[Any]]
    last: int

    @property
    def program(self) -> antelog.Program:
        return antelog.parse(self.text)

    @property
    def alerted(self) -> tuple[str, ...]:
        """The kinds of changes that are alerted of: `likely` where there are chances."""
        likely = ("likely",) if "model" in self.options or self.program.plan.declares_chances else ()
        return ("possible", "confirmed", *likely)

    @property
    def flags(self) -> list[str]:
        return [
            part
            for name, value in self.options.items()
            for part in (f"--{name.replace('_', '-')}", str(value))
        ]


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """So many watchers, each started a few times on one state."""
    for number in range(count):
        name = f"{seed}.{number}"
        yield Attempt(f"posts {name}", partial(posted, Random(name)), _PATIENCE)


def posted(random: Random) -> None:
    """Raises AssertionError if the lines, the counts or the alerts are others than those of one run."""
    case = _some_case(random)
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as name:
        folder = Path(name)
        (folder / "rules.alog").write_text(case.text, encoding="utf-8")
        (folder / "token").write_text(_TOKEN, encoding="utf-8")
        cuts = sorted(random.sample(range(1, len(case.bodies)), 2))
        for first, last in zip((0, *cuts), (*cuts, len(case.bodies)), strict=True):
            ends = [signal.SIGTERM] if last == len(case.bodies) else [signal.SIGTERM, signal.SIGKILL]
            how = random.choice(ends)
            _watch(case, folder, case.bodies[first:last], how)
        expected, counts = _at_once(case, folder)
        written = (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()
        assert written == expected, _first_difference(written, expected)
        given = sum(map(len, case.bodies)) - 1  # the last waits for another
        assert sum(counts.values()) == given, f"{given} records, of which {counts}"
        alerts = folder / "alerts"
        told = alerts.read_text(encoding="utf-8").splitlines() if alerts.exists() else []
        # It is also told what became of them.
        sent = {_key(each) for each in told if json.loads(each)["status"] == "firing"}
        wanted = {_key(each) for each in written if json.loads(each)["change"] in case.alerted}
        assert sent == wanted, f"{len(wanted - sent)} alerts were not sent, {len(sent - wanted)} have no line"


def _some_case(random: Random) -> _Case:
    """Bodies of records of mostly one type each, another one than in the body before; the last ends time."""
    name = random.choice(list(PROGRAMS))
    text, _ = PROGRAMS[name]
    options = chances_for(random, antelog.parse(text))
    source, columns = ("Frost", ["post"]) if name == "frost" else ("Temp", ["x", "y"])
    bodies = [
        records(random, [*columns, "time"], range(2 * step, 2 * step + 3))
        for step in range(random.randrange(4, 9))
    ]
    last = 2 * len(bodies) + 20
    bodies.append([dict.fromkeys(columns, "end") | {"time": last}])
    return _Case(text, source, options, bodies, last)


def _watch(case: _Case, folder: Path, bodies: Sequence[Sequence[Any]], how: signal.Signals) -> None:
    """Starts a watcher on the state, posts, and ends it; one that is not killed has read all then."""
    alert = "command:sh -c 'cat >> alerts'"
    options = ["--state", "s", "--output", "out.jsonl", "--token", "@token", "--facts-token", "@token"]
    options += ["--alert", alert, "--alert-on", ",".join(case.alerted), *case.flags]
    # Each alert by itself, of all that comes.
    options += ["--alert-every", "0", "--alert-from", "start"]
    watch = [sys.executable, "-c", _CODE, "watch", "rules.alog"]
    command = [*watch, "--input", f"{case.source}=http:", *options]
    before = len(_said(folder)) if (folder / "said").exists() else 0
    with (
        (folder / "said").open("a") as said,
        started(command, cwd=folder, stdout=said, stderr=said) as process,
    ):
        found = until(partial(_address, folder, before), process, partial(_said, folder))
        for each in bodies:
            answer = _asked(f"{found}/facts/{case.source}", json.dumps(each).encode())
            assert json.loads(answer) == {"accepted": len(each)}, answer
        if bodies[-1] is case.bodies[-1]:
            until(partial(_reached, found, case.last - 1), process, partial(_said, folder))
        process.send_signal(how)
        status = process.wait(_PATIENCE)
    said_now = _said(folder)[before:]
    assert "Traceback" not in said_now, said_now[-3000:]
    assert status == (0 if how == signal.SIGTERM else -how), f"exit status {status}: {said_now[-3000:]}"


def _said(folder: Path) -> str:
    return (folder / "said").read_text(encoding="utf-8", errors="replace")


def _address(folder: Path, before: int) -> str | None:
    found = re.search(r"facts of \w+ are posted to (\S+)/facts/", _said(folder)[before:])
    return found and found[1]


def _asked(address: str, body: bytes | None = None) -> bytes:
    headers = {"Authorization": f"Bearer {_TOKEN}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=_PATIENCE) as answer:
        found: bytes = answer.read()
    return found


def _reached(address: str, tick: int) -> bool:
    return f"\nantelog_tick {float(tick)}\n" in _asked(f"{address}/metrics").decode()


class Lines:
    """The lines of a run."""

    def __init__(self, program: antelog.Program) -> None:
        self._relations = list(program.plan.queries)
        self.lines: list[str] = []

    def write(self, step: StepResult) -> None:
        self.lines += change_lines(self._relations, step, Style()).splitlines()

    def mark(self) -> None:
        """Nothing goes on from here."""

    def close(self) -> None:
        """Nothing is open."""


def _at_once(case: _Case, folder: Path) -> tuple[list[str], Counter[str]]:
    """The lines of a run in this process that reads all records at once, and how many had each fate."""
    path, sink = folder / "once", Lines(case.program)
    with ExitStack() as stack:
        store = Store(path)
        stack.callback(store.close)
        settings = Settings(inputs={case.source: Posted()}, state=path, **case.options)
        run = FollowedRun(case.program, settings, {}, store, True, lambda _: None, lambda: None)
        follower = run.follower(RunOutput(None, lambda _: "", sink), stack)
        for each in case.bodies:
            post(path, case.source, [json.dumps(record).encode() for record in each])
        driver = follower.driver
        follower.run(lambda: driver.engine.now >= case.last - 1)
        counts = Counter(driver.reader.rejects.tally)
        for fates in driver.engine.counts.values():
            counts.update(asdict(fates))
    return sink.lines, counts


def _key(line: str) -> tuple[Any, ...]:
    """What an alert and its line share."""
    found = json.loads(line)
    return found["tick"], found["change"], found["query"], json.dumps(found["answer"])


def _first_difference(found: Sequence[str], expected: Sequence[str]) -> str:
    places = (number for number, pair in enumerate(zip(found, expected, strict=False)) if pair[0] != pair[1])
    place = next(places, min(len(found), len(expected)))
    there = slice(place, place + 2)
    return f"{len(found)} and {len(expected)} lines; from {place} on {found[there]} and {expected[there]}"
