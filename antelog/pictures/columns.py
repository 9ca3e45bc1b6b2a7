"""The labels of rows as columns: the lane of a device, the words of an answer, and its time.

    wt2   turbine wt2 is about to shut down   14:20
          all is well                         14:30
    wt4   all is well                         14:20

A lane has the answers of one value of the key, or of the first variable; labels are cut for several widths.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import altair as alt

from antelog.compile.nodes.plan import Plan
from antelog.compile.plan.partition import group_variables
from antelog.language.templates import UNKNOWN
from antelog.pictures import theme
from antelog.pictures.history import ALL_OTHERS, Answer, History, label
from antelog.pictures.naming import cut_apart, fits, width_of

_SHARE = 0.42  # the part of a picture's width that labels may take
_STEPS = (1, 0.82, 0.66, 0.52, 0.4, 0.3)  # the widths for which labels are cut, as parts of the whole
_GAP, _LEFT, _RIGHT = 14, 8, 12  # pixels between columns, before the first and after the last
_LEAST = 100  # pixels of lanes and texts; where there are fewer, times are left out, and then lanes
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d)")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LANE = 0.4  # the part of a lane where there is too little room for both
FONT_SIZE = 12


@dataclass(frozen=True)
class RowLabel:
    """The cells of a row; a cell may be empty."""

    lane: str
    text: str
    time: str


@dataclass(frozen=True)
class CutLabels:
    """The columns at one width: where texts begin, and the labels as they are cut."""

    margin: int
    text_at: int
    timed: bool
    lanes: Mapping[str, str]
    texts: Mapping[str, str]


@dataclass(frozen=True)
class LabelColumns:
    """The columns at all their widths, the widest first."""

    rows: Sequence[RowLabel]
    cells: Sequence[CutLabels]

    def of_row(self, number: int, *, lane: bool) -> dict[str, Any]:
        """The labels of a row as data of a picture, with its lane or without."""
        row = self.rows[number]
        return {
            "lane": _by_width([each.lanes[row.lane] if lane else "" for each in self.cells]),
            "text": _by_width([each.texts[row.text] for each in self.cells]),
            "time": _by_width([row.time if each.timed else "" for each in self.cells]),
        }

    @property
    def width(self) -> str:
        """Vega's expression for the number of the width that fits the margin."""
        found = str(len(self.cells) - 1)
        for number in reversed(range(len(self.cells) - 1)):
            found = f"margin >= {self.cells[number].margin} ? {number} : {found}"
        return found

    def layers(self, rows: alt.Chart, font_size: int) -> list[alt.Chart]:
        """The labels; `rows` has one line for each row."""
        begin = [each.text_at for each in self.cells]
        columns: tuple[tuple[str, str, dict[str, Any]], ...] = (
            ("lane", f"{_LEFT} - margin", {"align": "left", "color": theme.INK, "fontWeight": 600}),
            ("text", f"{begin}[width_of_labels] - margin", {"align": "left", "color": theme.INK}),
            ("time", f"{-_RIGHT}", {"align": "right", "color": theme.MUTED}),
        )
        labels = []
        for name, x, style in columns:
            text = f"isArray(datum.{name}) ? datum.{name}[width_of_labels] : datum.{name}"
            mark = rows.mark_text(clip=False, fontSize=font_size, **style)
            labels.append(mark.encode(x=alt.value(alt.ExprRef(x)), text=alt.value(alt.ExprRef(text))))
        return labels


def _by_width(labels: list[str]) -> str | list[str]:
    """Labels for all widths; one, if it is the same for all."""
    return labels[0] if len({*labels}) == 1 else labels


