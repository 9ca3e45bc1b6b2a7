"""The derivations of the answers of a query that may change between two ticks, and their lives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from antelog.compile.plan import Var
from antelog.engine.exceptions import Links, Variants, exceptions, linked, nameable, variants
from antelog.engine.few_ticks import Gone, ended
from antelog.engine.layout import Layout, variables_of
from antelog.engine.match import ONE, Rows, term_column, time_column
from antelog.engine.naming import each_once
from antelog.engine.speaking import covered_since, last_of, speakers, speaking_since
from antelog.engine.tables import (
    NEVER,
    Column,
    Groups,
    distinct,
    groups,
    keys_of,
    marked,
)
from antelog.engine.touched import Span, looked_at
from antelog.engine.truth import Derivations, derivations
from antelog.engine.values import UNBOUND
from antelog.engine.world import World

ANY_TIME = np.int64(-1)
"""The time of an answer whose time is still open."""

Answers: TypeAlias = tuple[list[Column], Column]
"""What the answers of rows are: the cells of their variables, and their times."""


@dataclass(frozen=True)
class Candidates:
    """All derivations of the answers that may have changed, and the groups they form by answer.

    The rows of `blocks[b]` are those from `starts[b]` up to `starts[b + 1]`; `number` has the
    group of each. Facts have named the values of a derivation, but for those of negated literals,
    from `known` on. It is one of an answer's from `begin` on, has all its literals from `complete`
    on, is told from `told` on, and is over at `end`. Before `own` it says no more than another that
    speaks for more values. From `beside` on it is told with others of the same answer. `instances` are
    what those stand for that leave a time open which can be a few ticks only, `gone` says which ticks
    others do not stand for any more, and `speakers` may speak for others of their answers. Some answers
    may be told `apart` from one for all values.
    """

    blocks: tuple[Derivations, ...]
    starts: tuple[int, ...]
    answer: tuple[Column, ...]
    time: Column
    by_answer: Groups
    number: Column
    known: Column
    begin: Column
    complete: Column
    told: Column
    end: Column
    own: Column
    beside: Column
    exceptions: Links
    instances: Links
    gone: tuple[Gone, ...]
    speakers: Links
    apart: bool

    def rows(self, block: int) -> slice:
        return slice(self.starts[block], self.starts[block + 1])


def candidates(
    world: World, name: str, ticks: Column | None, during: Span, complete_by: int | None = None
) -> Candidates:
    """The derivations of all answers about these ticks (None: of all) that matter during a span.

    Only those complete by a tick, if one is given.
    """
    layouts = world.layouts[name]
    blocks = _blocks(world, name, ticks, whole=complete_by is not None)
    if complete_by is None and _meet(layouts):
        # What is said of all values, or before any fact, is also said of the answers of other derivations.
        blocks = _blocks(world, name, ticks, _with_equals(_told(world, blocks), layouts), before=blocks)
    if complete_by is not None:
        blocks = [found.take(marked(found.complete <= complete_by)) for found in blocks]
    if name in world.since:
        blocks = [_not_given_up(found, world.since[name], world) for found in blocks]
    answers = [_answers(found, world) for found in blocks]
    open_, starts = variants(blocks), tuple(accumulate([found.rows.count for found in blocks], initial=0))
    apart = tells_apart(layouts)
    blocks, instances, gone = ended(world, blocks, open_, starts)
    phases = [
        _phases(found, time, each, world, apart)
        for found, (_, time), each in zip(blocks, answers, open_, strict=True)
    ]
    if not apart:
        # Where values are open, what is over still says which of them have answers of their own.
        for b in set(range(len(blocks))) - {each.block for each in gone}:
            blocks[b], phases[b], answers[b] = _mattering(blocks[b], phases[b], answers[b], during)
    width = len(world.relations[name].variables) + 1
    *answer, time = _stacked([[*cells, time] for cells, time in answers], width)
    by_answer = _grouped(blocks, answer, time)
    starts = tuple(accumulate([found.rows.count for found in blocks], initial=0))
    number = by_answer.order if by_answer.alone else by_answer.numbers
    known, begin, complete, told, end, own, beside = _stacked(phases, 7)
    # What is so by the rules alone is so from the first tick on.
    complete, told = np.maximum(complete, world.begin), np.maximum(told, world.begin)
    return Candidates(
        tuple(blocks),
        starts,
        tuple(answer),
        time,
        by_answer,
        number,
        known,
        begin,
        complete,
        told,
        end,
        own,
        beside,
        exceptions(open_, starts),
        instances,
        gone,
        speakers(blocks, open_, starts, number) if apart else linked([]),
        apart,
    )


def tells_apart(layouts: Iterable[Layout]) -> bool:
    """Whether some answers may be told apart from one for all values."""
    return any(layout.loose for layout in layouts)


def _blocks(
    world: World,
    name: str,
    ticks: Column | None,
    told: tuple[Rows, ...] = (),
    *,
    before: Sequence[Derivations] = (),
    whole: bool = False,
) -> list[Derivations]:
    """The derivations by all patterns. Those found `before` are the same where nothing told matters."""
    blocks: list[Derivations] = []
    apart = tells_apart(world.layouts[name])
    # Those looked at when their time has come are last, for what others say of times to come matters.
    for number, layout in sorted(enumerate(world.layouts[name]), key=lambda each: each[1].by_clock):
        if whole and layout.by is not None:
            continue  # what a factor has all facts for, the pattern it comes from has, too
        if before and not (apart or layout.rival or layout.by_clock):
            blocks += (found for found in before if found.layout is layout)
            continue
        about = ticks if layout.sliced else None
        named = (
            tuple(each_once(_renamed(rows, world, layout) for rows in told)) if apart or layout.rival else ()
        )
        seed = _seed(layout, ticks, world, name, blocks)
        blocks += derivations(world, name, number, seed, about, bare=False, also=named, whole=whole)
    return blocks


def _meet(layouts: Sequence[Layout]) -> bool:
    """Whether what derivations say without a fact may be said of the answers of others, too."""
    if len(layouts) == 1:
        (layout,) = layouts
        variables = layout.given.union(*map(variables_of, layout.literals))
        return layout.loose and not variables <= layout.answered
    return any(each.loose or each.rival for each in layouts)


def _told(world: World, blocks: list[Derivations]) -> tuple[Rows, ...]:
    """The answers of derivations, as far as they have values: by the number of the variable."""
    tables = []
    for found in blocks:
        answer, time = _answers(found, world)
        columns = {str(i): column for i, column in enumerate(answer) if len(column) and column[0] != UNBOUND}
        if len(time) and time[0] != ANY_TIME:
            columns["time"] = time
        tables.append(Rows(columns, found.rows.count))  # also what leaves all open
    return tuple(tables)


def _with_equals(told: Sequence[Rows], layouts: Sequence[Layout]) -> tuple[Rows, ...]:
    """With what patterns make of these that have a variable twice in their answers: it has one value."""
    tables, doubled = list(told), [layout for layout in layouts if layout.same]
    for table in tables:
        for layout in doubled:
            names = [term.name if isinstance(term, Var) else None for term in layout.pattern.answer]
            known = {names[int(i)]: column for i, column in table.bound.items() if i != "time"}
            more = {str(i): known[name] for i, name in enumerate(names) if name is not None and name in known}
            if not more.keys() <= table.bound.keys():
                tables.append(Rows({**more, **table.bound}, table.count))
    return tuple(tables)


def _renamed(told: Rows, world: World, layout: Layout) -> Rows:
    """Answers as bindings of a pattern's variables."""
    fits = np.ones(told.count, np.bool_)
    bound: dict[str, Column] = {}
    for i, term in enumerate(layout.pattern.answer):
        column = told.bound.get(str(i))
        if column is not None and isinstance(term, Var):
            fits &= bound.setdefault(term.name, column) == column
        elif column is not None and not isinstance(term, Var):
            fits &= column == world.values.cell(term.value)
    time = layout.pattern.time
    if "time" in told.bound and time.variable is not None:
        bound[time.variable] = told.bound["time"] - time.offset
    elif "time" in told.bound:
        fits &= told.bound["time"] == time.offset
    return Rows(bound, told.count).take(fits)


