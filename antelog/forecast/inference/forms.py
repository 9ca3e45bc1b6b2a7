"""The formula, chains and ticks of a query: from its rules alone, unfolded, with ticks from the answer's."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, TypeAlias

from msgspec.structs import replace

from antelog.compile.literals import Aggregation, Atom, Comparison, Negation, StaticAtom
from antelog.compile.literals.aggregate import Aggregate, Inside, open_name
from antelog.compile.literals.literal import Literal
from antelog.compile.literals.terms import (
    Bindings,
    Calculated,
    Const,
    Inner,
    Operand,
    Term,
    Time,
    Var,
    variables_in,
)
from antelog.compile.nodes.plan import Input, Plan, Relation
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import Rules, prepared
from antelog.forecast.inference import nodes
from antelog.forecast.inference.diagrams import Leaf
from antelog.forecast.inference.nodes import NOT, Comes, Every, Never, Node, Some, UnknownChanceError
from antelog.forecast.rates.odds import Chain, ChainState, Series, exclusive, memory, series_of
from antelog.forecast.rates.sightings import Family, family_of
from antelog.forecast.rates.slots import STRETCH
from antelog.language.literals.aggregate import after_steps
from antelog.language.literals.comparison import OPPOSITE

WHEN = "<tick>"  # the answer's tick, in the comparisons that are conditions
_MOST = 4096  # the most literals of a formula
WIDEST = 512  # the most ticks between the facts of an answer
_MOST_KINDS = 8  # the most kinds of facts of a chain; in a slot, any other fact is one of them
_ENDLESS = 2**40

Condition: TypeAlias = Comparison | StaticAtom


@dataclass(frozen=True)
class Formula:
    """The formula of a query's answers, with ticks counted from 0 if the query fixes the tick."""

    whole: Node
    conditions: tuple[Condition, ...]  # on the values of answers
    valued: frozenset[Comes]  # facts known by declared values; others in their slots have no known value

    @property
    def literals(self) -> tuple[Comes, ...]:
        return tuple(dict.fromkeys(nodes.literals_of(self.whole)))


def formula_of(rules: Rules, query: str) -> Formula:
    """Unfolds a query. Raises UnknownChanceError if it has no formula."""
    relation = rules.relations[query]
    timed = relation.answer.time is not None
    unfolding = _Unfolding(rules, timed)
    terms = tuple(map(Var, relation.answer.variables))
    when = Time(WHEN, 0) if timed else Time(None, 0)
    whole = unfolding.relation(query, terms, when if timed else None)
    return Formula(whole, tuple(unfolding.conditions), frozenset(unfolding.valued))


