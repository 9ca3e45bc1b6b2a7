"""antelog/cli/commands/run.py, antelog/cli/run/{columns,console}.py: real processes on Spark."""

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pyarrow.dataset as ds
import pytest

from antelog.engine.step.schema import AFTER_ANSWER
from tests.cli.trying import said_until_the_first_batch, spark_command, try_
from tests.processes import Process, Start, until
from tests.servers import UnavailableError, for_spark, kafka

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]

READINGS = """\
device,level,time,arrival
wt2,high,0,0
wt2,high,1,2
wt4,high,1,1
wt5,high,soon,1
wt6,high,1,9
wt7,high
"""
MORE = """\
device,level,time,arrival
wt8,high,10,10
wt8,high,11,11
wt2,low,20,20
"""


def _long(*values: object) -> Any:
    return pytest.param(*values, marks=pytest.mark.long)


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(spark_command(*arguments), capture_output=True, text=True, check=False, timeout=900)


def tried(*arguments: object) -> Counter[str]:
    lines = [json.loads(line) for line in try_(*arguments).stdout.splitlines()]
    return Counter(canonical(**line) for line in lines)


def written(folder: str, form: str = "parquet") -> Counter[str]:
    files = [str(each) for each in Path(folder).glob(f"**/*.{form}")]
    rows = ds.dataset(files, format=form).to_table().to_pylist() if files else []
    return Counter(canonical(**{**row, "answer": json.loads(row["answer"])}) for row in rows)


def canonical(**row: Any) -> str:
    """A change as one text; what is null may as well not be there."""
    names = ("query", "tick", "change", "answer", *AFTER_ANSWER)
    return json.dumps({name: row[name] for name in names if row.get(name) is not None}, sort_keys=True)


