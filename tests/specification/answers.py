"""Which answers are reported at a tick, and with which explanations: semantics.md, "What is supported"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import TypeAlias

from antelog.language.syntax import Value
from tests.specification.literals.literal import Body, Literal
from tests.specification.program import Query
from tests.specification.seen import seen
from tests.specification.terms import (
    OTHERS,
    Calculation,
    Inner,
    Special,
    Term,
    Variable,
    mapped,
    renamed,
    variables,
)
from tests.specification.world import START, Derivation, Tick, World

Answer: TypeAlias = tuple[tuple[str, Value | Special | None], ...]
"""The values of a query's variables, in the order in which it names them, the time last.

None is an open variable; `OTHERS` are all values that have not been seen.
"""

Group: TypeAlias = tuple[str, ...]
"""Literals that share an open variable or comparison, as they read whatever that variable is called."""


@dataclass(frozen=True)
class Explanation:
    """What supports an answer, and what would complete it, in the order of `terms.by_time`.

    Aggregates have values `so_far`, and those that rise have come so many `quarters` of the way.
    """

    evidence: frozenset[Literal]
    hypotheses: frozenset[Literal] = field(compare=False)
    groups: frozenset[Group] = field(repr=False)
    so_far: frozenset[tuple[str, float | None]] = field(default=frozenset(), compare=False)
    quarters: frozenset[tuple[str, int]] = field(default=frozenset(), compare=False)

    def beats(self, other: Explanation) -> bool:
        """Whether this one makes the other needless: fewer hypotheses, or the same on less evidence."""
        if self.groups == other.groups:
            return self.evidence < other.evidence
        return self.groups < other.groups


def explanation(
    evidence: Iterable[Literal], hypotheses: Iterable[Literal], own: frozenset[str]
) -> Explanation:
    """Of what reads the same, one is kept; `own` are the names of the answer's variables."""
    kept: dict[Group, list[Literal]] = {}
    for group in _groups(list(hypotheses), own):
        kept.setdefault(_reading(group, own), group)
    return Explanation(frozenset(evidence), frozenset(li for g in kept.values() for li in g), frozenset(kept))


def _groups(literals: list[Literal], own: frozenset[str]) -> Iterator[list[Literal]]:
    waiting = sorted(set(literals), key=str)
    while waiting:
        group = [waiting.pop(0)]
        for member in group:
            ties = _ties(member, own)
            group += (near := [other for other in waiting if ties & _ties(other, own)])
            waiting = [other for other in waiting if other not in near]
        yield group


def _ties(literal: Literal, own: frozenset[str]) -> set[str | Body]:
    return {*(variables(literal) - own), *literal.conditions}


def _reading(group: list[Literal], own: frozenset[str]) -> Group:
    """The least text there is whatever order the variables are named in."""
    names = sorted(frozenset[str]().union(*map(variables, group)) - own)
    readings = []
    for order in permutations(range(len(names))):
        new = {name: Variable(f"_{i}") for name, i in zip(names, order, strict=True)}
        readings.append(tuple(sorted(str(renamed(literal, new)) for literal in group)))
    return min(readings)


@dataclass(frozen=True)
class Candidate:
    """A derivation of an answer, and since when it can be supported."""

    derivation: Derivation
    since: Tick

    def explanation(self, now: int, own: Sequence[str], then: int | None = None) -> Explanation | None:
        """Its explanation at a tick: nothing if it is false, or if it has no evidence yet.

        `own` are the names of the answer's variables; the first is that of all others, if there is one.
        What aggregates come to is that of the tick `then`, if that is another one.
        """
        derivation = self.derivation
        since, until = derivation.latest.since, derivation.latest.until
        if not max(self.since, since) <= now < min(derivation.ticks.false_at, until):
            return None
        true = {literal for literal, ticks in derivation.literals.items() if ticks.true_at <= now}
        if derivation.pattern.facts and not true & derivation.facts:
            return None
        evidence, hypotheses = (
            [as_read(each, own) for each in literals]
            for literals in (true, derivation.literals.keys() - true)
        )
        found = explanation(evidence, hypotheses, frozenset(own))
        so_far, quarters = set(), set()
        for literal, amount in derivation.amounts.items():
            text = str(as_read(literal, own))
            value = amount.so_far(now if then is None else then)
            so_far.add((text, value))
            quarters.add((text, amount.quarters(value)))
        return replace(found, so_far=frozenset(so_far), quarters=frozenset(quarters))

    def failed(self, tick: int) -> list[Literal]:
        """The hypotheses that became false at a tick, and those of which another atom is the latest since."""
        replaced = self.derivation.replaced
        return [
            li
            for li, ticks in self.derivation.literals.items()
            if tick in (ticks.false_at, replaced.get(li.body)) and ticks.true_at >= tick
        ]


def as_read(literal: Literal, own: Sequence[str]) -> Literal:
    """A literal as it is reported: all others are written as the answer's first variable."""
    return mapped(literal, lambda t: Variable(own[0]) if t is OTHERS else t)


def own_names(answer: Answer) -> list[str]:
    """The names of an answer's variables, the one first that stands for all others."""
    return sorted((name for name, _ in answer), key=lambda name: dict(answer)[name] is not OTHERS)


