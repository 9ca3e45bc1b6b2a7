"""What a replay found, in a few lines at its end: for each query what became of its answers, and how early.

      confirmed  rejected  open  changes  before certain  before waiting
Malf          1         2     0       10      20 minutes      30 minutes
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from antelog.cli.show.terminal import print_text, to_stderr
from antelog.language.durations import long_duration_text

_STYLES = {"confirmed": "green", "rejected": "red", "open": "cyan"}
_ALWAYS = ("confirmed", "rejected", "open")
_CERTAIN, _WAITING = "before certain", "before waiting"
_NONE = "-"
_GAP = "  "


@dataclass(frozen=True)
class Outcome:
    """What became of the answers of a query: how many ended how; how many changes of each kind there were.

    `certain` and `waiting` are ticks, medians of the confirmed answers: from the first telling until the
    answer was confirmed, and until no fact that matters to it could come any more.
    """

    ended: Mapping[str, int]
    changes: Mapping[str, int]
    certain: float | None = None
    waiting: float | None = None


def say_outcomes(found: Mapping[str, Outcome], tick: int | None, only: Sequence[str] = ()) -> None:
    """The summary on stderr, if there were changes; with `only` some kinds of these, they are counted."""
    if not any(each.changes for each in found.values()):
        return
    columns = _counted(found, only) if only else _outcomes(found)
    columns |= _how_early(found, tick, only)
    widths = {name: max(len(name), *map(len, cells)) for name, cells in columns.items()}
    left = max(map(len, found))
    console = to_stderr()
    heads = _GAP.join(f"{name:>{width}}" for name, width in widths.items())
    print_text(console, Text(f"{'':<{left}}{_GAP}{heads}", "dim"), soft_wrap=True)
    for number, query in enumerate(found):
        line = Text(f"{query:<{left}}", "bold")
        for name, width in widths.items():
            cell = columns[name][number]
            style = _STYLES.get(name, "") if cell not in ("0", _NONE) else "dim"
            line.append(_GAP).append(f"{cell:>{width}}", style)
        print_text(console, line, soft_wrap=True)
    for note in _notes(columns, only):
        print_text(console, Text(note, "dim"), soft_wrap=True)


def _outcomes(found: Mapping[str, Outcome]) -> dict[str, list[str]]:
    """How many answers ended how, and how many changes that took."""
    names = list(_ALWAYS) + [
        name
        for name in dict.fromkeys(name for each in found.values() for name in each.ended)
        if name not in _ALWAYS and any(each.ended.get(name) for each in found.values())
    ]
    columns = {name: [f"{each.ended.get(name, 0):,}" for each in found.values()] for name in names}
    return columns | {"changes": [f"{sum(each.changes.values()):,}" for each in found.values()]}


def _counted(found: Mapping[str, Outcome], only: Sequence[str]) -> dict[str, list[str]]:
    """How many changes there were of the kinds that are known."""
    return {kind: [f"{each.changes.get(kind, 0):,}" for each in found.values()] for kind in only}


def _how_early(found: Mapping[str, Outcome], tick: int | None, only: Sequence[str]) -> dict[str, list[str]]:
    """By how much confirmed answers were told before they were certain, and before a system that waits."""
    columns = {}
    if not only or {"possible", "confirmed"} <= {*only}:
        columns[_CERTAIN] = [_time(each.certain, tick) for each in found.values()]
    columns[_WAITING] = [_time(each.waiting, tick) for each in found.values()]
    return {name: cells for name, cells in columns.items() if any(cell != _NONE for cell in cells)}


def _time(ticks: float | None, length: int | None) -> str:
    if ticks is None:
        return _NONE
    if length is not None and ticks:
        return long_duration_text(round(ticks * length))
    return f"{ticks:,g} tick{'' if ticks == 1 else 's'}"


def _notes(columns: Mapping[str, Sequence[str]], only: Sequence[str]) -> list[str]:
    notes = []
    if only:
        kinds = " and ".join([", ".join(only[:-1]), only[-1]] if len(only) > 1 else only)
        notes.append(
            f"Only {kinds} lines were asked for and are counted here; without --only it is all answers."
        )
    if _CERTAIN in columns:
        notes.append("A confirmed answer was told that long before it was certain, and before a system that")
        notes.append("waits until all facts that matter must be there would have told it (medians).")
    elif _WAITING in columns:
        notes.append("Answers were confirmed that long before a system that waits until all facts that")
        notes.append("matter must be there would have told it (median).")
    return notes
