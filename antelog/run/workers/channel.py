"""Messages between a run and its workers: plain objects, and tables in Arrow's format.

Each is a file in memory, of which a socket carries the descriptor: nobody waits for the other to read, and
what is read is not copied.
"""

from __future__ import annotations

import mmap
import os
import pickle
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast

import pyarrow as pa

CAN_SHARE = hasattr(socket, "send_fds")
_SIZE = 8  # the bytes of the length of what is said, before the tables


@dataclass(frozen=True, eq=False)
class WorkerMessage:
    """An object, and tables by name."""

    said: Any
    tables: Mapping[str, pa.Table] = field(default_factory=dict)


class Channel:
    """One end of a connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def send(self, message: WorkerMessage) -> None:
        """Sends a message; it is lost if the other side has ended, which `receive` tells."""
        said = pickle.dumps((message.said, list(message.tables)))
        with _file() as file:
            file.write(len(said).to_bytes(_SIZE, "big") + said)
            for table in message.tables.values():
                with pa.ipc.new_stream(file, table.schema) as writer:
                    writer.write_table(table)
            file.flush()
            with suppress(OSError):
                socket.send_fds(self._connection, [b"\0"], [file.fileno()])

    def receive(self) -> WorkerMessage | None:
        """The next message; None once the other side has ended."""
        with suppress(OSError):
            _, descriptors, _, _ = socket.recv_fds(self._connection, 1, 1)
            for each in descriptors:
                with os.fdopen(each, "rb") as file:
                    content = pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
                reader = pa.BufferReader(content)
                said, names = pickle.loads(reader.read(int.from_bytes(reader.read(_SIZE), "big")))
                return WorkerMessage(said, {name: pa.ipc.open_stream(reader).read_all() for name in names})
        return None

    def close(self) -> None:
        self._connection.close()


def _file() -> BinaryIO:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("antelog"), "w+b")
    return cast("BinaryIO", TemporaryFile())
