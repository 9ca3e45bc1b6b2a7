"""What a step knows: the rules, and the facts that still matter.

Temp(X, high, T+1), for answers about 5 to 7: its facts about 6 to 8
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from antelog.compile.literals.fact import FactLiteral
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import Rules
from antelog.engine.columns.spans import Spans
from antelog.engine.facts.history import History
from antelog.engine.matching.rows import Background, Found, facts_for_each
from antelog.engine.matching.twins import Twins
from antelog.engine.values.values import Values


@dataclass(frozen=True, eq=False)
class Knowledge:
    """The rules, what the cells stand for, the kept facts, and the background.

    `tables` has the rows of each background relation, `background` what they say of each pattern, and `twins`
    the values of queries that it treats alike.
    """

    rules: Rules
    values: Values
    history: History
    background: Mapping[str, tuple[Background, ...]]
    tables: Mapping[str, Sequence[tuple[int, ...]]]
    twins: Mapping[str, Twins]

    def found(self, prepared: Prepared, about: Spans | None) -> tuple[Found, ...]:
        """For each fact literal of a pattern its facts, for answers about some ticks (None: about any)."""
        around = [self._around(fact, about) for fact in prepared.facts]
        return facts_for_each(prepared.facts, self.history, around, self.values)

    def _around(self, fact: FactLiteral, about: Spans | None) -> Spans | None:
        """The ticks of a literal's facts, for answers about some ticks."""
        return None if about is None else about.shifted(fact.behind, fact.ahead)
