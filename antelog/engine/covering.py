"""How literals of one derivation may become those of another, by giving its open variables values.

What follows from the rules alone is worked out once for two shapes of derivations: which literals
may become which together, and what has to be the same, or to hold, in two rows for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, product
from typing import TypeAlias

from antelog.compile.comparisons import mirrored
from antelog.compile.ordering import follows
from antelog.compile.plan import Comparison, Const, StaticAtom, Time, Var
from antelog.compile.subsume import Matching
from antelog.engine.layout import Layout, variable_of
from antelog.engine.shapes import AnyTerm, Condition, Shape

Pair: TypeAlias = tuple[AnyTerm, AnyTerm]
Asked: TypeAlias = tuple[Condition, Mapping[str, AnyTerm]]
"""A condition, and the variables in it of which the other row has the values."""

_WAYS = 1_000
"""More ways than this for literals to become others are not looked at."""


@dataclass(frozen=True)
class Way:
    """What two rows have to meet for literals of the one to become some of the other.

    Terms of `both` have the same values, so have two terms each of the other alone (`its`), and
    conditions of the one hold with what its open variables become. What is `named` is no exception.
    """

    both: tuple[Pair, ...]
    its: tuple[Pair, ...]
    conditions: tuple[Asked, ...]
    named: Mapping[str, AnyTerm]


@lru_cache(maxsize=65_536)
def ways(one: Shape, other: Shape, hypotheses: bool) -> tuple[tuple[Way, ...], ...]:
    """How the hypotheses (or the evidence) of the one may become some of the other's.

    For literals that share open variables, or conditions on them, all ways in which they may together.
    """
    found = []
    apart = one.unnamed if one.layout is not other.layout else frozenset[str]()
    for group in _groups(one, hypotheses, apart):
        choices = [
            [
                pairs
                for j in other.part(i in one.hypotheses)
                if (pairs := facing(one, i, other, j)) is not None
            ]
            for i in group
        ]
        together = (_way(one, other, [*chain(*chosen)]) for chosen in islice(product(*choices), _WAYS))
        found.append(tuple(way for way in together if way is not None))
    return tuple(found)


def _groups(one: Shape, hypotheses: bool, apart: frozenset[str]) -> Iterator[list[int]]:
    """Literals that share variables that may become something, be it by conditions on several of them.

    With them go those that say something of variables that stay `apart`: no two of these become one.
    """
    groups: list[tuple[frozenset[str], list[int]]] = []
    shared = (one.free - one.layout.answered) | apart
    part = one.part(hypotheses)
    others = [i for i in one.part(not hypotheses) if one.variables(i) & apart]
    literals = ((one.variables(i), [i]) for i in (*part, *others))
    conditions = ((names, list[int]()) for _, names in one.conditions)
    for names, members in chain(literals, conditions):
        ties = names & shared | (apart if names & apart else frozenset())
        near = [group for group in groups if group[0] & ties]
        groups = [group for group in groups if not group[0] & ties]
        groups.append((ties.union(*(known for known, _ in near)), [*chain(members, *(m for _, m in near))]))
    return (sorted(members) for _, members in groups if not set(part).isdisjoint(members))


def facing(one: Shape, i: int, other: Shape, j: int, exactly: bool = False) -> list[Pair] | None:
    """The terms that face each other where one literal becomes another; None if it never does.

    It becomes it by giving variables values, if it need not be it `exactly`.
    """
    literal, opposite = one.layout.literals[i], other.layout.literals[j]
    if type(literal) is not type(opposite) or literal.predicate != opposite.predicate:
        return None
    found: list[Pair] = []
    for a, b in zip((*literal.arguments, literal.time), (*opposite.arguments, opposite.time), strict=True):
        if a is None or b is None:
            if a is not b:
                return None
        elif not exactly and variable_of(a) in one.free:
            if not _may_become(a, one, b, other) or not _has_value(a, one, b, other):
                return None
            found.append((a, b))
        elif one.is_open(a) != other.is_open(b):
            return None
        elif one.is_open(a):
            if not _are_one(a, one, b, other):
                if not _may_be_one(a, one, b, other):
                    return None
                found.append((a, b))
        elif _differ(a, one, b, other):
            return None
        else:
            found.append((a, b))
    return found


def _differ(a: AnyTerm, one: Shape, b: AnyTerm, other: Shape) -> bool:
    """Whether two terms have different values in all derivations of the same answer."""
    if isinstance(a, Const) and isinstance(b, Const):
        return a != b
    if not (isinstance(a, Time) and isinstance(b, Time)):
        return False
    here, there = _distance(a, one), _distance(b, other)
    return here is not None and there is not None and here != there


def _distance(time: Time, shape: Shape) -> int | None:
    """How far a time is from that of the answer, if that is known."""
    answer = shape.layout.pattern.time
    tied = time.variable is not None and time.variable == answer.variable and not shape.is_open(time)
    return time.offset - answer.offset if tied else None


def _way(one: Shape, other: Shape, pairs: Sequence[Pair]) -> Way | None:
    """What has to be met for terms that face each other; None if it cannot."""
    both, its = list[Pair](), list[Pair]()
    unnamed = dict[str, AnyTerm]()
    became = {name: term for name, term in _answered(one.layout, other.layout).items() if name in one.free}
    for a, b in pairs:
        name, image = variable_of(a), _image(a, b)
        if name is not None and one.is_open(a) and name not in one.free:
            if unnamed.setdefault(name, image) != image:
                return None
            continue
        if name not in one.free or name is None:
            both.append((a, b))
            continue
        if isinstance(image, Time) and image.variable is None and image.offset < 0:
            return None
        before = became.setdefault(name, image)
        if before != image and (other.is_open(before) or other.is_open(image)):
            return None
        if before != image:
            its.append((before, image))
    if len(set(unnamed.values())) < len(unnamed):
        return None
    asked = list[Asked]()
    for condition, names in (*one.conditions, *_begins(became)):
        if not names - one.bound <= became.keys():
            continue  # it is about other literals, or what it is about is not free
        images = {name: became[name] for name in names - one.bound}
        if not any(map(other.is_open, images.values())):
            asked.append((condition, images))
            continue
        known = _known_by_both(one, other, names & one.bound)
        if known is None or not _follows(condition, other, {**images, **known}):
            return None
        _as_met(condition, one.layout, known.keys() - one.layout.answered, both, asked)
    named = {
        name: term for name, term in became.items() if name in one.layout.denied and not other.is_open(term)
    }
    return Way(tuple(both), tuple(its), tuple(asked), named)


def staying(one: Shape, other: Shape) -> Way | None:
    """What two rows have to meet so that the other asks all that the one asks of variables that stay open.

    None if it does not.
    """
    tied = [(condition, names) for condition, names in one.conditions if not names - one.bound <= one.free]
    if one.layout is not other.layout:
        asked = tied or any(map(one.is_open, (c.left for c in one.layout.same)))
        return None if asked else Way((), (), (), {})
    if any(names & one.bound != names & other.bound for _, names in tied):
        return None
    both, less = list[Pair](), list[Asked]()
    for condition, names in tied:
        _as_met(condition, one.layout, names & one.bound, both, less)
    return Way(tuple(dict.fromkeys(both)), (), tuple(less), {})


def _as_met(
    condition: Condition, layout: Layout, names: AbstractSet[str], both: list[Pair], less: list[Asked]
) -> None:
    """What two rows of a pattern have to meet so that, if the other meets a condition, so does the one.

    They have the same values of variables in it, those with these names, or the one has some it asks less of.
    """
    for term in map(layout.variable, sorted(names)):
        side = condition
        if isinstance(condition, Comparison) and variable_of(condition.left) != variable_of(term):
            side = mirrored(condition)
        operator = side.operator.removesuffix("=") if isinstance(side, Comparison) else ""
        if operator in ("<", ">"):
            its = Time(f"{term.variable}'", 0) if isinstance(term, Time) else Var(f"{term.name}'")
            less.append((Comparison(term, f"{operator}=", its), {str(variable_of(its)): term}))
        else:
            both.append((term, term))


def _begins(became: Mapping[str, AnyTerm]) -> Iterator[tuple[Condition, frozenset[str]]]:
    """Where times begin that become others minus some ticks."""
    for name, image in became.items():
        if isinstance(image, Time) and image.offset < 0:
            yield Comparison(Time(name, 0), ">=", Time(None, 0)), frozenset({name})


def _may_become(term: AnyTerm, one: Shape, opposite: AnyTerm, other: Shape) -> bool:
    """Whether a term with a free variable may become one of the other: what is answered, if it is that."""
    return variable_of(term) not in one.layout.answered or _alike(term, one, opposite, other)


def _has_value(term: AnyTerm, one: Shape, opposite: AnyTerm, other: Shape) -> bool:
    """Whether a term with a free variable may become one of the other as far as it may have exceptions."""
    if variable_of(term) not in one.layout.denied or not other.is_open(opposite):
        return True
    return _are_one(term, one, opposite, other)


def _are_one(term: AnyTerm, one: Shape, opposite: AnyTerm, other: Shape) -> bool:
    """Whether two terms with open variables are the same: in one pattern, or by what is answered."""
    if one.layout is other.layout:
        return term == opposite
    alike = _alike(term, one, opposite, other) and _alike(opposite, other, term, one)
    return alike and _begins_no_later(term, one, opposite, other)


def _may_be_one(term: AnyTerm, one: Shape, opposite: AnyTerm, other: Shape) -> bool:
    """Whether two terms with open variables of different patterns may be the same."""
    unnamed = variable_of(term) in one.unnamed and variable_of(opposite) in other.unnamed
    return unnamed and one.layout is not other.layout and _begins_no_later(term, one, opposite, other)


def _begins_no_later(term: AnyTerm, one: Shape, opposite: AnyTerm, other: Shape) -> bool:
    """Whether a time may be all that another one may be; values may."""
    if not (isinstance(term, Time) and isinstance(opposite, Time) and term.variable and opposite.variable):
        return True
    begin, its = one.layout.begin(term.variable), other.layout.begin(opposite.variable)
    return begin + term.offset <= its + opposite.offset


def _alike(term: AnyTerm, one: Shape, opposite: AnyTerm, other: Shape) -> bool:
    """Whether the other has in its answer what a variable of the one's becomes, if the terms are the same."""
    name = variable_of(term)
    return name is not None and _answered(one.layout, other.layout).get(name) == _image(term, opposite)


