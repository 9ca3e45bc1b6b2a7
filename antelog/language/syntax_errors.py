"""Syntax errors in words: the text found, the expected, and a hint at the likely mistake."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.resources import files
from typing import cast

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from antelog.diagnostics import Diagnostic, Span, problem
from antelog.language.literals.comparison import OPPOSITE
from antelog.language.printer import KEYWORDS, listed

_AMOUNT = frozenset({"NUMBER", "WORD"})
TERM = frozenset({"WORD", "NUMBER", "TEXT", "UNDERSCORE", "SIGN"})


@dataclass(frozen=True)
class Trouble:
    """The place `at` which the parser stopped in a statement, and the terminals `accepted` there."""

    statement: str
    at: int
    found: str
    accepted: frozenset[str]

    @cached_property
    def before(self) -> str:
        return self.statement[: self.at].rstrip()

    @cached_property
    def word_before(self) -> str:
        return last_word(self.before)

    @cached_property
    def first_word(self) -> str:
        match = re.match(r"\w+", self.statement)
        return match[0] if match else ""

    @property
    def found_word(self) -> bool:
        return self.found[:1].isalpha()


def last_word(text: str) -> str:
    """The word at the end of a text, if any, found from the end: a search would try every beginning."""
    start = len(text)
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    return text[start:]


_ROW = re.compile(r"[^\w\s\"(),.%]+")


def symbols(statement: str, at: int) -> tuple[int, str]:
    """The row of symbols around a place, with its begin."""
    for match in _ROW.finditer(statement):
        if match.start() <= at < match.end():
            return match.start(), match[0]
    return at, ""


_READ = tomllib.loads(files("antelog.language").joinpath("syntax_errors.toml").read_text("utf-8"))
_EXAMPLES: Mapping[str, str] = _READ["examples"]
_TERMINALS: Mapping[str, str] = _READ["terminals"]
_SYMBOLS: Mapping[str, str] = {each: of["hint"] for of in _READ["instead"] for each in of.get("symbols", ())}
_WORDS: Mapping[str, str] = {each: of["hint"] for of in _READ["instead"] for each in of.get("words", ())}
_IF, _COMMA, _COMMENT = _WORDS["if"], _WORDS["and"], _SYMBOLS["--"]
AGGREGATE = (
    "What is counted or added up is an atom within some ticks, and its value is compared: "
    "`avg(V : Temp(X, V, T-9..T)) > 90` or `count(Temp(X, _, T-9..T)) > 5`."
)


# ---- errors ----

_NEVER_NAMED = {"STAR", "SLASH", "UNIT", "_OR", "_IN"}  # behind terms: would lengthen every message
_START = {"STATIC", "TICK", "INPUT", "QUERY"}


def explain(error: UnexpectedInput, statement: str, start: int) -> Diagnostic:
    """Makes the diagnostic of a syntax error; the statement begins at `start` in the source."""
    trouble = _arrow(_trouble(error, statement, start))
    last = _unfinished(trouble)
    if last is not None:
        indented = trouble.found and re.search(r"\n[ \t]+\Z", statement[: trouble.at])
        goes_on = indented and trouble.found not in KEYWORDS and "COMMA" in trouble.accepted
        kind = "E001.end-of-line" if goes_on else "E001.full-stop"
        return problem(kind, Span(start + last - 1, start + last))
    found, before = trouble.found, trouble.before
    at = start + trouble.at
    span = Span(at, at + len(found)) if found else Span(start + len(before) - 1, start + len(before))
    shown = "a backtick" if found == "`" else f"`{found}`"
    what = f"{shown} cannot stand here" if found else "the statement ends too early"
    accepted = trouble.accepted
    called = re.search(r"(\w+)\s*\([^()]*\)\Z", before)
    if called is not None and called[1][0].isupper():  # an atom; only the call of a function has a value
        accepted -= {"SIGN", "COMPARE"}
    return Diagnostic("E001", f"{what}: expected {_in_words(accepted)}", span, _hint(trouble))


def _trouble(error: UnexpectedInput, statement: str, start: int) -> Trouble:
    at, found = len(statement), ""
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        at, found = cast(int, error.token.start_pos) - start, str(error.token)
    elif isinstance(error, UnexpectedCharacters):
        at = cast(int, error.pos_in_stream) - start
        found = statement[at]
    begin, row = symbols(statement, at)
    if row in _SYMBOLS:
        at, found = begin, row
    accepted = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]  # lark gives it no types
    return Trouble(statement, at, found, frozenset(accepted))


_TERM_AT_START = TERM | {"LPAR"}
_HEAD = re.compile(r"\w+\s*\([^()]*\)\s*(=>?|<\s*-)\s*(?=\w+\s*\(|not\b)")


def _arrow(trouble: Trouble) -> Trouble:
    """Moves trouble to the arrow behind a head that was taken for a comparison, as in `P(T) = Q(T).`"""
    if trouble.statement.startswith("--"):
        return Trouble(trouble.statement, 0, "--", _TERM_AT_START)
    head = _HEAD.match(trouble.statement)
    if head is None or "_IF" in trouble.accepted or head.start(1) > trouble.at:
        return trouble
    accepted = frozenset({"_IF", "_THEN", "COMMA", "DOT"})
    return Trouble(trouble.statement, head.start(1), head[1], accepted)


def _unfinished(trouble: Trouble) -> int | None:
    """The length of a statement, if it lacks nothing but its full stop."""
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
    words += sorted({_TERMINALS.get(a, f"`{a.lower()}`") for a in known})
    return listed(words, "or") or "nothing more"


# ---- hints ----


_NOT_IN = re.compile(r"\bnot(\s+\w+)?\s+in\b")


def _words(trouble: Trouble) -> Iterator[str]:
    if trouble.found in _SYMBOLS:
        yield _SYMBOLS[trouble.found]
    if trouble.word_before in {"for", "within"}:
        yield _WORDS[trouble.word_before]  # taken for the unit of a duration
    elif "AFTER" in trouble.accepted:
        yield "Say after which tick it is the first: `first Ack(X, U) after T within 5`."
    elif (denied := _NOT_IN.search(trouble.statement)) and denied.start() <= trouble.at < denied.end():
        yield "For none of several values compare with each: `X != pump, X != fan`."
    elif trouble.found_word:
        known = _WORDS.get(trouble.found.lower()) or _WORDS.get(trouble.word_before.lower())
        if known:
            yield _COMMA if known == _IF and "_IF" not in trouble.accepted else known
    elif trouble.before == "--":
        yield _COMMENT


_AGGREGATES = frozenset({"avg", "count", "max", "min", "sum"})


def _names_and_numbers(trouble: Trouble) -> Iterator[str]:
    if trouble.before.endswith("_") and trouble.found:
        yield "A name starts with a letter; `_` on its own stands for any value."
    around = trouble.before.removesuffix(trouble.word_before)
    called = {trouble.word_before}
    if around.endswith("("):
        called.add(last_word(around[:-1]))
    if trouble.found in {"(", ")", ",", "*"} and not _AGGREGATES.isdisjoint(map(str.lower, called)):
        yield AGGREGATE
    if trouble.found_word and trouble.word_before.lower() in _AGGREGATES:
        yield AGGREGATE
    if trouble.found == "(" and trouble.word_before in KEYWORDS:
        yield f"`{trouble.word_before}` is a word of the language; give the predicate another name."
    if trouble.found in {"+", "-"} and trouble.before[-1:].isdigit():
        yield "Write the variable first and then one number, such as `T+1`."
    if trouble.accepted == _AMOUNT and trouble.before.endswith(("+", "-")):
        yield "Only a number can be added or subtracted, as in `T+1`; compare two variables to relate them."


def _atoms(trouble: Trouble) -> Iterator[str]:
    if trouble.found == "." and trouble.word_before[:1].islower() and "RPAR" in trouble.accepted:
        yield 'Close the arguments with `)`. A text with a full stop in it is quoted, such as `"eu.west"`.'
    if "RPAR" in trouble.accepted:
        yield "Separate the arguments with `,` and close them with `)`."
    if "LPAR" not in trouble.accepted or trouble.first_word in _EXAMPLES:
        return
    if trouble.found_word and trouble.before == trouble.word_before:
        rule = "`Malf(X, T) :- Temp(X, high, T).`"
        yield f"A statement is a declaration, a query, a fact or a rule such as {rule}"
    yield "Write a predicate with its arguments in parentheses, the time last, such as `Malf(X, T)`."


def _examples(trouble: Trouble) -> Iterator[str]:
    word = trouble.first_word
    if trouble.word_before in {"window", "horizon", "not"}:
        word = trouble.word_before
    if word in _EXAMPLES:
        yield f"For example: {_EXAMPLES[word]}"
    if trouble.accepted >= TERM:
        yield "A comparison has a variable or a constant on both sides, such as `V >= 90`."


_GAP = "`input Beat(server, time) delay 1, one per server, every 10 s.`"
_SLOT = "`input Temp(device, level, time) delay 2, one per device.`"


def _clauses(trouble: Trouble) -> Iterator[str]:
    """The last clauses of an input: `one per`, then `every`."""
    every = re.search(r"\bevery(\s+[\d.]+\s*\w*)?\Z", trouble.before) or trouble.found == "every"
    if trouble.first_word == "input" and every:
        yield f"`every` stands last, with a number of ticks or a duration, and `,` before it: {_GAP}"
    behind = trouble.statement[trouble.at :]
    if trouble.first_word != "input":
        if trouble.first_word in _EXAMPLES and re.match(r",?\s*one\s+per\b", behind):
            yield f"`one per` belongs to the declaration of an input: {_SLOT}"
        return
    behind_names = trouble.accepted == {"EVERY"} and re.search(r"\bone\s+per\b", trouble.before)
    if behind_names or "AND" in trouble.accepted or re.search(r"\bper\s+tick\Z", trouble.before):
        if re.match(r",?\s*delay\b", behind):
            yield f"Write the delay before `one per`, and `,` between them: {_SLOT}"
        if trouble.word_before == "tick":
            yield "The tick is always part of it: write `one per device`, without `tick`."
        yield "Write the names of columns, with `and` between them, such as `one per device and sensor`."
    if trouble.found == "per" and trouble.word_before == "one":
        yield f"Write `,` between the delay and `one per`: {_SLOT}"
    if trouble.found == "," and "ONE" in trouble.accepted:
        yield f"Write no `,` behind the columns: {_SLOT}"
    if "PER" in trouble.accepted or ("ONE" in trouble.accepted and _ABOUT_SLOTS.search(behind)):
        yield f"Write `one per` and the names of columns: {_SLOT}"
    if trouble.word_before in {"per", "and"} and re.search(r"\bone\s+per\b", trouble.before):
        yield f"Write the names of columns behind `one per`, or `one per tick`: {_SLOT}"


_ABOUT_SLOTS = re.compile(r"\b(one|once|per|by|each|every|unique|key|exclusive|for)\b", re.IGNORECASE)


def _listed(table: str, trouble: Trouble) -> Iterator[str]:
    """The hints of a table that fit: to the text found, those before and behind, and what is accepted."""
    found, accepted, behind = trouble.found, trouble.accepted, trouble.statement[trouble.at :]
    for each in _READ[table]:
        before = re.search(each.get("before", ""), trouble.before[-_NEAR:])
        fits = found in each.get("found", (found,)) and re.match(each.get("behind", ""), behind)
        begins = trouble.first_word in each.get("first_word", (trouble.first_word,))
        known = accepted >= {*each.get("accepts", ())} and accepted == {*each.get("only", accepted)}
        if before and fits and begins and known and accepted.isdisjoint(each.get("lacks", ())):
            named = before[1] if before.re.groups else ""
            yield each["hint"].format(named=named, opposite=OPPOSITE.get(found, ""))


_NEAR = 1000  # the letters before that are looked at


def _hint(trouble: Trouble) -> str:
    """The hint about the likeliest mistake, the first one found."""
    known = (
        *(_clauses, partial(_listed, "before_words"), _words, _names_and_numbers),
        *(partial(_listed, "behind_words"), _atoms, _examples),
    )
    found = (hint for kind in known for hint in kind(trouble))
    return next(found, "The language page shows how each statement is written.")
