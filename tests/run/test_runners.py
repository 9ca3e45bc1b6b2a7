"""Recorded facts through the runners of one process: `Engine`, `antelog try` and `antelog watch --once`.

With arrivals facts are cut into steps of any size. Without them they come in one step, or in several, which
are compared with the facts that have the arrivals of `antelog/run/clock.py`. `tests/spark/test_runners.py`
goes on with batches and streams. `make long` takes all streams, with all of their facts.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from antelog import DataWarning, Engine
from tests.run import cases, runners
from tests.run.cases import Case
from tests.run.runners import lines_of, printed


def compare(case: Case, folder: Path) -> None:
    """All runners, with the arrivals of a case and without any."""
    expected = printed("try", case)
    assert len(expected) > 1
    assert printed("watch", case, "--once", "--no-page") == expected
    ticks = np.unique(case.arrivals).tolist()
    some = random.Random(case.name).sample(ticks, min(7, len(ticks)))
    for ends in ([], ticks[:: max(1, len(ticks) // 50)], sorted(some)):
        assert lines_of(case, runners.in_steps(case, ends)) == expected
    timeless = case.timeless(folder)
    expected = printed("try", timeless)
    assert printed("watch", timeless, "--once", "--no-page") == expected
    assert lines_of(case, runners.in_one_step(case)) == expected
    compare_several_steps(case, folder)


def compare_several_steps(case: Case, folder: Path) -> None:
    """Facts without arrivals in several steps, and the same with the arrivals that they had by that."""
    engine = Engine(case.program)
    log: list[Mapping[str, pa.Table]] = []
    dated = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # dealt at random, most facts come too late
        for part in runners.dealt(case.facts, 4):
            dated.append(runners.arriving(part, engine.now, "arrival"))
            log.append(engine.advance(max(engine.now + 1, runners.highest(part)), runners.without(part)))
    log += runners.to_the_end(engine)
    # A step takes the engine on by a tick at least, so it ends later than a replay that ends by itself.
    expected = printed("try", case.dated(folder, runners.together(dated)), "--until", str(engine.now))
    assert lines_of(case, log) == expected


@pytest.mark.parametrize("name", cases.EXAMPLES)
def test_of_each_example(name: str, tmp_path: Path) -> None:
    compare(cases.example(name), tmp_path)


@pytest.mark.parametrize("name", cases.SAMPLE)
def test_of_the_first_facts_of_streams(name: str, tmp_path: Path) -> None:
    compare(cases.stream(name, tmp_path, cases.MOST), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", cases.STREAMS)
def test_of_each_stream(name: str, tmp_path: Path) -> None:
    compare(cases.stream(name, tmp_path), tmp_path)
