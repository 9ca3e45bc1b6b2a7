"""Counts, lead times and verdicts in words, scores as text for a terminal, and notes on short streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, log10, sqrt
from textwrap import wrap
from typing import Any, Literal, TypeAlias

from antelog.compile.nodes.plan import Plan
from antelog.escaping import shown
from antelog.forecast.columns import LINEAR, MODEL
from antelog.forecast.judges.looks import LAST, looks_of
from antelog.forecast.scores.calibration import Bin, CalibrationResult
from antelog.forecast.scores.scored_lines import Alerted, Loss
from antelog.forecast.scores.scores import LineCounts, ScoreResult, Scores, result
from antelog.language.durations import LENGTHS, duration_text
from antelog.language.printer import rounded_percent

NONE = "\N{EN DASH}"  # shown for a missing number


def percent(share: float | None) -> str:
    """`72 %`; with a digit more where it would wrongly read as nothing or all."""
    if share is None:
        return NONE
    return f"{rounded_percent(share)} %"


def percents(low: float, high: float) -> str:
    """`68 to 77 %`."""
    return f"{rounded_percent(low)} to {rounded_percent(high)} %"


# Errors up to which chances are close, from which one that may be chance is named, and which mislead.
_LITTLE, _DOUBTFUL, _MUCH = 0.02, 0.03, 0.05
_NOTABLE = 0.005  # a smaller share of the loss avoided reads as 0 %
_LARGE = 100  # from this number of a unit on, a larger unit is used


def count(number: int, what: str = "") -> str:
    """`9,120`, or `1 line`, `9,120 lines`."""
    return f"{number:,}" if not what else f"{number:,} {what}{'' if number == 1 else 's'}"


def counted(found: LineCounts) -> str:
    """The number of scored lines, in a sentence or two."""
    lines, answers = count(found.lines, "line"), count(found.answers, "answer")
    were = "was" if found.confirmed == 1 else "were"
    text = f"{lines} of {answers} with a chance; {count(found.confirmed)} of them {were} confirmed."
    if not found.without:
        return text
    are = "is" if found.without == 1 else "are"
    return f"{text} {count(found.without, 'line')} without a chance {are} not scored."


def loss(number: float | None) -> str:
    return NONE if number is None else f"{number:.4f}" if number < 0.1 else f"{number:.3f}"


def compared(found: Loss) -> str:
    """`42 % better than the base rate`."""
    if found.skill is None:
        return "nothing to compare it with"
    better = "better" if found.skill >= 0 else "worse"
    return f"{percent(abs(found.skill))} {better} than the base rate"


def lead(ticks: int, tick: int | None) -> str:
    """A lead time in the program's time, if it says how long a tick is (in microseconds)."""
    if ticks < 0:  # what comes after
        return f"-{lead(-ticks, tick)}"
    if tick is None:
        return count(ticks, "tick")
    length = ticks * tick
    if not length:
        return "none"
    exact = duration_text(length)
    if int(exact.split()[0]) < _LARGE:
        return exact
    unit, size = next((name, size) for name, size in LENGTHS if size <= length)
    number = f"{length / size:.1f}".removesuffix(".0")
    return f"{number} {unit}" + ("s" if number != "1" and len(unit) > 2 else "")


def leads(first: int, median: int, third: int, tick: int | None) -> str:
    """The quartiles of lead times: `80 minutes (50 minutes to 1.7 hours)`."""
    least, half, most = (lead(each, tick) for each in (first, median, third))
    number, _, unit = least.partition(" ")
    if most.endswith((f" {unit}", f" {unit}s")):
        least = number
    return f"{half} ({least} to {most})"


def unit_of(ticks: int, tick: int | None) -> tuple[str, float]:
    """The unit for leads up to a number of ticks, and its length in ticks; a tick is in sight at least."""
    if tick is None:
        return "ticks", 1.0
    most = max(ticks, 2) * tick
    size = next((each for each in LENGTHS if 2 * each[1] <= most), None) or ("us", 1)
    return size[0] + ("s" if len(size[0]) > 2 else ""), size[1] / tick


def steps(most: float, wanted: int) -> list[float]:
    """Round numbers from 0 to at least `most`, about `wanted` of them."""
    if most <= 0:
        return [0.0, 1.0]
    power = 10.0 ** floor(log10(most / wanted))
    step = next(step * power for step in (1, 2, 5, 10) if step * power * wanted >= most)
    numbers = [0.0]
    while numbers[-1] < most:
        numbers.append(len(numbers) * step)
    return numbers


def short(number: float) -> str:
    """A number beside an axis."""
    return f"{number:,.6g}" if number < 1_000_000 else f"{number:.0e}".replace("e+0", "e").replace("e+", "e")


Finding: TypeAlias = Literal["fine", "doubtful", "refuted", "unknown"]


def finding(found: ScoreResult) -> Finding:
    """Whether chances are calibrated and of use, in a word; doubtful: right perhaps, but they say little."""
    judged = _finding(found.calibration)
    return "doubtful" if judged == "fine" and _limits(found) else judged


