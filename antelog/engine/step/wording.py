"""Lines for readers: in order, with plain values as JSON has them, times, severity and text."""

from __future__ import annotations

import base64
import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a

from antelog.arrow.arrays import ranks_of
from antelog.arrow.ticks import begins
from antelog.compile.nodes.plan import Plan, Relation
from antelog.engine.columns.tables import in_order
from antelog.engine.step.schema import DIGITS, EXPLAINING, is_written
from antelog.engine.values.types import as_plain
from antelog.language.durations import ticks_in_words
from antelog.language.moments import TIME, Timescale, timed
from antelog.language.printer import rounded_percent, value_text
from antelog.language.syntax import number
from antelog.language.templates import CHANCE, DECIDED_BY, LINE_NAMES, SO_FAR, UNKNOWN, Template, template_of
from antelog.lines import LABEL, amount_text, amounts_so_far, literals_of

LOST: Final = "lost"  # the column of literals lost from sight; also what good news nobody could see means
SEEN = "seen"  # the change of an answer that was lost: facts of its sources come again


def meaning(line: Mapping[str, Any]) -> str:
    """The meaning of a line for people: its change, or `lost` if that is good news nobody could see."""
    change: str = line["change"]
    return LOST if line.get(LOST) and change in _good_news(line.get("severity")) else change


def meanings(table: pa.Table, severity: str) -> pa.ChunkedArray:
    change = table.column("change")
    if LOST not in table.column_names:
        return change
    good_news = pc.is_in(change, pa.array(_good_news(severity)))
    return pc.if_else(pc.and_(table.column(LOST).is_valid(), good_news), LOST, change)


def _good_news(severity: str | None) -> Sequence[str]:
    return ("confirmed", SEEN) if severity == "good" else ("rejected", "unlikely", SEEN)


def unseen_since(line: Mapping[str, Any]) -> int:
    """The tick since which nothing is seen, by a line with literals that were lost."""
    ticks = (each.tick for literal in literals_of(line[LOST]) for each in literal.ticks)
    return min((int(line["tick"]), *ticks))


def finished(table: pa.Table, plan: Plan, query: str, most: int | None = None) -> pa.Table:
    """The lines of a query with their times, severity and text, and so many of the smallest explanations."""
    relation, timescale = plan.relation(query), plan.timescale
    table = table if timescale is None else with_times(table, relation, timescale)
    if relation.notice.labelled:
        severity = pa.repeat(pa.scalar(relation.severity, pa.string()), table.num_rows)
        texts = _texts(table, relation, timescale)
        for name, column in zip(LABEL, (severity, texts), strict=True):
            table = table.append_column(name, column)
    for name in () if most is None else EXPLAINING if most == 0 else EXPLAINING[:1]:
        place = table.schema.get_field_index(name)
        field, column = table.schema.field(place), table.column(place)
        fewer = pc.list_slice(column, 0, most) if most else pa.nulls(table.num_rows, field.type)
        table = table.set_column(place, field, fewer)
    return table


def needs_explanations(plan: Plan, most: int | None) -> bool:
    """Whether lines need explanations: some are to be shown, or the words name values so far."""
    return most != 0 or any(
        query.notice.labelled and SO_FAR in words_of(query).names for query in plan.queries
    )


def words_of(relation: Relation) -> Template:
    """The words of a query; its atom if it has none."""
    names = relation.answer.names
    words = relation.notice.words or f"{relation.name}({', '.join(f'{{{name}}}' for name in names)})"
    return template_of(words, (*names, *LINE_NAMES))


