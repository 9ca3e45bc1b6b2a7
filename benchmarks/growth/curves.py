"""What is varied: each curve with its points, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from benchmarks.counting import Counts, paired
from benchmarks.growth import sources
from benchmarks.growth.sources import Source
from benchmarks.streams import DELAY, Facts
from benchmarks.workloads import ALL, CONFIRMED, ends_of, size


@dataclass(frozen=True)
class Curve:
    """Something that grows, and what the cost does then.

    name      what it is called on the command line
    title     on the page
    axis      what is varied
    points    the values it takes
    how       what is fed, and what stays the same
    source    makes the stream of one point, with so large a share of the facts
    remark    why the cost grows as it does
    cost      the CPU seconds that are drawn: of all batches, or of the median batch
    compiles  whether the time of compiling is drawn, too
    """

    name: str
    title: str
    axis: str
    points: tuple[int, ...]
    how: str
    source: Callable[[int, float], Source]
    remark: str
    cost: Literal["seconds", "batch"] = "seconds"
    compiles: bool = False

    def within(self, scale: float) -> tuple[int, ...]:
        """The points for a share of the facts: up to so large a share of the last, and two at least."""
        return tuple(p for i, p in enumerate(self.points) if i < 2 or p <= scale * self.points[-1])


def _keys(devices: int, _: float) -> Source:
    return sources.turbines(devices, 10, ends_of(10, None))


def _delay(delay: int, scale: float, batches: int | None) -> Source:
    last = 300 + delay + 3
    ends = np.arange(last + 1) if batches is None else np.linspace(last / batches, last, batches).astype(int)
    return sources.turbines(size(scale, 1_000), 300, ends, delay)


def _batch(facts: int, _: float) -> Source:
    batches = max(3, min(300, 1_500_000 // facts))
    ticks = facts // 10 * batches
    return sources.turbines(
        10, ticks, np.append(np.arange(1, batches + 1) * (facts // 10) - 1, ticks + DELAY + 3)
    )


def _near(facts: int, _: float) -> Source:
    return sources.near_misses(facts)


def _length(facts: int, _: float, only: tuple[str, ...] = ALL) -> Source:
    return sources.endless(1_000, 100, max(1, facts // 100_000), only)


def _curves() -> tuple[Curve, ...]:
    def window(ticks: int, scale: float) -> Source:
        return sources.distant(size(scale, 300), 1_100, ticks)

    def row(length: int, scale: float) -> Source:
        return sources.unbroken(size(scale, 100), 500, length)

    def patterns(number: int, scale: float) -> Source:
        return sources.alternatives(size(scale, 1_000), 100, number, one_query=True)

    def queries(number: int, scale: float) -> Source:
        return sources.alternatives(size(scale, 1_000), 100, number, one_query=False)

    def chain(number: int, scale: float) -> Source:
        return sources.chained(size(scale, 1_000), 100, number)

    def hot(body: str, expected: Callable[[Facts], Counts], sensors: int, _: float) -> Source:
        return sources.crowded(10, sensors, body, expected)

    def counted(ticks: int, scale: float) -> Source:
        return sources.counted(size(scale, 300_000), 1_000, 10_000, ticks, 5)

    def counted_keys(cards: int, scale: float) -> Source:
        return sources.counted(size(scale, 300_000), cards, 10_000, 100, 5)

    def counted_facts(facts: int, scale: float) -> Source:
        return sources.counted(facts * size(scale, 100) * 10, size(scale, 100), 1_000, 99, 5)

    def counted_least(least: int, scale: float) -> Source:
        return sources.counted(size(scale, 300_000), 100, 10_000, 99, least)

    return (
        Curve(
            "keys",
            "Keys",
            "devices",
            (1_000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
            "Three high readings in a row; each device sends ten readings, one batch for each tick.",
            _keys,
            "Ten times the devices are ten times the facts and answers here. What is above linear is "
            "memory: each tick is one batch, and tables of names that no longer fit into the "
            "processor's caches take longer to look something up.",
        ),
        Curve(
            "window",
            "Window",
            "ticks between two facts",
            (3, 10, 30, 100, 300, 1_000),
            "Two facts of a device, so many ticks apart; 300 devices, 1,100 ticks, one batch for each.",
            window,
            "A batch looks at the ticks its facts are about and at those that lie the window before them,"
            " not at what is between. What is kept grows with the window.",
        ),
        Curve(
            "row",
            "Literals of a pattern",
            "facts in a row",
            (3, 10, 30, 100, 300),
            "So many high readings in a row, of nine in ten that are high; 100 devices, 500 ticks, 20 "
            "batches.",
            row,
            "More than linear: an answer has a column for each literal, and is looked at with all of "
            "them in each batch that its ticks overlap, of which a longer row has more. Also, each line "
            "tells of more facts.",
        ),
        Curve(
            "delay",
            "Delay bound, one tick per batch",
            "ticks a fact may be late",
            (0, 1, 3, 10, 30, 100),
            "Three high readings in a row; 1,000 devices, 300 ticks, one batch for each; a tenth of the "
            "facts is late by up to the bound.",
            partial(_delay, batches=None),
            "The late facts of a tick are about as many ticks as the bound allows, and the answers of "
            "all devices about these ticks are computed anew: what is kept is cut by ticks, not by "
            "devices.",
        ),
        Curve(
            "delay-batches",
            "Delay bound, many ticks per batch",
            "ticks a fact may be late",
            (0, 1, 3, 10, 30, 100),
            "The same facts in 20 batches.",
            partial(_delay, batches=20),
            "Late facts are about ticks of the same batch, or of few before it, and parts are few.",
        ),
        Curve(
            "patterns",
            "Patterns of a query",
            "patterns",
            (1, 10, 30, 100, 250, 500),
            "The same level twice in a row, a pattern for each level; 1,000 devices, 100 ticks, 5 "
            "batches. Each fact has one level, so that it fits one pattern.",
            patterns,
            "Each pattern looks for its facts, and has a price of its own in each batch.",
            compiles=True,
        ),
        Curve(
            "rules",
            "Rules, each with a query",
            "rules",
            (1, 10, 30, 100, 300, 1_000),
            "The same level twice in a row, a rule and a query for each level; 1,000 devices, 100 ticks, "
            "5 batches.",
            queries,
            "As with patterns; each query also has a table of changes of its own.",
            compiles=True,
        ),
        Curve(
            "chain",
            "Rules over rules",
            "rules",
            (1, 10, 30, 100, 300, 1_000),
            "Each rule rests on the one before, and the last is asked for; 1,000 devices, 100 ticks, 5 "
            "batches.",
            chain,
            "The compiler unfolds the chain to one pattern, so that the run does not know how many rules "
            "there were.",
            compiles=True,
        ),
        Curve(
            "batch",
            "Facts in a batch",
            "facts per batch",
            (10, 100, 1_000, 10_000, 100_000, 1_000_000),
            "Three high readings in a row; ten devices, as many ticks in a batch as the facts need. CPU "
            "seconds of the median batch.",
            _batch,
            "A batch has a fixed price, whatever is in it; from some thousand facts on the facts cost more.",
            cost="batch",
        ),
        Curve(
            "counted",
            "Window of a count",
            "ticks",
            (10, 30, 100, 300, 1_000),
            "Five payments of a card within so many ticks; 300,000 payments of 1,000 cards in 10,000 ticks, "
            f"20 batches. `{_FAST}`",
            counted,
            "The payments are sorted by card and tick once, and what lies in a window is looked up there; "
            "none is looked at for each window that it lies in.",
        ),
        Curve(
            "counted-keys",
            "Keys of a count",
            "cards",
            (10, 100, 1_000, 10_000, 100_000),
            "Five payments of a card within 100 ticks; 300,000 payments of so many cards.",
            counted_keys,
            "The fewer the cards, the more payments each has in a window; that makes no difference but for "
            "the answers.",
        ),
        Curve(
            "counted-facts",
            "Facts in the window of a count",
            "payments of a card in a window",
            (1, 10, 100, 300, 1_000),
            "Five payments of a card within 100 ticks; 100 cards, 1,000 ticks, so many payments in each "
            "window.",
            counted_facts,
            "Ten times the payments are ten times the answers here.",
        ),
        Curve(
            "counted-least",
            "Threshold of a count",
            "payments",
            (1, 3, 10, 30, 100),
            "So many payments of a card within 100 ticks, in which there are 30 in the mean; 300,000 "
            "payments of 100 cards.",
            counted_least,
            "Since when there are so many is looked up at once, however many they are.",
        ),
        Curve(
            "length",
            "Length of the stream",
            "facts",
            (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000),
            "Three high readings in a row, all changes; 1,000 devices, 100 ticks in a batch.",
            _length,
            "Only facts that still matter are kept.",
        ),
        Curve(
            "length-confirmed",
            "Length of the stream, confirmed answers only",
            "facts",
            (100_000, 1_000_000, 10_000_000, 100_000_000),
            "The same, but only confirmed answers are asked for.",
            partial(_length, only=CONFIRMED),
            "Only facts that still matter are kept.",
        ),
        Curve(
            "hot",
            "A hot key",
            "facts of one device in a tick",
            (10, 100, 1_000, 3_000, 10_000, 30_000),
            f"One device has half of all facts, so many in each of ten ticks, of as many sensors. `{_SAME}`",
            partial(hot, _SAME, sources.by_sensor),
            "A fact meets the other fact of its sensor only; whose device it is does not matter.",
        ),
        Curve(
            "hot-pairs",
            "A hot key whose facts all meet",
            "facts of one device in a tick",
            (3, 10, 30, 100, 300, 600),
            f"The same facts. `{_PAIRS}`",
            partial(hot, _PAIRS, paired),
            "There are as many answers as pairs: ten times the facts are a hundred times the answers.",
        ),
        Curve(
            "hot-exists",
            "A hot key with many reasons for one answer",
            "facts of one device in a tick",
            (3, 10, 30, 100, 300, 600),
            f"The same facts. `{_EXISTS}`",
            partial(hot, _EXISTS, sources.by_device),
            "There is one answer for each device and tick, but each pair of facts is a reason for it, and "
            "all of them are looked at: the square of the facts.",
        ),
        Curve(
            "hot-near",
            "A hot key whose facts nearly meet",
            "facts of the device",
            (1_000, 3_000, 10_000, 30_000, 100_000, 300_000),
            "One device has all facts, half of them starts and half of them stops, in five batches. Nine "
            "in ten stops are one tick too late for their start. "
            f"`{sources.NEAR.splitlines()[1]}`",
            _near,
            "A start meets the stops of the ticks in which they would be in time, and no others. If it met "
            "all stops of its device and the times were compared then, ten times the facts would take a "
            "hundred times as long. That is about times: facts whose values are compared by `<` or `>=` do "
            "meet pair by pair.",
        ),
    )


_SAME = "Same(X, S, T) :- Reading(X, S, T), Reading(X, S, T+1)."
_PAIRS = "Pair(X, S, R, T) :- Reading(X, S, T), Reading(X, R, T+1)."
_EXISTS = "Busy(X, T) :- Reading(X, _, T), Reading(X, _, T+1)."

_FAST = sources.FAST.splitlines()[1].format(window="N", least=5)

CURVES = {curve.name: curve for curve in _curves()}