def verdict(found: ScoreResult) -> str:
    """Whether chances are calibrated, and of use."""
    said, limits = calibrated(found.calibration), _limits(found)
    if _finding(found.calibration) == "refuted" or not limits:
        return said
    return f"{said} {limits[0].upper()}{limits[1:]}."


def _limits(found: ScoreResult) -> str:
    """The reasons why chances that are right say little; empty if there is none."""
    skill, lowest = found.brier.skill, found.alerts[0]
    limits = ["no better than the base rate"] if skill is not None and skill < _NOTABLE else []
    if not lowest.alerts:
        limits.append(f"no alert at {percent(lowest.threshold)} would have rung")
    return "; ".join(limits)


def _finding(found: CalibrationResult) -> Finding:
    """Whether chances are calibrated, in a word: how far they are off, then whether that may be chance."""
    if found.size is None or (found.refuted is None and not _is_sure(found)):
        return "unknown"
    if found.size < (_LITTLE if _is_sure(found) else _DOUBTFUL):
        return "fine"
    return "refuted" if found.size >= _MUCH and _is_sure(found) else "doubtful"


def _is_sure(found: CalibrationResult) -> bool:
    """Whether an error of chances is more than chance explains."""
    return found.refuted is True or (found.interval is not None and found.interval[0] > 0)


def calibrated(found: CalibrationResult) -> str:
    """Whether chances are calibrated, in a sentence: first by how much they are off."""
    finding = _finding(found)
    if finding == "unknown":
        if found.visible is None:
            return "Too little to tell whether the chances are right: that takes ten blocks of time at least."
        wrong = f"were all chances wrong by {round(100 * found.visible)} points"
        return f"Too little to tell: {wrong}, these answers might not show it."
    ends = found.interval or (0.0, 1.0)
    by = f"by {points(found.size or 0.0)}, {' to '.join(map(_points, ends))}"
    if finding == "fine":
        return f"{'Close' if ends[1] < _MUCH else 'Close so far'}: off {by}."
    head = "Misleading" if finding == "refuted" else "Not quite right" if _is_sure(found) else "Perhaps wrong"
    explained = "more than chance explains" if _is_sure(found) else "which may be chance"
    return f"{head}: these chances are {_direction(found)} {by}, {explained}."


def points(share: float) -> str:
    """`2.1 points`: hundredths, with a digit more."""
    number = _points(share)
    return f"{number} point{'' if number == '1' else 's'}"


