"""antelog/forecast/inference/diagrams.py: a formula in its plain form."""

from __future__ import annotations

from antelog.forecast.inference.diagrams import FALSE, TRUE, Joined, Leaf, Parts, Shows
from antelog.forecast.inference.nodes import NOT, Every, Holds, Never, Node, Some
from tests.forecast.inference.test_diagrams import question, x


def parts_of(whole: Node, *conditions: bool) -> tuple[Parts, int]:
    parts = Parts(question(whole, conditions=conditions))
    return parts, parts.of(whole)


def test_negations_stand_before_literals_only() -> None:
    parts, root = parts_of(Never(Every((x(0), Never(x(1))))))
    first, second = (parts.entries.index(Shows(Leaf(0, 1, at), came)) for at, came in ((0, False), (1, True)))
    assert parts.entries[root] == Joined((first, second), needed=1)


def test_each_part_is_there_once_and_after_its_own_parts() -> None:
    same = Every((x(0), x(1)))
    parts, root = parts_of(Some((same, Every((x(1), x(0))), Every((same, x(2))))))
    assert len(parts.entries) == len(set(parts.entries)) == 2 + 3 + 3
    for number, entry in enumerate(parts.entries):
        if isinstance(entry, Joined):
            assert max(entry.parts) < number
    assert root == len(parts.entries) - 1


def test_what_conditions_decide() -> None:
    whole = Some((Every((Holds(0), x(0))), Never(Holds(1))))
    assert parts_of(whole, True, False)[1] == TRUE
    assert parts_of(whole, False, True)[1] == FALSE
    parts, root = parts_of(whole, True, True)
    assert parts.entries[root] == Shows(Leaf(0, 1, 0), came=True)
    assert parts_of(NOT)[1] == FALSE
