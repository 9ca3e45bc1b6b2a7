"""\"Did you mean …?\""""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches


def similar(name: str, known: Iterable[str]) -> list[str]:
    """The known names that `name` may be a misspelling of, the likeliest first.

    Names that differ in nothing but numbers (`Temp1`, `Temp2`) are meant to differ.
    """
    candidates = {k.lower(): k for k in known if k != name and _letters(k) != _letters(name)}
    if len(name) < 3:
        return [candidates[name.lower()]] if name.lower() in candidates else []
    return [candidates[match] for match in get_close_matches(name.lower(), candidates, n=2, cutoff=0.75)]


def _letters(name: str) -> str:
    return re.sub(r"\d+", "", name)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The suggestion as a sentence, or nothing if no known name is near."""
    near = similar(name, known)
    return f"Did you mean {' or '.join(near)}?" if near else ""
