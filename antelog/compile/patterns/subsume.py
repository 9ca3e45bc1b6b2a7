"""θ-subsumption: drops patterns, and literals of a pattern, that a more general one makes needless.

A pattern subsumes another if replacing its variables gives the same answer, literals of the other, and
comparisons that follow from the other's. Deciding this takes exponential time at worst, so steps are counted,
never the time: a program is refused on every machine or on none. Where a search gives up, a needless pattern
is kept. A clock-driven one makes no fact-driven one needless: a fact may come before the answer's tick does.

    A(X, T) subsumes A(X, T), B(X, T)      A(X, T), A(Y, T) is condensed to A(X, T)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from msgspec.structs import replace

from antelog.compile.comparisons import System
from antelog.compile.literals import AnyLiteral, Comparison
from antelog.compile.literals.literal import Literal
from antelog.compile.literals.terms import AnswerTerm, Bindings, Const, Operand, Time, Var, variables_in
from antelog.compile.nodes.patterns import Earliest, Pattern, called

STEPS_EACH = 300  # the number of steps for each pattern that the limit allows
FEWEST_STEPS = 3_000_000  # the least number of steps, however low the limit of patterns is
LONGEST_SEARCH = 20_000  # the most steps of one search for needless patterns or literals


class TooMuchWorkError(Exception):
    """All steps are spent."""


class Budget:
    """Counts the steps that a program takes, and the searches that were `given_up`."""

    def __init__(self, limit: int) -> None:
        self.steps = max(FEWEST_STEPS, STEPS_EACH * limit)
        self._for_searches = self.steps // 2
        self.given_up = 0

    def spend(self, steps: int) -> None:
        """Spends steps; raises TooMuchWorkError if there are none left."""
        self.steps -= steps
        if self.steps < 0:
            raise TooMuchWorkError

    def compare(self, steps: int) -> None:
        """Spends steps of searches."""
        self._for_searches -= steps
        self.spend(steps)

    @property
    def alike(self) -> bool:
        """Whether patterns are so alike that searches have spent all their steps."""
        return self._for_searches <= 0

    @property
    def longest(self) -> int:
        """The most steps that the next search may take."""
        return min(LONGEST_SEARCH, self._for_searches)


def condense(pattern: Pattern, work: Budget) -> Pattern:
    """Drops literals of a pattern that others of it make needless."""
    answers = pattern.answered
    twins: dict[Hashable, list[Literal]] = {}
    for literal in pattern.stated:
        for key in (literal.key, (literal.key, literal.times)):
            twins.setdefault(key, []).append(literal)
    needed: set[int] = set()
    like: Sequence[int] | None = None
    for place, literal in enumerate(pattern.stated):
        fixed = all(time.variable is None or time.variable in answers for time in literal.times)
        near = twins[(literal.key, literal.times) if fixed else literal.key]
        if literal.variables <= answers or not any(_may_become(literal, n, answers) for n in near):
            continue
        like = like or alike(pattern)
        if like[place] in needed:  # one that is like it is not needless either
            continue
        if work.longest <= 0:
            work.given_up += 1
            break
        work.compare(_TO_PLACE * len(pattern.literals))
        smaller = _without(literal, pattern)
        if subsumes(pattern, Target(smaller), work):
            pattern = smaller
        else:
            needed.add(like[place])
    return pattern


def _may_become(literal: Literal, other: Literal, answers: frozenset[str]) -> bool:
    """Returns whether replacing variables outside the answer can make the terms of two literals equal."""
    return literal is not other and all(
        (isinstance(here, Var) and here.name not in answers and there is not None) or here == there
        for here, there in zip(literal.terms, other.terms, strict=True)
    )


def _without(literal: Literal, pattern: Pattern) -> Pattern:
    """Drops a literal, and the conditions on variables that only this literal has."""
    rest = [other for other in pattern.stated if other is not literal]
    gone = literal.variables - pattern.answered - {v for other in rest for v in other.variables}
    return replace(
        pattern,
        literals=(*rest, *(each for each in pattern.conditions if not each.variables & gone)),
        earliest=tuple(e for e in pattern.earliest if e.variable not in gone),
    )


@dataclass(eq=False)
class Target:
    """A pattern that others may subsume: its literals by key, its comparisons, which literals are alike."""

    pattern: Pattern

    @cached_property
    def literals(self) -> tuple[Literal, ...]:
        """All but the comparisons, facts and asked literals first."""
        others = (each for each in self.pattern.conditions if each.key is not None)
        return (*self.pattern.stated, *others)

    @cached_property
    def exact(self) -> frozenset[Literal]:
        return frozenset(self.literals)

    @cached_property
    def places(self) -> dict[Hashable, list[int]]:
        """The numbers of the literals by key, and by key and times."""
        found: dict[Hashable, list[int]] = {}
        for number, literal in enumerate(self.literals):
            for place in {literal.key, (literal.key, literal.times)}:
                found.setdefault(place, []).append(number)
        return found

    @cached_property
    def alike(self) -> Sequence[int]:
        """For each literal the number of the first that it can change places with."""
        like = alike(self.pattern)
        return (*like, *range(len(like), len(self.literals)))

    @cached_property
    def first(self) -> dict[str, int]:
        return {e.variable: e.tick for e in self.pattern.earliest}

    @cached_property
    def system(self) -> System:
        return System(self.pattern.comparisons, self.first)


def subsumes(one: Pattern, other: Target, work: Budget) -> bool:
    """Returns whether `one` subsumes `other`; also False where the search gives up."""
    if work.longest <= 0:
        work.given_up += 1
        return False
    matching = Matching()
    if not matching.match_times(one.time, other.pattern.time):
        return False
    if not all(map(matching.match_terms, one.answer, other.pattern.answer)):
        return False
    goals: list[_Goal] = []
    for number, literal in enumerate(one.literals, 1):
        if literal.key is None:
            continue
        if not all(map(matching.knows, literal.operands)):
            place: Hashable = literal.key
            if all(map(matching.knows, literal.times)):
                place = literal.key, tuple(map(matching.time, literal.times))
            goals.append((literal, other.places.get(place, [])))
        elif literal.replaced(matching) not in other.exact:
            work.compare(_TO_PLACE * number)
            return False
    work.compare(_TO_PLACE * len(one.literals))
    goals.sort(key=lambda goal: len(goal[1]))
    search, found = _Embedding(goals, matching, other, work.longest), None
    with suppress(_GivenUpError):
        found = search.succeeds(one)
    work.given_up += found is None
    work.compare(search.taken)
    return found is True


class _GivenUpError(Exception):
    """A search takes more steps than it may."""


_Goal = tuple[Literal, Sequence[int]]  # a literal to be matched, and the numbers of those it may become


class _Embedding:
    """The search for a candidate for each literal, such that the comparisons follow."""

    def __init__(self, goals: Sequence[_Goal], matching: Matching, other: Target, most: int) -> None:
        self._goals = goals
        self._matching = matching
        self._other = other
        self._most = most
        self._used: Counter[int] = Counter()
        self.taken = 0

    def succeeds(self, one: Pattern) -> bool:
        """Returns whether there are such candidates; raises _GivenUpError after too many steps."""
        checks = self._checks(one)
        if not self._agrees(checks[0]):
            return False
        if not self._goals:
            return True
        stack, chosen = [self._choices(0)], [-1]
        marks = [self._matching.mark()]
        while stack:
            depth = len(stack) - 1
            self._matching.undo(marks[depth])
            if chosen[depth] >= 0:
                self._used[chosen[depth]] -= 1
            chosen[depth] = next(stack[depth], -1)
            if chosen[depth] < 0:
                stack.pop(), chosen.pop(), marks.pop()
                continue
            self._used[chosen[depth]] += 1
            candidate = self._other.literals[chosen[depth]]
            if self._matching.match(self._goals[depth][0], candidate) and self._agrees(checks[depth + 1]):
                if len(stack) == len(self._goals):
                    return True
                stack.append(self._choices(depth + 1))
                chosen.append(-1)
                marks.append(self._matching.mark())
        return False

    def _choices(self, depth: int) -> Iterator[int]:
        """Yields the candidates of a goal; of unused ones that are alike only the first."""
        tried: set[int] = set()
        for number in self._goals[depth][1]:
            if not self._used[number]:
                like = self._other.alike[number]
                if like in tried:
                    continue
                tried.add(like)
            self._take(_TO_MATCH)
            yield number

    def _checks(self, one: Pattern) -> list[list[Comparison | Earliest]]:
        """Returns the checks to make before any goal is matched, and after each of them."""
        when = dict.fromkeys(self._matching.variables, 0)
        for depth, (literal, _) in enumerate(self._goals, 1):
            for name in literal.variables:
                when.setdefault(name, depth)
        last = len(self._goals)
        checks: list[list[Comparison | Earliest]] = [[] for _ in range(last + 1)]
        for comparison in one.comparisons:
            checks[max((when.get(name, last) for name in comparison.variables), default=0)].append(comparison)
        for each in one.earliest:
            checks[when.get(each.variable, last)].append(each)
        self._take(_TO_PREPARE * (len(self._goals) + len(one.comparisons) + len(one.earliest)))
        return checks

    def _agrees(self, checks: Sequence[Comparison | Earliest]) -> bool:
        """Returns whether comparisons and first ticks follow from those of the other pattern."""
        return all(self._follows(c) if isinstance(c, Comparison) else self._is_early(c) for c in checks)

    def _follows(self, comparison: Comparison) -> bool:
        system = self._other.system
        self._take(_TO_CHECK)
        wanted = comparison.replaced(self._matching)
        short = system.follows_at_once(wanted)
        if short is None:
            self._take(_TO_CHECK * (len(system.known) + 1))
            return system.follows_after_all(wanted)
        return short

    def _is_early(self, wanted: Earliest) -> bool:
        """Returns whether the time that replaces a variable is never before the wanted tick."""
        time = self._matching.times.get(wanted.variable)
        if time is None:
            return False
        least = 0 if time.variable is None else self._other.first.get(time.variable)
        return least is not None and least + time.offset >= wanted.tick

    def _take(self, steps: int) -> None:
        self.taken += steps
        if self.taken > self._most:
            raise _GivenUpError


_TO_PLACE = 3  # steps to place a literal
_TO_PREPARE = 3  # to prepare one
_TO_MATCH = 4  # to try a candidate
_TO_CHECK = 6  # to look whether a comparison follows


class Matching(Bindings):
    """One-way unification: what the variables of the first pattern stand for in the second."""

    def knows(self, operand: Operand | None) -> bool:
        return variables_in([operand]) <= self.variables

    def match(self, here: Literal, there: Literal) -> bool:
        """Binds variables so that a literal becomes another one with the same key; False if that fails."""
        return all(map(self.match_times, here.times, there.times)) and all(
            map(self.match_terms, here.terms, there.terms)
        )

    def match_terms(self, here: AnswerTerm | None, there: AnswerTerm | None) -> bool:
        if isinstance(here, Time) or isinstance(there, Time):
            return isinstance(here, Time) and isinstance(there, Time) and self.match_times(here, there)
        if not isinstance(here, Var) or there is None:
            return here == there
        known = self.objects.get(here.name)
        if known is None:
            self.bind_object(here.name, there)
            return True
        return known == there

    def match_times(self, here: Time, there: Time) -> bool:
        if here.variable is None:
            return here == there
        known = self.times.get(here.variable)
        if known is None:
            self.bind_time(here.variable, there + -here.offset)
            return True
        return known + here.offset == there


# ---- literals that can change places ----


_MOST_KINDS = 8  # the most literals of the same shape to compare a literal with


def alike(pattern: Pattern) -> Sequence[int]:
    """Returns for each fact and asked literal the number of the first that it can change places with."""
    # For each the variables that no other literal and no answer has, in their order.
    uses = Counter(name for each in pattern.stated for name in each.variables)
    own = [
        tuple(
            name
            for operand in dict.fromkeys(each.operands)
            for name in sorted(variables_in([operand]))
            if uses[name] == 1 and name not in pattern.answered
        )
        for each in pattern.stated
    ]
    conditions: dict[str, list[AnyLiteral]] = {}
    for each in pattern.conditions:
        for name in each.variables:
            conditions.setdefault(name, []).append(each)
    first = {e.variable: e.tick for e in pattern.earliest}
    found = list(range(len(pattern.stated)))
    shapes: dict[Hashable, list[int]] = {}
    for number, literal in enumerate(pattern.stated):
        if not own[number]:
            continue
        shape = literal.replaced(called({name: f"<{place}" for place, name in enumerate(own[number])}))
        known = shapes.setdefault(shape, [])
        for other in known[:_MOST_KINDS]:
            pairs = list(zip(own[number], own[other], strict=True))
            names = dict(pairs) | {there: here for here, there in pairs}
            if all(first.get(a) == first.get(b) for a, b in pairs) and _unchanged(conditions, names):
                found[number] = other
                break
        else:
            known.append(number)
    return found


def _unchanged(conditions: Mapping[str, list[AnyLiteral]], names: Mapping[str, str]) -> bool:
    """Returns whether exchanging names leaves the conditions as they are."""
    touched = {each for name in names for each in conditions.get(name, ())}
    exchanged = called(names)
    return {_said(each) for each in touched} == {_said(each.replaced(exchanged)) for each in touched}


def _said(condition: AnyLiteral) -> Hashable:
    """Returns a condition; a comparison without the order of its sides."""
    if isinstance(condition, Comparison):
        return frozenset((condition, condition.mirrored))
    return condition


# ---- patterns of which none makes another needless, with an index, for there may be thousands ----


def minimal(patterns: Iterable[Pattern], work: Budget) -> tuple[Pattern, ...]:
    """Drops patterns that others make needless; of equal ones the first stays."""
    every = list(patterns)
    order = sorted(range(len(every)), key=lambda i: len(every[i].stated))
    for direction in (1, -1):  # first those an earlier one subsumes, then those a later one does
        kept = Antichain(work)
        order = [i for i in order[::direction] if kept.add(every[i])]
    return tuple(every[i] for i in sorted(order))


_TO_LOOK = 1  # steps to look at a pattern
_TO_COMPARE = 10  # steps to begin to compare it
_KEYS_A_STEP = 8  # the number of features that are compared within a step


class Antichain:
    """Patterns of which none makes a later one needless, with an index to find those that might."""

    def __init__(self, work: Budget) -> None:
        self._work = work
        self._of_constants: dict[frozenset[Hashable], list[_Features]] = {}
        self._index: dict[Hashable, dict[int, list[_Features]]] = {}
        self._frequency: Counter[Hashable] = Counter()
        self._alike: dict[frozenset[Hashable], list[_Features]] = {}

    def add(self, pattern: Pattern, among: Callable[[Pattern], bool] | None = None) -> bool:
        """Adds a pattern, unless one makes it needless (of those `among` is true for)."""
        new = _Features.of(pattern)
        near = self._near(new) if new.plain else self._less_special(new)
        target = Target(pattern)
        for each in near:
            self._work.compare(_TO_COMPARE)
            if among is not None and not among(each.pattern):
                continue
            as_early = pattern.clock_driven or not each.pattern.clock_driven
            if as_early and subsumes(each.pattern, target, self._work):
                return False
        if new.plain:  # others make no plain one needless
            self._frequency.update(new.keys)
            rarest = min(new.keys, key=self._rank, default=None)
            self._index.setdefault(rarest, {}).setdefault(new.size, []).append(new)
            self._alike.setdefault(new.keys, []).append(new)
        self._of_constants.setdefault(_constants(pattern), []).append(new)
        return True

    def _less_special(self, new: _Features) -> Iterator[_Features]:
        constants = _constants(new.pattern)
        if len(constants) > _FEW:
            fit = [found for key, found in self._of_constants.items() if key <= constants]
        else:
            keys = (frozenset(c) for n in range(len(constants) + 1) for c in combinations(constants, n))
            fit = [self._of_constants.get(key, []) for key in keys]
        for found in fit:
            self._work.compare(_TO_LOOK * len(found))
            yield from (f for f in found if f.predicates <= new.predicates)

    def _rank(self, key: Hashable) -> tuple[int, int]:
        """Returns the sort key of index keys: rare ones first, and of equally rare ones the more specific."""
        return self._frequency[key], -(len(key) if isinstance(key, tuple) else 0)

    def _near(self, new: _Features) -> Iterator[_Features]:
        yield from self._alike.get(new.keys, ())
        for key in (None, *new.keys):
            for size, found in self._index.get(key, {}).items():
                if size != new.size or size == 0:
                    self._work.compare(_TO_LOOK * len(found))
                    for features in found:
                        if features.keys < new.keys:  # if so, all were looked at, else mostly few
                            self._work.compare(len(features.keys) // _KEYS_A_STEP)
                            yield features


@dataclass(frozen=True, eq=False)
class _Features:
    """The literals, offsets and arguments that a pattern needs to find in those it subsumes: a cheap test."""

    pattern: Pattern
    plain: bool  # the answers are plain variables: only then offsets and arguments count
    predicates: frozenset[Hashable]
    keys: frozenset[Hashable]
    size: int  # if all arguments count their number, else 0: of one size, it subsumes only its equal

    @staticmethod
    def of(pattern: Pattern) -> _Features:
        names = {a.name: i for i, a in enumerate(pattern.answer) if isinstance(a, Var)}
        plain = names if len(names) == len(pattern.answer) else None
        coarse: list[Hashable] = [literal.key for literal in pattern.stated]
        exact: list[Hashable] = []
        if plain is not None:
            exact = [key for literal in pattern.stated for key in _places(literal, pattern, plain)]
        keys = frozenset([*coarse, *exact])
        told = sum(1 for key in keys if isinstance(key, tuple) and key[_COARSE:][:1] == ("exactly",))
        size = told if told == len(pattern.stated) else 0
        return _Features(pattern, plain is not None, frozenset(coarse), keys, size)


_FEW = 6  # constants, of which all choices are looked up
_COARSE = 2  # a literal's key and its offsets; a longer key has the arguments too


def _constants(pattern: Pattern) -> frozenset[Hashable]:
    """Returns the constants of the answer by position: one that makes it needless has no others."""
    return frozenset((i, a.value) for i, a in enumerate(pattern.answer) if isinstance(a, Const))


def _places(literal: Literal, pattern: Pattern, plain: dict[str, int]) -> Iterator[Hashable]:
    """Yields features that a literal shares with every literal it can be replaced by."""
    later = tuple(time.after(pattern.time) for time in literal.times)
    if None in later:
        return
    place = (literal.key, later)
    yield place
    first: dict[Hashable, int] = {}
    for position, term in enumerate(literal.terms):
        if term is not None and first.setdefault(term, position) != position:
            yield (*place, "same", first[term], position)
    terms: list[Hashable] = []
    for term in literal.terms:
        if isinstance(term, Var):
            if term.name not in plain:
                return
            terms.append(plain[term.name])
        else:
            terms.append(term)
    yield (*place, "exactly", *terms)
