"""The derivations of answers, and of the atoms their asked literals ask for, found anew from the kept facts.

not Shdn(wt2, 2)    true once every derivation of Shdn(wt2, 2) is false; false once one is complete
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from antelog.compile.literals import Aggregation, Comparison, Last, Negation
from antelog.compile.literals.aggregate import Aggregate
from antelog.compile.literals.literal import AskedLiteral, Reference
from antelog.compile.literals.terms import variables_in
from antelog.compile.prepared.pattern import OpenEnd
from antelog.engine.columns.joins import TickRange, TooLargeError, find_rows, pairs, records
from antelog.engine.columns.tables import NEVER, Column, distinct, groups, inverse, marked, or_never, sorting
from antelog.engine.step import literals, pattern_rows
from antelog.engine.step.amounts import Compared, compared
from antelog.engine.step.cycles import Closure
from antelog.engine.step.derivations import (
    AmountLine,
    Atoms,
    Derivations,
    FoundTruths,
    Knowledge,
    Truth,
    answer_time,
    arguments_of,
    atoms_of,
    life_of,
    mattering,
)
from antelog.engine.step.latest import SlotAtoms, TakenValues, truth_of_latest, with_last, with_latest
from antelog.engine.step.matching import Partial, background_of
from antelog.engine.step.members import AskedAtoms, Candidates, candidates, members, windows_of
from antelog.engine.step.query import StepQuery
from antelog.engine.step.rows import Rows, key_of, latest_tick, time_column
from antelog.engine.step.windows import Windows
from antelog.engine.values.encoding import UNBOUND
from antelog.engine.values.numbers import after_steps

_AT_ONCE = 1_000  # rows are compared together: what they look at takes much more room than what is found
_MANY = 2_000  # about so many atoms of a cycle are decided at once


def derivations_of(known: Knowledge, query: StepQuery) -> list[Derivations]:
    """Finds the derivations of a query's answers that matter in a step, clock-driven patterns last."""
    blocks: list[Derivations] = []
    patterns = known.rules.patterns[query.name]
    mixed = len({prepared.clocked for prepared in patterns}) > 1
    for number, prepared in sorted(enumerate(patterns), key=lambda each: each[1].clocked):
        later = [np.zeros(0, np.int64)]
        if mixed and prepared.clocked:
            # Later ticks that open answers are about: clock-driven patterns may derive them then.
            later += [time[time > query.step.now] for time in map(answer_time, blocks)]
        for part in pattern_rows.rows_of_query(known, query, number, distinct(np.concatenate(later))):
            found = literals.with_facts(known, prepared, part)
            kept = mattering(found, life_of(found, query.step), query)
            if not prepared.asked:
                blocks += _kept(found, kept)
                continue
            if len(kept) < found.rows.count:
                found = found.take(kept)
            background = pattern_rows.background_of_query(known, query, number)
            for taken in with_latest(known, found, query.step, background, _taken_values(known)):
                for each in literals.while_they_are(known, taken, partial(_in_range, known)):
                    for whole in _in_parts(known, each, since=life_of(each, query.step).supported):
                        blocks += _kept(whole, mattering(whole, life_of(whole, query.step), query))
    return blocks


def _kept(found: Derivations, kept: Column) -> list[Derivations]:
    if len(kept) == 0:
        return []
    # Where less than every other row matters, a copy is cheaper than to keep all.
    return [found.take(kept) if 2 * len(kept) < found.rows.count else found]


