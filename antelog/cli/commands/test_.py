"""`antelog test`: runs the tests of rules."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from antelog.cli.arguments.flags import flags
from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.terminal import to_stderr, to_stdout
from antelog.cli.show.verdicts import Verdicts
from antelog.run.options import Runner, flag
from antelog.run.source_settings import ValueSettings
from antelog.workbench.testing.finding import found
from antelog.workbench.testing.results import RunOptions, run
from antelog.workbench.testing.suite import Given


@dataclass(frozen=True, kw_only=True)
class VerdictFlags(ValueSettings):
    """The options of `antelog test`."""

    no_coverage: bool = flag(False, "Do not look for rules that no test shows.", on=("test",))


@click.command(
    "test",
    short_help="Run the rules' own tests.",
    epilog="Exit status: 0 all is fine, 1 a test failed or a file is wrong, 2 the command is.",
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
      antelog test rules
    """
    with ending_in_words(ctx):
        verdicts = Verdicts(to_stdout(), to_stderr(soft_wrap=True))
        options = RunOptions(Given(more.limits, more.functions), not more.no_coverage)
        report = run(found(paths or (Path(),)), options, verdicts.suite)
        verdicts.report(report)
    ctx.exit(report.exit_status)
