"""Syntax errors in words: the text found, the expected, and a hint."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from antelog.diagnostics import Diagnostic, Span
from antelog.language.calendar import CALENDAR
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.printer import KEYWORDS
from antelog.language.syntax_hints import AGGREGATE, INSTEAD, TERM, Trouble, hint, symbols

_WORDS = {
    "_IF": "`:-`",
    "_THEN": "`->`",
    "NOT": "`not`",
    "_LAST": "`last`",
    "DOT": "`.`",
    "COMMA": "`,`",
    "COLON": "`:`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "EQUAL": "`=`",
    "COMPARE": "a comparison such as `>=`",
    "SIGN": "`+`, `-`",
    "NUMBER": "a number",
    "TEXT": "a quoted text",
    "WORD": "a name",
    "UNDERSCORE": "`_`",
    "WINDOW": "`window`",
    "HORIZON": "`horizon`",
    "DELAY": "`delay`",
    "AGAIN": "`again`",
    "ALERT": "`alert`",
    "GIVEN": "`given`",
    "SEVERITY": "a severity such as `critical`",
    "PERCENTAGE": "a percentage such as `5%`",
    "ONE": "`one per`",
    "EVERY": "`every`",
    "LAST": "`last`",
    "$END": "the end",
}
_NEVER_NAMED = {"STAR", "SLASH", "UNIT", "_OR", "_IN"}
"""What may stand behind a term, too."""
_START = {"STATIC", "TICK", "INPUT", "QUERY"}


def open_quote(span: Span) -> Diagnostic:
    """A text whose closing quotes are missing on its line."""
    return Diagnostic(
        "E002",
        "this text has no closing quotes on its line",
        span,
        'Close it with `"`; inside a text write `\\"` for quotes and `\\n` for a new line.',
    )


def bad_escape(span: Span) -> Diagnostic:
    return Diagnostic(
        "E001",
        "this text has a backslash that means nothing",
        span,
        'Write `\\\\` for a backslash, `\\"` for quotes, `\\n` for a new line, `\\u00b0` for the sign `°`.',
    )


def bad_number(span: Span, limit: str) -> Diagnostic:
    return Diagnostic(
        "E001",
        f"this number is larger than {limit}",
        span,
        "Use a smaller number, or write it in quotes if it is only a name.",
    )


def reserved(name: str, span: Span) -> Diagnostic:
    return Diagnostic(
        "E001",
        f"`{name}` is a word of the language and cannot name a predicate",
        span,
        f"Give the predicate another name, such as `{name.capitalize()}`.",
    )


def twice(part: str, span: Span) -> Diagnostic:
    """A query with two windows, or two of another part."""
    shown = f"`{part}`" if part in {"window", "horizon", "alert", "given"} else part
    message = f"this query has {shown} twice"
    return Diagnostic("E101", message, span, "Keep one: the parts of a query stand in any order, each once.")


def no_limit_name(name: str, span: Span) -> Diagnostic:
    """A limit called as a variable, or as a word of the language."""
    if name in KEYWORDS:
        message = f"`{name}` is a word of the language and cannot name a limit"
        return Diagnostic("E114", message, span, "Give the limit another name.")
    message = f"a variable begins with a capital letter, and a limit does not: `{name}`"
    return Diagnostic("E114", message, span, f"Write `limit {name[0].lower()}{name[1:]} = …`.")


def no_limit(name: str, span: Span, known: Sequence[str]) -> Diagnostic:
    """A name where only a number can stand, or the limit that has one."""
    message = f"a number stands here, or the name of a limit, and there is no limit `{name}`"
    near = did_you_mean(name, known) or f"Write a number, or declare `limit {name.lower()} = 10.`"
    return Diagnostic("E114", message, span, near)


def negative_limit(name: str, value: int | float, span: Span) -> Diagnostic:
    message = f"the limit {name} is {value}, and a stretch of time cannot be less than 0"
    return Diagnostic("E114", message, span, f"Give {name} a value from 0 on.")


def no_variable(name: str, span: Span) -> Diagnostic:
    """A calculation with a name that is none of a variable."""
    return Diagnostic(
        "E001",
        f"`{name}` is a text, so nothing can be added to it or subtracted",
        span,
        f"A variable starts with a capital letter: write `{name[0].upper()}{name[1:]}`.",
    )


def no_shift(span: Span) -> Diagnostic:
    """A duration that is added to no time."""
    hint = "A duration shifts a time, as in `U <= T + 15 minutes`. Values are calculated with numbers."
    return Diagnostic("E001", "a duration can only be added to a time or subtracted from one", span, hint)


def no_value(name: str, span: Span) -> Diagnostic:
    """An atom in place of a value."""
    message = f"`{name}` stands in a place for a value, and an atom is none"
    hint = "Close the arguments before this atom with `)`: an argument has no arguments of its own."
    return Diagnostic("E001", message, span, hint)


def no_bound(span: Span) -> Diagnostic:
    """A column with another sign than `<=`."""
    return Diagnostic("E001", "a column has an upper bound, if any", span, "Write it as `limit <= 4 hours`.")


def no_alternative(text: str, span: Span) -> Diagnostic:
    """A negation or `last` as one of the alternatives of a condition."""
    message = f"`{text}` is one of several alternatives, which can be atoms and comparisons"
    return Diagnostic("E001", message, span, "Write one rule for each alternative, with the same head.")


def no_constant(text: str, span: Span) -> Diagnostic:
    """A variable or a calculation in the list behind `in`."""
    message = f"`{text}` has no value of its own, and the list behind `in` has values"
    return Diagnostic("E001", message, span, "Write values, as in `X in (pump, fan)`, or compare: `X = Y`.")


def too_many_alternatives(count: int, most: int, span: Span) -> Diagnostic:
    """A rule that stands for more rules than may be."""
    message = f"this rule stands for {count:,} rules, one for each choice; {most} are the most there may be"
    hint = "Give each `or` a predicate of its own, or list values with `in`."
    return Diagnostic("E001", message, span, hint)


def no_atom(text: str, span: Span) -> Diagnostic:
    """A value within an aggregate, where its atom belongs."""
    message = f"`{text}` is no atom with a time, and an aggregate is about one"
    return Diagnostic("E001", message, span, AGGREGATE)


def wrong_arguments(name: str, count: int, span: Span) -> Diagnostic:
    plural = "argument" if count == 1 else "arguments"
    example = f"{name}({'T' if name in CALENDAR else 'V'})"
    return Diagnostic("E001", f"`{name}` takes {count} {plural}", span, f"Write it like `{example}`.")


def not_alone(span: Span) -> Diagnostic:
    """An aggregate that is calculated with, but by times and plus numbers."""
    hint = (
        "Put all else on the other side: `avg(…) < V - 5` in place of `V - avg(…) > 5`, "
        "`max(…) > min(…) + 5` in place of `max(…) - min(…) > 5`."
    )
    message = "an aggregate stands on its side of a comparison with times and plus numbers only"
    return Diagnostic("E001", message, span, hint)


def explain(error: UnexpectedInput, statement: str, start: int) -> Diagnostic:
    """The diagnostic of a syntax error; the statement begins at `start` in the source."""
    trouble = _arrow(_trouble(error, statement, start))
    last = _unfinished(trouble)
    if last is not None:
        return _no_full_stop(trouble, start + last)
    found, before = trouble.found, trouble.before
    at = start + trouble.at
    span = Span(at, at + len(found)) if found else Span(start + len(before) - 1, start + len(before))
    shown = "a backtick" if found == "`" else f"`{found}`"
    what = f"{shown} cannot stand here" if found else "the statement ends too early"
    expected = _in_words(trouble.accepted - (_CALCULATED if _behind_atom(trouble) else frozenset()))
    return Diagnostic("E001", f"{what}: expected {expected}", span, hint(trouble))


_CALCULATED = frozenset({"SIGN", "COMPARE"})


def _behind_atom(trouble: Trouble) -> bool:
    """Whether the place is behind an atom: only the call of a function could be calculated with."""
    found = re.search(r"(\w+)\s*\([^()]*\)\Z", trouble.before)
    return found is not None and found[1][0].isupper()


def _trouble(error: UnexpectedInput, statement: str, start: int) -> Trouble:
    at, found = len(statement), ""
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        at, found = cast(int, error.token.start_pos) - start, str(error.token)
    elif isinstance(error, UnexpectedCharacters):
        at = cast(int, error.pos_in_stream) - start
        found = statement[at]
    begin, row = symbols(statement, at)
    if row in INSTEAD:
        at, found = begin, row
    accepted = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]  # lark gives it no types
    return Trouble(statement, at, found, frozenset(accepted))


_TERM_AT_START = TERM | {"LPAR"}
_HEAD = re.compile(r"\w+\s*\([^()]*\)\s*(=>?|<\s*-)\s*(?=\w+\s*\(|not\b)")


def _arrow(trouble: Trouble) -> Trouble:
    """The trouble at the arrow behind a head, if that was taken for a comparison, as in `P(T) = Q(T).`"""
    if trouble.statement.startswith("--"):
        return Trouble(trouble.statement, 0, "--", _TERM_AT_START)
    head = _HEAD.match(trouble.statement)
    if head is None or "_IF" in trouble.accepted or head.start(1) > trouble.at:
        return trouble
    accepted = frozenset({"_IF", "_THEN", "COMMA", "DOT"})
    return Trouble(trouble.statement, head.start(1), head[1], accepted)


def _unfinished(trouble: Trouble) -> int | None:
    """The length of a statement that lacks nothing but its full stop, if this is one."""
    before = trouble.before
    if trouble.accepted == {"PERCENTAGE"}:  # the head of the next rule was taken for a unit and shares
        head = re.search(r"\s*\n\s*\w+\s*\(\Z", before)
        return head.start() if head else None
    if "DOT" not in trouble.accepted:
        return None
    if not trouble.found or "\n" in trouble.statement[len(before) : trouble.at]:
        return len(before)
    # The name after `delay 1` is taken for a unit, so that the trouble comes one token later.
    unit = re.search(r"\s*\n\s*\w+\Z", before)
    return unit.start() if unit and trouble.found == "(" else None


def _no_full_stop(trouble: Trouble, end: int) -> Diagnostic:
    indented = trouble.found and re.search(r"\n[ \t]+\Z", trouble.statement[: trouble.at])
    if indented and trouble.found not in KEYWORDS and "COMMA" in trouble.accepted:
        message = "this line ends neither with `,` nor with `.`"
        advice = "Write `,` at the end of the line if another condition follows, else `.`."
    else:
        message = "this statement has no full stop at its end"
        advice = "End every statement with `.`."
    return Diagnostic("E001", message, Span(end - 1, end), advice)


def _in_words(accepted: frozenset[str]) -> str:
    if accepted >= _START:
        return "a declaration, a rule or a fact"
    words = []
    if accepted >= TERM:
        words += ["a variable", "a constant", "a number"]
        accepted = accepted - TERM - {"LPAR", "AGGREGATE"}
    elif "RPAR" in accepted and "SIGN" in accepted:
        accepted = accepted - {"LPAR"}
    known = (a for a in accepted - _NEVER_NAMED if not a.startswith("__ANON"))
    words += sorted({_WORDS.get(a, f"`{a.lower()}`") for a in known})
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words) or "nothing more"
