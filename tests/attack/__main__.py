"""The attacks at the size one wants: `python -m tests.attack programs --count 30000 --seed 1`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click

from tests.attack.findings import Attempt, all_of, report

ATTACKS = (
    "programs", "files", "frames", "calls", "functions", "rotations", "sizes", "changing",
    "posts", "processes", "receivers", "on_spark", "sources", "suites", "times", "words",
)  # fmt: skip
"""Modules of this package; each is loaded when it is asked for, since together they load every library."""


def attempts(attack: str, count: int, seed: int) -> Iterator[Attempt]:
    """The first attempts of an attack."""
    found: Iterator[Attempt] = import_module(f"tests.attack.{attack}").attempts(count, seed)
    return found


@click.command()
@click.argument("attack", type=click.Choice(ATTACKS))
@click.option("--count", default=1000, show_default=True, help="How many attempts, at most.")
@click.option("--seed", default=1, show_default=True, help="Another seed makes other attempts.")
@click.option("--traces", type=click.Path(path_type=Path), help="A file for the tracebacks.")
@click.pass_context
def main(ctx: click.Context, attack: str, count: int, seed: int, traces: Path | None) -> None:
    """Try odd or large programs, odd files, frames or calls, and print what should not have happened."""
    done, found = all_of(attempts(attack, count, seed))
    for line in report(done, found):
        click.echo(line.encode("utf-8", "backslashreplace").decode())
    if traces is not None:
        texts = (f"{each.name}\n{each.trace}" for each in found)
        traces.write_bytes("\n\n".join(texts).encode("utf-8", "backslashreplace"))
    ctx.exit(1 if found else 0)


if __name__ == "__main__":
    main()
