"""The columns of answers, and their types, which follow from the program and the types of the facts alone.

So an empty table has the types of a full one, and tables of several steps, which only get wider, are united.
Literals are listed by time, then text: negations by that of their atom, open times last, T and X before T+1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import starmap

import pyarrow as pa

from antelog.arrow.arrays import in_one_piece
from antelog.arrow.kinds import kind_of
from antelog.compile.literals import Atom, Last, StaticAtom
from antelog.compile.literals.terms import AnswerTerm, Calculated, Const, Operand, Time, Var
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import prepared
from antelog.engine.values.types import MIXED, NOTHING, Seen, Types, declared, type_of, types_of_rows, wider
from antelog.engine.values.values import Values
from antelog.lines import LITERAL_COLUMNS, of_structs


@dataclass(frozen=True, eq=False)
class AnswerColumns:
    """The types of a query's variables, without the time; and the schema of its changes and answers."""

    types: Mapping[str, pa.DataType]
    schema: pa.Schema


NO_COLUMNS = AnswerColumns({}, pa.schema([]))

WRITTEN = {b"values": b"written"}  # marks the fields of a schema whose texts are in the language's syntax
DIGITS = {b"values": b"numbers"}  # marks fields whose texts are numbers, some of which doubles would round

EXPLANATIONS = pa.list_(
    pa.struct([("evidence", pa.list_(pa.string())), ("hypotheses", pa.list_(pa.string()))])
)
SO_FAR = pa.list_(pa.struct([("literal", pa.string()), ("value", pa.float64()), ("whole", pa.int64())]))
"""The values of aggregates, and the whole number where a double would not have all its digits."""
SILENT = pa.struct([("change", pa.string()), ("tick", pa.int64())])
OTHERS_NAMES = pa.list_(pa.string())
LOST = pa.list_(pa.string())
AFTER_ANSWER: Mapping[str, pa.DataType] = {
    "explanations": EXPLANATIONS,
    "if_silent": SILENT,
    "decided_by": pa.int64(),
    "because": pa.list_(pa.string()),
    "lost": LOST,  # only where decisions may be lost from sight
}
EXPLAINING = ("explanations", "because")  # the columns with texts of the literals behind an answer


def _schema(relation: Relation, plan: Plan, types: Mapping[str, pa.DataType]) -> pa.Schema:
    answer, after = relation.answer, dict(AFTER_ANSWER)
    if relation.has_amounts:
        after["explanations"] = pa.list_(pa.struct([*EXPLANATIONS.value_type, pa.field("so_far", SO_FAR)]))
    if not plan.has_sight:
        del after["lost"]
    return pa.schema(
        [
            pa.field("tick", pa.int64()),
            pa.field("change", pa.string()),
            *(answer_field(name, types[name]) for name in answer.variables),
            *([pa.field(answer.time, pa.int64())] if answer.time is not None else []),
            *([pa.field("others", OTHERS_NAMES)] if relation.unguarded else []),
            *starmap(pa.field, after.items()),
        ]
    )


def with_structs(schema: pa.Schema) -> pa.Schema:
    """The schema of lines whose literals are structs."""
    for name in LITERAL_COLUMNS:
        place = schema.get_field_index(name)
        if place >= 0:
            schema = schema.set(place, pa.field(name, of_structs(schema.field(place).type)))
    return schema


def answer_field(name: str, type_: pa.DataType) -> pa.Field:
    """The column of a variable whose values are of a type; of several kinds they are texts, and marked so."""
    return pa.field(name, pa.string(), metadata=WRITTEN) if type_ == MIXED else pa.field(name, type_)


def with_digits(field: pa.Field) -> pa.Field:
    """The column of doubles as texts, which round nothing."""
    return pa.field(field.name, pa.string(), metadata=DIGITS)


def is_written(field: pa.Field) -> bool:
    """Whether a column has its values as texts in the language's syntax."""
    return field.metadata in (WRITTEN, DIGITS)


def as_doubles(table: pa.Table) -> pa.Table:
    """A table with doubles in place of numbers that are written, as Arrow's readers get it."""
    for place, field in enumerate(table.schema):
        if field.metadata == DIGITS:
            doubles = table.column(place).cast(pa.float64())
            table = table.set_column(place, pa.field(field.name, pa.float64()), doubles)
    return table


def answer_columns(plan: Plan, seen: Seen) -> Mapping[str, AnswerColumns]:
    """The columns of each query's answers, by the types of the columns that values can come from."""
    known = seen_types(plan, seen)
    types = {query.name: _variable_types(query, plan, known) for query in plan.queries}
    return {
        query.name: AnswerColumns(types[query.name], _schema(query, plan, types[query.name]))
        for query in plan.queries
    }


def _variable_types(relation: Relation, plan: Plan, known: Mapping[str, Types]) -> Mapping[str, pa.DataType]:
    rows = [_answer(each, plan, known) for each in prepared(plan).patterns[relation.name]]
    # A relation without patterns has its columns as well.
    columns = zip(*rows, strict=True) if rows else [()] * len(relation.answer.variables)
    return {
        name: declared(reduce(wider, column, NOTHING), type_)
        for name, column, type_ in zip(relation.answer.variables, columns, relation.answer.types, strict=True)
    }


