"""Units: durations as ticks, numbers of ticks in the background, and units of times since 1970.

delay 20 minutes: 2 ticks of 10 minutes      input Temp(device, level, time: ms)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from itertools import chain, count, zip_longest
from typing import Any

from antelog.diagnostics import Diagnostic, problem
from antelog.language import syntax
from antelog.language.checks.sorts import sorts_of
from antelog.language.checks.suggestions import did_you_mean, similar
from antelog.language.durations import UNITS as DURATIONS
from antelog.language.durations import duration_text, in_ticks, microseconds, ticks_later
from antelog.language.epochs import MICROSECONDS, UNITS
from antelog.language.functions import CALENDAR
from antelog.language.literals.comparison import calculations_in
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.terms import Node, Value
from antelog.language.vocabulary import Type, Vocabulary

_OTHER_NAMES = {
    **dict.fromkeys(("millis", "msec", "msecs"), "ms"),
    **dict.fromkeys(("micros", "usec", "usecs"), "us"),
    **dict.fromkeys(("nanos", "nsec", "nsecs", "nanosecond", "nanoseconds"), "ns"),
    **dict.fromkeys(("epoch", "unix", "secs"), "s"),
    "tick": "ticks",
}


def meant(unit: str) -> str | None:
    """The unit that another name means: `ms` for `milliseconds`."""
    if unit.lower() in _OTHER_NAMES:
        return _OTHER_NAMES[unit.lower()]
    length = microseconds(syntax.Bound(1, unit.lower()))
    return next((name for name, each in MICROSECONDS.items() if each == length), None)


def hint_of(unit: str) -> str:
    if known := meant(unit):
        return f"Write {known}."
    return did_you_mean(unit, UNITS) or f"The units are {', '.join(UNITS)}."


def units_of(
    declarations: Iterable[syntax.Input | syntax.Static], tick: int | None, found: list[Diagnostic]
) -> dict[str, str]:
    """The units of times that inputs declare."""
    units: dict[str, str] = {}
    for each in declarations:
        if not (isinstance(each, syntax.Input) and each.columns and each.columns[-1].type in UNITS):
            continue
        time = each.columns[-1]
        if tick is None:
            text, rest = f"{time.name}: {time.type}", ", or remove the unit."
            found.append(problem("E103.tickless", time.type_span, text=text, rest=rest))
        elif time.type is not None:
            units.setdefault(each.name, time.type)
    return units


def type_of_time_problems(column: syntax.Column) -> Iterator[Diagnostic]:
    """Finds problems with the type of a time, which may only be a unit."""
    type_ = column.type
    if type_ is None or type_ in ("time", *UNITS):
        return
    near = did_you_mean(type_, UNITS)
    if meant(type_) or (near and type_ not in {each.value for each in Type}):
        yield Diagnostic("E104", f"`{type_}` is not a unit of times", column.type_span, hint_of(type_))
        return
    yield problem("E104.type-of-time", column.type_span, type=type_, name=column.name, units=", ".join(UNITS))


def unknown_unit(bound: syntax.Bound) -> Diagnostic:
    unit = bound.unit or ""
    meant = similar(unit, DURATIONS)
    near = f"Did you mean {meant[0]}?" if meant else "Units are ms, seconds, minutes, hours, days and weeks."
    return Diagnostic("E103", f"`{unit}` is not a unit of time", bound.span, near)


def check_durations(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds durations that do not shift a time by whole ticks, as `T + 15 minutes` should."""
    for rule in parsed.document.rules:
        sorts = sorts_of(rule, vocabulary)
        for literal in (rule.head, *rule.body):
            for term in literal.operands:
                if isinstance(term, syntax.Shifted) and term.unit is not None:
                    yield from _shift_problems(term, sorts.get(term.variable, True), vocabulary.tick)
            if isinstance(literal, syntax.First) and literal.within is not None:
                wrong = _no_ticks(literal.within, vocabulary.tick)
                yield from [] if wrong is None else [wrong]
            if vocabulary.tick is None:
                for call in (each for each in calculations_in(literal) if each.function in CALENDAR):
                    rest = "; else ticks have no place on a calendar."
                    yield problem("E103.tickless", call.span, text=to_text(call), rest=rest)


