"""Lines of a feed, and the queries they are about, for the tests of alerts."""

from __future__ import annotations

from typing import Any

from antelog.watch.alerts.alert import AlertQuery

QUERIES = (
    AlertQuery("Malf", ("X", "T"), "T", "likely"),
    AlertQuery("Total", ("City", "V"), None, "confirmed"),
)


def line(change: str = "likely", query: str = "Malf", /, **more: Any) -> dict[str, Any]:
    """A change, with what is given in place of the usual."""
    decided = change in ("confirmed", "rejected")
    outlook = {} if decided else {"if_silent": None, "decided_by": 10, "chance": 0.84}
    return {
        "tick": 8,
        "change": change,
        "query": query,
        "answer": {"X": "wt2", "T": 7},
        "explanations": [{"evidence": ["Temp(wt2, high, 7)"], "hypotheses": ["Temp(wt2, high, 8)"]}],
        **outlook,
        **more,
    }
