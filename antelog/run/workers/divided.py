"""An engine whose facts are divided among workers, by the key of the program.

It reads, cuts and merges; the workers do the rest. Each gets the facts of its values of the key at each step,
and reports its answers, which are put into one order. While they compute, the next rows are read.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.types as is_a

from antelog.accounts import Counts
from antelog.arrow.ticks import Moment
from antelog.engine import dividing, kernel, saving
from antelog.engine.columns.tables import Column
from antelog.engine.dividing import key_columns, merged, parts_of
from antelog.engine.facts.frames import Frame
from antelog.engine.state import State, begun, start
from antelog.engine.step.lines import Lines, as_they_stand
from antelog.engine.step.schema import united
from antelog.engine.step.wording import log_order
from antelog.engine.values.functions import FailedCall
from antelog.engine.values.values import Values
from antelog.errors import AntelogError, FunctionError, UnsupportedError, WorkerError
from antelog.files import ARRIVAL
from antelog.forecast.scores.scores import Scores
from antelog.functions import UserFunction, file_of
from antelog.process import LEARN, Engine, Planned, Status, functions_of, of_kinds
from antelog.run.driver import MOST_LINES, ChangeView, Judged
from antelog.run.sinks.json_lines import Style
from antelog.run.sinks.result import StepResult
from antelog.run.waiting import DueRows
from antelog.run.workers.channel import CAN_SHARE, Channel, WorkerMessage
from antelog.run.workers.unjudged import put_together
from antelog.run.workers.worker import CALLS, REJECTS, FunctionSource, Order, Setup, main

AUTO = "auto"
Found = TypeVar("Found")
_AND_THE_RUN = ", and the run with it. Is memory short? Fewer workers take less"
_OFTEN = 8  # the times that texts occur in a step for which a dictionary is worth it, on average
_AHEAD = 1


def engine_for(program: Planned, workers: int | str, say: Callable[[str], object], **options: Any) -> Engine:
    """The engine of a program with so many workers, or with one if it cannot be divided, and says why."""
    judges = options.get("learn") or options.get("model") == LEARN or options.get("most") is not None
    return divided(Engine(program, **options | {"arrival": ARRIVAL}), workers, say, judges=bool(judges))


def divided(
    engine: Engine,
    workers: int | str,
    say: Callable[[str], object],
    again: Callable[[], Engine | None] = lambda: None,
    *,
    judges: bool = True,
) -> Engine:
    """An engine that goes on from another with so many workers, or that one itself, and says why."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count, why = count if workers == AUTO else int(workers), engine.plan.key.why_not
    judges = judges and engine.forecasts
    if judges and engine.plan.has_sight:
        why = "chances of what may be lost from sight, with `every`, rest on all facts together"
    if not CAN_SHARE:
        why = "on this system processes cannot share memory"
    if count > 1 and why is not None:
        if workers != AUTO:
            say(f"one worker runs all of it: {why}")
        count = 1
    while engine.notes:
        say(engine.notes.pop(0))
    return engine if count == 1 else DividedEngine(engine, count, judges, again, say)


class ChildProcess:
    """A worker in a process of its own."""

    def __init__(self, setup: Setup) -> None:
        ours, theirs = socket.socketpair()
        begin = _forked if sys.platform == "linux" and threading.active_count() == 1 else _spawned
        with theirs:
            self.number = begin(ours, theirs)
        self._code: int | None = None  # with which it ended
        self._channel = Channel(ours)
        self.send(WorkerMessage(setup))

    def send(self, message: WorkerMessage) -> None:
        self._channel.send(message)

    def receive(self) -> WorkerMessage:
        """The next answer. Raises what the worker raised, or WorkerError if it has ended."""
        message = self._channel.receive()
        if message is None:
            code = self._ended()
            ended = f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"
            raise WorkerError(f"a worker {ended}{_AND_THE_RUN}")
        if isinstance(message.said, Exception):
            raise message.said
        return message

    def end(self) -> None:
        if self._code is None:
            os.kill(self.number, signal.SIGKILL)
            self._ended()
        self._channel.close()

    def _ended(self) -> int:
        self._code = os.waitstatus_to_exitcode(os.waitpid(self.number, 0)[1])
        return self._code


