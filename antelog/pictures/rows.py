"""Answers over time with a row for each: from its first evidence to its decision; and the axis of time."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from pathlib import Path
from typing import Any

import altair as alt

from antelog.answers import CLOSED, CONFIRMED, OPEN, REJECTED
from antelog.engine.step.wording import LOST
from antelog.forecast.reports.words import percent
from antelog.language.durations import duration_text
from antelog.language.moments import DEFAULT_ZONE, Timescale, moment
from antelog.lines import LineLiteral
from antelog.pictures import theme
from antelog.pictures.columns import LabelColumns
from antelog.pictures.history import PLAIN, Answer, History
from antelog.theme import SIZE

_LABELS = (
    "utcFormat(datum.value, utcmilliseconds(datum.value) ? '%H:%M:%S.%L'"
    " : utcseconds(datum.value) ? '%H:%M:%S'"
    " : utchours(datum.value) + utcminutes(datum.value) ? '%H:%M' : {day})"
)
_DAY, _DAY_OF_YEAR = "'%b %d'", "utcmonth(datum.value) + utcdate(datum.value) == 1 ? '%Y' : '%b %d %Y'"
_BEYOND = 0.05  # the part of an axis before the first and after the last tick, at most


@dataclass(frozen=True)
class Clock:
    """Ticks as numbers; `timescale` says how long they are, if known."""

    timescale: Timescale | None = None
    stamps = False

    def axis_value(self, tick: float) -> float:
        return tick

    def text(self, tick: int) -> str:
        return str(tick)

    @property
    def title(self) -> str:
        each = self.timescale
        return "tick" if each is None else f"tick ({duration_text(each.length)} each)"


@dataclass(frozen=True)
class Calendar(Clock):
    """Ticks as timestamps of UTC: those of one day as times, and the day in the title."""

    timescale: Timescale
    first: int = 0
    last: int = 0
    stamps = True

    @property
    def labels(self) -> str:
        """Vega's expression for labels: times; at midnight the day, with its year if there are several."""
        return _LABELS.format(day=_DAY_OF_YEAR if self.several_years else _DAY)

    @property
    def several_years(self) -> bool:
        beyond = int(_BEYOND * (self.last - self.first)) + 1
        ends = (max(self.first - beyond, 0), self.last + beyond)
        return len({moment(tick, self._shown)[:4] for tick in ends}) > 1

    def axis_value(self, tick: float) -> float:
        """The milliseconds since 1970."""
        return (tick * self.timescale.length - self.timescale.ahead) / 1000

    def text(self, tick: int) -> str:
        day, _, time = moment(tick, self._shown).partition(" ")
        return time if time and self._days == (day, day) else f"{day} {time}".rstrip()

    @property
    def title(self) -> str:
        days = " to ".join(dict.fromkeys(self._days))
        zone = self.timescale.zone if self.timescale.of_days else DEFAULT_ZONE
        return f"{days}, {zone}, a tick is {duration_text(self.timescale.length)}"

    @property
    def _shown(self) -> Timescale:
        return Timescale(self.timescale.length)

    @property
    def _days(self) -> tuple[str, str]:
        first, last = (moment(tick, self._shown).partition(" ")[0] for tick in (self.first, self.last))
        return first, last


def clock(timescale: Timescale | None, first: int, last: int) -> Clock:
    """Timestamps if a tick has a length, and both have times on a calendar."""
    if timescale is None or not all(tick in timescale.ticks for tick in (first, last)):
        return Clock(timescale)
    return Calendar(timescale, first, last)


Row = dict[str, Any]

BAR, AHEAD, EVIDENCE, AWAITED, DEADLINE = "bar", "ahead", "evidence", "awaited", "deadline"
BAND = "band"  # the grey band behind every other lane
ABSENT, ABSENCE = "absent", "absence awaited"  # the marks of literals under `not`
_KNOWN, _AWAITED = (EVIDENCE, ABSENT), (AWAITED, ABSENCE)
NUMBERS = 52  # the pixels for the numbers at an axis
STRETCH = "stretch"  # a part of a bar, deep where its answer was likely
_FAINT, _SHADE = 0.28, 0.035
_TALL = 600  # pixels from which on rows have an axis above them, too
_ROUND = 6  # a bar is this many pixels wider and higher than its stretch of time
_BESIDE = 14  # a mark that would cover another is drawn this many pixels to the right
_SHAPES: dict[str, str] = tomllib.loads(Path(__file__).with_name("shapes.toml").read_text(encoding="utf-8"))
LOOKS = {**theme.SEVERITY, **dict.fromkeys((REJECTED, CLOSED), theme.GREY), LOST: theme.PURPLE}
"""Colour is severity; truth is the shape of a mark. Averted or closed answers are grey."""
_MANY = 12  # the literals that are listed; the others are counted
_LEAST = 10  # the least pixels of a bar, so that an answer is seen that was open for one tick of 10,000
_BEFORE, _AFTER = 10, 2 * _BESIDE + 8  # the pixels for marks before the first tick and after the last


