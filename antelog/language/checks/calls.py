"""Calls of functions: each names a function there is, with as many arguments, in its place."""

from __future__ import annotations

from collections.abc import Iterator

from antelog.diagnostics import Diagnostic, Note
from antelog.language import syntax
from antelog.language.arithmetic import FUNCTIONS, OPERATORS
from antelog.language.calendar import CALENDAR
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.functions import BUILT_IN
from antelog.language.parser import Parsed
from antelog.language.syntax import Calculation, Call, Term
from antelog.language.syntax_hints import AGGREGATE
from antelog.language.vocabulary import Signature, Vocabulary

_OF_NUMBERS = {*OPERATORS, *FUNCTIONS, *CALENDAR}


def check_calls(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    for rule in parsed.document.rules:
        for literal in rule.body:
            condition = literal.function if isinstance(literal, Call) else None
            if condition is not None:
                yield from _problems(condition, vocabulary, condition=True)
            for term in condition.arguments if condition else _sides(literal):
                for each in _calls(term):
                    yield from _problems(each, vocabulary, condition=False)


def _sides(literal: syntax.Literal) -> Iterator[Term]:
    """The terms of a literal that may be calculated."""
    if isinstance(literal, syntax.Comparison):
        yield from literal.sides
    elif isinstance(literal, syntax.Aggregation):
        for aggregate in literal.aggregates:
            yield from (side for each in aggregate.conditions for side in each.sides)
        if not isinstance(literal.right, syntax.Aggregate):
            yield literal.right


def _calls(term: Term) -> Iterator[Calculation]:
    """The calls of functions in a term."""
    if isinstance(term, Calculation):
        if term.function not in _OF_NUMBERS:
            yield term
        for each in term.arguments:
            yield from _calls(each)


def _problems(call: Calculation, vocabulary: Vocabulary, *, condition: bool) -> Iterator[Diagnostic]:
    name, function = call.function, vocabulary.functions.get(call.function)
    if function is None:
        yield _unknown(call, vocabulary)
        return
    note = () if name in BUILT_IN else (Note("declared here", function.span),)
    count, given = len(function.parameters), len(call.arguments)
    if given != count:
        message = f"`{name}` takes {count} {'argument' if count == 1 else 'arguments'}, not {given}"
        yield Diagnostic("E207", message, call.span, f"Write `{_example(function)}`.", note)
    if condition and function.gives is not None:
        message = f"`{name}` gives a {function.gives.value}, which is neither true nor false"
        hint = f"Compare it, as in `{_example(function)} = X`."
        yield Diagnostic("E207", message, call.span, hint, note)
    elif not condition and function.gives is None:
        message = f"`{name}` is a condition, and gives no value"
        hint = f"Write `{_example(function)}` as a condition of its own"
        hint += "." if note == () else f", or declare `function {_example(function)} -> number.`"
        yield Diagnostic("E207", message, call.span, hint, note)


def _example(function: Signature) -> str:
    return f"{function.name}({', '.join(function.parameters)})"


def _unknown(call: Calculation, vocabulary: Vocabulary) -> Diagnostic:
    name = call.function
    near = did_you_mean(name, [*vocabulary.functions, *FUNCTIONS, *CALENDAR])
    if name in {"mean", "average"}:
        near = AGGREGATE
    parameters = ", ".join(f"x{i + 1}" for i in range(len(call.arguments)))
    declare = f"If it is written in Python, declare `function {name}({parameters}) -> number.`"
    return Diagnostic("E206", f"there is no function {name}", call.span, f"{near}\n{declare}".strip())
