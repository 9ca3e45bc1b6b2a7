"""How likely an answer is, for people: as a bar, as a percentage, and by when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from antelog.forecast.alerts import FALL
from antelog.forecast.columns import LIKELY
from antelog.forecast.reports.words import percent
from antelog.language.moments import moment

_CELLS = 10
_SHOWN = 3
"""So many ticks of a forecast are shown: the first ones and the last."""


@dataclass(frozen=True)
class Bar:
    """What a bar is made of: the part that is filled, and the rest."""

    filled: str = "▰"
    rest: str = "▱"

    def __str__(self) -> str:
        return self.filled + self.rest


BAR = Bar()
PLAIN_BAR = Bar("#", "-")
"""For terminals that have none of the others."""


def chance_line(row: Mapping[str, Any], bar: Bar, tick: int | None) -> Text | None:
    """A bar, the chance, and by when; None where no chance is known."""
    chance, holds = row.get("chance"), row.get("holds")
    line = Text()
    if chance is not None:
        filled = round(_CELLS * chance)
        line.append(bar.filled * filled, "magenta")
        line.append(bar.rest * (_CELLS - filled), "dim")
        line.append(f"  {percent(chance)}", "bold")
        line.append(_growth(row["forecast"] or (), chance, tick), "dim")
    if holds is not None:
        line.append("   " if chance is not None else "")
        line.append(f"true, whether facts come or are lost: {percent(holds)}", "dim")
    return line if line.plain else None


def _growth(forecast: Sequence[Mapping[str, Any]], chance: float, tick: int | None) -> str:
    """`   11 % by 4, 35 % by 5`; of a single tick the chance is said already."""
    points = [each for each in forecast if percent(each["chance"]) != percent(chance)]
    points += forecast[len(points) : len(points) + 1]
    said = [f"{percent(each['chance'])} by {moment(each['tick'], tick)}" for each in points]
    if len(said) > _SHOWN:
        said = [*said[: _SHOWN - 1], f"… {said[-1]}"]
    elif len(said) == 1:
        said = [f"by {moment(points[0]['tick'], tick)}"]
    return f"   {', '.join(said)}" if said else ""


def alert_text(kind: str, alert: float) -> str:
    """Why an answer has become likely or unlikely, given the chance from which on it is worth an alert."""
    if kind == LIKELY:
        return f"its chance has reached {percent(alert)}"
    return f"its chance has fallen below {percent(max(alert - FALL, 0))}"


def likeliest_first(rows: Sequence[tuple[Any, Mapping[str, Any]]]) -> list[tuple[Any, Mapping[str, Any]]]:
    """Rows of a snapshot with what was confirmed first, then by their chances, those without at the end.

    Without any chances they stay as they are.
    """
    if not any("chance" in row for _, row in rows):
        return list(rows)

    def rank(pair: tuple[Any, Mapping[str, Any]]) -> float:
        row = pair[1]
        if row["change"] == "confirmed":
            return -2.0
        return 1.0 if row.get("chance") is None else -row["chance"]

    return sorted(rows, key=rank)
