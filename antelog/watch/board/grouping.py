"""Groups of answers: those of a device, for the page, alerts, and what people do about them.

Malf(wt2, 7), OK(wt2, 9)     wt2, if X is the program's key, or the first variable of each
Halted(7)                    Halted, which has no variable but the time
Malf(X, 7)                   ?, for X is open
"""

from __future__ import annotations

from collections.abc import Mapping

from antelog.language.templates import UNKNOWN


def group_name(query: str, values: Mapping[str, object], variable: str | None) -> str:
    """The group of an answer: its value of the variable; the query if it has none."""
    if variable is None or variable not in values:
        return query
    value = values[variable]
    if value is None:
        return UNKNOWN
    return str(value).lower() if isinstance(value, bool) else str(value)
