"""A query tried on the files beside a program, by `antelog try` in a process of its own.

The program is tried as it is in the editor: its files are written to a folder that is removed afterwards.
Programs with functions in Python are not tried, for that would run them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from antelog.diagnostics import Source
from antelog.language import syntax
from antelog.language.vocabulary import PredicateKind
from antelog.workbench.lsp.near_data import DataFile, data_files, file_of, sources
from antelog.workbench.lsp.processes import printed_by
from antelog.workbench.lsp.session import Analysis, real


@dataclass(frozen=True)
class Trial:
    """A query, and the files it is tried on: by inputs, and by static predicates."""

    query: str
    inputs: Mapping[str, DataFile]
    statics: Mapping[str, DataFile]

    @property
    def files(self) -> str:
        """The names of the files."""
        return ", ".join(dict.fromkeys(each.path.name for each in self.inputs.values()))


def trials(analysis: Analysis) -> list[Trial]:
    """The queries that can be tried: all inputs have a file, and nothing calls functions in Python."""
    plan = analysis.compiled.plan if analysis.compiled else None
    if plan is None or list(analysis.checked.document.functions):
        return []
    folder = Path(analysis.root).parent
    vocabulary = analysis.checked.vocabulary
    inputs = sources(vocabulary, [each.name for each in plan.inputs], folder)
    if not inputs:
        return []
    facts = {each.head.predicate for each in analysis.checked.document.rules}
    statics = {}
    for predicate in vocabulary.predicates.values():
        if predicate.kind is PredicateKind.STATIC and predicate.name not in facts:
            file = file_of(predicate, data_files(folder))
            statics.update({predicate.name: file} if file else {})
    return [Trial(each.atom.predicate, inputs, statics) for each in analysis.checked.document.queries]


async def tried(trial: Trial, analysis: Analysis) -> str:
    """The output of `antelog try` about one query."""
    with tempfile.TemporaryDirectory(prefix="antelog-") as folder:
        program = written(analysis, trial.query, Path(folder))
        return await printed_by(_words(program, trial), Path(folder))


def _words(program: Path, trial: Trial) -> Sequence[str]:
    given = [f"{name}={file.path}" for name, file in trial.inputs.items()]
    background = [f"{name}={file.path}" for name, file in trial.statics.items()]
    return (
        *("try", str(program), "--format", "table"),
        *(part for each in given for part in ("--input", each)),
        *(part for each in background for part in ("--static", each)),
    )


def written(analysis: Analysis, query: str, folder: Path) -> Path:
    """Writes the files of a program to a folder, with one of its queries; the path of the program."""
    names: dict[str, str] = {}
    for number, (_, file) in enumerate(analysis.source.files):
        stem = Path(file.name).stem or "program"
        names[real(file.name)] = f"{stem}.alog" if not number else f"{number}-{stem}.alog"
    for start, file in analysis.source.files:
        text = _with_edits(file, start, analysis, query, names)
        (folder / names[real(file.name)]).write_text(text, encoding="utf-8", newline="")
    return folder / names[real(analysis.source.name)]


def _with_edits(file: Source, start: int, analysis: Analysis, query: str, names: Mapping[str, str]) -> str:
    """The text of a file without other queries, and with the names that included files have there."""
    edits = []
    for each in analysis.checked.document.statements:
        if not start <= each.span.start < start + len(file.text):
            continue
        if isinstance(each, syntax.Query) and each.atom.predicate != query:
            blank = "".join(c if c in "\r\n" else " " for c in analysis.source.excerpt(each.span))
            edits.append((each.span.start - start, each.span.end - start, blank))
        elif isinstance(each, syntax.Include):
            target = names.get(real(os.path.normpath(Path(file.name).parent / each.path)), each.path)
            edits.append((each.path_span.start - start, each.path_span.end - start, f'"{target}"'))
    text = file.text
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text
