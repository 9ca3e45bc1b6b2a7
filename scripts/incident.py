"""One answer of a real run, from its first reading to the moment at which others would know it, as a story.

The rules are those of `examples/turbines`, the readings those of `scripts/turbine_readings.py`. An engine
learns from them, tick by tick, as `antelog watch` does. All that a picture of it shows comes from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import antelog
from antelog.language.moments import Timescale, moment, moment_near
from antelog.lines import literal_of
from scripts.turbine_readings import BEGUN, TICK, TurbineReading, readings

RULES = Path(__file__).resolve().parent.parent / "examples" / "turbines" / "turbines.alog"
TICKS = 200
TURBINE, QUERY = "wt4", "Malf"
"""Its link is slow: its readings may come two ticks late."""
PLAIN, ASKED = (f"query {QUERY}(X, T) critical{alert}" for alert in ("", " alert 75%"))
"""The query of the example, and the one with an alert."""
BEGIN = int((BEGUN - BEGUN.fromtimestamp(0, BEGUN.tzinfo)) / TICK)
"""The first tick."""


@dataclass(frozen=True)
class Evidence:
    """A reading that the answer rests on; ticks count from the first of them."""

    level: str
    tick: int
    arrival: int

    @property
    def late(self) -> bool:
        return self.arrival > self.tick


@dataclass(frozen=True)
class Instant:
    """What is known after a tick: how likely the answer is, and the changes that were reported at it."""

    tick: int
    chance: float | None
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """An answer: its words, its atom, the tick it opens at, its evidence, and what was known tick by tick.

    `decided` is the tick at which nothing about it can come any more. Who waits until then knows it then.
    """

    words: str
    atom: str
    begin: int
    evidence: Sequence[Evidence]
    instants: Sequence[Instant]
    alert: float
    decided: int

    @property
    def confirmed(self) -> int:
        """The tick of its confirmation."""
        return next(each.tick for each in self.instants if "confirmed" in each.changes)

    @property
    def likely(self) -> int:
        """The tick of its alert."""
        return next(each.tick for each in self.instants if "likely" in each.changes)

    def time(self, tick: int) -> str:
        """The time of day of a tick of the story."""
        return moment_near(self.begin + tick, _scale(), self.begin)

    @property
    def day(self) -> str:
        return moment(self.begin, _scale()).partition(" ")[0]


@dataclass
class _Answer:
    """The lines of an answer so far, and its chance after each tick."""

    lines: list[Mapping[str, Any]] = field(default_factory=list)
    chances: dict[int, float] = field(default_factory=dict)


def story() -> Story:
    """The last answer that was likely before its last reading came, which was late, and confirmed then."""
    rules = RULES.read_text(encoding="utf-8")
    program = antelog.parse(rules.replace(PLAIN, ASKED))
    engine = antelog.Engine(program, model="learn")
    given: dict[int, list[TurbineReading]] = {}
    for reading in readings(TICKS):
        given.setdefault(reading.arrival, []).append(reading)
    found: dict[int, _Answer] = {}
    for tick in range(TICKS):
        rows = [(each.turbine, each.level, BEGIN + each.tick, BEGIN + tick) for each in given[tick]]
        table = dict(
            zip(("device", "level", "time", "arrival"), map(list, zip(*rows, strict=True)), strict=True)
        )
        for line in engine.advance(BEGIN + tick, {"Temp": _table(table)})[QUERY].to_pylist():
            if line["X"] == TURBINE:
                found.setdefault(line["T"], _Answer()).lines.append(line)
        for line in engine.answers(QUERY).to_pylist():
            if line["X"] == TURBINE and line["chance"] is not None:
                found[line["T"]].chances[line["tick"]] = line["chance"]
    last = max(begin for begin, answer in found.items() if _is_a_story(begin, answer.lines))
    return _told(last, found[last], given, program.plan.relation(QUERY).alert or 0.0)


def _table(columns: Mapping[str, list[Any]]) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - its types are not those of a dictionary

    return pa.table(columns)


def _is_a_story(begin: int, lines: Sequence[Mapping[str, Any]]) -> bool:
    """It opens at its first reading, is likely at the second, and confirmed between the third and its end."""
    changes = [(line["tick"] - begin, line["change"]) for line in lines]
    decided = lines[0]["decided_by"] - begin
    return (
        (0, "possible") in changes
        and (1, "likely") in changes
        and (3, "confirmed") in changes
        and decided > 3
    )


def _told(begin: int, answer: _Answer, given: Mapping[int, Sequence[TurbineReading]], alert: float) -> Story:
    first, last = answer.lines[0], answer.lines[-1]
    about = {literal_of(text).tick for text in last["explanations"][0]["evidence"]}
    evidence = [
        Evidence(each.level, BEGIN + each.tick - begin, BEGIN + each.arrival - begin)
        for some in given.values()
        for each in some
        if each.turbine == TURBINE and BEGIN + each.tick in about
    ]
    instants = [
        Instant(
            tick,
            answer.chances.get(begin + tick),
            tuple(line["change"] for line in answer.lines if line["tick"] == begin + tick),
        )
        for tick in range(last["tick"] - begin + 1)
    ]
    atom = f"{QUERY}({TURBINE}, {moment(begin, _scale())})"
    decided = first["decided_by"] - begin
    return Story(last["text"], atom, begin, evidence, instants, alert, decided)


def _scale() -> Timescale:
    return Timescale(TICK // TICK.resolution)


if __name__ == "__main__":
    print(story())
