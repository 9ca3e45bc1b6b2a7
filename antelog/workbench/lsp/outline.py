"""The statements of a file as symbols, and its errors and warnings, for an editor."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from antelog.diagnostics import Diagnostic, Severity, Source
from antelog.workbench.lsp.mentions import Mention, NameKind, StatementNames, statements_of
from antelog.workbench.lsp.places import Places
from antelog.workbench.lsp.session import Analysis

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


def _named(text: str) -> Iterator[tuple[StatementNames, Mention]]:
    """The statements that have a name."""
    for statement in statements_of(text):
        wanted = statement.subject
        if wanted is None and statement.first in {"query", "include"}:
            kinds = {NameKind.PREDICATE, NameKind.FILE}
            wanted = next((each for each in statement.mentions if each.kind in kinds), None)
        if wanted is not None and wanted.name:
            yield statement, wanted


_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
}
_UNUSED = frozenset({"W101", "W102"})


def by_file(analysis: Analysis, places: Places) -> dict[str, list[types.Diagnostic]]:
    """The diagnostics of each file of a program, by its path; files without any have none."""
    found: dict[str, list[types.Diagnostic]] = {each.name: [] for _, each in analysis.source.files}
    for each in analysis.diagnostics:
        file, _ = analysis.source.located(each.span)
        found[file.name].append(_shown(each, analysis, places))
    return found


def _shown(diagnostic: Diagnostic, analysis: Analysis, places: Places) -> types.Diagnostic:
    file, span = analysis.source.located(diagnostic.span)
    related = []
    for note in diagnostic.notes:
        other, there = analysis.source.located(note.span)
        related.append(types.DiagnosticRelatedInformation(places.location(other, there), note.message))
    return types.Diagnostic(
        range=places.range(file, span),
        message="\n".join(filter(None, [diagnostic.message, diagnostic.hint])),
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        source="antelog",
        tags=[types.DiagnosticTag.Unnecessary] if diagnostic.code in _UNUSED else None,
        related_information=related or None,
    )
