"""Hints for syntax errors: the likely mistake where the grammar could not go on.

Each function knows one kind of mistake and returns what to write instead, or nothing. The
first hint found is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from antelog.language.printer import KEYWORDS
from antelog.language.syntax import OPPOSITE

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
        """The word right before the place, if it is one."""
        return last_word(self.before)

    @cached_property
    def first_word(self) -> str:
        match = re.match(r"\w+", self.statement)
        return match[0] if match else ""

    @property
    def found_word(self) -> bool:
        return self.found[:1].isalpha()


def last_word(text: str) -> str:
    """The word a text ends with, or nothing; found from the end, for a search tries every beginning."""
    start = len(text)
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    return text[start:]


_SYMBOLS = re.compile(r"[^\w\s\"(),.%]+")


def symbols(statement: str, at: int) -> tuple[int, str]:
    """The unbroken row of symbols that a place lies in, and where it begins."""
    for match in _SYMBOLS.finditer(statement):
        if match.start() <= at < match.end():
            return match.start(), match[0]
    return at, ""


_IF = "Write `:-` between the head and the conditions of a rule."
_COMMA = "Write `,` between the conditions of a rule."
_OR = "Write `or` between atoms or comparisons, in small letters, or one rule for each alternative."
_COMMENT = "Write `%` before a comment, on each of its lines."
_NOT = "Write `not` before an atom."
_DIFFERENT = "Write `!=` for different from."
_EQUAL = "Write `=` to compare for equality."
_QUERY = "Write `query Malf(X, T).` to ask for the answers of Malf."
_QUOTES = 'Write texts in double quotes, such as `"very high"`.'
AGGREGATE = (
    "What is counted or added up is an atom within some ticks, and its value is compared: "
    "`avg(V : Temp(X, V, T-9..T)) > 90` or `count(Temp(X, _, T-9..T)) > 5`."
)

INSTEAD = {
    "&": _COMMA,
    "&&": _COMMA,
    "|": _OR,
    "||": _OR,
    ";": "Write `.` at the end of a statement, and one rule for each alternative.",
    "<-": _IF,
    ":": _IF,
    ":=": _IF,
    "=>": "Write `->` before the head of a rule.",
    "==": _EQUAL,
    "===": _EQUAL,
    "<>": _DIFFERENT,
    "!==": _DIFFERENT,
    "\\=": _DIFFERENT,
    "=<": "Write `<=` for at most.",
    "!": _NOT,
    "~": _NOT,
    "\\+": _NOT,
    "'": _QUOTES,
    "`": _QUOTES,
    "#": _COMMENT,
    "--": _COMMENT,
    "//": _COMMENT,
    "/*": _COMMENT,
    "?": _QUERY,
    "?-": _QUERY,
}
_WORDS = {
    "and": _COMMA,
    "or": _OR,
    "if": _IF,
    "where": _IF,
    "when": _IF,
    "in": "Write the values in parentheses: `X in (pump, fan)`.",
    "is": _EQUAL,
    "between": "Write two comparisons, such as `V >= 10, V <= 90`.",
    "not": "Write `not` once, in small letters, before an atom.",
    "for": "Count the ticks at which it is so: `count(Temp(X, V, T-2..T), V > 90) >= 3`.",
    "within": "Write a range of ticks, as in `Ack(X, T..T+5)`, or compare the times: `T <= U, U <= T + 5`.",
}


def _of_words(trouble: Trouble) -> str | None:
    if trouble.word_before in {"for", "within"}:
        return _WORDS[trouble.word_before]  # taken for the unit of a duration
    if not trouble.found_word:
        return _COMMENT if trouble.before == "--" else None
    known = _WORDS.get(trouble.found.lower()) or _WORDS.get(trouble.word_before.lower())
    return _COMMA if known == _IF and "_IF" not in trouble.accepted else known


def _of_functions(trouble: Trouble) -> str | None:
    called = re.search(r"(\w+)\s*\(\s*(distinct\s+)?\w+\Z", trouble.before)
    if trouble.found == ":" and called is not None:
        return f"There are `count`, `sum`, `avg`, `min` and `max`, and no `{called[1]}`."
    if trouble.found == "," and called is not None and called[2]:
        return "`distinct` takes one variable. Derive a predicate with the columns you mean, and count that."
    return None


def _of_negation(trouble: Trouble) -> str | None:
    if trouble.found in OPPOSITE and re.search(r"\bnot\s+\S+\Z", trouble.before):
        opposite = OPPOSITE[trouble.found]
        return f"`not` stands before atoms only; write the opposite comparison, with `{opposite}`."
    if trouble.found in OPPOSITE and _NOT_COUNTED.search(trouble.before[-1000:]):
        return f"Write the opposite comparison, with `{OPPOSITE[trouble.found]}`, and no `not`."
    if re.search(r"\bnot\s+last\Z", trouble.before):
        return "Write no `not` before `last`: compare the value, as in `last Mode(X, M, T), M != run`."
    if trouble.found == "(" and trouble.word_before == "not":
        return "Derive a predicate from the conditions in parentheses, and write `not` before that."
    return None


_AGGREGATES = frozenset({"avg", "count", "max", "min", "sum"})
_NOT_COUNTED = re.compile(r"\bnot\s+(?:avg|count|max|min|sum)\s*\((?:[^()]|\([^()]*\))*\)\Z")
_LONE = re.compile(r"[,(∧]\s*\(\s*(not\s+)?\w+\s*\([^()]*\)\Z")
"""A parenthesis that opens before an atom and belongs to nothing."""


def _of_names(trouble: Trouble) -> str | None:
    if trouble.before.endswith("_") and trouble.found:
        return "A name starts with a letter; `_` on its own stands for any value."
    around = trouble.before.removesuffix(trouble.word_before)
    called = {trouble.word_before}
    if around.endswith("("):
        called.add(last_word(around[:-1]))
    if trouble.found in {"(", ")", ",", "*"} and not _AGGREGATES.isdisjoint(map(str.lower, called)):
        return AGGREGATE
    if trouble.found_word and trouble.word_before.lower() in _AGGREGATES:
        return AGGREGATE
    if trouble.found == "(" and trouble.word_before in KEYWORDS:
        return f"`{trouble.word_before}` is a word of the language; give the predicate another name."
    return None


def _of_numbers(trouble: Trouble) -> str | None:
    if trouble.found in {"+", "-"} and trouble.before[-1:].isdigit():
        return "Write the variable first and then one number, such as `T+1`."
    if trouble.accepted == _AMOUNT and trouble.before.endswith(("+", "-")):
        return "Only a number can be added or subtracted, as in `T+1`; compare two variables to relate them."
    return None


def _of_rules(trouble: Trouble) -> str | None:
    """The shape of a rule: one head, one arrow, conditions."""
    arrow = trouble.found in {":-", "->", "←", "→"}
    if arrow and "DOT" in trouble.accepted:
        return "A rule has one head and one arrow; end the statement before it with `.`."
    if arrow and "_THEN" in trouble.accepted:
        return "The head of a rule is one atom, without `not`; write one rule for each head."
    if trouble.found == "=" and "_IF" in trouble.accepted:
        return _IF
    if trouble.before.endswith((":-", "←")) and trouble.found == ".":
        return "Write the conditions behind `:-`; a fact has none, and no `:-`."
    if trouble.found in {",", ")"} and _LONE.search(trouble.before):
        return "Separate conditions with `,` and put no parentheses around them."
    return None


def _of_comparisons(trouble: Trouble) -> str | None:
    if trouble.found not in OPPOSITE or "COMPARE" in trouble.accepted:
        return None
    if "RPAR" in trouble.accepted:
        return "Arguments go by their position: write the value alone, or compare it behind the atom."
    if trouble.accepted & {"COMMA", "DOT"}:
        return "Write two comparisons, such as `V > 10, V < 90`."
    return None


def _of_atoms(trouble: Trouble) -> str | None:
    if trouble.found == "." and not trouble.before:
        return "Remove this full stop."
    if trouble.found == ")" and "DOT" in trouble.accepted:
        return "Remove this `)`, or add the `(` that belongs to it."
    if trouble.found == "(" and "RPAR" in trouble.accepted:
        return "Close the arguments before this atom with `)`: an argument has no arguments of its own."
    if trouble.found == "." and trouble.word_before[:1].islower() and "RPAR" in trouble.accepted:
        return 'Close the arguments with `)`. A text with a full stop in it is quoted, such as `"eu.west"`.'
    if "RPAR" in trouble.accepted:
        return "Separate the arguments with `,` and close them with `)`."
    if "LPAR" not in trouble.accepted or trouble.first_word in _EXAMPLES:
        return None
    if trouble.found_word and trouble.before == trouble.word_before:
        rule = "`Malf(X, T) :- Temp(X, high, T).`"
        return f"A statement is a declaration, a query, a fact or a rule such as {rule}"
    return "Write a predicate with its arguments in parentheses, the time last, such as `Malf(X, T)`."


def _of_lists(trouble: Trouble) -> str | None:
    if trouble.before.endswith(","):
        return "Write another argument or condition behind the `,`, or remove it."
    if trouble.found == "," and trouble.first_word == "query":
        return "A query asks for one predicate: write a query for each, or a rule that joins them."
    if trouble.accepted >= {"COMMA", "DOT"} and trouble.found_word:
        return "Write `,` between conditions and `.` at the end of a statement."
    return None


_CHANCE = "`chance Temp(_, high, _) = 5%, again 80%.`"
_ALERT = "`query Malf(X, T) window 10 alert 80%.`"
_EXAMPLES = {
    "tick": "`tick 10 minutes.`",
    "zone": '`zone "Europe/Berlin".`',
    "limit": "`limit hot = 90.`",
    "include": '`include "fleet.alog".`',
    "function": "`function near(lat1, lon1, lat2, lon2).`",
    "input": "`input Temp(device, level, time) delay 2.`",
    "static": "`static Turbine(device).`",
    "delay": "`delay Temp(wt4, _, _) = 2.`",
    "chance": _CHANCE,
    "query": "`query Malf(X, T).`",
    "window": "`query Malf(X, T) window 10.`",
    "horizon": "`query Malf(X, T) window 10 horizon 2.`",
    "not": "`OK(X, T) :- Turbine(X), not Shdn(X, T).`",
}


def _of_examples(trouble: Trouble) -> str | None:
    word = trouble.first_word
    if trouble.word_before in {"window", "horizon", "not"}:
        word = trouble.word_before
    return f"For example: {_EXAMPLES[word]}" if word in _EXAMPLES else None


_GAP = "`input Beat(server, time) delay 1, one per server, every 10 s.`"


def _of_gaps(trouble: Trouble) -> str | None:
    """`every`, the last clause of an input."""
    if trouble.first_word != "input":
        return None
    if re.search(r"\bevery(\s+[\d.]+\s*\w*)?\Z", trouble.before) or trouble.found == "every":
        return f"`every` stands last, with a number of ticks or a duration, and `,` before it: {_GAP}"
    return None


_SLOT = "`input Temp(device, level, time) delay 2, one per device.`"


def _of_slots(trouble: Trouble) -> str | None:
    """`one per`, which ends the declaration of an input."""
    behind = trouble.statement[trouble.at :]
    if trouble.first_word != "input":
        belongs = trouble.first_word in _EXAMPLES and re.match(r",?\s*one\s+per\b", behind)
        return f"`one per` belongs to the declaration of an input: {_SLOT}" if belongs else None
    behind_names = trouble.accepted == {"EVERY"} and re.search(r"\bone\s+per\b", trouble.before)
    if behind_names or "AND" in trouble.accepted or re.search(r"\bper\s+tick\Z", trouble.before):
        if re.match(r",?\s*delay\b", behind):
            return f"Write the delay before `one per`, and `,` between them: {_SLOT}"
        if trouble.word_before == "tick":
            return "The tick is always part of it: write `one per device`, without `tick`."
        return "Write the names of columns, with `and` between them, such as `one per device and sensor`."
    if trouble.found == "per" and trouble.word_before == "one":
        return f"Write `,` between the delay and `one per`: {_SLOT}"
    if trouble.found == "," and "ONE" in trouble.accepted:
        return f"Write no `,` behind the columns: {_SLOT}"
    if "PER" in trouble.accepted or ("ONE" in trouble.accepted and _ABOUT_SLOTS.search(behind)):
        return f"Write `one per` and the names of columns: {_SLOT}"
    named = trouble.word_before in {"per", "and"} and re.search(r"\bone\s+per\b", trouble.before)
    return f"Write the names of columns behind `one per`, or `one per tick`: {_SLOT}" if named else None


_ABOUT_SLOTS = re.compile(r"\b(one|once|per|by|each|every|unique|key|exclusive|for)\b", re.IGNORECASE)


def _of_percentages(trouble: Trouble) -> str | None:
    if trouble.accepted == {"PERCENTAGE"}:
        if trouble.found[:1].isdigit():
            return "Write `%` right behind the number, such as `5%` for 0.05; elsewhere it begins a comment."
        return "Write a percentage here, such as `5%`."
    behind = trouble.statement[trouble.at :]
    if trouble.first_word == "chance" and re.match(r"again\b|,?\s*\d", behind) and "%" in trouble.before:
        return f"Write `, again` before the chance after a tick with such a fact: {_CHANCE}"
    if trouble.first_word == "query" and re.match(r",\s*alert\b", behind):
        return f"Write no `,` before `alert`: {_ALERT}"
    if trouble.first_word not in {"delay", "input"}:  # which have shares: `delay 2 (70%, 20%, 8%)`
        return None
    if trouble.found == "(" and trouble.accepted == _AMOUNT:
        return "Write the delay before the shares of its ticks, such as `2 (70%, 20%, 8%)`."
    if re.match(r",?\s*\d", behind) and re.search(r"\d\s*(\w+\s*)?\Z", trouble.before):
        return "Write the shares of a delay in parentheses behind it, such as `2 (70%, 20%, 8%)`."
    return None


def _of_terms(trouble: Trouble) -> str | None:
    if trouble.accepted >= TERM:
        return "A comparison has a variable or a constant on both sides, such as `V >= 90`."
    return None


_HINTS: tuple[Callable[[Trouble], str | None], ...] = (
    _of_gaps,
    _of_slots,
    _of_percentages,
    _of_negation,
    _of_rules,
    _of_comparisons,
    _of_functions,
    lambda trouble: INSTEAD.get(trouble.found),
    _of_words,
    _of_names,
    _of_numbers,
    _of_lists,
    _of_atoms,
    _of_examples,
    _of_terms,
)


def hint(trouble: Trouble) -> str:
    known = (of(trouble) for of in _HINTS)
    return next((text for text in known if text), "The language page shows how each statement is written.")
