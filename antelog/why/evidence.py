"""A literal in a row: its text with values, its status, the reason for it, and the facts that decide it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np
import pyarrow.compute as pc

from antelog.compile.literals import (
    Aggregation,
    AnyLiteral,
    Atom,
    Comparison,
    Last,
    Negation,
    StaticAtom,
    terms,
)
from antelog.compile.literals.aggregate import Aggregate, open_name
from antelog.compile.literals.literal import AskedNode, Condition, Literal, Reference
from antelog.compile.rules.clauses import LoweredLiteral
from antelog.engine.columns.joins import TooLargeError
from antelog.engine.columns.spans import span
from antelog.engine.columns.tables import Column, marked
from antelog.engine.facts.history import Facts, gather
from antelog.engine.step.atoms import derived, truth
from antelog.engine.step.derivations import Atoms, atoms_of
from antelog.engine.step.latest import SlotFacts
from antelog.engine.step.members import AskedAtoms, candidates
from antelog.engine.step.rows import ONE, cells_of, passing, term_column
from antelog.engine.values.values import UNBOUND
from antelog.language.printer import to_text, value_text
from antelog.lines import amount_text
from antelog.why.grounds import Grounds
from antelog.why.rows import LiteralTruth, RankedRow
from antelog.why.tree import FALSE, OPEN, TRUE, FactLine, LiteralNode, Sentence

_TICK = re.compile(r"\btick (\d+)")
LISTED = 5  # the most facts to list under a literal


def facts_like(
    grounds: Grounds,
    predicate: str,
    given: Sequence[terms.AnswerTerm | None],
    first: int = 0,
    last: int | None = None,
) -> Facts:
    """Returns the facts of an input that have some values, from one tick to another (None: to the end)."""
    constants = tuple(
        (place, grounds.known.values.cell(term.value))
        for place, term in enumerate(given)
        if isinstance(term, terms.Const)
    )
    names = [term.name if isinstance(term, terms.Var) else None for term in given]
    repeats = tuple(
        (names.index(name), place)
        for place, name in enumerate(names)
        if name is not None and names.index(name) < place
    )
    if last is None:
        if predicate not in grounds.whole:
            grounds.whole[predicate] = gather(grounds.known.history, predicate, None)
        return grounds.whole[predicate].having(constants, repeats)
    return gather(grounds.known.history, predicate, span(first, last), constants, repeats)


def facts_of(grounds: Grounds, atom: Atom) -> Facts:
    """Returns the facts that an atom may stand for."""
    time = atom.time
    if time.variable is not None:
        return facts_like(grounds, atom.predicate, atom.terms)
    return facts_like(grounds, atom.predicate, atom.terms, time.offset, time.offset)


def fact_lines(
    grounds: Grounds, predicate: str, facts: Facts, most: int = LISTED, remark: Sentence = ()
) -> tuple[FactLine, ...]:
    """Returns the first of some facts, by their ticks."""
    order = np.lexsort([facts.arrival, facts.time])[:most]
    found = (facts.take(order[i : i + 1]) for i in range(len(order)))
    return tuple(_fact_line(grounds, predicate, each, remark) for each in found)


def _fact_line(grounds: Grounds, predicate: str, fact: Facts, remark: Sentence = ()) -> FactLine:
    values, places = grounds.known.values, grounds.places
    cells = [values.text(int(column[0])) for column in fact.columns]
    place = None if places is None else places.of_fact(predicate, fact, values)
    text = f"{predicate}({', '.join([*cells, str(int(fact.time[0]))])})"
    return FactLine(text, int(fact.arrival[0]), place, remark)


# ---- what came instead ----


def instead(
    grounds: Grounds, atom: Atom, tests: Sequence[Condition] = (), around: int = 0
) -> tuple[FactLine, ...]:
    """Returns rows that were set aside, the fact in the slot, or that most like it near the tick `around`."""
    found = [*islice(_set_aside(grounds, atom, tests), LISTED), *_in_slot(grounds, atom)]
    return tuple(found or _nearest(grounds, atom, around))


def _set_aside(grounds: Grounds, atom: Atom, tests: Sequence[Condition]) -> Iterator[FactLine]:
    """Yields the rows that were set aside and would have been such a fact."""
    table = grounds.rejects
    if not table.num_rows:
        return
    rows = table.filter(pc.equal(table.column("input"), atom.predicate))
    for term in atom.terms:
        if isinstance(term, terms.Const) and isinstance(term.value, str):
            written = json.dumps(term.value, ensure_ascii=False)
            rows = rows.filter(pc.match_substring(rows.column("values"), written))
    if atom.time.variable is None:
        rows = rows.filter(pc.equal(rows.column("time"), atom.time.offset))
    for row in rows.to_pylist():
        values, time = json.loads(row["values"] or "[]"), row["time"]
        known = _bound(atom.terms, values)
        if known is None:
            continue
        if time is not None:
            known.unify_times(atom.time, terms.Time(None, time))
        if all(each.replaced(known).outcome is not False for each in tests):
            texts = [value_text(each) if isinstance(each, str | int | float) else "_" for each in values]
            text = f"{atom.predicate}({', '.join([*texts, '_' if time is None else str(time)])})"
            pieces = enumerate(_TICK.split(row["detail"]))  # each second one is a tick
            detail = (int(piece) if i % 2 else piece for i, piece in pieces if piece)
            remark: Sentence = (f"{row['reason']}, set aside: ", *detail)
            places, number = grounds.places, row["row"]
            place = None if places is None or number is None else places.of_row(atom.predicate, number)
            yield FactLine(text, row["arrival"], place, remark, set_aside=True)


def _bound(given: Sequence[terms.AnswerTerm | None], values: Sequence[object]) -> terms.Substitution | None:
    """Returns the values of variables where terms stand for these values; None if they cannot."""
    known = terms.Substitution()
    for term, value in zip(given, values, strict=False):
        if not isinstance(value, str | int | float):
            if isinstance(term, terms.Const):
                return None
        elif isinstance(term, terms.Var | terms.Const) and not known.unify_terms(term, terms.Const(value)):
            return None
    return known


def _in_slot(grounds: Grounds, atom: Atom) -> tuple[FactLine, ...]:
    """Returns the fact that has taken the slot of an atom."""
    source, tick = grounds.known.rules.inputs[atom.predicate], atom.time.offset
    if source.slot is None or atom.time.variable is not None:
        return ()
    given = tuple(term if i in source.slot else None for i, term in enumerate(atom.terms))
    if any(not isinstance(given[place], terms.Const) for place in source.slot):
        return ()
    slot = " and ".join(source.columns[place] for place in source.slot) or "tick"
    found = facts_like(grounds, atom.predicate, given, tick, tick)
    return fact_lines(grounds, atom.predicate, found, 1, (f"takes its place: one per {slot}",))


def _nearest(grounds: Grounds, atom: Atom, around: int) -> tuple[FactLine, ...]:
    """Returns the facts that differ from an atom in one value, or in their tick, the nearest first."""
    time, known = atom.time, [i for i, term in enumerate(atom.terms) if isinstance(term, terms.Const)]
    if not known:
        return ()
    remark = "does not fit the conditions"
    if time.variable is None:
        around, remark = time.offset, "is the nearest in time"
        for left_out in reversed(known) if len(known) > 1 else ():
            given = tuple(None if i == left_out else term for i, term in enumerate(atom.terms))
            found = facts_like(grounds, atom.predicate, given, time.offset, time.offset)
            if found.count:
                each = (found.take(np.array([at])) for at in range(min(found.count, 2)))
                return tuple(
                    _fact_line(grounds, atom.predicate, one, ("differs in a value",)) for one in each
                )
    found = facts_like(grounds, atom.predicate, atom.terms)
    if not found.count:
        return ()
    order = np.argsort(np.abs(found.time - around), kind="stable")[:1]
    return (_fact_line(grounds, atom.predicate, found.take(order), (remark,)),)


# ---- background ----


def background_facts(grounds: Grounds, atom: StaticAtom, remark: Sentence = ()) -> tuple[FactLine, ...]:
    """Returns the facts of the background that fit, with the lines of the program that have them."""
    rows = ([*map(grounds.value, row)] for row in grounds.known.static.tables[atom.predicate])
    fitting = (row for row in rows if _bound(atom.arguments, row) is not None)
    texts = [terms.call_text(atom.predicate, map(value_text, row)) for row in fitting]
    places = dict[str, str]()
    for rule in grounds.program.source.rules:
        if rule.head.predicate == atom.predicate and not rule.body:
            places.setdefault(to_text(rule.head), grounds.location(rule.span))
    return tuple(FactLine(each, place=places.get(each), remark=remark) for each in texts[:LISTED])


def background_near(grounds: Grounds, atom: StaticAtom) -> tuple[FactLine, ...]:
    """Returns the facts of the background that differ from an atom in one value."""
    for place in reversed(range(len(atom.arguments))):
        given = tuple(None if i == place else each for i, each in enumerate(atom.arguments))
        if any(isinstance(each, terms.Const) for each in given):
            found = background_facts(grounds, StaticAtom(atom.predicate, given), ("differs in a value",))
            if found:
                return found[:2]
    return ()


_MOST_TICKS = 100_000  # the most ticks of a range to look at one by one
_MOST_MEMBERS = 100  # the most members of an aggregate to look at
_WAITS: Sentence = ("waits until its variables have values",)


def leaf_node(row: RankedRow, literal: LoweredLiteral) -> LiteralNode:
    """Explains a literal that no rule is used for, with the values of a row."""
    as_written = to_text(literal.source)
    main, *others = literal.parts
    node = _node(row, main)
    between = between_node(row, literal)
    for each in (each for each in others if each is not literal.between):
        status = row.truth(each).status
        if status == FALSE:
            node = replace(node, status=FALSE, reason=_compared(each, row))
        elif status == OPEN and node.status == TRUE:
            node = replace(node, status=OPEN)
    if between is not None:
        if node.status != FALSE and {FALSE: True, OPEN: node.status == TRUE}.get(between.status):
            node = replace(between, facts=between.facts or node.facts)
        node = replace(node, text=between.text)
    elif isinstance(main, Atom) and others and main.replaced(row.values).time.variable is not None:
        node = replace(node, text=_ranged(main, others, row))
    node = replace(node, text=node.text or as_written, written=as_written)
    return replace(node, reason=()) if node.reason == (node.text,) else node


def between_node(row: RankedRow, literal: LoweredLiteral) -> LiteralNode | None:
    """Explains that no earlier atom is there, with the text of a `first`; None for other literals."""
    if literal.between is None or literal.between.written is None:
        return None
    before, time, after = literal.between.written.replaced(row.values).around
    return replace(_node(row, literal.between), text=_named((*before, time, *after)))


def _node(row: RankedRow, literal: AnyLiteral) -> LiteralNode:
    """Explains a literal of the compiler, as far as it says something by itself."""
    filled, found = literal.replaced(row.values), row.truth(literal)
    node = LiteralNode(literal_text(filled), "", found.status)
    match filled:
        case Atom():
            return _fact(row, filled, found, node)
        case Aggregation():
            assert isinstance(literal, Aggregation)
            return _aggregation(row, literal, found, node)
        case Last():
            return _last(row.rows.grounds, filled, found, node)
        case AskedNode():
            return _asked(row.rows.grounds, filled, found, node)
        case StaticAtom():
            there = (found.status == TRUE) ^ filled.negated
            words = "in the background" if there else "not in the background"
            facts = background_facts(row.rows.grounds, filled)[:1] if node.status == TRUE and there else ()
            return replace(node, reason=_WAITS if found.status == OPEN else (words,), facts=facts)
        case _:
            return replace(node, text="", reason=_compared(literal, row))


def _fact(row: RankedRow, atom: Atom, found: LiteralTruth, node: LiteralNode) -> LiteralNode:
    grounds, time = row.rows.grounds, atom.time
    # The conditions that its open variables, and no others, have to meet.
    tests = (each.replaced(row.values) for each in row.rows.found.prepared.pattern.tests)
    conditions = sorted((e for e in tests if e.variables and e.variables <= atom.variables), key=literal_text)
    where = f" where {', '.join(map(literal_text, conditions))}" if conditions else ""
    node = replace(node, text=node.text + where)
    if found.status == TRUE:
        return replace(node, facts=fact_lines(grounds, atom.predicate, facts_of(grounds, atom), 1))
    if found.status == OPEN:
        until = ("not there yet",) if found.until is None else ("may come until ", found.until)
        return replace(node, reason=until)
    reason: Sentence = ("no such fact can be",)
    if time.variable is None and time.offset < grounds.kept.get(atom.predicate, 0):
        reason = ("the engine no longer has facts about ", time.offset)
    elif found.since is not None and found.since >= 0:
        reason = ("no such fact came; certain since ", found.since)
    facts = instead(grounds, atom, conditions, row.rows.way.pattern.time.offset)
    return replace(node, reason=reason, facts=facts)


_OF_FACTS = {TRUE: "no such fact", OPEN: "no such fact yet; one could come", FALSE: "there is such a fact"}
_OF_ATOMS = {TRUE: "it is not so", OPEN: "not so yet; it could become so", FALSE: "it is so"}
_OF_EARLIER = {TRUE: "none is earlier", OPEN: "an earlier one could come", FALSE: "an earlier one is there"}
_OF_OTHERS = {TRUE: "it is so", OPEN: "not decided yet", FALSE: "it is not so"}


def _asked(grounds: Grounds, literal: AskedNode, found: LiteralTruth, node: LiteralNode) -> LiteralNode:
    """Explains a literal about atoms by its ticks and, once it is decided, the facts that decide it."""
    inputs = [each for each in literal.references if each.predicate in grounds.known.rules.inputs]
    words = (_OF_OTHERS if not literal.denies else _OF_FACTS if inputs else _OF_ATOMS)[found.status]
    if isinstance(literal, Negation) and literal.written is not None:
        words = _OF_EARLIER[found.status]
    if found.status == TRUE and literal.denies:
        return replace(node, reason=dated(words, ", certain since ", found.since))
    if literal.needs:
        return replace(node, reason=(words,) if found.status == FALSE else _WAITS)
    if found.status == OPEN:
        return replace(node, reason=dated(words, " until ", found.until))
    lines, more = list[FactLine](), 0
    for each in inputs:
        ticks = max(0, each.first.offset), each.last.offset
        facts = facts_like(grounds, each.predicate, each.arguments, *ticks)
        shown = fact_lines(grounds, each.predicate, facts)
        lines, more = [*lines, *shown], more + facts.count - len(shown)
    return replace(node, reason=(words,), facts=tuple(lines), more=more)


def dated(words: str, joint: str, tick: int | None) -> Sentence:
    """Returns words, and behind them a tick, if it is known."""
    return (words,) if tick is None or tick < 0 else (f"{words}{joint}", tick)


def deciding_atom(row: RankedRow, literal: AnyLiteral) -> Atom | None:
    """Returns the first derived atom that decides an asked literal, such as one that a negation denies."""
    filled, status = literal.replaced(row.values), row.truth(literal).status
    if not isinstance(filled, AskedNode) or isinstance(filled, Aggregation | Last) or filled.needs:
        return None
    if status == OPEN or (status == TRUE and filled.denies):
        return None
    for each in filled.references:
        tick = _true_tick(row.rows.grounds, each)
        if tick is not None:
            arguments = (
                terms.Var(f"_{i}") if term is None else term for i, term in enumerate(each.arguments)
            )
            return Atom(each.predicate, tuple(arguments), terms.Time(None, tick))
    return None


def _true_tick(grounds: Grounds, reference: Reference, *, latest: bool = False) -> int | None:
    """Returns the first or the latest tick of a range at which an atom of a relation is true."""
    known, first = grounds.known, max(0, reference.first.offset)
    if reference.last.offset - first > _MOST_TICKS or reference.name not in known.rules.relations:
        return None
    if reference.predicate in known.rules.inputs:
        return None
    ticks = np.arange(first, reference.last.offset + 1)
    given = (term_column(term, ONE, known.values) for term in reference.given if term is not None)
    cells = tuple(np.repeat(each, len(ticks)) for each in given)
    at = marked(grounds.is_so(truth(known, Atoms(reference.name, cells, ticks)).true_at))
    return int(ticks[at[-1 if latest else 0]]) if len(at) else None


def _last(grounds: Grounds, literal: Last, found: LiteralTruth, node: LiteralNode) -> LiteralNode:
    if literal.needs:
        return replace(node, reason=_WAITS)
    facts = tuple[FactLine, ...]()
    if literal.predicate in grounds.known.rules.inputs:
        slots = SlotFacts.of(grounds.known, literal, ONE)
        at = slots.before(slots.end)
        if not slots.missing(at)[0]:
            facts = (_fact_line(grounds, literal.predicate, slots.facts.take(at)),)
    tick = None if facts else _true_tick(grounds, literal.references[-1], latest=True)
    which = "this" if facts else "none" if tick is None else "that of "
    words = "there is none" if which == "none" else f"the latest one is {which}"
    reason: Sentence = (words,) if tick is None else (words, tick)
    if found.status == OPEN and found.until is not None:
        words = "there is none yet" if which == "none" else f"the latest one so far is {which}"
        reason = (*((words,) if tick is None else (words, tick)), "; decided by ", found.until)
    return replace(node, reason=reason, facts=facts)


# ---- texts ----


def literal_text(literal: Literal) -> str:
    """Returns the text of a literal; variables without a name are `_`."""
    return _named(literal.parts)


def _named(parts: Sequence[terms.Part]) -> str:
    return terms.text_of("_" if _is_unnamed(part) else part for part in parts)


def _is_unnamed(part: terms.Part) -> bool:
    return not isinstance(part, str) and (terms.variable_in(part) or "").startswith("_")


def _compared(literal: AnyLiteral, row: RankedRow) -> Sentence:
    """Writes a comparison with the values of both sides, as far as they are known."""
    filled = literal.replaced(row.values)
    if not isinstance(literal, Comparison) or not isinstance(filled, Comparison):
        text = literal_text(filled)
        raised = row.rows.grounds.known.values.functions.failure(text.removeprefix("not "))
        return (text,) if raised is None else (f"{text}, which {raised}",)
    left, right = map(partial(_side, row), literal.operands, filled.operands)
    if isinstance(left, str) and isinstance(right, str):
        return (f"{left} {literal.operator} {right}",)
    return (left, f" {literal.operator} ", right)


def _side(row: RankedRow, operand: terms.Operand, filled: terms.Operand) -> str | int:
    """Returns a side of a comparison: its value, a tick, or its text."""
    if isinstance(filled, terms.Time) and filled.variable is None:
        return filled.offset
    grounds, bound = row.rows.grounds, row.single.bound
    if isinstance(filled, terms.Time) or not terms.variables_in([operand]) <= bound.keys():
        return terms.text_of([filled])
    cell = int(cells_of(operand, bound, grounds.known.values)[0])
    if cell == UNBOUND:
        return "nothing"
    value = grounds.value(cell)
    return value_text(value) if isinstance(value, str) else amount_text(value)


def _ranged(atom: Atom, bounds: Sequence[AnyLiteral], row: RankedRow) -> str:
    """Returns the text of an atom whose range has no tick chosen yet."""
    first, last = (each.replaced(row.values) for each in bounds)
    assert isinstance(first, Comparison)
    assert isinstance(last, Comparison)
    arguments = [
        "_" if _is_unnamed(each) else terms.text_of([each]) for each in atom.replaced(row.values).arguments
    ]
    ends = f"{terms.text_of([first.left])}..{terms.text_of([last.right])}"
    return terms.call_text(atom.predicate, [*arguments, ends])


# ---- aggregates ----


def _aggregation(row: RankedRow, literal: Aggregation, found: LiteralTruth, node: LiteralNode) -> LiteralNode:
    if not literal.needs <= row.rows.found.rows.bound.keys():
        return replace(node, reason=_WAITS)
    number, found_at = row.rows.stated.index(literal), np.array([row.at])
    own = (each for each in row.rows.found.progress if each.literal == number)
    so_far = next((each.values(found_at, np.array([row.rows.grounds.at])).value(0) for each in own), None)
    reason: Sentence = (f"comes to {amount_text(so_far)}",)
    if found.status == OPEN:
        reason = dated(f"{reason[0]} so far", "; decided by ", found.until)
    lines = list(dict.fromkeys(line for each in literal.aggregates for line in _members(row, each)))
    return replace(node, reason=reason, facts=tuple(lines[:LISTED]), more=max(0, len(lines) - LISTED))


def _members(row: RankedRow, aggregate: Aggregate) -> Iterator[FactLine]:
    """Yields the first atoms inside of an aggregate that are true at the tick."""
    grounds, single, inside = row.rows.grounds, row.single, aggregate.inside
    known, reference = grounds.known, inside.reference
    if reference.name in known.rules.cycles:
        return
    if not terms.variables_in((*inside.given, inside.first, inside.last)) <= single.bound.keys():
        return
    try:
        asked = AskedAtoms.of(known, aggregate, atoms_of(reference, single, known.values), None)
        found = candidates(asked, derived(known, asked.atoms) if asked.atoms.count else [], known.values)
    except TooLargeError:
        return
    fits, count = grounds.is_so(found.true_at), len(found.owner)
    bound: dict[str, Column] = {name: np.repeat(column, count) for name, column in single.bound.items()}
    for term, cells in zip(inside.arguments, found.cells, strict=True):
        if isinstance(term, terms.Inner):
            fits = fits & (bound.setdefault(open_name(term), cells) == cells)
    at = marked(fits & passing(inside.opened, bound, count, known.values))
    for each in at[np.argsort(found.time.take(at), kind="stable")][:_MOST_MEMBERS].tolist():
        values = [grounds.value(int(column[each])) for column in found.cells]
        tick, lines = int(found.time[each]), tuple[FactLine, ...]()
        if inside.predicate in grounds.known.rules.inputs:
            facts = facts_like(grounds, inside.predicate, list(map(terms.Const, values)), tick, tick)
            lines = fact_lines(grounds, inside.predicate, facts, 1)
        text = terms.call_text(inside.predicate, [*map(value_text, values), str(tick)])
        yield lines[0] if lines else FactLine(text)
