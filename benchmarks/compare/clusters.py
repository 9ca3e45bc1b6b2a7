"""The engines that can divide their work among machines, in one table: Flink, Spark, and antelog on Spark.

Measurements go in; out come the sentence that says whether another is ahead of antelog on Spark, and why, and
a section of the page. There each engine stands at two and at twenty million events, with its start apart: a
JVM takes seconds to start, and with few events nothing else would be seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.compare.results import START, USUAL, Measurement, Results, Run
from benchmarks.compare.systems import CORES, EVERYTHING, SYSTEMS, System, memory
from benchmarks.compare.workloads import BATCHES, WORKLOADS
from benchmarks.compare.writing import busy, number, verdict

DETAILS = "performance-details.md"
"""The page with each figure."""

STREAM, BATCH = "antelog-spark-stream", "antelog-spark-batch"
BESIDE = {
    STREAM: STREAM, "flink-cep": STREAM, "flink-sql": STREAM, "spark-joins": STREAM,
    BATCH: BATCH, "spark-batch": BATCH,
}  # fmt: skip
"""Each engine for clusters, and what it is compared with: antelog on Spark, in the same way of asking."""

WHY = {
    "Flink": (
        "Flink is one JVM from reading to writing. It takes events one by one, pays nothing for each "
        "micro-batch, and writes no checkpoints here. antelog on Spark hands the events from Java to "
        "Python, and with each micro-batch Spark plans the query anew, and writes its progress and state."
    ),
    "Spark": (
        "Spark by itself stays within one JVM. For antelog it also starts workers in Python, hands the "
        "events to them, and takes the answers back."
    ),
}
"""Of a product that is ahead somewhere, the reason."""


@dataclass(frozen=True)
class Line:
    """An engine on a question at a scale: its runs that succeeded, and the CPU seconds of its starts."""

    system: System
    question: str
    scale: float
    runs: Sequence[Run]
    starts: Sequence[float]
    failed: str

    @property
    def about(self) -> tuple[str, float]:
        return self.question, self.scale

    @property
    def events(self) -> int:
        return self.runs[0].events

    @property
    def cpu(self) -> float:
        return median(run.took.cpu for run in self.runs)

    @property
    def start(self) -> float:
        return median(self.starts)

    @property
    def work(self) -> float:
        """What is left without the start."""
        return self.cpu - self.start


@dataclass(frozen=True)
class Beside:
    """How many times the CPU of antelog on Spark an engine took; `apart` is without the start of each."""

    line: Line
    times: float
    apart: float | None

    @property
    def ahead(self) -> bool:
        return self.times < 1 or (self.apart is not None and self.apart < 1)


def lines(results: Results) -> list[Line]:
    """Question by question, the fewest events first."""
    scales = sorted(scale for scale in results.scales if scale >= USUAL)
    return [
        _line(each, SYSTEMS[name], question)
        for question in EVERYTHING
        for scale in scales
        for name in BESIDE
        for each in results.at(scale)
        if each.of(name, question)
    ]


def _line(measured: Measurement, system: System, question: str) -> Line:
    runs = measured.of(system.name, question)
    good = [run for run in runs if not run.failed]
    starts = [run.took.cpu for run in measured.of(system.name, START) if not run.failed]
    return Line(system, question, measured.where.scale, good or runs, starts, "" if good else runs[0].failed)


def beside(found: Sequence[Line]) -> list[Beside]:
    """Those that succeeded where antelog on Spark did, too."""
    own = {(line.system.name, *line.about): line for line in found if not line.failed}
    compared = []
    for line in own.values():
        other = own.get((BESIDE[line.system.name], *line.about))
        if other is not None:
            known = line.starts and other.starts and min(line.work, other.work) > 0
            compared.append(Beside(line, line.cpu / other.cpu, line.work / other.work if known else None))
    return compared


def sentence(results: Results) -> str:
    """Whether another is ahead anywhere, which, and why; empty if nothing was measured."""
    others = [each for each in beside(lines(results)) if each.line.system.name not in (STREAM, BATCH)]
    if not others:
        return ""
    ahead = [each for each in others if each.ahead]
    behind = sorted((each for each in others if not each.ahead), key=lambda each: each.times)
    said = (
        "**Of engines for clusters, some are faster than antelog on Spark.** A figure below 1 says so: the "
        "engine's CPU seconds, divided by antelog's."
    )
    if not ahead:
        said = "**Of engines for clusters, none is faster than antelog on Spark.** "
    else:
        products = [name for name in WHY if any(each.line.system.title.startswith(name) for each in ahead)]
        reasons = [WHY[name] + _starts(lines(results), ahead, name) for name in products]
        said = "\n\n".join([said, "\n".join(_ahead(ahead)), *reasons, ""])
    if behind:
        ends = f"from {_one(behind[0])} to {_one(behind[-1])}" if len(behind) > 1 else _one(behind[0])
        said += f"{'Elsewhere others' if ahead else 'They'} took {ends} times its CPU seconds. "
    return f"{said}[Engine by engine]({DETAILS}{_anchor(results)})."


def _starts(found: Sequence[Line], ahead: Sequence[Beside], product: str) -> str:
    """A sentence on the part of a lead that is the start; empty if no start was measured."""
    its = [each.line for each in ahead if each.line.system.title.startswith(product) and each.line.starts]
    abouts = {(BESIDE[line.system.name], line.scale) for line in its}
    own = [line.start for line in found if (line.system.name, line.scale) in abouts and line.starts]
    if not own:
        return ""
    theirs = _seconds([line.start for line in its])
    return (
        f" Part of its lead is its start: {theirs} CPU seconds, where antelog's there takes {_seconds(own)}."
    )


def _seconds(some: Sequence[float]) -> str:
    low, high = round(min(some)), round(max(some))
    return f"{low}" if low == high else f"{low} to {high}"


def _ahead(ahead: Sequence[Beside]) -> Iterator[str]:
    """The engines and what they are ahead in, by scale."""
    for title in dict.fromkeys(each.line.system.title for each in ahead):
        its = [each for each in ahead if each.line.system.title == title]
        for scale in sorted({each.line.scale for each in its}):
            yield f"- *{title}*: {_figures([each for each in its if each.line.scale == scale])}"


def _figures(some: Sequence[Beside]) -> str:
    """Of an engine at one scale."""
    aparts = [each.apart for each in some if each.apart is not None]
    events = f"{'up to ' if len(some) > 1 else ''}{_millions(max(each.line.events for each in some))}"
    questions = ", ".join(each.line.question for each in some)
    with_start = _range([each.times for each in some])
    without = f", {_range(aparts)} without the starts" if aparts else ""
    return f"{with_start} for {questions}, {events} events{without}"


def _range(ratios: Sequence[float]) -> str:
    low, high = (_times(ratio) for ratio in (min(ratios), max(ratios)))
    return low if low == high else f"{low} to {high}"


def _one(each: Beside) -> str:
    return f"{_times(each.times)} ({each.line.system.title}, {_about(each.line)})"


def _about(line: Line) -> str:
    return f"{line.question} with {_millions(line.events)}"


def _millions(events: int) -> str:
    return f"{events / 1e6:.2g} million" if events >= 1e6 else f"{round(events, -3):,}"


def _times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"


def _title(results: Results) -> str:
    sizes = [
        f"{2 * scale:g}" for scale in sorted(results.scales) if scale >= USUAL and _there(results, scale)
    ]
    return f"On clusters' engines: {' and '.join(sizes)} million events"


def _there(results: Results, scale: float) -> bool:
    return any(run.system in BESIDE for each in results.at(scale) for run in each.runs)


def _anchor(results: Results) -> str:
    kept = [letter for letter in _title(results).lower() if letter.isalnum() or letter == " "]
    return "#" + "".join(kept).replace(" ", "-")


EXPLAINED = """\
Each engine runs {cores} tasks at a time, with {memory} for a JVM's objects. There are {batches} batches,
whatever the number of events. *Start* is what an engine takes, in the same rounds, for a stream of nothing
but its end: the process, the session, and one batch. *Times antelog* sets an engine beside antelog on Spark,
stream beside stream and batch beside batch; below 1 the engine was faster.
"""

HEADS = ("question", "events", "engine", "answers", "CPU seconds", "start", "events a CPU second",
         "times antelog", "without starts", "wall seconds")  # fmt: skip


def section(results: Results) -> str:
    """All of them in one table; empty if none was measured."""
    found = lines(results)
    if not found:
        return ""
    ratios = {(each.line.system.name, *each.line.about): each for each in beside(found)}
    rows = [_row(line, ratios.get((line.system.name, *line.about))) for line in found]
    head = [f"| {' | '.join(HEADS)} |", f"| --- | ---: | --- | --- |{' ---: |' * 6}"]
    dates = sorted({each.where.date for each in results.measurements if _of_clusters(each)})
    when = f"Measured on {' and '.join(dates)}."
    begins = [
        f"## {_title(results)}",
        "",
        EXPLAINED.format(memory=memory(), cores=CORES, batches=BATCHES),
        when,
        "",
    ]
    return "\n".join([*begins, *head, *rows, "", *_left(found)])


def _of_clusters(each: Measurement) -> bool:
    return each.where.scale >= USUAL and any(run.system in BESIDE for run in each.runs)


def _row(line: Line, ratio: Beside | None) -> str:
    engine = f"{line.system.title}{busy(line.runs)}"
    about = f"| {line.question}: {WORKLOADS[line.question].title} | {line.events:,} | {engine} "
    if line.failed:
        return f"{about}| {line.failed.splitlines()[0]} |{' |' * 6}"
    start = number(line.start) if line.starts else ""
    walls = number(median(run.took.wall for run in line.runs))
    times = "" if ratio is None else _bold(ratio.times)
    apart = "" if ratio is None or ratio.apart is None else _bold(ratio.apart)
    return (
        f"{about}| {verdict(line.runs)} | {number(line.cpu)} | {start} "
        f"| {line.events / line.cpu:,.0f} | {times} | {apart} | {walls} |"
    )


def _bold(ratio: float) -> str:
    return f"**{_times(ratio)}**" if ratio < 1 else _times(ratio)


def _left(found: Sequence[Line]) -> list[str]:
    """Who was not asked what some were asked."""
    there = {(line.system.name, *line.about) for line in found}
    left = []
    for about, line in {line.about: line for line in found}.items():
        names = [
            name for name in BESIDE if about[0] in SYSTEMS[name].workloads and (name, *about) not in there
        ]
        if names:
            left.append(f"{_about(line)}: {', '.join(SYSTEMS[name].title for name in names)}")
    return [f"Not measured: {'. '.join(left)}.", ""] if left else []
