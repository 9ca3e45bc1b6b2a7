"""antelog/cli/main.py: what all commands have in common, help with examples and suggestions."""

from pathlib import Path

import click
import pytest

from antelog.cli.main import main
from tests.cli.trying import READINGS, antelog

assert isinstance(main, click.Group)
COMMANDS = main.list_commands(click.Context(main))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(command: str) -> None:
    help_ = antelog(command, "--help").stdout
    assert "Examples:" in help_
    assert f"antelog {command} " in help_.partition("Examples:")[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_terminal(command: str) -> None:
    examples = antelog(command, "--help").stdout.partition("Examples:")[2].partition("\n\n")[0]
    assert max(map(len, examples.splitlines())) <= 110


def test_the_first_help_leads_on() -> None:
    help_ = antelog("--help").stdout
    for command in COMMANDS:
        assert f"antelog {command} " in help_


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_are_suggested(command: str) -> None:
    done = antelog(command[:-1] + "q")
    assert done.exit_code == 2
    assert f"Did you mean {command}?" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [
        (("try", "program.alog", "--inptu", "Temp=temp.csv"), "--input"),
        (("run", "program.alog", "--checkpont", "state"), "--checkpoint"),
        (("try", "program.alog", "--input", "Tmp=temp.csv"), "Did you mean Temp?"),
        (("try", "program.alog", "--static", "Turbin=temp.csv"), "Did you mean Turbine?"),
        (("run", "program.alog", "--input", "Tmp=temp.csv", "--output", "console"), "Did you mean Temp?"),
        (("try", "program.alog", "--only", "confirmd"), "Did you mean confirmed?"),
    ],
)
@pytest.mark.usefixtures("project")
def test_options_and_predicates_are_suggested(arguments: tuple[str, ...], suggestion: str) -> None:
    done = antelog(*arguments)
    assert done.exit_code == 2
    assert suggestion in done.stderr


@pytest.mark.usefixtures("project")
def test_columns_are_suggested() -> None:
    Path("temp.csv").write_text(READINGS.replace("level", "levl"), encoding="utf-8")
    done = antelog("try", "program.alog", "--input", "Temp=temp.csv")
    assert done.exit_code == 1
    assert (
        "temp.csv: has no column level for Temp(device, level, time); it has device, levl, time"
        in done.stderr
    )


@pytest.mark.parametrize(
    "command",
    [
        "format {}",
        "try program.alog --input Temp=temp.csv --rejects {}",
        "watch program.alog --input Temp=temp.csv --once --no-page --output {}",
        "watch program.alog --input Temp=temp.csv --once --no-page --state {}",
        "watch {}",
        "learn program.alog --input Temp=temp.csv --output {}",
        "draw {} --input Temp=temp.csv --output a.svg",
        "test --junit {}",
    ],
)
@pytest.mark.parametrize("path", ["a" * 400 + ".csv", "circle/a.csv"])
@pytest.mark.usefixtures("project")
def test_a_path_that_cannot_be_used_ends_in_words(command: str, path: str) -> None:
    Path("circle").symlink_to("circle")
    done = antelog(*command.format(path).split())
    assert done.exit_code in (1, 2)
    assert "rror: " in done.stderr
    assert "too long" in done.stderr or "circle" in path


def test_the_list_of_commands_is_not_cut() -> None:
    assert "..." not in antelog("--help").stdout.split("Commands:")[1]
