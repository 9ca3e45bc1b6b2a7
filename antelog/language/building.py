"""Makes nodes of the syntax tree from the trees of statements, rule by rule of the grammar."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, TypeAlias

from lark import Token, Transformer, v_args
from lark.tree import Meta

from antelog.diagnostics import Diagnostic, Span
from antelog.language import syntax
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.functions import ARITHMETIC, CALENDAR, OF_ONE
from antelog.language.literals import KINDS
from antelog.language.literals.comparison import SPELLING
from antelog.language.printer import KEYWORDS, to_text
from antelog.language.syntax_hints import AGGREGATE
from antelog.language.terms import number_of


class UnusableError(Exception):
    """A constant that is well-formed but stands for nothing."""

    def __init__(self, span: Span, message: str, hint: str, code: str = "E001") -> None:
        self.diagnostic = Diagnostic(code, message, span, hint)


def _span(meta: Meta) -> Span:
    return Span(meta.start_pos, meta.end_pos)


def _at(token: Token) -> Span:
    return Span(token.start_pos or 0, token.end_pos or 0)


def _usable(name: Token) -> None:
    if name in KEYWORDS:
        message = f"`{name}` is a word of the language and cannot name a predicate"
        hint = f"Give the predicate another name, such as `{name.capitalize()}`."
        raise UnusableError(_at(name), message, hint)


LARGEST = 2**53
"""The longest time that a duration can have."""


def _number(token: Token) -> int | float:
    """A number: whole ones are exact within 64 bits, and beyond them a double."""
    value = number_of(token)
    if value == math.inf:
        raise _too_large(token, "any double, which is about 1.8e308")
    return value


def _too_large(token: Token, limit: str) -> UnusableError:
    hint = "Use a smaller number, or write it in quotes if it is only a name."
    return UnusableError(_at(token), f"this number is larger than {limit}", hint)


def _duration(token: Token, named: float | None = None) -> int | float:
    """An amount of time, or of percent, which may be that of a limit; all calculations with it are exact."""
    value = _number(token) if named is None else named
    if value > LARGEST:
        raise _too_large(token, "2^53, and that is longer than all time")
    return value


def _signed(amount: int | float, sign: str) -> int | float:
    return syntax.number(-amount) if sign == "-" else amount


def _signed_name(written: str | None, sign: str) -> str | None:
    """How a number is written behind a sign, if by the name of a limit: `-hot`."""
    if written is None:
        return None
    negative = written.startswith("-") != (sign == "-")
    return ("-" if negative else "+") + written.removeprefix("-")


def _not_a_variable(name: str, span: Span) -> UnusableError:
    hint = f"A variable starts with a capital letter: write `{name[0].upper()}{name[1:]}`."
    return UnusableError(span, f"`{name}` is a text, so nothing can be added to it or subtracted", hint)


def _refuse_durations(*terms: object) -> None:
    for each in terms:
        if isinstance(each, syntax.Bound):
            hint = (
                "A duration shifts a time, as in `U <= T + 15 minutes`. Values are calculated with numbers."
            )
            message = "a duration can only be added to a time or subtracted from one"
            raise UnusableError(each.span, message, hint)


def _unquoted(token: Token) -> str:
    try:
        value: str = json.loads(token, strict=False)
        value.encode()  # fails for half of a surrogate pair, which is not a character
    except ValueError:
        message = "this text has a backslash that means nothing"
        hint = r"Write `\\` for a backslash, `\"` for quotes, `\n` for a new line, `\u00b0` for the sign `°`."
        raise UnusableError(_at(token), message, hint) from None
    return value


_Body: TypeAlias = tuple[syntax.Literal | tuple[syntax.Literal, ...], ...]
"""Conditions; alternatives are a tuple of literals."""

MOST_ALTERNATIVES = 64
"""The rules that may come of one."""


def _rules(head: syntax.Atom, body: _Body, span: Span) -> tuple[syntax.Rule, ...]:
    """The rules that a rule with alternatives stands for, one for each choice."""
    choices = [each if isinstance(each, tuple) else (each,) for each in body]
    count = math.prod(map(len, choices))
    if count > MOST_ALTERNATIVES:
        most = f"{MOST_ALTERNATIVES} are the most there may be"
        message = f"this rule stands for {count:,} rules, one for each choice; {most}"
        hint = "Give each `or` a predicate of its own, or list values with `in`."
        raise UnusableError(span, message, hint)
    return tuple(syntax.Rule.of(head, chosen, span) for chosen in product(*choices))


def _part(name: str) -> Callable[[Builder, Meta, list[Any]], tuple[str, Any]]:
    """A method of `Builder` for a part of a query."""
    return lambda _builder, _meta, found: (name, str(found[0]) if isinstance(found[0], Token) else found[0])


@v_args(meta=True)
class Builder(Transformer[Token, Any]):
    """One method for each rule of the grammar, making the node of the same name.

    `limits` are the numbers that have names; it notes in `used` which of them are written so. `lists` has the
    values behind `in` that are new, by the names of their static predicates, until somebody takes them.
    """

    def __init__(self, limits: Mapping[str, int | float]) -> None:
        super().__init__()
        self._limits = limits
        self.used: set[str] = set()
        self.lists: dict[str, tuple[syntax.Constant, ...]] = {}
        self._listed: set[str] = set()

    def _amount(self, token: Token) -> tuple[int | float, str | None]:
        """An amount, and the name of the limit that it is written by."""
        if token.type == "NUMBER":
            return _duration(token), None
        name, value = str(token), self._limits.get(str(token))
        if value is None:
            message = f"a number stands here, or the name of a limit, and there is no limit `{name}`"
            near = did_you_mean(name, tuple(self._limits))
            near = near or f"Write a number, or declare `limit {name.lower()} = 10.`"
            raise UnusableError(_at(token), message, near, "E114")
        if value < 0:
            message = f"the limit {name} is {value}, and a stretch of time cannot be less than 0"
            raise UnusableError(_at(token), message, f"Give {name} a value from 0 on.", "E114")
        self.used.add(name)
        return _duration(token, value), name

    def word(self, meta: Meta, children: list[Token]) -> syntax.Term:
        name = str(children[0])
        if name in self._limits:
            self.used.add(name)
            return syntax.Constant(self._limits[name], name, span=_span(meta))
        kind = syntax.Variable if name[0].isupper() else syntax.Constant
        return kind(name, span=_span(meta))

    def number(self, meta: Meta, children: list[Token]) -> syntax.Term:
        return syntax.Constant(_number(children[0]), span=_span(meta))

    def signed(self, meta: Meta, children: list[Any]) -> syntax.Term:
        sign, term = children
        if _is_number(term):
            written = _signed_name(term.written, sign)
            written = written and written.removeprefix("+")
            return syntax.Constant(_signed(term.value, sign), written, span=_span(meta))
        return self.added(meta, [syntax.Constant(0, span=_at(sign)), sign, term])

    def added(self, meta: Meta, children: list[Any]) -> syntax.Term:
        left, sign, right = children
        span = _span(meta)
        if isinstance(right, syntax.Bound):
            if not isinstance(left, syntax.Variable):
                _refuse_durations(right)
            written = _signed_name(right.written, sign)
            return syntax.Shifted(left.name, _signed(right.amount, sign), right.unit, written, span=span)
        if sign == "+" and _is_number(left) and isinstance(right, syntax.Variable):
            left, right = right, left  # `1 + T` is `T + 1`
        if isinstance(right, syntax.Constant) and not isinstance(right.value, str):
            if isinstance(left, syntax.Variable):
                written = _signed_name(right.written, sign)
                return syntax.Shifted(left.name, _signed(right.value, sign), None, written, span=span)
            if isinstance(left, syntax.Constant) and isinstance(left.value, str):
                raise _not_a_variable(left.value, left.span)
        return self.multiplied(meta, children)

    def multiplied(self, meta: Meta, children: list[Any]) -> syntax.Term:
        left, operator, right = children
        _refuse_durations(left, right)
        return syntax.Calculation(str(operator), (left, right), span=_span(meta))

    def call(self, meta: Meta, children: list[Any]) -> syntax.Term:
        name, *arguments = children
        if name[0].isupper():
            message = f"`{name}` stands in a place for a value, and an atom is not one"
            hint = "Close the arguments before this atom with `)`: an argument has no arguments of its own."
            raise UnusableError(_at(name), message, hint)
        _refuse_durations(*arguments)
        if name in OF_ONE and len(arguments) != 1:
            hint = f"Write it like `{name}({'T' if name in CALENDAR else 'V'})`."
            raise UnusableError(_span(meta), f"`{name}` takes 1 argument", hint)
        return syntax.Calculation(str(name), tuple(arguments), span=_span(meta))

    def range(self, meta: Meta, children: list[syntax.Term]) -> syntax.Term:
        _refuse_durations(*children)
        return syntax.Range(children[0], children[1], span=_span(meta))

    def text(self, meta: Meta, children: list[Token]) -> syntax.Term:
        value = _unquoted(children[0])
        written = json.dumps(value, ensure_ascii=False) if value in self._limits else None
        return syntax.Constant(value, written, span=_span(meta))

    def anonymous(self, meta: Meta, _children: list[Token]) -> syntax.Term:
        return syntax.Anonymous(span=_span(meta))

    def __default__(self, data: Token, children: list[Any], meta: Meta) -> syntax.Literal:
        """A literal: its grammar rule is in the table of kinds."""
        for child in children[:1]:
            if isinstance(child, Token) and child.type == "WORD":
                _usable(child)
        for at, child in enumerate(children):
            if isinstance(child, syntax.Bound) and data == "atom":
                children[at] = syntax.Constant(child.amount, child.written, child.unit, span=child.span)
        _refuse_durations(*children)
        return KINDS[str(data)].built(children, _span(meta))

    def body(self, _meta: Meta, children: list[Any]) -> _Body:
        return tuple(children)

    def either(self, _meta: Meta, children: list[Any]) -> tuple[syntax.Literal, ...]:
        children = [one for each in children for one in (each if isinstance(each, tuple) else (each,))]
        for each in children:
            if isinstance(each, syntax.Negation | syntax.Last):
                message = (
                    f"`{to_text(each)}` is one of several alternatives, which can be atoms and comparisons"
                )
                hint = "Write one rule for each alternative, with the same head."
                raise UnusableError(each.span, message, hint)
        return tuple(children)

    def membership(self, meta: Meta, children: list[Any]) -> syntax.Atom | tuple[syntax.Literal, ...]:
        term, *values = children
        _refuse_durations(*children)
        for each in values:
            if not isinstance(each, syntax.Constant):
                message = f"`{to_text(each)}` has no value of its own, and the list behind `in` has values"
                hint = "Write values, as in `X in (pump, fan)`, or compare: `X = Y`."
                raise UnusableError(each.span, message, hint)
        if isinstance(term, syntax.Calculation | syntax.Shifted):  # no variable that could get the values
            span = _span(meta)
            return tuple(syntax.Comparison(term, "=", value, span=span) for value in values)
        name = f"{syntax.MEMBER}{', '.join(map(to_text, values))})"
        if name not in self._listed:
            self._listed.add(name)
            self.lists[name] = tuple(values)
        return syntax.Atom(name, (term,), span=_span(meta), name_span=_span(meta))

    def aggregate(self, meta: Meta, children: list[Any]) -> syntax.Aggregate:
        function, *rest = children
        distinct = isinstance(rest[0], Token) and rest[0].type == "DISTINCT"
        rest = rest[1:] if distinct else rest
        value = None
        if isinstance(rest[0], Token):
            name = rest.pop(0)
            if not name[0].isupper():
                raise _not_a_variable(name, _at(name))
            value = syntax.Variable(str(name), span=_at(name))
        atom, *conditions = rest
        if atom.predicate in ARITHMETIC or not atom.terms:
            message = f"`{to_text(atom)}` is not an atom with a time, and an aggregate is about one"
            raise UnusableError(atom.span, message, AGGREGATE)
        return syntax.Aggregate(str(function), distinct, value, atom, tuple(conditions), span=_span(meta))

    def comparison(self, meta: Meta, children: list[Any]) -> syntax.Literal:
        left, operator, right = children
        _refuse_durations(left, right)
        operator = SPELLING.get(operator, str(operator))
        found = syntax.Aggregation.between(left, operator, right, _span(meta))
        for side in (left, right) if found is None else (found.right,):
            if not isinstance(side, syntax.Aggregate) and (inner := _aggregate_in(side)) is not None:
                message = "an aggregate stands on its side of a comparison with times and plus numbers only"
                hint = "Put all else on the other side: `avg(…) < V - 5` in place of `V - avg(…) > 5`, "
                hint += "`max(…) > min(…) + 5` in place of `max(…) - min(…) > 5`."
                raise UnusableError(inner.span, message, hint)
        return found or syntax.Comparison(left, operator, right, span=_span(meta))

    def fact(self, meta: Meta, children: list[Any]) -> syntax.Rule:
        return syntax.Rule(children[0], (), span=_span(meta))

    def backward_rule(self, meta: Meta, children: list[Any]) -> tuple[syntax.Rule, ...]:
        return _rules(children[0], children[1], _span(meta))

    def forward_rule(self, meta: Meta, children: list[Any]) -> tuple[syntax.Rule, ...]:
        return _rules(children[1], children[0], _span(meta))

    def column(self, meta: Meta, children: list[Any]) -> syntax.Column:
        most = children.pop() if isinstance(children[-1], syntax.Bound) else None
        if most is not None and SPELLING.get(sign := children.pop(), str(sign)) != "<=":
            message = "a column has an upper bound, if any"
            raise UnusableError(_at(sign), message, "Write it as `limit <= 4 hours`.")
        name, type_ = str(children[0]), children[1] if len(children) > 1 else None
        type_span = syntax.NOWHERE if type_ is None else _at(type_)
        return syntax.Column(name, type_ and str(type_), most, span=_span(meta), type_span=type_span)

    def bound(self, meta: Meta, children: list[Token]) -> syntax.Bound:
        amount, written = self._amount(children[0])
        unit = str(children[1]) if len(children) > 1 else None
        return syntax.Bound(amount, unit, written, span=_span(meta))

    duration = stretch = bound

    def percentage(self, meta: Meta, children: list[Token]) -> syntax.Percentage:
        digits = children[0].update(value=children[0][:-1])
        return syntax.Percentage(_duration(digits), span=_span(meta))

    def one_per(self, _meta: Meta, children: list[Token]) -> tuple[syntax.Column, ...]:
        return tuple(syntax.Column(str(name), span=_at(name)) for name in children)

    def every(self, meta: Meta, children: list[Any]) -> syntax.ExpectedGap:
        gap, *names = children
        per = self.one_per(meta, [name for name in names if name is not None])
        return syntax.ExpectedGap(gap, per, span=_span(meta))

    def tick(self, meta: Meta, children: list[Any]) -> syntax.Tick:
        return syntax.Tick(children[0], span=_span(meta))

    def zone(self, meta: Meta, children: list[Token]) -> syntax.Zone:
        return syntax.Zone(_unquoted(children[0]), span=_span(meta))

    def limit(self, meta: Meta, children: list[Token]) -> syntax.Limit:
        name, *sign, amount = children
        if name in KEYWORDS:
            message = f"`{name}` is a word of the language and cannot name a limit"
            raise UnusableError(_at(name), message, "Give the limit another name.", "E114")
        if name[0].isupper():
            message = f"a variable begins with a capital letter, and a limit does not: `{name}`"
            raise UnusableError(_at(name), message, f"Write `limit {name[0].lower()}{name[1:]} = …`.", "E114")
        value = _signed(_number(amount), sign[0] if sign else "+")
        return syntax.Limit(str(name), value, span=_span(meta), name_span=_at(name))

    def include(self, meta: Meta, children: list[Token]) -> syntax.Include:
        return syntax.Include(_unquoted(children[0]), span=_span(meta), path_span=_at(children[0]))

    def input(self, meta: Meta, children: list[Any]) -> syntax.Input:
        name, *rest = children
        _usable(name)
        columns = tuple(c for c in rest if isinstance(c, syntax.Column))
        delay = next((c for c in rest if isinstance(c, syntax.Bound)), None)
        one_per = next((c for c in rest if isinstance(c, tuple)), None)
        shares = tuple(c for c in rest if isinstance(c, syntax.Percentage)) or None
        every = next((c for c in rest if isinstance(c, syntax.ExpectedGap)), None)
        clauses = (delay, one_per, shares, every)
        return syntax.Input(str(name), columns, *clauses, span=_span(meta), name_span=_at(name))

    def static(self, meta: Meta, children: list[Any]) -> syntax.Static:
        name, *columns = children
        _usable(name)
        return syntax.Static(str(name), tuple(columns), span=_span(meta), name_span=_at(name))

    def function(self, meta: Meta, children: list[Any]) -> syntax.Function:
        name, *rest = children
        _usable(name)
        gives = rest.pop() if rest and isinstance(rest[-1], Token) else None
        return syntax.Function(
            *(str(name), tuple(rest), gives and str(gives)),
            span=_span(meta), name_span=_at(name), gives_span=_at(gives) if gives else syntax.NOWHERE,
        )  # fmt: skip

    def delay(self, meta: Meta, children: list[Any]) -> syntax.Delay:
        shares = tuple(c for c in children if isinstance(c, syntax.Percentage))
        name, *pattern, bound = children[: len(children) - len(shares)]
        return syntax.Delay(
            str(name), tuple(pattern), bound, shares or None, span=_span(meta), name_span=_at(name)
        )

    def chance(self, meta: Meta, children: list[Any]) -> syntax.Chance:
        name, *rest = children
        once, *more = [c for c in rest if isinstance(c, syntax.Percentage)]
        again = more[0] if more else None
        pattern = tuple(c for c in rest if not isinstance(c, syntax.Percentage))
        return syntax.Chance(str(name), pattern, once, again, span=_span(meta), name_span=_at(name))

    window, horizon, alert, severity = map(_part, ("window", "horizon", "alert", "severity"))

    def words(self, meta: Meta, children: list[Token]) -> tuple[str, syntax.Words]:
        return "words", syntax.Words(_unquoted(children[0]), span=_span(meta))

    def given(self, _meta: Meta, children: list[syntax.Atom]) -> tuple[str, tuple[syntax.Atom, ...]]:
        return "given", tuple(children)

    def query(self, meta: Meta, children: list[Any]) -> syntax.Query:
        atom, *parts = children
        names = [name for name, _ in parts]
        for name in names:
            if names.count(name) > 1:
                shown = f"`{name}`" if name in {"window", "horizon", "alert", "given"} else name
                hint = "Keep one: the parts of a query stand in any order, each once."
                raise UnusableError(_span(meta), f"this query has {shown} twice", hint, "E101")
        return syntax.Query(atom, **dict(parts), span=_span(meta))


def _is_number(term: Any) -> bool:
    return isinstance(term, syntax.Constant) and not isinstance(term.value, str)


def _aggregate_in(term: syntax.Term) -> syntax.Aggregate | None:
    """An aggregate that is calculated with."""
    if isinstance(term, syntax.Aggregate):
        return term
    inner = map(_aggregate_in, term.arguments) if isinstance(term, syntax.Calculation) else ()
    return next((each for each in inner if each is not None), None)
