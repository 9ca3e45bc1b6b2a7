"""Fields within fields on Spark: `decoded.payload.temperature` of JSON lines, and of struct columns.

    fields({"temp": "double", "a.b": "string"})   the schema a line is parsed with: temp, `a.b`, and a with b
    field("parsed", "a.b")                        the column: `a.b` if there is such a field, else b of a

A field that has the whole name goes before a path, as in process (`antelog.files.json_files`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from pyspark.sql import Column
from pyspark.sql import functions as f
from pyspark.sql.types import DataType, NumericType, StructType

from antelog.errors import DataError
from antelog.spark.settings import quoted

_Tree: TypeAlias = "dict[str, str | _Tree]"
_MOST = 4
"""A name with more full stops is taken as a whole, or as a path of as many parts."""


def fields(types: Mapping[str, str]) -> StructType:
    """What a line of JSON is parsed with, so that it has fields of these names, or paths, and types."""
    tree: _Tree = {}
    for name, type_ in types.items():
        for parts in _splits(name):
            _put(tree, parts, type_)
    return _schema(tree)


def field(parsed: str, name: str) -> Column:
    """A field of what was parsed with `fields`."""
    return f.coalesce(*(f.col(".".join([parsed, *map(quoted, parts)])) for parts in _splits(name)))


def column_of(names: Sequence[str], name: str) -> Column:
    """A column that is there, or a field of a struct."""
    return f.col(quoted(name) if name in names else ".".join(map(quoted, name.split("."))))


def paths(schema: StructType, before: str = "") -> Iterator[tuple[str, DataType]]:
    """The fields within the columns that are structs, with their types."""
    for each in schema:
        if isinstance(each.dataType, StructType):
            yield from paths(each.dataType, f"{before}{each.name}.")
        elif before:
            yield f"{before}{each.name}", each.dataType


def has_numbers(schema: StructType, name: str) -> bool:
    """Whether a column that is there is one of numbers."""
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
