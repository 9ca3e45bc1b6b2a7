"""SLD-resolution, from an atom down to facts and conditions: semantics.md, "Patterns and derivations".

Every time term on the way is a natural number within the query's window; repeated goals are pruned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, count

from antelog.language.vocabulary import PredicateKind, Vocabulary
from tests.specification.clauses import Clause, apart
from tests.specification.constraints import possible
from tests.specification.literals import Aggregation, Body, Comparison, Fact, Last
from tests.specification.literals.literal import guards
from tests.specification.terms import (
    ANY,
    Atom,
    Calculation,
    Substitution,
    Term,
    Variable,
    apply,
    put_in,
    put_in_once,
    renamed,
    shifted,
    unify,
    variables_in,
)

_MOST_STEPS = 20_000
_DEEPEST = 60


class TooManyDerivationsError(Exception):
    """There are more ways to look at than were allowed for."""


@dataclass(frozen=True)
class Pattern:
    """A way to derive an atom whose arguments are `head`; `first` has the first ticks of its times."""

    head: tuple[Term, ...]
    literals: tuple[Body, ...]
    first: Mapping[str, int] = field(hash=False)

    @property
    def time(self) -> Term:
        return self.head[-1]

    @property
    def facts(self) -> tuple[Atom, ...]:
        """The atoms of its fact literals."""
        return tuple(each.goal for each in self.literals if each.goal)

    @property
    def stated(self) -> tuple[Body, ...]:
        """Its facts and asked literals."""
        return tuple(each for each in self.literals if each.time is not None)

    @property
    def asked(self) -> tuple[Atom, ...]:
        """The atoms that its asked literals ask for."""
        return tuple(atom for each in self.literals for atom in each.asked)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        return tuple(each for each in self.literals if isinstance(each, Comparison))

    @property
    def atoms(self) -> Iterator[Atom]:
        """All atoms in it."""
        for each in self.literals:
            yield from (atom for atom in (each.goal, *each.asked, each.static) if atom)

    def guarded(self) -> frozenset[str]:
        """The variables that facts, the background, equations and latest atoms give values to."""
        taken = (each.takes for each in self.takings)
        return self.with_equations(frozenset[str]().union(guards(self.literals), *taken))

    def with_equations(self, found: frozenset[str]) -> frozenset[str]:
        """Variables, and those that are worked out from these."""
        while new := {name for name, of in self.equations if variables_in([of]) <= found} - found:
            found |= new
        return found

    @property
    def takings(self) -> tuple[Body, ...]:
        """Its literals that may give variables values, and know which, those first that others need."""
        return self._takings[0]

    @property
    def unfounded(self) -> frozenset[str]:
        """The variables that these need, and nothing before them gives."""
        return self._takings[1]

    @cached_property
    def _takings(self) -> tuple[tuple[Body, ...], frozenset[str]]:
        found, head = self.with_equations(guards(self.literals)), variables_in(self.head)
        waiting: list[Body] = [each for each in self.literals if isinstance(each, Last)]
        waiting += (
            each for each in self.literals if isinstance(each, Aggregation) and each.needs < each.variables
        )
        done, amounts, missing = list[Body](), frozenset[str](), frozenset[str]()
        while waiting:
            known = found | variables_in([self.time])
            ready = [each for each in waiting if each.needs <= known]
            ready += [each for each in waiting if each.needs <= known | head]
            chosen = (ready or waiting)[0]
            waiting.remove(chosen)
            # Of several aggregates the first that is closed gives the value.
            elsewhere = found - amounts if isinstance(chosen, Aggregation) else found
            done.append(chosen.taking(chosen.variables - elsewhere - chosen.needs))
            if done[-1].takes:
                missing |= chosen.needs - known - head
            amounts |= done[-1].takes if isinstance(chosen, Aggregation) else frozenset()
            found = self.with_equations(found | done[-1].takes)
        return tuple(done), missing

    @cached_property
    def conditions(self) -> tuple[Body, ...]:
        """Its literals, of which each that gives variables values knows which."""
        of_each = {each: each for each in self.takings}
        return tuple(of_each.get(each, each) for each in self.literals)

    @property
    def equations(self) -> tuple[tuple[str, Term], ...]:
        """Variables that equations may give values, each with what it is worked out from."""
        return tuple(each.defines for each in self.comparisons if each.defines is not None)

    def unguarded(self) -> frozenset[str]:
        """The variables of the head that stand in none of these."""
        return variables_in(self.head) - self.guarded()

    def unguarded_time(self) -> str | None:
        return (
            self.time.name if isinstance(self.time, Variable) and self.time.name in self.unguarded() else None
        )

    def unguarded_values(self) -> frozenset[str]:
        return self.unguarded() - {self.unguarded_time()}


@dataclass(frozen=True)
class _Goal:
    literal: Body
    above: tuple[Atom, ...] = ()


@dataclass(frozen=True)
class _State:
    known: Substitution = field(default_factory=dict)
    literals: tuple[Body, ...] = ()
    times: tuple[Term, ...] = ()
    shown: tuple[Term, ...] = ()  # the times in other columns than the last, which are natural as well


@dataclass
class Resolver:
    """Finds patterns; `most` bounds the steps that one search may take."""

    vocabulary: Vocabulary
    clauses: Mapping[str, tuple[Clause, ...]]
    most: int | None = None

    def patterns(self, asked: Atom, names: tuple[str, ...], window: tuple[int, int] | None) -> list[Pattern]:
        """The patterns of an atom, in terms of its variables of these names; the last is that of the time."""
        self._steps = self.most or _MOST_STEPS
        self._numbers = count(1)
        self._root, self._window = asked.time, window
        head = (*map(Variable, names), asked.time)
        found = []
        for state in self._solve((_Goal(Fact(asked)),), _State()):
            pattern = self._pattern(head, state)
            if pattern is not None:
                found.append(_readable(pattern, names, asked.time))
        return list(dict.fromkeys(found))

    def _solve(self, goals: tuple[_Goal, ...], state: _State) -> Iterator[_State]:
        if not goals:
            yield state
            return
        self._steps -= 1
        goal, *rest = goals
        if self._steps < 0 or len(goal.above) > _DEEPEST:
            raise TooManyDerivationsError
        literal = apply(goal.literal, state.known)
        atom = literal.goal
        assert atom is not None
        state = replace(state, times=(*state.times, atom.time), shown=(*state.shown, *self._shown_in(atom)))
        if not self._is_near(atom.time, state.known):
            return
        if self.vocabulary[atom.predicate].kind is PredicateKind.INPUT:
            yield from self._solve(tuple(rest), replace(state, literals=(*state.literals, literal)))
        elif atom not in {apply(each, state.known) for each in goal.above}:
            for clause in self.clauses.get(atom.predicate, ()):
                own = apart(clause, next(self._numbers))
                known = unify(own.head.arguments, atom.arguments, state.known)
                if known is not None:
                    body = tuple(_Goal(each, (*goal.above, atom)) for each in own.literals if each.goal)
                    yield from self._solve((*body, *rest), self._entered(state, own, known))

    def _entered(self, state: _State, clause: Clause, known: Substitution) -> _State:
        new = tuple(each for each in clause.literals if not each.goal)
        times = tuple(time for each in new for time in each.natural)
        shown = tuple(time for each in new for atom in each.asked for time in self._shown_in(atom))
        return _State(known, (*state.literals, *new), (*state.times, *times), (*state.shown, *shown))

    def _shown_in(self, atom: Atom) -> Iterator[Term]:
        terms = (atom.arguments[place] for place in self.vocabulary.times_of(atom.predicate))
        return (each for each in terms if each is not ANY)

    def _is_near(self, time: Term, known: Substitution) -> bool:
        """Whether a time may be natural, and in the window."""
        time, root = put_in(time, known), put_in(self._root, known)
        if isinstance(time, int) and time < 0:
            return False
        if self._window is None or _distance(root, time) is None:
            return True
        return -self._window[0] <= (_distance(root, time) or 0) <= self._window[1]

    def _pattern(self, head: tuple[Term, ...], state: _State) -> Pattern | None:
        known = state.known
        times, shown = ([put_in(time, known) for time in each] for each in (state.times, state.shown))
        if not all(self._is_near(time, known) for time in times):
            return None
        first: dict[str, int] = {}
        for time in (*times, *shown):
            if isinstance(time, int) and time < 0:
                return None
            if isinstance(time, Variable):
                first[time.name] = max(first.get(time.name, 0 - int(time.shift)), -int(time.shift))
        literals = [apply(each, known) for each in state.literals]
        literals += self._frame(put_in(self._root, known), times)
        comparisons = [each for each in literals if isinstance(each, Comparison)]
        if any(each.holds() is False for each in comparisons):
            return None
        if not possible([each for each in comparisons if each.holds() is None], first):
            return None
        kept = (each for each in literals if not isinstance(each, Comparison) or each.holds() is None)
        return Pattern(
            tuple(put_in(t, known) for t in head), tuple(sorted(dict.fromkeys(kept), key=_order)), first
        )

    def _frame(self, root: Term, times: list[Term]) -> Iterator[Comparison]:
        """What keeps the times in the window that are not tied to the answer's."""
        if self._window is None:
            return
        loose: dict[str, list[Term]] = {}
        for time in times:
            if _distance(root, time) is None:
                loose.setdefault(time.name if isinstance(time, Variable) else "", []).append(time)
        for group in loose.values():
            group.sort(key=_offset)
            yield Comparison(shifted(root, -self._window[0]), "<=", group[0])
            yield Comparison(group[-1], "<=", shifted(root, self._window[1]))


