"""Which derivations of an answer are worth telling: those that no other makes needless.

One derivation makes another needless if its hypotheses are a strict subset of the other's, or
the same and its evidence is a strict subset. A hypothesis with open variables covers every
literal it can become; where it has to become one of the other's, the hypotheses are the same.

An answer may have thousands of derivations, so not every one is compared with every other.
Those of a pattern with the same literals true form a *kind*. From the rules alone follows which
kinds can make which needless, and in which columns two derivations must agree for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from antelog.compile.plan import Atom, Const, Literal, Time, Var
from antelog.engine.candidates import Candidates
from antelog.engine.layout import compared, variable_of
from antelog.engine.match import Rows, term_column, time_column
from antelog.engine.moments import Moments, Views
from antelog.engine.tables import Column, Mask, distinct, keys_of, marked, numbered, pairs
from antelog.engine.truth import Derivations
from antelog.engine.values import Values

_Term = Var | Const | Time
_NO_PAIRS = np.zeros(0, np.int64), np.zeros(0, np.int64)


def minimal(found: Candidates, at: Moments, seen: Views, values: Values) -> tuple[Mask, Mask]:
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
        here, there, less = _rivalling(one, other, values)
        keep[other.view[there[less]]] = False
        if number < opposite or len(one.literals) > len(other.literals):
            made_one.append(_made_one(one, other, seen.merged, values))
        instances.append((one.view[here[~less]], other.view[there[~less]]))
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
    literals: tuple[Literal, ...]
    evidence: tuple[int, ...]
    hypotheses: tuple[int, ...]
    view: Column
    row: Column
    moment: Column


def _kinds(found: Candidates, at: Moments, rivals: Column) -> Iterator[_Kind]:
    for b, block in enumerate(found.blocks):
        mine = at.views(found, b)
        first, last = np.searchsorted(rivals, [mine.start, mine.stop])
        view = rivals[first:last]
        if len(view) == 0:
            continue
        row = at.view_of[view] - found.starts[b]
        true = block.holds[:, row] <= at.then[view]
        literals = block.layout.literals
        (key,) = keys_of([list(true.astype(np.int64))]) if literals else [np.zeros(len(view), np.int64)]
        different, which = numbered(key)
        for number in range(len(different)):
            these = marked(which == number)
            held = true[:, these[0]]
            evidence, hypotheses = (tuple(marked(part).tolist()) for part in (held, ~held))
            views = view[these]
            yield _Kind(block, literals, evidence, hypotheses, views, row[these], at.view_at[views])


def _meeting(kinds: list[_Kind]) -> Iterator[tuple[int, int]]:
    """The pairs of kinds that some moment has views of."""
    moment = np.concatenate([distinct(kind.moment) for kind in kinds])
    number = np.repeat(np.arange(len(kinds)), [len(distinct(kind.moment)) for kind in kinds])
    here, there = pairs(moment, moment)
    together = distinct(number[here] * len(kinds) + number[there])
    for pair in together.tolist():
        yield divmod(pair, len(kinds))


def _rivalling(one: _Kind, other: _Kind, values: Values) -> tuple[Column, Column, Mask]:
    """Pairs of a view of the one kind and a view of the other that it makes needless: for it asks for less.

    Or, if not, for the other is an instance of it.
    """
    nothing = np.zeros(0, np.int64)
    needed = "hypotheses" if one.hypotheses or other.hypotheses else "evidence"
    met = {i: _partners(one, i, other, needed) for i in getattr(one, needed)}
    if not all(met.values()) or _alike(one, other):
        return nothing, nothing, np.zeros(0, np.bool_)
    keys = [[one.moment], [other.moment]]
    for found in met.values():
        if len(found) == 1:
            for term, opposite in found[0].both:
                keys[0].append(_column(term, one.block, one.row, values))
                keys[1].append(_column(opposite, other.block, other.row, values))
    here, there = pairs(*keys_of(keys))
    apart = one.view[here] != other.view[there]
    here, there = here[apart], there[apart]
    fewer, same = _compared(one, other, here, there, "hypotheses", values)
    less, equal = _compared(one, other, here, there, "evidence", values)
    strictly = fewer & ~same
    if strictly.any() and _covers(one):
        strictly &= _fewer(one, other, here, there, values)
    beats = strictly | (fewer & less & ~equal)
    needless = beats | (fewer & ~same & less)
    at = marked(needless & _no_further_conditions(one, other, one.row[here], other.row[there]))
    return here.take(at), there.take(at), beats.take(at)


def _made_one(one: _Kind, other: _Kind, merged: Mask | None, values: Values) -> tuple[Column, Column]:
    """Pairs of a view of the one kind and a view of the other that says the same, of no more literals."""
    mine, its = one.block.layout, other.block.layout
    if mine is its or its.by is None or its.origin != mine.origin:
        return _NO_PAIRS
    number = {literal: j for j, literal in enumerate(other.literals)}
    became = [number.get(its.by.literal(literal)) for literal in one.literals]
    if set(became) != set(range(len(other.literals))):
        return _NO_PAIRS
    if any((j in other.evidence) != (i in one.evidence) for i, j in enumerate(became)):
        return _NO_PAIRS
    keys, known = [[one.moment], [other.moment]], set()
    for name in one.block.rows.bound:
        term = Time(name, 0) if name in mine.time_variables else Var(name)
        image = its.by.time(term) if isinstance(term, Time) else its.by.term(term)
        if _open(image, other.block):
            return _NO_PAIRS
        known.add(variable_of(image))
        keys[0].append(_column(term, one.block, one.row, values))
        keys[1].append(_column(image, other.block, other.row, values))
    here, there = pairs(*keys_of(keys))
    general, instance = one.view[here], other.view[there]
    if not known.issuperset(other.block.rows.bound):
        # What is said of all values is said of those that are no exceptions.
        same = merged[instance] if merged is not None else np.zeros(len(instance), np.bool_)
        return general[same], instance[same]
    if merged is not None and mine.denied - one.block.rows.bound.keys():
        # What speaks for a general one may have exceptions that this has not.
        alike = ~merged[general] | merged[instance]
        return general[alike], instance[alike]
    return general, instance


def _covers(one: _Kind) -> bool:
    """Whether a hypothesis may cover others than itself."""
    terms = [(t, i) for i in one.hypotheses for t in (*one.literals[i].arguments, one.literals[i].time)]
    return any(term is not None and _open(term, one.block) and _own(term, i, one) for term, i in terms)


def _fewer(one: _Kind, other: _Kind, here: Column, there: Column, values: Values) -> Mask:
    """For each pair, whether the one has fewer different hypotheses.

    If not, and the other's are what it covers, then it may have these very hypotheses, and no fewer.
    """
    fewer: Mask = _count(one, one.row[here], values) < _count(other, other.row[there], values)
    return fewer


def _count(kind: _Kind, row: Column, values: Values) -> Column:
    """How many different hypotheses rows have."""
    count = np.zeros(len(row), np.int64)
    for number, i in enumerate(kind.hypotheses):
        again = np.zeros(len(row), np.bool_)
        for j in kind.hypotheses[:number]:
            terms = _agreeing(kind, i, kind, j, exactly=True)
            if terms is not None:
                again |= _equal(kind, kind, terms, row, row, values)
        count += ~again
    return count


def _equal(
    one: _Kind, other: _Kind, terms: _Agreeing, row: Column, other_row: Column, values: Values
) -> Mask:
    """For each pair of rows, whether terms that have to agree have the same values."""
    same = np.ones(len(row), np.bool_)
    for term, opposite in terms.both:
        same &= _column(term, one.block, row, values) == _column(opposite, other.block, other_row, values)
    for terms_of_other in terms.its:
        first, second = (_column(term, other.block, other_row, values) for term in terms_of_other)
        same &= first == second
    return same


def _no_further_conditions(one: _Kind, other: _Kind, row: Column, other_row: Column) -> Mask:
    """For each pair, whether what the one still asks of open variables, the other asks of them too."""
    fits = np.ones(len(row), np.bool_)
    mine, its = one.block.rows.bound, other.block.rows.bound
    equal = any(variable_of(c.left) not in mine for c in one.block.layout.same)
    if equal and one.block.layout is not other.block.layout:
        return np.zeros(len(row), np.bool_)
    for comparison in one.block.layout.conditions:
        names = compared(comparison)
        if names <= mine.keys():
            continue
        known = names & mine.keys()
        if one.block.layout is not other.block.layout or known != names & its.keys():
            return np.zeros(len(row), np.bool_)
        for name in known:
            fits &= mine[name][row] == its[name][other_row]
    return fits


def _alike(one: _Kind, other: _Kind) -> bool:
    """Whether the kinds are one, and its literals can only be covered by those in the same place.

    Then the one has as many hypotheses and as much evidence as the other, always.
    """
    if one is not other:
        return False
    return all(
        all(i == j or _agreeing(one, i, one, j) is None for j in part)
        for part in (one.hypotheses, one.evidence)
        for i in part
    )


def _compared(
    one: _Kind, other: _Kind, here: Column, there: Column, part: str, values: Values
) -> tuple[Mask, Mask]:
    """For each pair, whether the one's part is covered by the other's, and whether vice versa too."""
    return (
        _within(one, other, one.row[here], other.row[there], part, values),
        _within(other, one, other.row[there], one.row[here], part, values),
    )


def _within(
    one: _Kind, other: _Kind, row: Column, other_row: Column, part: str, values: Values, exactly: bool = False
) -> Mask:
    """For each pair, whether every literal in a part of the one covers some literal in that of the other.

    Or `exactly` is one of these.
    """
    inside = np.ones(len(row), np.bool_)
    for i in getattr(one, part):
        hit = np.zeros(len(row), np.bool_)
        for terms in _partners(one, i, other, part, exactly):
            hit |= _equal(one, other, terms, row, other_row, values)
        inside &= hit
    return inside


def _partners(one: _Kind, i: int, other: _Kind, part: str, exactly: bool = False) -> list[_Agreeing]:
    """The literals of the other's part that a literal may cover: for each the terms that have to agree."""
    found = (_agreeing(one, i, other, j, exactly) for j in getattr(other, part))
    return [terms for terms in found if terms is not None]


