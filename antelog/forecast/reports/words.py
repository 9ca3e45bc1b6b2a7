"""Counts, lead times and verdicts in words: `9,120`, `36 hours`."""

from __future__ import annotations

from math import floor, log10
from textwrap import wrap
from typing import Literal, TypeAlias

from antelog.forecast.scores.calibration import Bin, CalibrationError, CalibrationResult
from antelog.forecast.scores.scored_lines import Alerted, Loss
from antelog.forecast.scores.scores import LineCounts, ScoreResult
from antelog.language.durations import LENGTHS, duration_text
from antelog.language.printer import rounded_percent

NONE = "\N{EN DASH}"
"""What stands for a number that there is not."""


def percent(share: float | None) -> str:
    """`72 %`; with a digit more where it would read as nothing or all, and is not."""
    if share is None:
        return NONE
    return f"{rounded_percent(share)} %"


def percents(low: float, high: float) -> str:
    """`68 to 77 %`."""
    return f"{rounded_percent(low)} to {rounded_percent(high)} %"


_BY_CHANCE = 2
"""So many bins outside are nothing to speak of."""

_NOTABLE = 0.005
"""A smaller share of the loss avoided reads as 0 %."""

_LARGE = 100
"""So many of a unit are shown exactly."""


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
    match _finding(found.calibration):
        case "refuted":
            return said
        case "fine" if limits:
            return f"Not refuted, but {limits}."
        case _:
            return f"{said} {limits[0].upper()}{limits[1:]}." if limits else said


def _limits(found: ScoreResult) -> str:
    """The reasons why chances that are right say little; empty if there is none."""
    skill, lowest = found.brier.skill, found.alerts[0]
    limits = ["no better than the base rate"] if skill is not None and skill < _NOTABLE else []
    if not lowest.alerts:
        limits.append(f"no alert at {percent(lowest.threshold)} would have rung")
    return "; ".join(limits)


def _finding(found: CalibrationResult) -> Finding:
    """Whether chances are calibrated, in a word; doubtful: more bins lie outside than one in twenty."""
    if found.refuted is None:
        return "unknown"
    if found.refuted:
        return "refuted"
    return "fine" if _outside(found) <= _BY_CHANCE else "doubtful"


def calibrated(found: CalibrationResult) -> str:
    """Whether chances are calibrated, in a sentence."""
    outside, bins = _outside(found), count(len(found.bins), "bin")
    lies = f"{outside} of {bins} {'lies' if outside == 1 else 'lie'} outside what is expected"
    match _finding(found):
        case "unknown":
            if found.visible is None:
                least = "ten blocks of time at least"
                return f"Too little to tell whether the chances are right: that takes {least}."
            wrong = f"were all chances wrong by {round(100 * found.visible)} points"
            return f"Too little to tell: {wrong}, these answers might not show it."
        case "refuted":
            return f"Refuted: these chances are not what they say{_direction(found)}."
        case "doubtful":
            return f"Not refuted, but {lies}, and one in twenty would by chance: more facts may show."
        case "fine" if outside:
            return f"Calibrated so far: {lies}, as one in twenty does by chance."
        case "fine":
            return "Calibrated so far."


def points(share: float) -> str:
    """`2.1 points`: hundredths, with a digit more."""
    number = _points(share)
    return f"{number} point{'' if number == '1' else 's'}"


def _points(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0")


def error_interval(found: CalibrationError) -> str:
    """`95 % interval 0 to 3.4`."""
    if found.interval is None:
        return "no interval: that takes ten blocks of time at least"
    return f"95 % interval {' to '.join(map(_points, found.interval))}"


def error(found: CalibrationError) -> str:
    """The expected calibration error in a sentence."""
    return f"Expected calibration error: {points(found.mean)} ({error_interval(found)})."


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


def _outside(found: CalibrationResult) -> int:
    return sum(each.outside for each in found.bins)


def _direction(found: CalibrationResult) -> str:
    """In which way chances are wrong, if it is one way."""
    low = [each for each in found.bins if each.outside and each.chance < 0.5]
    high = [each for each in found.bins if each.outside and each.chance >= 0.5]
    more_below, more_above = ({each.confirmed > each.chance for each in part} for part in (low, high))
    match more_below | more_above, more_below, more_above:
        case ways, _, _ if ways == {False}:
            return ", they are too high"
        case ways, _, _ if ways == {True}:
            return ", they are too low"
        case _, below, above if below == {True} and above == {False}:
            return ", they are too sure of themselves"
        case _, below, above if below == {False} and above == {True}:
            return ", they are too timid"
    return ""


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


BINS = ("chance", "lines", "confirmed", "95 % range", "")
"""The heads of a table of bins."""

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
