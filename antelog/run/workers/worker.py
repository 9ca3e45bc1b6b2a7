"""A worker: an engine with the facts of some values of the key, which does what the run asks of it."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine import kernel, saving
from antelog.engine.dividing import mask_of, share_of
from antelog.functions import UserFunction, named_in
from antelog.process import Engine, EngineOptions
from antelog.run.sinks.json_lines import Style, with_texts
from antelog.run.sinks.result import weight_of
from antelog.run.workers.channel import Channel, WorkerMessage
from antelog.run.workers.unjudged import FactsJudged, StepKeeper

if TYPE_CHECKING:
    from antelog.forecast.forecaster import ModelForecaster


@dataclass(frozen=True)
class FunctionSource:
    """Where a worker finds a function: a name in a module, or in a file that no module is of."""

    called: str
    module: str
    name: str
    is_file: bool
    takes: str

    @property
    def found(self) -> UserFunction:
        there = named_in(Path(self.module)) if self.is_file else vars(import_module(self.module))
        code = there[self.name]
        return UserFunction(self.called, getattr(code, "code", code), self.takes)


@dataclass(frozen=True)
class Setup:
    """The state that a worker goes on from: which part of the key's values, of how many; and the options."""

    state: bytes
    part: int
    count: int
    path: Sequence[str]  # where modules are found
    functions: Sequence[FunctionSource]
    options: EngineOptions
    min_chance: float | None
    unjudged: bool  # whether chances are made where the run is


@dataclass(frozen=True)
class Order:
    """An order to a worker: the name of its method, and the arguments."""

    name: str
    arguments: tuple[Any, ...] = ()


REJECTS, CALLS = "", "()"  # the names of the tables of rejects, rows and calls, beside those of queries


class Worker:
    """Does what orders say; each method returns what is said of it."""

    def __init__(self, setup: Setup) -> None:
        sys.path[:] = setup.path
        functions = {each.called: each.found for each in setup.functions}
        saved = saving.from_bytes(setup.state, functions=functions)
        self.engine = Engine.of_saved(saved, setup.options, setup.min_chance)
        self.engine.share = share_of(saved.plan, setup.part, setup.count)
        self._in_part = mask_of(setup.part, setup.count)
        self._keeper = StepKeeper()
        if setup.unjudged:
            self.engine.hand_steps_to(cast("ModelForecaster", self._keeper))

    def do(self, order: Order, tables: Mapping[str, pa.Table]) -> WorkerMessage:
        found: WorkerMessage = getattr(self, order.name)(*order.arguments, tables)
        return found

    def advance(
        self, now: int, begin: int | None, style: Style | None, facts: Mapping[str, pa.Table]
    ) -> WorkerMessage:
        """Takes a step; with a style, lines are written here and come as texts."""
        engine = self.engine
        if begin is not None and engine.state.begin is None:
            engine.begin_at(begin)
        log = engine.advance(now, facts)
        weight = weight_of(log)
        if style is not None:
            log = {each.name: with_texts(each, log[each.name], style) for each in engine.plan.queries}
        aside, functions = engine.last_rejects, engine.state.values.functions
        rows, table = aside.column("row"), aside.drop_columns(["row"])
        of_rows, of_calls = table.filter(pc.is_valid(rows)), table.filter(pc.is_null(rows))
        numbers = rows.drop_null().to_pylist()
        said = FactsJudged(
            engine.counts, tuple(engine.notes), numbers, functions.calls, functions.failed, weight
        )
        engine.notes.clear()
        return WorkerMessage(said, {**log, REJECTS: of_rows, CALLS: of_calls})

    def take_unjudged(self, now: int, begin: int | None, facts: Mapping[str, pa.Table]) -> WorkerMessage:
        """Takes a step without chances: its lines come with their cells, and with the facts that are new."""
        found = self.advance(now, begin, None, facts)
        step = self._keeper.steps[-1]
        said = found.said.carrying(step.changes, step.facts, step.before.values)
        return WorkerMessage(said, found.tables)

    def open_lines(self, query: str, before: int | None, _: Mapping[str, pa.Table]) -> WorkerMessage:
        """The lines of open answers with their cells: by now, or before the step that ended at a tick."""
        state, wanted = self.engine.state, self.engine.wanted
        if before is not None:
            state = next(each.before for each in self._keeper.steps if each.after.now == before)
            wanted = replace(wanted, explained=True)
        lines = kernel.open_answers(self.engine.plan, state, query, wanted)
        return WorkerMessage(FactsJudged().carrying({query: lines}, {}, state.values))

    def begin_anew(self, tick: int, _: Mapping[str, pa.Table]) -> WorkerMessage:
        self.engine.begin_anew(tick)
        return WorkerMessage(None)

    def answers(self, query: str, _: Mapping[str, pa.Table]) -> WorkerMessage:
        return WorkerMessage(None, {query: self.engine.answers(query)})

    def to_bytes(self, _: Mapping[str, pa.Table]) -> WorkerMessage:
        return WorkerMessage(self.engine.to_bytes())

    def status(self, _: Mapping[str, pa.Table]) -> WorkerMessage:
        """The status of the part; values of the background are seen by all, and each is one worker's own."""
        assert self._in_part is not None
        state = self.engine.state
        seen = (self._in_part(each.cells, state.values) for each in state.observed.seen.values())
        return WorkerMessage(replace(self.engine.status, seen_values=sum(int(own.sum()) for own in seen)))

    def scored(self, _: Mapping[str, pa.Table]) -> WorkerMessage:
        return WorkerMessage(self.engine.scored)

    def left_out(self, _: Mapping[str, pa.Table]) -> WorkerMessage:
        return WorkerMessage(None, {"": self.engine.left_out})


def main(connection: socket.socket | None = None) -> None:
    """Does what comes through a connection, or through standard input."""
    channel = Channel(connection or socket.socket(fileno=0))
    os.dup2(2, 1)  # what functions of users print goes to standard error
    pa.set_cpu_count(1)
    worker: Worker | None = None
    while (asked := channel.receive()) is not None:
        try:
            if worker is None:
                worker = Worker(asked.said)
            else:
                channel.send(worker.do(asked.said, asked.tables))
        except Exception as error:  # it is raised where the run is, as if all were one process
            channel.send(WorkerMessage(error))
            return
