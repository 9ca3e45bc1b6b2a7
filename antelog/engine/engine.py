"""The engine as users have it: facts go in tick by tick, changes come out.

engine.advance(3, {"Temp": frame}): what changed up to tick 3; engine.answers("Malf"): what is open
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Protocol, Self

import numpy as np
import pyarrow as pa

from antelog.accounts import Counts
from antelog.compile.nodes.plan import Plan, Relation
from antelog.engine import fact_limit, kernel, saving, state
from antelog.engine.columns import joins
from antelog.engine.facts.counting import DROPPED, Dropped, Status, dropped_table
from antelog.engine.facts.facts import Facts
from antelog.engine.facts.frames import Frame, static_rows
from antelog.engine.facts.history import bytes_of, rows_of
from antelog.engine.facts.rejects import Kept, none
from antelog.engine.facts.ticks import Moment, tick_of
from antelog.engine.log.changes import KINDS, Changes, Lines, as_they_stand
from antelog.engine.values.values import Values
from antelog.errors import DataError, UnsupportedError
from antelog.given import BYTES, NAMED, NATURAL, PATH, POSITIVE, TEXT, TEXTS, WHOLE, checked, optional, wrong
from antelog.language.checks.suggestions import did_you_mean

__all__ = ["DROPPED", "Counts", "Engine", "Planned", "Status"]

KEPT_REJECTS = 100_000


_OPTIONS = {"only": optional(TEXTS), "arrival": TEXT, "keep_rejects": NATURAL}
"""What is the same for all ways to make an engine."""


class Planned(Protocol):
    """A program that has a plan."""

    @property
    def plan(self) -> Plan: ...


def plan_of(program: Planned) -> Plan:
    """The plan of what should be a program, and is easily taken for the path or the text of one."""
    plan = getattr(program, "plan", None)
    if not isinstance(plan, Plan):
        raise wrong("the program", program, "what `antelog.load(path)` or `antelog.parse(text)` makes")
    return plan


@dataclass(frozen=True, eq=False)
class Finished:
    """A step that is done: the facts that came in it, with the values of their cells, the state after it,
    and what is told."""

    values: Values
    state: state.State
    facts: Mapping[str, Facts]
    told: Mapping[str, Changes]


class Engine:
    """Runs a program over facts that arrive late and out of order.

    Args:
        program: what to run
        only: the kinds of changes asked for, all unless told otherwise
        static: background facts in addition to those of the program, as frames or lists of tuples
        arrival: what frames call the column of arrivals
        limit: keep at most so many facts. When more of them matter, those about the oldest ticks are
            dropped: see `dropped`, and `antelog.engine.fact_limit` for what still holds then
        keep_rejects: so many of the latest rejects are kept; all are counted
        budget: no table within a step takes more bytes than this, about; steps are cut so that it
            suffices, and where a single answer needs more, `advance` raises DataError
    """

    @checked(**_OPTIONS, static=optional(NAMED), limit=optional(WHOLE), budget=POSITIVE)
    def __init__(
        self,
        program: Planned,
        *,
        only: Sequence[str] | None = None,
        static: Mapping[str, Frame] | None = None,
        arrival: str = "arrival",
        limit: int | None = None,
        keep_rejects: int = KEPT_REJECTS,
        budget: int = joins.BUDGET,
    ) -> None:
        plan = plan_of(program)
        only = self._all_kinds if only is None else only
        _check(plan, only, limit, self._all_kinds)
        given = static_rows(plan, static or {})
        self._set_up(
            saving.Saved(plan, state.start(plan, given), given, {}, {}, limit), only, arrival, keep_rejects
        )
        self._budget = budget

    def _set_up(self, saved: saving.Saved, only: Sequence[str], arrival: str, keep_rejects: int) -> None:
        self._plan, self._state, self._given = saved.plan, saved.state, saved.given
        self._counts = {source.name: saved.counts.get(source.name, Counts()) for source in saved.plan.inputs}
        self._dropped = dict(saved.dropped)
        self._limit = saved.limit
        self._only = tuple(only)
        self._arrival = arrival
        self._rejects = Kept(keep_rejects)
        self._last_rejects = (none(), np.zeros(0, np.int64))
        self._budget = joins.BUDGET

    @property
    def plan(self) -> Plan:
        return self._plan

    @property
    def now(self) -> int:
        """The last finished tick; -1 before the first."""
        return self._state.now

    @property
    def rejects(self) -> pa.Table:
        """The facts that were set aside, with the reasons: the latest `keep_rejects` of them."""
        return self._rejects.table

    @property
    def last_rejects(self) -> pa.Table:
        """The facts that the last `advance` set aside; `row` says where in their frame they stand."""
        rejects, places = self._last_rejects
        return rejects.append_column("row", pa.array(places))

    @property
    def counts(self) -> Mapping[str, Counts]:
        """What became of the facts of each input."""
        return self._counts

    @property
    def dropped(self) -> pa.Table:
        """For each input the facts that were dropped, as there was no room, and the ticks they were about."""
        return dropped_table(self._dropped)

    @property
    def status(self) -> Status:
        """What was counted so far, and how much is kept. Counting open answers takes as long as `answers`."""
        history, values = self._state.history, self._state.values
        return Status(
            now=self.now,
            counts=sum(self._counts.values(), Counts()),
            dropped=sum(each.facts for each in self._dropped.values()),
            open_answers={
                query.name: kernel.count_open(self._plan, self._state, query.name)
                for query in self._plan.queries
            },
            state_rows=rows_of(history),
            state_bytes=bytes_of(history) + values.nbytes,
            seen_values=sum(len(each.cells) for each in self._state.told.values.values()),
        )

    @checked(facts=optional(NAMED))
    def advance(self, now: Moment, facts: Mapping[str, Frame] | None = None) -> dict[str, pa.Table]:
        """Finish all ticks up to `now`, given the facts that arrived meanwhile; what changed, by query.

        If the program says how long a tick is, `now` may be a timestamp: the tick it lies in is the last.
        """
        now = tick_of(now, self._plan.tick)
        if now <= self.now:
            raise DataError(f"tick {now} cannot be finished: {self.now} is finished already")
        current, batch = kernel.admitted(self._plan, self._state, facts or {}, now, arrival=self._arrival)
        new, unwanted = fact_limit.in_sight(current, batch.facts)
        with joins.budget(self._budget):
            after, told = kernel.step(self._plan, current, new, now, only=self._kinds, staged=self._staged)
        log = self._log(Finished(current.values, after, new, told))
        current = after
        self._drop(unwanted)
        if self._limit is not None:
            current, more, old = fact_limit.within(self._plan, current, self._limit, self._only)
            log = {name: _below(table, more.get(name)) for name, table in log.items()}
            self._drop(old)
        self._state = current
        self._rejects = self._rejects.with_more(batch.rejects)
        self._last_rejects = (batch.rejects, batch.places)
        self._counts = {name: self._counts[name] + more for name, more in batch.counts.items()}
        return log

    @property
    def _all_kinds(self) -> tuple[str, ...]:
        """The kinds of changes there are."""
        return KINDS

    @property
    def _kinds(self) -> tuple[str, ...]:
        """The kinds of changes the kernel is asked for."""
        return self._only

    @property
    def _staged(self) -> bool:
        """Whether it is also asked how far answers have come."""
        return False

    def _log(self, finished: Finished) -> dict[str, pa.Table]:
        """What is told of a step; an engine that forecasts has more to tell."""
        return {name: changes.log for name, changes in finished.told.items()}

    def _drop(self, dropped: Mapping[str, Dropped]) -> None:
        for name, more in dropped.items():
            self._dropped[name] = self._dropped[name] + more if name in self._dropped else more

    @checked(query=TEXT)
    def answers(self, query: str) -> pa.Table:
        """The answers that are open, and those the last finished tick confirmed.

        Their `change` is `open` or `confirmed`. What changed at a tick is what `advance` returns.
        """
        name = self._query(query).name
        lines = kernel.open_answers(self._plan, self._state, name, staged=self._staged)
        return as_they_stand(self._told(name, lines))

    def _told(self, _query: str, lines: Lines) -> pa.Table:
        """What is told of open answers; an engine that forecasts has more to tell."""
        return lines.table

    def _query(self, name: str) -> Relation:
        for relation in self._plan.queries:
            if relation.name == name:
                return relation
        names = [relation.name for relation in self._plan.queries]
        hint = did_you_mean(name, names) or f"The queries are {', '.join(names)}."
        raise DataError(f"the program has no query {name}. {hint}")

    @checked(path=PATH)
    def save(self, path: str | PathLike[str]) -> None:
        """Write to a file what has to be known to go on from here. Rejects are counted, but not kept.

        Only its owner may read the file. One of that name is replaced when the new one is complete; what
        cannot be written raises OutputError, and leaves nothing behind.
        """
        saving.save(path, self._saved())

    def to_bytes(self) -> bytes:
        """What `save` writes, for wherever bytes are kept."""
        return saving.to_bytes(self._saved())

    def _saved(self) -> saving.Saved:
        return saving.Saved(self._plan, self._state, self._given, self._counts, self._dropped, self._limit)

    @classmethod
    @checked(path=PATH, max_bytes=POSITIVE, **_OPTIONS)
    def restore(
        cls,
        path: str | PathLike[str],
        program: Planned | None = None,
        *,
        only: Sequence[str] | None = None,
        arrival: str = "arrival",
        keep_rejects: int = KEPT_REJECTS,
        max_bytes: int = saving.MOST,
    ) -> Self:
        """The engine that was saved to a file. With `program`, only if it was running that one.

        Raises StateError if the file is missing, damaged, or none that an engine has saved; or if it has
        more than `max_bytes` when it is unpacked, lest a small file fill the memory.
        """
        saved = saving.restore(path, _plan_if_any(program), max_bytes)
        return cls._resumed(saved, only, arrival, keep_rejects)

    @classmethod
    @checked(content=BYTES, max_bytes=POSITIVE, **_OPTIONS)
    def from_bytes(
        cls,
        content: bytes,
        program: Planned | None = None,
        *,
        only: Sequence[str] | None = None,
        arrival: str = "arrival",
        keep_rejects: int = KEPT_REJECTS,
        max_bytes: int = saving.MOST,
    ) -> Self:
        """The engine that was saved by `to_bytes`; otherwise as `restore`."""
        saved = saving.from_bytes(content, program=_plan_if_any(program), most=max_bytes)
        return cls._resumed(saved, only, arrival, keep_rejects)

    @classmethod
    def _resumed(
        cls, saved: saving.Saved, only: Sequence[str] | None, arrival: str, keep_rejects: int
    ) -> Self:
        engine = cls.__new__(cls)
        only = engine._all_kinds if only is None else only
        _check(saved.plan, only, saved.limit, engine._all_kinds)
        engine._set_up(saved, only, arrival, keep_rejects)
        return engine


def _below(table: pa.Table, more: pa.Table | None) -> pa.Table:
    """Two tables, one below the other; what the second does not say is null."""
    return table if more is None else pa.concat_tables([table, more], promote_options="default")


def _plan_if_any(program: Planned | None) -> Plan | None:
    return None if program is None else plan_of(program)


def _check(plan: Plan, only: Sequence[str], limit: int | None, kinds: Sequence[str]) -> None:
    for kind in only:
        if kind not in kinds:
            hint = did_you_mean(kind, kinds) or f"The kinds are {', '.join(kinds)}."
            raise DataError(f"there are no changes of the kind {kind}. {hint}")
    if limit is not None:
        if limit < 1:
            raise DataError(f"the limit is {limit}, but at least one fact has to be kept")
        reason = fact_limit.cannot_limit(plan)
        if reason is not None:
            raise UnsupportedError(f"this program cannot have a limit: {reason}")
