"""Syntax errors in words: the text found, the expected, and a hint."""

from __future__ import annotations

import re
from typing import cast

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from antelog.diagnostics import Diagnostic, Span
from antelog.language.printer import KEYWORDS
from antelog.language.syntax_hints import INSTEAD, TERM, Trouble, hint, symbols

_WORDS = {
    "_IF": "`:-`",
    "_THEN": "`->`",
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
    "SEVERITY": "a severity such as `critical`",
    "PERCENTAGE": "a percentage such as `5%`",
    "ONE": "`one per`",
    "$END": "the end",
}
"""Terminals that are not called as they are written."""
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


def explain(error: UnexpectedInput, statement: str, start: int) -> Diagnostic:
    """The diagnostic of a syntax error; the statement begins at `start` in the source."""
    trouble = _arrow(_trouble(error, statement, start))
    last = _unfinished(trouble)
    if last is not None:
        indented = trouble.found and re.search(r"\n[ \t]+\Z", statement[: trouble.at])
        message = "this statement has no full stop at its end"
        advice = "End every statement with `.`."
        if indented and trouble.found not in KEYWORDS and "COMMA" in trouble.accepted:
            message = "this line ends neither with `,` nor with `.`"
            advice = "Write `,` at the end of the line if another condition follows, else `.`."
        return Diagnostic("E001", message, Span(start + last - 1, start + last), advice)
    found, before = trouble.found, trouble.before
    at = start + trouble.at
    span = Span(at, at + len(found)) if found else Span(start + len(before) - 1, start + len(before))
    shown = "a backtick" if found == "`" else f"`{found}`"
    what = f"{shown} cannot stand here" if found else "the statement ends too early"
    accepted = trouble.accepted
    called = re.search(r"(\w+)\s*\([^()]*\)\Z", before)
    if called is not None and called[1][0].isupper():  # an atom; only the call of a function has a value
        accepted -= {"SIGN", "COMPARE"}
    return Diagnostic("E001", f"{what}: expected {_in_words(accepted)}", span, hint(trouble))


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
