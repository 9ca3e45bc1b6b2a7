"""The engine as users have it: facts go in tick by tick, changes come out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from os import PathLike
from typing import Protocol

import pyarrow as pa

from antelog.compile.plan import Plan
from antelog.engine import kernel, saving
from antelog.engine.facts import Counts, admit
from antelog.engine.frames import Frame
from antelog.engine.limits import cannot_run
from antelog.engine.log import KINDS
from antelog.engine.rejects import SCHEMA
from antelog.engine.values import Values
from antelog.errors import DataError, StateError, UnsupportedError
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.syntax import Value


class Planned(Protocol):
    """A program that has a plan."""

    @property
    def plan(self) -> Plan: ...


class Engine:
    """Runs a program over facts that arrive late and out of order.

    `only` are the kinds of changes asked for, all unless told otherwise; `static` are background
    facts in addition to those of the program, as frames or as lists of tuples.
    """

    def __init__(
        self,
        program: Planned,
        *,
        only: Sequence[str] = KINDS,
        static: Mapping[str, Iterable[Sequence[Value]]] | None = None,
        arrival: str = "arrival",
    ) -> None:
        plan = program.plan
        reason = cannot_run(plan)
        if reason is not None:
            raise UnsupportedError(f"the engine cannot run this program yet: {reason}")
        for kind in only:
            if kind not in KINDS:
                hint = did_you_mean(kind, KINDS) or f"The kinds are {', '.join(KINDS)}."
                raise DataError(f"there is no change of the kind {kind}. {hint}")
        self._plan = plan
        self._only = tuple(only)
        self._arrival = arrival
        self._values = Values()
        self._given = {name: [tuple(row) for row in rows] for name, rows in (static or {}).items()}
        self._state = kernel.start(plan, self._values, self._given)
        self._rejects = SCHEMA.empty_table()
        self._counts = {source.name: Counts() for source in plan.inputs}

    @property
    def plan(self) -> Plan:
        return self._plan

    @property
    def now(self) -> int:
        """The last finished tick; -1 before the first."""
        return self._state.now

    @property
    def rejects(self) -> pa.Table:
        """The facts that were set aside so far, with the reasons."""
        return self._rejects

    @property
    def counts(self) -> Mapping[str, Counts]:
        """What became of the facts of each input."""
        return self._counts

    def advance(self, now: int, facts: Mapping[str, Frame] | None = None) -> dict[str, pa.Table]:
        """Finish all ticks up to `now`, given the facts that arrived meanwhile; what changed, by query."""
        if now <= self.now:
            raise DataError(f"tick {now} cannot be finished: {self.now} is finished already")
        admitted = admit(self._plan, facts or {}, self._values, self.now, now, arrival=self._arrival)
        self._state, log = kernel.step(self._state, admitted.facts, now, self._only)
        self._rejects = pa.concat_tables([self._rejects, admitted.rejects])
        self._counts = {name: _sum(self._counts[name], new) for name, new in admitted.counts.items()}
        return log

    def answers(self, query: str) -> pa.Table:
        """The answers that are open, and those the last finished tick confirmed."""
        names = [relation.name for relation in self._plan.queries]
        if query not in names:
            hint = did_you_mean(query, names) or f"The queries are {', '.join(names)}."
            raise DataError(f"the program has no query {query}. {hint}")
        return kernel.open_answers(self._state, query)

    def save(self, path: str | PathLike[str]) -> None:
        """Write to a file what has to be known to go on from here. Rejects are counted, but not kept."""
        history = self._state.world.history
        saving.save(
            path, saving.Saved(self._plan, self.now, self._values, history, self._given, self._counts)
        )

    @classmethod
    def restore(
        cls,
        path: str | PathLike[str],
        program: Planned | None = None,
        *,
        only: Sequence[str] = KINDS,
        arrival: str = "arrival",
    ) -> Engine:
        """The engine that was saved to a file. With `program`, only if it was running that one."""
        saved = saving.restore(path)
        if program is not None and program.plan != saved.plan:
            raise StateError(
                f"{path} was saved by another program than this one: "
                "restore it with the program that wrote it, or start anew and replay the facts"
            )
        engine = cls(_Restored(saved.plan), only=only, arrival=arrival)
        engine._values, engine._given, engine._counts = saved.values, saved.given, dict(saved.counts)
        engine._state = kernel.resume(saved.plan, saved.values, saved.given, saved.now, saved.history)
        return engine


@dataclass(frozen=True)
class _Restored:
    plan: Plan


def _sum(one: Counts, other: Counts) -> Counts:
    return Counts(*(getattr(one, f.name) + getattr(other, f.name) for f in fields(Counts)))
