"""What the tests of `antelog try` share: a program, its readings, and the lines they give."""

import json
import re
from pathlib import Path

from click.testing import CliRunner, Result

from antelog.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
TURBINES = ROOT / "examples" / "turbines" / "turbines.alog"
CONFORMANCE = ROOT / "tests" / "conformance"
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


def reported(tick: int, change: str, x: str, t: int, explanation: str, rest: str = "") -> str:
    """A line of the log; the explanation has its hypotheses after a `|`."""
    evidence, hypotheses = (
        json.dumps(re.findall(r"\S.*?\)", part)) for part in (explanation + "|").split("|")[:2]
    )
    return (
        f'{{"tick": {tick}, "change": "{change}", "query": "Malf", "answer": {{"X": "{x}", "T": {t}}}, '
        f'"explanations": [{{"evidence": {evidence}, "hypotheses": {hypotheses}}}]{rest}}}'
    )


def unless(tick: int) -> str:
    return f', "if_silent": {{"change": "rejected", "tick": {tick}}}, "decided_by": {tick}'


LOG = [
    reported(0, "possible", "wt2", 0, "Temp(wt2, high, 0) | Temp(wt2, high, 1)", unless(2)),
    reported(1, "possible", "wt4", 1, "Temp(wt4, high, 1) | Temp(wt4, high, 2)", unless(3)),
    reported(2, "confirmed", "wt2", 0, "Temp(wt2, high, 0) Temp(wt2, high, 1)"),
    reported(2, "possible", "wt2", 1, "Temp(wt2, high, 1) | Temp(wt2, high, 2)", unless(3)),
    reported(
        3,
        "rejected",
        "wt2",
        1,
        "Temp(wt2, high, 1) | Temp(wt2, high, 2)",
        ', "because": ["Temp(wt2, high, 2)"]',
    ),
    reported(
        3,
        "rejected",
        "wt4",
        1,
        "Temp(wt4, high, 1) | Temp(wt4, high, 2)",
        ', "because": ["Temp(wt4, high, 2)"]',
    ),
]


def antelog(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)), prog_name="antelog", catch_exceptions=False)


def try_(*arguments: object) -> Result:
    return antelog("try", "p.alog", *arguments)


def messages(done: Result) -> str:
    """What was said on standard error, without the summary of answers."""
    summary = r"^ +confirmed .*?(?=^(?:warning|note|done): |\Z)"
    return re.sub(summary, "", done.stderr, flags=re.MULTILINE | re.DOTALL)
