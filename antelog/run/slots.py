"""When facts of each slot of an input came last, so that a single device that falls silent is noticed.

    input Beat(server, time) delay 1, one per server, every 10 s.
    s1 came at 10:02:14, s2 at 10:02:23     at 10:02:30 s1 is silent, since 10:02:14

The times are a column, so that there may be 100,000 slots. A slot that is silent for a week is forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine.columns.tables import Column

LISTED = 200
"""Silent slots that are listed, at most: those that fell silent last."""
FORGOTTEN = 7 * 24 * 3600 * 1_000_000
"""Microseconds of silence after which a slot is forgotten."""
MOST = 1_000_000
"""Slots that are known, at most; more are not looked at."""


class SilentSlots(msgspec.Struct, frozen=True):
    """How many slots are silent, and when facts of the latest of them came last, in microseconds."""

    count: int = 0
    heard: dict[str, int] = {}


class KnownSlots(msgspec.Struct):
    """The names of slots, and when facts of each came last, as a store keeps them."""

    names: list[str] = []
    heard: list[int] = []


@dataclass(eq=False)
class SlotTimes:
    """The slots of an input, by the columns that name them."""

    columns: Sequence[str]

    def __post_init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._heard: Column = np.zeros(64, np.int64)

    def __len__(self) -> int:
        return len(self._names)

    def hear(self, table: pa.Table, wall: int) -> None:
        """Facts came at a moment."""
        texts = [pc.cast(table.column(name), pa.string()) for name in self.columns]
        names = texts[0] if len(texts) == 1 else pc.binary_join_element_wise(*texts, ", ")
        heard = [name for name in pc.unique(names).to_pylist() if name is not None]
        fresh = [name for name in heard if name not in self._numbers][: max(0, MOST - len(self))]
        self._numbers.update(zip(fresh, range(len(self), len(self) + len(fresh)), strict=True))
        self._names += fresh
        if len(self) > len(self._heard):
            self._heard = np.concatenate([self._heard, np.zeros(len(self), np.int64)])
        numbers = [number for number in map(self._numbers.get, heard) if number is not None]
        self._heard[numbers] = wall

    def silent(self, before: int) -> SilentSlots:
        """The slots of which no fact came since a moment; those that are silent for long are forgotten."""
        heard = self._heard[: len(self)]
        found = np.flatnonzero(heard < before)
        if not len(found):
            return SilentSlots()
        if heard[found].min() < before - FORGOTTEN:
            kept = np.flatnonzero(heard >= before - FORGOTTEN).tolist()
            self.restore(KnownSlots([self._names[at] for at in kept], heard[kept].tolist()))
            return self.silent(before)
        latest = found[np.argsort(-heard[found], kind="stable")][:LISTED].tolist()
        return SilentSlots(len(found), {self._names[at]: int(heard[at]) for at in latest})

    def saved(self) -> KnownSlots:
        return KnownSlots(list(self._names), self._heard[: len(self)].tolist())

    def restore(self, known: KnownSlots) -> None:
        """Goes on with the slots of a run before."""
        self._numbers = {name: number for number, name in enumerate(known.names)}
        self._names = list(known.names)
        self._heard = np.array([*known.heard, *[0] * 64], np.int64)


def blob_of(slots: dict[str, SlotTimes]) -> bytes:
    """The slots of all inputs, for a store."""
    return msgspec.json.encode({name: each.saved() for name, each in slots.items()})


def known_in(blob: bytes) -> dict[str, KnownSlots]:
    """The slots of all inputs that a store has."""
    return msgspec.json.decode(blob, type=dict[str, KnownSlots])