def columns_of(rows: Sequence[RowLabel], width: int, font_size: float = FONT_SIZE) -> LabelColumns:
    share = font_size / FONT_SIZE
    times_of_rows = _dated([row.time for row in rows])
    rows = [replace(row, time=time) for row, time in zip(rows, times_of_rows, strict=True)]
    lanes, texts, times = (
        [*dict.fromkeys(getattr(row, n) for row in rows)] for n in ("lane", "text", "time")
    )
    widest = [max((share * width_of(each) for each in column), default=0) for column in (lanes, texts, times)]
    room = [each + 4 if each else 0 for each in widest]
    named = all(row.text.startswith(f"{row.lane} ") for row in rows)
    rest = {row.text: row.text.removeprefix(row.lane).lstrip() if named else row.text for row in rows}
    needed = max((share * width_of(each) for each in rest.values()), default=0) + 4
    whole = min(ceil(_around(room) + sum(room)), int(_SHARE * width))
    cells = []
    for part in _STEPS:
        margin = int(part * whole)
        timed = margin - _around(room) - room[2] >= min(_LEAST, room[0] + room[1])
        used = room if timed else [*room[:2], 0]
        free = max(margin - _around(used) - used[2], 20)
        lane = used[0] if sum(used[:2]) <= free else min(used[0], max(_LANE * free, free - needed))
        if free - lane < _LEAST and all(row.lane in row.text for row in rows):
            lane = 0  # words that name the device need the room more
        cells.append(
            CutLabels(
                margin,
                int(_LEFT + (lane + _GAP if lane else 0)),
                timed,
                cut_apart(lanes, lane / share) if lane else dict.fromkeys(lanes, ""),
                _cut_texts(rest if lane else dict(zip(texts, texts, strict=True)), (free - lane) / share),
            )
        )
    return LabelColumns(rows, cells)


def _cut_texts(rest: Mapping[str, str], room: float) -> dict[str, str]:
    """Labels for texts. Where one is too wide, all are their `rest`: without the name in the other column."""
    if all(fits(each, room) for each in rest):
        return dict(zip(rest, rest, strict=True))
    found = cut_apart(rest.values(), room)
    return {text: found[each] for text, each in rest.items()}


def _around(room: Sequence[float]) -> float:
    return _LEFT + _RIGHT + _GAP * (sum(each > 0 for each in room) - 1)


# ---- the cells of answers ----


class Lanes:
    """The variables of each query that are a lane and a time."""

    def __init__(self, history: History, plan: Plan | None) -> None:
        self._lanes = group_variables(plan) if plan else {}
        known = {query.name: query.answer.time for query in plan.queries} if plan else {}
        self._times = dict(known)
        for answer in history.answers:
            # An answer whose time is open does not say which variable it is.
            if answer.query not in known and self._times.get(answer.query) is None:
                self._times[answer.query] = _time_of(answer)

    def together(self, history: History) -> History:
        """Sorts the answers by device, in the order in which devices came."""
        first: dict[str, int] = {}
        for answer in sorted(history.answers, key=lambda each: each.since):
            first.setdefault(self.lane(answer), len(first))
        found = sorted(history.answers, key=lambda each: first[self.lane(each)])
        return replace(history, answers=tuple(found))

    def shown(self, answer: Answer) -> Collection[str | None]:
        """The variables that have a column of their own."""
        return (self._lane(answer), self._times[answer.query])

    def lane(self, answer: Answer) -> str:
        """The value of the lane; the query, if it has no variable but the time."""
        name = self._lane(answer)
        return answer.query if name is None else _plain(answer.values[name])

    def row(self, answer: Answer) -> RowLabel:
        lane, time = self._lane(answer), self._times[answer.query]
        rest = {name: value for name, value in answer.values.items() if name not in (lane, time)}
        text = answer.words or ("" if lane is None and not rest else label(answer.query, rest))
        return RowLabel(self.lane(answer), text, _plain(answer.values.get(time or "", "")))

    def _lane(self, answer: Answer) -> str | None:
        time = self._times[answer.query]
        names = [self._lanes.get(answer.query), *answer.values]
        return next((name for name in names if name in answer.values and name != time), None)


def _plain(value: str) -> str:
    """A value as people read it: without quotes, unless it would be taken for another; open, as `?`."""
    if value == "_":
        return UNKNOWN
    text = value[1:-1].replace('\\"', '"') if value[:1] == '"' == value[-1:] and len(value) > 1 else value
    return value if text in (ALL_OTHERS, UNKNOWN, "") else text


def _dated(times: Sequence[str]) -> list[str]:
    """Times with their dates as an axis has them, where all are of one year: Mar 04 09:10."""
    dates = [_DATE.match(time) for time in times]
    if len({found[1] for found in dates if found}) != 1:
        return [*times]
    return [
        f"{_MONTHS[int(found[2]) - 1]} {found[3]}{time[found.end() :]}" if found else time
        for found, time in zip(dates, times, strict=True)
    ]


def _time_of(answer: Answer) -> str | None:
    """The variable of a time: the one that the lines say, or the last, if it is a number."""
    said = [*answer.change.times.ticks][-1:] if answer.change.times else []
    last = list(answer.values)[-1:]
    return next(iter((*said, *(name for name in last if answer.values[name].isdecimal()))), None)
