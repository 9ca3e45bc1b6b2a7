"""Makes nodes of the syntax tree from the trees of the parser."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, TypeAlias

from lark import Token, Transformer, v_args
from lark.tree import Meta

from antelog.diagnostics import Span, problem
from antelog.language import syntax
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.functions import ARITHMETIC, CALENDAR, OF_ONE
from antelog.language.literals import KINDS
from antelog.language.literals.comparison import SPELLING
from antelog.language.printer import KEYWORDS, to_text
from antelog.language.syntax_errors import AGGREGATE
from antelog.language.terms import number_of


class UnusableError(Exception):
    """A statement that the grammar allows has no meaning, for a reason in `problems.toml`."""

    def __init__(self, name: str, span: Span, /, **values: object) -> None:
        self.diagnostic = problem(name, span, **values)


def _at(token: Token) -> Span:
    return Span(token.start_pos or 0, token.end_pos or 0)


def _refuse_keyword(name: Token) -> None:
    if name in KEYWORDS:
        raise UnusableError("E001.keyword", _at(name), name=name, other=name.capitalize())


LARGEST = 2**53  # the longest duration


def _number(token: Token) -> int | float:
    """Reads a number; a whole one is exact within 64 bits, else a double."""
    value = number_of(token)
    if value == math.inf:
        raise UnusableError("E001.large", _at(token), limit="any double, which is about 1.8e308")
    return value


def _duration(token: Token, value: float) -> int | float:
    """Refuses an amount of time, or of percent, with which calculations would not be exact."""
    if value > LARGEST:
        raise UnusableError("E001.large", _at(token), limit="2^53, and that is longer than all time")
    return value


def _signed(amount: int | float, sign: str) -> int | float:
    return syntax.number(-amount) if sign == "-" else amount


def _signed_name(written: str | None, sign: str) -> str | None:
    """Writes a limit behind a sign: `-hot`; None for other numbers."""
    if written is None:
        return None
    negative = written.startswith("-") != (sign == "-")
    return ("-" if negative else "+") + written.removeprefix("-")


def _not_a_variable(name: str, span: Span) -> UnusableError:
    return UnusableError("E001.text", span, name=name, variable=name[0].upper() + name[1:])


def _refuse_durations(*terms: object) -> None:
    for each in terms:
        if isinstance(each, syntax.Bound):
            raise UnusableError("E001.no-time", each.span)


def _unquoted(token: Token) -> str:
    try:
        value: str = json.loads(token, strict=False)
        value.encode()  # fails for half of a surrogate pair, which is not a character
    except ValueError:
        raise UnusableError("E001.backslash", _at(token)) from None
    return value


_Body: TypeAlias = tuple[syntax.Literal | tuple[syntax.Literal, ...], ...]  # a tuple has alternatives

MOST_ALTERNATIVES = 64  # the most rules that a rule with alternatives may stand for


def _part(name: str) -> Callable[[Builder, Span, Any], tuple[str, Any]]:
    """Makes a method of `Builder` for a part of a query."""
    return lambda _builder, _span, found: (name, str(found) if isinstance(found, Token) else found)


def _text_part(name: str) -> Callable[[Builder, Span, Token], tuple[str, syntax.Words]]:
    return lambda _builder, _span, text: (name, syntax.Words(_unquoted(text), span=_at(text)))


def _with_span(method: Callable[..., Any], _rule: Token, children: list[Any], meta: Meta) -> Any:
    return method(Span(meta.start_pos, meta.end_pos), *children)


@v_args(wrapper=_with_span)
class Builder(Transformer[Token, Any]):
    """Makes nodes of the syntax tree, with one method for each rule of the grammar."""

    def __init__(self, limits: Mapping[str, int | float]) -> None:
        super().__init__()
        self._limits = limits
        self.used: set[str] = set()  # the limits that are written
        self.lists: dict[str, tuple[syntax.Constant, ...]] = {}  # new ones behind `in`, by their predicates
        self._listed: set[str] = set()

    def _amount(self, token: Token) -> tuple[int | float, str | None]:
        """An amount, and the name of the limit by which it is written."""
        if token.type == "NUMBER":
            return _duration(token, _number(token)), None
        name, value = str(token), self._limits.get(str(token))
        if value is None:
            near = did_you_mean(name, tuple(self._limits))
            near = near or f"Write a number, or declare `limit {name.lower()} = 10.`"
            raise UnusableError("E114.unknown", _at(token), name=name, near=near)
        if value < 0:
            raise UnusableError("E114.negative", _at(token), name=name, value=value)
        self.used.add(name)
        return _duration(token, value), name

    # ---- terms ----

    def word(self, span: Span, name: Token) -> syntax.Term:
        if name in self._limits:
            self.used.add(str(name))
            return syntax.Constant(self._limits[name], str(name), span=span)
        kind = syntax.Variable if name[0].isupper() else syntax.Constant
        return kind(str(name), span=span)

    def number(self, span: Span, digits: Token) -> syntax.Term:
        return syntax.Constant(_number(digits), span=span)

    def signed(self, span: Span, sign: Token, term: Any) -> syntax.Term:
        if _is_number(term):
            written = _signed_name(term.written, sign)
            written = written and written.removeprefix("+")
            return syntax.Constant(_signed(term.value, sign), written, span=span)
        return self.added(span, syntax.Constant(0, span=_at(sign)), sign, term)

    def added(self, span: Span, left: Any, sign: Token, right: Any) -> syntax.Term:
        if isinstance(right, syntax.Bound):
            if not isinstance(left, syntax.Variable):
                _refuse_durations(right)
            written = _signed_name(right.written, sign)
            return syntax.Shifted(left.name, _signed(right.amount, sign), right.unit, written, span=span)
        if sign == "+" and _is_number(left) and isinstance(right, syntax.Variable):
            left, right = right, left  # `1 + T` is `T + 1`
        if _is_number(right):
            if isinstance(left, syntax.Variable):
                written = _signed_name(right.written, sign)
                return syntax.Shifted(left.name, _signed(right.value, sign), None, written, span=span)
            if isinstance(left, syntax.Constant) and isinstance(left.value, str):
                raise _not_a_variable(left.value, left.span)
        return self.multiplied(span, left, sign, right)

    def multiplied(self, span: Span, left: Any, operator: Token, right: Any) -> syntax.Term:
        _refuse_durations(left, right)
        return syntax.Calculation(str(operator), (left, right), span=span)

    def call(self, span: Span, name: Token, *arguments: Any) -> syntax.Term:
        if name[0].isupper():
            raise UnusableError("E001.atom-as-value", _at(name), name=name)
        _refuse_durations(*arguments)
        if name in OF_ONE and len(arguments) != 1:
            raise UnusableError("E001.arguments", span, name=name, one="T" if name in CALENDAR else "V")
        return syntax.Calculation(str(name), arguments, span=span)

    def range(self, span: Span, first: syntax.Term, last: syntax.Term) -> syntax.Term:
        _refuse_durations(first, last)
        return syntax.Range(first, last, span=span)

    def text(self, span: Span, quoted: Token) -> syntax.Term:
        value = _unquoted(quoted)
        written = json.dumps(value, ensure_ascii=False) if value in self._limits else None
        return syntax.Constant(value, written, span=span)

    def anonymous(self, span: Span) -> syntax.Term:
        return syntax.Anonymous(span=span)

    # ---- literals and rules ----

    def __default__(self, data: Token, children: list[Any], meta: Meta) -> syntax.Literal:
        """Makes a literal, by the class that the table of kinds has for its grammar rule."""
        for child in children[:1]:
            if isinstance(child, Token) and child.type == "WORD":
                _refuse_keyword(child)
        for at, child in enumerate(children):
            if isinstance(child, syntax.Bound) and data == "atom":
                children[at] = syntax.Constant(child.amount, child.written, child.unit, span=child.span)
        _refuse_durations(*children)
        return KINDS[str(data)].built(children, Span(meta.start_pos, meta.end_pos))

    def body(self, _span: Span, *literals: Any) -> _Body:
        return literals

    def either(self, _span: Span, *choices: Any) -> tuple[syntax.Literal, ...]:
        found = [one for each in choices for one in (each if isinstance(each, tuple) else (each,))]
        for each in found:
            if isinstance(each, syntax.Negation | syntax.Last | syntax.First):
                raise UnusableError("E001.alternative", each.span, literal=to_text(each))
        return tuple(found)

    def membership(self, span: Span, term: Any, *values: Any) -> syntax.Atom | tuple[syntax.Literal, ...]:
        _refuse_durations(term, *values)
        for each in values:
            if not isinstance(each, syntax.Constant):
                raise UnusableError("E001.listed", each.span, term=to_text(each))
        if isinstance(term, syntax.Calculation | syntax.Shifted):  # no variable that could get the values
            return tuple(syntax.Comparison(term, "=", value, span=span) for value in values)
        name = f"{syntax.MEMBER}{', '.join(map(to_text, values))})"
        if name not in self._listed:
            self._listed.add(name)
            self.lists[name] = values
        return syntax.Atom(name, (term,), span=span, name_span=span)

    def aggregate(self, span: Span, function: Token, *rest: Any) -> syntax.Aggregate:
        distinct = isinstance(rest[0], Token) and rest[0].type == "DISTINCT"
        rest = rest[1:] if distinct else rest
        value = None
        if isinstance(rest[0], Token):
            name, rest = rest[0], rest[1:]
            if not name[0].isupper():
                raise _not_a_variable(name, _at(name))
            value = syntax.Variable(str(name), span=_at(name))
        atom, *conditions = rest
        if atom.predicate in ARITHMETIC or not atom.terms:
            raise UnusableError("E001.aggregate", atom.span, atom=to_text(atom), hint=AGGREGATE)
        return syntax.Aggregate(str(function), distinct, value, atom, tuple(conditions), span=span)

    def first(
        self, span: Span, word: Token, atom: syntax.Atom, after: syntax.Term, *rest: Any
    ) -> syntax.First:
        within = rest[0] if rest and isinstance(rest[0], syntax.Bound) else None
        per = rest[within is not None :]
        _refuse_durations(after, *per)
        return syntax.First(str(word), atom, after, within, per, span=span)

    def comparison(self, span: Span, left: Any, sign: Token, right: Any) -> syntax.Literal:
        _refuse_durations(left, right)
        operator = SPELLING.get(sign, str(sign))
        found = syntax.Aggregation.between(left, operator, right, span)
        for side in (left, right) if found is None else (found.right,):
            if not isinstance(side, syntax.Aggregate) and (inner := _aggregate_in(side)) is not None:
                raise UnusableError("E001.side-of-aggregate", inner.span)
        return found or syntax.Comparison(left, operator, right, span=span)

    def fact(self, span: Span, head: syntax.Atom) -> syntax.Rule:
        return syntax.Rule(head, (), span=span)

    def backward_rule(self, span: Span, head: syntax.Atom, body: _Body) -> tuple[syntax.Rule, ...]:
        choices = [each if isinstance(each, tuple) else (each,) for each in body]
        count = math.prod(map(len, choices))
        if count > MOST_ALTERNATIVES:
            raise UnusableError("E001.choices", span, count=count, most=MOST_ALTERNATIVES)
        return tuple(syntax.Rule.of(head, chosen, span) for chosen in product(*choices))

    def forward_rule(self, span: Span, body: _Body, head: syntax.Atom) -> tuple[syntax.Rule, ...]:
        return self.backward_rule(span, head, body)

    # ---- declarations ----

    def column(self, span: Span, name: Token, *rest: Any) -> syntax.Column:
        most = None
        if rest and isinstance(rest[-1], syntax.Bound):
            rest, sign, most = rest[:-2], rest[-2], rest[-1]
            if SPELLING.get(sign, str(sign)) != "<=":
                raise UnusableError("E001.bound", _at(sign))
        type_ = rest[0] if rest else None
        type_span = syntax.NOWHERE if type_ is None else _at(type_)
        return syntax.Column(str(name), type_ and str(type_), most, span=span, type_span=type_span)

    def bound(self, span: Span, number: Token, unit: Token | None = None) -> syntax.Bound:
        amount, written = self._amount(number)
        return syntax.Bound(amount, unit and str(unit), written, span=span)

    duration = stretch = bound

    def percentage(self, span: Span, text: Token) -> syntax.Percentage:
        digits = text.update(value=text[:-1])
        return syntax.Percentage(_duration(digits, _number(digits)), span=span)

    def one_per(self, _span: Span, *names: Token) -> tuple[syntax.Column, ...]:
        return tuple(syntax.Column(str(name), span=_at(name)) for name in names)

    def every(self, span: Span, gap: syntax.Bound, *names: Token) -> syntax.ExpectedGap:
        return syntax.ExpectedGap(gap, self.one_per(span, *names), span=span)

    def tick(self, span: Span, every: syntax.Bound) -> syntax.Tick:
        return syntax.Tick(every, span=span)

    def zone(self, span: Span, name: Token) -> syntax.Zone:
        return syntax.Zone(_unquoted(name), span=span)

    def limit(self, span: Span, name: Token, *rest: Token) -> syntax.Limit:
        *sign, amount = rest
        if name in KEYWORDS:
            raise UnusableError("E114.keyword", _at(name), name=name)
        if name[0].isupper():
            raise UnusableError("E114.capital", _at(name), name=name, small=name[0].lower() + name[1:])
        value = _signed(_number(amount), sign[0] if sign else "+")
        return syntax.Limit(str(name), value, span=span, name_span=_at(name))

    def include(self, span: Span, path: Token) -> syntax.Include:
        return syntax.Include(_unquoted(path), span=span, path_span=_at(path))

    def input(self, span: Span, name: Token, *rest: Any) -> syntax.Input:
        _refuse_keyword(name)
        columns = tuple(c for c in rest if isinstance(c, syntax.Column))
        delay = next((c for c in rest if isinstance(c, syntax.Bound)), None)
        one_per = next((c for c in rest if isinstance(c, tuple)), None)
        shares = tuple(c for c in rest if isinstance(c, syntax.Percentage)) or None
        every = next((c for c in rest if isinstance(c, syntax.ExpectedGap)), None)
        clauses = (delay, one_per, shares, every)
        return syntax.Input(str(name), columns, *clauses, span=span, name_span=_at(name))

    def static(self, span: Span, name: Token, *columns: syntax.Column) -> syntax.Static:
        _refuse_keyword(name)
        return syntax.Static(str(name), columns, span=span, name_span=_at(name))

    def function(self, span: Span, name: Token, *rest: Any) -> syntax.Function:
        _refuse_keyword(name)
        columns, gives, gives_span = rest, None, syntax.NOWHERE
        if rest and isinstance(rest[-1], Token):
            columns, gives, gives_span = rest[:-1], str(rest[-1]), _at(rest[-1])
        return syntax.Function(
            str(name), columns, gives, span=span, name_span=_at(name), gives_span=gives_span
        )

    def delay(self, span: Span, name: Token, *rest: Any) -> syntax.Delay:
        shares = tuple(c for c in rest if isinstance(c, syntax.Percentage))
        *pattern, bound = rest[: len(rest) - len(shares)]
        return syntax.Delay(str(name), tuple(pattern), bound, shares or None, span=span, name_span=_at(name))

    def chance(self, span: Span, name: Token, *rest: Any) -> syntax.Chance:
        once, *more = [c for c in rest if isinstance(c, syntax.Percentage)]
        again = more[0] if more else None
        pattern = tuple(c for c in rest if not isinstance(c, syntax.Percentage))
        return syntax.Chance(str(name), pattern, once, again, span=span, name_span=_at(name))

    window, horizon, alert, severity = map(_part, ("window", "horizon", "alert", "severity"))
    words, many, runbook = map(_text_part, ("words", "many", "runbook"))

    def given(self, _span: Span, *atoms: syntax.Atom) -> tuple[str, tuple[syntax.Atom, ...]]:
        return "given", atoms

    def helper_window(self, span: Span, name: Token, window: syntax.Bound, *horizon: Any) -> syntax.Window:
        _refuse_keyword(name)
        return syntax.Window(str(name), window, **dict(horizon), span=span, name_span=_at(name))

    def query(self, span: Span, atom: syntax.Atom, *parts: tuple[str, Any]) -> syntax.Query:
        names = [name for name, _ in parts]
        for name in names:
            if names.count(name) > 1:
                shown = name if name in {"severity", "words"} else f"`{name}`"
                raise UnusableError("E101.part", span, part=shown)
        return syntax.Query(atom, **dict(parts), span=span)


def _is_number(term: Any) -> bool:
    return isinstance(term, syntax.Constant) and not isinstance(term.value, str)


def _aggregate_in(term: syntax.Term) -> syntax.Aggregate | None:
    if isinstance(term, syntax.Aggregate):
        return term
    inner = map(_aggregate_in, term.arguments) if isinstance(term, syntax.Calculation) else ()
    return next((each for each in inner if each is not None), None)
