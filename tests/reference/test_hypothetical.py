"""Hypothetical and supported answers are those the papers define, and have the properties they prove.

Programs are positive here. The papers' notions are found by trying every set of hypotheses out
of a handful of atoms; nothing else is considered to happen.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import assume, given
from hypothesis import strategies as st

from antelog.language.vocabulary import Kind
from antelog.reference import Evaluation
from antelog.reference.answers import Answer, Explanation
from antelog.reference.atoms import Anything, Atom, Literal
from antelog.reference.models import (
    Entailed,
    Hypothetical,
    Supported,
    answers,
    entailment,
    future_possible,
    hypothetical_answers,
    perfect_model,
    supported_answers,
)
from antelog.reference.stream import delta_of
from tests.reference.helpers import Fact, evaluation_of
from tests.strategies import Case, programs

START = -1


@dataclass(frozen=True, repr=False)
class World:
    """An evaluated program, and the few atoms that may ever arrive."""

    evaluation: Evaluation
    atoms: frozenset[Atom]
    entailed: Entailed
    text: str

    def __repr__(self) -> str:
        arrivals = {str(fact): tick for fact, tick in self.evaluation.program.arrivals.items()}
        return f"{self.text}\n{arrivals} out of {sorted(map(str, self.atoms))}"

    @property
    def query(self) -> str:
        """The predicate asked for; of several the last one."""
        return self.evaluation.program.queries[-1].atom.predicate

    @property
    def ticks(self) -> range:
        return range(START, self.evaluation.program.until + 1)

    def arrived(self, now: int) -> frozenset[Atom]:
        return frozenset(a for a, tick in self.evaluation.program.arrivals.items() if tick <= now)

    def possible(self, now: int) -> frozenset[Atom]:
        """The atoms that may still arrive."""
        program = self.evaluation.program
        return frozenset(a for a in self.atoms - self.arrived(now) if future_possible(program, a, now))

    def hypothetical(self, now: int) -> frozenset[Hypothetical]:
        return hypothetical_answers(self.entailed, self.arrived(now), self.possible(now))

    def supported(self, now: int) -> frozenset[Supported]:
        return supported_answers(self.entailed, self.arrived(now), self.possible(now))


def fact_of(atom: Atom, tick: int) -> Fact:
    return atom.predicate, tuple(a for a in atom.arguments if not isinstance(a, Anything)), tick


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """A positive program with one query, a few atoms its answers rest on, and when some of them arrive."""
    text = draw(programs(negation=False, recursion=False))
    empty = evaluation_of(Case(text, (), 0))
    leaves = sorted(
        {
            literal.atom
            for groups in empty.candidates.values()
            for group in groups.values()
            for candidate in group
            for literal in candidate.literals
            if literal.atom.time <= 2
        },
        key=str,
    )
    assume(leaves)
    atoms = draw(st.lists(st.sampled_from(leaves), min_size=1, max_size=6, unique=True))
    facts: list[Fact] = []
    for atom in atoms:
        assert empty.program.kind(atom.predicate) is Kind.INPUT
        lag = draw(st.sampled_from([None, *range(delta_of(empty.program.vocabulary, atom) + 1)]))
        if lag is not None:
            facts.append(fact_of(atom, atom.time + lag))
    evaluation = evaluation_of(Case(text, tuple(facts), 5))
    known = evaluation.program.domain
    query = evaluation.program.queries[-1].atom
    return World(
        evaluation,
        frozenset(a for a in atoms if all(value in known for value in a.arguments[:-1])),
        entailment(evaluation.program, query),
        text,
    )


def explained(world: World, now: int) -> dict[Answer, list[Explanation]]:
    """The minimal derivations of each answer that are not false, out of those made of the world's atoms."""
    found: dict[Answer, list[Explanation]] = {}
    for answer, group in world.evaluation.candidates[world.query].items():
        inside = [c for c in group if all(literal.atom in world.atoms for literal in c.literals)]
        live = {e for c in inside if (e := world.evaluation.table(c, now)) is not None}
        found[answer] = [e for e in live if not any(other.beats(e) for other in live)]
    return found


def atoms_of(literals: frozenset[Literal]) -> frozenset[Atom]:
    return frozenset(literal.atom for literal in literals)


@given(worlds())
def test_minimal_derivations_are_the_declared_answers(world: World) -> None:
    """FoIKS-22, definition 2 and the remark after it, at every tick and before the first."""
    for now in world.ticks:
        ours = explained(world, now)
        assert {
            (answer, atoms_of(e.hypotheses)) for answer, group in ours.items() for e in group
        } == world.hypothetical(now)
        assert {
            (answer, atoms_of(e.hypotheses), atoms_of(e.evidence))
            for answer, group in ours.items()
            for e in group
            if e.evidence
        } == world.supported(now)


@given(worlds())
def test_proposition_1(world: World) -> None:
    """What needs no hypotheses is an answer."""
    program = world.evaluation.program
    query = program.queries[-1].atom
    for now in world.ticks:
        known = answers(query, perfect_model(program, world.arrived(now)))
        assert {answer for answer, hypotheses in world.hypothetical(now) if not hypotheses} == known


@given(worlds(), st.data())
def test_proposition_2(world: World, data: st.DataObject) -> None:
    """A hypothetical answer becomes one in some continuation of the stream: where its hypotheses arrive."""
    program = world.evaluation.program
    now = data.draw(st.sampled_from(world.ticks))
    hypothetical = sorted(world.hypothetical(now), key=str)
    assume(hypothetical)
    answer, hypotheses = data.draw(st.sampled_from(hypothetical))
    arrivals = {fact: tick for fact, tick in program.arrivals.items() if tick <= now}
    arrivals |= {atom: atom.time + delta_of(program.vocabulary, atom) for atom in hypotheses}
    assert all(tick > now for atom, tick in arrivals.items() if atom in hypotheses)
    facts = tuple(fact_of(atom, tick) for atom, tick in arrivals.items())
    continued = evaluation_of(Case(world.text, facts, max((0, now, *arrivals.values()))))
    assert continued.program.arrivals == arrivals
    derivations = continued.candidates[world.query][answer]
    end = continued.program.until
    assert any((e := continued.table(c, end)) is not None and not e.hypotheses for c in derivations)


@given(worlds())
def test_propositions_3_and_4(world: World) -> None:
    """What is hypothetical now was so before, with the facts that came since among its hypotheses."""
    for now in world.ticks:
        for before in range(START, now):
            since = world.arrived(now) - world.arrived(before)
            earlier = world.hypothetical(before)
            for answer, hypotheses in world.hypothetical(now):
                assert any(a == answer and hypotheses == h - since for a, h in earlier)
        for answer, first in world.hypothetical(START):
            hypotheses = first - world.arrived(now)
            if (answer, hypotheses) in world.hypothetical(now) and hypotheses != first:
                assert (answer, hypotheses, first - hypotheses) in world.supported(now)
