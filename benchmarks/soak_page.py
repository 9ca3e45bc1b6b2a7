"""`python -m benchmarks.soak_page`: `antelog watch` with ten thousand open answers and a browser on its page.

Five hundred orders come each second, some are paid within twenty. So ten thousand answers are open at any
time, and all of them change within twenty seconds. Each second some orders are acknowledged, snoozed or get
a note, and the browser goes from view to view. Each minute it is noted how much memory the follower, the
page's process and the browser hold, and, after its garbage was collected, how many bytes and nodes of its
documents the browser has in use; none of them may grow.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from typing import IO

import psutil

from benchmarks.options import RESULTS
from benchmarks.report import setting
from tests.watch.browser import CHROMIUM, Tab, browser

PROGRAM = """\
tick 1 second.
input Order(id: number, time).
input Payment(id: number, time).
chance Payment(_, _) = 3%.
Paid(I, T) :- Order(I, T), Payment(I, U), U > T, U <= T + 20.
query Paid(I, T).
"""
EACH_SECOND, SHARE = 500, 0.5
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
    minutes, ended = soaked(given.minutes)
    given.results.mkdir(parents=True, exist_ok=True)
    text = as_markdown(minutes, ended)
    (given.results / "soak-page.md").write_text(text, encoding="utf-8")
    print(text)
    wrong = complaints(minutes)
    print("\n".join(wrong) or "Nothing grows.")
    return 1 if wrong else 0


def soaked(minutes: int) -> tuple[list[Minute], str]:
    """What was held each minute, and what the follower said at its end."""
    with ExitStack() as stack:
        here = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="antelog-soak-")))
        watch, link, acting = stack.enter_context(watching(here))
        tab = stack.enter_context(browsing(link))
        people = People(acting)
        orders, payments = (stack.enter_context((here / f"{name}.csv").open("a")) for name in INPUTS)
        found, began = [], time.monotonic()
        for second in feeding(orders, payments):
            time.sleep(max(0.0, began + second - time.monotonic()))
            if watch.poll() is not None:
                break
            people.act(second)
            if tab is not None and second % 5 == 0:
                tab.run(f"go('{VIEWS[second // 5 % len(VIEWS)]}')")
            if second and second % 60 == 0:
                found.append(held(second // 60, watch, tab, people))
                print(found[-1], flush=True)
            if second >= minutes * 60:
                break
        watch.send_signal(signal.SIGINT)
        _, said = watch.communicate(timeout=60)
        return found, said.strip().splitlines()[-1]


INPUTS = ("Order", "Payment")
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
        return len(json.loads(self._ask() or b'{"acts": []}')["acts"])

    def _ask(self, body: bytes | None = None) -> bytes | None:
        request = urllib.request.Request(f"{self.address}/api/acts", body, self._headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                found: bytes = answer.read()
                return found
        except urllib.error.HTTPError:
            return None  # nothing is open of it any more


def feeding(orders: IO[str], payments: IO[str]) -> Iterator[int]:
    """Writes what comes in a second, second by second."""
    random, begun, open_ = Random(0), int(time.time()), dict[int, int]()
    second = 0
    while True:
        now = begun + second
        paid = [number for number, at in open_.items() if at == second]
        first = second * EACH_SECOND
        for number in range(first, first + EACH_SECOND):
            if random.random() < SHARE:
                open_[number] = second + random.randint(1, 20)
        orders.write("".join(f"{number},{stamp(now)}\n" for number in range(first, first + EACH_SECOND)))
        payments.write("".join(f"{open_.pop(number) and number},{stamp(now)}\n" for number in paid))
        orders.flush()
        payments.flush()
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
        [*command, "--only", "unlikely"],
        cwd=here,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
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
    pages = [each for each in follower.children() if "antelog.watch.web" in each.cmdline()]
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
    third = len(minutes) // 3
    found = []
    for name, unit in HELD.items():
        held_ = [getattr(each, name) for each in minutes]
        if third and None not in held_:
            before, after = median(held_[third : 2 * third]), median(held_[-third:])
            if after > GROWTH * before + (unit == " MB"):
                found.append(f"growing: {name}, {before:.0f}, then {after:.0f}{unit}")
    return found


def _number(value: float | None, digits: int = 0) -> str:
    return "" if value is None else f"{value:,.{digits}f}"


def as_markdown(minutes: list[Minute], ended: str) -> str:
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
    about = f"Ten thousand open answers, {EACH_SECOND} new ones a second. "
    about += f"{at.date}, commit {at.commit}, {at.cpu}."
    return "\n".join(["# Soak of the page", "", about, "", *head, *rows, "", f"At the end: `{ended}`", ""])


if __name__ == "__main__":
    raise SystemExit(main())
