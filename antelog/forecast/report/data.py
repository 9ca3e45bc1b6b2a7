"""Scores as JSON: what the table has, for programs to read."""

from __future__ import annotations

from collections.abc import Mapping

from antelog.escaping import json_text
from antelog.forecast.scores import Scores, table


def report_json(by_query: Mapping[str, Scores], tick: int | None = None) -> str:
    """The scores of each query. Lead times are in ticks, each so many microseconds long, if that is known."""
    return json_text({"tick_microseconds": tick, "queries": table(by_query).to_pylist()}) + "\n"
