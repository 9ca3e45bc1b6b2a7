"""A PostgreSQL server: that of the machine, or else Debian's packages unpacked into a folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tests.processes import Process, started, until
from tests.servers import UnavailableError, downloads, free_port

_USERS = ("postgres", "nobody")
"""Whom the server runs as where the tests run as root, which it refuses to do itself."""


@dataclass(frozen=True)
class Postgres:
    """A running server with one database."""

    programs: Path
    port: int
    environment: dict[str, str]

    @property
    def address(self) -> str:
        """Its address, for which one needs user and password."""
        return f"jdbc:postgresql://127.0.0.1:{self.port}/postgres"

    @property
    def url(self) -> str:
        return f"{self.address}?user=antelog&password={quote(self.environment['PGPASSWORD'], safe='')}"

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
def postgres(password: str = "antelog") -> Iterator[Postgres]:
    """A server with a database of its own, for whose user one needs the password. Raises UnavailableError."""
    programs, environment = _programs()
    environment["PGPASSWORD"] = password
    owner = next((user for user in _USERS if _exists(user)), None) if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="antelog-postgres-"))
    try:
        if owner is not None:
            shutil.chown(folder, owner)
        data, port, key = folder / "data", free_port(), folder / "password"
        key.write_text(password, encoding="utf-8")
        if owner is not None:
            shutil.chown(key, owner)
        _run(
            [programs / "initdb", "-D", data, "-U", "antelog", "-A", "scram-sha-256", "--pwfile", key,
             "--no-sync", "-E", "UTF8"],
            environment, owner,
        )  # fmt: skip
        command = [
            *(programs / "postgres", "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", folder),
            *("-c", "fsync=off", "-c", "jit=off"),
        ]
        with (
            (folder / "log").open("wb") as log,
            started(
                list(map(str, command)), env=environment, user=owner, stdout=log, stderr=log, cwd="/"
            ) as server,
        ):
            found = Postgres(programs, port, environment)
            _wait(found, server, folder / "log")
            yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait(server: Postgres, process: Process, log: Path) -> None:
    def answers() -> bool:
        try:
            return bool(server.query("select 1"))
        except subprocess.CalledProcessError:
            return False

    try:
        until(answers, process)
    except AssertionError:
        said = log.read_text(errors="replace")[-500:]
        raise UnavailableError(f"PostgreSQL does not start: {said}") from None


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
        _unpack(unpacked)
    (server,) = unpacked.glob("usr/lib/postgresql/*/bin/postgres")
    libraries = [*unpacked.glob("usr/lib/*-linux-gnu*"), *unpacked.glob("usr/lib/postgresql/*/lib")]
    environment["LD_LIBRARY_PATH"] = ":".join(map(str, libraries))
    # Whoever runs the server must be able to get at it.
    for folder in (unpacked, *unpacked.parents):
        if not folder.stat().st_mode & 0o001:
            raise UnavailableError(f"{folder} is closed to other users, and the server does not run as root")
    return server.parent, environment


def _unpack(target: Path) -> None:
    """Debian's packages of the server and the libraries it needs, unpacked."""
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        raise UnavailableError("there is no PostgreSQL on this machine, nor apt-get to download it")
    found = _told("apt-cache", "depends", "postgresql")
    server = re.search(r"Depends: (postgresql-\d+)", found)
    if server is None:
        raise UnavailableError("apt-get knows no PostgreSQL; run apt-get update")
    version = server[1].rpartition("-")[2]
    needed = re.findall(
        r"^ *\|?Depends: (lib[\w.+-]+)", _told("apt-cache", "depends", server[1]), re.MULTILINE
    )
    # The compiler of expressions is large and not used; the C library is that of the machine.
    libraries = [each for each in needed if not re.match(r"lib(llvm|c6|gcc|stdc)", each)]
    with tempfile.TemporaryDirectory() as folder:
        for package in (server[1], f"postgresql-client-{version}", *libraries):
            done = subprocess.run(
                ["apt-get", "download", package], cwd=folder, capture_output=True, text=True, check=False
            )
            if done.returncode and package.startswith("postgresql"):
                raise UnavailableError(f"{package} cannot be downloaded: {done.stderr.strip()[-300:]}")
        for archive in Path(folder).glob("*.deb"):
            subprocess.run(["dpkg", "-x", archive, target], check=True)


def _told(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UnavailableError(f"{' '.join(command)}: {done.stderr.strip()[-300:]}")
    return done.stdout
