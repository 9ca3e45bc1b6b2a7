"""Starts the command `antelog`, which Ctrl-C ends with one line, also while it is being loaded."""

from __future__ import annotations

from antelog.cli.stopping import guard


def main() -> None:
    guard()
    from antelog.cli.main import main as command  # noqa: PLC0415 - importing is what takes long

    command()
