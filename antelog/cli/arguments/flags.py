"""Flags of commands, derived from structs of options: `@flags(TRY, settings=Settings)`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from antelog.cli.arguments.completion import COMPLETE
from antelog.cli.show.endings import ending_in_words
from antelog.cli.show.terminal import say
from antelog.run.options import Arity, Option, Runner, options_of
from antelog.run.values import SettingError
from antelog.secrets import shows_secret

Command = TypeVar("Command", bound=Callable[..., Any])

# A key in the context of a command with an option that shows a secret.
FINE = "Exit status: 0 fine, 1 the program or the data is wrong, 2 the command is."
FINE_ON_STDOUT = f"{FINE} Results go to stdout, everything else to stderr."

SECRET_SHOWN = "antelog: a secret is shown"
_WARNING = (
    "warning: everyone who may list the processes of this machine can read the password on the command "
    "line; write '${NAME}' in its place and set the variable NAME, or use --config"
)


class OptionType(click.ParamType[Any]):
    """The type of an option for Click: parses a text, or fails with a usage error."""

    def __init__(self, option: Option, runner: Runner) -> None:
        self.name = option.syntax.metavar
        self._option, self._runner = option, runner

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if ctx is not None and shows_secret(str(value)):
            ctx.meta[SECRET_SHOWN] = True
        try:
            return self._option.read(str(value), self._runner)
        except SettingError as error:
            return self.fail(str(error), param, ctx)

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        del param, ctx
        return self._option.text(self._runner)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        del ctx, param  # the words are the same everywhere
        syntax = self._option.syntax
        found = [CompletionItem(each) for each in syntax.words if each.startswith(incomplete)]
        return [*found, CompletionItem(incomplete, type="file")] if syntax.is_path else found


def flags(runner: Runner, **structs: type) -> Callable[[Command], Command]:
    """Adds the options of structs to a command, which gets each struct as an argument, and ends in words."""
    options = [each for struct in structs.values() for each in options_of(struct, runner.name)]

    def wrap(command: Command) -> Command:
        @functools.wraps(command)
        def call(**given: Any) -> Any:
            ctx = click.get_current_context()
            found = {name: _made(ctx, struct, runner, given) for name, struct in structs.items()}
            if SECRET_SHOWN in ctx.meta:
                say(_WARNING)
            rest = {name: value for name, value in given.items() if name not in attributes}
            with ending_in_words(ctx, debug=bool(given.get("debug"))):
                return command(**rest, **found)

        attributes = {each.attribute for each in options}
        decorated: Any = call
        for each in reversed(options):
            if each.arity is not Arity.ARGUMENT:
                decorated = _flag(each, runner)(decorated)
        return decorated  # type: ignore[no-any-return]  # Click's decorators keep no types

    return wrap


def _made(ctx: click.Context, struct: type, runner: Runner, given: Mapping[str, Any]) -> Any:
    found = {}
    for each in options_of(struct, runner.name):
        source, value = ctx.get_parameter_source(each.attribute), given.get(each.attribute)
        if source not in (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT) or value is None:
            continue
        try:
            found[each.attribute] = each.joined(value) if _is_repeated(each) else value
        except SettingError as error:
            raise click.BadParameter(str(error), param_hint=each.flag) from None
    known = any(each.name == "given" for each in fields(struct))
    return struct(**found, **({"given": frozenset(found)} if known else {}))


def _is_repeated(option: Option) -> bool:
    return option.arity is Arity.MANY or option.naming is not None


def _flag(option: Option, runner: Runner) -> Callable[[Any], Any]:
    usual = f"  [default: {option.usual}]" if option.usual else ""
    more: dict[str, Any] = {"help": f"{option.text(runner)}{usual}", "envvar": option.variable or None}
    if option.arity is Arity.FLAG:
        name = f"{option.flag}/{option.opposite}" if option.opposite else option.flag
        return click.option(name, option.attribute, is_flag=True, **more)
    if option.complete:
        more["shell_complete"] = COMPLETE[option.complete]
    return click.option(
        option.flag,
        *([option.short] if option.short else []),
        option.attribute,
        type=OptionType(option, runner),
        metavar=option.syntax.metavar,
        multiple=_is_repeated(option),
        required=option.required,
        **more,
    )
