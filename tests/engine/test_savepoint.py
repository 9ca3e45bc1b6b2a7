"""antelog/engine/savepoint.py: a state as a folder, and back; people can read it, and damage is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antelog
from antelog import Engine, OutputError, StateError
from antelog.arrow.arrays import array_of
from antelog.engine import savepoint
from antelog.engine.values.encoding import OTHERS, UNBOUND
from antelog.engine.values.values import Values
from tests.all_cases import LONG
from tests.engine.plain import PlainEngine
from tests.engine.replay import frames, log_lines
from tests.engine.test_properties import compiled_of, log_of
from tests.strategies import Case

RULES = """
tick 1 hour.
input Temp(device, level, time) delay 1.
Hot(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2).
query Hot(X, T).
"""
PROGRAM = antelog.parse(RULES)
BEGIN = 495_000


def _exported(folder: Path) -> Engine:
    engine = Engine(PROGRAM)
    facts = [("wt2", "high", BEGIN), ("wt2", "high", BEGIN + 1), ("wt4", "low", BEGIN + 1)]
    engine.advance(BEGIN + 1, {"Temp": [(*fact, fact[-1]) for fact in facts]})
    engine.export(folder)
    return engine


@pytest.mark.slow
@given(LONG, st.data())
def test_a_run_goes_on_from_a_folder_as_if_nothing_had_been(case: Case, data: st.DataObject) -> None:
    compiled = compiled_of(case)
    cuts = sorted({*data.draw(st.sets(st.integers(0, case.until), max_size=3)), case.until})
    engine, log = PlainEngine(compiled), list[dict[str, Any]]()
    with TemporaryDirectory() as folder:
        for before, end in pairwise([-1, *cuts]):
            path = Path(folder) / str(end)
            engine.export(path)
            saved = savepoint.read(path, functions=compiled.functions).engine
            assert saved.state.values is not engine.state.values
            engine = PlainEngine.restore(path, compiled)
            changed = engine.advance(end, frames(case.facts, compiled.plan, before, end))
            log += log_lines(changed, compiled.plan)
    assert sorted(log, key=lambda row: row["tick"]) == log_of(case, compiled)


@pytest.mark.parametrize(
    "values",
    [
        ["a", "1", ""],
        [1.5, 2**53 + 1, -0.0, 1e300, 2**80],
        [date(2024, 2, 29)],
        [b"\xff", b""],
        [True, False],
    ],
)
def test_values_come_back_as_they_were(values: list[Any]) -> None:
    known, other = Values(), Values(["z"])
    cells = [known.encode(array_of([value])) for value in values]
    cells += [np.array([UNBOUND, OTHERS])]
    back = other.read_in(known.written_out(np.concatenate(cells)))
    assert other.recoded(back, other).tolist() == other.recoded(np.concatenate(cells), known).tolist()


def test_people_can_read_it(tmp_path: Path) -> None:
    engine = _exported(tmp_path / "saved")
    facts = pq.read_table(tmp_path / "saved/facts/Temp.parquet").to_pylist()
    assert facts[0]["device"] == "wt2"
    scale = PROGRAM.plan.timescale
    assert scale is not None
    assert facts[0]["time_time"] == scale.time(BEGIN)
    opened, *_ = pq.read_table(tmp_path / "saved/open/Hot.parquet").to_pylist()
    assert opened["explanations"] == engine.answers("Hot").to_pylist()[0]["explanations"]
    about = json.loads((tmp_path / "saved/savepoint.json").read_text())
    assert about["after"].startswith("2026-")
    assert about["files"]["facts/Temp"] == {"rows": len(facts), "of": "Temp"}
    again = Engine.restore(tmp_path / "saved", PROGRAM)
    assert again.answers("Hot").equals(engine.answers("Hot"))
    assert again.counts == engine.counts


def test_a_folder_is_written_wholly_or_not_at_all(tmp_path: Path) -> None:
    _exported(tmp_path / "saved")
    with pytest.raises(OutputError, match="saved is there already; a savepoint needs a folder of its own"):
        _exported(tmp_path / "saved")
    assert [each.name for each in tmp_path.iterdir()] == ["saved"]


def _edited(**changes: Any) -> Callable[[Path], object]:
    def edit(folder: Path) -> None:
        path = folder / savepoint.ABOUT
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return edit


@pytest.mark.parametrize(("damage", "message"), [
    (lambda folder: (folder / "savepoint.json").unlink(), "is not a savepoint: it has no savepoint.json"),
    (lambda folder: (folder / "facts/Temp.parquet").unlink(), "is damaged: it has no facts/Temp.parquet"),
    (lambda folder: pq.write_table(pa.table({"a": []}), folder / "facts/Temp.parquet"), "0 rows, and not 3"),
    (lambda folder: (folder / "facts/Temp.parquet").write_bytes(b"no"), "is damaged, or of other rules"),
    (lambda folder: (folder / "plan.json").write_text("{}"), "rules of another version: .* Give --program"),
    (_edited(savepoint=7), "is a savepoint of version 7, but this antelog reads version 1; import it with"),
    (_edited(state={}), "is damaged, or of other rules"),
])  # fmt: skip
def test_damage_and_other_versions_are_refused(
    tmp_path: Path, damage: Callable[[Path], object], message: str
) -> None:
    _exported(tmp_path / "saved")
    damage(tmp_path / "saved")
    with pytest.raises(StateError, match=message):
        Engine.restore(tmp_path / "saved")


def test_rules_of_another_version_are_those_of_the_program(tmp_path: Path) -> None:
    engine = _exported(tmp_path / "saved")
    (tmp_path / "saved/plan.json").write_text("{}")
    found = savepoint.read(tmp_path / "saved", PROGRAM.plan)
    assert found.engine.state.rows == engine.state.rows
    with pytest.raises(StateError, match="has rules of another version"):
        savepoint.read(tmp_path / "saved")
