"""What names values for an unguarded variable.

    Calm(X, T) :- not Hot(X, T).    Hot(X, T) :- Temp(X, high, T+1).

The X of `Calm` ranges over every value that is named, and over all others. A fact names the value
it has where X stands in one of the fact literals the answer rests on: here `Temp(X, high, T+1)`. So
do constants that rules, comparisons and delay refinements have there, and the background.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from antelog.compile.comparisons import outcome
from antelog.compile.plan import (
    Atom,
    Comparison,
    Const,
    Negated,
    Operand,
    Pattern,
    Plan,
    Relation,
    StaticAtom,
    Sum,
    Term,
    Time,
    Var,
)
from antelog.compile.times import times_of

TIME = "<t>"
"""The answer's time."""

FACT_TIME = "<u>"
"""The time of a fact that names a value."""

_ROUNDS = 16
"""A relation that is reached so many times at other ticks rests on its own past without end."""

Value = str | int | float


@dataclass(frozen=True)
class Source:
    """A fact literal that names values, with the answer's variables where it has these.

    Its facts name a value for the answers from `ahead` ticks before their time to `behind` ticks
    after it, if the `tests` hold.
    """

    atom: Atom
    tests: tuple[Comparison, ...]
    behind: int | None
    ahead: int | None


Tests = tuple[Comparison, ...]
"""What has to hold of an answer for something to name a value for it."""


@dataclass(frozen=True)
class Names:
    """Everything that names values for one variable of a pattern, with what has to hold for that."""

    variable: str
    facts: tuple[Source, ...]
    background: tuple[tuple[StaticAtom, Tests], ...]
    constants: tuple[tuple[Value, Tests], ...]


def names(relation: Relation, pattern: Pattern, plan: Plan) -> tuple[Names, ...]:
    """What names values for the unguarded variables of a pattern of a relation."""
    return tuple(_names(name, relation, pattern, plan) for name in pattern.unguarded)


