"""How good chances were, for each reading at which there was a question: Brier score and log loss.

In come the files that the engines leave, out go two numbers for each; the least one can have are those of who
knows what the stream was made from.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from antelog.forecast.scores.scored_lines import log_losses
from benchmarks.wayeb.questions import Question
from benchmarks.wayeb.streams import Flags, Machines, Numbers


def own_chances(file: Path, question: Question, shape: tuple[int, int]) -> Numbers:
    """A row for each tick, a column for each machine; NaN where nothing is said."""
    lines = pl.read_parquet(file)
    if not question.begun:
        lines = lines.filter(pl.col("T") == pl.col("tick"))
    machine = lines["X"].str.slice(1).cast(pl.Int64).to_numpy()
    chances = np.full(shape, np.nan)
    chances[lines["tick"].to_numpy(), machine] = lines["chance"].to_numpy()
    return chances


def wayeb_chances(file: Path, shape: tuple[int, int]) -> Numbers:
    """The same. A suffix tree needs some readings before it says anything."""
    found = np.fromfile(file, "<f8")
    chances = np.full(shape[0] * shape[1], np.nan)
    chances[len(chances) - len(found) :] = found
    return chances.reshape(shape)


def scores(
    question: Question, readings: Flags, machines: Machines, said: dict[str, Numbers]
) -> dict[str, Any]:
    """Of each who said something, of the base rate, and of who knows the truth."""
    asked = question.asked(readings)
    came = question.came(readings)[asked]
    rate = np.full(came.shape, came.mean())
    judged = {name: question.scored(chances)[asked] for name, chances in said.items()}
    judged |= {"truth": question.truth(readings, machines)[asked], "base": rate}
    return {
        "asked": len(came),
        "came": round(float(came.mean()), 4),
        "scores": {name: _scores(chances, came) for name, chances in judged.items()},
    }


def _scores(chances: Numbers, came: Flags) -> dict[str, float]:
    if np.isnan(chances).any():
        raise ValueError(f"{int(np.isnan(chances).sum())} of {len(chances)} questions have no answer")
    brier = float(np.mean((chances - came) ** 2))
    log = float(np.mean(log_losses(chances, came)))
    return {"brier": round(brier, 5), "log": round(log, 5)}