def with_asked(
    known: Knowledge,
    found: Derivations,
    leaving: frozenset[str] = frozenset(),
    depth: int = 0,  # how many literals with open variables these derivations are nested in
    since: Column | None = None,  # for each row the tick up to which changes do not matter
) -> Derivations:
    """Adds the lines of asked literals; those with open variables wait, those about `leaving` are unknown."""
    found, unsure = literals.as_they_are(known, found, partial(_in_range, known), leaving), known
    rows, lines, progress = found.rows, list[Truth](), list[AmountLine]()
    bound = rows.bound.keys()
    at_one_tick = _negated(known, found, leaving)
    for number, literal in enumerate(found.prepared.asked, len(found.prepared.facts)):
        known = unsure.believing if unsure.rules.asks_for_silence(literal.node) else unsure
        never, unknown = np.full(rows.count, NEVER), np.full(rows.count, np.int64(-1))
        if isinstance(literal.node, Last) and literal.node.slot.promised and _takes_alone(literal, rows):
            lines.append(truth_of_latest(known, literal.node, rows))
        elif isinstance(literal.node, Last) and literal.takes - bound and _takes_alone(literal, rows):
            decided = unknown if rows.as_of is None else _waiting_until(known, found, literal, depth)
            lines.append(Truth(never, slot_atoms(known, literal.node, rows).false_at, decided))
        elif isinstance(literal.node, Aggregation) and literal.takes - bound and _takes_alone(literal, rows):
            # What it stands for may still come until it is closed.
            whole, which = _aggregated(known, literal.node.closing, rows, None)
            closed = np.minimum(whole.truth.true_at, whole.truth.false_at).take(which)
            lines.append(Truth(never, closed, whole.truth.decided.take(which)))
            progress.append(AmountLine(number, which, whole.so_far, whole.quarters))
        elif number in at_one_tick:
            lines.append(at_one_tick[number])
        elif not leaving.isdisjoint(literal.relations) and not variables_in(literal.node.times) <= bound:
            lines.append(Truth(never, never, unknown))  # the closure of the cycle looks at its atoms
        elif not literal.variables <= bound:
            decided = unknown if rows.as_of is None else _waiting_until(known, found, literal, depth)
            waiting = Truth(never, never, decided)
            known_times = leaving.isdisjoint(literal.relations) and variables_in(literal.node.times) <= bound
            if isinstance(literal.node, Aggregation) and known_times:
                whole, which = _aggregated(known, literal.node, rows, None)
                waiting = whole.truth.take(which)._replace(decided=decided)
            lines.append(waiting._replace(false_at=_false_at(known, found, number, waiting.false_at)))
        elif not leaving.isdisjoint(literal.relations):
            lines.append(Truth(never, never, unknown))
        elif isinstance(literal.node, Aggregation):
            told = rows.owner is None or rows.as_of is not None or literals.fails_by_members(literal.node)
            whole, which = _aggregated(known, literal.node, rows, since if told else None)
            lines.append(whole.truth.take(which))
            progress.append(AmountLine(number, which, whole.so_far, whole.quarters))
        else:
            asked = [atoms_of(each, rows, known.values) for each in literal.references]
            kind = literals.ASKED[type(literal.node)]
            if isinstance(literal.node, Negation):
                lines.append(kind([literals.TickTruths(truth(known, each, since)) for each in asked]))
            else:
                lines.append(kind([by_tick(known, each) for each in asked]))
        until = rows.replaced.get(literal.node) if isinstance(literal.node, Last) else None
        if until is not None and rows.as_of is None:  # with its values only while that is the latest
            true_at, false_at, decided = lines[-1]
            true_at = or_never(true_at, true_at >= until)
            lines[-1] = Truth(true_at, np.minimum(false_at, until), decided)
    return found.with_lines(lines, progress)


def _negated(known: Knowledge, found: Derivations, leaving: frozenset[str]) -> dict[int, Truth]:
    """The truth of negated atoms at one tick with all their values, found once for those of a relation."""
    rows, alike = found.rows, dict[tuple[str, bool], list[int]]()
    for number, each in enumerate(found.prepared.literals):
        node = each.node
        if isinstance(node, Negation) and node.single and node.variables <= rows.bound.keys():
            alike.setdefault((node.relation, known.rules.asks_for_silence(node)), []).append(number)
    truths = dict[int, Truth]()
    for (relation, silence), numbers in alike.items():
        if relation not in leaving:
            asked = (found.prepared.literals[number].node.references[0] for number in numbers)
            atoms = Atoms.and_then(*(atoms_of(each, rows, known.values) for each in asked))
            columns = truth(known.believing if silence else known, atoms)
            parts = zip(*(np.split(each, len(numbers)) for each in columns), strict=True)
            each_of = (literals.negated([literals.TickTruths(Truth(*part))]) for part in parts)
            truths |= zip(numbers, each_of, strict=True)
    return truths


