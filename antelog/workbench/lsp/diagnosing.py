"""Errors and warnings of a program as an editor shows them: those of `antelog check`, file by file."""

from __future__ import annotations

from lsprotocol import types

from antelog.diagnostics import Diagnostic, Severity
from antelog.workbench.lsp.places import Places
from antelog.workbench.lsp.session import Analysis

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
