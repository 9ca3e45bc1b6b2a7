"""The runners of the command line: settings are merged and checked, programs loaded, facts replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import click

from antelog.cli.show.set_aside import say_what_was_read, summarized
from antelog.cli.show.terminal import note, print_diagnostics, progress_bar, say_what_is_missing
from antelog.compile.nodes.plan import Plan
from antelog.errors import ProgramError
from antelog.files.naming import Form
from antelog.process import Engine
from antelog.program import Program, load
from antelog.run.address import Address, Console, Files, Jdbc, Posted, Rate, Reach, Standard, Table
from antelog.run.checks import Conflict, Ready, conflicts, misfits, resolved, tick_of
from antelog.run.config import Config, read_config
from antelog.run.door import SinkAddress, SourceAddress
from antelog.run.driver import Driver
from antelog.run.options import Runner
from antelog.run.replay import Recording, static_facts
from antelog.run.settings import Settings
from antelog.run.sinks.result import Tables
from antelog.run.sources.kafka import Kafka
from antelog.run.sources.opening import FOLLOWED
from antelog.run.values import SettingError
from antelog.run.workers.divided import engine_for, view_for
from antelog.spark.endpoints.endpoints import SINKS, SOURCES

RUN = Runner("run", SOURCES, SINKS)


def _replaying(name: str) -> Runner:
    runner = f"`antelog {name}`"
    instead: dict[type[Address], str] = {
        **dict.fromkeys((Standard, Posted), "Follow it with `antelog watch`, or give a file."),
        Kafka: "Follow it with `antelog watch`, read it on Spark with `antelog run`, or give a file.",
        SourceAddress: "Follow it with `antelog watch`, or give a file.",
        **dict.fromkeys((Jdbc, Table, Rate), "Read it on Spark with `antelog run`, or give a file."),
    }
    sources = Reach(runner, "read", (Files,), instead)
    sinks = Reach(runner, "write", (Files,), {Console: "Give a file."})
    return Runner(name, sources, sinks, statics=_statics(runner))


def _statics(runner: str) -> Reach[Files | SourceAddress]:
    instead: dict[type[Address], str] = {Jdbc: "Write postgresql://host/database#table, or give a file."}
    return Reach(runner, "read", (Files, SourceAddress), instead, listing=True)


TRY, LEARN, SCORE = map(_replaying, ("try", "learn", "score"))
DRAW, DIFF, WHY, PLAY = map(_replaying, ("draw", "diff", "why", "play"))
BACKTEST, SUGGEST = map(_replaying, ("backtest", "suggest"))
WRITTEN: Reach[Files | SinkAddress] = Reach(
    "`antelog watch`",
    "write",
    (Files, SinkAddress),
    {Console: "Leave it out: changes go to standard output then."},
    form=Form.JSON,
)
WATCH = Runner("watch", FOLLOWED, WRITTEN, statics=_statics("`antelog watch`"))


def ready(settings: Settings, runner: Runner, output: Path | None = None) -> Ready:
    """Checks settings, and loads their program; `output` is a file to write. Raises AntelogError."""
    config = None if settings.config is None else read_config(settings.config, Settings, runner)
    merged = settings if config is None else settings_with(config, settings)
    return checked(merged, runner, config, output)


def settings_with(config: Config, settings: Settings) -> Settings:
    """The settings of a file, overridden by those given on the command line."""
    given = {name: getattr(settings, name) for name in settings.given}
    joined = {
        name: {**config.values[name], **value} if isinstance(value, Mapping) else value
        for name, value in given.items()
        if name in config.values
    }
    return settings.changed({**config.values, **given, **joined})


def checked(
    settings: Settings, runner: Runner, config: Config | None = None, output: Path | None = None
) -> Ready:
    """Checks merged settings and loads their program; raises as `ready` does."""
    _refuse(conflicts(settings, runner.name, output), config)
    assert settings.program is not None
    program = load(settings.program, limits=settings.limits, functions=settings.functions)
    _refuse(misfits(program.plan, settings), config)
    return resolved(program, settings)


def tick_given(flag: str, given: int | str | date | None, plan: Plan | None) -> int | None:
    """Reads the tick of a flag: a number or, with a plan, a timestamp. Raises BadParameter."""
    try:
        return tick_of(given, plan)
    except SettingError as error:
        raise click.BadParameter(str(error), param_hint=flag) from None


def _refuse(conflicts: Iterable[Conflict], config: Config | None) -> None:
    found = list(conflicts)
    placed = [each for each in found if config and (each.missing or any(map(config.has, each.settings)))]
    if config is not None and placed:
        diagnostics = []
        for each in placed:
            key = next(filter(config.has, each.settings), each.settings[0])
            diagnostics.append(config.diagnostic(each.code, key, *each.sentences(lambda name: f"`{name}`")))
        raise ProgramError(diagnostics, config.source)
    for each in found:
        sentence = ". ".join(each.sentences(_flag))
        if each.option:
            raise click.BadParameter(sentence, param_hint=f"'{_flag(each.option)}'")
        raise click.UsageError(sentence)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


# ---- replays ----


def through(
    program: Program,
    recording: Recording,
    take: Callable[[Tables], None] = lambda _: None,
    *,
    rejects: Path | None = None,
    workers: int | str = 1,
    **options: Any,
) -> Engine:
    """Replays facts through a new engine; `take` gets each piece of the log. Raises DataError."""
    plan = program.plan
    print_diagnostics(program.warnings, program.source)
    say_what_is_missing(plan, recording.inputs)
    with (
        summarized(rejects, plan.timescale) as set_aside,
        progress_bar("facts", recording.size, results=False) as report,
    ):
        static = static_facts(plan, recording.statics, set_aside, recording.maps)
        engine = engine_for(program, workers, note, static=static, **options)
        for result in Driver(engine, recording.reader(plan, set_aside, report), view_for(engine)).steps():
            take(result.tables)
        say_what_was_read(set_aside, engine)
        set_aside.require_use()
    return engine


def rejects_of(settings: Settings) -> Path | None:
    return None if settings.rejects is None else Path(str(settings.rejects))
