"""A topic as a sink.

A message's key names the answer, so that its changes keep their order and the last one has its
state; its value is the change, one line of JSON as `antelog try` prints it. Spark's own sink writes
the messages at least once. The headers `antelog_run` and `antelog_batch` make that once after a
restart: messages of the interrupted batch that the topic has are left out.

One case remains: if a task fails within a batch and Spark retries it, its messages come twice. To rule that
out, drop messages with a key and tick that were there before.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from antelog.engine.step.schema import AFTER_ANSWER
from antelog.engine.step.wording import LABEL
from antelog.language.moments import DEFAULT_ZONE, TIME, timed
from antelog.run.address import Kafka
from antelog.spark.endpoints.endpoints import BATCH, RUN

_WHOLE, _EXACT = "yyyy-MM-dd'T'HH:mm:ssxxx", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSxxx"
"""Forms of times: of whole seconds, and of others."""

_DIGITS = 6
"""The digits that chances are rounded to."""

_SLACK = 10 * 60 * 1000
"""Milliseconds by which the clocks of Spark's machines may differ."""


def write_messages(
    frame: DataFrame, sink: Kafka, run: str, batch: int | None, begun: int | None, *, zone: str
) -> None:
    """Sends the rows of a batch. If it was `begun` before, at that time, those already sent are left out."""
    messages = frame.select(*(messages_of(frame, zone) if "change" in frame.columns else _of_reject(frame)))
    headers = [_header(RUN, run), *([] if batch is None else [_header(BATCH, str(batch))])]
    messages = messages.withColumn("headers", f.array(*headers))
    options = {"kafka.bootstrap.servers": sink.servers, **dict(sink.options)}
    if batch is not None and begun is not None:
        messages = _unsent(messages, sink, options | {"startingTimestamp": str(begun - _SLACK)}, run, batch)
    messages.write.format("kafka").option("topic", sink.topic).options(**options).save()


def messages_of(frame: DataFrame, zone: str = DEFAULT_ZONE) -> list[Column]:
    """Key and value of a change: the line that `antelog try` prints."""
    query = f.concat(f.lit('"query":"'), "query", f.lit('","answer":'), "answer", *_others(frame))
    value = f.concat(
        f.lit('{"tick":'), f.col("tick").cast("string"), *_time(frame, zone, TIME),
        f.lit(',"change":"'), "change", f.lit('",'),
        query, *_answer_times(frame, zone), *_label(frame), *_chances(frame), *_rest(frame, zone), f.lit("}"),
    )  # fmt: skip
    return [f.concat(f.lit("{"), query, f.lit("}")).alias("key"), value.alias("value")]


def _rest(frame: DataFrame, zone: str) -> list[Column]:
    """The columns that come after those of the answer."""
    found: list[Column] = []
    for name in (each for each in AFTER_ANSWER if each in frame.columns):
        if name == "if_silent":
            change, tick = f.col(name)["change"], f.col(name)["tick"].cast("string")
            time = _time(frame, zone, timed(name), TIME)
            text = f.concat(f.lit('{"change":"'), change, f.lit('","tick":'), tick, *time, f.lit("}"))
        elif name == "decided_by":
            text = f.col(name).cast("string")
        else:
            text = f.to_json(name)
        after = _time(frame, zone, timed(name)) if name == "decided_by" else []
        if name == "lost":  # left out where nothing is
            found.append(f.coalesce(f.concat(f.lit(',"lost":'), text), f.lit("")))
            continue
        found += [f.lit(f',"{name}":'), f.coalesce(text, f.lit("null")), *after]
    return found


def _time(frame: DataFrame, zone: str, column: str, name: str | None = None) -> list[Column]:
    """A column of times, if there is one."""
    return [f.lit(f',"{name or column}":'), _iso(f.col(column), zone)] if column in frame.columns else []


