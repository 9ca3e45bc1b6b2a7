"""The public engine: runs a program over facts, with or without chances."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from os import PathLike
from typing import TYPE_CHECKING, Protocol, Self, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog import given, writing
from antelog.accounts import Counts
from antelog.arrow.ticks import InTicks, Moment, tick_of
from antelog.compile.meanings import compared
from antelog.compile.nodes.plan import Plan, Relation
from antelog.engine import fact_limit, kernel, saving
from antelog.engine.carried import Dropped, dropped_table
from antelog.engine.columns import joins
from antelog.engine.columns.tables import Column
from antelog.engine.facts.admission import check_use
from antelog.engine.facts.frames import Frame, renamed, static_rows
from antelog.engine.facts.rejects import none, of_calls
from antelog.engine.state import Given, State, beginning, start
from antelog.engine.step.lines import as_they_stand
from antelog.engine.step.query import LineSelection, Share
from antelog.engine.step.schema import DIGITS, as_doubles, united
from antelog.engine.step.wording import finished, needs_explanations
from antelog.engine.transition import RuleChange, transition
from antelog.engine.values.functions import MOST_FAILED
from antelog.errors import DataError, DataWarning, UnsupportedError
from antelog.forecast.columns import EPOCH, HALF_LIFE, KINDS
from antelog.functions import UserFunction, not_given
from antelog.language.checks.suggestions import require_known
from antelog.lines import LITERALS, STRUCTS, TEXT_LITERALS, with_structs

if TYPE_CHECKING:
    from antelog.forecast.forecaster import ModelForecaster
    from antelog.forecast.model_file import Model
    from antelog.forecast.scores.scores import Scores
    from antelog.program import Program
    from antelog.why import WhyAnswer

KEPT_REJECTS = 100_000

_PARTS = 64  # fewer tables than this are not worth joining
_CALLER = 4  # the stack level of the line that made the engine or called `advance`, above checks of arguments

_LOST = "is beyond all doubles, which end at about 1.8e308: there the comparison is false"
_ROUNDED = (
    "has whole numbers beyond 2^53, of which its doubles are the nearest. JSON lines have them exactly, "
    "and so has a column whose values all come from columns declared as `integer`"
)

LEARN = "learn"  # the model that is learned while an engine runs

_OPTIONS = {
    "only": given.optional(given.TEXTS),
    "explanations": given.optional(given.NATURAL),
    "literals": given.one_of(*LITERALS),
    "arrival": given.TEXT,
    "keep_rejects": given.NATURAL,
    "most_failed": given.NUMBER,
    "min_chance": given.optional(given.NUMBER),
    "most": given.optional(given.WHOLE),
}
"""Options of a new engine and of a restored one."""


class Planned(Protocol):
    @property
    def plan(self) -> Plan: ...


def plan_of(program: Planned) -> Plan:
    """The plan of a program; ArgumentError for anything else, such as the path or the text of one."""
    plan = getattr(program, "plan", None)
    if not isinstance(plan, Plan):
        raise given.wrong("the program", program, "what `antelog.load(path)` or `antelog.parse(text)` makes")
    return plan


def functions_of(program: Planned | None) -> Mapping[str, UserFunction]:
    """The functions of a program. Raises FunctionError if one that it calls is missing."""
    found: Mapping[str, UserFunction] = getattr(program, "functions", {})
    missing = () if program is None else [f.name for f in program.plan.functions if f.name not in found]
    if missing:
        raise not_given(missing)
    return found


def _known(program: Planned | None) -> Mapping[str, UserFunction]:
    """The functions that a program has, whichever of them it calls."""
    if program is not None:
        plan_of(program)
    found: Mapping[str, UserFunction] = getattr(program, "functions", {})
    return found


@dataclass(frozen=True)
class Status:
    """An engine at a glance; `dropped` facts were admitted, unguarded variables have `seen_values`."""

    now: int
    counts: Counts
    dropped: int
    open_answers: Mapping[str, int]
    state_rows: int
    state_bytes: int
    seen_values: int

    def __add__(self, other: Status) -> Status:
        """Adds the status of an engine with other facts, which has finished the same ticks."""
        names = [each.name for each in fields(Status) if each.name not in ("now", "open_answers")]
        summed = {name: getattr(self, name) + getattr(other, name) for name in names}
        opened = {name: count + other.open_answers[name] for name, count in self.open_answers.items()}
        return replace(self, **summed, open_answers=opened)


@dataclass(frozen=True)
class EngineOptions:
    """Options of new and restored engines; `only` has kinds of changes, `budget` the bytes of a table."""

    only: tuple[str, ...]
    arrival: str = "arrival"
    keep_rejects: int = KEPT_REJECTS
    explanations: int | None = None
    literals: str = TEXT_LITERALS
    most_failed: float = MOST_FAILED
    budget: int = joins.BUDGET


class Engine:
    """Runs a program over facts that arrive late and out of order.

    Args:
        program: the program to run
        model: how likely open answers are: a Model or the path of one, or "learn" to learn while running.
            What the program declares itself (`chance`) needs no model
        learn: whether to go on learning with a given model
        epoch: the ticks whose facts are counted together where a chance is declared of an input with one
            fact at a time
        half_life: after this many ticks what was learned counts half in the slowest memory; None: never
        min_chance: lines of open answers with a smaller chance are left out
        most: of each query and tick, lines of this many open answers, the likeliest; others are left out
        only: the kinds of changes to report; all by default
        explanations: at most so many explanations in a line, the smallest first; all by default. With 0 there
            are none, nor a `because`, and a step takes less time
        literals: whether lines have their literals as "text" or as "structs", which say the predicate, the
            arguments and the ticks of each: see `antelog.lines.LITERAL`
        static: background facts in addition to those of the program, as frames or lists of tuples
        arrival: the name of the column of arrivals in frames
        limit: keep at most this many facts. When more of them matter, those about the oldest ticks are
            dropped: see `dropped`, and `antelog.engine.fact_limit` for what still holds then
        keep_rejects: how many of the latest rejects are kept; all are counted
        most_failed: the share of a step's calls of functions that may raise; 100 may, unless it is 0. What is
            more raises FunctionError
        budget: about how many bytes a table within a step may take; steps are cut so that it suffices,
            and where a single answer needs more, `advance` raises DataError
        judges: the judges that have a say in a chance, of "model", "outcomes" and "linear"; all by default
    """

    @given.checked(
        **_OPTIONS,
        model=given.optional(given.MODEL),
        learn=given.FLAG,
        epoch=given.WHOLE,
        half_life=given.optional(given.LENGTH),
        judges=given.optional(given.TEXTS),
        static=given.optional(given.NAMED),
        limit=given.optional(given.WHOLE),
        budget=given.POSITIVE,
    )
    def __init__(
        self,
        program: Planned,
        *,
        model: Model | str | PathLike[str] | None = None,
        learn: bool = False,
        epoch: int = EPOCH,
        half_life: float | None = HALF_LIFE,
        min_chance: float | None = None,
        most: int | None = None,
        only: Sequence[str] | None = None,
        explanations: int | None = None,
        literals: str = TEXT_LITERALS,
        static: Mapping[str, Frame] | None = None,
        arrival: str = "arrival",
        limit: int | None = None,
        keep_rejects: int = KEPT_REJECTS,
        most_failed: float = MOST_FAILED,
        budget: int = joins.BUDGET,
        judges: Sequence[str] | None = None,
    ) -> None:
        plan = plan_of(program)
        judges = None if judges is None else tuple(judges)
        forecaster = None
        if model is not None or learn or plan.declares_chances:
            from antelog.forecast.forecaster import ModelForecaster  # noqa: PLC0415 - few forecast
            from antelog.forecast.lines import Limits  # noqa: PLC0415 - few forecast
            from antelog.forecast.rates.learning import Learning  # noqa: PLC0415 - few forecast

            learning = Learning(learn or model == LEARN, half_life, judges, epoch)
            given_model = None if model == LEARN else model
            forecaster = ModelForecaster.start(plan, given_model, learning, Limits(min_chance, most))
        elif (min_chance, most, judges) != (None, None, None):
            raise UnsupportedError(_NO_MODEL)
        if limit is not None and limit < 1:
            raise DataError(f"the limit is {limit}, but at least one fact has to be kept")
        reason = None if limit is None else fact_limit.cannot_limit(plan)
        if reason is not None:
            raise UnsupportedError(f"this program cannot have a limit: {reason}")
        kept = arrival, keep_rejects, explanations, literals, most_failed, budget
        options = EngineOptions(_kinds(only), *kept)
        rows = static_rows(plan, static or {})
        begun = start(plan, rows, functions=functions_of(program))
        self._begin(saving.SavedEngine(plan, begun, rows, {}, {}, limit), options, forecaster)
        self._program: Planned | None = program
        self._note(set() if forecaster is None else {*forecaster.notes})
        self._warn()

    def _begin(
        self, saved: saving.SavedEngine, options: EngineOptions, forecaster: ModelForecaster | None
    ) -> None:
        self._plan, self._state, self._given = saved.plan, saved.state, saved.given
        self._counts = {source.name: saved.counts.get(source.name, Counts()) for source in saved.plan.inputs}
        self._dropped = dict(saved.dropped)
        self._limit = saved.limit
        self._options = options
        self._state.values.functions.most_failed = options.most_failed
        self._rejects = [none()]
        self._last_rejects = (none(), np.zeros(0, np.int64))
        self._forecaster = forecaster
        self._rule_change: RuleChange | None = None
        self.share: Share | None = None  # the answers that it reports; None: all
        self.notes: list[str] = []  # sentences about values, each once, for whoever reads the facts to say
        self._noted: set[str] = set()

    @classmethod
    @given.checked(
        source=given.either(given.PATH, given.BYTES),
        functions=given.optional(given.NAMED),
        max_bytes=given.POSITIVE,
        accept=given.FLAG,
        **_OPTIONS,
    )
    def restore(
        cls,
        source: str | PathLike[str] | bytes,
        program: Planned | None = None,
        *,
        functions: Mapping[str, UserFunction] | None = None,
        min_chance: float | None = None,
        most: int | None = None,
        only: Sequence[str] | None = None,
        explanations: int | None = None,
        literals: str = TEXT_LITERALS,
        arrival: str = "arrival",
        keep_rejects: int = KEPT_REJECTS,
        most_failed: float = MOST_FAILED,
        max_bytes: int = saving.MOST,
        accept: bool = False,
    ) -> Self:
        """The engine that was saved to a file, exported, or made into bytes by `to_bytes`.

        With `program`, only if it was running that one. Without, `functions` are those that its rules call.
        To `accept` another program than that goes on with its rules: queries that mean the same as if
        nothing had been changed, others with the facts that are kept. `rule_change` says how. Raises
        RulesChangedError if a program that is not accepted changes what a query means; StateError if the
        file is missing, damaged, or none that an engine has saved; or if it has more than `max_bytes` when
        it is unpacked, lest a small file fill the memory.
        """
        known, name = functions or _known(program), "the saved state"
        if isinstance(source, bytes | bytearray | memoryview):
            saved = saving.from_bytes(source, name, None, max_bytes, known)
        elif os.path.isdir(name := str(source)):  # noqa: PTH112 - of a name that no folder can have, too
            from antelog.engine import savepoint  # noqa: PLC0415 - few are read

            saved = savepoint.read(source, functions=known).engine
        else:
            saved = saving.restore(source, max_bytes, known)
        options = EngineOptions(_kinds(only), arrival, keep_rejects, explanations, literals, most_failed)
        restored = cls.of_saved(saved, options, min_chance, most)
        if program is not None:
            restored._offer(program, name, accept)
        return restored

    @given.checked(accept=given.FLAG, static=given.optional(given.NAMED))
    def change_rules(
        self, program: Planned, *, accept: bool = False, static: Mapping[str, Frame] | None = None
    ) -> RuleChange | None:
        """Go on with the rules of another program; says what becomes of each query, None if all are the same.

        Queries that mean the same go on as if nothing had been changed, others with the facts that are kept.
        `static` has background facts in place of those the engine was given. Raises RulesChangedError if a
        query means something else, unless that is to `accept`, and UnsupportedError if ticks are others.
        """
        return self._offer(program, "the engine", accept, static)

    def _offer(
        self, program: Planned, name: str, accept: bool, static: Mapping[str, Frame] | None = None
    ) -> RuleChange | None:
        """Switches to the rules of a program; errors call the state by this name."""
        old, plan, functions = self._plan, plan_of(program), functions_of(program)
        rows = _of_plan(self._given, plan) if static is None else static_rows(plan, static)
        if old.means(plan):
            self._plan, self._program = plan, program
            return None
        if not accept and not compared(old, plan).is_harmless:
            raise saving.other_rules(name, old, plan)
        if self._limit is not None and (reason := fact_limit.cannot_limit(plan)) is not None:
            raise UnsupportedError(f"these rules cannot have a limit: {reason}")
        staged = self._forecaster is not None
        found = transition(old, self._state, plan, rows, functions, staged=staged)
        self._plan, self._state, self._given = found.plan, found.state, found.given
        self._state.values.functions.most_failed = self._options.most_failed
        self._program = program
        log = {name: each.table for name, each in found.changes.items()}
        anew: tuple[str, ...] = ()
        if self._forecaster is not None:
            self._forecaster, log = self._forecaster.after_change(found)
            anew = self._forecaster.begun_anew(found)
        self._counts = {each.name: self._counts.get(each.name, Counts()) for each in found.plan.inputs}
        self._dropped = {name: each for name, each in self._dropped.items() if name in self._counts}
        only, most = self._options.only, self._options.explanations
        closed = {
            name: of_kinds(self._shown(name, finished(table, found.old, name, most)), only)
            for name, table in found.closed.items()
        }
        changes = {name: of_kinds(self._finished(name, table), only) for name, table in log.items()}
        self._rule_change = RuleChange(found.tick, found.old, found.queries, closed, changes, anew)
        return self._rule_change

    @classmethod
    def of_saved(
        cls,
        saved: saving.SavedEngine,
        options: EngineOptions,
        min_chance: float | None = None,
        most: int | None = None,
    ) -> Self:
        """The engine that was saved, without its program."""
        forecaster = None
        if saved.forecast:
            from antelog.forecast.forecaster import ModelForecaster  # noqa: PLC0415 - few forecast
            from antelog.forecast.lines import Limits  # noqa: PLC0415 - few forecast

            forecaster = ModelForecaster.restored(saved.plan, saved.forecast, Limits(min_chance, most))
        elif (min_chance, most) != (None, None):
            raise UnsupportedError(_NO_MODEL)
        engine = cls.__new__(cls)
        engine._begin(saved, options, forecaster)
        engine._program = None
        return engine

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
        rejects = pa.concat_tables(self._rejects)
        return rejects.slice(max(0, rejects.num_rows - self._options.keep_rejects))

    @property
    def last_rejects(self) -> pa.Table:
        """The facts that the last `advance` set aside; `row` is their row in the frame, null for calls."""
        rejects, rows = self._last_rejects
        return rejects.append_column("row", pa.array(rows, pa.int64(), mask=rows < 0))

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
                query.name: kernel.count_open(self._plan, self._state, query.name, self.wanted)
                for query in self._plan.queries
            },
            state_rows=self._state.rows,
            state_bytes=self._state.nbytes,
            seen_values=sum(len(each.cells) for each in self._state.observed.seen.values()),
        )

    @property
    def whole(self) -> Engine:
        """The engine with all facts: this one, unless others have them."""
        return self

    @property
    def rule_change(self) -> RuleChange | None:
        """The latest change of the engine's rules; None if there was none."""
        return self._rule_change

    @property
    def program(self) -> Program | None:
        """The program with its text, if the engine was made, or restored, with it."""
        return cast("Program", self._program) if hasattr(self._program, "document") else None

    @given.checked(facts=given.optional(given.NAMED), map=given.optional(given.NAMED))
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
            after, changes = kernel.step(plan, before, new, now, replace(self.wanted, only=only))
        if forecaster is None:
            log = {name: each.table for name, each in changes.items()}
        else:
            forecaster, log = forecaster.advanced(kernel.FinishedStep(before, after, new, changes))
            log = {name: of_kinds(table, options.only) for name, table in log.items()}
        self._drop(unwanted)
        if self._limit is not None:
            after, more, old = fact_limit.within(plan, after, self._limit, options.only)
            log = {name: united([log[name], more[name]]) if name in more else log[name] for name in log}
            self._drop(old)
        self._state, self._forecaster = after, forecaster
        self._set_aside(batch.rejects, batch.places)
        self._counts = {name: self._counts[name] + more for name, more in batch.counts.items()}
        found = {name: self._finished(name, table) for name, table in log.items()}
        self._note({f"{each} {_LOST}" for each in after.values.without} | batch.notes)
        self._warn()
        return found

    def _set_aside(self, rejects: pa.Table, rows: Column) -> None:
        """Keeps the rejects of a step, with their rows, and the calls that have failed."""
        failed = of_calls(self._state.values.functions.taken())
        found = pa.concat_tables([rejects, failed])
        if found.num_rows:
            self._rejects.append(found)
            if len(self._rejects) == _PARTS:
                self._rejects = [self.rejects.combine_chunks()]
        self._last_rejects = (found, np.append(rows, np.full(failed.num_rows, -1)))

    @property
    def wanted(self) -> LineSelection:
        """The lines that the kernel makes, of all kinds."""
        return LineSelection(
            share=self.share,
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

    @given.checked(query=given.TEXT)
    def answers(self, query: str) -> pa.Table:
        """The answers that are open, and those the last finished tick confirmed.

        Their `change` is `open` or `confirmed`. What changed at a tick is what `advance` returns.
        """
        name, forecaster = self._query(query).name, self._forecaster
        lines = kernel.open_answers(self._plan, self._state, name, self.wanted)
        table = lines.table if forecaster is None else forecaster.open_answers(name, lines, self._state)
        found = self._finished(name, as_they_stand(table))
        self._warn()
        return found

    def _query(self, name: str) -> Relation:
        known = {relation.name: relation for relation in self._plan.queries}
        require_known(name, known, "the program has no query", "The queries are")
        return known[name]

    @given.checked(path=given.PATH)
    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to a file, to go on from here later. Rejects are counted, but not kept.

        Only its owner may read the file. One of that name is replaced when the new one is complete; what
        cannot be written raises OutputError, and leaves nothing behind.
        """
        writing.write(path, self.to_bytes(), mode=0o600)

    @given.checked(folder=given.PATH)
    def export(self, folder: str | PathLike[str]) -> None:
        """Write the state as a savepoint: a new folder of Parquet files, which `restore` takes as well.

        People can read it, later versions of antelog too, and `antelog state import` makes a store of
        `antelog watch`, or the beginning of a stream on Spark of it. Raises OutputError.
        """
        from antelog.engine import savepoint  # noqa: PLC0415 - few are written

        savepoint.write(folder, savepoint.Savepoint(self.saved, self.open_tables()))

    def open_tables(self) -> dict[str, pa.Table]:
        """The open answers of each query, as a savepoint has them."""
        found = {f"open/{query.name}": self.answers(query.name) for query in self._plan.queries}
        return {name: table.filter(pc.equal(table.column("change"), "open")) for name, table in found.items()}

    def to_bytes(self) -> bytes:
        """The state as bytes: the content of the file that `save` writes."""
        return saving.to_bytes(self.whole.saved)

    @property
    def saved(self) -> saving.SavedEngine:
        """All that is saved of the engine."""
        members = {} if self._forecaster is None else self._forecaster.members()
        return saving.SavedEngine(
            self._plan, self._state, self._given, self._counts, self._dropped, self._limit, members
        )

    @given.checked(atom=given.TEXT, depth=given.POSITIVE)
    def why(self, atom: str, *, depth: int = 8) -> WhyAnswer:
        """Why an atom is so, or is not, after the last finished tick: `engine.why("Malf(wt2, 0)")`.

        The explanation prints as a tree, with `depth` levels of rules, and has `to_dict()`. It rests on the
        facts that the engine has kept, and says where others would be needed: `antelog.why` has all. Raises
        ProgramError if the text is no atom, DataError if the program has no such predicate, and
        UnsupportedError if the engine was restored without its program.
        """
        from antelog.why import Detail, Grounds, explained  # noqa: PLC0415 - few explain

        program = self.program
        if program is None:
            raise UnsupportedError.of("state.no-rules")
        grounds = Grounds.of_state(program, self.plan, self.whole.state, self.rejects)
        return explained(grounds, atom, Detail(depth))

    def hand_steps_to(self, forecaster: ModelForecaster) -> None:
        """Hands each step to a forecaster, with lines of all kinds and their cells."""
        self._forecaster = forecaster

    @property
    def forecasts(self) -> bool:
        """Whether lines have chances."""
        return self._forecaster is not None

    @property
    def forecaster(self) -> ModelForecaster:
        """The forecaster. Raises UnsupportedError if the engine has none."""
        if self._forecaster is None:
            raise UnsupportedError(_NO_MODEL)
        return self._forecaster

    @property
    def model(self) -> Model:
        """The model learned so far. Raises UnsupportedError if the engine has no model."""
        return self.forecaster.model(self.now)

    def scores(self) -> pa.Table:
        """The quality of the chances of decided answers, a row for each query."""
        from antelog.forecast.scores.scores import table  # noqa: PLC0415 - few forecast

        return table(self.scored)

    @property
    def scored(self) -> dict[str, Scores]:
        """The scores as sums, which `antelog.forecast.reports` makes a page of."""
        return self.forecaster.scores()

    @property
    def left_out(self) -> pa.Table:
        """For each query the lines that `min_chance` and `most` left out, and the sum of their chances."""
        return self.forecaster.left_out_table()


def _kinds(only: Sequence[str] | None) -> tuple[str, ...]:
    if only is None:
        return KINDS
    for kind in only:
        require_known(kind, KINDS, "there are no changes of the kind", "The kinds are")
    return tuple(only)


_NO_MODEL = (
    'this engine forecasts nothing: make it with `model="learn"` or a model, '
    "or declare a `chance` in the program"
)


def _of_plan(rows: Given, plan: Plan) -> Given:
    """The given static facts of predicates that a plan has with as many columns."""
    widths = {each.name: len(each.columns) for each in plan.statics}
    known = {name: each for name, each in rows.items() if name in widths}
    return {name: each for name, each in known.items() if all(len(row) == widths[name] for row in each)}


def of_kinds(table: pa.Table, only: Sequence[str]) -> pa.Table:
    wanted = pc.is_in(table.column("change"), pa.array(list(only), pa.string()))
    return table if pc.all(wanted).as_py() else table.filter(wanted)
