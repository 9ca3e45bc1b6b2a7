"""A topic of Kafka with changes, each line a message, written once.

key      {"query":"Malf","answer":{"X":"wt2","T":0}}      so the changes of an answer keep their order
headers  antelog_run, antelog_line                        the run, and the number of the line in it

A mark has the number of lines sent, and each partition's end. A resumed run looks behind these for more.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from antelog.errors import DataError, OutputError
from antelog.run.address import Kafka
from antelog.run.sinks.result import StepResult
from antelog.run.sources.messages import Make, Messages, client, client_settings

_RUN, _LINE = "antelog_run", "antelog_line"

_PATIENCE = 60.0
"""Seconds for a broker to take the messages."""

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
