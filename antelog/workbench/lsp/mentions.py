"""The names in a text and their places, found by words: they are known while a statement is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from antelog.diagnostics import Span
from antelog.language.cutting import cut
from antelog.language.durations import UNITS
from antelog.language.functions import OF_ONE
from antelog.language.literals.aggregate import FUNCTIONS as AGGREGATES
from antelog.language.printer import KEYWORDS
from antelog.language.syntax import SEVERITIES
from antelog.workbench.formatting import DECLARATIONS, PlacedWord, words_in


class NameKind(Enum):
    """The kinds of names; functions count as predicates, and limits may look like constants."""

    PREDICATE = "predicate"
    VARIABLE = "variable"
    LIMIT = "limit"
    CONSTANT = "constant"
    COLUMN = "column"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Mention:
    """A name at a place, which it may declare or derive; `owner` is the predicate of a column."""

    name: str
    kind: NameKind
    span: Span
    defines: bool = False
    owner: str = ""


@dataclass(frozen=True, slots=True)
class StatementNames:
    """A statement: its first word, its words, and the names in it."""

    span: Span
    first: str
    words: tuple[PlacedWord, ...]
    mentions: tuple[Mention, ...]

    def moved(self, by: int) -> StatementNames:
        words = tuple(PlacedWord(each.text, each.start + by) for each in self.words)
        mentions = tuple(replace(m, span=Span(m.span.start + by, m.span.end + by)) for m in self.mentions)
        return StatementNames(Span(by, by + self.span.end), self.first, words, mentions)

    @property
    def subject(self) -> Mention | None:
        """The predicate or limit that the statement defines."""
        return next((each for each in self.mentions if each.defines and each.kind in _SUBJECTS), None)


COLUMN_LISTS = frozenset({"input", "static", "function"})
STATEMENTS = DECLARATIONS | {"tick", "zone", "limit", "include", "query"}
"""The words that begin statements."""
BUILT_IN = frozenset({*OF_ONE, *AGGREGATES})
_SUBJECTS = frozenset({NameKind.PREDICATE, NameKind.LIMIT})
_SMALL_WORDS = KEYWORDS | {
    "one", "per", "and", "every", "again", "alert", "given", "delay", "tick", "last", "distinct",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]\w*\Z")
_BRACED = re.compile(r"(?<!\{)\{([^\W\d_]\w*)\}")


@lru_cache(maxsize=256)
def statements_of(text: str) -> tuple[StatementNames, ...]:
    """The statements of a text with their names, without those of included files."""
    found = cut(text)
    return tuple(_names_in(found.text[s.start : s.end]).moved(s.start) for s in found.statements)


def mentions_of(text: str) -> Iterator[Mention]:
    for statement in statements_of(text):
        yield from statement.mentions


def statement_at(text: str, offset: int) -> StatementNames | None:
    """The statement around an offset, the one that ends there included."""
    return next((each for each in statements_of(text) if each.span.start <= offset <= each.span.end), None)


def mention_at(text: str, offset: int) -> Mention | None:
    """The name at an offset, or just before it."""
    near = statement_at(text, offset)
    touching = [each for each in near.mentions if each.span.start <= offset <= each.span.end] if near else []
    return touching[-1] if touching else None


@lru_cache(maxsize=8192)
def _names_in(statement: str) -> StatementNames:
    """The names of a statement, with places counted from its start."""
    span = Span(0, len(statement))
    words = words_in(statement, span)
    first = words[0].text if words and words[0].text in STATEMENTS else ""
    if len(words) > 1 and words[1].text == "(":
        first = ""
    return StatementNames(span, first, tuple(words), tuple(_Finder(words, first).mentions()))


class _Finder:
    """Finds the names of a statement by the words around them."""

    def __init__(self, words: list[PlacedWord], first: str) -> None:
        self._words, self._first = words, first
        self._texts = [each.text for each in words]

    def mentions(self) -> Iterator[Mention]:
        callers: list[str] = []
        # The number of the word that is the predicate of a rule's head.
        arrows = [-1, *(i for i, text in enumerate(self._texts) if text in {"->", "→"})]
        head = None if self._first else arrows[-1] + 1
        for index, word in enumerate(self._words):
            text = word.text
            if text == "(":
                callers.append(self._texts[index - 1] if index else "")
            elif text == ")" and callers:
                callers.pop()
            elif text.startswith('"'):
                if self._first == "include":
                    yield Mention(text[1:-1], NameKind.FILE, word.span)
                for each in _BRACED.finditer(text) if self._first == "query" else ():
                    if each[1][0].isupper():
                        span = Span(word.start + each.start(1), word.start + each.end(1))
                        yield Mention(each[1], NameKind.VARIABLE, span)
            elif _WORD.match(text):
                yield from self._name(index, callers, head)

    def _name(self, index: int, callers: list[str], head: int | None) -> Iterator[Mention]:
        word = self._words[index]
        text, span = word.text, word.span
        before = self._texts[index - 1] if index else ""
        after = self._texts[index + 1] if index + 1 < len(self._texts) else ""
        owner = self._texts[1] if len(self._texts) > 1 else ""
        if index == 0 and self._first:
            return
        if self._first == "limit" and index == 1:
            yield Mention(text, NameKind.LIMIT, span, defines=True)
        elif after == "(" and not (self._first in DECLARATIONS and index > 1 and not callers):
            if text not in BUILT_IN:
                defines = index == head or (index == 1 and self._first in COLUMN_LISTS)
                yield Mention(text, NameKind.PREDICATE, span, defines)
        elif self._first in COLUMN_LISTS and callers:
            if before in {"(", ","}:
                yield Mention(text, NameKind.COLUMN, span, defines=True, owner=owner)
            elif before == "<=" and text not in UNITS:
                yield Mention(text, NameKind.CONSTANT, span)
        elif self._first == "input" and before in {"per", "and"} and text != "tick":
            yield Mention(text, NameKind.COLUMN, span, owner=owner)
        elif text[0].isupper():
            yield Mention(text, NameKind.VARIABLE, span)
        elif text not in _SMALL_WORDS:
            unit = text in UNITS and re.match(r"\w", before)
            type_ = self._first == "function" and not callers
            severity = self._first == "query" and not callers and text in SEVERITIES
            if not (unit or type_ or severity):
                yield Mention(text, NameKind.CONSTANT, span)
