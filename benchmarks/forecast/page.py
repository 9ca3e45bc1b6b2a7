"""`docs/forecast-results.md` and its pictures, made of what was found out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

from antelog.pictures.drawing import Drawing
from benchmarks.forecast.drawing import calibration_drawing, scores_drawing
from benchmarks.forecast.results import BASE, CHANCE, JUDGES, RIVALS, Found, against_base
from benchmarks.forecast.streams import STREAMS
from benchmarks.report import ROOT

DOCS = ROOT / "docs"

ALERTED = 0.8
"""The threshold whose alerts the page shows."""

_HEAD = """\
# How good forecasts are

An open answer has a chance: how likely it is to be confirmed. Here recorded streams are replayed, and the
chances are compared with what became of the answers. `make bench-forecast` does it and makes this page;
the figures are in `benchmarks/results/forecast.json`. The records are not part of the project.

Each chance rests on what was known at its tick, and on nothing later. The first half of a record is for
learning; the open lines of the second half count, those of answers that were decided before its end. No
program says how likely anything is. Compared are

- *chance*, the column that users see: the average of the next two;
- *model*, the model of facts alone: how often they come, how persistently and how late;
- *outcomes* alone: of the answers that were once in this state, how many were confirmed;
- *base*: of all lines whose answers were decided before, the share that was confirmed;
- *boosting*: scikit-learn's `HistGradientBoostingClassifier` as it comes, fitted anew at each tenth of the
  way to the lines decided so far. It knows which literals are true, the age of the answer, how long it was
  silent, and its key's share of confirmed answers.

The Brier score is the mean square of chance minus outcome. The log loss is the mean of minus the logarithm
of the chance that was given to what became true; no chance counts as less than 0.0001. Less is better.

How fast the average forgets, how it counts lines, and that outcomes distinguish lines from silence was
chosen by looking at scores of these very streams, among some dozens of variants that differ little. So
the figures of chance and outcomes are somewhat better than they would be on streams nobody has looked at.
"""

_MEAN = """\
*Mean* is that of the score divided by the base rate's. A judge that can say nothing about a stream has no
score there, and its mean is of the others: the model, where one fact may stand for two literals of a rule.
"""

_CALIBRATION = """\
## Do chances say what they mean?

Of the answers with a chance of some 30 %, some 30 in 100 should be confirmed. Points are the lines of each
twentieth of chances, bars what 95 of 100 forecasts would show that are calibrated. Answers of about the same
time are right or wrong together, so bars are drawn from whole blocks of ticks. Calibration is *refuted*
where a bin or all together are farther off than in 95 of 100 calibrated streams; `antelog score` goes by
the same test.

![What was said, and what came true](images/forecast-calibration.svg)
"""

_ALERTS = """\
## What alerts would be worth

An answer is alerted at the first line whose chance reaches 80 %. *Precision* is the share of these that are
confirmed, *found* the share of the confirmed answers that were alerted, *lead* the median of the ticks from
alert to certainty.
"""


_COSTS = """\
## What chances cost

