"""An answer as a fork: what is there, up to now; the awaited fact; and what follows if it comes, or not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from antelog.engine.step.wording import LOST, unseen_since
from antelog.language.printer import value_text
from antelog.language.syntax import Constant
from antelog.lines import LogLine, literal_of
from antelog.watch.board.tracked_answer import Mark, TrackedAnswer, marks
from antelog.watch.web.views.answer import cases
from antelog.watch.web.views.charts import TimeAxis
from antelog.watch.web.views.context import ViewContext

_NEAR = 7.0  # percent of the width from a fork to the ends of its ways, at least
_NEXT = 3  # awaited facts that are named
_AMOUNT = re.compile(r"(\w+)\([^()]*\)\)? (>=|>|=) (\d+)$")


def fork(scene: ViewContext, axis: TimeAxis, answer: TrackedAnswer) -> dict[str, object]:
    """Places an answer on an axis, with the next awaited fact, its `case`, as a fork."""
    line, end, clock = answer.line, answer.now.decided_by, scene.clock
    known = [each for each in marks(line, scene.board.head.timescale) if each.known]
    spots = [(axis.x(min(each.tick, clock.now)), each.text) for each in known if each.tick is not None]
    found = {
        "axis": axis,
        "spots": spots,
        "begin": min([axis.x(answer.since), *(x for x, _ in spots)]),
        "so_far": " · ".join([*scene.unheard(answer), *_so_far(line, len(known))]),
        "lost": clock.short(unseen_since(line)) if line.get(LOST) else "",
    }
    awaited = sorted(cases(scene, line), key=lambda each: _known_by(each["mark"], end))
    if not awaited or line.get(LOST):
        return {**found, "case": None, "next": []}
    case, chance = awaited[0], awaited[0]["chance"]
    decides = len(awaited) == 1 and (case["comes"], case["fails"]) == ("confirmed", "rejected")
    if decides and (chance is None or line.get("chance_from") != "model"):
        chance = answer.now.chance  # which then is that of the fact
    at = [max(axis.now, axis.x(_known_by(each["mark"], end))) for each in awaited]
    return {
        **found,
        "case": SimpleNamespace(**case),
        "what": literal_words(scene, answer, case["mark"]),
        "shares": (chance, None if chance is None else 1 - chance),
        "at": at[0],
        "end": max(axis.x(end) if end is not None else 100.0, at[0] + _NEAR),
        "later": [x for x in at[1:] if x > at[0]],
        "next": [literal_words(scene, answer, each["mark"]) for each in awaited[1:_NEXT]],
        "more": len(awaited) - _NEXT,
    }


def _known_by(mark: Mark, end: int | None) -> int:
    """The tick at which a literal is known at last, as far as that can be said."""
    return next((each for each in (mark.tick, end) if each is not None), 0)


def literal_words(scene: ViewContext, answer: TrackedAnswer, mark: Mark) -> str:
    """Writes a literal in words where these are plain: `Temp is high at 18:22:26`."""
    literal, short = mark.literal, scene.clock.short
    key = answer.values.get(scene.board.head.keys.get(answer.query, ""))
    same = literal_of(literal.text(lambda _: "0"))  # of all ticks, so that it is parsed once
    values = [text for text in same.arguments[:-1] if key is None or text != value_text(key)]
    plain = re.fullmatch(r"(not )?[\w$]+\([^()]*\)", literal.written) and literal.span is None
    known = all(isinstance(each, Constant) for each in same.terms[:-1])
    amount = _AMOUNT.search(literal.written) if literal.so_far.isdigit() else None
    if amount and literal.tick is not None and literal.written.startswith(f"count({amount[1]}("):
        missing = int(amount[3]) + (amount[2] == ">") - int(literal.so_far)
        return f"{max(1, missing)} more {amount[1]} by {short(literal.tick)}"
    if mark.negated and literal.span and literal.tick is not None and {*values} <= {"_"}:
        return f"no {mark.predicate} until {short(literal.tick)}"
    if not plain or not known or literal.tick is None or len(values) > 1:
        return scene.shorter(answer, literal.text(short))
    words = ["no", mark.predicate] if mark.negated else [mark.predicate, "is" if values else "comes"]
    return " ".join([*words, *values, "at", short(literal.tick)])


def _so_far(line: LogLine, known: int) -> Iterator[str]:
    """Yields how many of how many there are: facts of the first explanation, then what counts come to."""
    first: Mapping[str, Any] = next(iter(line.get("explanations") or ()), {})
    if total := known + len(first.get("hypotheses") or ()):
        yield f"{known} of {total} facts"
    for text, value in (first.get("so_far") or {}).items():
        found = _AMOUNT.search(text)
        if found is not None and value is not None:
            yield f"{value:g} of {int(found[3]) + (found[2] == '>')} {found[1]}"
