"""An engine whose facts are divided among workers, by the key of the program.

It reads, cuts and merges; the workers do the rest. Each gets the facts of its values of the key at each step,
and reports its answers, which are put into one order. While they compute, the next rows are read.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any, BinaryIO, NoReturn, Protocol, cast

import numpy as np
import pyarrow as pa

from antelog.accounts import Counts
from antelog.arrow.ticks import Moment
from antelog.compile.nodes.plan import to_json
from antelog.engine import kernel
from antelog.engine.columns.tables import Column
from antelog.engine.dividing import key_columns, parts_of
from antelog.engine.facts.frames import Frame
from antelog.engine.state import begun
from antelog.engine.step.schema import united
from antelog.engine.step.wording import ordered
from antelog.errors import AntelogError, FunctionError, UnsupportedError, WorkerError
from antelog.files import ARRIVAL
from antelog.forecast.scores.scores import Scores
from antelog.functions import UserFunction, file_of
from antelog.process import LEARN, Engine, Planned, functions_of
from antelog.run.driver import MOST_LINES, ChangeView, Judged
from antelog.run.sinks.json_lines import Style
from antelog.run.sinks.result import StepResult
from antelog.run.waiting import DueRows
from antelog.run.workers.channel import Channel, WorkerMessage
from antelog.run.workers.worker import REJECTS, FunctionSource, Order, Setup

AUTO = "auto"
_AHEAD = 1  # steps that workers have been given beyond the one that is waited for


def engine_for(program: Planned, workers: int | str, say: Callable[[str], object], **options: Any) -> Engine:
    """The engine of a program with so many workers, or with one if it cannot be divided, and says why."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = count if workers == AUTO else int(workers)
    plan = program.plan
    why = plan.key.why_not
    if options.get("learn") or options.get("model") == LEARN:
        why = "what is learned while it runs is learned of all facts together"
    if count > 1 and why is not None:
        if workers != AUTO:
            say(f"one worker runs all of it: {why}")
        count = 1
    options["arrival"] = ARRIVAL
    return Engine(program, **options) if count == 1 else DividedEngine(program, count, **options)


class Process(Protocol):
    """A worker, as a run knows it."""

    def send(self, message: WorkerMessage) -> None: ...
    def receive(self) -> WorkerMessage:
        """The next answer. Raises what the worker raised, or WorkerError if it has ended."""

    def end(self) -> None: ...


class ChildProcess(Process):
    """A worker in a process of its own."""

    def __init__(self, setup: Setup) -> None:
        # A session of its own: an interrupt of the terminal is for this process, which ends its workers.
        self._process = Popen(
            [sys.executable, "-P", "-c", "from antelog.run.workers.worker import main; main()"],
            stdin=PIPE, stdout=PIPE, start_new_session=True,
            env={"MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1", **os.environ},
        )  # fmt: skip
        pipes = cast("BinaryIO", self._process.stdout), cast("BinaryIO", self._process.stdin)
        self._channel = Channel(*pipes)
        self.send(WorkerMessage(setup))

    @property
    def number(self) -> int:
        return self._process.pid

    def send(self, message: WorkerMessage) -> None:
        self._channel.send(message)

    def receive(self) -> WorkerMessage:
        message = self._channel.receive()
        if message is None:
            code = self._process.wait()
            ended = f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"
            raise WorkerError(
                f"a worker {ended}, and the run with it. Is memory short? Fewer workers take less"
            )
        if isinstance(message.said, Exception):
            raise message.said
        return message

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._channel.close()


def _end(workers: Sequence[Process]) -> None:
    for each in workers:
        each.end()


@dataclass(frozen=True)
class _Handed:
    """A step that workers have been given: the rows of each part, by input; are its lines written?"""

    rows: Mapping[str, Sequence[Column]]
    written: bool


