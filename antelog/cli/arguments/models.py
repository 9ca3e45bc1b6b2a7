"""`--model`: from where it is known how likely open answers are, a file or what is learned on the way.

And `--min-chance` and `--most`: which of them are too unlikely, or too many, to be told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from antelog.compile.nodes.plan import Plan
from antelog.process import LEARN

F = TypeVar("F", bound=Callable[..., Any])


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

min_chance_option = click.option(
    "--min-chance", type=click.FloatRange(0, 1), metavar="CHANCE",
    help="Leave out lines of open answers that are less likely than this, such as 0.01.",
)  # fmt: skip


def most_option(within: str = "") -> Callable[[F], F]:
    """The option of a command; `within` says in what the answers are counted, if not all together."""
    said = f"Of each query and tick, give the lines of N open answers{within}, the likeliest."
    return click.option("--most", type=click.IntRange(min=1), metavar="N", help=said)


def forecast_of(plan: Plan, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the three options give an engine. Raises UsageError if nothing says how likely answers are."""
    forecast = {name: given[name] for name in ("model", "min_chance", "most")}
    asked = any(each is not None for each in forecast.values())
    if asked and forecast["model"] is None and not plan.declares_chances:
        raise click.UsageError("--min-chance and --most need chances; give a --model, or --model learn")
    return forecast
