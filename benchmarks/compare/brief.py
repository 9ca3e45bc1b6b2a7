"""The comparison in one sentence and one picture: how many times the CPU of antelog an engine takes.

Measurements go in. For each engine and question the CPU seconds are divided by those of antelog in a process
on the same events, the start of a process included; of the six questions the median counts. So a reader who
has a minute knows where antelog stands, and all of it is made anew with the results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import altair as alt

from antelog.pictures import theme
from antelog.pictures.drawing import Drawing
from benchmarks.compare.clusters import BESIDE
from benchmarks.compare.picture import names_of
from benchmarks.compare.results import BASE, Results
from benchmarks.compare.systems import EVERYTHING, PRODUCTS, SYSTEMS, System

AT_ONCE = frozenset({"antelog-spark-batch", "spark-batch", "pathway", "duckdb-once", "polars-once"})
"""They are given all events before they begin; the others take them as they come."""

OWN, FOLLOWS, ONCE = "antelog", "follows the stream", "asked once, at the end"
TITLE = "Computing for the same answers, as a multiple of antelog's"
TIMES = "\N{MULTIPLICATION SIGN}"
FILE = "performance-brief.svg"


ALL = "antelog-all"
WHERE = {
    BASE: "Faster on single questions",
    ALL: "Faster than antelog with all its changes, which no other engine reports",
}
WHY = {
    BASE: (
        "A program written by hand for one question keeps only what that question needs, and a smaller "
        "process starts sooner."
    ),
    ALL: (
        "They report confirmed answers only. antelog also reports open ones, and why: each answer to W5 has "
        "some twenty explanations, of which all but one come to nothing."
    ),
}
"""Of antelog, reporting confirmed answers or all changes: why another is ahead of it on some questions."""


@dataclass(frozen=True)
class Compared:
    """An engine's CPU as a multiple of antelog's: the median of the questions, the lowest, the highest.

    `scale` is the one it is compared at, of those at which both were measured.
    """

    system: System
    times: float
    low: float
    high: float
    questions: int
    scale: float

    @property
    def kind(self) -> str:
        if self.system.name.startswith(BASE):
            return OWN
        return ONCE if self.system.name in AT_ONCE else FOLLOWS


def compared(results: Results) -> list[Compared]:
    """Those who were asked more than one question, the thriftiest first."""
    found = []
    for system in SYSTEMS.values():
        for scale in results.preferred:
            times = [
                time for name in EVERYTHING for time in _ratio(results, (system.name, BASE), name, scale)
            ]
            if len(times) > 1:
                found.append(Compared(system, median(times), min(times), max(times), len(times), scale))
                break
    return sorted(found, key=lambda each: each.times)


def _ratio(results: Results, pair: tuple[str, str], question: str, scale: float) -> Iterator[float]:
    """How many times the CPU of the second engine the first took, if both succeeded."""
    theirs, ours = (_cpu(results, scale, name, question) for name in pair)
    if theirs and ours:
        yield median(theirs) / median(ours)


def _cpu(results: Results, scale: float, system: str, question: str) -> list[float]:
    runs = [run for each in results.at(scale) for run in each.of(system, question)]
    return [run.took.cpu for run in runs if not run.failed]


def sentences(results: Results) -> list[str]:
    """The beginning of the page; nothing if too little was measured."""
    all_of_them = compared(results)
    follow = [each for each in all_of_them if each.kind == FOLLOWS]
    quicker = [each for each in all_of_them if each.kind == ONCE and each.times < 1]
    if not follow:
        return []
    said = (
        "**For the same answers, other engines that follow a stream took from "
        f"{_times(follow[0])} to {_times(follow[-1])} as much computing as antelog.**"
    )
    if quicker:
        said += (
            " If all events are there already and a question is asked once, others take less: "
            f"{' and '.join(map(_times, quicker))} as much."
        )
    ahead = [text for own in (BASE, ALL) if (text := _ahead(results, own))]
    picture = f"![{TITLE}, engine by engine](images/{FILE})"
    return [picture, said, "\n".join(_table(results, all_of_them)), *_explained(results, all_of_them), *ahead]


def _table(results: Results, all_of_them: Sequence[Compared]) -> Iterator[str]:
    """How many times antelog's computing each engine took, in the median and question by question."""
    asked = [name for name in EVERYTHING if results.of(BASE, name)]
    yield f"| engine | what it is | median | {' | '.join(asked)} |"
    yield f"| --- | --- | ---: |{' ---: |' * len(asked)}"
    for each in all_of_them:
        cells = []
        for question in asked:
            times = [*_ratio(results, (each.system.name, BASE), question, each.scale)]
            cells.append(_cell(times[0]) if times else "")
        what = PRODUCTS[_product(each.system)].partition(":")[0]
        yield f"| {each.system.title} | {what} | {_cell(each.times)} | {' | '.join(cells)} |"


