"""Truth over time: when each ground literal becomes true, and when false.

semantics.md, "Truth over time". Each atom has two ticks, both `NEVER` at first; the table
there says how the ticks of an atom follow from those of others. Applied until nothing
changes, it gives the least fixpoint, for ticks only ever move from `NEVER` to earlier ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from antelog.language.vocabulary import Kind
from antelog.reference import stream
from antelog.reference.atoms import Atom, Literal
from antelog.reference.grounding import Derivation, Resolution
from antelog.reference.program import Program

Tick: TypeAlias = float
"""A tick, or NEVER. The start is before all ticks: what holds since then holds at each of them."""

NEVER: Tick = math.inf
START: Tick = -1


class Ticks(NamedTuple):
    """From which tick on something is true, and from which on it is false."""

    true_at: Tick
    false_at: Tick


UNKNOWN = Ticks(NEVER, NEVER)


@dataclass(frozen=True)
class Truth:
    """The ticks of all atoms that matter."""

    ticks: Mapping[Atom, Ticks]

    def literal(self, literal: Literal) -> Ticks:
        """`not a` is true when `a` is false, and false when `a` is true."""
        ticks = self.ticks[literal.atom]
        return ticks if literal.positive else Ticks(ticks.false_at, ticks.true_at)

    def derivation(self, literals: Iterable[Literal]) -> Ticks:
        """A derivation is true with the last of its literals, and false with the first false one."""
        of_each = [self.literal(literal) for literal in literals]
        return Ticks(
            max((t.true_at for t in of_each), default=START),
            min((t.false_at for t in of_each), default=NEVER),
        )


Derivations: TypeAlias = Mapping[Atom, frozenset[Derivation]]


def dependencies(resolution: Resolution, atoms: Iterable[Atom]) -> Derivations:
    """The derivations of these atoms and of whatever those depend on, dependencies first.

    An input atom has one, of which it is the only literal; a projected input atom has one for
    each of its instances. So negated input atoms need no treatment of their own.
    """
    found: dict[Atom, frozenset[Derivation]] = {}
    visited: set[Atom] = set()

    def visit(atom: Atom) -> None:
        if atom in visited:
            return
        visited.add(atom)
        derivations = resolution.derivations(atom)
        for literal in {literal for d in derivations for literal in d.literals}:
            visit(literal.atom)
        found[atom] = derivations

    for atom in atoms:
        visit(atom)
    return found


def input_ticks(program: Program, arrivals: Mapping[Atom, int], atom: Atom) -> Ticks:
    """An input atom is true when it arrives, and false at t + δ if it has not arrived by then."""
    arrival = arrivals.get(atom)
    if arrival is not None and arrival <= program.certain:
        return Ticks(arrival, NEVER)
    deadline = atom.time + stream.delta_of(program.vocabulary, atom)
    return Ticks(NEVER, deadline if deadline <= program.certain else NEVER)


def truth_table(program: Program, derivations: Derivations, arrivals: Mapping[Atom, int]) -> Truth:
    """The ticks of all these atoms, given the facts that ever arrive."""
    table = Truth(ticks := dict.fromkeys(derivations, UNKNOWN))
    changed = True
    while changed:
        changed = False
        for atom, ways in derivations.items():
            if program.kind(atom.predicate) is Kind.INPUT and not atom.projected:
                new = input_ticks(program, arrivals, atom)
            else:
                of_each = [table.derivation(way.literals) for way in ways]
                new = Ticks(
                    min((t.true_at for t in of_each), default=NEVER),
                    max((t.false_at for t in of_each), default=START),
                )
            if new != ticks[atom]:
                ticks[atom], changed = new, True
    return table
