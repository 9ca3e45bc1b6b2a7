"""Real servers for slow tests, started without root from what the machine has, or from published archives."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import pyspark

from antelog.spark.settings import editions, short
from tests.processes import Process, started, until


class UnavailableError(Exception):
    """A server cannot be had on this machine; the message says why."""


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def downloads() -> Path:
    """Where downloaded programs are kept from one test run to the next."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "antelog-tests")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


_MODULE = """\
<ivy-module version="2.0">
  <info organisation="antelog" module="{name}"/>
  <dependencies>
{dependencies}
  </dependencies>
</ivy-module>
"""
_DEPENDENCY = '    <dependency org="{}" name="{}" rev="{}" conf="default"/>'
_POSTGRES = "org.postgresql:postgresql:42.7.7"
_EDITIONS = editions().get(short(pyspark.__version__), {})


def fetched(name: str, coordinates: Sequence[str]) -> list[Path]:
    """The archives of some coordinates, `group:artefact:version`, and all they need.

    Raises UnavailableError.
    """
    target = downloads() / name
    if not (target / "complete").exists():
        if shutil.which("java") is None:
            raise UnavailableError("there is no Java on this machine")
        target.mkdir(exist_ok=True)
        module = target / "ivy.xml"
        dependencies = "\n".join(_DEPENDENCY.format(*each.split(":")) for each in coordinates)
        module.write_text(_MODULE.format(name=name, dependencies=dependencies))
        (ivy,) = Path(pyspark.__file__).parent.glob("jars/ivy-*.jar")
        command = [
            *("java", "-jar", str(ivy), "-cache", str(downloads() / "ivy"), "-types", "jar", "bundle"),
            *("-ivy", str(module), "-retrieve", f"{target}/[artifact]-[revision].[ext]"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        said = done.stdout + done.stderr
        if done.returncode or "UNRESOLVED" in said or "FAILED DOWNLOADS" in said:
            raise UnavailableError(f"{', '.join(coordinates)} cannot be downloaded: {said[-500:]}")
        (target / "complete").touch()
    return sorted(target.glob("*.jar"))


def for_postgres() -> list[Path]:
    """What Spark needs to write to PostgreSQL."""
    return fetched("postgresql-driver", [_POSTGRES])


def for_spark(form: str) -> list[Path]:
    """The packages of the installed Spark for `kafka`, `delta` or `iceberg`. Raises UnavailableError."""
    package = _EDITIONS.get(form)
    if package is None:
        raise UnavailableError(f"there is no edition of {form} for Spark {pyspark.__version__}")
    archives = fetched(package.replace(":", "-"), [package])
    # The rest is Spark's own, or would be in its way.
    return [each for each in archives if each.name.startswith(_OURS)]


_OURS = (
    *("spark-sql-kafka", "spark-token-provider-kafka", "kafka-clients", "commons-pool2"),
    *("delta-", "unitycatalog-", "iceberg-"),
)


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

    def answers(self) -> bool:
        try:
            self._tool("org.apache.kafka.tools.TopicCommand", "--list")
        except (RuntimeError, subprocess.TimeoutExpired):
            return False
        return True

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
            _wait(found.answers, broker, folder / "said")
            yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _jars() -> Path:
    coordinates = [f"org.apache.kafka:kafka_2.13:{VERSION}", f"org.apache.kafka:kafka-tools:{VERSION}"]
    return fetched(f"kafka-{VERSION}", coordinates)[0].parent


_USERS = ("postgres", "nobody")
"""Whom the server runs as where the tests run as root, which it refuses to do itself."""


@dataclass(frozen=True)
class Postgres:
    """A server with one database, which can be killed, and started again with its data."""

    programs: Path
    port: int
    environment: dict[str, str]
    folder: Path
    owner: str | None = None
    settings: tuple[str, ...] = ()
    _running: ExitStack = field(default_factory=ExitStack)

    @property
    def address(self) -> str:
        """Its address, for which one needs user and password."""
        return f"jdbc:postgresql://127.0.0.1:{self.port}/postgres"

    @property
    def url(self) -> str:
        return f"{self.address}?user=antelog&password={self._password}"

    @property
    def uri(self) -> str:
        """Its address with user and password, for clients without Java."""
        return f"postgresql://antelog:{self._password}@127.0.0.1:{self.port}/postgres"

    @property
    def _password(self) -> str:
        return quote(self.environment["PGPASSWORD"], safe="")

    def start(self) -> None:
        command = [
            *(self.programs / "postgres", "-D", self.folder / "data", "-p", str(self.port)),
            *("-h", "127.0.0.1", "-k", self.folder, "-c", "fsync=off", "-c", "jit=off"),
            *(part for each in self.settings for part in ("-c", each)),
        ]
        path = self.folder / "log"
        log = self._running.enter_context(path.open("ab"))
        how = {"env": self.environment, "user": self.owner, "stdout": log, "stderr": log, "cwd": "/"}
        server = self._running.enter_context(started(list(map(str, command)), **how))
        _wait(self.answers, server, path)

    def stop(self) -> None:
        """Kills it with all its processes."""
        self._running.close()

    def answers(self) -> bool:
        try:
            return bool(self.query("select 1"))
        except subprocess.CalledProcessError:
            return False

    def query(self, statement: str) -> list[list[str]]:
        """The rows a statement gives, as texts."""
        command = [
            *(str(self.programs / "psql"), "-h", "127.0.0.1", "-p", str(self.port), "-U", "antelog"),
            *("-d", "postgres", "-v", "ON_ERROR_STOP=1", "-A", "-t", "-F", "\x1f", "-c", statement),
        ]
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True, timeout=60
        )
        return [line.split("\x1f") for line in done.stdout.splitlines()]


@contextmanager
def postgres(password: str = "antelog", *, tls: bool = False) -> Iterator[Postgres]:
    """A server with a database of its own, for whose user one needs the password. Raises UnavailableError.

    With `tls` it has a certificate for 127.0.0.1, `certificate` in its folder, which nobody has signed.
    """
    programs, environment = _programs()
    environment["PGPASSWORD"] = password
    owner = next((user for user in _USERS if _exists(user)), None) if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="antelog-postgres-"))
    try:
        if owner is not None:
            shutil.chown(folder, owner)
        files = {each: folder / each for each in ("password", "certificate", "key")}
        files["password"].write_text(password, encoding="utf-8")
        settings: tuple[str, ...] = ()
        if tls:
            _run(
                ["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-keyout", files["key"],
                 "-out", files["certificate"], "-subj", "/CN=localhost", "-addext",
                 "subjectAltName=IP:127.0.0.1"],
                environment, None,
            )  # fmt: skip
            settings = ("ssl=on", f"ssl_cert_file={files['certificate']}", f"ssl_key_file={files['key']}")
        for file in files.values():
            if owner is not None and file.exists():
                shutil.chown(file, owner)
        _run(
            [programs / "initdb", "-D", folder / "data", "-U", "antelog", "-A", "scram-sha-256",
             "--pwfile", files["password"], "--no-sync", "-E", "UTF8"],
            environment, owner,
        )  # fmt: skip
        server = Postgres(programs, free_port(), environment, folder, owner, settings)
        with closing(server._running):
            server.start()
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(answers: Callable[[], bool], process: Process, log: Path) -> None:
    try:
        until(answers, process)
    except AssertionError:
        raise UnavailableError(f"it does not start: {log.read_text(errors='replace')[-800:]}") from None


