"""`antelog.draw`: a picture of changes, of an engine, or of a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from antelog.arrow.ticks import Moment, tick_of
from antelog.compile.nodes.plan import Plan
from antelog.errors import DataError
from antelog.given import NAMED, POSITIVE, TEXT, TEXTS, checked, either, of, optional
from antelog.language.checks.suggestions import did_you_mean
from antelog.pictures.answers import ROWS, WIDTH, draw_answers
from antelog.pictures.drawing import THEMES, Drawing, Theme
from antelog.pictures.history import history, up_to
from antelog.pictures.plan import draw_plan
from antelog.pictures.reading import changes_in
from antelog.process import Engine
from antelog.program import Program


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
    if theme not in THEMES:
        hint = did_you_mean(str(theme), THEMES) or f"There are {', '.join(THEMES)}."
        raise DataError(f"there is no theme {theme}. {hint}")
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
            last = tick_of(until, plan.timescale if plan else None)
            changes = up_to(last, changes)
        found = history(changes, last)
    if since is not None:
        found = found.since(tick_of(since, plan.timescale if plan else None))
    queries = [query] if isinstance(query, str) else query
    found = found.only(queries, {name: str(value) for name, value in (answer or {}).items()})
    return draw_answers(found, plan, title=title or "Answers over time", width=width, theme=theme, most=rows)