def _false_at(known: Knowledge, found: Derivations, number: int, other: Column) -> Column:
    """The tick at which a literal with open variables becomes false by its open end, or else `other`."""
    for end in found.prepared.ends:
        if end.number == number and end.is_open(found.rows.bound.keys() - {end.bound}):
            until = found.rows.replaced.get(end.node)
            if until is not None and found.rows.as_of is None:
                return until
            return literals.false_by_end(known, found, end, _in_range(known, found, end))
    return other


def _in_range(known: Knowledge, found: Derivations, end: OpenEnd) -> literals.TrueAtoms:
    """The true atoms in the ranges of rows whose last tick is open."""
    rows, prepared = found.rows, found.prepared
    (reference,), rules = end.node.references, known.rules
    arguments = arguments_of(reference, rows, known.values)
    first = np.maximum(time_column(reference.first, rows), 0)
    last = latest_tick(prepared, reference.last, literals.without_bounds(prepared, rows))
    if (last == NEVER).any():
        # Later than all facts can reach, all ticks are alike.
        newest = max((int(each.ticks[-1]) for each in known.history.values() if each.slices), default=0)
        last = np.where(last == NEVER, np.maximum(first, newest) + rules.widest + 1, last)
    some = marked(first <= last)
    atoms = Atoms(reference.name, arguments, first, last, rows.as_of).take(some)
    patterns = rules.patterns[reference.name]
    if atoms.relation in rules.cycles or any(each.clocked for each in patterns):
        each = literals.AtomsByTick.of(atoms)
        row, tick, true_at = np.repeat(some, each.counts), each.atoms.time, truth(known, each.atoms).true_at
    else:
        # Rows with the same values ask about all their ticks together, and need the records among these.
        # As of a tick the facts are those that came by then, and so is what they alone make true.
        then = None if any(each.asked for each in patterns) else atoms.as_of
        if then is not None:
            atoms = replace(atoms, as_of=None)
        keys = [column for column in (*atoms.arguments, atoms.as_of) if column is not None]
        same = groups(key_of(keys, atoms.count))
        whole = replace(atoms.take(same.first), time=same.least(atoms.time), last=same.most(last.take(some)))
        parts = [(each.owner, answer_time(each), each.complete) for each in derived(known, whole)]
        nothing = np.zeros(0, np.int64)
        owner, tick, true_at = map(np.concatenate, zip((nothing, nothing, nothing), *parts, strict=True))
        band = TickRange(atoms.time, last.take(some))
        row, at = records(same.numbers, owner, band, tick, true_at)
        tick, true_at = tick.take(at), true_at.take(at)
        if then is not None:
            true_at = or_never(true_at, true_at > then.take(row))
        row = some.take(row)
    return literals.TrueAtoms(row, tick, true_at).take(marked(true_at < NEVER))


def _in_parts(
    known: Knowledge, found: Derivations, since: Column, leaving: frozenset[str] = frozenset()
) -> list[Derivations]:
    """Adds the lines of asked literals to derivations, in parts if these ask for too much."""
    try:
        return [with_asked(known, found, leaving, since=since)]
    except TooLargeError:
        if found.rows.count < 2:
            raise
    halves = np.array_split(np.arange(found.rows.count), 2)
    return [each for half in halves for each in _in_parts(known, found.take(half), since.take(half), leaving)]


