"""Calls of functions: each names a function there is, with as many arguments, in its place."""

from __future__ import annotations

from collections.abc import Iterator

from antelog.diagnostics import Diagnostic, Note
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.functions import ARITHMETIC, BUILT_IN, CALENDAR, OF_ONE
from antelog.language.literals.calculations import calculations_in
from antelog.language.parser import Parsed
from antelog.language.syntax import Calculation, Call
from antelog.language.syntax_hints import AGGREGATE
from antelog.language.vocabulary import Signature, Vocabulary


def check_calls(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    for rule in parsed.document.rules:
        for literal in rule.body:
            condition = literal.function if isinstance(literal, Call) else None
            for each in calculations_in(literal):
                if each.function not in ARITHMETIC and each.function not in CALENDAR:
                    yield from _problems(each, vocabulary, condition=each is condition)


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
    near = did_you_mean(name, [*vocabulary.functions, *OF_ONE])
    if name in {"mean", "average"}:
        near = AGGREGATE
    parameters = ", ".join(f"x{i + 1}" for i in range(len(call.arguments)))
    declare = f"If it is written in Python, declare `function {name}({parameters}) -> number.`"
    return Diagnostic("E206", f"there is no function {name}", call.span, f"{near}\n{declare}".strip())
