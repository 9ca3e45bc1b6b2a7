"""Nodes of the syntax tree: changed, and compared with what is expected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeGuard

from antelog.diagnostics import Span
from antelog.language import syntax


def same_value(want: syntax.Term, value: Any) -> bool:
    """Whether a value is the expected one: `_` is any, a variable one that is open."""
    match want:
        case syntax.Anonymous():
            return True
        case syntax.Variable():
            return value is None
        case syntax.Constant(wanted):
            if isinstance(value, bool):
                return wanted == str(value).lower()
            return isinstance(value, str) == isinstance(wanted, str) and bool(wanted == value)
        case _:
            return False


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """A node of the syntax tree, made anew from its parts up, each of them changed."""
    if isinstance(node, tuple):
        return tuple(rebuilt(each, change) for each in node)
    if not _is_node(node):
        return node
    found = object.__new__(type(node))
    for each in fields(node):
        object.__setattr__(found, each.name, rebuilt(getattr(node, each.name), change))
    return change(found)


def _is_node(node: object) -> TypeGuard[Any]:
    return is_dataclass(node) and not isinstance(node, type | Span)


def alike(expected: Sequence[syntax.Literal], found: Sequence[syntax.Literal]) -> bool:
    """Whether two literals are the same: up to the names of their variables, `_` being anything.

    Conditions count only where they are expected.
    """
    names: dict[str, str] = {}
    return _alike(expected[0], found[0], names) and _conditions(expected[1:], found[1:], names)


def _conditions(
    expected: Sequence[syntax.Literal], found: Sequence[syntax.Literal], names: Mapping[str, str]
) -> bool:
    """Whether each expected condition is one of those found, with one meaning of each variable."""
    if not expected:
        return True
    for each in found:
        tried = dict(names)
        if _alike(expected[0], each, tried) and _conditions(expected[1:], found, tried):
            return True
    return False


def _alike(expected: Any, found: Any, names: dict[str, str]) -> bool:
    if isinstance(expected, syntax.Anonymous):
        return True
    if isinstance(expected, tuple) and isinstance(found, tuple):
        return len(expected) == len(found) and all(
            _alike(one, other, names) for one, other in zip(expected, found, strict=True)
        )
    if not _is_node(expected):
        return bool(expected == found)
    if type(expected) is not type(found):
        return False
    if isinstance(expected, syntax.Variable):
        return bool(names.setdefault(expected.name, found.name) == found.name)
    if isinstance(expected, syntax.Constant):
        return same_value(expected, found.value)
    compared = [each.name for each in fields(expected) if each.compare]
    if isinstance(expected, syntax.Shifted):
        compared.remove("variable")
        if names.setdefault(expected.variable, found.variable) != found.variable:
            return False
    return all(_alike(getattr(expected, each), getattr(found, each), names) for each in compared)
