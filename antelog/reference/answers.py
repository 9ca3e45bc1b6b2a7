"""Which answers are reported at a tick, and with which explanations.

semantics.md, "Answers". The rule needs to know of each derivation only which of its literals
are true, false and open, so it serves both formulations of truth: the table of `truth` and
the operator of `update_operator`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from antelog.language import syntax
from antelog.language.syntax import Value
from antelog.reference.atoms import Atom, Literal, match
from antelog.reference.grounding import query_atoms
from antelog.reference.program import Program, Query
from antelog.reference.truth import START, Derivations, Tick, Truth

Answer: TypeAlias = tuple[tuple[str, Value], ...]
"""The values of a query's variables, in the order in which the query names them."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A derivation of an answer: of which atom, and the first tick at which it is considered."""

    atom: Atom
    literals: frozenset[Literal]
    considered: Tick
    shown: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """What supports an answer, and what would complete it."""

    evidence: frozenset[Literal]
    hypotheses: frozenset[Literal]

    def beats(self, other: Explanation) -> bool:
        """Whether this one makes the other needless: fewer hypotheses, or the same on less evidence."""
        if self.hypotheses == other.hypotheses:
            return self.evidence < other.evidence
        return self.hypotheses < other.hypotheses


@dataclass(frozen=True, slots=True)
class Report:
    """An answer of a query at a tick: open, or confirmed at this very tick."""

    tick: int
    query: str
    answer: Answer
    explanations: frozenset[Explanation]

    @property
    def confirmed(self) -> bool:
        return any(not e.hypotheses for e in self.explanations)


Candidates: TypeAlias = Mapping[Answer, tuple[Candidate, ...]]
Status: TypeAlias = Callable[[Candidate, int], Explanation | None]
"""The evidence and the hypotheses of a derivation at a tick; None if the derivation is false."""


def answer_of(query: syntax.Atom, atom: Atom) -> Answer:
    """The values an instance of a query's atom gives to its named variables."""
    return tuple((match(query, atom, {}) or {}).items())


def candidates(program: Program, query: Query, derivations: Derivations) -> Candidates:
    """All derivations of all answers to a query."""
    found: dict[Answer, dict[Candidate, None]] = {}
    for atom in query_atoms(program, query.atom):
        for derivation in derivations[atom]:
            considered = atom.time if derivation.clock_driven else START
            shown = (
                max(atom.time, *(literal.atom.time for literal in derivation.literals), 0) <= program.shown
            )
            candidate = Candidate(atom, derivation.literals, considered, shown)
            found.setdefault(answer_of(query.atom, atom), {})[candidate] = None
    return {answer: tuple(group) for answer, group in found.items()}


def by_table(truth: Truth) -> Status:
    """The status of derivations according to the truth table."""

    @cache
    def false_at(literals: frozenset[Literal]) -> Tick:
        return truth.derivation(literals).false_at

    @cache
    def course(literals: frozenset[Literal]) -> Mapping[Tick, Explanation]:
        """What is to be said from each tick on at which one of the literals becomes true."""
        true_at = {literal: truth.literal(literal).true_at for literal in literals}
        found = {}
        for tick in {START, *true_at.values()}:
            evidence = frozenset(literal for literal, since in true_at.items() if since <= tick)
            found[tick] = Explanation(evidence, literals - evidence)
        return found

    def status(candidate: Candidate, now: int) -> Explanation | None:
        if false_at(candidate.literals) <= now:
            return None
        said = course(candidate.literals)
        return said[max(tick for tick in said if tick <= now)]

    return status


def explanations(group: Iterable[Candidate], status: Status, now: int) -> frozenset[Explanation]:
    """What is reported about an answer that has not been confirmed before.

    Only minimal derivations are reported, minimal among all that are not false. One without
    evidence is reported only if its hypotheses are all negated and its time has come. Where a
    derivation reaches beyond what is shown, it still competes, but is not reported itself.
    """
    live: dict[Explanation, list[Candidate]] = {}
    for candidate in group:
        explanation = status(candidate, now) if candidate.considered <= now else None
        if explanation is not None:
            live.setdefault(explanation, []).append(candidate)
    return frozenset(
        explanation
        for explanation, same in live.items()
        if any(c.shown and _reportable(explanation, c, now) for c in same)
        and not any(other.beats(explanation) for other in live)
    )


def _reportable(explanation: Explanation, candidate: Candidate, now: int) -> bool:
    absent = not any(literal.positive for literal in explanation.hypotheses)
    return bool(explanation.evidence) or (absent and candidate.atom.time <= now)


def complete(group: Iterable[Candidate], status: Status, now: int) -> bool:
    """Whether some derivation of an answer has no hypotheses left."""
    return any(
        candidate.considered <= now and (e := status(candidate, now)) is not None and not e.hypotheses
        for candidate in group
    )


def reports(query: Query, found: Candidates, status: Status, until: int) -> Iterator[Report]:
    """The reported answers of a query at each tick from 0 to `until`.

    A confirmed answer is reported at the tick at which a derivation of it is complete for the
    first time, and never again.
    """
    name = query.atom.predicate
    confirmed: set[Answer] = set()
    for tick in range(until + 1):
        for answer, group in found.items():
            if answer in confirmed:
                continue
            reported = explanations(group, status, tick)
            if reported:
                yield Report(tick, name, answer, reported)
            if complete(group, status, tick):
                confirmed.add(answer)