The turbines of `make bench` once more: {facts:,} readings and {changes:,} lines of changes, in CPU seconds.
The median of three runs that take turns. The design asks for twice the time at most. On Spark, where moving
the rows costs more than the kernel, it is [a third more](scaling.md#measured) with declared chances. What
another engine takes for its forecasts is [a page of its own](beside-wayeb.md).

"""


def write(found: Found, docs: Path = DOCS) -> None:
    (docs / "images").mkdir(parents=True, exist_ok=True)
    for name, drawing in _pictures(_in_order(found)):
        drawing.save(docs / "images" / name)
    (docs / "forecast-results.md").write_text(as_markdown(found), encoding="utf-8")


def _pictures(streams: Mapping[str, Found]) -> Iterator[tuple[str, Drawing]]:
    yield "forecast-scores.svg", scores_drawing(streams)
    yield "forecast-calibration.svg", calibration_drawing(streams)


def _in_order(found: Found) -> dict[str, Found]:
    return {name: found["streams"][name] for name in STREAMS if name in found["streams"]}


def as_markdown(found: Found) -> str:
    streams = _in_order(found)
    lines = [_HEAD, "## The streams\n", *_questions(streams), "", "## The scores\n"]
    lines += ["![Log loss](images/forecast-scores.svg)\n"]
    for score, words in (("brier", "Brier score"), ("log", "Log loss")):
        lines += [f"{words}:\n", *_scores(streams, score), ""]
    lines += [
        _MEAN,
        _verdict(streams),
        "",
        _CALIBRATION,
        _calibrations(streams),
        "",
        _ALERTS,
        *_alerts(streams),
    ]
    if "cost" in found:
        lines += ["", _COSTS.format(**found["cost"]).rstrip("\n"), "", *_costs(found["cost"])]
    return "\n".join([*lines, "", _setting(found)]) + "\n"


def _table(columns: list[str], rows: list[list[str]], words: int = 1) -> list[str]:
    """A table; the first columns have words, the others numbers."""
    rule = ["---"] * words + ["---:"] * (len(columns) - words)
    return [f"| {' | '.join(row)} |" for row in (columns, rule, *rows)]


def _questions(streams: Mapping[str, Found]) -> list[str]:
    rows = [
        [
            name, STREAMS[name].record, STREAMS[name].words, f"{each['ticks']:,}", f"{each['lines']:,}",
            f"{each['base_rate']:.1%}",
        ]
        for name, each in streams.items()
    ]  # fmt: skip
    return _table(["stream", "record", "question", "ticks", "lines scored", "confirmed"], rows, words=3)


def _scores(streams: Mapping[str, Found], score: str) -> list[str]:
    rows = []
    for name, each in streams.items():
        values = {judge: each["scores"][judge][score] for judge in JUDGES if judge in each["scores"]}
        best = min(values.values())
        cells = [_cell(values[judge], values[judge] == best) if judge in values else "" for judge in JUDGES]
        rows.append([name, *cells])
    means = [against_base(streams, judge, score) for judge in JUDGES]
    rows.append(["*mean*", *("" if mean is None else f"{mean:.3f}" for mean in means)])
    return _table(["stream", *JUDGES], rows)


def _cell(value: float, best: bool) -> str:
    return f"**{value:.4f}**" if best else f"{value:.4f}"


def _verdict(streams: Mapping[str, Found]) -> str:
    """Where the chance users see is more than 1 % worse than another judge, in log loss or Brier score."""
    worse = []
    for name, each in streams.items():
        for judge in RIVALS:
            if judge not in each["scores"]:
                continue
            own, other = each["scores"][CHANCE], each["scores"][judge]
            most = max(own[score] / other[score] - 1 for score in own)
            if most > (0 if judge == BASE else 0.01):
                worse.append(f"{name} ({judge}, {most:.1%})")
    if not worse:
        return "The chance is nowhere worse than the base rate, nor by more than 1 % than any other judge."
    head = "The chance is worse than the base rate, or by more than 1 % than another judge, here: "
    return fill(f"{head}{', '.join(worse)}.", 120)


def _calibrations(streams: Mapping[str, Found]) -> str:
    """Of which streams calibration is refuted."""
    said = {True: "refuted", False: "not refuted", None: "too little to tell"}
    lists = []
    for refuted, words in said.items():
        names = [name for name, each in streams.items() if each["refuted"] is refuted]
        if names:
            lists.append(f"{words}: {', '.join(names)}")
    return fill(f"Calibration is {'; '.join(lists)}.", 120)


def _alerts(streams: Mapping[str, Found]) -> list[str]:
    rows = []
    for name, each in streams.items():
        at = next(alert for alert in each["alerts"] if alert["threshold"] == ALERTED)
        if at["alerts"] and at["lead"]:
            shares = [f"{at[key]:.0%}" for key in ("precision", "found")]
            rows.append([name, f"{at['alerts']:,}", *shares, f"{at['lead'][1]}"])
    return _table(["stream", "alerts", "precision", "found", "lead"], rows)


def _costs(cost: Mapping[str, Any]) -> list[str]:
    words = {
        "plain": "without chances",
        "declared": "with declared ones",
        "learned": "with chances that are learned meanwhile",
    }
    rows = [[word, f"{cost[name]:.2f}", f"{cost[name] / cost['plain']:.1f}"] for name, word in words.items()]
    table = _table(["", "CPU seconds", "times"], rows)
    if "commit" not in cost:
        return table
    return [*table, "", f"*Measured at commit {cost['commit']}, {cost['date']}, {cost['cpu']}.*"]


def _setting(found: Found) -> str:
    at = found["setting"]
    versions = ", ".join(f"{name} {number}" for name, number in at["versions"].items())
    return f"*Streams scored at commit {at['commit']}, {at['date']}; {versions}.*"
