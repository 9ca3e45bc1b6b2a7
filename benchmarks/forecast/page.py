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
from benchmarks.forecast.results import BASE, CHANCE, RIVALS, TRUTH, Found, against_base, columns_of
from benchmarks.forecast.streams import STREAMS
from benchmarks.report import ROOT

DOCS = ROOT / "docs"

ALERTED = 0.8
"""The threshold whose alerts the page shows."""

_HEAD = """\
# How good forecasts are

An open answer has a chance: how likely it is to be confirmed. Here recorded streams are replayed, and made
ones whose true chances are known, and the chances are compared with what became of the answers.
`make bench-forecast` does it and makes this page; the figures are in `benchmarks/results/forecast.json`. The
records are not part of the project.

Each chance rests on what was known at its tick, and on nothing later. The first half of a record is for
learning; the open lines of the second half count, those of answers that were decided before its end. No
program says how likely anything is. Compared are

- *chance*, the column that users see: what [the judges](forecasts.md) say together;
- each judge alone, such as *model*, the model of facts: how often they come, how persistently and how late;
  those between *chance* and *base* in the tables;
- *base*: of all lines whose answers were decided before, the share that was confirmed;
- *boosting*: scikit-learn's `HistGradientBoostingClassifier` as it comes, fitted anew whenever the lines
  decided so far grew by 40 %, and at each tenth of the way, to the newest 20,000. It is given what antelog
  looks at: which literals are true, how much a count has reached, the age of the answer, how long it was
  silent, its key's share of confirmed answers, and the latest values;
- *logistic*: scikit-learn's `LogisticRegression` of the same features, fitted likewise;
- *+ clock*: both with the hour and the day of the week, where ticks have a length.

The Brier score is the mean square of chance minus outcome. The log loss is the mean of minus the logarithm
of the chance that was given to what became true; no chance counts as less than 0.0001. Less is better.
"""

_BETTER = """\
## Where others are better

A rival is ahead where its Brier score or its log loss is smaller, by that part of its own. These are all such
streams, recorded ones and [made ones](#made-streams).
"""

_BEHIND = """\
Of several judges one is the best afterwards, and nobody knows before which. The chance should be at most 1 %
behind it, and 5 % where fewer than 2,000 lines are scored. It is farther behind here:
"""

_HALVES = """\
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

Of recorded streams nobody knows the chances. Of these they are known, for the streams were made with them.
*Truth* is the oracle: it knows how a stream is made, with all numbers, and what facts have shown of it by the
tick of a line. In the long run nobody can be better; on few lines a judge may be by luck.
"""

_RATIOS = """\
The Brier score as a part of others: of the base rate's, of the truth's, and of that of the best judge. Behind
it are the [expected calibration error](forecasts.md#what-is-assumed) in points and its 95 % interval. It is
above zero of right chances, too; where its interval begins at 0, it may be chance.
"""

