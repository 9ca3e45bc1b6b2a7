"""What was found out about each stream, as a file: judging one anew leaves the others as they were.

{"setting": …, "streams": {"outbreak": {"lines": 306, "scores": {"chance": {"brier": 0.068, …}, …}, …}}}
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from antelog.forecast.scores import scores
from antelog.forecast.scores.scored_lines import ScoredLines
from antelog.forecast.scores.scores import ScoreResult
from benchmarks.forecast.made import MadeStream
from benchmarks.forecast.rivals import base_rate, boosting, logistic
from benchmarks.forecast.streams import Stream
from benchmarks.forecast.telling import Replay, replayed
from benchmarks.forecast.when import half_way, when

Found = dict[str, Any]

CHANCE, BASE, TRUTH = "chance", "base", "truth"
BOOSTING, LOGISTIC = "boosting", "logistic"
CLOCK = " + clock"
RIVALS = (BASE, BOOSTING, LOGISTIC, BOOSTING + CLOCK, LOGISTIC + CLOCK)


def columns_of(streams: Mapping[str, Found]) -> tuple[str, ...]:
    """The chance that users see, its judges, the rivals, and the truth where it is known."""
    there = dict.fromkeys(name for each in streams.values() for name in each["scores"])
    judges = [name for name in there if name not in (CHANCE, *RIVALS, TRUTH)]
    return tuple(name for name in (CHANCE, *judges, *RIVALS, TRUTH) if name in there)


def judged(stream: Stream) -> Found:
    """A stream replayed and scored: the lines of the second half of its ticks."""
    told = replayed(stream)
    return _scored([told], pl.col("tick") >= (told.first + told.last + 1) // 2)


def judged_made(stream: MadeStream) -> Found:
    """A made stream scored: the lines from its first tick that counts on, and the truth's score."""
    told = [*stream.replays()]
    found = _scored(told, pl.col("tick") >= pl.col("first") + stream.since)
    if stream.turn is not None:
        found["half_way"] = half_way(told[0].lines, told[0].first + stream.turn)
    return found


def _scored(told: Sequence[Replay], counts: pl.Expr) -> Found:
    """The scores of the lines that count, of one replay or of several, one after the other."""
    parts, ticks, answers = [], 0, 0
    for each in told:
        lines, length = _beside_rivals(each), each.last + 1 - each.first
        shift = ticks - each.first
        moved = lines.filter(counts & pl.col(CHANCE).is_not_nan()).with_columns(
            pl.col("tick", "decided") + shift, pl.col("answer") + answers
        )
        parts.append(moved.drop("looks", "forecast"))
        ticks, answers = ticks + length, answers + lines.height
    lines = pl.concat(parts)
    names = [name for name in (CHANCE, *told[0].judges, *RIVALS, TRUTH) if name in lines.columns]
    found = {name: _result(lines, name) for name in names if not lines[name].is_nan().any()}
    own = found[CHANCE]
    calibrated, error = own.calibration, own.calibration.error
    return {
        "ticks": ticks,
        **asdict(own.counted),
        "scores": {
            name: {"brier": each.brier.mean, "log": each.log_loss.mean} for name, each in found.items()
        },
        "error": None if error is None else {"mean": error, "interval": calibrated.interval},
        "refuted": calibrated.refuted,
        "bins": [asdict(each) for each in calibrated.bins],
        "alerts": [asdict(each) for each in own.alerts],
        "when": when(told[0].lines.with_columns(_first(told[0])), counts) if len(told) == 1 else None,
    }


def _first(told: Replay) -> pl.Expr:
    return pl.lit(told.first).alias("first")


def _beside_rivals(told: Replay) -> pl.DataFrame:
    """The lines of a replay with the chances of rivals."""
    lines, last = told.lines, told.last
    rivals = {BASE: base_rate(lines), BOOSTING: boosting(lines, last), LOGISTIC: logistic(lines, last)}
    if "hour" in lines.columns:
        rivals[BOOSTING + CLOCK] = boosting(lines, last, clock=True)
        rivals[LOGISTIC + CLOCK] = logistic(lines, last, clock=True)
    return lines.with_columns(*(pl.Series(*pair) for pair in rivals.items()), _first(told))


def _result(lines: pl.DataFrame, judge: str) -> ScoreResult:
    columns = (lines[name].to_numpy() for name in ("answer", "tick", judge, "decided", "confirmed"))
    answer, tick, chance, decided, confirmed = columns
    return scores.result(
        scores.scored(scores.Scores(), ScoredLines(answer, tick, chance, decided, confirmed.astype(np.bool_)))
    )


def read(folder: Path) -> Found:
    file = folder / "forecast.json"
    found: Found = json.loads(file.read_text()) if file.exists() else {}
    for part in ("streams", "made"):
        found.setdefault(part, {})
    return found


def write(folder: Path, found: Found) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "forecast.json").write_text(json.dumps(found, indent=1) + "\n")


def against_base(streams: Mapping[str, Found], judge: str, score: str) -> float | None:
    """The mean over streams of a judge's score divided by the base rate's, where it says anything."""
    ratios = [
        each["scores"][judge][score] / each["scores"][BASE][score]
        for each in streams.values()
        if judge in each["scores"]
    ]
    return sum(ratios) / len(ratios) if ratios else None
