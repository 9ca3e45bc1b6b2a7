"""Results for other programs: JUnit's XML, and annotations of GitHub's checks.

<testcase classname="turbines.test.yaml" name="a third reading"><failure message="…">…</failure></testcase>
::error file=turbines.test.yaml,line=12,title=a third reading::expected …, found …
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from antelog.diagnostics import Diagnostic, Source, to_text
from antelog.workbench.testing.judging import Failure
from antelog.workbench.testing.results import CaseResult, RunReport, SuiteResult

_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot have, not even as a number."""


def junit(report: RunReport) -> bytes:
    """The report as JUnit has it: a suite for each file, and an error for one that cannot be used."""
    root = ElementTree.Element("testsuites", _counts(report.passed, report.failed, report.wrong))
    for result in report.suites:
        suite = result.suite
        wrong = int(suite.wrong)
        counts = _counts(len(result.cases) - result.failed, result.failed, wrong)
        element = ElementTree.SubElement(root, "testsuite", {"name": _plain(suite.name), **counts})
        if suite.wrong:
            case = _case(element, suite.name, "the file")
            text = "\n\n".join(to_text([each], source) for each, source in problems_of(result))
            _failed(case, "error", "it cannot be used", text)
        for each in result.cases:
            case = _case(element, suite.name, each.case.name)
            if each.outcome.error:
                _failed(case, "error", each.outcome.error, each.outcome.error)
            elif each.failures:
                _failed(case, "failure", each.failures[0].summary, case_text(result, each))
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _counts(passed: int, failed: int, wrong: int) -> dict[str, str]:
    found = {"tests": passed + failed + wrong, "failures": failed, "errors": wrong}
    return {name: str(count) for name, count in found.items()}


def _case(suite: ElementTree.Element, file: str, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", {"classname": _plain(file), "name": _plain(name)})


def _failed(case: ElementTree.Element, kind: str, message: str, text: str) -> None:
    ElementTree.SubElement(case, kind, {"message": _plain(message)}).text = _plain(text)


def _plain(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)


def problems_of(result: SuiteResult) -> Iterator[tuple[Diagnostic, Source]]:
    """All that is wrong with a file and its program, each with the source it is in."""
    suite = result.suite
    yield from ((each, suite.file.source) for each in suite.problems)
    error = suite.program_error
    if error is not None:
        yield from ((each, error.source) for each in error.diagnostics)


def case_text(result: SuiteResult, case: CaseResult) -> str:
    """The failures of a case as plain text, both sides below one another."""
    parts = []
    for each in case.failures:
        line = result.suite.position(each.node)[0]
        parts.append(f"{result.suite.name}:{line}: {each.when}")
        parts += _sides(each)
    parts += [f"note: {each.row} was set aside: {each.detail}" for each in case.outcome.set_aside]
    return "\n".join(parts)


def _sides(failure: Failure) -> Iterator[str]:
    for side in failure.sides:
        if side.agrees:
            yield f"    {side.expected}"
        else:
            yield from [f"  - {side.expected}"] if side.expected else []
            yield f"  + {side.found}"


def github(report: RunReport, folder: Path) -> Iterator[str]:
    """Annotations of GitHub's checks: errors, and a notice for each part that no test shows.

    Paths begin at a folder, that of the repository.
    """
    for result in report.suites:
        suite = result.suite
        for problem, source in problems_of(result):
            file, span = source.located(problem.span)
            line, column = file.position(span.start)
            place = _place(file.name, folder, problem.name, line, column)
            yield _command("error", place, f"{problem.message}\n{problem.hint}")
        for each in result.cases:
            if each.outcome.error:
                position = suite.position(each.case.node)
                place = _place(suite.name, folder, each.case.name, *position)
                yield _command("error", place, each.outcome.error)
            for failure in each.failures:
                place = _place(suite.name, folder, each.case.name, *suite.position(failure.node))
                yield _command("error", place, f"{failure.when}: {failure.summary}")
        if result.coverage is not None:
            for part in result.coverage.missing:
                name, line, column = result.coverage.position(part)
                place = _place(name, folder, "no test shows this", line, column)
                yield _command("notice", place, part.complaint)


def _place(name: str, folder: Path, title: str, line: int, column: int) -> dict[str, str]:
    """The properties of an annotation."""
    return {"file": _within(name, folder), "line": str(line), "col": str(column), "title": title}


def _within(name: str, folder: Path) -> str:
    try:
        return Path(name).resolve().relative_to(folder.resolve()).as_posix()
    except (OSError, ValueError):
        return name


def _command(kind: str, properties: dict[str, str], message: str) -> str:
    """A command of GitHub's workflows, on one line."""
    written = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in properties.items())
    return f"::{kind} {written}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    return "".join(f"%{ord(each):02X}" if each in f"%\r\n{more}" else each for each in text)
