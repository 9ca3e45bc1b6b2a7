"""A plan with its state: facts go in tick by tick, changes come out."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from os import PathLike
from typing import Protocol, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog import writing
from antelog.accounts import Counts
from antelog.arrow.ticks import InTicks, Moment, tick_of
from antelog.compile.meaning.versions import compared
from antelog.compile.nodes.plan import Plan, Relation
from antelog.engine import fact_limit, kernel, saving
from antelog.engine.carried import Dropped, dropped_table
from antelog.engine.columns import joins
from antelog.engine.facts.admission import check_use
from antelog.engine.facts.frames import Frame, renamed
from antelog.engine.facts.history import Facts
from antelog.engine.facts.rejects import none
from antelog.engine.state import Given, State, beginning
from antelog.engine.step.lines import Changes, Lines, as_they_stand
from antelog.engine.step.query import KINDS, LineSelection
from antelog.engine.step.schema import DIGITS, as_doubles
from antelog.engine.step.uniting import united
from antelog.engine.step.wording import finished, needs_explanations
from antelog.engine.transition import QueryChange, Transition, transition
from antelog.errors import DataError, DataWarning, UnsupportedError
from antelog.functions import UserFunction
from antelog.given import NAMED, PATH, TEXT, checked, optional
from antelog.language.checks.suggestions import did_you_mean
from antelog.lines import STRUCTS, TEXT_LITERALS, with_structs

KEPT_REJECTS = 100_000

_PARTS = 64
"""Fewer tables than this are not worth joining."""

_CALLER = 4
"""The stack level of the line that called `advance`, above the check of its arguments."""

_LOST = "is beyond all doubles, which end at about 1.8e308: there the comparison is false"
_ROUNDED = (
    "has whole numbers beyond 2^53, of which its doubles are the nearest. JSON lines have them exactly, "
    "and so has a column whose values all come from columns declared as `integer`"
)


@dataclass(frozen=True)
class Status:
    """An engine at a glance.

    now                     the last finished tick
    counts                  the rows of all inputs by fate
    dropped                 the admitted facts that were given up later, because there was no room
    open_answers            the number of open answers by query
    state_rows, state_bytes the kept facts, and the memory they and their values take
    seen_values             the values that unguarded variables have answers for, which only grow
    """

    now: int
    counts: Counts
    dropped: int
    open_answers: Mapping[str, int]
    state_rows: int
    state_bytes: int
    seen_values: int


@dataclass(frozen=True, eq=False)
class FinishedStep:
    """The state before and after a step, the facts admitted in it, and the changes of each query."""

    before: State
    after: State
    facts: Mapping[str, Facts]
    changes: Mapping[str, Changes]


class Forecaster(Protocol):
    """Adds to lines how likely their answers are, and learns from each step."""

    def advanced(self, step: FinishedStep) -> tuple[Self, dict[str, pa.Table]]:
        """The forecaster after a step, and the lines of each query with their chances."""
        ...

    def open_answers(self, query: str, lines: Lines, state: State) -> pa.Table:
        """Open answers with their chances."""
        ...

    def members(self) -> dict[str, bytes]:
        """The members of a saved state that restore the forecaster."""
        ...

    def after_change(self, change: Transition) -> tuple[Self, dict[str, pa.Table]]:
        """The forecaster of the new plan, and the lines of the change with their chances."""
        ...

    def begun_anew(self, change: Transition) -> tuple[str, ...]:
        """The queries of both plans for which learning starts again."""
        ...


@dataclass(frozen=True, eq=False)
class RuleChange:
    """The change of an engine's rules after the tick `tick`, query by query.

    `closed` has the lines of open answers that end, by the queries of the `old` plan; `changes` those of new
    and changed queries. `anew` are the queries for which learning starts again.
    """

    tick: int
    old: Plan
    queries: tuple[QueryChange, ...]
    closed: Mapping[str, pa.Table]
    changes: Mapping[str, pa.Table]
    anew: tuple[str, ...] = ()


@dataclass(frozen=True)
class EngineOptions:
    """Options of an engine; `only` are the reported kinds of changes, `arrival` names the column of arrivals,
    `budget` limits the bytes of a table within a step, and `explanations` those of a line.
    """

    only: tuple[str, ...]
    arrival: str = "arrival"
    keep_rejects: int = KEPT_REJECTS
    budget: int = joins.BUDGET
    explanations: int | None = None
    literals: str = TEXT_LITERALS


class PlanEngine:
    """A plan, its state, and perhaps a forecaster. `antelog.process.Engine` is made from a program."""

    def __init__(
        self, saved: saving.SavedEngine, options: EngineOptions, forecaster: Forecaster | None
    ) -> None:
        self._plan, self._state, self._given = saved.plan, saved.state, saved.given
        self._counts = {source.name: saved.counts.get(source.name, Counts()) for source in saved.plan.inputs}
        self._dropped = dict(saved.dropped)
        self._limit = saved.limit
        self._options = options
        self._rejects = [none()]
        self._last_rejects = (none(), np.zeros(0, np.int64))
        self._forecaster = forecaster
        self._rule_change: RuleChange | None = None
        self.notes: list[str] = []
        """Sentences about values, each once, for whoever reads the facts to say."""
        self._noted: set[str] = set()

    @property
    def rule_change(self) -> RuleChange | None:
        """The latest change of the engine's rules; None if there was none."""
        return self._rule_change

    def _carry_over(
        self, plan: Plan, functions: Mapping[str, UserFunction], given: Given | None, unaccepted: str | None
    ) -> RuleChange | None:
        """Switches to another plan; None if it means the same.

        `unaccepted` names the state if a change of what a query means is refused.
        """
        old = self._plan
        if old.meaning == plan.meaning:
            self._plan = plan
            return None
        if unaccepted is not None and not compared(old, plan).is_harmless:
            raise saving.other_rules(unaccepted, old, plan)
        if self._limit is not None and (reason := fact_limit.cannot_limit(plan)) is not None:
            raise UnsupportedError(f"these rules cannot have a limit: {reason}")
        given = _of_plan(self._given, plan) if given is None else given
        staged = self._forecaster is not None
        found = transition(old, self._state, plan, given, functions, staged=staged)
        self._plan, self._state, self._given = found.plan, found.state, found.given
        log = {name: each.log for name, each in found.changes.items()}
        anew: tuple[str, ...] = ()
        if self._forecaster is not None:
            self._forecaster, log = self._forecaster.after_change(found)
            anew = self._forecaster.begun_anew(found)
        self._counts = {each.name: self._counts.get(each.name, Counts()) for each in found.plan.inputs}
        self._dropped = {name: each for name, each in self._dropped.items() if name in self._counts}
        only, most = self._options.only, self._options.explanations
        closed = {
            name: _of_kinds(self._shown(name, finished(table, found.old, name, most)), only)
            for name, table in found.closed.items()
        }
        changes = {name: _of_kinds(self._finished(name, table), only) for name, table in log.items()}
        self._rule_change = RuleChange(found.tick, found.old, found.queries, closed, changes, anew)
        return self._rule_change

    @property
    def plan(self) -> Plan:
        """The compiled program."""
        return self._plan

    @property
    def state(self) -> State:
        """The state of the kernel."""
        return self._state

    @property
    def now(self) -> int:
        """The last finished tick; -1 before the first."""
        return self._state.now

    @property
    def rejects(self) -> pa.Table:
        """The facts that were set aside, with the reasons: the latest `keep_rejects` of them."""
        table = pa.concat_tables(self._rejects)
        return table.slice(max(0, table.num_rows - self._options.keep_rejects))

    @property
    def last_rejects(self) -> pa.Table:
        """The facts that the last `advance` set aside; `row` is their row in the frame."""
        rejects, rows = self._last_rejects
        return rejects.append_column("row", pa.array(rows))

    @property
    def counts(self) -> Mapping[str, Counts]:
        """The number of facts of each input by fate."""
        return self._counts

    @property
    def dropped(self) -> pa.Table:
        """For each input the facts that were dropped, as there was no room, and the ticks they were about."""
        return dropped_table(self._dropped)

    @property
    def status(self) -> Status:
        """The counts so far, and the size of the state. Counting open answers takes as long as `answers`."""
        return Status(
            now=self.now,
            counts=sum(self._counts.values(), Counts()),
            dropped=sum(each.facts for each in self._dropped.values()),
            open_answers={
                query.name: kernel.count_open(self._plan, self._state, query.name)
                for query in self._plan.queries
            },
            state_rows=self._state.rows,
            state_bytes=self._state.nbytes,
            seen_values=sum(len(each.cells) for each in self._state.observed.seen.values()),
        )

    @checked(facts=optional(NAMED), map=optional(NAMED))
    def advance(
        self,
        now: Moment,
        facts: Mapping[str, Frame] | None = None,
        map: Mapping[str, str] | None = None,  # noqa: A002 - as the option of commands is called
    ) -> dict[str, pa.Table]:
        """Finish all ticks up to `now`, given the facts that arrived meanwhile; return the changes by query.

        If the program says how long a tick is, `now` may be a timestamp, also as a text: the tick it lies in
        is the last. `map` has names of columns in frames, by those of the program: `{"device": "sensor"}`, or
        `{"Temp.device": "sensor"}` for one input; what else a frame has is left out. Warns (DataWarning) if
        more than half of a frame is set aside, and raises DataError if no row of one can be used.
        """
        now = tick_of(now, self._plan.timescale)
        if now <= self.now:
            raise DataError(f"tick {now} cannot be finished: {self.now} is finished already")
        plan, options, forecaster = self._plan, self._options, self._forecaster
        facts = renamed(plan, facts, map) if facts and map else facts
        before, batch = kernel.admitted(plan, self._state, facts or {}, now, arrival=options.arrival)
        if not self._is_read:  # else the reader says what it set aside
            check_use(batch)
        new, unwanted = fact_limit.in_sight(before, batch.facts)
        # A forecaster follows all changes, whichever of them are reported.
        only = tuple(kind for kind in KINDS if forecaster is not None or kind in options.only)
        with joins.budget(options.budget):
            after, changes = kernel.step(plan, before, new, now, replace(self._wanted, only=only))
        if forecaster is None:
            log = {name: each.log for name, each in changes.items()}
        else:
            forecaster, log = forecaster.advanced(FinishedStep(before, after, new, changes))
            log = {name: _of_kinds(table, options.only) for name, table in log.items()}
        self._drop(unwanted)
        if self._limit is not None:
            after, more, old = fact_limit.within(plan, after, self._limit, options.only)
            log = {
                name: united([table, more[name]]) if name in more else table for name, table in log.items()
            }
            self._drop(old)
        self._state, self._forecaster = after, forecaster
        if batch.rejects.num_rows:
            self._rejects.append(batch.rejects)
            if len(self._rejects) == _PARTS:
                self._rejects = [self.rejects.combine_chunks()]
        self._last_rejects = (batch.rejects, batch.places)
        self._counts = {name: self._counts[name] + more for name, more in batch.counts.items()}
        found = {name: self._finished(name, table) for name, table in log.items()}
        self._note({f"{each} {_LOST}" for each in after.values.without} | batch.notes)
        self._warn()
        return found

    @property
    def _wanted(self) -> LineSelection:
        """The lines that the kernel makes, of all kinds."""
        return LineSelection(
            staged=self._forecaster is not None,
            explained=needs_explanations(self._plan, self._options.explanations),
            structs=self._options.literals == STRUCTS and self._forecaster is None and self._limit is None,
        )

    def _finished(self, query: str, table: pa.Table) -> pa.Table:
        """Adds times, severity and words to lines, and cuts their explanations to as many as are wanted."""
        return self._shown(query, finished(table, self._plan, query, self._options.explanations))

    @property
    def _is_read(self) -> bool:
        """Whether a reader hands over facts and prints lines: it reports rejects and notes itself."""
        return isinstance(self._options.arrival, InTicks)

    def rounded(self, query: str, table: pa.Table) -> pa.Table:
        """Replaces written numbers in lines by doubles; notes each column that has some."""
        names = [field.name for field in table.schema if field.metadata == DIGITS]
        self._note({f"{name} of {query} {_ROUNDED}" for name in names})
        return as_doubles(table)

    def _shown(self, query: str, table: pa.Table) -> pa.Table:
        table = with_structs(table) if self._options.literals == STRUCTS else table
        return table if self._is_read else self.rounded(query, table)

    def _note(self, notes: Set[str]) -> None:
        self.notes += sorted(notes - self._noted)
        self._noted |= notes

    def _warn(self) -> None:
        """Warns of notes, unless a reader reports them."""
        while self.notes and not self._is_read:
            warnings.warn(self.notes.pop(0), DataWarning, stacklevel=_CALLER)

    def begin_at(self, tick: int) -> None:
        """Let time begin at a tick, and not with the first fact: earlier ticks have no answers."""
        self._state = beginning(self._plan, self._state, tick)

    def begin_anew(self, tick: int) -> None:
        """Let time begin again at a later tick: nothing is reported about the ticks up to it."""
        if tick <= self.now:
            raise DataError(f"time cannot begin at tick {tick}: {self.now} is finished already")
        self._state = beginning(self._plan, replace(self._state, now=tick - 1), tick)

    def _drop(self, dropped: Mapping[str, Dropped]) -> None:
        for name, more in dropped.items():
            self._dropped[name] = self._dropped[name] + more if name in self._dropped else more

    @checked(query=TEXT)
    def answers(self, query: str) -> pa.Table:
        """The answers that are open, and those the last finished tick confirmed.

        Their `change` is `open` or `confirmed`. What changed at a tick is what `advance` returns.
        """
        name, forecaster = self._query(query).name, self._forecaster
        lines = kernel.open_answers(self._plan, self._state, name, self._wanted)
        table = lines.table if forecaster is None else forecaster.open_answers(name, lines, self._state)
        found = self._finished(name, as_they_stand(table))
        self._warn()
        return found

    def _query(self, name: str) -> Relation:
        for relation in self._plan.queries:
            if relation.name == name:
                return relation
        names = [relation.name for relation in self._plan.queries]
        hint = did_you_mean(name, names) or f"The queries are {', '.join(names)}."
        raise DataError(f"the program has no query {name}. {hint}")

    @checked(path=PATH)
    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to a file, to go on from here later. Rejects are counted, but not kept.

        Only its owner may read the file. One of that name is replaced when the new one is complete; what
        cannot be written raises OutputError, and leaves nothing behind.
        """
        writing.write(path, self.to_bytes(), mode=0o600)

    def to_bytes(self) -> bytes:
        """The state as bytes: the content of the file that `save` writes."""
        members = {} if self._forecaster is None else self._forecaster.members()
        saved = saving.SavedEngine(
            self._plan, self._state, self._given, self._counts, self._dropped, self._limit, members
        )
        return saving.to_bytes(saved)


def _of_plan(given: Given, plan: Plan) -> Given:
    """The given static facts of predicates that a plan has with as many columns."""
    widths = {each.name: len(each.columns) for each in plan.statics}
    return {
        name: rows
        for name, rows in given.items()
        if name in widths and all(len(row) == widths[name] for row in rows)
    }


def _of_kinds(table: pa.Table, only: Sequence[str]) -> pa.Table:
    """The lines of some kinds of changes."""
    wanted = pc.is_in(table.column("change"), pa.array(list(only), pa.string()))
    return table if pc.all(wanted).as_py() else table.filter(wanted)
