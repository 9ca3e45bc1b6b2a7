"""What was measured as a page of the documentation, with a picture."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from benchmarks.compare import brief, clusters
from benchmarks.compare.picture import draw
from benchmarks.compare.results import START, Measurement, Results, Run
from benchmarks.compare.systems import CORES, EVERYTHING, PRODUCTS, SYSTEMS, System, memory
from benchmarks.compare.workloads import BATCHES, WORKLOADS
from benchmarks.compare.writing import BUSY, busy, number, spread, verdict

HEAD = "# Performance, side by side"

INTRODUCTION = f"""\
The same events, the same questions, every answer checked. Seconds and memory are on another page, [question
by question]({clusters.DETAILS}), and so is [how it was measured]({clusters.DETAILS}#how-it-was-measured).
`make bench-compare` measures, and writes these pages.
"""

DETAILS_HEAD = """\
# Performance, question by question

All figures behind [performance, side by side](performance.md).

![CPU seconds for a million events, by workload and engine](images/performance.svg)
"""

METHOD = """\
## How it was measured

- Each run is a process of its own, from its start to its end, on the whole input. CPU is user and system
  time of that process and of all it started, such as a JVM and its workers. *Without start* takes off
  what the same engine needs for a stream of nothing but its end, so what a JVM needs to load and to compile
  for a longer stream is still in it.
- Memory is the peak of what all these processes hold, with shared pages counted once (PSS), looked at four
  times a second. A JVM takes more than it needs: each may have {memory} for its objects.
- Events and answers are made before, and kept in files. A run that takes too long is stopped, not asked
  again, and the table says so.
- The engines take turns, once each round. Figures are medians; in parentheses are the lowest and the
  highest.
- Answers are compared, one by one, with a count by brute force. *All* means that none was missing, none was
  untrue, and none was reported twice.
- The input is in the order of arrival, within a tick in any order. Its last event, long after the others,
  moves on the clocks of engines that know the time from events only.
- Events may be two ticks late, and 10 % of them are (W6: up to 12, as recorded). Every engine knows that
  bound, or the next larger one if it drops what is late by exactly the bound.
- Bytewax, Esper and Siddhi were given one worker, and antelog in a process is one. Flink and Spark run
  {cores} tasks at a time. The others use as many cores as they like.
- Each JVM compiles at length only what is called very often, a setting that `antelog run` makes for Spark's,
  too. That saves all of them from a tenth to a quarter of the computing.
- Spark's streams write a checkpoint with each micro-batch. Flink writes none.
- Answers are written to files. Of antelog's changes only the confirmed ones are written.
"""

BETTER = """\
## What the others do better

- **Polars and DuckDB** answer a question once faster than anything here, if all events are there already.
  If it is enough to know the answers at the end of the day, ask one of them then. Asked again after each
  batch they are as quick as they are for as long as history is short, but each batch costs more than the
  last.
- **Esper, Siddhi and Flink** answer within an event, not within a batch, and have repetition, windows and
  aggregates, and connectors. Flink keeps its state on many machines, and restarts from checkpoints.
- **Flink and Spark** scale to clusters that antelog reaches only through Spark.
- **Pathway** takes deletions and corrections of its input, and computes anything, not rules only.
- **Bytewax** runs whatever Python you write, and an operator written for one question can be very short.

What no other engine here gives is the line *antelog, all changes*: what is possible so far and why, what is
missing, by when it is decided, and that it was rejected. The others report an answer when it is confirmed, or
take it back.
"""


def write(results: Results, docs: Path) -> None:
    (docs / "performance.md").write_text(page(results), encoding="utf-8")
    (docs / clusters.DETAILS).write_text(details(results), encoding="utf-8")
    draw(results, docs / "images" / "performance.svg")
    brief.draw(results, docs / "images" / brief.FILE)


def page(results: Results) -> str:
    """The page for a reader who has a minute: a picture, a sentence, a table; and what others do better."""
    begins = [said for said in (*brief.sentences(results), clusters.sentence(results)) if said]
    lines = [HEAD, "", *(line for said in begins for line in (said, ""))]
    lines += ["## The questions", "", *_questions(results), "", _when(results), "", INTRODUCTION, BETTER]
    return "\n".join(lines).rstrip() + "\n"


def details(results: Results) -> str:
    """The page with each figure."""
    lines = [DETAILS_HEAD, _products(results)]
    if len(results.scales) > 1:
        lines += [f"Lines without a scale are of scale {results.preferred[0]:g}.", ""]
    if any(busy([run]) for run in results.runs):
        lines += [
            (
                f"Where there is a †, other processes kept more than {BUSY:g} cores occupied meanwhile, in "
                "the median: such figures are preliminary, and their wall time means little."
            ),
            "",
        ]
    for name in _asked_for(results):
        lines += _workload(results, name)
    lines += [*filter(None, [clusters.section(results)]), _engines(results)]
    lines += [METHOD.format(memory=memory(), cores=CORES), _measured(results)]
    return "\n".join(lines).rstrip() + "\n"


def _asked_for(results: Results) -> list[str]:
    return [name for name in WORKLOADS if any(run.workload == name for run in results.runs)]


def _questions(results: Results) -> list[str]:
    """What was asked, in words."""
    return [f"- **{name}**, {WORKLOADS[name].title}: {WORKLOADS[name].what}" for name in _asked_for(results)]


def _when(results: Results) -> str:
    """One date for the page: of several days the last, and the table below has each."""
    dates = {each.where.date for each in results.measurements}
    last = max(results.measurements, key=lambda each: each.where.date).where
    day = f"on {last.date}" if len(dates) == 1 else f"up to {last.date}"
    processors = " and ".join(sorted({each.where.cpu for each in results.measurements}))
    commits = sorted({f"{each.where.commit} ({each.where.date})" for each in results.measurements})
    return (
        f"Measured {day}, on {processors} with {os.cpu_count()} cores; ratios are of one of them each. "
        f"Each question was measured at one commit, {' or '.join(commits)}; the code has changed since."
    )


def _products(results: Results) -> str:
    """What the engines are, before they are spoken of by their names only."""
    used = {SYSTEMS[run.system].title for run in results.runs}
    known = [
        f"- **{name}**, {what}."
        for name, what in PRODUCTS.items()
        if any(title.startswith(name) for title in used)
    ]
    return "\n".join(["## Who is who", "", *known, ""])


def _measured(results: Results) -> str:
    """When each part was measured, the latest first, and with which versions."""
    rows = [
        f"| {each.where.date} | {each.where.commit} | {each.where.scale:g} | {_counted(each)} |"
        for each in reversed(results.measurements)
    ]
    versions = {name: number for each in results.measurements for name, number in each.where.versions.items()}
    numbers = ", ".join(f"{name} {number}" for name, number in versions.items())
    head = ["| measured on | at commit | scale | runs |", "| --- | --- | ---: | --- |"]
    return "\n".join([f"Versions: {numbers}.", "", *head, *rows, ""])


def _counted(each: Measurement) -> str:
    """How often each was run: a measurement may have been broken off."""
    counts = {len(each.of(run.system, run.workload)) for run in each.runs}
    few, many = min(counts), max(counts)
    return f"{few} to {many} runs of each" if few < many else f"{few} {'runs' if few > 1 else 'run'} of each"


def _workload(results: Results, name: str) -> list[str]:
    workload = WORKLOADS[name]
    sizes = [size for scale in results.preferred for size in _size(results, name, scale)]
    lines = [
        f"## {name}: {workload.title}",
        "",
        f"{workload.what[0].upper()}{workload.what[1:]}: {'; '.join(sizes)}.",
        "",
        "| engine | answers | CPU seconds | without start | events a CPU second | peak MB | wall seconds |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    asked = [system for system in SYSTEMS.values() if results.of(system.name, name)]
    for system in asked:
        for scale in results.preferred:
            said = "" if scale == results.preferred[0] else f", scale {scale:g}"
            lines += [
                _line(each, system, name, said) for each in results.at(scale) if each.of(system.name, name)
            ]
    reasons = [
        f"{system.title} ({system.unable[name]})" for system in SYSTEMS.values() if name in system.unable
    ]
    if reasons:
        lines += ["", f"Not here: {'; '.join(reasons)}."]
    asked_for = {system.name for system in asked}
    left = [s.title for s in SYSTEMS.values() if name in s.workloads and s.name not in asked_for]
    if left:
        lines += ["", f"Not measured this time: {', '.join(left)}."]
    return [*lines, ""]


def _size(results: Results, name: str, scale: float) -> list[str]:
    """How many events and answers there were at a scale, if any."""
    runs = [run for each in results.at(scale) for run in each.runs if run.workload == name]
    if not runs:
        return []
    said = "" if scale == results.preferred[0] else f"at scale {scale:g} "
    events = f"{said}{runs[0].events:,} events"
    found = next((run.verdict for run in runs if run.verdict is not None), None)
    if found is None:
        return [events]
    return [f"{events}, {found.reported + found.missing - found.untrue - found.repeated:,} answers"]


def _line(measured: Measurement, system: System, name: str, said: str) -> str:
    """`said` comes after the name of the engine."""
    runs = measured.of(system.name, name)
    good = [run for run in runs if not run.failed]
    if not good:
        return f"| {system.title}{said} | {runs[0].failed.splitlines()[0]} | | | | | |"
    cpu = [run.took.cpu for run in good]
    start = [run.took.cpu for run in measured.of(system.name, START) if not run.failed]
    without = number(max(median(cpu) - median(start), 0.0)) if start else ""
    engine = f"{system.title}{said}{busy(good)}"
    return (
        f"| {engine} | {verdict(good)}{_failures(runs)} | {spread(cpu)} | {without} "
        f"| {_rate(good[0].events, median(cpu))} | {spread([run.took.peak / 1e6 for run in good])} "
        f"| {spread([run.took.wall for run in good])} |"
    )


def _failures(runs: Sequence[Run]) -> str:
    failed = sum(1 for run in runs if run.failed)
    return f" ({failed} of {len(runs)} runs failed)" if failed else ""


def _engines(results: Results) -> str:
    used = {run.system for run in results.runs}
    rows = [
        f"| {system.title} (`{name}`) | {system.how} | {system.reads} | {', '.join(_asked(system))} |"
        for name, system in SYSTEMS.items()
        if name in used
    ]
    head = ["## The engines", "", "| engine | how it is used | reads | asked |", "| --- | --- | --- | --- |"]
    batches = (
        f"There are {BATCHES} batches at every scale. A tick is a second to engines that want to know how "
        "long one is."
    )
    lost = {run.system for run in results.runs if run.verdict and not run.verdict.right}
    losses = [f"- {system.title}: {system.loses}." for name, system in SYSTEMS.items() if name in lost]
    why = ["Why some lose answers:", "", *losses, ""] if losses else []
    return "\n".join([*head, *rows, "", batches, "", *why])


def _asked(system: System) -> Iterable[str]:
    return (name for name in EVERYTHING if name in system.workloads)


def _rate(events: int, seconds: float) -> str:
    return f"{events / seconds:,.0f}"
