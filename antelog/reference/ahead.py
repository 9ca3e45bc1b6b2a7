"""What else is known about an open answer: what silence makes of it, and when it is settled.

semantics.md, "Changes": `if_silent` and `decided_by`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from antelog.language.vocabulary import Kind
from antelog.reference.answers import Candidate, Explanation, by_table, complete, explanations
from antelog.reference.atoms import Atom, Literal
from antelog.reference.grounding import Derivation
from antelog.reference.program import Program
from antelog.reference.stream import delta_of
from antelog.reference.truth import Derivations, Tick, Truth, truth_table


@dataclass(frozen=True, slots=True)
class Silence:
    """What becomes of an answer if no further fact arrives, and at which tick."""

    change: str
    tick: int


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known ahead about an open answer; None where nothing bounds it."""

    if_silent: Silence | None
    decided_by: int | None


def silent_truth(program: Program, derivations: Derivations, now: int) -> Truth:
    """The truth table if nothing arrives after `now`."""
    return truth_table(program, derivations, {f: a for f, a in program.arrivals.items() if a <= now})


def if_silent(program: Program, group: tuple[Candidate, ...], silent: Truth, now: int) -> Silence | None:
    """The first tick after `now` at which the answer is confirmed or no longer reported."""
    status = by_table(silent)
    for tick in _turning_points(program, group, silent, now):
        if complete(group, status, tick):
            return Silence("confirmed", tick)
        if not explanations(group, status, tick):
            return Silence("rejected", tick)
    return None


def _turning_points(program: Program, group: tuple[Candidate, ...], silent: Truth, now: int) -> list[int]:
    """The ticks after `now` at which the status of some derivation changes."""
    ticks: set[Tick] = {candidate.considered for candidate in group}
    ticks |= {candidate.atom.time for candidate in group}
    for literal in {literal for candidate in group for literal in candidate.literals}:
        ticks.update(silent.literal(literal))
    return sorted(int(tick) for tick in ticks if now < tick <= program.certain)


def decided_by(
    program: Program, derivations: Derivations, table: Truth, found: Iterable[Explanation], now: int
) -> int | None:
    """The largest t + δ among the input atoms the explanations still depend on.

    An atom does not depend on a derivation that has all the literals of another and more.
    """
    latest: Tick = -1
    visited: set[Atom] = set()
    waiting = [literal for explanation in found for literal in explanation.hypotheses]
    while waiting:
        atom = waiting.pop().atom
        if atom in visited:
            continue
        visited.add(atom)
        if program.kind(atom.predicate) is Kind.INPUT and not atom.projected:
            latest = max(latest, atom.time + delta_of(program.vocabulary, atom))
            continue
        for derivation in _minimal(derivations[atom]):
            if table.derivation(derivation.literals).false_at > now:
                waiting += [li for li in derivation.literals if _open(table, li, now)]
    return int(latest) if -1 < latest <= program.certain else None


def _minimal(derivations: Iterable[Derivation]) -> list[Derivation]:
    every = tuple(derivations)
    return [one for one in every if not any(other.literals < one.literals for other in every)]


def _open(table: Truth, literal: Literal, now: int) -> bool:
    ticks = table.literal(literal)
    return ticks.true_at > now and ticks.false_at > now