def _aggregated(
    known: Knowledge, node: Aggregation, rows: Rows, since: Column | None
) -> tuple[Compared, Column]:
    """Compares an aggregate in rows, once for rows with the same values; and which of these each row is."""
    bound = {name: rows.bound[name] for name in sorted(node.variables & rows.bound.keys())}
    same = groups(key_of([*bound.values()] + ([] if rows.as_of is None else [rows.as_of]), rows.count))
    some = Rows(bound, rows.count, as_of=rows.as_of).take(same.first)
    first = None if since is None else same.least(since)
    if node.variables <= bound.keys():
        asked = (atoms_of(each, some, known.values) for each in node.references)
        windows = [windows_of(known, *each, some) for each in zip(asked, node.aggregates, strict=True)]
        if all(each is not None for each in windows):
            return compared(node, [each for each in windows if each], some, known.values), same.numbers
    order = sorting(time_column(node.left.inside.last, some))
    cycles = known.rules.cycles
    most = _AT_ONCE if all(each.inside.relation not in cycles for each in node.aggregates) else some.count + 1
    parts = list[Compared]()
    for at in np.split(order, range(most, some.count, most)):
        part, told = some.take(at), None if first is None else first.take(at)
        found = {each: _members(known, each, part, told) for each in dict.fromkeys(node.aggregates)}
        parts.append(compared(node, [found[each] for each in node.aggregates], part, known.values))
    return Compared.joined(parts), inverse(order).take(same.numbers)


def closing(known: Knowledge, node: Aggregation, rows: Rows) -> tuple[Column, Column]:
    """The final values of an aggregate in rows as cells (UNBOUND: none), and since when they are final."""
    whole, which = _aggregated(known, node.closing, rows, None)
    true_at, false_at = whole.truth.true_at, whole.truth.false_at
    some = marked(true_at < NEVER)
    cells = np.full(len(true_at), UNBOUND)
    numbers = after_steps(whole.so_far(some, true_at.take(some)), node.left.steps)
    cells[some] = numbers.cells(known.values)
    return cells.take(which), np.minimum(true_at, false_at).take(which)


def _members(known: Knowledge, aggregate: Aggregate, rows: Rows, since: Column | None) -> Windows:
    known = known.believing if known.rules.asks_for_silence(aggregate) else known
    aggregate = aggregate.with_any(rows.bound.keys())
    atoms = atoms_of(aggregate.inside.reference, rows, known.values)
    in_cycle = atoms.relation in known.rules.cycles
    asked = AskedAtoms.of(known, aggregate, atoms, since if in_cycle else None)
    return members(aggregate, *_candidates(known, asked), rows, known.values)


def _candidates(known: Knowledge, asked: AskedAtoms) -> tuple[Candidates, Truth]:
    """The atoms that may be what is asked for, each with its truth."""
    if asked.atoms.relation in known.rules.cycles:
        return _through_time(known, asked.atoms).members(asked)
    found = candidates(asked, derived(known, asked.atoms) if asked.atoms.count else [], known.values)
    return found, truth(known, found.atoms)


def _taken_values(known: Knowledge) -> TakenValues:
    return TakenValues(partial(closing, known), partial(slot_atoms, known))


def slot_atoms(known: Knowledge, node: Last, rows: Rows) -> SlotAtoms:
    """The true atoms that fit a `last` with open variables, each while it is the latest of its slot."""
    fitting, of_slot = node.references[0], node.references[-1]
    ticks = []
    for atoms in (atoms_of(each, rows, known.values) for each in (fitting, of_slot)):
        ranges = replace(atoms, last=atoms.time if atoms.last is None else atoms.last)
        ticks.append(literals.atoms_by_tick(known, ranges, None))
    row = np.repeat(np.arange(rows.count), ticks[0].counts)
    found, true = _candidates(known, AskedAtoms(ticks[0].atoms, row, single=False))
    return SlotAtoms.of(found, true, truth(known, ticks[1].atoms), fitting, rows)


def _takes_alone(literal: AskedLiteral, rows: Rows) -> bool:
    """Whether only those variables are open that take their values from the literal."""
    return literal.variables - literal.takes <= rows.bound.keys()


