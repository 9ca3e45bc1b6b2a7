"""The facts that decide a literal: the one that is there, those like it, and those that were set aside.

Temp(wt2, high, 1), failed    came at tick 5, late: set aside; Temp(wt2, low, 1) came instead
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow.compute as pc

from antelog.compile.literals import Atom, Last, StaticAtom
from antelog.compile.literals.literal import Condition
from antelog.compile.literals.terms import AnswerTerm, Const, Substitution, Time, Var, call_text
from antelog.engine.columns.spans import span
from antelog.engine.facts.history import Facts, gather
from antelog.engine.step.latest import SlotFacts
from antelog.engine.step.rows import ONE
from antelog.language.printer import to_text, value_text
from antelog.why.grounds import Grounds
from antelog.why.tree import FactLine, Sentence

_TICK = re.compile(r"\btick (\d+)")
LISTED = 5
"""The facts that are listed under a literal."""


def facts_like(
    grounds: Grounds,
    predicate: str,
    terms: Sequence[AnswerTerm | None],
    first: int = 0,
    last: int | None = None,
) -> Facts:
    """The facts of an input that have some values, from one tick to another (None: to the end)."""
    constants = tuple(
        (place, grounds.known.values.cell(term.value))
        for place, term in enumerate(terms)
        if isinstance(term, Const)
    )
    names = [term.name if isinstance(term, Var) else None for term in terms]
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
    """The facts that an atom may stand for."""
    time = atom.time
    if time.variable is not None:
        return facts_like(grounds, atom.predicate, atom.terms)
    return facts_like(grounds, atom.predicate, atom.terms, time.offset, time.offset)


def fact_lines(
    grounds: Grounds, predicate: str, facts: Facts, most: int = LISTED, remark: Sentence = ()
) -> tuple[FactLine, ...]:
    """The first of some facts, by their ticks."""
    order = np.lexsort([facts.arrival, facts.time])[:most]
    found = (facts.take(order[i : i + 1]) for i in range(len(order)))
    return tuple(_fact_line(grounds, predicate, each, remark) for each in found)


def _fact_line(grounds: Grounds, predicate: str, fact: Facts, remark: Sentence = ()) -> FactLine:
    """One fact as it is shown."""
    values, places = grounds.known.values, grounds.places
    cells = [values.text(int(column[0])) for column in fact.columns]
    place = None if places is None else places.of_fact(predicate, fact, values)
    text = f"{predicate}({', '.join([*cells, str(int(fact.time[0]))])})"
    return FactLine(text, int(fact.arrival[0]), place, remark)


# ---- what came instead ----


def instead(
    grounds: Grounds, atom: Atom, tests: Sequence[Condition] = (), around: int = 0
) -> tuple[FactLine, ...]:
    """The rows and facts that say why there is no such fact: set aside, in its slot, or much like it.

    `tests` are conditions that its open variables have to meet; what is far from the tick `around` is less
    like it.
    """
    found = [*_set_aside(grounds, atom, tests), *_in_slot(grounds, atom)]
    return tuple(found or _nearest(grounds, atom, around))


def _set_aside(grounds: Grounds, atom: Atom, tests: Sequence[Condition]) -> Iterator[FactLine]:
    """The rows that were set aside and would have been such a fact."""
    table = grounds.rejects
    if not table.num_rows:
        return
    rows = table.filter(pc.equal(table.column("input"), atom.predicate))
    for term in atom.terms:
        if isinstance(term, Const) and isinstance(term.value, str):
            written = json.dumps(term.value, ensure_ascii=False)
            rows = rows.filter(pc.match_substring(rows.column("values"), written))
    if atom.time.variable is None:
        rows = rows.filter(pc.equal(rows.column("time"), atom.time.offset))
    listed = 0
    for row in rows.to_pylist():
        values, time = json.loads(row["values"] or "[]"), row["time"]
        known = _bound(atom.terms, values)
        if known is None:
            continue
        if time is not None:
            known.unify_times(atom.time, Time(None, time))
        if all(each.replaced(known).outcome is not False for each in tests):
            texts = [value_text(each) if isinstance(each, str | int | float) else "_" for each in values]
            text = f"{atom.predicate}({', '.join([*texts, '_' if time is None else str(time)])})"
            pieces = enumerate(_TICK.split(row["detail"]))  # each second one is a tick
            detail = (int(piece) if i % 2 else piece for i, piece in pieces if piece)
            remark: Sentence = (f"{row['reason']}, set aside: ", *detail)
            places, number = grounds.places, row["row"]
            place = None if places is None or number is None else places.of_row(atom.predicate, number)
            yield FactLine(text, row["arrival"], place, remark, set_aside=True)
            listed += 1
            if listed == LISTED:
                return


def _bound(terms: Sequence[AnswerTerm | None], values: Sequence[object]) -> Substitution | None:
    """The values that variables have where terms stand for these; None if they cannot."""
    known = Substitution()
    for term, value in zip(terms, values, strict=False):
        if not isinstance(value, str | int | float):
            if isinstance(term, Const):
                return None
        elif isinstance(term, Var | Const) and not known.unify_terms(term, Const(value)):
            return None
    return known


def _in_slot(grounds: Grounds, atom: Atom) -> tuple[FactLine, ...]:
    """The fact that has taken the slot of an atom: at most one of them comes."""
    source, tick = grounds.rules.inputs[atom.predicate], atom.time.offset
    if source.slot is None or atom.time.variable is not None:
        return ()
    given = tuple(term if i in source.slot else None for i, term in enumerate(atom.terms))
    if any(not isinstance(given[place], Const) for place in source.slot):
        return ()
    slot = " and ".join(source.columns[place] for place in source.slot) or "tick"
    found = facts_like(grounds, atom.predicate, given, tick, tick)
    return fact_lines(grounds, atom.predicate, found, 1, (f"takes its place: one per {slot}",))


def _nearest(grounds: Grounds, atom: Atom, around: int) -> tuple[FactLine, ...]:
    """The facts that differ from an atom in one value, or in their tick, the nearest to a tick first."""
    time, known = atom.time, [i for i, term in enumerate(atom.terms) if isinstance(term, Const)]
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


# ---- latest facts, and background ----


def latest_fact(grounds: Grounds, literal: Last) -> tuple[FactLine, ...]:
    """The latest fact of the slot of a literal without open variables."""
    slots = SlotFacts.of(grounds.known, literal, ONE)
    at = slots.before(slots.end)
    return () if slots.missing(at)[0] else (_fact_line(grounds, literal.predicate, slots.facts.take(at)),)


def background_facts(grounds: Grounds, atom: StaticAtom, remark: Sentence = ()) -> tuple[FactLine, ...]:
    """The facts of the background that fit, with the lines of the program that have them."""
    rows = ([*map(grounds.value, row)] for row in grounds.known.static.tables[atom.predicate])
    texts = [
        call_text(atom.predicate, map(value_text, r)) for r in rows if _bound(atom.arguments, r) is not None
    ]
    places = dict[str, str]()
    for rule in grounds.program.source.rules:
        if rule.head.predicate == atom.predicate and not rule.body:
            places.setdefault(to_text(rule.head), grounds.location(rule.span))
    return tuple(FactLine(each, place=places.get(each), remark=remark) for each in texts[:LISTED])


def background_near(grounds: Grounds, atom: StaticAtom) -> tuple[FactLine, ...]:
    """The facts of the background that differ from an atom in one value."""
    for place in reversed(range(len(atom.arguments))):
        given = tuple(None if i == place else each for i, each in enumerate(atom.arguments))
        if any(isinstance(each, Const) for each in given):
            found = background_facts(grounds, StaticAtom(atom.predicate, given), ("differs in a value",))
            if found:
                return found[:2]
    return ()
