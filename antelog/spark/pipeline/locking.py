"""Locks a checkpoint for one process: a second one is refused before Spark starts.

In a folder of this machine a file is locked for as long as the process lives. The system takes the lock
away when the process ends, however it does, so a dead one does no harm. Places elsewhere (s3a,
hdfs) have no lock; there Spark notices it itself when the first batch is written.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

from antelog.errors import OutputError, StateError
from antelog.writing import claimed

LOCK = "antelog.lock"
"""The file, among Spark's, with the process that has the checkpoint, its machine and since when."""


@contextmanager
def locked(checkpoint: str) -> Iterator[None]:
    """Locks the checkpoint for this process. Raises StateError if another living one has it."""
    folder = local_folder(checkpoint)
    if folder is None:
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = Path(folder, LOCK).open("a+", encoding="utf-8")  # noqa: SIM115 - it stays open below
    except OSError as error:
        raise OutputError(f"the checkpoint {checkpoint} cannot be written: {error.strerror}") from None
    with file:
        with suppress(OSError):  # a file system without locks; Spark will notice
            if not claimed(file.fileno()):
                file.seek(0)
                who = file.read().strip() or "another process"
                number = re.match(r"process (\d+)", who)
                kill = f" (kill {number[1]})" if number else ""
                raise StateError(
                    f"the checkpoint {checkpoint} is in use by {who}. Two pipelines on one would spoil each "
                    f"other's work. Stop that one{kill}, or give this one a --checkpoint of its own"
                )
            now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()} since {now}\n")
            file.flush()
        yield


def local_folder(place: str) -> Path | None:
    """The local folder of a path of Spark's; None if it is elsewhere, or unknown."""
    scheme = re.match(r"(\w[\w+.-]*):/", place)
    if scheme is not None:
        return Path(unquote(re.sub("^file:/+", "/", place))) if scheme[1] == "file" else None
    # Without a scheme it is where Hadoop's settings say, if there are any.
    return None if os.environ.get("HADOOP_CONF_DIR") else Path(place)
