"""Where a name is declared, where it is used, and what changes if it gets another one."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from antelog.diagnostics import Source
from antelog.language.functions import BUILT_IN
from antelog.language.printer import KEYWORDS
from antelog.workbench.lsp.mentions import (
    COLUMN_LISTS,
    Mention,
    NameKind,
    mention_at,
    mentions_of,
    statement_at,
    statements_of,
)
from antelog.workbench.lsp.places import Places
from antelog.workbench.lsp.session import Snapshot


@dataclass(frozen=True)
class NamePlaces:
    """A name at a place in a file, and all places where the program has it."""

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


# ---- requests about a name ----


def definitions(found: NamePlaces | None, places: Places) -> list[types.Location]:
    """Where a name is declared, or derived; of an `include`, the file."""
    if found is None:
        return []
    if found.mention.kind is NameKind.FILE:
        target = os.path.normpath(Path(found.file.name).parent / found.mention.name)
        return [types.Location(places.uri(target), _START)] if Path(target).exists() else []
    return [places.location(file, each.span) for file, each in found.definitions]


def references(found: NamePlaces | None, places: Places) -> list[types.Location]:
    """All places with a name, where it is declared included."""
    return [places.location(file, each.span) for file, each in found.everywhere] if found else []


def highlights(found: NamePlaces | None, places: Places) -> list[types.DocumentHighlight]:
    """The places with a name that are in the same file."""
    if found is None:
        return []
    near = (each for file, each in found.everywhere if file.name == found.file.name)
    return [types.DocumentHighlight(places.range(found.file, each.span)) for each in near]


_START = types.Range(types.Position(0, 0), types.Position(0, 0))
_VARIABLE = re.compile(r"[^\W\d_a-z]\w*\Z")
_NAME = re.compile(r"[^\W\d_]\w*\Z")


def renamable(found: NamePlaces | None) -> NamePlaces:
    """A name, if it can be changed. Raises JsonRpcInvalidParams."""
    if found is None:
        raise JsonRpcInvalidParams("There is no name here: predicates, variables and limits can be renamed.")
    kind, name = found.mention.kind, found.mention.name
    if name in BUILT_IN:
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
    """Raises JsonRpcInvalidParams for a name that the language or the program does not allow."""
    mention = found.mention
    pattern = _VARIABLE if mention.kind is NameKind.VARIABLE else _NAME
    if not pattern.match(new):
        first = "a capital letter" if mention.kind is NameKind.VARIABLE else "a letter"
        rule = f"begin with {first}, then letters, digits and _."
        raise JsonRpcInvalidParams(f"`{new}` is not a name of a {mention.kind.value}: {rule}")
    if new in KEYWORDS or new in BUILT_IN:
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
