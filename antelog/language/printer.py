"""Documents and their parts as text, from which parsing makes an equal document again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from antelog.language import syntax
from antelog.language.literals import KINDS
from antelog.language.syntax import Value

KEYWORDS = frozenset(
    {"tick", "zone", "limit", "include", "input", "static", "function", "delay", "chance", "query", "window"}
    | {"horizon"}
).union(*(kind.KEYWORDS for kind in KINDS.values()))
_PLAIN = re.compile(r"[^\W\d_]\w*\Z")


def value_text(value: Value) -> str:
    """Writes a constant, with quotes only where they are needed, and `91` for 91.0."""
    if isinstance(value, str):
        plain = _PLAIN.match(value) and not value[0].isupper() and value not in KEYWORDS
        return value if plain else json.dumps(value, ensure_ascii=False)
    number = syntax.number(value)
    return repr(number if number == value else value)  # one of more than 64 bits that no double is


def to_text(node: object) -> str:
    match node:
        case syntax.Document(statements):
            return "".join(f"{to_text(each)}\n" for each in statements if not _is_of_list(each))
        case syntax.Variable(name):
            return name
        case syntax.Anonymous():
            return "_"
        case syntax.Constant(value, named, unit) | syntax.Bound(value, unit, named):
            return (named or value_text(value)) + (f" {unit}" if unit else "")
        case syntax.Shifted(variable, offset, unit, named):
            amount = named or f"{'+' if offset >= 0 else '-'}{value_text(abs(offset))}"
            return f"{variable}{amount}" + (f" {unit}" if unit else "")
        case syntax.Calculation(function, arguments):
            return _joined(written(function, arguments))
        case syntax.Later(time, by):
            return f"{to_text(time)}+{to_text(by)}"
        case syntax.Range(first, last):
            return f"{to_text(first)}..{to_text(last)}"
        case syntax.Literal() | syntax.Aggregate():
            return _joined(node.parts)
        case syntax.Column(name, type_, most):
            return name + (f": {type_}" if type_ else "") + (f" <= {to_text(most)}" if most else "")
        case syntax.Percentage():
            return percentage_text(node.fraction)
        case syntax.Rule(head, body):
            return to_text(head) + (f" :- {_list(body)}" if body else "") + "."
        case syntax.Tick(every):
            return f"tick {to_text(every)}."
        case syntax.Zone(text) | syntax.Include(text):
            return f"{type(node).__name__.lower()} {json.dumps(text, ensure_ascii=False)}."
        case syntax.Limit(name, value):
            return f"limit {name} = {value_text(value)}."
        case syntax.Input(name, columns):
            return f"input {name}({_list(columns)}){_clauses(node)}."
        case syntax.Static(name, columns):
            return f"static {name}({_list(columns)})."
        case syntax.Function(name, columns, gives):
            return f"function {name}({_list(columns)}){f' -> {gives}' if gives else ''}."
        case syntax.Delay(name, pattern, bound, shares):
            return f"delay {name}({_list(pattern)}) = {to_text(bound)}{_shares(shares)}."
        case syntax.Chance(name, pattern, once, again):
            then = f", again {to_text(again)}" if again else ""
            return f"chance {name}({_list(pattern)}) = {to_text(once)}{then}."
        case syntax.Words(text):
            return json.dumps(text, ensure_ascii=False)
        case syntax.Query():
            return f"query {' '.join([to_text(node.atom), *_parts(node)])}."
        case syntax.Window():
            window, *horizon = window_texts(node)
            return f"{' '.join([window.replace(' ', f' {node.name} ', 1), *horizon])}."
        case _:
            raise TypeError(f"not a node of the syntax tree: {node!r}")


def _joined(parts: Iterable[object]) -> str:
    return "".join(part if isinstance(part, str) else to_text(part) for part in parts)


def _is_of_list(statement: syntax.Statement) -> bool:
    """Whether a statement comes from a list of values, and is not in the text of the program."""
    name = statement.head.predicate if isinstance(statement, syntax.Rule) else getattr(statement, "name", "")
    return name.startswith(syntax.MEMBER)


_LOOSE = {"+": 1, "-": 1, "*": 2, "/": 2}  # how closely operators bind


def written(function: str, arguments: Sequence[Any]) -> Iterator[Any]:
    """Writes a calculation in parts: texts, and its arguments."""
    if function not in _LOOSE:
        yield from (f"{function}(", *[part for each in arguments for part in (", ", each)][1:], ")")
        return
    left, right = arguments
    yield from _side(left, _LOOSE[function])
    yield f" {function} "
    yield from _side(right, _LOOSE[function] + 1)


def _side(term: Any, closeness: int) -> Iterator[Any]:
    """Writes a side of an operation, in parentheses if it binds less closely."""
    shifted = hasattr(term, "offset") and not getattr(term, "is_plain", False)
    operator = "+" if shifted else getattr(term, "function", None)
    if _LOOSE.get(operator or "", closeness) < closeness:
        yield from ("(", term, ")")
    else:
        yield term


def _list(nodes: tuple[object, ...]) -> str:
    return ", ".join(to_text(node) for node in nodes)


def listed(names: Sequence[str], word: str = "and") -> str:
    """Writes names one after the other: `a, b and c`."""
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def percentage_text(fraction: Fraction | float) -> str:
    """Writes a probability as a percentage: `12.5%` for 0.125."""
    hundreds = Decimal(str(float(Fraction(str(fraction)) * 100)))
    return f"{hundreds.normalize():f}%"


def rounded_percent(share: float) -> str:
    """Writes a probability in percent, `72`, with a digit more where it would read as nothing or all."""
    hundred = 100 * share
    if round(hundred) in (0, 100) and abs(hundred - round(hundred)) >= 0.05:
        return f"{hundred:.1f}"
    return f"{hundred:.0f}"


def general_text(predicate: str, arity: int) -> str:
    """Writes an atom with a variable for each column: `P(X1, X2, T)`."""
    return f"{predicate}({', '.join(general_variables(arity))})"


def general_variables(arity: int) -> list[str]:
    return [*(f"X{i + 1}" if arity > 2 else "X" for i in range(arity - 1)), "T"]


def window_texts(node: syntax.Query | syntax.Window) -> list[str]:
    """Writes the window and the horizon of a statement, if it has them."""
    bounds = (("window", node.window), ("horizon", node.horizon))
    return [f"{name} {to_text(bound)}" for name, bound in bounds if bound]


def _parts(query: syntax.Query) -> Iterator[str]:
    yield from [query.severity] if query.severity else []
    yield from window_texts(query)
    yield from [f"alert {to_text(query.alert)}"] if query.alert else []
    yield from [to_text(query.words)] if query.words else []
    yield from [f"many {to_text(query.many)}"] if query.many else []
    yield from [f"runbook {to_text(query.runbook)}"] if query.runbook else []
    yield from [f"given {_list(query.given)}"] if query.given else []


def _shares(shares: tuple[syntax.Percentage, ...] | None) -> str:
    return "" if shares is None else f" ({_list(shares)})"


def _clauses(node: syntax.Input) -> str:
    clauses = [f"delay {to_text(node.delay)}{_shares(node.shares)}"] if node.delay else []
    if node.one_per is not None:
        clauses.append(f"one per {' and '.join(name.name for name in node.one_per) or 'tick'}")
    if node.every is not None:
        per = f" per {' and '.join(name.name for name in node.every.per)}" if node.every.per else ""
        clauses.append(f"every {to_text(node.every.gap)}{per}")
    return f" {', '.join(clauses)}" if clauses else ""