def _image(term: AnyTerm, opposite: AnyTerm) -> AnyTerm:
    """What the variable of a term becomes, if the term becomes another."""
    if isinstance(term, Time) and isinstance(opposite, Time):
        return opposite + -term.offset
    return opposite


@lru_cache(maxsize=4096)
def _answered(one: Layout, other: Layout) -> Mapping[str, AnyTerm]:
    """What the other has in the answer in place of variables of the one, if that is one term."""
    mine, its = one.pattern, other.pattern
    terms: list[Pair] = [*zip(mine.answer, its.answer, strict=True), (mine.time, its.time)]
    pairs = {(name, _image(a, b)) for a, b in terms if (name := variable_of(a)) is not None}
    names = [name for name, _ in pairs]
    return {name: image for name, image in pairs if names.count(name) == 1}


def _known_by_both(one: Shape, other: Shape, names: frozenset[str]) -> Mapping[str, AnyTerm] | None:
    """What the other has in place of variables that the one binds; None if that is not plain to see.

    What is answered is the same. So must be what is not, by the same pattern.
    """
    found = dict(_answered(one.layout, other.layout))
    for name in names - found.keys():
        if one.layout is not other.layout or name not in other.bound:
            return None
        found[name] = one.layout.variable(name)
    return {name: found[name] for name in sorted(names)}


def _follows(condition: Condition, other: Shape, images: Mapping[str, AnyTerm]) -> bool:
    """Whether a condition, with variables replaced, is one of the other's or follows from these."""
    matching, pattern = Matching(), other.layout.pattern
    for name, term in images.items():
        if isinstance(term, Time):
            matching.bind_time(name, term)
        else:
            matching.bind_object(name, term)
    if isinstance(condition, StaticAtom):
        return matching.image(condition) in pattern.statics
    earliest = {each.variable: each.tick for each in pattern.earliest}
    return follows(matching.comparison(condition), pattern.comparisons, earliest)
