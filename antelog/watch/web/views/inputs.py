"""Inputs: the current tick, the input that holds time back, lateness and rates of facts, and rejects.

Each input has a histogram of the lateness of its facts, with the declared delay as a bound: too long a delay
makes answers wait for nothing, too short a one loses facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from antelog.forecast.reports.words import NONE, count
from antelog.markup import Child, Html, number, picture, tag
from antelog.watch.board.input_status import InputStatus
from antelog.watch.web.views.common import ViewContext, empty, section, share, table, tile

_WIDE, _HIGH, _FOOT = 420.0, 150.0, 24.0
_ROWS = 40


def inputs(scene: ViewContext) -> Html:
    """Renders the view."""
    known = list(scene.board.inputs.each())
    return tag(
        "div",
        section("head", tag("h1", "Inputs"), tag("p", _holding(scene), class_="note"), class_="head"),
        section("tiles", _tiles(scene, known)),
        [section(f"input-{each.name}", *_input(scene, each), class_="card input") for each in known],
        section(
            "none", empty("No input has said anything yet", "Facts, their delays and rates are shown here.")
        )
        if not known
        else None,
        section("rejects", *_rejects(scene), class_="card"),
        class_="page",
    )


def _holding(scene: ViewContext) -> Child:
    holding = scene.board.inputs.holding
    if holding is None:
        return "No input holds time back."
    return [
        "Time goes on as far as ",
        tag("b", holding),
        " has come: it is the input that is furthest behind.",
    ]


def _tiles(scene: ViewContext, known: Sequence[InputStatus]) -> Html:
    rates = [fmean(scene.board.inputs.rates(each.name)[-5:] or [0.0]) for each in known]
    aside = sum(sum(each.rejects.values()) for each in known)
    facts = sum(each.facts for each in known)
    tick = scene.board.tick
    return tag(
        "dl",
        tile(
            "Time reached",
            NONE if tick is None else scene.clock.at(tick),
            scene.board.inputs.holding and f"held by {scene.board.inputs.holding}",
            class_="long",
        ),
        tile("Facts", facts, count(len(known), "input")),
        tile("Facts a second", _rate(sum(rates)), "over the last seconds"),
        tile(
            "Set aside",
            aside,
            f"{share(aside / facts if facts else None)} of all",
            class_="against" if aside else "",
        ),
        class_="tiles",
    )


def _input(scene: ViewContext, found: InputStatus) -> Iterator[Child]:
    clock = scene.clock
    holds = scene.board.inputs.holding == found.name
    yield tag(
        "header", tag("h2", found.name), tag("span", "holds time back", class_="badge") if holds else None
    )
    newest = NONE if found.newest is None else clock.at(found.newest)
    facts = [
        ("facts", f"{found.facts:,}"),
        ("newest about", newest),
        ("declared delay", clock.ahead(found.delay) if found.delay else "none"),
        ("99 of 100 facts within", _within(scene, found)),
    ]
    figures = tag(
        "dl", [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts], class_="facts"
    )
    late = tag("figure", tag("h3", "How late facts came"), _histogram(scene, found))
    rate = tag("figure", tag("h3", "Facts a second"), _sparkline(scene.board.inputs.rates(found.name)))
    yield tag("div", figures, late, rate, class_="columns")


def _within(scene: ViewContext, found: InputStatus) -> str:
    used = found.within
    if used is None:
        return NONE
    return f"{scene.clock.ahead(round(used * found.delay))}, {100 * used:.0f}\xa0% of the delay"


def _histogram(scene: ViewContext, found: InputStatus) -> Html:
    """A bar for each lateness in ticks; facts beyond the bound were set aside."""
    ticks = max([found.delay, *found.late], default=0)
    if not found.late:
        return empty("No facts yet")
    step = max(1, -(-(ticks + 1) // 40))
    bins = [0] * (ticks // step + 1)
    for late, facts in found.late.items():
        bins[late // step] += facts
    most, wide = max(bins), _WIDE / len(bins)
    base = _HIGH - _FOOT
    parts: list[Child] = []
    for at, facts in enumerate(bins):
        high = max(1.5 if facts else 0.0, (base - 24) * facts / most)
        said = (
            f"{count(facts, 'fact')} {scene.clock.ahead(at * step)} late"
            if at
            else f"{count(facts, 'fact')} in time"
        )
        kind = "yes" if at * step <= found.delay else "no"
        parts.append(
            tag(
                "rect",
                tag("title", said),
                x=at * wide + 2,
                y=base - high,
                width=max(1.0, wide - 4),
                height=high,
                rx=min(4.0, wide / 6),
                class_=kind,
            )
        )
        if len(bins) <= 8 or at % (len(bins) // 6) == 0:
            middle = at * wide + wide / 2
            label = scene.clock.ahead(at * step) if at else "in time"
            parts.append(tag("text", label, x=middle, y=_HIGH - 6, class_="tick", text_anchor="middle"))
            if facts and len(bins) <= 8:
                parts.append(
                    tag(
                        "text",
                        share(facts / sum(bins)),
                        x=middle,
                        y=base - high - 6,
                        class_="value",
                        text_anchor="middle",
                    )
                )
    bound = min(_WIDE - 1, (found.delay // step + 1) * wide)
    parts += [
        tag("line", x1=0, x2=_WIDE, y1=base, y2=base, class_="base"),
        tag("line", x1=bound, x2=bound, y1=4, y2=base, class_="bound"),
        tag("text", "declared delay", x=bound - 6, y=14, class_="note", text_anchor="end"),
    ]
    label = "How many ticks late facts came, and the declared delay"
    return picture(_WIDE, _HIGH, label, parts, class_="chart")


def _sparkline(rates: Sequence[float]) -> Html:
    if len(rates) < 2:
        return empty("A moment, please", "A rate takes two looks.")
    most = max(rates) or 1.0
    base, left = _HIGH - _FOOT, _WIDE / (len(rates) - 1)
    spots = [(at * left, base - (base - 24) * rate / most) for at, rate in enumerate(rates)]
    path = "L".join(f"{number(x)} {number(y)}" for x, y in spots)
    parts = [
        tag("path", d=f"M0 {number(base)}L{path}L{number(_WIDE)} {number(base)}Z", class_="area"),
        tag("path", d=f"M{path}", class_="trace"),
        tag("line", x1=0, x2=_WIDE, y1=base, y2=base, class_="base"),
        tag("text", f"at most {_rate(most)}", x=0, y=14, class_="note"),
        tag("text", f"now {_rate(rates[-1])}", x=_WIDE, y=14, class_="value", text_anchor="end"),
        tag("text", "latest minutes", x=0, y=_HIGH - 6, class_="tick"),
    ]
    label = f"Facts a second: now {_rate(rates[-1])}, at most {_rate(most)}"
    return picture(_WIDE, _HIGH, label, parts, class_="chart")


def _rejects(scene: ViewContext) -> Iterator[Child]:
    known = [
        (each.name, reason, number)
        for each in scene.board.inputs.each()
        for reason, number in each.rejects.items()
    ]
    yield tag("header", tag("h2", "Rows that were set aside"))
    if not known and not scene.board.inputs.rejects:
        yield empty("None", "All rows could be used.")
        return
    chips = [
        tag("li", tag("b", name), f" {reason} ", tag("span", f"{number:,}", class_="figure"))
        for name, reason, number in known
    ]
    yield tag("ul", chips, class_="chips")
    latest = list(reversed(scene.board.inputs.rejects))[:_ROWS]
    if latest:
        rows = [_reject(scene, each) for each in latest]
        yield table(("at", "input", "reason", "row"), rows)


def _reject(scene: ViewContext, found: object) -> list[Child]:
    given = found if isinstance(found, dict) else {}
    tick = given.get("tick")
    at = scene.clock.at(tick) if isinstance(tick, int) else NONE
    return [
        tag("span", at, class_="time"),
        str(given.get("input", "")),
        str(given.get("reason", "")),
        tag("code", str(given.get("row", ""))[:300]),
    ]


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 or not rate else f"{rate:.1f}"
