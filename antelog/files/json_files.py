"""Files of JSON lines: every line is an object. A value is what JSON says: `7` a number, `"7"` a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
import pyarrow as pa

from antelog.engine.facts.rows import MOST_DIGITS, array_of
from antelog.errors import DataError
from antelog.files.chunks import Bad, Chunk
from antelog.files.columns import Places, Wanted, places
from antelog.files.lines import Block, blocks

_DECODER = msgspec.json.Decoder()
_NOTHING = object()
_TOO_LONG = 10**MOST_DIGITS


@dataclass(frozen=True)
class _Row:
    line: int
    text: str
    values: dict[str, Any]


def json_chunks(stream: BinaryIO, path: Path, wanted: Wanted, _notes: list[str]) -> Iterator[Chunk]:
    """The rows of a file of JSON lines. Raises DataError if its columns are not the wanted ones.

    The names of its columns are those that occur in the first block of lines.
    """
    names: list[str] = []
    found: Places | None = None
    for block in blocks(stream, path):
        if block.first == 1 and block.data.lstrip().startswith(b"["):
            raise DataError(f"{path}: is a JSON list; write each of its objects on a line of its own")
        rows, bad = _rows(block)
        if found is None and rows:
            names = list(dict.fromkeys(name for row in rows for name in row.values))
            found = places(wanted, names, str(path))
        yield (_chunk(rows, bad, names, found) if found is not None else _nothing(wanted, bad))


def _nothing(wanted: Wanted, bad: list[Bad]) -> Chunk:
    return Chunk([pa.nulls(0)] * len(wanted.columns), lambda: np.zeros(0, np.int64), str, bad=bad)


def _rows(block: Block) -> tuple[list[_Row], list[Bad]]:
    rows: list[_Row] = []
    bad: list[Bad] = []
    for number, line in enumerate(block.lines(), block.first):
        if not line.strip():
            continue
        text = line.decode(errors="replace")
        try:
            values = _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            bad.append(Bad(number, f"is not JSON: {error}", text))
            continue
        if isinstance(values, dict):
            rows.append(_Row(number, text, values))
        else:
            bad.append(Bad(number, "is not a JSON object", text))
    return rows, bad


def _chunk(rows: list[_Row], bad: list[Bad], names: Sequence[str], at: Places) -> Chunk:
    wanted = [names[i] for i in at.all]
    fine: list[_Row] = []
    for row in rows:
        complaint = next(
            filter(None, (_complaint(name, row.values.get(name, _NOTHING)) for name in wanted)), None
        )
        if complaint is None:
            fine.append(row)
        else:
            bad.append(Bad(row.line, complaint, row.text))
    columns = [array_of([row.values[name] for row in fine]) for name in wanted]
    return Chunk(
        columns, lambda: np.array([row.line for row in fine], np.int64), lambda i: fine[i].text, bad=bad
    )


def _complaint(name: str, value: object) -> str | None:
    """What is wrong with a value whatever its column is."""
    if value is _NOTHING:
        return f"lacks {name}"
    if isinstance(value, dict | list):
        return f"the value of {name} is {'an object' if isinstance(value, dict) else 'a list'}"
    if isinstance(value, int) and abs(value) >= _TOO_LONG:
        return f"the value of {name} has more than {MOST_DIGITS} digits"
    return None
