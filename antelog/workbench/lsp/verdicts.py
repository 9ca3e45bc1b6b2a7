"""Lines above statements: how many tests pass, queries tried on files; no functions in Python ever run."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import yaml
from junitparser import JUnitXml
from lsprotocol import types

from antelog.diagnostics import Source, Span
from antelog.language import syntax
from antelog.language.vocabulary import PredicateKind
from antelog.workbench.lsp.navigating import NameKind, Places, statements_of
from antelog.workbench.lsp.near_data import DataFile, data_files, file_of
from antelog.workbench.lsp.session import Analysis, Snapshot, real

PATIENCE = 60.0  # seconds after which a command is given up
_MOST = 200_000  # letters of a result that are shown


async def printed_by(words: Sequence[str], folder: Path) -> str:
    """Runs `antelog` in a folder, importing nothing of it; returns the output, or that it took too long."""
    kept = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "antelog", *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**kept, "COLUMNS": "120", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"},
        cwd=folder,
    )
    try:
        printed, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    except TimeoutError:
        return f"It took more than {PATIENCE:.0f} seconds, and was given up."
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    text = printed.decode("utf-8", "replace").replace(f"{folder}{os.sep}", "")
    return text if len(text) <= _MOST else f"{text[:_MOST]}\n… and {len(text) - _MOST:,} letters more\n"


@dataclass(frozen=True)
class RuleVerdict:
    """The number of tests, of those that pass, and the text that is printed about them."""

    passed: int
    count: int
    text: str

    @property
    def title(self) -> str:
        sign = "✓" if self.passed == self.count else "✗"
        return f"{sign} {self.passed} of {self.count} test{'s' * (self.count != 1)} pass"


def runnable_tests(root: str) -> Path | None:
    """The file with the tests of a program, if neither it nor the program can run functions in Python."""
    path = Path(root).with_suffix(".test.yaml")
    try:
        found = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return None
    if not isinstance(found, yaml.MappingNode):
        return None
    named = any(getattr(key, "value", "functions") in {"functions", "program"} for key, _ in found.value)
    statements = (each for file in Snapshot({}).files(root) for each in statements_of(file.text))
    return None if named or any(each.first == "function" for each in statements) else path


async def verdict_of(tests: Path) -> RuleVerdict | None:
    """Runs the tests in a file; None if they cannot be run."""
    with tempfile.TemporaryDirectory(prefix="antelog-") as folder:
        report = Path(folder, "report.xml")
        words = ("test", str(tests.resolve()), "--no-coverage", "--junit", str(report))
        text = await printed_by(words, Path(folder))
        if not report.is_file():
            return None
        found = JUnitXml.fromfile(str(report))
    return RuleVerdict(found.tests - found.failures - found.errors, found.tests, text)


TRY = "antelog.try"  # tries a query, by the path of its program and its predicate
SHOW_TESTS = "antelog.tests"  # shows the output of the tests of a program, by its path


def lenses(
    file: Source, analysis: Analysis, places: Places, verdict: RuleVerdict | None = None
) -> list[types.CodeLens]:
    """The lenses of a file; the verdict on its program stands in the first line of the program's own file."""
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


@dataclass(frozen=True)
class Trial:
    """A query, and the files it is tried on, by inputs and by static predicates."""

    query: str
    inputs: Mapping[str, DataFile]
    statics: Mapping[str, DataFile]

    @property
    def files(self) -> str:
        return ", ".join(dict.fromkeys(each.path.name for each in self.inputs.values()))


def trials(analysis: Analysis) -> list[Trial]:
    """The queries that can be tried: all inputs have a file, and nothing calls functions in Python."""
    plan = analysis.compiled.plan if analysis.compiled else None
    if plan is None or list(analysis.checked.document.functions):
        return []
    files = data_files(Path(analysis.root).parent)
    predicates = analysis.checked.vocabulary.predicates
    found = {name: file for name, each in predicates.items() if (file := file_of(each, files)) is not None}
    inputs = {each.name: found[each.name] for each in plan.inputs if each.name in found}
    if not inputs or len(inputs) < len(plan.inputs):
        return []
    facts = {each.head.predicate for each in analysis.checked.document.rules}
    static = {name for name, each in predicates.items() if each.kind is PredicateKind.STATIC} - facts
    statics = {name: file for name, file in found.items() if name in static}
    return [Trial(each.atom.predicate, inputs, statics) for each in analysis.checked.document.queries]


async def tried(trial: Trial, analysis: Analysis) -> str:
    """Runs `antelog try` with one query, on the texts of the editor; returns its output."""
    with tempfile.TemporaryDirectory(prefix="antelog-") as folder:
        words = ["try", str(written(analysis, trial.query, Path(folder))), "--format", "table"]
        for flag, files in (("--input", trial.inputs), ("--static", trial.statics)):
            words += [part for name, file in files.items() for part in (flag, f"{name}={file.path}")]
        return await printed_by(words, Path(folder))


def written(analysis: Analysis, query: str, folder: Path) -> Path:
    """Writes the files of a program to a folder, with one of its queries; returns the path of the program."""
    names: dict[str, str] = {}
    for number, (_, file) in enumerate(analysis.source.files):
        stem = Path(file.name).stem or "program"
        names[real(file.name)] = f"{stem}.alog" if not number else f"{number}-{stem}.alog"
    for start, file in analysis.source.files:
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
        (folder / names[real(file.name)]).write_text(text, encoding="utf-8", newline="")
    return folder / names[real(analysis.source.name)]