@dataclass
class _Unfolding:
    """Collects the distinct conditions and counts the literals while a formula is unfolded."""

    rules: Rules
    timed: bool
    conditions: dict[Condition, int] = field(default_factory=dict)
    literals: int = 0
    valued: set[Comes] = field(default_factory=set)

    def relation(self, name: str, terms: Sequence[Term], when: Time | None) -> Node:
        """The formula of an atom of a relation: any of its patterns."""
        if name in self.rules.cycles:
            raise UnknownChanceError("it rests on its own past, without an end")
        return Some(tuple(self._pattern(each, terms, when) for each in self.rules.patterns[name]))

    def condition(self, condition: Condition) -> Node:
        number = self.conditions.setdefault(condition, len(self.conditions))
        return nodes.Holds(number)

    def _pattern(self, each: Prepared, terms: Sequence[Term], when: Time | None) -> Node:
        """A pattern, its answer being these terms at this tick."""
        pattern = each.pattern
        bound: dict[str, Term] = {}
        needed: list[Node] = []
        shown: list[tuple[Time, Term]] = []
        for own, term in zip(pattern.answer, terms, strict=True):
            if isinstance(own, Time):
                shown.append((own, term))
            elif isinstance(own, Var) and own.name not in bound:
                bound[own.name] = term
            else:
                known = bound[own.name] if isinstance(own, Var) else own
                needed.append(self.compared(Comparison(known, "=", term)))
        times: dict[str, Time] = {}
        if when is not None and pattern.time.variable is not None:
            times[pattern.time.variable] = when + -pattern.time.offset
        elif when is not None and pattern.time != when:
            raise UnknownChanceError("its tick is fixed by one rule and open in another")
        needed += (
            self.compared(Comparison(times[first.variable], ">=", Time(None, first.tick)))
            for first in pattern.earliest
            if first.variable in times
        )
        ways = []
        for chosen in _chosen(each, times):
            ticks = [(term, Calculated("-", (_put_time(own, chosen), Time(None, 0)))) for own, term in shown]
            equal = [self.compared(Comparison(term, "=", tick)) for term, tick in ticks]
            ways.append(Every((*equal, self._at(each, bound, chosen))))
        return Every((*needed, Some(tuple(ways)) if len(ways) != 1 else ways[0]))

    def _at(self, each: Prepared, bound: Mapping[str, Term], times: Mapping[str, Time]) -> Node:
        """A pattern whose times are known."""
        pattern = each.pattern
        parts: list[Node] = []
        met: set[Comparison] = set()
        for fact in each.facts:
            series, key = series_of(fact.node, bound, fact.tests)
            met |= {test for test in fact.tests if not test.variables & bound.keys()}
            parts.append(self._comes(series, key, _put_time(fact.node.time, times)))
        # A value that two facts have to share, and the answer does not have, may be any.
        names = [name for fact in each.facts for name in variables_in(fact.node.terms) - bound.keys()]
        if len(names) > len(set(names)):
            raise UnknownChanceError(_SHARED)
        takings = (taking for taking in pattern.takings if isinstance(taking.literal, Aggregation))
        if any(not taking.variables <= bound.keys() for taking in takings):
            raise UnknownChanceError(_TAKEN)
        known = Bindings(bound, times)
        other = (each for each in pattern.conditions if each not in pattern.comparisons)
        literals = (*pattern.comparisons, *other, *pattern.asked)
        left = (each for each in literals if each not in met or each.variables & times.keys())
        parts += (self._literal(each, known) for each in left)
        return Every(tuple(parts))

    def _literal(self, literal: Literal, known: Bindings) -> Node:
        """The formula of a literal other than a fact, once the times are known."""
        if type(literal) not in _KINDS:
            raise UnknownChanceError(f"nothing is known of how likely `{literal.text}` is")
        node, unless_known = _KINDS[type(literal)]
        if not literal.variables <= known.variables:
            raise UnknownChanceError(unless_known)
        if literal.shown:
            raise UnknownChanceError(f"`{literal.text}` asks for a time that is no last argument")
        return node(self, literal.replaced(known))

    def absent(self, literal: Negation) -> Node:
        """No atom at a tick, or at any of the ticks of a range."""
        (reference,) = literal.references
        terms = tuple(term for term in reference.untimed if term is not None)
        if literal.single:
            return Never(self.relation(reference.name, terms, reference.last))
        ticks = _ticks(literal.first, literal.last)
        return Never(Some(tuple(self.relation(reference.name, terms, tick) for tick in ticks)))

    def amount(self, literal: Aggregation) -> Node:
        """The formula of an aggregate in a comparison."""
        left, operator, right = literal.left, literal.operator, literal.right
        if isinstance(right, Aggregate):
            if all(each.function == "count" and not each.distinct for each in literal.aggregates):
                return self._counts(left, operator, right)
            raise UnknownChanceError("it compares two aggregates that are not both counts of facts")
        if left.function == "count" and not left.distinct:
            return self._counted(left, operator, right)
        if left.steps:
            raise UnknownChanceError("it compares values of facts times or plus a number")
        facts = self._valued(left)
        if facts is not None and isinstance(right, Const) and not isinstance(right.value, str):
            number = Fraction(str(right.value))
            if nodes.size(facts, left.function, number) > _MOST:
                raise UnknownChanceError(_TOO_MANY)
            self.valued |= set(nodes.literals_of(facts.some))
            return nodes.compared(facts, left.function, operator, number)
        if left.value is not None and (left.function, operator[0]) in (("max", ">"), ("min", "<")):
            # The largest is above a number if any is.
            beyond = Comparison(left.value, operator, right)
            inside = replace(left.inside, conditions=(*left.inside.conditions, beyond))
            return Some(tuple(self._members(inside)))
        raise UnknownChanceError(_VALUES)

    def _counted(self, left: Aggregate, operator: str, right: Operand) -> Node:
        """Compares the number of atoms with an operand; it holds from some number on, or for one."""
        falls = math.prod(each.sign for each in left.steps) < 0
        if operator == "!=" or operator[0] == ("<", ">")[falls]:
            return Never(self._counted(left, OPPOSITE[operator], right))
        members, single = tuple(self._members(left.inside)), self.rules.is_single(left)
        ways: list[Node] = []
        fewer: Node = NOT
        for number in range(len(members) + 1 if single else 2):
            side = after_steps(number, left.steps)
            holds = NOT if side is None else self.compared(Comparison(Const(side), operator, right))
            if holds == NOT:
                continue
            beyond = Never(self._reached(members, number + 1, single)) if operator == "=" else Never(fewer)
            ways.append(Every((holds, beyond, self._reached(members, number, single))))
            if holds == Every(()):
                return Some(tuple(ways))
            fewer = holds
        if not single:
            raise UnknownChanceError(_SEVERAL)
        return Some(tuple(ways))

    def _reached(self, members: tuple[Node, ...], number: int, single: bool) -> Node:
        if number > 1 and not single:
            raise UnknownChanceError(_SEVERAL)
        return nodes.at_least(number, members)

    def _counts(self, left: Aggregate, operator: str, right: Aggregate) -> Node:
        """Compares the number of atoms with that of others, each times and plus numbers."""
        if not (self.rules.is_single(left) and self.rules.is_single(right)):
            raise UnknownChanceError(_SEVERAL)
        members, others = tuple(self._members(left.inside)), tuple(self._members(right.inside))
        whole = nodes.whole_values(operator, [(left.steps, len(members)), (right.steps, len(others))])
        if whole is None:
            raise UnknownChanceError("it compares counts times or plus numbers, which are rounded")
        one, other = whole
        parts = [
            nodes.Weighed(Fraction(y - x), each) for each, x, y in zip(members, one, one[1:], strict=False)
        ]
        parts += (
            nodes.Weighed(Fraction(x - y), each) for each, x, y in zip(others, other, other[1:], strict=False)
        )
        if sum(abs(each.weight) for each in parts) > _MOST:
            raise UnknownChanceError(_TOO_MANY)
        return nodes.total(parts, operator, Fraction(other[0] - one[0]))

    def _valued(self, aggregate: Aggregate) -> nodes.ValuedFacts | None:
        """The facts inside of an aggregate by their declared values; None if these are not declared."""
        source = self.rules.inputs.get(aggregate.inside.predicate)
        if source is None or not self.rules.is_single(aggregate):
            return None
        kinds = nodes.kinds_of(aggregate, source)
        if kinds is None:
            return None
        members = ([nodes.Weighed(value, part) for part in self._members(inside)] for value, inside in kinds)
        return nodes.ValuedFacts([*zip(*members, strict=True)], nodes.rises(aggregate))

    def _members(self, inside: Inside) -> Iterator[Node]:
        """For each tick, whether there is an atom such as those inside of an aggregate."""
        columns = (None if isinstance(each, Time) else each for each in inside.arguments)
        terms = tuple(_opened(column, argument) for column, argument in enumerate(columns))
        own = variables_in(terms) - variables_in(inside.given)
        about_own = tuple(each for each in inside.opened if each.variables & own)
        if any(each.functions or not each.variables <= own for each in about_own):
            raise UnknownChanceError(_COMPARED)
        others = [self.compared(each) for each in inside.opened if not each.variables & own]
        bound = {term.name: term for term in terms if isinstance(term, Var) and term.name not in own}
        for tick in _ticks(inside.first, inside.last):
            if inside.predicate in self.rules.inputs:
                series, key = series_of(Atom(inside.predicate, terms, tick), bound, about_own)
                there = self._comes(series, key, tick)
                if tick.offset < 0:  # before tick 0 nothing is awaited
                    there = Every((self.compared(Comparison(tick, ">=", Time(None, 0))), there))
            elif own:
                raise UnknownChanceError(_SEVERAL)
            else:
                there = self.relation(inside.relation, terms, tick)
            yield Every((*others, there))

    def _comes(self, series: Series, key: tuple[Var, ...], at: Time) -> Node:
        self.literals += 1
        if self.literals > _MOST:
            raise UnknownChanceError(_TOO_MANY)
        if self.timed and at.variable is None:
            raise UnknownChanceError(_FIXED)
        return Comes(series, tuple(variable.name for variable in key), at.offset)

    def compared(self, comparison: Comparison) -> Node:
        known = comparison.outcome
        if known is not None:
            return Every(()) if known else NOT
        return self.condition(comparison)


