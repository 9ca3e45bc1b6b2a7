"""A query in a step: the ticks of the answers that the step can change, and the lines that are wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import Rules
from antelog.engine.carried import SettledAnswers
from antelog.engine.columns.spans import EVERYWHERE, FOREVER, Spans, span, union
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.facts.history import Seen
from antelog.engine.step.schema import NO_COLUMNS, AnswerColumns
from antelog.engine.values.values import Values

KINDS = ("possible", "revised", "confirmed", "rejected", "closed")
POSSIBLE, REVISED, CONFIRM, REJECT, CLOSE = range(5)  # the first two leave an answer open
DECIDED = frozenset(KINDS[CONFIRM:])  # after these an answer is not open
STILL_OPEN = "open"  # the kind of lines about answers as they are, whether or not something changed

Kinds: TypeAlias = NDArray[np.integer[Any]]  # of lines or moments, as places in KINDS
Share: TypeAlias = Callable[[str, Sequence[Column], Values], Mask]  # which answers of a query are wanted


@dataclass(frozen=True)
class Step:
    """The ticks a step finishes: those after `before`, up to `now`. Time begins at `begin`."""

    begin: int
    before: int
    now: int


@dataclass(frozen=True)
class LineSelection:
    """The lines that are wanted: kinds of changes, of a share of answers (None: of all)."""

    only: Sequence[str] = KINDS
    share: Share | None = None
    staged: bool = False
    explained: bool = True  # with explanations and `because`
    structs: bool = False  # literals are structs, or else texts


ALL_LINES = LineSelection()


@dataclass(frozen=True)
class StepQuery:
    """A query in a step: its answers about some ticks, without those before `since`, and `settled` ones."""

    name: str
    about: Spans
    step: Step
    wanted: LineSelection = ALL_LINES
    since: int | None = None
    settled: SettledAnswers | None = None
    confirmed_only: bool = False  # only derivations that are complete by the end of the step
    past: bool = False  # also those that are over
    columns: AnswerColumns = NO_COLUMNS


def affected(
    rules: Rules, names: Iterable[str], step: Step, new: Mapping[str, Spans], seen: Seen
) -> Mapping[str, Spans]:
    """The ticks of the answers of queries that a step may change, given those its new facts are about."""
    reach = _reach(rules, step, new)
    found = {}
    for name in names:
        patterns = rules.patterns[name]
        if any(prepared.leaves_time_open for prepared in patterns):
            found[name] = EVERYWHERE
        elif any(p.seen is not None and seen[p.seen].since.max(initial=-1) > step.before for p in patterns):
            # A new value may have answers about all ticks at which all others are not decided.
            delay = rules.delays_of_others[name]
            undecided = span(step.begin if delay is None else step.before - delay + 1, FOREVER)
            found[name] = union((reach(name), undecided))
        else:
            found[name] = reach(name)
    return found


def undecided(rules: Rules, name: str, step: Step) -> Spans:
    """The ticks of all answers that can be open now."""
    delay = rules.relations[name].bounds.delay
    if delay is None or any(prepared.leaves_time_open for prepared in rules.patterns[name]):
        return EVERYWHERE
    return span(step.now - delay, FOREVER)


def _reach(rules: Rules, step: Step, new: Mapping[str, Spans]) -> Callable[[str], Spans]:
    """Finds the ticks at which the atoms of a relation, or their derivations, can change: each once."""

    @cache
    def changed(predicate: str) -> Spans:
        """The ticks of new facts of an input, and those about which none can come any more."""
        due = (span(step.before + 1 - delay, step.now - delay) for delay in rules.delays[predicate])
        return union((new[predicate], *due))

    def by(prepared: Prepared, cycle: frozenset[str]) -> Iterator[Spans]:
        if prepared.clocked:
            yield span(step.before + 1, step.now)
        for fact in prepared.facts:
            yield changed(fact.node.predicate).shifted(fact.ahead, fact.behind)
        for each in (reach for literal in prepared.asked for reach in literal.reaches):
            if each.reference.name not in cycle:
                yield of(each.reference.name).shifted(each.ahead, each.behind)

    @cache
    def of(name: str) -> Spans:
        cycle = rules.cycles.get(name, frozenset())
        relations = sorted(cycle) or [name]
        whole = union(
            p for relation in relations for each in rules.patterns[relation] for p in by(each, cycle)
        )
        if whole.empty or not cycle:
            return whole
        # What changes at a tick can change all that is later, as far as that is not decided.
        first, delay = int(whole.first[0]) - rules.widest, rules.relations[name].bounds.delay
        return span(first if delay is None else max(first, step.before - delay), FOREVER)

    return of
