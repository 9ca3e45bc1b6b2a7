"""antelog/cli/commands/watch.py: alerts of the command line."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from antelog import parse
from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import WATCH
from antelog.cli.commands.watch import wanted_alerts
from antelog.run.settings import AlertSettings
from antelog.watch.alerts.alert import Alert, AlertSetup

PROGRAM = parse("input P(x, time). Q(X, T) :- P(X, T). query Q(X, T) alert 80%.")
found: list[AlertSetup | None] = []


@click.command()
@flags(WATCH, settings=AlertSettings)
def command(settings: AlertSettings) -> None:
    found.append(wanted_alerts(settings, PROGRAM, chances=True))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found.clear()


def call(*words: str) -> Result:
    return CliRunner().invoke(command, words, catch_exceptions=False)


def test_all_receivers_are_told_the_same() -> None:
    words = ("--alert", "command:cat", "--alert", "command:tee x", "--alert-on", "likely,confirmed")
    assert (
        call(*words, "--alert-where", "X=a", "--alert-where", "X=b", "--alert-template", "{X}").exit_code == 0
    )
    assert found[0] is not None
    assert found[0].alerts == tuple(
        Alert(to, ("likely", "confirmed"), ("X=a", "X=b"), "{X}") for to in ("command:cat", "command:tee x")
    )


def test_a_file_has_more() -> None:
    Path("a.toml").write_text("[[alert]]\nto = 'command:cat'\non = ['rejected']", encoding="utf-8")
    assert call("--alerts", "a.toml", "--alert", "command:cat").exit_code == 0
    assert found[0] is not None
    assert found[0].alerts == (Alert("command:cat"), Alert("command:cat", ("rejected",)))
