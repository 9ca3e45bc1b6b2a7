"""The table of options in docs/commands.md, from the struct of settings.

python -m scripts.options     writes the table anew
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from antelog.run.options import Arity, Option, options_of
from antelog.run.settings import Settings
from antelog.run.source_settings import ALL

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"
BEGIN, END = "<!-- options -->\n", "<!-- end of options -->\n"
_ADDRESSES = {"{sources}": "see [Addresses](#addresses)", "{sinks}": "see [Addresses](#addresses)"}


def lines() -> Iterator[str]:
    """The rows of the table: option, key in a file, commands, help and default."""
    yield "| option | in a file | commands | what it is | if not given |"
    yield "| --- | --- | --- | --- | --- |"
    for each in options_of(Settings):
        if each.on:
            key = f"`{each.name}`" if each.in_file and {"run", "watch"} & {*each.on} else "-"
            commands = "all" if {*ALL} <= {*each.on} else ", ".join(f"`{name}`" for name in each.on)
            yield f"| `{_written(each)}` | {key} | {commands} | {_help(each)} | {each.usual or '-'} |"


def _written(option: Option) -> str:
    if option.arity is Arity.ARGUMENT:
        return option.name.upper()
    if option.arity is Arity.FLAG:
        return option.flag
    metavar = option.syntax.metavar.replace("|", "\\|")
    return f"{option.flag} {metavar}"


def _help(option: Option) -> str:
    found = option.help
    for name, text in _ADDRESSES.items():
        found = found.replace(name, text)
    return found.replace("|", "\\|").rstrip(".")


def table() -> str:
    return "\n".join(lines()) + "\n"


def with_table(page: str) -> str:
    """A page with the table between its two marks."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + "\n" + table() + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
