"""Lines above statements: a query tried on the files beside the program, and how many of its tests pass."""

from __future__ import annotations

from lsprotocol import types

from antelog.diagnostics import Source, Span
from antelog.workbench.lsp.mentions import NameKind, statements_of
from antelog.workbench.lsp.places import Places
from antelog.workbench.lsp.session import Analysis
from antelog.workbench.lsp.trying import trials
from antelog.workbench.lsp.verdicts import RuleVerdict

TRY = "antelog.try"
"""The command that tries a query; its arguments are the path of the program and the query's predicate."""
SHOW_TESTS = "antelog.tests"
"""The command that shows what the tests of a program say; its argument is the path of the program."""


def lenses(
    file: Source, analysis: Analysis, places: Places, verdict: RuleVerdict | None = None
) -> list[types.CodeLens]:
    """The lenses of a file; the verdict on its program is on top of the program itself."""
    known = {each.query: each for each in trials(analysis)}
    found = []
    if verdict is not None and file.name == analysis.root:
        command = types.Command(verdict.title, SHOW_TESTS, arguments=[analysis.root])
        found.append(types.CodeLens(places.range(file, Span(0, 0)), command))
    for statement in statements_of(file.text):
        name = next((m.name for m in statement.mentions if m.kind is NameKind.PREDICATE), "")
        if statement.first == "query" and name in known:
            title = f"▷ try {name} on {known[name].files}"
            command = types.Command(title, TRY, arguments=[analysis.root, name])
            found.append(types.CodeLens(places.range(file, statement.span), command))
    return found
