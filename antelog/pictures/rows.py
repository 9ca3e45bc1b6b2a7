"""Answers over time with a row for each: from its first evidence to its decision."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from antelog.forecast.reports.words import percent
from antelog.language.line_literals import LineLiteral
from antelog.pictures import labels as texts
from antelog.pictures import theme
from antelog.pictures.clock import Calendar, Clock
from antelog.pictures.history import CLOSED, CONFIRMED, OPEN, PLAIN, REJECTED, Answer, History

Row = dict[str, Any]

BAR, AHEAD, EVIDENCE, AWAITED, DEADLINE = "bar", "ahead", "evidence", "awaited", "deadline"
NUMBERS = 52
"""The pixels for the numbers at an axis."""
STRETCH = "stretch"
"""A part of a bar, deep where its answer was likely."""
_FAINT = 0.28
_ROUND = 6
"""A bar is so many pixels wider and higher than what it shows."""
_BESIDE = 14
"""A mark that would cover another is drawn this many pixels to the right."""
_CONFIRMED = {
    name: CONFIRMED if name == PLAIN.severity else f"{CONFIRMED} ({name})" for name in theme.SEVERITY
}
"""The marks of confirmed answers by severity: one shape, in the colour of the severity."""
_SHAPES = {
    OPEN: "square",
    EVIDENCE: "circle",
    AWAITED: "M-1,0A1,1,0,1,1,1,0A1,1,0,1,1,-1,0ZM-.66,0A.66,.66,0,1,0,.66,0A.66,.66,0,1,0,-.66,0Z",
    DEADLINE: "M-.16,-1.15L.16,-1.15L.16,1.15L-.16,1.15Z",
    **dict.fromkeys(_CONFIRMED.values(), "M-1.1,.05L-.75,-.3L-.3,.15L.8,-.95L1.15,-.6L-.3,.85Z"),
    REJECTED: "M-.9,-.6L-.6,-.9L0,-.3L.6,-.9L.9,-.6L.3,0L.9,.6L.6,.9L0,.3L-.6,.9L-.9,.6L-.3,0Z",
    CLOSED: "M-1,-.25L1,-.25L1,.25L-1,.25Z",
}
COLOURS = {
    OPEN: theme.BLUE, EVIDENCE: theme.INK, AWAITED: theme.INK, DEADLINE: theme.INK,
    **dict.fromkeys((REJECTED, CLOSED), theme.GREY),
    **{_CONFIRMED[name]: colour for name, colour in theme.SEVERITY.items()},
}  # fmt: skip
_MANY = 12
"""The literals that are listed; the others are counted."""
_LEAST = 10
"""A bar is at least so many pixels wide, so that an answer is seen that was open for one tick of 10,000."""
_BEFORE, _AFTER = 10, 2 * _BESIDE + 8
"""The pixels before the first tick and after the last, for the marks there."""


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
        """The width of some ticks in pixels."""
        return ticks * self.width / (self.last - self.first + 1.2)

    def x(self, scale: alt.Scale | None = None, *, titled: bool = True, marks: bool = False) -> alt.X:
        """The axis of time; with a scale of its own, only a part of it; with room for marks at its ends."""
        title = self.clock.title if titled else None
        before, after = (max(0.6, marks * room / self.pixels(1)) for room in (_BEFORE, _AFTER))
        domain = [self.clock.axis_value(self.first - before), self.clock.axis_value(self.last + after)]
        count = max(2, self.width // 70)
        if isinstance(self.clock, Calendar):
            count = max(2, self.width // 100) if self.clock.several_years else count
            axis = alt.Axis(title=title, tickCount=count, labelExpr=self.clock.labels)
            scale = scale or alt.Scale(type="utc", domain=domain, nice=False)
            return alt.X("x:T", axis=axis, scale=scale)
        axis = alt.Axis(title=title, format="d", tickMinStep=1, tickCount=count)
        return alt.X("x:Q", axis=axis, scale=scale or alt.Scale(domain=domain, nice=False, zero=False))


def frame(history: History, clock: Clock, width: int, *, labelled: bool = True) -> Frame:
    """The whole of a history, with what is awaited and the deadlines, and with room for labels or numbers."""
    widest = max((texts.width_of(answer.label) for answer in history.answers), default=0.0)
    margin = min(int(widest) + texts.ROOM + 2, int(width * 0.36)) if labelled else NUMBERS
    return Frame(clock, history.first, history.last, history.now, width - margin - 24, margin)


def answer_rows(history: History, clock: Clock) -> list[Row]:
    """A line for each answer, with what there is to say about it."""
    return [
        {
            "row": number,
            "label": answer.label,
            "each": round(texts.width_of(answer.label) / len(answer.label), 2),
            "colour": COLOURS[_kind_of(answer)],
            "since": clock.axis_value(answer.since),
            "tip": _tip(answer, clock),
        }
        for number, answer in enumerate(history.answers, 1)
    ]


def _kind_of(answer: Answer) -> str:
    """The mark of an outcome; the colour of a confirmed answer is its severity."""
    return _CONFIRMED[answer.wording.severity] if answer.outcome == CONFIRMED else answer.outcome


def mark_rows(history: History, frame: Frame) -> list[Row]:
    """A line for whatever is drawn; open answers without a deadline go on to the last tick of the frame."""
    return [
        mark for number, answer in enumerate(history.answers, 1) for mark in _marks_of(number, answer, frame)
    ]


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
    known = {*answer.literals.evidence.values()}
    yield from (mark(EVIDENCE, tick) for tick in sorted(known))
    if answer.outcome != OPEN:
        yield mark(_kind_of(answer), answer.until, shift=_BESIDE + wider)
        return
    end = last if answer.outlook.decided_by is None else answer.outlook.decided_by
    if end > answer.until:
        yield mark(AHEAD, answer.until, end=end)
    times = (literal.tick for literal in answer.literals.missing)
    expected = {end if time is None else min(max(time, answer.since), last) for time in times}
    yield from (mark(AWAITED, tick, shift=_BESIDE if tick in known else 0) for tick in sorted(expected))
    if answer.outlook.decided_by is not None:
        yield mark(DEADLINE, answer.outlook.decided_by)


def _stretches(number: int, answer: Answer, clock: Clock, wider: int) -> Iterator[Row]:
    """The bar of an answer with chances: from each tick at which one was said to the next."""
    chances = answer.outlook.chances
    if not chances:
        return
    depths = [(answer.since, 0.0), *((tick, chance) for tick, chance in chances.items())]
    ends = [*(tick for tick, _ in depths[1:]), answer.until]
    for place, ((tick, chance), end) in enumerate(zip(depths, ends, strict=True)):
        last = place == len(depths) - 1
        if end > tick or last:
            yield {
                "row": number,
                "kind": STRETCH,
                "x": clock.axis_value(tick),
                "x2": clock.axis_value(end),
                "shift": _ROUND // 2 + wider if last else -_ROUND // 2,
                "depth": round(0.8 * chance, 3),
            }


def _tip(answer: Answer, clock: Clock) -> Row:
    literals, due_by = answer.literals, answer.outlook.decided_by
    evidence = [
        f"{literal.text(clock.text)}  known at {clock.text(tick)}"
        for literal, tick in literals.evidence.items()
    ]
    awaited, failed = (_texts(each, clock) for each in (literals.missing, literals.because))
    said = {
        "answer": answer.label,
        "atom": "" if answer.label == answer.atom else answer.atom,
        "state": answer.outcome + ("" if answer.outcome == OPEN else f" at {clock.text(answer.until)}"),
        "since": clock.text(answer.since),
        "evidence": _listed(evidence),
    }
    if answer.outcome == OPEN:
        said["missing"] = _listed(awaited)
        said["deadline"] = "none" if due_by is None else clock.text(due_by)
        said["if silent"] = _outlook(answer, clock)
        said["chance"] = "" if answer.outlook.chance is None else percent(answer.outlook.chance)
    said["because"] = _listed(failed)
    return {name: text for name, text in said.items() if text}


def _texts(literals: Iterable[LineLiteral], clock: Clock) -> list[str]:
    return [literal.text(clock.text) for literal in literals]


def _outlook(answer: Answer, clock: Clock) -> str:
    if answer.outlook.silent is None:
        return "it stays open"
    outcome, tick = answer.outlook.silent
    return f"{outcome} at {clock.text(tick)}"


def _listed(literals: Sequence[str]) -> str:
    more = len(literals) - _MANY
    return "\n".join([*literals[:_MANY], *([f"and {more} more"] if more > 0 else [])])


def height_of(rows: int) -> int:
    """The height of a row: the more there are, the lower."""
    return 28 if rows <= 12 else 20 if rows <= 30 else 15


def kinds_in(history: History) -> set[str]:
    """The outcomes and marks that occur in a history, for the legend."""
    kinds = {_kind_of(answer) for answer in history.answers}
    return (
        kinds
        | ({EVIDENCE} if any(a.literals.evidence for a in history.answers) else set())
        | ({AWAITED, DEADLINE} if OPEN in kinds else set())
        | ({STRETCH} if any(a.outlook.chances for a in history.answers) else set())
    )


def marks_with_answers() -> alt.Chart:
    """The data of a chart of rows."""
    answers = alt.LookupData(alt.NamedData("answers"), "row", ["label", "each", "colour", "since", "tip"])
    return alt.Chart(alt.NamedData("marks")).transform_lookup("row", answers)


def row_chart(
    every: alt.Chart, frame: Frame, number: int, kinds: Collection[str], x: alt.X, *, y: str = "row"
) -> alt.LayerChart:
    """The chart of rows, numbered from 1 on by `y`; `kinds` are the marks and outcomes that occur."""
    step = height_of(number)
    number = max(number, 1)
    scale = alt.Scale(domain=[number + 0.5, 0.5], nice=False, zero=False)
    every = every.encode(y=alt.Y(f"{y}:Q", axis=None, scale=scale))

    def of(kinds: Collection[str]) -> alt.Chart:
        return every.transform_filter(alt.FieldOneOfPredicate("kind", [*kinds]))

    shift = alt.ExprRef("datum.shift")
    x2, tip = alt.X2(field="x2"), alt.value(alt.ExprRef("datum.tip"))
    fill, stroke = alt.Fill("colour:N", scale=None), alt.Stroke("colour:N", scale=None)
    # Labels stand outside of what marks are clipped to.
    font_size = min(texts.FONT_SIZE, step - 4)
    labels: dict[str, Any] = {
        "clip": False,
        "align": "right",
        "dx": -8,
        "fontSize": font_size,
        "limit": alt.ExprRef("margin - 6"),
    }
    text = alt.value(alt.ExprRef(texts.cut(font_size)))
    size = alt.value(55 if step < 20 else 85)
    # The line around a bar shows answers that were decided at once.
    bar: dict[str, Any] = {
        "height": round(step * 0.3),
        "strokeWidth": _ROUND,
        "strokeJoin": "round",
        "opacity": _FAINT,
    }
    point: dict[str, Any] = {
        "filled": True,
        "opacity": 1,
        "strokeWidth": 0,
        "xOffset": shift,
    }
    layers = [
        of([BAR]).mark_text(**labels).encode(x=alt.value(0), text=text, color=alt.value(theme.INK)),
        of([AHEAD]).mark_rule(strokeDash=[2, 3], clip=True).encode(x=x, x2=x2, stroke=stroke),
        of([BAR]).mark_bar(clip=True, x2Offset=shift, **bar)
        .encode(x=x, x2=x2, fill=fill, stroke=stroke, tooltip=tip),
        *(_deep(of([STRETCH]), bar, x, tip) if STRETCH in kinds else ()),
        *(_now(frame, x) if OPEN in kinds else ()),
        of([AWAITED]).mark_point(clip=True, color=theme.PAPER, **point).encode(x=x, size=size),
        of(_SHAPES).mark_point(clip=True, **point)
        .encode(x=x, size=size, tooltip=tip, **_marks(kinds)),
    ]  # fmt: skip
    return alt.LayerChart(layer=layers).properties(width=frame.width, height=step * number)


def _deep(stretches: alt.Chart, bar: dict[str, Any], x: alt.X, tip: Any) -> list[alt.Chart]:
    """Bars that are deep where an answer was likely; they touch, and together are as long as one."""
    size = {"height": bar["height"] + _ROUND, "xOffset": -_ROUND / 2, "x2Offset": alt.ExprRef("datum.shift")}
    depth = alt.Opacity("depth:Q", scale=None)
    fill = alt.Fill("colour:N", scale=None)
    chart = stretches.mark_bar(clip=True, strokeWidth=0, **size)
    return [chart.encode(x=x, x2=alt.X2(field="x2"), fill=fill, opacity=depth, tooltip=tip)]


def _marks(kinds: Collection[str]) -> dict[str, Any]:
    """Shape and colour of the marks, with one legend for both."""
    shown = [kind for kind in _SHAPES if kind in kinds]
    scales = ([COLOURS[kind] for kind in shown], [_SHAPES[kind] for kind in shown])
    colours, shapes = (alt.Scale(domain=shown, range=scale) for scale in scales)
    return {
        "color": alt.Color("kind:N", scale=colours, title=None),
        "shape": alt.Shape("kind:N", scale=shapes, title=None),
    }


def _now(frame: Frame, x: alt.X) -> list[alt.Chart]:
    """The tick up to which everything is known."""
    now = alt.Chart({"values": [{"x": frame.clock.axis_value(frame.now), "text": "now"}]}).encode(x=x)
    return [
        now.mark_rule(clip=True).encode(color=alt.value(theme.MUTED)),
        now.mark_text(dy=-8).encode(y=alt.value(0), text="text:N", color=alt.value(theme.MUTED)),
    ]
