"""Changes about inputs, and slots of inputs, that fall silent: `silent`, then `heard`.

    Temp, every 10 s: a fact at 10:02:14, then none     silent at 10:02:24, with the time of the last fact
                      a fact at 10:09:00                heard
    one per device, and none of wt9                     silent, of wt9

The expected gap is that of the feed's status: what `every 10 s` declares, or three times the usual one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from antelog.language.durations import duration_text
from antelog.lines import LogLine
from antelog.run.values import SILENT
from antelog.watch.alerts.alert import HEARD, SILENT_INPUT
from antelog.watch.board.input_status import Inputs, InputStatus, SlotStatus

MOST_SLOTS = 20  # silent slots of an input that have alerts of their own, at most
MANY = "*"  # the slot in a change about more of them


class SilentPart(NamedTuple):
    """An input, or one of its slots; without a slot it is the whole input."""

    input: str
    slot: str = ""


class SilentInputs:
    """The silent inputs and slots: those `known` at the last stop, others once their gap has passed since."""

    def __init__(self, known: Iterable[SilentPart], began: float) -> None:
        self._silent, self._began = {*known}, began
        self._inputs = Inputs()

    def take(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Reads records of the feed that have more behind them."""
        for record in records:
            if "status" in record:
                self._inputs.take(record["status"])

    def changes(self, records: Iterable[Mapping[str, Any]], now: float) -> Iterator[LogLine]:
        """Yields the changes at a moment, in seconds since 1970, after some records of the feed."""
        self.take(records)
        tick = self._inputs.status.get("tick")
        if tick is None:
            return
        for each in self._inputs.each():
            pulse = each.pulse
            quiet = pulse.quiet_for(now) is not None
            if quiet and (pulse.unread or now <= self._began + (pulse.gap or 0)):
                continue  # facts may have come, and not been read
            found: dict[str, str] = {}
            slots = self._inputs.slots(each.name)
            if quiet:
                found = {"": f"no fact of {each.name} since {_at(pulse.heard or 0)}; {_expected(each)}"}
            elif slots is not None:
                if not slots.sure:
                    continue
                found = _slot_texts(each, slots)
            yield from self._compared(each.name, tick, found)

    def _compared(self, name: str, tick: int, found: dict[str, str]) -> Iterator[LogLine]:
        """Yields the changes to what is silent now; nothing of slots while the input, or many, are."""
        for slot, text in found.items():
            if (part := SilentPart(name, slot)) not in self._silent:
                self._silent.add(part)
                yield _line(SILENT, tick, part, text)
        for part in sorted(self._silent):
            unknown = part.slot and ("" in found or MANY in found)
            if part.input == name and part.slot not in found and not unknown:
                self._silent.discard(part)
                yield _line(HEARD, tick, part, f"facts of {_named(*part)} come again")


def silent_part(line: LogLine) -> SilentPart:
    return SilentPart(str(line["answer"]["input"]), str(line["answer"].get("slot", "")))


def _slot_texts(status: InputStatus, slots: SlotStatus) -> dict[str, str]:
    """Writes a text for each silent slot of an input, or one for all if they are many."""
    if slots.silent > MOST_SLOTS:
        some = ", ".join([*slots.listed][:3])
        text = f"{slots.silent:,} of {slots.known:,} {slots.noun} of {status.name} are silent, such as {some}"
        return {MANY: f"{text}; {_expected(status)}"}
    return {
        slot: f"no fact of {_named(status.name, slot)} since {_at(heard)}; {_expected(status)}"
        for slot, heard in slots.listed.items()
    }


def _expected(status: InputStatus) -> str:
    return f"the next was expected within {duration_text(round(status.pulse.gap or 0) * 1_000_000)}"


def _named(name: str, slot: str) -> str:
    return name if not slot else f"most of {name}" if slot == MANY else f"{name} of {slot}"


def _at(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _line(change: str, tick: int, part: SilentPart, text: str) -> LogLine:
    answer = {"input": part.input, **({"slot": part.slot} if part.slot else {})}
    return {"tick": tick, "change": change, "query": SILENT_INPUT, "answer": answer, "text": text}
