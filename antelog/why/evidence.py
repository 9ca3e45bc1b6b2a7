"""The facts that decide a literal: the one that is there, those like it, and those that were set aside.

Temp(wt2, high, 1), failed    came at tick 5, late: set aside; Temp(wt2, low, 1) came instead
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow.compute as pc

from antelog.compile.literals import Atom, StaticAtom
from antelog.compile.literals.literal import Condition
from antelog.compile.literals.terms import Const, Replacement, Term, Time, Var, call_text
from antelog.engine.columns.spans import span
from antelog.engine.columns.tables import Mask, marked
from antelog.engine.facts.history import Facts, gather
from antelog.engine.facts.latest_facts import with_latest_facts
from antelog.engine.values.values import Values
from antelog.language.printer import to_text, value_text
from antelog.language.syntax import Value
from antelog.why.grounds import Grounds
from antelog.why.rows import value_of
from antelog.why.tree import FactLine, Sentence

_TICK = re.compile(r"\btick (\d+)")
_LISTED = 5
"""The facts that are listed under a literal."""


@dataclass(frozen=True, eq=False)
class FactSearch:
    """The facts of an input that have some values, at the ticks from one to another."""

    grounds: Grounds
    predicate: str
    arguments: Sequence[Term | None]
    first: int
    last: int | None

    @classmethod
    def of(cls, grounds: Grounds, atom: Atom) -> FactSearch:
        time = atom.time
        known = time.variable is None
        return cls(
            grounds, atom.predicate, atom.terms, time.offset if known else 0, time.offset if known else None
        )

    @cached_property
    def facts(self) -> Facts:
        """The facts that fit."""
        constants = tuple(
            (place, self.grounds.known.values.cell(term.value))
            for place, term in enumerate(self.arguments)
            if isinstance(term, Const)
        )
        names = [term.name if isinstance(term, Var) else None for term in self.arguments]
        repeats = tuple(
            (names.index(name), place)
            for place, name in enumerate(names)
            if name is not None and names.index(name) < place
        )
        if self.last is not None:
            about = span(self.first, self.last)
            return gather(self.grounds.known.history, self.predicate, about, constants, repeats)
        return self.grounds.every_fact(self.predicate).having(constants, repeats)

    def lines(self, most: int = _LISTED) -> tuple[FactLine, ...]:
        """The first of them, by their ticks."""
        order = np.lexsort([self.facts.arrival, self.facts.time])[:most]
        return tuple(
            fact_line(self.grounds, self.predicate, self.facts.take(order[i : i + 1]))
            for i in range(len(order))
        )


def fact_line(grounds: Grounds, predicate: str, fact: Facts, remark: Sentence = ()) -> FactLine:
    """One fact as it is shown."""
    place = grounds.places.of_fact(predicate, fact, grounds.known.values)
    return FactLine(fact_text(predicate, fact, grounds.known.values), int(fact.arrival[0]), place, remark)


def fact_text(predicate: str, fact: Facts, values: Values) -> str:
    """The text of one fact."""
    cells = [values.text(int(column[0])) for column in fact.columns]
    return f"{predicate}({', '.join([*cells, str(int(fact.time[0]))])})"


# ---- what came instead ----


def instead(
    grounds: Grounds, atom: Atom, tests: Sequence[Condition] = (), around: int = 0
) -> tuple[FactLine, ...]:
    """The rows and facts that say why there is no such fact: set aside, in its slot, or much like it.

    `tests` are conditions that its open variables have to meet; what is far from the tick `around` is less
    like it.
    """
    found = [*set_aside(grounds, atom, tests)]
    taken = in_slot(grounds, atom)
    if taken is not None:
        found.append(taken)
    if not found:
        found += nearest(grounds, atom, atom.time.offset if atom.time.variable is None else around)
    return tuple(found)


def set_aside(grounds: Grounds, atom: Atom, tests: Sequence[Condition]) -> Iterator[FactLine]:
    """The rows that were set aside and would have been such a fact."""
    table = grounds.rejects
    if not table.num_rows:
        return
    rows = table.filter(pc.equal(table.column("input"), atom.predicate))
    for term in atom.terms:
        if isinstance(term, Const) and isinstance(term.value, str):
            rows = rows.filter(
                pc.match_substring(rows.column("values"), json.dumps(term.value, ensure_ascii=False))
            )
    if atom.time.variable is None:
        rows = rows.filter(pc.equal(rows.column("time"), atom.time.offset))
    listed = 0
    for row in rows.to_pylist():
        values = json.loads(row["values"] or "[]")
        if _fits(atom.terms, values) and _meets(tests, _Given(atom, values, row["time"])):
            text = f"{atom.predicate}({', '.join([*map(_value_text, values), _time_text(row['time'])])})"
            remark: Sentence = (f"{row['reason']}, set aside: ", *_with_ticks(row["detail"]))
            place = None if row["row"] is None else grounds.places.of_row(atom.predicate, row["row"])
            yield FactLine(text, row["arrival"], place, remark, set_aside=True)
            listed += 1
            if listed == _LISTED:
                return


def _with_ticks(detail: str) -> Sentence:
    """A detail in pieces, of which the ticks are numbers."""
    return tuple(int(piece) if i % 2 else piece for i, piece in enumerate(_TICK.split(detail)) if piece)


def _fits(arguments: Sequence[Term | None], values: Sequence[object]) -> bool:
    bound: dict[str, object] = {}
    for term, value in zip(arguments, values, strict=False):
        if isinstance(term, Const) and term.value != value:
            return False
        if isinstance(term, Var) and bound.setdefault(term.name, value) != value:
            return False
    return True


def _meets(tests: Sequence[Condition], given: Replacement) -> bool:
    return all(each.replaced(given).outcome is not False for each in tests)


class _Given(Replacement):
    """Puts the values of a row in place of an atom's variables."""

    def __init__(self, atom: Atom, values: Sequence[object], time: int | None) -> None:
        pairs = zip(atom.terms, values, strict=False)
        self._objects = {
            term.name: value
            for term, value in pairs
            if isinstance(term, Var) and isinstance(value, str | int | float)
        }
        self._variable = atom.time.variable
        self._tick = None if time is None else time - atom.time.offset

    def term(self, term: Term) -> Term:
        known = isinstance(term, Var) and term.name in self._objects
        return Const(self._objects[term.name]) if isinstance(term, Var) and known else term

    def time(self, time: Time) -> Time:
        if time.variable is None or time.variable != self._variable or self._tick is None:
            return time
        return Time(None, self._tick + time.offset)


