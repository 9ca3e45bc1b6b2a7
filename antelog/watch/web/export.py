"""Exports a view as CSV or as a self-contained HTML file; browsers print PDF."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import msgspec
from markupsafe import Markup

from antelog.engine.step.wording import LOST, meaning
from antelog.escaping import cell
from antelog.forecast.scores.scores import table
from antelog.language.highlighting import html_lines
from antelog.language.moments import Timescale
from antelog.lines import LogLine
from antelog.watch.board.answer_table import SORTS
from antelog.watch.board.board import Board
from antelog.watch.board.selection import MOST, SEVERITIES, Given, decided_filter, selection_of
from antelog.watch.board.tracked_answer import marks
from antelog.watch.web.freshness import freshness
from antelog.watch.web.live_board import LiveBoard
from antelog.watch.web.templating import render
from antelog.watch.web.views import PARTS
from antelog.watch.web.views.context import ViewContext
from antelog.watch.web.views.lists import because

Row = Sequence[object]

_WHOLE = {"from": ["0"], "count": [str(MOST)]}  # the rows in a file of HTML; a CSV has all


def of_view(live: LiveBoard, path: str, form: str, given: Given) -> str | None:
    """Exports a view; None if there is no such view or form."""
    view, _, rest = path.partition("/")
    if form == "html" and view in PARTS:
        return page(live, view, rest, given)
    if form == "csv" and view in _TABLES:
        return as_csv(_TABLES[view](live, rest, given))
    return None


def _names(scale: Timescale | None, *names: str, unit: str = "time") -> Sequence[str]:
    """Names columns of ticks, each with its time or seconds beside it where the program has a `tick`."""
    return [each for name in names for each in ((name, f"{name} ({unit})") if scale else (name,))]


def _cells(scale: Timescale | None, *ticks: int | None) -> Sequence[object]:
    """Lists ticks, each with its time in ISO 8601 as the columns are named."""
    if scale is None:
        return ticks
    known = [None if tick is None or tick not in scale.ticks else scale.time(tick) for tick in ticks]
    times = (None if time is None else time.isoformat() for time in known)
    return [each for pair in zip(ticks, times, strict=True) for each in pair]


def _lengths(scale: Timescale | None, *ticks: int | None) -> Sequence[object]:
    """Lists numbers of ticks, each with its seconds."""
    if scale is None:
        return ticks
    seconds = (None if each is None else f"{each * scale.length / 1e6:g}" for each in ticks)
    return [each for pair in zip(ticks, seconds, strict=True) for each in pair]


def as_csv(lines: Iterable[Row]) -> str:
    """Writes rows as CSV; texts that look like formulas are escaped for spreadsheets."""
    return csv_text([cell(str(value)) if value is not None else "" for value in line] for line in lines)


def csv_text(rows: Iterable[Row], end: str = "\r\n") -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator=end).writerows(rows)
    return file.getvalue()


def page(live: LiveBoard, view: str, rest: str, given: Given) -> str | None:
    """Writes a view as an HTML file with its style, which loads nothing and has no script."""
    if view == "answer":
        live.find(rest)
    covers, then = freshness(live, live.present).covers, live.moment
    scene = ViewContext(live.board, given={**given, **_WHOLE}, live=False, stale=covers, then=then)
    found = PARTS[view](scene, rest)
    if found is None:
        return None
    reached = "" if live.board.tick is None else scene.clock.at(live.board.tick)
    title = f"{live.board.head.source.name or 'antelog'}: {view}, {reached}"
    return render("export.html", title=title, view=found)


def _now(live: LiveBoard, _rest: str, given: Given) -> Iterator[Row]:
    scale = live.board.head.timescale
    names = _names(scale, "since", "decided by"), _names(scale, "at")
    yield ("query", "answer", "chance", *names[0], "if nothing comes", *names[1], "evidence", "awaited", "id")
    for answer in live.board.tables.select(replace(selection_of(given), start=0, count=-1)):
        now = answer.now
        change, at = now.silent or (LOST if now.change == LOST else None, None)
        yield (
            answer.query,
            live.board.head.label(answer),
            now.chance,
            *_cells(scale, answer.since, now.decided_by),
            change,
            *_cells(scale, at),
            *_first(live, answer.line),
            answer.id,
        )


def _answer(live: LiveBoard, rest: str, _given: Given) -> Iterator[Row]:
    scale = live.board.head.timescale
    yield (*_names(scale, "tick"), "change", "chance", *_names(scale, "decided by"), "evidence", "awaited")
    found = live.find(rest)
    for line in found.all_lines if found else ():
        yield (
            *_cells(scale, line["tick"]),
            meaning(line),
            line.get("chance"),
            *_cells(scale, line.get("decided_by")),
            *_first(live, line),
        )


def _decided(live: LiveBoard, _rest: str, given: Given) -> Iterator[Row]:
    scale = live.board.head.timescale
    lengths = _names(scale, "open for", "alerted before", unit="seconds")
    yield ("query", "answer", "words", "became", *_names(scale, "at"), *lengths, "because", "id")
    table, scene = live.board.tables.decided, ViewContext(live.board)
    for answer in table.answers(table.where(decided_filter(given)), SORTS["decided"]):
        yield (
            answer.query,
            live.board.head.label(answer),
            answer.line.get("text"),
            answer.now.change,
            *_cells(scale, answer.now.tick),
            *_lengths(scale, answer.open_for, answer.alerted_before),
            because(scene, answer),
            answer.id,
        )


def _inputs(live: LiveBoard, _rest: str, _given: Given) -> Iterator[Row]:
    scale = live.board.head.timescale
    lengths = (*_names(scale, "newest"), *_names(scale, "delay", "ticks late", unit="seconds"))
    yield ("input", "facts", *lengths, "facts so late", "set aside", "reason")
    for each in live.board.inputs.each():
        newest, delay = _cells(scale, each.newest), _lengths(scale, each.delay, None)
        yield (each.name, each.facts, *newest, *delay, None, None, None)
        for late, count in sorted(each.late.items()):
            yield (each.name, None, *_cells(scale, None), *_lengths(scale, None, late), count, None, None)
        for reason, count in each.rejects.items():
            yield (each.name, None, *_cells(scale, None), *_lengths(scale, None, None), None, count, reason)


def _trust(live: LiveBoard, _rest: str, _given: Given) -> Iterator[Row]:
    scale, names = live.board.head.timescale, ("threshold", "alerts", "precision", "found")
    lead = _names(scale, "lead time, half of them", unit="seconds")
    yield ("query", "alerted from", "alerts", "right", "of all confirmed", *lead)
    for row in table(live.board.trust.scores()).to_pylist():
        for alert in row["alerts"]:
            yield (row["query"], *(alert[name] for name in names), *_lengths(scale, alert["lead_half"]))


def _plan(live: LiveBoard, _rest: str, _given: Given) -> Iterator[Row]:
    yield ("query", "change", "lines")
    for (query, change), count in sorted(live.board.changes.items()):
        yield (query, change, count)


def _first(live: LiveBoard, line: LogLine) -> tuple[str, str]:
    """Writes the evidence and the hypotheses of the first explanation, with times in place of ticks."""
    found = marks(line, live.board.head.timescale)
    known = (each.text for each in found if each.known)
    return "; ".join(known), "; ".join(each.text for each in found if not each.known)


_TABLES: dict[str, Callable[[LiveBoard, str, Given], Iterable[Row]]] = {
    "now": _now,
    "list": _now,
    "answer": _answer,
    "decided": _decided,
    "inputs": _inputs,
    "trust": _trust,
    "plan": _plan,
}


# ---- a draft with all its ticks ----

_EVERY = {"severity": list(SEVERITIES), "group": ["none"], **_WHOLE}


class Sheet(msgspec.Struct, frozen=True):
    """A table of texts, as in a CSV file."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def filled(self) -> tuple[tuple[str, ...], ...]:
        """The rows that are not blank, each as wide as the table."""
        width = len(self.columns)
        rows = (tuple((*row, *[""] * width)[:width]) for row in self.rows)
        return tuple(row for row in rows if any(map(str.strip, row)))


class Draft(msgspec.Struct, frozen=True):
    """The text of a program, and tables of facts by input or static predicate."""

    program: str
    tables: dict[str, Sheet] = {}


def as_page(
    draft: Draft, name: str, begin: int | None, boards: Iterable[tuple[int, Board]], changing: Iterable[int]
) -> str:
    """Writes a draft and its boards by tick as one file of HTML, which shows the tick `begin` first."""
    changing = frozenset(changing)
    scenes = ((tick, ViewContext(board, given=_EVERY, live=False)) for tick, board in boards)
    return render(
        "shared.html",
        draft=draft,
        file=name,
        begin=begin,
        lines=[Markup(line) for line in html_lines(draft.program)],  # which Pygments escapes
        ticks=[
            {
                "tick": tick,
                "text": scene.clock.short(tick),
                "changes": tick in changing,
                "now": PARTS["list"](scene, ""),
                "decided": PARTS["decided"](scene, "rows"),
            }
            for tick, scene in scenes
        ],
    )
