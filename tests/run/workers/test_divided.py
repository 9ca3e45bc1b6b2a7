"""antelog/run/workers/divided.py: with any number of workers a run tells what it tells with one."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, event, given, note
from hypothesis import strategies as st

import antelog
from antelog import Engine
from antelog.compile import compile_program
from antelog.engine.step import wording
from antelog.errors import DataError, DataWarning, FunctionError, UnsupportedError, WorkerError
from antelog.files import ARRIVAL
from antelog.process import LEARN
from antelog.run import driver, waiting
from antelog.run.reading import Now
from antelog.run.replay import Replay
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
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

FLAGS: tuple[list[str], ...]
FLAGS = ([], ["--format", "table"], ["--snapshots"], ["--only", "confirmed", "--explanations", "1"])
DIVIDED = [name for name in EXAMPLES if example(name).program.plan.key]
RUNS = [(name, 0) for name in DIVIDED] + [("turbines", number) for number in range(1, len(FLAGS))]


def _told(case: cases.Case, folder: Path, *flags: object) -> tuple[str, str, str]:
    """What a run prints, what it says, and its rejects."""
    file = folder / "rejects.jsonl"
    file.unlink(missing_ok=True)
    done = command("try", *case.arguments, *flags, "--rejects", file)
    return done.stdout, done.stderr, file.read_text(encoding="utf-8") if file.exists() else ""


@pytest.mark.parametrize(("name", "number"), RUNS)
def test_examples(name: str, number: int, tmp_path: Path) -> None:
    case, flags = example(name), FLAGS[number]
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


def _lines(case: Case, program: antelog.Program, folder: str, workers: int, model: str | None) -> list[str]:
    files = _files(case, program, folder)
    units = {"": "ticks"} if program.plan.tick else {}
    with warnings.catch_warnings(), at_most_for(case):
        warnings.simplefilter("ignore", DataWarning)
        try:
            replay = antelog.replay(
                program, files, until=case.until, time_units=units, workers=workers, model=model
            )
            found = list(replay.lines())
        except DataError as error:
            return [str(error)]
        scores = [] if model is None else [str(replay.engine.scores().to_pylist())]
        return [*found, str(replay.engine.counts), str(replay.rejects.counts), *scores]


@pytest.mark.slow
@given(
    ANY | cases_with_functions(),
    st.sampled_from([2, 3, 7]),
    st.integers(1, 20),
    st.sampled_from([None, LEARN]),
)
def test_random_programs(case: Case, workers: int, step: int, model: str | None) -> None:
    note(str(case))
    assume(compile_program(case.checked).plan is not None)
    functions = [FUNCTIONS[each.name] for each in case.checked.document.functions]
    program = antelog.parse(case.text, functions=functions)
    assume(program.plan.key and program.plan.inputs)
    with TemporaryDirectory() as folder:
        with cut(step):  # which of two equal facts is known still depends on it
            expected = _lines(case, program, folder, 1, model)
            assert _lines(case, program, folder, workers, model) == expected
        event("with lines" if len(expected) > 2 else "without lines")


def _files(case: Case, program: antelog.Program, folder: str) -> dict[str, Path]:
    files = {}
    for name, rows in frames(case.facts, program.plan, -1, case.until).items():
        files[name] = Path(folder) / f"{name}.jsonl"
        files[name].write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return files


def _with_numbers(
    program: antelog.Program, replay: Replay, numbers: Sequence[int], model: str | None
) -> list[str]:
    """Runs as many workers in turn, each for a few ticks from the state before; returns their lines."""
    reader, relations, told = replay._reader, list(program.plan.queries), list[str]()
    while not reader.through:
        reader.read(Now(-1, 0))
    engine: Engine = Engine(program, arrival=ARRIVAL, model=model)
    for number, end in zip(numbers, range(2, 3 * len(numbers), 3), strict=True):
        whole = Engine.restore(engine.to_bytes(), program, arrival=ARRIVAL)
        engine = divided.divided(whole, number, lambda _: None)
        while engine.now < end:
            batch = reader.waiting.batch(end)
            try:
                step = StepResult(batch.now, engine.advance(batch.now, batch.facts))
            except DataError as error:
                return [*told, str(error)]
            told += change_lines(relations, step, Style()).splitlines()
            told += map(str, batch.rejects(engine.last_rejects, None))
        status = engine.status
        told += [str((status.counts, status.open_answers, status.seen_values, engine.counts))]
        for each in relations:
            told += [
                str(row) for row in wording.ordered(engine.answers(each.name), each.answer.names).to_pylist()
            ]
    reader.close()
    return told


@pytest.mark.slow
@given(
    ANY | cases_with_functions(),
    st.lists(st.sampled_from([1, 2, 3, 7]), min_size=2, max_size=5),
    st.sampled_from([None, LEARN]),
)
def test_random_states(case: Case, numbers: list[int], model: str | None) -> None:
    note(str(case))
    assume(compile_program(case.checked).plan is not None)
    functions = [FUNCTIONS[each.name] for each in case.checked.document.functions]
    program = antelog.parse(case.text, functions=functions)
    assume(program.plan.key and program.plan.inputs)
    units = {"": "ticks"} if program.plan.tick else {}
    with TemporaryDirectory() as folder, cut(10_000), at_most_for(case), warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        files = _files(case, program, folder)
        expected, found = (
            _with_numbers(program, antelog.replay(program, files, time_units=units), some, model)
            for some in ([1] * len(numbers), numbers)
        )
    assert found == expected
    event("with lines" if any("explanations" in each for each in expected) else "without lines")


# ---- processes ----

ROWS = [(f"wt{i % 5}", "high", t, t) for t in range(40) for i in range(5)]
PROGRAM = """
    input Temp(device, level, time) delay 1.
    Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
    query Malf(X, T).