def _cell(times: float) -> str:
    """A figure of the table; less computing than antelog is bold."""
    said = f"{times:.2g}" if times < 1 else _number(times)
    return f"**{said}**" if times < 1 else said


def _ahead(results: Results, own: str) -> str:
    """Which engines in a process took less on single questions, of those that follow the stream, and why."""
    found: dict[str, list[str]] = {}
    for system in SYSTEMS.values():
        if system.name in AT_ONCE or system.name.startswith(BASE) or system.name in BESIDE:
            continue
        for question in EVERYTHING:
            for times in _ratio(results, (system.name, own), question, results.preferred[0]):
                if times < 1:
                    found.setdefault(system.title, []).append(f"{times:.2g} times for {question}")
    if not found:
        return ""
    engines = "; ".join(f"{title} ({', '.join(said)})" for title, said in found.items())
    return f"**{WHERE[own]}: {engines}.** {WHY[own]}"


def _times(each: Compared) -> str:
    """How many times antelog's, and of which engine, with what that is."""
    name = _product(each.system)
    return f"{_number(each.times)} times ({name}, {PRODUCTS[name].partition(':')[0]})"


def _product(system: System) -> str:
    """What an engine is of."""
    return next(name for name in PRODUCTS if system.title.startswith(name))


def _explained(results: Results, all_of_them: Sequence[Compared]) -> Iterator[str]:
    rates = [_rate(results, question) for question in EVERYTHING if results.of(BASE, question)]
    yield (
        f"antelog itself read from {min(rates):,.0f} to {max(rates):,.0f} events in a second of one core. "
        "In picture and table, 1 is antelog in a process, with confirmed answers only; in the table, what is "
        "less is bold. Each point of the picture is the median of the questions, and a line goes from the "
        "lowest to the highest. The start of a process counts."
    )
    smaller = [each.system.title for each in all_of_them if each.scale < results.preferred[0]]
    if smaller:
        yield (
            "Measured with fewer events, so that a start weighs more, and compared with antelog on as many: "
            f"{'; '.join(smaller)}."
        )


def _rate(results: Results, question: str) -> float:
    """Events in a CPU second, to two digits."""
    runs = [run for run in results.of(BASE, question) if not run.failed]
    rate = runs[0].events / median(run.took.cpu for run in runs) if runs else 0.0
    return float(f"{rate:.2g}")


def _number(times: float) -> str:
    return f"{times:.0f}" if times >= 10 else f"{times:.1f}"


def shown(each: Compared) -> str:
    """What stands beside its point."""
    return f"{_number(each.times)} {TIMES}"


def draw(results: Results, file: Path) -> None:
    rows = [
        {
            "engine": each.system.title, "kind": each.kind, "times": each.times,
            "low": each.low, "high": each.high, "said": shown(each),
        }
        for each in compared(results)
    ]  # fmt: skip
    titles = [str(row["engine"]) for row in rows]
    kinds = alt.Scale(domain=[OWN, FOLLOWS, ONCE], range=[theme.GREEN, theme.BLUE, theme.PURPLE])
    base = alt.Chart().encode(
        alt.Y("engine:N", sort=titles, title=None, axis=names_of(titles)),
        alt.Color("kind:N", scale=kinds, title=None),
    )
    ticks = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128]
    across = alt.X(
        "low:Q",
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=alt.Axis(values=ticks, format="~g", labelExpr=f"datum.label + ' {TIMES}'"),
        title="less computing  ←   times as much as antelog   →  more computing",
    )
    chart = alt.layer(
        base.mark_rule(strokeWidth=5, opacity=0.25).encode(across, alt.X2("high:Q")),
        base.mark_point(filled=True, size=90, opacity=1).encode(alt.X("times:Q")),
        base.mark_text(align="left", dx=8, dy=-8, fontSize=11, fontWeight="bold").encode(
            alt.X("times:Q"), alt.Text("said:N")
        ),
        data=alt.NamedData("engines"),
    ).properties(
        width=560,
        height=26 * len(rows),
        title=alt.TitleParams(
            TITLE, subtitle="CPU seconds, the start included. Each step to the right is twice as much."
        ),
        config=theme.CONFIG,
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    Drawing(chart, TITLE, data={"engines": rows}).save(file)