class DividedEngine(Engine):
    """An engine whose rules are run by workers, each for some values of the key.

    It has no facts itself, so it cannot say `why`, nor be saved. Its workers end once nobody needs it.
    """

    def __init__(self, program: Planned, workers: int, **options: Any) -> None:
        for name, what in (("limit", "a limit of facts"), ("most", "the likeliest of all answers")):
            if options.get(name) is not None:
                raise UnsupportedError(
                    f"{what} needs all of them in one place: leave out `{name}`, or `workers`"
                )
        super().__init__(program, **options)
        functions = [_place(name, each) for name, each in functions_of(program).items()]
        model = options.get("model")
        given = options | {"static": self._given, "keep_rejects": 0}
        given["model"] = getattr(model, "to_bytes", lambda: model)()
        setup = Setup(to_json(self.plan), 0, workers, tuple(sys.path), functions, given)
        self.workers: list[Process] = [ChildProcess(replace(setup, part=part)) for part in range(workers)]
        self._finalizer = weakref.finalize(self, _end, self.workers)
        self._columns = key_columns(self.plan)
        self._handed: deque[_Handed] = deque()
        self._came: deque[list[WorkerMessage]] = deque()  # of the first steps that were handed over

    def close(self) -> None:
        """Ends the workers."""
        self._finalizer()

    # ---- steps ----

    def advance(
        self, now: Moment, facts: Mapping[str, Frame] | None = None, *_: object, **__: object
    ) -> dict[str, pa.Table]:
        assert isinstance(now, int)
        self.begin_step(now, facts or {})
        return self.taken()

    def begin_step(self, now: int, facts: Mapping[str, pa.Table], style: Style | None = None) -> None:
        """Gives workers a step, of which `taken` has the changes: with a style as lines that are written."""
        if self._state.begin is None:
            _, batch = kernel.admitted(self.plan, self._state, facts, now, arrival=ARRIVAL)
            self._state = begun(self.plan, self._state, batch.facts)
        self._state = replace(self._state, now=now)
        rows = {name: self._divided(name, table) for name, table in facts.items()}
        order = Order("advance", (now, self._state.begin, style))
        for part, worker in enumerate(self.workers):
            mine = {name: table.take(pa.array(rows[name][part])) for name, table in facts.items()}
            worker.send(WorkerMessage(order, mine))
        self._handed.append(_Handed(rows, written=style is not None))

    def _divided(self, name: str, table: pa.Table) -> list[Column]:
        """The rows of each part; what has no part is for the first, which says what is wrong with it."""
        count, column = len(self.workers), self._columns[name]
        source = next(each for each in self.plan.inputs if each.name == name)
        part = np.zeros(table.num_rows, np.int64)
        if column is not None:
            spelled = dict(zip(source.columns, source.types, strict=False)).get(column) == "text"
            with suppress(TypeError):
                part = parts_of(table.column(column), count, spelled=spelled)
        return [np.flatnonzero(part == each) for each in range(count)]

    def taken(self) -> dict[str, pa.Table]:
        """The changes of the first step that was handed over, once all workers have taken it."""
        found = self._came.popleft() if self._came else self._received()
        handed = self._handed.popleft()
        said = [message.said for message in found]
        self._counts = {name: sum((each.counts[name] for each in said), Counts()) for name in self._counts}
        self._set_aside(handed, found)
        self._note({note for each in said for note in each.notes})
        return self._merged(found, written=handed.written)

    def _set_aside(self, handed: _Handed, found: Sequence[WorkerMessage]) -> None:
        """Puts the rejects of all parts into the order of their inputs and rows."""
        table = pa.concat_tables([message.tables[REJECTS] for message in found])
        inputs = iter(table.column("input").to_pylist())
        places = [
            int(handed.rows[next(inputs)][part][row])
            for part, message in enumerate(found)
            for row in message.said.rows
        ]
        names = [each.name for each in self.plan.inputs]
        of_input = [names.index(name) for name in table.column("input").to_pylist()]
        order = np.lexsort((np.array(places, np.int64), np.array(of_input, np.int64)))
        table = table.take(pa.array(order))
        if table.num_rows:
            self._rejects = [self._kept(pa.concat_tables([*self._rejects, table]))]
        self._last_rejects = (table, np.array(places, np.int64)[order])

    def _received(self) -> list[WorkerMessage]:
        return [worker.receive() for worker in self.workers]

    def _merged(self, found: Sequence[WorkerMessage], *, written: bool = False) -> dict[str, pa.Table]:
        tables = {}
        for query in self.plan.queries:
            if query.name in found[0].tables:
                table = united([message.tables[query.name] for message in found])
                tables[query.name] = table if written else ordered(table, query.answer.names)
        return tables

    # ---- questions ----

    def _asked(self, name: str, *arguments: object) -> list[WorkerMessage]:
        """The answers of all workers, after the steps that they have been given."""
        while len(self._came) < len(self._handed):
            self._came.append(self._received())
        for worker in self.workers:
            worker.send(WorkerMessage(Order(name, arguments)))
        return self._received()

    def begin_anew(self, tick: int) -> None:
        super().begin_anew(tick)
        self._asked("begin_anew", tick)

    def answers(self, query: str) -> pa.Table:
        name = self._query(query).name
        return self._merged(self._asked("answers", name))[name]

    @property
    def scored(self) -> dict[str, Scores]:
        first, *others = (message.said for message in self._asked("scored"))
        return {name: sum((each[name] for each in others), scores) for name, scores in first.items()}

    @property
    def left_out(self) -> pa.Table:
        parts = pa.concat_tables([message.tables[REJECTS] for message in self._asked("left_out")])
        sums = parts.group_by("query", use_threads=False).aggregate([("lines", "sum"), ("chances", "sum")])
        return sums.rename_columns(["query", "lines", "chances"])

    def _needs_facts(self, *_: object, **__: object) -> NoReturn:
        message = "what this engine is asked needs its facts, which are with its workers: leave out `workers`"
        raise UnsupportedError(message)

    status = saved = property(_needs_facts)
    to_bytes = why = change_rules = _needs_facts


