"""The limits of what a state knows after facts were given up, or rules were changed while they ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from antelog.engine.columns.joins import find_rows
from antelog.engine.columns.tables import Column, Mask, RowSet


@dataclass(frozen=True, eq=False)
class SettledAnswers(RowSet):
    """Answers that earlier rules have confirmed: the cells of their variables, and their times."""

    columns: tuple[Column, ...]
    time: Column

    def among(self, answers: Sequence[Column], time: Column) -> Mask:
        return find_rows([*answers, time], [*self.columns, self.time]) >= 0


@dataclass(frozen=True)
class Carried:
    """The limits of what is known, by input or query; names that are missing have none."""

    forgotten: int = 0  # facts about ticks before this one were given up, because there was no room
    facts: Mapping[str, int] = field(default_factory=dict)  # from this tick on all facts that came are known
    latest: Mapping[str, int] = field(default_factory=dict)  # from this tick on the latest of slots are known
    since: Mapping[str, int] = field(default_factory=dict)  # answers about ticks from this on are reported
    anew: frozenset[str] = frozenset()  # relations in a cycle of negations whose past is taken to be empty
    settled: Mapping[str, SettledAnswers] = field(default_factory=dict)  # not to be reported again


NOTHING_CARRIED = Carried()


# ---- facts that were dropped ----


@dataclass(frozen=True)
class Dropped:
    """The facts of an input that were given up, as there was no room, and the ticks they are about."""

    facts: int
    first: int
    last: int

    def __add__(self, other: Dropped) -> Dropped:
        return Dropped(self.facts + other.facts, min(self.first, other.first), max(self.last, other.last))


DROPPED = pa.schema(
    [("input", pa.string()), ("facts", pa.int64()), ("first", pa.int64()), ("last", pa.int64())]
)


def dropped_table(dropped: Mapping[str, Dropped]) -> pa.Table:
    """For each input that lost facts how many, and the first and the last tick they were about."""
    return pa.Table.from_pylist([{"input": name, **vars(each)} for name, each in dropped.items()], DROPPED)
