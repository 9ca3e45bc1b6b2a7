"""The facts that an explanation would need and an engine no longer has.

An engine forgets facts that can change no answer any more. So of an old atom it does not know what became of
it; recorded facts are all there.

    Malf(wt2, 0) at tick 9, where the engine has the facts from tick 4 on: Temp about tick 0
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from antelog.compile.prepared.pattern import Prepared
from antelog.why.grounds import Grounds


@dataclass(frozen=True)
class Needed:
    """The facts of an input from a tick on."""

    input: str
    first: int


def forgotten(grounds: Grounds, prepared: Prepared) -> Needed | None:
    """The first facts that a pattern needs and that are not kept any more; None if all are there."""
    if not any(grounds.kept.values()):
        return None
    tick = prepared.pattern.time.offset
    lost = (each for each in _needed(grounds, prepared, tick, set()) if each.first < grounds.kept[each.input])
    return min(lost, key=lambda each: each.first, default=None)


def _needed(grounds: Grounds, prepared: Prepared, tick: int, seen: set[tuple[str, int]]) -> Iterator[Needed]:
    """The facts that a pattern for an atom about a tick looks at, and its asked literals."""
    rules = grounds.rules
    for fact in prepared.facts:
        yield Needed(fact.node.predicate, 0 if fact.behind is None else max(0, tick - fact.behind))
    for literal in prepared.asked:
        for reach in literal.reaches:
            first = 0 if reach.kept is None else max(0, tick - reach.kept)
            name = reach.reference.name
            # What rests on its own past is remembered, and so is the latest fact of a slot.
            if name not in rules.relations or name in rules.cycles or (name, first) in seen:
                continue
            seen.add((name, first))
            for each in rules.patterns[name]:
                yield from _needed(grounds, each, first, seen)
