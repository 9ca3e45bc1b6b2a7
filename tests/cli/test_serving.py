"""antelog/cli/serving.py: the page runs next to the run that it shows."""

import json
import re
import signal
import sqlite3
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest

from tests.cli.trying import LOG, READINGS, antelog, command
from tests.processes import Start, until

pytestmark = pytest.mark.usefixtures("here")

pytest.importorskip("uvicorn")


Found = TypeVar("Found")


class _Watch:
    def __init__(self, start: Start, *arguments: object, stdin: int = subprocess.DEVNULL) -> None:
        with Path("said").open("w") as said, Path("reported").open("w") as reported:
            self.process = start(command("watch", *arguments), stdin=stdin, stdout=reported, stderr=said)

    def until(self, condition: Callable[[], Found | None]) -> Found:
        return until(condition, self.process, _said)

    def said(self, pattern: str) -> re.Match[str]:
        return self.until(lambda: re.search(pattern, _said()))

    def link(self) -> re.Match[str]:
        return self.said(r"the page: (http://127\.0\.0\.1:\d+)/\?token=(\S+)")

    def reported(self, count: int) -> list[str]:
        def lines() -> list[str]:
            found = Path("reported").read_text().splitlines()
            return found if len(found) >= count else []

        return self.until(lines)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def _said() -> str:
    return Path("said").read_text()


@pytest.fixture
def watching(start: Start) -> Iterator[Callable[..., _Watch]]:
    """Starts a process, which ends without an error when it is asked to at the end of the test."""
    started: list[_Watch] = []

    def begun(*arguments: object, stdin: int = subprocess.DEVNULL) -> _Watch:
        started.append(_Watch(start, *arguments, stdin=stdin))
        return started[-1]

    yield begun
    for each in started:
        assert each.stop() == 0