def by_tick(known: Knowledge, atoms: Atoms, since: Column | None = None) -> literals.TickTruths:
    """The truth of atoms, for a range at each of its ticks, or at those that matter."""
    if atoms.last is None:
        return literals.TickTruths(truth(known, atoms))
    in_cycle = atoms.relation in known.rules.cycles
    each = (
        literals.atoms_by_tick(known.believing, atoms, since) if in_cycle else literals.AtomsByTick.of(atoms)
    )
    return literals.TickTruths(truth(known, each.atoms), each.counts, known.sight is not None)


def truth(known: Knowledge, atoms: Atoms, since: Column | None = None) -> Truth:
    """The ticks at which atoms, or some of a range, become true and false; up to `since`, any will do."""
    if atoms.count == 0:
        return Truth(atoms.time, atoms.time, atoms.time)
    if atoms.last is not None:
        windows = windows_of(known, atoms)
        return by_tick(known, atoms, since).some if windows is None else windows.some
    if atoms.relation in known.rules.cycles:
        atoms = literals.settled_as_of(known, atoms)
    same = groups(key_of(atoms.columns))
    once, numbers = atoms.take(same.first), same.numbers
    kind = atoms.relation, atoms.given, atoms.last is None, atoms.as_of is None
    found = known.memo.recall(kind, once.columns, lambda some: _truth(known, once.take(some)))
    return Truth(*found).take(numbers)


def _truth(known: Knowledge, atoms: Atoms) -> Truth:
    if atoms.relation in known.rules.cycles:
        return _through_time(known, atoms).truth(atoms)
    truth = Truth.of_nothing(atoms.count)
    for found in derived(known, atoms):
        decided = np.where(found.failed > found.seen, found.open_until, -1)
        truth.add(found.owner, Truth(found.complete, found.failed, decided))
    return truth._replace(false_at=np.where(truth.true_at < NEVER, NEVER, truth.false_at))


def _through_time(known: Knowledge, atoms: Atoms) -> Closure:
    """The closure of atoms of a relation that rests on its own past (see `cycles`)."""
    known = known.believing  # what was decided of them is remembered, not by what
    cycle = known.rules.cycles[atoms.relation]
    if cycle not in known.memo.through_time:
        known.memo.through_time[cycle] = {}
        _block_by_block(known, cycle)
    return _closure(known, atoms)


def _block_by_block(known: Knowledge, cycle: frozenset[str]) -> None:
    """Decides many atoms of a cycle block by block: later ones rest on the few that are true before."""
    found, memo = {name: literals.may_be_true(known, name) for name in sorted(cycle)}, known.memo
    left = {name: each for name, each in found.items() if each is not None}
    if len(left) < len(found) or sum(each.count for each in left.values()) <= _MANY:
        return
    levels = {name: each.time + known.rules.relations[name].level.shift for name, each in left.items()}
    true = {name: each.take(each.time[:0]) for name, each in left.items()}
    for first, last in _blocks(levels):
        inside = {name: marked((level >= first) & (level <= last)) for name, level in levels.items()}
        parts = {name: each.take(inside[name]) for name, each in left.items()}
        for name, part in parts.items():
            memo.may_be_true[name] = true[name].and_then(part)
        for name, part in parts.items():
            if part.count == 0:
                continue
            truth = _closure(known, part).truth(part)
            truth = truth._replace(decided=np.full(part.count, np.int64(-1)))
            before, table = memo.through_time[cycle].get(name), FoundTruths(part, truth)
            memo.through_time[cycle][name] = table if before is None else before.and_more(part, truth)
            true[name] = true[name].and_then(part.take(truth.true_at < NEVER))
    memo.may_be_true |= true


def _blocks(levels: Mapping[str, Column]) -> Iterator[tuple[int, int]]:
    """The first and last level of each block."""
    level = np.sort(np.concatenate([*levels.values()]))
    at = 0
    while at < len(level):
        last = int(level[min(at + _MANY, len(level)) - 1])
        yield int(level[at]), last
        at = int(np.searchsorted(level, last, "right"))


