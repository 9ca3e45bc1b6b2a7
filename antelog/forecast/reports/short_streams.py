"""Notes on streams that are too short to learn from, with how much more it takes.

Malf: 12 answers are decided; learned chances are of use from some 75 on, about 3,200 ticks more …
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil, floor, log10

from antelog.forecast.reports import words

ENOUGH = 75
"""From so many decided answers on learned chances mostly beat the base rate.

Measured on the nineteen recorded streams of `docs/forecast-results.md`, by log loss: on 11 to 12 of them with
20 to 75 answers decided, on 15 to 16 with 75 to 150.
"""


def short_streams(decided: Mapping[str, int], ticks: int, tick: int | None) -> Iterator[str]:
    """Notes on queries with too few decided answers, given how many each has after some `ticks`.

    `tick` is the length of one in microseconds, or None.
    """
    for query, answers in decided.items():
        if answers < ENOUGH:
            enough = f"learned chances are of use from some {ENOUGH} on"
            yield f"{query}: {_so_far(answers)}; {enough}{ahead(answers, ENOUGH, ticks, tick)}"


def _so_far(answers: int) -> str:
    if not answers:
        return "no answer is decided"
    return f"{words.count(answers, 'answer')} {'is' if answers == 1 else 'are'} decided"


def ahead(answers: int, enough: int, ticks: int, tick: int | None) -> str:
    """The time until enough answers are decided, if they go on at this pace: so many after some `ticks`."""
    if not answers:
        return ""
    more = _rounded(ceil(ticks * (enough - answers) / answers))
    return f", about {words.lead(more, tick)} more at this pace"


def _rounded(number: int) -> int:
    """With two digits: 3,247 as 3,200."""
    digits = max(floor(log10(max(number, 1))) - 1, 0)
    return int(round(number, -digits))
