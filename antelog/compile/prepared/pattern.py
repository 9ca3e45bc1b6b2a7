"""A pattern prepared for the engine: all that follows from its text alone, worked out once.

    P(X, T) :- A(X, T), not B(X, U), U > T, U <= T + 3.
    facts: A(X, T)    asked: not B(X, U), from 1 to 3 ticks after the answer    fact-driven

Two hypotheses are the same if their texts are. A *signature* is the text of literals with a gap for every
known value. Literals that share open variables are one unit, compared up to the names of these variables.

    p(X, T), r(Y, T), s(Y, T) with X and T known, Y open     p(#, #) [X, T]     r(A, #) s(A, #) [T, T]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations, permutations, product
from math import factorial, prod

from antelog.compile.comparisons import Times, implied, times_of
from antelog.compile.literals import Call, Comparison, Negation, StaticAtom, terms
from antelog.compile.literals.atoms import FactLiteral, WrittenFirst
from antelog.compile.literals.literal import AskedLiteral, AskedNode, Condition, Literal
from antelog.compile.nodes.patterns import Pattern, called
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.plan.partition import SeenColumns, seen_columns
from antelog.language.graph import components


@dataclass(frozen=True)
class OpenEnd:
    """A range under `not` whose last tick is `variable + offset`, which evidence may leave open."""

    number: int  # its place among the literals
    node: Negation
    variable: str
    offset: int

    @property
    def bound(self) -> str:
        """The variable that rows bind to the tick of the first true atom; NEVER if there is none."""
        return f"{self.variable} <{self.number}"

    def is_open(self, bound: Set[str]) -> bool:
        """Returns whether nothing but its last tick is open, where these variables have values."""
        return self.node.variables - bound == {self.variable}

    @property
    def condition(self) -> Comparison:
        return Comparison(terms.Time(self.variable, 0), "<", terms.Time(self.bound, -self.offset))


@dataclass(frozen=True)
class FirstLiteral:
    """A negation that is written as `first`, and the place of the fact that is the first, if it is in it."""

    written: WrittenFirst
    fact: int | None  # None: rules derive it

    def awaited(self, bound: Set[str]) -> int | None:
        """Returns the place of the fact while it is open, and one hypothesis with the negation; or None."""
        return None if self.written.time.variable in bound else self.fact

    def is_shown(self, bound: Set[str]) -> bool:
        """Returns whether the negation reads as it is written: not while its tick alone has a value."""
        is_open = self.written.time.variable not in bound
        return self.fact is None or is_open or self.written.atom.variables <= bound


@dataclass(frozen=True, eq=False)
class Prepared:
    """A pattern prepared for the engine; `seen`: the columns that its unguarded variable leads to, if any."""

    pattern: Pattern
    facts: tuple[FactLiteral, ...]
    asked: tuple[AskedLiteral, ...]
    comparisons: tuple[Comparison, ...]  # with those that follow from two of them: V < 9 from W > V, W < 9
    times: Times
    seen: SeenColumns | None

    @cached_property
    def literals(self) -> tuple[FactLiteral | AskedLiteral, ...]:
        """The fact literals and then the asked ones, as the lines of derivations have them."""
        return (*self.facts, *self.asked)

    @cached_property
    def ends(self) -> tuple[OpenEnd, ...]:
        """The ranges of which evidence may leave the last tick open, and nothing else."""
        return tuple(
            OpenEnd(number, each.node, each.node.last.variable, each.node.last.offset)
            for number, each in enumerate(self.literals)
            if isinstance(each.node, Negation) and each.node.last.variable is not None
            if each.node.last.variable not in terms.variables_in((*each.node.arguments, each.node.first))
            if each.node.last.variable not in self.given
        )

    @cached_property
    def firsts(self) -> Mapping[int, FirstLiteral]:
        """The negations that are written as `first`, by their places among the literals."""
        found, atoms = dict[int, FirstLiteral](), [fact.node for fact in self.facts]
        for number, each in enumerate(self.literals):
            written = each.node.written if isinstance(each.node, Negation) else None
            if written is not None:
                taken = any(written.atom == each.written.atom for each in found.values())
                place = atoms.index(written.atom) if written.atom in atoms and not taken else None
                found[number] = FirstLiteral(written, place)
        return found

    def tests(self, bound: Collection[str]) -> tuple[Condition, ...]:
        """Returns the conditions that give no values, with the bounds of open ends that rows bind."""
        return (*self.pattern.tests, *(each.condition for each in self.ends if each.bound in bound))

    def one_a_tick(self, places: Collection[int]) -> bool:
        """Returns whether slots allow one atom at each tick, where its answer is given at these places."""
        pattern = self.pattern
        known = terms.variables_in([*(pattern.answer[place] for place in places), pattern.time])
        for _ in self.facts:
            for fact in self.facts:
                if fact.slot is not None and fact.slot_variables <= known:
                    known |= fact.variables
            for each in pattern.worked_out:
                known |= {each.variable} if terms.variables_in([each.operand]) <= known else set()
        return pattern.answered <= known

    @cached_property
    def counts_until(self) -> int:
        """The last tick that its aggregates look at, after the answer's; 0 without any, or without end."""
        amounts = (each for each in self.asked if each.node.has_amount)
        return max((reach.ahead or 0 for each in amounts for reach in each.reaches), default=0)

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        return tuple(each for each in self.pattern.tests if isinstance(each, Call))

    @cached_property
    def conditions(self) -> Mapping[Comparison | Call, frozenset[str]]:
        """The comparisons and the calls, each with its variables."""
        found: list[Comparison | Call] = [*self.comparisons, *self.calls]
        return {each: each.variables for each in found}

    @cached_property
    def between(self) -> tuple[tuple[str, str, int], ...]:
        """Pairs of times (or tick 0), and how much later the second may be, as open times imply it."""
        return tuple(self.times.indirect())

    def band(self, known: str, time: str) -> tuple[str, int | None, int | None] | None:
        """Returns a known time, and how far before and after it another may lie; None if nothing says so."""
        if known not in self.time_variables:
            return None
        before = self.times.furthest(terms.Time(time, 0), terms.Time(known, 0))
        after = self.times.furthest(terms.Time(known, 0), terms.Time(time, 0))
        return None if before is None and after is None else (known, before, after)

    @cached_property
    def time_variables(self) -> frozenset[str]:
        return terms.variables_in(self.pattern.times)

    @cached_property
    def absent(self) -> tuple[StaticAtom, ...]:
        """The background facts that must not be there."""
        return tuple(each for each in self.pattern.tests if isinstance(each, StaticAtom))

    @cached_property
    def given(self) -> frozenset[str]:
        """The variables that need no fact: those of the background, of the clock, and unguarded ones."""
        time = self.pattern.unguarded_time
        clock = {time} if time is not None else set()
        return self.pattern.given | clock | set(self.pattern.unguarded)

    @cached_property
    def clocked(self) -> bool:
        """Whether answers of the pattern are reported only once their tick has come."""
        return not self.facts or self.pattern.unguarded_time is not None

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """The variables, but for times, that all fact literals have."""
        own = [fact.variables - self.time_variables for fact in self.facts]
        return tuple(sorted(frozenset.intersection(*own))) if own else ()

    @cached_property
    def private_variables(self) -> tuple[frozenset[str], ...]:
        """For each fact literal the variables that nothing else gives a value to."""
        count = Counter(name for fact in self.facts for name in fact.variables)
        return tuple(frozenset(n for n in f.variables if count[n] == 1) - self.given for f in self.facts)

    def lapses(self, giver: int, bound: Set[str], new: Set[str]) -> bool:
        """Returns whether a fact before this one is missing, and can come no more when this one has come."""
        private, time = self.private_variables, self.facts[giver].node.time
        if self.pattern.unguarded or not private[giver] & new:
            return False
        for own, fact in zip(private[:giver], self.facts[:giver], strict=True):
            missing = fact.node.time
            if missing.variable in own - bound:
                ahead = self.times.furthest(time, missing)
                if ahead is not None and ahead + fact.latest <= 0:
                    return True
        return False

    @cached_property
    def used(self) -> frozenset[str]:
        """The variables of the background that the answer, literals or other conditions have, too."""
        return terms.variables_in(self.pattern.answer) | self.looked_at

    @cached_property
    def looked_at(self) -> frozenset[str]:
        """The variables in literals, in what must not be there, and in comparisons that need facts."""
        own: list[Literal] = [*self.pattern.stated, *self.absent]
        tests = (*self.pattern.comparisons, *self.calls)
        own += (each for each in tests if not each.variables <= self.pattern.given)
        return frozenset[str]().union(*(each.variables for each in own))

    @cached_property
    def leaves_time_open(self) -> bool:
        """Whether evidence may leave the answer's time open."""
        time = self.pattern.time.variable
        return (
            time is not None and time not in self.given and any(time not in f.variables for f in self.facts)
        )