def test_reading_once() -> None:
    Path("temp.csv").write_text(READINGS, encoding="utf-8")
    sensors = [line.split(",") for line in READINGS.splitlines()[1:]]
    names = ("sensor", "level", "time", "arrival")
    lines = [json.dumps(dict(zip(names, row, strict=False))) for row in sensors] + ["{nonsense"]
    Path("temp.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run(
        "p.alog", "--input", "Temp=temp.jsonl", "--map", "device=sensor",
        "--output", "parquet:out", "--output", "console", "--rejects", "json:aside",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert written("out") == tried("--input", "Temp=temp.csv") != Counter()
    assert "  confirmed  Malf  X = wt2, T = 0" in done.stdout
    assert "warning: 4 rows were set aside (3 malformed, 1 late)" in done.stderr
    aside = "".join(file.read_text(encoding="utf-8") for file in Path("aside").glob("*.json"))
    details = {row["detail"] for row in map(json.loads, aside.splitlines())}
    assert "the time `soon` is not a whole number" in details
    assert "is not JSON: JSON is malformed: object keys must be strings (byte 1)" in details
    again = run("p.alog", "--input", "Temp=temp.csv", "--output", "parquet:out")
    assert again.returncode == 1
    assert again.stderr.startswith("error: out: there are files in it already")


def test_a_stream_that_is_resumed() -> None:
    folder = Path("in")
    folder.mkdir()
    arguments = (
        *("p.alog", "--input", "Temp=in", "--output", "parquet:out", "--rejects", "csv:aside", "--stream"),
        *("--checkpoint", "state", "--trigger", "available-now"),
    )
    (folder / "a.csv").write_text(READINGS, encoding="utf-8")
    first = run(*arguments)
    assert first.returncode == 0, first.stderr
    assert "batch 0: " in first.stderr
    before = written("out")
    (folder / "b.csv").write_text(MORE, encoding="utf-8")
    refused = run(*arguments, "--buckets", 4)
    assert refused.returncode == 1
    assert "the checkpoint state was written for 2 buckets, not 4" in refused.stderr
    program = Path("p.alog").read_text(encoding="utf-8")
    Path("p.alog").write_text(program.replace("high", "low"), encoding="utf-8")
    refused = run(*arguments)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "another program" in refused.stderr
    assert written("out") == before
    Path("p.alog").write_text(program, encoding="utf-8")
    second = run(*arguments)
    assert second.returncode == 0, second.stderr
    Path("temp.csv").write_text(READINGS + MORE.partition("\n")[2], encoding="utf-8")
    # The stream waits for the last tick to be over.
    assert written("out") == tried("--input", "Temp=temp.csv", "--until", 19) != before
    rows = [
        line for file in Path("aside").glob("*/*.csv") for line in file.read_text("utf-8").splitlines()[1:]
    ]
    assert len(rows) == 3
    Path("state").rename("lost")
    refused = run(*arguments)
    assert refused.returncode == 1
    assert "nothing says that they are of this run" in refused.stderr


def test_a_batch_without_a_row_of_use_fails_and_says_why() -> None:
    late = {"ids": {"device": "wt2"}, "up": {"level": "high"}, "time": 0, "came": {"at": 9}}
    rows = [late, late | {"time": 1}, {"up": {}, "time": 0, "came": {"at": 0}}]
    Path("up.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    maps = ["--map", "device=ids.device", "--map", "Temp.level=up.level", "--map", "arrival=came.at"]
    done = run("p.alog", "--input", "Temp=up.jsonl", *maps, "--output", "console")
    assert (done.returncode, done.stdout) == (1, "")
    assert "done: 3 facts (2 late, 1 malformed)" in done.stderr
    assert "error: up.jsonl: none of its 3 rows can be used: mostly (2): arrived at tick 9, " in done.stderr
    assert "lacks ids.device" in done.stderr


def test_files_have_columns_in_any_order_and_damaged_ones_stop_no_stream() -> None:
    folder = Path("in")
    folder.mkdir()
    arguments = (
        *("p.alog", "--input", "Temp=csv:in", "--output", "parquet:out", "--rejects", "json:aside"),
        *("--stream", "--checkpoint", "state", "--trigger", "available-now"),
    )
    damaged = folder / "0.csv.gz"
    damaged.write_bytes(b"this is not packed" * 1000)
    odd = 'time,note,device,level,arrival\n8,x,wt9,high,8\n9,x,"wt9\nwt2,high,3,3",high,9\n'
    (folder / "a.csv").write_text(odd, encoding="utf-8")
    first = run(*arguments)
    assert first.returncode == 0, first.stderr
    assert f"{damaged.absolute()}: cannot be read: " in first.stderr
    assert "batch 0: 2 facts" in first.stderr
    (folder / "b.csv").write_text(MORE, encoding="utf-8")
    second = run(*arguments)
    assert second.returncode == 0, second.stderr
    assert damaged.name not in second.stderr
    others = 'wt9,high,8,8\n"wt9\nwt2,high,3,3",high,9,9\n'
    Path("temp.csv").write_text(MORE + others, encoding="utf-8")
    # The stream waits for the last tick to be over.
    assert written("out") == tried("--input", "Temp=temp.csv", "--until", 19) != Counter()
    lines = (line for file in Path("aside").glob("*/*.json") for line in file.read_text("utf-8").splitlines())
    assert [(row["input"], row["reason"], row["row"]) for row in map(json.loads, lines)] == [
        ("Temp", "malformed", str(damaged.absolute()))
    ]


@pytest.mark.parametrize("how", ["SIGTERM", _long("Ctrl-C")])
def test_a_stream_that_is_asked_to_stop(how: str, start: Start) -> None:
    Path("in").mkdir()
    Path("in", "a.csv").write_text(READINGS, encoding="utf-8")
    process = start(
        spark_command("p.alog", "--input", "Temp=in", "--stream", "--output", "console", "--only=confirmed"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    said = said_until_the_first_batch(process)
    if how == "SIGTERM":
        process.send_signal(signal.SIGTERM)
    else:  # a terminal tells all that it started
        os.killpg(process.pid, signal.SIGINT)
    out, rest = process.communicate(timeout=120)
    assert process.returncode == 0, "".join(said) + rest
    assert "confirmed  Malf  X = wt2, T = 0" in out
    assert "stopping after this batch" in rest
    assert "done: 1 batch, 6 facts (3 used, 2 malformed), 1 change, 1 held in " in rest


def test_a_pipeline_that_is_told_to_end_with_all_its_processes(start: Start) -> None:
    Path("in").mkdir()
    Path("in", "a.csv").write_text(READINGS, encoding="utf-8")
    process = start(
        [sys.executable, "-m", "antelog", "run", "p.alog", "--input", "Temp=in", "--output", "console"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    java = child_of(process, "SparkSubmit")
    assert process.stdout is not None
    assert process.stdout.readline().startswith("tick 0")
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    _, said = process.communicate(timeout=120)
    assert process.returncode in (0, 143)
    # Spark may have said that one of its tasks was broken off.
    assert process.returncode == 0 or said.endswith("Stopped.\n")
    assert "Traceback" not in said
    java.wait(60)  # it ends when its Python has


def child_of(process: Process, word: str) -> psutil.Process:
    def child() -> psutil.Process | None:
        for each in psutil.Process(process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if word in " ".join(each.cmdline()):
                    return each
        return None

    return until(child, process)


@pytest.mark.parametrize("how", [_long("starting"), "stream"])
def test_java_that_is_killed(how: str, start: Start) -> None:
    """One sentence; and no traceback of ours, of PySpark's threads, of Python workers."""
    Path("in").mkdir()
    Path("in", "a.csv").write_text(READINGS, encoding="utf-8")
    arguments = ["p.alog", "--input", "Temp=in", "--output", "console"]
    if how == "stream":
        arguments += ["--stream", "--checkpoint", "state"]
    process = start(spark_command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    java = child_of(process, "SparkSubmit")
    if how == "stream":
        said_until_the_first_batch(process)
        again = run(*arguments)
        assert (again.returncode, again.stdout) == (1, "")
        assert f"error: the checkpoint state is in use by process {process.pid} on " in again.stderr
        assert again.stderr.count("\n") == 1
    java.kill()
    _, rest = process.communicate(timeout=120)
    assert process.returncode == 1
    if how == "starting":
        assert re.fullmatch(r"error: (Spark does not start: Java ended|Java, in which).*\n", rest)
    else:
        assert re.fullmatch("error: Java, in which Spark runs, is gone: .* Start it again.*\n", rest), rest


@pytest.mark.parametrize("debug", [_long([]), ["--debug"]])
def test_a_source_that_is_not_there(debug: list[str]) -> None:
    done = run("p.alog", "--input", "Temp=json:gone/*.x", "--output", "console", *debug)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    first, _, rest = done.stderr.partition("\n")
    assert first.startswith("error: ")
    assert "gone/*.x: there is no such file or folder" in first
    assert ("\tat org.apache.spark" in rest) is bool(debug)
    assert debug or "Traceback" not in rest


def test_a_console_that_cannot_be_written() -> None:
    Path("in").mkdir()
    Path("in", "a.csv").write_text(READINGS, encoding="utf-8")
    more = ("--stream", "--trigger", "available-now")
    call = spark_command("p.alog", "--input", "Temp=in", "--output", "console", *more)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("error: <stdout>: cannot be written: No space left on device\n")
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_every_message_is_accounted_for() -> None:
    facts = [("wt2", 0, 0), ("wt2", 1, 2), ("wt4", 1, 1), ("wt4", 0, 5), ("wt4", 3, 9)]
    rows = [{"device": d, "level": "high", "time": time, "arrival": at} for d, time, at in facts]
    messages = [f"{row['device']}\t{json.dumps(row)}" for row in rows]
    try:
        jars = ",".join(map(str, for_spark("kafka")))
        with kafka() as broker:
            broker.create("temp", 2)
            broker.send("temp", [*messages, messages[0], "wt2\t", "wt2\t   ", "wt2\tnonsense"])
            done = run(
                *("p.alog", "--input", f"Temp=kafka://{broker.servers}/temp", "--output", "console"),
                *("--arrival", "arrival", "--clock", "arrival", "--until", "6"),
                *("--conf", f"spark.jars={jars}"),
            )
    except UnavailableError as error:
        pytest.skip(str(error))
    assert done.returncode == 0, done.stderr
    assert "done: 9 facts (3 used, 1 repeated, 1 late, 3 malformed, 1 after --until)," in done.stderr
    assert done.stderr.count("the message is empty") == 2
    assert "confirmed  Malf  X = wt2, T = 0" in done.stdout
