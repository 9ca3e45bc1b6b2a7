"""Settings of all runners, each declared once: flags, keys of TOML and keyword arguments are derived."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from antelog.engine.columns.joins import BUDGET
from antelog.engine.values.functions import MOST_FAILED
from antelog.errors import AntelogError
from antelog.forecast.columns import EPOCH, HALF_LIFE, JUDGE_NAMES, KINDS
from antelog.given import LENGTH, MODEL, NAMED, NUMBER, POSITIVE, TEXT, TEXTS, WHOLE, either, of, one_of
from antelog.lines import LITERALS, TEXT_LITERALS
from antelog.process import KEPT_REJECTS
from antelog.program import Program
from antelog.run import values
from antelog.run.address import Address, located
from antelog.run.clock import MAX_WAITING, ClockName
from antelog.run.options import (
    FILE,
    SINK,
    Arity,
    Syntax,
    flag,
    in_python,
    named_file,
    option,
    options_of,
    plain,
    several,
    text,
    whole_number,
    words,
)
from antelog.run.source_settings import ColumnSettings, SourceSettings

if TYPE_CHECKING:  # a model is loaded only where there is one
    from antelog.forecast.model_file import Model

LEARN = "learn"
NOW, START = "now", "start"
_KIND = "there are no changes of the kind"
_TICK = plain("TICK", values.tick, kind=either(WHOLE, TEXT, of(date, "a date")), toml=(int, str))
_CONF = Syntax("K=V", lambda given, _: values.filled(given), toml=(str, bool, int, float), fills=True)
_FOLDER = Syntax("DIR", lambda given, runner: located(given, runner.folder))
_TOKEN = plain("@FILE", values.token)
_MODEL = Syntax(
    "MODEL|learn", lambda name, at: name if name == LEARN else at.folder / name, MODEL, words=(LEARN,),
    is_path=True,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ChanceSettings:
    """Settings of the chances of open answers."""

    model: Model | Path | str | None = option(None, _MODEL)
    learn: bool = flag(False)
    epoch: int = option(EPOCH, whole_number(1, "TICKS"))
    half_life: float | None = option(
        HALF_LIFE, plain("TICKS", values.ticks_above_0, kind=LENGTH, toml=(float, int))
    )
    judges: Sequence[str] | None = option(None, several("judge", *JUDGE_NAMES))


def most_failed() -> Any:
    return option(MOST_FAILED, plain("SHARE", values.part_of_one("share"), kind=NUMBER, toml=(float, int)))


@dataclass(frozen=True, kw_only=True)
class LimitSettings(ChanceSettings):
    """Which open answers are left out, and how many calls may fail."""

    most_failed: float = most_failed()
    min_chance: float | None = option(
        None, plain("CHANCE", values.part_of_one("chance"), kind=NUMBER, toml=(float,))
    )
    most: int | None = option(None, whole_number(1))


@dataclass(frozen=True, kw_only=True)
class ReadSettings:
    """The column of arrivals, and the end of what is read once."""

    arrival: str = option("arrival", text("NAME"))
    until: int | str | date | None = option(None, _TICK)


@dataclass(frozen=True, kw_only=True)
class WorkerSettings:
    """How many processes run the rules."""

    workers: int | str = option(
        1,
        plain(
            "N|auto",
            values.workers,
            kind=either(POSITIVE, one_of(values.AUTO)),
            toml=(int, str),
            words=(values.AUTO,),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class ClockSettings(ReadSettings):
    """The clock, and where time begins."""

    clock: ClockName | None = option(None, words("clock", *get_args(ClockName)))
    begin: int | str | date | None = option(None, _TICK)


@dataclass(frozen=True, kw_only=True)
class SparkSettings(ClockSettings):
    """The clock, and how a program is divided on Spark."""

    buckets: int | None = option(None, whole_number(1))


@dataclass(frozen=True, kw_only=True)
class StreamSettings(SparkSettings):
    """Settings of the clock of a stream."""

    lag: int = option(1, whole_number(0, "TICKS"))
    ahead: str = option("1 day", plain("DURATION", values.pause))
    idle: str | None = option(None, plain("DURATION", values.pause))
    max_waiting: int = option(MAX_WAITING, whole_number(1, "ROWS"))


@dataclass(frozen=True, kw_only=True)
class KindSettings:
    """Which changes are wanted."""

    only: Sequence[str] = option(KINDS, several("kind", *KINDS, missing=_KIND))
    explanations: int | None = option(None, whole_number(0))


@dataclass(frozen=True, kw_only=True)
class EngineSettings(KindSettings, LimitSettings):
    """The keyword arguments of an engine, without background facts and the column of arrivals."""

    limit: int | None = option(None, whole_number(1))
    literals: str = option(TEXT_LITERALS, words("form", *LITERALS))
    keep_rejects: int = option(KEPT_REJECTS, whole_number(0))
    budget: int = option(BUDGET, whole_number(1, "BYTES"))


@dataclass(frozen=True, kw_only=True)
class StaticFrames:
    """Background facts in addition to those of the program."""

    static: Mapping[str, Any] | None = option(None, in_python(NAMED))


@dataclass(frozen=True, kw_only=True)
class ReplaySettings(WorkerSettings, ReadSettings, ColumnSettings, EngineSettings, StaticFrames):
    """The keyword arguments of `antelog.replay`."""


@dataclass(frozen=True, kw_only=True)
class LeadSettings:
    """How alerts are judged by incidents."""

    lead: str | None = option(None, text("A..B"))
    settle: str | int | None = option(None, plain("SPAN", str, kind=either(TEXT, WHOLE)))
    within: bool = flag(False)
    where: Mapping[str, str] = option({}, text("COLUMN=VALUE"), example="kind=pump")


@dataclass(frozen=True, kw_only=True)
class JudgingOptions(LeadSettings):
    """Settings of commands and functions that judge rules by incidents."""

    lead: str | None = option(None, text("A..B"), required=True)
    key: str | None = option(None, text("[X=]COLUMN"))


@dataclass(frozen=True, kw_only=True)
class BacktestOptions(JudgingOptions):
    """Settings of those that judge the rules of a program."""

    query: Sequence[str] = option((), plain("NAME", str, kind=TEXTS), arity=Arity.MANY)
    vary: str | None = option(None, text("LIMIT=LO..HI"))
    split: int | str | date | None = option(None, replace(_TICK, metavar="TIME"))


@dataclass(frozen=True, kw_only=True)
class BacktestSettings(BacktestOptions, ReplaySettings):
    """The keyword arguments of `antelog.backtest`."""


@dataclass(frozen=True, kw_only=True)
class SuggestOptions(JudgingOptions):
    """Settings of those that propose rules."""

    most: int = option(5, whole_number(1))
    false_alarms: float = option(0.1, plain("N/day", values.rate_a_day, kind=NUMBER))


@dataclass(frozen=True, kw_only=True)
class SuggestSettings(SuggestOptions, WorkerSettings, ReadSettings, ColumnSettings, StaticFrames):
    """The keyword arguments of `antelog.suggest`."""

    program: Program | None = option(None, in_python(of(Program, "an antelog.Program")))


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """Settings of a process: which lines it writes and where to, how long it runs, where its state is."""

    since: int | str | date | None = option(None, _TICK)
    snapshots: bool = flag(False)
    form: str = option("jsonl", words("format", "jsonl", "table"))
    outputs: Sequence[Address] = option((), SINK, arity=Arity.MANY)
    output_mode: str = option(values.CHANGES, words("output-mode", values.CHANGES, values.ANSWERS))
    rejects: Address | None = option(None, SINK)
    max_skew: str = option("1 day", plain("DURATION", values.pause))
    strict: bool = flag(False)
    state: Path | None = option(None, FILE)
    keep: str = option("7 days", plain("DURATION", values.pause))
    accept_changes: bool = flag(False)
    wait: bool = flag(False)
    once: bool = flag(False)
    stream: bool = flag(False)
    checkpoint: str | None = option(None, _FOLDER)
    trigger: str | None = option(
        None, plain("10s|once|available-now", values.trigger, words=(values.ONCE, values.AVAILABLE_NOW))
    )
    chunk: int | None = option(None, whole_number(1))
    master: str | None = option(None, plain("URL", values.master))
    conf: Mapping[str, str] = option({}, _CONF)
    metrics: tuple[str, int] | None = option(None, plain("[HOST:]PORT", values.listening, toml=(int, str)))
    config: Path | None = option(None, FILE)
    debug: bool = flag(False)


@dataclass(frozen=True, kw_only=True)
class PageSettings(LeadSettings):
    """The page: where it is served, who may see it, and the incidents that its answers are judged by."""

    page: bool = flag(False)
    no_page: bool = flag(False)
    port: int = option(0, whole_number(0, most=65535))
    host: str = option("127.0.0.1", text("H"))
    allowed_hosts: Sequence[str] = option((), text("NAME"), arity=Arity.MANY)
    token: str | None = option(None, _TOKEN)
    certificate: Path | None = option(None, named_file("PEM"))
    key: Path | None = option(None, named_file("PEM"))
    behind_proxy: bool = flag(False)
    embed_from: Sequence[str] = option((), text("ORIGIN"), arity=Arity.MANY)
    acts_token: str | None = option(None, _TOKEN)
    facts_token: str | None = option(None, _TOKEN)
    group_by: str | None = option(None, text("RELATION"))
    incidents: Path | None = option(None, named_file("FILE"))
    incident_key: str | None = option(None, text("[X=]COLUMN"))


@dataclass(frozen=True, kw_only=True)
class AlertSettings:
    """Alerts: their receivers, and which changes they are about."""

    alerts: Sequence[str] = option((), text("TO"), arity=Arity.MANY)
    alert_on: Sequence[str] | None = option(None, several("kind", *KINDS, values.SILENT, missing=_KIND))
    alert_where: Sequence[str] = option((), text("CONDITION"), arity=Arity.MANY)
    alert_template: str | None = option(None, text("TEXT"))
    alert_file: Path | None = option(None, FILE)
    alert_from: int | str | date = option(
        NOW, plain(f"{NOW}|{START}|TICK", values.tick, kind=_TICK.kind, toml=(int, str), words=(NOW, START))
    )
    alert_every: str = option("5 minutes", plain("DURATION", values.pause_or_none))
    link: str | None = option(None, plain("URL", values.web_address))
    otlp: str | None = option(None, plain("URL", values.web_address))


@dataclass(frozen=True, kw_only=True)
class Settings(
    AlertSettings,
    PageSettings,
    RunSettings,
    WorkerSettings,
    EngineSettings,
    StreamSettings,
    ColumnSettings,
    SourceSettings,
):
    """All settings of a run; `given` are the attributes that a user has set."""

    given: frozenset[str] = field(default=frozenset(), repr=False)

    @property
    def last(self) -> int | None:
        """The last tick; timestamps have been resolved."""
        assert self.until is None or isinstance(self.until, int)
        return self.until

    @property
    def first(self) -> int | None:
        """The first tick that is shown; timestamps have been resolved."""
        assert self.since is None or isinstance(self.since, int)
        return self.since

    def engine(self) -> dict[str, Any]:
        return {each.attribute: getattr(self, each.attribute) for each in options_of(EngineSettings)}

    def printing_engine(self) -> dict[str, Any]:
        """As `engine`, but with all explanations if any, to count those that are not printed."""
        return self.engine() | {"explanations": 0 if self.explanations == 0 else None}

    def changed(self, found: Mapping[str, Any]) -> Settings:
        """The settings with other values, which count as given."""
        return replace(self, **found, given=self.given | found.keys())


# ---- messages name arguments of Python, and at the terminal options: `until=`, --until ----

_ARGUMENT = re.compile(r"`(\w+)=([^`\s]*)`")
_FLAG = re.compile(r"--([a-z][a-z-]*)(?: '([^'=]+)=([^']*)'| ([\w.]+)=([\w.@]+))?")
_OTHERWISE = {"accept": "accept_changes"}  # arguments that are not called as the option is


def with_flags(text: str) -> str:
    """Replaces arguments by options."""

    def flag(found: re.Match[str]) -> str:
        known = _FLAGS.get(_OTHERWISE.get(found[1], found[1]))
        value = "" if found[2] in ("", "True") else f" {found[2]}"
        return found[0] if known is None else f"{known}{value}"

    return _ARGUMENT.sub(flag, text)


def with_arguments(text: str) -> str:
    """Replaces options by arguments, those with names by dictionaries."""

    def argument(found: re.Match[str]) -> str:
        known = next((name for name, flag in _FLAGS.items() if flag == f"--{found[1]}"), None)
        key, value = found[2] or found[4], found[3] or found[5]
        return found[0] if known is None else f"`{known}={{{key!r}: {value!r}}}`" if key else f"`{known}=`"

    return _FLAG.sub(argument, text)


_FLAGS = {each.attribute: each.flag for each in (*options_of(BacktestOptions), *options_of(Settings))}


@contextmanager
def naming_arguments() -> Iterator[None]:
    """Has errors of this context name arguments."""
    try:
        yield
    except AntelogError as error:
        error.args = tuple(with_arguments(each) if isinstance(each, str) else each for each in error.args)
        raise
