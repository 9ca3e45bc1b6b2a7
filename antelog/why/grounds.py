"""The grounds of explanations: the rules as written, the facts there are, and the rows that were set aside.

Grounds.of_facts(program, {"Temp": frame})     all facts that were recorded
Grounds.of_state(program, plan, state, …)      those that the engine has kept
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from antelog.compile import PATTERN_LIMIT
from antelog.compile.literals.literal import AskedNode
from antelog.compile.literals.terms import Function
from antelog.compile.nodes.plan import Plan
from antelog.compile.passes import assembled
from antelog.compile.patterns.resolve import Request, relations_of
from antelog.compile.prepared.rules import Rules, prepared
from antelog.compile.rules import clauses
from antelog.diagnostics import Source, Span
from antelog.engine import kernel
from antelog.engine.columns.tables import NEVER, Column, Mask
from antelog.engine.facts.frames import Frame, static_rows
from antelog.engine.facts.history import Facts, History, Stream, no_facts, parts_of
from antelog.engine.state import State, begun, knowledge_of, start, with_facts
from antelog.engine.step.derivations import Knowledge
from antelog.engine.step.matching import StaticFacts, background_of
from antelog.engine.values.functions import Functions
from antelog.engine.values.values import Values
from antelog.language import Checked, read, syntax
from antelog.language.graph import components
from antelog.language.syntax import Value
from antelog.program import Program

LAST = 2**53  # a tick after all others


class FactPlaces(Protocol):
    """Says where facts and rows that were set aside come from."""

    def of_fact(self, predicate: str, facts: Facts, values: Values, /) -> str | None:
        """Returns the file and line of a fact."""

    def of_row(self, predicate: str, row: int, /) -> str | None:
        """Returns the file and line of a row of an input, such as one that was set aside."""


@dataclass(frozen=True, eq=False)
class WrittenProgram:
    """A program as it is written, the plan with the relations of all its literals, and its windows."""

    checked: Checked
    rules: Mapping[str, tuple[clauses.LoweredRule, ...]]
    plan: Plan
    frames: Mapping[str, clauses.EvidenceFrame]

    @property
    def source(self) -> syntax.Document:
        return self.checked.document

    def frame(self, predicate: str) -> clauses.EvidenceFrame | None:
        """Returns the window that evidence for an atom lies in."""
        if predicate in self.frames or not self.frames:
            return self.frames.get(predicate)
        # One that rests on itself and has no window has the widest one there is.
        widest = max(self.frames.values(), key=lambda each: each.width)
        return widest if predicate in self._recursive else None

    @cached_property
    def _recursive(self) -> frozenset[str]:
        """The predicates that rest on themselves, or on such."""
        goals = {name: [each.goal for r in rules for each in r.body] for name, rules in self.rules.items()}
        below = {name: {e.predicate for e in own if e} & self.rules.keys() for name, own in goals.items()}
        found = set[str]()
        for members in components(below):
            if len(members) > 1 or below[members[0]] & {members[0], *found}:
                found |= set(members)
        return frozenset(found)


@lru_cache(maxsize=8)
def written(source: Source) -> WrittenProgram:
    checked = read(source)
    rules = {name: tuple(own.values()) for name, own in clauses.rules_of(checked).items()}
    parts = (part for own in rules.values() for rule in own for part in rule.parts)
    references = {
        each.name: each for part in parts if isinstance(part, AskedNode) for each in part.references
    }
    more = [
        Request(name, False, clauses.asked_clause(each.predicate, each.kept, checked.vocabulary))
        for name, each in references.items()
    ]
    relations, _, _ = relations_of(checked, clauses.clauses_of(checked)[0], PATTERN_LIMIT, more)
    plan = assembled(checked, relations)
    return WrittenProgram(checked, rules, plan, clauses.frames_of(checked))


@dataclass(frozen=True, eq=False)
class Grounds:
    """The grounds of explanations, as of a tick."""

    program: WrittenProgram
    known: Knowledge
    at: int  # the tick; facts that arrive later are not there
    begin: int | None  # the tick at which time begins; None: it has not begun
    rejects: pa.Table  # rows that were set aside, as `engine.rejects` has them
    places: FactPlaces | None = None
    kept: Mapping[str, int] = field(default_factory=dict)  # the first tick whose facts are all there
    whole: dict[str, Facts] = field(default_factory=dict)  # all facts of inputs, once they are looked through

    @classmethod
    def of_facts(
        cls,
        program: Program,
        frames: Mapping[str, Frame],
        at: int | None = None,
        *,
        static: Mapping[str, Frame] | None = None,
        arrival: str = "arrival",
    ) -> Grounds:
        """Returns the grounds of facts up to a tick (None: of all), by their arrivals or their own ticks."""
        own, at = written(program.source), LAST if at is None else at
        state = start(own.plan, static_rows(own.plan, static or {}), functions=program.functions)
        state.values.functions = _functions(program)
        state, batch = kernel.admitted(own.plan, state, frames, LAST, arrival=arrival)
        facts = {name: each.take(each.arrival <= at) for name, each in batch.facts.items()}
        state = with_facts(begun(own.plan, replace(state, now=at), batch.facts), facts)
        known = knowledge_of(own.plan, state)
        rejects = batch.rejects.append_column("row", pa.array(batch.places))
        rejects = rejects.filter(pc.less_equal(pc.fill_null(rejects.column("arrival"), 0), at))
        return cls(own, known, at, state.begin, rejects, whole=facts)

    @classmethod
    def of_state(cls, program: Program, plan: Plan, state: State, rejects: pa.Table) -> Grounds:
        """Returns the grounds of the state of an engine with this plan."""
        own = written(program.source)
        rules = prepared(own.plan)
        # More than the engine calls: a rule that comes to nothing may have others.
        state.values.functions = _functions(program)
        tables = state.static.tables
        of_patterns = {
            name: tuple(background_of(each, tables, state.values) for each in patterns)
            for name, patterns in rules.patterns.items()
        }
        known = replace(
            knowledge_of(own.plan, state),
            history=_with_latest(rules, state.history),
            static=StaticFacts(tables, of_patterns, {}),
        )
        needed = prepared(plan).needed
        kept = {name: state.now + back for name, back in needed.items() if back is not None}
        kept |= {name: max(kept.get(name, 0), state.carried.forgotten) for name in rules.inputs}
        unplaced = rejects.append_column("row", pa.nulls(rejects.num_rows, pa.int64()))
        return cls(own, known, state.now, state.begin, unplaced, kept=kept)

    @cached_property
    def last_arrival(self) -> int:
        """The last tick at which a fact arrived; -1 if there is none."""
        parts = parts_of(self.known.history)
        return max((int(part.arrival.max()) for part in parts if part.count), default=-1)

    @cached_property
    def end(self) -> int:
        """The last tick; where all facts are there, the one by which all is decided after the last."""
        if self.at < LAST:
            return self.at
        delays = (each.bounds.delay or 0 for each in self.program.plan.queries)
        return self.last_arrival + max(delays, default=0)

    def value(self, cell: int) -> Value:
        """Returns the value of a cell; of one that is neither a number nor a text, its text."""
        values = self.known.values
        found = values.plain_number(cell)
        if found is not None:
            return found
        text = values.text(cell)
        return str(json.loads(text)) if text.startswith('"') else text

    def location(self, span: Span) -> str:
        """Returns the file and line of a rule."""
        file, own = self.program.source.source.located(span)
        return f"{file.name}:{file.position(own.start)[0]}"

    def is_so(self, since: Column) -> Mask:
        """Returns where something is true at the tick, given since when it is."""
        found: Mask = (since <= self.at) & (since != NEVER)
        return found


def _functions(program: Program) -> Functions:
    declared = program.document.functions
    called = {each.name: Function(each.name, len(each.columns), each.gives) for each in declared}
    return Functions(called, program.functions)


def _with_latest(rules: Rules, history: History) -> History:
    """Adds room for the latest facts of all slots that a literal may ask for."""
    found = {}
    for name, stream in history.items():
        # New slices, for a slice keeps what was looked for in it.
        slices = {
            tick: tuple(Facts(part.columns, part.time, part.arrival) for part in parts)
            for tick, parts in stream.slices.items()
        }
        latest = stream.latest
        if latest is None and name in rules.remembered:
            latest = no_facts(stream.width)
        found[name] = Stream(stream.width, slices, latest, stream.slots)
    return found