def _forked(ours: socket.socket, theirs: socket.socket) -> int:
    """Starts a worker that has all modules already: half a second less, but safe only without threads."""
    sys.stdout.flush()
    sys.stderr.flush()
    number = os.fork()
    if number == 0:
        try:
            ours.close()
            gc.freeze()  # the finalizers of this process are not the worker's
            os.setsid()
            for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(each, signal.SIG_DFL)
            main(theirs)
        finally:
            os._exit(1)
    return number


def _spawned(_: socket.socket, theirs: socket.socket) -> int:
    # A session of its own: an interrupt of the terminal is for this process, which ends its workers.
    return os.posix_spawn(
        sys.executable,
        [sys.executable, "-P", "-c", "from antelog.run.workers.worker import main; main()"],
        {"MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1", **os.environ},
        file_actions=[(os.POSIX_SPAWN_DUP2, theirs.fileno(), 0)],
        setsid=True,
    )


def _end(workers: Sequence[ChildProcess]) -> None:
    for each in workers:
        each.end()


@dataclass(frozen=True)
class _Handed:
    """A step that workers have been given, with the rows of each part, by input; are its lines written?"""

    before: int
    now: int
    rows: Mapping[str, Sequence[Column]]
    written: bool


class DividedEngine(Engine):
    """An engine whose rules are run by workers, each for some values of the key.

    It goes on from another engine, whose facts are divided, and `judges` itself how likely answers are, or
    else workers do. They end once nobody needs them. If one of them dies, all go on from the engine that
    `again` finds, or the run ends.
    """

    def __init__(
        self,
        whole: Engine,
        workers: int,
        judges: bool,
        again: Callable[[], Engine | None],
        say: Callable[[str], object],
    ) -> None:
        vars(self).update(vars(whole))
        if self._limit is not None:
            message = "a limit of facts needs all of them in one place: leave out `limit`, or `workers`"
            raise UnsupportedError(message)
        functions = [_place(name, each) for name, each in functions_of(self._program).items()]
        options = replace(self._options, keep_rejects=0, most_failed=1.0)
        least = None if self._forecaster is None or judges else self._forecaster.limits.min_chance
        self._setup = Setup(b"", 0, workers, tuple(sys.path), functions, options, least, judges)
        self._judges, self._again, self._say = judges, again, say
        self._last = DueRows(self.now, {})
        self.style: Style | None = None  # of lines that workers write, if these are all that is wanted
        self._columns = key_columns(self.plan)
        self._begin_workers(whole)

    def _begin_workers(self, whole: Engine) -> None:
        """Starts workers with the parts of an engine."""
        count, saved, functions = self._setup.count, whole.saved, functions_of(self._program)
        chances = {} if self._judges else saved.forecast
        parts = (replace(each, forecast=chances) for each in dividing.divided(saved, count, functions))
        empty = start(self.plan, self._given, functions=functions)
        empty.values.functions.most_failed = self._options.most_failed
        self._state = replace(empty, now=whole.now, begin=whole.state.begin)
        self._forecaster = whole._forecaster
        self.workers: list[ChildProcess] = [
            ChildProcess(replace(self._setup, part=part, state=saving.to_bytes(each)))
            for part, each in enumerate(parts)
        ]
        self._finalizer = weakref.finalize(self, _end, self.workers)
        self._handed = deque[_Handed]()
        self.weight = 0  # of the lines of the last step that was taken
        self._came = deque[list[WorkerMessage]]()  # of the first steps that were handed over

    def _outliving(self, act: Callable[[], Found]) -> Found:
        """Does what needs the workers; if one of them has died, all go on from the state of the run, once."""
        now = self.now
        try:
            return act()
        except WorkerError as error:
            whole = self._again()
            if whole is not None and whole.now < now == self._last.now:
                whole.advance(now, self._last.rows)  # the step that is being saved
            if whole is None or whole.now != now:
                raise
            self._say(f"{str(error).removesuffix(_AND_THE_RUN)}: all workers go on from the state of the run")
        self._finalizer()
        self._begin_workers(whole)
        return act()

    # ---- steps ----

    def advance(
        self, now: Moment, facts: Mapping[str, Frame] | None = None, *_: object, **__: object
    ) -> dict[str, pa.Table]:
        assert isinstance(now, int)
        given = DueRows(now, facts or {})

        def act() -> dict[str, pa.Table]:
            self.begin_step(now, given.rows, self.style)
            return self.taken()

        found = self._outliving(act)
        self._last = given
        return found

    def begin_step(self, now: int, facts: Mapping[str, pa.Table], style: Style | None = None) -> None:
        """Gives workers a step, of which `taken` has the changes: with a style as lines that are written."""
        if self._state.begin is None:
            _, batch = kernel.admitted(self.plan, self._state, facts, now, arrival=ARRIVAL)
            self._state = begun(self.plan, self._state, batch.facts)
        before, self._state = self.now, replace(self._state, now=now)
        facts = {name: _with_dictionaries(table) for name, table in facts.items()}
        rows = {name: self._divided(name, table) for name, table in facts.items()}
        order = Order("advance", (now, self._state.begin, style))
        if self._judges:
            order, style = Order("take_unjudged", (now, self._state.begin)), None
        for part, worker in enumerate(self.workers):
            mine = {name: table.take(pa.array(rows[name][part])) for name, table in facts.items()}
            worker.send(WorkerMessage(order, mine))
        self._handed.append(_Handed(before, now, rows, written=style is not None))

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
        self.weight = sum(each.weight for each in said)
        self._counts = {name: sum((each.counts[name] for each in said), Counts()) for name in self._counts}
        self._judge_calls(found)
        self._put_aside(handed, found)
        self._note({note for each in said for note in each.notes})
        return self._judged(handed, found) if self._judges else self._merged(found, written=handed.written)

    def _judged(self, handed: _Handed, found: Sequence[WorkerMessage]) -> dict[str, pa.Table]:
        """The changes of a step with their chances."""
        before = self._state_at(handed.before)
        changes, facts = put_together(self.plan, [each.said for each in found], before.values)
        earlier = partial(self._open_lines, values=before.values, before=handed.now)
        step = kernel.FinishedStep(before, replace(before, now=handed.now), facts, changes, earlier)
        self._forecaster, log = self.forecaster.advanced(step)
        only = self._options.only
        return {name: self._finished(name, of_kinds(table, only)) for name, table in log.items()}

    def _open_lines(self, query: str, *, values: Values, before: int | None = None) -> Lines:
        """The lines of open answers: by now, or before the step that ended at a tick."""
        said = [each.said for each in self._asked("open_lines", query, before)]
        return put_together(self.plan, said, values)[0][query]

    def _state_at(self, now: int) -> State:
        """The state here after a tick: with the background, without facts, and with values of its own."""
        return replace(self._state, now=now, values=self._state.values.retain()[0])

    def _judge_calls(self, found: Sequence[WorkerMessage]) -> None:
        """Counts the calls of all parts. Raises FunctionError if too many have failed."""
        functions = self._state.values.functions
        functions.begin_step()
        for message in found:
            calls = message.tables[CALLS].select(["input", "values", "detail"]).to_pylist()
            failed = (FailedCall(*each.values()) for each in calls)
            functions.count(message.said.calls, message.said.failed, failed)
        functions.check()

    def _put_aside(self, handed: _Handed, found: Sequence[WorkerMessage]) -> None:
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
        self._set_aside(table.take(pa.array(order)), np.array(places, np.int64)[order])

    def _received(self) -> list[WorkerMessage]:
        return [worker.receive() for worker in self.workers]

    def _merged(self, found: Sequence[WorkerMessage], *, written: bool = False) -> dict[str, pa.Table]:
        tables = {}
        for query in self.plan.queries:
            if query.name in found[0].tables:
                table = united([message.tables[query.name] for message in found])
                order = None if written else log_order(table, query)
                tables[query.name] = table if order is None else table.take(order)
        return tables

    # ---- questions ----

    def _asked(self, name: str, *arguments: object) -> list[WorkerMessage]:
        """The answers of all workers, after the steps that they have been given."""

        def ask() -> list[WorkerMessage]:
            while len(self._came) < len(self._handed):
                self._came.append(self._received())
            for worker in self.workers:
                worker.send(WorkerMessage(Order(name, arguments)))
            return self._received()

        return self._outliving(ask)

    def begin_anew(self, tick: int) -> None:
        super().begin_anew(tick)
        self._asked("begin_anew", tick)

    def answers(self, query: str) -> pa.Table:
        name = self._query(query).name
        if not self._judges:
            return self._merged(self._asked("answers", name))[name]
        state = self._state_at(self.now)
        lines = self._open_lines(name, values=state.values)
        return self._finished(name, as_they_stand(self.forecaster.open_answers(name, lines, state)))

    @property
    def scored(self) -> dict[str, Scores]:
        if self._judges:
            return self.forecaster.scores()
        first, *others = (message.said for message in self._asked("scored"))
        return {name: sum((each[name] for each in others), scores) for name, scores in first.items()}

    @property
    def left_out(self) -> pa.Table:
        if self._judges:
            return self.forecaster.left_out_table()
        parts = pa.concat_tables([message.tables[REJECTS] for message in self._asked("left_out")])
        sums = parts.group_by("query", use_threads=False).aggregate([("lines", "sum"), ("chances", "sum")])
        return sums.rename_columns(["query", "lines", "chances"])

    @property
    def status(self) -> Status:
        first, *others = (message.said for message in self._asked("status"))
        found: Status = sum(others, first)
        return found

    @property
    def whole(self) -> Engine:
        """An engine with the facts of all workers, after the steps that they have been given."""
        if self.forecasts and not self._judges:
            self._refuse()
        functions = functions_of(self._program)
        saved = [message.said for message in self._asked("to_bytes")]
        parts = [saving.from_bytes(each, program=self.plan, functions=functions) for each in saved]
        found = Engine.of_saved(merged(dict(enumerate(parts)), len(parts), functions), self._options)
        found._program, found._rejects, found._forecaster = self._program, self._rejects, self._forecaster
        if found.state.begin is None and self._state.begin is not None:
            found.begin_at(self._state.begin)
        return found

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        message = "what this engine is asked needs all in one place, not with workers: leave out `workers`"
        raise UnsupportedError(message)

    change_rules = _refuse


