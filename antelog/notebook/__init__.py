"""antelog in Jupyter: `%load_ext antelog`.

    show(source)    changes and answers as a table: literals that are true filled, awaited ones hollow
    %%antelog p     a cell with rules: shows what is wrong with them, or binds the program to `p`

Once the extension is loaded, plans, changes, answers and engines show themselves this way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from itertools import islice
from typing import Any

import pyarrow as pa

from antelog.answers import likeliest_first
from antelog.compile.nodes.plan import Plan
from antelog.compile.show.explain import plan_html
from antelog.diagnostics import Diagnostic, Source, to_text
from antelog.engine.step.schema import AFTER_ANSWER
from antelog.engine.step.wording import LOST
from antelog.errors import ProgramError
from antelog.escaping import Child, Html, lined, plain_table, ready, tag, text
from antelog.forecast.reports.words import percent
from antelog.given import NATURAL, checked, of, optional
from antelog.language.moments import moment
from antelog.lines import LineLiteral
from antelog.pictures.history import Change, changes_in, times_of
from antelog.process import Engine
from antelog.program import Program, parse
from antelog.theme import BOTH, family

ROWS = 100
_EXPLANATIONS = 5  # explanations of an answer that are shown; the others are counted
_HEADS = ("tick", "change", "answer", "evidence and what is awaited", "outlook")
_COLOURS = {
    **dict.fromkeys(("open", "possible", "revised"), BOTH["info"]),
    **dict.fromkeys(("likely", "unlikely", LOST), BOTH["other"]),
    **dict.fromkeys(("rejected", "closed"), BOTH["faint"]),
}
_SEVERITY = {**BOTH, "info": "inherit"}  # colours of confirmed answers, which suit light and dark notebooks


@dataclass(frozen=True)
class ChangeList:
    """Changes as notebooks display them: the first `most`."""

    changes: tuple[Change, ...]
    most: int = ROWS

    def _repr_html_(self) -> str:
        likely = any(change.chance is not None for change in self.changes)
        names = _HEADS if not likely else (*_HEADS[:3], "chance", *_HEADS[3:])
        rows = [_row(change, likely) for change in islice(self.changes, self.most)]
        more = len(self.changes) - self.most
        rest = tag("p", f"and {more:,} more; ", tag("code", "antelog.show(…, most=…)"), " shows them")
        none = tag("p", "nothing is open, and nothing has changed")
        shown = plain_table(names, rows), rest if more > 0 else None, None if self.changes else none
        return tag("div", shown, style=f"font-family:{family('sans')}")

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
    if len({change.tick for change in changes}) == 1 and any(each.chance is not None for each in changes):
        changes.sort(key=lambda change: likeliest_first(change.line))
    if plan is not None and (times := times_of(plan)):
        changes = [
            replace(change, times=times[change.query]) if change.query in times else change
            for change in changes
        ]
    timed = (
        each if each.times is None else each.timed(each.times, partial(_moment, each)) for each in changes
    )
    return ChangeList(tuple(timed), most)


def _row(change: Change, likely: bool) -> list[Child]:
    """A line of the table; with a bar for the chance if some line has one."""
    ways = [*zip(change.evidence, change.awaited, strict=True)]
    shown: list[Child] = [
        ready(" ".join([*_marked(change, "●", known), *_marked(change, "○", awaited)]))
        for known, awaited in ways[:_EXPLANATIONS]
    ]
    more = len(ways) - len(shown)
    colour = _COLOURS.get(change.kind) or _SEVERITY[change.severity]
    return [
        _moment(change, change.tick),
        tag("b", change.kind, style=f"color:{colour}"),
        tag("span", change.words, title=change.atom) if change.words else tag("code", change.atom),
        *([_bar(change.chance)] if likely else []),
        lined([*shown, *([f"and {more} more"] if more > 0 else [])]),
        lined(_outlook(change)),
    ]


def _moment(change: Change, tick: int) -> str:
    return moment(tick, change.times.timescale if change.times else None)


def _bar(chance: float | None) -> Html | None:
    if chance is None:
        return None
    track = f"display:inline-block;width:60px;height:8px;border-radius:4px;background:{BOTH['track']}"
    part = f"display:block;width:{60 * chance:.0f}px;height:8px;border-radius:4px;background:{BOTH['other']}"
    share = percent(chance).replace(" ", "&nbsp;")
    return text(tag("span", tag("span", style=part), style=track), ready(f"&nbsp;{share}"))


def _marked(change: Change, sign: str, literals: Iterable[LineLiteral]) -> Iterator[Html]:
    """Literals, each behind a mark: ● true, ○ awaited, ✗ false by now."""
    for each in literals:
        yield text(ready(f"{sign}&nbsp;"), tag("code", each.text(partial(_moment, change))))


def _outlook(change: Change) -> Iterator[Child]:
    if change.because:
        yield text("because ", ready(" ".join(_marked(change, "✗", change.because))))
    if change.lost:
        yield text("lost from sight ", ready(" ".join(_marked(change, "?", change.lost))))
    if change.silent:
        yield f"{change.silent['change']} at {_moment(change, change.silent['tick'])} if nothing comes"
    if change.decided_by is not None:
        yield f"decided by {_moment(change, change.decided_by)}"
    elif change.line["change"] in ("open", "possible", "revised"):
        yield "open without bound"


__all__ = ["ChangeList", "load_ipython_extension", "show", "unload_ipython_extension"]

_OF_ANSWERS = {"tick", "change", *AFTER_ANSWER} - {LOST}


@dataclass(frozen=True)
class Problems:
    """Errors and warnings about a cell, as notebooks display them."""

    diagnostics: tuple[Diagnostic, ...]
    source: Source

    def _repr_html_(self) -> str:
        blocks = []
        for each in self.diagnostics:
            colour = BOTH["critical" if each.severity.value == "error" else "warning"]
            text = escape(to_text([each], self.source))
            blocks.append(f'<pre style="border-left:3px solid {colour};padding-left:8px">{text}</pre>')
        return "".join(blocks)

    def __repr__(self) -> str:
        return to_text(self.diagnostics, self.source)


def load_ipython_extension(shell: Any) -> None:
    def antelog(line: str, cell: str) -> Program | Problems | None:
        """Reads the rules in a cell, and binds the program to a name: `%%antelog turbines`."""
        name = line.strip()
        if name and not name.isidentifier():
            from IPython.core.error import UsageError  # noqa: PLC0415 - there is IPython if it calls this

            raise UsageError(f"`{name}` is not a name for a program; write %%antelog turbines, or no name")
        try:
            program = parse(cell, name=name or "<cell>")
        except ProgramError as error:
            return Problems(error.diagnostics, error.source)
        if name:
            shell.user_ns[name] = program
        if program.warnings:
            return Problems(program.warnings, program.source)
        return None if name else program

    shell.register_magic_function(antelog, magic_kind="cell")
    html = shell.display_formatter.formatters["text/html"]
    html.for_type(pa.Table, _answers)
    html.for_type(dict, _answers)
    html.for_type(Plan, plan_html)
    html.for_type(Engine, lambda engine: show(engine)._repr_html_())


def unload_ipython_extension(shell: Any) -> None:
    html = shell.display_formatter.formatters["text/html"]
    for each in (pa.Table, dict, Plan, Engine):
        html.pop(each, None)


def _answers(found: pa.Table | dict[Any, Any]) -> str | None:
    """HTML for a table of answers, or for the result of `advance`; None for other tables."""
    tables = [*found.values()] if isinstance(found, dict) else [found]
    if not tables or not all(isinstance(t, pa.Table) and {*t.column_names} >= _OF_ANSWERS for t in tables):
        return None
    return show(found)._repr_html_()
