"""Changes read from tables, frames, rows, and files of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from antelog.engine.step.query import STILL_OPEN
from antelog.engine.step.schema import AFTER_ANSWER, is_written
from antelog.errors import DataError
from antelog.forecast.columns import KINDS, NAMES
from antelog.given import PATH, wrong
from antelog.language.moments import DEFAULT_ZONE, TIME, Timescale, timed, zones
from antelog.language.printer import value_text
from antelog.lines import LABEL
from antelog.pictures.history import ALL_OTHERS, Change, TickTimes

_COMMON = {"tick", TIME, "change", "query", "answer", "others", *AFTER_ANSWER, *NAMES, *LABEL}


def changes_in(source: Any) -> Iterator[Change]:
    """The changes of a table, a frame, a mapping of such by query, rows, a file, or several of these."""
    match source:
        case Change():
            yield source
        case str() | PathLike() if not PATH.fits(source):
            raise wrong("the source", source, PATH.words)
        case str() | PathLike():
            with _readable(str(source)), Path(source).open(encoding="utf-8") as file:
                yield from of_lines(file, str(source))
        case Mapping() if "change" in source:
            yield of_row(source)
        case Mapping():
            yield from chain.from_iterable(of_table(_table(table), query) for query, table in source.items())
        case _ if hasattr(source, "__arrow_c_stream__"):
            yield from of_table(_table(source))
        case Iterable():
            yield from chain.from_iterable(map(changes_in, source))
        case _:
            raise _unusable(source)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Raises DataError if a source cannot be read, or is not a text."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{name}: is not UTF-8 text; a log of changes has JSON lines") from None


def of_lines(lines: Iterable[str], name: str) -> Iterator[Change]:
    """The changes in JSON lines of an open file, or of its snapshots; messages call them by a name."""
    before: dict[str, dict[str, Mapping[str, Any]]] = {}
    with _readable(name):
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                yield from map(of_row, _told(row, before) if "answers" in row else [row])
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                hint = 'a line is one that `antelog try` prints, like {"tick": 0, "change": "possible", …}'
                raise DataError(f"{name}:{number}: is not a change; {hint}") from None


def _told(
    shot: Mapping[str, Any], before: dict[str, dict[str, Mapping[str, Any]]]
) -> Iterator[Mapping[str, Any]]:
    """The changes since the open answers of each query `before`, where those of the snapshot are put.

    Answers that were open and are listed no more are rejected.
    """
    told = {name: shot[name] for name in ("tick", "query", TIME) if name in shot}
    gone, still = before.get(shot["query"], {}), {}
    for answer in shot["answers"]:
        key = json.dumps([answer["answer"], answer.get("others")])
        known = gone.pop(key, None) is not None
        if "decided_by" in answer:
            still[key] = answer
            yield {**told, **answer, "change": "revised" if known else "possible"}
        else:
            yield {**told, **answer, "change": "confirmed"}
    yield from ({**told, **answer, "change": "rejected"} for answer in gone.values())
    before[shot["query"]] = still


def of_row(row: Mapping[str, Any]) -> Change:
    """The change in a row, as `antelog try` prints it or a pipeline writes it."""
    answer = row["answer"]
    values = json.loads(answer) if isinstance(answer, str) else answer
    return _change(row, str(row["query"]), {name: _text(value) for name, value in values.items()})


def of_table(table: pa.Table, query: str = "") -> Iterator[Change]:
    """The changes in a table of one query, or (with a column `query`) of all."""
    if "change" not in table.column_names or "tick" not in table.column_names:
        raise DataError(
            f"a table with the columns {', '.join(table.column_names) or '(none)'} has no changes; "
            "give what `engine.advance` or `engine.answers` returned"
        )
    if "query" in table.column_names and "answer" in table.column_names:
        yield from map(of_row, table.to_pylist())
        return
    ticks = {timed(name) for name in table.column_names}
    names = [name for name in table.column_names if name not in _COMMON and name not in ticks]
    written = {name for name in names if is_written(table.schema.field(name))}
    for row in table.to_pylist():
        texts = {name: row[name] if name in written and row[name] else _text(row[name]) for name in names}
        yield _change(row, query, texts)


def _change(row: Mapping[str, Any], query: str, values: Mapping[str, str]) -> Change:
    if row["change"] not in (*KINDS, STILL_OPEN):
        raise ValueError(row["change"])
    others: Sequence[str] = row.get("others") or ()
    shown = {name: ALL_OTHERS if name in others else value for name, value in values.items()}
    change = Change(row, query, shown, _times(row, int(row["tick"])))
    # All is read at once, so that a line that is none is found where it is.
    _ = change.evidence, change.awaited, change.because, change.lost, change.chance
    if silent := change.silent:
        _ = str(silent["change"]), int(silent["tick"])
    return change


def _times(row: Mapping[str, Any], tick: int) -> TickTimes | None:
    """The times of ticks in a row: a tick and its time tell how long a tick is."""
    time = row.get(TIME)
    if isinstance(time, str):
        time = datetime.fromisoformat(time)
    if time is None or not tick:
        return None
    variables = row.get("times") or (name for name in row if timed(name) in row and name not in _COMMON)
    zone = str(time.tzinfo)  # the name of a zone, whichever library it comes from, or an offset
    zone = zone if zone in zones() else DEFAULT_ZONE
    return TickTimes(dict.fromkeys(variables, TIME), Timescale.of_moment(tick, time, zone))


def _text(value: object) -> str:
    """A value in the language's syntax; `_` is any."""
    match value:
        case None:
            return "_"
        case bool():
            return str(value).lower()
        case str() | int() | float():
            return value_text(value)
        case _:
            return str(value)


def _table(source: Any) -> pa.Table:
    if not hasattr(source, "__arrow_c_stream__"):
        raise _unusable(source)
    return source if isinstance(source, pa.Table) else pa.table(source)


def _unusable(source: object) -> DataError:
    return DataError(
        f"{type(source).__name__} cannot be drawn; give a program, an engine, what `engine.advance` or "
        "`engine.answers` returned (one or a list), or the path of a log in JSON lines"
    )
