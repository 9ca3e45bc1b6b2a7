"""antelog/run/sources/{kafka,opening}.py: topics, by a made-up client and a real one."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from antelog.errors import DataError, UnsupportedError
from antelog.files.chunks import sorted_out
from antelog.files.columns import mapped
from antelog.run.address import Posted
from antelog.run.sources.growing import GrowingFile
from antelog.run.sources.kafka import Kafka as Topic
from antelog.run.sources.kafka import KafkaTopic
from antelog.run.sources.opening import FOLLOWED, PostedFacts, StandardInput, source_of
from antelog.run.sources.recorded import RecordedFiles
from antelog.run.sources.source import FactSource, Mark
from antelog.run.store.inbox import post
from antelog.run.store.store import Store
from tests.cli.trying import PROGRAM
from tests.processes import started
from tests.run.sources.brokers import Broker
from tests.run.sources.taking import WANTED, taken
from tests.servers import Kafka, UnavailableError, kafka

confluent_kafka = pytest.importorskip("confluent_kafka")


def _fact(device: str) -> bytes:
    return json.dumps({"device": device, "value": 1, "time": 7}, indent=1).encode()


def _place(text: str) -> Topic:
    place = FOLLOWED.read(text)
    assert isinstance(place, Topic)
    return place


def _topic(broker: Broker, text: str = "kafka://b/temp", mark: Mark | None = None) -> KafkaTopic:
    return KafkaTopic(_place(text), WANTED, mark=mark, make=broker)


def test_all_partitions_are_read_and_the_mark_is_behind_them() -> None:
    broker = Broker({0: [_fact("a"), b"no", None], 1: [_fact("b")]})
    source = _topic(broker)
    assert source.behind
    rows, wrong = taken(source.poll())
    assert sorted(rows) == [("a", 0), ("b", 0)]
    assert [each[:20] for each in wrong] == ["temp[0]:2: the messa", "temp[0]:1: is not JS"]
    mark = json.loads(json.dumps(source.mark))
    assert mark == {"next": {"0": 3, "1": 1}}
    broker.messages[1].append(_fact("c"))
    again = _topic(broker, mark=mark)
    assert taken(again.poll()) == ([("c", 1)], [])
    assert taken(again.poll()) == ([], [])
    assert again.notes == []


def test_columns_may_be_fields_within_fields_whatever_the_first_message_has() -> None:
    nested = json.dumps({"device": "a", "decoded": {"temp": 1}, "time": 7}).encode()
    broker = Broker({0: [b'{"device": "a", "time": 7}']})
    source = KafkaTopic(_place("kafka://b/temp"), mapped(WANTED, {"value": "decoded.temp"}), make=broker)
    assert taken(source.poll()) == ([], ["temp[0]:0: lacks decoded.temp"])
    broker.messages[0].append(nested)
    assert taken(source.poll()) == ([("a", 1)], [])
    csv = _place("kafka://b/temp?format=csv")
    with pytest.raises(DataError, match=r"has no column decoded\.temp, .* rows of CSV, which have no names"):
        KafkaTopic(csv, mapped(WANTED, {"value": "decoded.temp"}), make=broker)


def test_the_client_commits_nothing_and_gets_its_settings(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("# ours\nsasl.username=me\nsasl.password = a=b\n")
    broker = Broker({0: []})
    _topic(broker, f"kafka://b/temp?kafka.security.protocol=SASL_SSL&config={tmp_path / 'secret'}")
    assert broker.settings["enable.auto.commit"] is False
    assert broker.settings["bootstrap.servers"] == "b:9092"
    assert broker.settings["security.protocol"] == "SASL_SSL"
    assert (broker.settings["sasl.username"], broker.settings["sasl.password"]) == ("me", "a=b")
    (tmp_path / "secret").write_text("what\n")
    with pytest.raises(DataError, match="secret:1: is not of the form name=value"):
        _topic(broker, f"kafka://b/temp?config={tmp_path / 'secret'}")


def test_rows_of_csv_have_no_header() -> None:
    values = [b"a,1,soon", b'"b,\n",1,7', b"c,2,8,9\r\n", b"d,1"]
    source = _topic(Broker({0: list(values)}), "kafka://b/temp?format=csv")
    rows, wrong = taken(source.poll())
    assert [device for device, _ in rows] == ["b,\n", "c"]
    assert wrong == ["temp[0]:0: the time `soon` is not a whole number", "temp[0]:3: has 2 values, not 3"]


def test_a_column_says_where_each_message_was_read_however_often_one_begins_again() -> None:
    wanted = mapped(WANTED, {"value": "@row"})
    for place, values in (
        ("kafka://b/temp", [json.dumps({"device": "a", "time": 7}).encode()] * 3),
        ("kafka://b/temp?format=csv", [b"a,7", b'"a\n",7', b"a,7"]),
    ):
        for begin in range(3):
            source = KafkaTopic(
                _place(place), wanted, mark={"next": {"1": begin}}, make=Broker({1: list(values)})
            )
            pieces = [sorted_out(wanted, [each.chunk], each.file) for each in source.poll()]
            tables = [rows.table for (rows,) in pieces]
            found = [each for table in tables for each in table.column("value").to_pylist()]
            assert found == [f"temp[1]:{offset}" for offset in range(begin, 3)]
            assert tables[0].column_names[:3] == ["device", "value", "time"]


def test_a_broker_that_is_away_is_said_once() -> None:
    broker = Broker({0: []})
    source = _topic(broker)
    away = SimpleNamespace(code=lambda: confluent_kafka.KafkaError._ALL_BROKERS_DOWN)
    broker.settings["error_cb"](away)
    broker.settings["error_cb"](away)
    broker.messages[0] += [_fact("a"), _fact("b")]
    assert len(taken(source.poll())[0]) == 2
    assert source.notes == [
        "kafka://b:9092/temp: cannot be reached; it is tried again and again",
        "kafka://b:9092/temp: can be reached again",
    ]


def test_it_begins_at_the_end_if_it_is_told_to() -> None:
    broker = Broker({0: [_fact("a")]})
    source = _topic(broker, "kafka://b/temp?from=latest")
    broker.messages[0].append(_fact("b"))
    assert taken(source.poll())[0] == [("b", 1)]


def test_what_the_broker_has_no_more_is_said() -> None:
    source = _topic(Broker({0: [_fact("a")]}, low=9), mark={"next": {"0": 2}})
    (note,) = source.notes
    assert note.startswith("kafka://b:9092/temp: 7 messages of partition 0 are gone")
    assert taken(source.poll())[0] == [("a", 9)]
    other = _topic(Broker({0: [_fact("a")]}), mark={"next": {"0": 5}})
    assert other.notes[0].endswith("partition 0 is not the one that was read; it is read from its start")
    assert taken(other.poll())[0] == [("a", 0)]


# ---- places ----


def test_each_place_has_its_source(tmp_path: Path) -> None:
    kinds: dict[str, type[FactSource]] = {
        "a.csv": GrowingFile, "a.parquet": RecordedFiles, "-": StandardInput, "http:": PostedFacts,
    }  # fmt: skip
    with closing(Store(tmp_path / "s")) as store:
        for text, kind in kinds.items():
            source = source_of(FOLLOWED.read(text), WANTED, inbox=store.inbox)
            assert isinstance(source, kind)
            source.close()
    there = FOLLOWED.read("a.csv")
    assert isinstance(source_of(there, WANTED, complete=True), RecordedFiles)
    assert isinstance(source_of(there, WANTED, complete=True, resumed=True), GrowingFile)
    with pytest.raises(UnsupportedError, match="leave out --no-page"):
        source_of(Posted(), WANTED)


def test_posted_facts_are_read_once_and_forgotten_when_a_state_has_them(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "s")) as store:
        source = PostedFacts(store.inbox, WANTED)
        assert (source.poll(), source.behind) == ([], False)
        assert post(
            tmp_path / "s",
            "Temp",
            [_fact("a").replace(b"\n", b""), b'{"device": "b", "value": 1, "time": "x"}'],
        )
        rows, wrong = taken(source.poll())
        assert (rows, wrong) == ([("a", 1)], ["http::2: the time `x` is not a whole number"])
        mark = json.loads(json.dumps(source.mark))
        assert taken(PostedFacts(store.inbox, WANTED).poll())[0] == [("a", 1)]
        assert PostedFacts(store.inbox, WANTED, mark=mark).poll() == []
        source.saved()
        assert PostedFacts(store.inbox, WANTED).poll() == []


# ---- a real broker ----


@pytest.fixture(scope="module")
def broker() -> Iterator[Kafka]:
    try:
        with kafka() as found:
            yield found
    except UnavailableError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("times", [5, pytest.param(20, marks=pytest.mark.long)])
def test_a_follower_that_was_killed_tells_every_message_once(
    broker: Kafka, tmp_path: Path, times: int
) -> None:
    dice = random.Random(7)
    topic = f"temp{times}"
    broker.create(topic, 1)
    producer = confluent_kafka.Producer({"bootstrap.servers": broker.servers})
    (tmp_path / "p.alog").write_text(PROGRAM)
    code = "from antelog.cli.main import main; main()"
    command = [
        *(sys.executable, "-c", code, "watch", "p.alog", "--no-page"),
        *("--input", f"Temp=kafka://{broker.servers}/{topic}"),
    ]
    ours = [*command, "--state", "s", "--output", "out.jsonl"]
    ended: list[str] = []
    for tick in range(times):
        for _ in range(1000):
            device, level = f"wt{dice.randrange(9)}", dice.choice(["high", "low"])
            fact = {"device": device, "level": level, "time": tick, "arrival": tick}
            producer.produce(topic, json.dumps(fact).encode())
        producer.flush()
        with (
            (tmp_path / "said").open("w") as said,
            started(ours, cwd=tmp_path, stderr=said) as process,
            suppress(subprocess.TimeoutExpired),
        ):
            process.wait(dice.uniform(0.5, 4))
            ended.append((tmp_path / "said").read_text())
    assert ended == []
    subprocess.run([*ours, "--once"], cwd=tmp_path, check=True)
    whole = [*command, "--once", "--state", "t", "--output", "whole.jsonl"]
    subprocess.run(whole, cwd=tmp_path, check=True)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) > 5 * times
