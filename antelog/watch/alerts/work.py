"""What the process that sends alerts is told, what it says, and what it leaves for the page."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from antelog.escaping import shown
from antelog.watch.alerts.alert import Wanted

COUNTS = "alerts.json"
"""The file in the feed's folder that has what became of the alerts, for the page."""

GRACE = 10.0
"""So many seconds are left for what waits once the stream has ended."""


@dataclass(frozen=True)
class Work:
    """The feed's folder, the file of what waits and of how far the feed is read, and the alerts."""

    feed: str
    outbox: str
    wanted: Wanted


def say(message: str) -> None:
    """A message on stderr."""
    sys.stderr.write(f"alerts: {shown(message)}\n")
    sys.stderr.flush()
