"""antelog/run/{address,values}.py: addresses and other settings as texts, variables and secrets in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from antelog.cli.arguments.ready import WRITTEN
from antelog.files.naming import Form
from antelog.run.address import Console, Files, Jdbc, Posted, Rate, Standard, Table, address_of, apart
from antelog.run.sources.kafka import Kafka
from antelog.run.sources.opening import FOLLOWED
from antelog.run.values import SettingError, duration, filled, length_of, token, trigger
from antelog.spark.endpoints.endpoints import SINKS, SOURCES
from tests.tables import cases

_OPTIONS = (("endpoint", "http://h"), ("order", "time"))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("-", Standard()),
        ("http:", Posted()),
        ("console", Console()),
        ("a.csv", Files("a.csv", Form.CSV)),
        ("data/*.jsonl.gz", Files("data/*.jsonl.gz", Form.JSON)),
        ("s3a://bucket/x.parquet", Files("s3a://bucket/x.parquet", Form.PARQUET)),
        ("s3://b/a/?endpoint=http://h&order=time", Files("s3://b/a", options=_OPTIONS)),
        ("parquet:data", Files("data", Form.PARQUET)),
        ("rate://7", Rate(7, 10)),
        ("jdbc:h2:mem#a.b", Jdbc("jdbc:h2:mem", "a.b")),
        ("delta:out", Table("delta", "out")),
        ("kafka://host/temp", Kafka("host:9092", "temp")),
        (
            "kafka://a:1,b/temp?format=csv&from=latest&security.protocol=SSL&config=secret.txt",
            Kafka("a:1,b:9092", "temp", "csv", "latest", (("security.protocol", "SSL"),), Path("secret.txt")),
        ),
    ],
)
def test_a_text_is_an_address(text: str, address: object) -> None:
    assert address_of(text) == address


def test_a_folder_is_known_and_has_the_form_of_its_files() -> None:
    Path("folder").mkdir()
    for text in ("folder", "folder/", "later/"):
        found = address_of(text)
        assert isinstance(found, Files)
        assert (found.path, found.form, found.folder) == (text.rstrip("/"), None, True)
    Path("folder", "a.csv").touch()
    assert address_of("folder") == Files("folder", Form.CSV)
    Path("folder", "b.parquet").touch()
    assert address_of("folder") == FOLLOWED.read("folder") == Files("folder")
    with pytest.raises(SettingError, match="does not say the form of its files"):
        SOURCES.read("folder")


@pytest.mark.parametrize(
    ("text", "grows"),
    [
        ("a.csv", True),
        ("a.jsonl", True),
        ("a.csv.gz", False),
        ("a.parquet", False),
        ("csv:a/", False),
        ("s3://b/a.csv", False),
    ],
)
def test_files_that_grow(text: str, grows: bool) -> None:
    found = address_of(text)
    assert isinstance(found, Files)
    assert found.grows is grows


def test_paths_are_relative_to_a_folder() -> None:
    there = Path("plant")
    assert address_of("a.csv", there) == Files("plant/a.csv", Form.CSV)
    assert address_of("csv:/data/a", there) == Files("/data/a", Form.CSV)
    assert address_of("delta:tables/a", there) == Table("delta", "plant/tables/a")
    assert address_of("delta:s3a://b/a", there) == Table("delta", "s3a://b/a")
    assert address_of("iceberg:prod.temp", there) == Table("iceberg", "prod.temp")
    assert address_of("kafka://h/t?config=c", there) == Kafka("h:9092", "t", config=Path("plant/c"))


@cases(__file__, "texts_that_are_none")
def test_texts_that_are_none(text: str, reason: str) -> None:
    with pytest.raises(SettingError) as error:
        address_of(text)
    assert reason in str(error.value)


def test_a_runner_says_which_addresses_it_has_a_use_for() -> None:
    with pytest.raises(SettingError) as error:
        FOLLOWED.read("jdbc:h2:mem#a")
    assert str(error.value) == (
        "`jdbc:h2:mem#a` is a table of a database, which `antelog watch` does not read. "
        "Read it once on Spark, with `antelog run`, or send its changes through Kafka."
    )
    for read, text, reason in [
        (SOURCES.read, "console", "is standard output, which `antelog run` does not read. Give a path"),
        (SOURCES.read, "-", "is standard input, which `antelog run` does not read. Follow it with"),
        (SOURCES.read, "kafka://h/t?config=c", "`antelog run` reads no config=c. Write options into"),
        (SINKS.read, "rate://7", "is made-up facts, which `antelog run` does not write. Give console"),
        (SINKS.read, "out/*.csv", "`out/*.csv` is a pattern. Name the one file or folder"),
        (SINKS.read, "out.csv.gz", "ends in .gz, and outputs are not packed"),
        (FOLLOWED.read, "hdfs://head/a.csv", "`antelog watch` does not read hdfs://. Read it on Spark"),
        (WRITTEN.read, "s3://b/a.jsonl", "and `antelog watch` writes no files elsewhere"),
        (SOURCES.read, "s3://b/a.csv?order=time", "has options, which `antelog run` leaves to Spark"),
        (SOURCES.read, "s3://b/a/", "does not say the form of its files"),
    ]:
        with pytest.raises(SettingError) as error:
            read(text)
        assert reason in str(error.value)


def test_variables_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORE_KEY", "a$b")
    assert filled("x-${STORE_KEY}-$STORE_KEY") == "x-a$b-$STORE_KEY"
    with pytest.raises(SettingError, match=r"no variable STORE_KEZ. Did you mean STORE_KEY\?"):
        filled("${STORE_KEZ}")


def test_variables_are_filled_in_last() -> None:
    """A password that looks like part of an address is none."""
    found = apart("jdbc:h2://h/d?password=$P", lambda text: text.replace("$P", "x&user=y"))
    assert found == ("jdbc:h2://h/d", (("password", "x&user=y"),))


# ---- values of settings ----


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("30 seconds", 30_000_000),
        ("10s", 10_000_000),
        (" 1.5 hours ", 5_400_000_000),
        ("10", None),
        ("soon", None),
    ],
)
def test_lengths(text: str, microseconds: int | None) -> None:
    assert length_of(text) == microseconds


def test_durations_are_of_a_millisecond_or_more() -> None:
    assert (trigger("10s"), trigger("once"), duration("1.5 hours")) == (
        "10000 milliseconds", "once", 5_400_000_000,
    )  # fmt: skip
    for text, message in [("often", "is not a duration"), ("10us", "shorter than a millisecond")]:
        with pytest.raises(SettingError, match=message):
            duration(text)
    with pytest.raises(SettingError, match=r"Did you mean once\?"):
        trigger("onze")


@cases(__file__, "texts_that_are_no_tokens")
def test_texts_that_are_no_tokens(
    given: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("short").write_text("secret")
    with pytest.raises(SettingError, match=said.replace("$", r"\$")):
        token(given)
