"""Places in files for editors: a span of a file as a URI and a range."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol.types import Location, Position, PositionEncodingKind, Range
from pygls import uris

from antelog.diagnostics import Source, Span
from antelog.workbench.lsp.positions import LineTable
from antelog.workbench.lsp.session import Snapshot, real


def path_of(uri: str) -> str:
    """The path of a file; of a text without one, its URI."""
    return uris.to_fs_path(uri) or uri if uri.startswith("file:") else uri


@dataclass(frozen=True)
class Places:
    """Turns spans into ranges, in the encoding of an editor."""

    snapshot: Snapshot
    encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16
    _tables: dict[str, LineTable] = field(default_factory=dict)

    def table(self, text: str) -> LineTable:
        """The lines of a text."""
        if text not in self._tables:
            self._tables[text] = LineTable(text, self.encoding)
        return self._tables[text]

    def offset(self, text: str, position: Position) -> int:
        return self.table(text).offset(position)

    def uri(self, path: str) -> str:
        """The URI of a file, as the editor wrote it if it is open."""
        found = self.snapshot.texts.get(real(path))
        if found is not None:
            return found.uri
        return uris.from_fs_path(str(Path(path).absolute())) or path

    def range(self, file: Source, span: Span) -> Range:
        return self.table(file.text).range(span)

    def location(self, file: Source, span: Span) -> Location:
        return Location(self.uri(file.name), self.range(file, span))