def _place(called: str, given: UserFunction) -> FunctionSource:
    """Where workers find a function. Raises FunctionError if it is nowhere but in this process."""
    module, name = given.code.__module__, given.code.__qualname__
    there = getattr(sys.modules.get(module), name, None)
    if module != "__main__" and getattr(there, "code", there) is given.code:
        return FunctionSource(called, module, name, is_file=False, takes=given.takes)
    file = file_of(given)
    if module != "__main__" and module not in sys.modules and file is not None and Path(file).is_file():
        return FunctionSource(called, file, called, is_file=True, takes=given.takes)
    raise FunctionError(
        f"{called} is in this process alone, and workers cannot find it: write it in a file of its own, and "
        'give that, as in `functions="places.py"`'
    )


# ---- steps, one ahead ----


@dataclass(frozen=True)
class _Step:
    batch: DueRows
    judged: Judged


class AheadView(ChangeView):
    """Hands the next rows to workers before it shows what came of those before."""

    def __init__(self, engine: DividedEngine, most: int = MOST_LINES, style: Style | None = None) -> None:
        super().__init__(most)
        self._engine, self._style = engine, style
        threads = ThreadPoolExecutor(len(engine.workers))  # which check what is read
        self.mapped = threads.map
        self._queue: deque[_Step | Callable[[], object]] = deque()

    def steps(self, _: Engine, batch: DueRows, judged: Judged) -> Iterator[StepResult]:
        self._engine.begin_step(batch.now, batch.facts, self._style)
        self._queue.append(_Step(batch, judged))
        yield from self._all_but(_AHEAD)

    def rest(self, engine: Engine, end: int) -> Iterator[StepResult]:
        if end > engine.now:
            yield from self.steps(engine, DueRows(end, {}), lambda _: None)
        yield from self.outstanding()

    def outstanding(self) -> Iterator[StepResult]:
        return self._all_but(0)

    def in_turn(self, act: Callable[[], object], /) -> None:
        self._queue.append(act)
        for _ in self._all_but(len(self._queue)):
            pass  # there is no step before it

    def _all_but(self, last: int) -> Iterator[StepResult]:
        """Yields the first steps, until so many are left, and does between them what has to be done then."""
        while self._queue:
            first = self._queue[0]
            if isinstance(first, _Step) and sum(isinstance(each, _Step) for each in self._queue) <= last:
                return
            self._queue.popleft()
            try:
                result = self._taken(first) if isinstance(first, _Step) else first()
            except AntelogError:
                self._queue.clear()  # nothing comes after it
                raise
            if isinstance(result, StepResult):
                yield result

    def _taken(self, step: _Step) -> StepResult:
        tables = self._engine.taken()
        step.judged(step.batch)
        return StepResult(step.batch.now, tables)


def view_for(engine: Engine, most: int = MOST_LINES, style: Style | None = None) -> ChangeView:
    """Shows the changes of steps, those of workers with lines that they have written in a style."""
    return AheadView(engine, most, style) if isinstance(engine, DividedEngine) else ChangeView(most)