_SHARED = "its facts share a value that the answer does not have"
_SEVERAL = "it counts atoms of which there may be several at a tick"
_VALUES = (
    "it takes values of facts, which have chances only where there is at most one fact at a tick (`one per`) "
    "and a `chance` for each value"
)
_TAKEN = "it takes the value of an aggregate, and the answer does not have it"
_COMPARED = "it compares values of facts that are still to come"
_TOO_MANY = "it may rest on too many facts"
_FIXED = "it rests on a fixed tick besides its own"


_KINDS: Mapping[type[Literal], tuple[Callable[[_Unfolding, Any], Node], str]] = {
    Comparison: (_Unfolding.compared, _COMPARED),
    StaticAtom: (_Unfolding.condition, "background gives values to variables that the answer does not have"),
    Negation: (_Unfolding.absent, _SHARED),
    Aggregation: (_Unfolding.amount, _SHARED),
}
"""The formula of each kind of literal that has one, and why there is none unless its variables are known."""


def _chosen(each: Prepared, times: Mapping[str, Time]) -> Iterator[dict[str, Time]]:
    """Lists all ways to choose the open times of a pattern, given the known ones."""
    open_ = sorted(each.time_variables - times.keys())
    if not open_:
        yield dict(times)
        return
    name, (first, last) = min(((n, _range(each, n, times)) for n in open_), key=lambda r: r[1][1] - r[1][0])
    anchor = WHEN if any(t.variable for t in times.values()) else None
    if last - first >= _MOST:
        raise UnknownChanceError("nothing bounds it in time")
    for tick in range(first, last + 1):
        yield from _chosen(each, {**times, name: Time(anchor, tick)})


