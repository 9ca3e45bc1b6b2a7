"""The view of an answer: what drives its chance, what it awaits, what follows, its rules, and its group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from antelog.engine.step.wording import LOST, SEEN, meaning, unseen_since
from antelog.forecast.reports import words
from antelog.forecast.reports.words import count
from antelog.lines import LogLine, literal_of
from antelog.run.answer_details import LiteralDetail
from antelog.watch.board.feed_program import rules_behind
from antelog.watch.board.tracked_answer import Mark, TrackedAnswer, failed, marks, ticks_of, unseen
from antelog.watch.web.templating import render, share
from antelog.watch.web.views.charts import ChartRow, TimeChart, axis_of, lane, places
from antelog.watch.web.views.context import ViewContext

_EXPLANATIONS = 8
_SAME = 0.005  # chances that differ by less look the same
_WHEN = 48  # bars of the chart of when it is confirmed, at most


def answer(scene: ViewContext, name: str) -> Markup | None:
    found = scene.board.find(name)
    if found is None:
        return None
    line = found.line
    given, program = line.get("explanations") or (), scene.board.head.program
    outcomes = scene.board.trust.outcomes
    return render(
        "answer.html",
        scene=scene,
        clock=scene.clock,
        found=found,
        is_open=found.id in scene.board.open and (found.now.change != LOST or "decided_by" in line),
        stays=found.id in scene.board.open,
        unseen=unseen(line, scene.board.head.timescale),
        unseen_since=scene.clock.at(unseen_since(line)) if line.get(LOST) else "",
        severity=scene.severity(found.query),
        runbook=scene.board.head.runbook(found),
        alert=scene.board.head.alerts.get(found.query),
        last=next((chance for _, chance in reversed(found.chances) if chance is not None), None),
        such=_such(scene, found),
        because=failed(line, scene.board.head.timescale),
        explanations=list(_explanations(scene, found, line)),
        number=len(given),
        more=len(given) - _EXPLANATIONS + int(line.get("more") or 0),
        steps=list(_steps(scene, found)),
        cases=list(cases(scene, line)),
        chart=_chart(scene, found),
        when=list(_when(scene, found, line)),
        rules=None if program is None else rules_behind(program, found.query, line),
        others=scene.board.tables.others(found),
        group=scene.key(found),
        acts=scene.shown_acts(scene.key(found)),
        by_model=by_model(scene, line),
        source=line.get("chance_from"),
        rests="" if program is None else words.rests_on(line, program.plan, outcomes(found.query)),
    )


def _such(scene: ViewContext, found: TrackedAnswer) -> str:
    """Counts the outcomes of lines with a chance like the current one: `of 41 lines …, 3 came true`."""
    chance = found.now.chance
    similar = None if chance is None else scene.board.trust.like(found.query, chance)
    if similar is None:
        return ""
    came = round(similar.confirmed * similar.lines)
    return f"of {count(similar.lines, 'line')} with such a chance before, {came:,} came true"


def by_model(scene: ViewContext, line: LogLine) -> float | None:
    """Returns the chance as of now by the model of facts, if it differs from that of the line."""
    found, chance = None if scene.detail is None else scene.detail.chance, line.get("chance")
    return None if found is None or chance is None or abs(found - chance) < _SAME else found


# ---- why ----


def _explanations(
    scene: ViewContext, found: TrackedAnswer, line: LogLine
) -> Iterator[tuple[dict[str, object], Sequence[Mark]]]:
    for at in range(min(len(line.get("explanations") or ()), _EXPLANATIONS)):
        marked = marks(line, scene.board.head.timescale, at)
        yield lane(axis_of(scene.clock, ticks_of(found, at)), marked, found), marked


def _steps(scene: ViewContext, found: TrackedAnswer) -> Iterator[dict[str, object]]:
    """Yields the history: each change, the facts that came with it, and the chance before and after."""
    timescale = scene.board.head.timescale
    seen: set[str] = set()
    before: float | None = None
    for line in found.all_lines:
        ways = range(len(line.get("explanations") or ()))
        every = (mark for at in ways for mark in marks(line, timescale, at))
        known = {mark.text: mark for mark in every if mark.known}
        came = [mark for text, mark in known.items() if text not in seen][:4]
        change = ("ended" if "by" in line else SEEN) if line["change"] == SEEN else meaning(line)
        end = {"confirmed": 1.0, "rejected": 0.0}.get(change)
        chance = line.get("chance") if end is None or before is None else end
        yield {"tick": line["tick"], "change": change, "before": before, "chance": chance, "came": came}
        seen = {*known}
        before = chance if chance is not None else before


def cases(scene: ViewContext, line: LogLine) -> Iterator[dict[str, Any]]:
    """Yields the awaited literals of all explanations, each once, with what follows if they come, or not."""
    given = line.get("explanations") or ()
    ways = [
        [mark for mark in marks(line, scene.board.head.timescale, at) if not mark.known]
        for at in range(min(len(given), _EXPLANATIONS))
    ]
    details = {} if scene.detail is None else {each.literal: each for each in scene.detail.literals}
    seen: set[str] = set()
    for each_way, way in zip(given, ways, strict=False):
        for text, mark in zip(each_way.get("hypotheses") or (), way, strict=True):
            if mark.text in seen:
                continue
            seen.add(mark.text)
            least = min(len(each) - 1 for each in ways if mark.text in {one.text for one in each})
            left = sum(mark.text not in {one.text for one in each} for each in ways)
            comes = "confirmed" if not least else f"{least:,} more {'is' if least == 1 else 'are'} awaited"
            fails = "rejected" if not left else f"{count(left, 'other explanation')} left"
            detail = details.get(text) or LiteralDetail(text)
            latest = None if detail.latest is None else literal_of(detail.latest)
            chances = {"chance": detail.chance, "if_so": detail.if_so, "if_not": detail.if_not}
            yield {"mark": mark, "comes": comes, "fails": fails, "latest": latest, **chances}


# ---- how likely, and when ----


def _chart(scene: ViewContext, found: TrackedAnswer) -> TimeChart | None:
    so_far = [(tick, chance) for tick, chance in found.chances if chance is not None]
    if not so_far:
        return None
    is_open = found.id in scene.board.open
    end = scene.clock.now if is_open else found.now.tick
    last = {"confirmed": 1.0, "rejected": 0.0}.get(found.now.change, so_far[-1][1])
    if is_open and found.line.get("chance_from") == "model":
        last = by_model(scene, found.line) or last
    if end > so_far[-1][0] or not is_open:
        so_far.append((end, last))
    begins, zone = places(scene.clock, [tick for tick, _ in so_far])
    rows = [
        ChartRow(at, scene.clock.at(tick), [chance], [share(chance)])
        for at, (tick, chance) in zip(begins, so_far, strict=True)
    ]
    alert = scene.board.head.alerts.get(found.query)
    return TimeChart("Chance over time", "chance", ("time", "chance"), rows, zone, alert)


def _when(scene: ViewContext, found: TrackedAnswer, line: LogLine) -> Iterator[tuple[str, str, float]]:
    """Yields bars of the chance to be confirmed, by ticks or steps of ticks: title, text, and height."""
    ahead = line.get("forecast") or ()
    if found.id not in scene.board.open or not ahead:
        return
    step = -(-len(ahead) // _WHEN)
    ends = [*ahead[step - 1 :: step], *([ahead[-1]] if len(ahead) % step else [])]
    before, parts = 0.0, []
    for tick, total in ends:
        parts.append((int(tick), max(0.0, float(total) - before), float(total)))
        before = float(total)
    most = max(chance for _, chance, _ in parts) or 1.0
    for tick, chance, total in parts:
        title = f"{share(chance)} at {scene.clock.at(tick)}; {share(total)} by then"
        yield title, scene.clock.short(tick), 100 * chance / most
