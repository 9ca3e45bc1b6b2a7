"""Outputs of a run that goes on, each line written once: a file, or a topic of Kafka.

A file is locked, and cut off behind the last mark when a run is resumed; devices and pipes have no mark. In
a topic each line is a message, whose headers have the run, and the number of the line in it. Its mark has the
number of lines sent, and each partition's end. A resumed run looks behind these for more.
"""

from __future__ import annotations

import os
import secrets
import stat
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from antelog.errors import DataError, InUseError, OutputError, StateError
from antelog.run.address import Kafka
from antelog.run.sinks.result import StepResult
from antelog.run.sources.kafka import Make, Messages, client, client_settings
from antelog.writing import Output, claimed, errors_at, is_at


class OutputFile:
    """Appends the lines of changes; without a mark, to an empty file."""

    def __init__(
        self,
        path: Path,
        mark: Mapping[str, Any] | None,
        lines: Callable[[StepResult], str],
        *,
        kept: bool = False,
        wait: bool = False,
    ) -> None:
        """With `kept`, refuses lines that no mark knows of. Raises InUseError, unless it is to `wait`."""
        self._lines, self.path = lines, path
        self._file = _locked(path, wait)
        self._safe = -1
        self.size = 0 if mark is None else int(mark["size"])
        descriptor = self._file.fileno()
        found = os.fstat(descriptor)
        self._is_plain, there = stat.S_ISREG(found.st_mode), found.st_size
        if not self._is_plain:
            return
        if kept and mark is None and there:
            self._file.close()
            raise OutputError.of("outputs.unknown-file", path=path)
        if there < self.size:
            self._file.close()
            raise StateError.of("outputs.shorter", path=path, there=there, size=self.size)
        os.ftruncate(descriptor, self.size)
        os.lseek(descriptor, self.size, os.SEEK_SET)

    def write(self, step: StepResult) -> None:
        self.size += self._file.write_all(self._lines(step).encode())

    def mark(self) -> Mapping[str, Any] | None:
        if not self._is_plain:
            return None
        if self._safe != self.size:
            os.fsync(self._file.fileno())
            self._safe = self.size
        return {"size": self.size}

    def close(self) -> None:
        self._file.close()


def _locked(path: Path, wait: bool) -> Output:
    while True:
        with errors_at(path):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        file = Output(descriptor, str(path))
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return file
        with suppress(OSError):  # a file system without locks
            if not claimed(descriptor, wait=wait):
                file.close()
                raise InUseError.of("outputs.in-use", path=path)
        if is_at(descriptor, path):
            return file
        file.close()  # it was replaced while this process waited


_RUN, _LINE = "antelog_run", "antelog_line"

_PATIENCE = 60.0  # seconds for a broker to take the messages

_PRODUCER = {"enable.idempotence": True, "acks": "all", "linger.ms": 5}
_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])


class TopicSink:
    """Sends the lines of changes to a topic."""

    def __init__(
        self,
        topic: Kafka,
        mark: Mapping[str, Any] | None,
        lines: Callable[[StepResult], str],
        make: Make | None = None,
    ) -> None:
        self._topic, self._lines = topic, lines
        self._run: str = mark["run"] if mark else secrets.token_hex(8)
        self._line = int(mark["lines"]) if mark else 0
        self._error: str | None = None
        # A topic that is read from its end tells the place of each partition's end.
        read = {int(number): offset for number, offset in mark["next"].items()} if mark else {}
        try:
            messages = Messages(replace(topic, starting="latest"), read, make)
            self._sent = self._sent_before(messages) if mark else set()
            self._next = dict(messages.next)
            messages.close()
        except DataError as error:
            raise OutputError(str(error).replace("cannot be read", "cannot be written")) from None
        settings = {**client_settings(topic), **_PRODUCER}
        self._producer = make(settings) if make is not None else client("Producer", settings)

    def write(self, step: StepResult) -> None:
        for line in self._lines(step).splitlines():
            if self._line not in self._sent:
                self._send(line)
            self._line += 1

    def mark(self) -> Mapping[str, Any]:
        end = time.monotonic() + _PATIENCE
        while self._producer.flush(1.0):
            if self._error or time.monotonic() > end:
                break
        if self._error or len(self._producer):
            reason = self._error or "the broker does not answer"
            raise OutputError(f"{self._topic}: cannot be written: {reason}")
        self._sent = {number for number in self._sent if number >= self._line}
        ends = {str(number): offset for number, offset in self._next.items()}
        return {"run": self._run, "lines": self._line, "next": ends}

    def close(self) -> None:
        self._producer.flush(1.0)

    def _send(self, line: str) -> None:
        change = _DECODER.decode(line)
        key = {name: change[name] for name in ("query", "answer", "others") if name in change}
        headers = {_RUN: self._run.encode(), _LINE: str(self._line).encode()}
        while True:
            try:
                self._producer.produce(
                    self._topic.topic, line.encode(), msgspec.json.encode(key), headers=headers,
                    on_delivery=self._delivered,
                )  # fmt: skip
            except BufferError:  # as many wait as the client takes
                self._producer.poll(0.1)
            else:
                self._producer.poll(0)
                return

    def _delivered(self, error: Any, message: Any) -> None:
        if error is not None:
            self._error = error.str()
        else:
            self._next[message.partition()] = max(
                message.offset() + 1, self._next.get(message.partition(), 0)
            )

    def _sent_before(self, messages: Messages) -> set[int]:
        """The numbers of lines that this run has sent since the mark."""
        found = set()
        end = time.monotonic() + _PATIENCE
        while messages.behind:
            if time.monotonic() > end:
                raise OutputError(f"{self._topic}: cannot be read to its end, to see what was sent before")
            for rows in messages.take().values():
                for each in rows:
                    headers = dict(each.headers)
                    if headers.get(_RUN) == self._run.encode() and _LINE in headers:
                        found.add(int(headers[_LINE]))
            time.sleep(0.01)
        return found
