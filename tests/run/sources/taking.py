"""What the tests of sources share: an input, and the rows of a source as plain data."""

from __future__ import annotations

from typing import Any

import antelog
from antelog.files import LINE
from antelog.files.chunks import sorted_out
from antelog.run.reading import wanted_of
from antelog.run.sources.source import FactSource, SourcePiece

PROGRAM = antelog.parse("input Temp(device, value, time).\nA(X, T) :- Temp(X, V, T).\nquery A(X, T).\n")
WANTED = wanted_of(PROGRAM.plan, "Temp")
HEADER = "device,value,time,arrival\n"


def taken(pieces: list[SourcePiece]) -> tuple[list[tuple[Any, ...]], list[str]]:
    """Device and line of every row, and what is said of those that cannot be used."""
    rows, wrong = [], []
    for piece in pieces:
        (found,) = sorted_out(WANTED, [piece.chunk], piece.file)
        rows += list(
            zip(found.table.column("device").to_pylist(), found.table.column(LINE).to_pylist(), strict=True)
        )
        wrong += [str(each) for each in found.set_aside]
    return rows, wrong


def devices(source: FactSource) -> list[str]:
    return [device for device, _ in taken(source.poll())[0]]
