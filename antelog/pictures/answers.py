"""Pictures of histories, with a row for each answer, or numbers if there are many; and `antelog.draw`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from antelog.answers import CONFIRMED, OPEN, REJECTED
from antelog.arrow.ticks import Moment, tick_of
from antelog.compile.nodes.plan import Plan
from antelog.engine.step.wording import LOST
from antelog.errors import DataError
from antelog.forecast.reports.words import count
from antelog.given import NAMED, POSITIVE, TEXT, TEXTS, checked, either, of, optional
from antelog.language.checks.suggestions import require_known
from antelog.pictures import rows, theme
from antelog.pictures.columns import LabelColumns, Lanes, columns_of
from antelog.pictures.drawing import THEMES, Data, Drawing, Theme
from antelog.pictures.history import OUTCOMES, History, changes_in, history, times_of
from antelog.pictures.plan import draw_plan
from antelog.pictures.rows import LOOKS, NUMBERS, Frame, Row
from antelog.process import Engine
from antelog.program import Program

ROWS = 60
WIDTH = 800
_NOTHING = "Nothing to draw: there are no answers."


def draw_answers(
    history: History,
    plan: Plan | None = None,
    *,
    title: str = "Answers over time",
    width: int = WIDTH,
    theme: Theme = "auto",
    most: int = ROWS,
) -> Drawing:
    """`plan` says how long a tick is; more than `most` answers are counted instead of shown one by one."""
    shown = rows.clock(plan.timescale if plan else None, history.first, history.last)
    lanes = Lanes(history, plan)
    if plan and shown.stamps:
        history = history.timed(times_of(plan), shown.text)
    history = history.with_distinct_words(lanes.shown)
    number = len(history.answers)
    parts = [f"{history.count(outcome):,} {outcome}" for outcome in OUTCOMES if history.count(outcome)]
    words = count(number, "answer") + (f": {', '.join(parts)}" if parts else "")
    if not number:
        return Drawing(_finished(_nothing(width), title, words), title, theme)
    listed = lanes.together(history) if number <= most else explored(history)
    labels = [lanes.row(answer) for answer in listed.answers]
    columns = columns_of(labels, width, rows.font_size_of(min(number, DETAIL if number > most else number)))
    area = rows.frame(history, shown, width, columns.margin)
    if number <= most:
        chart = rows.row_chart(rows.marks_with_answers(), area, number, rows.kinds_in(history), columns)
        return Drawing(
            _finished(chart, title, words, area, columns), title, theme, _data(listed, area, columns)
        )
    # Numbers end where facts do, and have no labels.
    wide = replace(rows.frame(history, shown, width), last=history.now)
    return Drawing(
        _finished(_stacked(panels(history, wide)), title, words, wide),
        title,
        theme,
        {},
        _finished(explorable(history, area, columns), title, words, area, columns),
        _data(listed, area, columns, every=True),
    )


def _data(history: History, area: Frame, columns: LabelColumns, *, every: bool = False) -> Data:
    """The data of rows: each with its lane, or only the first of a lane, and a band behind every other."""
    lanes = [row.lane for row in columns.rows]
    first = [every or number == 0 or lane != lanes[number - 1] for number, lane in enumerate(lanes)]
    answers = [
        row | columns.of_row(number, lane=lane)
        for number, (row, lane) in enumerate(zip(rows.answer_rows(history, area.clock), first, strict=True))
    ]
    return {
        "answers": answers,
        "marks": [*([] if every else rows.band_rows(lanes)), *rows.mark_rows(history, area)],
    }


def _nothing(width: int) -> alt.LayerChart:
    """A sentence in place of rows."""
    said = alt.Chart({"values": [{}]}).mark_text(fontSize=14, color=theme.MUTED)
    middle = {of: alt.value(alt.ExprRef(f"{size} / 2")) for of, size in (("x", "width"), ("y", "height"))}
    return alt.LayerChart(layer=[said.encode(text=alt.value(_NOTHING), **middle)]).properties(
        width=width - 36, height=120
    )


def _finished(
    chart: alt.LayerChart | alt.VConcatChart,
    title: str,
    subtitle: str,
    area: Frame | None = None,
    columns: LabelColumns | None = None,
) -> alt.TopLevelMixin:
    margin = area.margin if area else 0
    wide = {"columns": max(2, area.width // 92) if area else 0}
    found = chart.properties(
        title=alt.TitleParams(title, subtitle=subtitle),
        padding={"left": 12, "right": 24, "top": 12, "bottom": 12},
        config=theme.CONFIG | {"legend": theme.CONFIG["legend"] | wide},
        usermeta={"margin": margin, "widest": 1100},
    ).add_params(alt.param(name="margin", value=margin))
    return found.add_params(alt.param(name="width_of_labels", expr=columns.width)) if columns else found


DETAIL = 30  # the rows of the closer look
_EXPLORED = 20_000  # the most answers that can be looked at closely


def explorable(history: History, frame: Frame, columns: LabelColumns) -> alt.VConcatChart:
    """The numbers, and the answers of a stretch of time that the reader marks."""
    # At first it is from the middle on, as long as the first answers there take.
    answers = explored(history).answers
    some = answers[len(answers) // 2 :][:DETAIL]
    begin, end = some[0].since, max(answer.until for answer in some)
    beside = max(0.5, 0.03 * (end - begin))  # for the marks at the ends
    stretch = [frame.clock.axis_value(begin - beside), frame.clock.axis_value(end + 1 + beside)]
    brush = alt.selection_interval(
        name="stretch", encodings=["x"], value={"x": stretch},
        mark=alt.BrushConfig(fill=theme.MUTED, fillOpacity=0.15, stroke=theme.MUTED, cursor="ew-resize"),
    )  # fmt: skip
    first, *others = panels(history, frame)
    near = (
        rows.marks_with_answers()
        .transform_filter("!stretch.x || datum.since >= stretch.x[0] && datum.since <= stretch.x[1]")
        .transform_window(rank="dense_rank()", sort=[alt.SortField("row")])
        .transform_filter(f"datum.rank <= {DETAIL}")
    )
    scale = alt.Scale(type="utc" if frame.clock.stamps else "linear", domain=brush, nice=False, zero=False)
    closer = rows.row_chart(near, frame, DETAIL, rows.kinds_in(history), columns, y="rank", scale=scale)
    text = f"A closer look: the first {DETAIL} answers of the marked stretch"
    return _stacked([first.add_params(brush), closer.properties(title=panel_title(text)), *others])


def explored(history: History) -> History:
    """The answers that can be looked at closely, in the order in which they began."""
    found = sorted(history.answers, key=lambda answer: (answer.since, answer.until))
    return replace(history, answers=tuple(found[:_EXPLORED]))


def _stacked(charts: Sequence[alt.Chart | alt.LayerChart]) -> alt.VConcatChart:
    stacked: alt.VConcatChart = alt.VConcatChart(vconcat=[*charts], spacing=26).resolve_scale(
        color="independent", shape="independent"
    )
    return stacked


# ---- numbers over time ----


_BAR = 5  # the least width of a column, in pixels
_HEIGHT = 120
_DECIDED = [OPEN, *LOOKS]
_LEVELS = 12  # the most classes of waiting times
Ticks = NDArray[np.int64]


def panels(history: History, frame: Frame) -> list[alt.Chart]:
    """A chart for each question, all with the same axis of time."""
    since = np.array([answer.since for answer in history.answers], np.int64)
    until = np.array([answer.until for answer in history.answers], np.int64)
    looks = (OPEN if each.outcome == OPEN else rows.look_of(each) for each in history.answers)
    outcome = np.array([OUTCOMES.index(answer.outcome) for answer in history.answers], np.int64)
    return [
        _open_ones(since, until[outcome != OUTCOMES.index(OPEN)], frame),
        _decided_ones(until, np.array([*map(_DECIDED.index, looks)]), frame),
        _waiting_times(since, until - since, frame),
    ]


def panel_title(text: str) -> alt.TitleParams:
    """A title above the left end of the axis, which all panels share; their labels are of many widths."""
    return alt.TitleParams(text, fontSize=12, color=theme.INK, offset=8, frame="group")


def _open_ones(since: Ticks, decided: Ticks, frame: Frame) -> alt.Chart:
    ticks = np.unique(np.concatenate([since, decided, [frame.now]]))
    begun, ended = (np.searchsorted(np.sort(each), ticks, "right") for each in (since, decided))
    lines = []
    for tick, number in zip(ticks.tolist(), (begun - ended).tolist(), strict=True):
        tip = {"tick": frame.clock.text(tick), "open": number}
        lines.append({"x": frame.clock.axis_value(tick), "open": number, "tip": tip})
    line: dict[str, Any] = {"line": {"color": theme.BLUE}, "color": theme.BLUE, "fillOpacity": 0.28}
    chart = _panel(lines, "Open answers", frame).mark_area(interpolate="step-after", clip=True, **line)
    most = max(line["open"] for line in lines)
    y = _count("open", 0, most).scale(nice=False, domainMax=1.03 * max(most, 1))  # the line has a width
    found: alt.Chart = chart.encode(x=frame.x(titled=False), y=y)
    return found


def _decided_ones(until: Ticks, looks: Ticks, frame: Frame) -> alt.Chart:
    """Confirmed ones stand on each other, the most severe at the bottom; rejected and lost hang below."""
    size = _columns(frame)
    lines: list[Row] = []
    heights: Counter[tuple[int, int]] = Counter()
    for look in LOOKS:
        name, sign = (look, -1) if look in (REJECTED, LOST) else (CONFIRMED, 1)
        columns, counts = np.unique(until[looks == _DECIDED.index(look)] // size, return_counts=True)
        for start, number in zip((columns * size).tolist(), counts.tolist(), strict=True):
            tip = {"decided": _stretch(start, size, frame), name: number, "severity": look}
            begin = sign * heights[start, sign]
            heights[start, sign] += number
            place = {"from": begin, "number": begin + sign * number}
            lines.append(_place(start, size, frame) | place | {"kind": name, "look": look, "tip": tip})
    each = "tick" if size == 1 else f"{size:,} ticks"
    chart = _panel(lines, f"Decided in each {each}: confirmed above, rejected below", frame)
    scale = alt.Scale(domain=[*LOOKS], range=[*LOOKS.values()])
    colour = alt.Color("look:N", scale=scale, legend=None)
    numbers = [0, *(line["number"] for line in lines)]
    y = _count("number", min(numbers), max(numbers), labelExpr="format(abs(datum.value), ',')")
    x = frame.x(titled=False)
    found: alt.Chart = chart.mark_rect(opacity=0.85, clip=True).encode(
        x=x, x2=alt.X2(field="x2"), y=y.scale(nice=False), y2=alt.Y2(field="from"), color=colour
    )
    return found


def _waiting_times(since: Ticks, waited: Ticks, frame: Frame) -> alt.Chart:
    size, level = _columns(frame), easy(int(waited.max()) / _LEVELS)
    places = np.stack([since // size * size, waited // level * level])
    cells, counts = np.unique(places, axis=1, return_counts=True)
    lines = []
    for (start, low), number in zip(cells.T.tolist(), counts.tolist(), strict=True):
        span = f"{low:,} ticks" if level == 1 else f"{low:,} to {low + level - 1:,} ticks"
        tip = {"first evidence": _stretch(start, size, frame), "open for": span, "answers": number}
        height = {"low": low - 0.5, "high": low + level - 0.5}
        lines.append(_place(start, size, frame) | height | {"number": number, "tip": tip})
    shade = alt.Scale(range=[0.12, 1], type="sqrt", domainMin=0)
    chart = _panel(lines, "Ticks from first evidence to decision (strong: many answers)", frame)
    opacity = alt.FillOpacity("number:Q", scale=shade, legend=None)
    y = _count("low", 0, int(waited.max()), grid=False).scale(nice=False)
    found: alt.Chart = chart.mark_rect(fill=theme.PURPLE, clip=True).encode(
        x=frame.x(), x2=alt.X2(field="x2"), y=y, y2=alt.Y2(field="high"), fillOpacity=opacity
    )
    return found


def easy(number: float) -> int:
    """The next number that is easy to read: 1, 2, 5, 10, 20, …"""
    steps = (first * 10**power for power in range(20) for first in (1, 2, 5))
    return next(int(step) for step in steps if step >= number)


def _panel(lines: Sequence[Row], title: str, frame: Frame) -> alt.Chart:
    chart = alt.Chart({"values": lines}, title=panel_title(title), width=frame.width, height=_HEIGHT)
    return chart.encode(tooltip=alt.value(alt.ExprRef("datum.tip")))


def _count(field: str, lowest: int, highest: int, **given: Any) -> alt.Y:
    """An axis of whole numbers, few and easy to read; Vega's own would have halves between 0, 1 and 2."""
    step = easy((highest - lowest) / 4)
    values = list(range(-(-lowest // step) * step, highest + 1, step))
    axis: dict[str, Any] = {"format": ",d", "values": values, "minExtent": NUMBERS, "maxExtent": NUMBERS}
    return alt.Y(f"{field}:Q", axis=alt.Axis(title=None, **axis | given))


def _columns(frame: Frame) -> int:
    """The width of a column in ticks."""
    return easy((frame.last - frame.first + 1) * _BAR / frame.width)


def _place(start: int, size: int, frame: Frame) -> Row:
    return {"x": frame.clock.axis_value(start - 0.5), "x2": frame.clock.axis_value(start + size - 0.5)}


def _stretch(start: int, size: int, frame: Frame) -> str:
    first, last = frame.clock.text(start), frame.clock.text(start + size - 1)
    return first if size == 1 else f"{first} to {last}"


@checked(
    program=optional(of(Program, "an antelog.Program")),
    query=either(TEXT, TEXTS),
    answer=optional(NAMED),
    title=optional(TEXT),
    width=POSITIVE,
    theme=TEXT,
    rows=POSITIVE,
)
def draw(
    source: Any,
    *,
    program: Program | None = None,
    query: str | Sequence[str] = (),
    answer: Mapping[str, object] | None = None,
    now: Moment | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    title: str | None = None,
    width: int = WIDTH,
    theme: Theme = "auto",
    rows: int = ROWS,
) -> Drawing:
    """A picture that notebooks display, and `save` writes to a file (.svg, .png or .html).

    source    changes: what `engine.advance` returned (one or a list), frames of it, or the path of a log in
              JSON lines. An engine: what is open now. A program: its predicates, rules and strata
    program   says how long a tick is, so that times can be shown; with it `now`, `since` and `until` may be
              timestamps, also as texts
    query     only the answers of this query, or of these
    answer    only the answers with these values: {"X": "wt2"}
    now       the last finished tick, if it is later than the last change
    since     the first tick that is shown
    until     the last tick of which changes are read; what became of answers later is left out
    theme     light, dark, or auto: as the reader prefers
    rows      more answers than these are counted instead of shown one by one
    """
    require_known(theme, THEMES, "there is no theme", "There are")
    if isinstance(source, Program):
        return draw_plan(source, title=title, width=width, theme=theme)
    plan: Plan | None
    if isinstance(source, Engine):
        if until is not None:
            raise DataError("an engine knows what is open now, not what was open before; leave out `until`")
        tables = {each.name: source.answers(each.name) for each in source.plan.queries}
        found, plan = history(changes_in(tables), source.now).by_time(), source.plan
    else:
        plan = program.plan if program else None
        changes = changes_in(source)
        last = None if now is None else tick_of(now, plan.timescale if plan else None)
        if until is not None:
            last = end = tick_of(until, plan.timescale if plan else None)
            changes = (change for change in changes if change.tick <= end)
        found = history(changes, last)
    if since is not None:
        found = found.since(tick_of(since, plan.timescale if plan else None))
    queries = [query] if isinstance(query, str) else query
    found = found.only(queries, {name: str(value) for name, value in (answer or {}).items()})
    return draw_answers(found, plan, title=title or "Answers over time", width=width, theme=theme, most=rows)
