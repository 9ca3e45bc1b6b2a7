"""The words of a line: each name in braces stands for a value, `{{` for a brace, "?" for what is not known.

Texts have no quotes. The values share 10,000 letters, and each has 20 at least of its beginning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tests.specification.reading import amount_of

_NAMED = re.compile(r"\{\{|\}\}|\{(\w+)\}")


def filled(words: str, answer: Mapping[str, object], line: Mapping[str, Any]) -> str:
    """The words of a query's line, in a program whose ticks are numbers."""
    explanations = line["explanations"] or [{}]
    amounts = ", ".join(_text(amount_of(each), "nothing") for each in explanations[0].get("so_far") or ())
    known = {"decided_by": line["decided_by"], "so_far": amounts or None, "chance": None, **answer}

    most = max(20, 10_000 // max(1, sum(found[1] is not None for found in _NAMED.finditer(words))))

    def value(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0][0]
        text = _text(known[found[1]])
        return text if len(text) <= most else f"{text[:most]}…"

    return _NAMED.sub(value, words)


def _text(value: object, none: str = "?") -> str:
    if value is None:
        return none
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
