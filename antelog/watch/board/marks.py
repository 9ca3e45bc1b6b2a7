"""The literals of an explanation as marks on a time line: what is there, and what is awaited.

    Temp(wt2, high, 7)          a mark at 7
    not Shdn(wt2, 9)            a mark at 9, of what must not come
    Ack(a1, P, S) where S >= 4  no mark: its tick is not known yet

In come the texts of a line, out go marks; the tick of a literal is its last argument.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from msgspec import Struct

from antelog.language.moments import literal_of, moment
from antelog.watch.board.answer import Answer, Line

_TICK = re.compile(r"(?:^|[(\s,])(\d{1,15})\)$")
_PREDICATE = re.compile(r"^(?:not )?(\w+)")


class Mark(Struct, frozen=True):
    """A literal: its text, with times written as such; its tick, if it has one; whether it is there."""

    text: str
    tick: int | None
    known: bool
    negated: bool

    @property
    def predicate(self) -> str:
        return predicate_of(self.text)


def marks(line: Line, length: int | None, explanation: int = 0) -> list[Mark]:
    """The marks of an explanation of a line, the known ones first."""
    explanations = line.get("explanations") or []
    if explanation >= len(explanations):
        return []
    found = explanations[explanation]
    known, awaited = found.get("evidence", ()), found.get("hypotheses", ())
    return [*_marks(known, length, known=True), *_marks(awaited, length, known=False)]


def span(marked: list[Mark], answer: Answer, now: int) -> tuple[int, int]:
    """From the first to the last tick that matters to an answer."""
    ticks = [mark.tick for mark in marked if mark.tick is not None]
    ends = [] if answer.now.settled_by is None else [answer.now.settled_by]
    return min([*ticks, answer.since]), max([*ticks, *ends, now])


def predicate_of(text: str) -> str:
    found = _PREDICATE.match(text)
    return found[1] if found else text


def _marks(texts: list[str], length: int | None, *, known: bool) -> Iterator[Mark]:
    for text in texts:
        found = _TICK.search(text)
        written = literal_of(text, partial(moment, length=length))
        yield Mark(written, int(found[1]) if found else None, known, text.startswith("not "))
