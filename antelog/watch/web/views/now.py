"""The view Now: in a sentence what is about to happen, where on a map, and what it hangs on as forks."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import urlencode

from markupsafe import Markup

from antelog.forecast.reports.words import count
from antelog.watch.board.answer_table import ListRow, prefix_of
from antelog.watch.board.brief import DueAnswers
from antelog.watch.board.selection import SEVERITIES, AnswerFilter
from antelog.watch.board.tracked_answer import TrackedAnswer
from antelog.watch.web.templating import render, share
from antelog.watch.web.views.answer import by_model
from antelog.watch.web.views.context import ViewContext, names_of
from antelog.watch.web.views.fork import axis_of, fork

_CARDS, _ROWS = 12, 40
_DOTS, _LISTED = 300, 60  # dots in the plot, and devices in its table, at most
_ROOM, _ABOVE = (
    1_200,
    400,
)  # pixels, at 12 a letter, of a name on the lines of a card, and of what is above it
_SAME = 0.005  # chances that differ by less look the same
_HIGH, _LINE = 96, 12  # pixels: the plot, and the threshold in it
_SIDE = 9.0  # percent of the width of the plot before now
_FEWEST, _MOST, _GROUPS = 2, 5_000, 40  # devices on a map, and groups of them, at most
_FEW, _MANY = 120, 600  # devices up to which cells are large, and of a middle size
_STEPS = 4  # strengths of a cell's colour
_BAD = SEVERITIES[:-1]


def now(scene: ViewContext) -> Markup:
    tables = scene.board.tables
    over = tables.foremost(AnswerFilter({"severity": _BAD, "state": ("over", "none")}))
    known = {each.key for each in over}
    nearest = "-chance / max(chance - over, 1e-9)"
    below = tables.of_keys(AnswerFilter({"severity": _BAD, "state": ("below",)}), nearest)
    below = [each for each in below if each.key not in known]
    cared = {*tables.cared_for()}
    axis = axis_of(scene, [each.answer for each in over[:_CARDS]])
    clock, silent = scene.clock, scene.board.inputs.silent(scene.then or time.time())
    brief = tables.brief(clock.wall, silent, clock.until, clock.short)
    shown = over[: _CARDS + _ROWS]
    names = names_of([each.key for each in shown], _ROOM, _ABOVE)
    rows = [_card(scene, each, cared) | {"name": names[each.key]} for each in shown[_CARDS:]]
    cards = [
        _card(of, each, cared) | fork(of, axis, each.answer) | {"name": names[each.key]}
        for each in shown[:_CARDS]
        for of in (replace(scene, detail=scene.details(each.answer)),)
    ]
    return render(
        "now.html",
        scene=scene,
        clock=clock,
        brief=brief,
        dues=[[*_parts(scene, each)] for each in brief.due],
        map=_map(scene),
        cards=cards,
        rows=rows,
        left_out=len(over) - len(shown),
        field=_field(scene, below),
        waiting=scene.board.tick is None,
    )


# ---- the brief ----


def _heard(scene: ViewContext) -> dict[str, float]:
    """The silent slots of all inputs, and when they were heard."""
    every = (scene.board.inputs.slots(each.name) for each in scene.board.inputs.each())
    return {name: heard for each in every if each is not None for name, heard in each.listed.items()}


def _parts(scene: ViewContext, due: DueAnswers) -> Iterator[tuple[str, int | None]]:
    """Yields the texts of a sentence, and between them the ticks to which seconds are counted."""
    text = due.sentence(lambda tick: f"in \0{tick}\0" if scene.clock.is_ahead(tick) else "now")
    for at, each in enumerate(text.split("\0")):
        yield (each, None) if at % 2 == 0 else ("", int(each))


# ---- cards ----


def _card(scene: ViewContext, row: ListRow, cared: set[str]) -> dict[str, object]:
    """Prepares what a card and a row have in common."""
    answer = row.answer
    chances = [chance for _, chance in answer.chances if chance is not None]
    latest = by_model(scene, answer.line) if answer.line.get("chance_from") == "model" else None
    latest = answer.now.chance if latest is None else latest
    before = next((each for each in reversed(chances) if latest and abs(each - latest) > _SAME), None)
    moved = "" if latest is None else "new"
    if latest is not None and before is not None:
        moved = f"{'↑' if latest > before else '↓'} from {share(before)}"
    return {
        "row": row,
        "answer": answer,
        "words": scene.doing(answer),
        "later": f"{scene.root}/list?{urlencode({'text': row.key})}",
        "taken": row.key in cared,
        "acts": scene.shown_acts(row.key),
        "chance": latest,
        "moved": moved,
        "such": _such(scene, answer),
        "runbook": scene.board.head.runbook(answer),
    }


def _such(scene: ViewContext, answer: TrackedAnswer) -> str:
    """Says what became of such chances before, and what that says of them."""
    chance, trust = answer.now.chance, scene.board.trust
    found, learning = (
        None if chance is None else trust.like(answer.query, chance),
        trust.learning(answer.query),
    )
    if found is None or learning:
        return learning if chance is not None else ""
    said = f"{round(found.confirmed * found.lines):,} of {found.lines:,} like it came true"
    return ": ".join(filter(None, (said, trust.verdict(answer.query, chance))))


# ---- below the threshold ----


def _field(scene: ViewContext, below: Sequence[ListRow]) -> dict[str, object]:
    """Places a dot for each device by how near its answer is to the threshold, and when it is decided."""
    nearest = sorted(below, key=lambda each: -_nearness(scene, each.answer))[:_DOTS]
    axis = axis_of(scene, [each.answer for each in nearest], _SIDE)
    places, dots = Counter[tuple[int, int]](), []
    for each in nearest:
        near, end = _nearness(scene, each.answer), each.deadline
        x = 99.0 if end is None else max(axis.now, axis.x(end))
        y = _HIGH - 8 - near * (_HIGH - 8 - _LINE)
        place = (round(x), round(y / 6))
        x += (places[place] % 9) * (0.9 if x < 90 else -0.9)
        places[place] += 1
        dots.append({"row": each, "x": x, "y": y, "near": share(near)})
    more = max(0, len(below) - _DOTS)
    return {"axis": axis, "dots": dots, "listed": dots[:_LISTED], "more": more, "line": _LINE, "high": _HIGH}


def _nearness(scene: ViewContext, answer: TrackedAnswer) -> float:
    """The chance of an answer as a share of its threshold."""
    return min(1.0, (answer.now.chance or 0.0) / scene.board.head.threshold(answer.query))


# ---- the map ----


def _map(scene: ViewContext) -> dict[str, object] | None:
    """Makes a cell for each device, in groups; None where no slot names devices that come again."""
    keys = sorted(
        {
            key
            for each in scene.board.inputs.each()
            if (slots := scene.board.inputs.slots(each.name)) is not None
            for key in slots.again
        }
    )
    if not _FEWEST <= len(keys) <= _MOST:
        return None
    worst = {
        each.key: each
        for each in scene.board.tables.of_keys(AnswerFilter({"severity": _BAD}), "severity * 10 - over")
    }
    heard = _heard(scene)
    groups = _groups(scene.board.groups, keys)
    cells = {
        name: [_cell(scene, each, worst.get(each), heard.get(each)) for each in members]
        for name, members in groups.items()
    }
    size = "of-few" if len(keys) <= _FEW else "of-many" if len(keys) <= _MANY else "of-most"
    wide = next((f" wide-{each}" for each in (32, 16, 8) if max(map(len, groups.values())) > each * 2), "")
    return {"groups": cells, "size": size, "wide": wide, "count": count(len(keys), scene.key_name.lower())}


def _groups(given: Mapping[str, str], keys: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Groups keys by what is given, else by their beginnings; in one where these say little."""
    found = defaultdict[str, list[str]](list)
    for each in keys:
        found[given.get(each, "") if given else prefix_of(each).rstrip("/.:-_ ")].append(each)
    return found if given or len(found) <= min(_GROUPS, len(keys) // 2) else {"": keys}


def _cell(scene: ViewContext, key: str, found: ListRow | None, heard: float | None) -> dict[str, object]:
    if found is None:
        since = "" if heard is None else f": silent since {scene.clock.hour(heard, '%H:%M:%S')}"
        return {"title": key + since, "kind": "silent" if heard is not None else "", "address": ""}
    now, threshold = found.answer.now, scene.board.head.threshold(found.answer.query)
    chance = 1.0 if now.chance is None else now.chance
    kinds = [found.severity, f"s{min(_STEPS, 1 + int(chance * _STEPS))}"]
    kinds += ["silent"] if heard is not None or now.change == "lost" else []
    kinds += ["ringed"] if now.chance is not None and chance >= threshold else []
    said = found.severity if now.chance is None else f"{share(now.chance)}, {found.severity}"
    return {"title": f"{key}: {said}", "kind": " ".join(kinds), "address": scene.address(found.answer)}
