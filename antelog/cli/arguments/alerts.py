"""`--alert` and its companions: who is told of which changes, and in which words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from antelog.cli.arguments.reading import Read
from antelog.program import Program
from antelog.run.values import kinds
from antelog.secrets import redacted
from antelog.watch.alerts.alert import Alert, AlertError, AlertSetup
from antelog.watch.alerts.setup import alerts_in, setup_of

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--alert", "alerts", metavar="TO", multiple=True,
        help="Send alerts to webhook:@FILE, slack:@FILE or 'command:PROGRAM ARG…'; FILE has the address, or "
        "'$NAME' in place of @FILE a variable. Can be given several times.",
    ),
    click.option(
        "--alert-on", type=Read("KIND,…", kinds), metavar="KIND,…",
        help="Of these kinds of changes.  [default: likely for queries with an `alert`, where there are "
        "chances; confirmed for others]",
    ),
    click.option(
        "--alert-where", metavar="CONDITION", multiple=True,
        help="About these answers only, as in 'Malf X=wt* chance>=0.9'. Of several one has to fit.",
    ),
    click.option(
        "--alert-template", metavar="TEXT",
        help="In these words, as in '{query} {answer}: {chance}'.",
    ),
    click.option(
        "--alerts", "alert_file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
        help="Send the alerts of a TOML file, each with kinds, conditions and words of its own.",
    ),
)  # fmt: skip


def alert_options(command: Command) -> Command:
    """All options about alerts, for a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def wanted_alerts(given: Mapping[str, Any], program: Program, *, chances: bool) -> AlertSetup | None:
    """The alerts that were asked for, looked at; None if there are none. What is wrong is a usage error.

    `chances` says whether answers have any.
    """
    named: tuple[str, ...] = given["alerts"]
    on, where, template = given["alert_on"] or (), given["alert_where"], given["alert_template"] or ""
    if (on or where or template) and not named:
        raise click.UsageError("--alert-on, --alert-where and --alert-template need an --alert")
    try:
        alerts = [Alert(to, on, where, template) for to in named]
        alerts += [] if given["alert_file"] is None else alerts_in(given["alert_file"])
        return setup_of(alerts, program, chances=chances) if alerts else None
    except AlertError as error:
        raise click.UsageError(redacted(str(error))) from None