@dataclass(frozen=True)
class Frame:
    """The part of time that is shown, its clock, and its width in pixels."""

    clock: Clock
    first: int
    last: int
    now: int
    width: int
    margin: int

    def pixels(self, ticks: float) -> float:
        return ticks * self.width / (self.last - self.first + 1.2)

    def x(self, scale: alt.Scale | None = None, *, titled: bool = True, marks: bool = False) -> alt.X:
        """The axis of time; with a scale of its own, only a part of it; with room for marks at its ends."""
        title = self.clock.title if titled else None
        before, after = (max(0.6, marks * room / self.pixels(1)) for room in (_BEFORE, _AFTER))
        domain = [self.clock.axis_value(self.first - before), self.clock.axis_value(self.last + after)]
        if isinstance(self.clock, Calendar):
            scale = scale or alt.Scale(type="utc", domain=domain, nice=False)
            return alt.X("x:T", axis=self.axis(title), scale=scale)
        scale = scale or alt.Scale(domain=domain, nice=False, zero=False)
        return alt.X("x:Q", axis=self.axis(title), scale=scale)

    def axis(self, title: str | None = None, *, above: bool = False) -> alt.Axis:
        """The axis below the rows or, without lines through them, above."""
        count = max(2, self.width // 70)
        place: dict[str, Any] = {"orient": "top", "grid": False} if above else {}
        if isinstance(self.clock, Calendar):
            count = max(2, self.width // 100) if self.clock.several_years else count
            return alt.Axis(title=title, tickCount=count, labelExpr=self.clock.labels, **place)
        return alt.Axis(title=title, format="d", tickMinStep=1, tickCount=count, **place)


def frame(history: History, clock: Clock, width: int, margin: int = NUMBERS) -> Frame:
    """The frame of a whole history, deadlines included, with a margin for labels or numbers."""
    return Frame(clock, history.first, history.last, history.now, width - margin - 24, margin)


def answer_rows(history: History, clock: Clock) -> list[Row]:
    """A line for each answer, with its tooltip."""
    return [
        {
            "row": number,
            "look": look_of(answer),
            "colour": LOOKS[look_of(answer)],
            "since": clock.axis_value(answer.since),
            "tip": _tip(answer, clock),
        }
        for number, answer in enumerate(history.answers, 1)
    ]


def look_of(answer: Answer) -> str:
    """The name of an answer's colour: its severity, unless it was averted, or lost from sight."""
    return answer.outcome if answer.outcome in (REJECTED, LOST) else answer.change.severity


def mark_rows(history: History, frame: Frame) -> list[Row]:
    """A line for each mark; open answers without a deadline go on to the last tick of the frame."""
    return [
        mark for number, answer in enumerate(history.answers, 1) for mark in _marks_of(number, answer, frame)
    ]


def band_rows(lanes: Sequence[str]) -> list[Row]:
    """A line for the band behind every other lane; `lanes` has that of each row."""
    ends = [*accumulate(len([*same]) for _, same in groupby(lanes))]
    return [{"row": start + 0.5, "kind": BAND, "y2": end + 0.5} for start, end in [*pairwise(ends)][::2]]


def _marks_of(number: int, answer: Answer, frame: Frame) -> Iterator[Row]:
    clock, last = frame.clock, frame.last
    # What is open goes on to its deadline, and needs no more than that to be seen.
    lasts = _LEAST if answer.outcome == OPEN else frame.pixels(answer.until - answer.since)
    wider = max(0, round(_LEAST - lasts))

    def mark(kind: str, tick: int, *, end: int | None = None, shift: int = 0) -> Row:
        to = {} if end is None else {"x2": clock.axis_value(end)}
        return {"row": number, "kind": kind, "x": clock.axis_value(tick), "shift": shift} | to

    yield mark(BAR, answer.since, end=answer.until, shift=wider)
    yield from _stretches(number, answer, clock, wider)
    taken: Counter[int] = Counter()
    deadline = answer.change.decided_by
    end = last if deadline is None else deadline
    # An awaited literal is at the tick it is about, or at that by which it has to come.
    awaited = [
        (literal, end if literal.tick is None else min(max(literal.tick, answer.since), last))
        for literal in (answer.missing if answer.outcome == OPEN else ())
    ]
    for kinds, literals in ((_KNOWN, [*answer.evidence.items()]), (_AWAITED, awaited)):
        for negated, kind in enumerate(kinds):
            ticks = {tick for literal, tick in literals if literal.negated == negated}
            yield from (mark(kind, tick, shift=_BESIDE if tick in taken else 0) for tick in sorted(ticks))
            taken.update(ticks)
    if answer.outcome != OPEN:
        yield mark(answer.outcome, answer.until, shift=_BESIDE * max(1, taken[answer.until]) + wider)
        return
    if end > answer.until:
        yield mark(AHEAD, answer.until, end=end)
    if deadline is not None:
        yield mark(DEADLINE, deadline)


def _stretches(number: int, answer: Answer, clock: Clock, wider: int) -> Iterator[Row]:
    """The bar of an answer with chances: from the tick of each chance to the next."""
    chances = answer.chances
    if not chances:
        return
    depths = [(answer.since, 0.0), *((tick, chance) for tick, chance in chances.items())]
    ends = [*(tick for tick, _ in depths[1:]), answer.until]
    for place, ((tick, chance), end) in enumerate(zip(depths, ends, strict=True)):
        last = place == len(depths) - 1
        if end > tick or last:
            x, x2 = clock.axis_value(tick), clock.axis_value(end)
            shift = _ROUND // 2 + wider if last else -_ROUND // 2
            stretch = {"row": number, "kind": STRETCH, "x": x, "x2": x2, "shift": shift}
            yield stretch | {"depth": round(0.8 * chance, 3)}


def _tip(answer: Answer, clock: Clock) -> Row:
    due_by, silent = answer.change.decided_by, answer.change.silent

    def texts(literals: Iterable[LineLiteral]) -> str:
        return _listed([literal.text(clock.text) for literal in literals])

    evidence = [
        f"{literal.text(clock.text)}  known at {clock.text(tick)}"
        for literal, tick in answer.evidence.items()
    ]
    said = {
        "answer": answer.label,
        "atom": "" if answer.label == answer.change.atom else answer.change.atom,
        "state": answer.outcome + ("" if answer.outcome == OPEN else f" at {clock.text(answer.until)}"),
        "since": clock.text(answer.since),
        "evidence": _listed(evidence),
    }
    if answer.outcome == OPEN:
        said["missing"] = texts(answer.missing)
        said["deadline"] = "none" if due_by is None else clock.text(due_by)
        said["if silent"] = (
            f"{silent['change']} at {clock.text(silent['tick'])}" if silent else "it stays open"
        )
        said["chance"] = "" if answer.chance is None else percent(answer.chance)
    said["because"] = texts(answer.change.because)
    said["lost from sight"] = texts(answer.change.lost)
    return {name: text for name, text in said.items() if text}


def _listed(literals: Sequence[str]) -> str:
    more = len(literals) - _MANY
    return "\n".join([*literals[:_MANY], *([f"and {more} more"] if more > 0 else [])])


def height_of(rows: int) -> int:
    return 28 if rows <= 12 else 22 if rows <= 30 else 18


def font_size_of(rows: int) -> int:
    return SIZE["small"] if height_of(rows) > 18 else SIZE["tiny"]


def kinds_in(history: History) -> set[str]:
    """The outcomes and marks that occur in a history, for the legend, and its colours."""
    found, looks = set[str](), set[str]()
    for answer in history.answers:
        found.add(answer.outcome)
        looks.add(look_of(answer))
        found |= {_KNOWN[literal.negated] for literal in answer.evidence}
        if answer.outcome == OPEN:
            found |= {_AWAITED[literal.negated] for literal in answer.missing} | {DEADLINE}
        if answer.chances:
            found.add(STRETCH)
    looks &= theme.SEVERITY.keys()
    return found | (looks if looks != {PLAIN} else set())


def marks_with_answers() -> alt.Chart:
    """The data of a chart of rows."""
    fields = ["lane", "text", "time", "look", "colour", "since", "tip"]
    answers = alt.LookupData(alt.NamedData("answers"), "row", fields)
    return alt.Chart(alt.NamedData("marks")).transform_lookup("row", answers)


def row_chart(
    every: alt.Chart,
    area: Frame,
    number: int,
    kinds: Collection[str],
    columns: LabelColumns,
    *,
    y: str = "row",
    scale: alt.Scale | None = None,
) -> alt.LayerChart:
    """The chart of rows, numbered by `y` from 1 on; `kinds` are marks, outcomes and colours that occur."""
    step = height_of(number)
    down = alt.Scale(domain=[number + 0.5, 0.5], nice=False, zero=False)
    every = every.encode(y=alt.Y(f"{y}:Q", axis=None, scale=down))
    x, tall = area.x(scale, titled=scale is None, marks=scale is None), step * number > _TALL

    def of(kinds: Collection[str]) -> alt.Chart:
        return every.transform_filter(alt.FieldOneOfPredicate("kind", sorted(kinds)))

    shift, tip = alt.ExprRef("datum.shift"), alt.value(alt.ExprRef("datum.tip"))
    x2, bare = alt.X2(field="x2"), x.axis(None)
    stroke, colour = alt.Stroke("colour:N", scale=None), alt.Fill("colour:N", scale=None)
    size = alt.value(55 if step < 20 else 85)
    # The line around a bar shows answers that were decided at once.
    bar: dict[str, Any] = {
        "height": round(step * 0.3),
        "strokeWidth": _ROUND,
        "strokeJoin": "round",
        "opacity": _FAINT,
    }
    point: dict[str, Any] = {"filled": True, "opacity": 1, "strokeWidth": 0, "xOffset": shift, "clip": True}
    hole = [(AWAITED, "circle"), (ABSENCE, "diamond")]
    layers = [
        of([BAND]).mark_rect(clip=False, color=theme.INK, opacity=_SHADE)
        .encode(x=alt.value(alt.ExprRef("-margin")), x2=alt.value("width"), y2="y2:Q"),
        of([AHEAD]).mark_rule(strokeDash=[2, 3], clip=True).encode(x=x, x2=x2, stroke=stroke),
        of([BAR]).mark_bar(clip=True, x2Offset=shift, **bar)
        .encode(x=bare, x2=x2, fill=_look(kinds), stroke=stroke, tooltip=tip),
        *columns.layers(of([BAR]), font_size_of(number)),
        *(_deep(of([STRETCH]), bar, bare, tip) if STRETCH in kinds else ()),
        *(_now(area, bare, tall=tall) if OPEN in kinds else ()),
        *(of([kind]).mark_point(shape=shape, color=theme.PAPER, **point).encode(x=bare, size=size)
          for kind, shape in hole if kind in kinds),
        of([CONFIRMED, REJECTED, LOST]).mark_point(**point)
        .encode(x=bare, size=size, tooltip=tip, fill=colour, shape=_shapes(kinds)),
        of({*_SHAPES} - {CONFIRMED, REJECTED, LOST}).mark_point(fill=theme.INK, **point)
        .encode(x=bare, size=size, tooltip=tip, shape=_shapes(kinds)),
    ]  # fmt: skip
    if tall:
        layers.append(of([BAR]).mark_rule(opacity=0).encode(x=x.axis(area.axis(above=True))))
    chart = alt.LayerChart(layer=layers).properties(width=area.width, height=step * number)
    found: alt.LayerChart = chart.resolve_axis(x="independent")
    return found


def _look(kinds: Collection[str]) -> alt.Fill:
    """The colour of bars, with a legend unless all are the usual one."""
    shown = [look for look in theme.SEVERITY if look in kinds]
    scale = alt.Scale(domain=[*LOOKS], range=[*LOOKS.values()])
    square = alt.Legend(title=None, values=shown, symbolType="square", symbolOpacity=1, symbolStrokeWidth=0)
    return alt.Fill("look:N", scale=scale, legend=square if shown else None)


def _shapes(kinds: Collection[str]) -> alt.Shape:
    shown = {kind: shape for kind, shape in _SHAPES.items() if kind in kinds}
    legend = alt.Legend(title=None, symbolFillColor=theme.INK, symbolStrokeWidth=0)
    return alt.Shape("kind:N", scale=alt.Scale(domain=[*shown], range=[*shown.values()]), legend=legend)


def _deep(stretches: alt.Chart, bar: dict[str, Any], x: alt.X, tip: Any) -> list[alt.Chart]:
    """Bars that are deep where an answer was likely; they touch, and together are as long as one."""
    size = {"height": bar["height"] + _ROUND, "xOffset": -_ROUND / 2, "x2Offset": alt.ExprRef("datum.shift")}
    depth = alt.Opacity("depth:Q", scale=None)
    fill = alt.Fill("colour:N", scale=None)
    chart = stretches.mark_bar(clip=True, strokeWidth=0, **size)
    return [chart.encode(x=x, x2=alt.X2(field="x2"), fill=fill, opacity=depth, tooltip=tip)]


def _now(area: Frame, x: alt.X, *, tall: bool) -> list[alt.Chart]:
    """The last tick known; its name is above the axis, if that is above the rows."""
    now = alt.Chart({"values": [{"x": area.clock.axis_value(area.now), "text": "now"}]}).encode(x=x)
    return [
        now.mark_rule(clip=True).encode(color=alt.value(theme.MUTED)),
        now.mark_text(dy=-26 if tall else -8, fontWeight=600)
        .encode(y=alt.value(0), text="text:N", color=alt.value(theme.INK)),
    ]  # fmt: skip
