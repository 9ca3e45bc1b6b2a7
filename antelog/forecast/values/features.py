"""Features of answers at ticks: how far they have come, their ages, and the latest values of each look.

Hot(wt2, 6) at 7    first literal true, second not; pattern 0; 1 tick old; the newest value 4 above, …
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.compile.prepared.rules import prepared
from antelog.engine.columns.trees import Features
from antelog.engine.facts.history import Facts
from antelog.engine.step.lines import LITERALS, NO_STAGE, PATTERN, pattern_of
from antelog.engine.values.values import Values
from antelog.forecast.outcomes.rows import AnswerRows
from antelog.forecast.rates.tally import Cells
from antelog.forecast.values.latest import NUMBER, LatestValues, no_values, values_of
from antelog.forecast.values.looks import Look, looks_of

BITS = 8
"""So many literals are looked at one by one."""


@dataclass(frozen=True, eq=False)
class QueryFeatures:
    """The features of a query's answers, with the latest values of its looks.

    The first `literals` literals of its patterns are looked at one by one. As many values were left as
    `trimmed` says when they were last trimmed.
    """

    looks: tuple[Look, ...]
    literals: int
    latest: tuple[LatestValues, ...]
    trimmed: int = 0

    @property
    def width(self) -> int:
        return self.literals + 3 + NUMBER * len(self.looks) if self.looks else 0

    def with_facts(self, facts: Mapping[str, Facts], values: Values, of: Values) -> QueryFeatures:
        """With a step's new facts, whose cells are of the values `of` the engine."""
        pairs = zip(self.looks, self.latest, strict=True)
        latest = tuple(
            known.and_then(values_of(look, facts, values, of)) if look.predicate in facts else known
            for look, known in pairs
        )
        return replace(self, latest=latest)

    def of(self, rows: AnswerRows) -> Features:
        """The features of answers, a row for each; without looks there are none."""
        if not self.looks:
            return self.unknown(len(rows.tick))
        stage = np.where(rows.stage == NO_STAGE, 0, rows.stage)
        bits = [stage >> bit & 1 for bit in range(self.literals)]
        reached = stage >> LITERALS & ((1 << PATTERN - LITERALS) - 1)
        parts = [np.column_stack([*bits, reached, pattern_of(rows.stage), rows.age]).astype(np.float32)]
        for look, known in zip(self.looks, self.latest, strict=True):
            key = tuple(rows.answer[place] for _, place in look.key)
            parts.append(known.seen_by(key, rows.tick).features(look.operator))
        return np.concatenate(parts, axis=1)

    def unknown(self, count: int) -> Features:
        """The features of so many answers where nobody asks for them."""
        return np.zeros((count, self.width), np.float32)

    def after(self, now: int) -> QueryFeatures:
        """Without values that nothing asked after `now` can see, if there are many by now."""
        if sum(each.count for each in self.latest) < 2 * self.trimmed + _SOME:
            return self
        latest = tuple(each.trimmed(now) for each in self.latest)
        return replace(self, latest=latest, trimmed=sum(each.count for each in latest))

    def without_values(self) -> QueryFeatures:
        latest = tuple(no_values(len(look.key)) for look in self.looks)
        return QueryFeatures(self.looks, self.literals, latest)

    def with_cells(self, cells: Cells) -> QueryFeatures:
        """A copy with rewritten cells."""
        latest = (replace(each, key=tuple(map(cells, each.key))) for each in self.latest)
        return replace(self, latest=tuple(latest))


_SOME = 1024

NO_FEATURES = QueryFeatures((), 0, ())
"""Those of a query that compares no values."""


def features_of(plan: Plan, query: str) -> QueryFeatures:
    """The features of a query's answers before the first fact."""
    looks = looks_of(plan, query)
    literals = max((len(each.literals) for each in prepared(plan).patterns[query]), default=0)
    return QueryFeatures(looks, min(literals, BITS), ()).without_values()
