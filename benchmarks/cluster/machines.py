"""A standalone cluster of Spark on this machine: a master and workers, each a process of its own.

    with cluster(2, folder) as machines:
        machines.master             spark://127.0.0.1:43211
        machines.workers[0].kill()  that worker is lost, and the executor it had with it

The cores are this machine's, so more workers bring no more speed here. A cluster on one machine shows that it
works, who has how much to do, and what becomes of a run that loses a worker.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import pyspark

HOST = "127.0.0.1"
PATIENCE = 120.0
"""For how many seconds a process is waited for."""


@dataclass(frozen=True)
class Worker:
    """A process of the cluster, and the log it writes; a worker has executors as its children."""

    process: psutil.Popen
    log: Path

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def kill(self) -> None:
        """Kills the worker and its executors at once, as a machine that loses its power."""
        family: list[psutil.Process] = [self.process]
        with suppress(psutil.NoSuchProcess):
            family += self.process.children(recursive=True)
        for each in family:
            with suppress(psutil.NoSuchProcess):
                each.kill()
        self.process.wait()


@dataclass(frozen=True)
class Machines:
    """The cluster's master, as `--master` takes it, and its workers."""

    master: str
    workers: tuple[Worker, ...]


@contextmanager
def cluster(workers: int, folder: Path, cores: int = 1, memory: str = "2g") -> Iterator[Machines]:
    """A cluster whose workers have so many cores and so much memory each; it ends with the block."""
    folder.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    master = f"spark://{HOST}:{port}"
    options = ["--host", HOST, "--port", str(port), "--webui-port", "0"]
    with ExitStack() as ends:
        head = ends.enter_context(_started("master.Master", options, folder / "master.log"))
        _wait(lambda: _answers(port), head)
        options = ["--host", HOST, "--cores", str(cores), "--memory", memory, "--webui-port", "0"]
        started = []
        for number in range(workers):
            own = folder / f"worker-{number}"
            given = [*options, "--work-dir", str(own), master]
            log = folder / f"worker-{number}.log"
            started.append(ends.enter_context(_started("worker.Worker", given, log)))
        for worker in started:
            _wait(partial(_registered, worker), worker)
        yield Machines(master, tuple(started))


@contextmanager
def _started(name: str, options: list[str], log: Path) -> Iterator[Worker]:
    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *options]
    given = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": HOST}
    with log.open("wb") as out:
        process = psutil.Popen(command, stdout=out, stderr=out, env=given, start_new_session=True)
    daemon = Worker(process, log)
    try:
        yield daemon
    finally:
        daemon.kill()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind((HOST, 0))
        return int(free.getsockname()[1])


def _registered(worker: Worker) -> bool:
    return "Successfully registered with master" in worker.said


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
        return True
    return False


def _wait(seen: Callable[[], bool], daemon: Worker) -> None:
    end = time.monotonic() + PATIENCE
    while not seen():
        if time.monotonic() > end or daemon.process.poll() is not None:
            raise RuntimeError(f"a process of the cluster did not start:\n{daemon.said}")
        time.sleep(0.05)
