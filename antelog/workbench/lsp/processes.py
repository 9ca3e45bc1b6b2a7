"""Commands of antelog in processes of their own, and what they print."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

PATIENCE = 60.0
"""Seconds after which a command is given up."""
_MOST = 200_000
"""Letters of a result that are shown."""


async def printed_by(words: Sequence[str], folder: Path) -> str:
    """The output of `antelog` with some words, run in a folder.

    Nothing of that folder is imported. A command that takes too long is ended, and a sentence says so.
    """
    kept = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "antelog", *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**kept, "COLUMNS": "120", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"},
        cwd=folder,
    )
    try:
        printed, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    except TimeoutError:
        return f"It took more than {PATIENCE:.0f} seconds, and was given up."
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    text = printed.decode("utf-8", "replace").replace(f"{folder}{os.sep}", "")
    return text if len(text) <= _MOST else f"{text[:_MOST]}\n… and {len(text) - _MOST:,} letters more\n"
