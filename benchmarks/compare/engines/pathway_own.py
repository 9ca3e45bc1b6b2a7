"""Pathway, over all events at once. Its joins keep what they have seen, and take back what has changed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pathway as pw
import polars as pl

from benchmarks.compare.folder import Folder

Question = Callable[[pw.Table, Callable[[str], pw.Table]], pw.Table]


RELATIONS = {
    "Feeds": pw.schema_from_types(device=str, other=str),
    "Near": pw.schema_from_types(region=str, neighbour=str),
    "Shop": pw.schema_from_types(shop=str, region=str),
}


class Event(pw.Schema):
    kind: str
    device: str
    place: str
    value: str
    time: int
    arrival: int


def _malfunctions(events: pw.Table, _: Callable[[str], pw.Table]) -> pw.Table:
    high = events.filter(pw.this.value == "high").select(pw.this.device, pw.this.time)
    second, third = (high.select(pw.this.device, time=pw.this.time - ahead) for ahead in (1, 2))
    pairs = high.join(second, pw.left.device == pw.right.device, pw.left.time == pw.right.time).select(
        pw.left.device, pw.left.time
    )
    return pairs.join(third, pw.left.device == pw.right.device, pw.left.time == pw.right.time).select(
        pw.left.device, pw.left.time
    )


def _not_in_a_row(events: pw.Table, static: Callable[[str], pw.Table]) -> pw.Table:
    found = _malfunctions(events, static)
    both = events.join_left(found, pw.left.device == pw.right.device, pw.left.time == pw.right.time).select(
        pw.left.device, pw.left.time, malfunction=pw.right.time
    )
    return both.filter(pw.this.malfunction.is_none()).select(pw.this.device, pw.this.time)


def _unacknowledged(events: pw.Table, _: Callable[[str], pw.Table]) -> pw.Table:
    alarms = events.filter(pw.this.kind == "Alarm").select(pw.this.device, pw.this.time)
    acks = events.filter(pw.this.kind == "Ack").select(pw.this.device, pw.this.time)
    both = alarms.interval_join_left(
        acks, alarms.time, acks.time, pw.temporal.interval(1, 5), alarms.device == acks.device
    ).select(alarms.device, alarms.time, acknowledged=acks.time)
    return both.filter(pw.this.acknowledged.is_none()).select(pw.this.device, pw.this.time)


def _joined(events: pw.Table, static: Callable[[str], pw.Table]) -> pw.Table:
    heat = events.filter(pw.this.kind == "Heat").select(pw.this.device, pw.this.time)
    pressure = events.filter(pw.this.kind == "Pressure").select(pw.this.device, time=pw.this.time - 1)
    fed = heat.join(static("Feeds"), pw.left.device == pw.right.device).select(
        pw.left.device, pw.right.other, pw.left.time
    )
    return fed.join(pressure, pw.left.other == pw.right.device, pw.left.time == pw.right.time).select(
        pw.left.device, pw.left.other, pw.left.time
    )


def _leads(events: pw.Table, static: Callable[[str], pw.Table]) -> pw.Table:
    scores = events.select(pw.this.device, pw.this.place, pw.this.time, score=pw.cast(int, pw.this.value))
    rises = _rise(scores)
    earlier = rises.select(pw.this.device, pw.this.place, time=pw.this.time + 1)
    trends = rises.join(earlier, *_at_once(pw.left, pw.right)).select(
        pw.left.device, pw.left.place, pw.left.time
    )
    wanted = (
        trends.join(static("Near"), pw.left.place == pw.right.neighbour)
        .select(pw.left.device, pw.left.time, place=pw.right.region)
        .groupby(pw.this.device, pw.this.place, pw.this.time)
        .reduce(pw.this.device, pw.this.place, pw.this.time)
    )
    popular = scores.filter(pw.this.score >= 60)
    fresh = (
        wanted.join_left(popular, *_at_once(pw.left, pw.right))
        .select(pw.left.device, pw.left.place, pw.left.time, score=pw.right.score)
        .filter(pw.this.score.is_none())
    )
    return fresh.join(static("Shop"), pw.left.place == pw.right.region).select(
        pw.right.shop, pw.left.device, pw.left.time
    )


def _rise(scores: pw.Table) -> pw.Table:
    """Where a score is higher by five than a tick before."""
    before = scores.select(pw.this.device, pw.this.place, pw.this.score, time=pw.this.time + 1)
    both = scores.join(before, *_at_once(pw.left, pw.right)).select(
        pw.left.device, pw.left.place, pw.left.time, pw.left.score, before=pw.right.score
    )
    return both.filter(pw.this.score >= pw.this.before + 5)


def _at_once(one: pw.Table, other: pw.Table) -> list[pw.ColumnExpression]:
    return [one.device == other.device, one.place == other.place, one.time == other.time]


QUESTIONS: dict[str, Question] = {
    "W1": _malfunctions,
    "W2": _unacknowledged,
    "W3": _joined,
    "W4": _not_in_a_row,
    "W5": _leads,
    "W6": _malfunctions,
}


def main() -> None:
    workload, given, answers = sys.argv[1:]
    folder, out = Folder(Path(given)), Path(answers)
    out.mkdir()
    events = pw.io.csv.read(folder.path / "headed" / "events.csv", schema=Event, mode="static")

    def static(name: str) -> pw.Table:
        return pw.io.csv.read(folder.path / "headed" / f"{name}.csv", schema=RELATIONS[name], mode="static")

    found = QUESTIONS[workload](events, static)
    # Pathway adds a time of its own, and whether a row came or went.
    pw.io.csv.write(found.rename(tick=pw.this.time), out / ".changes")
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
    if (out / ".changes").stat().st_size:
        _net(pl.read_csv(out / ".changes")).write_parquet(out / "answers.parquet")


def _net(changes: pl.DataFrame) -> pl.DataFrame:
    """What came and did not go again."""
    left = changes.drop("time").group_by(pl.exclude("diff")).agg(pl.col("diff").sum())
    values = [name for name in left.columns if name not in {"tick", "diff"}]
    return left.filter(pl.col("diff") > 0).select(*values, "tick")


if __name__ == "__main__":
    main()
