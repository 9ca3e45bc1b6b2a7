"""Counts in a summary's words."""

from __future__ import annotations

from collections.abc import Mapping

from antelog.accounts import FATES


def number(count: int, what: str) -> str:
    """`1 fact`, `2 facts`, …"""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def left_out(lines: int, chances: float, of: str = "") -> str:
    """`2 lines of Malf were left out; on average 0.06 of them are of confirmed answers`."""
    were = f"{of} {'was' if lines == 1 else 'were'} left out"
    return (
        f"{number(lines, 'line')}{were}; on average {chances:.3g} of them are of answers that are confirmed"
    )


def facts(counts: Mapping[str, int | None], held: int = 0) -> str:
    """How many facts came, and what became of them and of those `held` before: `6 facts (4 used, 2 late)`.

    That all of them were used goes without saying.
    """
    given = counts.get("given") or 0
    fates = [f"{count:,} {words}" for name, words in FATES.items() if (count := counts.get(name))]
    came = number(given, "fact") + (f" and {held:,} held before" if held > 0 else "")
    plain = not fates or fates == [f"{given:,} {FATES['admitted']}"]
    return came if plain and held <= 0 else f"{came} ({', '.join(fates)})"