def _closure(known: Knowledge, atoms: Atoms) -> Closure:
    closure = Closure(known, atoms)
    while (fresh := closure.fresh()) is not None:
        for found in derived(known, fresh, closure.relations):
            closure.add(fresh, found)
    return closure


def seen_again(known: Knowledge, found: Derivations) -> Derivations:
    """Works out the lines of derivations anew with other knowledge of the same facts."""
    arrived = found.holds[: len(found.prepared.facts)]
    again = literals.with_facts(known, found.prepared, Partial(found.rows, arrived))
    parts = _in_parts(known, again, found.complete)
    lines = zip(*((each.holds, each.fails, each.decided) for each in parts), strict=True)
    holds, fails, decided = map(np.hstack, lines)
    return Derivations(found.prepared, found.rows, holds, fails, decided)


# ---- derivations of atoms ----


def derived(known: Knowledge, atoms: Atoms, leaving: frozenset[str] = frozenset()) -> list[Derivations]:
    """All derivations of atoms; the owner of a row is the position of its atom among these."""
    found = None if atoms.as_of is None else _as_of(known, atoms)
    if found is None:
        found = [
            literals.with_facts(known, prepared, part)
            for number, prepared in enumerate(known.rules.patterns[atoms.relation])
            for part in pattern_rows.rows_for(
                known, atoms.relation, number, pattern_rows.seed_of(prepared, atoms, known.values)
            )
        ]
        if atoms.as_of is None and atoms.whole:
            known.memo.keep_derivations(atoms, found)
    lines = list[Derivations]()
    for part in (part for each in found for part in _with_last(known, atoms, each)):
        # Up to this tick no row is complete, so that earlier truth does not matter.
        since = part.complete if part.rows.as_of is None else part.rows.as_of
        lines += _in_parts(known, part, since, leaving)
    return lines


def _with_last(known: Knowledge, atoms: Atoms, found: Derivations) -> list[Derivations]:
    """Derivations of atoms, and those with the values of latest facts and closed aggregates."""
    if not found.prepared.pattern.takings:
        return [found]
    number = known.rules.patterns[atoms.relation].index(found.prepared)
    background = known.static.of_patterns[atoms.relation][number]
    return with_last(known, found, background, _taken_values(known))


def in_silence(known: Knowledge, found: Derivations) -> list[Derivations]:
    """The derivations with all that they take if nothing more arrives, where that is more than kept facts."""
    prepared, rows = found.prepared, found.rows
    takings = prepared.pattern.takings
    if all(isinstance(each.literal, Last) and each.literal.slot.promised for each in takings):
        return []
    taken = prepared.pattern.leading_to(frozenset[str]().union(*(each.variables for each in takings)))
    bound = {name: column for name, column in rows.bound.items() if name not in taken}
    bare = replace(rows, bound=bound, owner=np.arange(rows.count), latest=None)
    background = background_of(prepared, known.static.tables, known.values)
    silent = replace(found, rows=bare).during(np.int64(-1), NEVER)
    return with_latest(known, silent, None, background, _taken_values(known))


def _as_of(known: Knowledge, atoms: Atoms) -> list[Derivations] | None:
    """The kept derivations of atoms as of earlier ticks; None if they are not kept, or too many at once."""
    then, kept = atoms.as_of, known.memo.derivations.get(atoms.relation)
    if then is None or kept is None or not atoms.whole:
        return None
    table, parts = kept
    position = find_rows(replace(atoms, as_of=None).columns, table)
    if (position < 0).any():
        return None
    try:
        joins = [pairs(position, found.owner) for found in parts]
    except TooLargeError:
        return None
    return [
        found.take(there).owned_by(here).as_of(then.take(here))
        for found, (here, there) in zip(parts, joins, strict=True)
    ]


# ---- asked literals with open variables ----


def _waiting_until(known: Knowledge, found: Derivations, literal: AskedLiteral, depth: int) -> Column:
    """The tick by which all has come that a literal with open variables may rest on; -1 if nothing."""
    decided = np.full(found.rows.count, np.int64(-1))
    # Literals within each other are followed so deep.
    if found.rows.count and depth < 8:
        conditions = pattern_rows.conditions_on_open(found.prepared, literal, found.rows)
        for reference in literal.references:
            decided = np.maximum(decided, _decided_by(known, found, reference, conditions, depth))
    return decided


