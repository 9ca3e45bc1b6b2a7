"""Results of tests on a terminal: expected and found side by side, and parts that no test shows."""

from __future__ import annotations

from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from antelog.cli.show.terminal import can_show, escaped, print_diagnostics, print_text
from antelog.cli.show.trees import print_tree
from antelog.diagnostics import errors_of
from antelog.theme import TERMINAL
from antelog.workbench.testing.coverage import PATTERN, RULE, Coverage
from antelog.workbench.testing.judging import Failure, Side
from antelog.workbench.testing.replaying import reason
from antelog.workbench.testing.results import CaseResult, RunReport, SuiteResult
from antelog.workbench.testing.suite import ENDING

WIDTH = 100
"""The width where there is no terminal."""

_MARGIN, _BETWEEN = 6, 3
_COLOURS = {False: ("", ""), True: (TERMINAL["evidence"], TERMINAL["false"])}
"""Of what is expected and found: where both agree, and where they do not."""

_MOST_MISSING = 20
"""Parts without a test that are listed of a program."""


class Verdicts:
    """Prints results to one console, and what is wrong with files to another."""

    def __init__(self, console: Console, errors: Console) -> None:
        self._console, self._errors = console, errors
        if not console.is_terminal:
            console.width = WIDTH
        self._good, self._bad = ("✓", "✗") if can_show(console, "✓✗") else ("ok", "FAILED")

    def suite(self, result: SuiteResult) -> None:
        """Prints a file: a line if all is fine, and each case that failed."""
        suite = result.suite
        if suite.wrong:
            self._line(Text(f"{self._bad} {suite.name}  cannot be used", TERMINAL["error"]))
            if suite.problems:
                print_diagnostics(suite.problems, suite.file.source, self._errors)
            if (error := suite.program_error) is not None:
                print_diagnostics(errors_of(error.diagnostics), error.source, self._errors)
            return
        count = _cases(len(result.cases))
        if not result.failed:
            line = (self._good, TERMINAL["good"]), f" {suite.name}", (f"  {count}", "dim")
            self._line(Text.assemble(*line))
            return
        text = f"{self._bad} {suite.name}  {result.failed} of {count} failed"
        self._line(Text(text, TERMINAL["error"]))
        for each in result.cases:
            if not each.passed:
                self._case(result, each)

    def _case(self, result: SuiteResult, case: CaseResult) -> None:
        suite = result.suite
        self._line(Text())
        line = suite.position(case.case.node)[0]
        place = f"  {suite.name}:{line}"
        self._line(Text.assemble("  ", (case.case.name, "bold"), (place, "dim")))
        if case.outcome.error:
            self._line(Text(f"    {case.outcome.error}", TERMINAL["false"]))
        for failure in case.failures:
            self._failure(suite.position(failure.node)[0], failure)
            why = failure.answer and reason(case.case, suite.name, failure.answer, failure.at)
            if why:
                self._line(Text(f"{' ' * _MARGIN}why", "dim"))
                print_tree(why, self._console, " " * _MARGIN)
        for each in case.outcome.set_aside:
            text = f"note: {each.row} was set aside (line {each.line}): {each.detail}"
            for piece in self._wrapped(text, TERMINAL["caution"], self._console.width - 4):
                self._line(Text("    ").append_text(piece))

    def _failure(self, line: int, failure: Failure) -> None:
        head = f"    {failure.when}, line {line}" + (", only recorded" if failure.recorded else "")
        self._line(Text(head, TERMINAL["open"]))
        sides = [Side("expected", "found", agrees=True), *failure.sides]
        room = self._console.width - _MARGIN - _BETWEEN
        left = min(max(cell_len(each.expected) for each in sides), room // 2)
        for number, side in enumerate(sides):
            colours = _COLOURS[not side.agrees] if number else ("dim", "dim")
            one, other = (
                self._wrapped(text, style, width)
                for text, style, width in zip(
                    (side.expected, side.found), colours, (left, room - left), strict=True
                )
            )
            for first, second in zip_longest(one, other, fillvalue=Text()):
                gap = " " * (left - first.cell_len + _BETWEEN) if second.plain else ""
                self._line(Text(" " * _MARGIN).append_text(first).append(gap).append_text(second))

    def _wrapped(self, text: str, style: str, width: int) -> list[Text]:
        """A side in lines, all but the first of them indented."""
        indent = len(text) - len(text.lstrip())
        whole = escaped(Text(text.strip(), style))
        if whole.cell_len + indent <= width:
            return [Text(" " * indent).append_text(whole)]
        pieces = whole.wrap(self._console, width - indent - 2, overflow="fold")
        for each in pieces:
            each.rstrip()
        return [
            Text(" " * (indent + 2 * (number > 0))).append_text(each) for number, each in enumerate(pieces)
        ]

    def report(self, report: RunReport) -> None:
        """Prints the coverage of programs, programs without tests, and the counts."""
        known = [each.coverage for each in report.suites if each.coverage is not None]
        for number, coverage in enumerate(known):
            if number == 0 or coverage.missing:
                self._line(Text())
            self._coverage(coverage)
        for path in report.untested:
            self._line(Text.assemble(("note: ", TERMINAL["caution"]), f"{path} has no tests"))
        self._line(Text())
        if not report.suites:
            self._line(
                Text(f"there are no tests: no file has a name that ends in {ENDING}", TERMINAL["error"])
            )
            return
        self._line(Text(summary(report), "bold" if report.exit_status == 0 else TERMINAL["error"]))

    def _coverage(self, coverage: Coverage) -> None:
        name = coverage.source.name
        text = f"{name}: {coverage.covered} of {len(coverage.parts)} parts of rules covered"
        self._line(Text(f"{text}, {coverage.percent} %", "" if coverage.missing else "dim"))
        for part in coverage.missing[:_MOST_MISSING]:
            file, line, _ = coverage.position(part)
            self._line(Text.assemble((f"  {file}:{line}: ", "dim"), part.complaint))
            if part.kind in (RULE, PATTERN):
                first, *rest = part.text.splitlines()
                self._line(Text(f"      {first.rstrip()} …" if rest else f"      {first}", TERMINAL["open"]))
        more = len(coverage.missing) - _MOST_MISSING
        if more > 0:
            self._line(Text(f"  and {more} more", "dim"))

    def _line(self, text: Text) -> None:
        print_text(self._console, text, soft_wrap=not self._console.is_terminal)


def summary(report: RunReport) -> str:
    """The counts in one line: `12 cases: 11 passed, 1 failed, 2 only recorded`."""
    parts = [f"{report.passed} passed"]
    parts += [f"{report.failed} failed"] if report.failed else []
    text = f"{_cases(report.passed + report.failed)}: {', '.join(parts)}"
    if report.wrong:
        text += f"; {report.wrong} file{'s' * (report.wrong != 1)} cannot be used"
    if report.recorded:
        plural = "expectation is" if report.recorded == 1 else "expectations are"
        text += f"; {report.recorded} {plural} only recorded"
    return text


def _cases(count: int) -> str:
    return f"{count} case{'s' * (count != 1)}"
