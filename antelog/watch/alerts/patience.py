"""How long to wait before a receiver that failed is tried again.

About 1, 2, 4, … seconds, up to five minutes, each shortened by chance, so that many senders do not come back
at once. A receiver that says when to come back (`Retry-After`) is not tried before.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST = 300.0
LONGEST_ASKED = 3_600.0
"""A receiver that asks for more is asked again after an hour."""


def wait_after(failures: int, asked: float | None = None, draw: Callable[[], float] = random.random) -> float:
    """Seconds to wait after so many failures one after the other, the last of which `asked` for some."""
    longest = min(LONGEST, 2.0 ** min(failures - 1, 30))
    return max(longest * (1 + draw()) / 2, min(asked or 0.0, LONGEST_ASKED))


def seconds_asked(header: str | None, now: datetime | None = None) -> float | None:
    """What `Retry-After` says: seconds, or a date; None if it is neither."""
    if header is None:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        until = parsedate_to_datetime(header)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - (now or datetime.now(UTC))).total_seconds())
