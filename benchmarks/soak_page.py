"""`python -m benchmarks.soak_page`: `antelog watch` with 13,000 open answers, a browser on its page, alerts.

A thousand facts come each second: 650 orders, of which some are paid within twenty. So 13,000 answers are
open at any time, and all of them change within twenty seconds. Each second some orders are acknowledged,
snoozed or get a note, and the browser goes from view to view. Each minute it is noted how much memory the
follower, the page's process and the browser hold, and, after its garbage was collected, how many bytes and
nodes of its documents the browser has in use; none of them may grow.

Ten orders a second are large: each line about them is an alert, to a good receiver and to ten that hang,
drip, reset or never end. The page is killed twice. No line may lack its alert, none may come more than five
seconds after its line; the page has to be back within five, and to show what the log says.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from random import Random
from statistics import median
from typing import IO, Any

import psutil

from benchmarks.options import RESULTS
from benchmarks.report import setting
from benchmarks.soak_alerts import HOSTILE, LATEST, QUERY, Good, options, receivers
from tests.watch.browser import CHROMIUM, Tab, browser

PROGRAM = """\
tick 1 second.
input Order(id: number, time).
input Payment(id: number, time).
chance Payment(_, _) = 3%.
input Large(id: number, time).
Paid(I, T) :- Order(I, T), Payment(I, U), U > T, U <= T + 20.
Due(I, T) :- Large(I, T), Payment(I, U), U > T, U <= T + 20.
query Paid(I, T).
query Due(I, T) critical "order {I} is still to be paid".
"""
EACH_SECOND, LARGE, SHARE = 650, 10, 0.5
BACK = 5.0
"""Seconds within which a page that was killed has to be back."""
MB = 1_000_000
HELD = {"follower": " MB", "page": " MB", "browser": " MB", "heap": " MB", "nodes": " nodes", "acts": " acts"}
GROWTH = 1.1
"""The last third of a run holds at most so much more memory than the second third."""


@dataclass(frozen=True)
class Minute:
    """What processes hold after so many minutes, in megabytes, and CPU seconds so far.

    `heap` are the megabytes in use in the browser's scripts, `nodes` those of its documents, and `acts` those
    of people.
    """

    number: int
    follower: float
    page: float
    browser: float | None
    cpu: float
    heap: float | None = None
    nodes: int | None = None
    acts: int = 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak_page", description=__doc__)
    parser.add_argument("--minutes", type=int, default=30, help="how long; 30")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    if given.minutes < 3:
        parser.error("a run takes 3 minutes at least")
    minutes, ended, seen = soaked(given.minutes)
    given.results.mkdir(parents=True, exist_ok=True)
    text = as_markdown(minutes, ended, seen)
    (given.results / "soak-page.md").write_text(text, encoding="utf-8")
    print(text)
    wrong = [*complaints(minutes), *seen.complaints]
    print("\n".join(wrong) or "Nothing grows, nothing is lost.")
    return 1 if wrong else 0


@dataclass(frozen=True)
class Seen:
    """How many lines there were, those without their alert, and the seconds until the latest alert came.

    `back` are the seconds until the page was back, each time, and `page` says how it differs from the log.
    """

    lines: int
    lost: int
    latest: float
    back: Sequence[float]
    page: str

    @property
    def complaints(self) -> list[str]:
        """What should not have been."""
        found = [f"lost: {self.lost:,} of {self.lines:,} lines"] if self.lost or not self.lines else []
        found += [f"late: an alert came {self.latest:.1f} s after its line"] if self.latest > LATEST else []
        found += [f"away: the page was back after {each:.1f} s" for each in self.back if each > BACK]
        return found + ([f"other: {self.page}"] if self.page else [])


def soaked(minutes: int) -> tuple[list[Minute], str, Seen]:
    """What was held each minute, what the follower said at its end, and what became of the lines."""
    with ExitStack() as stack:
        here = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="antelog-soak-")))
        good = stack.enter_context(receivers(here))
        watch, link, acting = stack.enter_context(watching(here))
        tab = stack.enter_context(browsing(link))
        people = People(acting)
        files = [stack.enter_context((here / f"{name}.csv").open("a")) for name in INPUTS]
        found, began, killers = [], time.monotonic(), list[Killer]()
        for second in feeding(files):
            time.sleep(max(0.0, began + second - time.monotonic()))
            if watch.poll() is not None:
                break
            people.act(second)
            if tab is not None and second % 5 == 0:
                tab.run(f"go('{VIEWS[second // 5 % len(VIEWS)]}')")
            if second in (minutes * 20 + 30, minutes * 40 + 30):
                killers.append(Killer(people, page_of(watch).pid))
                killers[-1].start()
            if second and second % 60 == 0:
                found.append(held(second // 60, watch, tab, people))
                print(found[-1], flush=True)
            if second >= minutes * 60:
                break
        for each in killers:
            each.join()
        differs = difference(people, good)
        good.wait(60)  # all are decided by then, and what is late is sent
        watch.send_signal(signal.SIGINT)
        _, said = watch.communicate(timeout=60)
        time.sleep(1)  # the last lines of the log are looked at
        back = [each.back for each in killers]
        seen = Seen(len(good.told), good.lost, good.latest, back, differs)
        return found, said.strip().splitlines()[-1], seen


class Killer(threading.Thread):
    """Kills the page, and sees in how many seconds it is back at the tick where it was."""

    def __init__(self, people: People, pid: int) -> None:
        super().__init__(daemon=True)
        self._people, self._pid, self.back = people, pid, float("inf")

    def run(self) -> None:
        before = self._people.tick()
        os.kill(self._pid, signal.SIGKILL)
        began, now = time.monotonic(), None
        while now is None or (before is not None and now < before):
            if time.monotonic() > began + 300:
                return
            time.sleep(0.1)
            now = self._people.tick()
        self.back = time.monotonic() - began


def difference(people: People, good: Good) -> str:
    """How the page's open answers differ from those of the log, if they do for some seconds."""
    end = time.monotonic() + 20
    while True:
        good.look()
        answers = people.ask(f"/api/now?query={QUERY}&count=1000").get("answers", [])
        # The variables of an answer have capital letters.
        own = ({name: each[name] for name in each if name[0].isupper()} for each in answers)
        there = {json.dumps(each, sort_keys=True) for each in own}
        if there == set(good.open):
            return ""
        if time.monotonic() > end:
            return f"the page has {len(there):,} open answers, the log {len(good.open):,}"
        time.sleep(0.1)


