"""The cases of tests/once_wrong: the engine once reported something else there than the specification.

A case is a program, and then facts by the tick at which they arrive, and the last tick of interest:

    % 1: R(a, 20, 1), R(b, 5, 1)
    % until 3
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.engine.replay import follow, run, runnable
from tests.specification import evaluate
from tests.specification.helpers import arriving, logged, stream_of
from tests.strategies import Case

FOLDER = Path(__file__).resolve().parent.parent / "once_wrong"
CASES = {path.stem: path for path in FOLDER.glob("*.alog")}

_ARRIVING = re.compile(r"% (\d+: .*)")
_UNTIL = re.compile(r"% until (\d+)")


def once_wrong(path: Path) -> Case:
    text = path.read_text(encoding="utf-8")
    facts = arriving("; ".join(_ARRIVING.findall(text)))
    (until,) = _UNTIL.findall(text)
    return Case(text, tuple(facts), int(until))


@pytest.mark.parametrize("name", [*sorted(CASES), *(name for name, (_, lines) in logged().items() if lines)])
def test_the_engine_tells_what_the_specification_tells(name: str) -> None:
    case = once_wrong(CASES[name]) if name in CASES else logged()[name][0]
    compiled = runnable(case.checked)
    assert compiled is not None
    assert follow(case, compiled, evaluate(case.checked, stream_of(case.facts), case.until)) > 0
    at_once, by_tick = (run(case, compiled, ends) for ends in ([case.until], range(case.until + 1)))
    assert sorted(map(str, at_once)) == sorted(map(str, by_tick))


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_case_begins_with_what_it_teaches(name: str) -> None:
    first = CASES[name].read_text(encoding="utf-8").splitlines()[0]
    assert re.fullmatch(r"% [A-Z].*\.", first)
    assert not _ARRIVING.match(first)
