"""Column expressions: values parsed from texts, and nested fields.

    value_of(text, "temp", "number", counting)    the numbers, and a complaint for each text that is none
    fields({"temp": "double", "a.b": "string"})   the schema a line is parsed with: temp, `a.b`, and a with b
    field("parsed", "a.b")                        the column: `a.b` if there is such a field, else b of a

A field with the whole name is preferred to a path, as in `antelog.files.json_files`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from pyspark.sql import Column
from pyspark.sql import functions as f
from pyspark.sql.types import DataType, NumericType, StringType, StructType

from antelog.arrow.grammar import EXACT, NO_NUMBER, NOT_WHOLE, NUMBER, ROUNDED
from antelog.errors import DataError
from antelog.language.epochs import Counting
from antelog.spark.job.epochs import ParsedColumn, parsed_times
from antelog.spark.settings import MALFORMED, quoted

Kind: TypeAlias = Literal["number", "integer", "text", "time"]


def value_of(text: Column, name: str, kind: Kind, counting: Counting) -> ParsedColumn:
    """Parses texts into values. Missing values are left to the checks of the engine."""
    if kind == "text":
        return ParsedColumn(text, nothing())
    if kind == "number":
        return _number(text, name)
    if kind == "integer":
        double = f.when(text.rlike(NUMBER), f.trim(text).try_cast("double"))
        plain = f.when((f.rint(double) == double) & (f.abs(double) <= EXACT), double).cast("bigint")
        number = f.when(text.rlike(_WHOLE), f.trim(text).try_cast("bigint")).otherwise(plain)
        said = f.concat(f.lit("value `"), text, f.lit(f"` of column {name} {NOT_WHOLE}"))
        return ParsedColumn(number, f.when(text.isNotNull() & number.isNull(), said))
    return parsed_times(text, StringType(), name, counting) or ParsedColumn(text, nothing())


def nothing() -> Column:
    return f.lit(None).cast("string")


def malformed() -> Column:
    """Whether a row is marked as malformed."""
    return f.col(MALFORMED).isNotNull()


def _number(text: Column, name: str) -> ParsedColumn:
    number = f.when(text.rlike(NUMBER), f.trim(text).try_cast("double"))
    whole = text.rlike(_WHOLE)
    said = f.concat(f.lit("value `"), text, f.lit(f"` of column {name} "))
    complaint = f.when(
        text.isNotNull() & (number.isNull() | (f.abs(number) == float("inf"))),
        f.concat(said, f.lit(NO_NUMBER)),
    ).when(whole & (f.abs(number) > EXACT), f.concat(said, f.lit(ROUNDED)))
    return ParsedColumn(number, complaint)


_WHOLE = r"^\s*[+-]?[0-9]+\s*$"

_Tree: TypeAlias = "dict[str, str | _Tree]"
_MOST = 4
"""A name with more full stops is taken as a whole, or as a path of as many parts."""


def fields(types: Mapping[str, str]) -> StructType:
    """The schema for lines of JSON with fields of these names, or paths, and types."""
    tree: _Tree = {}
    for name, type_ in types.items():
        for parts in _splits(name):
            _put(tree, parts, type_)
    return _schema(tree)


def field(parsed: str, name: str) -> Column:
    """A field of a column that was parsed with the schema of `fields`."""
    return f.coalesce(*(f.col(".".join([parsed, *map(quoted, parts)])) for parts in _splits(name)))


def column_of(names: Sequence[str], name: str) -> Column:
    """The column of this name, or the field of a struct at this path."""
    return f.col(quoted(name) if name in names else ".".join(map(quoted, name.split("."))))


def paths(schema: StructType, before: str = "") -> Iterator[tuple[str, DataType]]:
    """The fields within the columns that are structs, with their types."""
    for each in schema:
        if isinstance(each.dataType, StructType):
            yield from paths(each.dataType, f"{before}{each.name}.")
        elif before:
            yield f"{before}{each.name}", each.dataType


def has_numbers(schema: StructType, name: str) -> bool:
    """Whether a column has numbers."""
    return isinstance(schema[name].dataType, NumericType)


def _splits(name: str) -> Iterator[tuple[str, ...]]:
    """The ways to read a name as a path: as a whole first."""
    yield (name,)
    if name.count(".") > _MOST:
        yield tuple(name.split("."))
        return
    at = name.find(".")
    while at >= 0:
        yield from ((name[:at], *rest) for rest in _splits(name[at + 1 :]))
        at = name.find(".", at + 1)


def _put(tree: _Tree, parts: Sequence[str], type_: str) -> None:
    inner: str | _Tree = tree
    for part in parts[:-1]:
        inner = inner.setdefault(part, {}) if isinstance(inner, dict) else inner
    if not isinstance(inner, dict) or isinstance(inner.setdefault(parts[-1], type_), dict):
        raise DataError(
            f"{'.'.join(parts)}: something around it, or within it, is the value of another column"
        )


def _schema(tree: _Tree) -> StructType:
    schema = StructType()
    for name, type_ in tree.items():
        schema = schema.add(name, _schema(type_) if isinstance(type_, dict) else type_)
    return schema
