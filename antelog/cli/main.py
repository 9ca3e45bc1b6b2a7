"""The command `antelog`."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from antelog.cli.arguments.completion import completion
from antelog.cli.show.endings import checked_outputs
from antelog.cli.show.terminal import shown_mistakes

_MODULES = {
    "check": "check",
    "diff": "diff",
    "draw": "draw",
    "format": "format_",
    "learn": "learn",
    "lsp": "lsp",
    "play": "play",
    "run": "run",
    "score": "score",
    "test": "test_",
    "try": "try_",
    "watch": "watch",
    "why": "why",
}


class _Commands(click.Group):
    """A group that imports the command that is asked for, and suggests the one that was probably meant."""

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
        return sorted({*super().list_commands(ctx), *_MODULES})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _MODULES and cmd_name not in self.commands:
            module = import_module(f"antelog.cli.commands.{_MODULES[cmd_name]}")
            self.add_command(getattr(module, _MODULES[cmd_name]))
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


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="antelog", message="%(prog)s %(version)s")
def main() -> None:
    """Answers before they are certain: rules over streams that come late and out of order.

    \b
    Examples:
      antelog check turbines.alog                                       what the rules tell, and when
      antelog test rules                                                what the rules' own tests say
      antelog try turbines.alog --input Temp=Temp.csv --format table    recorded facts, in this process
      antelog run turbines.alog --input Temp=Temp.csv --output console  a pipeline on Spark
      antelog learn turbines.alog --input Temp=Temp.csv -o turbines.model  how likely answers are
      antelog watch turbines.alog --input Temp=Temp.csv                 facts as they come, with a page
      antelog draw turbines.alog --input Temp=Temp.csv -o answers.html  a picture of the answers
      antelog play                                                      rules and facts to edit, with a page
      antelog why turbines.alog 'Malf(wt2, 0)' --input Temp=Temp.csv    why an answer is there, or why not
      antelog diff old.alog new.alog                                    what a new version changes
      antelog format turbines.alog                                      its text, laid out anew
      antelog completion bash                                           what makes Tab complete all this
    """


main.add_command(completion)
