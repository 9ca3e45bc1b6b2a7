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

Found = dict[str, Any]

CHANCE, BASE, BOOSTING, LOGISTIC, TRUTH = "chance", "base", "boosting", "logistic", "truth"
RIVALS = (BASE, BOOSTING, LOGISTIC)


def columns_of(streams: Mapping[str, Found]) -> tuple[str, ...]:
    """The chance that users see, its judges, the rivals, and the truth where it is known."""
    there = dict.fromkeys(name for each in streams.values() for name in each["scores"])
    judges = [name for name in there if name not in (CHANCE, *RIVALS, TRUTH)]
    return tuple(name for name in (CHANCE, *judges, *RIVALS, TRUTH) if name in there)


def judged(stream: Stream) -> Found:
    """A stream replayed and scored: the lines of the second half of its ticks."""
    told = replayed(stream)
    return _scored(told, (CHANCE, *told.judges, *RIVALS), (told.last + 1) // 2)


def judged_made(stream: MadeStream) -> Found:
    """A made stream scored: the lines from its first tick that counts on, and the truth's score."""
    told = stream.replayed()
    return _scored(told, (CHANCE, *told.judges, *RIVALS, TRUTH), stream.since)


def _scored(told: Replay, names: Sequence[str], since: int) -> Found:
    lines, last = told.lines, told.last
    rivals = {
        BASE: base_rate(lines), BOOSTING: boosting(lines, last), LOGISTIC: logistic(lines, last)
    }  # fmt: skip
    lines = lines.with_columns(pl.Series(name, chance) for name, chance in rivals.items()).filter(
        (pl.col("tick") >= since) & pl.col(CHANCE).is_not_nan()
    )
    found = {name: _result(lines, name) for name in names if not lines[name].is_nan().any()}
    own = found[CHANCE]
    calibrated, error = own.calibration, own.calibration.error
    return {
        "ticks": last + 1,
        **asdict(own.counted),
        "scores": {
            name: {"brier": each.brier.mean, "log": each.log_loss.mean} for name, each in found.items()
        },
        "error": None if error is None else {"mean": error, "interval": calibrated.interval},
        "refuted": calibrated.refuted,
        "bins": [asdict(each) for each in calibrated.bins],
        "alerts": [asdict(each) for each in own.alerts],
    }


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
