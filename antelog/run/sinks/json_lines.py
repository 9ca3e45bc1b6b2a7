"""Changes and snapshots as JSON lines, put together column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as is_a

from antelog.answers import ENDS
from antelog.compile.nodes.plan import Relation
from antelog.engine.columns.joins import spread
from antelog.engine.columns.tables import Column, extent
from antelog.engine.step.schema import EXPLAINING, is_written
from antelog.engine.step.wording import LOST, from_written, order_of, ordered, plain
from antelog.escaping import json_text
from antelog.forecast.columns import KINDS
from antelog.language.moments import TIME, Timescale, timed
from antelog.lines import LABEL
from antelog.run.sinks.result import StepResult

TEXT = "the line"  # the column of lines that have been written already; no variable has such a name
_DIGITS = 6  # chances are written with so many digits
_PLAIN = r"^[ !#-\[\]-~]*$"  # texts in which JSON escapes nothing
_AT_ONCE = 10_000  # the lines that are put together at once: their parts take several times the memory


@dataclass(frozen=True)
class Style:
    """The style of lines: the most explanations of each (None: all), and whether it is ASCII only."""

    explanations: int | None = None
    ascii_only: bool = False

    def quoted(self, value: object) -> str:
        return json_text(value, ascii_only=self.ascii_only)


def change_lines(relations: Sequence[Relation], step: StepResult, style: Style) -> str:
    """The changes of all queries: in the order of their ticks, then of the queries, then of the answers."""
    return "".join(str(each, "utf-8") for each in change_bytes(relations, step, style))


def change_bytes(relations: Sequence[Relation], step: StepResult, style: Style) -> Iterator[memoryview]:
    """Lines as `change_lines` has them, as bytes, some at a time."""
    relations = step.relations if step.relations is not None else relations
    shown = [(each, step.tables[each.name]) for each in relations if step.tables[each.name].num_rows]
    if len(shown) == 1:
        yield from map(_bytes_of, _texts_of(*shown[0], style))
        return
    ticks: list[Column] = []
    texts: list[pa.Array] = []
    for relation, table in shown:
        texts += _texts_of(relation, table, style)
        ticks.append(np.sort(table.column("tick").to_numpy()))
    if texts:
        order, lines = np.argsort(np.concatenate(ticks), kind="stable"), pa.chunked_array(texts)
        for first in range(0, len(lines), _AT_ONCE):
            yield _bytes_of(_taken(lines, order[first : first + _AT_ONCE]))


def _bytes_of(lines: pa.Array) -> memoryview:
    _, offsets, content = lines.buffers()
    first, last = np.frombuffer(offsets, np.int64)[lines.offset :][[0, len(lines)]].tolist()
    return memoryview(content)[first:last]


def with_texts(relation: Relation, table: pa.Table, style: Style) -> pa.Table:
    """Changes with their lines as texts, in place of what only these have."""
    order = order_of(table, relation.answer.names)
    texts = pa.chunked_array([*_lines_of(relation, table, style, order)], pa.large_string())
    rest = table.drop_columns(EXPLAINING)
    return (rest if order is None else rest.take(order)).append_column(TEXT, texts)


def _texts_of(relation: Relation, table: pa.Table, style: Style) -> Iterator[pa.Array]:
    """The lines in order, some at a time: those of a step may be more than two gigabytes."""
    order = order_of(table, relation.answer.names)
    if TEXT not in table.column_names:
        return _lines_of(relation, table, style, order)
    lines = table.column(TEXT)
    at = np.arange(len(lines)) if order is None else order.to_numpy()
    return (_taken(lines, at[first : first + _AT_ONCE]) for first in range(0, len(lines), _AT_ONCE))


def _lines_of(
    relation: Relation, table: pa.Table, style: Style, order: pa.Array | None
) -> Iterator[pa.Array]:
    if order is not None:
        table = table.combine_chunks()  # else each take would do it
    for first in range(0, table.num_rows, _AT_ONCE):
        some = table.slice(first, _AT_ONCE) if order is None else table.take(order.slice(first, _AT_ONCE))
        yield _changes(relation, some, style).cast(pa.large_string())


def _taken(texts: pa.ChunkedArray, at: Column) -> pa.Array:
    """Takes texts from what lies between the first and the last in each piece: few, if these are in order."""
    piece = np.searchsorted(np.cumsum([len(each) for each in texts.chunks]), at, side="right")
    places, parts, count = at.copy(), [], 0
    for each in np.flatnonzero(np.bincount(piece)):
        low, size = extent(at[piece == each])
        places[piece == each] += count - low
        parts += texts.slice(low, size).chunks
        count += size
    return pa.concat_arrays(parts).take(pa.array(places))


def with_kinds(step: StepResult, only: Sequence[str], since: int | None = None) -> StepResult:
    """The step with the changes of some kinds, from a tick on."""
    tables = step.tables
    if not set(only) >= set(KINDS):
        kinds = pa.array(only, pa.string())
        tables = {name: each.filter(pc.is_in(each.column("change"), kinds)) for name, each in tables.items()}
    if since is not None:
        tables = {name: each.filter(pc.field("tick") >= since) for name, each in tables.items()}
    return step if tables is step.tables else replace(step, tables=tables)


def snapshot_lines(
    relations: Sequence[Relation], step: StepResult, style: Style, timescale: Timescale | None = None
) -> str:
    """A line for each query: its open answers after a tick, and those confirmed at it."""
    lines, time = [], ""
    if timescale is not None and step.tick in timescale.ticks:
        time = f', "{TIME}": "{timescale.time(step.tick).isoformat()}"'
    for relation in relations:
        table = ordered(step.tables[relation.name], relation.answer.names)
        fields = _fields(relation, table, style, pc.equal(_array(table, "change"), "confirmed"))
        answers = ", ".join(_joined('{"answer": ', *fields, "}").to_pylist())
        lines.append(
            f'{{"tick": {step.tick}{time}, "query": {style.quoted(relation.name)}, "answers": [{answers}]}}\n'
        )
    return "".join(lines)


def _changes(relation: Relation, table: pa.Table, style: Style) -> pa.Array:
    change = _array(table, "change")
    rejected, decided = pc.equal(change, "rejected"), pc.is_in(change, pa.array(ENDS))
    return _joined(
        '{"tick": ',
        _array(table, "tick").cast(pa.string()),
        *_time(table, TIME),
        ', "change": "',
        change.cast(pa.string()),
        f'", "query": {style.quoted(relation.name)}, "answer": ',
        *_fields(relation, table, style, decided, because=_because(table, rejected, style)),
        "}\n",
    )


def _fields(
    relation: Relation, table: pa.Table, style: Style, decided: pa.Array, *, because: Sequence[pa.Array] = ()
) -> list[str | pa.Array]:
    """The answers, and the fields behind them; decided ones have no outlook."""
    return [
        _answer(relation, table, style),
        *_answer_times(relation, table, style),
        *_others(table, style),
        *_label(table, style),
        *_explanations(table, style),
        pc.if_else(decided, "", _outlook(table)),
        *because,
        *_lost(table, style),
        *_chances(table, decided),
    ]


def _answer(relation: Relation, table: pa.Table, style: Style) -> pa.Array:
    parts: list[str | pa.Array] = []
    for name in relation.answer.names:
        written = is_written(table.schema.field(name))
        values = _written(_array(table, name), style) if written else _values(_array(table, name), style)
        parts += [", " if parts else "", f"{style.quoted(name)}: ", values]
    return _joined("{", *parts, "}") if parts else pa.array(["{}"] * table.num_rows, pa.string())


def _explanations(table: pa.Table, style: Style) -> list[str | pa.Array]:
    """The explanations, and how many there are beyond those; nothing at all if none are wanted."""
    if _unexplained(table, style):
        return []
    lists = _array(table, "explanations")
    counts = pc.fill_null(pc.list_value_length(lists), 0).to_numpy().astype(np.int64)
    kept = counts if style.explanations is None else np.minimum(counts, style.explanations)
    each = lists.flatten()
    if style.explanations is not None:
        _, shown = spread(np.cumsum(counts) - counts, kept)
        each = each.take(pa.array(shown))
    texts = _joined(
        '{"evidence": [',
        _lists(pc.struct_field(each, "evidence"), style),
        '], "hypotheses": [',
        _lists(pc.struct_field(each, "hypotheses"), style),
        *_so_far(each, style),
        "}",
    )
    more = counts - kept
    beyond = _joined(', "more": ', pa.array(more).cast(pa.string()))
    return [
        ', "explanations": [',
        _in_lists(texts, kept),
        pc.if_else(pa.array(more > 0), _joined("]", beyond), "]"),
    ]


def _because(table: pa.Table, rejected: pa.Array, style: Style) -> list[pa.Array]:
    if _unexplained(table, style):
        return []
    because = _joined(', "because": [', _lists(_array(table, "because"), style), "]")
    return [pc.if_else(rejected, because, "")]


def _lost(table: pa.Table, style: Style) -> list[pa.Array]:
    """The literals that were lost from sight, where there are any."""
    if LOST not in table.column_names:
        return []
    lost = _array(table, LOST)
    there = pc.fill_null(pc.greater(pc.list_value_length(lost), 0), False)
    return [pc.if_else(there, _joined(f', "{LOST}": [', _lists(lost, style), "]"), "")]


def _unexplained(table: pa.Table, style: Style) -> bool:
    """Whether lines are to have no explanations, or the engine has made none."""
    return style.explanations == 0 or table.column("explanations").null_count > 0


def _so_far(explanations: pa.Array, style: Style) -> list[str | pa.Array]:
    """The end of the hypotheses, and what aggregates come to so far, if there are any."""
    if explanations.type.get_field_index("so_far") < 0:
        return ["]"]
    found = pc.struct_field(explanations, "so_far")
    counts = pc.fill_null(pc.list_value_length(found), 0).to_numpy().astype(np.int64)
    each = found.flatten()
    texts, values = (_values(pc.struct_field(each, name), style) for name in ("literal", "value"))
    values = pc.coalesce(pc.struct_field(each, "whole").cast(pa.string()), values)
    lists = _in_lists(_joined(texts, ": ", values), counts)
    return [pc.if_else(pa.array(counts > 0), _joined('], "so_far": {', lists, "}"), "]")]


def _others(table: pa.Table, style: Style) -> list[pa.Array]:
    """Which variables stand for all others, if any do."""
    if "others" not in table.column_names:
        return []
    names = table.column("others").to_pylist()
    return [pa.array([f', "others": {style.quoted(each)}' if each else "" for each in names], pa.string())]


def _label(table: pa.Table, style: Style) -> list[str | pa.Array]:
    parts: list[str | pa.Array] = []
    for name in LABEL:
        if name in table.column_names:
            parts += [f', "{name}": ', _values(_array(table, name), style)]
    return parts


def _outlook(table: pa.Table) -> pa.Array:
    silent = _array(table, "if_silent")
    text = pa.array(["null"] * table.num_rows, pa.string())
    if is_a.is_struct(silent.type):
        tick = pc.struct_field(silent, "tick").cast(pa.string())
        time = _time(table, timed("if_silent"), TIME)
        change = pc.struct_field(silent, "change").cast(pa.string())
        there = _joined('{"change": "', change, '", "tick": ', tick, *time, "}")
        text = pc.coalesce(there, text)
    decided = pc.fill_null(_array(table, "decided_by").cast(pa.string()), "null")
    return _joined(', "if_silent": ', text, ', "decided_by": ', decided, *_time(table, timed("decided_by")))


def _time(table: pa.Table, column: str, name: str | None = None) -> list[pa.Array]:
    """A column of times as a field; nothing if there is no such column."""
    if column not in table.column_names:
        return []
    return [_where_timed(table, _joined(f', "{name or column}": ', _times(_array(table, column))))]


def _answer_times(relation: Relation, table: pa.Table, style: Style) -> list[pa.Array]:
    parts: list[str | pa.Array] = []
    for name in (each for each in relation.answer.times if timed(each) in table.column_names):
        start = ", " if parts else ', "times": {'
        parts += [f"{start}{style.quoted(name)}: ", _times(_array(table, timed(name)))]
    return [_where_timed(table, _joined(*parts, "}"))] if parts else []


def _where_timed(table: pa.Table, texts: pa.Array) -> pa.Array:
    """Texts of the lines whose ticks have times."""
    return pc.if_else(_array(table, TIME).is_null(), "", texts)


def _times(times: pa.Array) -> pa.Array:
    """Times as JSON, in ISO 8601."""
    return _each(times, lambda time: f'"{time.isoformat()}"')


def _chances(table: pa.Table, decided: pa.Array) -> list[pa.Array]:
    """The chances of open answers, and the chances that answers hold, if there are such columns."""
    parts = []
    if "chance" in table.column_names:
        judge = _array(table, "chance_from").cast(pa.string())
        said = _joined(
            *(', "chance": ', _numbers(_array(table, "chance"))),
            *(', "forecast": ', _forecasts(_array(table, "forecast"))),
            *(', "chance_from": ', pc.fill_null(_joined('"', judge, '"'), "null")),
        )
        parts.append(pc.if_else(decided, "", said))
    if "holds" in table.column_names:
        holds = _array(table, "holds")
        parts.append(pc.if_else(holds.is_null(), "", _joined(', "holds": ', _numbers(holds))))
    return parts


def _forecasts(lists: pa.Array) -> pa.Array:
    each = lists.flatten()
    tick, chance = pc.struct_field(each, "tick"), pc.struct_field(each, "chance")
    counts = pc.fill_null(pc.list_value_length(lists), 0).to_numpy().astype(np.int64)
    texts = _in_lists(_joined("[", tick.cast(pa.string()), ", ", _numbers(chance), "]"), counts)
    return pc.if_else(lists.is_null(), "null", _joined("[", texts, "]"))


def _numbers(array: pa.Array) -> pa.Array:
    """Chances as JSON."""
    return _each(array, lambda value: f"{value:.{_DIGITS}g}")


def _lists(lists: pa.Array, style: Style) -> pa.Array:
    """Lists of texts as JSON, without their brackets."""
    if is_a.is_null(lists.type):
        return pa.array([""] * len(lists), pa.string())
    counts = pc.fill_null(pc.list_value_length(lists), 0).to_numpy().astype(np.int64)
    return _in_lists(_values(lists.flatten(), style), counts)


def _in_lists(texts: pa.Array, counts: Column) -> pa.Array:
    """Texts joined into lists, given the length of each list."""
    offsets = pa.array(np.append(0, np.cumsum(counts)).astype(np.int32))
    return pc.binary_join(pa.ListArray.from_arrays(offsets, texts), ", ")


def _values(array: pa.Array, style: Style) -> pa.Array:
    if is_a.is_null(array.type):
        return pa.array(["null"] * len(array), pa.string())
    if is_a.is_integer(array.type):
        return pc.fill_null(array.cast(pa.string()), "null")
    if is_a.is_string(array.type):
        return _texts(array, style)
    return _each(array, lambda value: style.quoted(plain(value)))


def _texts(array: pa.Array, style: Style) -> pa.Array:
    """Texts as JSON; most are the same in it, and only the others are written one by one."""
    found = _joined('"', array, '"')
    if not _are_plain(array):
        others = pc.invert(pc.match_substring_regex(array, _PLAIN))
        written = [style.quoted(text) for text in array.filter(others).to_pylist()]
        found = pc.replace_with_mask(found, pc.fill_null(others, False), pa.array(written, pa.string()))
    return pc.fill_null(found, "null") if array.null_count else found


def _are_plain(array: pa.Array) -> bool:
    """Whether JSON escapes nothing in any text: looking at all bytes takes a tenth of the time."""
    _, offsets, content = array.buffers()
    first, last = np.frombuffer(offsets, np.int32)[array.offset :][[0, len(array)]].tolist()
    found = np.frombuffer(content or b"", np.uint8)[first:last]
    odd = (found < ord(" ")) | (found > ord("~")) | (found == ord('"')) | (found == ord("\\"))
    return not odd.any()


def _written(array: pa.Array, style: Style) -> pa.Array:
    """Values as JSON, given as texts in the language's syntax."""
    return _each(array, lambda text: style.quoted(from_written(text)))


def _each(array: pa.Array, write: Callable[[Any], str]) -> pa.Array:
    """Values as JSON; each is written once, as most occur in many lines."""
    encoded = array.dictionary_encode()
    distinct = pa.array([write(value) for value in encoded.dictionary.to_pylist()], pa.string())
    return pc.fill_null(distinct.take(encoded.indices), "null")


def _joined(*parts: str | pa.Array) -> pa.Array:
    """Texts side by side; nothing if one of them is nothing."""
    return pc.binary_join_element_wise(*parts, "")


def _array(table: pa.Table, name: str) -> pa.Array:
    return table.column(name).combine_chunks()
