"""Names and their places: found by words, so that they are known while a statement is written."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from pathlib import Path

from lsprotocol import types
from lsprotocol.types import Location, Position, PositionEncodingKind, Range
from pygls import uris
from pygls.exceptions import JsonRpcInvalidParams

from antelog.diagnostics import Source, Span
from antelog.language import functions
from antelog.language.durations import UNITS
from antelog.language.literals.aggregate import FUNCTIONS as AGGREGATES
from antelog.language.parser import cut
from antelog.language.printer import KEYWORDS
from antelog.language.syntax import SEVERITIES
from antelog.workbench.formatting import DECLARATIONS, PlacedWord, words_in
from antelog.workbench.lsp.session import Analysis, Snapshot, real

# ---- names in a text ----


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
# The words that begin statements.
STATEMENTS = DECLARATIONS | {"tick", "zone", "limit", "include", "query", "window"}
_FUNCTIONS = frozenset({*functions.OF_ONE, *AGGREGATES})
_SUBJECTS = frozenset({NameKind.PREDICATE, NameKind.LIMIT})
_SMALL_WORDS = KEYWORDS | {
    "one", "per", "and", "every", "again", "alert", "given", "delay", "tick", "last", "distinct",
    "many", "runbook",
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
    def __init__(self, words: list[PlacedWord], first: str) -> None:
        self._words, self._first = words, first
        self._texts = [each.text for each in words]

    def mentions(self) -> Iterator[Mention]:
        depth = 0
        # The number of the word that is the predicate of a rule's head.
        arrows = [-1, *(i for i, text in enumerate(self._texts) if text in {"->", "→"})]
        head = None if self._first else arrows[-1] + 1
        for index, word in enumerate(self._words):
            text = word.text
            if text == "(":
                depth += 1
            elif text == ")" and depth:
                depth -= 1
            elif text.startswith('"'):
                if self._first == "include":
                    yield Mention(text[1:-1], NameKind.FILE, word.span)
                for each in _BRACED.finditer(text) if self._first == "query" else ():
                    if each[1][0].isupper():
                        span = Span(word.start + each.start(1), word.start + each.end(1))
                        yield Mention(each[1], NameKind.VARIABLE, span)
            elif _WORD.match(text):
                yield from self._name(index, depth, head)

    def _name(self, index: int, depth: int, head: int | None) -> Iterator[Mention]:
        word = self._words[index]
        text, span = word.text, word.span
        before = self._texts[index - 1] if index else ""
        after = self._texts[index + 1] if index + 1 < len(self._texts) else ""
        owner = self._texts[1] if len(self._texts) > 1 else ""
        if index == 0 and self._first:
            return
        if self._first == "limit" and index == 1:
            yield Mention(text, NameKind.LIMIT, span, defines=True)
        elif self._first == "window" and index == 1:
            yield Mention(text, NameKind.PREDICATE, span)
        elif after == "(" and not (self._first in DECLARATIONS and index > 1 and not depth):
            if text not in _FUNCTIONS:
                defines = index == head or (index == 1 and self._first in COLUMN_LISTS)
                yield Mention(text, NameKind.PREDICATE, span, defines)
        elif self._first in COLUMN_LISTS and depth:
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
            type_ = self._first == "function" and not depth
            severity = self._first == "query" and not depth and text in SEVERITIES
            if not (unit or type_ or severity):
                yield Mention(text, NameKind.CONSTANT, span)


# ---- places ----

_LINE_END = re.compile(r"\r\n|\r|\n")
_CODECS = {  # the codec of each encoding, and the bytes of a unit
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


@lru_cache(maxsize=64)
def _line_starts(text: str) -> list[int]:
    return [0, *(each.end() for each in _LINE_END.finditer(text))]


def path_of(uri: str) -> str:
    """The path of a file, or the URI of a text that is not in one."""
    return uris.to_fs_path(uri) or uri if uri.startswith("file:") else uri


@dataclass(frozen=True)
class Places:
    """Turns spans into ranges and back; characters are counted in units of an encoding."""

    snapshot: Snapshot
    encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16

    def position(self, text: str, offset: int) -> Position:
        codec, width = _CODECS[PositionEncodingKind(self.encoding)]
        starts = _line_starts(text)
        line = bisect_right(starts, offset) - 1
        before = text[starts[line] : offset]
        units = len(before) if before.isascii() else len(before.encode(codec, "surrogatepass")) // width
        return Position(line, units)

    def offset(self, text: str, position: Position) -> int:
        """The offset of a line and character; those behind the end of a line or of the text are that end."""
        codec, width = _CODECS[PositionEncodingKind(self.encoding)]
        starts = _line_starts(text)
        if position.line >= len(starts):
            return len(text)
        start, *after = starts[position.line : position.line + 2]
        line = text[start : after[0] if after else len(text)].rstrip("\r\n")
        if line.isascii():
            return start + min(position.character, len(line))
        taken = line.encode(codec, "surrogatepass")[: position.character * width]
        return start + len(taken.decode(codec, "ignore"))

    def uri(self, path: str) -> str:
        """The URI of a file, written as by the editor if it is open."""
        found = self.snapshot.texts.get(real(path))
        if found is not None:
            return found.uri
        return uris.from_fs_path(str(Path(path).absolute())) or path

    def range(self, file: Source, span: Span) -> Range:
        return Range(self.position(file.text, span.start), self.position(file.text, span.end))

    def location(self, file: Source, span: Span) -> Location:
        return Location(self.uri(file.name), self.range(file, span))


# ---- names ----


@dataclass(frozen=True)
class NamePlaces:
    """A name at a place in a file, and all places of the program with it."""

    file: Source
    mention: Mention
    everywhere: tuple[tuple[Source, Mention], ...]

    @property
    def definitions(self) -> list[tuple[Source, Mention]]:
        """Its declarations, or else the heads of its rules."""
        defined = [(f, m) for f, m in self.everywhere if m.defines]
        near = [statement_at(f.text, m.span.start) for f, m in defined]
        words = COLUMN_LISTS | {"limit"}
        declared = [each for each, s in zip(defined, near, strict=True) if s and s.first in words]
        return declared or defined or list(self.everywhere[:1])


def named(snapshot: Snapshot, path: str, offset: int) -> NamePlaces | None:
    text = snapshot.text(path)
    mention = mention_at(text, offset)
    if mention is None:
        return None
    files = snapshot.related_files(path)
    file = next((each for each in files if each.text == text), Source(text, path))
    kind = mention.kind
    if kind in {NameKind.VARIABLE, NameKind.COLUMN}:
        statement = statement_at(file.text, offset)
        near = statement.mentions if statement else ()
        alone = ((file, each) for each in near if each.name == mention.name and each.kind is kind)
        return NamePlaces(file, mention, tuple(alone))
    limits = (m.name for each in files for m in mentions_of(each.text) if m.kind is NameKind.LIMIT)
    if kind is NameKind.CONSTANT and mention.name in limits:
        kind = NameKind.LIMIT  # as it is written, it could be either
    alike = {NameKind.LIMIT, NameKind.CONSTANT} if kind is NameKind.LIMIT else {kind}
    all_names = ((each, m) for each in files for m in mentions_of(each.text))
    found = [(each, m) for each, m in all_names if m.name == mention.name and m.kind in alike]
    return NamePlaces(file, replace(mention, kind=kind), tuple(found))


def definitions(found: NamePlaces | None, places: Places) -> list[Location]:
    """The places where a name is declared or derived; for an `include`, the file."""
    if found is None:
        return []
    if found.mention.kind is NameKind.FILE:
        target = os.path.normpath(Path(found.file.name).parent / found.mention.name)
        return [Location(places.uri(target), _START)] if Path(target).exists() else []
    return [places.location(file, each.span) for file, each in found.definitions]


_START = Range(Position(0, 0), Position(0, 0))
_VARIABLE = re.compile(r"[^\W\d_a-z]\w*\Z")


def renamable(found: NamePlaces | None) -> NamePlaces:
    """The name itself if it can be changed. Raises JsonRpcInvalidParams."""
    if found is None:
        raise JsonRpcInvalidParams("There is no name here: predicates, variables and limits can be renamed.")
    kind, name = found.mention.kind, found.mention.name
    if name in functions.BUILT_IN:
        raise JsonRpcInvalidParams(f"{name} is a function of the language.")
    statements = (each for file, _ in found.everywhere for each in statements_of(file.text))
    declared = {each.subject.name for each in statements if each.first == "function" and each.subject}
    if kind is NameKind.PREDICATE and name in declared:
        raise JsonRpcInvalidParams(f"{name} is a function in Python, which has its name there as well.")
    if kind not in {NameKind.PREDICATE, NameKind.VARIABLE, NameKind.LIMIT}:
        what = f"{name} is a {kind.value}"
        raise JsonRpcInvalidParams(f"{what}: predicates, variables and limits can be renamed.")
    return found


def renamed(found: NamePlaces | None, new: str, places: Places) -> types.WorkspaceEdit:
    """The changes that give a name another one, in all files. Raises JsonRpcInvalidParams."""
    found = renamable(found)
    _refuse_name(places.snapshot, found, new)
    changes: dict[str, list[types.TextEdit]] = {}
    for file, each in found.everywhere:
        edit = types.TextEdit(places.range(file, each.span), new)
        changes.setdefault(places.uri(file.name), []).append(edit)
    return types.WorkspaceEdit(changes=changes)


def _refuse_name(snapshot: Snapshot, found: NamePlaces, new: str) -> None:
    mention = found.mention
    pattern = _VARIABLE if mention.kind is NameKind.VARIABLE else _WORD
    if not pattern.match(new):
        first = "a capital letter" if mention.kind is NameKind.VARIABLE else "a letter"
        rule = f"begin with {first}, then letters, digits and _."
        raise JsonRpcInvalidParams(f"`{new}` is not a name of a {mention.kind.value}: {rule}")
    if new in KEYWORDS or new in functions.BUILT_IN:
        raise JsonRpcInvalidParams(f"`{new}` is a word of the language.")
    if mention.kind is NameKind.LIMIT and new[0].isupper():
        raise JsonRpcInvalidParams(f"`{new}` would be a variable: a limit begins with a small letter.")
    if new == mention.name:
        return
    if mention.kind is NameKind.VARIABLE:
        statement = statement_at(found.file.text, mention.span.start)
        others = statement.mentions if statement else ()
    else:
        others = tuple(m for each in snapshot.related_files(found.file.name) for m in mentions_of(each.text))
    kinds = {NameKind.LIMIT, NameKind.CONSTANT} if mention.kind is NameKind.LIMIT else {mention.kind}
    if any(each.name == new and each.kind in kinds for each in others):
        raise JsonRpcInvalidParams(f"There is {new} already; rules that were apart would become one.")


# ---- symbols ----

_KINDS = {
    "input": types.SymbolKind.Interface,
    "static": types.SymbolKind.Struct,
    "function": types.SymbolKind.Function,
    "limit": types.SymbolKind.Constant,
    "query": types.SymbolKind.Event,
    "include": types.SymbolKind.Module,
}
_LONGEST = 80


def symbols(file: Source, places: Places) -> list[types.DocumentSymbol]:
    """The declarations, rules and queries of a file; successive facts of one predicate are one symbol."""
    found: list[types.DocumentSymbol] = []
    facts = ""
    for statement in statements_of(file.text):
        name = statement.subject
        if name is None and statement.first in {"query", "include"}:
            kinds = {NameKind.PREDICATE, NameKind.FILE}
            name = next((each for each in statement.mentions if each.kind in kinds), None)
        if name is None or not name.name:
            continue
        is_fact = (
            not statement.first
            and len(statement.words) > 1
            and statement.words[-2].text == ")"
            and not any(each.text in {":-", "->", "←", "→"} for each in statement.words)
        )
        if is_fact and facts == name.name:
            found[-1].range.end = places.range(file, statement.span).end
            continue
        facts = name.name if is_fact else ""
        text = " ".join(file.text[statement.span.start : statement.span.end].split())
        found.append(
            types.DocumentSymbol(
                name.name,
                _KINDS.get(statement.first, types.SymbolKind.Class),
                places.range(file, statement.span),
                places.range(file, name.span),
                detail=text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…",
            )
        )
    return found


# ---- errors and warnings ----


def by_file(analysis: Analysis, places: Places) -> dict[str, list[types.Diagnostic]]:
    found: dict[str, list[types.Diagnostic]] = {each.name: [] for _, each in analysis.source.files}
    for each in analysis.diagnostics:
        file, span = analysis.source.located(each.span)
        related = []
        for note in each.notes:
            other, there = analysis.source.located(note.span)
            related.append(types.DiagnosticRelatedInformation(places.location(other, there), note.message))
        shown = types.Diagnostic(
            range=places.range(file, span),
            message="\n".join(filter(None, [each.message, each.hint])),
            severity=types.DiagnosticSeverity[each.severity.name.capitalize()],
            code=each.code,
            source="antelog",
            tags=[types.DiagnosticTag.Unnecessary] if each.code in {"W101", "W102"} else None,
            related_information=related or None,
        )
        found[file.name].append(shown)
    return found
