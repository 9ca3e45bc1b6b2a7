"""Syntax errors in words: what stands there, what was expected, and what was probably meant."""

from __future__ import annotations

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from antelog.diagnostics import Diagnostic, Source, Span
from antelog.language.printer import KEYWORDS

_WORDS = {
    "_IF": "`:-`",
    "_THEN": "`->`",
    "NOT": "`not`",
    "DOT": "`.`",
    "COMMA": "`,`",
    "COLON": "`:`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "EQUAL": "`=`",
    "COMPARE": "a comparison such as `>=`",
    "SIGN": "`+` or `-`",
    "NUMBER": "a number",
    "TEXT": "a quoted text",
    "WORD": "a name",
    "UNDERSCORE": "`_`",
    "WINDOW": "`window`",
    "HORIZON": "`horizon`",
    "DELAY": "`delay`",
    "$END": "the end",
}
_TERM = {"WORD", "NUMBER", "TEXT", "UNDERSCORE", "SIGN"}
_START = {"STATIC", "TICK", "INPUT", "QUERY"}

_INSTEAD = {
    "and": "Write `,` between the conditions of a rule.",
    "or": "Write one rule for each alternative, with the same head.",
    "&": "Write `,` between the conditions of a rule.",
    "if": "Write `:-` between the head and the conditions of a rule.",
    "<-": "Write `:-` between the head and the conditions of a rule.",
    ":": "Write `:-` between the head and the conditions of a rule.",
    "=>": "Write `->` before the head of a rule.",
    "==": "Write `=` to compare for equality.",
    "<>": "Write `!=` for different from.",
    "=<": "Write `<=` for at most.",
    "!": "Write `not` before an atom, or `!=` for different from.",
    "\\+": "Write `not` before an atom.",
    "'": 'Write texts in double quotes: "like this".',
    ";": "Write one rule for each alternative, with the same head; end statements with `.`.",
    "#": "Write `%` before a comment.",
    "//": "Write `%` before a comment.",
    "?": "Write `query P(X, T).` to ask for the answers of P.",
}


def open_quote(source: Source, start: int, end: int) -> Diagnostic:
    """A text whose closing quotes are missing on its line."""
    at = _last_quote(source.text, start, end)
    return Diagnostic(
        "E002",
        "this text has no closing quotes on its line",
        Span(at, end),
        'Close it with `"`; inside a text write `\\"` for quotes and `\\n` for a new line.',
    )


def _last_quote(text: str, start: int, end: int) -> int:
    """Where the last quote that closes nothing stands."""
    at, inside = end - 1, False
    i = start
    while i < end:
        if text[i] == '"':
            inside = not inside
            at = i
        elif text[i] == "\\" and inside:
            i += 1
        elif text[i] == "%" and not inside:
            i = text.find("\n", i, end) if "\n" in text[i:end] else end
        i += 1
    return at


def bad_escape(span: Span) -> Diagnostic:
    return Diagnostic(
        "E001",
        "this text has a backslash that stands for nothing",
        span,
        'Write `\\\\` for a backslash, `\\"` for quotes, `\\n` for a new line.',
    )


def bad_number(span: Span) -> Diagnostic:
    return Diagnostic(
        "E001",
        "this number is larger than 2^53, beyond which not every whole number can be told apart",
        span,
        "Use a smaller number, or write it in quotes if it is only a name.",
    )


def explain(error: UnexpectedInput, source: Source, start: int, end: int) -> Diagnostic:
    """What the grammar could not read, as a diagnostic."""
    text = source.text
    at, stop, accepted = end, end, set[str]()
    if isinstance(error, UnexpectedToken):
        accepted = set(error.accepts or error.expected)
        if error.token.type != "$END":
            at, stop = _place(error.token, start, end)
    elif isinstance(error, UnexpectedCharacters):
        at = error.pos_in_stream or start
        stop = at + 1
        accepted = set(error.allowed or ())
    found = text[at:stop]
    before = text[start:at].rstrip()
    span = Span(at, stop) if found else Span(max(start, start + len(before) - 1), start + len(before))
    what = f"`{found}` cannot stand here" if found else "the statement ends too early"
    return Diagnostic(
        "E001",
        f"{what}: expected {_in_words(accepted)}",
        span,
        _suggestion(text, at, found, before, accepted),
    )


def _place(token: Token, start: int, end: int) -> tuple[int, int]:
    return (
        start if token.start_pos is None else token.start_pos,
        end if token.end_pos is None else token.end_pos,
    )


def _in_words(accepted: set[str]) -> str:
    if accepted >= _START:
        return "a declaration, a rule or a fact"
    words = []
    if accepted >= _TERM:
        words.append("a variable, a constant or a number")
        accepted = accepted - _TERM
    words += sorted({_WORDS.get(a, f"`{a.lower()}`") for a in accepted if not a.startswith("__ANON")})
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words) or "nothing more"


def _suggestion(text: str, at: int, found: str, before: str, accepted: set[str]) -> str:
    for candidate in (text[at - 1 : at + 1], text[at : at + 2], found, text[at : at + 1]):
        if candidate in _INSTEAD and found != ":-":
            return _INSTEAD[candidate]
    if before.endswith("_") and found:
        return "A name starts with a letter; `_` on its own stands for any value."
    keyword = before.rsplit(maxsplit=1)[-1] if before else ""
    if found == "(" and keyword in KEYWORDS - {"not"}:
        return f"`{keyword}` is a word of the language; give the predicate another name."
    if "DOT" in accepted and (not found or "\n" in text[len(text[:at].rstrip()) : at]):
        return "End every statement with a full stop."
    if "DOT" in accepted and found and found[0].isalpha():
        return "Write `,` between conditions and `.` at the end of a statement."
    if "RPAR" in accepted:
        return "Separate the arguments with `,` and close them with `)`."
    if "LPAR" in accepted:
        return "An atom is a predicate with its arguments in parentheses, such as `Temp(X, high, T)`."
    if found == "." and not before:
        return "Remove this full stop."
    if keyword in _EXAMPLES:
        return f"For example: {_EXAMPLES[keyword]}"
    if before.endswith(","):
        return "Write another argument or condition after the `,`, or remove it."
    if accepted >= _TERM:
        return "A comparison has a variable or a constant on both sides, such as `V >= 90`."
    if accepted == {"COMPARE"}:
        return "A predicate is a name, and a comparison is written like `V >= 90`."
    return "The language page of the documentation shows how each statement is written."


_EXAMPLES = {
    "tick": "`tick 10 minutes.`",
    "input": "`input Temp(device, level, time) delay 2.`",
    "static": "`static Turbine(device).`",
    "delay": "`delay Temp(wt4, _, _) = 2.`",
    "query": "`query Malf(X, T).`",
    "window": "`query Malf(X, T) window 10.`",
    "horizon": "`query Malf(X, T) window 10 horizon 2.`",
    "not": "`not Shdn(X, T)`",
}