def _range(each: Prepared, name: str, times: Mapping[str, Time]) -> tuple[int, int]:
    """The first and the last tick an open time may be."""
    first, last = -_ENDLESS, _ENDLESS
    for known, tick in times.items():
        after = each.times.furthest(Time(known, 0), Time(name, 0))
        before = each.times.furthest(Time(name, 0), Time(known, 0))
        last = last if after is None else min(last, tick.offset + after)
        first = first if before is None else max(first, tick.offset - before)
    return first, last


def _ticks(first: Time, last: Time) -> Iterator[Time]:
    if first.variable != last.variable:
        raise UnknownChanceError(_FIXED)
    if last.offset - first.offset >= _MOST:
        raise UnknownChanceError(_TOO_MANY)
    return (Time(first.variable, at) for at in range(first.offset, last.offset + 1))


def _opened(column: int, argument: Term | Inner | None) -> Term:
    """An argument of an atom inside of an aggregate, with a variable where any value will do."""
    if argument is None:
        return Var(f"<{column}")
    return Var(open_name(argument)) if isinstance(argument, Inner) else argument


def _put_time(time: Time, times: Mapping[str, Time]) -> Time:
    return time if time.variable is None else times[time.variable] + time.offset


# ---- chains ----

# Temp(X, high, ·) alone is a chain with the states none, high. With Temp(X, low, ·), one fact per device, it
# has none, high, low, another. Series with no fact in common that do not exclude each other are chains each.


def chains_of(literals: Iterable[Comes], inputs: Mapping[str, Input]) -> dict[Chain, None]:
    """Finds the chains of a formula. Raises UnknownChanceError where facts depend in another way."""
    found: dict[tuple[str, tuple[int, ...], tuple[Term, ...], Series | None], dict[ChainState, None]] = {}
    for literal in literals:
        series, slot = literal.series, inputs[literal.series.predicate].slot
        by_column: dict[int, Term] = dict(zip(series.key, map(Var, literal.key), strict=True))
        by_column.update((column, Const(value)) for column, value in series.constants)
        if slot is not None and not set(slot) <= by_column.keys():
            raise UnknownChanceError("it asks for any fact of several slots")
        places = series.key if slot is None else slot
        terms = tuple(by_column[place] for place in places)
        family = (series.predicate, places, terms, series if slot is None else None)
        found.setdefault(family, {})[ChainState(series, literal.key)] = None
    chains: dict[Chain, None] = {}
    for (predicate, places, terms, _), states in found.items():
        _refuse_overlapping(dict.fromkeys(state.series for state in states))
        slotted = inputs[predicate].slot is not None
        kinds = tuple(k for k in _kinds(inputs[predicate], terms) if k not in states) if slotted else ()
        if len(states) + len(kinds) > _MOST_KINDS:
            raise UnknownChanceError("too many kinds of facts exclude each other")
        chains[Chain(predicate, places, terms, (*states, *kinds), slotted, len(kinds))] = None
    free = {series for chain in chains if not chain.slotted for series in chain.series}
    _refuse_overlapping(free)
    return chains


