"""antelog/run/workers/divided.py: with any number of workers a run tells what it tells with one."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, event, given, note
from hypothesis import strategies as st

import antelog
from antelog.compile import compile_program
from antelog.errors import DataError, DataWarning, FunctionError, UnsupportedError, WorkerError
from antelog.run import waiting
from antelog.run.workers import divided
from tests.all_cases import ANY
from tests.cli.trying import antelog as command
from tests.engine.few import at_most_for
from tests.engine.replay import frames
from tests.random_functions import FUNCTIONS, cases_with_functions
from tests.run import cases
from tests.run.cases import EXAMPLES, SAMPLE, example, stream
from tests.run.workers.at_once import AtOnce
from tests.strategies import Case


@contextmanager
def cut(step: int, *, at_once: bool = True) -> Iterator[None]:
    """Steps with about so many rows, and workers that are not processes."""
    process = AtOnce if at_once else divided.ChildProcess
    with mock.patch.object(waiting, "STEP", step), mock.patch.object(divided, "ChildProcess", process):
        yield


# ---- examples and recorded streams ----

FLAGS = (
    [],
    ["--format", "table"],
    ["--snapshots"],
    ["--only", "confirmed", "--explanations", "1"],
    ["--strict"],
)
DIVIDED = [name for name in EXAMPLES if example(name).program.plan.key]


def _told(case: cases.Case, folder: Path, *flags: object) -> tuple[str, str, str]:
    """What a run prints, what it says, and its rejects."""
    file = folder / "rejects.jsonl"
    file.unlink(missing_ok=True)
    done = command("try", *case.arguments, *flags, "--rejects", file)
    return done.stdout, done.stderr, file.read_text(encoding="utf-8") if file.exists() else ""


@pytest.mark.parametrize("number", range(len(FLAGS)))
@pytest.mark.parametrize("name", DIVIDED)
def test_examples(name: str, number: int, tmp_path: Path) -> None:
    case, flags = example(name), FLAGS[number]
    if "--snapshots" in flags and case.last > 10_000:
        flags = [*flags, "--until", str(int(case.arrivals[0]) + 20)]
    expected = _told(case, tmp_path, *flags)
    for workers, step in ((2, 300), (3, 20), (7, 10_000)):
        with cut(step):
            assert _told(case, tmp_path, *flags, "--workers", workers) == expected


@pytest.mark.parametrize("name", SAMPLE)
def test_recorded_streams(name: str, tmp_path: Path) -> None:
    case = stream(name, tmp_path, 1_500)
    expected = _told(case, tmp_path)
    for workers, step in ((2, 100), (7, 700)):
        with cut(step):
            out, said, rejects = _told(case, tmp_path, "--workers", workers)
        assert (out, rejects) == (expected[0], expected[2])
        if case.program.plan.key:
            assert said == expected[1]
        else:
            assert "note: one worker runs all of it: " in said


# ---- random programs ----


def _lines(case: Case, program: antelog.Program, folder: str, workers: int) -> list[str]:
    files = {}
    for name, rows in frames(case.facts, program.plan, -1, case.until).items():
        files[name] = Path(folder) / f"{name}.jsonl"
        files[name].write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    units = {"": "ticks"} if program.plan.tick else {}
    with warnings.catch_warnings(), at_most_for(case):
        warnings.simplefilter("ignore", DataWarning)
        try:
            replay = antelog.replay(program, files, until=case.until, time_units=units, workers=workers)
            found = list(replay.lines())
        except DataError as error:
            return [str(error)]
        return [*found, str(replay.engine.counts), str(replay.rejects.counts)]


def _alike(case: Case, workers: int, step: int) -> None:
    note(str(case))
    assume(compile_program(case.checked).plan is not None)
    program = antelog.parse(case.text, functions=_functions(case))
    assume(program.plan.key and program.plan.inputs)
    with TemporaryDirectory() as folder:
        expected = _lines(case, program, folder, 1)
        event("with lines" if len(expected) > 2 else "without lines")
        with cut(step):
            assert _lines(case, program, folder, workers) == expected


def _functions(case: Case) -> list[Any]:
    return [FUNCTIONS[each.name] for each in case.checked.document.functions]


@pytest.mark.slow
@given(ANY | cases_with_functions(), st.sampled_from([2, 3, 7]), st.integers(1, 20))
def test_random_programs(case: Case, workers: int, step: int) -> None:
    _alike(case, workers, step)
