"""`python -m benchmarks.soak_sources`: `antelog watch` on a server of each source, 2,000 events a second.

2,000 devices have a reading each second. Five of them are high, and half of these are calm two seconds
later: they are rejected, and the others confirmed. All this is known beforehand, so at the end each confirmed
answer is compared. PostgreSQL has the lines, too; the others write them to a file. A reader asks for *Inputs*
and the metrics every five seconds. Each minute it is noted how much memory the processes of antelog hold, and
how far behind they were at most; neither may grow.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from benchmarks.options import RESULTS
from benchmarks.report import setting
from benchmarks.soak_page import MB, growing
from tests.servers import free_port, postgres
from tests.servers.kept import prometheus, redis
from tests.servers.mosquitto import mosquitto
from tests.servers.s3proxy import BUCKET, s3proxy

DEVICES = 2_000
_UNDER_WAY = 200  # messages to a broker; the client goes through all of them at each acknowledgement
DECIDED = 60  # seconds after which all is decided, whatever the source
PROGRAM = """\
tick 1 second.
input Reading(device: number, value: number, time) delay {delay} s.
High(D, T) :- Reading(D, V, T), V > 90, not Calm(D, T+1..T+3).
Calm(D, T) :- Reading(D, V, T), V < 50.
query High(D, T).
"""


def value(device: int, second: int) -> int:
    if (7 * device + second) % 400 == 0:
        return 95
    calm = (7 * device + second - 2) % 400 == 0 and (device + second) % 2
    return 10 if calm else 70


def confirmed(second: int) -> set[int]:
    """The devices whose answer of a second is confirmed."""
    return {each for each in range(DEVICES) if value(each, second) > 90 and value(each, second + 2) > 50}


@dataclass(frozen=True)
class Fed:
    """A server that is fed: its address, how it gets a second, and the options of antelog for it.

    `lines` gives the lines that were written; None if they are in the file of changes.
    """

    address: str
    feed: Callable[[int], None]
    delay: int = 5
    options: Sequence[str] = ()
    lines: Callable[[], Iterator[dict[str, Any]]] | None = None


@contextmanager
def _mqtt() -> Iterator[Fed]:
    from paho.mqtt.client import Client  # noqa: PLC0415 - each source needs its library alone
    from paho.mqtt.enums import CallbackAPIVersion  # noqa: PLC0415

    with mosquitto(kept=False) as broker:
        client = Client(CallbackAPIVersion.VERSION2)
        client.max_inflight_messages_set(_UNDER_WAY)
        client.connect("127.0.0.1", broker.port)
        client.loop_start()

        def feed(second: int) -> None:
            for first in range(0, DEVICES, _UNDER_WAY):
                sent = [
                    client.publish(
                        f"plant/{each}", f'{{"value": {value(each, second)}, "time": {second}}}', 1
                    )
                    for each in range(first, min(first + _UNDER_WAY, DEVICES))
                ]
                sent[-1].wait_for_publish(60)

        yield Fed(f"mqtt://{broker.host}/plant/+?qos=1&columns=device", feed)
        client.loop_stop()


@contextmanager
def _postgresql() -> Iterator[Fed]:
    import psycopg  # noqa: PLC0415

    with postgres() as server, psycopg.connect(server.uri, autocommit=True) as made:
        made.execute("create table readings (id bigserial primary key, device int, value int, time bigint)")

        def feed(second: int) -> None:
            copying = "copy readings (device, value, time) from stdin"
            with made.cursor() as cursor, cursor.copy(copying) as copy:
                for device in range(DEVICES):
                    copy.write_row((device, value(device, second), second))

        def lines() -> Iterator[dict[str, Any]]:
            for (line,) in made.execute("select to_jsonb(changes) from changes"):
                yield line

        options = ["--output", f"{server.uri}#changes"]
        yield Fed(f"{server.uri}#readings?order=id&every=1s", feed, options=options, lines=lines)


@contextmanager
def _redis() -> Iterator[Fed]:
    import redis as library  # noqa: PLC0415

    with redis() as server, library.Redis(port=server.port) as client:
        client.xgroup_create("readings", "antelog", "0", mkstream=True)

        def feed(second: int) -> None:
            with client.pipeline(transaction=False) as several:
                for device in range(DEVICES):
                    entry = {"device": device, "value": value(device, second), "time": second}
                    several.xadd("readings", entry, maxlen=100 * DEVICES, approximate=True)
                several.execute()

        yield Fed(f"redis://127.0.0.1:{server.port}/readings", feed)


@contextmanager
def _prometheus() -> Iterator[Fed]:
    """An exporter with a series for each device, scraped each second; a value has the time it is about."""
    port, page = free_port(), [b""]

    class Exporter(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            with suppress(BrokenPipeError):  # a busy server does not wait for the answer
                self.wfile.write(page[0])

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with (
        ThreadingHTTPServer(("127.0.0.1", port), Exporter) as exporter,
        prometheus(target=f"127.0.0.1:{port}") as server,
    ):
        threading.Thread(target=exporter.serve_forever, daemon=True).start()

        def feed(second: int) -> None:
            rows = (
                f'level{{device="{each}"}} {value(each, second)} {second * 1000}\n' for each in range(DEVICES)
            )
            page[0] = "".join(rows).encode()

        yield Fed(f"prometheus://127.0.0.1:{server.port}?query=level&every=1s&lag=5s", feed, 10)
        exporter.shutdown()


EVERY = 10


@contextmanager
def _s3() -> Iterator[Fed]:
    """An object of ten seconds every ten seconds."""
    rows: list[str] = []
    with s3proxy() as store:
        os.environ.update(store.environment)  # of this source's own process, and of the command it starts

        def feed(second: int) -> None:
            rows.extend(f"{each},{value(each, second)},{second}\n" for each in range(DEVICES))
            if len(rows) >= EVERY * DEVICES:
                store.put(f"readings/{second}.csv", "device,value,time\n" + "".join(rows))
                rows.clear()

        yield Fed(f"s3://{BUCKET}/readings/", feed, 30)


SOURCES = {"mqtt": _mqtt, "postgresql": _postgresql, "redis": _redis, "prometheus": _prometheus, "s3": _s3}


@dataclass(frozen=True)
class Minute:
    """The megabytes of antelog's processes after so many minutes, and their CPU seconds so far.

    `facts` is what they have read of what was fed, `behind` the most seconds in this minute that they were.
    """

    number: int
    held: float
    cpu: float
    facts: int
    unread: int
    behind: float


@dataclass(frozen=True)
class Soaked:
    """A source's minutes; the confirmed answers there should be, those that lack, and those too many."""

    source: str
    minutes: list[Minute]
    answers: int
    lacking: int
    too_many: int
    rejects: int

    @property
    def complaints(self) -> list[str]:
        """Lists what is wrong: answers that lack, rows set aside, growth."""
        found = []
        if self.lacking or self.too_many or not self.answers:
            found.append(f"{self.lacking} of {self.answers} answers lack, {self.too_many} are too many")
        if self.rejects:
            found.append(f"{self.rejects} rows are set aside")
        for name in ("held", "behind"):
            found += growing(name, [getattr(minute, name) for minute in self.minutes], 2)
        return [f"{self.source}: {each}" for each in found]


