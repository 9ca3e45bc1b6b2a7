"""The kinds of changes there are where answers are forecast: more than without."""

from __future__ import annotations

from antelog.engine.log.changes import KINDS as PLAIN_KINDS

LIKELY, UNLIKELY, DROPPED = "likely", "unlikely", "dropped"

KINDS = (*PLAIN_KINDS, LIKELY, UNLIKELY, DROPPED)
"""All kinds of changes; two more come of queries with an `alert`, the last one of `min_chance` and `most`."""
