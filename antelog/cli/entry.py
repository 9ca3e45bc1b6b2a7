"""Starts the command `antelog`, which Ctrl-C ends with one line at any moment.

Until it is loaded, which takes longer than much of what it does,
and after its work, there is nothing to tidy up, and a signal ends the process at once. In between a
command gets a KeyboardInterrupt, and keeps what it has (see `ending_in_words`).
"""

from __future__ import annotations

from antelog.cli.stopping import guard


def main() -> None:
    """The command, with all it imports."""
    guard()
    from antelog.cli.main import main as command  # noqa: PLC0415 - importing is what takes long

    command()


if __name__ == "__main__":
    main()