def _kinds(source: Input, terms: tuple[Term, ...]) -> Iterator[ChainState]:
    """Lists the kinds of facts in a slot that declarations name, most constants first; then any other."""
    slot = source.slot or ()
    here = dict(zip(slot, terms, strict=True))
    fixed = tuple((place, term.value) for place, term in here.items() if isinstance(term, Const))
    names = {place: term.name for place, term in here.items() if isinstance(term, Var)}
    patterns = dict.fromkeys(
        tuple((i, v) for i, v in enumerate(chance.pattern) if v is not None and i not in slot)
        for chance in source.odds.chances
    )
    patterns[()] = None
    for pattern in sorted(patterns, key=len, reverse=True):
        series = Series(source.name, (*fixed, *pattern), (), tuple(names), ())
        yield ChainState(series, tuple(names.values()))


def _refuse_overlapping(series: Iterable[Series]) -> None:
    for one, other in combinations(series, 2):
        if one.predicate == other.predicate and not exclusive(one, other):
            raise UnknownChanceError("one fact may stand for two of its literals")


@dataclass(frozen=True, eq=False)
class QueryForm:
    """The formula of a query's answers, its chains, and the leaf of each of its literals."""

    formula: Formula
    chains: tuple[Chain, ...]
    leaves: Mapping[Comes, Leaf]
    slowest: int  # the most ticks that a fact is late
    memory: int  # the earlier ticks that matter, too, if facts may be lost

    @cached_property
    def first(self) -> int:
        return min((leaf.at for leaf in self.leaves.values()), default=0)

    @cached_property
    def last(self) -> int:
        return max((leaf.at for leaf in self.leaves.values()), default=0)

    @cached_property
    def valued(self) -> Mapping[int, tuple[int, ...]]:
        """The chains whose facts are known by declared values, and the ticks at which these matter."""
        found: dict[int, set[int]] = {}
        for literal in self.formula.valued & self.leaves.keys():
            found.setdefault(self.leaves[literal].chain, set()).add(literal.at)
        return {chain: tuple(sorted(ticks)) for chain, ticks in found.items()}

    @property
    def reach(self) -> int:
        """The number of ticks before now whose facts matter."""
        return self.last + 2 * self.slowest + 1 - min(self.first, 0) + self.memory


@lru_cache(maxsize=64)
def forms(plan: Plan) -> Mapping[str, QueryForm | str]:
    """The form of each query of a plan, or the reason why it has no chances by what is declared."""
    if not plan.declares_chances:
        return dict.fromkeys((query.name for query in plan.queries), "no `chance` is declared")
    return {query.name: _form(plan, query.name) for query in plan.queries}


def _form(plan: Plan, query: str) -> QueryForm | str:
    rules = prepared(plan)
    try:
        formula = formula_of(rules, query)
        literals = formula.literals
        chains = tuple(chains_of(literals, rules.inputs))
    except UnknownChanceError as error:
        return str(error)
    leaves = {}
    for literal in literals:
        state = ChainState(literal.series, literal.key)
        number = next(i for i, chain in enumerate(chains) if state in chain.states)
        leaves[literal] = Leaf(number, chains[number].states.index(state) + 1, literal.at)
    slowest = max((max(rules.inputs[chain.predicate].delays) for chain in chains), default=0)
    lasting = max((memory(rules.inputs[chain.predicate]) for chain in chains), default=0)
    form = QueryForm(formula, chains, leaves, slowest, lasting)
    if (wide := form.last - form.first) > WIDEST:
        return f"it looks at {wide:,} ticks, and chances are worked out for {WIDEST} at most"
    return form


@dataclass(frozen=True, eq=False)
class Layout:
    """The families of the plan's queries, how late facts of theirs come, and how far back these matter."""

    families: tuple[Family, ...]
    slowest: int
    reach: int


@lru_cache(maxsize=64)
def layout(plan: Plan) -> Layout:
    own = [form for form in forms(plan).values() if isinstance(form, QueryForm)]
    families = tuple(dict.fromkeys(family_of(chain) for form in own for chain in form.chains))
    slowest = max((form.slowest for form in own), default=0)
    return Layout(families, slowest, max((2 * STRETCH + slowest, *(form.reach for form in own))))


def is_lossy(plan: Plan, query: str) -> bool:
    form = forms(plan)[query]
    return isinstance(form, QueryForm) and form.memory > 0


def key_of(plan: Plan, query: Relation) -> tuple[int, ...]:
    """The positions in an answer of its key: the partition key, or all there are."""
    return (plan.key[query.name],) if plan.key else tuple(range(len(query.answer.variables)))
