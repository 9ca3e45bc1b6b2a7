"""Options that name files of recorded facts, and how far they are replayed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from antelog.cli.arguments.completion import inputs_of, statics_of
from antelog.cli.arguments.maps import maps_of
from antelog.cli.arguments.pairs import files_of_inputs, files_of_statics, pair
from antelog.cli.arguments.ticks import tick_of
from antelog.compile.nodes.plan import Plan
from antelog.run.replay import Recording

input_option = click.option(
    "--input", "inputs", type=pair, metavar="P=FILE", multiple=True, shell_complete=inputs_of,
    help="The file with the facts of an input: CSV, JSON lines or Parquet, by its ending.",
)  # fmt: skip

static_option = click.option(
    "--static", "statics", type=pair, metavar="P=FILE", multiple=True, shell_complete=statics_of,
    help="The file with facts of a static predicate, in addition to those of the program.",
)  # fmt: skip

arrival_option = click.option(
    "--arrival", metavar="NAME", default="arrival", show_default=True,
    help="The column with the ticks or timestamps at which facts arrived. In a file without it, they "
    "arrive at their own time.",
)  # fmt: skip

until_option = click.option(
    "--until", metavar="TICK",
    help="The last tick, a number or a timestamp. If not given, it is the last fact's arrival, or the tick "
    "by which all that was open then is decided.",
)  # fmt: skip

rejects_option = click.option(
    "--rejects", type=click.Path(dir_okay=False, path_type=Path),
    help="Write every row that was set aside, with the reason, to this file (.csv or .jsonl).",
)  # fmt: skip


def recording_of(plan: Plan, given: Mapping[str, Any]) -> Recording:
    """The files that the options above name. Raises BadParameter for what does not fit the program."""
    return Recording(
        files_of_inputs(plan, given["inputs"]),
        files_of_statics(plan, given["statics"]),
        given["arrival"],
        tick_of(given["until"], plan, "--until"),
        maps_of(plan, given),
    )
