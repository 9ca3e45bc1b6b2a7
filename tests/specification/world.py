"""Derivations, and since when literals are true or false: semantics.md, "Truth over time"."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

from antelog.language.vocabulary import PredicateKind
from tests.specification.background import joined
from tests.specification.constraints import follows, latest, leaves_none
from tests.specification.literals import Absence, Comparison, Last
from tests.specification.literals.aggregate import Aggregate, Aggregation, Amount, Instances
from tests.specification.literals.literal import NEVER, START, Around, Body, Literal, Tick, Ticks, guards
from tests.specification.patterns import Pattern, TooManyDerivationsError
from tests.specification.program import Program
from tests.specification.stream import Slot, delta, slot_of, slowest, time_of
from tests.specification.terms import (
    ANY,
    Atom,
    Inner,
    Substitution,
    Term,
    Variable,
    apply,
    put_in,
    renamed,
    unify,
    variables_in,
    with_own,
)

__all__ = ["NEVER", "START", "Derivation", "Tick", "Ticks", "World", "first_ticks", "stated_apart"]

_MOST = 100_000


class Span(NamedTuple):
    """The ticks from the first on, and before the second.

    They are those of `last` literals; `untils` says of each when another atom is the latest.
    """

    since: Tick
    until: Tick
    untils: tuple[tuple[Last, Tick], ...] = ()


ALWAYS = Span(START, NEVER)


class End(NamedTuple):
    """What bounds the open end of a range from one tick on, and before another."""

    since: Tick
    until: Tick
    bound: Comparison | None


@dataclass(frozen=True)
class Derivation:
    """A pattern with values for some of its variables, since the last of the facts that gave them.

    It is told only while what it took from the `latest` atoms is so, and while `bounds` are what true atoms
    say of its ranges with an open end.
    """

    pattern: Pattern
    head: tuple[Term, ...]
    known: Substitution
    literals: Mapping[Literal, Ticks]
    facts: frozenset[Literal]
    around: Around
    since: Tick
    amounts: Mapping[Literal, Amount]
    latest: Span = ALWAYS
    bounds: tuple[Comparison, ...] = ()

    @property
    def replaced(self) -> Mapping[Body, Tick]:
        """Its `last` literals that took values, each with the tick at which another atom is the latest."""
        return {apply(last, self.known): tick for last, tick in self.latest.untils}

    @property
    def ticks(self) -> Ticks:
        of_each = self.literals.values()
        return Ticks(
            max((t.true_at for t in of_each), default=START),
            min((t.false_at for t in of_each), default=NEVER),
        )


class World:
    def __init__(self, program: Program, until: Tick = NEVER) -> None:
        """The world in which the program's facts arrive up to a tick, and none after it."""
        self.program = program
        self.arrivals = {fact: at for fact, at in program.arrivals.items() if at <= until}
        self._truth: dict[Atom, Ticks] = {}
        self._known: dict[tuple[Pattern, tuple[Term, ...]], list[Derivation]] = {}

    @cached_property
    def _taken(self) -> dict[Slot, tuple[Atom, int]]:
        """The fact of each slot, and its arrival."""
        slots = ((slot_of(self.program.vocabulary[f.predicate], f), f, at) for f, at in self.arrivals.items())
        return {slot: (fact, at) for slot, fact, at in slots if slot is not None}

    # ---- truth ----

    def truth(self, atom: Atom) -> Ticks:
        """Of an atom without open variables; `ANY` in it stands for whatever there is."""
        if atom not in self._truth:
            if ANY not in atom.arguments and self._is_input(atom):
                self._truth[atom] = self._of_fact(atom)
            else:
                asked = self.program.asked_of(atom)
                of_each = [
                    d.ticks for p in self.program.patterns_of(atom) for d in self.derivations(p, asked)
                ]
                self._truth[atom] = Ticks(
                    min((t.true_at for t in of_each), default=NEVER),
                    max((t.false_at for t in of_each), default=START),
                )
        return self._truth[atom]

    def slot(self, last: Last, tick: Tick) -> Ticks:
        """Of the atoms of the slot of a `last` at a tick of its range."""
        return self.truth(last.of_slot(tick))

    def ticks(self, literal: Body, around: Around) -> Ticks:
        """Since when a stated literal is true or false."""
        return literal.ticks(self, around)

    def _is_input(self, atom: Atom) -> bool:
        return self.program.vocabulary[atom.predicate].kind is PredicateKind.INPUT

    def _of_fact(self, atom: Atom) -> Ticks:
        if atom in self.arrivals:
            return Ticks(self.arrivals[atom], NEVER)
        predicate = self.program.vocabulary[atom.predicate]
        return Ticks(NEVER, min(time_of(atom) + delta(predicate, atom.arguments), self._excluded(atom)))

    def _excluded(self, atom: Atom) -> Tick:
        """When a fact takes the slot of an atom that has not arrived."""
        slot = slot_of(self.program.vocabulary[atom.predicate], atom)
        return self._taken[slot][1] if slot in self._taken else NEVER

    def last(self, time: Term, around: Around) -> Tick | None:
        """The latest tick that a time can be: never if nothing bounds it, None if there is none."""
        if isinstance(time, Variable):
            return latest(time, around.comparisons, around.first)
        assert isinstance(time, int)
        return time

    def last_arrival(self, atom: Atom, around: Around) -> Tick:
        """The latest t + δ that a fact literal may still stand for: never if nothing bounds it."""
        tick = self.last(atom.time, around)
        if tick is None:
            return START
        return tick + slowest(self.program.vocabulary[atom.predicate], atom.arguments)

    def come(self, atom: Atom, around: Around) -> Ticks:
        """Since when a fact literal is true or false."""
        if not atom.variables:
            return self._of_fact(atom)
        if self.none_left(variables_in(atom.arguments[:-1]), around):
            return Ticks(NEVER, START)
        return Ticks(NEVER, min(self.last_arrival(atom, around), self._excluded(atom)))

    def none_left(self, names: Collection[str], around: Around) -> bool:
        """Whether the comparisons of some open variable leave it no value."""
        return any(leaves_none(name, around.comparisons) for name in names)

    def atoms(self, atom: Atom) -> Iterator[tuple[Atom, Tick]]:
        """The atoms that are true once, with any values in place of `ANY`, and from which tick on."""
        for each in dict.fromkeys(Atom(atom.predicate, d.head) for d in self._of_any(atom)):
            if not each.variables and (true_at := self.truth(each).true_at) < NEVER:
                yield each, true_at

    def coming(self, atom: Atom) -> Tick:
        """Until when atoms may become true that are not, with any values in place of `ANY`."""
        found = [(Atom(atom.predicate, d.head), d.ticks.false_at) for d in self._of_any(atom)]
        ends = (end if each.variables else min(self.truth(each)) for each, end in found)
        return max(ends, default=START)

    def _of_any(self, atom: Atom) -> list[Derivation]:
        """The derivations of atoms with any values in place of `ANY`."""
        places = (Variable(f"?{i}") if each is ANY else each for i, each in enumerate(atom.arguments))
        asked = Atom(atom.predicate, tuple(places))
        return [d for p in self.program.patterns_of(asked) for d in self.derivations(p, asked.arguments)]

    # ---- aggregates ----

    def instances(self, aggregate: Aggregate) -> Instances:
        """The atoms that an aggregate is about: its members, and until when others may come."""
        true_at: dict[Atom, Tick] = {}
        single, any_until = [], START
        open_until: list[Tick] = []
        at_most_one = self._at_most_one(aggregate)
        for tick in aggregate.ticks:
            asked = self._with_open(aggregate.atom_at(tick))
            found = [(p, self.derivations(p, asked.arguments)) for p in self.program.patterns_of(asked)]
            whole = {
                Atom(asked.predicate, d.head) for _, own in found for d in own if not variables_in(d.head)
            }
            ends = [(p, [d.ticks.false_at for d in own if variables_in(d.head)]) for p, own in found]
            members = {atom: self.truth(atom) for atom in whole if aggregate.fits(atom)}
            true_at |= {atom: each.true_at for atom, each in members.items() if each.true_at < NEVER}
            waiting = [each.false_at for each in members.values() if each.true_at == NEVER]
            if not self._may_fit(aggregate):
                continue
            if at_most_one:
                came = min((each.true_at for each in members.values()), default=NEVER)
                until = max([*(end for _, own in ends for end in own), *waiting], default=START)
                single.append(came if came < NEVER else until)
                continue
            for pattern, own in ends:
                if self._one_a_tick(pattern, asked):
                    open_until.append(max(own, default=START))
                else:
                    any_until = max([any_until, *own])
            open_until += [
                max(each.false_at, START) if each.true_at == NEVER else each.true_at
                for each in members.values()
            ]
        return Instances(true_at, single, any_until, open_until)

    def closed(self, literal: Aggregation) -> tuple[Tick, float | None]:
        """The tick from which on the value of an aggregate cannot change, and this."""
        return literal.closed(self.instances(literal.left.with_any))

    def may_come(self, aggregate: Aggregate, now: int) -> Iterator[Derivation]:
        """The derivations that are open at a tick, of atoms that may become members after it."""
        for tick in aggregate.ticks if self._may_fit(aggregate) else ():
            asked = self._with_open(aggregate.atom_at(tick))
            patterns = self.program.patterns_of(asked)
            found = [d for p in patterns for d in self.derivations(p, asked.arguments)]
            true = {
                Atom(asked.predicate, d.head)
                for d in found
                if not variables_in(d.head) and self.truth(Atom(asked.predicate, d.head)).true_at <= now
            }
            if self._at_most_one(aggregate) and any(map(aggregate.fits, true)):
                continue
            for each in found:
                atom = Atom(asked.predicate, each.head)
                if variables_in(each.head) or (aggregate.fits(atom) and atom not in true):
                    yield each

    def _one_a_tick(self, pattern: Pattern, asked: Atom) -> bool:
        """Whether slots of a pattern's facts allow one atom of those that are asked for."""
        heads = zip(pattern.head, asked.arguments, strict=True)
        known = variables_in(head for head, term in heads if not isinstance(term, Variable))
        for _ in pattern.facts:
            for fact in pattern.facts:
                slot = self.program.vocabulary[fact.predicate].slot
                if (
                    slot is not None
                    and variables_in([*(fact.arguments[i] for i in slot), fact.time]) <= known
                ):
                    known = pattern.with_equations(known | fact.variables)
        return variables_in(pattern.head) <= known

    def _at_most_one(self, aggregate: Aggregate) -> bool:
        """Whether at most one atom is a member at each tick."""
        given = {i for i, term in enumerate(aggregate.arguments) if not isinstance(term, Inner)}
        slot = self.program.vocabulary[aggregate.predicate].slot
        return len(given) == len(aggregate.arguments) or (slot is not None and set(slot) <= given)

    @staticmethod
    def _with_open(atom: Atom) -> Atom:
        """An atom with variables in place of what is an aggregate's own."""
        return atom.mapped(_open)

    @staticmethod
    def _may_fit(aggregate: Aggregate) -> bool:
        """Whether some values of its own variables meet its conditions."""
        own = {term.name: Variable(term.name) for term in aggregate.arguments if isinstance(term, Inner)}
        opened = [each.mapped(lambda term: with_own(term, own)) for each in aggregate.conditions]
        if any(each.holds() is False for each in opened):
            return False
        names = {name for each in opened for name in each.variables}
        return not any(leaves_none(name, opened) for name in names)

    # ---- derivations ----

    def derivations(
        self, pattern: Pattern, asked: tuple[Term, ...], given: tuple[Comparison, ...] = ()
    ) -> list[Derivation]:
        """Those with what is asked for as their head; `given` are more comparisons of its variables."""
        key = (pattern, asked)
        if given:
            return list(self._derive(pattern, asked, given))
        if key not in self._known:
            self._known[key] = list(self._derive(pattern, asked, ()))
        return self._known[key]

    def _derive(
        self, pattern: Pattern, asked: tuple[Term, ...], given: tuple[Comparison, ...]
    ) -> Iterator[Derivation]:
        start = unify(pattern.head, asked, {})
        if start is None:
            return
        found: dict[tuple[Term, ...], tuple[Substitution, Tick]] = {}
        # A value of the background alone makes no difference, unless a condition is about it.
        said = (each for each in pattern.literals if not each.static or each.denies)
        names = sorted(variables_in(pattern.head).union(*(each.variables for each in said)))
        for known in joined(pattern.literals, self.program.background, start):
            for matched, since in self._matched(pattern.facts, known, START):
                each = _with_equations(pattern, matched)
                values = tuple(put_in(Variable(name), each) for name in names)
                if values not in found or since < found[values][1]:
                    found[values] = each, since
                    if len(found) > _MOST:
                        raise TooManyDerivationsError
        for known, since in found.values():
            for taken, span in self._with_latest(pattern, known):
                yield from self._with_ends(self._derivation(pattern, taken, since, span, given), given)

    def _with_ends(
        self, derivation: Derivation | None, given: tuple[Comparison, ...] = ()
    ) -> Iterator[Derivation]:
        """A derivation, and those in which true atoms bound ranges with an open end, each while they do."""
        if derivation is None:
            return
        ends = [li.body for li in derivation.literals if isinstance(li.body, Absence) and li.body.open_end]
        for way in product(*(self._bounds(each, derivation.around) for each in ends)):
            more = tuple(each.bound for each in way if each.bound is not None)
            found = derivation
            if more:
                pattern, latest = derivation.pattern, derivation.latest
                again = self._derivation(pattern, derivation.known, derivation.since, latest, (*given, *more))
                assert again is not None
                found = again
            since = max([derivation.latest.since, *(each.since for each in way)])
            until = {end: each.until for end, each in zip(ends, way, strict=True)}
            literals = {
                li: Ticks(NEVER, until[li.body])
                if isinstance(li.body, Absence) and li.body in until
                else ticks
                for li, ticks in found.literals.items()
            }
            yield replace(found, literals=literals, latest=found.latest._replace(since=since), bounds=more)

    def _bounds(self, range_: Absence, around: Around) -> list[End]:
        """What is known of the open end of a range: from the earliest tick in it at which an atom is true."""
        end, first = range_.open_end, range_.first
        assert end is not None
        assert isinstance(first, int)
        last = self.last(end, around)
        if last == NEVER:
            # Later than all facts can reach, all ticks are alike.
            last = max(first, self.program.until, *map(time_of, self.arrivals), 0) + self.program.spread
        ticks = range(max(first, 0), int(START if last is None else last) + 1)
        true = sorted((self.truth(range_.atom_at(tick)).true_at, tick) for tick in ticks)
        found: list[tuple[Tick, int]] = []
        for at, tick in true:
            if at < NEVER and (not found or tick < found[-1][1]):
                found.append((at, tick))
        sinces = [START, *(at for at, _ in found)]
        bounds = [None, *(Comparison(Variable(end.name), "<", tick - int(end.shift)) for _, tick in found)]
        return [
            End(since, until, bound)
            for since, until, bound in zip(sinces, [*sinces[1:], NEVER], bounds, strict=True)
        ]

    def _with_latest(self, pattern: Pattern, known: Substitution) -> list[tuple[Substitution, Span]]:
        """A substitution with what literals take from latest atoms and aggregates, each while it is so."""
        found = [(known, ALWAYS)]
        for last in pattern.takings:
            more = []
            for each, span in found:
                literal = apply(last, each)
                if literal.needs or not literal.takes or literal.variables - literal.takes:
                    more.append((each, span))
                    continue
                for new, since, until in literal.taken(self):
                    untils = (*span.untils, (last, until)) if isinstance(last, Last) else span.untils
                    both = Span(max(span.since, since), min(span.until, until), untils)
                    if both.since < both.until:
                        more.append((_with_equations(pattern, {**each, **new}), both))
            found = more
        return found

    def _matched(
        self, literals: tuple[Atom, ...], known: Substitution, since: Tick
    ) -> Iterator[tuple[Substitution, Tick]]:
        """The ways in which some of the fact literals match facts."""
        if not literals:
            yield known, since
            return
        literal, *rest = literals
        yield from self._matched(tuple(rest), known, since)
        atom = apply(literal, known)
        if not atom.variables:
            return
        for fact, at in self.arrivals.items():
            if fact.predicate == atom.predicate:
                found = unify(atom.arguments, fact.arguments, known)
                if found is not None:
                    yield from self._matched(tuple(rest), found, max(since, at))

    def with_value(self, derivation: Derivation, names: Iterable[str], value: Term) -> Iterator[Derivation]:
        """A derivation with a value for unguarded variables."""
        pattern, before = derivation.pattern, derivation.latest
        for known, span in self._with_latest(pattern, {**derivation.known, **dict.fromkeys(names, value)}):
            both = Span(
                max(before.since, span.since), min(before.until, span.until), before.untils + span.untils
            )
            if both.since < both.until:
                yield from self._with_ends(self._derivation(pattern, known, derivation.since, both, ()))

    def _derivation(
        self, pattern: Pattern, known: Substitution, since: Tick, span: Span, given: tuple[Comparison, ...]
    ) -> Derivation | None:
        first = first_ticks(pattern, known)
        literals = [apply(each, known) for each in (*pattern.conditions, *given)]
        held = [each.holds(self.program.background) for each in literals]
        if first is None or False in held:
            return None
        conditions = [
            each
            for each, holds in zip(literals, held, strict=True)
            if holds is None and each.time is None and each.variables
        ]
        around = Around(tuple(dict.fromkeys(c for c in conditions if isinstance(c, Comparison))), first)
        found = {
            Literal(each, frozenset(c for c in conditions if c.variables & open_)): each
            for each in literals
            if each.time is not None
            for open_ in [_leading_to(each, pattern, known)]
        }
        ticks = {literal: self.ticks(each, around) for literal, each in found.items()}
        facts = frozenset(literal for literal in found if literal.positive)
        head = tuple(put_in(t, known) for t in pattern.head)
        amounts = {
            literal: Amount(each, self.instances(each.left))
            for literal, each in found.items()
            if isinstance(each, Aggregation) and each.variables <= each.takes
        }
        return Derivation(pattern, head, known, ticks, facts, around, since, amounts, span)