def with_ticks_in_facts(
    document: syntax.Document, vocabulary: Vocabulary, found: list[Diagnostic]
) -> syntax.Document:
    """Replaces durations in atoms, `Within(high, 30 minutes)`, by ticks, which their columns must count."""

    def in_ticks(node: Any) -> Any:
        if isinstance(node, syntax.Negation | syntax.First):
            return replace(node, atom=in_ticks(node.atom))
        constants = (term for term in node.operands if isinstance(term, syntax.Constant))
        durations = [term for term in constants if term.unit is not None]
        if not isinstance(node, syntax.Atom) or not durations:
            found.extend(map(_no_column_of_ticks, durations))
            return node
        most = vocabulary.most.get(node.predicate, ())[: len(node.terms)]
        terms = (_in_ticks(*each, vocabulary.tick, found) for each in zip_longest(node.terms, most))
        return replace(node, terms=tuple(terms))

    def statement(node: syntax.Statement) -> syntax.Statement:
        if isinstance(node, syntax.Query):
            return replace(node, atom=in_ticks(node.atom))
        if isinstance(node, syntax.Rule):
            return replace(node, head=in_ticks(node.head), body=tuple(map(in_ticks, node.body)))
        return node

    return replace(document, statements=tuple(map(statement, document.statements)))


def _in_ticks(term: syntax.Term, most: int | None, tick: int | None, found: list[Diagnostic]) -> syntax.Term:
    if not isinstance(term, syntax.Constant) or term.unit is None or isinstance(term.value, str):
        return term
    bound = syntax.Bound(term.value, term.unit, term.written, span=term.span)
    wrong = _no_column_of_ticks(term) if most is None else _no_ticks(bound, tick)
    found += [] if wrong is None else [wrong]
    ticks = 0 if wrong is not None or tick is None else int((microseconds(bound) or 0) / tick)
    return syntax.Constant(ticks, to_text(term), span=term.span)


def _shift_problems(term: syntax.Shifted, is_time: bool, tick: int | None) -> Iterator[Diagnostic]:
    bound = syntax.Bound(abs(term.offset), term.unit, span=term.span)
    if microseconds(bound) is not None and not is_time:
        yield problem("E301.duration-of-value", term.span, term=to_text(term), variable=term.variable)
    elif (wrong := _no_ticks(bound, tick)) is not None:
        yield wrong


