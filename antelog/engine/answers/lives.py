"""The derivations of the answers a step can change, and their lives.

In come the ticks of these answers, out go rows with the three ticks of each one's life: from when
on it is told, when it is complete, and when it is over.

    Malf(wt2, 0)   Temp(wt2, high, 0) came at 0, the next is due at 2     told 0, over at 2
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from antelog.compile.literals.terms import Var
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.joins import TooLargeError, find_rows, make_room, spread
from antelog.engine.columns.spans import EVERYWHERE, Spans, spans_of, union
from antelog.engine.columns.tables import NEVER, Column, Groups, Mask, distinct, groups, keys_of, marked
from antelog.engine.step.affected import Step
from antelog.engine.step.atoms import with_asked
from antelog.engine.step.background import Background, Twins
from antelog.engine.step.derivations import Derivations
from antelog.engine.step.knowledge import Knowledge
from antelog.engine.step.literals.fact import first_tick, latest_tick, with_facts
from antelog.engine.step.matching import Found, Partial, fitting, partials, wholes, with_seen
from antelog.engine.step.rows import ONE, Rows, term_column, time_column
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import UNBOUND, Values

ANY_TIME = np.int64(-1)
"""The time of an answer whose time is still open."""

Answers: TypeAlias = tuple[list[Column], Column]
"""What the answers of rows are: the cells of their variables, and their times."""


@dataclass(frozen=True, eq=False)
class Life:
    """For each row from when on it is told, when all its literals are true, and when one is false."""

    told: Column
    complete: Column
    end: Column

    def take(self, at: Column) -> Life:
        return Life(self.told.take(at), self.complete.take(at), self.end.take(at))


@dataclass(frozen=True, eq=False)
class Lives:
    """All derivations of the answers that may have changed, and the groups they form by answer.

    The rows of `blocks[b]` are those from `starts[b]` up to `starts[b + 1]`; `number` has the
    group of each. Of `twins` only one is here.
    """

    blocks: tuple[Derivations, ...]
    starts: tuple[int, ...]
    answer: tuple[Column, ...]
    time: Column
    life: Life
    by_answer: Groups
    number: Column
    twins: Twins | None = None

    def count(self, answer: Column) -> int:
        """How many answers some groups are, with twins."""
        if self.twins is None:
            return len(answer)
        cells = self.answer[self.twins.position].take(self.by_answer.first.take(answer))
        return int(self.twins.sizes(cells).sum())

    def rows(self, block: int) -> slice:
        return slice(self.starts[block], self.starts[block + 1])


@dataclass(frozen=True)
class Wanted:
    """Whose lives are looked at: the answers of a query about some ticks.

    Not those about ticks before `since`, which were given up; with `complete_by`, only derivations
    that are complete by that tick; with `past`, also those that are over; and with `apart`, of twins not only
    one.
    """

    query: str
    about: Spans
    since: int | None = None
    complete_by: int | None = None
    past: bool = False
    apart: bool = False


def lives(knowledge: Knowledge, wanted: Wanted, step: Step) -> Lives:
    """The derivations of answers that matter in a step."""
    blocks: list[Derivations] = []
    parts: list[Life] = []
    patterns = knowledge.rules.patterns[wanted.query]
    mixed = len({prepared.clocked for prepared in patterns}) > 1
    for number, prepared in sorted(enumerate(patterns), key=lambda each: each[1].clocked):
        later = _to_come(knowledge, blocks, step) if mixed and prepared.clocked else _NONE
        for part in _parts(knowledge, wanted, number, step, later):
            found = with_facts(knowledge, prepared, part)
            life = _life(found, step)
            kept = _mattering(found, life, wanted, step)
            if prepared.asked:
                if len(kept) < found.rows.count:
                    found = found.take(kept)
                found = with_asked(knowledge, found)
                life = _life(found, step)
                kept = _mattering(found, life, wanted, step)
            if len(kept) == 0:
                continue
            if _WORTH_COPYING * len(kept) < found.rows.count:
                found, life = found.take(kept), life.take(kept)
            blocks.append(found)
            parts.append(life)
    return _without_settled(together(knowledge, wanted.query, blocks, parts, _twins(knowledge, wanted)))


def _without_settled(found: Lives) -> Lives:
    """Without the answers of values that had been settled with all others before they were seen."""
    late = np.zeros(found.by_answer.count, np.bool_)
    complete = None
    for b, block in enumerate(found.blocks):
        seen = block.rows.seen
        if seen is None or not (seen > 0).any():
            continue
        if complete is None:
            complete = found.by_answer.least(found.life.complete)
        rows, pattern = found.rows(b), block.prepared.pattern
        own = [*(cells[rows] for cells in found.answer), found.time[rows]]
        general = [
            np.full_like(cells, OTHERS) if term == Var(pattern.unguarded[0]) else cells
            for term, cells in zip((*pattern.answer, None), own, strict=True)
        ]
        number = found.number[rows]
        others = find_rows(general, own)
        late[number[complete.take(number.take(others)) < seen]] = True
    if not late.any():
        return found
    told = np.where(late.take(found.number), NEVER, found.life.told)
    return replace(found, life=replace(found.life, told=told))


def _twins(knowledge: Knowledge, wanted: Wanted) -> Twins | None:
    return None if wanted.apart else knowledge.static.twins.get(wanted.query)


_WORTH_COPYING = 2
"""Rows that matter are copied only if they are less than one in this many: else keeping all is cheaper."""


def together(
    knowledge: Knowledge,
    query: str,
    blocks: Sequence[Derivations],
    parts: Sequence[Life],
    twins: Twins | None = None,
) -> Lives:
    """Blocks side by side, and their rows by answer."""
    width = len(knowledge.rules.relations[query].answer.variables) + 1
    answers = [answers_of(found, knowledge) for found in blocks]
    *answer, time = _stacked([[*cells, time] for cells, time in answers], width)
    life = Life(*_stacked([[part.told, part.complete, part.end] for part in parts], 3))
    by_answer = _grouped(blocks, answer, time)
    starts = tuple(accumulate([found.rows.count for found in blocks], initial=0))
    number = by_answer.order if by_answer.alone else by_answer.numbers
    return Lives(tuple(blocks), starts, tuple(answer), time, life, by_answer, number, twins)


_NONE = np.zeros(0, np.int64)


def _to_come(knowledge: Knowledge, blocks: Sequence[Derivations], step: Step) -> Column:
    """Later ticks that open answers are about: clock-driven patterns may tell them then."""
    times = [answers_of(found, knowledge)[1] for found in blocks]
    return distinct(np.concatenate([_NONE, *(time[time > step.now] for time in times)]))


def _parts(knowledge: Knowledge, wanted: Wanted, number: int, step: Step, later: Column) -> Iterator[Partial]:
    """The rows of a pattern about the wanted ticks, and of some later ones if it goes by the clock."""
    known, twins = knowledge, _twins(knowledge, wanted)
    prepared = known.rules.patterns[wanted.query][number]
    background = (known.static.of_patterns[wanted.query] if twins is None else twins.background)[number]
    about = None if wanted.about is EVERYWHERE else wanted.about
    clock = _clock(wanted.about, step, later)
    seed = _seed(prepared, clock)
    found = known.found(prepared, about)
    whole = wanted.complete_by is not None and prepared.seen is None and not prepared.clocked
    for part in _matched(prepared, seed, found, background, known.values, whole=whole):
        if prepared.facts:
            part = part.with_facts()  # noqa: PLW2901 - the same with less
        if prepared.facts and prepared.clocked:
            part = _with_ticks(known, prepared, background, part, clock)  # noqa: PLW2901 - with more
        part = _about(prepared, part, wanted)  # noqa: PLW2901 - with less
        if part.rows.count and prepared.seen is not None:
            part = with_seen(prepared, part, known.seen[prepared.seen])  # noqa: PLW2901 - with more
            part = part.take(fitting(prepared, part.rows, background, known.values))  # noqa: PLW2901 - with less
        if part.rows.count:
            yield part


def _matched(
    prepared: Prepared,
    seed: Rows,
    found: tuple[Found, ...],
    background: Background,
    values: Values,
    *,
    whole: bool,
) -> list[Partial]:
    """The rows of a pattern; where they are too many at once, value by value of what all literals share."""
    try:
        if whole:
            return [wholes(prepared, seed, found, background, values)]
        return partials(prepared, seed, found, background, values)
    except TooLargeError as error:
        halves = _halves(prepared, found)
        if halves is None:
            where = f"{prepared.pattern.text}{_whose(prepared, found, values)}"
            raise TooLargeError(error.rows, error.where or where) from None
    return [
        part for half in halves for part in _matched(prepared, seed, half, background, values, whole=whole)
    ]


def _halves(prepared: Prepared, found: tuple[Found, ...]) -> Iterator[tuple[Found, ...]] | None:
    """The facts in two parts that never meet; None if they have only one value in common."""
    for name in prepared.shared:
        cells = [each.rows.bound[name] for each in found]
        different = distinct(np.concatenate(cells))
        if len(different) > 1:
            middle = different[len(different) // 2]
            lower = tuple(each.take(marked(c < middle)) for each, c in zip(found, cells, strict=True))
            upper = tuple(each.take(marked(c >= middle)) for each, c in zip(found, cells, strict=True))
            return iter((lower, upper))
    return None


def _whose(prepared: Prepared, found: tuple[Found, ...], values: Values) -> str:
    """The values that the facts have in common, and how many facts these are."""
    known = [
        f"{name} = {values.texts(each.rows.bound[name][:1])[0].as_py()}"
        for name in prepared.shared
        for each in found[:1]
        if each.rows.count
    ]
    counts = " and ".join(f"{each.rows.count:,}" for each in found)
    return f", with {counts} facts" + (f" of {', '.join(known)}" if known else "")


def _clock(about: Spans, step: Step, later: Column) -> Spans:
    """The ticks at which clock-driven patterns are told."""
    return union((about.between(step.begin, step.now), spans_of(later)))


def _seed(prepared: Prepared, clock: Spans) -> Rows:
    """A clock-driven pattern is looked at tick by tick."""
    time = prepared.pattern.time
    if prepared.facts or time.variable is None:
        return ONE
    ticks = clock.ticks() - time.offset
    return Rows({time.variable: ticks}, len(ticks))


def _with_ticks(
    known: Knowledge, prepared: Prepared, background: Background, part: Partial, clock: Spans
) -> Partial:
    """Rows once for every tick of the clock that an unguarded time may be, within its comparisons."""
    time, rows = prepared.pattern.time, part.rows
    if time.variable is None or clock.empty:
        return part.take(_NONE)
    first, last = first_tick(prepared, time, rows), latest_tick(prepared, time, rows)
    first = np.maximum(first, int(clock.first[0]))
    counts = np.maximum(np.minimum(last, int(clock.last[-1])) - first + 1, 0)
    make_room(counts)
    which, ticks = spread(first, counts)
    inside = marked(clock.within(ticks))
    which, ticks = which.take(inside), ticks.take(inside)
    whole = part.take(which)
    whole = Partial(Rows({**whole.rows.bound, time.variable: ticks - time.offset}, len(ticks)), whole.arrived)
    return whole.take(fitting(prepared, whole.rows, background, known.values))


def _about(prepared: Prepared, part: Partial, wanted: Wanted) -> Partial:
    """The rows whose answers are about the wanted ticks, or about a tick that is still open."""
    time = prepared.pattern.time
    if part.rows.count == 0 or (time.variable is not None and time.variable not in part.rows.bound):
        return part
    ticks = time_column(time, part.rows)
    inside: Mask = np.ones(len(ticks), np.bool_)
    if wanted.about is not EVERYWHERE:
        inside = wanted.about.within(ticks)
    if wanted.since is not None:
        inside &= ticks >= wanted.since
    return part if inside.all() else part.take(inside)


def _life(found: Derivations, step: Step) -> Life:
    """The life of each row, as far as its literals are known."""
    prepared, rows = found.prepared, found.rows
    facts = len(prepared.facts)
    told = spoken_for(found) if facts else np.full(rows.count, np.int64(-1))
    if prepared.clocked:
        time = time_column(prepared.pattern.time, rows)
        told = np.maximum(told, np.where(time < step.begin, NEVER, time))
    complete, end = found.complete, found.failed
    if rows.seen is not None:
        told = np.maximum(told, rows.seen)
    # What is so by the rules alone is so from the first tick on.
    told = np.maximum(told, step.begin)
    return Life(told, np.maximum(complete, told), end)


def spoken_for(found: Derivations) -> Column:
    """From when on facts have given rows all their values, and at least one fact is there."""
    prepared, holds = found.prepared, found.holds
    names = found.rows.bound.keys() - prepared.given
    sources = {tuple(i for i, f in enumerate(prepared.facts) if n in f.variables) for n in names}
    sources.discard(())
    if not sources:
        sources.add(tuple(range(len(prepared.facts))))
    since: list[Column] = [holds[list(which)].min(axis=0, initial=NEVER) for which in sources]
    return reduce(np.maximum, since)


def _mattering(found: Derivations, life: Life, wanted: Wanted, step: Step) -> Column:
    """The rows that are told at some tick of the step, or have been if the past matters as well."""
    since = -1 if wanted.past else step.before
    matter = life.end > np.maximum(life.told, since)
    if not found.prepared.clocked:
        matter &= life.told <= step.now
    if wanted.complete_by is not None and len(found.prepared.asked) == 0:
        matter &= life.complete <= wanted.complete_by
    for name in found.prepared.pattern.unguarded:
        # What becomes of all others decides whether a value that is seen later is told.
        matter |= found.rows.bound[name] == OTHERS
    return marked(matter)


def answers_of(found: Derivations, knowledge: Knowledge) -> Answers:
    """The answers of rows; what they leave open has a mark of its own."""
    pattern, rows = found.prepared.pattern, found.rows
    known = rows.bound.keys()
    answer = [
        np.full(rows.count, UNBOUND)
        if isinstance(term, Var) and term.name not in known
        else term_column(term, rows, knowledge.values)
        for term in pattern.answer
    ]
    if pattern.time.variable is not None and pattern.time.variable not in known:
        return answer, np.full(rows.count, ANY_TIME)
    return answer, time_column(pattern.time, rows)


def _grouped(blocks: Sequence[Derivations], answer: Sequence[Column], time: Column) -> Groups:
    """The derivations by answer."""
    if len(blocks) == 1 and blocks[0].rows.bound.keys() <= blocks[0].prepared.pattern.answered:
        count = blocks[0].rows.count
        return Groups(np.arange(count), np.arange(count), alone=True)  # no two rows have the same answer
    (key,) = keys_of([[*answer, time]])
    return groups(key)


def _stacked(parts: Sequence[Sequence[Column]], width: int) -> list[Column]:
    """Tables with the same columns, one below the other."""
    if len(parts) == 1:
        return list(parts[0])
    empty = np.zeros(0, np.int64)
    return [np.concatenate([empty, *(part[i] for part in parts)]) for i in range(width)]