def pattern_of(pattern: Pattern, relation: Relation, plan: Plan) -> Prepared:
    times = times_of(pattern)
    inputs = {source.name: source for source in plan.inputs}
    comparisons = (*pattern.comparisons, *implied(pattern.comparisons))
    facts = list[FactLiteral]()
    for fact in pattern.facts:
        source, (reach,) = inputs[fact.predicate], times.reaches(fact, pattern.time)
        # What calls functions is tested later, once for the rows that are left.
        own = (each for each in comparisons if not each.functions)
        tests = tuple(each for each in own if each.variables <= fact.variables)
        facts.append(FactLiteral(fact, tests, source.slot, reach.behind, reach.ahead, max(source.delays)))
    takes: dict[AskedNode, frozenset[str]] = {each.literal: each.variables for each in pattern.takings}
    asked = (
        AskedLiteral(each, times.reaches(each, pattern.time), takes.get(each, frozenset()))
        for each in pattern.asked
    )
    seen = [seen_columns(name, pattern, relation, plan) for name in pattern.unguarded]
    return Prepared(pattern, tuple(facts), tuple(asked), comparisons, times, seen[0] if seen else None)


_TIME = "<time>"  # the name of the answer's time where it is open
_PERMUTATIONS = 720  # the most orders of the literals of a unit to try


