"""The statements of a file as a list of symbols."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from antelog.diagnostics import Source, Span
from antelog.workbench.lsp.mentions import NameKind, StatementNames, statements_of
from antelog.workbench.lsp.places import Places

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
    for statement, name in _named(file.text):
        is_fact = (
            not statement.first
            and len(statement.words) > 1
            and statement.words[-2].text == ")"
            and not any(each.text in {":-", "->", "←", "→"} for each in statement.words)
        )
        if is_fact and facts == name.text:
            found[-1].range.end = places.range(file, statement.span).end
            continue
        facts = name.text if is_fact else ""
        text = " ".join(file.text[statement.span.start : statement.span.end].split())
        found.append(
            types.DocumentSymbol(
                name.text,
                _KINDS.get(statement.first, types.SymbolKind.Class),
                places.range(file, statement.span),
                places.range(file, name.span),
                detail=text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…",
            )
        )
    return found


class _NameText:
    """The name of a statement, and where it is."""

    def __init__(self, text: str, span: Span) -> None:
        self.text, self.span = text, span


def _named(text: str) -> Iterator[tuple[StatementNames, _NameText]]:
    """The statements that have a name."""
    for statement in statements_of(text):
        wanted = statement.subject
        if wanted is None and statement.first in {"query", "include"}:
            kinds = {NameKind.PREDICATE, NameKind.FILE}
            wanted = next((each for each in statement.mentions if each.kind in kinds), None)
        if wanted is not None and wanted.name:
            yield statement, _NameText(wanted.name, wanted.span)
