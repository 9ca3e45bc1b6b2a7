"""An answer as a fork: what is there, up to now; the awaited fact; and what follows if it comes, or not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from typing import Any

from antelog.engine.step.wording import LOST, unseen_since
from antelog.language.printer import value_text
from antelog.language.syntax import Constant
from antelog.watch.board.tracked_answer import Mark, TrackedAnswer, marks
from antelog.watch.web.templating import share
from antelog.watch.web.views.answer import cases
from antelog.watch.web.views.charts import SECONDS
from antelog.watch.web.views.context import ViewContext

_NOW, _END = 26.0, 97.0  # percent of the width: now, and the end of what is ahead
_LEAST = 2.0  # ticks of both sides of an axis, at least
_APART = 13.0  # percent of the width between two labels, at least
_NEAR, _WIDE = 7.0, 9.0  # percent of the width from a fork to its ways' ends, at least; pixels of a sure way
_NEXT = 3  # awaited facts that are named
_AMOUNT = re.compile(r"(\w+)\(.*(>=|>|=) (\d+)$")


@dataclass(frozen=True)
class AheadAxis:
    """An axis that begins at now and is logarithmic ahead; what came is left of it. `past` is in ticks."""

    scene: ViewContext
    past: float
    reach: float
    now: float = _NOW

    def ahead(self, tick: int) -> float:
        """The ticks from now to the end of a tick."""
        clock = self.scene.clock
        return tick - clock.now if clock.wall is None else tick + 1 - clock.wall

    def x(self, tick: int) -> float:
        """Returns the place of a tick in percent of the width."""
        return self._at(self.ahead(tick))

    def _at(self, ahead: float) -> float:
        wide, most = (_END - self.now, self.reach) if ahead >= 0 else (2 - self.now, self.past)
        return self.now + wide * log1p(min(abs(ahead), most)) / log1p(max(1.0, most))

    @property
    def labels(self) -> Iterator[tuple[float, str]]:
        """Yields round times ahead that are not close to each other, and how long it is to them."""
        length, last = self.scene.clock.length, self.now
        ticks = (each * 1_000_000 / length for each in SECONDS) if length else (1, 2, 5, 10, 20, 50, 100, 500)
        for each in ticks:
            x = self._at(each)
            if each == int(each) and each <= self.reach and x >= last + _APART:
                last = x
                yield x, f"+{self.scene.clock.brief(int(each)).removesuffix(' ticks')}"


def axis_of(scene: ViewContext, answers: Sequence[TrackedAnswer], now: float = _NOW) -> AheadAxis:
    """Makes the axis of some answers, which their cards share."""
    axis = AheadAxis(scene, 1.0, 1.0, now)
    ends = [axis.ahead(each.now.decided_by) for each in answers if each.now.decided_by is not None]
    return AheadAxis(
        scene, max([_LEAST, *(-axis.ahead(each.since) for each in answers)]), max([_LEAST, *ends]), now
    )


def fork(scene: ViewContext, axis: AheadAxis, answer: TrackedAnswer) -> dict[str, object]:
    """Places an answer on an axis, with the next awaited fact as a fork, and says what both ways lead to."""
    scale, end = scene.board.head.timescale, answer.now.decided_by
    known = [each for each in marks(answer.line, scale) if each.known]
    spots = [(axis.x(min(each.tick, scene.clock.now)), each.text) for each in known if each.tick is not None]
    awaited = sorted(cases(scene, answer.line), key=lambda each: _time(each["mark"], end))
    found: dict[str, object] = {"axis": axis, "spots": spots, "ways": [], "next": [], "more": 0, "lost": ""}
    found["begin"] = min([axis.x(answer.since), *(x for x, _ in spots)])
    found["so_far"] = " · ".join([*scene.unheard(answer), *_so_far(answer, len(known))])
    if answer.line.get(LOST):
        since = scene.clock.short(unseen_since(answer.line))
        return {
            **found,
            "lost": f"Lost from sight since {since}: nobody knows. It stays until it is seen again.",
        }
    if not awaited:
        return {**found, "lost": "Nothing more is awaited: time decides it."}
    at = max(axis.now, axis.x(int(_time(awaited[0]["mark"], end))))
    right = max(axis.x(end) if end is not None else 100.0, at + _NEAR)
    ways = _ways(scene, answer, awaited)
    later = [axis.x(int(_time(each["mark"], end))) for each in awaited[1:]]
    return {
        **found,
        "at": at,
        "end": right,
        "ways": ways,
        "wide": [2 + _WIDE * (0.3 if each["share"] is None else each["share"]) for each in ways],
        "later": [x for x in later if x > at],
        "next": [said(scene, answer, each["mark"]) for each in awaited[1:_NEXT]],
        "more": max(0, len(awaited) - _NEXT),
    }


def _time(mark: Mark, end: int | None) -> float:
    """The tick at which a literal is known at last, as far as that can be said."""
    ends = (each for each in (mark.tick, end) if each is not None)
    return next(ends, 0)


def _ways(
    scene: ViewContext, answer: TrackedAnswer, awaited: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Says of both ways at the first awaited fact how likely each is, what it takes, and what follows."""
    case, clock, end = awaited[0], scene.clock, answer.now.decided_by
    chance, negated = case["chance"], case["mark"].negated
    decides = len(awaited) == 1 and (case["comes"], case["fails"]) == ("confirmed", "rejected")
    if decides and (chance is None or answer.line.get("chance_from") != "model"):
        chance = answer.now.chance  # which then is that of the fact
    by = "" if end is None else f" by {clock.short(end)}"
    if case["comes"] == "confirmed":
        then = f"then it is certain{by}" if chance is None else f"then it happens{by}"
    elif case["if_so"] is None:
        then = f"then {case['comes']}{by}"
    else:
        then = f"then {share(case['if_so'])}{by}"
    if case["fails"] == "rejected":
        otherwise = _cleared(scene, answer, case["mark"])
    else:
        left = case["fails"] if case["if_not"] is None else share(case["if_not"])
        otherwise = f"then {left}"
    missing = (
        "it comes"
        if negated
        else "it is not"
        if " is " in said(scene, answer, case["mark"])
        else "none comes"
    )
    return [
        {"kind": "so", "share": chance, "what": said(scene, answer, case["mark"]), "then": then},
        {"kind": "not", "share": None if chance is None else 1 - chance, "what": missing, "then": otherwise},
    ]


