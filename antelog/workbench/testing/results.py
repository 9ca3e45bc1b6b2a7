"""Finds and runs files of tests; the results of cases, of files, and of the whole run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path

from yaml.nodes import Node

from antelog.diagnostics import Diagnostic, Source, to_text
from antelog.errors import AntelogError, DataError
from antelog.language.checks.suggestions import did_you_mean, require_known
from antelog.language.parser import includes_of
from antelog.language.program_files import read_text
from antelog.run.source_settings import ValueSettings
from antelog.workbench.testing.coverage import Coverage, covered
from antelog.workbench.testing.judging import Failure, Outcome, failures, replayed
from antelog.workbench.testing.suite import ENDING, RuleCase, Suite, holds, read_suite


@dataclass(frozen=True, eq=False)
class CaseResult:
    case: RuleCase
    outcome: Outcome
    failures: tuple[Failure, ...]

    @property
    def passed(self) -> bool:
        return not self.failures and not self.outcome.error

    @property
    def recorded(self) -> int:
        """The number of its expectations that nobody has looked at yet."""
        return sum(each.recorded for each in self.case.expected)


@dataclass(frozen=True, eq=False)
class SuiteResult:
    """The result of a file: its cases, if it has no errors, and the coverage of its program."""

    suite: Suite
    cases: tuple[CaseResult, ...]
    coverage: Coverage | None = None

    @property
    def failed(self) -> int:
        return sum(not each.passed for each in self.cases)

    @property
    def fine(self) -> bool:
        return not self.suite.wrong and not self.failed


@dataclass(frozen=True, eq=False)
class RunReport:
    """The results of all files, and the programs in the folders that have no tests."""

    suites: tuple[SuiteResult, ...]
    untested: tuple[Path, ...] = ()

    @cached_property
    def _cases(self) -> list[CaseResult]:
        return [case for each in self.suites for case in each.cases]

    @property
    def passed(self) -> int:
        return sum(each.passed for each in self._cases)

    @property
    def failed(self) -> int:
        return len(self._cases) - self.passed

    @property
    def wrong(self) -> int:
        """The number of files with errors."""
        return sum(each.suite.wrong for each in self.suites)

    @property
    def recorded(self) -> int:
        return sum(each.recorded for each in self._cases)

    @property
    def exit_status(self) -> int:
        return 0 if self._cases and all(each.fine for each in self.suites) else 1


def run_case(case: RuleCase, name: str) -> CaseResult:
    outcome = replayed(case, name=name)
    wrong = () if outcome.error else tuple(failures(case, outcome))
    return CaseResult(case, outcome, wrong)


def run_suite(suite: Suite, coverage: bool = True) -> SuiteResult:
    """Runs all cases of a file, unless it has errors."""
    if suite.wrong or suite.program is None:
        return SuiteResult(suite, ())
    cases = tuple(run_case(each, suite.name) for each in suite.cases)
    return SuiteResult(suite, cases, covered(suite.program, suite.cases) if coverage else None)


def run(
    files: FoundFiles,
    given: ValueSettings,
    each_suite: Callable[[SuiteResult], object] = lambda _: None,
    *,
    coverage: bool = True,
) -> RunReport:
    """Runs all files, and calls `each_suite` after each. Raises DataError for a limit that no program has."""
    tests, programs = files
    suites = [read_suite(path, given) for path in tests]
    read = [each.program for each in suites if each.program is not None]
    known = sorted({limit.name for program in read for limit in program.document.limits})
    for name in given.limits if read else ():
        require_known(name, known, "no program has a limit", "There are")
    results = []
    for suite in suites:
        results.append(run_suite(suite, coverage))
        each_suite(results[-1])
    # Programs that others include need no tests of their own.
    tested = {path.resolve() for each in suites for path in each.program_files}
    for each in programs:
        with suppress(AntelogError):
            tested |= {(each.parent / include.path).resolve() for include in includes_of(read_text(each))}
    return RunReport(tuple(results), tuple(each for each in programs if each.resolve() not in tested))


# ---- the files of tests ----


PROGRAM = ".alog"

FoundFiles = tuple[list[Path], list[Path]]  # files of tests, and programs, by their names


def found(paths: Iterable[Path]) -> FoundFiles:
    """Finds files of tests, by paths of these, of programs and of folders. Raises DataError for others."""
    tests: dict[Path, None] = {}
    programs: dict[Path, None] = {}
    for path in paths:
        if not holds(path, Path.is_dir):
            tests[_test_file(path)] = None
            continue
        for where, folders, names in os.walk(path):
            folders[:] = sorted(each for each in folders if not each.startswith("."))
            for name in sorted(each for each in names if not each.startswith(".")):
                if name.endswith((ENDING, PROGRAM)):
                    (tests if name.endswith(ENDING) else programs)[Path(where, name)] = None
    return list(tests), list(programs)


def _test_file(path: Path) -> Path:
    if path.suffix == PROGRAM:
        near = path.with_suffix(ENDING)
        if not near.is_file():
            raise DataError(f"{path} has no tests: there is no file {near.name} beside it. Write one")
        return near
    if not holds(path, Path.is_file):
        folder = path.parent
        names = [each.name for each in folder.iterdir()] if holds(folder, Path.is_dir) else []
        hint = did_you_mean(path.name, names) or "Name a file of tests, or a folder."
        raise DataError(f"there is no file or folder {path}. {hint}")
    if not path.name.endswith(ENDING):
        raise DataError(f"{path} is not a file of tests: their names end in {ENDING}")
    return path


# ---- results for JUnit and GitHub ----


_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # never in XML


def junit(report: RunReport) -> bytes:
    """Writes the report for JUnit: a suite for each file, with one error if it cannot be used."""
    from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite  # noqa: PLC0415 - seldom needed

    def case(suite: TestSuite, name: str, kind: type[Error | Failure] | None, *texts: str) -> None:
        found = TestCase(_writable(name), suite.name)
        if kind is not None:
            message, text = map(_writable, texts)
            found.result = [kind(message)]
            found.result[0].text = text
        suite.add_testcase(found)

    whole = JUnitXml()
    for result in report.suites:
        suite = TestSuite(_writable(result.suite.name))
        if result.suite.wrong:
            problems = "\n\n".join(to_text([each], source) for each, source in problems_of(result))
            case(suite, "the file", Error, "it cannot be used", problems)
        for each in result.cases:
            if each.outcome.error:
                case(suite, each.case.name, Error, each.outcome.error, each.outcome.error)
            elif each.failures:
                case(suite, each.case.name, Failure, each.failures[0].summary, case_text(result, each))
            else:
                case(suite, each.case.name, None)
        whole.add_testsuite(suite)
    whole.update_statistics()  # type: ignore[no-untyped-call]  # junitparser
    file = BytesIO()
    whole.write(file, pretty=True)
    return file.getvalue()


def _writable(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)


def problems_of(result: SuiteResult) -> Iterator[tuple[Diagnostic, Source]]:
    """The errors in a file and its program, each with its source."""
    suite = result.suite
    yield from ((each, suite.file.source) for each in suite.problems)
    error = suite.program_error
    if error is not None:
        yield from ((each, error.source) for each in error.diagnostics)


def case_text(result: SuiteResult, case: CaseResult) -> str:
    """Writes the failures of a case as plain text, with expected lines above those found."""
    parts = []
    for failure in case.failures:
        line = result.suite.position(failure.node)[0]
        parts.append(f"{result.suite.name}:{line}: {failure.when}")
        for side in failure.sides:
            if side.agrees:
                parts.append(f"    {side.expected}")
            else:
                parts += [f"  - {side.expected}"] if side.expected else []
                parts.append(f"  + {side.found}")
    for each in case.outcome.set_aside:
        parts.append(f"note: {each.row} was set aside: {each.detail}" if each.line else f"note: {each}")
    return "\n".join(parts)


def github(report: RunReport, folder: Path) -> Iterator[str]:
    """Writes annotations for GitHub, by paths from its repository: errors, and parts that no test shows."""

    def command(kind: str, title: str, message: str, file: Source, at: int) -> str:
        name, (line, column) = file.name, file.position(at)
        with suppress(OSError, ValueError):
            name = Path(name).resolve().relative_to(folder.resolve()).as_posix()
        properties = {"file": name, "line": line, "col": column, "title": title}
        written = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in properties.items())
        return f"::{kind} {written}::{_escaped(message)}"

    for result in report.suites:
        suite = result.suite
        for problem, source in problems_of(result):
            file, span = source.located(problem.span)
            message = f"{problem.message}\n{problem.hint}"
            yield command("error", problem.name, message, file, span.start)
        for each in result.cases:
            found: list[tuple[str, Node]] = [(each.outcome.error, each.case.node)] * bool(each.outcome.error)
            found += [(f"{failure.when}: {failure.summary}", failure.node) for failure in each.failures]
            for message, node in found:
                yield command(
                    "error", each.case.name, message, suite.file.source, suite.file.span(node).start
                )
        if result.coverage is not None:
            for part in result.coverage.missing:
                file, span = result.coverage.source.located(part.span)
                yield command("notice", "no test shows this", part.complaint, file, span.start)


def _escaped(text: str, more: str = "") -> str:
    return "".join(f"%{ord(each):02X}" if each in f"%\r\n{more}" else each for each in text)
