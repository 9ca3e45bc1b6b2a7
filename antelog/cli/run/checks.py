"""Whether a pipeline's settings fit one another and its program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import click

from antelog.cli.arguments import maps, units
from antelog.cli.arguments.units import counted
from antelog.cli.run.config import Config, conflict_diagnostic
from antelog.cli.run.conflicts import conflicts
from antelog.cli.run.settings import Settings
from antelog.compile.nodes.plan import Plan
from antelog.errors import ProgramError
from antelog.language.checks.suggestions import did_you_mean
from antelog.program import Program, load


@dataclass(frozen=True)
class _Misfit:
    """A setting that names what the program does not have, and which option gives it."""

    setting: str
    option: str
    message: str
    hint: str


def checked(settings: Settings, config: Config | None) -> Program:
    """The program of a pipeline whose settings are all there and fit one another and the program.

    Raises ProgramError for what is wrong with a file, UsageError for what is wrong with options.
    """
    _refuse_conflicts(settings, config)
    assert settings.program is not None
    program = load(settings.program)
    _refuse_misfits(program.plan, settings, config)
    return counted(program, settings.sources.time_units)


def _refuse_conflicts(settings: Settings, config: Config | None) -> None:
    found = list(conflicts(settings))
    if config is not None:
        placed = [c for c in found if c.missing or any(name in config.places for name in c.settings)]
        if placed:
            raise ProgramError([conflict_diagnostic(config, each) for each in placed], config.source)
    for conflict in found:
        message, hint = conflict.told(lambda name: f"--{name}")
        raise click.UsageError(f"{message}. {hint}")


def _refuse_misfits(plan: Plan, settings: Settings, config: Config | None) -> None:
    found = list(_misfits(plan, settings))
    if config is not None:
        placed = [each for each in found if each.setting in config.places]
        if placed:
            diagnostics = [config.diagnostic("E706", e.setting, e.message, e.hint) for e in placed]
            raise ProgramError(diagnostics, config.source)
    for each in found:
        raise click.BadParameter(f"{each.message}. {each.hint}", param_hint=each.option)


def _misfits(plan: Plan, settings: Settings) -> Iterator[_Misfit]:
    names = {"input": [each.name for each in plan.inputs], "static": [each.name for each in plan.statics]}
    for table, given in (("input", settings.sources.inputs), ("static", settings.sources.statics)):
        for name in given:
            if name not in names[table]:
                what = "input" if table == "input" else "static predicate"
                message = f"the program has no {what} {name}"
                yield _Misfit(f"{table}.{name}", f"--{table}", message, _hint(plan, names, table, name))
    for each in units.misfits(plan, settings.sources.time_units):
        place = f"input.{each.predicate}" if each.predicate else "time_unit"
        yield _Misfit(place, "--time-unit", each.message, each.hint)
    yield from _maps(plan, settings)
    yield from _limits(plan, settings)
    if plan.tick is None:
        message = "the program does not say how long a tick is, and the wall clock has no other ticks"
        hint = "Declare it in the program: `tick 10 seconds.`"
        if settings.timing.clock == "processing":
            yield _Misfit("clock", "--clock", message, hint)
        if settings.timing.idle is not None:
            yield _Misfit("idle", "--idle", message, hint)


def _limits(plan: Plan, settings: Settings) -> Iterator[_Misfit]:
    """Unlikely answers are dropped where it is known how likely they are."""
    sinks = settings.sinks
    if sinks.model is None and not plan.declares_chances:
        message = "the program declares no chances, and there is no model to say which answers to drop"
        hint = "Give a model, or `learn`, or declare a `chance` in the program."
        for name, value in (("min_chance", sinks.min_chance), ("most", sinks.most)):
            if value is not None:
                yield _Misfit(name, f"--{name.replace('_', '-')}", message, hint)


def _hint(plan: Plan, names: Mapping[str, list[str]], table: str, name: str) -> str:
    other = "static" if table == "input" else "input"
    if name in names[other]:
        return f"It is a{'n input' if other == 'input' else ' static predicate'}: give it under {other}."
    if any(name == relation.predicate for relation in plan.relations):
        return "The rules derive it from others."
    return did_you_mean(name, names[table]) or f"Known are: {', '.join(names[table]) or 'none'}."


def _maps(plan: Plan, settings: Settings) -> Iterator[_Misfit]:
    for each in maps.misfits(plan, settings.sources.maps, settings.timing.arrival or "arrival"):
        yield _Misfit(_place(each.predicate), "--map", each.message, each.hint)


def _place(predicate: str) -> str:
    """Where in a file a map stands: with its input, or by itself."""
    return f"input.{predicate}" if predicate else "map"
