"""Settings of learning: whether a stream teaches, for how long that counts, and which judges have a say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from antelog.errors import DataError
from antelog.forecast.columns import HALF_LIFE, JUDGE_NAMES


class Learns(Enum):
    """The extent of learning while a stream runs: nothing, single keys, or all."""

    NOTHING, KEYS, ALL = range(3)


@dataclass(frozen=True)
class Learning:
    """Settings of learning. Raises DataError if there is no judge of a name, or if there is none at all."""

    on: bool
    half_life: float | None = HALF_LIFE  # the ticks in which counts lose half their weight (None: never)
    judges: Sequence[str] | None = None  # the names of the judges that count (None: all)
    shared: bool = True  # whether sums over all keys are learned; else keys are independent of each other

    def __post_init__(self) -> None:
        known = ", ".join(JUDGE_NAMES)
        for name in self.judges or ():
            if name not in JUDGE_NAMES:
                raise DataError(f"there is no judge {name!r}; there are {known}")
        if self.judges is not None and not self.judges:
            raise DataError(f"without a judge there are no chances: name some of {known}, or leave it out")

    @property
    def learns(self) -> Learns:
        if not self.on:
            return Learns.NOTHING
        return Learns.ALL if self.shared else Learns.KEYS
