"""The public engine: runs a program over facts, with or without chances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Protocol, Self, TypedDict, Unpack, cast

import pyarrow as pa

from antelog.compile.nodes.plan import Plan
from antelog.engine import fact_limit, saving, state
from antelog.engine.columns import joins
from antelog.engine.engine import KEPT_REJECTS, EngineOptions, PlanEngine, RuleChange
from antelog.engine.facts.frames import Frame, static_rows
from antelog.errors import DataError, UnsupportedError
from antelog.forecast.columns import HALF_LIFE, KINDS
from antelog.functions import UserFunction, not_given
from antelog.given import (
    BYTES,
    FLAG,
    LENGTH,
    MODEL,
    NAMED,
    NATURAL,
    NUMBER,
    PATH,
    POSITIVE,
    TEXT,
    TEXTS,
    WHOLE,
    checked,
    one_of,
    optional,
    wrong,
)
from antelog.language.checks.suggestions import did_you_mean
from antelog.lines import LITERALS, TEXT_LITERALS

if TYPE_CHECKING:
    from antelog.forecast.forecaster import ModelForecaster
    from antelog.forecast.model_file import Model
    from antelog.forecast.scores.scores import Scores
    from antelog.why import WhyAnswer
    from antelog.why.grounds import ProgramRead

LEARN = "learn"
"""The model that is learned while an engine runs."""

_OPTIONS = {
    "only": optional(TEXTS),
    "explanations": optional(NATURAL),
    "literals": one_of(*LITERALS),
    "arrival": TEXT,
    "keep_rejects": NATURAL,
    "min_chance": optional(NUMBER),
    "most": optional(WHOLE),
}
"""Options of a new engine and of a restored one."""


class Planned(Protocol):
    """A program that has a plan."""

    @property
    def plan(self) -> Plan: ...


def plan_of(program: Planned) -> Plan:
    """The plan of a program; ArgumentError for anything else, such as the path or the text of one."""
    plan = getattr(program, "plan", None)
    if not isinstance(plan, Plan):
        raise wrong("the program", program, "what `antelog.load(path)` or `antelog.parse(text)` makes")
    return plan


def functions_of(program: Planned | None) -> Mapping[str, UserFunction]:
    """The functions of a program. Raises FunctionError if one that it calls is missing."""
    given: Mapping[str, UserFunction] = getattr(program, "functions", {})
    missing = () if program is None else [f.name for f in program.plan.functions if f.name not in given]
    if missing:
        raise not_given(missing)
    return given


def _known(program: Planned | None) -> Mapping[str, UserFunction]:
    """The functions that a program has, whichever of them it calls."""
    if program is not None:
        plan_of(program)
    found: Mapping[str, UserFunction] = getattr(program, "functions", {})
    return found


class OtherOptions(TypedDict, total=False):
    """Options of an engine that few programs need."""

    static: Mapping[str, Frame] | None
    arrival: str
    limit: int | None
    keep_rejects: int
    budget: int
    judges: Sequence[str] | None
    explanations: int | None
    literals: str


class Engine(PlanEngine):
    """Runs a program over facts that arrive late and out of order.

    Args:
        program: the program to run
        model: how likely open answers are: a Model or the path of one, or "learn" to learn while running.
            What the program declares itself (`chance`) needs no model
        learn: whether to go on learning with a given model
        epoch: the ticks whose facts are counted together, and used from the end of the next as many on; 20
            by default, or as the given model has it
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
        budget: about how many bytes a table within a step may take; steps are cut so that it suffices,
            and where a single answer needs more, `advance` raises DataError
        judges: the judges that have a say in a chance, of "model", "outcomes" and "values"; all by default
    """

    _program: Planned | None = None

    @checked(
        **_OPTIONS,
        model=optional(MODEL),
        learn=FLAG,
        epoch=optional(WHOLE),
        half_life=optional(LENGTH),
        judges=optional(TEXTS),
        static=optional(NAMED),
        limit=optional(WHOLE),
        budget=POSITIVE,
    )
    def __init__(
        self,
        program: Planned,
        *,
        model: Model | str | PathLike[str] | None = None,
        learn: bool = False,
        epoch: int | None = None,
        half_life: float | None = HALF_LIFE,
        min_chance: float | None = None,
        most: int | None = None,
        only: Sequence[str] | None = None,
        **others: Unpack[OtherOptions],
    ) -> None:
        plan = plan_of(program)
        if unknown := others.keys() - OtherOptions.__annotations__.keys():
            raise TypeError(f"Engine has no option {min(unknown)}")
        named = others.get("judges")
        judges = None if named is None else tuple(named)
        forecaster = None
        if model is not None or learn or plan.declares_chances:
            from antelog.forecast.forecaster import LearningSettings, ModelForecaster  # noqa: PLC0415 - few forecast
            from antelog.forecast.lines import Limits  # noqa: PLC0415 - few forecast

            settings = LearningSettings(learn or model == LEARN, half_life, epoch, judges)
            given_model = None if model == LEARN else model
            forecaster = ModelForecaster.start(plan, given_model, settings, Limits(min_chance, most))
        elif (min_chance, most, epoch, judges) != (None, None, None, None):
            raise UnsupportedError(_NO_MODEL)
        limit = others.get("limit")
        if limit is not None and limit < 1:
            raise DataError(f"the limit is {limit}, but at least one fact has to be kept")
        reason = None if limit is None else fact_limit.cannot_limit(plan)
        if reason is not None:
            raise UnsupportedError(f"this program cannot have a limit: {reason}")
        options = EngineOptions(
            _kinds(only),
            others.get("arrival", "arrival"),
            others.get("keep_rejects", KEPT_REJECTS),
            others.get("budget", joins.BUDGET),
            others.get("explanations"),
            others.get("literals", TEXT_LITERALS),
        )
        given = static_rows(plan, others.get("static") or {})
        begun = state.start(plan, given, functions=functions_of(program))
        super().__init__(saving.SavedEngine(plan, begun, given, {}, {}, limit), options, forecaster)
        self._program = program

    @classmethod
    @checked(path=PATH, max_bytes=POSITIVE, accept=FLAG, **_OPTIONS)
    def restore(
        cls,
        path: str | PathLike[str],
        program: Planned | None = None,
        *,
        min_chance: float | None = None,
        most: int | None = None,
        only: Sequence[str] | None = None,
        explanations: int | None = None,
        literals: str = TEXT_LITERALS,
        arrival: str = "arrival",
        keep_rejects: int = KEPT_REJECTS,
        max_bytes: int = saving.MOST,
        accept: bool = False,
    ) -> Self:
        """The engine that was saved to a file. With `program`, only if it was running that one.

        To `accept` another program than that goes on with its rules: queries that mean the same as if
        nothing had been changed, others with the facts that are kept. `rule_change` says how. Raises
        RulesChangedError if a program that is not accepted changes what a query means; StateError if the
        file is missing, damaged, or none that an engine has saved; or if it has more than `max_bytes` when
        it is unpacked, lest a small file fill the memory.
        """
        saved = saving.restore(path, max_bytes, _known(program))
        options = EngineOptions(
            _kinds(only), arrival, keep_rejects, explanations=explanations, literals=literals
        )
        engine = cls._restored(saved, options, min_chance, most)
        engine._program = None
        if program is not None:
            engine._offer(program, str(path), accept)
        return engine

    @classmethod
    @checked(content=BYTES, max_bytes=POSITIVE, accept=FLAG, **_OPTIONS)
    def from_bytes(
        cls,
        content: bytes,
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
        max_bytes: int = saving.MOST,
        accept: bool = False,
    ) -> Self:
        """The engine that was saved by `to_bytes`; otherwise as `restore`.

        `functions` are those that the saved rules call, where no program is given.
        """
        saved = saving.from_bytes(content, most=max_bytes, functions=functions or _known(program))
        options = EngineOptions(
            _kinds(only), arrival, keep_rejects, explanations=explanations, literals=literals
        )
        engine = cls._restored(saved, options, min_chance, most)
        engine._program = None
        if program is not None:
            engine._offer(program, "the saved state", accept)
        return engine

    @checked(accept=FLAG, static=optional(NAMED))
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
        plan, functions = plan_of(program), functions_of(program)
        given = None if static is None else static_rows(plan, static)
        change = self._carry_over(plan, functions, given, name if not accept else None)
        self._program = program
        return change

    @classmethod
    def _restored(
        cls, saved: saving.SavedEngine, options: EngineOptions, min_chance: float | None, most: int | None
    ) -> Self:
        forecaster = None
        if saved.forecast:
            from antelog.forecast.forecaster import ModelForecaster  # noqa: PLC0415 - few forecast
            from antelog.forecast.lines import Limits  # noqa: PLC0415 - few forecast

            forecaster = ModelForecaster.restored(saved.plan, saved.forecast, Limits(min_chance, most))
        elif (min_chance, most) != (None, None):
            raise UnsupportedError(_NO_MODEL)
        engine = cls.__new__(cls)
        PlanEngine.__init__(engine, saved, options, forecaster)
        return engine

    @property
    def program(self) -> ProgramRead | None:
        """The program with its text, if the engine was made, or restored, with it."""
        return cast("ProgramRead", self._program) if hasattr(self._program, "document") else None

    @checked(atom=TEXT, depth=POSITIVE)
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
            raise UnsupportedError(
                "this engine has its plan only, and explanations need the rules as they are written: "
                "restore it with its program"
            )
        grounds = Grounds.of_state(program, self.plan, self.state, self.rejects)
        return explained(grounds, atom, Detail(depth))

    @property
    def forecasts(self) -> bool:
        """Whether lines have chances."""
        return self._forecaster is not None

    @property
    def forecaster(self) -> ModelForecaster:
        """The forecaster. Raises UnsupportedError if the engine has none."""
        if self._forecaster is None:
            raise UnsupportedError(_NO_MODEL)
        return cast("ModelForecaster", self._forecaster)

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
        if kind not in KINDS:
            hint = did_you_mean(kind, KINDS) or f"The kinds are {', '.join(KINDS)}."
            raise DataError(f"there are no changes of the kind {kind}. {hint}")
    return tuple(only)


_NO_MODEL = (
    'this engine forecasts nothing: make it with `model="learn"` or a model, '
    "or declare a `chance` in the program"
)