class _Agreeing(NamedTuple):
    """Terms that have to agree: of both kinds, and of the other where the one has a variable twice."""

    both: list[tuple[_Term, _Term]]
    its: list[tuple[_Term, _Term]]


def _agreeing(one: _Kind, i: int, other: _Kind, j: int, exactly: bool = False) -> _Agreeing | None:
    """The terms that must have the same values for one literal to be the other, or to become it.

    It becomes it by giving variables of its own a value, if it need not be it `exactly`. None if it never is.
    """
    literal, opposite = one.literals[i], other.literals[j]
    if type(literal) is not type(opposite) or literal.predicate != opposite.predicate:
        return None
    found = _Agreeing([], [])
    became: dict[_Term, _Term] = {}
    for a, b in zip((*literal.arguments, literal.time), (*opposite.arguments, opposite.time), strict=True):
        if a is None or b is None:
            if a is not b:
                return None
        elif not exactly and _open(a, one.block) and isinstance(literal, Atom) and _own(a, i, one):
            # A negated literal with an open variable has exceptions, which it does not cover.
            before = became.setdefault(a, b)
            if before != b and (_open(before, other.block) or _open(b, other.block)):
                return None
            if before != b:
                found.its.append((before, b))
        elif _open(a, one.block) or _open(b, other.block):
            same = one.block.layout is other.block.layout and a == b
            if not (same and _open(a, one.block) and _open(b, other.block)):
                return None
        elif _differ(a, one.block, b, other.block):
            return None
        else:
            found.both.append((a, b))
    return found


