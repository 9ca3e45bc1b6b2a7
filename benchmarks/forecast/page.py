"""`docs/forecast-results.md` and its pictures, made of what was found out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

from antelog.pictures.drawing import Drawing
from benchmarks.forecast.cost import STREAMS as COST_STREAMS
from benchmarks.forecast.drawing import calibration_drawing, scores_drawing
from benchmarks.forecast.made import MADE
from benchmarks.forecast.records import RECORDS
from benchmarks.forecast.results import BASE, CHANCE, TRUTH, Found, against_base, columns_of
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

- *chance*, the column that users see: what [the judges](forecasts.md) say together;
- each judge alone, such as *model*, the model of facts: how often they come, how persistently and how late;
  those between *chance* and *base* in the tables;
- *base*: of all lines whose answers were decided before, the share that was confirmed;
- *boosting*: scikit-learn's `HistGradientBoostingClassifier` as it comes, fitted anew at each tenth of the
  way to the lines decided so far. It knows which literals are true, the age of the answer, how long it was
  silent, and its key's share of confirmed answers;
- *logistic*: scikit-learn's `LogisticRegression` of the same features, fitted likewise.

The Brier score is the mean square of chance minus outcome. The log loss is the mean of minus the logarithm
of the chance that was given to what became true; no chance counts as less than 0.0001. Less is better.

## Two halves

How forecasts forget and are weighed was once chosen by looking at scores of all of these streams. Since then
the streams are dealt to two halves, by a rule that knows no score: the files of the records, in the order of
their names, belong to one half and the other in turn. So streams of one record stay together. On the first
half, *chosen on*, constants may be chosen; the other is *only reported*, and its mean stands for streams
that nobody looked at. Two things make it still a little too good: the choices before the streams were dealt,
and questions that are asked of another record of the other half as well (`gap`, `steady` and `again`).
"""

_MEAN = """\
*Mean* is that of the score divided by the base rate's: of all streams, and of the half on which nobody
chose anything. A judge that can say nothing about a stream has no
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

_MADE = """\
## Made streams

