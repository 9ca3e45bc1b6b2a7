"""The words of a statement, with the spaces before them and the comments among them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from antelog.diagnostics import Span
from antelog.language.parser import PLAIN_SYMBOLS


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment; one that is `alone` has a line to itself, others stand at the end of a line."""

    text: str
    alone: bool
    span: Span

    @classmethod
    def of(cls, text: str, span: Span) -> Remark:
        """The comment at a place of a text."""
        begin = text.rfind("\n", 0, span.start) + 1
        return cls(text[span.start : span.end].rstrip(), not text[begin : span.start].strip(), span)


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word, number, text or sign, and where it starts."""

    text: str
    start: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.start + len(self.text))


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A word, number, text or sign of a statement, the space before it, and the comments before it.

    `depth` is the number of parentheses around it. `begins_line` is the writer's choice, behind a head.
    """

    text: str
    depth: int = 0
    space: bool = True
    remarks: tuple[Remark, ...] = ()
    begins_line: bool = False

    @property
    def shown(self) -> str:
        """The text with the space before it."""
        return f" {self.text}" if self.space else self.text


_LEXEME = re.compile(
    r'"(?:[^"\\\n]|\\[^\n])*"|\d+(?:\.\d+)?%|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[^\W\d_]\w*|\.\.|:-|->|[<>!]=|\S'
)
_WORD = re.compile(r"[^\W\d_]")
_OPERAND_END = re.compile(r'[\w)"]\Z')
_SHORT_UNITS = frozenset({"us", "ms", "s", "min", "h", "d"})
_BEFORE_ATOM = frozenset({",", ":-", "->", "←", "→", "∧", "not", "¬", "or", "(", "query"})
_EDGES = frozenset({"(", ")", ",", ".."})
DECLARATIONS = frozenset({"input", "static", "function", "delay", "chance"})


def words_in(text: str, span: Span) -> list[PlacedWord]:
    """The words, numbers, texts and signs of a stretch of a text without comments."""
    return [PlacedWord(each[0], each.start()) for each in _LEXEME.finditer(text, span.start, span.end)]


def lexemes(text: str, span: Span, remarks: Sequence[Remark]) -> list[Lexeme]:
    """The words of the statement at a place of a text without comments; `remarks` are the comments in it."""
    words = words_in(text, span)
    plain = [PLAIN_SYMBOLS.get(each.text, each.text) for each in words]
    found = list(_Spacing(plain).lexemes())
    waiting = list(remarks)
    for index, word in enumerate(words if waiting else ()):
        before = [each for each in waiting if each.span.start < word.start]
        waiting = waiting[len(before) :]
        found[index] = replace(found[index], remarks=tuple(before))
    for index in range(1, len(words)):
        # The writer may choose to begin a line behind `:-`, and before `->`.
        if plain[index - 1] == ":-" or plain[index] == "->":
            between = text[words[index - 1].span.end : words[index].start]
            found[index] = replace(found[index], begins_line="\n" in between)
    return found


def joined(parts: Sequence[Lexeme]) -> str:
    """The text of some words, without the space before the first one."""
    return "".join(each.shown for each in parts).removeprefix(" ")


@dataclass
class _Spacing:
    """Decides the spaces between the words of a statement."""

    words: list[str]
    callers: list[str] = field(default_factory=list)
    groups: int = 0

    def lexemes(self) -> Iterator[Lexeme]:
        declares = self.words[0] in DECLARATIONS
        for index, word in enumerate(self.words):
            before = self.words[index - 1] if index else ""
            if word == ")" and self.callers:
                self.callers.pop()
                self.groups += not self.callers
            space = index > 0 and self._is_apart(index, before, declares)
            yield Lexeme(word, len(self.callers), space)
            if word == "(":
                self.callers.append(before)

    def _is_apart(self, index: int, before: str, declares: bool) -> bool:
        word = self.words[index]
        if word in {")", ",", ".", ".."} or before in {"(", ".."}:
            return False
        if word == "(":
            shares = declares and not self.callers and self.groups > 0
            is_list = before == "in" and self.words[index - 2] not in _BEFORE_ATOM
            return shares or is_list or not _WORD.match(before)
        if word == ":":
            return not declares
        if self._is_sign(index - 1):
            return self._is_binary(index - 1) and not self._is_tight(index - 1)
        if self._is_sign(index) and self._is_binary(index):
            return not self._is_tight(index)
        if word in _SHORT_UNITS and before[:1].isdigit() and self._is_sign(index - 2):
            return not self._is_tight(index - 2)
        return True

    def _is_sign(self, index: int) -> bool:
        return index > 0 and self.words[index] in {"+", "-"}

    def _is_binary(self, index: int) -> bool:
        return _OPERAND_END.search(self.words[index - 1]) is not None

    def _is_tight(self, index: int) -> bool:
        """Whether a sum is written without spaces: `T+1` as an argument of an atom, but `V + 1 > W`."""
        if not self.callers or not self.callers[-1][:1].isupper():
            return False
        if self.words[index - 2] not in _EDGES or not self._is_binary(index):
            return False
        after = self.words[index + 1 : index + 4]
        if after[1:2] and after[1] in _SHORT_UNITS and after[0][:1].isdigit():
            del after[1]
        return len(after) > 1 and _OPERAND_END.search(after[0]) is not None and after[1] in _EDGES
