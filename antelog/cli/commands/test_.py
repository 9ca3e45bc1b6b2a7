"""`antelog test`: runs the tests of rules."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import click

from antelog.cli.arguments.flags import flags
from antelog.cli.show.endings import ending_in_words, stoppable
from antelog.cli.show.terminal import say, tell, to_stderr, to_stdout
from antelog.cli.show.verdicts import Verdicts
from antelog.errors import AntelogError, OutputError
from antelog.run.options import Runner, flag, named_file, option
from antelog.run.source_settings import ValueSettings
from antelog.workbench.testing.recording import Recorded
from antelog.workbench.testing.results import RunReport, found, github, junit, run
from antelog.workbench.testing.suite import Given, read_suite
from antelog.writing import write


@dataclass(frozen=True, kw_only=True)
class VerdictFlags(ValueSettings):
    """The options of `antelog test`."""

    watch: bool = flag(False, "Run again whenever a file changes that a test rests on.")
    record: bool = flag(False, "Write what comes out into cases without expectations, marked as recorded.")
    junit: Path | None = option(None, named_file("FILE"), "A file for the results, in JUnit's XML.")
    no_coverage: bool = flag(False, "Do not look for rules that no test shows.")


@click.command(
    "test", epilog="Exit status: 0 all is fine, 1 a test failed or a file is wrong, 2 the command is."
)
@click.argument("paths", metavar="[PATH …]", nargs=-1, type=click.Path(path_type=Path))
@flags(Runner("test"), more=VerdictFlags)
@click.pass_context
def test_(ctx: click.Context, /, paths: tuple[Path, ...], more: VerdictFlags) -> None:
    """Run the tests of rules: NAME.test.yaml beside NAME.alog.

    PATH is a file of tests, a program that has one beside it, or a folder, in which all are looked for;
    without one it is this folder.

    \b
    Examples:
      antelog test
      antelog test turbines.test.yaml
      antelog test rules --watch
      antelog test turbines.test.yaml --record
      antelog test --junit results.xml
    """
    if more.record and more.watch:
        raise click.UsageError("--record writes the files that --watch looks at; leave out one of the two")
    with ending_in_words(ctx):
        paths = paths or (Path(),)
        given = Given(more.limits, more.functions, coverage=not more.no_coverage)
        if more.record:
            _record(found(paths)[0], given)
        report = _watched(paths, given, more) if more.watch else _run(paths, given, more)
    ctx.exit(report.exit_status)


def _run(paths: Sequence[Path], given: Given, more: VerdictFlags) -> RunReport:
    """Runs all tests once, and prints and writes what comes of them."""
    verdicts = Verdicts(to_stdout(), to_stderr(soft_wrap=True))
    report = run(found(paths), given, verdicts.suite)
    verdicts.report(report)
    if more.junit is not None:
        write(more.junit, junit(report))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in github(report, Path(os.environ.get("GITHUB_WORKSPACE") or ".")):
            tell(line)
    return report


def _watched(paths: Sequence[Path], given: Given, more: VerdictFlags) -> RunReport:
    """Runs all tests whenever a file changes that they rest on, until Ctrl-C; the last report."""
    found(paths)  # a path that is wrong from the start is an error
    report, files = RunReport(()), set[Path]()
    console = to_stdout()
    with stoppable() as stopping:
        while not stopping():
            before = state_of(files | _tests(paths))
            if console.is_terminal:
                console.clear()
            try:
                report = _run(paths, given, more)
                files = files_of(report)
            except OutputError:
                raise
            except AntelogError as error:  # a file is gone for a moment
                say(f"error: {error}")
            # Tests that were written meanwhile are not part of it, and so they are new.
            state = {**state_of(files), **before}
            sys.stdout.flush()
            tell(f"watching {len(files)} file{'s' * (len(files) != 1)}; Ctrl-C ends this")
            sys.stdout.flush()
            wait_for_change(state, partial(_tests, paths), stopping)
    return report


def _tests(paths: Sequence[Path]) -> set[Path]:
    """The files of tests that there are now, and programs, which may get some."""
    try:
        return set(chain(*found(paths)))
    except AntelogError:
        return set()


def _record(paths: Sequence[Path], given: Given) -> None:
    """Records what comes out of the cases of each file; one in which something is wrong is left as it is."""
    for path in paths:
        suite = read_suite(path, given)
        if suite.wrong:
            continue
        new = Recorded(suite)
        for each in new.left_out:
            say(f"note: {path}: not recorded: {each}")
        if new.cases:
            mark = b"\xef\xbb\xbf" if path.read_bytes().startswith(b"\xef\xbb\xbf") else b""
            write(path, mark + new.text.encode())
            cases = "1 case" if new.cases == 1 else f"{new.cases} cases"
            say(f"note: {path}: recorded what comes out of {cases}; look at it")


BETWEEN = 0.2
"""Seconds between two looks at the files."""

FileState = tuple[int, int] | None
"""When a file was written, in nanoseconds, and its size; None: it is not there."""


def files_of(report: RunReport) -> set[Path]:
    """The files that a report rests on: tests, programs with what they include, and data."""
    found = {Path(each.suite.name) for each in report.suites}
    for each in report.suites:
        found |= {*each.suite.program_files, *each.suite.others}
    return found


def state_of(paths: Iterable[Path]) -> dict[Path, FileState]:
    """The present state of files."""
    return {path: _state(path) for path in paths}


def _state(path: Path) -> FileState:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


def wait_for_change(
    state: Mapping[Path, FileState], more: Callable[[], Iterable[Path]], stopping: Callable[[], bool]
) -> None:
    """Returns when a file is another than its state says, when there are `more`, or when stopping.

    A file that is being written is waited for, until two looks in a row see the same.
    """
    last = state
    while not stopping():
        now = state_of({*state, *more()})
        if now == last and now != state:
            return
        last = now
        time.sleep(BETWEEN)
