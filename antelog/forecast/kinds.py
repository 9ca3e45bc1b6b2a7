"""The kinds of changes there are where answers are forecast: two more than without."""

from __future__ import annotations

from antelog.engine.log.changes import KINDS as PLAIN_KINDS

LIKELY, UNLIKELY = "likely", "unlikely"

KINDS = (*PLAIN_KINDS, LIKELY, UNLIKELY)
"""All kinds of changes; the last two come of queries with an `alert`."""