def _run(command: list[str | Path], environment: dict[str, str], owner: str | None) -> None:
    done = subprocess.run(
        list(map(str, command)),
        env=environment, user=owner, cwd="/", capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    if done.returncode:
        raise UnavailableError(f"{Path(command[0]).name} fails: {done.stderr.strip()[-500:]}")


def _exists(user: str) -> bool:
    return subprocess.run(["id", user], capture_output=True, check=False).returncode == 0


def _programs() -> tuple[Path, dict[str, str]]:
    """The folder with the server's programs, and the environment they run in."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if on_path := shutil.which("postgres"):
        installed.append(Path(on_path).resolve())
    if installed and not os.environ.get("ANTELOG_TESTS_DOWNLOAD"):
        return installed[-1].parent, environment
    unpacked = downloads() / "postgresql"
    if not any(unpacked.glob("usr/lib/postgresql/*/bin/postgres")):
        server = re.search(r"Depends: (postgresql-\d+)", _told("apt-cache", "depends", "postgresql"))
        if server is None:
            raise UnavailableError("apt-get knows no PostgreSQL; run apt-get update")
        unpack(unpacked, server[1], f"postgresql-client-{server[1].rpartition('-')[2]}")
    (found,) = unpacked.glob("usr/lib/postgresql/*/bin/postgres")
    libraries = [*unpacked.glob("usr/lib/*-linux-gnu*"), *unpacked.glob("usr/lib/postgresql/*/lib")]
    environment["LD_LIBRARY_PATH"] = ":".join(map(str, libraries))
    # Whoever runs the server must be able to get at it.
    for folder in (unpacked, *unpacked.parents):
        if not folder.stat().st_mode & 0o001:
            raise UnavailableError(f"{folder} is closed to other users, and the server does not run as root")
    return found.parent, environment


def program(name: str, *packages: str) -> tuple[Path, dict[str, str]]:
    """A program of Debian packages, and the environment it runs in. Raises UnavailableError."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    places = [*os.environ.get("PATH", "").split(os.pathsep), "/usr/sbin", "/usr/local/sbin", "/sbin"]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found and not os.environ.get("ANTELOG_TESTS_DOWNLOAD"):
        return Path(found), environment
    target = downloads() / name
    if not any(target.glob(f"usr/*bin/{name}")):
        unpack(target, *packages)
    environment["LD_LIBRARY_PATH"] = ":".join(map(str, target.glob("usr/lib/*-linux-gnu*")))
    return next(target.glob(f"usr/*bin/{name}")), environment


def unpack(target: Path, *packages: str) -> None:
    """Debian's packages and the libraries they need, unpacked. Raises UnavailableError."""
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        raise UnavailableError(f"there is no {target.name} on this machine, nor apt-get to download it")
    needed = [
        found
        for each in packages
        for found in re.findall(
            r"^ *\|?Depends: (lib[\w.+-]+)", _told("apt-cache", "depends", each), re.MULTILINE
        )
    ]
    # The compiler of expressions is large and not used; the C library is that of the machine.
    libraries = [each for each in dict.fromkeys(needed) if not re.match(r"lib(llvm|c6|gcc|stdc)", each)]
    with tempfile.TemporaryDirectory() as folder:
        for package in (*packages, *libraries):
            done = subprocess.run(
                ["apt-get", "download", package], cwd=folder, capture_output=True, text=True, check=False
            )
            if done.returncode and package in packages:
                raise UnavailableError(f"{package} cannot be downloaded: {done.stderr.strip()[-300:]}")
        for archive in Path(folder).glob("*.deb"):
            subprocess.run(["dpkg", "-x", archive, target], check=True)


def _told(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UnavailableError(f"{' '.join(command)}: {done.stderr.strip()[-300:]}")
    return done.stdout
