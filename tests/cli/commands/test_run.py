"""antelog/cli/commands/run.py: before Spark starts, with options, mistakes, no Java, no PySpark."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from antelog.lazily import brought_by
from tests.cli.trying import antelog, command

pytestmark = pytest.mark.usefixtures("here")
INPUT = ("--input", "Temp=temp.csv")
OUTPUT = ("--output", "console")
ANSWERS = ("--output-mode", "answers")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the rules are missing"),
        (["p.alog", *OUTPUT], "no input has a source. Give it with --input"),
        (["p.alog", *INPUT], "there is no output. Give one with --output: console"),
        (["p.alog", *INPUT, *OUTPUT, "--trigger", "10s"], "--trigger belongs to a stream"),
        (["p.alog", *INPUT, *OUTPUT, "--stream", "--metrics", "x:y"], "`x:y` is not a port"),
        (["p.alog", *INPUT, "--output", "parquet:x", "--stream"], "a stream to x needs --checkpoint"),
        (["p.alog", "--input", "Temp=rate://3", *OUTPUT], "has no end, and the inputs are read once"),
        (["p.alog", *INPUT, "--output", "temp.csv"], "where Temp comes from, which it would overwrite"),
        (["p.alog", *INPUT, *OUTPUT, "--rejects", "console"], "rejects cannot go to the console"),
        (["p.alog", *INPUT, *OUTPUT, "--stream", "--until", "3"], "--until ends a recording"),
        (["p.alog", *INPUT, *OUTPUT, "--min-chance", "0.1"], "the program declares no chances"),
        (["p.alog", "--input", "Temp=jdbc:x:y#t", *OUTPUT, "--stream"], "which a stream cannot follow"),
        (["p.alog", *INPUT, *OUTPUT, *ANSWERS], "console cannot have a row for each answer"),
        (["p.alog", *INPUT, "--output", "csv:x", *ANSWERS, "--stream", "--checkpoint", "s"], "x cannot have"),
        (["p.alog", "--input", "Temp=jdbc:postgresql://h/d?password=x"], "postgresql://h/d` lacks a table"),
        (["p.alog", *INPUT, *OUTPUT, "--master", "sc://h"], "is a Spark Connect server"),
        (["p.alog", *INPUT, *OUTPUT, "--stream", "--clock", "processing"], "Declare it in the program"),
        (["p.alog", *INPUT, "--output", "kafka://h/t", *ANSWERS], "that is compacted keeps the newest"),
        (["p.alog", *INPUT, "--output", "csv:x", *ANSWERS, "--only", "possible"], "without revised in"),
    ],
)  # fmt: skip
def test_usage_errors(arguments: list[str], message: str) -> None:
    found = antelog("run", *arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert message in " ".join(found.stderr.split())


def test_options_overrule_the_file() -> None:
    text = 'program = "p.alog"\ninput.Temp = "temp.csv"\noutput = "console"\n'
    text += 'clock = "processing"\nstream = true\n'
    Path("p.toml").write_text(text, encoding="utf-8")
    found = antelog("run", "--config", "p.toml")
    assert found.exit_code == 1
    assert "p.toml:4:1: error E706 (not-in-program)" in found.stderr
    found = antelog("run", "--config", "p.toml", "--clock", "event", "--trigger", "once", "--idle", "3s")
    assert found.exit_code == 2
    assert "--idle waits for data, and the trigger `once` ends with them" in " ".join(found.stderr.split())


def test_wrong_programs_are_told_before_spark_starts() -> None:
    Path("p.alog").write_text("query Malf(X, T).\n", encoding="utf-8")
    found = antelog("run", "p.alog", *INPUT, *OUTPUT)
    assert found.exit_code == 1
    assert "p.alog:1:7: error E203" in found.stderr


def test_without_java(tmp_path: Path) -> None:
    environment = {**os.environ, "JAVA_HOME": str(tmp_path / "gone")}
    done = subprocess.run(
        command("run", "p.alog", *INPUT, *OUTPUT),
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: JAVA_HOME is ")
    assert "Spark runs on Java 17 or later: install one" in done.stderr


def test_help_and_mistakes_need_no_pyspark() -> None:
    code = "import sys; sys.modules['pyspark'] = None\nfrom antelog.cli.main import main; main()"
    start = [sys.executable, "-c", code, "run"]
    for arguments, status, message in [
        (["--help"], 0, ""),
        (["p.alog"], 2, "no input has a source"),
        (["p.alog", *INPUT, *OUTPUT], 1, brought_by("spark")),
    ]:
        done = subprocess.run([*start, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr
        assert message in done.stderr
