"""What the tests of `antelog try` share: a program, its readings, and the lines they give."""

import re
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from antelog.cli.main import main

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
LOG = (ROOT / "tests" / "golden" / "turbines.jsonl").read_text("utf-8").splitlines()
"""The lines that the readings give."""


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
