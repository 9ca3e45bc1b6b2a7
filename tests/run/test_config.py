"""antelog/run/{checks,config}.py: each mistake has its place and what to do."""

from dataclasses import replace
from pathlib import Path

import pytest

from antelog.cli.arguments.ready import RUN, settings_with
from antelog.diagnostics import Source, Span, to_text
from antelog.files.naming import Form
from antelog.run.address import Console, Files, Jdbc, Table
from antelog.run.config import parse_config, places
from antelog.run.settings import Settings
from antelog.run.sources.kafka import Kafka
from tests.cli.trying import diagnostics
from tests.tables import cases

RIGHT = """\
program = "p.alog"
output = "console"
input.Temp = "readings.csv"
"""

pytestmark = pytest.mark.usefixtures("here")


def settings_of(source: Source, folder: Path) -> Settings:
    return settings_with(parse_config(source, Settings, replace(RUN, folder=folder)), Settings())


def reported(text: str) -> str:
    return to_text(diagnostics(text), Source(text, "p.toml"))


@cases(__file__, "mistakes")
def test_mistakes(text: str, place: tuple[int, int], message: str, hint: str) -> None:
    said = reported(RIGHT + text + "\n")
    assert f"p.toml:{place[0]}:{place[1]}: error" in said, said
    assert message in said
    assert hint in said


def test_all_mistakes_are_told_at_once() -> None:
    text = RIGHT + "stream = 3\ntriger = '1s'\nbuckets = 0\n[input.Wind]\nsorce = 'x'\n"
    assert [d.code for d in diagnostics(text)] == ["E703", "E702", "E703", "E705", "E702"]


def test_nothing_at_all() -> None:
    assert [d.code for d in diagnostics("")] == ["E705"] * 3


def test_a_stream_needs_a_checkpoint_unless_it_goes_to_the_console() -> None:
    stream = RIGHT + "stream = true\n"
    assert diagnostics(stream) == ()
    (found,) = diagnostics(stream.replace('"console"', '"parquet:x"'))
    assert (found.code, found.message) == ("E705", "a stream to x needs `checkpoint`")


def test_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "s3cret")
    text = Path(__file__).with_name("everything.toml").read_text(encoding="utf-8")
    found = settings_of(Source(text), Path("conf"))
    assert found.program == Path("conf/../rules.alog")
    assert (found.stream, found.checkpoint, found.trigger) == (True, "conf/state", "90000 milliseconds")
    assert (found.clock, found.arrival, found.only) == ("arrival", "came", ("confirmed", "possible"))
    assert (found.buckets, found.chunk, found.lag, found.master) == (16, 5, 2, "local[2]")
    assert (found.min_chance, found.most, found.time_units) == (0.0, 100, {"": "s", "Temp": "ms"})
    jdbc = Jdbc("jdbc:postgresql://db/x", "changes", (("password", "s3cret"),))
    assert found.outputs == (Console(), Files("conf/out", Form.PARQUET), jdbc)
    assert "s3cret" not in str(jdbc)
    assert found.rejects == Table("delta", "s3a://bucket/aside")
    assert found.map == {"device": "sensor", "Temp.time": "@timestamp"}
    assert found.statics == {
        "Site": Files("/data/sites", Form.CSV),
        "Line": Table("delta", "conf/tables/lines"),
    }
    options = (("kafka.security.protocol", "SSL"),)
    assert found.inputs == {"Temp": Kafka("a:9092,b:9093", "temp", "csv", "latest", options)}
    assert found.conf == {"spark.sql.shuffle.partitions": "4", "spark.ui.enabled": "true"}


def test_places_of_names() -> None:
    text = 'a = """\nb = 1\n"""\n[t]\n"c d" = { e = [\n 1 ] }\nf.g = 2 # e\n'
    found = {path: text[span.start : span.end] for path, span in places(text).items()}
    assert found == {
        ("a",): "a", ("t",): "t", ("t", "c d"): "c d", ("t", "c d", "e"): "e", ("t", "f"): "f",
        ("t", "f", "g"): "g",
    }  # fmt: skip
    assert places("x = 1\ny = 2\n")[("y",)] == Span(6, 7)


def test_a_model_is_a_file_beside_the_pipeline_or_learned_on_the_way() -> None:
    for text, model in (("malf.model", Path("plant/malf.model")), ("learn", "learn")):
        found = settings_of(Source(f'model = "{text}"', "pipeline.toml"), Path("plant"))
        assert found.model == model
