"""`antelog test`: runs the tests of rules, and prints expected and found side by side."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path

import click
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from antelog.cli.arguments.flags import flags
from antelog.cli.commands.why import print_tree
from antelog.cli.show import terminal
from antelog.cli.show.endings import stoppable
from antelog.diagnostics import errors_of
from antelog.errors import AntelogError, OutputError
from antelog.forecast.reports.words import count
from antelog.run.options import Runner, flag, named_file, option
from antelog.run.source_settings import ValueSettings
from antelog.theme import TERMINAL
from antelog.workbench.testing.coverage import PATTERN, RULE, Coverage
from antelog.workbench.testing.judging import Failure, Side, reason
from antelog.workbench.testing.recording import Recorded
from antelog.workbench.testing.results import CaseResult, RunReport, SuiteResult, found, github, junit, run
from antelog.workbench.testing.suite import ENDING, read_suite
from antelog.writing import write, write_text


@dataclass(frozen=True, kw_only=True)
class VerdictFlags(ValueSettings):
    watch: bool = flag(False)
    record: bool = flag(False)
    junit: Path | None = option(None, named_file("FILE"))
    no_coverage: bool = flag(False)


@click.command("test")
@click.argument("paths", metavar="[PATH …]", nargs=-1, type=click.Path(path_type=Path))
@flags(Runner("test"), more=VerdictFlags)
@click.pass_context
def test_(ctx: click.Context, /, paths: tuple[Path, ...], more: VerdictFlags) -> None:
    """Run the tests of rules: NAME.test.yaml beside NAME.alog."""
    if more.record and more.watch:
        raise click.UsageError("--record writes the files that --watch looks at; leave out one of the two")
    paths = paths or (Path(),)
    if more.record:
        _record(found(paths)[0], more)
    report = _watched(paths, more) if more.watch else _run(paths, more)
    ctx.exit(report.exit_status)


def _run(paths: Sequence[Path], more: VerdictFlags) -> RunReport:
    verdicts = Verdicts(terminal.to_stdout(), terminal.to_stderr(soft_wrap=True))
    report = run(found(paths), more, verdicts.suite, coverage=not more.no_coverage)
    verdicts.report(report)
    if more.junit is not None:
        write(more.junit, junit(report))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in github(report, Path(os.environ.get("GITHUB_WORKSPACE") or ".")):
            terminal.tell(line)
    return report


def _watched(paths: Sequence[Path], more: VerdictFlags) -> RunReport:
    """Runs all tests whenever a file changes that they rest on, until Ctrl-C; returns the last report."""
    found(paths)  # a path that is wrong from the start is an error
    report, files = RunReport(()), set[Path]()
    console = terminal.to_stdout()
    with stoppable() as stopping:
        while not stopping():
            before = state_of(files | _tests(paths))
            if console.is_terminal:
                console.clear()
            try:
                report = _run(paths, more)
                files = files_of(report)
            except OutputError:
                raise
            except AntelogError as error:  # a file is gone for a moment
                terminal.say(f"error: {error}")
            # Tests that were written meanwhile are missing in it, so that they count as changes.
            state = {**state_of(files), **before}
            sys.stdout.flush()
            terminal.tell(f"watching {count(len(files), 'file')}; Ctrl-C ends this")
            sys.stdout.flush()
            wait_for_change(state, partial(_tests, paths), stopping)
    return report


def _tests(paths: Sequence[Path]) -> set[Path]:
    try:
        return set(chain(*found(paths)))
    except AntelogError:
        return set()


def _record(paths: Sequence[Path], given: ValueSettings) -> None:
    for path in paths:
        suite = read_suite(path, given)
        if suite.wrong:
            continue
        new = Recorded(suite)
        for each in new.left_out:
            terminal.say(f"note: {path}: not recorded: {each}")
        if new.cases:
            write_text(path, new.text)
            cases = count(new.cases, "case")
            terminal.say(f"note: {path}: recorded what comes out of {cases}; look at it")


BETWEEN = 0.2

# When a file was written, in nanoseconds, and its size; None if there is no file.
FileState = tuple[int, int] | None


def files_of(report: RunReport) -> set[Path]:
    found = {Path(each.suite.name) for each in report.suites}
    for each in report.suites:
        found |= {*each.suite.program_files, *each.suite.others}
    return found


def state_of(paths: Iterable[Path]) -> dict[Path, FileState]:
    found: dict[Path, FileState] = {}
    for path in paths:
        found[path] = None
        with suppress(OSError, ValueError):
            state = path.stat()
            found[path] = state.st_mtime_ns, state.st_size
    return found


def wait_for_change(
    state: Mapping[Path, FileState], more: Callable[[], Iterable[Path]], stopping: Callable[[], bool]
) -> None:
    """Returns when a file has changed and is written to its end, when there are `more`, or when stopping."""
    last = state
    while not stopping():
        now = state_of({*state, *more()})
        if now == last and now != state:
            return
        last = now
        time.sleep(BETWEEN)


# ---- what is printed ----

WIDTH = 100

_MARGIN, _GUTTER = 6, 3
# The colours of what is expected and found, where they differ (True) and where not.
_COLOURS = {False: ("", ""), True: (TERMINAL["evidence"], TERMINAL["false"])}

_MOST_MISSING = 20


class Verdicts:
    """Prints results to one console, and what is wrong with files to another."""

    def __init__(self, console: Console, errors: Console) -> None:
        self._console, self._errors = console, errors
        if not console.is_terminal:
            console.width = WIDTH
        self._good, self._bad = ("✓", "✗") if terminal.can_show(console, "✓✗") else ("ok", "FAILED")

    def suite(self, result: SuiteResult) -> None:
        """Prints a file: a line if all is fine, and each case that failed."""
        suite = result.suite
        if suite.wrong:
            self._line(Text(f"{self._bad} {suite.name}  cannot be used", TERMINAL["error"]))
            if suite.file.problems:
                terminal.print_diagnostics(suite.file.problems, suite.file.source, self._errors)
            if (error := suite.program_error) is not None:
                terminal.print_diagnostics(errors_of(error.diagnostics), error.source, self._errors)
            return
        cases = count(len(result.cases), "case")
        if not result.failed:
            line = (self._good, TERMINAL["good"]), f" {suite.name}", (f"  {cases}", "dim")
            self._line(Text.assemble(*line))
            return
        text = f"{self._bad} {suite.name}  {result.failed} of {cases} failed"
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
            text = f"note: {each}" if each.line is None else text
            for piece in self._wrapped(text, TERMINAL["caution"], self._console.width - 4):
                self._line(Text("    ").append_text(piece))

    def _failure(self, line: int, failure: Failure) -> None:
        head = f"    {failure.when}, line {line}" + (", only recorded" if failure.recorded else "")
        self._line(Text(head, TERMINAL["open"]))
        sides = [Side("expected", "found", agrees=True), *failure.sides]
        room = self._console.width - _MARGIN - _GUTTER
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
                gap = " " * (left - first.cell_len + _GUTTER) if second.plain else ""
                self._line(Text(" " * _MARGIN).append_text(first).append(gap).append_text(second))

    def _wrapped(self, text: str, style: str, width: int) -> list[Text]:
        indent = len(text) - len(text.lstrip())
        whole = terminal.escaped(Text(text.strip(), style))
        if whole.cell_len + indent <= width:
            return [Text(" " * indent).append_text(whole)]
        pieces = whole.wrap(self._console, width - indent - 2, overflow="fold")
        for each in pieces:
            each.rstrip()
        return [
            Text(" " * (indent + 2 * (number > 0))).append_text(each) for number, each in enumerate(pieces)
        ]

    def report(self, report: RunReport) -> None:
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
        terminal.print_text(self._console, text, soft_wrap=not self._console.is_terminal)


def summary(report: RunReport) -> str:
    """The counts in one line: `12 cases: 11 passed, 1 failed, 2 only recorded`."""
    parts = [f"{report.passed} passed"]
    parts += [f"{report.failed} failed"] if report.failed else []
    text = f"{count(report.passed + report.failed, 'case')}: {', '.join(parts)}"
    if report.wrong:
        text += f"; {count(report.wrong, 'file')} cannot be used"
    if report.recorded:
        plural = "expectation is" if report.recorded == 1 else "expectations are"
        text += f"; {report.recorded} {plural} only recorded"
    return text
