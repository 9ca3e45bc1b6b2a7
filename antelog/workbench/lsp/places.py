"""Spans of files as URIs and ranges, statements as symbols, errors and warnings: for editors."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lsprotocol import types
from lsprotocol.types import Location, Position, PositionEncodingKind, Range
from pygls import uris

from antelog.diagnostics import Severity, Source, Span
from antelog.workbench.lsp.mentions import NameKind, statements_of
from antelog.workbench.lsp.session import Analysis, Snapshot, real

_LINE_END = re.compile(r"\r\n|\r|\n")
_CODECS = {
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}
"""The codec of an encoding, and the bytes of a unit."""


@lru_cache(maxsize=64)
def _starts_of(text: str) -> list[int]:
    """The beginnings of the lines of a text."""
    return [0, *(each.end() for each in _LINE_END.finditer(text))]


def path_of(uri: str) -> str:
    """The path of a file; of a text without one, its URI."""
    return uris.to_fs_path(uri) or uri if uri.startswith("file:") else uri


@dataclass(frozen=True)
class Places:
    """Turns spans into ranges and back. Characters are counted in units of an encoding, UTF-16 as a rule."""

    snapshot: Snapshot
    encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16

    def position(self, text: str, offset: int) -> Position:
        codec, width = _CODECS[PositionEncodingKind(self.encoding)]
        starts = _starts_of(text)
        line = bisect_right(starts, offset) - 1
        before = text[starts[line] : offset]
        units = len(before) if before.isascii() else len(before.encode(codec, "surrogatepass")) // width
        return Position(line, units)

    def offset(self, text: str, position: Position) -> int:
        """The offset of a line and character; one behind the end of a line or of the text is that end."""
        codec, width = _CODECS[PositionEncodingKind(self.encoding)]
        starts = _starts_of(text)
        if position.line >= len(starts):
            return len(text)
        start, *after = starts[position.line : position.line + 2]
        line = text[start : after[0] if after else len(text)].rstrip("\r\n")
        if line.isascii():
            return start + min(position.character, len(line))
        taken = line.encode(codec, "surrogatepass")[: position.character * width]
        return start + len(taken.decode(codec, "ignore"))

    def uri(self, path: str) -> str:
        """The URI of a file, as the editor wrote it if it is open."""
        found = self.snapshot.texts.get(real(path))
        if found is not None:
            return found.uri
        return uris.from_fs_path(str(Path(path).absolute())) or path

    def range(self, file: Source, span: Span) -> Range:
        return Range(self.position(file.text, span.start), self.position(file.text, span.end))

    def location(self, file: Source, span: Span) -> Location:
        return Location(self.uri(file.name), self.range(file, span))


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
    """The declarations, rules and queries of a file; facts of one predicate in a row are one."""
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

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
}


def by_file(analysis: Analysis, places: Places) -> dict[str, list[types.Diagnostic]]:
    """The diagnostics of each file of a program, by its path; files without any have none."""
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
            severity=_SEVERITIES[each.severity],
            code=each.code,
            source="antelog",
            tags=[types.DiagnosticTag.Unnecessary] if each.code in {"W101", "W102"} else None,
            related_information=related or None,
        )
        found[file.name].append(shown)
    return found
