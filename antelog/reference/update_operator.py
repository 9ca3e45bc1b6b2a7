"""The second formulation: the papers' sets of tuples and the negation update operator R.

ICTAC-22, section 4. A tuple ⟨Q, θ, E, H⟩ is written ⟨a, E, H⟩ with a = Qθ. The queries are
those of the program, and the auxiliary ones for whatever atom is negated in a derivation.
The papers negate derived atoms only; for a negated input atom the auxiliary query has one
derivation, the atom itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import NamedTuple

from antelog.reference import stream
from antelog.reference.answers import Candidate, Explanation, Status
from antelog.reference.atoms import Atom, Literal
from antelog.reference.program import Program
from antelog.reference.truth import Derivations


class Tuple(NamedTuple):
    """⟨a, E, H⟩: a follows from the evidence E and the hypotheses H."""

    atom: Atom
    evidence: frozenset[Literal]
    hypotheses: frozenset[Literal]

    @property
    def derivation(self) -> tuple[Atom, frozenset[Literal]]:
        """What updates never change: the atom, and E and H together."""
        return self.atom, self.evidence | self.hypotheses


Tuples = frozenset[Tuple]


def initial(derivations: Derivations) -> Tuples:
    """S₋₁: every derivation, without evidence."""
    return frozenset(Tuple(atom, frozenset(), d.literals) for atom, ways in derivations.items() for d in ways)


def with_facts(program: Program, before: Tuples, facts: Iterable[Atom], tick: int) -> Tuples:
    """A_{τ+1}: facts move from hypotheses to evidence.

    Tuples go whose positive hypotheses are not all future-possible, τ + 1 < t + δ.
    """
    arrived = frozenset(Literal(fact) for fact in facts)
    updated = (Tuple(t.atom, t.evidence | t.hypotheses & arrived, t.hypotheses - arrived) for t in before)
    return frozenset(
        t
        for t in updated
        if all(_future_possible(program, li.atom, tick) for li in t.hypotheses if li.positive)
    )


def _future_possible(program: Program, atom: Atom, tick: int) -> bool:
    return tick < atom.time + stream.delta_of(program.vocabulary, atom)


def without_disproved(x: Tuples, y: Tuples) -> Tuples:
    """R₁: removes from X the tuples with a hypothesis ¬a such that ⟨a, E, ∅⟩ is in Y."""
    proved = {t.atom for t in y if not t.hypotheses}
    return frozenset(t for t in x if not any(li.atom in proved for li in t.hypotheses if not li.positive))


def with_absent(x: Tuples, y: Tuples) -> Tuples:
    """R₂: in the tuples of Y, moves ¬a to the evidence where X has no tuple for a."""
    possible = {t.atom for t in x}
    updated = []
    for t in y:
        absent = frozenset(li for li in t.hypotheses if not li.positive and li.atom not in possible)
        updated.append(Tuple(t.atom, t.evidence | absent, t.hypotheses - absent))
    return frozenset(updated)


def least_fixpoint(a: Tuples) -> tuple[Tuples, Tuples]:
    """The least fixpoint of R = (R₁, R₂), reached from its least element (A, A) by iteration."""
    x, y = a, a
    while True:
        new = without_disproved(x, y), with_absent(x, y)
        if new == (x, y):
            return x, y
        x, y = new


def updated(a: Tuples) -> Tuples:
    """S_{τ+1}: the tuples of A that are left in X₀, with the evidence they have in Y₀."""
    x, y = least_fixpoint(a)
    left = {t.derivation for t in x}
    return frozenset(t for t in y if t.derivation in left)


def sequence(program: Program, derivations: Derivations, arrivals: Mapping[Atom, int]) -> Iterator[Tuples]:
    """S₀, S₁, S₂, … for ever."""
    current = initial(derivations)
    for tick in count():
        facts = [fact for fact, arrival in arrivals.items() if arrival == tick]
        current = updated(with_facts(program, current, facts, tick))
        yield current


def by_operator(program: Program, derivations: Derivations, arrivals: Mapping[Atom, int]) -> Status:
    """The status of derivations according to the sequence of sets, up to the program's `until`."""
    found: list[dict[tuple[Atom, frozenset[Literal]], Explanation]] = []
    for _, tuples in zip(range(program.until + 1), sequence(program, derivations, arrivals), strict=False):
        found.append({t.derivation: Explanation(t.evidence, t.hypotheses) for t in tuples})

    def status(candidate: Candidate, now: int) -> Explanation | None:
        return found[now].get((candidate.atom, candidate.literals))

    return status
