"""antelog/cli/commands/run.py: nobody reads its passwords, nobody else reaches its ports."""

import os
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import pytest

from tests.cli.trying import said_until_the_first_batch, spark_command
from tests.processes import Start
from tests.servers import UnavailableError, for_postgres, for_spark, free_port, kafka, postgres

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]

OF_DATABASE = "p/ss&w=rd;of#db+ü"
OF_TOPIC, OF_STORE = "trust-no-topic", "keep-this-store"
# The passwords, and how one looks in an address.
WAYS = (OF_DATABASE, OF_TOPIC, OF_STORE, "p%2Fss%26w%3Drd%3Bof%23db%2B%C3%BC")
PAGES = ("environment/", "SQL/", "jobs/", "StreamingQuery/", "executors/")


def environment() -> dict[str, str]:
    return {
        **os.environ, "OF_DATABASE": OF_DATABASE, "OF_TOPIC": OF_TOPIC, "OF_STORE": OF_STORE,
        "PYTHONUNBUFFERED": "1",
    }  # fmt: skip


def outputs(stack: ExitStack) -> Iterator[tuple[str, list[Path]]]:
    """Sinks that need a password, as far as they can be had, and the archives they need."""
    try:
        jars = for_postgres()
        database = stack.enter_context(postgres(OF_DATABASE))
        yield f"{database.address}?user=antelog&password=${{OF_DATABASE}}#changes", jars
    except UnavailableError:
        pass
    try:
        jars = for_spark("kafka")
        broker = stack.enter_context(kafka())
        broker.create("changes", 1)
        yield f"kafka://{broker.servers}/changes?kafka.ssl.truststore.password=${{OF_TOPIC}}", jars
    except UnavailableError:
        pass


# 127.0.0.1, the same as an address of IPv6, and ::1, as Linux lists them.
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


def looked_at(number: int) -> tuple[list[str], set[tuple[str, int]]]:
    """The command lines of a process and all its children, and where they listen: addresses and ports."""
    commands: list[str] = []
    sockets: set[str] = set()
    for each in [psutil.Process(number), *psutil.Process(number).children(recursive=True)]:
        with suppress(psutil.NoSuchProcess, FileNotFoundError):  # one that is ending
            commands.append(" ".join(each.cmdline()))
            sockets |= {str(file.readlink()) for file in Path(f"/proc/{each.pid}/fd").iterdir()}
    # psutil leaves out what listens by IPv6 where the machine has no address of that kind.
    lines = [line.split() for name in ("tcp", "tcp6") for line in open_sockets(name)]
    listening = [line[1].split(":") for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in sockets]
    return commands, {(address, int(port, 16)) for address, port in listening}


def open_sockets(name: str) -> list[str]:
    return Path("/proc/net", name).read_text(encoding="ascii").splitlines()[1:]


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux lists sockets so")
def test_a_stream_keeps_its_passwords_and_ports_to_itself(start: Start) -> None:
    for folder in ("in", "events"):
        Path(folder).mkdir()
    Path("temp.csv").rename("in/a.csv")
    port = free_port()
    with ExitStack() as stack:
        found = list(outputs(stack))
        sinks = [*(sink for sink, _ in found), "parquet:out"]
        jars = [str(jar) for _, each in found for jar in each]
        process = start(
            spark_command(
                *("p.alog", "--input", "Temp=in", "--stream", "--checkpoint", "state"),
                *(part for sink in sinks for part in ("--output", sink)),
                *("--conf", "spark.hadoop.fs.s3a.secret.key=${OF_STORE}", "--conf", "spark.ui.enabled=true"),
                *("--conf", f"spark.ui.port={port}", "--conf", "spark.eventLog.enabled=true"),
                *("--conf", f"spark.eventLog.dir={Path('events').absolute().as_uri()}"),
                *("--conf", "spark.eventLog.compress=false"),
                *(("--conf", f"spark.jars={','.join(jars)}") if jars else ()),
            ),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
        )  # fmt: skip
        said = said_until_the_first_batch(process)
        assert process.poll() is None, "".join(said)
        commands, listening = looked_at(process.pid)
        assert any("SparkSubmit" in each for each in commands)
        assert not [each for each in commands if any(way in each for way in WAYS)]
        assert port in {number for _, number in listening}
        assert {address for address, _ in listening} <= LOOPBACK
        for page in PAGES:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}", timeout=60) as shown:
                text = shown.read().decode()
            assert "antelog" in text
            assert not [way for way in WAYS if way in text], page
        process.send_signal(signal.SIGTERM)
        out, rest = process.communicate(timeout=120)
    everything = "".join([*said, rest, out])
    assert process.returncode == 0, everything
    assert "warning" not in everything
    assert not [way for way in WAYS if way in everything]
    files = [path for path in Path().rglob("*") if path.is_file()]
    assert {"state", "events", "out"} <= {path.parts[0] for path in files}
    assert not [(path, way) for path in files for way in WAYS if way.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("sink", "reason"),
    [
        ("database", "the database refuses antelog: password authentication failed for user"),
        ("topic", "JAAS config"),
    ],
)
@pytest.mark.long
def test_failures_do_not_tell_passwords(sink: str, reason: str) -> None:
    with ExitStack() as stack:
        try:
            jars = for_spark("kafka") if sink == "topic" else for_postgres()
            if sink == "database":
                where = f"{stack.enter_context(postgres()).address}?user=antelog&password=${{OF_DATABASE}}#t"
            else:
                # Somebody is there, or else it is refused before Java has a look at it.
                port = stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
                where = f"kafka://127.0.0.1:{port}/t?kafka.security.protocol=SASL_PLAINTEXT"
                where += "&kafka.sasl.mechanism=PLAIN&kafka.sasl.jaas.config=${OF_DATABASE}"
        except UnavailableError as error:
            pytest.skip(str(error))
        done = subprocess.run(
            spark_command(
                *("p.alog", "--input", "Temp=temp.csv", "--output", where),
                *("--conf", f"spark.jars={','.join(map(str, jars))}"),
            ),
            env=environment(), capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert reason in done.stderr.rpartition("error: ")[2]
    assert "Traceback" not in done.stderr
    assert not [way for way in WAYS if way in done.stderr], done.stderr
