"""Explanations as data: an atom, the rules for it, their literals, and the facts these rest on.

    Malf(wt2, 0), confirmed
      the rule Malf(X, T-2) :- Shdn(X, T).
        Shdn(wt2, 2), true
          the rule Shdn(X, T+1) :- Cool(X, T), Flag(X, T+1).
            ...
            Temp(wt2, high, 2), true: arrived at tick 3, Temp.csv:7

Sentences and texts have ticks in them as numbers, so that they can be shown as times.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from antelog.language.moments import Timescale, moment
from antelog.lines import literal_of

Sentence: TypeAlias = tuple[str | int, ...]
"""A sentence in pieces; numbers are ticks."""


@dataclass(frozen=True)
class FactLine:
    """A fact: its text, when it arrived, where it comes from, and what is to be said of it.

    One that was `set_aside` does not count.
    """

    text: str
    arrival: int | None = None
    place: str | None = None
    remark: Sentence = ()
    set_aside: bool = False

    def to_dict(self, timescale: Timescale | None = None) -> dict[str, Any]:
        found: dict[str, Any] = {"fact": self.text}
        if self.set_aside:
            found["set_aside"] = True
        if self.arrival is not None:
            found |= _tick("arrival", self.arrival, timescale)
        if self.place is not None:
            found["place"] = self.place
        if self.remark:
            found["remark"] = sentence_text(self.remark, timescale)
        return found


@dataclass(frozen=True)
class LiteralNode:
    """A literal of a rule: its text with values, as it is written, its status, and the reason.

    Under it are the facts that decide it, `more` of which are not listed, the rule for its atom, or the
    explanation of the atom that it denies. `hidden` are the literals further down that are not shown.
    """

    text: str
    written: str
    status: str
    reason: Sentence = ()
    facts: tuple[FactLine, ...] = ()
    more: int = 0
    below: RuleNode | AtomNode | None = None
    hidden: int = 0

    def to_dict(self, timescale: Timescale | None = None) -> dict[str, Any]:
        found: dict[str, Any] = {"literal": self.text, "written": self.written, "status": self.status}
        if self.reason:
            found["reason"] = sentence_text(self.reason, timescale)
        if self.facts:
            found["facts"] = [each.to_dict(timescale) for each in self.facts]
        if self.more:
            found["more_facts"] = self.more
        if isinstance(self.below, RuleNode):
            found["rule"] = self.below.to_dict(timescale)
        elif self.below is not None:
            found["why"] = self.below.to_dict()
        if self.hidden:
            found["hidden"] = self.hidden
        return found


@dataclass(frozen=True)
class RuleNode:
    """A rule with values: its text, its place, its head, and its literals."""

    text: str
    place: str
    head: str
    status: str
    literals: tuple[LiteralNode, ...]
    remark: Sentence = ()

    def to_dict(self, timescale: Timescale | None = None) -> dict[str, Any]:
        found: dict[str, Any] = {
            "rule": self.text,
            "place": self.place,
            "head": self.head,
            "status": self.status,
            "literals": [each.to_dict(timescale) for each in self.literals],
        }
        if self.remark:
            found["remark"] = sentence_text(self.remark, timescale)
        return found

    @property
    def size(self) -> int:
        """The number of literals in it and further down."""
        below = (each.below for each in self.literals)
        return len(self.literals) + sum(each.size for each in below if isinstance(each, RuleNode))

    @property
    def leaves(self) -> Iterator[LiteralNode]:
        """The literals that no rule is taken for."""
        for each in self.literals:
            if isinstance(each.below, RuleNode):
                yield from each.below.leaves
            else:
                yield each


@dataclass(frozen=True)
class Verdict:
    """The status of an atom at a tick: confirmed, open, possible (no fact for it yet), rejected, unknown."""

    at: int
    status: str
    summary: Sentence


@dataclass(frozen=True)
class AtomNode:
    """An atom, what it is at a tick, and why: the rules for it, or what stands in the way of each.

    rules    the best derivations, or, where there are none, the nearest one of each rule
    facts    if it is a fact of an input: that fact, or those like it
    more     how many derivations are not shown
    notes    what else is to be said
    times    the places of its arguments, besides the last, that are ticks
    """

    atom: str
    verdict: Verdict
    rules: tuple[RuleNode, ...] = ()
    facts: tuple[FactLine, ...] = ()
    more: int = 0
    notes: tuple[Sentence, ...] = ()
    timescale: Timescale | None = None
    times: frozenset[int] = frozenset()

    @property
    def at(self) -> int:
        return self.verdict.at

    @property
    def status(self) -> str:
        return self.verdict.status

    @property
    def summary(self) -> Sentence:
        return self.verdict.summary

    def to_dict(self) -> dict[str, Any]:
        """The explanation as JSON has it."""
        found: dict[str, Any] = {
            "atom": self.atom,
            **_tick("tick", self.at, self.timescale),
            "status": self.status,
            "summary": sentence_text(self.summary, self.timescale),
        }
        if self.rules:
            found["rules"] = [each.to_dict(self.timescale) for each in self.rules]
        if self.facts:
            found["facts"] = [each.to_dict(self.timescale) for each in self.facts]
        if self.more:
            found["more"] = self.more
        if self.notes:
            found["notes"] = [sentence_text(each, self.timescale) for each in self.notes]
        return found


def _tick(name: str, tick: int, timescale: Timescale | None) -> dict[str, Any]:
    """A tick, and its time beside it."""
    time = "time" if name == "tick" else f"{name}_time"
    if timescale is None or tick not in timescale.ticks:
        return {name: tick}
    return {name: tick, time: timescale.time(tick).isoformat()}


def sentence_text(sentence: Sentence, timescale: Timescale | None) -> str:
    """A sentence with its ticks as `tick 5`, or as times."""
    return "".join(each if isinstance(each, str) else tick_text(each, timescale) for each in sentence)


def tick_text(tick: int, timescale: Timescale | None) -> str:
    """`tick 5`, or the time at which it begins."""
    time = moment(tick, timescale)
    return f"tick {tick}" if time == str(tick) else time


def atom_text(text: str, timescale: Timescale | None, times: Collection[int] = ()) -> str:
    """The text of a literal with its ticks as times, those at some more places, too."""
    written: Callable[[int], str] = lambda tick: moment(tick, timescale)  # noqa: E731
    if timescale is None:
        return text
    return literal_of(text).with_times(times).text(written)
