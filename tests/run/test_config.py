"""antelog/run/{checks,config}.py: each mistake has its place and what to do."""

from dataclasses import replace
from pathlib import Path

import pytest

from antelog.cli.arguments.ready import RUN, settings_with
from antelog.diagnostics import Source, Span, to_text
from antelog.files.naming import Form
from antelog.run.address import Console, Files, Jdbc, Kafka, Table
from antelog.run.config import parse_config, places
from antelog.run.settings import Settings
from tests.cli.trying import diagnostics

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


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        ("trigge = '10s'", (4, 1), "E702 (unknown-setting): a pipeline has no setting `trigge`", "trigger?"),
        ("trigger = 'soon'", (4, 11), "E703 (bad-setting): `trigger`: `soon` is not a duration", "like 10s"),
        ("trigger = 'onse'", (4, 11), "E703", "Did you mean once?"),
        ("stream = 'yes'", (4, 10), "the value is not true or false", "without quotes"),
        ("buckets = 0", (4, 11), "0 is too little", "1 is the least"),
        ("buckets = true", (4, 11), "the value is not a whole number", "without quotes"),
        ("clock = 'evnt'", (4, 9), "there is no clock `evnt`", "Did you mean event?"),
        ("only = ['possible', 'conf']", (4, 8), "no changes of the kind `conf`", "The kinds are possible"),
        ("rejects = 3", (4, 11), "the value is not a text", "double quotes"),
        ("rejects = 'console'", (4, 1), "E704", "give a folder"),
        ("master = 'sc://host'", (4, 10), "Spark Connect", "local[*]"),
        ("checkpoint = 's'", (4, 1), "E704 (contradicting-settings): `checkpoint` belongs", "Set `stream`"),
        ("trigger = 'once'\nstream = true\nidle = '3s'", (6, 1), "`idle` waits for data", "Leave out `idle`"),
        ("clock = 'processing'\nstream = true", (4, 1), "E706", "Declare it in the program"),
        ("arrival = 'a'\nclock = 'event'", (4, 1), "does not read", "set `clock` to arrival"),
        ("static.Site = 'rate://3'", (4, 8), "background facts are read once", "Give a file"),
        ("input.Tmp = 'a.csv'", (4, 7), "E706 (not-in-program): the program has no input Tmp", "mean Temp?"),
        ("static.Temp = 'a.csv'", (4, 8), "no static predicate Temp", "It is an input"),
        ("[map]\ndevce = 'x'", (4, 2), "no input of the program has a column devce", "Did you mean device?"),
        ("[input.Wind]\nmap = {}", (4, 8), "E705 (missing-setting): `input.Wind` has no", "source = "),
        ("[conf]\nspark.x = [1]", (5, 11), "the value is not a text", "double quotes"),
        ("output = 'x.csv'", (4, 16), "E701 (pipeline-syntax): a setting is there twice", "one of the two"),
        ("output: x", (4, 7), "E701 (pipeline-syntax): this is not TOML", "Write `name = value`"),
        ("time_unit = 'millis'", (4, 13), "E703 (bad-setting): `time_unit`: `millis` is", "Write ms."),
        ("time_unit = 'ms'", (4, 1), "E706 (not-in-program)", "Declare it in the program: `tick 1 minute.`"),
        ("idle = 1979-05-27", (4, 8), "the value is not a text", "double quotes"),
        ("min_chance = 5", (4, 14), "`min_chance`: 5.0 is not a chance", "Write one from 0 to 1, like 0.01."),
        ("min_chance = nan", (4, 14), "`min_chance`: nan is not a chance", "Write one from 0 to 1"),
        ("min_chance = '5%'", (4, 14), "the value is not a number", "Write a number, without quotes."),
        ("min_chance = true", (4, 14), "the value is not a number", "Write a number, without quotes."),
        ("most = 0", (4, 8), "`most`: 0 is too little", "1 is the least."),
        ("arrival = '${NOT_SET_ANYWHERE}'", (4, 11), "no variable NOT_SET_ANYWHERE", "Set it before"),
    ],
)  # fmt: skip
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
