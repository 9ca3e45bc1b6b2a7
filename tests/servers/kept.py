"""Redis and Prometheus of one's own, which keep their data when they are killed and started again.

Tests are skipped where there are none.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.processes import Process, kill_with_children, until
from tests.servers import UnavailableError, free_port, program


@dataclass
class KeptServer:
    """A server on a port, its data in a folder; `options` are those of its command, given all this."""

    name: str  # of its program and Debian's package
    ready: str  # what it says once it is ready
    options: Callable[[KeptServer], Sequence[str]]
    folder: Path
    port: int = field(default_factory=free_port)
    process: Process | None = None

    def start(self) -> None:
        """Starts it with what it kept. Raises UnavailableError."""
        path, environment = program(self.name, self.name)
        said = self.folder / "log"
        with said.open("w") as log:
            self.process = Process(
                [str(path), *self.options(self)], env=environment, stdout=log, stderr=log, text=True
            )
        until(lambda: self.ready in said.read_text(), self.process, lambda: said.read_text()[-500:])

    def stop(self) -> None:
        """Kills it."""
        if self.process is not None:
            kill_with_children(self.process)
            self.process = None


@contextmanager
def _running(name: str, ready: str, options: Callable[[KeptServer], Sequence[str]]) -> Iterator[KeptServer]:
    with tempfile.TemporaryDirectory(prefix=f"antelog-{name}-") as folder:
        server = KeptServer(name, ready, options, Path(folder))
        try:
            server.start()
            yield server
        except UnavailableError as error:
            pytest.skip(str(error))
        finally:
            server.stop()


@contextmanager
def redis(*options: str, secured: Path | None = None) -> Iterator[KeptServer]:
    """A Redis that writes each command to its disk, `secured` by the certificate in a folder."""

    def command(server: KeptServer) -> list[str]:
        port = ["--port", str(server.port)]
        if secured is not None:
            files = {"cert": "cert.pem", "key": "key.pem", "ca-cert": "cert.pem"}
            port = ["--port", "0", "--tls-port", str(server.port), "--tls-auth-clients", "no"]
            port += [part for each in files for part in (f"--tls-{each}-file", str(secured / files[each]))]
        kept = ["--dir", str(server.folder), "--appendonly", "yes", "--appendfsync", "always", "--save", ""]
        return [*port, "--bind", "127.0.0.1", *kept, *options]

    with _running("redis-server", "Ready to accept", command) as server:
        yield server


@contextmanager
def prometheus(*options: str, before: Sequence[str] = (), target: str | None = None) -> Iterator[KeptServer]:
    """A Prometheus that scrapes itself or a target; samples of before: `level{job="a"} 1 1700000000`."""

    def command(server: KeptServer) -> list[str]:
        config, place = server.folder / "prometheus.yml", f"127.0.0.1:{server.port}"
        scraped = {"job_name": "self", "static_configs": [{"targets": [target or place]}]}
        often = dict.fromkeys(("scrape_interval", "scrape_timeout"), "500ms" if target else "250ms")
        config.write_text(json.dumps({"scrape_configs": [{**scraped, **often}]}))
        if before and not (server.folder / "data").exists():
            _record(server.folder, before)
        kept = [f"--storage.tsdb.path={server.folder / 'data'}", "--storage.tsdb.retention.time=100y"]
        return [f"--config.file={config}", f"--web.listen-address={place}", *kept, *options]

    with _running("prometheus", "Server is ready", command) as server:
        yield server


def _record(folder: Path, lines: Sequence[str]) -> None:
    path, environment = program("promtool", "prometheus")
    (folder / "metrics.txt").write_text("".join(f"{each}\n" for each in (*lines, "# EOF")))
    made = [str(path), "tsdb", "create-blocks-from", "openmetrics", "metrics.txt", "data"]
    subprocess.run(made, env=environment, cwd=folder, check=True, capture_output=True)


def certify(folder: Path) -> None:
    """Writes cert.pem and key.pem of 127.0.0.1, which nobody trusts by itself."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run([*made, *names, *files], check=True, capture_output=True)
