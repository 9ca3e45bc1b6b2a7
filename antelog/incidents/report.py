"""A backtest in words: a table for a terminal, and plain values for JSON."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from antelog.escaping import shown
from antelog.forecast.reports.words import NONE, count, lead, leads, percent, percents
from antelog.incidents.alerts import CONFIRMED, POSSIBLE
from antelog.incidents.backtest import BacktestResult
from antelog.incidents.judging import FALSE, FEW, BacktestRow, Figures, about
from antelog.language.moments import Timescale, moment
from antelog.language.printer import value_text

_DAY = 86_400_000_000  # microseconds
BEST = "*"  # the mark of a row that no other one beats
SHOWN = 5  # missed incidents and false alarms that are listed
COUNTS = ("caught", "incidents", "right", "too_late", "false", "neither")  # of figures, as JSON has them
HEADS = ("caught", "right alerts", "false alarms", "how early")
WORDS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def schema_of(table: str) -> pa.Schema:
    """The columns of a table, as `report.toml` has them."""
    return pa.schema([(name, pa.type_for_alias(each)) for name, each in WORDS["tables"][table].items()])


def level_text(level: float) -> str:
    if level == POSSIBLE:
        return "once possible"
    return "confirmed" if level == CONFIRMED else f"likely, {percent(level)} or more"


def rate_text(found: Figures, tick: int | None) -> str:
    """How often a false alarm comes: `0.08 a day`."""
    rate, unit = rate_of(found, tick)
    shown = f"{rate:.2g}" if rate < 10 else f"{rate:,.0f}"
    return f"{shown} {unit}"


def counts_text(found: Figures, tick: int | None) -> str:
    """`caught 16 of 20, 0.09 false alarms a day`."""
    rate, _, unit = rate_text(found, tick).partition(" ")
    return f"caught {found.caught} of {found.incidents}, {rate} false alarms {unit}"


def rate_of(found: Figures, tick: int | None) -> tuple[float, str]:
    """False alarms a day, or without a length of ticks those of 1,000."""
    if tick is None:
        return found.false / found.ticks * 1000, "per 1,000 ticks"
    return found.false / found.ticks * _DAY / tick, "a day"


def _row_text(row: BacktestRow, result: BacktestResult) -> tuple[str, ...]:
    found, tick = row.figures, result.plan.tick
    return (
        _share(found, "caught", found.incidents),
        _share(found, "right", found.right + found.false),
        rate_text(found, tick),
        NONE if found.lead is None else leads(*found.lead, tick),
    )


def _share(found: Figures, name: str, whole: int) -> str:
    """`17 of 30 (42 to 70 %)`."""
    part, interval = getattr(found, name), found.intervals[name]
    shown = f"{count(part)} of {count(whole)}"
    return shown if interval is None else f"{shown} ({percents(*interval)})"


def text(found: BacktestResult) -> str:
    """The report for a terminal."""
    return "\n".join(_lines(found))


def _lines(found: BacktestResult) -> Iterator[str]:
    for title, rows in by_query(found):
        cells = [(f"{BEST if is_best else ' '} {name}", *own) for name, is_best, own in rows]
        yield from _table((title, *HEADS), cells)
        yield ""
    yield from notes(found)
    missed = [f"{missed_text(found, i)}  {found.why.get(i, '')}".rstrip() for i in found.missed.tolist()]
    yield from _listed(f"Missed ({len(missed)})", missed)
    yield from _listed("False alarms that lasted longest", [each.text(found) for each in costliest(found)])


def by_query(found: BacktestResult) -> Iterator[tuple[str, list[tuple[str, bool, Sequence[str]]]]]:
    """Each query with its severity, and its rows: their names, whether they are best, and their figures."""
    for query in found.asked.scopes:
        title = "All together" if query is None else f"{shown(query)} {found.plan.relation(query).severity}"
        rows = [row for row in found.rows if row.figures.query == query]
        yield title, [(_row_name(row, found), row.name in found.best, _row_text(row, found)) for row in rows]


def _row_name(row: BacktestRow, found: BacktestResult) -> str:
    name, value = level_text(row.figures.level), row.figures.limit
    return name if value is None else f"{name}, {found.asked.limit} {value_text(value)}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        yield "   ".join(each.ljust(width) for each, width in zip(row, widths, strict=True)).rstrip()


def _listed(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{title}:"
        yield from (f"  {shown(each)}" for each in lines[:SHOWN])
        if len(lines) > SHOWN:
            yield f"  and {len(lines) - SHOWN:,} more"


def notes(found: BacktestResult) -> Iterator[str]:
    """Yields the sentences below the figures, such as when an alert is right and what was left out."""
    words, wanted = WORDS["notes"], found.asked.lead
    least, most = (lead(each, found.plan.tick) if each else "no time" for each in (wanted.least, wanted.most))
    yield words["within" if wanted.within else "lead"].format(least=least, most=most)
    yield words["range"]
    if found.split is not None:
        yield words["unseen"].format(since=moment(found.split, found.plan.timescale))
    if found.asked.limit is not None and found.chosen is not None:
        yield words["best"].format(mark=BEST, limit=found.asked.limit, value=value_text(found.chosen))
    if found.rows[0].figures.incidents < FEW:
        yield words["few"].format(few=FEW)
    out = ((found.left_out[name], *said) for name, said in WORDS["left_out"].items())
    if those := [f"{count(number, what)} {why}" for number, what, why in out if number]:
        yield words["left_out"].format(those="; ".join(those))


def unalerted(found: BacktestResult) -> int:
    """How many incidents that count had no alert from the most of the lead on to their end."""
    first, *others = [row.alerts for row in found.open_rows]
    alerts, own = first.and_then(*others), found.listed.incidents.take(found.rows[0].judged.counted)
    spans = zip(own.key.tolist(), own.begin - found.asked.lead.most, own.end, strict=True)
    return sum(
        not np.any(about(alerts.key, key) & (alerts.end >= since) & (alerts.tick <= until))
        for key, since, until in spans
    )


def missed_text(found: BacktestResult, number: int) -> str:
    """A missed incident: its key and time."""
    own, scale = found.listed.incidents, found.plan.timescale
    key, begin = found.key(int(own.key[number])), moment(int(own.begin[number]), scale)
    return begin if key is None else f"{key}  {begin}"


@dataclass(frozen=True)
class FalseAlarm:
    """A false alarm of a query: the tick at which it began, and the number of ticks for which it was on."""

    query: str
    key: str | None
    tick: int
    ticks: int

    def text(self, found: BacktestResult) -> str:
        named, scale = "" if self.key is None else f"{self.key}  ", found.plan.timescale
        length = f", for {lead(self.ticks, found.plan.tick)}" if self.ticks else ""
        return f"{self.query}  {named}{moment(self.tick, scale)}{length}"


def costliest(found: BacktestResult) -> list[FalseAlarm]:
    """The false alarms that were on for longest."""
    listed = list[FalseAlarm]()
    for row in found.open_rows:
        alerts = row.alerts.take(row.judged.kind == FALSE)
        length = np.minimum(alerts.end, found.scene.span.last) - alerts.tick
        for i in np.lexsort((alerts.tick, -length))[:SHOWN].tolist():
            key, tick = found.key(int(alerts.key[i])), int(alerts.tick[i])
            listed.append(FalseAlarm(str(row.figures.query), key, tick, int(length[i])))
    return sorted(listed, key=lambda each: (-each.ticks, each.tick))[:SHOWN]


# ---- plain values ----


def to_dict(found: BacktestResult) -> dict[str, Any]:
    """The result as JSON has it; leads are in ticks."""
    scale, tick = found.plan.timescale, found.plan.tick
    own = found.listed.incidents.take(found.missed)
    missed = zip(found.missed.tolist(), own.key.tolist(), own.begin.tolist(), strict=True)
    return {
        "queries": [_row(found, row) for row in found.rows],
        "missed": [
            {"key": found.key(key), **_begin(at, scale), "why": found.why.get(number)}
            for number, key, at in missed
        ],
        "false_alarms": [{**vars(each), **_begin(each.tick, scale)} for each in costliest(found)],
        "split": None if found.split is None else _begin(found.split, scale),
        "seen": [_row(found, row) for row in found.seen],
        "left_out": dict(found.left_out),
        "tick_seconds": None if tick is None else tick / 1_000_000,
    }


def _begin(tick: int, scale: Timescale | None) -> dict[str, int | str]:
    return {"tick": tick, **({} if scale is None else {"begin": scale.time(tick).isoformat()})}


def level_name(level: float) -> str | float:
    return "possible" if level == POSSIBLE else "confirmed" if level == CONFIRMED else level


def _row(found: BacktestResult, row: BacktestRow) -> dict[str, Any]:
    own, tick = row.figures, found.plan.tick
    limit = {} if own.limit is None else {"limit": own.limit, "best": row.name in found.best}
    return {
        "query": own.query,
        "level": level_name(own.level),
        **limit,
        **{name: getattr(own, name) for name in COUNTS},
        "false_per_day" if tick is not None else "false_per_1000_ticks": rate_of(own, tick)[0],
        "lead": own.lead,
        "intervals": own.intervals,
    }
