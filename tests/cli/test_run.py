"""The command `antelog run` before Spark starts: options, mistakes, no Java, no PySpark."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from antelog.cli.arguments.setting_error import SettingError
from antelog.cli.run.endpoints import sink_of, source_of
from antelog.cli.run.report import Report, batch_line
from antelog.cli.show.set_aside import Places
from antelog.errors import UnsupportedError
from antelog.spark.endpoints.endpoints import Files, Jdbc, Kafka, Rate, Table
from antelog.spark.session.java import require_java
from tests.cli.trying import antelog

pytestmark = pytest.mark.usefixtures("here")
INPUT = ("--input", "Temp=temp.csv")
OUTPUT = ("--output", "console")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "the rules are missing"),
        (["p.alog", *OUTPUT], "no input has a source. Give it with --input"),
        (["p.alog", *INPUT], "there is no output. Give one with --output: console"),
        (["p.alog", "--input", "temp.csv"], "`temp.csv` is not of the form P=SOURCE. Write it like Temp="),
        (["p.alog", "--input", "Temp=temp.xlsx"], "form of its files. Write parquet:temp.xlsx"),
        (["p.alog", "--input", "Temp=kafka:x"], "lacks a server or a topic. Write kafka://host:9092/topic"),
        (["p.alog", "--input", "Temp=kafak://h/t"], "not a kind of source or output. Did you mean kafka?"),
        (["p.alog", "--input", "Temp=jdbc:postgresql://h/d?password=x"], "postgresql://h/d` lacks a table"),
        (["p.alog", "--input", "Temp=rate://many"], "is not a rate. Write rate://100?keys=10"),
        (["p.alog", "--input", "Temp=console"], "`console` is an output, not a source"),
        (["p.alog", *INPUT, "--output", "consol"], "Did you mean console?"),
        (["p.alog", *INPUT, "--output", "out/*.csv"], "is a pattern. Name the one folder"),
        (["p.alog", *INPUT, "--output", "rate://3"], "makes facts up, it is not an output"),
        (["p.alog", *INPUT, *INPUT, *OUTPUT], "Temp is given twice; it has one source"),
        (["p.alog", *INPUT, *OUTPUT, "--only", "confirmd"], "Did you mean confirmed?"),
        (["p.alog", *INPUT, *OUTPUT, "--clock", "wall"], "The clocks are arrival, event, processing."),
        (["p.alog", *INPUT, *OUTPUT, "--trigger", "often"], "`often` is not a duration"),
        (["p.alog", *INPUT, *OUTPUT, "--trigger", "10us"], "shorter than a millisecond"),
        (["p.alog", *INPUT, *OUTPUT, "--trigger", "10s"], "--trigger belongs to a stream"),
        (["p.alog", *INPUT, *OUTPUT, "--map", "device"], "`device` lacks a name or a value"),
        (["p.alog", *INPUT, *OUTPUT, "--map", "devise=x"], "has a column devise. Did you mean device?"),
        (["p.alog", *INPUT, *OUTPUT, "--map", "Tmp.device=x"], "has no input Tmp. Did you mean Temp?"),
        (["p.alog", *INPUT, *OUTPUT, "--conf", "spark"], "`spark` lacks a name or a value"),
        (["p.alog", *INPUT, *OUTPUT, "--master", "sc://h"], "is a Spark Connect server"),
        (["p.alog", "--input", "Tmp=temp.csv", *OUTPUT], "the program has no input Tmp. Did you mean Temp?"),
        (["p.alog", "--input", "Malf=temp.csv", *OUTPUT], "The rules derive it from others."),
        (["p.alog", *INPUT, "--output", "parquet:x", "--stream"], "a stream to x needs --checkpoint"),
        (["p.alog", "--input", "Temp=rate://3", *OUTPUT], "has no end, and the inputs are read once"),
        (["p.alog", *INPUT, "--output", "temp.csv"], "the output goes to where Temp comes from"),
        (["p.alog", *INPUT, *OUTPUT, "--rejects", "console"], "rejects cannot go to the console"),
        (["p.alog", *INPUT, *OUTPUT, "--stream", "--until", "3"], "--until ends a recording"),
        (["p.alog", *INPUT, *OUTPUT, "--stream", "--clock", "processing"], "Declare it in the program"),
        (["p.alog", "--input", "Temp=jdbc:x:y#t", *OUTPUT, "--stream"], "which a stream cannot follow"),
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


def test_endpoints() -> None:
    assert source_of("data/*.jsonl.gz") == Files("data/*.jsonl.gz", "json")
    assert source_of("s3a://bucket/x.parquet") == Files("s3a://bucket/x.parquet", "parquet")
    assert source_of("parquet:data") == Files("data", "parquet")
    Path("folder").mkdir()
    Path("folder", "a.csv").touch()
    assert source_of("folder") == Files("folder", "csv")
    assert source_of("rate://7") == Rate(7, 10)
    assert source_of("kafka://h/t") == Kafka("h:9092", "t")
    assert sink_of("jdbc:h2:mem#a.b") == Jdbc("jdbc:h2:mem", "a.b")
    assert sink_of("delta:out") == Table("delta", "out")
    with pytest.raises(SettingError, match=r"option formt\. Did you mean format\?"):
        source_of("kafka://h/t?formt=csv")


# ---- what the machine lacks ----


def fake_java(folder: Path, version: str) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    return folder


def test_java_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    require_java({"JAVA_HOME": str(fake_java(tmp_path / "new", "21.0.1"))})
    for environment, message in [
        ({"PATH": str(tmp_path)}, "there is no Java on this machine"),
        ({"JAVA_HOME": str(tmp_path / "gone")}, "there is no Java in it"),
        ({"JAVA_HOME": str(fake_java(tmp_path / "old", "1.8.0_4"))}, "is version 8, too old"),
    ]:
        with pytest.raises(UnsupportedError, match=message):
            require_java(environment)


def test_the_java_of_the_set_up_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    home = str(fake_java(tmp_path / "java", "17.0.1"))
    Path(tmp_path, "java-home").write_text(home + "\n", encoding="utf-8")
    environment = {"PATH": str(tmp_path)}
    require_java(environment)
    assert environment["JAVA_HOME"] == home
    with pytest.raises(UnsupportedError, match="there is no Java in it"):  # what is said goes first
        require_java({"JAVA_HOME": str(tmp_path / "gone")})


def test_without_java(tmp_path: Path) -> None:
    environment = {**os.environ, "JAVA_HOME": str(tmp_path / "gone")}
    code = "from antelog.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "run", "p.alog", *INPUT, *OUTPUT],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: JAVA_HOME is ")
    assert "Spark runs on Java 17 or later: install one" in done.stderr


def test_help_and_mistakes_need_no_pyspark() -> None:
    code = "import sys; sys.modules['pyspark'] = None\nfrom antelog.cli.main import main; main()"
    command = [sys.executable, "-c", code, "run"]
    for arguments, status, message in [
        (["--help"], 0, ""),
        (["p.alog"], 2, "no input has a source"),
        (["p.alog", *INPUT, *OUTPUT], 1, "pip install 'antelog[spark]'"),
    ]:
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr
        assert message in done.stderr


def test_a_batch_in_words() -> None:
    from antelog.spark.pipeline.following import Progress  # noqa: PLC0415 - needs PySpark

    counts: dict[str, int | None] = {"given": 12_000, "admitted": 11_000, "unneeded": 995, "late": 3}
    counts |= {"early": 0, "changes": 1, "open": 0, "held": 2, "kept": 40, "state_bytes": 12_345, "now": 7}
    assert batch_line(Progress(3, 2.0, {"files": 2}, counts)) == (
        "batch 3: 12,000 facts (11,000 used, 995 not needed, 3 late) in 2.0 s (6,000/s), 1 change, 0 open, "
        "2 held, state 40 facts in 12 kB, tick 7, 2 files waiting"
    )
    assert batch_line(Progress(4, 0.5, {}, {})) == "batch 4: 0 facts in 0.5 s, 0 changes"
    # Where only confirmed answers are asked for, nobody knows how many are open.
    counts = {"given": 2, "admitted": 2, "changes": 1, "open": None, "held": 0}
    assert batch_line(Progress(5, 0.5, {}, counts)) == "batch 5: 2 facts in 0.5 s (4.0/s), 1 change"


def test_the_summary_accounts_for_every_fact(capsys: pytest.CaptureFixture[str]) -> None:
    from antelog.spark.pipeline.following import Progress  # noqa: PLC0415 - needs PySpark

    report = Report()
    batches: list[dict[str, int | None]] = [
        {"given": 5, "admitted": 2, "repeated": 1, "changes": 3, "open": 2, "held": 2},
        {"given": 4, "admitted": 3, "unneeded": 1, "late": 1, "changes": 2, "open": 4, "held": 1},
        {"given": 0, "changes": 0, "open": None, "held": None},
    ]
    for counts in batches:
        report.batch(Progress(0, 1.0, {}, {}))
        report.count(counts)
    capsys.readouterr()
    report.summarize(stream=True, rejects=None, tick=None)
    (done, warning, *_) = capsys.readouterr().err.splitlines()
    assert done.startswith(
        "done: 3 batches, 9 facts (5 used, 1 repeated, 1 not needed, 1 late), 5 changes, 4 open, 1 held in "
    )
    assert warning == "warning: 1 row was set aside (1 late)"
    late = {"input": "Temp", "values": '["a", 6]', "time": 474771, "reason": "late", "row": None}
    report.add([late | {"detail": "at tick 474777"}], Places({"Temp": "in"}, 3_600_000_000))
    report.summarize(stream=True, rejects=None, tick=3_600_000_000)
    (*_, said) = capsys.readouterr().err.splitlines()
    assert said == "  in: Temp(a, 6, 2024-02-29 03:00): at tick 474777 (2024-02-29 09:00)"
    resumed = Report()
    resumed.count({"given": 4, "admitted": 3, "unneeded": 1, "late": 1, "changes": 2, "open": 2, "held": 0})
    resumed.summarize(stream=True, rejects=None, tick=None)
    (done, *_) = capsys.readouterr().err.splitlines()
    assert done.startswith("done: 0 batches, 4 facts and 1 held before (3 used, 1 not needed, 1 late), 2 ch")
    once = Report()
    once.count({"given": 3, "admitted": 1, "after_until": 2, "changes": 2, "open": 2, "held": 0})
    once.summarize(stream=False, rejects=None, tick=None)
    (done, *_) = capsys.readouterr().err.splitlines()
    assert done.startswith("done: 3 facts (1 used, 2 after --until), 2 changes, 2 open in ")
