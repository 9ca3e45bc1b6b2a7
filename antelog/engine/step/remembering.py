"""The decided atoms that a step leaves behind, of relations that rest on their own negation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from antelog.compile.literals.terms import Var
from antelog.engine.columns.spans import span
from antelog.engine.columns.tables import NEVER, Column, distinct, once
from antelog.engine.step.atoms import truth
from antelog.engine.step.derivations import ALWAYS, Atoms, DecidedAtoms, Knowledge
from antelog.engine.step.matching import partials
from antelog.engine.step.rows import ONE, key_of, term_column, time_column
from antelog.engine.values.encoding import OTHERS


def remembered(knowledge: Knowledge, name: str, now: int) -> DecidedAtoms:
    """The decided atoms that a step leaves behind, of ticks before `now`, which may be looked at again."""
    rules = knowledge.rules
    bounds, known = rules.relations[name].bounds, knowledge.decided[name]
    if bounds.delay is None:
        return known
    until = now - 1 - bounds.delay - rules.lag
    if until > known.until:
        known = _with(knowledge, name, known, until)
    if bounds.kept is None:
        return known
    return known.take(known.ticks >= min(now - bounds.kept - 1, until - rules.widest))


def _with(knowledge: Knowledge, name: str, known: DecidedAtoms, until: int) -> DecidedAtoms:
    """The decided atoms that are known, and the others that are decided by a tick."""
    parts = list(_undecided(knowledge, name, max(known.until + 1, 0), until))
    if not parts:
        return replace(known, until=until)
    whole = [np.concatenate(each) for each in zip(*(part.columns for part in parts), strict=True)]
    first, _ = once(key_of(whole))
    *columns, ticks = (column.take(first) for column in whole)
    found = truth(knowledge, Atoms(name, tuple(columns), ticks))
    true = found.true_at < NEVER
    new = DecidedAtoms(until, tuple(columns), ticks, true, np.full(len(ticks), ALWAYS))
    general = np.zeros(len(ticks), np.bool_)
    for column in columns:
        general |= column == OTHERS
    if knowledge.rules.relations[name].bounds.kept is None:
        # There may always be an answer that is open and rests on it, be it true or false, from that tick on.
        new = replace(new, when=np.minimum(found.true_at, found.false_at))
        return known.and_then(new)
    return known.and_then(new.take(true | bool((true & general).any())))


def _undecided(known: Knowledge, name: str, first: int, last: int) -> Iterator[Atoms]:
    """The atoms about ticks of a span that may be true, or may differ from those of all others."""
    if first > last:
        return
    about = span(first, last)
    for number, prepared in enumerate(known.rules.patterns[name]):
        pattern = prepared.pattern
        if prepared.clocked or pattern.unguarded:
            # Every tick, for all others and for every value that facts or remembered atoms have.
            choices = [
                _cells(known, name, at) if isinstance(term, Var) else term_column(term, ONE, known.values)
                for at, term in enumerate(pattern.answer)
            ]
            grid = np.meshgrid(*choices, about.ticks(), indexing="ij")
            *cells, times = (np.ascontiguousarray(each.ravel()) for each in grid)
            yield Atoms(name, tuple(cells), times)
            continue
        found = known.found(prepared, about)
        for part in partials(prepared, ONE, found, known.static.of_patterns[name][number], known.values):
            rows = part.with_facts().rows
            if prepared.pattern.answered <= rows.bound.keys():
                ticks = time_column(pattern.time, rows)
                inside = (ticks >= first) & (ticks <= last)
                columns = (term_column(term, rows, known.values)[inside] for term in pattern.answer)
                yield Atoms(name, tuple(columns), ticks[inside])


def _cells(known: Knowledge, name: str, position: int) -> Column:
    """All values there may be at a position of a relation's atoms, and the one for all others."""
    cells = [np.array([OTHERS]), known.decided[name].columns[position]]
    seen: set[tuple[str, int]] = set()

    def look(relation: str, at: int) -> None:
        if (relation, at) in seen:
            return
        seen.add((relation, at))
        for each, background in zip(
            known.rules.patterns[relation], known.static.of_patterns[relation], strict=True
        ):
            term = each.pattern.answer[at]
            if not isinstance(term, Var):
                cells.append(term_column(term, ONE, known.values))
                continue
            if term.name in background.rows.bound:
                cells.append(background.rows.bound[term.name])
            tables = (found.rows.bound for found in known.found(each, None))
            cells.extend(bound[term.name] for bound in tables if term.name in bound)
            for reference in (reference for literal in each.asked for reference in literal.references):
                for place, asked in enumerate(reference.given):
                    if asked == term:
                        look(reference.name, place)

    look(name, position)
    return distinct(np.concatenate(cells))