@dataclass(frozen=True)
class Cluster:
    """A unit: one literal with all its values, or several that share open variables."""

    literals: tuple[int, ...]
    signature: str
    gaps: tuple[tuple[terms.Operand, ...], ...]  # in every order in which the unit reads the same
    is_open: bool
    from_answer: int | None  # the ticks from the answer's time to its own, where that is fixed

    def alike(self, other: Cluster) -> bool:
        """Returns whether it may read the same as a unit of another explanation of the same answer."""
        apart = None not in (self.from_answer, other.from_answer) and self.from_answer != other.from_answer
        return self.signature == other.signature and not apart


@lru_cache(maxsize=4096)
def units(
    prepared: Prepared, bound: frozenset[str], variables: tuple[str, ...], true: frozenset[int] = frozenset()
) -> tuple[Cluster, ...]:
    """Returns the units of a pattern where variables are `bound`; `true` literals are units of their own."""
    pattern = prepared.pattern
    answer = zip((*pattern.answer, pattern.time), (*variables, _TIME), strict=True)
    called = {
        name: variable
        for term, variable in answer
        if (name := terms.variable_in(term)) is not None and name not in bound
    }
    found = []
    for members in _groups(prepared, bound, frozenset(called), true):
        is_open = any(not prepared.literals[i].variables <= bound for i in members if i not in true)
        signature, gaps = _read(prepared, members, bound, called)
        found.append(Cluster(members, signature, gaps, is_open, _from_answer(prepared, members, bound)))
    return tuple(found)


def _from_answer(prepared: Prepared, members: Sequence[int], bound: frozenset[str]) -> int | None:
    """Returns how many ticks a literal lies after the answer, if both times have the same variable."""
    own, literal = prepared.pattern.time, prepared.literals[members[0]].node
    if len(members) > 1 or own.variable not in bound or not literal.times:
        return None
    time = literal.times[-1]
    return time.offset - own.offset if time.variable == own.variable else None


