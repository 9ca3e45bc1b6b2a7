"""What was found out about each stream, as a file: judging one anew leaves the others as they were.

{"setting": …, "streams": {"outbreak": {"lines": 306, "scores": {"chance": {"brier": 0.068, …}, …}, …}}}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from antelog.forecast.columns import MODEL, OUTCOMES
from antelog.forecast.scores import scores
from antelog.forecast.scores.scored_lines import ScoredLines
from antelog.forecast.scores.scores import ScoreResult
from benchmarks.forecast.rivals import base_rate, boosting
from benchmarks.forecast.streams import Stream
from benchmarks.forecast.telling import replayed

Found = dict[str, Any]

CHANCE, BASE, BOOSTING = "chance", "base", "boosting"
JUDGES = (CHANCE, MODEL, OUTCOMES, BASE, BOOSTING)
RIVALS = JUDGES[1:]


def judged(stream: Stream) -> Found:
    """A stream replayed and scored: the lines of the second half of its ticks."""
    lines, last = replayed(stream)
    lines = lines.with_columns(
        pl.Series(BASE, base_rate(lines)), pl.Series(BOOSTING, boosting(lines, last))
    ).filter((pl.col("tick") >= (last + 1) // 2) & pl.col(CHANCE).is_not_nan())
    found = {name: _result(lines, name) for name in JUDGES if not lines[name].is_nan().any()}
    own = found[CHANCE]
    return {
        "ticks": last + 1,
        **asdict(own.counted),
        "scores": {
            name: {"brier": each.brier.mean, "log": each.log_loss.mean} for name, each in found.items()
        },
        "refuted": own.calibration.refuted,
        "bins": [asdict(each) for each in own.calibration.bins],
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
    found: Found = json.loads(file.read_text()) if file.exists() else {"streams": {}}
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
