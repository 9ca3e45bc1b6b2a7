"""A backtest as a page: its figures, and for each key an axis of time with incidents and alerts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from antelog.forecast.reports.words import count, lead
from antelog.incidents.alerts import overlapping
from antelog.incidents.backtest import BacktestResult
from antelog.incidents.judging import FALSE, BacktestRow, JudgedSpan, about
from antelog.incidents.report import (
    HEADS,
    WORDS,
    by_query,
    costliest,
    level_text,
    missed_text,
    notes,
    unalerted,
)
from antelog.language.moments import moment
from antelog.watch.board.judged_feed import JudgedFeed
from antelog.watch.web.templating import render

KINDS = ("right", "late", "neither", "false")
_SAID = ("right", "right, but too late", "not judged", "false")
_MOST = 40  # keys that are drawn
_STEPS = 500  # places on an axis: marks of a kind at one of them are one
_LEAST = 0.4  # percent of the width of a bar, at least


# A mark on an axis: where it is, in percent, how `wide` (0: a sign), its `kind`, and its `words`.
AxisMark: TypeAlias = Mapping[str, float | str]


def backtest_page(found: BacktestResult, program: str) -> str:
    """Writes a backtest as a file of HTML, which loads nothing and has no script."""
    title = f"How {program} would have done"
    return str(render("export.html", title=title, view=render("incidents.html", **_values(found))))


def _values(found: BacktestResult) -> Mapping[str, object]:
    (keys, more), figures = _keys(found), _figures(found)
    return {
        **figures,
        "notes": list(notes(found)),
        "unlisted": len(found.missed) - len(figures["missed"]),
        "axes": [_axis(found, key) for key in keys],
        "more": more,
        "kinds": list(zip(KINDS, _SAID, strict=True)),
    }


def _figures(found: BacktestResult) -> Mapping[str, Sequence[object]]:
    missed, keys = found.missed.tolist()[: len(found.why) or None], found.listed.incidents.key
    return {
        "tables": list(by_query(found)),
        "heads": HEADS,
        "missed": [(found.key(keys[i]), missed_text(found, i), found.why.get(i, "")) for i in missed],
        "alarms": [(each.key, each.text(found), "") for each in costliest(found)],
    }


def judged_part(judged: JudgedFeed) -> Mapping[str, object]:
    """The values of the part of a live view that judges answers by a list, without an axis of time."""
    found, told = judged.result, [judged.wrong] if judged.wrong else []
    if judged.cleared:
        told.append(f"{count(judged.cleared, 'alert')} marked as false.")
    file, lines = Path(judged.file.path).name, judged.collector
    keys = None if lines is None or lines.key is None else sorted(lines.keys)[:_MOST]
    known = {"file": file, "said": judged.said, "known": keys, "notes": told}
    if found is None:
        return {**known, "tables": (), "missed": (), "alarms": ()}
    alone, of_all = unalerted(found), count(found.rows[0].figures.incidents, "incident")
    added = WORDS["notes"]["added" if alone else "none_added"].format(alone=alone, all=of_all)
    return {**known, **_figures(found), "notes": [added, *told, *notes(found)]}


def _rows(found: BacktestResult) -> list[BacktestRow]:
    """The rows that are drawn, of all queries together: one for each level."""
    return [row for row in found.listed_rows if row.figures.query == found.asked.scopes[-1]]


def _keys(found: BacktestResult) -> tuple[list[int], int]:
    """The keys with most that was missed or false, and how many others there are."""
    rows, incidents = _rows(found), found.listed.incidents
    alarms = np.concatenate([row.alerts.key[row.judged.kind == FALSE] for row in rows])
    known = np.unique(np.concatenate([incidents.key, *(row.alerts.key for row in rows)]))
    missed = incidents.key[found.missed]
    worst = sorted(
        known.tolist(), key=lambda key: (-np.sum(missed == key), -np.sum(alarms == key), found.key(key) or "")
    )
    return worst[:_MOST], max(0, len(worst) - _MOST)


def _axis(found: BacktestResult, key: int) -> Mapping[str, object]:
    scale, span = found.plan.timescale, found.scene.span
    span = replace(span, last=max(span.last, span.first + 1))
    ends = [moment(each, scale) for each in (span.first, (span.first + span.last) // 2, span.last)]
    rows = _rows(found)
    lanes = [("incidents", [*_incidents(found, key, span)])]
    lanes += [("open answers", [*_open(found, rows[0], key, span)])]
    lanes += [(level_text(row.figures.level), [*_alerts(found, row, key, span)]) for row in rows]
    of_all = "every key" if found.listed.key else "all"
    return {"name": found.key(key) or of_all, "key": found.key(key), "ends": ends, "lanes": lanes}


def _bar(span: JudgedSpan, first: int, last: int, kind: str, words: str) -> AxisMark:
    begin, end = (_x(span, min(max(each, span.first), span.last)) for each in (first, last))
    return {"x": min(begin, 100 - _LEAST), "wide": max(end - begin, _LEAST), "kind": kind, "words": words}


def _x(span: JudgedSpan, tick: float) -> float:
    return 100 * (tick - span.first) / (span.last - span.first)


def _incidents(found: BacktestResult, key: int, span: JudgedSpan) -> Iterator[AxisMark]:
    own, scale = found.listed.incidents, found.plan.timescale
    caught = np.any([row.judged.caught for row in _rows(found)], axis=0)
    counted, inside = found.rows[0].judged.counted, (own.end >= span.first) & (own.begin <= span.last)
    for i in np.flatnonzero(about(own.key, key) & inside).tolist():
        kind = "caught" if caught[i] else "missed" if counted[i] else "uncounted"
        words = "left out" if kind == "uncounted" else kind
        begin, end = int(own.begin[i]), int(own.end[i])
        until = f" to {moment(end, scale)}" if end > begin else ""
        yield _bar(span, begin, end, kind, f"incident {moment(begin, scale)}{until}: {words}")


def _open(found: BacktestResult, row: BacktestRow, key: int, span: JudgedSpan) -> Iterator[AxisMark]:
    """Bars for the spans in which an answer was open, joined where they are less than a place apart."""
    own, place = row.alerts.take(row.alerts.key == key), (span.last - span.first) // _STEPS
    first, end = overlapping(own.key, own.tick, np.minimum(own.end, span.last) + place)
    for begin, until in zip(own.tick[first].tolist(), (end - place).tolist(), strict=True):
        since, length = moment(begin, found.plan.timescale), lead(until - begin, found.plan.tick)
        yield _bar(span, begin, until, "open", f"open from {since}, for {length}")


def _alerts(found: BacktestResult, row: BacktestRow, key: int, span: JudgedSpan) -> Iterator[AxisMark]:
    own = row.alerts.key == key
    tick, kind = row.alerts.tick[own], row.judged.kind[own]
    places = kind, np.round(_STEPS * (tick - span.first) / (span.last - span.first))
    _, first, numbers = np.unique(places, axis=1, return_index=True, return_counts=True)
    for at, number in zip(first.tolist(), numbers.tolist(), strict=True):
        what = "alert" if number == 1 else f"{count(number, 'alert')} from"
        words = f"{what} {moment(int(tick[at]), found.plan.timescale)}: {_SAID[kind[at]]}"
        yield {"x": _x(span, tick[at]), "wide": 0, "kind": KINDS[kind[at]], "words": words}
