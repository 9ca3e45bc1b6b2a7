"""`--model`: from where it is known how likely open answers are, a file or what is learned on the way."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from antelog.forecast.engine import LEARN


def model_of(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """`learn`, and files."""
    words = [CompletionItem(LEARN)] if LEARN.startswith(incomplete) else []
    return [*words, CompletionItem(incomplete, type="file")]


def path_of(_ctx: click.Context, _parameter: click.Parameter, text: str | None) -> str | Path | None:
    """The word `learn` as it is, and anything else as a path."""
    return text if text is None or text == LEARN else Path(text)


model_option = click.option(
    "--model", metavar="MODEL|learn", callback=path_of, shell_complete=model_of,
    help="Say how likely open answers are: by what `antelog learn` has written, or by what is learned "
    "on the way.",
)  # fmt: skip