def _order(literal: Body) -> tuple[bool, bool, bool]:
    """Facts, asked literals, background, and then what follows from these."""
    return not literal.goal, not literal.asked, literal.static is None or literal.denies


def _offset(time: Term) -> int:
    return int(time.shift) if isinstance(time, Variable) else int(time) if isinstance(time, int) else 0


def _distance(one: Term, other: Term) -> int | None:
    """How much later another time is, if that is always the same."""
    same = isinstance(one, Variable) is isinstance(other, Variable)
    if isinstance(one, Variable) and isinstance(other, Variable):
        same = one.name == other.name
    return _offset(other) - _offset(one) if same else None


def _readable(pattern: Pattern, names: tuple[str, ...], asked: Term) -> Pattern:
    """The pattern with readable names, and with times of its own that may be any tick from 0 on."""
    known: dict[str, Term] = {}
    of_time = [asked.name] if isinstance(asked, Variable) else []
    columns = [*zip(names, pattern.head, strict=False)]
    for name, term in (*((name, pattern.time) for name in of_time), *columns):
        if isinstance(term, Variable) and term.name not in known:
            known[term.name] = Variable(name, -term.shift)
    taken = {*names, *of_time}
    for literal in pattern.literals:
        for old in _names(literal.operands):
            if old not in known:
                name = _fresh(old.partition("~")[0], taken)
                taken.add(name)
                known[old] = Variable(name, pattern.first.get(old, 0))
    first = {}
    for name, tick in pattern.first.items():
        new = known.get(name)
        if isinstance(new, Variable):
            first[new.name] = tick - int(new.shift)
    return Pattern(
        tuple(put_in_once(t, known) for t in pattern.head),
        tuple(renamed(each, known) for each in pattern.literals),
        first,
    )


def _names(terms: Iterable[Term]) -> Iterator[str]:
    """The names of variables, in the order of their places."""
    for term in terms:
        if isinstance(term, Variable):
            yield term.name
        elif isinstance(term, Calculation):
            yield from _names(term.arguments)


def _fresh(wanted: str, taken: set[str]) -> str:
    wanted = "V1" if wanted.startswith("_") else wanted
    stem = wanted.rstrip("0123456789") or wanted
    return next(name for name in chain([wanted], (f"{stem}{i}" for i in count(2))) if name not in taken)