def _answer_times(frame: DataFrame, zone: str) -> list[Column]:
    """The times of answers by their variables, which differ from query to query, if there are any."""
    names = [name for name in frame.columns[frame.columns.index("answer") :] if timed(name) in frame.columns]
    texts = [
        f.when(f.col(name).isNotNull(), f.concat(f.lit(f'"{name}":'), _iso(f.col(timed(name)), zone)))
        for name in names
        if name not in AFTER_ANSWER
    ]
    if not texts:
        return []
    return [f.lit(',"times":{'), f.concat_ws(",", *texts), f.lit("}")]


def _iso(time: Column, zone: str) -> Column:
    """A time as JSON in ISO 8601, with parts of a second if there are any; `null` for none."""

    def written(form: str) -> Column:
        text = f.to_json(f.struct(time.alias("t")), {"timeZone": zone, "timestampFormat": form})
        return f.substr(text, f.lit(6), f.length(text) - 6)

    whole, exact = written(_WHOLE), written(_EXACT)
    text = f.when(f.unix_micros(time) % 1_000_000 == 0, whole).otherwise(exact)
    return f.when(time.isNull(), "null").otherwise(text)


def _chances(frame: DataFrame) -> list[Column]:
    """The columns of chances, if there are any, with the forecast as pairs of ticks and chances."""

    def written(name: str, text: Column) -> Column:
        return f.concat(f.lit(f',"{name}":'), f.coalesce(text, f.lit("null")))

    def number(chance: Column) -> Column:
        return f.round(chance, _DIGITS).cast("string")

    def pair(each: Column) -> Column:
        return f.concat(
            f.lit("["), each["tick"].cast("string"), f.lit(","), number(each["chance"]), f.lit("]")
        )

    def pairs(forecast: Column) -> Column:
        return f.concat(f.lit("["), f.array_join(f.transform(forecast, pair), ","), f.lit("]"))

    texts = {
        "chance": number(f.col("chance")),
        "forecast": pairs(f.col("forecast")),
        "chance_from": f.concat(f.lit('"'), f.col("chance_from"), f.lit('"')),
        "holds": number(f.col("holds")),
    }
    return [written(name, text) for name, text in texts.items() if name in frame.columns]


def _label(frame: DataFrame) -> list[Column]:
    """The severity and the words of changes, if queries have any."""
    return [
        f.coalesce(f.concat(f.lit(f',"{name}":'), _json_text(f.col(name))), f.lit(""))
        for name in LABEL
        if name in frame.columns
    ]


def _json_text(text: Column) -> Column:
    """A text as JSON, which Spark makes of structs only; null for none."""
    whole = f.to_json(f.struct(text.alias("t")))
    return f.when(text.isNotNull(), f.substr(whole, f.lit(6), f.length(whole) - 6))


def _others(frame: DataFrame) -> list[Column]:
    """The column of variables that stand for all other values, if there is one."""
    if "others" not in frame.columns:
        return []
    names = f.concat(f.lit(',"others":'), f.to_json("others"))
    return [f.when(f.col("others").isNotNull(), names).otherwise("")]


def _of_reject(frame: DataFrame) -> list[Column]:
    value = f.to_json(f.struct(*frame.columns), {"ignoreNullFields": "false"})
    return [f.col("input").alias("key"), value.alias("value")]


def _header(name: str, value: str) -> Column:
    return f.struct(f.lit(name).alias("key"), f.lit(value).cast("binary").alias("value"))


def _unsent(messages: DataFrame, sink: Kafka, options: dict[str, str], run: str, batch: int) -> DataFrame:
    """The messages that the topic does not have yet."""
    reader = messages.sparkSession.read.format("kafka").options(**options)
    reader = reader.option("startingOffsetsByTimestampStrategy", "latest")
    topic = reader.option("subscribe", sink.topic).option("includeHeaders", "true").load()
    of_batch = [f.array_contains("headers", _header(*each)) for each in ((RUN, run), (BATCH, str(batch)))]
    sent = topic.where(of_batch[0] & of_batch[1]).select(
        f.col("key").cast("string"), f.col("value").cast("string")
    )
    left = messages.join(f.broadcast(sent), ["key", "value"], "left_anti")
    return left.select(*messages.columns)