def _decided_by(
    known: Knowledge, found: Derivations, reference: Reference, conditions: Sequence[Comparison], depth: int
) -> Column:
    """The tick by which all is decided that one reference of such a literal may lead to."""
    rows, bounds = found.rows, known.rules.relations[reference.name].bounds
    atoms, delay = pattern_rows.open_atoms(found.prepared, reference, rows, known.values), None
    given = {name: rows.bound[name] for c in conditions for name in c.variables if name in rows.bound}
    last = atoms.last
    assert last is not None
    if reference.first == reference.last and variables_in([reference.first]) <= rows.bound.keys():
        atoms = replace(atoms, last=None)
    elif reference.first != reference.last and (last < NEVER).all():
        delay = bounds.delay
    asked = pattern_rows.OpenAtoms(reference, atoms, conditions, given)
    if rows.as_of is None or delay is None:
        return _deadlines(known, asked, depth)
    # A slot that is taken decides one tick of a range, so those that facts reach are looked at one by one.
    atoms = replace(atoms, time=np.maximum(atoms.time, rows.as_of - delay))
    if atoms.whole and reference.name in known.rules.cycles:
        each = literals.AtomsByTick.of(atoms)
        return each.latest(truth(known, each.atoms).decided)  # level by level, not within each other
    ahead = known.rules.widest if bounds.window is None else bounds.window
    reached = np.minimum(last, rows.as_of + ahead)
    each = literals.AtomsByTick.of(replace(atoms, last=reached))
    given = {name: np.repeat(column, each.counts) for name, column in given.items()}
    beyond = replace(asked, atoms=replace(atoms, time=np.maximum(atoms.time, reached + 1)))
    one_by_one = each.latest(_deadlines(known, replace(asked, atoms=each.atoms, given=given), depth))
    return np.maximum(one_by_one, _deadlines(known, beyond, depth))


def _deadlines(known: Knowledge, asked: pattern_rows.OpenAtoms, depth: int) -> Column:
    """For each of some atoms the last deadline of what they may rest on; NEVER if they have no last tick."""
    atoms, given = asked.atoms, asked.given
    first, last = atoms.time, atoms.time if atoms.last is None else atoms.last
    same = groups(key_of([*atoms.columns, *given.values()]))
    some = same.first
    possible = marked((first.take(some) <= last.take(some)) & (last.take(some) < NEVER))
    once = asked.take(some.take(possible))
    until = np.full(same.count, np.int64(-1))
    # Within each other, literals lead to the same atoms in many ways.
    (until[possible],) = known.memo.recall(
        once.kind(depth), once.columns, lambda some: (_last_deadlines(known, once.take(some), depth),)
    )
    return np.where(last == NEVER, NEVER, until.take(same.numbers))


def _last_deadlines(known: Knowledge, asked: pattern_rows.OpenAtoms, depth: int) -> Column:
    """For each of some atoms, the last deadline of its open derivations."""
    latest, name = np.full(asked.atoms.count, np.int64(-1)), asked.atoms.relation
    for number, prepared in enumerate(known.rules.patterns[name]):
        seed = pattern_rows.seed_of(prepared, asked.atoms, known.values)
        # The deadline of a fact that is still to come is not after that of any fact.
        lone = len(prepared.facts) == 1 and not prepared.asked and seed.as_of is not None
        for part in pattern_rows.rows_for(known, name, number, seed, bare=lone and known.sight is None):
            for found in _with_last(known, asked.atoms, literals.with_facts(known, prepared, part)):
                kept = found.take(asked.meeting(known.values, prepared, found.rows))
                if kept.rows.count:
                    each = with_asked(known, kept, depth=depth + 1)
                    np.maximum.at(latest, each.owner, np.where(each.failed > each.seen, each.open_until, -1))
    return latest