def _grouped(blocks: Sequence[Derivations], answer: Sequence[Column], time: Column) -> Groups:
    """The derivations by answer."""
    if len(blocks) == 1:
        rows = blocks[0].rows
        if rows.bound.keys() <= blocks[0].layout.answered:
            # No two rows have the same answer.
            return Groups(np.arange(rows.count), np.arange(rows.count), alone=True)
    (key,) = keys_of([[*answer, time]])
    return groups(key)


def _stacked(parts: Sequence[Sequence[Column]], width: int) -> list[Column]:
    """Tables with the same columns, one below the other."""
    if len(parts) == 1:
        return list(parts[0])
    empty = np.zeros(0, np.int64)
    return [np.concatenate([empty, *(part[i] for part in parts)]) for i in range(width)]


def _phases(found: Derivations, time: Column, open_: Variants, world: World, apart: bool) -> list[Column]:
    """For each row from when on it is known, exists, is complete, is told, is over, and speaks for itself.

    And from when on it is told beside others of its answer. Some are told `apart` from one for all values.
    """
    places = len(found.layout.places)
    since = covered_since(found)
    names = nameable(found)
    begin = known = last_of(since, since.keys() - names, found.rows.count)
    if found.layout.rival or apart:
        # It competes with other patterns' derivations before any fact speaks for it.
        begin = last_of(since, since.keys() - names - found.layout.answered, found.rows.count)
    own = speaking_since(found, since, open_.own_since, names)
    if found.layout.by_clock:
        begin = np.maximum(begin, np.where(time < world.begin, NEVER, time))
    complete = np.maximum(found.complete, begin)
    told = found.holds.min(axis=0, initial=NEVER)
    if not places or found.layout.negations:
        # What is so without a fact is told once all facts it needs are there, and its time has come.
        waits_for_facts = found.holds[:places].max(axis=0, initial=-1)
        told = np.minimum(told, np.maximum(waits_for_facts, time))
    within = own
    if apart:
        within = speaking_since(found, since, open_.own_since, names - found.layout.answered)
    told = np.maximum(told, begin)
    beside = np.maximum(told, within)
    told = np.maximum(np.maximum(told, known), own)
    return [known, begin, complete, told, found.failed, own, beside]


