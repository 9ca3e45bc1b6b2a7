"""The command `antelog`."""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from antelog.cli.arguments.completion import completion
from antelog.cli.show.endings import checked_outputs
from antelog.cli.show.terminal import shown_mistakes

_TEXTS: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("commands.toml").read_text("utf-8")
)
_COMMANDS = {name: each["line"] for name, each in _TEXTS.items() if "line" in each}
_MODULES = {"format": "format_", "test": "test_", "try": "try_", "learn": "chances", "score": "chances"}


class _Commands(click.Group):
    """A group that imports a command when it is called, and suggests one for a mistyped name."""

    def main(self, *args: Any, **more: Any) -> Any:
        with checked_outputs():
            return super().main(*args, **more)

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        with shown_mistakes():
            return super().make_context(*args, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with shown_mistakes():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_COMMANDS})

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._line(name)) for name in self.list_commands(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        found = [CompletionItem(name, help=self._line(name)) for name in names]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def _line(self, name: str) -> str:
        return _COMMANDS.get(name) or self.commands[name].get_short_help_str()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _COMMANDS and cmd_name not in self.commands:
            module = import_module(f"antelog.cli.commands.{_MODULES.get(cmd_name, cmd_name)}")
            command = next(
                each
                for each in vars(module).values()
                if isinstance(each, click.Command) and each.name == cmd_name
            )
            known = _TEXTS[cmd_name]
            command.short_help, command.help = known["line"], known["help"]
            command.epilog = known.get("ends", command.epilog)
            self.add_command(command)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], self.list_commands(ctx), n=1)
            if near:
                raise click.UsageError(f"{error.message} Did you mean {near[0]}?", ctx) from None
            raise


@click.group(
    cls=_Commands, help=_TEXTS["antelog"]["help"], context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="antelog", message="%(prog)s %(version)s")
def main() -> None:
    """Answers before they are certain: rules over streams that come late and out of order."""


main.add_command(completion)
