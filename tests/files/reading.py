"""What the tests of reading share: programs, and a file's rows as plain data."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import antelog
from antelog.files import LINE, Rejects, rejects_to, tables
from antelog.files.columns import mapped
from antelog.run.reading import wanted_of

TEMP = "input Temp(device: text, value: number, time).\nA(X, T) :- Temp(X, V, T), V > 1.\nquery A(X, T).\n"
FREE = "input Temp(device, value, time).\nA(X, T) :- Temp(X, V, T).\nquery A(X, T).\n"
TICKS = "tick 10 minutes.\n" + TEMP
HEADER = "device,value,time,arrival\n"
Row = tuple[Any, ...]


def read(
    path: Path, content: str | bytes, program: str = TEMP, name: str = "Temp", arrival: str = "arrival"
) -> tuple[list[Row], list[tuple[int | None, str]]]:
    """The rows of a file with this content, and the lines that were set aside with the reasons."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return rows_of(path, program, name, arrival)


def rows_of(
    path: Path, program: str = TEMP, name: str = "Temp", arrival: str = "arrival"
) -> tuple[list[Row], list[tuple[int | None, str]]]:
    with rejects_to(path.with_name("rejects.csv"), strict=False) as rejects:
        found = list(tables(path, wanted_of(antelog.parse(program).plan, name, arrival), rejects))
    with path.with_name("rejects.csv").open(encoding="utf-8", newline="") as file:
        set_aside: list[tuple[int | None, str]] = [
            (int(row["line"]), row["detail"]) for row in csv.DictReader(file)
        ]
    assert rejects.counts.total() == len(set_aside)
    rows = [row for table in found for row in table.to_pylist()]
    return [tuple(value for name, value in row.items() if name != LINE) for row in rows], set_aside


def mapped_rows(path: Path, content: str | None, maps: Mapping[str, str]) -> tuple[list[Row], list[str]]:
    """The rows of a file whose columns are mapped, without arrivals, and why others were set aside."""
    if content is not None:
        path.write_text(content, encoding="utf-8")
    rejects, wanted = Rejects(), mapped(wanted_of(antelog.parse(TEMP).plan, "Temp"), maps)
    found = [row for table in tables(path, wanted, rejects) for row in table.to_pylist()]
    return [tuple(row[name] for name in wanted.columns) for row in found], [e.detail for e in rejects.first]
