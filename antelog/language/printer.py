"""Documents and their parts as text in the language's own syntax.

Parsing the text gives an equal document again. The texts of literals are also what users
read as evidence and hypotheses.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction
from functools import singledispatch

from antelog.language import syntax
from antelog.language.literals import KINDS
from antelog.language.syntax import Value

KEYWORDS = frozenset({"tick", "input", "static", "delay", "chance", "query", "window", "horizon"}).union(
    *(kind.KEYWORDS for kind in KINDS.values())
)
_PLAIN = re.compile(r"[^\W\d_]\w*\Z")


def value_text(value: Value) -> str:
    """A constant as one would write it: quotes only where they are needed, `91` for 91.0."""
    if isinstance(value, str):
        plain = _PLAIN.match(value) and not value[0].isupper() and value not in KEYWORDS
        return value if plain else json.dumps(value, ensure_ascii=False)
    return repr(syntax.number(value))


@singledispatch
def to_text(node: object) -> str:
    """The text of any node of the syntax tree."""
    raise TypeError(f"not a node of the syntax tree: {node!r}")


@to_text.register
def _(node: syntax.Document) -> str:
    return "".join(to_text(statement) + "\n" for statement in node.statements)


@to_text.register
def _(node: syntax.Variable) -> str:
    return node.name


@to_text.register
def _(_node: syntax.Anonymous) -> str:
    return "_"


@to_text.register
def _(node: syntax.Constant) -> str:
    return value_text(node.value)


@to_text.register
def _(node: syntax.Shifted) -> str:
    sign = "+" if node.offset >= 0 else "-"
    return f"{node.variable}{sign}{value_text(abs(node.offset))}"


def _list(nodes: tuple[object, ...]) -> str:
    return ", ".join(to_text(node) for node in nodes)


@to_text.register
def _(node: syntax.Literal) -> str:
    return "".join(part if isinstance(part, str) else to_text(part) for part in node.parts)


@to_text.register
def _(node: syntax.Rule) -> str:
    return to_text(node.head) + (f" :- {_list(node.body)}" if node.body else "") + "."


@to_text.register
def _(node: syntax.Column) -> str:
    return node.name + (f": {node.type}" if node.type else "")


@to_text.register
def _(node: syntax.Bound) -> str:
    return value_text(node.amount) + (f" {node.unit}" if node.unit else "")


@to_text.register
def _(node: syntax.Percentage) -> str:
    return percentage_text(node.fraction)


def percentage_text(fraction: Fraction | float) -> str:
    """A probability as one would write it: `12.5%` for 0.125."""
    hundreds = Decimal(str(float(Fraction(str(fraction)) * 100)))
    return f"{hundreds.normalize():f}%"


def _shares(shares: tuple[syntax.Percentage, ...] | None) -> str:
    return "" if shares is None else f" ({_list(shares)})"


@to_text.register
def _(node: syntax.Tick) -> str:
    return f"tick {to_text(node.every)}."


@to_text.register
def _(node: syntax.Input) -> str:
    clauses = [f"delay {to_text(node.delay)}{_shares(node.shares)}"] if node.delay else []
    if node.one_per is not None:
        clauses.append(f"one per {' and '.join(name.text for name in node.one_per) or 'tick'}")
    behind = f" {', '.join(clauses)}" if clauses else ""
    return f"input {node.name}({_list(node.columns)}){behind}."


@to_text.register
def _(node: syntax.Static) -> str:
    return f"static {node.name}({_list(node.columns)})."


@to_text.register
def _(node: syntax.Delay) -> str:
    return f"delay {node.name}({_list(node.pattern)}) = {to_text(node.bound)}{_shares(node.shares)}."


@to_text.register
def _(node: syntax.Chance) -> str:
    again = f", again {to_text(node.again)}" if node.again else ""
    return f"chance {node.name}({_list(node.pattern)}) = {to_text(node.once)}{again}."


@to_text.register
def _(node: syntax.Query) -> str:
    window = f" window {to_text(node.window)}" if node.window else ""
    horizon = f" horizon {to_text(node.horizon)}" if node.horizon else ""
    alert = f" alert {to_text(node.alert)}" if node.alert else ""
    return f"query {to_text(node.atom)}{window}{horizon}{alert}."