def _differ(a: _Term, block: Derivations, b: _Term, other: Derivations) -> bool:
    """Whether two terms have different values in all derivations of the same answer."""
    if isinstance(a, Const) and isinstance(b, Const):
        return a != b
    if not (isinstance(a, Time) and isinstance(b, Time)):
        return False
    one, two = _distance(a, block), _distance(b, other)
    return one is not None and two is not None and one != two


def _distance(time: Time, block: Derivations) -> int | None:
    """How far a time is from that of the answer, if that is known."""
    answer = block.layout.pattern.time
    tied = time.variable is not None and time.variable == answer.variable and not _open(time, block)
    return time.offset - answer.offset if tied else None


def _open(term: _Term, block: Derivations) -> bool:
    name = variable_of(term)
    return name is not None and name not in block.rows.bound


def _own(term: _Term, i: int, kind: _Kind) -> bool:
    """Whether an open variable occurs in one literal only and nothing is asked of it."""
    name, pattern = variable_of(term), kind.block.layout.pattern
    used = any(
        name in {*(variable_of(a) for a in other.arguments if a is not None), other.time.variable}
        for j, other in enumerate(kind.literals)
        if j != i
    )
    asked = any(name in compared(c) for c in kind.block.layout.conditions)
    answered = any(isinstance(a, Var) and a.name == name for a in pattern.answer)
    return not used and not asked and not answered and pattern.time.variable != name


def _column(term: _Term, block: Derivations, row: Column, values: Values) -> Column:
    used = {variable_of(term)} & block.rows.bound.keys()
    rows = Rows({name: block.rows.bound[name].take(row) for name in used if name}, len(row))
    return time_column(term, rows) if isinstance(term, Time) else term_column(term, rows, values)
