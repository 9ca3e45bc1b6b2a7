"""antelog/spark/pipeline/metrics.py: metrics are the counts of a stream, in all and for each input."""

import socket
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from urllib.request import urlopen

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import antelog
from antelog.errors import UnsupportedError
from antelog.spark import outputs, serve_metrics
from antelog.spark.pipeline.metrics import StreamMetrics
from antelog.spark.settings import MALFORMED
from tests.processes import until
from tests.spark.streamed import result, run, stream_of

PROGRAM = antelog.parse("""
    tick 1 hour.
    input Temp(device: text, time) delay 1 hour.
    input Ack(device: text, time) delay 1 hour.
    Quiet(X, T) :- Temp(X, T), not Ack(X, T).
    query Quiet(X, T).
""")
LABELS = ("stream", "input", "source", "reason")
BEGIN = 490_000


def table(*ticks: int, wrong: bool = False) -> pa.Table:
    time = [BEGIN + tick for tick in ticks]
    why = ["it is broken" if wrong and not tick else None for tick in ticks]
    return pa.table(
        {"device": ["a"] * len(ticks), "time": pa.array(time), MALFORMED: pa.array(why, pa.string())}
    )


def test_they_are_the_counts_of_the_stream(spark: SparkSession, tmp_path: Path) -> None:
    parts = [
        {"Temp": table(0, 1, 2, 9, wrong=True), "Ack": table(1, 2)},
        {"Temp": table(8, 30), "Ack": table(0, 5)},
        {"Temp": table(31, 2), "Ack": table(3)},
    ]
    found = outputs(PROGRAM, stream_of(spark, tmp_path / "in", parts), buckets=2)
    listener = StreamMetrics()
    spark.streams.addListener(listener)
    try:
        query = run(found, tmp_path / "checkpoint")
        until(lambda: told(listener).get(("antelog_running", query.name)) == 0)
    finally:
        spark.streams.removeListener(listener)
    seen, counted = told(listener), [each.observedMetrics["antelog"] for each in query.recentProgress]
    last = counted[-1]
    rejects = Counter((row["input"], row["reason"]) for row in result(spark, found, query).rejects.collect())
    assert len(rejects) > 1
    per = {
        metric: {key[2:]: value for key, value in seen.items() if key[0] == metric and value}
        for metric in ("antelog_rejects_total", "antelog_held_rows")
    }
    assert per["antelog_rejects_total"] == rejects
    assert sum(per["antelog_held_rows"].values()) == last["held"] > per["antelog_held_rows"]["Ack",]
    same = {"tick": "now", "open_answers": "open", "kept_facts": "kept", "state_bytes": "state_bytes"}
    same |= {"held_back_ticks": "behind"}
    of_all = {key[0].removeprefix("antelog_"): value for key, value in seen.items()}
    assert {metric: of_all[metric] for metric in same} == {
        metric: last[name] for metric, name in same.items()
    }
    for metric, name in (("facts_total", "given"), ("changes_total", "changes")):
        assert of_all[metric] == sum(each[name] for each in counted)
    assert seen["antelog_held_back_seconds", query.name, "Ack"] == 3600 * last["behind"] > 0
    assert of_all["tick_age_seconds"] == pytest.approx(time.time() - 3600 * (last["now"] + 1), abs=600)


def told(listener: StreamMetrics) -> dict[tuple[str, ...], float]:
    """The samples by the metric, the stream, and the other labels."""
    samples = [each for family in listener.collect() for each in family.samples]
    return {
        (each.name, *(each.labels[name] for name in LABELS if name in each.labels)): each.value
        for each in samples
    }


def test_they_are_served_where_there_is_room() -> None:
    added: list[StreamMetrics] = []
    spark = cast(SparkSession, SimpleNamespace(streams=SimpleNamespace(addListener=added.append)))
    address = serve_metrics(spark, 0)
    with urlopen(address) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain")
    assert len(added) == 1
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UnsupportedError, match=f"no metrics can be served at 127.0.0.1:{port}: "):
            serve_metrics(spark, port)
    assert len(added) == 1
