"""CPU seconds for a million events, engine by engine and workload by workload, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

import altair as alt

from antelog.pictures import theme
from antelog.pictures.drawing import Drawing
from benchmarks.compare.results import Results
from benchmarks.compare.systems import SYSTEMS
from benchmarks.compare.workloads import WORKLOADS

TITLE = "CPU seconds for a million events"
OWN, OTHER = "antelog", "others"


def draw(results: Results, file: Path) -> None:
    rows = _rows(results)
    titles = [
        system.title for system in SYSTEMS.values() if any(row["engine"] == system.title for row in rows)
    ]
    scale = alt.Scale(type="log", nice=False)
    across = alt.X(
        "middle:Q",
        scale=scale,
        title=None,
        axis=alt.Axis(values=[0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]),
    )
    base = alt.Chart().encode(
        alt.Y("engine:N", sort=titles, title=None, axis=names_of(titles)),
        alt.Color(
            "whose:N", scale=alt.Scale(domain=[OWN, OTHER], range=[theme.GREEN, theme.BLUE]), legend=None
        ),
    )
    marks = alt.layer(
        base.mark_rule().encode(alt.X("low:Q"), alt.X2("high:Q")),
        base.mark_point(filled=True, size=60).encode(across),
    ).properties(width=230, height=17 * len(titles))
    chart = marks.facet(
        alt.Facet("workload:N", title=None, header=_header()), columns=2, data=alt.NamedData("runs")
    )
    chart = chart.properties(
        title=alt.TitleParams(
            TITLE,
            subtitle=[
                "The start included; medians, with the lowest and the highest. A logarithmic scale.",
                "Each engine at scale 1, or at the scale it was measured at.",
            ],
        ),
        config=theme.CONFIG,
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    Drawing(chart, TITLE, data={"runs": rows}).save(file)


def names_of(titles: Sequence[str]) -> alt.Axis:
    """An axis that names each engine, with room for letters that are wider than those it is drawn with."""
    room = _LETTER * max(map(len, titles), default=0)
    return alt.Axis(labelOverlap=False, labelLimit=room, minExtent=room)


_LETTER = 8
"""The width of a letter in wide fonts, in pixels."""


def _header() -> alt.Header:
    return alt.Header(labelColor=theme.INK, labelFontSize=13, labelAnchor="start")


def _rows(results: Results) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name, workload in WORKLOADS.items():
        for system in SYSTEMS.values():
            runs = [run for run in results.of(system.name, name) if not run.failed]
            if runs:
                each = [run.took.cpu / run.events * 1e6 for run in runs]
                own = OWN if system.name.startswith("antelog") else OTHER
                rows.append({
                    "workload": f"{name}: {workload.title}", "engine": system.title, "whose": own,
                    "low": min(each), "middle": median(each), "high": max(each),
                })  # fmt: skip
    return rows
