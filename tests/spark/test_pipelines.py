"""examples/pipelines: a declarative pipeline of Spark has the lines and the open answers of an engine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from antelog import Engine
from antelog.errors import UnsupportedError
from antelog.files import ARRIVAL
from antelog.spark import SETTINGS, newest
from antelog.spark.failures import explaining_lost_java
from antelog.spark.pipeline.requirements import require_java
from antelog.spark.running import prepare_for_streams
from tests.docs.pages import Block, blocks_of
from tests.docs.walking import steps
from tests.run import cases
from tests.run.runners import between, rows_of
from tests.spark.comparing import in_order

FOLDER = cases.ROOT / "examples" / "pipelines"
SPEC = "spark-pipeline.yml"
MISSING = [name for name in ("grpc", "grpc_status", "zstandard", "yaml") if find_spec(name) is None]
"""The modules of `pyspark[pipelines]` that are not installed."""

Rows = list[dict[str, Any]]


@pytest.mark.long
@pytest.mark.skipif(bool(MISSING), reason=f"pipelines need pyspark[pipelines]: {MISSING} are not installed")
def test_the_tables_are_those_of_an_engine(tmp_path: Path) -> None:
    """After a first run, and after another one over the file that came meanwhile, as the page has it."""
    try:
        require_java()
    except UnsupportedError as error:
        pytest.skip(str(error))
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    spec = (tmp_path / SPEC).read_text("utf-8")
    changed = spec.replace("file:///tmp/parcels-pipeline", (tmp_path / "storage").as_uri())
    assert changed != spec
    (tmp_path / SPEC).write_text(changed, "utf-8")
    (later,) = (each for each in steps(blocks_of(FOLDER / "README.md")) if isinstance(each, Block))
    for run in range(2):
        if run:
            Path(tmp_path, str(later.file)).write_text(later.text, "utf-8")
        said = _run(tmp_path)
        case = _case(tmp_path)
        finished = case.last - 1
        engine = Engine(case.program, arrival=ARRIVAL)
        lines = rows_of([engine.advance(finished, between(case.facts, -1, finished))])
        assert in_order(_rows(tmp_path, "changes")) == in_order(lines), said
        states = {line["Parcel"]: line for line in sorted(lines, key=lambda line: int(line["tick"]))}
        answers = {row["Parcel"]: row for row in _rows(tmp_path, "answers")}
        assert {name: (row["status"], row["tick"]) for name, row in answers.items()} == {
            name: (row["change"].replace("possible", "open"), row["tick"]) for name, row in states.items()
        }
        waiting = {(row["Parcel"], row["came"], row["stuck_by"]) for row in _rows(tmp_path, "waiting")}
        opened = [row for row in engine.answers("Stuck").to_pylist() if row["change"] == "open"]
        assert waiting == {(row["Parcel"], row["T_time"], row["decided_by_time"]) for row in opened}
        assert len(waiting) == 2


def _run(folder: Path) -> str:
    command = [
        *(str(Path(sys.executable).with_name("spark-pipelines")), "run"),
        *("--conf", "spark.sql.catalogImplementation=hive"),
    ]
    more = {
        "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1",  # it is over before Java has compiled its code well
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(cases.ROOT),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    done = subprocess.run(
        command, cwd=folder, env=os.environ | more, capture_output=True, text=True, timeout=280, check=False
    )
    said: str = (done.stdout + done.stderr)[-5000:]
    assert done.returncode == 0, said
    return said


def _case(folder: Path) -> cases.Case:
    texts = [path.read_text("utf-8") for path in sorted((folder / "scans").iterdir())]
    whole = folder / "whole.csv"
    whole.write_text(texts[0] + "".join(text.partition("\n")[2] for text in texts[1:]), "utf-8")
    example = cases.example("pipelines")
    return cases.Case("pipelines", example.program, example.path, {"Scan": whole})


def _rows(folder: Path, table: str) -> Rows:
    found = ds.dataset(folder / "spark-warehouse" / table).to_table()
    # Spark writes times as nanoseconds of UTC that do not say so.
    types = [
        field.with_type(pa.timestamp("us", "UTC")) if pa.types.is_timestamp(field.type) else field
        for field in found.schema
    ]
    rows: Rows = found.cast(pa.schema(types)).to_pylist()
    return rows


def test_the_spec_has_the_settings_of_streams() -> None:
    text = (FOLDER / SPEC).read_text("utf-8").replace('"', "")
    for name, value in SETTINGS.items():
        assert f"  {name}: {value}\n" in text


# ---- what a pipeline refuses ----


class _RefusedError(PySparkException):
    def getCondition(self) -> str:  # noqa: N802 - PySpark's name
        return "ATTEMPT_ANALYSIS_IN_PIPELINE_QUERY_FUNCTION"


class _Refusing:
    @property
    def version(self) -> str:
        raise _RefusedError("Operations that trigger analysis are not allowed.")

    columns = version

    @property
    def conf(self) -> _Refusing:
        return self

    def get(self, _name: str, _default: str | None) -> None:
        return None

    def set(self, _name: str, _value: str) -> None:
        raise PySparkException(
            errorClass="SESSION_MUTATION_IN_DECLARATIVE_PIPELINE.SET_RUNTIME_CONF",
            messageParameters={"method": "'RuntimeConf.set'"},
        )


def test_it_is_said_where_to_call_and_what_belongs_to_the_spec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkSession, "getActiveSession", _Refusing)
    refusing: Any = _Refusing()
    with pytest.raises(UnsupportedError, match=r"^in a function of a declarative pipeline .* top level"):
        newest(refusing)
    with pytest.raises(UnsupportedError, match=r"^in a declarative .* `configuration` there: spark.*: org"):
        prepare_for_streams(refusing)
    with pytest.raises(ValueError, match="mine"), explaining_lost_java():
        raise ValueError("mine")  # Java has answered, if only that it may not
