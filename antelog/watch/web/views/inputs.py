"""The view of inputs: the current tick, the input that holds time back, lateness and rates, and rejects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from statistics import fmean, median

from markupsafe import Markup

from antelog.forecast.reports.words import NONE, count
from antelog.watch.board.input_status import InputStatus
from antelog.watch.web.templating import render, share
from antelog.watch.web.views.charts import ChartRow, TimeChart
from antelog.watch.web.views.context import ViewContext

_BARS, _LABELS = 40, 4
_ROWS = 40
_SILENT = 24  # silent slots of an input that are listed
_PEAK = 4  # a scale of rates ends at so many times the usual one, if there are rates of twice that


def inputs(scene: ViewContext) -> Markup:
    known = list(scene.board.inputs.each())
    board = scene.board
    rates = [fmean(board.inputs.rates.each(each.name)[-5:] or [0.0]) for each in known]
    aside = sum(sum(each.rejects.values()) for each in known)
    facts = sum(each.facts for each in known)
    return render(
        "inputs.html",
        scene=scene,
        clock=scene.clock,
        holding=board.inputs.holding,
        held=_held(scene),
        reached=NONE if board.tick is None else scene.clock.at(board.tick),
        facts=facts,
        rate=_rate(sum(rates)),
        aside=aside,
        share_aside=share(aside / facts if facts else None),
        inputs=[_input(scene, each) for each in known],
        reasons=[(each.name, reason, number) for each in known for reason, number in each.rejects.items()],
        rejects=list(_rejects(scene)),
    )


def _held(scene: ViewContext) -> str:
    """The source that holds time back, and by how much, in words."""
    held = scene.board.inputs.held
    if held is None:
        return f"held by {scene.board.inputs.holding}" if scene.board.inputs.holding else ""
    behind = "no fact yet" if held.ticks is None else f"{scene.clock.ahead(held.ticks)} behind"
    return f"held by {held.source}, {behind}"


def _input(scene: ViewContext, found: InputStatus) -> dict[str, object]:
    clock = scene.clock
    source = scene.board.inputs.status.get("sources", {}).get(found.name)
    figures = [
        *([("from", source)] if source else []),
        ("facts", f"{found.facts:,}"),
        ("newest about", NONE if found.newest is None or found.newest < 0 else clock.at(found.newest)),
        ("declared delay", clock.ahead(found.delay) if found.delay else "none"),
        ("99 of 100 facts", _within(scene, found)),
    ]
    if found.pulse.unit:
        figures.append(("unread", found.pulse.backlog or "none"))
    if (slots := scene.board.inputs.slots(found.name)) is not None:
        figures.append((f"silent {slots.noun}", f"{slots.silent:,} of {slots.known:,}"))
    bars = list(_late(scene, found))
    step = _step(found)
    bound = 100.0 * (found.delay // step + 1) / len(bars) if bars else 100.0
    shown = {"name": found.name, "figures": figures, "late": bars, "bound": min(99.7, bound)}
    return {**shown, "rates": _rates(scene, found.name), "silent": _silent(scene, found.name)}


def _silent(scene: ViewContext, name: str) -> list[str]:
    """Lists the slots that are silent, with when each was heard last, and how many more there are."""
    slots = scene.board.inputs.slots(name)
    if slots is None:
        return []
    named = [f"{slot}, since {scene.clock.hour(heard)}" for slot, heard in slots.listed.items()][:_SILENT]
    return [*named, f"and {slots.silent - len(named):,} more"] if slots.silent > len(named) else named


def _within(scene: ViewContext, found: InputStatus) -> str:
    used = found.within
    if used is None:
        return NONE
    late = round(used * found.delay)
    return f"{scene.clock.ahead(late)} late, {100 * used:.0f}\xa0% of the delay" if late else "in time"


def _step(found: InputStatus) -> int:
    return max(1, -(-(max([found.delay, *found.late], default=0) + 1) // _BARS))


def _late(scene: ViewContext, found: InputStatus) -> Iterator[dict[str, object]]:
    """Yields a bar for each lateness in ticks; facts beyond the bound, `late` ones, were set aside."""
    if not any(found.late.values()):
        return
    step = _step(found)
    bins = [0] * (max([found.delay, *found.late]) // step + 1)
    for late, facts in found.late.items():
        bins[late // step] += facts
    most = max(bins)
    every = -(-len(bins) // _LABELS)
    for at, facts in enumerate(bins):
        ahead = scene.clock.ahead(at * step) if at else "in time"
        title = f"{count(facts, 'fact')} {ahead}{' late' if at else ''}"
        label = ahead if at % every == 0 else ""
        part = share(facts / sum(bins)) if facts and len(bins) <= 2 * _LABELS else ""
        shown = {"title": title, "label": label, "share": part}
        yield {**shown, "high": 100 * facts / most, "late": at * step > found.delay}


def _rates(scene: ViewContext, name: str) -> TimeChart | None:
    """Draws facts per second; None before there are two statuses."""
    rates, moments = scene.board.inputs.rates.each(name), scene.board.inputs.moments
    if not rates:
        return None
    rows = [
        ChartRow(1000 * at, text, [rate], [_rate(rate)])
        for (at, text), rate in zip(moments, rates, strict=True)
    ]
    # What is read of a backlog would make the rates of now a flat line.
    usual = median(rates)
    most = _PEAK * usual if max(rates) > 2 * _PEAK * usual > 0 else None
    return TimeChart(f"Facts of {name} a second", "rate", ("time", "facts a second"), rows, "UTC", most=most)


def _rejects(scene: ViewContext) -> Iterator[tuple[str, str, str, str, int]]:
    """Yields the latest rows that were set aside, equal ones once: when, input, reason, row, and how many."""
    counts = Counter[tuple[str, str, str]]()
    ticks: dict[tuple[str, str, str], object] = {}
    for each in reversed(scene.board.inputs.rejects):
        same = str(each.get("input", "")), str(each.get("reason", "")), str(each.get("row", ""))[:300]
        counts[same] += 1
        ticks.setdefault(same, each.get("tick"))
    for same, number in islice(counts.items(), _ROWS):
        tick = ticks[same]
        yield scene.clock.at(tick) if isinstance(tick, int) and tick >= 0 else NONE, *same, number


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 or not rate else f"{rate:.1f}"
