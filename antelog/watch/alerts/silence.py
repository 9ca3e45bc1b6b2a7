"""Inputs that fall silent, as changes that alerts are made of: `silent`, and `heard` once facts come again.

    Temp, every 10 s: a fact at 10:02:14, then none     silent at 10:02:24, with the time of the last fact
                      a fact at 10:09:00                heard

The expected gap is that of the feed's status: what `every 10 s` declares, or three times the usual one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from antelog.language.durations import duration_text
from antelog.watch.alerts.alert import HEARD, SILENT, SILENT_INPUT, Line
from antelog.watch.board.input_status import Inputs, InputStatus


class SilentInputs:
    """The inputs that are silent; `known` are those that were so at the last stop.

    Nothing is silent before it had time to say something, for nothing came while nobody followed.
    """

    def __init__(self, known: Iterable[str], began: float) -> None:
        self._silent, self._began = {*known}, began
        self._inputs = Inputs()

    def changes(self, records: Iterable[Line], now: float) -> Iterator[Line]:
        """The changes at a moment, in seconds since 1970, after some records of the feed."""
        for record in records:
            if "status" in record:
                self._inputs.take(record["status"])
        tick = self._inputs.status.get("tick")
        if tick is None:
            return
        for each in self._inputs.each():
            silent = each.silent_for(now) is not None and now > self._began + (each.gap or 0)
            if silent and each.name not in self._silent:
                self._silent.add(each.name)
                yield _line(SILENT, each, tick)
            elif each.name in self._silent and each.silent_for(now) is None:
                self._silent.discard(each.name)
                yield _line(HEARD, each, tick)


def _line(change: str, status: InputStatus, tick: int) -> Line:
    assert status.heard is not None
    at = f"{datetime.fromtimestamp(status.heard, UTC):%Y-%m-%d %H:%M:%S} UTC"
    text = f"facts of {status.name} come again, since {at}"
    if change == SILENT:
        gap = duration_text(round(status.gap or 0) * 1_000_000)
        text = f"no fact of {status.name} since {at}; the next was expected within {gap}"
    return {
        "tick": tick,
        "change": change,
        "query": SILENT_INPUT,
        "answer": {"input": status.name},
        "text": text,
    }