def _value_text(value: object) -> str:
    return value_text(value) if isinstance(value, str | int | float) else "_"


def _time_text(time: int | None) -> str:
    return "_" if time is None else str(time)


def in_slot(grounds: Grounds, atom: Atom) -> FactLine | None:
    """The fact that has taken the slot of an atom: at most one of them comes."""
    slot = grounds.rules.inputs[atom.predicate].slot
    if slot is None or atom.time.variable is not None:
        return None
    given = tuple(term if i in slot else None for i, term in enumerate(atom.terms))
    if any(not isinstance(given[place], Const) for place in slot):
        return None
    found = FactSearch(grounds, atom.predicate, given, atom.time.offset, atom.time.offset).facts
    if not found.count:
        return None
    return fact_line(
        grounds,
        atom.predicate,
        found.take(np.array([0])),
        (f"takes its place: one per {_slot_text(grounds, atom)}",),
    )


def _slot_text(grounds: Grounds, atom: Atom) -> str:
    source = grounds.rules.inputs[atom.predicate]
    return " and ".join(source.columns[place] for place in source.slot or ()) or "tick"


def nearest(grounds: Grounds, atom: Atom, around: int) -> Iterator[FactLine]:
    """The facts that differ from an atom in one value, or in their tick, the nearest to a tick first."""
    time, known = atom.time, [i for i, term in enumerate(atom.terms) if isinstance(term, Const)]
    if time.variable is None:
        for left_out in reversed(known):
            given = tuple(None if i == left_out else term for i, term in enumerate(atom.terms))
            if not any(isinstance(term, Const) for term in given):
                continue
            found = FactSearch(grounds, atom.predicate, given, time.offset, time.offset).facts
            if found.count:
                yield from _few(grounds, atom.predicate, found, "differs in a value")
                return
    if known:
        found = FactSearch(grounds, atom.predicate, atom.terms, 0, None).facts
        if found.count:
            order = np.argsort(np.abs(found.time - around), kind="stable")[:1]
            remark = "is the nearest in time" if time.variable is None else "does not fit the conditions"
            yield fact_line(grounds, atom.predicate, found.take(order), (remark,))


def _few(grounds: Grounds, predicate: str, facts: Facts, remark: str) -> Iterator[FactLine]:
    for at in range(min(facts.count, 2)):
        yield fact_line(grounds, predicate, facts.take(np.array([at])), (remark,))


# ---- latest facts ----


def latest_line(
    grounds: Grounds, predicate: str, given: Mapping[int, Term], first: int, last: int
) -> FactLine | None:
    """The latest fact that has some values, from a tick to another."""
    facts = with_latest_facts(grounds.known.history, predicate)
    fits: Mask = (facts.time >= first) & (facts.time <= last)
    for place, term in given.items():
        if isinstance(term, Const):
            fits = fits & (facts.columns[place] == grounds.known.values.cell(term.value))
    at = marked(fits)
    if not len(at):
        return None
    latest = at[np.argmax(facts.time.take(at))]
    return fact_line(grounds, predicate, facts.take(np.array([latest])))


# ---- background ----


def background_facts(grounds: Grounds, atom: StaticAtom) -> tuple[FactLine, ...]:
    """The facts of the background that fit, with the lines of the program that have them."""
    values = grounds.known.values
    found = []
    for row in grounds.known.static.tables[atom.predicate]:
        own = [value_of(cell, values) for cell in row]
        if _fits([each or Var(f"_{i}") for i, each in enumerate(atom.terms)], own):
            found.append(_background_line(grounds, atom.predicate, own))
    return tuple(found[:_LISTED])


def background_near(grounds: Grounds, atom: StaticAtom) -> tuple[FactLine, ...]:
    """The facts of the background that differ from an atom in one value."""
    for place in reversed(range(len(atom.terms))):
        given = tuple(None if i == place else each for i, each in enumerate(atom.terms))
        if any(isinstance(each, Const) for each in given):
            found = background_facts(grounds, StaticAtom(atom.predicate, given))
            if found:
                return tuple(replace(each, remark=("differs in a value",)) for each in found[:2])
    return ()


def _background_line(grounds: Grounds, predicate: str, values: Sequence[Value]) -> FactLine:
    text = call_text(predicate, map(value_text, values))
    document = grounds.program.source
    for rule in document.rules:
        if rule.head.predicate == predicate and not rule.body and to_text(rule.head) == text:
            file, span = document.source.located(rule.span)
            return FactLine(text, place=f"{file.name}:{file.position(span.start)[0]}")
    return FactLine(text)
