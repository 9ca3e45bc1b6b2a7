"""Literals of derivations as text in the language's own syntax."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.compile.explain import operand_text, time_text
from antelog.compile.plan import Comparison, Literal, Negated, Operand, Sum, Term, Time, Var
from antelog.engine.layout import compared, variables_of
from antelog.engine.match import Rows
from antelog.engine.tables import Column
from antelog.engine.truth import Derivations
from antelog.engine.values import Values
from antelog.language.printer import value_text


def literals_of(block: Derivations) -> list[Literal]:
    """The literals of a block in the order of its lines."""
    return [*(place.atom for place in block.layout.places), *block.layout.negations]


def texts(block: Derivations, row: Column, values: Values) -> list[pa.Array]:
    """For each literal its text in each of these rows."""
    rows = block.rows.take(row)
    return [_text(literal, block, rows, values) for literal in literals_of(block)]


def _text(literal: Literal, block: Derivations, rows: Rows, values: Values) -> pa.Array:
    arguments = [*(_argument(a, rows, values) for a in literal.arguments), _time(literal.time, rows)]
    opening = f"not {literal.predicate}(" if isinstance(literal, Negated) else f"{literal.predicate}("
    text = pc.binary_join_element_wise(*arguments, ", ")
    conditions = [_condition(c, rows, values) for c in _open_conditions(literal, block, rows)]
    closing: list[pa.Scalar | pa.Array] = [pa.scalar(")")]
    if conditions:
        closing = [pa.scalar(") where "), pc.binary_join_element_wise(*conditions, ", ")]
    return pc.binary_join_element_wise(_constant(opening, rows), text, *closing, "")


def _constant(text: str, rows: Rows) -> pa.Array:
    return pa.repeat(text, rows.count)


def _argument(term: Term | None, rows: Rows, values: Values) -> pa.Array:
    if isinstance(term, Var):
        if term.name in rows.bound:
            return values.texts(rows.bound[term.name])
        return _constant(term.name, rows)
    return _constant("_" if term is None else value_text(term.value), rows)


def _time(time: Time, rows: Rows) -> pa.Array:
    if time.variable is None or time.variable not in rows.bound:
        return _constant(time_text(time), rows)
    return pc.cast(pa.array(rows.bound[time.variable] + time.offset), pa.string())


def _open_conditions(literal: Literal, block: Derivations, rows: Rows) -> list[Comparison]:
    """The comparisons that a fact has to meet for the literal, besides its values."""
    open_names = variables_of(literal) - rows.bound.keys()
    return [c for c in block.layout.pattern.comparisons if compared(c) & open_names]


def _condition(comparison: Comparison, rows: Rows, values: Values) -> pa.Array:
    sides = (_operand(comparison.left, rows, values), _operand(comparison.right, rows, values))
    return pc.binary_join_element_wise(sides[0], _constant(comparison.operator, rows), sides[1], " ")


def _operand(operand: Operand, rows: Rows, values: Values) -> pa.Array:
    match operand:
        case Var(name) if name in rows.bound:
            return values.texts(rows.bound[name])
        case Time(variable, _) if variable in rows.bound:
            return _time(operand, rows)
        case Sum(variable, offset) if variable in rows.bound:
            shifted = values.numbers(rows.bound[variable]) + offset
            return pa.array([value_text(v) for v in shifted.tolist()])
        case _:
            return _constant(operand_text(operand), rows)


def sorted_ranks(parts: list[pa.Array]) -> tuple[list[Column], pa.Array]:
    """Numbers in place of texts, which sort as the texts do, and the texts they stand for."""
    whole = pa.chunked_array(parts, pa.string()).combine_chunks().dictionary_encode()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.combine_chunks()
    order = pc.array_sort_indices(whole.dictionary).to_numpy()
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    ranks = rank[whole.indices.to_numpy(zero_copy_only=False).astype(np.int64)]
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return [part.astype(np.int64) for part in np.split(ranks, ends)], whole.dictionary.take(pa.array(order))
