"""antelog/run/sources/redis.py, on a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from antelog.errors import DataError
from antelog.files.columns import mapped
from antelog.run.door import Url
from antelog.run.sources.redis import Redis as Address
from antelog.run.sources.source import Mark
from antelog.testing.sources import Record, SourceChecks
from tests.run.sources.taking import WANTED, devices, taken
from tests.servers.kept import KeptServer, certify, redis

library = pytest.importorskip("redis")


@pytest.fixture(scope="module")
def server() -> Iterator[KeptServer]:
    with redis() as found:
        yield found


@pytest.fixture
def client(server: KeptServer) -> Iterator[Any]:
    with library.Redis(port=server.port, decode_responses=True) as found:
        yield found
        found.flushall()


@pytest.fixture
def checks(server: KeptServer, client: Any) -> SourceChecks:
    def put(records: Sequence[Record]) -> None:
        with client.pipeline(transaction=False) as several:
            for each in records:
                several.xadd("readings", dict(each))
            several.execute()

    def odd() -> None:
        client.xadd("readings", {"key": "a", "value": "much", "time": 3})

    client.xgroup_create("readings", "antelog", "0", mkstream=True)
    return SourceChecks(
        f"redis://127.0.0.1:{server.port}/readings", put, odd, stop=server.stop, start=server.start
    )


def add(client: Any, *names: str) -> None:
    for each in names:
        client.xadd("plant", {"device": each, "value": 1, "time": 3})


def pending(client: Any) -> int:
    return len(client.xpending_range("plant", "antelog", "-", "+", 10))


def opened(
    server: KeptServer, mark: Mark | None = None, place: str = "plant", user: str = "", **how: Any
) -> Any:
    url = Url.of(f"redis://{user}127.0.0.1:{server.port}/{place}")
    return Address.read(url).source(how.get("wanted", WANTED), mark)


@pytest.mark.parametrize(
    "check",
    [
        *("gives_all_rows", "continues_from_marks", "sets_odd_records_aside", "waits_for_its_server"),
        *("keeps_what_is_not_saved", "outlives_a_server_killed_before_saving"),
    ],
)
def test_the_checks_of_all_sources(checks: SourceChecks, check: str) -> None:
    getattr(checks, check)()


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_kills(checks: SourceChecks, seed: int) -> None:
    checks.outlives_kills(seed=seed)


def test_what_was_not_acknowledged_comes_again_and_nothing_else(server: KeptServer, client: Any) -> None:
    add(client, *"abcd")
    with closing(opened(server)) as source:
        assert [device for device, _ in taken(source.poll() + source.poll())[0]] == [*"abcd"]
        assert pending(client) == 4
        source.saved()
        assert pending(client) == 0
        first = json.loads(json.dumps(source.mark))
        add(client, "e")
        assert devices(source) == ["e"]
        second = source.mark
    with closing(opened(server, first)) as source:  # was killed before its state had e
        assert devices(source) == ["e"]
    with closing(opened(server, second)) as source:  # was killed after that
        assert devices(source) == []
        source.saved()
        assert pending(client) == 0
    with closing(opened(server)) as source:
        assert "the group antelog has been given what came up to" in source.notes[0]
        assert devices(source) == []
    with closing(opened(server, place="plant?group=other")) as source:
        assert devices(source) + devices(source) == [*"abcde"]


def test_entries_that_were_trimmed_are_missed(server: KeptServer, client: Any) -> None:
    add(client, *"abc")
    with closing(opened(server)) as source:
        assert devices(source) + devices(source) == [*"abc"]
        source._looked = 0.0
        assert devices(source) == []
        add(client, *"defgh")
        client.xtrim("plant", maxlen=2, approximate=False)
        source._looked = 0.0
        assert devices(source) == ["g", "h"]
        assert source.extent.there - source.extent.read == 2  # as of that look
        (note,) = source.notes
        assert "did not come to this run: 3; they were trimmed" in note
        mark = source.mark
    add(client, *"ijk")
    assert client.xreadgroup("antelog", "antelog", {"plant": ">"}, count=1)
    client.xtrim("plant", maxlen=1, approximate=False)
    with closing(opened(server, mark)) as source:
        assert devices(source) + devices(source) + devices(source) == ["k"]
        source._looked = 0.0
        source.poll()
        assert "did not come to this run: 2; they" in source.notes[1]


def test_fields_are_read_as_cells_are_and_one_may_have_json(server: KeptServer, client: Any) -> None:
    client.xadd("plant", {"device": "7", "value": "07", "time": "3"}, "5-1")
    client.xadd("plant", {"device": "b", "time": "3"}, "5-2")
    client.xadd("plant", {"device": b"\xff", "value": "1", "time": "3"}, "5-3")
    with closing(opened(server)) as source:
        source.poll()
        rows, wrong = taken(source.poll())
        assert rows == [(7, 5_000_001)]
        assert [each.partition("plant:")[2] for each in wrong] == [
            "5000003: is not UTF-8 text",
            "5000002: lacks value",
        ]
    client.delete("plant")
    client.xadd("plant", {"body": '{"device": "7", "value": 7, "time": 3}'}, "5-1")
    client.xadd("plant", {"other": "{}"}, "5-2")
    with closing(opened(server, place="plant?field=body")) as source:
        source.poll()
        rows, wrong = taken(source.poll())
        assert rows == [("7", 5_000_001)]
        assert wrong[0].endswith("plant:5000002: lacks the field body")


def test_a_stream_that_is_another_is_read_from_its_start(server: KeptServer, client: Any) -> None:
    client.xadd("plant", {"device": "a", "value": 1, "time": 1}, "1-1")
    with closing(opened(server, {"last": "9-9", "number": 9})) as source:
        assert source.notes[0].endswith("ends before 9-9, which was read; it is read from its start")
        assert devices(source) + devices(source) == ["a"]
    client.xadd("plant", {"device": "b", "value": 1, "time": 1}, "2-1")
    with closing(opened(server, {"last": "9-9", "number": 9})) as source:
        assert source.notes[0].endswith("ends before 9-9, which was read; it is read on from 2-1")


def test_a_time_may_be_that_of_the_id(server: KeptServer, client: Any) -> None:
    client.xadd("plant", {"device": "a", "value": 1}, "1700000000123-0")
    with closing(opened(server, wanted=mapped(WANTED, {"time": "@id"}))) as source:
        (piece,) = source.poll() or source.poll()
        assert [column.to_pylist() for column in piece.chunk.columns][2] == ["2023-11-14T22:13:20.123+00:00"]


def test_what_is_wrong_is_told(server: KeptServer, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRONG", "open sesame")
    client.set("text", "x")
    few = ["+xinfo|stream", "+xinfo|groups", "+xreadgroup", "+xack"]
    for user, rights in (("reader", few), ("maker", [*few, "+xgroup|create"])):
        client.acl_setuser(user, enabled=True, passwords=["+secret"], keys=["plant"], commands=rights)
    add(client, "a")
    for user, stream, words in (
        ("", "other", "cannot be reached: there is no stream other; XGROUP CREATE other antelog 0 MKSTREAM"),
        ("", "text", "cannot be read: WRONGTYPE"),
        ("reader:${WRONG}@", "plant", "cannot be read: invalid username-password pair"),
        ("reader:secret@", "plant", "cannot be read: .*no permissions to run the 'xgroup"),
    ):
        with pytest.raises(DataError, match=words) as caught:
            opened(server, place=stream, user=user)
        assert "sesame" not in str(caught.value)
    with closing(opened(server, user="maker:secret@")) as source:
        assert devices(source) + devices(source) == ["a"]
        source.saved()
        assert pending(client) == 0
    with pytest.raises(DataError, match=r"cannot be reached: .*Connection refused"):
        Address.read(Url.of("redis://127.0.0.1:1/plant")).source(WANTED, None)
    place = Address.read(Url.of("rediss://u:open@a/plant?db=2&from=latest&group=g"))
    assert str(place) == "rediss://a/plant?db=2&group=g"
    assert "open" not in repr(place)


def test_passwords_and_certificates(tmp_path: Path) -> None:
    certify(tmp_path)
    (tmp_path / "secret").write_text("open sesame\n")
    with redis("--requirepass", "open sesame", secured=tmp_path) as server:
        place = f"rediss://127.0.0.1:{server.port}/plant"
        for options, words in (
            ("?ca=cert.pem&password-file=secret", "there is no stream plant"),
            ("?ca=cert.pem", "cannot be read: Authentication required"),
            ("?password-file=secret", "CERTIFICATE_VERIFY_FAILED"),
        ):
            with pytest.raises(DataError, match=words):
                Address.read(Url.of(place + options, tmp_path)).source(WANTED, None)
