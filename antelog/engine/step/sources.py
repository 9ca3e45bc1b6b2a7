"""The sources that literals of lines rest on, and whether they are unseen.

input Temp(device, level, time) delay 1, one per device, every 2.
Temp(wt2, high, 7)        facts of Temp about wt2
not Hot(wt2, 7)           those that the rules for Hot ask about
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from antelog.compile.literals.terms import Const, Var
from antelog.compile.nodes.plan import Plan
from antelog.engine.facts.history import Facts, History, added
from antelog.engine.facts.sight import AskedTicks, Sight
from antelog.engine.step.plain_values import Plain
from antelog.engine.values.values import Values
from antelog.language.syntax import Constant
from antelog.lines import literal_of


class ExpectedSource(NamedTuple):
    """A source that facts of an input are expected of, by its values at some positions."""

    input: str
    positions: tuple[int, ...]
    values: tuple[Plain, ...]


@lru_cache(maxsize=1_000)
def sources_of(plan: Plan, literal: str) -> frozenset[ExpectedSource]:
    """The sources that a literal of a line rests on: of a derived atom those of its rules."""
    found = literal_of(literal)
    values = tuple(term.value if isinstance(term, Constant) else None for term in found.terms[:-1])
    return frozenset(_below(plan, found.predicate, values, frozenset()))


def _below(
    plan: Plan, predicate: str, values: tuple[Plain, ...], above: frozenset[str]
) -> Iterator[ExpectedSource]:
    for each in (each for each in plan.inputs if each.name == predicate):
        if known := [at for at in each.expected.of if at < len(values) and values[at] is not None]:
            yield ExpectedSource(predicate, tuple(known), tuple(values[at] for at in known))
    for relation in plan.relations:
        if relation.name in above or predicate not in (relation.name, relation.predicate):
            continue
        for pattern in relation.patterns:
            kept = [each for each in values if each is not None]
            given = values if len(values) == len(pattern.answer) else kept
            bound = {t.name: v for t, v in zip(pattern.answer, given, strict=False) if isinstance(t, Var)}
            for reference in (each for literal in pattern.literals for each in literal.references):
                terms = reference.arguments if reference.of_input else reference.given
                below = tuple(
                    term.value if isinstance(term, Const) else bound.get(term.name) if term else None
                    for term in terms
                )
                yield from _below(plan, reference.name, below, above | {relation.name})


@dataclass(frozen=True, eq=False)
class UnseenSources:
    """Which sources were unseen in a step, given the facts before it and those that are new in it."""

    plan: Plan
    values: Values
    before: History
    new: Mapping[str, Facts]
    begin: int

    def among(self, literals: Sequence[str], tick: int) -> list[str]:
        """The literals of which a source is unseen by a tick: at their own tick if it was before that."""
        return [each for each in literals if self._is_unseen(each, tick)]

    @cached_property
    def _sight(self) -> Sight:
        return Sight(added(self.before, self.new), self.begin)

    def _is_unseen(self, literal: str, tick: int) -> bool:
        about = literal_of(literal).tick
        at = np.array([tick if about is None else min(about, tick)])
        asked = AskedTicks(at, at, tick - at)
        for found in sources_of(self.plan, literal):
            source = next(each for each in self.plan.inputs if each.name == found.input)
            named = [(at, v) for at, v in zip(found.positions, found.values, strict=True) if v is not None]
            cells = {at: np.array([self.values.cell(value)]) for at, value in named}
            if self._sight.unseen(source, cells, asked)[0]:
                return True
        return False