def seen_types(plan: Plan, seen: Seen) -> dict[str, Types]:
    """The types of the columns of all inputs and static predicates, as far as the facts tell."""
    known = {s.name: _columns(s.types, seen.get(s.name, ())) for s in plan.inputs}
    own = types_of_rows({static.name: static.facts for static in plan.statics})
    for static in plan.statics:
        known[static.name] = _columns(static.types, seen.get(static.name, ()), own[static.name])
    changed = True
    while changed:
        changed = False
        for rule in plan.static_rules:
            given = ((each.arguments, known[each.predicate]) for each in rule.background)
            sources = [pair for columns in given for pair in zip(*columns, strict=False)]
            derived = tuple(_term(term, sources) for term in rule.answer)
            types = tuple(map(wider, known[rule.predicate], derived))
            changed = changed or types != known[rule.predicate]
            known[rule.predicate] = types
    return known


def _columns(declarations: Sequence[str | None], *seen: Sequence[pa.DataType]) -> Types:
    types: list[pa.DataType] = []
    for position, type_ in enumerate(declarations):
        columns = [each[position] for each in seen if position < len(each)]
        types.append(declared(reduce(wider, columns, NOTHING), type_))
    return tuple(types)


def _answer(of: Prepared, plan: Plan, known: Mapping[str, Types]) -> list[pa.DataType]:
    pattern, seen = of.pattern, of.seen
    atoms: list[Atom | StaticAtom] = [*pattern.facts, *pattern.background]
    sources = [pair for each in atoms for pair in zip(each.arguments, known[each.predicate], strict=False)]
    for latest in (each.literal for each in pattern.takings if isinstance(each.literal, Last)):
        reference = latest.references[0]
        of_relation = prepared(plan).relations.get(reference.name)
        if latest.predicate in known or of_relation is None:
            sources += zip(latest.arguments, known[latest.predicate], strict=False)
        else:
            sources += zip(reference.given, _variable_types(of_relation, plan, known).values(), strict=False)
    types: dict[AnswerTerm, pa.DataType] = {term: _term(term, sources) for term in pattern.answer}
    amounts = (each for each in pattern.takings if not isinstance(each.literal, Last))
    types |= {Var(name): pa.float64() for each in amounts for name in each.variables}
    types |= {Var(each.variable): _worked_out(each.operand) for each in pattern.worked_out}
    if seen is not None:
        (variable,) = pattern.unguarded
        columns = (known[column.name][column.position] for column in (*seen.inputs, *seen.statics))
        types[Var(variable)] = reduce(wider, (*columns, *map(type_of, seen.constants)), NOTHING)
    return [types[term] for term in pattern.answer]


def _worked_out(operand: Operand) -> pa.DataType:
    is_text = isinstance(operand, Calculated) and operand.gives == "text"
    return pa.string() if is_text else pa.float64()


def _term(term: AnswerTerm, sources: Iterable[tuple[AnswerTerm | None, pa.DataType]]) -> pa.DataType:
    """The type of a term; for a variable the common type of all the arguments that give it values."""
    if isinstance(term, Time):
        return pa.int64()
    if isinstance(term, Const):
        return type_of(term.value)
    return reduce(wider, (type_ for argument, type_ in sources if argument == term), NOTHING)


def united(tables: Sequence[pa.Table]) -> pa.Table:
    """Tables one below the other; their columns hold the values of all, and are null where one lacks them."""
    first = tables[0].schema
    if all(each.schema.equals(first, check_metadata=True) for each in tables):  # as mostly
        return pa.concat_tables(tables)
    names = dict.fromkeys(name for each in tables for name in each.column_names)
    schema = pa.schema(
        [
            reduce(_wider, (each.schema.field(name) for each in tables if name in each.column_names))
            for name in names
        ]
    )
    return pa.concat_tables([_with_types(each, schema) for each in tables])


def _wider(one: pa.Field, other: pa.Field) -> pa.Field:
    """The column that holds the values of two."""
    if one.equals(other, check_metadata=True) or pa.types.is_null(other.type):
        return one
    if pa.types.is_null(one.type) or kind_of(one.type) is None:
        return other
    both = (_type_of(each) for each in (one, other))
    field = answer_field(one.name, wider(*both))
    digits = DIGITS in (one.metadata, other.metadata) and field.metadata != WRITTEN
    return with_digits(field) if digits else field


def _type_of(field: pa.Field) -> pa.DataType:
    return MIXED if field.metadata == WRITTEN else pa.float64() if field.metadata == DIGITS else field.type


def _with_types(table: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [
        _column(table.column(field.name), table.schema.field(field.name), field)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def _column(column: pa.ChunkedArray, given: pa.Field, wanted: pa.Field) -> pa.Array | pa.ChunkedArray:
    if given.equals(wanted, check_metadata=True) or given.metadata == DIGITS:
        return column
    if is_written(wanted) and not pa.types.is_null(given.type):
        values = Values()
        return values.mixed(values.encode(in_one_piece(column)))
    return column.cast(wanted.type, safe=False)  # a whole number may become the double next to it