def _points(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0")


def error_interval(found: CalibrationResult) -> str:
    """`95 % interval 0 to 3.4`."""
    if found.interval is None:
        return "no interval: that takes ten blocks of time at least"
    return f"95 % interval {' to '.join(map(_points, found.interval))}"


def program_alert(found: Alerted, tick: int | None) -> str:
    """The alerts of the program in a sentence or two."""
    threshold = percent(found.threshold)
    if not found.alerts:
        return f"No alert at {threshold}, the program's threshold, has rung."
    were = "was" if found.alerts == 1 else "were"
    rang = f"{count(found.alerts, 'alert')} at {threshold}, the program's threshold"
    text = f"{rang}: {percent(found.precision)} {were} right."
    if found.found is None:
        return text
    text += f" {percent(found.found)} of the confirmed answers were alerted"
    return text + (
        "." if found.lead is None else f", half of these at least {lead(found.lead[1], tick)} ahead."
    )


def _direction(found: CalibrationResult) -> str:
    """In which way chances are wrong: `off` if in several."""
    sides = [[each for each in found.bins if (each.low < 0.5) is low] for low in (True, False)]
    # What chance does to a sum grows with the root of its lines.
    beyond = [
        [(each.confirmed - each.chance) * each.lines / sqrt(sum(one.lines for one in side)) for each in side]
        for side in sides
    ]
    below, above = map(sum, beyond)
    most = max(abs(below), abs(above))
    if most < sum(abs(more) for side in beyond for more in side) / 3:
        return "off"
    low, high = ((each > most / 4) - (each < -most / 4) for each in (below, above))
    one_way = "too low" if low + high > 0 else "too high"
    return {(1, -1): "too sure", (-1, 1): "too timid"}.get((low, high), one_way)


def rests_on(line: Mapping[str, Any], plan: Plan, answers: int) -> str:
    """Says what a chance rests on, by the judge that weighs most, or why there is none."""
    judge = line.get("chance_from")
    if "chance_from" not in line:
        return ""
    if judge is None:
        if None in line["answer"].values():
            return "no chance while a variable is open"
        bounded = line.get("decided_by") is not None
        why = "nothing is known of answers like it" if bounded else "nothing bounds it in time"
        return f"no chance, because {why}"
    if judge == MODEL:
        return "rests on how often its facts come, and how late"
    rests = [f"rests on rates of {count(answers)} like it"]
    if judge == LINEAR and looks_of(plan, line["query"]):
        rests.append(f"the last {LAST} values")
    if judge == LINEAR and plan.timescale is not None:
        rests.append("the hour")
    return ", ".join(rests)


def sentence(found: Bin) -> str:
    """A bin as a sentence: its confirmed share, and the expected one."""
    return (
        f"Of the answers with a chance of {percents(found.low, found.high)}, {percent(found.confirmed)} were "
        f"confirmed (95 % range {percents(*found.expected)})."
    )


def mark(found: Bin) -> str:
    """A remark on a bin outside its expected band; empty for others."""
    if not found.outside:
        return ""
    return "chances too low" if found.confirmed > found.chance else "chances too high"


def example(found: CalibrationResult) -> Bin | None:
    """The bin to explain: the one with the most lines of those from 50 % on, if there are any."""
    high = [each for each in found.bins if each.low >= 0.5]
    return max(high or found.bins, key=lambda each: each.lines, default=None)


def bin_row(found: Bin) -> tuple[str, ...]:
    """The range of chances of a bin, its lines, its confirmed and expected shares, and a remark."""
    reported, expected = percents(found.low, found.high), percents(*found.expected)
    return reported, count(found.lines), percent(found.confirmed), expected, mark(found)


BINS = ("chance", "lines", "confirmed", "95 % range", "")  # the heads of a table of bins

ALERTS = ("from", "alerts", "right", "of all confirmed", "lead time: median (quartiles)")
"""The heads of a table of alerts by threshold."""


def alert_row(found: Alerted, tick: int | None) -> tuple[str, ...]:
    ahead = NONE if found.lead is None else leads(*found.lead, tick)
    right, share = percent(found.precision), percent(found.found)
    return percent(found.threshold), count(found.alerts), right, share, ahead


def wrapped(text: str, width: int, first: str = "", indent: str = "") -> list[str]:
    """Lines in which a number and its sign stay together."""
    kept = wrap(text.replace(" %", "\xa0%"), width, initial_indent=first, subsequent_indent=indent)
    return [line.replace("\xa0", " ") for line in kept]


# ---- scores as text for a terminal of 80 columns, and notes on streams that are too short to learn from ----


_WIDTH = 78


def report_text(by_query: Mapping[str, Scores], tick: int | None = None) -> str:
    """Describes how good the chances of each query were; `tick` is its length in microseconds, if known."""
    parts = ["\n".join(_query(query, result(each), tick)) for query, each in by_query.items()]
    return "\n\n".join(parts or ["No query has chances."]) + "\n"


def _query(query: str, found: ScoreResult, tick: int | None) -> Iterator[str]:
    name, sums = shown(query), found.counted
    yield name
    yield "=" * len(name)
    if not sums.lines:
        yield from wrapped("No answer with a chance is decided yet: there is nothing to score.", _WIDTH)
        return
    yield from wrapped(counted(sums), _WIDTH)
    yield ""
    if found.program_alert is not None:
        yield from wrapped(program_alert(found.program_alert, tick), _WIDTH)
        yield ""
    yield _loss("Brier score", found.brier)
    yield _loss("Log loss", found.log_loss)
    yield from wrapped(
        f"The base rate is {percent(sums.base_rate)}: the share of these lines whose answers were "
        "confirmed, the same for every line. It is known only afterwards.",
        _WIDTH,
    )
    yield ""
    yield from wrapped(verdict(found), _WIDTH)
    calibration = found.calibration
    if calibration.error is not None:
        error = f"Expected calibration error: {points(calibration.error)} ({error_interval(calibration)})."
        yield from wrapped(error, _WIDTH)
    yield from _table([BINS, *map(bin_row, calibration.bins)])
    if (bin_ := example(calibration)) is not None:
        yield from wrapped(sentence(bin_) + " An answer counts once for each line.", _WIDTH)
    yield ""
    yield from wrapped("Had you been alerted as soon as the chance reached a threshold:", _WIDTH)
    yield from _table([ALERTS, *(alert_row(each, tick) for each in found.alerts)])


def _loss(name: str, found: Loss) -> str:
    return f"{name:<11}  {loss(found.mean)}  {compared(found)} ({loss(found.base)})"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """All columns to the right, the last one to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for *numbers, last in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(numbers, widths, strict=False)]
        yield f"  {'   '.join([*cells, last])}".rstrip()


ENOUGH = 75  # with so many decided answers, chances mostly beat the base rate: see `docs/forecast-results.md`


def short_streams(decided: Mapping[str, int], ticks: int, tick: int | None) -> Iterator[str]:
    """Notes on queries with too few decided answers; `tick` is its length in microseconds, if known."""
    for query, answers in decided.items():
        if answers < ENOUGH:
            enough = f"learned chances are of use from some {ENOUGH} on"
            are = "is" if answers <= 1 else "are"
            so_far = f"{count(answers, 'answer') if answers else 'no answer'} {are} decided"
            yield f"{query}: {so_far}; {enough}{ahead(answers, ENOUGH, ticks, tick)}"


def ahead(answers: int, enough: int, ticks: int, tick: int | None) -> str:
    """The time until enough answers are decided, if they go on at this pace."""
    if not answers:
        return ""
    more = ceil(ticks * (enough - answers) / answers)
    two_digits = int(round(more, -max(floor(log10(max(more, 1))) - 1, 0)))
    return f", about {lead(two_digits, tick)} more at this pace"
