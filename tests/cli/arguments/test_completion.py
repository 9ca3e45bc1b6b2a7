"""antelog/cli/arguments/completion.py: what the Tab key suggests, and the scripts of shells."""

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
from tests.cli.trying import antelog
from tests.docs.pages import ROOT
from tests.tables import cases

assert isinstance(main, click.Group)


def completed(line: str) -> list[str]:
    *words, last = shlex.split(line.replace("~", "''"))
    assert isinstance(main, click.Group)
    return [item.value for item in ShellComplete(main, {}, "antelog", "_X").get_completions(words, last)]


@pytest.mark.usefixtures("project")
@cases(__file__, "completions")
def test_completion(line: str, found: list[str]) -> None:
    assert completed(line) == found


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str) -> None:
    done = antelog("completion", shell)
    assert done.exit_code == 0
    assert f"_ANTELOG_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.usefixtures("project")
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
    environment = {"_ANTELOG_COMPLETE": "bash_complete", "COMP_LINE": line}
    done = CliRunner().invoke(main, prog_name="antelog", env=environment)
    assert done.output.split() == found


def test_limits_are_completed(project: Path) -> None:
    rules = project.joinpath("program.alog").read_text(encoding="utf-8")
    project.joinpath("limits.alog").write_text(f"{rules}limit hot = 90.\nlimit cold = 5.\n", encoding="utf-8")
    environment = {"_ANTELOG_COMPLETE": "bash_complete", "COMP_LINE": "antelog check limits.alog --set h"}
    assert CliRunner().invoke(main, prog_name="antelog", env=environment).output.split() == ["plain,hot="]


@pytest.mark.usefixtures("project")
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
