"""Twins: values of an answer that the background treats alike, and that nothing else looks at.

    Lead(S, P, T) :- Shop(S, R), Hot(R, P, T).   Shop(annes, middle). Shop(bos, middle). Shop(carls, coast).

What is told of leads for annes is told of leads for bos, word by word but for the name. So only those for
annes are worked out, and each line is written for both. In come the rows of the background, out go the twins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from antelog.compile.literals.terms import Var, variables_in
from antelog.compile.nodes.plan import Relation
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.tables import Column, find, keys_of, marked, spread
from antelog.engine.matching.rows import Background


@dataclass(frozen=True, eq=False)
class Twins:
    """The twins in one place of a query's answers, and the background of each pattern with one of them.

    `one` of them stands for all; those it stands for are `all_` of them from `start` on, `size` in number.
    """

    place: int
    background: tuple[Background, ...]
    one: Column
    start: Column
    size: Column
    all_: Column

    def sizes(self, cells: Column) -> Column:
        """For how many twins each of some values stands."""
        return self.size.take(find(cells, self.one))

    def each(self, cells: Column) -> tuple[Column, Column]:
        """All that some values stand for: for each which of the values it is one of, and its own."""
        at = find(cells, self.one)
        which, sought = spread(self.start.take(at), self.size.take(at))
        return which, self.all_.take(sought)


def twins(relation: Relation, patterns: Sequence[Prepared], background: Sequence[Background]) -> Twins | None:
    """The twins in the first place of a query's answers that has any; None if no place has."""
    if relation.unguarded:
        return None
    for place in range(len(relation.answer.variables)):
        names = [_alone(prepared, place) for prepared in patterns]
        if names and all(name in each.rows.bound for name, each in zip(names, background, strict=True)):
            found = _twins(place, [str(name) for name in names], background)
            if len(found.one) < len(found.all_):
                return found
    return None


def _alone(prepared: Prepared, place: int) -> str | None:
    """The variable in a place of the answer, if the background gives it values and nothing else uses it."""
    pattern = prepared.pattern
    term = pattern.answer[place]
    if not isinstance(term, Var) or term.name not in pattern.given:
        return None
    others = (*pattern.answer[:place], *pattern.answer[place + 1 :])
    return None if term.name in prepared.looked_at | variables_in(others) else term.name


def _twins(place: int, names: Sequence[str], background: Sequence[Background]) -> Twins:
    """Values are twins if each pattern has them beside the same values of other variables."""
    beside: dict[int, set[tuple[int, int]]] = {}
    for number, (name, each) in enumerate(zip(names, background, strict=True)):
        rest = [column for other, column in each.rows.bound.items() if other != name]
        key = keys_of([rest])[0] if rest else np.zeros(each.rows.count, np.int64)
        for cell, other in zip(each.rows.bound[name].tolist(), key.tolist(), strict=True):
            beside.setdefault(cell, set()).add((number, other))
    alike: dict[frozenset[tuple[int, int]], list[int]] = {}
    for cell, others in sorted(beside.items()):
        alike.setdefault(frozenset(others), []).append(cell)
    size = np.array([len(cells) for cells in alike.values()], np.int64)
    one = np.array([cells[0] for cells in alike.values()], np.int64)
    chosen = tuple(_only(each, name, one) for name, each in zip(names, background, strict=True))
    all_ = np.array([cell for cells in alike.values() for cell in cells], np.int64)
    return Twins(place, chosen, one, np.cumsum(size) - size, size, all_)


def _only(background: Background, name: str, cells: Column) -> Background:
    """The background with some values of a variable only."""
    rows = background.rows
    return replace(background, rows=rows.take(marked(find(rows.bound[name], cells) >= 0)))
