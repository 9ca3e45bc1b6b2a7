"""antelog/run/sources/mqtt.py, on a real broker: what is acknowledged when, what is read, what is sent."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt import client as client_of_mqtt
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

import antelog
from antelog.errors import DataError, OutputError
from antelog.run.address import address_of
from antelog.run.reading import wanted_of
from antelog.run.sinks.result import StepResult
from antelog.run.sources.mqtt import Mqtt, MqttTopics
from antelog.run.sources.source import Mark, SourcePiece
from antelog.testing import sources
from antelog.testing.sources import SourceChecks, records, taken
from tests.processes import until
from tests.run.sources import taking
from tests.servers import UnavailableError, free_port
from tests.servers.mosquitto import PASSWORD, Mosquitto, mosquitto

DATED = antelog.parse(
    "tick 1 second.\ninput Temp(hall: text, level, value: number, time).\n"
    "A(X, T) :- Temp(X, L, V, T).\nquery A(X, T).\n"
)


def _started(**how: bool) -> Iterator[Mosquitto]:
    try:
        with mosquitto(**how) as found:
            yield found
    except UnavailableError as error:
        pytest.skip(f"no broker: {error}")


@pytest.fixture(scope="module")
def broker() -> Iterator[Mosquitto]:
    yield from _started()


@pytest.fixture(scope="module")
def secured() -> Iterator[Mosquitto]:
    yield from _started(secured=True)


def mqtt(text: str, folder: Path = Path()) -> Mqtt:
    found = address_of(text, folder)
    assert isinstance(found, Mqtt)
    return found


def checks_of(
    broker: Mosquitto, topic: str, qos: int, options: str = "", again: bool = False
) -> SourceChecks:
    return SourceChecks(
        f"mqtt://{broker.host}/{topic}?qos={qos}{options}",
        lambda rows: broker.put(topic, rows, qos=qos),
        lambda: broker.put(topic, ["nothing"], qos=qos),
        broker.stop,
        broker.start,
        again,
    )


# ---- addresses ----


def test_an_address_in_its_parts(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").touch()
    text = "mqtts://me:h%40@h/plant/+/+/#?qos=2&columns=hall,_,rest&group=g&client=c&ca=ca.pem&value=v"
    found = mqtt(text, tmp_path)
    assert (found.host, found.port, found.url.path, found.qos) == ("h", 8883, "plant/+/+/#", 2)
    assert (found.url.user, found.url.password, found.columns) == ("me", "h@", ("hall", "_", "rest"))
    assert str(found) == "mqtts://h:8883/plant/+/+/#?client=c&group=g"
    assert "h@" not in repr(found)
    for every, topic in (("mqtt://h/#", "#"), ("mqtt://h/plant/#?qos=0", "plant/#"), ("mqtt://h/a", "a")):
        place = mqtt(every)
        assert (place.url.path, place.port) == (topic, 1883)


# ---- what every source passes ----


OTHER = [
    pytest.param(1, "&version=3.1.1", marks=pytest.mark.long),
    pytest.param(2, "", marks=pytest.mark.long),
]


@pytest.mark.parametrize(("qos", "options"), [(1, ""), (2, "&version=3.1.1"), *OTHER])
def test_the_checks_of_all_sources(broker: Mosquitto, qos: int, options: str) -> None:
    def checks(name: str, *, again: bool = False) -> SourceChecks:
        return checks_of(broker, f"{name}{qos}{options[-1:]}", qos, options, again)

    checks("all").gives_all_rows()
    checks("marks").continues_from_marks(100)
    checks("odd").sets_odd_records_aside()
    # A broker that is killed may not have kept that it got an acknowledgement.
    checks("away", again=True).waits_for_its_server()
    if qos:
        checks("unsaved").keeps_what_is_not_saved()
    checks("told", again=True).outlives_a_server_killed_before_saving()


@pytest.mark.parametrize("qos", [1, 2])
@pytest.mark.long
def test_lines_are_told_once_whatever_is_killed(broker: Mosquitto, qos: int) -> None:
    checks = checks_of(broker, f"kills{qos}", qos)
    with checks._opened():  # from now on the broker keeps what is sent
        pass
    checks.outlives_kills()


def test_many_rows(broker: Mosquitto) -> None:
    """More than the broker may send before anything is acknowledged by default, and of QoS 0 too."""
    checks_of(broker, "zero", 0).gives_all_rows(2000)


def _left_as_if_killed(source: MqttTopics) -> None:
    source._client.socket().shutdown(2)
    until(lambda: not source._client.is_connected())


@pytest.mark.parametrize("acknowledged", [False, True])
def test_qos_2_gives_each_message_once_wherever_it_is_killed(broker: Mosquitto, acknowledged: bool) -> None:
    topic = f"once{acknowledged}"
    address = mqtt(f"mqtt://{broker.host}/{topic}?qos=2")
    wanted = wanted_of(antelog.parse(sources.PROGRAM).plan, "Reading")
    mark: Mark | None = None
    found, sent = [], records(60)
    for number in range(6):
        source = MqttTopics(address, wanted, mark)
        broker.put(topic, sent[number * 10 : number * 10 + 10], qos=2)
        found += taken(source, 10)
        mark = json.loads(json.dumps(source.mark))
        if acknowledged:  # and the broker answers, what no state has seen
            source.saved()
            until(lambda source=source: len(source._waiting) >= 10)  # type: ignore[misc]
            if number % 2:
                source.poll()
        _left_as_if_killed(source)
    assert sorted(map(str, found)) == sorted(map(str, sent))
    with closing(MqttTopics(address, wanted, mark)) as last:
        while last.mark["held"]:
            assert not last.poll()
            last.saved()


def test_a_message_that_comes_again_in_one_run_is_one_row(broker: Mosquitto) -> None:
    with checks_of(broker, "again", 1)._opened() as source:
        broker.put("again", records(5))
        found = taken(source, 5)
        broker.stop()
        broker.start()
        until(lambda: (source.poll(), not source.reachable)[1])
        broker.put("again", records(10)[5:])
        assert found + taken(source, 5) == records(10)


# ---- messages ----


def rows(broker: Mosquitto, options: str, *messages: tuple[str, str]) -> list[SourcePiece]:
    """What a source gives of messages, each with its topic, up to an empty one."""
    address = mqtt(f"mqtt://{broker.host}/{options}")
    with closing(MqttTopics(address, wanted_of(DATED.plan, "Temp"))) as source:
        for topic, text in (*messages, (messages[-1][0], "")):
            broker.put(topic, [text])
        found: list[SourcePiece] = []
        while not any(bad.detail == "the message is empty" for piece in found for bad in piece.chunk.bad):
            found += until(source.poll)
        source.saved()
    return found


def _values(found: list[SourcePiece], column: int) -> list[object]:
    return [value for piece in found for value in piece.chunk.columns[column].to_pylist()]


def test_levels_and_plain_values_are_columns(broker: Mosquitto) -> None:
    messages = [("plain/7/temp/1", "21.5"), ("plain/b c/temp/x", '{"value": 3, "time": 5}')]
    found = rows(broker, "plain/+/temp/#?columns=hall,level&value=value&retained=no", *messages)
    assert _values(found, 0) == ["7", "b c"]
    assert _values(found, 1) == [1, "x"]
    assert _values(found, 2) == [21.5, 3]
    first, second = _values(found, 3)
    assert str(first).endswith("+00:00")  # the moment at which it came
    assert second == 5


def test_an_odd_message_is_told_with_its_topic(broker: Mosquitto) -> None:
    found = rows(broker, "odd/+/x?columns=hall", ("odd/a/x", "21.5"), ("odd/c/x", "[1]"))
    told = [(bad.detail, bad.row) for piece in found for bad in piece.chunk.bad]
    assert told[0] == ("is not a JSON object; ?value=COLUMN reads plain values", "odd/a/x: 21.5")
    assert [each for _, each in told[1:]] == ["odd/c/x: [1]", "odd/c/x: "]


def test_a_retained_message_without_a_time_may_be_old(broker: Mosquitto) -> None:
    for name, text in (("old", '{"level": 1, "value": 1}'), ("timed", '{"level": 1, "value": 1, "time": 9}')):
        broker.put(f"kept/{name}", [text], retain=True)
    for options, halls in (("timed", ["timed"]), ("yes", ["old", "timed"]), ("no", [])):
        found = rows(broker, f"kept/+?columns=hall&retained={options}&client={options}", ("kept/x", ""))
        assert sorted(map(str, _values(found, 0))) == halls
        told = [bad.detail[:11] for piece in found for bad in piece.chunk.bad]
        assert ("is retained" in told) == (options == "timed")


def test_a_group_shares_messages_and_what_a_broker_says_of_itself_is_left_out(broker: Mosquitto) -> None:
    address = (mqtt(f"mqtt://{broker.host}/shared/#?group=g&client={name}") for name in "ab")
    one, two = (MqttTopics(each, taking.WANTED) for each in address)
    with closing(one), closing(two):
        broker.put("shared/x", [{"device": f"d{i}", "value": 1, "time": i} for i in range(20)])
        got = [0, 0]
        while sum(got) < 20:
            got = [n + len(taking.devices(each)) for n, each in zip(got, (one, two), strict=True)]
        assert min(got) > 0
        assert one._levels("$SYS/broker/uptime") is None


def test_a_name_of_a_column_that_is_not_there(broker: Mosquitto) -> None:
    with pytest.raises(DataError, match=r"Temp has no column hal\. Did you mean hall"):
        rows(broker, "x/+?columns=hal", ("x/a", ""))


def test_a_session_that_the_broker_has_lost_is_said(broker: Mosquitto) -> None:
    address = mqtt(f"mqtt://{broker.host}/gone?client=gone")
    with closing(MqttTopics(address, taking.WANTED, {"messages": 3, "qos": 1, "held": [4]})) as source:
        assert "has kept nothing for gone" in source.notes[0]
        assert source.mark["held"] == []


def test_two_clients_of_one_name(broker: Mosquitto) -> None:
    address = mqtt(f"mqtt://{broker.host}/same?client=same")
    with closing(MqttTopics(address, taking.WANTED)) as one, closing(MqttTopics(address, taking.WANTED)):
        until(lambda: (one.poll(), not one.reachable)[1])
        assert "another client has the same name, which ?client=NAME changes" in one.notes[0]


# ---- what is wrong ----


# The client leaves the socket of a handshake that fails to Python.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_is_wrong_is_told(secured: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIGHT", PASSWORD)
    monkeypatch.setenv("WRONG", "nonsense")
    ca, host = secured.certificate, secured.host
    for address, words in (
        (f"mqtts://watcher:${{WRONG}}@{host}/x?ca={ca}", "Not authorized"),
        (f"mqtts://watcher:${{RIGHT}}@{host}/x", "certificate verify failed"),
        (f"mqtt://watcher:${{RIGHT}}@{host}/x", "the connection is lost"),
        (f"mqtt://127.0.0.1:{free_port()}/x", "Connection refused"),
    ):
        with pytest.raises(DataError, match=f"{host[:9]}:\\d+/x: cannot be (reached|read): .*{words}"):
            MqttTopics(mqtt(address), taking.WANTED)
        with pytest.raises(OutputError, match=words):
            mqtt(address).sink(None, lambda _: "")


@pytest.mark.long
def test_a_wrong_password_ends_the_command(secured: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRONG", "nonsense")
    address = f"mqtts://watcher:${{WRONG}}@{secured.host}/x?ca={secured.certificate}"
    SourceChecks(address, lambda _: None).tells_what_is_wrong(address, "Not authorized")


def test_who_does_not_speak_mqtt(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker of before, and one whose messages are not those of MQTT."""
    monkeypatch.setattr("antelog.run.sources.mqtt._PATIENCE", 1.0)
    fine = b"\x20\x03\x00\x00\x00"
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor() as pool:

        def answer(*answers: bytes) -> None:
            connection, _ = server.accept()
            with connection:
                for each in answers:
                    asked = connection.recv(1000)
                    connection.sendall(each.replace(b"NUMBER", asked[2:4]))

        address = mqtt(f"mqtt://127.0.0.1:{server.getsockname()[1]}/x")
        done = pool.submit(answer, b"\x20\x02\x00\x01")
        with pytest.raises(DataError, match=r"try \?version=3\.1\.1"):
            MqttTopics(address, taking.WANTED)
        done.result()
        done = pool.submit(answer, fine, b"\x90\x04NUMBER\x00\x01\x30\x03\x00\x01a")
        with closing(MqttTopics(address, taking.WANTED)) as source:
            until(lambda: (source.poll(), not source.reachable)[1])
            assert "cannot be reached: Protocol error" in source.notes[0]
        done.result()


