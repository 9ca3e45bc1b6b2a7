"""Lines above statements that do something: a query tried on the files beside the program."""

from __future__ import annotations

from lsprotocol import types

from antelog.diagnostics import Source
from antelog.workbench.lsp.mentions import NameKind, statements_of
from antelog.workbench.lsp.places import Places
from antelog.workbench.lsp.session import Analysis
from antelog.workbench.lsp.trying import trials

TRY = "antelog.try"
"""The command that tries a query; its arguments are the path of the program and the query's predicate."""


def lenses(file: Source, analysis: Analysis, places: Places) -> list[types.CodeLens]:
    """The lenses of a file."""
    known = {each.query: each for each in trials(analysis)}
    found = []
    for statement in statements_of(file.text):
        name = next((m.name for m in statement.mentions if m.kind is NameKind.PREDICATE), "")
        if statement.first == "query" and name in known:
            title = f"▷ try {name} on {known[name].files}"
            command = types.Command(title, TRY, arguments=[analysis.root, name])
            found.append(types.CodeLens(places.range(file, statement.span), command))
    return found