def _open(term: Term) -> Term:
    """A variable in place of one of an aggregate's own."""
    return Variable(f"?{term.name}") if isinstance(term, Inner) else term


def _with_equations(pattern: Pattern, known: Substitution) -> Substitution:
    """A substitution with the variables that equations give values, and nothing else does."""
    given = guards(pattern.literals).union(*(each.takes for each in pattern.takings))
    equations = [(name, of) for name, of in pattern.equations if name not in given]
    for _ in equations:
        for name, of in equations:
            value = put_in(of, known)
            if isinstance(put_in(Variable(name), known), Variable) and isinstance(value, str | int | float):
                known = {**known, name: value}
    return known


def _leading_to(literal: Body, pattern: Pattern, known: Substitution) -> frozenset[str]:
    """The open variables of a literal, and those that equations work out from them."""
    given = guards(pattern.literals).union(*(each.takes for each in pattern.takings))
    equations = [(Variable(name), of) for name, of in pattern.equations if name not in given]
    found = literal.variables
    for _ in equations:
        for variable, of in ((put_in(name, known), put_in(of, known)) for name, of in equations):
            if isinstance(variable, Variable) and variables_in([of]) & found:
                found |= {variable.name}
    return found


def first_ticks(pattern: Pattern, known: Substitution) -> dict[str, int] | None:
    """The first tick of each open time; None if some time has come out before its own."""
    found: dict[str, int] = {}
    for name, tick in pattern.first.items():
        time = put_in(Variable(name), known)
        if isinstance(time, Variable):
            earliest = tick - int(time.shift)
            found[time.name] = max(found.get(time.name, earliest), earliest)
        elif isinstance(time, int) and time < tick:
            return None
    return found


def stated_apart(
    atom: Atom, comparisons: Iterable[Comparison], names: Mapping[str, Variable]
) -> tuple[Atom, tuple[Comparison, ...]]:
    """A negated atom and its own comparisons with new variables, so that the same question looks the same."""
    own = [c for c in comparisons if c.variables and c.variables <= atom.variables]
    new: dict[str, Term] = dict(names)
    for i, term in enumerate(atom.arguments):
        if isinstance(term, Variable) and term.name not in new:
            new[term.name] = Variable(f"?{i}", -term.shift)
    asked = renamed(atom, new)
    first = {asked.time.name: 0} if isinstance(asked.time, Variable) else {}
    wanted = {each for c in own if not follows(each := renamed(c, new), (), first)}
    return asked, tuple(sorted(wanted, key=str))
