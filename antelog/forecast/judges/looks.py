"""Looks: the values that a query compares, found in its rules alone; and features of the latest ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain

import numpy as np

from antelog.compile.literals import Aggregation, Comparison
from antelog.compile.literals.aggregate import Aggregate, open_name
from antelog.compile.literals.terms import Const, Inner, Term, Time, Var, shifted, variables_in
from antelog.compile.nodes.plan import GivenFacts, Plan
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import Rules, prepared
from antelog.engine.columns import tables
from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import Column, Numbers, RowSet
from antelog.engine.facts.history import Facts
from antelog.engine.step.lines import LITERALS, NO_STAGE, PATTERN, pattern_of
from antelog.engine.values.values import Values
from antelog.forecast.judges.judge import AnswerRows, Features
from antelog.forecast.judges.linear import HARMONICS
from antelog.forecast.rates.odds import Value
from antelog.language.literals.comparison import HOLDS
from antelog.language.moments import DEFAULT_ZONE, Timescale

_ORDERS = ("<", "<=", ">", ">=")


@dataclass(frozen=True)
class Look:
    """A column compared with a threshold; `key` pairs other columns with positions in the answer."""

    predicate: str
    constants: tuple[tuple[int, Value], ...]
    key: tuple[tuple[int, int], ...]
    column: int
    operator: str
    threshold: float


@lru_cache(maxsize=64)
def looks_of(plan: Plan, query: str) -> tuple[Look, ...]:
    """The looks of a query, each column once, at its first threshold."""
    rules = prepared(plan)
    answer = rules.relations[query].answer.variables
    search = _LookSearch(rules, {name: place for place, name in enumerate(answer)})
    search.relation(query, tuple(map(Var, answer)))
    for each in rules.relations[query].notice.given:
        search.given(each)
    return tuple(search.looks.values())


Bounds = Mapping[str, tuple[str, float]]  # variables that are compared, each with the operator and the number


@dataclass
class _LookSearch:
    """Searches the rules of a query for comparisons."""

    rules: Rules
    places: Mapping[str, int]
    looks: dict[object, Look] = field(default_factory=dict)
    been: set[object] = field(default_factory=set)

    def relation(self, name: str, terms: tuple[Term | None, ...]) -> None:
        """Searches a relation, given variables of the answer, constants, or (None) anything."""
        if (name, terms) in self.been:
            return
        self.been.add((name, terms))
        for each in self.rules.patterns[name]:
            pairs = zip(each.pattern.answer, terms, strict=True)
            self.pattern(each, {own.name: term for own, term in pairs if isinstance(own, Var)})

    def pattern(self, each: Prepared, known: Mapping[str, Term | None]) -> None:
        bounds = _bounds(each.comparisons)
        for fact in each.facts:
            self.facts(fact.node.predicate, fact.node.terms, bounds, known)
        for asked in each.asked:
            if isinstance(asked.node, Aggregation):
                for aggregate in asked.node.aggregates:
                    self.aggregate(aggregate, asked.node, known)
            else:
                for reference in asked.node.references:
                    self.reference(reference.name, reference.untimed, bounds, known)

    def aggregate(self, each: Aggregate, literal: Aggregation, known: Mapping[str, Term | None]) -> None:
        """Searches inside of an aggregate: its conditions, and the values it takes."""
        bounds = dict(_bounds(each.inside.opened))
        if each.value is not None:
            name, right = open_name(each.value), literal.right
            number = right.value if isinstance(right, Const) and each.function != "sum" else 0
            if not isinstance(number, str):
                order = literal.operator if literal.operator in _ORDERS else ">="
                bounds.setdefault(name, (order, float(number)))
        columns = (None if isinstance(a, Time) else a for a in each.inside.arguments)
        terms = tuple(Var(open_name(a)) if isinstance(a, Inner) else a for a in columns)
        name = each.inside.predicate if each.inside.predicate in self.rules.inputs else each.inside.relation
        self.reference(name, terms, bounds, known)

    def given(self, each: GivenFacts) -> None:
        """Adds the columns of an input that the query names; they are compared with nothing."""
        seen = [term.name for term in each.columns if isinstance(term, Var) and term.name not in self.places]
        self.facts(
            each.predicate, each.columns, dict.fromkeys(seen, (">=", 0.0)), {n: Var(n) for n in self.places}
        )

    def reference(
        self, name: str, terms: Sequence[Term | None], bounds: Bounds, known: Mapping[str, Term | None]
    ) -> None:
        if name in self.rules.inputs:
            self.facts(name, terms, bounds, known)
        else:
            self.relation(name, tuple(_put(term, known) for term in terms))

    def facts(
        self, name: str, terms: Sequence[Term | None], bounds: Bounds, known: Mapping[str, Term | None]
    ) -> None:
        """Adds the columns of facts that are compared."""
        variables = [(column, term) for column, term in enumerate(terms) if isinstance(term, Var)]
        compared = {column: bounds[term.name] for column, term in variables if term.name in bounds}
        if not compared:
            return
        others = [(c, _put(t, known)) for c, t in enumerate(terms) if c not in compared]
        constants = tuple((c, term.value) for c, term in others if isinstance(term, Const))
        variables = [(c, term) for c, term in others if isinstance(term, Var)]
        key = tuple((c, self.places[term.name]) for c, term in variables if term.name in self.places)
        for column, (operator, number) in compared.items():
            look = Look(name, constants, key, column, operator, number)
            self.looks.setdefault((name, constants, key, column), look)


def _put(term: Term | None, known: Mapping[str, Term | None]) -> Term | None:
    """Replaces a variable by a variable of the answer, a constant, or (None) anything."""
    return known.get(term.name) if isinstance(term, Var) else term


def _bounds(comparisons: Iterable[Comparison]) -> Bounds:
    """The variables that are compared, each with a number, or with 0 if rules do not say which."""
    numbers: dict[str, tuple[str, float]] = {}
    others: dict[str, tuple[str, float]] = {}
    orders = (each for each in comparisons if each.operator in _ORDERS)
    for each in chain.from_iterable((one, one.mirrored) for one in orders):
        one, other = shifted(each.left), shifted(each.right)
        if one is None:
            others.update((name, (each.operator, 0.0)) for name in variables_in([each.left]))
        elif isinstance(one[0], Var):
            right = None if other is None else other[0]
            if isinstance(right, Const) and not isinstance(right.value, str):
                numbers.setdefault(one[0].name, (each.operator, float(right.value - one[1])))
            elif not isinstance(right, Const):
                others.setdefault(one[0].name, (each.operator, 0.0))
    return {**others, **numbers}


LAST = 6  # the number of values of a key that are looked at
OLDEST = 10_000  # values older than this many ticks are not looked at, and need not be kept
NUMBER = LAST + 9  # the number of features of a look
BITS = 8  # the most literals that are a feature each
_MUCH = 1e30  # larger numbers count as this one
_MANY, _SOME = 512, 1024


@dataclass(frozen=True, eq=False)
class LatestValues(RowSet):
    """The values of a look that still count: keys, ticks, arrivals, and distances from the threshold."""

    key: tuple[Column, ...]
    tick: Column
    arrival: Column
    value: Numbers

    def trimmed(self, now: int) -> LatestValues:
        """Drops values that no answer asked after `now` can see."""
        if self.count == 0:
            return self
        (key,) = tables.keys_of([_whole(self.key, self.count)])
        order = self._in_order(key)
        start = np.append(tables.marked(tables.changed(key.take(order))), self.count)
        behind = np.repeat(start[1:], np.diff(start)) - np.arange(self.count)
        kept = order[(behind <= LAST) & (self.tick.take(order) > now - OLDEST)]
        return self.take(np.sort(kept))

    def features(self, key: tuple[Column, ...], tick: Column, operator: str) -> Features:
        """The features of a look, a row for each answer, given their keys and the ticks they are asked at."""
        some = self
        if key and self.count >= _MANY and len(key[0]) * 4 <= self.count:
            # To sort all values for few answers would take long.
            some = self.take(find(self.key[0], tables.distinct(key[0])) >= 0)
        mine, theirs = tables.keys_of([_whole(some.key, some.count), _whole(key, len(tick))])
        number = tables.numbered(np.concatenate([mine, theirs]))[1]
        mine, theirs = number[: some.count], number[some.count :]
        order = some._in_order(mine)
        some, mine = some.take(order), mine.take(order)
        low = int(some.tick.min(initial=0))
        span = int(some.tick.max(initial=0)) - low + 2
        moment = mine * span + (some.tick - low + 1)
        at = np.searchsorted(moment, theirs * span + np.clip(tick - low + 1, 0, span - 1), "right") - 1
        first = np.searchsorted(moment, theirs * span, "left")
        return _features(some, _walked(some, at, first, tick), tick, operator)

    def _in_order(self, key: Column) -> Column:
        """The order by key, tick, arrival and value, whatever order they came in."""
        if self.count == 0:
            return key
        low = key.min(), self.tick.min(), self.arrival.min()
        columns = [key - low[0], self.tick - low[1], self.arrival - low[2]]
        order = tables.in_order(columns)
        same = np.ones(max(self.count - 1, 0), np.bool_)
        for column in columns:
            ordered = column.take(order)
            same &= ordered[1:] == ordered[:-1]
        return np.lexsort([self.value, *reversed(columns)]) if same.any() else order


def no_values(keys: int) -> LatestValues:
    empty = np.zeros(0, np.int64)
    return LatestValues((empty,) * keys, empty, empty, np.zeros(0))


def values_of(look: Look, facts: Mapping[str, Facts], values: Values, of: Values) -> LatestValues:
    """The values of a look in new facts, whose cells are of the values `of` the engine."""
    given = facts.get(look.predicate)
    if given is None or given.count == 0:
        return no_values(len(look.key))
    number = of.numbers(given.columns[look.column])
    fits = ~np.isnan(number)
    for column, value in look.constants:
        fits &= values.recoded(given.columns[column], of) == values.cell(value)
    at = tables.marked(fits)
    beyond = np.clip(number.take(at) - look.threshold, -_MUCH, _MUCH)
    key = tuple(values.recoded(given.columns[column].take(at), of) for column, _ in look.key)
    return LatestValues(key, given.time.take(at), given.arrival.take(at), beyond)


def _features(values: LatestValues, at: Column, tick: Column, operator: str) -> Features:
    """The features of answers, given the rows of the last values of each, the newest first (-1: none).

    The values (the last one repeated where some are missing), their mean and deviation; how many of the
    newest in a row meet the comparison (below 0: fail it); the differences of the newest from the two before;
    the ages of the newest, second and last; the number of values.
    """
    there, known = at >= 0, (at >= 0).sum(axis=1)
    last = np.maximum(known - 1, 0)[:, None]
    at = np.take_along_axis(at, np.minimum(np.arange(LAST)[None, :], last), axis=1)
    value = np.where(at >= 0, np.append(values.value, 0.0).take(at), 0.0)
    age = np.where(at >= 0, tick[:, None] - np.append(values.tick, 0).take(at), -1)
    count = np.maximum(known, 1)
    mean = (value * there).sum(axis=1) / count
    deviation = np.sqrt((((value - mean[:, None]) ** 2) * there).sum(axis=1) / count)
    beyond = HOLDS[operator](value, 0)
    above = np.cumprod(beyond & there, axis=1).sum(axis=1)
    below = np.cumprod(~beyond & there, axis=1).sum(axis=1)
    found = [value, mean, deviation, above - below, value[:, 0] - value[:, 1], value[:, 0] - value[:, 2]]
    ages = np.log1p(np.maximum(np.stack([age[:, 0], age[:, 1], age[:, -1]], axis=1), 0))
    columns: Features = np.column_stack([*found, ages, known])
    return columns.astype(np.float32)


def _walked(some: LatestValues, at: Column, first: Column, tick: Column) -> Column:
    """Walks from each position back to the first for the last values that have arrived by a tick."""
    found = np.full((len(at), LAST), -1)
    count, at, active = np.zeros(len(at), np.int64), at.copy(), tables.marked(at >= first)
    while len(active):
        here, asked = at.take(active), tick.take(active)
        fresh = some.tick.take(here) > asked - OLDEST
        came = fresh & (some.arrival.take(here) <= asked)
        rows = active[came]
        found[rows, count.take(rows)] = here[came]
        count[rows] += 1
        at[active] -= 1
        active = active[fresh & (count.take(active) < LAST) & (at.take(active) >= first.take(active))]
    return found


def _whole(key: tuple[Column, ...], count: int) -> list[Column]:
    """The columns of keys; a column of zeros where there are none."""
    return [*key] or [np.zeros(count, np.int64)]


# ---- features of answers ----


DAY = 24 * 60 * 60 * 1_000_000  # microseconds


@dataclass(frozen=True, eq=False)
class QueryFeatures:
    """The features of a query's answers, with the latest values of its looks."""

    looks: tuple[Look, ...]
    literals: int  # so many of the first literals of its patterns are a feature each
    ends: Column  # the tick, counted from the answer's, up to which each pattern counts
    timescale: Timescale | None
    latest: tuple[LatestValues, ...]
    trimmed: int = 0  # how many values the last trim left

    @property
    def width(self) -> int:
        return len(self.topics)

    @property
    def cycles(self) -> int:
        """So many of the first features are the calendar."""
        return 4 * HARMONICS if self.timescale else 0

    @property
    def topics(self) -> tuple[str, ...]:
        """The subject of each feature, in words."""
        cycles = [*["the time of day"] * HARMONICS, *["the day of the week"] * HARMONICS]
        return (
            *(cycles * 2 if self.timescale else ()),
            *["which literals are true"] * self.literals,
            *["the rule"] * min(len(self.ends) - 1, BITS),
            *("how far it has come", "its age", *["the ticks that are left"] * 2),
            *(f"the latest values of {look.predicate}" for look in self.looks for _ in range(NUMBER)),
        )

    def with_facts(self, facts: Mapping[str, Facts], values: Values, of: Values) -> QueryFeatures:
        """Adds a step's new facts, whose cells are of the values `of` the engine."""
        pairs = zip(self.looks, self.latest, strict=True)
        latest = tuple(
            known.and_then(values_of(look, facts, values, of)) if look.predicate in facts else known
            for look, known in pairs
        )
        return replace(self, latest=latest)

    def of(self, rows: AnswerRows) -> Features:
        """The features of answers, a row for each."""
        stage = np.where(rows.stage == NO_STAGE, 0, rows.stage)
        bits = [stage >> bit & 1 for bit in range(self.literals)]
        reached = stage >> LITERALS & ((1 << PATTERN - LITERALS) - 1)
        pattern, age = pattern_of(stage), rows.tick - rows.answer[-1]
        left = self.ends.take(pattern) - age
        patterns = [pattern == number for number in range(1, min(len(self.ends), BITS + 1))]
        own = [*bits, *patterns, reached, age, left, np.log1p(np.maximum(left, 0))]
        parts = [] if self.timescale is None else [_calendar(rows.tick, self.timescale)]
        parts.append(np.column_stack(own).astype(np.float32))
        for look, known in zip(self.looks, self.latest, strict=True):
            key = tuple(rows.answer[place] for _, place in look.key)
            parts.append(known.features(key, rows.tick, look.operator))
        return np.concatenate(parts, axis=1)

    def unknown(self, count: int) -> Features:
        """The features of answers where nobody asks for them."""
        return np.zeros((count, self.width), np.float32)

    def after(self, now: int) -> QueryFeatures:
        """Drops values that nothing asked after `now` can see, if there are many by now."""
        if sum(each.count for each in self.latest) < 2 * self.trimmed + _SOME:
            return self
        latest = tuple(each.trimmed(now) for each in self.latest)
        return replace(self, latest=latest, trimmed=sum(each.count for each in latest))


def _calendar(tick: Column, timescale: Timescale) -> Features:
    """The harmonics of the day and the week, by the clocks of the zone."""
    different, which = tables.numbered(tick)
    time = different * timescale.length - timescale.ahead
    if not timescale.of_days and timescale.zone != DEFAULT_ZONE:
        time = time + np.array([timescale.offset(each) for each in different.tolist()], np.int64)
    turns = 2 * np.pi * np.arange(1, HARMONICS + 1)
    angles = np.concatenate([np.outer(time / DAY % 1, turns), np.outer(time / DAY / 7 % 1, turns)], axis=1)
    found: Features = np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
    return found.take(which, axis=0)


def features_of(plan: Plan, query: str) -> QueryFeatures:
    """The features of a query's answers before the first fact."""
    looks, patterns = looks_of(plan, query), prepared(plan).patterns[query]
    literals = max((len(each.literals) for each in patterns), default=0)
    ends = np.array([each.counts_until for each in patterns] or [0], np.int64)
    latest = tuple(no_values(len(look.key)) for look in looks)
    return QueryFeatures(looks, min(literals, BITS), ends, plan.timescale, latest)