Of recorded streams nobody knows the chances. Of these they are known, for the streams were made with them:
*truth* is what a program says that declares them, and in the long run nobody can be better. What is asked
is always three facts of a key in a row. On few lines a judge may be better than the truth by luck.
"""

_ERROR = """\
How far chances are off in the mean is the [expected calibration error](forecasts.md#what-is-assumed). It is
above zero of right chances, too; where its interval begins at 0, it may be chance.
"""

_ALERTS = """\
## What alerts would be worth

An answer is alerted at the first line whose chance reaches 80 %. *Precision* is the share of these that are
confirmed, *found* the share of the confirmed answers that were alerted, *lead* the median of the ticks from
alert to certainty.
"""


_COSTS = """\
## What chances cost

The turbines of `make bench` once more, and readings that are numbers, in CPU seconds: the median of three
runs that take turns. How likely numbers are cannot be declared. With learned chances it should take 2.5
times as long as without at most, which is not reached yet. On Spark, where moving the rows costs more
than the kernel, it is
[a third more](scaling.md#measured) with declared chances. What another engine takes for its forecasts is
[a page of its own](beside-wayeb.md).

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
        lines += [f"{words}:\n", *_scores(streams, score), *_means(streams, score), ""]
    lines += [_MEAN, _verdict(streams), ""]
    made = {name: found["made"][name] for name in MADE if name in found["made"]}
    if made:
        lines += [_MADE, *_made(made), "", "Brier score:\n", *_scores(made, "brier"), ""]
        lines += ["Log loss:\n", *_scores(made, "log"), ""]
    lines += [
        _CALIBRATION,
        _calibrations(streams),
        "",
        _ERROR,
        *_errors(streams),
        "",
        _ALERTS,
        *_alerts(streams),
    ]
    if "cost" in found:
        lines += ["", _COSTS.rstrip("\n"), "", *_costs(found["cost"])]
    return "\n".join([*lines, "", _setting(found)]) + "\n"


def _table(columns: list[str], rows: list[list[str]], words: int = 1) -> list[str]:
    """A table; the first columns have words, the others numbers."""
    rule = ["---"] * words + ["---:"] * (len(columns) - words)
    return [f"| {' | '.join(row)} |" for row in (columns, rule, *rows)]


def _questions(streams: Mapping[str, Found]) -> list[str]:
    rows = [
        [
            name, STREAMS[name].record, STREAMS[name].words,
            "only reported" if _reported(name) else "chosen on",
            f"{each['ticks']:,}", f"{each['lines']:,}", f"{each['base_rate']:.1%}",
        ]
        for name, each in streams.items()
    ]  # fmt: skip
    heads = ["stream", "record", "question", "half", "ticks", "lines scored", "confirmed"]
    return _table(heads, rows, words=4)


def _reported(name: str) -> bool:
    """Whether a stream is of the half that nobody chose on."""
    return RECORDS[STREAMS[name].record].reported


def _scores(streams: Mapping[str, Found], score: str) -> list[str]:
    judges, rows = columns_of(streams), []
    for name, each in streams.items():
        values = {judge: each["scores"][judge][score] for judge in judges if judge in each["scores"]}
        best = min(value for judge, value in values.items() if judge != TRUTH)
        cells = [_cell(values[judge], values[judge] == best) if judge in values else "" for judge in judges]
        rows.append([name, *cells])
    return _table(["stream", *judges], rows)


def _means(streams: Mapping[str, Found], score: str) -> list[str]:
    """Rows with the means of all streams, and of the half that nobody chose on."""
    held_out = {name: each for name, each in streams.items() if _reported(name)}
    rows = []
    for words, some in (("*mean*", streams), ("*mean, only reported*", held_out)):
        means = [against_base(some, judge, score) for judge in columns_of(streams)]
        cells = ("" if mean is None else f"{mean:.3f}" for mean in means)
        rows.append(f"| {' | '.join([words, *cells])} |")
    return rows


def _made(made: Mapping[str, Found]) -> list[str]:
    rows = [
        [name, MADE[name].words, f"{each['ticks']:,}", f"{each['lines']:,}"] for name, each in made.items()
    ]
    return _table(["stream", "how it is made", "ticks", "lines scored"], rows, words=2)


def _errors(streams: Mapping[str, Found]) -> list[str]:
    rows = []
    for name, each in streams.items():
        if (error := each.get("error")) is not None:
            ends = error["interval"]
            interval = "" if ends is None else f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f}"
            rows.append([name, f"{100 * error['mean']:.1f}", interval])
    return _table(["stream", "calibration error, points", "95 % interval"], rows)


def _cell(value: float, best: bool) -> str:
    return f"**{value:.4f}**" if best else f"{value:.4f}"


def _verdict(streams: Mapping[str, Found]) -> str:
    """Where the chance users see is more than 1 % worse than another judge, in log loss or Brier score."""
    worse = []
    for name, each in streams.items():
        for judge in each["scores"]:
            if judge == CHANCE:
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
    rows = [
        [COST_STREAMS[name].words, f"{each['facts']:,}", f"{each['changes']:,}", *_ways(each)]
        for name, each in cost["streams"].items()
    ]
    heads = ["readings", "facts", "changes", "without chances", "declared", "learned meanwhile"]
    table = _table(heads, rows)
    if "commit" not in cost:
        return table
    return [*table, "", f"*Measured at commit {cost['commit']}, {cost['date']}, {cost['cpu']}.*"]


def _ways(cost: Mapping[str, float]) -> list[str]:
    """The seconds of each way, and how many times those without chances that is."""
    learned = (
        f"{cost[name]:.2f} ({cost[name] / cost['plain']:.1f})" if name in cost else ""
        for name in ("declared", "learned")
    )
    return [f"{cost['plain']:.2f}", *learned]


def _setting(found: Found) -> str:
    at = found["setting"]
    versions = ", ".join(f"{name} {number}" for name, number in at["versions"].items())
    return f"*Streams scored at commit {at['commit']}, {at['date']}; {versions}.*"
