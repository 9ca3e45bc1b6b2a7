"""Settings of the chances of open answers: where they come from, and which answers they leave out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from antelog.forecast.columns import HALF_LIFE, JUDGE_NAMES
from antelog.given import LENGTH, MODEL, NUMBER, TEXTS
from antelog.run import values
from antelog.run.options import Syntax, flag, option, plain, whole_number
from antelog.run.source_settings import FOLLOWING

if TYPE_CHECKING:  # a model is loaded only where there is one
    from antelog.forecast.model_file import Model

LEARN = "learn"
_MODEL = Syntax(
    "MODEL|learn",
    lambda name, at: name if name == LEARN else at.folder / name,
    MODEL,
    words=(LEARN,),
    is_path=True,
)
_TICKS = plain("TICKS", values.ticks_above_0, kind=LENGTH, toml=(float, int))
_JUDGES = plain("JUDGE,…", values.judges, kind=TEXTS, separator=",", words=JUDGE_NAMES)
_CHANCE = plain("CHANCE", values.chance, kind=NUMBER, toml=(float,))


@dataclass(frozen=True, kw_only=True)
class ChanceSettings:
    """Settings of the chances of open answers."""

    model: Model | Path | str | None = option(
        None, _MODEL,
        "How likely open answers are, by a model that `antelog learn` has written, or by one that is learned "
        "on the way.",
        on=("try", "score", *FOLLOWING),
    )  # fmt: skip
    learn: bool = flag(False, "Go on learning with a given model.", on=())
    epoch: int | None = option(
        None, whole_number(1, "TICKS"),
        "The ticks whose facts are counted together, to be used from the end of the next as many on: fewer "
        "where much changes within few ticks. A model that is given keeps its own.",
        on=("try", "score", "learn", *FOLLOWING), default_text="20",
    )  # fmt: skip
    half_life: float | None = option(
        HALF_LIFE, _TICKS,
        "The ticks after which what was learned counts half in the slowest of the memories (None: it never "
        "fades); in the others they are a quarter and a twentieth of it.",
        on=("try", "score", *FOLLOWING), default_text="5000",
    )  # fmt: skip
    judges: Sequence[str] | None = option(
        None, _JUDGES, f"The judges that have a say in a chance: some of {', '.join(JUDGE_NAMES)}.",
        on=("try", "score", *FOLLOWING), default_text="all",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LimitSettings(ChanceSettings):
    """Which open answers are left out."""

    min_chance: float | None = option(
        None, _CHANCE, "Leave out answers that are less likely than this, such as 0.01.",
        on=("try", *FOLLOWING),
    )  # fmt: skip
    most: int | None = option(
        None, whole_number(1),
        "Of each query (on Spark, in each bucket) leave out all but the N likeliest open answers.",
        on=("try", *FOLLOWING),
    )  # fmt: skip
