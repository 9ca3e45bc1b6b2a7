"""Tab completion: the command that prints a shell's script, and suggestions for `P=FILE`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from antelog.cli.show.terminal import tell
from antelog.errors import AntelogError
from antelog.escaping import shown
from antelog.files.naming import form_of

if TYPE_CHECKING:
    from antelog.program import Program

    Names = Callable[[Program], list[str]]

_VARIABLE = "_ANTELOG_COMPLETE"
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


class _Bash(BashComplete):
    """Completion for Bash, which splits `P=FILE` into three words, where Click expects one."""

    source_template = Path(__file__).with_suffix(".bash").read_text(encoding="utf-8")

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_LINE"]
        words = split_arg_string(line)
        last = words.pop() if words and not line[-1:].isspace() else ""
        return words[1:], last

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        before = incomplete[: incomplete.rfind("=") + 1]
        items = super().get_completions(args, incomplete)
        return [CompletionItem(each.value.removeprefix(before), each.type) for each in items]


add_completion_class(_Bash)


@click.command(short_help="Print what makes Tab complete commands, options and files.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script that completes commands, options, predicates and files when you press Tab.

    \b
    Examples:
      eval "$(antelog completion bash)"                            for now; in ~/.bashrc for good
      eval "$(antelog completion zsh)"                             the same in ~/.zshrc
      antelog completion fish > ~/.config/fish/completions/antelog.fish
    """
    found = get_completion_class(shell)
    assert found is not None, "the shells to choose from are those that Click completes"
    tell(found(ctx.find_root().command, {}, "antelog", _VARIABLE).source())


def _completing(names: Names, *, files: bool = False) -> Complete:
    """A function that completes names of the program and, behind an equals sign, `files`."""

    def complete(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        name, sign, path = incomplete.partition("=")
        if files and sign:
            return [CompletionItem(f"{name}={file}") for file in _files(path)]
        # While an option lacks its value, Click has not read what comes before it.
        program = ctx.params.get("program") or ctx.params.get("source") or next(iter(ctx.args), None)
        if program is None:
            return []
        from antelog.program import load  # noqa: PLC0415 - help and the names of commands need no programs

        try:
            found = names(load(program))
        except AntelogError:  # the command will say it
            return []
        return [CompletionItem(each) for each in found if each.startswith(incomplete)]

    return complete


# Suggestions for options, by the names in structs of options.
COMPLETE: dict[str, Complete] = {
    "inputs": _completing(lambda program: [f"{each.name}=" for each in program.plan.inputs], files=True),
    "statics": _completing(lambda program: [f"{each.name}=" for each in program.plan.statics], files=True),
    "queries": _completing(lambda program: [each.name for each in program.plan.queries]),
    "limits": _completing(lambda program: [f"{each.name}=" for each in program.document.limits]),
}


def _files(beginning: str) -> Iterable[str]:
    """Paths of folders and of files of facts with this prefix, without control characters."""
    folder, _, start = beginning.rpartition("/")
    above = Path(folder or ("/" if beginning.startswith("/") else "."))
    prefix = f"{folder}/" if "/" in beginning else ""
    for each in sorted(above.glob("*")) if above.is_dir() else ():
        can_be_shown = shown(each.name) == each.name
        if each.name.startswith(start) and can_be_shown and (each.is_dir() or form_of(each) is not None):
            yield f"{prefix}{each.name}" + ("/" if each.is_dir() else "")
