"""\"Did you mean …?\""""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from antelog.errors import DataError


def similar(name: str, known: Iterable[str]) -> list[str]:
    """The known names that may be meant, the likeliest first, but for those with other numbers: `Temp2`."""
    letters = re.sub(r"\d+", "", name)
    candidates = {k.lower(): k for k in known if re.sub(r"\d+", "", k) != letters}
    if len(name) < 3:
        return [candidates[name.lower()]] if name.lower() in candidates else []
    return [candidates[match] for match in get_close_matches(name.lower(), candidates, n=2, cutoff=0.75)]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Suggests the nearest known names in a sentence; empty if none is near."""
    near = similar(name, known)
    return f"Did you mean {' or '.join(near)}?" if near else ""


def require_known(name: str, known: Collection[str], lack: str, has: str = "It has") -> None:
    """Raises DataError for a name that is not known: who lacks it, and the names that are near, or all."""
    if name not in known:
        hint = did_you_mean(name, known) or f"{has} {', '.join(known) or 'none'}."
        raise DataError(f"{lack} {name}. {hint}")
