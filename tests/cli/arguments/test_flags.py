"""antelog/cli/arguments/{flags,ready,runners}.py: options in texts, and secrets among them."""

import json
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
        (TRY, "Temp=", "`Temp=` is not of the form P=SOURCE. Write it like Temp=readings.csv."),
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


PROGRAM = (
    "tick 10 minutes. input Temp(x, time) delay 1. Hot(X, T) :- Temp(X, T), Temp(X, T+1). query Hot(X, T)."
)


@pytest.mark.parametrize(
    ("times", "options", "note"),
    [
        (("1714603200000", "1714603800000"), (), "Temp: times are read as milliseconds since 1970"),
        (("1714603200.25", "1714603800"), (), "Temp: times are read as seconds since 1970"),
        (("1714603200000", "1714603800000"), ("--time-unit", "Temp=ms"), None),
        (("100000000000", "100000600000"), ("--time-unit", "ms"), None),
        (("2857672", "2857673"), (), None),
    ],
)
@pytest.mark.parametrize("command", [("try",), ("watch", "--once", "--no-page")])
def test_what_times_count(
    tmp_path: Path,
    command: tuple[str, ...],
    times: tuple[str, ...],
    options: tuple[str, ...],
    note: str | None,
) -> None:
    program, readings = tmp_path / "p.alog", tmp_path / "temp.jsonl"
    program.write_text(PROGRAM)
    readings.write_text("".join(f'{{"x": "a", "time": {time}}}\n' for time in times))
    found = antelog(*command, str(program), "--input", f"Temp={readings}", "--only", "confirmed", *options)
    first = 166666 if times[0] == "100000000000" else 2857672
    assert [json.loads(line)["answer"] for line in found.stdout.splitlines()] == [{"X": "a", "T": first}]
    assert [line for line in found.stderr.splitlines() if "since 1970" in line] == (
        [f"note: {note}"] if note else []
    )


@pytest.mark.parametrize("command", [("try",), ("watch", "--once", "--no-page")])
def test_ticks_beyond_3000_are_said_with_the_remedy(tmp_path: Path, command: tuple[str, ...]) -> None:
    program, readings = tmp_path / "p.alog", tmp_path / "temp.csv"
    program.write_text(PROGRAM)
    readings.write_text("x,time,arrival\na,100000600000,100000600000\na,100000000000,100000600000\n")
    found = antelog(*command, str(program), "--input", f"Temp={readings}")
    said = "if it counts milliseconds since 1970, write `time: ms` in `input Temp(…)`, or --time-unit Temp=ms"
    note, late = (line for line in found.stderr.splitlines() if said in line)
    assert note.startswith("note: Temp has a time in the year 1,903,30")
    assert "599999 ticks after its deadline" in late