def _texts(table: pa.Table, relation: Relation, timescale: Timescale | None) -> pa.Array:
    pieces: list[str | pa.Array] = []
    found = words_of(relation).pieces
    # The values share so many letters, and each has at least 20: the text is for people.
    most = max(20, 10_000 // max(1, sum(name is not None for _, name in found)))
    names = {name for _, name in found if name is not None}
    values = {name: _cut(_values(name, table, relation, timescale), most) for name in names}
    for before, name in found:
        pieces += [before] if name is None else [before, values[name]]
    if any(isinstance(piece, pa.Array) for piece in pieces):
        return pc.binary_join_element_wise(*pieces, "")
    return pa.array(["".join(map(str, pieces))] * table.num_rows, pa.string())


def _cut(texts: pa.Array, most: int) -> pa.Array:
    """Shortens texts to at most so many letters."""
    long = pc.greater(pc.utf8_length(texts), most)
    if not pc.any(long).as_py():
        return texts
    return pc.if_else(
        long, pc.binary_join_element_wise(pc.utf8_slice_codeunits(texts, 0, most), "…", ""), texts
    )


def _values(name: str, table: pa.Table, relation: Relation, timescale: Timescale | None) -> pa.Array:
    type_ = TIME if name == DECIDED_BY else relation.answer.ticks.get(name)
    if type_ is not None:
        return _distinct(table, name, lambda ticks: ticks_in_words(ticks, type_, timescale))
    if name == CHANCE:
        return _distinct(table, name, lambda chance: f"{rounded_percent(chance)} %")
    if name == SO_FAR:
        firsts = ((each or [{}])[0] for each in table.column("explanations").to_pylist())
        found = (", ".join(map(amount_text, amounts_so_far(each).values())) for each in firsts)
        return pa.array([each or UNKNOWN for each in found], pa.string())
    written = is_written(table.schema.field(name))
    return _distinct(table, name, lambda value: value_in_words(from_written(value) if written else value))


def value_in_words(value: object) -> str:
    """A value of an answer without quotes; an open one is unknown."""
    match plain(value):
        case None:
            return UNKNOWN
        case str(text):
            return text
        case bool(truth):
            return str(truth).lower()
        case number:
            return value_text(number)


def _distinct(table: pa.Table, name: str, text: Callable[[Any], str]) -> pa.Array:
    """A column as texts; each value is made into a text once, as many lines have the same."""
    if name not in table.column_names or is_a.is_null(table.schema.field(name).type):
        return pa.array([UNKNOWN] * table.num_rows, pa.string())
    encoded = table.column(name).combine_chunks().dictionary_encode()
    texts = pa.array([text(value) for value in encoded.dictionary.to_pylist()], pa.string())
    return pc.fill_null(texts.take(encoded.indices), UNKNOWN)


def with_times(table: pa.Table, relation: Relation, timescale: Timescale) -> pa.Table:
    """The lines of a query, with a column of times after each one of ticks."""
    columns: list[pa.Array | pa.ChunkedArray] = []
    fields: list[pa.Field] = []
    for field, column in zip(table.schema, table.columns, strict=True):
        columns.append(column)
        fields.append(field)
        if field.name in ("tick", *relation.answer.times, "if_silent", "decided_by"):
            ticks = pc.struct_field(column, "tick") if field.name == "if_silent" else column
            columns.append(_times(ticks, timescale))
            fields.append(pa.field(timed(field.name), columns[-1].type))
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _times(ticks: pa.Array | pa.ChunkedArray, timescale: Timescale) -> pa.Array | pa.ChunkedArray:
    """The times at which ticks begin; null where there is no tick, or it is counted from 0."""
    there = timescale.ticks
    known = pc.and_(pc.greater_equal(ticks, there.start), pc.less(ticks, there.stop))
    return begins(pc.if_else(known, ticks, None), timescale)


# ---- plain values ----

Plain = str | int | float | bool | None


def plain(value: Any) -> Plain:
    """A value as JSON can have it: numbers as short as they can be, dates and the like as texts."""
    match value:
        case None | bool() | str() | int():
            return value
        case float():
            return number(value) if np.isfinite(value) else None
        case Decimal():
            return _exactly(value)
        case bytes():
            return base64.b16encode(value).decode().lower()
        case datetime.timedelta():
            return f"{number(value.total_seconds())} seconds"
        case _:
            return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)


def _exactly(value: Decimal) -> int | float | str:
    """A decimal as a number, or as a text if it has more digits than a number of JSON's readers keeps."""
    known = as_plain(value)
    return f"{value:f}".rstrip("0") if known is None else known


def from_written(text: str) -> str | int | float:
    """The value that a written text stands for: `true` is a truth value, `"true"` a text."""
    if text in _TRUTH:
        return _TRUTH[text]
    if text[0] in "-0123456789":
        return float(text) if "e" in text else _exactly(Decimal(text))
    return str(json.loads(text)) if text[0] == '"' else text


_TRUTH = {"true": True, "false": False}


def rows_of(table: pa.Table, relation: Relation) -> list[dict[str, Any]]:
    """The lines of a table in order, with the values themselves where they are written."""
    table = ordered(table, relation.answer.names)
    rows: list[dict[str, Any]] = table.to_pylist()
    for name in (field.name for field in table.schema if is_written(field)):
        for row in rows:
            row[name] = None if row[name] is None else from_written(row[name])
    return rows


def ordered(table: pa.Table, names: tuple[str, ...]) -> pa.Table:
    """The lines of a table in the order of their ticks, those of one tick in the order of their answers."""
    order = order_of(table, names)
    return table if order is None else table.take(order)


def order_of(table: pa.Table, names: tuple[str, ...]) -> pa.Array | None:
    """The rows of a table in the order that `ordered` gives them; None if they have it."""
    keys = [name for name in ("tick", *names) if name in table.column_names]
    written = [name for name in keys if is_written(table.schema.field(name))]
    if written:
        columns = [
            [
                _rank(from_written(v) if name in written and v is not None else v)
                for v in table.column(name).to_pylist()
            ]
            for name in keys
        ]
        rows = list(zip(*columns, strict=True))
        return pa.array(sorted(range(table.num_rows), key=rows.__getitem__), pa.int64())
    return _sorting(table, keys)


def log_order(table: pa.Table, relation: Relation) -> pa.Array | None:
    """Sorts rows as the log does, by tick, time and values; None if they are in that order."""
    answer = relation.answer
    names = answer.variables if answer.time is None else (answer.time, *answer.variables)
    if any(table.schema.field(name).metadata == DIGITS for name in names):
        return order_of(table, names)
    return _sorting(table, ("tick", *names))


def _sorting(table: pa.Table, names: Sequence[str]) -> pa.Array | None:
    """Sorts rows by columns, with null at the end; None if they are in that order."""
    if table.num_rows < 2 or not names:
        return None
    order = in_order([ranks_of(table.column(name)) for name in names])
    return None if np.all(order[1:] > order[:-1]) else pa.array(order)


def _rank(value: Any) -> tuple[int, float | Decimal, str]:
    """Sorts numbers before texts, and null at the end."""
    if value is None:
        return 2, 0.0, ""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return 0, value, ""
    return 1, 0.0, str(plain(value))
