"""`docs/growth.md` and its pictures, made of what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from benchmarks.growth.curves import CURVES, Curve
from benchmarks.growth.drawing import compile_of, cost_of, curve_drawing, latency_drawing, memory_of
from benchmarks.growth.fitting import fitted, last_step
from benchmarks.growth.latency import Latency, Spread, highest
from benchmarks.growth.results import Found, Point, points_of
from benchmarks.report import ROOT

DOCS = ROOT / "docs"

_HEAD = """\
# Growth

How cost grows with what is asked for, and how soon changes are reported. `make bench-growth` measures it and
makes this page; the figures are in `benchmarks/results/growth.json`. Below each table is the commit at which
it was measured: the code has changed since. For how the work is divided on Spark, see [Scaling](scaling.md).
"""

_HOW = """\
Each point is measured in a process of its own, which gets its facts from another one. *CPU seconds* are
those of the engine's process, from the facts as Arrow columns to the changes as Arrow columns. *Memory* is
by how much the process was larger at its largest than before it had the rules; one batch of facts and its
changes are in it. What takes at most five seconds is run three times, and the median counts. The changes of
every run were compared with a count made without the engine.

The *exponent* is the slope of the line of least squares through the logarithms of sizes and costs, drawn
dashed. It is taken over the upper half of the logarithmic range, of three points at least; what is smaller
is mostly the price of a batch. 1 is linear: twice the size, twice the cost. 0 is none. *In the last step* is
the slope between the two largest sizes.
"""

_PROCESS = """\
Readings come by the clock, however busy the engine is. Each tick of 0.1 seconds is a batch, begun when the
tick is over. So a reading waits 50 ms on average for the end of its tick, before anything is computed.
Counted are all high readings, each of which has a line. *Measured* is by the clock, with whatever else the
machine did; *alone* is the same with each batch taking its CPU seconds and no more, waiting for the batch
before included. *Busy* is how many CPU seconds the engine took in a second of the stream. Whether it keeps
up is judged by *alone*: lines must not come later and later, and less than all of a core is busy.
Where the load is higher than the number of cores, *measured* is mostly the work of others.
"""

_SPARK = """\
`local[2]`, 8 buckets, a new micro-batch as soon as the last is done; a Parquet file of readings each
second, which is a tick, put there when the second is over. A line counts as reported when the micro-batch's
Parquet files are written. With a lag of 1, the default, a tick is finished when the next
file comes, a second later; with a lag of 0 at once. The first 20 seconds do not count. *Busy* is how many
CPU seconds a second took, of all processes.
Here, too, look at the load: on a busy machine the figures say little about a quiet one.
"""


def write(found: Found, docs: Path = DOCS) -> None:
    (docs / "images").mkdir(parents=True, exist_ok=True)
    for name, drawing in pictures(found):
        drawing.save(docs / "images" / name)
    (docs / "growth.md").write_text(as_markdown(found), encoding="utf-8")


def pictures(found: Found) -> Iterator[tuple[str, Any]]:
    for curve, points, _ in _curves(found):
        yield f"growth-{curve.name}.svg", curve_drawing(curve, points)
    for name, title in (("process", "Latency in process"), ("spark", "Latency on Spark")):
        if name in found["latency"]:
            yield f"growth-latency-{name}.svg", latency_drawing(title, _latencies(found["latency"][name]))


def as_markdown(found: Found) -> str:
    measured = list(_curves(found))
    lines = [_HEAD, *_overview(measured), _HOW]
    for curve, points, at in measured:
        lines += _section(curve, points, at)
    if "process" in found["latency"]:
        lines += ["## Latency in process\n", *_latency("process", _PROCESS, found["latency"]["process"])]
    if "spark" in found["latency"]:
        lines += ["## Latency on Spark\n", *_latency("spark", _SPARK, found["latency"]["spark"])]
    return "\n".join(lines).rstrip() + "\n"


def _curves(found: Found) -> Iterator[tuple[Curve, list[Point], dict[str, Any]]]:
    for name, curve in CURVES.items():
        if name in found["curves"]:
            measured = found["curves"][name]
            yield curve, points_of(measured), measured["setting"]


def _overview(measured: Sequence[tuple[Curve, list[Point], Any]]) -> list[str]:
    columns = ["what grows", "from", "to", "exponent of CPU", "in the last step", "of memory"]
    lines = [f"| {' | '.join(columns)} |", "| --- " + "| ---: " * 5 + "|"]
    for curve, points, _ in measured:
        cost, memory = _exponent(points, cost_of(curve)), _exponent(points, memory_of)
        if curve.compiles:
            cost += f" (compiling {_exponent(points, compile_of)})"
        first, last = points[0].size, points[-1].size
        name = f"[{curve.title}](#{_anchor(curve)})"
        step = _slope(last_step([(point.size, cost_of(curve)(point)) for point in points]))
        lines.append(f"| {' | '.join([name, f'{first:,}', f'{last:,}', cost, step, memory])} |")
    return [*lines, ""]


def _anchor(curve: Curve) -> str:
    return curve.title.lower().replace(",", "").replace(" ", "-")


def _exponent(points: Sequence[Point], cost: Any) -> str:
    line = fitted([point.size for point in points], [cost(point) for point in points])
    return _slope(None if line is None else line.exponent)


def _slope(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}".replace("-0.00", "0.00")


def _section(curve: Curve, points: Sequence[Point], at: Mapping[str, Any]) -> list[str]:
    columns = [curve.axis, "facts", "changes", "CPU seconds", "MB"]
    if curve.compiles:
        columns.insert(4, "to compile")
    rows = [_row(curve, point) for point in points]
    wrong = [f"- **Wrong** at {p.size:,}: {run.wrong}" for p in points for run in p.runs if run.wrong]
    return [
        f"## {curve.title}\n",
        fill(curve.how, 120) + "\n",
        f"![CPU seconds and memory]({_picture(curve.name)})\n",
        f"| {' | '.join(columns)} |",
        "| ---: " * len(columns) + "|",
        *rows,
        "",
        *wrong,
        fill(f"{curve.remark} {_setting(at)}", 120) + "\n",
    ]


def _picture(name: str) -> str:
    return f"images/growth-{name}.svg"


def _row(curve: Curve, point: Point) -> str:
    run = point.runs[0]
    cells = [f"{point.size:,}", f"{run.facts:,}", f"{run.changes:,}", _seconds(cost_of(curve)(point))]
    if curve.compiles:
        cells.append(_seconds(compile_of(point)))
    return f"| {' | '.join([*cells, f'{memory_of(point):,.1f}'])} |"


def _seconds(number: float) -> str:
    return f"{number:.2f}" if number >= 1 else f"{number:.4f}"


def _setting(at: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in at["versions"].items())
    scale = "" if at["scale"] == 1 else f" Scale {at['scale']:g}."
    machine = f"{at['cpu']}, {at['cores']} cores, load {at['load']:g}"
    return f"*Commit {at['commit']}, {at['date']}, {machine}; {versions}.{scale}*"


def _latencies(measured: Mapping[str, Any]) -> list[Latency]:
    found = []
    for each in measured["rates"]:
        alone = None if each["alone"] is None else Spread(**each["alone"])
        read = {**each, "waited": Spread(**each["waited"]), "alone": alone, "behind": tuple(each["behind"])}
        found.append(Latency(**read))
    return found


def _latency(name: str, how: str, measured: Mapping[str, Any]) -> list[str]:
    found = _latencies(measured)
    spreads = ["measured", "alone"] if name == "process" else ["measured"]
    lagging = name == "spark"
    columns = [
        "facts a second",
        *(["lag"] if lagging else []),
        *(f"{s}: {q}, ms" for s in spreads for q in ("median", "99 %")),
        "busy",
        "keeps up",
    ]
    rows = []
    for each in found:
        shown = [each.waited, *([each.alone] if each.alone is not None else [])]
        times = [f"{1000 * value:,.0f}" for s in shown for value in (s.median, s.p99)]
        cells = [
            f"{each.rate:,}",
            *([f"{each.lag}"] if lagging else []),
            *times,
            f"{each.busy:.2f}",
            "yes" if each.keeps_up else "no",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    best = highest(found)
    upto = "At no rate it kept up." if best is None else f"It kept up with {best:,} facts a second."
    wrong = [f"- **Wrong** at {each.rate:,}: {each.wrong}" for each in found if each.wrong]
    return [
        how,
        f"![Median and 99th percentile]({_picture(f'latency-{name}')})\n",
        f"| {' | '.join(columns)} |",
        "| ---: " * len(columns) + "|",
        *rows,
        "",
        *wrong,
        fill(f"{upto} {_setting(measured['setting'])}", 120) + "\n",
    ]