"""
ALERTING = PROGRAM.replace("query Malf(X, T)", "query Malf(X, T) alert 40%")
ALERTING += "chance Temp(_, high, _) = 30%."
CALLING = """
    function hot(a).
    input Temp(device, level: number, time) delay 1.
    Hot(X, T) :- Temp(X, V, T), hot(V).
    query Hot(X, T).
"""


@antelog.function
def hot(level: np.ndarray) -> np.ndarray:
    return level > 20


def test_processes_give_the_lines_and_tables_of_one_engine() -> None:
    program = antelog.parse(PROGRAM)
    expected = antelog.replay(program, {"Temp": ROWS})
    lines = list(expected.lines())
    with cut(50, at_once=False):
        replay = antelog.replay(program, {"Temp": ROWS}, workers=3)
        assert list(replay.lines()) == lines
        assert replay.engine.counts == expected.engine.counts
        assert replay.engine.answers("Malf").num_rows == 0
        assert str(replay.engine.why("Malf(wt1, 7)")) == str(expected.engine.why("Malf(wt1, 7)"))
        one, two = (antelog.replay(program, {"Temp": ROWS}, workers=count) for count in (1, "auto"))
        assert pa.concat_tables(each.tables["Malf"] for each in two).equals(
            pa.concat_tables(each.tables["Malf"] for each in one)
        )


def test_steps_have_fewer_rows_where_each_has_many_lines() -> None:
    ends = list[list[int]]()
    for workers, weight in ((1, 10_000), (1, 20), (3, 20)):
        with mock.patch.multiple(driver, _FIRST=20, _LEAST=5, _WEIGHT=weight), cut(10_000):
            replay = antelog.replay(antelog.parse(PROGRAM), {"Temp": ROWS}, workers=workers)
            ends.append([each.tick for each in replay if any(t.num_rows for t in each.tables.values())])
    assert ends[1] == ends[2]
    assert len(ends[0]) < 10 < len(ends[1])


def test_texts_that_recur_are_divided_as_others_are() -> None:
    rows = [(f"wt{i % 3 if t % 20 < 10 else i}", "high", t, t) for t in range(40) for i in range(30)]
    lines = list(antelog.replay(antelog.parse(PROGRAM), {"Temp": rows}).lines())
    with cut(100):
        assert list(antelog.replay(antelog.parse(PROGRAM), {"Temp": rows}, workers=3).lines()) == lines


def test_functions_are_found_by_their_modules_and_their_files(tmp_path: Path) -> None:
    rows = [(f"wt{i}", 18 + i, 0) for i in range(6)]
    file = tmp_path / "hot.py"
    file.write_text(
        "import antelog\n@antelog.function(rowwise=True)\ndef hot(v):\n    return v > 20\n", "utf-8"
    )
    for functions in ([hot], file):
        program = antelog.parse(CALLING, functions=functions)
        expected = list(antelog.replay(program, {"Temp": rows}).lines())
        assert len(expected) == 3
        with cut(50, at_once=False):
            assert list(antelog.replay(program, {"Temp": rows}, workers=2).lines()) == expected


def test_a_function_of_this_process_alone_is_refused() -> None:
    def hot(level: np.ndarray) -> np.ndarray:
        return level > 21

    program = antelog.parse(CALLING, functions=[hot])
    with pytest.raises(FunctionError, match=r"hot is in this process alone, .* in a file of its own"):
        antelog.replay(program, {"Temp": []}, workers=2)


def test_an_error_of_a_worker_is_that_of_the_run(tmp_path: Path) -> None:
    file, said = tmp_path / "hot.py", list[str]()
    file.write_text("import numpy as np\ndef hot(v: np.ndarray): return 1 / 0", encoding="utf-8")
    rows, told = [("wt1", 21, 0), ("wt2", 22, 0), ("wt3", 22, 0)], []
    for workers in (1, 2):
        program = antelog.parse(CALLING, functions=file)
        with cut(50, at_once=False), pytest.raises(FunctionError) as error:
            list(antelog.replay(program, {"Temp": rows}, workers=workers, most_failed=0).lines())
        said.append(str(error.value))
        with cut(50, at_once=False):
            run = antelog.replay(program, {"Temp": rows}, workers=workers)
            told.append((list(run.lines()), run.rejects.first, run.engine.rejects.to_pylist()))
    assert said[0] == said[1]
    assert told[0] == told[1]
    assert [str(each)[:35] for each in told[0][1]] == [
        "hot(21): raised ZeroDivisionError: ",
        "hot(22): raised ZeroDivisionError: ",
    ]


def test_a_worker_that_dies_ends_the_run() -> None:
    with cut(50, at_once=False):
        replay = antelog.replay(antelog.parse(PROGRAM), {"Temp": ROWS}, workers=2)
        steps = iter(replay)
        next(steps)
        engine = replay.engine
        assert isinstance(engine, divided.DividedEngine)
        os.kill(engine.workers[1].number, signal.SIGKILL)
        with pytest.raises(WorkerError, match="a worker was ended by signal 9, and the run with it"):
            list(steps)


def test_workers_end_with_their_run() -> None:
    code = (
        "import antelog; replay = antelog.replay(antelog.parse(%r), {'Temp': [('a', 'high', 0)]}, workers=2);"
        "print([each.number for each in replay.engine.workers])"
    )
    done = subprocess.run([sys.executable, "-c", code % PROGRAM], capture_output=True, text=True, check=True)
    for number in map(int, re.findall(r"\d+", done.stdout)):
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)
    assert not done.stderr


# ---- what is refused, and what one worker does ----


def test_what_needs_all_facts_is_refused() -> None:
    program = antelog.parse(ALERTING)
    with pytest.raises(UnsupportedError, match="a limit of facts needs all of them in one place"):
        antelog.replay(program, {"Temp": ROWS}, workers=2, limit=5)
    with cut(50):
        engine = antelog.replay(program, {"Temp": ROWS}, workers=2).engine
    for act in (engine.to_bytes, lambda: engine.why("Malf(wt1, 0)"), lambda: engine.change_rules(program)):
        with pytest.raises(UnsupportedError, match="needs all in one place, not with workers: leave out"):
            act()
    with pytest.raises(DataError, match=r'workers is 0, .*; give a whole number from 1 to .* or "auto"'):
        antelog.replay(program, {"Temp": ROWS}, workers=0)


def test_one_worker_does_what_cannot_be_divided() -> None:
    whole = antelog.parse("input Temp(x, time). P(T) :- Temp(X, T). query P(T).")
    with pytest.warns(DataWarning, match="one worker runs all of it: P has no argument but its time"):
        replay = antelog.replay(whole, {"Temp": []}, workers=2)
    assert type(replay.engine) is antelog.Engine
    seen = antelog.parse(PROGRAM.replace("delay 1", "delay 1, every 2 per device"))
    with pytest.warns(DataWarning, match="one worker runs all of it: chances of what may be lost from sight"):
        antelog.replay(seen, {"Temp": []}, workers=2, model="learn")


# ---- chances ----


def test_chances_and_their_scores(tmp_path: Path) -> None:
    rules, facts, model = tmp_path / "p.alog", tmp_path / "temp.csv", str(tmp_path / "m")
    rules.write_text(ALERTING, encoding="utf-8")
    rng = np.random.default_rng(3)
    levels = rng.choice(["high", "low"], 540)
    rows = [f"wt{i % 9},{level},{i // 9},{i // 9}" for i, level in enumerate(levels)]
    facts.write_text("\n".join(["device,level,time,arrival", *rows]), encoding="utf-8")
    given_ = [rules, "--input", f"Temp={facts}"]
    assert command("learn", *given_, "-o", model).exit_code == 0
    runs: list[tuple[Any, ...]] = [("try", "--min-chance", "0.2"), ("try", "--model", model), ("score",)]
    # What is learned, and which are the likeliest, is known where all lines are.
    runs += [("try", "--model", "learn"), ("try", "--most", 2), ("learn", "-o", model)]
    for name, *flags in (*runs, ("watch", "--once", "--no-page")):
        expected = command(name, *given_, *flags)
        assert expected.exit_code == 0
        with cut(70):
            done = command(name, *given_, *flags, "--workers", 3)
        assert (done.stdout, done.stderr) == (expected.stdout, expected.stderr)
