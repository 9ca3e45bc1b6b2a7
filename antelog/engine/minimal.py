"""Which derivations of an answer are worth telling: those that no other makes needless.

One derivation makes another needless if its hypotheses are a strict subset of the other's, or
the same and its evidence is a strict subset. A hypothesis with open variables covers every
literal it can become; where it has to become one of the other's, the hypotheses are the same.

An answer may have thousands of derivations, so not every one is compared with every other.
Those of a pattern with the same literals true form a *kind*. From the rules alone follows which
kinds can make which needless, and in which columns two derivations must agree for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from antelog.compile.plan import Comparison, Time
from antelog.compile.subsume import variables_in
from antelog.engine.candidates import Candidates
from antelog.engine.comparing import holds
from antelog.engine.covering import Pair, Way, facing, staying, ways
from antelog.engine.layout import variable_of
from antelog.engine.match import Rows, agrees, term_column, time_column
from antelog.engine.moments import Moments, Views
from antelog.engine.shapes import AnyTerm, Condition, Shape, shape_of, valued
from antelog.engine.tables import Column, Mask, distinct, find, keys_of, marked, numbered, pairs
from antelog.engine.truth import Derivations
from antelog.engine.values import Values
from antelog.engine.world import World

_NO_PAIRS = np.zeros(0, np.int64), np.zeros(0, np.int64)


def minimal(world: World, found: Candidates, at: Moments, seen: Views) -> tuple[Mask, Mask]:
    """For each view, whether it is told: alive, not needless, and not said with another of its moment.

    And whether it is needed at all, be it said with another.
    """
    keep = seen.alive.copy()
    if found.by_answer.count == len(found.number):
        return keep, keep  # each answer has one derivation
    done = np.zeros(len(at.tick), np.bool_)
    done[at.view_at[seen.complete]] = True
    keep &= seen.complete | ~done[at.view_at]
    crowded = np.bincount(at.view_at.take(marked(keep)), minlength=len(at.tick)) > 1
    rivals = marked(keep & crowded.take(at.view_at))
    if len(rivals) == 0:
        return keep, keep
    kinds = list(_kinds(found, at, rivals))
    made_one, instances = [_NO_PAIRS], [_NO_PAIRS]
    for number, opposite in _meeting(kinds):
        one, other = kinds[number], kinds[opposite]
        here, there, less = _rivalling(world, found, one, other)
        keep[other.view[there[less]]] = False
        if number < opposite or len(one.block.layout.literals) > len(other.block.layout.literals):
            made_one.append(_made_one(found, one, other, seen.merged, world.values))
        instances.append((one.view[here[~less]], other.view[there[~less]]))
    left = [kind.those(keep) for kind in kinds]
    for number, opposite in _meeting(left):
        one, other = left[number], left[opposite]
        here, there, less = _given_values(world, found, one, other)
        keep[other.view[there[less]]] = False
        general, instance = one.view[here[~less]], other.view[there[~less]]
        # What speaks for a general one may have exceptions that this has not.
        told = (seen.shown[general] >= seen.shown[instance]) & (seen.beside[general] >= seen.beside[instance])
        instances.append((general[told], instance[told]))
    needed = keep.copy()
    # An instance is said with what it is one of, if that is not needless itself.
    for found_so in (made_one, instances):
        general, instance = (np.concatenate(parts) for parts in zip(*found_so, strict=True))
        keep[instance[keep[general]]] = False
    return keep, needed


@dataclass(frozen=True, eq=False)
class _Kind:
    """The views of a block with the same literals true: their numbers, rows and moments."""

    block: Derivations
    shape: Shape
    view: Column
    row: Column
    moment: Column
    derivation: Column
    then: Column

    def those(self, mask: Mask) -> _Kind:
        """With some views alone."""
        at = marked(mask[self.view])
        columns = (self.view, self.row, self.moment, self.derivation, self.then)
        return _Kind(self.block, self.shape, *(column.take(at) for column in columns))


def _kinds(found: Candidates, at: Moments, rivals: Column) -> Iterator[_Kind]:
    for b, block in enumerate(found.blocks):
        views = at.views(found, b)
        first, last = np.searchsorted(rivals, [views.start, views.stop])
        view = rivals[first:last]
        if len(view) == 0:
            continue
        row = at.view_of[view] - found.starts[b]
        true = block.holds[:, row] <= at.then[view]
        some = len(block.layout.literals)
        (key,) = keys_of([list(true.astype(np.int64))]) if some else [np.zeros(len(view), np.int64)]
        different, which = numbered(key)
        for number in range(len(different)):
            these = marked(which == number)
            held = true[:, these[0]]
            evidence, hypotheses = (tuple(marked(part).tolist()) for part in (held, ~held))
            shape = shape_of(block.layout, frozenset(block.rows.bound), evidence, hypotheses)
            mine, moment = view[these], at.view_at[view[these]]
            yield _Kind(block, shape, mine, row[these], moment, at.view_of[mine], at.tick[moment])


def _meeting(kinds: list[_Kind]) -> Iterator[tuple[int, int]]:
    """The pairs of kinds that some moment has views of."""
    moment = np.concatenate([distinct(kind.moment) for kind in kinds])
    number = np.repeat(np.arange(len(kinds)), [len(distinct(kind.moment)) for kind in kinds])
    here, there = pairs(moment, moment)
    together = distinct(number[here] * len(kinds) + number[there])
    for pair in together.tolist():
        yield divmod(pair, len(kinds))


def _rivalling(world: World, found: Candidates, one: _Kind, other: _Kind) -> tuple[Column, Column, Mask]:
    """Pairs of a view of the one kind and a view of the other that it makes needless: for it asks for less.

    Or, if not, for the other is an instance of it.
    """
    here, there = _NO_PAIRS if _alike(one, other) else _covered(world, found, one, other)
    if len(here) == 0:
        return here, there, np.zeros(0, np.bool_)
    same = _within(world, found, other, one, there, here, hypotheses=True)
    less = _within(world, found, one, other, here, there, hypotheses=False)
    equal = _within(world, found, other, one, there, here, hypotheses=False)
    # What may become others may become the same as other hypotheses: it has fewer only if there are fewer.
    fewer = (less | ~same) & (_more(one, here, other, there, world.values, hypotheses=True) > 0)
    beats = fewer | (less & ~equal)
    at = marked(beats | (~same & less))
    return here.take(at), there.take(at), beats.take(at)


def _given_values(world: World, found: Candidates, one: _Kind, other: _Kind) -> tuple[Column, Column, Mask]:
    """The same where what negated literals of the one leave open has values which are no exceptions."""
    nothing = *_NO_PAIRS, np.zeros(0, np.bool_)
    # What has no evidence is not told anyway.
    if not other.shape.evidence or not one.shape.may_be_given_values(other.shape):
        return nothing
    one = replace(one, shape=valued(one.shape))
    met = ways(one.shape, other.shape, hypotheses=True)
    if not all(met) or not any(way.named for together in met for way in together):
        return nothing
    here, there = _covered(world, found, one, other)
    if len(here) == 0:
        return nothing
    more = _more(one, here, other, there, world.values, hypotheses=True)
    less = _within(world, found, one, other, here, there, hypotheses=False)
    besides = _more(one, here, other, there, world.values, hypotheses=False)
    beats = (more > 0) | ((more == 0) & less & (besides > 0))
    at = marked(beats | ((more == 0) & less & (besides == 0)))
    return here.take(at), there.take(at), beats.take(at)


def _covered(world: World, found: Candidates, one: _Kind, other: _Kind) -> tuple[Column, Column]:
    """Pairs of a view of the one kind and a view of the other that waits for all the one waits for."""
    hypotheses = bool(one.shape.hypotheses or other.shape.hypotheses)
    met = ways(one.shape, other.shape, hypotheses)
    further = staying(one.shape, other.shape)
    if further is None or not all(met):
        return _NO_PAIRS
    keys = [[one.moment], [other.moment]]
    agreeing = [pair for found_ways in met if len(found_ways) == 1 for pair in found_ways[0].both]
    for term, opposite in (*agreeing, *further.both):
        keys[0].append(_column(term, one, one.row, world.values))
        keys[1].append(_column(opposite, other, other.row, world.values))
    here, there = pairs(*keys_of(keys))
    here, there = _those(one.view.take(here) != other.view.take(there), here, there)
    if further.conditions:
        asked = _is_way(world, further, one, other, one.row.take(here), other.row.take(there), {})
        here, there = _those(asked, here, there)
    return _those(_within(world, found, one, other, here, there, hypotheses=True), here, there)


def _those(mask: Mask, here: Column, there: Column) -> tuple[Column, Column]:
    return (here, there) if mask.all() else (here[mask], there[mask])


def _made_one(
    found: Candidates, one: _Kind, other: _Kind, merged: Mask | None, values: Values
) -> tuple[Column, Column]:
    """Pairs of a view of the one kind and a view of the other that says the same, of no more literals."""
    mine, its = one.block.layout, other.block.layout
    if mine is its or its.by is None or its.origin != mine.origin:
        return _NO_PAIRS
    number = {literal: j for j, literal in enumerate(its.literals)}
    became = [number.get(its.by.literal(literal)) for literal in mine.literals]
    if set(became) != set(range(len(its.literals))):
        return _NO_PAIRS
    if any((j in other.shape.evidence) != (i in one.shape.evidence) for i, j in enumerate(became)):
        return _NO_PAIRS
    bound = one.block.rows.bound.keys()
    images: dict[str, AnyTerm] = {
        name: its.by.time(term) if isinstance(term := mine.variable(name), Time) else its.by.term(term)
        for name in sorted(bound | mine.denied)
    }
    keys, known = [[one.moment], [other.moment]], set()
    for name in bound:
        if other.shape.is_open(images[name]):
            return _NO_PAIRS
        known.add(variable_of(images[name]))
        keys[0].append(_column(mine.variable(name), one, one.row, values))
        keys[1].append(_column(images[name], other, other.row, values))
    here, there = pairs(*keys_of(keys))
    # What is an exception of a general one, that does not say.
    given = {n: image for n, image in images.items() if n not in bound and not other.shape.is_open(image)}
    if given:
        row = other.row.take(there)
        has = {name: _column(image, other, row, values) for name, image in given.items()}
        here, there = _those(~_are_excepted(found, one, here, has, wholly=True), here, there)
    general, instance = one.view[here], other.view[there]
    if not known.issuperset(other.block.rows.bound):
        # What is said of all values is said of those that are no exceptions.
        same = merged[instance] if merged is not None else np.zeros(len(instance), np.bool_)
        return general[same], instance[same]
    if len(one.shape.open) == len(other.shape.open):
        # Both say it of the same values, and what speaks for the one of more literals may be needless.
        return instance, general
    if merged is not None and mine.denied - one.block.rows.bound.keys():
        # What speaks for a general one may have exceptions that this has not.
        return _those(~merged[general] | merged[instance], general, instance)
    return general, instance


def _alike(one: _Kind, other: _Kind) -> bool:
    """Whether the kinds are one, and its literals can only become those in the same place.

    Then the one has as many hypotheses and as much evidence as the other, always.
    """
    if one is not other:
        return False
    shape = one.shape
    return all(
        all(i == j or facing(shape, i, shape, j) is None for j in part)
        for part in (shape.hypotheses, shape.evidence)
        for i in part
    )


def _within(
    world: World,
    found: Candidates,
    one: _Kind,
    other: _Kind,
    here: Column,
    there: Column,
    *,
    hypotheses: bool,
) -> Mask:
    """For each pair of views, whether all hypotheses (or evidence) of the one cover some of the other."""
    inside = np.ones(len(here), np.bool_)
    if len(here) == 0:
        return inside
    row, other_row = one.row.take(here), other.row.take(there)
    compared: dict[Pair, Mask] = {}
    for together in ways(one.shape, other.shape, hypotheses):
        hit = np.zeros(len(here), np.bool_)
        for way in together:
            is_way = _is_way(world, way, one, other, row, other_row, compared)
            if way.named:
                values = {n: _column(t, other, other_row, world.values) for n, t in way.named.items()}
                is_way &= ~_are_excepted(found, one, here, values)
            hit |= is_way
        inside &= hit
    return inside


def _are_excepted(
    found: Candidates, kind: _Kind, view: Column, values: Mapping[str, Column], *, wholly: bool = False
) -> Mask:
    """For some views and values of variables these leave open, whether exceptions have them, or may have.

    Or, `wholly`, whether they are exceptions, whatever else is open.
    """
    views = distinct(view)
    which, exception = found.exceptions.of_views(kind.derivation.take(views), kind.then.take(views))
    block = np.searchsorted(found.starts, exception, "right") - 1
    excepted = np.zeros(len(view), np.bool_)
    for number in distinct(block).tolist():
        mine = marked(block == number)
        bound, row = found.blocks[number].rows.bound, exception.take(mine) - found.starts[number]
        if wholly and not bound.keys() - kind.block.rows.bound.keys() <= values.keys():
            continue
        names = sorted(values.keys() & bound.keys())
        asked = [view, *(values[name] for name in names)]
        there = [views.take(which.take(mine)), *(bound[name].take(row) for name in names)]
        excepted |= find(*keys_of([asked, there])) >= 0
    return excepted


def _is_way(
    world: World,
    way: Way,
    one: _Kind,
    other: _Kind,
    row: Column,
    other_row: Column,
    compared: dict[Pair, Mask],
) -> Mask:
    """For each pair of rows, whether literals of the one may become some of the other in this way.

    Other ways for the same rows have compared some terms already.
    """
    values, same = world.values, np.ones(len(row), np.bool_)
    for pair in way.both:
        if pair not in compared:
            term, opposite = pair
            compared[pair] = _column(term, one, row, values) == _column(opposite, other, other_row, values)
        same &= compared[pair]
    for terms in way.its:
        first, second = (_column(term, other, other_row, values) for term in terms)
        same &= first == second
    for condition, images in way.conditions:
        bound = {
            name: _column(images[name], other, other_row, values)
            if name in images
            else one.block.rows.bound[name].take(row)
            for name in variables_in(condition)
        }
        same &= _is_met(world, condition, one, Rows(bound, len(row)))
    return same


def _is_met(world: World, condition: Condition, one: _Kind, rows: Rows) -> Mask:
    """For each row, whether a condition of a kind is met."""
    if isinstance(condition, Comparison):
        return holds(condition, rows.bound, rows.count, world.values)
    layout = one.block.layout
    return ~agrees(rows, world.background_of(layout).forbidden[layout.absent.index(condition)])


def _more(
    one: _Kind, here: Column, other: _Kind, there: Column, values: Values, *, hypotheses: bool
) -> Column:
    """For pairs of views how many more hypotheses (or how much more evidence) the other has."""
    return _count(other, there, values, hypotheses) - _count(one, here, values, hypotheses)


def _count(kind: _Kind, view: Column, values: Values, hypotheses: bool) -> Column:
    """How many hypotheses (or how much evidence) views have; what is the same counts once."""
    row, shape = kind.row.take(view), kind.shape
    literals = shape.part(hypotheses)
    count = np.zeros(len(row), np.int64)
    for number, i in enumerate(literals):
        again = np.zeros(len(row), np.bool_)
        for j in literals[:number]:
            terms = facing(shape, i, shape, j, exactly=True)
            if terms is not None:
                same = np.ones(len(row), np.bool_)
                for pair in terms:
                    first, second = (_column(term, kind, row, values) for term in pair)
                    same &= first == second
                again |= same
        count += ~again
    return count


def _column(term: AnyTerm, kind: _Kind, row: Column, values: Values) -> Column:
    """What rows have for a term."""
    name = variable_of(term)
    rows = Rows({} if name is None else {name: kind.block.rows.bound[name].take(row)}, len(row))
    return time_column(term, rows) if isinstance(term, Time) else term_column(term, rows, values)
