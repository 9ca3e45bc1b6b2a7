"""Which values are named for an answer, and since when: semantics.md, "Values nobody has named".

A value is named by a fact that has it where the variable stands in a literal the answer rests on, by a
constant there, and by background there. Literals of negated atoms count, however far below.
"""

from __future__ import annotations

from antelog.language.syntax import Value
from tests.specification.constraints import possible
from tests.specification.patterns import Pattern
from tests.specification.program import Query
from tests.specification.terms import (
    ANY,
    OTHERS,
    Atom,
    Comparison,
    Special,
    Term,
    Variable,
    apply,
    holds,
    put_in,
    unify,
)
from tests.specification.world import START, Tick, World, first_ticks, stated_apart

_WANTED = Variable("?")
"""The variable whose values are looked for."""


def named(world: World, query: Query, head: tuple[Term, ...]) -> dict[Value, Tick]:
    """The values named for the one argument that is `OTHERS`, each with the tick since when."""
    asked = tuple(
        _WANTED if t is OTHERS else Variable(f"?{i}") if isinstance(t, Variable) else t
        for i, t in enumerate(head)
    )
    search = _Search(world)
    for pattern in query.patterns:
        search.look(pattern, asked, ())
    return search.found


class _Search:
    def __init__(self, world: World) -> None:
        self.world = world
        self.found: dict[Value, Tick] = {}
        self._seen: set[tuple[Atom, tuple[Comparison, ...]]] = set()

    def look(self, pattern: Pattern, asked: tuple[Term, ...], given: tuple[Comparison, ...]) -> None:
        """What a pattern names; `given` are comparisons of what it is asked for."""
        known = unify(pattern.head, asked, {})
        first = None if known is None else first_ticks(pattern, known)
        if known is None or first is None:
            return
        comparisons = [apply(c, known) for c in (*pattern.comparisons, *given)]
        if any(holds(c) is False for c in comparisons):
            return
        wanted = put_in(_WANTED, known)
        if not isinstance(wanted, Variable):
            self._name(wanted, START)
            return
        for side in (side for c in comparisons if wanted in c for side in (c.left, c.right)):
            self._name(side, START)
        open_ = [c for c in comparisons if holds(c) is None]
        if not possible(open_, first):
            return
        for atom in (apply(a, known) for a in (*pattern.background, *(d.atom for d in pattern.denials))):
            for fact in self.world.program.background:
                self._match(atom, fact, wanted, open_, START)
        ticks = [Comparison(Variable(name), ">=", tick) for name, tick in first.items()]
        for atom in (apply(a, known) for a in pattern.facts):
            self._literal(atom, wanted, [*open_, *ticks])
        for atom in (apply(a, known) for a in pattern.negations):
            self._negated(atom, wanted, [*open_, *ticks])

    def _name(self, value: Term, since: Tick) -> None:
        if not isinstance(value, Variable | Special):
            self.found[value] = min(since, self.found.get(value, since))

    def _match(
        self, atom: Atom, fact: Atom, wanted: Variable, comparisons: list[Comparison], since: Tick
    ) -> None:
        if atom.predicate != fact.predicate or wanted not in atom.arguments:
            return
        anything = tuple(Variable(f"?a{i}") if a is ANY else a for i, a in enumerate(atom.arguments))
        known = unify(anything, fact.arguments, {})
        if known is not None and not any(holds(apply(c, known)) is False for c in comparisons):
            self._name(put_in(wanted, known), since)

    def _literal(self, atom: Atom, wanted: Variable, comparisons: list[Comparison]) -> None:
        for fact, at in self.world.arrivals.items():
            self._match(atom, fact, wanted, comparisons, at)
        for refinement in self.world.program.vocabulary[atom.predicate].delays.refinements:
            refined = (Variable(f"?r{i}") if c is None else c for i, c in enumerate(refinement.pattern))
            self._match(atom, Atom(atom.predicate, (*refined, atom.time)), wanted, comparisons, START)

    def _negated(self, atom: Atom, wanted: Variable, comparisons: list[Comparison]) -> None:
        """What the patterns of a negated atom name, where its own comparisons allow it."""
        if wanted not in atom.arguments:
            return
        asked, own = stated_apart(atom, comparisons, {wanted.name: _WANTED})
        if (asked, own) not in self._seen:
            self._seen.add((asked, own))
            for pattern in self.world.program.patterns_of(asked):
                self.look(pattern, self.world.program.asked_of(asked), own)
