"""`--time-unit ms`, `--time-unit Temp=ms`: in which unit the numbers of a column of times count since 1970.

In come texts and a program, out goes the program that reads times so; or what is wrong, before anything is
read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import click

from antelog.cli.arguments.completion import inputs_of
from antelog.cli.arguments.maps import Misfit
from antelog.cli.arguments.reading import Read, sides
from antelog.compile.nodes.plan import Plan
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.checks.units import hint_of
from antelog.language.epochs import UNITS
from antelog.program import Program
from antelog.run.values import SettingError


def unit(text: str) -> str:
    """A unit. Raises SettingError."""
    if text not in UNITS:
        raise SettingError(f"`{text}` is not a unit of times", hint_of(text))
    return text


def unit_of(text: str) -> tuple[str, str]:
    """`P=UNIT`, or only `UNIT`, of all inputs: they have an empty name. Raises SettingError."""
    name, found = sides(text) if "=" in text else ("", text.strip())
    return name, unit(found)


time_unit_option = click.option(
    "--time-unit", "time_units", type=Read("[P=]UNIT", unit_of), metavar="[P=]UNIT", multiple=True,
    shell_complete=inputs_of,
    help="What numbers in columns of times count since 1970, in all inputs or in one: s, ms, us or ns; or "
    "that they are ticks. If not given, it is recognised where numbers are too large for ticks.",
)  # fmt: skip


def misfits(plan: Plan, units: Mapping[str, str]) -> Iterator[Misfit]:
    """The units that do not fit a program."""
    names = [each.name for each in plan.inputs]
    for name in units:
        if name and name not in names:
            hint = did_you_mean(name, names) or f"Known are: {', '.join(names) or 'none'}."
            yield Misfit(name, f"the program has no input {name}", hint)
        elif plan.tick is None:
            message = "the program does not say how long a tick is, so that all times are numbers of ticks"
            yield Misfit(name, message, "Declare it in the program: `tick 1 minute.`")


def counted(program: Program, units: Mapping[str, str]) -> Program:
    """The program with these units, an empty name standing for all inputs that have none of their own."""
    if not units:
        return program
    everywhere = {each.name: units[""] for each in program.plan.inputs if "" in units}
    return program.with_units({**everywhere, **{name: each for name, each in units.items() if name}})


def with_units(program: Program, given: Sequence[tuple[str, str]]) -> Program:
    """The program with the units of the option. Raises BadParameter for what does not fit it."""
    for each in misfits(program.plan, dict(given)):
        raise click.BadParameter(f"{each.message}. {each.hint}", param_hint="'--time-unit'")
    return counted(program, dict(given))