INPUTS = ("Order", "Payment", "Large")
VIEWS = (
    "/",
    "/decided",
    "/inputs",
    "/plan",
    "/",
    "/trust",
    "/?group=none",
    "/?text=7",
    "/",
    "/?sort=name",
    "/",
    "/",
)
"""The views of the browser, five seconds each; at the end of a minute it is back at the first."""
ACTS_A_SECOND = 5


class People:
    """Acknowledges, snoozes and notes orders that are open, over HTTP."""

    def __init__(self, link: str) -> None:
        self.address, _, token = link.partition("/?token=")
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def act(self, second: int) -> None:
        """Some acts about orders of a few seconds ago; some are about none, for these are paid."""
        first = max(0, second - 4) * EACH_SECOND
        for number in range(first, first + ACTS_A_SECOND):
            act: dict[str, object] = {"group": str(number), "kind": "acknowledged", "who": "ann"}
            if number % 5 == 3:
                act = {"group": str(number), "kind": "snoozed", "who": "ben", "minutes": 1}
            elif number % 5 == 4:
                act = {
                    "group": str(number % 50),
                    "kind": "noted",
                    "who": "cem",
                    "note": "the crane comes at noon",
                }
            self._ask(json.dumps(act).encode())

    @property
    def acts(self) -> int:
        """The number of acts that there are."""
        return len(self.ask("/api/acts").get("acts", []))

    def tick(self) -> int | None:
        """The tick that the page is at; None if it does not say."""
        found: int | None = self.ask("/api/state").get("tick")
        return found

    def ask(self, path: str) -> dict[str, Any]:
        """What the page answers; nothing while it is away."""
        found: dict[str, Any] = json.loads(self._ask(None, path) or b"{}")
        return found

    def _ask(self, body: bytes | None, path: str = "/api/acts") -> bytes | None:
        request = urllib.request.Request(f"{self.address}{path}", body, self._headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                found: bytes = answer.read()
                return found
        except (OSError, HTTPException):
            return None  # nothing is open of it any more, or the page is away


def feeding(files: Sequence[IO[str]]) -> Iterator[int]:
    """Writes what comes in a second, second by second."""
    orders, payments, large = files
    random, begun, open_ = Random(0), int(time.time()), dict[int, int]()
    second = 0
    while True:
        now = begun + second
        paid = [number for number, at in open_.items() if at == second]
        first = second * EACH_SECOND
        for number in range(first, first + EACH_SECOND):
            if random.random() < SHARE:
                open_[number] = second + random.randint(1, 20)
        large.write(
            "".join(
                f"{number},{stamp(now)}\n"
                for number in range(first + EACH_SECOND - LARGE, first + EACH_SECOND)
            )
        )
        orders.write("".join(f"{number},{stamp(now)}\n" for number in range(first, first + EACH_SECOND)))
        payments.write("".join(f"{open_.pop(number) and number},{stamp(now)}\n" for number in paid))
        for each in files:
            each.flush()
        yield second
        second += 1


def stamp(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


@contextmanager
def watching(here: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A follower over files that grow, with its links to look and to act."""
    (here / "orders.alog").write_text(PROGRAM, encoding="utf-8")
    for name in INPUTS:
        (here / f"{name}.csv").write_text("id,time\n", encoding="utf-8")
    inputs = [part for name in INPUTS for part in ("--input", f"{name}={name}.csv")]
    code = "from antelog.cli.main import main; main()"
    command = [sys.executable, "-c", code, "watch", "orders.alog", *inputs, "--state", "orders.state"]
    watch = subprocess.Popen(
        [*command, *options()], cwd=here, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    try:
        yield watch, _link(watch), _link(watch)
    finally:
        watch.kill()
        watch.wait()


def _link(watch: subprocess.Popen[str]) -> str:
    assert watch.stderr is not None
    for line in watch.stderr:
        if (found := re.search(r"http\S+token=\S+", line)) is not None:
            return found[0]
    raise SystemExit("there is no page")


@contextmanager
def browsing(link: str) -> Iterator[Tab | None]:
    """A tab of a browser on the page, if there is one on this machine."""
    if CHROMIUM is None:
        yield None
        return
    with browser() as found:
        tab = found.tab(alone=True)
        tab.tell("Network.disable")  # else the browser keeps up to 100 MB of answers for whoever debugs
        tab.size(1440, 900)
        tab.open(link)
        yield tab


def held(number: int, watch: subprocess.Popen[str], tab: Tab | None, people: People) -> Minute:
    follower = psutil.Process(watch.pid)
    pages = [page_of(watch)]
    tabs = [each for each in psutil.Process().children(recursive=True) if _is_browser(each)]
    cpu = sum(sum(each.cpu_times()[:2]) for each in (follower, *pages))
    heap, nodes = None, None
    if tab is not None:
        tab.tell("HeapProfiler.collectGarbage")
        heap = tab.tell("Runtime.getHeapUsage")["usedSize"] / MB
        nodes = tab.tell("Memory.getDOMCounters")["nodes"]
    return Minute(
        number,
        follower.memory_full_info().uss / MB,
        sum(each.memory_full_info().uss for each in pages) / MB,
        sum(map(_own, tabs)) / MB if tabs else None,
        cpu,
        heap,
        nodes,
        people.acts,
    )


def page_of(watch: subprocess.Popen[str]) -> psutil.Process:
    """The process of the page, which is awaited if it is away."""
    while True:
        for each in psutil.Process(watch.pid).children():
            with suppress(psutil.NoSuchProcess):
                if any("antelog.watch.web" in word for word in each.cmdline()):
                    return each
        time.sleep(0.1)


def _is_browser(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return "chrom" in process.name()
    return False


def _own(process: psutil.Process) -> int:
    with suppress(psutil.NoSuchProcess):
        return int(process.memory_full_info().uss)
    return 0


def complaints(minutes: list[Minute]) -> list[str]:
    """What holds more and more."""
    found = []
    for name, unit in HELD.items():
        held_ = [getattr(each, name) for each in minutes]
        if len(minutes) > 2 and None not in held_:
            found += growing(name, held_, unit == " MB", unit)
    return found


def growing(name: str, values: Sequence[float], slack: float, unit: str = "") -> list[str]:
    """A complaint, if the last third of a run holds more than the second third, and some slack."""
    third = len(values) // 3
    before, after = median(values[third : 2 * third]), median(values[-third:])
    grows = after > GROWTH * before + slack
    return [f"growing: {name}, {before:.0f}, then {after:.0f}{unit}"] if grows else []


def _number(value: float | None, digits: int = 0) -> str:
    return "" if value is None else f"{value:,.{digits}f}"


def as_markdown(minutes: list[Minute], ended: str, seen: Seen) -> str:
    rows = [
        f"| {each.number} | {each.follower:.0f} | {each.page:.0f} | {_number(each.browser)} "
        f"| {_number(each.heap, 1)} | {_number(each.nodes)} | {each.acts} | {each.cpu:.0f} |"
        for each in minutes
    ]
    head = [
        "| minute | follower, MB | page, MB | browser, MB | in use in it, MB | nodes | acts | CPU s |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    at = setting(1.0, 1)
    about = f"{20 * EACH_SECOND:,} open answers, {EACH_SECOND} new ones a second, with payments 1,000 facts. "
    about += f"{at.date}, commit {at.commit}, {at.cpu}."
    alerts = f"{seen.lines:,} lines had to be sent, to a good receiver beside {len(HOSTILE)} others: "
    alerts += f"{seen.lost:,} were lost, the latest came {seen.latest:.1f} s after its line. The page was "
    alerts += f"killed {len(seen.back)} times, and back after "
    alerts += f"{' and '.join(f'{each:.1f}' for each in seen.back)} s."
    end = f"At the end: `{ended}`"
    return "\n".join(["# Soak of the page", "", about, "", *head, *rows, "", alerts, "", end, ""])


if __name__ == "__main__":
    raise SystemExit(main())
