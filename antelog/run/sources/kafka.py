"""A topic of Kafka, by a client without a JVM. A message is a JSON object, or a row of CSV without a header.

How far each partition was read is in the state, and nowhere else, together with the engine that read it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from antelog.errors import DataError
from antelog.files.chunks import Chunk, no_rows
from antelog.files.columns import Advice, WantedColumns
from antelog.files.json_files import JsonRows
from antelog.files.naming import Form
from antelog.files.records import Bad, Block, Row, breaks, grammar_of
from antelog.run.address import Kafka
from antelog.run.sources.messages import Make, Message, Messages
from antelog.run.sources.source import FactSource, LinesOf, Mark, SourceExtent, SourcePiece


class KafkaTopic(FactSource):
    """Reads all partitions of a topic."""

    def __init__(
        self, topic: Kafka, wanted: WantedColumns, *, mark: Mark | None = None, make: Make | None = None
    ) -> None:
        super().__init__()
        self._topic, self._wanted = topic, wanted
        mark = mark or {}
        if wanted.called and topic.values == "csv":
            column, name = wanted.called[0]
            raise DataError(
                f"{topic}: has no column {name}, which {column} is mapped to: its messages are rows of CSV, "
                "which have no names"
            )
        read = {int(number): int(offset) for number, offset in mark.get("next", {}).items()}
        self._messages = Messages(topic, read, make)
        self.notes, self.behind = self._messages.notes, self._messages.behind
        self._json = JsonRows(str(topic), Advice(wanted, self.notes))

    @property
    def mark(self) -> Mark:
        return {"next": {str(number): offset for number, offset in self._messages.next.items()}}

    @property
    def extent(self) -> SourceExtent:
        read = sum(self._messages.next.values())
        return SourceExtent(read, read + self._messages.unread(), "rows")

    def poll(self) -> list[SourcePiece]:
        found = sorted(self._messages.take().items())
        self.behind, self.reachable = self._messages.behind, not self._messages.down
        return [piece for number, rows in found for piece in self._pieces(number, rows)]

    def close(self) -> None:
        self._messages.close()

    def _pieces(self, number: int, messages: Sequence[Message]) -> Iterable[SourcePiece]:
        file = f"{self._topic.topic}[{number}]"
        is_json = self._topic.values == "json"
        full: list[tuple[int, bytes]] = []
        bad: list[Bad] = []
        for each in messages:
            offset, value = each.offset, each.value
            if value is None or not value.strip():
                bad.append(Bad(offset, "the message is empty", ""))
            elif not is_json and (lost := _unclosed(value)) is not None:
                bad.append(replace(lost, line=offset))
            else:
                full.append((offset, value))
        if bad:
            yield SourcePiece(no_rows(self._wanted, bad), file)
        if is_json:
            yield SourcePiece(self._json.chunk(full), file)
        else:
            for header, lines in self._with_headers(full).items():
                rows_of = LinesOf(Form.CSV, file, self._wanted, self.notes)
                data = header + b"".join(line for _, line in lines)
                for piece in (*rows_of.feed(data), *rows_of.finish()):
                    yield SourcePiece(_at_offsets(piece.chunk, lines), file)

    def _with_headers(self, messages: Iterable[tuple[int, bytes]]) -> dict[bytes, list[tuple[int, bytes]]]:
        """Groups rows of CSV by the header that fits them: with the arrival, if they have a value more."""
        names = list(self._wanted.columns)
        found: dict[bytes, list[tuple[int, bytes]]] = {}
        for offset, value in messages:
            arrives = _cells(value) == len(names) + 1
            quoted = self._wanted.arrival.replace('"', '""')
            header = ",".join([*names, *([f'"{quoted}"'] if arrives else [])]) + "\n"
            found.setdefault(header.encode(), []).append((offset, value.rstrip(b"\r\n") + b"\n"))
        return found


def _at_offsets(chunk: Chunk, messages: Sequence[tuple[int, bytes]]) -> Chunk:
    """Replaces the lines of a chunk of messages behind a header by their offsets."""
    offsets = np.array([offset for offset, _ in messages])
    first = np.cumsum([2, *(breaks(line) for _, line in messages[:-1])])

    def of(lines: Any) -> Any:
        return offsets.take(np.searchsorted(first, lines, "right") - 1)

    bad = [replace(each, line=int(of(each.line))) for each in chunk.bad]
    return replace(chunk, lines=lambda: of(chunk.lines()), bad=bad)


def _unclosed(message: bytes) -> Bad | None:
    """The fault of a message with a quote that is not closed, which would take the next messages with it."""
    whole = Row(grammar_of(","), message.rstrip(b"\r\n") + b"\n")
    rows = [*whole.grammar.rows(Block(1, whole.data))] if b'"' in message else [whole]
    closed = rows and rows[-1].end == whole.end and all(row.values is not None for row in rows)
    return None if closed else whole.unclosed


def _cells(row: bytes) -> int:
    """The number of values in a row of CSV; 0 if it cannot be read."""
    text = row.decode(errors="replace").translate({10: " ", 13: " "})
    try:
        return len(next(csv.reader([text.strip()])))
    except csv.Error:
        return 0
