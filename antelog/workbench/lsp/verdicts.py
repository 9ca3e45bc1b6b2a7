"""The files with facts and tests beside a program, and lines about them; none runs functions in Python."""

from __future__ import annotations

import asyncio
import csv
import gzip
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml
from junitparser import JUnitXml
from lsprotocol import types

from antelog.diagnostics import Source, Span
from antelog.language import syntax
from antelog.language.printer import value_text
from antelog.language.vocabulary import Predicate, PredicateKind, Type
from antelog.workbench.lsp.navigating import NameKind, Places, statements_of
from antelog.workbench.lsp.session import Analysis, Snapshot, real

# ---- files with facts ----

_HEAD = 1 << 16
_MOST_ROWS = 200
_MOST_FILES = 50
_ENDINGS = (".csv", ".jsonl", ".ndjson", ".parquet", ".csv.gz", ".jsonl.gz")


@dataclass(frozen=True)
class DataFile:
    """A file with facts: the names of its columns, and its first rows as texts."""

    path: Path
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> list[str]:
        at = self.columns.index(name) if name in self.columns else None
        return [] if at is None else list(dict.fromkeys(row[at] for row in self.rows if len(row) > at))


def data_files(folder: Path) -> list[DataFile]:
    found = []
    for path in sorted(each for each in folder.glob("*") if each.name.endswith(_ENDINGS))[:_MOST_FILES]:
        with suppress(OSError, ValueError, EOFError):
            state = path.stat()
            read = _read(path, state.st_mtime_ns, state.st_size)
            found += [read] if read else []
    return found


def file_of(predicate: Predicate, files: Sequence[DataFile]) -> DataFile | None:
    """The likeliest file with facts of a predicate: it has its columns, and best its name too."""
    fitting = [each for each in files if _fit(predicate, each)]
    return max(fitting, key=lambda each: _fit(predicate, each), default=None)


def _fit(predicate: Predicate, file: DataFile) -> int:
    named = all(column in file.columns for column in predicate.columns)
    stem, name = file.path.name.partition(".")[0].lower(), predicate.name.lower()
    same = stem in {name, f"{name}s", f"{name}es"}
    if not predicate.declared:  # its columns have no names
        return 3 if same and len(file.columns) >= predicate.arity else 0
    return (2 + 2 * same) if named else 0


def example_of(predicate: Predicate, file: DataFile) -> str | None:
    """Writes the first fact of a file as an atom."""
    if not file.rows:
        return None
    row = dict(zip(file.columns, file.rows[0], strict=False))
    if all(column in row for column in predicate.columns):
        values = [row[column] for column in predicate.columns]
    else:
        values = list(file.rows[0][: predicate.arity])
    types = [*predicate.types, None][: len(values)] if predicate.temporal else predicate.types
    numbers = [kind is not None and kind.general is Type.NUMBER for kind in (*types, None, None)]
    shown = [v if n or is_number(v) else value_text(v) for v, n in zip(values, numbers, strict=False)]
    return f"{predicate.name}({', '.join(shown)})"


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.strip()[:1].lower() not in {"n", "i"}


@lru_cache(maxsize=128)
def _read(path: Path, _changed: int, _size: int) -> DataFile | None:
    if path.name.endswith(".parquet"):
        return _parquet(path)
    with gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as file:
        head = file.read(_HEAD)
    text = head.decode("utf-8-sig", "replace")
    lines = text.splitlines()
    if len(head) == _HEAD:
        lines = lines[:-1]  # the last one is cut
    if ".csv" in path.name:
        separator = max(",;\t", key=lines[0].count) if lines else ","
        table = [tuple(row) for row in csv.reader(lines[: _MOST_ROWS + 1], delimiter=separator) if row]
        return DataFile(path, tuple(each.strip() for each in table[0]), tuple(table[1:])) if table else None
    found = (json.loads(line) for line in lines[:_MOST_ROWS] if line.strip())
    records = [each for each in found if isinstance(each, dict)]
    columns = tuple(dict.fromkeys(name for each in records for name in each))
    values = ([each.get(name) for name in columns] for each in records)
    rows = tuple(tuple(v if isinstance(v, str) else json.dumps(v) for v in each) for each in values)
    return DataFile(path, columns, rows) if records else None


def _parquet(path: Path) -> DataFile | None:
    import pyarrow as pa  # noqa: PLC0415 - many folders have none
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        file = pq.ParquetFile(path)
        batch = next(file.iter_batches(batch_size=_MOST_ROWS), None)
    except pa.ArrowException:
        return None
    if batch is None:
        return None
    rows = [tuple(str(value) for value in row.values()) for row in batch.to_pylist()]
    return DataFile(path, tuple(batch.schema.names), tuple(rows))


# ---- tests and queries ----

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