def _with_dictionaries(table: pa.Table) -> pa.Table:
    """Facts with each text once, if most occur in several: so they are divided, sent and taken faster."""
    for at, column in enumerate(table.columns):
        if is_a.is_string(column.type):
            found = column.combine_chunks().dictionary_encode()
            if len(found.dictionary) * _OFTEN < len(found):
                table = table.set_column(at, table.schema.field(at).name, found)
    return table


def _place(called: str, given: UserFunction) -> FunctionSource:
    """Where workers find a function. Raises FunctionError if it is nowhere but in this process."""
    module, name = given.code.__module__, given.code.__qualname__
    there = getattr(sys.modules.get(module), name, None)
    if module != "__main__" and getattr(there, "code", there) is given.code:
        return FunctionSource(called, module, name, is_file=False, takes=given.takes)
    file = file_of(given)
    if module != "__main__" and module not in sys.modules and file is not None and Path(file).is_file():
        return FunctionSource(called, file, called, is_file=True, takes=given.takes)
    raise FunctionError.of("workers.function", called=called)


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
        self._rows.popleft()
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
        self._weighed(step.batch.count, self._engine.weight)
        step.judged(step.batch)
        return StepResult(step.batch.now, tables)


def view_for(engine: Engine, most: int = MOST_LINES, style: Style | None = None) -> ChangeView:
    """Shows the changes of steps, those of workers with lines that they have written in a style."""
    return AheadView(engine, most, style) if isinstance(engine, DividedEngine) else ChangeView(most)
