"""A backtest in words: a table for a terminal, and plain values for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from antelog.forecast.reports.words import NONE, count, lead, percent, percents
from antelog.incidents.alerts import CONFIRMED, POSSIBLE
from antelog.incidents.backtest import Backtest, Row
from antelog.incidents.judging import FALSE, FEW, Figures
from antelog.language.moments import moment
from antelog.language.printer import value_text

_DAY = 86_400_000_000  # microseconds
_SHOWN = 5  # missed incidents and false alarms that are listed
HEADS = ("caught", "right alerts", "false alarms", "how early")


def level_text(level: float) -> str:
    if level == POSSIBLE:
        return "once possible"
    return "confirmed" if level == CONFIRMED else f"likely, {percent(level)} or more"


def rate_text(found: Figures, tick: int | None) -> str:
    """How often a false alarm comes: `0.08 a day`."""
    rate, unit = rate_of(found, tick)
    shown = f"{rate:.2g}" if rate < 10 else f"{rate:,.0f}"
    return f"{shown} {unit}"


def rate_of(found: Figures, tick: int | None) -> tuple[float, str]:
    """False alarms a day, or without a length of ticks those of 1,000."""
    if tick is None:
        return found.false / found.ticks * 1000, "per 1,000 ticks"
    return found.false / found.ticks * _DAY / tick, "a day"


def row_text(row: Row, tick: int | None) -> tuple[str, ...]:
    found = row.figures
    early = NONE
    if found.lead is not None:
        quarter, half, most = (
            lead(each, tick) if each >= 0 else f"-{lead(-each, tick)}" for each in found.lead
        )
        early = f"{half} ({quarter} to {most})"
    return (
        f"{found.caught} of {found.incidents}",
        f"{count(found.right)} of {count(found.right + found.false)}",
        rate_text(found, tick),
        early,
    )


def _lead(ticks: int, tick: int | None) -> str:
    return lead(ticks, tick) if ticks >= 0 else f"{lead(-ticks, tick)} after it began"


def text(found: Backtest) -> str:
    """The report for a terminal."""
    return "\n".join(_lines(found))


def _lines(found: Backtest) -> Iterator[str]:
    tick = found.plan.tick
    for title, rows in _by_query(found.rows):
        cells = [(_name(row), *row_text(row, tick)) for row in rows]
        yield from _table((_title(found, title), *HEADS), cells)
        for row in rows:
            yield from _intervals(row)
        yield ""
    if found.scene.incidents.count and found.rows[0].figures.incidents < FEW:
        yield f"With fewer than {FEW} incidents, rules cannot be told apart by these figures."
    yield from _left_out(found)
    yield from _missed(found)
    yield from _false(found)


def _name(row: Row) -> str:
    limit = "" if row.figures.limit is None else f"{value_text(row.figures.limit)}: "
    return f"  {limit}{level_text(row.figures.level)}"


def _title(found: Backtest, query: str | None) -> str:
    return "All together" if query is None else f"{query} {found.plan.relation(query).severity}"


def _by_query(rows: Sequence[Row]) -> Iterator[tuple[str | None, list[Row]]]:
    for query in dict.fromkeys(row.figures.query for row in rows):
        yield query, [row for row in rows if row.figures.query == query]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        yield "   ".join(each.ljust(width) for each, width in zip(row, widths, strict=True)).rstrip()


def _intervals(row: Row) -> Iterator[str]:
    caught, right = row.figures.intervals["caught"], row.figures.intervals["right"]
    if caught is not None and right is not None:
        yield f"{_name(row)}: {percents(*caught)} are caught, {percents(*right)} of alerts are right (90 %)"


def _left_out(found: Backtest) -> Iterator[str]:
    if found.left_out:
        were = "incident is" if found.left_out == 1 else "incidents are"
        yield f"{found.left_out} {were} left out: too near the beginning for its lead, or outside the data."
    if found.split is not None:
        since = moment(found.split, found.plan.timescale)
        yield f"All figures are of what comes from {since} on: the unseen part."


def _missed(found: Backtest) -> Iterator[str]:
    missed = found.missed
    if missed:
        yield f"Missed by all: {len(missed)}"
        for key, begin in missed[:_SHOWN]:
            yield f"  {'' if key is None else f'{key}  '}{moment(begin, found.plan.timescale)}"


def _false(found: Backtest) -> Iterator[str]:
    costly = costliest(found)
    if costly:
        yield "False alarms that lasted longest:"
        for query, key, tick, length in costly:
            named = "" if key is None else f"{key}  "
            yield (
                f"  {query}  {named}{moment(tick, found.plan.timescale)}, for {lead(length, found.plan.tick)}"
            )


def costliest(found: Backtest) -> list[tuple[str, str | None, int, int]]:
    """The false alarms that were on for longest: query, key, tick, and ticks for which they were on."""
    listed = []
    for row in found.rows:
        if row.figures.query is None or row.figures.level != POSSIBLE:
            continue
        alerts = row.alerts.take(row.judged.kind == FALSE)
        end = np.minimum(alerts.end, found.scene.span.last + 1)
        for key, tick, length in zip(
            alerts.key.tolist(), alerts.tick.tolist(), (end - alerts.tick).tolist(), strict=True
        ):
            listed.append((row.figures.query, found.key(key), tick, length))
    return sorted(listed, key=lambda each: (-each[3], each[2]))[:_SHOWN]


# ---- plain values ----


def to_dict(found: Backtest) -> dict[str, Any]:
    scale = found.plan.timescale
    return {
        "queries": [_row(row, found.plan.tick) for row in found.rows],
        "seen": [_row(row, found.plan.tick) for row in found.seen],
        "best": [_row(row, found.plan.tick) for row in found.best],
        "missed": [{"key": key, "begin": moment(begin, scale), "tick": begin} for key, begin in found.missed],
        "false_alarms": [
            {"query": query, "key": key, "begin": moment(tick, scale), "tick": tick, "ticks": length}
            for query, key, tick, length in costliest(found)
        ],
        "split": found.split,
        "left_out": found.left_out,
        "notes": list(found.listed.notes),
    }


def _row(row: Row, tick: int | None) -> dict[str, Any]:
    found = row.figures
    rate, _ = rate_of(found, tick)
    level = (
        "possible" if found.level == POSSIBLE else "confirmed" if found.level == CONFIRMED else found.level
    )
    return {
        "query": found.query,
        "level": level,
        **({} if found.limit is None else {"limit": found.limit}),
        "caught": found.caught,
        "incidents": found.incidents,
        "right": found.right,
        "too_late": found.too_late,
        "false": found.false,
        "neither": found.neither,
        "false_per_day" if tick is not None else "false_per_1000_ticks": rate,
        "lead": None if found.lead is None else list(found.lead),
        "intervals": {name: None if each is None else list(each) for name, each in found.intervals.items()},
    }
