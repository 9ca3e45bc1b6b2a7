"""The view Now: in a sentence what is about to happen, where on a map, and what it hangs on as forks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace

from markupsafe import Markup

from antelog.forecast.reports.words import count
from antelog.watch.board.answer_table import ListRow, prefix_of
from antelog.watch.board.brief import DueAnswers
from antelog.watch.board.selection import SEVERITIES, AnswerFilter
from antelog.watch.board.tracked_answer import ticks_of
from antelog.watch.web.templating import render
from antelog.watch.web.views.answer import by_model
from antelog.watch.web.views.charts import axis_of
from antelog.watch.web.views.context import ViewContext, names_of
from antelog.watch.web.views.fork import fork

_CARDS, _ROWS = 12, 40
_ROOM, _ABOVE = 1_200, 400  # pixels, with letters of 12, of a name on a card, and of what is above it
_SAME = 0.005  # chances that differ by less look the same
_DOTS = 300  # dots in the plot, at most
_HIGH, _LINE, _SIDE = 104, 18, 9.0  # pixels of the plot and to its threshold; percent of the width before now
_FEWEST, _MOST, _GROUPS = 2, 5_000, 40  # devices on a map, and groups of them, at most
_BAD = SEVERITIES[:-1]


def now(scene: ViewContext) -> Markup:
    tables, clock = scene.board.tables, scene.clock
    over = tables.foremost(AnswerFilter({"severity": _BAD, "state": ("over", "none")}))
    nearest = "-chance / max(chance - over, 1e-9)"
    below = tables.of_keys(AnswerFilter({"severity": _BAD, "state": ("below",)}), nearest)
    known, shown = {each.key for each in over}, over[: _CARDS + _ROWS]
    axis = axis_of(clock, [tick for each in over[:_CARDS] for tick in ticks_of(each.answer)])
    details = scene.details([each.answer for each in over[:_CARDS]])
    scenes = [replace(scene, detail=details.get(each.answer.id)) for each in over[:_CARDS]]
    return render(
        "now.html",
        scene=scene,
        clock=clock,
        dues=[_parts(scene, each) for each in scene.due.due],
        names=names_of([each.key for each in shown], _ROOM, _ABOVE),
        cared=tables.cared_for(),
        map=_map(scene),
        # Jinja finds attributes faster than items.
        cards=[
            SimpleNamespace(**_card(of, row), **fork(of, axis, row.answer))
            for of, row in zip(scenes, over, strict=False)
        ],
        rows=shown[_CARDS:],
        left_out=len(over) - len(shown),
        field=_field(scene, [each for each in below if each.key not in known]),
    )


def embedded(scene: ViewContext, part: str, **values: object) -> Markup:
    """Renders the brief or the map alone, as a page for frames of others."""
    dues = [_parts(scene, each) for each in scene.due.due]
    known = {"scene": scene, "clock": scene.clock, "dues": dues, "part": part}
    return render("embed.html", map=_map(scene) if part == "map" else None, **known, **values)


def _parts(scene: ViewContext, due: DueAnswers) -> list[str]:
    """Cuts a sentence where it says how long it is to a tick: every other part is the number of a tick."""
    clock = scene.clock
    return due.sentence(lambda tick: f"in \0{tick}\0" if clock.is_ahead(tick) else "now").split("\0")


def _card(scene: ViewContext, row: ListRow) -> dict[str, object]:
    """Says how an answer's chance moved, and what became of such chances before."""
    answer, trust = row.answer, scene.board.trust
    latest = by_model(scene, answer.line) if answer.line.get("chance_from") == "model" else None
    chance = answer.now.chance if latest is None else latest
    chances = [each for _, each in answer.chances if each is not None and chance is not None]
    before = next((each for each in reversed(chances) if abs(each - (chance or 0)) > _SAME), None)
    such = None if chance is None or trust.learning(answer.query) else trust.like(answer.query, chance)
    return {"row": row, "chance": chance, "before": before, "such": such}


# ---- below the threshold ----


def _field(scene: ViewContext, below: Sequence[ListRow]) -> dict[str, object]:
    """Places a dot for each device by how near its answer is to the threshold, and when it is decided."""

    def near(row: ListRow) -> float:
        return min(1.0, (row.answer.now.chance or 0) / scene.board.head.threshold(row.answer.query))

    nearest = sorted(below, key=near, reverse=True)[:_DOTS]
    axis = axis_of(scene.clock, [each.deadline for each in nearest], _SIDE)
    places, dots = Counter[tuple[int, int]](), []
    for row in nearest:
        x = 99.0 if row.deadline is None else max(axis.now, axis.x(row.deadline))
        y = _HIGH - 8 - near(row) * (_HIGH - 8 - _LINE)
        place = (round(x), round(y / 12))
        near_it = sum(places[place[0], place[1] + by] for by in (-1, 0, 1))
        beside = (near_it % 9) * (12 if x < 90 else -12)  # pixels
        places[place] += 1
        dots.append({"row": row, "x": x, "y": y, "beside": beside, "near": near(row)})
    return {"axis": axis, "dots": dots, "count": len(below), "line": _LINE, "high": _HIGH}


# ---- the map ----


def _map(scene: ViewContext) -> dict[str, object] | None:
    """Groups devices, with the worst answer of each; None where no slot names any that come again."""
    slots = [found for each in scene.board.inputs.each() if (found := scene.board.inputs.slots(each.name))]
    keys = sorted({key for each in slots for key in each.again})
    if not _FEWEST <= len(keys) <= _MOST:
        return None
    bad = AnswerFilter({"severity": _BAD})
    return {
        "groups": _groups(scene.board.groups, keys),
        "worst": {each.key: each for each in scene.board.tables.of_keys(bad, "severity * 10 - over")},
        "heard": {name: heard for each in slots for name, heard in each.listed.items()},
        "size": len(keys),
        "count": count(len(keys), scene.key_name.lower()),
    }


def _groups(given: Mapping[str, str], keys: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Groups keys by what is given, else by their beginnings; in one where these say little."""
    found = defaultdict[str, list[str]](list)
    for each in keys:
        found[given.get(each, "") if given else prefix_of(each).rstrip("/.:-_ ")].append(each)
    return found if given or len(found) <= min(_GROUPS, len(keys) // 2) else {"": keys}
