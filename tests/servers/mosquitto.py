"""A broker of MQTT: mosquitto, of Debian."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import paho.mqtt.publish
from paho.mqtt.enums import MQTTProtocolVersion

from tests.processes import Process, kill_with_children, started, until
from tests.servers import UnavailableError, free_port, program

USER, PASSWORD = "watcher", "hunter2-mqtt"
_SETTINGS = """\
listener {port} 127.0.0.1
{security}
persistence {kept}
persistence_location {folder}/
# What was acknowledged is on the disk, also after a kill.
autosave_interval 1
autosave_on_changes true
max_queued_messages 0
max_inflight_messages 0
"""


@dataclass
class Mosquitto:
    """A broker that can be killed and started again, and keeps its messages then."""

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    port: int
    login: Any = None
    certificate: str | None = None
    stack: ExitStack = field(default_factory=ExitStack)
    process: Process | None = None

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            process = started(self.command, env=self.environment, stdout=log, stderr=log)
            self.process = self.stack.enter_context(process)
        until(self._answers, self.process, lambda: (self.folder / "log").read_text()[-800:])

    def stop(self) -> None:
        assert self.process is not None
        kill_with_children(self.process)

    def put(self, topic: str, records: Sequence[object], *, qos: int = 1, retain: bool = False) -> None:
        """Sends messages in their order: records as JSON, texts as they are; the broker has them then."""
        payloads = [each if isinstance(each, str | bytes) else json.dumps(each) for each in records]
        messages: list[Any] = [(topic, each, qos, retain) for each in payloads]
        if messages:
            paho.mqtt.publish.multiple(
                messages, "127.0.0.1", self.port, auth=self.login, protocol=MQTTProtocolVersion.MQTTv5,
                tls=None if self.certificate is None else {"ca_certs": self.certificate},
            )  # fmt: skip

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True


@contextmanager
def mosquitto(*, secured: bool = False, kept: bool = True) -> Iterator[Mosquitto]:
    """A broker, `secured` with TLS and a user; slow if all is `kept` at once. Raises UnavailableError."""
    server, environment = program("mosquitto", "mosquitto")
    folder = Path(tempfile.mkdtemp(prefix="antelog-mosquitto-"))
    folder.chmod(0o777)  # as root the broker becomes a user without rights
    try:
        port, security = free_port(), "allow_anonymous true"
        if secured:
            security = _security(folder)
        settings = folder / "mosquitto.conf"
        settings.write_text(
            _SETTINGS.format(port=port, security=security, folder=folder, kept=str(kept).lower())
        )
        command = [str(server), "-c", str(settings)]
        found = Mosquitto(command, environment, folder, port)
        if secured:
            found.login = {"username": USER, "password": PASSWORD}
            found.certificate = str(folder / "ca.pem")
        with found.stack:
            found.start()
            yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _security(folder: Path) -> str:
    """Settings for TLS and a user; the certificate for 127.0.0.1 is its own authority."""
    passwords, _ = program("mosquitto_passwd", "mosquitto")
    if shutil.which("openssl") is None:
        raise UnavailableError("there is no openssl on this machine")
    making = [
        *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"),
        *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "ca.pem"),
    ]
    for command in (making, [str(passwords), "-b", "-c", "users", USER, PASSWORD]):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    for each in folder.iterdir():
        each.chmod(0o644)
    return (
        f"allow_anonymous false\npassword_file {folder}/users\n"
        f"certfile {folder}/ca.pem\nkeyfile {folder}/key.pem"
    )
