"""Streams: a record and a question of it, as ordinary rules.

    outbreak    three weeks of at least 40 cases of dengue in a row
    gap         a phone that was heard, and not half a second later
    rush        two hours in which taxis are busy

Each is replayed from its beginning. No program says how likely anything is.
"""

from __future__ import annotations

from dataclasses import dataclass

import antelog
from benchmarks.forecast.records import RECORDS


@dataclass(frozen=True)
class Stream:
    """A question asked of a record, and what it is in words."""

    name: str
    record: str
    words: str
    rules: str

    @property
    def program(self) -> antelog.Program:
        tick = RECORDS[self.record].tick
        length = "" if tick is None else f"tick {tick}. "
        return antelog.parse(f"{length}{_INPUTS[self.record]}\n{self.rules}")


# Messages that come later than this are set aside.
_PHONES, _PULSES = "input Heard(phone, time).", "input Heard(phone, time) delay 1."
_VALUES = "input Reading(value: number, time)."
_INPUTS = {
    "dengue": "input Reached(week) delay 6.",
    "phones-1": _PHONES,
    "phones-2": _PHONES,
    "pulses-1": _PULSES,
    "pulses-2": _PULSES,
    "machine": _VALUES,
    "taxis": _VALUES,
    "ambient": _VALUES,
    "occupancy": _VALUES,
    "speed": _VALUES,
    "earthquakes": "input Quake(cell: text, mag: number, time) delay 24.",
}

_GAP = "Gap(X, T) :- Heard(X, T), not Heard(X, T+1). query Gap(X, T)."
_STEADY = "Steady(X, T) :- Heard(X, T), Heard(X, T+1), Heard(X, T+2), Heard(X, T+3). query Steady(X, T)."
_AGAIN = "Again(X, T) :- Heard(X, T), Heard(X, S), S > T, S <= T + 5. query Again(X, T)."
STREAMS = {
    stream.name: stream
    for stream in (
        Stream(
            "outbreak",
            "dengue",
            "at least 40 cases in three weeks running",
            "Outbreak(T) :- Reached(T), Reached(T+1), Reached(T+2). query Outbreak(T).",
        ),
        Stream(
            "over",
            "dengue",
            "at least 40 cases, and fewer in the next two weeks",
            "Over(T) :- Reached(T), not Reached(T+1), not Reached(T+2). query Over(T).",
        ),
        Stream("gap-1", "phones-1", "a phone is heard in time, and not half a second later", _GAP),
        Stream("gap-2", "phones-2", "the same, with nine other phones", _GAP),
        Stream("steady-1", "phones-1", "a phone is heard in time four times running", _STEADY),
        Stream("steady-2", "phones-2", "the same, with nine other phones", _STEADY),
        Stream("again-1", "pulses-1", "a phone is heard, and again within half a second", _AGAIN),
        Stream("again-2", "pulses-2", "the same, with nine other phones", _AGAIN),
        Stream(
            "overheating",
            "machine",
            "three readings running above 100",
            "High(T) :- Reading(V, T), V > 100. Hot(T) :- High(T), High(T+1), High(T+2). query Hot(T).",
        ),
        Stream(
            "cooling",
            "machine",
            "above 95, and within an hour below 92",
            """Warm(T) :- Reading(V, T), V > 95.
            Cooling(T) :- Warm(T), Reading(V, S), V < 92, S > T, S <= T + 12. query Cooling(T).""",
        ),
        Stream(
            "settled",
            "machine",
            "above 95, and not so in the next three readings",
            """Warm(T) :- Reading(V, T), V > 95.
            Settled(T) :- Warm(T), not Warm(T+1), not Warm(T+2), not Warm(T+3). query Settled(T).""",
        ),
        Stream(
            "rush",
            "taxis",
            "20,000 passengers in four half hours running",
            """Busy(T) :- Reading(V, T), V >= 20000.
            Rush(T) :- Busy(T), Busy(T+1), Busy(T+2), Busy(T+3). query Rush(T).""",
        ),
        Stream(
            "ebb",
            "taxis",
            "20,000 passengers, and fewer in the next two half hours",
            """Busy(T) :- Reading(V, T), V >= 20000.
            Ebb(T) :- Busy(T), not Busy(T+1), not Busy(T+2). query Ebb(T).""",
        ),
        Stream(
            "sultry",
            "ambient",
            "an office is warmer than 75 in four hours running",
            """Warm(T) :- Reading(V, T), V > 75.
            Sultry(T) :- Warm(T), Warm(T+1), Warm(T+2), Warm(T+3). query Sultry(T).""",
        ),
        Stream(
            "relief",
            "ambient",
            "warmer than 75, and not so in the next two hours",
            """Warm(T) :- Reading(V, T), V > 75.
            Relief(T) :- Warm(T), not Warm(T+1), not Warm(T+2). query Relief(T).""",
        ),
        Stream(
            "dense",
            "occupancy",
            "a road is 8 % full in three readings running",
            "Full(T) :- Reading(V, T), V > 8. Dense(T) :- Full(T), Full(T+1), Full(T+2). query Dense(T).",
        ),
        Stream(
            "jam",
            "speed",
            "slower than 62, and within half an hour again",
            """Slow(T) :- Reading(V, T), V < 62.
            Jam(T) :- Slow(T), Slow(S), S > T, S <= T + 6. query Jam(T).""",
        ),
        Stream(
            "shocks",
            "earthquakes",
            "magnitude 2.5, and again within a day in the same cell",
            """Shock(C, T) :- Quake(C, M, T), M >= 2.5.
            Shocks(C, T) :- Shock(C, T), Shock(C, S), S > T, S <= T + 24. query Shocks(C, T).""",
        ),
        Stream(
            "alone",
            "earthquakes",
            "magnitude 4, and no 2.5 within a day in the same cell",
            """Strong(C, T) :- Quake(C, M, T), M >= 4.
            Followed(C, T) :- Strong(C, T), Quake(C, M, S), M >= 2.5, S > T, S <= T + 24.
            Alone(C, T) :- Strong(C, T), not Followed(C, T). query Alone(C, T).""",
        ),
    )
}
