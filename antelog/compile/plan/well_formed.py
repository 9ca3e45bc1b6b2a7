"""Whether a plan is one that the compiler can have made; for one that comes from elsewhere.

In comes a plan that was read from a file, so that it has the right fields. That the predicates it names are
there, have so many arguments and the right types, that variables have values, and that bounds and levels
follow from its patterns, is looked at here; out goes nothing, or PlanError with what is wrong. What works
with plans takes all that for granted.

    P: A(X, T) where A has three columns: a pattern of P does not fit
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.comparison import HOLDS, Comparison
from antelog.compile.literals.terms import Const, Sum, Term, Time, Var, variables_in
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Input, Plan, Relation, Static, StaticRule
from antelog.compile.plan.assembling import completed
from antelog.errors import PlanError
from antelog.language.epochs import UNITS

_FAR = 2**55
"""No time is so far from another: a program has numbers up to 2^53."""

Types = Sequence[str | None]
Terms = Sequence[Term | None]


def check(plan: Plan) -> None:
    """Raises PlanError, with what is wrong, if the compiler cannot have made the plan."""
    wrong = next(_Complaints(plan).all(), None)
    if wrong is None and completed(plan) != plan:
        wrong = "its bounds are not those of its patterns"
    if wrong is not None:
        raise PlanError(f"this is not a plan that antelog wrote: {wrong}")


def _kind(value: object) -> str:
    return "text" if isinstance(value, str) else "number"


def _once(names: Iterable[str]) -> bool:
    names = list(names)
    return len(set(names)) == len(names) and "" not in names


def _fits(values: Sequence[object], types: Types) -> bool:
    """Whether constants, or None for whatever is there, can be arguments of these types."""
    return len(values) == len(types) and all(
        value is None or type_ in (None, _kind(value)) for value, type_ in zip(values, types, strict=True)
    )


def _near(*ticks: int | float | None) -> bool:
    return all(tick is None or abs(tick) <= _FAR for tick in ticks)


class _Complaints:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._inputs: Mapping[str, Types] = {each.name: each.types for each in plan.inputs}
        self._statics: Mapping[str, Types] = {each.name: each.types for each in plan.statics}
        self._relations: Mapping[str, Types] = {each.name: each.answer.types for each in plan.relations}

    def all(self) -> Iterator[str]:
        """What is wrong; the later ones rest on the first being right."""
        plan = self._plan
        if not _once([*self._inputs, *self._statics]) or len(self._relations) < len(plan.relations):
            yield "a name stands for two predicates"
        if len(self._inputs) < len(plan.inputs) or len(self._statics) < len(plan.statics):
            yield "a name stands for two predicates"
        for relation in plan.relations:
            if relation.alert is not None and not (relation.asked and 0 < relation.alert <= 1):
                yield f"{relation.name} has an alert that no query can have"
        if plan.tick is not None and not 0 < plan.tick <= _FAR:
            yield "its ticks have no length"
        if not all(each.input in self._inputs and each.unit in UNITS for each in plan.units):
            yield "the unit of some times does not fit"
        if not _once(each.input for each in plan.units) or (plan.units and plan.tick is None):
            yield "some times have a unit that no program can say"
        own = [*self._inputs.values(), *self._statics.values(), *self._relations.values()]
        if not {None, "text", "number"}.issuperset(chain(*own)):
            yield "a column has an unknown type"
        yield from (
            f"the input {each.name} is not well formed" for each in plan.inputs if not _is_input(each)
        )
        yield from (
            f"the static predicate {each.name} is not well formed"
            for each in plan.statics
            if not _is_static(each)
        )
        for rule in plan.static_rules:
            if not self._is_rule(rule):
                yield f"a static rule for {rule.predicate} does not fit"
        for relation in plan.relations:
            answer = relation.answer
            if len(answer.types) != len(answer.variables) or not _once(answer.variables):
                yield f"{relation.name} lacks a type for some of its variables"
        for relation in plan.relations:
            if not all(self._is_pattern(pattern, relation) for pattern in relation.patterns):
                yield f"a pattern of {relation.name} does not fit"

    def _is_rule(self, rule: StaticRule) -> bool:
        types = self._statics.get(rule.predicate)
        body = [each for each in rule.literals if isinstance(each, StaticAtom)]
        comparisons = [each for each in rule.literals if isinstance(each, Comparison)]
        uses = [*self._uses_of_statics(body), (rule.answer, types)]
        named = variables_in(term for each in body if not each.negated for term in each.arguments)
        used = variables_in(rule.answer) | _compared(comparisons)
        return (
            _agree(uses)
            and used <= named
            and all(_compares(each, uses) and not _of_times(each) for each in comparisons)
        )

    def _is_pattern(self, pattern: Pattern, relation: Relation) -> bool:
        uses = [*self._uses_of_statics(pattern.statics), (pattern.answer, relation.answer.types)]
        for each in (reference for literal in pattern.stated for reference in literal.references):
            types = (self._inputs if each.of_input else self._relations).get(each.name)
            uses.append((each.asked, types))
        named = variables_in(term for literal in pattern.stated for term in literal.terms)
        named |= pattern.given
        objects = named | _compared(pattern.comparisons)
        times = list(pattern.times)
        times += [s for c in pattern.comparisons for s in (c.left, c.right) if isinstance(s, Time)]
        clocks = {time.variable for time in times} | {each.variable for each in pattern.earliest}
        return (
            _agree(uses)
            and variables_in(pattern.answer) <= named
            and not objects & clocks
            and "" not in objects | clocks
            and (relation.answer.time is not None or pattern.time.variable is None)
            and all(_compares(each, uses) for each in pattern.comparisons)
            and _near(*(time.offset for time in times), *(each.tick for each in pattern.earliest))
        )

    def _uses_of_statics(self, atoms: Iterable[StaticAtom]) -> list[tuple[Terms, Types | None]]:
        return [(atom.arguments, self._statics.get(atom.predicate)) for atom in atoms]


def _is_input(source: Input) -> bool:
    delays = (source.delay, *(each.delay for each in source.refinements))
    return (
        len(source.types) == len(source.columns) - 1
        and _once(source.columns)
        and all(0 <= delay <= _FAR for delay in delays)
        and all(_fits(each.pattern, source.types) for each in source.refinements)
        and all(_fits(each.pattern, source.types) for each in source.chances)
        and all(0 <= chance <= 1 for each in source.chances for chance in (each.once, each.again))
        and _are_shares(source.shares, source.delay)
        and all(_are_shares(each.shares, each.delay) for each in source.refinements)
        and (source.slot is None or set(source.slot) <= set(range(len(source.types))))
    )


def _are_shares(shares: Sequence[float] | None, delay: int) -> bool:
    """Whether shares are one for each tick of a delay, and no more than all facts, but for rounding."""
    return shares is None or (
        len(shares) == delay + 1
        and all(0 <= share <= 1 for share in shares)
        and math.fsum(shares) <= 1 + 1e-9
    )


def _is_static(static: Static) -> bool:
    return _once(static.columns) and all(
        _fits(row, static.types) and len(row) == len(static.columns) for row in static.facts
    )


def _agree(uses: Iterable[tuple[Terms, Types | None]]) -> bool:
    """Whether each predicate is there, with so many arguments, and each variable has one type."""
    found: dict[str, str | None] = {}
    for terms, types in uses:
        constants = [term.value if isinstance(term, Const) else None for term in terms]
        if types is None or not _fits(constants, types):
            return False
        for term, type_ in zip(terms, types, strict=True):
            if isinstance(term, Var) and found.setdefault(term.name, type_) != type_:
                return False
    return True


def _compared(comparisons: Iterable[Comparison]) -> set[str]:
    """The object variables of comparisons."""
    return {name for each in comparisons if not _of_times(each) for name in each.variables}


def _of_times(comparison: Comparison) -> bool:
    return isinstance(comparison.left, Time) and isinstance(comparison.right, Time)


def _compares(comparison: Comparison, uses: Iterable[tuple[Terms, Types | None]]) -> bool:
    """Whether two times are compared, or two values that are there; something is added to numbers only."""
    sides = (comparison.left, comparison.right)
    if comparison.operator not in HOLDS or len({isinstance(side, Time) for side in sides}) > 1:
        return False
    types = {
        term.name: type_
        for terms, own in uses
        for term, type_ in zip(terms, own or (), strict=False)
        if isinstance(term, Var)
    }
    sums = [side for side in sides if isinstance(side, Sum)]
    return _compared([comparison]) <= types.keys() and all(
        types[each.variable] == "number" and _near(each.offset) for each in sums
    )