def test_a_password_is_shown_nowhere(secured: Mosquitto, tmp_path: Path) -> None:
    (tmp_path / "password").write_text(PASSWORD)
    (tmp_path / "p.alog").write_text(
        "input Reading(key, value, time).\nA(X, T) :- Reading(X, V, T).\nquery A(X, T).\n"
    )
    options = f"?ca={secured.certificate}&password-file=password&qos=1"
    address = f"mqtts://watcher@{secured.host}/secret{options}"
    to = f"mqtts://watcher@{secured.host}/changes{options}"
    command = [sys.executable, "-m", "antelog", "watch", "p.alog", "--once", "--no-page", "--state", "state"]
    place = mqtt(address, tmp_path)
    reading = wanted_of(antelog.parse((tmp_path / "p.alog").read_text()).plan, "Reading")
    MqttTopics(place, reading).close()  # from now on the broker keeps what is sent
    secured.put("secret", records(20))
    command += ["--input", f"Reading={address}", "--output", to]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    (tmp_path / "password").unlink()
    assert PASSWORD not in done.stdout + done.stderr + "".join(command)
    assert not [each for each in tmp_path.iterdir() if PASSWORD.encode() in each.read_bytes()]


# ---- the output ----


def test_lines_are_messages(broker: Mosquitto) -> None:
    address = mqtt(f"mqtt://{broker.host}/changes?retain=yes&qos=2")
    got: list[Any] = []
    reader = client_of_mqtt.Client(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5)
    reader.on_message = lambda _client, _data, message: got.append(message)
    reader.on_connect = lambda client, *_: client.subscribe("changes", 2)
    lines = [f'{{"line": {i}}}\n' for i in range(10)]
    sink = address.sink(None, lambda step: "".join(lines[step.tick : step.tick + 5]))
    sink.write(StepResult(0, {}))
    mark = dict(sink.mark() or {})
    assert mark["lines"] == 5
    sink.close()
    reader.connect("127.0.0.1", broker.port)
    reader.loop_start()
    until(lambda: got)
    assert got[0].retain
    sink = address.sink(mark, lambda step: "".join(lines[step.tick : step.tick + 5]))
    broker.stop()
    broker.start()  # the sink and the reader connect again by themselves
    sink.write(StepResult(5, {}))
    assert sink.mark() == {"run": mark["run"], "lines": 10}
    until(lambda: got and b"9" in got[-1].payload)
    reader.disconnect()
    reader.loop_stop()
    assert [json.loads(each.payload)["line"] for each in got if not each.retain] == [*range(5, 10)]
    assert got[-1].properties.UserProperty == [("antelog_run", mark["run"]), ("antelog_line", "9")]
    with pytest.raises(OutputError, match="lines go to one topic"):
        mqtt(f"mqtt://{broker.host}/a/+").sink(None, lambda _: "")