def _mattering(
    found: Derivations, phases: list[Column], answer: Answers, during: Span
) -> tuple[Derivations, list[Column], Answers]:
    """Without the rows that exist at no tick of a span and whose time is not to come; if these are most.

    What is over before its time has come was to come until then.
    """
    before, now = during
    _, begin, _, _, end, *_ = phases
    if found.layout.by_clock:
        at = marked((end > before) & (begin < NEVER))
    else:
        at = marked((end > np.maximum(begin, before)) & (begin <= now))
    if _WORTH_COPYING * len(at) >= found.rows.count:
        return found, phases, answer
    cells, time = answer
    return (
        found.take(at),
        [line.take(at) for line in phases],
        ([column.take(at) for column in cells], time.take(at)),
    )


_WORTH_COPYING = 2
"""Rows that matter are copied if less than one in so many does: a few too many are cheaper."""


def _not_given_up(found: Derivations, since: int, world: World) -> Derivations:
    """The derivations of answers about ticks from `since` on, and of those that have no time yet."""
    time = _answers(found, world)[1]
    return found.take((time >= since) | (time == ANY_TIME))


def _seed(
    layout: Layout, ticks: Column | None, world: World, name: str, others: Sequence[Derivations]
) -> Rows:
    """Answers that no fact gives a time are looked at tick by tick, unless something holds of all ticks.

    Those of times to come only if there are `others` about them.
    """
    time = layout.pattern.time
    if not (layout.by_clock or layout.seeded) or layout.endless or time.variable is None:
        return ONE
    about = looked_at(world, name) if ticks is None else ticks
    if ticks is None and layout.by_clock:
        told = (_answers(found, world)[1] for found in others)
        about = distinct(np.concatenate([about, *(times[times > world.now] for times in told)]))
    return Rows({time.variable: about - time.offset}, len(about))


def _answers(found: Derivations, world: World) -> Answers:
    """The answers of rows; what they leave open has a mark of its own."""
    pattern, rows = found.layout.pattern, found.rows
    known = rows.bound.keys()
    answer = [
        np.full(rows.count, UNBOUND)
        if isinstance(term, Var) and term.name not in known
        else term_column(term, rows, world.values)
        for term in pattern.answer
    ]
    if pattern.time.variable is not None and pattern.time.variable not in known:
        return answer, np.full(rows.count, ANY_TIME)
    return answer, time_column(pattern.time, rows)