_WHEN = """\
## When

A `forecast` says how likely an answer is to be confirmed by each tick. Its *CRPS* is the sum over ticks of
the square of "confirmed by then" minus that chance, in the mean over lines; *counted* is that of a rival that
counts how long lines with the same literals took before. *Uneven* is about confirmed answers: where among the
ticks that were forecast did it happen? It is the largest difference from an even spread (Kolmogorov and
Smirnov), and should be at most 0.05 where a thousand answers were confirmed.
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
    made = {name: found["made"][name] for name in MADE if name in found["made"]}
    lines = [_HEAD, _BETTER, *_better({**streams, **made}), "", _summary(streams, made), ""]
    lines += [_BEHIND, *_behind({**streams, **made}), ""]
    lines += [_HALVES, "## The streams\n", *_questions(streams), "", "## The scores\n"]
    lines += ["![Log loss](images/forecast-scores.svg)\n"]
    for score, words in (("brier", "Brier score"), ("log", "Log loss")):
        lines += [f"{words}:\n", *_scores(streams, score), *_means(streams, score), ""]
    lines += [_MEAN, _RATIOS, *_ratios(streams), ""]
    if made:
        lines += [_MADE, *_made(made), "", *_ratios(made), "", "Brier score:\n", *_scores(made, "brier"), ""]
        lines += ["Log loss:\n", *_scores(made, "log"), ""]
        lines += [_half_way(made), ""]
    lines += [_CALIBRATION, _calibrations(streams), ""]
    lines += [_WHEN, *_when({**streams, **made}), "", _ALERTS, *_alerts(streams)]
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


def _ratios(streams: Mapping[str, Found]) -> list[str]:
    rows = []
    for name, each in streams.items():
        scores = {judge: score["brier"] for judge, score in each["scores"].items()}
        own, best = scores[CHANCE], min(scores[judge] for judge in _judges(each))
        truth = f"{own / scores[TRUTH]:.3f}" if TRUTH in scores else ""
        cells = [f"{own:.4f}", f"{own / scores[BASE]:.3f}", truth, f"{own / best:.3f}", *_error(each)]
        rows.append([name, f"{each['lines']:,}", f"{each['base_rate']:.1%}", *cells])
    heads = [
        "stream",
        "lines",
        "confirmed",
        "Brier",
        "of base",
        "of truth",
        "of best judge",
        "error",
        "interval",
    ]
    return _table(heads, rows)


def _judges(found: Found) -> tuple[str, ...]:
    return tuple(name for name in found["scores"] if name not in (CHANCE, *RIVALS, TRUTH)) or (CHANCE,)


def _error(found: Found) -> list[str]:
    if (error := found.get("error")) is None:
        return ["", ""]
    ends = error["interval"]
    return [
        f"{100 * error['mean']:.1f}",
        "" if ends is None else f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f}",
    ]


def _when(streams: Mapping[str, Found]) -> list[str]:
    rows = []
    for name, each in streams.items():
        if (when := each.get("when")) is not None:
            least = min(when["crps"], when["lags"])
            both = (_cell(when[key], when[key] == least) for key in ("crps", "lags"))
            flat = "" if when["ks"] is None else f"{when['ks']:.3f}"
            rows.append([name, f"{when['lines']:,}", *both, f"{when['confirmed']:,}", flat])
    return _table(["stream", "lines", "CRPS", "counted", "confirmed", "uneven"], rows)


def _half_way(made: Mapping[str, Found]) -> str:
    said = [
        f"In *{name}*, half of the way to the truth took chances {_ticks(each['half_way'])}."
        for name, each in made.items()
        if "half_way" in each
    ]
    return fill(" ".join(said), 120)


def _ticks(ticks: int | None) -> str:
    return "all the time that was left" if ticks is None else f"{ticks:,} ticks"


def _cell(value: float, best: bool) -> str:
    return f"**{value:.4f}**" if best else f"{value:.4f}"


def _better(streams: Mapping[str, Found]) -> list[str]:
    """The streams where rivals are ahead, and by how much; those with the most first."""
    rows = []
    for name, each in streams.items():
        for rival in RIVALS:
            ahead = _ahead(each, rival)
            if max(ahead.values(), default=0) > 0:
                cells = (f"{more:.1%}" if more > 0 else "" for more in ahead.values())
                lines = f"{each['lines']:,}"
                rows.append((max(ahead.values()), [name, rival, lines, *cells]))
    rows.sort(key=lambda row: -row[0])
    return _table(["stream", "rival", "lines", "Brier score", "log loss"], [row for _, row in rows], words=2)


def _ahead(found: Found, rival: str) -> dict[str, float]:
    """By which part of the rival's score the chance is worse, by score."""
    if rival not in found["scores"]:
        return {}
    own, other = found["scores"][CHANCE], found["scores"][rival]
    return {score: own[score] / other[score] - 1 for score in own}


def _summary(streams: Mapping[str, Found], made: Mapping[str, Found]) -> str:
    """The figures of all streams in a few sentences."""
    every = {**streams, **made}
    said = []
    for some, words in ((streams, "recorded"), (made, "made")):
        if some:
            mean = against_base(some, CHANCE, "brier")
            said.append(
                f"On {len(some)} {words} streams the mean Brier score is {mean:.3f} of the base rate's."
            )
    if made:
        ratios = [each["scores"][CHANCE]["brier"] / each["scores"][TRUTH]["brier"] for each in made.values()]
        said.append(f"Of the made ones it is {sum(ratios) / len(ratios):.3f} times that of the truth.")
    learners = [name for name in RIVALS if name != BASE]
    most = [
        max(_ahead(each, rival)["brier"] for rival in learners if rival in each["scores"])
        for each in every.values()
    ]
    ahead = [each for each in most if each > 0]
    worst = f", by {max(ahead):.1%} at most" if ahead else ""
    said.append(f"A learner with the same features has a smaller one on {len(ahead)} of {len(most)}{worst}.")
    below = sum(max(_ahead(each, BASE).values()) > 0.005 for each in every.values())
    said.append(
        f"On {below} the chance is worse than the base rate by more than 0.5 %, in one score or both."
    )
    long = [each["error"]["mean"] for each in every.values() if each["lines"] >= 1000 and each.get("error")]
    exact = [sum(error < limit for error in long) for limit in (0.02, 0.03)]
    said.append(
        f"Of the {len(long)} with 1,000 lines or more the calibration error is under 2 points on {exact[0]}, "
        f"and under 3 points on {exact[1]}."
    )
    return fill(" ".join(said), 120)


def _behind(streams: Mapping[str, Found]) -> list[str]:
    """The streams where the chance is farther behind its best judge than it should be."""
    rows = []
    for name, each in streams.items():
        limit = 0.01 if each["lines"] >= 2000 else 0.05
        for score in ("brier", "log"):
            best = min(_judges(each), key=lambda judge: each["scores"][judge][score])
            more = _ahead(each, best)[score]
            if more > limit:
                rows.append(
                    [name, f"{best}, {'Brier score' if score == 'brier' else 'log loss'}", f"{more:.1%}"]
                )
    return _table(["stream", "best judge", "behind"], rows, words=2) if rows else ["Nowhere."]


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