@dataclass(frozen=True)
class Answers:
    """All there is to tell of a query in a world, and the values seen for each answer about all others."""

    query: Query
    candidates: Mapping[Answer, tuple[Candidate, ...]]
    seen: Mapping[Answer, Mapping[Value, Tick]]

    def explanations(self, answer: Answer, now: int) -> frozenset[Explanation]:
        return frozenset(e for e, _ in self.reported(answer, now))

    def reported(
        self, answer: Answer, now: int, then: int | None = None
    ) -> list[tuple[Explanation, Candidate]]:
        """The minimal explanations of an answer, with the derivations they come from."""
        own = own_names(answer)
        candidates = self.candidates.get(answer, ())
        found = [(e, c) for c in candidates if (e := c.explanation(now, own, then)) is not None]
        return [(e, c) for e, c in found if not any(other.beats(e) for other, _ in found)]

    def failed(self, answer: Answer, tick: int) -> frozenset[Literal]:
        """The hypotheses of an answer's last explanations that became false at a tick.

        A `last` whose value an equal one takes over reads as before, and is not false.
        """
        own, derivations = own_names(answer), [each.derivation for each in self.candidates[answer]]
        taken_over = {
            literal
            for each in derivations
            for literal, ticks in each.literals.items()
            if each.latest.since <= tick < min(ticks.false_at, each.replaced.get(literal.body, START))
        }
        failed = [
            as_read(literal, own)
            for _, candidate in self.reported(answer, tick - 1)
            for literal in candidate.failed(tick)
            if literal not in taken_over
        ]
        return explanation((), failed, frozenset(own)).hypotheses


def answers_of(world: World, query: Query, also: Iterable[int] = ()) -> Answers:
    """`also` are ticks, besides those up to `until`, that answers driven by the clock are wanted about."""
    found: dict[Answer, list[Candidate]] = {}
    values: dict[tuple[Term, ...], dict[Value, Tick]] = {}
    driven = [p for p in query.patterns if not p.unguarded_time()]
    for pattern in driven:
        for derivation in world.derivations(pattern, pattern.head):
            _add(world, query, derivation, found, values)
    ticks = {*range(world.program.until + 1), *also}
    ticks |= {t for answer in found for t in [answer[-1][1]] if isinstance(t, int)} if query.time else set()
    for pattern in (p for p in query.patterns if p.unguarded_time()):
        for tick in ticks:
            for derivation in world.derivations(pattern, (*pattern.head[:-1], tick)):
                _add(world, query, derivation, found, values)
    return Answers(
        query,
        {answer: tuple(group) for answer, group in found.items()},
        {answer_of(query, head): own for head, own in values.items()},
    )


def _add(
    world: World,
    query: Query,
    derivation: Derivation,
    found: dict[Answer, list[Candidate]],
    values: dict[tuple[Term, ...], dict[Value, Tick]],
) -> None:
    """A derivation, or one for each value that its unguarded variable ranges over."""
    pattern, head = derivation.pattern, derivation.head
    ranging = pattern.unguarded_values()
    clock = isinstance(head[-1], int) and (pattern.unguarded_time() or not pattern.facts)
    since = max(derivation.since, head[-1] if clock and isinstance(head[-1], int) else START)
    if not ranging & {t.name for t in head if isinstance(t, Variable)}:
        found.setdefault(answer_of(query, head), []).append(Candidate(derivation, since))
        return
    if derivation.bounds:
        return  # the one without has them again for each value
    everything = tuple(OTHERS if isinstance(t, Variable) and t.name in ranging else t for t in head)
    if everything not in values:
        values[everything] = seen(world, query, everything)
    for value, at in [*values[everything].items(), (OTHERS, START)]:
        for each in world.with_value(derivation, ranging, value):
            if value is OTHERS:
                values[each.head] = values[everything]
            found.setdefault(answer_of(query, each.head), []).append(Candidate(each, max(since, at)))


def answer_of(query: Query, head: tuple[Term, ...]) -> Answer:
    """An answer by its values; a query that asks about one tick has no time among its variables."""
    names = (*query.variables, query.time)
    return tuple(
        (name, None if isinstance(t, Variable | Calculation | Inner) else t)
        for name, t in zip(names, head, strict=True)
        if name is not None
    )


@dataclass(frozen=True)
class Report:
    """An answer of a query at a tick: open, or confirmed at this very tick."""

    tick: int
    query: str
    answer: Answer
    explanations: frozenset[Explanation]

    @property
    def confirmed(self) -> bool:
        return any(not e.hypotheses for e in self.explanations)

    @property
    def others(self) -> tuple[str, ...]:
        return tuple(name for name, value in self.answer if value is OTHERS)

    @property
    def as_told(self) -> frozenset[object]:
        """What is told anew where it changes."""
        return frozenset((each, each.quarters) for each in self.explanations)


def reports(answers: Answers, until: int) -> Iterator[Report]:
    """The answers of each tick from 0 on; a confirmed one once, with values that are seen later."""
    done: set[Answer] = set()
    for tick in range(until + 1):
        for everything, values in answers.seen.items():
            if everything in done:
                done |= {with_value(everything, v) for v, since in values.items() if since == tick}
        for answer in answers.candidates:
            if answer not in done and (reported := answers.explanations(answer, tick)):
                report = Report(tick, answers.query.name, answer, reported)
                if report.confirmed:
                    done.add(answer)
                yield report


def with_value(answer: Answer, value: Value) -> Answer:
    return tuple((name, value if given is OTHERS else given) for name, given in answer)
