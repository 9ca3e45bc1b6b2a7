"""Decisions that nobody could see: semantics.md, "Lost from sight".

A *sight* has the facts of a world, but concludes nothing from a deadline at ticks at which the source was
unseen. A literal is lost if it is open there at the tick it was decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from antelog.language.vocabulary import PredicateKind, Vocabulary
from tests.specification.answers import Answer, Answers, Candidate, as_read, own_names
from tests.specification.constraints import possible
from tests.specification.literals import Absence, Aggregation, Comparison, Last
from tests.specification.literals.aggregate import Aggregate, Instances
from tests.specification.literals.literal import NEVER, START, Around, Body, Literal, Tick, Ticks
from tests.specification.literals.negation import Negated
from tests.specification.stream import slowest, time_of
from tests.specification.terms import ANY, Atom, Inner, Term
from tests.specification.world import ALWAYS, Derivation, World


class Sight(World):
    def __init__(self, world: World) -> None:
        super().__init__(world.program)
        self._world = world

    # ---- deadlines ----

    def unseen(self, atom: Atom, tick: int) -> bool:
        """Whether nothing of the source that a literal asks had come about the last ticks by its deadline."""
        predicate = self.program.vocabulary[atom.predicate]
        known = {
            i: value for i in predicate.source if isinstance(value := atom.arguments[i], str | int | float)
        }
        span = 3 * (predicate.schedule.gap or 0) // 2
        if not known or tick < span - 1:
            return False
        by = tick + slowest(predicate, atom.arguments)
        return not any(
            fact.predicate == atom.predicate
            and tick - span < time_of(fact) <= tick
            and at <= by
            and all(fact.arguments[i] == value for i, value in known.items())
            for fact, at in self.arrivals.items()
        )

    def _of_fact(self, atom: Atom) -> Ticks:
        found = super()._of_fact(atom)
        if found.true_at == NEVER and self.unseen(atom, time_of(atom)):
            return Ticks(NEVER, self._excluded(atom))
        return found

    def slot(self, last: Last, tick: Tick) -> Ticks:
        """The literal has values for the columns of a source that its slot need not have."""
        found, fact = super().slot(last, tick), last.fitting(tick)
        if found.true_at == NEVER and self._is_input(fact) and self.unseen(fact, time_of(fact)):
            return Ticks(NEVER, NEVER)
        return found

    def last_arrival(self, atom: Atom, around: Around) -> Tick:
        found = super().last_arrival(atom, around)
        if found in (START, NEVER):
            return found
        ticks = [*self._ticks_of(atom.time, around)]
        return found if _few(sum(self.unseen(atom, tick) for tick in ticks), len(ticks)) else NEVER

    def _ticks_of(self, time: Term, around: Around) -> Iterator[int]:
        """The ticks that a time may stand for."""
        last = self.last(time, around)
        assert last is not None
        for tick in range(int(last) + 1):
            if possible([*around.comparisons, Comparison(time, "=", tick)], around.first):
                yield tick

    # ---- literals ----

    def ticks(self, literal: Body, around: Around) -> Ticks:
        decided = self._world.ticks(literal, around)
        if min(decided) == NEVER:
            return decided
        if isinstance(literal, Aggregation):
            return literal.decided([self._excusing(each, min(decided)) for each in literal.aggregates])
        counted = _counted(literal)
        if counted is not None and self._is_excused(counted, min(decided)):
            return decided
        return super().ticks(literal, around)

    def closed(self, literal: Aggregation) -> tuple[Tick, float | None]:
        tick, value = self._world.closed(literal)
        return (tick, value) if tick == NEVER else literal.closed(self._excusing(literal.left, tick))

    def _excusing(self, aggregate: Aggregate, decided: Tick) -> Instances:
        """The atoms that an aggregate is about, those that nobody could see, too, if that is excused."""
        world = self._world if self._is_excused(aggregate, decided) else self
        return world.instances(aggregate.with_any)

    def _is_excused(self, aggregate: Aggregate, decided: Tick) -> bool:
        """Whether silence is asked for; or at most one tick in ten is in doubt, and no atom that is there."""
        if asks_for_silence(aggregate, self.program.vocabulary):
            return True
        doubts, asked = 0, aggregate.with_any
        for tick in aggregate.ticks if len(aggregate.ticks) >= 10 else ():
            one = replace(asked, first=tick, last=tick)
            known, seen = (world.instances(one) for world in (self._world, self))
            if asked.members(known, decided) != asked.members(seen, decided):
                return False
            doubts += known.coming(decided) < seen.coming(decided)
        return len(aggregate.ticks) >= 10 and _few(doubts, len(aggregate.ticks))

    # ---- what is lost ----

    def is_lost(self, derivation: Derivation, literal: Literal, decided: Tick) -> bool:
        """Whether a literal would be open when it was decided; not so if another fact is the latest."""
        if decided in (START, derivation.replaced.get(literal.body)):
            return False
        return min(self._literals(derivation, decided - 1)[literal.body]) > decided

    def _literals(self, derivation: Derivation, now: Tick) -> Mapping[Body, Ticks]:
        """The literals of a derivation, with what bounds its ranges with an open end at a tick."""
        own = self._derivation(derivation.pattern, derivation.known, derivation.since, ALWAYS, ())
        for each in self._with_ends(own):
            found = {li.body: ticks for li, ticks in each.literals.items()}
            ends = (ticks for body, ticks in found.items() if isinstance(body, Absence) and body.open_end)
            if each.latest.since <= now and all(now < ticks.false_at for ticks in ends):
                return found
        raise AssertionError(f"{derivation} has no bounds at {now}")

    @property
    def _matters(self) -> bool:
        predicates = self.program.vocabulary.predicates.values()
        return any(each.kind is PredicateKind.INPUT and each.source for each in predicates)

    def of_confirmed(self, answers: Answers, answer: Answer, tick: int) -> frozenset[Literal]:
        """The lost literals of an answer that is confirmed, if each complete explanation has one."""
        found = []
        for _, each in answers.reported(answer, tick) if self._matters else ():
            literals = each.derivation.literals.items()
            lost = [li for li, ticks in literals if self.is_lost(each.derivation, li, ticks.true_at)]
            if not lost:
                return frozenset()
            found += [as_read(li, own_names(answer)) for li in lost]
        return frozenset(found)

    def of_fallen(self, answers: Answers, answer: Answer, tick: int) -> frozenset[Literal]:
        """The lost literals by which alone explanations of an answer fell at a tick."""
        found: list[Literal] = []
        for _, each in answers.reported(answer, tick - 1) if self._matters else ():
            if not _goes_on(each, answers.candidates[answer], tick, answer):
                failed = each.failed(tick)
                if all(self.is_lost(each.derivation, li, tick) for li in failed):
                    found += [as_read(li, own_names(answer)) for li in failed]
        return frozenset(found)


def _few(doubts: int, ticks: int) -> bool:
    return doubts <= ticks // 10


def _goes_on(candidate: Candidate, others: tuple[Candidate, ...], tick: int, answer: Answer) -> bool:
    """Whether a derivation is still told, be it with another bound of an open end."""
    one, own = candidate.derivation, own_names(answer)
    same = (
        each
        for each in others
        if each.derivation.pattern == one.pattern and each.derivation.known == one.known
    )
    return any(each.explanation(tick, own) is not None for each in same)


def _counted(literal: Body) -> Aggregate | None:
    """The count that a negation is about."""
    if isinstance(literal, Negated):
        *arguments, first = literal.atom.arguments
        return _count(literal.atom.predicate, arguments, first, first)
    if isinstance(literal, Absence):
        return _count(literal.predicate, literal.arguments, literal.first, literal.last)
    return None


def _count(predicate: str, arguments: Sequence[Term], first: Term, last: Term) -> Aggregate:
    inside = (Inner(f"_{i}") if each is ANY else each for i, each in enumerate(arguments))
    return Aggregate("count", False, None, predicate, tuple(inside), first, last, first == last, (), ())


def asks_for_silence(aggregate: Aggregate, vocabulary: Vocabulary) -> bool:
    """Whether it counts all facts of a source: `not Temp(X, _, T)`, `count(Temp(X, _, T-9..T)) < 3`."""
    source = vocabulary[aggregate.predicate].source
    own = [each for each in aggregate.arguments if isinstance(each, Inner)]
    fits = all(isinstance(each, Inner) or i in source for i, each in enumerate(aggregate.arguments))
    plain = aggregate.function == "count" and not aggregate.distinct and not aggregate.conditions
    return bool(source) and plain and fits and len(set(own)) == len(own)
