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
from antelog.forecast.columns import HALF_LIFE, JUDGE_NAMES, KINDS
from antelog.given import LENGTH, MODEL, NAMED, NUMBER, POSITIVE, TEXT, WHOLE, either, of, one_of
from antelog.lines import LITERALS, TEXT_LITERALS
from antelog.process import KEPT_REJECTS
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
from antelog.run.source_settings import ALL, FOLLOWING, REPLAYS, ColumnSettings, SourceSettings

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

    model: Model | Path | str | None = option(
        None, _MODEL,
        "How likely open answers are, by a model that `antelog learn` has written, or by one that is learned "
        "on the way.", on=("try", "score", *FOLLOWING),
    )  # fmt: skip
    learn: bool = flag(False, "Go on learning with a given model.", on=())
    epoch: int | None = option(
        None, whole_number(1, "TICKS"),
        "The ticks whose facts are counted together, to be used from the end of the next as many on: fewer "
        "where much changes within few ticks. A model that is given keeps its own.",
        on=("try", "score", "learn", *FOLLOWING), default_text="20",
    )  # fmt: skip
    half_life: float | None = option(
        HALF_LIFE, plain("TICKS", values.ticks_above_0, kind=LENGTH, toml=(float, int)),
        "The ticks after which what was learned counts half in the slowest of the memories (None: it never "
        "fades); in the others they are a quarter and a twentieth of it.",
        on=("try", "score", *FOLLOWING), default_text="5000",
    )  # fmt: skip
    judges: Sequence[str] | None = option(
        None, several("judge", *JUDGE_NAMES),
        f"The judges that have a say in a chance: some of {', '.join(JUDGE_NAMES)}.",
        on=("try", "score", *FOLLOWING), default_text="all",
    )  # fmt: skip