def _groups(
    prepared: Prepared, bound: frozenset[str], answer: frozenset[str], true: frozenset[int]
) -> list[tuple[int, ...]]:
    """Groups literals by an open variable that they share, not one of the answer's, or an open comparison."""
    own = [
        prepared.pattern.leading_to(frozenset() if i in true else literal.variables - bound)
        for i, literal in enumerate(prepared.literals)
    ]
    conditions = [test.variables for test in prepared.tests(bound)]
    tied: dict[int, list[int]] = {i: [] for i in range(len(own))}
    for (i, names), (j, others) in combinations(enumerate(own), 2):
        if (names & others) - answer or any(about & names and about & others for about in conditions):
            tied[i].append(j)
            tied[j].append(i)
    return sorted(tuple(sorted(each)) for each in components(tied))


def _read(
    prepared: Prepared, members: Sequence[int], bound: frozenset[str], called: dict[str, str]
) -> tuple[str, tuple[tuple[terms.Operand, ...], ...]]:
    """Returns the signature, and the gaps in all orders of the literals that have it."""
    alike: dict[str, list[int]] = {}
    for i in members:
        alike.setdefault(_Reading(prepared, bound, dict(called)).of([i])[0], []).append(i)
    # Only those that read alike on their own can change places.
    parts = [alike[text] for text in sorted(alike)]
    orders: Iterable[tuple[int, ...]] = [tuple(chain(*parts))]
    if prod(factorial(len(part)) for part in parts) <= _PERMUTATIONS:
        orders = (tuple(chain(*each)) for each in product(*map(permutations, parts)))
    best = ""
    gaps: dict[tuple[terms.Operand, ...], None] = {}
    for order in orders:
        signature, filled = _Reading(prepared, bound, dict(called)).of(order)
        if not best or signature < best:
            best, gaps = signature, {}
        if signature == best:
            gaps[filled] = None
    return best, tuple(gaps)


class _Reading:
    """Writes literals with gaps, and names open variables in the order in which they come."""

    def __init__(self, prepared: Prepared, bound: frozenset[str], called: dict[str, str]) -> None:
        self.prepared, self.bound, self.called = prepared, bound, called
        self.gaps: list[terms.Operand] = []

    def of(self, literals: Sequence[int]) -> tuple[str, tuple[terms.Operand, ...]]:
        text = " ".join(self.literal(self.prepared.literals[i].node) for i in literals)
        pattern, tests = self.prepared.pattern, self.prepared.tests(self.bound)
        own = {name for i in literals for name in self.prepared.literals[i].variables} - self.bound
        conditions = [test for test in tests if test.variables & pattern.leading_to(own)]
        for test in sorted(conditions, key=self.unfilled):
            text += f" where {self.literal(test)}"
        return text, tuple(self.gaps)

    def literal(self, literal: Literal) -> str:
        if isinstance(literal, Condition):
            parts = literal.parts
        else:
            before, time, after = literal.around_with(self.bound)
            parts = (*before, time, *after)
        return "".join(part if isinstance(part, str) else self.operand(part) for part in parts)

    def unfilled(self, literal: Literal) -> str:
        """Returns a condition with its gaps, by which conditions are sorted."""
        saved = list(self.gaps), dict(self.called)
        text = self.literal(literal)
        self.gaps, self.called = saved
        return text

    def operand(self, operand: terms.Operand) -> str:
        if isinstance(operand, terms.Inner):
            return operand.name
        whole = not isinstance(operand, terms.Calculated) or not operand.has_inner
        if whole and terms.variables_in([operand]) <= self.bound:
            self.gaps.append(operand)
            return "#"
        if isinstance(operand, terms.Calculated):
            return "".join(part if isinstance(part, str) else self.operand(part) for part in operand.parts)
        variable = terms.variable_in(operand)
        assert variable is not None
        if not isinstance(operand, terms.Time):
            return terms.operand_text(called({variable: self.name(variable)}).operand(operand))
        pattern = self.prepared.pattern
        own = [each for each in (pattern.time, *pattern.answer) if isinstance(each, terms.Time)]
        offset = next((each.offset for each in own if each.variable == variable), 0)
        return f"{self.name(variable)} + {operand.offset - offset}"

    def name(self, variable: str) -> str:
        return self.called.setdefault(variable, f"?{len(self.called)}")
