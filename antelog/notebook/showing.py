"""Changes and answers as HTML: what is known marked as filled, what is awaited as hollow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from antelog.compile.nodes.plan import Plan
from antelog.forecast.reports.words import percent
from antelog.given import NATURAL, checked, of, optional
from antelog.language.moments import literal_of, moment
from antelog.markup import Child, Html, lined, plain_table, ready, tag, text
from antelog.pictures.history import Change, Explanation, timed
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
    """Changes as notebooks display them: the first `most`. `tick` is the length of a tick, if known."""

    changes: tuple[Change, ...]
    most: int = ROWS
    tick: int | None = None

    def _repr_html_(self) -> str:
        likely = any(change.outlook.chances for change in self.changes)
        names = _HEADS if not likely else (*_HEADS[:3], "chance", *_HEADS[3:])
        rows = [_row(change, self.tick, likely) for change in islice(self.changes, self.most)]
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
    program   says how long a tick is, so that times can be shown; an engine knows its own
    most      so many lines at most
    """
    plan = program.plan if program else None
    if isinstance(source, Engine):
        plan = source.plan
        source = {query.name: source.answers(query.name) for query in source.plan.queries}
    changes = sorted(changes_in(source), key=lambda change: change.tick)
    if len({change.tick for change in changes}) == 1 and any(each.outlook.chances for each in changes):
        changes.sort(key=_likeliest_first)
    if plan is None or plan.tick is None:
        return ChangeList(tuple(changes), most)
    return ChangeList(tuple(_timed(change, plan, plan.tick) for change in changes), most, plan.tick)


def _likeliest_first(change: Change) -> float:
    """The sort key of answers of a tick: confirmed ones first, then the likelier."""
    if change.kind == "confirmed":
        return -2.0
    return 0.0 if change.outlook.chance is None else -change.outlook.chance


def _timed(change: Change, plan: Plan, length: int) -> Change:
    """A change whose texts have times in place of ticks."""
    written = partial(moment, length=length)

    def literals(texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(literal_of(text, written) for text in texts)

    return replace(
        change,
        values=timed(change.values, plan.relation(change.query).answer.time, written),
        explanations=tuple(
            replace(each, evidence=literals(each.evidence), hypotheses=literals(each.hypotheses))
            for each in change.explanations
        ),
        because=literals(change.because),
    )


def _row(change: Change, tick: int | None, likely: bool) -> list[Child]:
    """A line of the table; with a bar for the chance if some line has one."""
    shown: list[Child] = [*map(_explanation, change.explanations[:_EXPLANATIONS])]
    more = len(change.explanations) - len(shown)
    return [
        moment(change.tick, tick),
        tag("b", change.kind, style=f"color:{_COLOURS[change.kind]}"),
        tag("code", change.label),
        *([_bar(change.outlook.chance)] if likely else []),
        lined([*shown, *([f"and {more} more"] if more > 0 else [])]),
        lined(_outlook(change, tick)),
    ]


def _bar(chance: float | None) -> Html | None:
    if chance is None:
        return None
    track = "display:inline-block;width:60px;height:8px;border-radius:4px;background:#80808040"
    part = f"display:block;width:{60 * chance:.0f}px;height:8px;border-radius:4px;background:{_CHANCE}"
    share = percent(chance).replace(" ", "&nbsp;")
    return text(tag("span", tag("span", style=part), style=track), ready(f"&nbsp;{share}"))


def _explanation(explanation: Explanation) -> Html:
    known, awaited = explanation.evidence, explanation.hypotheses
    marked = [*(("●", each) for each in known), *(("○", each) for each in awaited)]
    parts = [text(ready(f"{sign}&nbsp;"), tag("code", each)) for sign, each in marked]
    return ready(" ".join(parts))


def _outlook(change: Change, length: int | None) -> Iterator[str]:
    if change.because:
        yield f"because {', '.join(change.because)}"
    if change.outlook.silent:
        outcome, tick = change.outlook.silent
        yield f"{outcome} at {moment(tick, length)} if nothing comes"
    if change.outlook.decided_by is not None:
        yield f"decided by {moment(change.outlook.decided_by, length)}"
    elif change.kind in ("open", "possible", "revised"):
        yield "open without bound"
