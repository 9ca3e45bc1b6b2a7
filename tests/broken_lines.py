"""Lines that no program writes: a log is a file, which may say anything."""

from __future__ import annotations

from typing import Any

EVIL = "<i>\u202e"
HOSTILE: dict[str, Any] = {
    "tick": 0,
    "query": EVIL,
    "answer": {EVIL: EVIL},
    "explanations": [{"evidence": [EVIL], "hypotheses": [EVIL]}],
    "if_silent": {"change": EVIL, "tick": 1},
    "decided_by": EVIL,
    "because": [EVIL],
}
"""A line with markup in each place; it has no `change`."""

ODD: tuple[dict[str, Any], ...] = (
    {"change": "possible"},
    {"status": 3},
    {"head": []},
    {"tick": 1, "change": "possible", "query": "Malf", "answer": [1, 2]},
    {"x": 1},
)
"""Records of which one has no meaning, and the others cannot be read."""
