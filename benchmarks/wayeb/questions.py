"""What is asked, as a program of antelog's and as a pattern of Wayeb's, and what became of it.

    run   a low reading, then three high ones: is the match that is under way complete in three readings?
    soon  three high readings: is there a match within the next five readings?

Both are asked at each reading, and both engines have one answer to each. The first suits either: it is about
a match that has begun. The second is how Wayeb forecasts, of whatever match comes next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from benchmarks.wayeb.streams import Flags, Machines, Numbers

INPUT = "input Reading(machine: text, level: text, time) one per machine.\n"
DECLARATIONS = "~(IsEventTypePredicate(Low),IsEventTypePredicate(High))"
"""For Wayeb: a reading has one level."""

Kind = TypeVar("Kind", bound=np.generic)

ORDER = 2
"""So many readings back Wayeb's model looks: as many as matter in the streams."""

BEFORE = 3
"""So many readings before the first that is scored; no pattern is longer than this and one more."""


@dataclass(frozen=True)
class Question:
    """`high` says of the levels of a match whether they are high; `horizon` readings ahead it is complete.

    `begun`: antelog's answers are about matches that have begun; else each reading has an answer of its own.
    """

    name: str
    words: str
    rules: str
    high: tuple[bool, ...]
    horizon: int
    begun: bool = False

    @property
    def program(self) -> str:
        return INPUT + self.rules

    @property
    def pattern(self) -> str:
        each = ",".join(f"IsEventTypePredicate({'High' if high else 'Low'})" for high in self.high)
        return f";({each}){{order:{ORDER}}}{{partitionBy:machine}}"

    def scored(self, of: NDArray[Kind]) -> NDArray[Kind]:
        """Of a row for each tick those that are scored: not the first, nor those too near to the end."""
        return of[BEFORE : len(of) - self.horizon]

    def came(self, readings: Flags) -> Flags:
        """Whether a match is complete within the horizon."""
        complete = np.zeros_like(readings)
        windows = sliding_window_view(readings, len(self.high), axis=0)
        complete[len(self.high) - 1 :] = (windows == self.high).all(axis=-1)
        ahead: Flags = np.logical_or.reduce(sliding_window_view(complete, self.horizon, axis=0), axis=-1)
        return ahead[BEFORE + 1 :]

    def asked(self, readings: Flags) -> Flags:
        """At which readings: at all, or where they end with the beginning of a match."""
        asked = np.full(readings.shape, not self.begun)
        for size in range(1, len(self.high)) if self.begun else ():
            windows = sliding_window_view(readings, size, axis=0)
            asked[size - 1 :] |= (windows == self.high[:size]).all(axis=-1)
        return self.scored(asked)

    def truth(self, readings: Flags, machines: Machines) -> Numbers:
        """How likely it is for one who knows the chances the stream was made from: nobody can do better."""
        # What the last three readings were is a number of three bits, the newest last.
        after = machines.high_after.reshape(machines.count, 4)
        wanted = int("".join("1" if high else "0" for high in self.high), 2)
        chance = np.zeros((machines.count, 8))
        for _ in range(self.horizon):
            now = np.zeros_like(chance)
            for last in range(8):
                for high in (0, 1):
                    longer = last << 1 | high
                    weight = after[:, last & 3] if high else 1 - after[:, last & 3]
                    whole = longer % (1 << len(self.high)) == wanted
                    now[:, last] += weight * (1.0 if whole else chance[:, longer & 7])
            chance = now
        windows = sliding_window_view(readings, 3, axis=0)[BEFORE - 2 : len(readings) - self.horizon - 2]
        found: Numbers = chance[np.arange(machines.count), windows @ np.array([4, 2, 1])]
        return found


QUESTIONS = {
    question.name: question
    for question in (
        Question(
            "run",
            "a low reading and three high ones in a row: will the match that is under way be complete?",
            """Low(X, T)  :- Reading(X, "Low", T).
High(X, T) :- Reading(X, "High", T).
Run(X, T)  :- Low(X, T-1), High(X, T), High(X, T+1), High(X, T+2).
query Run(X, T).""",
            (False, True, True, True),
            horizon=3,
            begun=True,
        ),
        Question(
            "soon",
            "three high readings in a row: will that come about within the next five readings?",
            """High(X, T)  :- Reading(X, "High", T).
Three(X, T) :- High(X, T-2), High(X, T-1), High(X, T).
Soon(X, T)  :- Reading(X, L, T), Three(X, S), S > T, S <= T + 5.
query Soon(X, T).""",
            (True, True, True),
            horizon=5,
        ),
    )
}
