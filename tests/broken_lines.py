"""Lines that no program writes, as a log is a file, which may say anything; and what a terminal acts on."""

from __future__ import annotations

import unicodedata
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

OBEYED = [
    chr(number)
    for number in range(0x3000)  # beyond that there are none
    if (unicodedata.category(chr(number)) == "Cc" and chr(number) not in "\n\t")
    or unicodedata.bidirectional(chr(number))
    in {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    or number in (0x200E, 0x200F, 0x061C)
]
"""Control characters but for line ends and tabs, and those that turn the direction of text."""


def obeyed(text: str) -> list[str]:
    """The characters of a text that a terminal acts on."""
    return [character for character in text if character in OBEYED]
