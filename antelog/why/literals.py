"""A literal in a row: its text with values, its status, the reason for it, and the facts that decide it.

Temp(wt2, high, 2), failed: it may come until tick 4 at the latest; Temp(wt2, low, 2) came instead
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from antelog.compile.literals import Aggregation, AnyLiteral, Atom, Comparison, Last, StaticAtom
from antelog.compile.literals.aggregate import Aggregate, open_name
from antelog.compile.literals.literal import AskedNode, Literal, Reference
from antelog.compile.literals.terms import (
    Const,
    Inner,
    Operand,
    Part,
    Time,
    Var,
    call_text,
    text_of,
    variable_in,
    variables_in,
)
from antelog.compile.rules.clauses import LoweredLiteral
from antelog.engine.columns.joins import TooLargeError
from antelog.engine.columns.tables import Column, marked
from antelog.engine.step.atoms import derived, truth
from antelog.engine.step.derivations import Atoms, atoms_of
from antelog.engine.step.members import AskedAtoms, candidates
from antelog.engine.step.rows import cells_of, passing
from antelog.engine.values.values import UNBOUND
from antelog.language.printer import to_text, value_text
from antelog.lines import amount_text
from antelog.why.evidence import (
    LISTED,
    background_facts,
    fact_lines,
    facts_like,
    facts_of,
    instead,
    latest_fact,
)
from antelog.why.grounds import Grounds
from antelog.why.rows import LiteralTruth, RankedRow
from antelog.why.tree import FALSE, OPEN, TRUE, FactLine, LiteralNode, Sentence

_MOST_TICKS = 100_000
"""The ticks of a range that are looked at one by one."""

_MOST_MEMBERS = 100
"""The members of an aggregate that are looked at."""

_WAITS: Sentence = ("waits until its variables have values",)


def leaf_node(row: RankedRow, literal: LoweredLiteral) -> LiteralNode:
    """A literal of a rule that no rule is taken for, with the values of a row."""
    as_written = to_text(literal.source)
    main, *others = literal.parts
    node = _node(row, main)
    for each in others:
        status = row.truth(each).status
        if status == FALSE:
            node = replace(node, status=FALSE, reason=_compared(each, row))
        elif status == OPEN and node.status == TRUE:
            node = replace(node, status=OPEN)
    if isinstance(main, Atom) and others and main.replaced(row.values).time.variable is not None:
        node = replace(node, text=_ranged(main, others, row))
    node = replace(node, text=node.text or as_written, written=as_written)
    return replace(node, reason=()) if node.reason == (node.text,) else node


def _node(row: RankedRow, literal: AnyLiteral) -> LiteralNode:
    """A literal of the compiler, as far as it says something by itself."""
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
            there = found.status == TRUE and not filled.negated
            facts = background_facts(row.rows.grounds, filled)[:1] if there else ()
            words = (
                "in the background" if (found.status == TRUE) ^ filled.negated else "not in the background"
            )
            return replace(node, reason=_WAITS if found.status == OPEN else (words,), facts=facts)
        case _:
            return replace(node, text="", reason=_compared(literal, row))


def _fact(row: RankedRow, atom: Atom, found: LiteralTruth, node: LiteralNode) -> LiteralNode:
    grounds, time = row.rows.grounds, atom.time
    # The conditions that its open variables, and no others, have to meet.
    tests = (each.replaced(row.values) for each in row.rows.prepared.pattern.tests)
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
    around = row.way.pattern.time.offset
    return replace(node, reason=reason, facts=instead(grounds, atom, conditions, around))


_OF_FACTS = {TRUE: "no such fact", OPEN: "no such fact yet; one could come", FALSE: "there is such a fact"}
_OF_ATOMS = {TRUE: "it is not so", OPEN: "not so yet; it could become so", FALSE: "it is so"}
_OF_OTHERS = {TRUE: "it is so", OPEN: "not decided yet", FALSE: "it is not so"}


def _asked(grounds: Grounds, literal: AskedNode, found: LiteralTruth, node: LiteralNode) -> LiteralNode:
    """A literal about atoms there are or not: its ticks and, once it is decided, the facts that do so."""
    inputs = [each for each in literal.references if each.predicate in grounds.rules.inputs]
    words = _OF_OTHERS if not literal.denies else _OF_FACTS if inputs else _OF_ATOMS
    reason: Sentence = (words[found.status],)
    if found.status == TRUE and literal.denies:
        if found.since is not None and found.since >= 0:
            reason = (f"{reason[0]}, certain since ", found.since)
        return replace(node, reason=reason)
    if literal.needs:
        return replace(node, reason=_WAITS)
    if found.status == OPEN:
        return replace(node, reason=reason if found.until is None else (f"{reason[0]} until ", found.until))
    lines, more = list[FactLine](), 0
    for each in inputs:
        facts = facts_like(
            grounds, each.predicate, each.arguments, max(0, each.first.offset), each.last.offset
        )
        shown = fact_lines(grounds, each.predicate, facts)
        lines, more = [*lines, *shown], more + facts.count - len(shown)
    return replace(node, reason=reason, facts=tuple(lines), more=more)


def deciding_atom(row: RankedRow, literal: AnyLiteral) -> Atom | None:
    """The first derived atom that decides an asked literal, such as the one that a negation denies."""
    filled, status = literal.replaced(row.values), row.truth(literal).status
    if not isinstance(filled, AskedNode) or isinstance(filled, Aggregation | Last) or filled.needs:
        return None
    if status == OPEN or (status == TRUE and filled.denies):
        return None
    for each in filled.references:
        tick = _true_tick(row.rows.grounds, each)
        if tick is not None:
            terms = (Var(f"_{i}") if term is None else term for i, term in enumerate(each.arguments))
            return Atom(each.predicate, tuple(terms), Time(None, tick))
    return None


def _true_tick(grounds: Grounds, reference: Reference) -> int | None:
    """The first tick of a range at which an atom of a relation is true."""
    known, first = grounds.known, max(0, reference.first.offset)
    if reference.last.offset - first > _MOST_TICKS or reference.name not in known.rules.relations:
        return None
    if reference.predicate in known.rules.inputs:
        return None
    ticks = np.arange(first, reference.last.offset + 1)
    constants = (term.value for term in reference.given if isinstance(term, Const))
    cells = tuple(np.full(len(ticks), known.values.cell(value)) for value in constants)
    at = marked(grounds.is_so(truth(known, Atoms(reference.name, cells, ticks)).true_at))
    return int(ticks[at[0]]) if len(at) else None


def _last(grounds: Grounds, literal: Last, found: LiteralTruth, node: LiteralNode) -> LiteralNode:
    if literal.needs:
        return replace(node, reason=_WAITS)
    facts = latest_fact(grounds, literal) if literal.predicate in grounds.rules.inputs else ()
    reason: Sentence = ("the latest one is this",) if facts else ("there is none",)
    if found.status == OPEN and found.until is not None:
        words = "the latest one so far is this" if facts else "there is none yet"
        reason = (f"{words}; decided by ", found.until)
    return replace(node, reason=reason, facts=facts)


# ---- texts ----


def literal_text(literal: Literal) -> str:
    """The text of a literal; variables without a name are `_`."""
    return text_of("_" if _is_unnamed(part) else part for part in literal.parts)


def _is_unnamed(part: Part) -> bool:
    return not isinstance(part, str) and (variable_in(part) or "").startswith("_")


def _compared(literal: AnyLiteral, row: RankedRow) -> Sentence:
    """A comparison with the values of both sides, as far as they are known."""
    filled = literal.replaced(row.values)
    if not isinstance(literal, Comparison) or not isinstance(filled, Comparison):
        return (literal_text(filled),)
    left, right = map(partial(_side, row), literal.operands, filled.operands)
    if isinstance(left, str) and isinstance(right, str):
        return (f"{left} {literal.operator} {right}",)
    return (left, f" {literal.operator} ", right)


def _side(row: RankedRow, operand: Operand, filled: Operand) -> str | int:
    """A side of a comparison: its value, a tick, or what is known of it."""
    if isinstance(filled, Time) and filled.variable is None:
        return filled.offset
    grounds, bound = row.rows.grounds, row.single.bound
    if isinstance(filled, Time) or not variables_in([operand]) <= bound.keys():
        return text_of([filled])
    cell = int(cells_of(operand, bound, grounds.known.values)[0])
    if cell == UNBOUND:
        return "nothing"
    value = grounds.value(cell)
    return value_text(value) if isinstance(value, str) else amount_text(value)


def _ranged(atom: Atom, bounds: Sequence[AnyLiteral], row: RankedRow) -> str:
    """The text of an atom whose range has no tick chosen yet."""
    first, last = (each.replaced(row.values) for each in bounds)
    assert isinstance(first, Comparison)
    assert isinstance(last, Comparison)
    arguments = [
        "_" if _is_unnamed(each) else text_of([each]) for each in atom.replaced(row.values).arguments
    ]
    return f"{atom.predicate}({', '.join([*arguments, f'{text_of([first.left])}..{text_of([last.right])}'])})"


# ---- aggregates ----


def _aggregation(row: RankedRow, literal: Aggregation, found: LiteralTruth, node: LiteralNode) -> LiteralNode:
    if not literal.needs <= row.rows.found.rows.bound.keys():
        return replace(node, reason=_WAITS)
    number, found_at = row.rows.stated.index(literal), np.array([row.at])
    own = (each for each in row.rows.found.progress if each.literal == number)
    so_far = next((each.values(found_at, np.array([row.rows.grounds.at])).value(0) for each in own), None)
    reason: Sentence = (f"comes to {amount_text(so_far)}",)
    if found.status == OPEN:
        reason = (f"{reason[0]} so far",)
        if found.until is not None:
            reason = (f"{reason[0]}; decided by ", found.until)
    lines = list(dict.fromkeys(line for each in literal.aggregates for line in _members(row, each)))
    return replace(node, reason=reason, facts=tuple(lines[:LISTED]), more=max(0, len(lines) - LISTED))


def _members(row: RankedRow, aggregate: Aggregate) -> Iterator[FactLine]:
    """The first atoms inside of an aggregate that are true at the tick."""
    grounds, single, inside = row.rows.grounds, row.single, aggregate.inside
    known, reference = grounds.known, inside.reference
    if reference.name in known.rules.cycles:
        return
    if not variables_in((*inside.given, inside.first, inside.last)) <= single.bound.keys():
        return
    try:
        asked = AskedAtoms.of(known, aggregate, atoms_of(reference, single, known.values), None)
        found = candidates(asked, derived(known, asked.atoms) if asked.atoms.count else [], known.values)
    except TooLargeError:
        return
    fits, count = grounds.is_so(found.true_at), len(found.owner)
    bound: dict[str, Column] = {name: np.repeat(column, count) for name, column in single.bound.items()}
    for term, cells in zip(inside.arguments, found.cells, strict=True):
        if isinstance(term, Inner):
            fits = fits & (bound.setdefault(open_name(term), cells) == cells)
    at = marked(fits & passing(inside.opened, bound, count, known.values))
    for each in at[np.argsort(found.time.take(at), kind="stable")][:_MOST_MEMBERS].tolist():
        values = [grounds.value(int(column[each])) for column in found.cells]
        tick, lines = int(found.time[each]), tuple[FactLine, ...]()
        if inside.predicate in grounds.rules.inputs:
            facts = facts_like(grounds, inside.predicate, list(map(Const, values)), tick, tick)
            lines = fact_lines(grounds, inside.predicate, facts, 1)
        text = call_text(inside.predicate, [*map(value_text, values), str(tick)])
        yield lines[0] if lines else FactLine(text)