class Reader:
    """Somebody who looks at the page and the metrics every five seconds."""

    def __init__(self, link: str) -> None:
        self._address, _, token = link.partition("/?token=")
        self._headers = {"Authorization": f"Bearer {token}"}
        self.behind = self.unread = 0.0

    def get(self, path: str) -> str:
        request = urllib.request.Request(f"{self._address}{path}", headers=self._headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            found: bytes = answer.read()
        return found.decode()

    def look(self) -> None:
        self.get("/inputs")
        self.behind = max(self.behind, self.metric("antelog_behind_seconds"))
        self.unread = max(self.unread, self.metric("antelog_unread"))

    def metric(self, name: str) -> float:
        """The sum of a metric's values."""
        lines = [each for each in self.get("/metrics").splitlines() if each.startswith(f"{name}{{")]
        return sum(float(each.rpartition(" ")[2]) for each in lines)


def soaked(source: str, minutes: int) -> Soaked:
    with ExitStack() as stack:
        here = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f"antelog-soak-{source}-")))
        fed = stack.enter_context(SOURCES[source]())
        (here / "high.alog").write_text(PROGRAM.format(delay=fed.delay), encoding="utf-8")
        options = fed.options or ("--output", "changes.jsonl")
        watch = stack.enter_context(_watching(here, fed, options))
        reader, found = Reader(_link(here)), list[Minute]()
        ending = threading.Event()
        first = int(time.time()) + 1
        feeding = threading.Thread(target=_feed, args=(fed, first, ending), daemon=True)
        feeding.start()
        for look in range(1, minutes * 12 + 1):
            time.sleep(max(0.0, first + 5 * look - time.time()))
            if watch.poll() is not None:
                raise SystemExit(f"{source}: it has ended: {(here / 'said').read_text()[-500:]}")
            reader.look()
            if look % 12 == 0:
                found.append(_held(look // 12, watch, reader))
                print(source, found[-1], flush=True)
        ending.set()
        feeding.join()
        last = int(time.time()) - 1
        time.sleep(DECIDED)
        rejects = int(reader.metric("antelog_rejects_total"))
        lines = fed.lines() if fed.lines else map(json.loads, (here / "changes.jsonl").open())
        counted = range(first + fed.delay, last - 2 * DECIDED)
        expected = {(device, second) for second in counted for device in confirmed(second)}
        told = [_answer(each) for each in lines if each["change"] == "confirmed"]
        there = [each for each in told if each[1] in counted]
        return Soaked(
            *(source, found, len(expected), len(expected - set(there))),
            *(len(there) - len(expected & set(there)), rejects),
        )


def _feed(fed: Fed, first: int, ending: threading.Event) -> None:
    second = first
    while not ending.is_set():
        time.sleep(max(0.0, second + 1 - time.time()))
        fed.feed(second)
        second += 1


def _answer(line: dict[str, Any]) -> tuple[int, int]:
    answer = line["answer"]
    return int(answer["D"]), int(answer["T"])


@contextmanager
def _watching(here: Path, fed: Fed, options: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    code = "from antelog.cli.main import main; main()"
    command = [sys.executable, "-c", code, "watch", "high.alog", "--input", f"Reading={fed.address}"]
    with (here / "said").open("w") as said:
        watch = subprocess.Popen(
            [*command, "--state", "high.state", *options], cwd=here, stderr=said,
            stdout=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        try:
            yield watch
        finally:
            watch.terminate()
            watch.wait(60)


def _link(here: Path) -> str:
    """The page's link, which the follower says."""
    for _ in range(600):
        if (found := re.search(r"http\S+token=\S+", (here / "said").read_text())) is not None:
            return found[0]
        time.sleep(0.1)
    raise SystemExit(f"there is no page: {(here / 'said').read_text()}")


def _held(number: int, watch: subprocess.Popen[str], reader: Reader) -> Minute:
    follower = psutil.Process(watch.pid)
    held = cpu = 0.0
    for each in (follower, *follower.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            held += each.memory_full_info().uss / MB
            cpu += sum(each.cpu_times()[:2])
    found = Minute(
        *(number, held, cpu, int(reader.metric("antelog_facts_total"))), int(reader.unread), reader.behind
    )
    reader.unread = reader.behind = 0.0
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak_sources", description=__doc__)
    which = f"which of {', '.join(SOURCES)}, side by side; all"
    parser.add_argument("sources", nargs="*", choices=[*SOURCES, []], metavar="SOURCE", help=which)
    parser.add_argument("--minutes", type=int, default=60, help="how long; 60")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder to write to")
    given = parser.parse_args()
    if given.minutes < 3:
        parser.error("a run takes 3 minutes at least")
    chosen = given.sources or [*SOURCES]
    with ProcessPoolExecutor(len(chosen)) as pool:
        found = list(pool.map(partial(soaked, minutes=given.minutes), chosen))
    text = as_markdown(found)
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "soak-sources.md").write_text(text, encoding="utf-8")
    print(text)
    wrong = [complaint for each in found for complaint in each.complaints]
    print("\n".join(wrong) or "Nothing grows, nothing is lost.")
    return 1 if wrong else 0


def as_markdown(found: Sequence[Soaked]) -> str:
    at = setting(1.0, 1)
    about = f"{DEVICES:,} events a second from each source, all of a table side by side, for "
    about += (
        f"{len(found[0].minutes)} minutes. {at.date}, commit {at.commit}, {at.cpu}, {os.cpu_count()} cores."
    )
    titles = (
        "source | facts | MB after a third, two thirds, the end | s behind: median, most | unread at most"
    )
    head = [
        f"| {titles} | share of a core | answers | lacking | too many |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    rows = []
    for each in found:
        third, behind = len(each.minutes) // 3, [minute.behind for minute in each.minutes]
        held = [each.minutes[at - 1].held for at in (third, 2 * third, len(each.minutes))]
        last = each.minutes[-1]
        rows.append(
            f"| {each.source} | {last.facts:,} | {', '.join(f'{one:.0f}' for one in held)} "
            f"| {median(behind):.1f}, {max(behind):.1f} | {max(one.unread for one in each.minutes):,} "
            f"| {last.cpu / (60 * last.number):.2f} | {each.answers:,} | {each.lacking} | {each.too_many} |"
        )
    return "\n".join(["# Soak of the sources", "", about, "", *head, *rows, ""])


if __name__ == "__main__":
    raise SystemExit(main())
