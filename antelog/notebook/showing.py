"""Changes and answers as HTML: literals that are true filled, awaited ones hollow, false ones crossed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from antelog.forecast.reports.words import percent
from antelog.given import NATURAL, checked, of, optional
from antelog.language.moments import literal_of, moment
from antelog.markup import Child, Html, lined, plain_table, ready, tag, text
from antelog.pictures.history import Change, Explanation, TickTimes, timed
from antelog.pictures.reading import changes_in
from antelog.process import Engine
from antelog.program import Program

ROWS = 100
_EXPLANATIONS = 5
"""The explanations of an answer that are shown; the others are counted."""
_HEADS = ("tick", "change", "answer", "evidence and what is awaited", "outlook")
_COLOURS = {
    "open": "#2f7fd6", "possible": "#2f7fd6", "revised": "#2f7fd6",
    "confirmed": "#1a8a5a", "rejected": "#a8754f",
    "likely": "#8a4fc0", "unlikely": "#8a4fc0",
}  # fmt: skip
_CHANCE = _COLOURS["likely"]


@dataclass(frozen=True)
class ChangeList:
    """Changes as notebooks display them: the first `most`."""

    changes: tuple[Change, ...]
    most: int = ROWS

    def _repr_html_(self) -> str:
        likely = any(change.outlook.chances for change in self.changes)
        names = _HEADS if not likely else (*_HEADS[:3], "chance", *_HEADS[3:])
        rows = [_row(change, likely) for change in islice(self.changes, self.most)]
        more = len(self.changes) - self.most
        rest = tag("p", f"and {more:,} more; ", tag("code", "antelog.show(…, most=…)"), " shows them")
        none = tag("p", "nothing is open, and nothing has changed")
        return text(plain_table(names, rows), rest if more > 0 else None, None if self.changes else none)

    def __repr__(self) -> str:
        return f"<{len(self.changes):,} changes>"


@checked(program=optional(of(Program, "an antelog.Program")), most=NATURAL)
def show(source: Any, *, program: Program | None = None, most: int = ROWS) -> ChangeList:
    """Changes or answers for a notebook.

    source    what `engine.advance` or `engine.answers` returned (one or a list), a frame of it, the path
              of a log in JSON lines, or an engine, of which the open answers are shown; the lines of a single
              tick are sorted by chance if there are any
    program   says how long a tick is, so that times can be shown where the source has none
    most      so many lines at most
    """
    plan = program.plan if program else None
    if isinstance(source, Engine):
        plan = source.plan
        source = {query.name: source.answers(query.name) for query in source.plan.queries}
    changes = sorted(changes_in(source), key=lambda change: change.tick)
    if len({change.tick for change in changes}) == 1 and any(each.outlook.chances for each in changes):
        changes.sort(key=_likeliest_first)
    if plan is not None and plan.timescale is not None:
        variables = {query.name: query.answer.time for query in plan.queries}
        times = {name: TickTimes(variable, plan.timescale) for name, variable in variables.items()}
        changes = [replace(change, times=times.get(change.query, change.times)) for change in changes]
    return ChangeList(tuple(map(_timed, changes)), most)


def _likeliest_first(change: Change) -> float:
    """The sort key of answers of a tick: confirmed ones first, then the likelier."""
    if change.kind == "confirmed":
        return -2.0
    return 0.0 if change.outlook.chance is None else -change.outlook.chance


def _timed(change: Change) -> Change:
    """A change whose texts have times in place of ticks, if they are known."""
    if change.times is None:
        return change
    written = partial(moment, timescale=change.times.timescale)

    def literals(texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(literal_of(text, written) for text in texts)

    return replace(
        change,
        values=timed(change.values, change.times.variable, written),
        explanations=tuple(
            replace(each, evidence=literals(each.evidence), hypotheses=literals(each.hypotheses))
            for each in change.explanations
        ),
        because=literals(change.because),
    )


def _row(change: Change, likely: bool) -> list[Child]:
    """A line of the table; with a bar for the chance if some line has one."""
    shown: list[Child] = [*map(_explanation, change.explanations[:_EXPLANATIONS])]
    more = len(change.explanations) - len(shown)
    return [
        _moment(change, change.tick),
        tag("b", change.kind, style=f"color:{_COLOURS[change.kind]}"),
        tag("code", change.label),
        *([_bar(change.outlook.chance)] if likely else []),
        lined([*shown, *([f"and {more} more"] if more > 0 else [])]),
        lined(_outlook(change)),
    ]


def _moment(change: Change, tick: int) -> str:
    return moment(tick, change.times.timescale if change.times else None)


def _bar(chance: float | None) -> Html | None:
    if chance is None:
        return None
    track = "display:inline-block;width:60px;height:8px;border-radius:4px;background:#80808040"
    part = f"display:block;width:{60 * chance:.0f}px;height:8px;border-radius:4px;background:{_CHANCE}"
    share = percent(chance).replace(" ", "&nbsp;")
    return text(tag("span", tag("span", style=part), style=track), ready(f"&nbsp;{share}"))


def _explanation(explanation: Explanation) -> Html:
    known, awaited = explanation.evidence, explanation.hypotheses
    return _marked([*(("●", each) for each in known), *(("○", each) for each in awaited)])


def _marked(literals: Iterable[tuple[str, str]]) -> Html:
    """Literals, each with a mark in front: ● true, ○ awaited, ✗ false by now."""
    return ready(" ".join(text(ready(f"{sign}&nbsp;"), tag("code", each)) for sign, each in literals))


def _outlook(change: Change) -> Iterator[Child]:
    if change.because:
        yield text("because ", _marked(("✗", each) for each in change.because))
    if change.outlook.silent:
        outcome, tick = change.outlook.silent
        yield f"{outcome} at {_moment(change, tick)} if nothing comes"
    if change.outlook.decided_by is not None:
        yield f"decided by {_moment(change, change.outlook.decided_by)}"
    elif change.kind in ("open", "possible", "revised"):
        yield "open without bound"
