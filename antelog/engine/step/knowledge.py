"""The knowledge of a step: the rules, the facts that still matter, and what is found out of them.

Temp(X, high, T+1), for answers about 5 to 7: its facts about 6 to 8
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.compile.literals.fact import FactLiteral
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import Rules
from antelog.engine.columns.spans import Spans
from antelog.engine.columns.tables import Column
from antelog.engine.facts.history import History
from antelog.engine.facts.seen import Seen
from antelog.engine.step.background import Static
from antelog.engine.step.derivations import Derivations
from antelog.engine.step.literals.literal import Atoms, Truth
from antelog.engine.step.matching import Found, facts_for_each
from antelog.engine.step.settled import Settled
from antelog.engine.values.values import Values


@dataclass(frozen=True, eq=False)
class Knowledge:
    """The rules, the values of cells, the kept facts, the background, and the settled atoms of cycles.

    `seen` has the values of unguarded variables, `memo` what was found out in this step.
    """

    rules: Rules
    values: Values
    history: History
    static: Static
    seen: Seen
    settled: Mapping[str, Settled]
    memo: Memo

    def found(self, prepared: Prepared, about: Spans | None) -> tuple[Found, ...]:
        """For each fact literal of a pattern its facts, for answers about some ticks (None: about any)."""
        around = [_around(fact, about) for fact in prepared.facts]
        return facts_for_each(prepared.facts, self.history, around, self.values)


def _around(fact: FactLiteral, about: Spans | None) -> Spans | None:
    """The ticks of a literal's facts, for answers about some ticks."""
    return None if about is None else about.shifted(fact.behind, fact.ahead)


def _kind(atoms: Atoms) -> tuple[str, bool, bool]:
    """Atoms of one kind have the same columns."""
    return atoms.relation, atoms.last is None, atoms.as_of is None


class Memo:
    """Atoms whose truth was asked for in a step, and the derivations of those that are seen as of now.

    Atoms as of earlier ticks are asked for after the same atoms as of now, and have the same derivations.
    """

    def __init__(self) -> None:
        self._truths: dict[tuple[str, bool, bool], tuple[list[Column], Truth]] = {}
        self._derivations: dict[str, tuple[list[Column], list[Derivations]]] = {}

    def truths(self, atoms: Atoms) -> tuple[list[Column], Truth] | None:
        """The atoms of this kind that were asked for, and their truth; None if there were none."""
        return self._truths.get(_kind(atoms))

    def keep_truths(self, atoms: Atoms, columns: list[Column], truth: Truth) -> None:
        self._truths[_kind(atoms)] = columns, truth

    def derivations(self, relation: str) -> tuple[list[Column], list[Derivations]] | None:
        """The atoms of a relation whose derivations were found, and these."""
        return self._derivations.get(relation)

    def keep_derivations(self, atoms: Atoms, found: Sequence[Derivations]) -> None:
        """Adds the derivations of atoms to those that are kept; owners are moved to the whole table."""
        table, parts = self._derivations.get(atoms.relation, (None, []))
        if table is None:
            self._derivations[atoms.relation] = atoms.columns, [*found]
            return
        first = len(table[0])
        moved = (each.owned_by(each.owner + first) for each in found)
        whole = [np.concatenate(columns) for columns in zip(table, atoms.columns, strict=True)]
        self._derivations[atoms.relation] = whole, [*parts, *moved]
