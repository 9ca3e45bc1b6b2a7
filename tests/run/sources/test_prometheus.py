"""antelog/run/sources/prometheus.py, on a real server and on one that answers what a test says."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest

import antelog
from antelog.errors import DataError
from antelog.files.chunks import sorted_out
from antelog.files.columns import WantedColumns
from antelog.run.door import Url
from antelog.run.reading import wanted_of
from antelog.run.sources.prometheus import Prometheus as Address
from antelog.run.sources.source import FactSource, Mark
from antelog.testing.sources import SourceChecks
from tests.processes import started, until
from tests.servers.kept import KeptServer, certify, prometheus

httpx = pytest.importorskip("httpx")

PROGRAM = """\
tick 250 ms.
input Level(key: text, value: number, time) delay 1 s.
High(X, T) :- Level(X, V, T), V > 50, not Quiet(X, T+1).
Quiet(X, T) :- Level(X, V, T), V < 40.
query High(X, T).
"""
WANTED = wanted_of(antelog.parse(PROGRAM).plan, "Level")
BEGIN = 1_700_000_000
START: Mark = {"next": BEGIN * 1000}
LEVEL = "prometheus://127.0.0.1:9/prefix?query=level&every=1s&lag=1s"


def opened(text: str, mark: Mark | None = START, folder: Path = Path()) -> FactSource:
    return Address.read(Url.of(text, folder)).source(WANTED, mark)


def rows(source: FactSource, wanted: WantedColumns = WANTED) -> tuple[list[tuple[Any, ...]], list[str]]:
    """The next rows as key, value and seconds, and what is said of those that cannot be used."""
    found, wrong = list[tuple[Any, ...]](), list[str]()
    for piece in source.poll():
        for checked in sorted_out(wanted, [piece.chunk], piece.file):
            key, value, tick, *_ = (column.to_pylist() for column in checked.table.columns)
            found += zip(key, value, [each / 4 for each in tick], strict=True)
            wrong += [each.detail for each in checked.set_aside]
    return found, wrong


class Answers:
    """Gives one answer after the other, the last again and again; `asked` is for what."""

    def __init__(self) -> None:
        self.replies: list[tuple[int, Any]] = [result()]
        self.asked: list[dict[str, str]] = []

    def __call__(self, request: Any) -> Any:
        asked = {name: value for name, (value,) in parse_qs(request.content.decode()).items()}
        auth = request.headers.get("Authorization", "")
        self.asked.append({**asked, "auth": auth, "url": str(request.url)})
        status, said = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return httpx.Response(status, content=said if isinstance(said, str) else json.dumps(said))

    def steps(self) -> list[int]:
        return [round(float(each["end"]) - float(each["start"])) + 1 for each in self.asked]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    found = Answers()
    client = partial(httpx.Client, transport=httpx.MockTransport(found))
    monkeypatch.setattr(httpx, "Client", client)
    return found


def result(*series: tuple[dict[str, str], list[str]], **more: Any) -> tuple[int, Any]:
    """An answer with a value of each series each second."""
    found = [
        {"metric": labels, "values": [[BEGIN + at, value] for at, value in enumerate(values) if value]}
        for labels, values in series
    ]
    return 200, {"data": {"resultType": "matrix", "result": found}, **more}


A = {"key": "a", "time": "no", "job": "x"}


def test_rows_are_in_the_order_of_time_and_what_is_no_number_is_left_out(answers: Answers) -> None:
    series = [(A, ["1", "NaN", "3"]), ({"key": "b"}, ["", "+Inf", "0.5"])]
    answers.replies = [result(*series, warnings=["slow"])]
    with closing(opened(LEVEL)) as source:
        found, wrong = rows(source)
        assert found == [("a", 1, BEGIN), ("a", 3, BEGIN + 2), ("b", 0.5, BEGIN + 2)]
        assert wrong == ["value `inf` of column value is not a number"]
        rows(source)
        (note,) = source.notes
        assert note.endswith("the server warns: slow")


def test_labels_fill_a_column_of_numbers(answers: Answers) -> None:
    wanted = wanted_of(antelog.parse(PROGRAM.replace("key: text", "key: number")).plan, "Level")
    ports = (({"key": each}, ["1"]) for each in ("8080", "0.5"))
    answers.replies = [result(), result(*ports), result(({"key": "http"}, ["1"]))]
    with closing(Address.read(Url.of(LEVEL)).source(wanted, START)) as source:
        assert rows(source, wanted) == ([(8080, 1, BEGIN), (0.5, 1, BEGIN)], [])
        assert rows(source, wanted) == (
            [],
            ["column key is of type string, and the program has a number there"],
        )


def test_series_without_a_label_are_set_aside(answers: Answers) -> None:
    answers.replies = [result(), result((A, ["1"]), ({"node": "b"}, ["2"])), result(({}, ["3"]))]
    with closing(opened(LEVEL)) as source:
        assert rows(source) == ([("a", 1, BEGIN)], ["column key has no value"])
        found, (wrong,) = rows(source)
        assert not found
        assert wrong.startswith("has no column key for Level(key, value, time); it has value, time")
    answers.replies = [result(({"node": "a"}, ["1"]))]
    with closing(opened(LEVEL)) as source, pytest.raises(DataError, match=r"--map Level\.key=node"):
        source.poll()


def test_pieces_are_as_long_as_the_server_allows(answers: Answers) -> None:
    answers.replies = [result((A, ["1"]))]
    with closing(opened(LEVEL)) as source:
        for _ in range(6):
            source.poll()
        assert answers.steps() == [1, 100, 400, 1600, 6400, 11_000, 11_000]
        starts, ends = ([float(each[end]) for each in answers.asked] for end in ("start", "end"))
        assert starts[2:] == [end + 1 for end in ends[1:-1]]  # the first only tries the query
        assert source.mark == {"next": (ends[-1] + 1) * 1000}
        many = result(*(({"key": f"{i}"}, ["1"]) for i in range(4000)))
        answers.replies = [many, many, (422, {"error": "too many samples"}), many]
        for _ in range(3):
            source.poll()
        assert answers.steps()[-2:] == [50, 50]
        assert source.notes[-1].endswith("cannot be reached: too many samples; it is tried again and again")
        until(lambda: (source.poll(), source.reachable)[1])
        assert answers.steps()[-1] == 25


def test_what_may_pass_is_waited_for_and_what_is_wrong_ends_it(answers: Answers) -> None:
    answers.replies = [result(), (503, "<html>"), (200, "<html>"), result((A, ["1"]))]
    with closing(opened(LEVEL)) as source:
        assert rows(source) == ([], [])
        assert "reached: http://127.0.0.1:9/prefix/api/v1/query_range answers 503 Service" in source.notes[0]
        until(lambda: (found := rows(source)[0]) and found[0][0] == "a")
        assert [note.partition("?query=level: ")[2] for note in source.notes[1:]] == ["can be reached again"]
        answers.replies = [(401, "Unauthorized")]
        with pytest.raises(DataError, match=r"cannot be read: .* answers 401 Unauthorized"):
            source.poll()


def test_the_address(answers: Answers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "bearer token")
    (tmp_path / "secret").write_text("from a file\n")
    (tmp_path / "rate.promql").write_text("rate(\n  a[5m]) # and so on\n  + b\n")
    for user, options in (("", ""), ("me@", "&password-file=secret"), (":${TOKEN}@", "")):
        place = Address.read(Url.of(f"prometheus://{user}a?query-file=rate.promql{options}", tmp_path))
        with closing(place.source(WANTED, None)) as source:
            ago = time.time() - source.mark["next"] / 1000
            assert 14 <= ago <= 31
            assert source.mark["next"] % 15_000 == 0
        assert "bearer token" not in f"{place!r}{place}"
    assert [each["auth"] for each in answers.asked] == [
        *("", "Basic bWU6ZnJvbSBhIGZpbGU=", "Bearer bearer token")
    ]
    assert answers.asked[0]["query"] == "rate(\n  a[5m]) # and so on\n  + b"
    assert answers.asked[0]["url"] == "http://a:9090/api/v1/query_range"


# ---- the real one ----


@pytest.fixture(scope="module")
def server() -> Iterator[KeptServer]:
    level = 'level{{key="key {key}"}} {value} {at}'
    lines = [
        level.format(key=key, value=(at * 37 + key) % 101, at=BEGIN + at)
        for key in range(2)
        for at in range(0, 20_000, 2)
    ]
    with prometheus(before=["# TYPE level gauge", *lines]) as found:
        yield found


def address(server: KeptServer, query: str, **options: str) -> str:
    return f"prometheus://127.0.0.1:{server.port}?{urlencode({'query': query, **options})}"


def asked(
    server: KeptServer, query: str, begin: float, end: float, step: float
) -> list[tuple[float, str, str]]:
    """Time, key and value of all results, asked for at once."""
    span = urlencode({"query": query, "start": begin, "end": end, "step": step})
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/api/v1/query_range?{span}") as reply:
        series = json.load(reply)["data"]["result"]
    return sorted((at, each["metric"]["key"], value) for each in series for at, value in each["values"])


def test_all_steps_come_once_from_marks(server: KeptServer) -> None:
    found: list[tuple[Any, ...]] = []
    mark = START
    for _ in range(4):
        with closing(opened(address(server, "level", every="2s"), mark)) as source:
            for _ in range(4):
                found += rows(source)[0]
            assert source.behind
            mark = json.loads(json.dumps(source.mark))
    end = mark["next"] / 1000 - 2
    assert end > BEGIN + 20_000
    wanted = [
        (key, float(value), at)
        for begin in range(BEGIN, int(end) + 1, 20_000)
        for at, key, value in asked(server, "level", begin, min(end, begin + 19_998), 2)
    ]
    assert len(wanted) > 20_000
    assert sorted(found) == sorted(wanted)
    assert [at for *_, at in found] == sorted(at for *_, at in found)


def test_what_is_wrong_is_told(server: KeptServer) -> None:
    for text, words in (
        (address(server, "level{"), "cannot be read: .*parse error: unexpected end of input inside braces"),
        (f"prometheuss://127.0.0.1:{server.port}?query=up", "WRONG_VERSION_NUMBER"),
        (f"prometheus://127.0.0.1:{server.port}/elsewhere?query=up", "query_range answers 404 Not Found"),
        ("prometheus://127.0.0.1:1?query=up", "cannot be reached: .*Connection refused"),
    ):
        with pytest.raises(DataError, match=words):
            opened(text)


# "open sesame", hashed as fast as that can be.
WEB = """\
basic_auth_users: {me: "$2b$04$832xOaGJhITop4Zk1o1Ra.Vtt0.fZ8iuPVCqGJVxVjMlnbjzlHz8i"}
tls_server_config: {cert_file: cert.pem, key_file: key.pem}
"""


def test_passwords_and_certificates(tmp_path: Path) -> None:
    certify(tmp_path)
    (tmp_path / "web.yml").write_text(WEB)
    (tmp_path / "secret").write_text("open sesame\n")
    with prometheus(f"--web.config.file={tmp_path / 'web.yml'}") as server:
        place = f"127.0.0.1:{server.port}?query=vector(1)&password-file=secret"
        opened(f"prometheuss://me@{place}&ca=cert.pem", folder=tmp_path).close()
        for text, words in (
            (f"prometheuss://me@{place}", "cannot be reached: .*CERTIFICATE_VERIFY_FAILED"),
            (f"prometheuss://you@{place}&ca=cert.pem", "cannot be read: .*401 Unauthorized"),
            (f"prometheus://me@{place}", "cannot be read: .*400 Bad Request"),
        ):
            with pytest.raises(DataError, match=words) as caught:
                opened(text, folder=tmp_path)
            assert "sesame" not in str(caught.value)


# Values that follow from when a sample was taken, as long as the server is there.
LIVE = """
label_replace(floor(timestamp(up) * 4) * 37 % 101, "key", "a", "", "")
or label_replace(floor(timestamp(up) * 4) * 23 % 101, "key", "b", "", "")
"""


@pytest.mark.long
def test_lines_are_told_once_however_often_it_and_the_server_are_killed(tmp_path: Path) -> None:
    (tmp_path / "rules.alog").write_text(PROGRAM)
    with prometheus() as server:
        SourceChecks("", lambda _: None).tells_what_is_wrong(address(server, "level{"), "parse error")
        told = _told_with_kills(tmp_path, server, 20)
        records = asked(server, LIVE, int(time.time()) - 900, time.time(), 0.25)
    assert len(told) > 100
    lines = [f"{key},{value},{round(at * 1000)}\n" for at, key, value in records]
    (tmp_path / "all.csv").write_text("".join(["key,value,time\n", *lines]))
    command = [*("-m", "antelog", "try", "rules.alog", "--input", "Level=all.csv", "--time-unit", "ms")]
    done = subprocess.run(
        [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert told == done.stdout.splitlines()[: len(told)]


def _told_with_kills(folder: Path, server: KeptServer, kills: int) -> list[str]:
    """The lines of a run that was killed, and its server at times, and at the end was left in peace."""
    chance, output = random.Random(1), folder / "lines.jsonl"
    source = address(server, LIVE, every="250ms", lag="3s", since="5min")
    flags = ("--output", output.name, "--state", "state", "--clock", "event", "--no-page")
    command = [
        *(sys.executable, "-m", "antelog", "watch", "rules.alog", "--input", f"Level={source}", *flags)
    ]

    def told() -> list[str]:
        return output.read_text().split("\n")[:-1] if output.exists() else []

    for _ in range(kills):
        with started(command, cwd=folder, stderr=subprocess.PIPE) as process:
            time.sleep(chance.uniform(0.1, 6.0))  # noqa: TID251 - killed at any time
            assert process.poll() is None, process.communicate()[1]
        if chance.random() < 0.3:
            server.stop()
            server.start()
    end = time.time()
    with started(command, cwd=folder, stderr=subprocess.PIPE) as process:
        until(lambda: told() and json.loads(told()[-1])["tick"] / 4 > end, process)
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    return told()
