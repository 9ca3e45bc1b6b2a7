"""What all commands have in common: help with examples, suggestions, completion."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from antelog.cli.main import main
from tests.cli.trying import PROGRAM, READINGS, antelog
from tests.docs.pages import ROOT

assert isinstance(main, click.Group)
COMMANDS = sorted(main.commands)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "program.alog").write_text("static Turbine(device).\n" + PROGRAM, encoding="utf-8")
    (tmp_path / "temp.csv").write_text(READINGS, encoding="utf-8")
    (tmp_path / "notes.txt").touch()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "temp.parquet").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---- help and suggestions ----


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
@pytest.mark.usefixtures("here")
def test_options_and_predicates_are_suggested(arguments: tuple[str, ...], suggestion: str) -> None:
    done = antelog(*arguments)
    assert done.exit_code == 2
    assert suggestion in done.stderr


@pytest.mark.usefixtures("here")
def test_columns_are_suggested() -> None:
    Path("temp.csv").write_text(READINGS.replace("level", "levl"), encoding="utf-8")
    done = antelog("try", "program.alog", "--input", "Temp=temp.csv")
    assert done.exit_code == 1
    assert "Temp has no column levl. Did you mean level?" in done.stderr


def test_the_list_of_commands_is_not_cut() -> None:
    assert "..." not in antelog("--help").stdout.split("Commands:")[1]


# ---- completion ----


def completed(line: str) -> list[str]:
    *words, last = shlex.split(line.replace("~", "''"))
    assert isinstance(main, click.Group)
    return [item.value for item in ShellComplete(main, {}, "antelog", "_X").get_completions(words, last)]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("dr", ["draw"]),
        ("try program.alog --inp", ["--input"]),
        ("try program.alog --input ~", ["Temp="]),
        ("run program.alog --input T", ["Temp="]),
        ("draw program.alog --static ~", ["Turbine="]),
        ("draw program.alog --query M", ["Malf"]),
        ("try program.alog --input Temp=te", ["Temp=temp.csv"]),
        ("try program.alog --input Temp=", ["Temp=data/", "Temp=temp.csv"]),
        ("try program.alog --input Temp=data/", ["Temp=data/temp.parquet"]),
        ("try none.alog --input ~", []),
        ("completion ~", ["bash", "zsh", "fish"]),
    ],
)
def test_completion(line: str, found: list[str]) -> None:
    assert completed(line) == found


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    done = antelog("completion", shell)
    assert done.exit_code == 0
    assert f"_ANTELOG_COMPLETE={shell}_complete" in done.stdout


def test_a_script_of_bash_can_be_read_by_it() -> None:
    script = antelog("completion", "bash").stdout
    try:
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    except FileNotFoundError:
        pytest.skip("there is no bash")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("antelog dr", ["plain,draw"]),
        ("antelog try ", ["file,"]),
        ("antelog try program.alog --input T", ["plain,Temp="]),
        ("antelog try program.alog --input Temp=", ["plain,data/", "plain,temp.csv"]),
        ("antelog try program.alog --input Temp=te", ["plain,temp.csv"]),
        ("antelog try program.alog --input Temp=temp.csv --form", ["plain,--format"]),
    ],
)
def test_what_bash_is_told(line: str, found: list[str]) -> None:
    """Bash completes what stands behind the last `=`."""
    environment = {"_ANTELOG_COMPLETE": "bash_complete", "COMP_LINE": line}
    done = CliRunner().invoke(main, prog_name="antelog", env=environment)
    assert done.output.split() == found


@pytest.mark.usefixtures("here")
def test_bash_completes() -> None:
    """The function as Bash calls it, with a word for each part of `P=FILE`."""
    script = (
        antelog("completion", "bash").stdout
        + """
antelog() { "$PYTHON" -c "from antelog.cli.main import main; main(prog_name='antelog')"; }
compopt() { echo "compopt" "$@"; }
COMP_LINE="antelog try program.alog --input Temp=da" COMP_POINT=${#COMP_LINE}
_antelog_completion antelog
echo "${COMPREPLY[@]}"
"""
    )
    environment = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(
            ["bash"], input=script, text=True, env=environment, capture_output=True, check=True
        )
    except FileNotFoundError:
        pytest.skip("there is no bash")
    assert done.stdout.splitlines() == ["compopt -o nospace", "data/"]