def _asked(address: str, token: str, body: bytes | None = None) -> bytes:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(address, body, headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        found: bytes = answer.read()
    return found


def test_the_page_shows_what_is_reported(watching: Callable[..., _Watch]) -> None:
    process = watching("p.alog", "--input", "Temp=temp.csv")
    link = process.link()
    process.said(r"to act on it: http.*\nCtrl-C stops it\n")
    assert process.reported(2) == LOG[:2]
    line = b'antelog_facts_total{input="Temp"} 3'
    process.until(lambda: line in _asked(f"{link[1]}/metrics", link[2]))
    assert process.stop() == 0
    assert "done: 2 facts" in Path("said").read_text()


def test_posted_facts_are_followed(watching: Callable[..., _Watch]) -> None:
    process = watching("p.alog", "--input", "Temp=http:", "--state", "s")
    found = process.said(r"facts of Temp are posted to (\S+)/facts/Temp with the token (\S+)")
    (names, *rows) = (line.split(",") for line in READINGS.splitlines())
    facts = [dict(zip(names, row, strict=True)) for row in rows]
    numbers = [{**fact, "time": int(fact["time"]), "arrival": int(fact["arrival"])} for fact in facts]
    answer = _asked(f"{found[1]}/facts/Temp", found[2], json.dumps(numbers).encode())
    assert json.loads(answer) == {"accepted": 3}
    answer = _asked(
        f"{found[1]}/facts/Temp", found[2], json.dumps([{**numbers[2], "time": 9}, {"a": 1}]).encode()
    )
    reason = "a fact has no device, level, time; it has a. Facts of Temp have device, level, time; if yours"
    assert (json.loads(answer)["accepted"], json.loads(answer)["set_aside"]) == (1, 1)
    assert json.loads(answer)["reason"].startswith(reason)
    assert process.reported(2) == LOG[:2]


def test_a_token_that_was_given_is_not_printed(watching: Callable[..., _Watch]) -> None:
    Path("token").write_text("sixteen-letters-or-more\n")
    process = watching("p.alog", "--input", "Temp=http:", "--state", "s", "--facts-token", "@token")
    found = process.said(r"facts of Temp are posted to (\S+)/facts/Temp with the token of --facts-token\n")
    fact = {"device": "wt2", "level": "high", "time": 7, "arrival": 7}
    accepted = _asked(f"{found[1]}/facts/Temp", "sixteen-letters-or-more", json.dumps([fact]).encode())
    assert json.loads(accepted) == {"accepted": 1}
    assert process.stop() == 0
    assert "sixteen" not in _said()


def test_when_all_is_read_the_page_stays(watching: Callable[..., _Watch]) -> None:
    process = watching("p.alog", "--input", "Temp=-", stdin=subprocess.PIPE)
    assert process.process.stdin is not None
    process.process.stdin.write(READINGS)
    process.process.stdin.close()
    process.process.stdin = None
    process.said("all has been read; the page is there until you stop it")
    assert process.reported(6) == LOG


def _part(link: re.Match[str], path: str = "/part/now") -> str:
    return _asked(f"{link[1]}{path}", link[2]).decode()


def test_odd_lines_of_others_are_skipped_and_counted(watching: Callable[..., _Watch]) -> None:
    first, *rest = map(json.loads, LOG)
    odd: list[object] = [
        {**first, "explanations": 5},
        {**first, "explanations": [{"evidence": 7}]},
        {**first, "tick": "soon"},
        {**first, "answer": [1]},
        {**first, "decided_by": 10**30},
        {"status": {"inputs": {"Temp": {"late": {"x": "y"}}}}},
        [first],
    ]
    Path("changes.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in (*odd, first, *rest)))
    process = watching("changes.jsonl")
    link = process.link()
    process.said("note: the page: 7 lines are not records that antelog writes, and were skipped")
    assert len(json.loads(_part(link, "/api/decided"))["answers"]) == 3
    for view in ("now", "decided", "inputs", "trust", "plan"):
        assert "7 lines are not records" in _part(link, f"/part/{view}")
    assert json.loads(_part(link, "/healthz"))["status"] == "ok"
    with Path("changes.jsonl").open("a") as file:
        file.write(json.dumps({**first, "answer": {"X": "wt9", "T": 0}}) + "\n")
    process.until(lambda: "wt9" in _part(link))


def test_a_page_that_cannot_read_on_says_so(watching: Callable[..., _Watch]) -> None:
    process = watching("p.alog", "--input", "Temp=temp.csv", "--state", "s")
    link = process.link()
    process.reported(2)
    process.until(lambda: json.loads(_part(link, "/api/now"))["total"])
    with closing(sqlite3.connect("s")) as database, database:
        database.execute("INSERT INTO feed SELECT max(last) + 1000000, 1, 0, 0, 5 FROM feed")
    process.said("note: the page cannot read on: .*s: a value of `lines` is of another type")
    with pytest.raises(urllib.error.HTTPError) as raised:
        _asked(f"{link[1]}/healthz", "")
    assert (raised.value.code, json.loads(raised.value.read())["status"]) == (503, "failed")
    raised.value.close()
    assert "The page cannot read on: " in _part(link)


FRESH = """\
tick 1 second.
input Temp(device, level, time) delay 300 seconds, every 2 s.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T).
"""


def test_the_first_view_says_how_fresh_it_is_without_a_script(
    here: Path, watching: Callable[..., _Watch]
) -> None:
    (here / "p.alog").write_text(FRESH)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    (here / "temp.csv").write_text(f"device,level,time\nwt2,high,{now}\n")
    process = watching("p.alog", "--input", "Temp=temp.csv")
    link = process.link()

    def first() -> str:
        with urllib.request.urlopen(f"{link[1]}/?token={link[2]}", timeout=30) as answer:
            found: str = answer.read().decode()
        return found

    process.until(lambda: re.search(r"last fact \d+ s ago", first()))
    process.until(lambda: "2 open answers rest on it" in first())
    for page in (first(), _part(link)):
        assert re.search(
            r"Temp has been silent for \d+ s, since \S+ UTC; facts are expected within 5 s", page
        )
        assert re.findall(r'class="(fork-card[^"]*)"', page) == ["fork-card info stale"]


def test_a_program_that_is_edited_meanwhile_is_said(watching: Callable[..., _Watch]) -> None:
    before = Path("p.alog").read_text()
    Path("more.alog").write_text("% more\n")
    Path("p.alog").write_text(f'include "more.alog".\n{before}')
    process = watching("p.alog", "--input", "Temp=temp.csv", "--state", "s")
    link = process.link()
    process.reported(2)
    Path("more.alog").write_text("% less\n")
    said = "more.alog has changed since this run began"
    process.said(f"note: {said}, which goes on with the rules of before.*--accept-changes")
    process.until(lambda: said in _part(link))
    Path("more.alog").write_text("% more\n")
    process.until(lambda: said not in _part(link))


def test_a_sender_that_keeps_dying_ends_a_run_with_1() -> None:
    facts = ("watch", "p.alog", "--input", "Temp=temp.csv", "--once", "--no-page", "--state", "s")
    alert = ("--alert", "command:true", "--alert-on", "possible", "--alert-from", "start")
    assert antelog(*facts).exit_code == 0
    with closing(sqlite3.connect("s")) as database, database:
        database.execute(
            "CREATE TRIGGER no BEFORE INSERT ON letters BEGIN SELECT RAISE(ABORT, 'the disk is odd'); END"
        )
    with Path("temp.csv").open("a") as file:
        file.write("wt5,high,7,7\nwt5,high,9,9\n")
    done = antelog(*facts, *alert)
    assert done.exit_code == 1, done.stderr
    assert "error: alerts: the process that sends them ends with an error" in done.stderr
