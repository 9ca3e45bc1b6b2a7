"""How numbers and times are written as texts, in files, frames and messages, whoever reads them.

    -12.5e3   3   .5                                       numbers
    17   17.0                                              times: whole numbers
    2024-02-29   2024-02-29 13:45   2024-02-29T13:45:10.5Z    times: timestamps, as in ISO 8601

The patterns are for Arrow in this process and for Java on Spark: what both understand alike.
"""

from __future__ import annotations

NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"

WHOLE_TIME = r"^\s*[+-]?([0-9]{1,18}|[1-8][0-9]{18})(\.0*)?\s*$"
"""Not one that takes more than 64 bits."""

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}(:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?)?"
_ZONE = r"(Z|[+-][0-9]{2}(:?[0-9]{2})?)"

DATE = rf"^\s*{_DAY}\s*$"
"""A timestamp without a time of day: a day of the program's zone."""

STAMP = rf"^\s*{_DAY}([T ]{_CLOCK}{_ZONE}?)?\s*$"

ZONED = rf"[T ]{_CLOCK}{_ZONE}$"
"""The end of a timestamp that says its zone, without blanks behind it."""

EXACT = 2**53
"""Beyond this a double no longer tells each whole number from the next."""

ROUNDED = "has more digits than a number can keep; declare the column as `integer` or `text`"
"""What is said of a number beyond it."""

NO_NUMBER = "is not a number"

NOT_WHOLE = "is not a whole number within 64 bits"


def nature_of_times(tick: int | None) -> str:
    """The kinds of times a program accepts, in words; timestamps only if it gives the length of a tick."""
    return "a whole number" if tick is None else "a whole number or a timestamp"
