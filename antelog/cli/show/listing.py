"""Changes and snapshots as text for people: filled marks for evidence, hollow ones for hypotheses."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rich.console import Console
from rich.text import Text

from antelog.answers import CLOSED, ENDS, likeliest_first
from antelog.cli.show.terminal import can_show, escaped, print_text, to_stdout, wrapped_text
from antelog.compile.nodes.plan import Plan, Relation
from antelog.engine.step.wording import LOST, meaning, plain, rows_of, words_of
from antelog.escaping import shown_lines
from antelog.forecast.columns import FALL, LIKELY, UNLIKELY
from antelog.forecast.reports.words import percent
from antelog.language.durations import ticks_in_words
from antelog.language.moments import Timescale, moment, moment_near
from antelog.language.printer import value_text
from antelog.language.templates import DECIDED_BY
from antelog.lines import LineLiteral, awaited, literals_of
from antelog.run.settings import Settings
from antelog.run.sinks.json_lines import Style, change_bytes, snapshot_lines, with_kinds
from antelog.run.sinks.result import StepResult
from antelog.theme import TERMINAL
from antelog.why.tree import PLAIN, Signs

Time = Callable[[int], str]
_WIDTH = len("confirmed")
_INDENT = " " * (_WIDTH + 4)


@dataclass(eq=False)
class Listing:
    """A console with its style, the most explanations of an answer (None: all), and the tick printed last."""

    console: Console
    signs: Signs
    timescale: Timescale | None = None
    explanations: int | None = None
    last: int | None = None

    @cached_property
    def plain(self) -> bool:
        """Whether lines are neither wrapped nor coloured, as there is no terminal."""
        return not self.console.is_terminal

    def time(self, tick: int) -> str:
        """A tick below the heading of the last one, with its day if that is another one."""
        return moment_near(tick, self.timescale, self.last)


def style_of(settings: Settings) -> Style:
    """The style of JSON lines that stdout can show."""
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    return Style(settings.explanations, ascii_only=not encoding.startswith("utf"))


def printer(plan: Plan, settings: Settings) -> Callable[[StepResult], object]:
    """A function that prints changes or snapshots to stdout, as a listing or as JSON lines."""
    relations, only = list(plan.queries), settings.only
    since = None if settings.snapshots else settings.first
    if settings.form == "table":
        to = listing(to_stdout(), plan.timescale, settings.explanations)
        show = print_snapshot if settings.snapshots else print_changes
        return lambda step: show(relations, with_kinds(step, only, since), to)
    style = style_of(settings)
    if settings.snapshots:
        return lambda step: sys.stdout.write(
            snapshot_lines(relations, with_kinds(step, only), style, plan.timescale)
        )
    return lambda step: _write(change_bytes(relations, with_kinds(step, only, since), style))


def _write(lines: Iterable[memoryview]) -> None:
    """Writes lines to stdout, as bytes where it has the same."""
    if os.linesep == "\n" and (sys.stdout.encoding or "").lower() == "utf-8":
        sys.stdout.flush()
        for some in lines:
            sys.stdout.buffer.write(some)
        if sys.stdout.isatty():
            sys.stdout.buffer.flush()
    else:
        sys.stdout.writelines(str(some, "utf-8") for some in lines)


def listing(console: Console, timescale: Timescale | None, explanations: int | None) -> Listing:
    signs = Signs() if can_show(console, "●○✗▰▱") else PLAIN
    return Listing(console, signs, timescale, explanations)


def print_changes(relations: Sequence[Relation], shown: StepResult, to: Listing) -> None:
    relations = relations if shown.relations is None else shown.relations
    rows = [
        (row["tick"], number, row)
        for number, relation in enumerate(relations)
        for row in rows_of(shown.tables[relation.name], relation)
    ]
    for tick, number, row in sorted(rows, key=lambda each: each[:2]):
        if tick != to.last:
            _print_tick(tick, to)
        _print_row(meaning(row), relations[number], row, to)


def print_snapshot(relations: Sequence[Relation], shown: StepResult, to: Listing) -> None:
    """Prints the answers confirmed at a tick, then those open after it, likeliest first."""
    _print_tick(shown.tick, to)
    rows = [(each, row) for each in relations for row in rows_of(shown.tables[each.name], each)]
    if any("chance" in row for _, row in rows):
        rows.sort(key=lambda each: likeliest_first(each[1]))
    for relation, row in rows:
        _print_row(meaning(row) if row["change"] == "confirmed" else "open", relation, row, to)
    if not rows:
        _print(Text("  nothing is open", "dim"), to)


def _print_tick(tick: int, to: Listing) -> None:
    if to.last is not None:
        _print(Text(), to)
    time = to.time(tick)
    _print(Text(f"tick {time}" if time == str(tick) else time, "bold"), to)
    to.last = tick


def _print_row(change: str, relation: Relation, row: Mapping[str, Any], to: Listing) -> None:
    style = TERMINAL.get("rejected" if change == CLOSED else change) or TERMINAL[relation.severity]
    line = Text.assemble((f"  {change:<{_WIDTH}}  ", style), _answer(relation, row, to, style))
    alert = relation.alert or 0
    if change == LIKELY:
        line.append(f"   its chance has reached {percent(alert)}")
    elif change == UNLIKELY:
        line.append(f"   its chance has fallen below {percent(max(alert - FALL, 0))}")
    elif row["change"] not in ENDS:
        silent, decided = row["if_silent"], row["decided_by"]
        parts = [f"{silent['change']} at {to.time(silent['tick'])} if nothing comes"] if silent else []
        parts += [f"decided by {to.time(decided)}"] if decided is not None else []
        line.append(f"   {', '.join(parts) or 'open without bound'}", "dim")
    _print(line, to)
    if (likely := chance_line(row, to.signs, to.time)) is not None:
        _print(Text(_INDENT).append_text(likely), to)
    if to.explanations == 0:
        return
    explanations = row["explanations"] or []
    for explanation in explanations[: to.explanations]:
        line = Text(_INDENT)
        _literals(line, literals_of(explanation["evidence"]), to.signs.true, TERMINAL["evidence"], to)
        if explanation["evidence"] and explanation["hypotheses"]:
            line.append("  ")
        _print(_literals(line, awaited(explanation), to.signs.awaited, TERMINAL["awaited"], to), to)
    if len(explanations) > len(explanations[: to.explanations]):
        _print(Text(f"{_INDENT}and {len(explanations[to.explanations :])} more", "dim"), to)
    if row.get("because"):
        line = Text.assemble((f"{_INDENT}because ", "dim"))
        _print(_literals(line, literals_of(row["because"]), to.signs.failed, TERMINAL["false"], to), to)
    if row.get(LOST):
        line = Text.assemble((f"{_INDENT}lost from sight ", "dim"))
        _print(_literals(line, literals_of(row[LOST]), "?", TERMINAL[LOST], to), to)


def _answer(relation: Relation, row: Mapping[str, Any], to: Listing, style: str) -> Text:
    """The words of an answer, its query, and the values that the words do not name."""
    named = frozenset[str]() if relation.notice.words is None else words_of(relation).names
    names = [name for name in relation.answer.names if name not in named]
    values = ", ".join(f"{name} = {_said_of(name, relation, row, to)}" for name in names)
    values = f"  {values}" if values else ""
    if relation.notice.words is None:
        return Text.assemble((relation.name, f"bold {style}"), values)
    text = row["text"]
    for name in {*relation.answer.times, DECIDED_BY} & named:
        if row[name] is not None:  # write times as the listing does
            text = text.replace(moment(row[name], to.timescale), to.time(row[name]))
    return Text.assemble((text, f"bold {style}"), (f"   {relation.name}{values}", "dim"))


def _literals(line: Text, literals: Iterable[LineLiteral], mark: str, colour: str, to: Listing) -> Text:
    for number, literal in enumerate(literals):
        line.append("  " if number else "")
        line.append(f"{mark} {literal.text(to.time)}", colour)
    return line


def _said_of(name: str, relation: Relation, row: Mapping[str, Any], to: Listing) -> str:
    if name in (row.get("others") or ()):
        return "all others"
    value = plain(row[name])
    if value is None:
        return "any"
    if (type_ := relation.answer.ticks.get(name)) is not None:
        return ticks_in_words(row[name], type_, to.timescale, to.time)
    return str(value).lower() if isinstance(value, bool) else value_text(value)


def _print(line: Text, to: Listing) -> None:
    if to.plain:
        # Rich takes five times as long as writing does, for what may be a million lines.
        to.console.file.write(f"{shown_lines(line.plain)}\n")
        return
    for part in wrapped_text(escaped(line), to.console.width, len(_INDENT)):
        print_text(to.console, part, soft_wrap=True)


_CELLS = 10
_SHOWN = 3  # the most ticks of a forecast that are shown: the first ones and the last


def chance_line(row: Mapping[str, Any], signs: Signs, time: Time) -> Text | None:
    """A bar, the chance, and by when; None where no chance is known."""
    chance, holds = row.get("chance"), row.get("holds")
    line = Text()
    if chance is not None:
        filled = round(_CELLS * chance)
        line.append(signs.filled * filled, TERMINAL["chance"])
        line.append(signs.rest * (_CELLS - filled), "dim")
        line.append(f"  {percent(chance)}", "bold")
        line.append(_growth(row["forecast"] or (), chance, time), "dim")
    if holds is not None:
        line.append("   " if chance is not None else "")
        line.append(f"true, whether facts come or are lost: {percent(holds)}", "dim")
    return line if line.plain else None


def _growth(forecast: Sequence[Mapping[str, Any]], chance: float, time: Time) -> str:
    """`   11 % by 4, 35 % by 5`, without points whose chance is the one that is shown already."""
    points = [each for each in forecast if percent(each["chance"]) != percent(chance)]
    points += forecast[len(points) : len(points) + 1]
    said = [f"{percent(each['chance'])} by {time(each['tick'])}" for each in points]
    if len(said) > _SHOWN:
        said = [*said[: _SHOWN - 1], f"… {said[-1]}"]
    elif len(said) == 1:
        said = [f"by {time(points[0]['tick'])}"]
    return f"   {', '.join(said)}" if said else ""
