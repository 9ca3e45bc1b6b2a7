"""Messages between a run and its workers: plain objects, and tables in Arrow's format, through pipes."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from typing import Any, BinaryIO

import pyarrow as pa

_SIZE = 8  # the bytes of the length of what is said


@dataclass(frozen=True, eq=False)
class WorkerMessage:
    """An object, and tables by name."""

    said: Any
    tables: Mapping[str, pa.Table] = field(default_factory=dict)


class Channel:
    """One end of two pipes. A thread reads what comes, lest each side waits for the other to read."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source, self._sink = source, sink
        self._came: SimpleQueue[WorkerMessage | None] = SimpleQueue()
        self._listening = Thread(target=self._listen, daemon=True)
        self._listening.start()

    def send(self, message: WorkerMessage) -> None:
        """Sends a message; it is lost if the other side has ended, which `receive` tells."""
        said = pickle.dumps((message.said, list(message.tables)))
        with suppress(OSError):
            self._sink.write(len(said).to_bytes(_SIZE, "big") + said)
            for table in message.tables.values():
                with pa.ipc.new_stream(self._sink, table.schema) as writer:
                    writer.write_table(table)
            self._sink.flush()

    def receive(self) -> WorkerMessage | None:
        """The next message; None once the other side has ended."""
        return self._came.get()

    def close(self) -> None:
        """Closes the pipes, once the other side has ended."""
        self._listening.join()
        self._source.close()
        with suppress(OSError):  # what nobody will read
            self._sink.close()

    def _listen(self) -> None:
        try:
            while size := self._source.read(_SIZE):
                said, names = pickle.loads(self._source.read(int.from_bytes(size, "big")))
                self._came.put(WorkerMessage(said, {name: self._table() for name in names}))
        except (OSError, EOFError, pickle.UnpicklingError, pa.ArrowException):
            pass  # it has ended within a message
        finally:
            self._came.put(None)

    def _table(self) -> pa.Table:
        with pa.ipc.open_stream(self._source) as reader:
            return reader.read_all()
