"""Literals that are lost from sight: still open, if no deadline counts while their source is unseen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from antelog.compile.literals.terms import Const, Var
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.joins import find_rows
from antelog.engine.columns.spans import EVERYWHERE, spans_of
from antelog.engine.columns.tables import Column, Mask, distinct, marked, numbered, once
from antelog.engine.facts.history import Facts, History, added
from antelog.engine.facts.sight import AskedTicks, Sight
from antelog.engine.step.arrays import offsets_of
from antelog.engine.step.atoms import seen_again
from antelog.engine.step.derivations import Knowledge, Memo
from antelog.engine.step.explanations import NOTHING, OPEN, Explanations
from antelog.engine.step.literal_texts import Text, Writer, as_structs, numbered_texts
from antelog.engine.step.lives import Lives, views_of
from antelog.engine.step.query import CONFIRM, REJECT, Kinds, StepQuery
from antelog.engine.step.rows import key_of
from antelog.engine.step.schema import LOST
from antelog.engine.step.wording import Plain
from antelog.engine.values.values import UNBOUND, Values
from antelog.language.syntax import Constant
from antelog.lines import literal_of, of_structs


def sighted(known: Knowledge, begin: int) -> Knowledge:
    """The knowledge in which deadlines at ticks at which sources are unseen do not count."""
    return replace(known, memo=Memo(known), sight=Sight(known.history, begin))


def unsure(known: Knowledge, query: StepQuery, reported: Explanations) -> Mask:
    """A mask of the answers for which some source is unseen at a tick that may matter."""
    found, sources = reported.found, known.rules.sources[query.name]
    first = found.by_answer.first
    time, late = found.time.take(first), np.zeros(len(first), np.int64)
    if sources is None or known.sight is None:
        return np.ones(len(first), np.bool_)
    names = (Var(name) for name in known.rules.relations[query.name].answer.variables)
    answer = {name: cells.take(first) for name, cells in zip(names, found.answer, strict=True)}
    doubtful = time < 0
    for each in sources:
        cells = {
            at: answer[term] if isinstance(term, Var) else np.full(len(first), known.values.cell(term.value))
            for at, term in each.terms.items()
        }
        begin = np.maximum(time - each.behind, 0)
        about = AskedTicks(begin, time + each.ahead, late + min(each.input.delays))
        doubtful |= known.sight.unseen(each.input, cells, about) > 0
        doubtful |= np.any([column == UNBOUND for column in cells.values()], axis=0)
    return doubtful


def with_its_past(
    known: Knowledge, query: StepQuery, reported: Explanations, doubtful: Mask
) -> StepQuery | None:
    """The query with all that became of rejected answers; None if each has one derivation at most."""
    found, at = reported.found, reported.at
    rejected = (reported.status[1:] == NOTHING) & (at.answer[1:] == at.answer[:-1])
    gone = at.answer[1:].take(marked(rejected))
    gone = gone.take(marked(doubtful.take(gone)))
    alone = found.by_answer.alone and len(known.rules.patterns[query.name]) == 1
    if alone or not len(gone):
        return None
    times = found.time.take(found.by_answer.first.take(gone))
    about = EVERYWHERE if (times < 0).any() else spans_of(distinct(times))
    return replace(query, about=about, past=True, confirmed_only=False)


@dataclass(frozen=True, eq=False)
class _Decided:
    """Derivations, each with the line that it is decided for, and the tick."""

    line: Column
    row: Column
    tick: Column


@dataclass(frozen=True, eq=False)
class LostLiterals:
    """Finds the lost literals of `doubtful` answers; of rejected ones with their `past`."""

    known: Knowledge
    doubtful: Mask
    past: Explanations | None

    def of_lines(self, reported: Explanations, moment: Column, kind: Kinds, *, structs: bool) -> pa.Array:
        """For each of some lines the literals that are lost; null where nothing is."""
        doubtful = self.doubtful.take(reported.at.answer.take(moment))
        confirmed, rejected = marked(doubtful & (kind == CONFIRM)), marked(doubtful & (kind == REJECT))
        type_ = of_structs(LOST) if structs else LOST
        parts = [(np.zeros(0, np.int64), pa.array([], type_.value_type))]
        if len(confirmed):
            at = reported.at
            line, view = views_of(at, reported.kept, moment.take(confirmed))
            some = _Decided(confirmed.take(line), at.view_of.take(view), at.then.take(view))
            parts += self._named(reported.found, some, all_of_them=True, structs=structs)
        if len(rejected):
            past = self.past or reported
            fallen = _fallen(reported, moment, rejected, past)
            parts += self._named(past.found, fallen, all_of_them=False, structs=structs)
        lines, texts = zip(*parts, strict=True)
        line, text = np.concatenate(lines), pa.concat_arrays(texts)
        order = np.argsort(line, kind="stable")
        counts = np.bincount(line, minlength=len(moment))
        names, nothing = text.take(pa.array(order)), pa.array(counts == 0)
        return pa.ListArray.from_arrays(pa.array(offsets_of(counts)), names, type=type_, mask=nothing)

    def _named(
        self, found: Lives, some: _Decided, *, all_of_them: bool, structs: bool
    ) -> list[tuple[Column, pa.Array]]:
        """The lost literals of the lines that are lost, in order, each with its line.

        A line is lost if each derivation has lost literals, or if one has no other that is false.
        """
        texts, counts, owners, lost_by = list[Text](), list[int](), list[Column](), list[Mask]()
        writers = list[Writer]()
        lost_view = np.zeros(len(some.row), np.bool_)
        for b, block in enumerate(found.blocks):
            views = marked((some.row >= found.starts[b]) & (some.row < found.starts[b + 1]))
            if not len(views):
                continue
            own, at = numbered(some.row.take(views) - found.starts[b])
            part = block.take(own)
            again = seen_again(self.known, part)
            when, later = np.minimum(part.holds, part.fails), np.minimum(again.holds, again.fails)
            lost = (later > when).take(at, axis=1)
            tick = some.tick.take(views)
            if all_of_them:
                lost &= part.holds.take(at, axis=1) <= tick
                lost_view[views] = lost.any(axis=0)
            else:
                false = part.fails.take(at, axis=1) <= tick
                lost &= false
                lost_view[views] = false.any(axis=0) & (lost | ~false).all(axis=0)
            writers.append(Writer(part, part.rows.take(at), self.known.values))
            texts += writers[-1].texts()
            counts += [len(at)] * len(lost)
            owners += [views] * len(lost)
            lost_by += [*lost]
        if not lost_view.any():
            return []
        lines = np.bincount(some.line, minlength=int(some.line.max()) + 1)
        told = np.bincount(some.line.take(marked(lost_view)), minlength=len(lines))
        chosen: Mask = lost_view & ((told == lines) if all_of_them else told > 0).take(some.line)
        numbers, names = numbered_texts(texts, counts)
        names = as_structs(writers, numbers, names) if structs else names
        owner = np.concatenate(owners)
        at = marked(np.concatenate(lost_by) & chosen.take(owner))
        line, number = some.line.take(owner.take(at)), np.concatenate(numbers).take(at)
        different, _ = once(key_of([line, number]))
        line, number = line.take(different), number.take(different)
        order = np.lexsort([number, line])
        return [(line.take(order), names.take(pa.array(number.take(order))))]


def _fallen(reported: Explanations, moment: Column, rejected: Column, past: Explanations) -> _Decided:
    """The explanations that fell since answers were possible, each with the line that rejects its answer."""
    at, tick = past.at, reported.at.tick.take(moment.take(rejected))
    answer = reported.at.answer.take(moment.take(rejected))
    if past.found is not reported.found:
        first, whole = reported.found.by_answer.first.take(answer), past.found.by_answer.first
        own = [column.take(first) for column in (*reported.found.answer, reported.found.time)]
        answer = find_rows(own, [column.take(whole) for column in (*past.found.answer, past.found.time)])
    # Where answers begin to be possible, and where they end.
    same = np.append([False], at.answer[1:] == at.answer[:-1])[: len(at.tick)]
    before = np.append([NOTHING], past.status[:-1])[: len(at.tick)]
    fresh = ~same | ((past.status == OPEN) & (before != OPEN))
    since = np.maximum.accumulate(np.where(fresh, np.arange(len(at.tick)), 0))
    end = find_rows([answer, tick], [at.answer, at.tick])
    there = marked(end > 0)
    end, line = end.take(there), rejected.take(there)
    order = np.argsort(end, kind="stable")
    end, line = end.take(order), line.take(order)
    # A view falls at the next moment of its answer, if its derivation is over then.
    view = marked(past.kept)
    place = at.view_at.take(view)
    following = np.minimum(place + 1, len(at.tick) - 1)
    falls = (place + 1 < len(at.tick)) & same.take(following)
    falls &= past.found.life.end.take(at.view_of.take(view)) <= at.tick.take(following)
    view, place = view.take(marked(falls)), place.take(marked(falls))
    which = np.searchsorted(end, place, "right")
    inside = marked(which < len(end))
    view, place, which = view.take(inside), place.take(inside), which.take(inside)
    mine = (at.answer.take(end.take(which)) == at.answer.take(place)) & (
        place >= since.take(end.take(which) - 1)
    )
    view, place, which = view.take(marked(mine)), place.take(marked(mine)), which.take(marked(mine))
    return _Decided(line.take(which), at.view_of.take(view), at.tick.take(place + 1))


class ExpectedSource(NamedTuple):
    """A source that facts of an input are expected of, by its values at some positions."""

    input: str
    positions: tuple[int, ...]
    values: tuple[Plain, ...]


@lru_cache(maxsize=1_000)
def sources_of(plan: Plan, literal: str) -> frozenset[ExpectedSource]:
    """The sources that a literal of a line rests on; those of a derived atom are those of its rules."""
    found = literal_of(literal)
    values = tuple(term.value if isinstance(term, Constant) else None for term in found.terms[:-1])
    return frozenset(_below(plan, found.predicate, values, frozenset()))


def _below(
    plan: Plan, predicate: str, values: tuple[Plain, ...], above: frozenset[str]
) -> Iterator[ExpectedSource]:
    for each in (each for each in plan.inputs if each.name == predicate):
        if known := [at for at in each.expected.of if at < len(values) and values[at] is not None]:
            yield ExpectedSource(predicate, tuple(known), tuple(values[at] for at in known))
    for relation in plan.relations:
        if relation.name in above or predicate not in (relation.name, relation.predicate):
            continue
        for pattern in relation.patterns:
            kept = [each for each in values if each is not None]
            given = values if len(values) == len(pattern.answer) else kept
            bound = {t.name: v for t, v in zip(pattern.answer, given, strict=False) if isinstance(t, Var)}
            for reference in (each for literal in pattern.literals for each in literal.references):
                terms = reference.untimed
                below = tuple(
                    term.value if isinstance(term, Const) else bound.get(term.name) if term else None
                    for term in terms
                )
                yield from _below(plan, reference.name, below, above | {relation.name})


@dataclass(frozen=True, eq=False)
class UnseenSources:
    """Finds sources that were unseen in a step, given the facts before it and the new ones."""

    plan: Plan
    values: Values
    before: History
    new: Mapping[str, Facts]
    begin: int

    def among(self, literals: Sequence[str], tick: int) -> list[str]:
        """The literals of which a source is unseen by a tick: at their own tick if it was before that."""
        return [each for each in literals if self._is_unseen(each, tick)]

    @cached_property
    def _sight(self) -> Sight:
        return Sight(added(self.before, self.new), self.begin)

    def _is_unseen(self, literal: str, tick: int) -> bool:
        about = literal_of(literal).tick
        at = np.array([tick if about is None else min(about, tick)])
        asked = AskedTicks(at, at, tick - at)
        for found in sources_of(self.plan, literal):
            source = next(each for each in self.plan.inputs if each.name == found.input)
            named = [(at, v) for at, v in zip(found.positions, found.values, strict=True) if v is not None]
            cells = {at: np.array([self.values.cell(value)]) for at, value in named}
            if self._sight.unseen(source, cells, asked)[0]:
                return True
        return False
