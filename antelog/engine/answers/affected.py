"""Which answers a step can change: the ticks they are about.

    Malf(X, T) rests on Temp(X, high, T), …, Temp(X, high, T+2), delay 1
    a fact about tick 7 comes: answers about 5 to 7; tick 9 is over: what was due then, about 8, so 6 to 8

Facts change the answers about some ticks; deadlines change those about others. Both are spans of
ticks, so that a long time in which nothing happens costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import Rules
from antelog.engine.columns.spans import EVERYWHERE, FOREVER, NOWHERE, Spans, span, union


@dataclass(frozen=True)
class Step:
    """The ticks a step finishes: those after `before`, up to `now`. Time begins at `begin`."""

    begin: int
    before: int
    now: int


def affected(rules: Rules, names: Iterable[str], step: Step, new: Mapping[str, Spans]) -> Mapping[str, Spans]:
    """For some queries the ticks of the answers a step may change, given those its new facts are about."""
    reach = _Reach(rules, step, new)
    return {
        name: EVERYWHERE
        if any(prepared.leaves_time_open for prepared in rules.patterns[name])
        else reach.of(name)
        for name in names
    }


def unsettled(rules: Rules, name: str, step: Step) -> Spans:
    """The ticks of all answers that can be open now."""
    delay = rules.relations[name].bounds.delay
    if delay is None or any(prepared.leaves_time_open for prepared in rules.patterns[name]):
        return EVERYWHERE
    return span(step.now - delay, FOREVER)


@dataclass(frozen=True)
class _Reach:
    rules: Rules
    step: Step
    new: Mapping[str, Spans]
    _about: dict[str, Spans] = field(default_factory=dict)
    _of: dict[str, Spans] = field(default_factory=dict)

    def of(self, name: str) -> Spans:
        """Where the truth of a relation's atoms, or of their derivations, can change."""
        if name not in self._of:
            self._of[name] = self._found(name)
        return self._of[name]

    def _found(self, name: str) -> Spans:
        cycle = self.rules.cycles.get(name)
        if cycle is None:
            return union(part for each in self.rules.patterns[name] for part in self._by(each, frozenset()))
        whole = union(
            part
            for relation in sorted(cycle)
            for each in self.rules.patterns[relation]
            for part in self._by(each, cycle)
        )
        if whole.empty:
            return NOWHERE
        # What changes at a tick can change all that is later, as far as that is not settled.
        first = int(whole.first[0]) - self.rules.widest
        delay = self.rules.relations[name].bounds.delay
        return span(first if delay is None else max(first, self.step.before - delay), FOREVER)

    def _by(self, prepared: Prepared, cycle: frozenset[str]) -> Iterator[Spans]:
        before, now = self.step.before, self.step.now
        if prepared.clocked:
            yield span(before + 1, now)
        for fact in prepared.facts:
            yield self._changed(fact.node.predicate).shifted(fact.ahead, fact.behind)
        for each in (reach for literal in prepared.asked for reach in literal.reaches):
            if each.reference.name not in cycle:
                yield self.of(each.reference.name).shifted(each.ahead, each.behind)

    def _changed(self, predicate: str) -> Spans:
        """What new facts of an input are about, and what none can come about any more."""
        if predicate not in self._about:
            before, now = self.step.before, self.step.now
            delays = sorted(self.rules.inputs[predicate].delays)
            due = (span(before + 1 - delay, now - delay) for delay in delays)
            self._about[predicate] = union((self.new[predicate], *due))
        return self._about[predicate]
