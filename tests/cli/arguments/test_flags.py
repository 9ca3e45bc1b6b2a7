"""antelog/cli/arguments/{flags,ready,runners}.py: options in texts, and secrets among them."""

from pathlib import Path

import click
import pytest

from antelog.cli.arguments.flags import SECRET_SHOWN, OptionType
from antelog.cli.arguments.ready import RUN, TRY, WATCH
from antelog.cli.main import main
from antelog.run.options import options_of
from antelog.run.settings import Settings
from tests.cli.trying import antelog

OPTIONS = {each.name: each for each in options_of(Settings)}


def test_mistakes_are_usage_errors() -> None:
    type_ = OptionType(OPTIONS["map"], TRY)
    assert type_.convert("device=id", None, None) == ("device", "id")
    with pytest.raises(click.BadParameter, match="`X` is not of the form COLUMN=NAME"):
        type_.convert("X", None, None)


def test_a_secret_on_the_command_line_is_noted() -> None:
    type_, context = OptionType(OPTIONS["input"], RUN), click.Context(click.Command("run"))
    type_.convert("P=kafka://h/t", None, context)
    assert SECRET_SHOWN not in context.meta
    type_.convert("P=jdbc:postgresql://h/d?password=hunter2#t", None, context)
    assert context.meta[SECRET_SHOWN]


@pytest.mark.parametrize(
    ("runner", "text", "message"),
    [
        (TRY, "temp.csv", "`temp.csv` is not of the form P=SOURCE. Write it like Temp=temp.csv."),
        (TRY, "Temp=", "`Temp=` is not of the form P=SOURCE. Write it like Temp=readings.csv."),
        (TRY, "Temp=temp.xlsx", "`temp.xlsx` does not say the form of its files"),
        (TRY, "Temp=kafka://h/t", "is a topic of Kafka, which `antelog try` does not read. Follow it with"),
        (TRY, "Temp=-", "`<stdin>` is standard input, which `antelog try` does not read."),
        (WATCH, "Temp=jdbc:h2:mem#t", "is a table of a database, which `antelog watch` does not read."),
    ],
)
def test_a_source_is_one_the_command_can_read(runner: object, text: str, message: str) -> None:
    with pytest.raises(click.BadParameter) as error:
        OptionType(OPTIONS["input"], runner).convert(text, None, None)  # type: ignore[arg-type]  # one of two
    assert message in str(error.value)


@pytest.mark.parametrize("command", ["try", "watch", "draw", "learn", "score", "run"])
def test_commands_have_the_options_of_the_struct(command: str) -> None:
    found = main.get_command(click.Context(main), command)
    assert found is not None
    options = {each.name: each for each in found.params if isinstance(each, click.Option)}
    known = {each.attribute: each for each in options_of(Settings, command) if each.name != "program"}
    assert known.keys() <= options.keys()
    assert (options["map"].opts, options["map"].multiple, options["map"].metavar) == (
        ["--map"], True, "COLUMN=NAME",
    )  # fmt: skip


@pytest.mark.usefixtures("here")
def test_watch_has_a_file_of_settings(tmp_path: Path) -> None:
    """Options of the command line win, and paths are relative to the file."""
    (tmp_path / "plant").mkdir()
    (tmp_path / "plant" / "temp.csv").write_text((tmp_path / "temp.csv").read_text("utf-8"), "utf-8")
    text = 'program = "../p.alog"\nonce = true\nno_page = true\nonly = "rejected"\ninput.Temp = "temp.csv"\n'
    (tmp_path / "plant" / "watch.toml").write_text(text, "utf-8")
    done = antelog("watch", "--config", "plant/watch.toml")
    assert (done.exit_code, done.stdout.count('"change": "rejected"')) == (0, 2), done.stderr
    assert antelog("watch", "--config", "plant/watch.toml", "--only", "confirmed").stdout.count("\n") == 1
    (tmp_path / "plant" / "watch.toml").write_text(f"{text}onec = true\n", "utf-8")
    done = antelog("watch", "--config", "plant/watch.toml")
    assert done.exit_code == 1
    assert "watch.toml:6:1: error E702 (unknown-setting): a pipeline has no setting `onec`" in done.stderr
    assert "Did you mean once?" in done.stderr or "There are" in done.stderr