def most_failed() -> Any:
    return option(
        MOST_FAILED, plain("SHARE", values.part_of_one("share"), kind=NUMBER, toml=(float, int)),
        "The share of a step's calls of functions that may fail, and have no value then. 100 may in any "
        "case, unless it is 0; more stop the run.", on=FOLLOWING,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LimitSettings(ChanceSettings):
    """Which open answers are left out, and how many calls may fail."""

    most_failed: float = most_failed()
    min_chance: float | None = option(
        None, plain("CHANCE", values.part_of_one("chance"), kind=NUMBER, toml=(float,)),
        "Leave out answers that are less likely than this, such as 0.01.", on=("try", *FOLLOWING),
    )  # fmt: skip
    most: int | None = option(
        None, whole_number(1),
        "Of each query (on Spark, in each bucket) leave out all but the N likeliest open answers.",
        on=("try", *FOLLOWING),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ReadSettings:
    """The column of arrivals, and the end of what is read once."""

    arrival: str = option(
        "arrival", text("NAME"),
        "The column with the ticks or timestamps at which facts arrived. Facts without it arrive at their "
        "own time.", on=ALL,
    )  # fmt: skip
    until: int | str | date | None = option(
        None, _TICK,
        "The last tick, a number or a timestamp. If not given, it is the last fact's arrival, or the tick by "
        "which all that was open then is decided.", on=(*REPLAYS, "run"),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class WorkerSettings:
    """How many processes run the rules."""

    workers: int | str = option(
        1, plain("N|auto", values.workers, kind=either(POSITIVE, one_of(values.AUTO)), toml=(int, str),
            words=(values.AUTO,)),
        "The processes that run the rules, each for some values of the program's key; `auto`: one for each "
        "core.",
        on=("try", "score", "learn", "watch"), in_file=False,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ClockSettings(ReadSettings):
    """The clock, and where time begins."""

    clock: ClockName | None = option(
        None, words("clock", *get_args(ClockName)),
        "The source of time: arrivals, the facts' own times, or the wall clock. If not given: arrivals, if "
        "there are any, else the facts; in `antelog watch` the wall clock once facts are about the present.",
        on=FOLLOWING,
    )  # fmt: skip
    begin: int | str | date | None = option(
        None, _TICK, "The first tick, a number or a timestamp, if not that of the first arrival.", on=()
    )


@dataclass(frozen=True, kw_only=True)
class SparkSettings(ClockSettings):
    """The clock, and how a program is divided on Spark."""

    buckets: int | None = option(
        None, whole_number(1), "The number of parts into which the program's key divides the facts.",
        on=("run",), default_text="8",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class StreamSettings(SparkSettings):
    """Settings of the clock of a stream."""

    lag: int = option(
        1, whole_number(0, "TICKS"),
        "The tick that lies this many behind the highest one seen is finished, in a stream.", on=FOLLOWING,
    )  # fmt: skip
    ahead: str = option(
        "1 day", plain("DURATION", values.pause),
        "A fact about a time so long after the clock of this machine is early, and set aside.", on=FOLLOWING,
    )  # fmt: skip
    idle: str | None = option(
        None, plain("DURATION", values.pause),
        "When nothing came for this long, a stream follows the wall clock.", on=FOLLOWING,
    )  # fmt: skip
    max_waiting: int = option(
        MAX_WAITING, whole_number(1, "ROWS"),
        "A stream stops if more rows than this wait for an input that is read more slowly.", on=("run",),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class KindSettings:
    """Which changes are wanted."""

    only: Sequence[str] = option(
        KINDS, several("kind", *KINDS, missing=_KIND), f"These kinds of changes only: {', '.join(KINDS)}.",
        on=("try", *FOLLOWING),
    )  # fmt: skip
    explanations: int | None = option(
        None, whole_number(0),
        "At most N explanations of an answer, the smallest first; 0: none, which takes less time.",
        on=("try", *FOLLOWING),
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class EngineSettings(KindSettings, LimitSettings):
    """The keyword arguments of an engine, without background facts and the column of arrivals."""

    limit: int | None = option(
        None, whole_number(1),
        "Keep at most N facts in memory. If more of them matter, those about the oldest ticks are dropped, "
        "and open answers that rest on them are rejected.", on=("try", "watch"),
    )  # fmt: skip
    literals: str = option(
        TEXT_LITERALS, words("form", *LITERALS), "Whether literals are texts or structs, in tables.", on=()
    )
    keep_rejects: int = option(KEPT_REJECTS, whole_number(0), "The latest rejects that are kept.", on=())
    budget: int = option(BUDGET, whole_number(1, "BYTES"), "About the bytes of a table within a step.", on=())


@dataclass(frozen=True, kw_only=True)
class StaticFrames:
    """Background facts in addition to those of the program."""

    static: Mapping[str, Any] | None = option(None, in_python(NAMED), "Frames, or lists of tuples.")


@dataclass(frozen=True, kw_only=True)
class ReplaySettings(WorkerSettings, ReadSettings, ColumnSettings, EngineSettings, StaticFrames):
    """The keyword arguments of `antelog.replay`."""


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """Settings of a process: which lines it writes and where to, how long it runs, where its state is."""

    since: int | str | date | None = option(
        None, _TICK, "The first tick that is shown, a number or a timestamp.", on=("try", "watch", "draw"),
        default_text="0; with a `tick`, that of the first arrival: before it there is nothing to show",
    )  # fmt: skip
    snapshots: bool = flag(
        False, "Print what is open, tick by tick, or (the default) what changes.", on=("try",),
        opposite="--changes",
    )  # fmt: skip
    form: str = option(
        "jsonl", words("format", "jsonl", "table"), "JSON lines for programs, or a listing for people.",
        name="format", on=("try", "watch"),
    )  # fmt: skip
    outputs: Sequence[Address] = option(
        (), SINK, "Where the changes go: {sinks}.", name="output", on=FOLLOWING, arity=Arity.MANY
    )
    output_mode: str = option(
        values.CHANGES, words("output-mode", values.CHANGES, values.ANSWERS),
        "Write a line for each change of an answer, or keep a row for each answer, with its state.",
        on=("run",),
    )  # fmt: skip
    rejects: Address | None = option(
        None, SINK, "Where rows that were set aside go, each with the reason: {sinks}.",
        on=("try", "learn", "score", "run"),
    )  # fmt: skip
    max_skew: str = option(
        "1 day", plain("DURATION", values.pause),
        "What is further ahead of an input that is still being read is not read on; on Spark it is, and a "
        "warning says so.", on=FOLLOWING,
    )  # fmt: skip
    strict: bool = flag(False, "Stop at the first row that would be set aside.", on=("try",))
    state: Path | None = option(
        None, FILE, "Keep in this file how far it has come, and go on there next time, without a fact lost.",
        on=("watch",),
    )  # fmt: skip
    keep: str = option(
        "7 days", plain("DURATION", values.pause),
        "How long the page remembers what was decided; of its lines 1 GB are kept at most.", on=("watch",),
    )  # fmt: skip
    accept_changes: bool = flag(
        False,
        "Go on with other rules than those of the state: queries that mean the same as if nothing had been "
        "changed, others with the facts that are kept.", on=FOLLOWING,
    )  # fmt: skip
    wait: bool = flag(
        False, "Wait, as a standby, while another process has the state or the output.", on=("watch",)
    )
    once: bool = flag(False, "Stop when all that is there has been read.", on=("watch",))
    stream: bool = flag(False, "Follow the inputs, instead of reading what is there once.", on=("run",))
    checkpoint: str | None = option(None, _FOLDER, "Where a stream keeps how far it has come.", on=("run",))
    trigger: str | None = option(
        None, plain("10s|once|available-now", values.trigger, words=(values.ONCE, values.AVAILABLE_NOW)),
        "How often a stream looks for facts; or once; or until it has what is there now. As often as it can, "
        "if not given.", on=("run",),
    )  # fmt: skip
    chunk: int | None = option(
        None, whole_number(1), "The most files, or messages, of an input in one batch of a stream.",
        on=("run",),
    )  # fmt: skip
    master: str | None = option(
        None, plain("URL", values.master), "Spark's master.", on=("run",), default_text="local[*]"
    )
    conf: Mapping[str, str] = option(
        {}, _CONF, "A setting of Spark's.", on=("run",), dotted=True, example="spark.driver.memory=4g",
    )  # fmt: skip
    metrics: tuple[str, int] | None = option(
        None, plain("[HOST:]PORT", values.listening, toml=(int, str)),
        "Serve metrics of the stream to Prometheus from this port of the driver, for this machine alone or, "
        "with 0.0.0.0:PORT, for others.", on=("run",),
    )  # fmt: skip
    config: Path | None = option(
        None, FILE,
        "A TOML file with all of this: settings are called as the options are, PROGRAM is program. Options "
        "win.", on=FOLLOWING, in_file=False,
    )  # fmt: skip
    debug: bool = flag(
        False, "After an error, also what Spark's Java said, with its stack.",
        on=("run",), variable="ANTELOG_DEBUG", in_file=False,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PageSettings:
    """The page: where it is served, and who may see it."""

    page: bool = flag(
        False, "Serve a page that shows what is open, from the driver; a link to it is printed.", on=("run",)
    )
    no_page: bool = flag(False, "Serve no page.", on=("watch",))
    port: int = option(
        0, whole_number(0, most=65535), "The port of the page.", on=(*FOLLOWING, "play"),
        default_text="one that is free",
    )  # fmt: skip
    host: str = option(
        "127.0.0.1", text("H"),
        "The address of the page. Any but this machine's own needs --allowed-host, and a certificate or "
        "--behind-proxy.", on=FOLLOWING,
    )  # fmt: skip
    allowed_hosts: Sequence[str] = option(
        (), text("NAME"), "A name by which others may call the page, as in plant.example.",
        name="allowed_host", on=FOLLOWING, arity=Arity.MANY,
    )  # fmt: skip
    token: str | None = option(
        None, _TOKEN,
        "The token of those who may look at the page, from a file or, as '$NAME', from a variable: then it "
        "is the same after each start, as Prometheus needs it.", on=FOLLOWING, default_text="a new one",
    )  # fmt: skip
    certificate: Path | None = option(
        None, named_file("PEM"), "The certificate of the page, for https.", on=FOLLOWING
    )
    key: Path | None = option(None, named_file("PEM"), "The key of the certificate.", on=FOLLOWING)
    behind_proxy: bool = flag(
        False, "A proxy before the page has a certificate, and speaks https.", on=FOLLOWING
    )
    acts_token: str | None = option(
        None, _TOKEN, "The token of those who may also acknowledge, snooze and note, likewise.",
        on=("watch",), default_text="a new one",
    )  # fmt: skip
    facts_token: str | None = option(
        None, _TOKEN, "The token of those who may post facts, likewise.", on=("watch",),
        default_text="a new one",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class AlertSettings:
    """Alerts: their receivers, and which changes they are about."""

    alerts: Sequence[str] = option(
        (), text("TO"),
        "Send alerts to webhook:@FILE, slack:@FILE, alertmanager:@FILE, apprise:@FILE or 'command:PROGRAM "
        "ARG…'; FILE has the address, or '$NAME' in place of @FILE a variable. Can be given several times.",
        name="alert", on=("watch",), arity=Arity.MANY,
    )  # fmt: skip
    alert_on: Sequence[str] | None = option(
        None, several("kind", *KINDS, values.SILENT, missing=_KIND),
        f"Of these kinds of changes; `{values.SILENT}` is about inputs.", on=("watch",),
        default_text="likely for queries with an `alert`, where there are chances; confirmed for others, "
        "but for those that are `good`",
    )  # fmt: skip
    alert_where: Sequence[str] = option(
        (), text("CONDITION"),
        "About these answers only, as in 'Malf X=wt* chance>=0.9'. Of several one has to fit.",
        on=("watch",), arity=Arity.MANY,
    )  # fmt: skip
    alert_template: str | None = option(
        None, text("TEXT"), "In these words, as in '{query} {answer}: {chance}'.", on=("watch",)
    )
    alert_file: Path | None = option(
        None, FILE, "Send the alerts of a TOML file, each with kinds, conditions and words of its own.",
        name="alerts", on=("watch",),
    )  # fmt: skip
    alert_from: int | str | date = option(
        NOW, plain(f"{NOW}|{START}|TICK", values.tick, kind=_TICK.kind, toml=(int, str), words=(NOW, START)),
        "At the first start, send no alert about changes before the newest time there is then; or about all "
        "from the start; or from a tick or timestamp on.", on=("watch",),
    )  # fmt: skip
    alert_every: str = option(
        "5 minutes", plain("DURATION", values.pause_or_none),
        "After an alert, send more of the same device, or whatever is the program's key, as one; 0 sends "
        "each at once.", on=("watch",),
    )  # fmt: skip
    link: str | None = option(
        None, plain("URL", values.web_address),
        "The address of the page in the links of alerts.", on=("watch",),
        default_text="that of the page, if there is one",
    )  # fmt: skip


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


_FLAGS = {each.attribute: each.flag for each in options_of(Settings)}


@contextmanager
def naming_arguments() -> Iterator[None]:
    """Has errors of this context name arguments."""
    try:
        yield
    except AntelogError as error:
        error.args = tuple(with_arguments(each) if isinstance(each, str) else each for each in error.args)
        raise
