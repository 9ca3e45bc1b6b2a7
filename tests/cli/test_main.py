"""antelog/cli/main.py: what all commands have in common, help with examples and suggestions."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import WATCH
from antelog.cli.main import main
from antelog.cli.serving import is_changes, page_address, show_changes
from antelog.errors import DataError
from antelog.run.settings import PageSettings
from antelog.watch.web.address import PageAddress
from tests.cli.trying import READINGS, antelog

assert isinstance(main, click.Group)
COMMANDS = main.list_commands(click.Context(main))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples_that_fit_a_terminal(command: str) -> None:
    examples = antelog(command, "--help").stdout.partition("Examples:")[2].partition("\n\n")[0]
    assert f"antelog {command} " in examples
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
@pytest.mark.usefixtures("project")
def test_a_path_that_cannot_be_used_ends_in_words(command: str) -> None:
    Path("circle").symlink_to("circle")
    for path in ("a" * 400 + ".csv", "circle/a.csv"):
        done = antelog(*command.format(path).split())
        assert done.exit_code in (1, 2)
        assert "rror: " in done.stderr
        assert "too long" in done.stderr or "circle" in path


def test_the_list_of_commands_is_not_cut() -> None:
    assert "..." not in antelog("--help").stdout.split("Commands:")[1]


TOKEN = "0123456789abcdef"


@click.command()
@flags(WATCH, settings=PageSettings)
def show(settings: PageSettings) -> None:
    address = page_address(settings)
    click.echo(address.tokens.look)
    click.echo(address.port)


def test_a_token_stays_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page.token").write_text(f"{TOKEN}\n")
    monkeypatch.setenv("PAGE_TOKEN", TOKEN)
    for given in (f"@{tmp_path / 'page.token'}", "$PAGE_TOKEN"):
        assert CliRunner().invoke(show, ["--token", given, "--port", "8080"]).output == f"{TOKEN}\n8080\n"
    assert len(CliRunner().invoke(show, []).output.split()[0]) > len(TOKEN)


def test_others_need_a_name_and_a_certificate() -> None:
    done = CliRunner().invoke(show, ["--host", "0.0.0.0"])
    assert done.exit_code == 2
    assert "--allowed-host" in done.output


def test_what_has_changes_in_it(tmp_path: Path) -> None:
    for name in ("changes.jsonl", "changes.parquet", "kafka://localhost:9092/changes", str(tmp_path)):
        assert is_changes(Path(name))
    assert not is_changes(Path("turbines.alog"))


def test_a_topic_that_cannot_be_reached_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("confluent_kafka")
    monkeypatch.setattr("antelog.run.sources.kafka._PATIENCE", 0.5)
    with pytest.raises(DataError, match=r"9/changes: cannot be reached"):
        show_changes(Path("kafka://127.0.0.1:9/changes"), PageAddress())