def _no_ticks(bound: syntax.Bound, tick: int | None, what: str = "") -> Diagnostic | None:
    if bound.unit is None:
        whole = isinstance(bound.amount, int)
        return None if whole else problem("E103.amount", bound.span, amount=bound.amount)
    length = microseconds(bound)
    if length is None:
        return unknown_unit(bound)
    if tick is None:
        rest = f", or write {what}a number of ticks."
        return problem("E103.tickless", bound.span, text=to_text(bound), rest=rest)
    if length % tick == 0:
        return None
    below = int(length // tick)
    near = " or ".join(duration_text(n * tick) for n in (below, below + 1) if n)
    count, each = f"{float(length / tick):g}", duration_text(tick)
    return problem("E103.parts-of-ticks", bound.span, bound=to_text(bound), count=count, tick=each, near=near)


def _no_column_of_ticks(term: syntax.Term) -> Diagnostic:
    return problem("E001.duration", term.span, term=to_text(term))


def ticks_of(bound: syntax.Bound, tick: int | None, found: list[Diagnostic]) -> int:
    """Converts a bound to ticks; a problem with it is added to `found`."""
    if bound.unit is None and isinstance(bound.amount, int):
        return bound.amount
    length = microseconds(bound)
    if length is not None and tick is not None:
        return in_ticks(length, tick)
    wrong = _no_ticks(bound, tick, "the bound as ")
    found += [] if wrong is None else [wrong]
    return 0


# ---- ticks in columns of the background ----


def with_times_apart(document: syntax.Document, vocabulary: Vocabulary) -> syntax.Document:
    """Replaces times that a column of the background shifts by variables with bounds.

    static Within(priority, limit <= 24).
    not Ack(X, T..T+N), Within(P, N)      not Ack(X, T..TN), Within(P, N), TN = T+N, TN >= T, TN <= T+24
    """
    if not vocabulary.most:
        return document
    statements = document.statements
    apart = (_apart(each, vocabulary) if isinstance(each, syntax.Rule) else each for each in statements)
    return replace(document, statements=tuple(apart))


def is_ticks(value: Value, most: int) -> bool:
    """Whether a value is a whole number of ticks up to the most."""
    return not isinstance(value, str) and 0 <= value <= most and value % 1 == 0


def no_ticks(most: int) -> str:
    """Says that a value is not such a number."""
    return f"is not a whole number of ticks from 0 to {most}"


def check_ticks_of_background(document: syntax.Document, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds facts without a number of ticks in a column of ticks."""
    for rule in document.rules:
        name = rule.head.predicate
        for term, most in zip(rule.head.terms, vocabulary.most.get(name, ()), strict=False):
            if isinstance(term, syntax.Constant) and most is not None and not is_ticks(term.value, most):
                wrong = no_ticks(most)
                yield problem("E103.background", term.span, term=to_text(term), wrong=wrong, name=name)


def _apart(rule: syntax.Rule, vocabulary: Vocabulary) -> syntax.Rule:
    most: dict[str, int] = {}
    times: set[str] = set()
    for atom in (each for each in rule.body if isinstance(each, syntax.Atom)):
        if not vocabulary.is_static(atom.predicate):
            places = {len(atom.terms) - 1, *vocabulary.times_of(atom.predicate)}
            times |= syntax.variables_of(term for place, term in enumerate(atom.terms) if place in places)
            continue
        for term, bound in zip(atom.terms, vocabulary.most.get(atom.predicate, ()), strict=False):
            if isinstance(term, syntax.Variable) and bound is not None:
                most[term.name] = bound
    if not most or not times:
        return rule
    taken = syntax.variables_of(rule.head.terms).union(
        *(syntax.variables_of(literal.operands) for literal in rule.body)
    )
    found: dict[syntax.Later, syntax.Variable] = {}

    def replaced(node: Any) -> Any:
        if isinstance(node, tuple):
            return tuple(map(replaced, node))
        if isinstance(node, syntax.Calculation):
            later = _later(node)
            if later is None or syntax.variable_of(later.time) not in times or later.by.name not in most:
                return node
            if later not in found:
                stem = f"{syntax.variable_of(later.time)}{later.by.name}"
                names = chain([stem], (f"{stem}{i}" for i in count(2)))
                name = next(each for each in names if each not in taken)
                taken.add(name)
                found[later] = syntax.Variable(name, span=node.span)
            return found[later]
        if not isinstance(node, Node):
            return node
        return replace(node, **{each.name: replaced(getattr(node, each.name)) for each in fields(node)})

    body = [replaced(each) if any(negated for _, negated in each.atoms) else each for each in rule.body]
    for later, variable in found.items():
        offset = ticks_later(later.time, vocabulary.tick) if isinstance(later.time, syntax.Shifted) else 0
        last = syntax.Shifted(syntax.variable_of(later.time) or "", offset + most[later.by.name])
        for operator, other in (("=", later), (">=", later.time), ("<=", last)):
            body.append(syntax.Comparison(variable, operator, other, span=later.span))
    return replace(rule, body=tuple(body))


def _later(node: syntax.Calculation) -> syntax.Later | None:
    """A sum as a time that is later by a variable, if it may be one."""
    if node.function != "+":
        return None
    time, by = node.arguments
    if not isinstance(time, syntax.Variable | syntax.Shifted) or not isinstance(by, syntax.Variable):
        return None
    return syntax.Later(time, by, span=node.span)
