"""A Kafka broker, controller and all in one process, from its published artefacts."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.processes import Process, started, until
from tests.servers import UnavailableError, free_port
from tests.servers.artefacts import fetched

VERSION = "4.1.0"
_QUIET = """\
status = error
rootLogger.level = warn
rootLogger.appenderRef.stdout.ref = stdout
appender.stdout.type = Console
appender.stdout.name = stdout
appender.stdout.layout.type = PatternLayout
appender.stdout.layout.pattern = %d %p %c: %m%n
"""


@dataclass(frozen=True)
class Kafka:
    """A running broker. Its tools start a JVM each, so they are for a test's beginning and end."""

    jars: Path
    port: int

    @property
    def servers(self) -> str:
        return f"127.0.0.1:{self.port}"

    def create(self, topic: str, partitions: int) -> None:
        self._tool(
            "org.apache.kafka.tools.TopicCommand", "--create", "--topic", topic,
            "--partitions", str(partitions),
        )  # fmt: skip

    def send(self, topic: str, messages: list[str]) -> None:
        """Send the messages in their order; a key stands before a tab."""
        self._tool(
            "org.apache.kafka.tools.ConsoleProducer", "--topic", topic, "--property", "parse.key=true",
            said="\n".join(messages) + "\n",
        )  # fmt: skip

    def messages(self, topic: str) -> list[tuple[str, dict[str, object]]]:
        """Key and value of every message of a topic."""
        said = self._tool(
            "org.apache.kafka.tools.consumer.ConsoleConsumer", "--topic", topic, "--from-beginning",
            "--timeout-ms", "8000", "--property", "print.key=true",
        )  # fmt: skip
        lines = (line.partition("\t") for line in said.splitlines())
        return [(key, json.loads(value)) for key, tab, value in lines if tab]

    def _tool(self, tool: str, *arguments: str, said: str = "") -> str:
        command = [*("java", "-cp", f"{self.jars}/*", tool, "--bootstrap-server", self.servers, *arguments)]
        done = subprocess.run(command, input=said, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode:
            raise RuntimeError(f"{tool}: {done.stdout[-500:]} {done.stderr[-500:]}")
        return done.stdout


@contextmanager
def kafka() -> Iterator[Kafka]:
    """A broker of one's own. Raises UnavailableError."""
    jars = _jars()
    folder = Path(tempfile.mkdtemp(prefix="antelog-kafka-"))
    try:
        port, controller = free_port(), free_port()
        properties = folder / "server.properties"
        settings = {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": folder / "log",
            "offsets.topic.replication.factor": 1,
            "offsets.topic.num.partitions": 1,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "auto.create.topics.enable": "false",
        }
        properties.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        (folder / "log4j2.properties").write_text(_QUIET)
        java = [
            "java",
            "-Xmx512m",
            f"-Dlog4j2.configurationFile={folder / 'log4j2.properties'}",
            "-cp",
            f"{jars}/*",
        ]
        cluster = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        # A number may begin with a minus, and is not to be taken for an option.
        formatting = [*java, "kafka.tools.StorageTool", "format", f"--cluster-id={cluster}"]
        formatting += ["-c", str(properties)]
        done = subprocess.run(formatting, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode:
            raise UnavailableError(f"Kafka's storage cannot be made: {(done.stdout + done.stderr)[-500:]}")
        serving = [*java, "kafka.Kafka", str(properties)]
        with (folder / "said").open("wb") as out, started(serving, stdout=out, stderr=out) as broker:
            found = Kafka(jars, port)
            _wait(found, broker, folder / "said")
            yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(broker: Kafka, process: Process, log: Path) -> None:
    def answers() -> bool:
        try:
            broker._tool("org.apache.kafka.tools.TopicCommand", "--list")
        except (RuntimeError, subprocess.TimeoutExpired):
            return False
        return True

    try:
        until(answers, process)
    except AssertionError:
        said = log.read_text(errors="replace")[-800:]
        raise UnavailableError(f"Kafka does not start: {said}") from None


def _jars() -> Path:
    coordinates = [f"org.apache.kafka:kafka_2.13:{VERSION}", f"org.apache.kafka:kafka-tools:{VERSION}"]
    return fetched(f"kafka-{VERSION}", coordinates)[0].parent
