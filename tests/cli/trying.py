"""What tests of commands share: a program, its readings, the lines they give, and ways to run a command."""

import re
import sys
from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner, Result

from antelog import ProgramError
from antelog.cli.arguments.ready import RUN, checked, settings_with
from antelog.cli.main import main
from antelog.diagnostics import Diagnostic, Source
from antelog.run.config import parse_config
from antelog.run.settings import Settings
from tests.processes import Process

ROOT = Path(__file__).resolve().parents[2]
TURBINES = ROOT / "examples" / "turbines" / "turbines.alog"
PROGRAM = """\
input Temp(device, level, time) delay 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T).
"""
READINGS = """\
device,level,time,arrival
wt2,high,0,0
wt2,high,1,2
wt4,high,1,1
"""
# The lines that the readings give.
LOG = (ROOT / "tests" / "golden" / "turbines.jsonl").read_text("utf-8").splitlines()


def antelog(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)), prog_name="antelog", catch_exceptions=False)


def command(*arguments: object) -> list[str]:
    code = "import sys; from antelog.cli.main import main; sys.argv[0] = 'antelog'; main()"
    return [sys.executable, "-c", code, *map(str, arguments)]


def try_(*arguments: object) -> Result:
    return antelog("try", "p.alog", *arguments)


def messages(done: Result) -> str:
    """What was said on standard error, without the summary of answers."""
    summary = r"^ +confirmed .*?(?=^(?:warning|note|done): |\Z)"
    return re.sub(summary, "", done.stderr, flags=re.MULTILINE | re.DOTALL)


# ---- pipelines ----


def diagnostics(text: str, name: str = "pipeline.toml", folder: Path = Path()) -> tuple[Diagnostic, ...]:
    """What there is to say about a pipeline in a TOML file, without Spark."""
    try:
        config = parse_config(Source(text, name), Settings, replace(RUN, folder=folder))
        checked(settings_with(config, Settings()), RUN, config)
    except ProgramError as error:
        return error.diagnostics
    return ()


def spark_command(*arguments: object) -> list[str]:
    # Two buckets start quicker than eight, and each test starts Spark anew.
    return command("run", "--buckets", 2, *arguments, "--master", "local[2]")


def said_until_the_first_batch(process: Process) -> list[str]:
    """The lines on stderr, up to the one that tells of the first batch; all of them if there is none."""
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if line.startswith("batch 0: "):
            break
    return said