def _cleared(scene: ViewContext, answer: TrackedAnswer, mark: Mark) -> str:
    """Says when an answer is over if a fact is missing: what nobody sees is not cleared."""
    if scene.stale(answer.query, scene.key(answer)):
        return "then it is lost from sight, not cleared"
    if mark.negated:
        return "then it clears at once"
    change, tick = answer.now.silent or ("", None)
    tick = tick if change == "rejected" else mark.tick
    return "then it clears" if tick is None else f"clears at {scene.clock.short(tick)}"


def said(scene: ViewContext, answer: TrackedAnswer, mark: Mark) -> str:
    """Writes a literal in words where these are plain: `Temp is high at 18:22:26`."""
    literal, short = mark.literal, scene.clock.short
    key = answer.values.get(scene.board.head.keys.get(answer.query, ""))
    terms = [*zip(literal.terms[:-1], literal.arguments[:-1], strict=True)]
    values = [text for term, text in terms if key is None or text != value_text(key)]
    plain = literal.tick is not None and literal.span is None and "where" not in literal.written
    plain = plain and re.fullmatch(r"(not )?[\w$]+\(.*\)", literal.written) is not None
    if not plain or len(values) > 1 or not all(isinstance(term, Constant) for term, _ in terms):
        return scene.shorter(answer, literal.text(short))
    at = f"at {short(literal.tick or 0)}"
    if mark.negated:
        return " ".join(["no", mark.predicate, *values, at])
    return f"{mark.predicate} is {values[0]} {at}" if values else f"{mark.predicate} comes {at}"


def _so_far(answer: TrackedAnswer, known: int) -> Iterator[str]:
    """Yields how many of how many there are: facts of the first explanation, then what counts come to."""
    first: Mapping[str, Any] = next(iter(answer.line.get("explanations") or ()), {})
    total = known + len(first.get("hypotheses") or ())
    if total:
        yield f"{known} of {total} facts"
    for text, value in (first.get("so_far") or {}).items():
        found = _AMOUNT.search(text.partition("(")[2])
        if found is not None and value is not None:
            least = int(found[3]) + (found[2] == ">")
            yield f"{value:g} of {least} {found[1]}"