def _names(name: str, relation: Relation, pattern: Pattern, plan: Plan) -> Names:
    found = _Search(plan, {i for i, term in enumerate(pattern.answer) if term == Var(name)})
    found.run(relation)
    image: dict[str, Term] = {_place(i): term for i, term in enumerate(pattern.answer)}

    def put_in(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(image.get(term.name, term) if isinstance(term, Var) else term for term in terms)

    def moved(tests: Tests) -> Tests | None:
        """The tests in terms of the pattern; None if they cannot hold."""
        own = [_moved(test, image, pattern.time) for test in tests]
        if any(outcome(test) is False for test in own):
            return None
        return tuple(test for test in own if outcome(test) is None)

    facts, background, constants = [], [], []
    for source in _fewest(found.facts):
        tests = moved(source.tests)
        if tests is not None:
            atom = Atom(source.atom.predicate, put_in(source.atom.arguments), source.atom.time)
            facts.append(Source(atom, tests, source.behind, source.ahead))
    for static, asked in found.background:
        tests = moved(asked)
        if tests is not None:
            given = tuple(None if a is None else put_in((a,))[0] for a in static.arguments)
            background.append((StaticAtom(static.predicate, given), tests))
    for value, asked in found.constants:
        tests = moved(asked)
        if tests is not None:
            constants.append((value, tests))
    return Names(name, tuple(facts), tuple(background), tuple(constants))


def _place(position: int) -> str:
    return f"<{position}>"


def _moved(test: Comparison, image: dict[str, Term], time: Time) -> Comparison:
    def operand(side: Operand) -> Operand:
        match side:
            case Var(name):
                return image.get(name, side)
            case Time(variable, offset) if variable == TIME:
                return time + offset
            case _:
                return side

    return Comparison(operand(test.left), test.operator, operand(test.right))


@dataclass(frozen=True)
class _When:
    """The time of an atom: `tick`, or from `behind` ticks before the answer's time to `ahead` after it.

    It is never before the tick `first`.
    """

    tick: int | None
    behind: int | None
    ahead: int | None
    first: int = 0

    @property
    def later(self) -> int | None:
        """How much later it is than the answer's time, if it is always as much."""
        tied = self.ahead is not None and self.behind is not None and self.ahead == -self.behind
        return self.ahead if tied else None

    def of(self, time: Time, pattern: Pattern) -> _When:
        """A time of a pattern, where this is the time of what it derives."""
        own = pattern.time
        if time.variable is None:
            return _When(time.offset, None, None)
        if self.tick is not None and own.variable is not None:
            if time.variable == own.variable:
                return _When(self.tick + time.offset - own.offset, None, None)
            return _When(None, None, None)
        times = times_of(pattern)
        behind, least = times.furthest(time, own), times.furthest(time, Time(None, 0))
        first = max(0, 0 if least is None else -least, 0 if behind is None else self.first - behind)
        return _When(None, _sum(self.behind, behind), _sum(self.ahead, times.furthest(own, time)), first)


_State = tuple[str, tuple[Term, ...], Tests, _When]
"""A relation that is asked for some terms at some time, where some tests hold."""


@dataclass
class _Search:
    """Follows a relation's patterns, and what they negate, down to the facts."""

    plan: Plan
    wanted: set[int]
    facts: dict[Source, None] = field(default_factory=dict)
    background: dict[tuple[StaticAtom, Tests], None] = field(default_factory=dict)
    constants: dict[tuple[Value, Tests], None] = field(default_factory=dict)
    _seen: set[_State] = field(default_factory=set)
    _rounds: Counter[tuple[str, tuple[Term, ...]]] = field(default_factory=Counter)
    _waiting: list[_State] = field(default_factory=list)

    def run(self, relation: Relation) -> None:
        places = tuple(Var(_place(i)) for i in range(len(relation.variables)))
        self._reach((relation.name, places, (), _When(None, 0, 0)))
        while self._waiting:
            name, terms, tests, when = self._waiting.pop()
            for pattern in self.plan.relation(name).patterns:
                step = _Step.of(pattern, terms, tests, when)
                if step is not None:
                    self._follow(step)

    def _reach(self, state: _State) -> None:
        name, terms, tests, when = state
        self._rounds[name, terms] += 1
        if self._rounds[name, terms] > _ROUNDS:
            # A relation rests on its own past, however long ago.
            state = name, terms, tests, _When(None, None, when.ahead, when.first)
            if self._rounds[name, terms] > 2 * _ROUNDS:
                return
        if state not in self._seen:
            self._seen.add(state)
            self._waiting.append(state)

    def _is_wanted(self, term: Term | None) -> bool:
        return isinstance(term, Var) and any(term.name == _place(i) for i in self.wanted)

    def _follow(self, step: _Step) -> None:
        pattern = step.pattern
        for own, term in step.fixed:
            if self._is_wanted(term):
                self.constants[own.value, tuple(t for t in step.tests if term not in (t.left, t.right))] = (
                    None
                )
        for comparison in pattern.comparisons:
            for one, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
                if isinstance(one, Var) and isinstance(other, Const) and self._is_wanted(step.image_of(one)):
                    self.constants[other.value, step.without(self._is_wanted)] = None
        for static in pattern.statics:
            given = tuple(None if a is None else step.image_of(a) for a in static.arguments)
            if any(map(self._is_wanted, given)):
                own_tests = _own_tests(static.arguments, None, step)
                self.background[StaticAtom(static.predicate, given), (*step.tests, *own_tests)] = None
        for literal in pattern.literals:
            when = step.when.of(literal.time, pattern)
            if isinstance(literal, Negated):
                asked, tests = step.asked(literal)
                if any(map(self._is_wanted, asked)):
                    self._reach((literal.relation, asked, tests, when))
                continue
            arguments = tuple(map(step.image_of, literal.arguments))
            if any(map(self._is_wanted, arguments)):
                own_tests = _own_tests(literal.arguments, literal.time, step)
                time = Time(FACT_TIME, 0) if when.tick is None else Time(None, when.tick)
                atom = Atom(literal.predicate, arguments, time)
                self.facts[Source(atom, (*step.tests, *own_tests), when.behind, when.ahead)] = None
                self._refined(literal.predicate, arguments, step)

    def _refined(self, predicate: str, arguments: tuple[Term, ...], step: _Step) -> None:
        """Constants that delay refinements have in the place of the variable."""
        source = next(s for s in self.plan.inputs if s.name == predicate)
        for refinement in source.refinements:
            pairs = [(a, v) for a, v in zip(arguments, refinement.pattern, strict=False) if v is not None]
            named = {value for argument, value in pairs if self._is_wanted(argument)}
            if len(named) != 1 or any(isinstance(a, Const) and a.value != v for a, v in pairs):
                continue
            others = [
                Comparison(a, "=", Const(v))
                for a, v in pairs
                if isinstance(a, Var) and a.name.startswith("<") and not self._is_wanted(a)
            ]
            self.constants[named.pop(), (*step.without(self._is_wanted), *others)] = None


@dataclass(frozen=True)
class _Step:
    """A pattern that is followed: what its variables are, and what has to hold of the answer.

    `fixed` are the constants of its head with what is asked for there.
    """

    pattern: Pattern
    image: dict[str, Term]
    fixed: tuple[tuple[Const, Term], ...]
    tests: Tests
    when: _When

    @staticmethod
    def of(pattern: Pattern, terms: tuple[Term, ...], tests: Tests, when: _When) -> _Step | None:
        image: dict[str, Term] = {}
        fixed: list[tuple[Const, Term]] = []
        more: list[Comparison] = []
        for own, term in zip(pattern.answer, terms, strict=True):
            if isinstance(own, Const):
                if isinstance(term, Const) and term != own:
                    return None
                fixed.append((own, term))
                if isinstance(term, Var):
                    more.append(Comparison(term, "=", own))
            elif own.name in image and image[own.name] != term:
                more.append(Comparison(image[own.name], "=", term))
            else:
                image[own.name] = term
        step = _Step(pattern, image, tuple(fixed), (), when)
        more += step._of_times()
        more += [c for comparison in pattern.comparisons if (c := step.test_of(comparison)) is not None]
        if any(outcome(test) is False for test in more):
            return None
        kept = (test for test in more if outcome(test) is None)
        return replace(step, tests=_strongest((*tests, *kept)))

    def _of_times(self) -> Iterator[Comparison]:
        """What the pattern's times say together of the tick it is asked about."""
        time, when = self.pattern.time, self.when
        if time.variable is None:
            if when.tick is not None:
                yield Comparison(Time(None, when.tick), "=", time)
            if when.behind is not None:
                yield Comparison(Time(TIME, -when.behind), "<=", time)
            if when.ahead is not None:
                yield Comparison(time, "<=", Time(TIME, when.ahead))
            return
        times, zero, asked = times_of(self.pattern), Time(None, 0), self.operand_of(time)
        least, most = times.furthest(time, zero), times.furthest(zero, time)
        # Where the time is not known, it may still be too early or too late at any rate.
        latest = asked or (None if when.ahead is None else Time(TIME, when.ahead))
        soonest = asked or (None if when.behind is None else Time(TIME, -when.behind))
        if least is not None and latest is not None:
            yield Comparison(latest, ">=", Time(None, -least))
        if most is not None and soonest is not None:
            yield Comparison(soonest, "<=", Time(None, most))

    def image_of(self, term: Term) -> Term:
        return self.image.get(term.name, Var(f"{term.name}~")) if isinstance(term, Var) else term

    def operand_of(self, operand: Operand) -> Operand | None:
        """An operand in terms of the answer; None if it is about something else."""
        match operand:
            case Var(name):
                return self.image.get(name)
            case Sum(name, offset):
                term = self.image.get(name)
                return Sum(term.name, offset) if isinstance(term, Var) else None
            case Time(variable, offset) if variable is not None:
                own, when = self.pattern.time, self.when
                if variable != own.variable:
                    return None
                if when.tick is not None:
                    return Time(None, when.tick + offset - own.offset)
                return None if when.later is None else Time(TIME, when.later + offset - own.offset)
            case _:
                return operand

    def test_of(self, comparison: Comparison) -> Comparison | None:
        """A comparison of the pattern, if it is about the answer alone."""
        left, right = self.operand_of(comparison.left), self.operand_of(comparison.right)
        return None if left is None or right is None else Comparison(left, comparison.operator, right)

    def asked(self, negation: Negated) -> tuple[tuple[Term, ...], Tests]:
        """What a negated literal asks for, and what has to hold then; its own variables get places."""
        terms = tuple(map(self.image_of, negation.asked))
        places = {
            term: Var(f"?{i}")
            for i, term in reversed([*enumerate(terms)])
            if isinstance(term, Var) and _is_private(term.name)
        }

        def placed(operand: Operand) -> Operand | None:
            match operand:
                case Var(name) if _is_private(name):
                    return places.get(operand)
                case Sum(name, offset) if _is_private(name):
                    place = places.get(Var(name))
                    return None if place is None else Sum(place.name, offset)
                case _:
                    return operand

        tests = []
        for test in (*self.tests, *_own_tests(negation.arguments, None, self)):
            left, right = placed(test.left), placed(test.right)
            if left is not None and right is not None:
                tests.append(Comparison(left, test.operator, right))
        return tuple(places.get(t, t) if isinstance(t, Var) else t for t in terms), _strongest(tests)

    def without(self, is_wanted: Callable[[Term], bool]) -> Tests:
        """The tests that are not about the variable whose values are looked for."""
        return tuple(
            t for t in self.tests if not any(isinstance(s, Var) and is_wanted(s) for s in (t.left, t.right))
        )


def _is_private(name: str) -> bool:
    """Whether a variable is none of the answer's."""
    return name.endswith("~") or name.startswith("?")


def _strongest(tests: Iterable[Comparison]) -> Tests:
    """The tests, of those that say from which tick on answers are the one that says most."""
    first, rest = _from(tests)
    begin = (Comparison(Time(TIME, 0), ">=", Time(None, first)),) if first else ()
    return (*begin, *dict.fromkeys(rest))


def _from(tests: Iterable[Comparison]) -> tuple[int, list[Comparison]]:
    """From which tick on answers are, by some tests, and the other tests."""
    first, rest = 0, []
    for test in tests:
        match test:
            case Comparison(Time(variable, later), ">=", Time(None, tick)) if variable == TIME:
                first = max(first, tick - later)
            case _:
                rest.append(test)
    return first, rest


def _fewest(sources: Iterable[Source]) -> Iterator[Source]:
    """Without sources that another one makes needless: the same facts, and it asks for less."""
    kept: dict[tuple[Atom, int | None, int | None], list[tuple[int, set[Comparison], Source]]] = {}
    for source in sorted(sources, key=lambda s: (_from(s.tests)[0], len(s.tests))):
        first, rest = _from(source.tests)
        own = kept.setdefault((source.atom, source.behind, source.ahead), [])
        if not any(less <= set(rest) for begin, less, _ in own if begin <= first):
            own.append((first, set(rest), source))
    for each in kept.values():
        yield from (source for _, _, source in each)


def _own_tests(arguments: tuple[Term | None, ...], time: Time | None, step: _Step) -> Tests:
    """The comparisons about a literal and the answer, of the variables it has as a source."""
    own = {a.name for a in arguments if isinstance(a, Var)}

    def operand(side: Operand) -> Operand | None:
        match side:
            case Var(name) if name in own:
                return step.image_of(side)
            case Sum(name, offset) if name in own:
                term = step.image_of(Var(name))
                return Sum(term.name, offset) if isinstance(term, Var) else None
            case Time(variable, offset) if variable is not None and time and variable == time.variable:
                return Time(FACT_TIME, offset - time.offset)
            case _:
                return step.operand_of(side)

    found: list[Comparison] = []
    if time is not None and time.variable is not None and step.when.tick is None:
        first = step.when.of(time, step.pattern).first
        found += [Comparison(Time(FACT_TIME, 0), ">=", Time(None, first))] if first else []
    for comparison in step.pattern.comparisons:
        left, right = operand(comparison.left), operand(comparison.right)
        if left is not None and right is not None:
            found.append(Comparison(left, comparison.operator, right))
    return tuple(dict.fromkeys(found))


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
