"""How numbers and times are written as texts in files, frames and messages, in patterns that Java reads, too.

Times are whole numbers, of ISO 8601, or unambiguous: 2024/02/29 13:45, 20240229T134510Z, 29.02.2024 13:45.
*Rewrites* are patterns with replacements that turn a text into ISO 8601, one after the other.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache, lru_cache
from typing import TypeAlias

from antelog.language.checks.suggestions import did_you_mean
from antelog.language.checks.units import hint_of
from antelog.language.epochs import UNITS
from antelog.language.moments import zones

Rewrites: TypeAlias = tuple[tuple[str, str], ...]

NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"

WHOLE_TIME = r"^\s*[+-]?([0-9]{1,18}|[1-8][0-9]{18})(\.0*)?\s*$"  # a whole number within 64 bits

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_ANY_DAY = rf"({_DAY}|[0-9]{{4}}/[0-9]{{2}}/[0-9]{{2}}|[0-9]{{1,2}}\.[0-9]{{1,2}}\.[0-9]{{4}})"
_SECONDS = r"[0-9]{2}([.,][0-9]+)?"
_CLOCK = rf"[0-9]{{2}}(:[0-9]{{2}}(:{_SECONDS})?)?"
_ZONE = r"(Z|[+-][0-9]{2}(:?[0-9]{2})?)"

DATE = rf"^\s*{_DAY}\s*$"  # a timestamp without a time of day, as in ISO 8601

ISO = rf"^\s*{_DAY}([T ]{_CLOCK}{_ZONE}?)?\s*$"

STAMP = (
    rf"^\s*({_ANY_DAY}([T ]{_CLOCK}{_ZONE}?)?|[0-9]{{8}}[T ][0-9]{{2}}([0-9]{{2}}({_SECONDS})?)?{_ZONE}?)\s*$"
)
"""A timestamp in any unambiguous form."""

ZONED = rf"[T ]{_CLOCK}{_ZONE}$"  # the end of a timestamp of ISO 8601 with a zone, without blanks after it

TO_ISO: Rewrites = (
    (r"^([0-9]{4})/([0-9]{2})/", r"\1-\2-"),
    (r"^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})", r"\3-0\2-0\1"),
    (r"^([0-9]{4}-)0?([0-9]{2}-)0?([0-9]{2})", r"\1\2\3"),
    (r"^([0-9]{4})([0-9]{2})([0-9]{2})[T ]([0-9]{2})", r"\1-\2-\3T\4"),
    (r"^(.{10}T[0-9]{2})([0-9]{2})", r"\1:\2"),
    (r"^(.{10}T[0-9]{2}:[0-9]{2})([0-9]{2})", r"\1:\2"),
)
"""Rewrites of every other form of a timestamp, without blanks around it."""

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DIRECTIVES = {
    **dict.fromkeys("mdHIMS", "([0-9]{1,2})"),
    "Y": "([0-9]{4})",
    "y": "([0-9]{2})",
    "f": "([0-9]{1,9})",
    "p": "([AaPp][Mm])",
    "z": "(Z|[+-][0-9]{2}:?[0-9]{2})",
    "b": "([A-Za-z]+)",
    "B": "([A-Za-z]+)",
    "a": "[A-Za-z]+",
    "A": "[A-Za-z]+",
    "%": "%",
}


@cache
def rewrites_of(form: str) -> Rewrites:
    """Rewrites of texts in a format of `strptime`: `%m/%d/%Y`. Raises ValueError if there are none."""
    parts = re.findall(r"%.?|\s+|[^%\s]+", form.strip())
    for name in (names := [part[1:] for part in parts if part[0] == "%"]):
        if name not in _DIRECTIVES:
            raise ValueError(f"%{name} is not known; the directives are %{', %'.join(_DIRECTIVES)}")
    groups = [name for name in names if "(" in _DIRECTIVES[name]]
    at = {name: rf"\{groups.index(name) + 1}" for name in groups}
    year, month = at.get("Y", f"<{at.get('y')}"), at.get("b", at.get("B", f"0{at.get('m')}"))
    if "None" in year + month or "d" not in at or len(at) < len(groups):
        raise ValueError("It needs a year, a month and a day (%Y, %m, %d), each once")
    hour, minute, second = (f"0{at[name]}" if name in at else "00" for name in ("H", "M", "S"))
    hour = f"0{at['I']}" if "I" in at else hour
    clock = f"T{hour}:{minute}:{second}{'.' + at['f'] if 'f' in at else ''}{at.get('z', '')}"
    pattern = "".join(
        _DIRECTIVES[part[1:]] if part[0] == "%" else r"\s+" if part.isspace() else re.escape(part)
        for part in parts
    )
    iso = f"{year}-{month}-0{at['d']}" + (clock if {"H", "I"} & at.keys() else "")
    found = [(rf"^\s*{pattern}\s*$", f"{iso} {at['p']}" if "p" in at else iso)]
    if "y" in at:
        found += [("^<([0-5][0-9]|6[0-8])-", r"20\1-"), ("^<([0-9]{2})-", r"19\1-")]
    if {"b", "B"} & at.keys():
        found += [(f"(?i)^([0-9]{{4}})-{each}[a-z]*-", rf"\1-{n:02}-") for n, each in enumerate(_MONTHS, 1)]
    found.append((r"([-T:])0([0-9]{2})", r"\1\2"))
    if "p" in at:
        found += [(r"T12(:[^ ]+) [Aa][Mm]$", r"T00\1")]
        found += [(rf"T{n:02}(:[^ ]+) [Pp][Mm]$", rf"T{n + 12}\1") for n in range(1, 12)]
        found += [(r"(T[0-9]{2}:[^ ]+) [AaPp][Mm]$", r"\1")]
    return tuple(found)


def no_reading(what: str, value: str) -> tuple[str, str] | None:
    """Why a value is not a `unit`, `zone` or `form` of times, and a hint; None if it is one."""
    if what == "form":
        try:
            rewrites_of(value)
        except ValueError as error:
            return f"`{value}` is not a format of times", f"{error}."
        return None
    if value in (UNITS if what == "unit" else zones()):
        return None
    hint = hint_of(value) if what == "unit" else did_you_mean(value, zones())
    return f"`{value}` is not a {what} of times", hint or "Zones are called as in `Europe/Berlin`."


_CLOCKS = (
    (r"^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*", "%a"),
    (r"\b[0-9]{1,2}:[0-9]{2}", "%H:%M"),
    (r"%M:[0-9]{2}", "%M:%S"),
    (r"%S[.][0-9]+", "%S.%f"),
    (r"%H(.*?)( ?)[AaPp][Mm]", r"%I\1\2%p"),
    (r"(%[MSf] ?)(Z|[+-][0-9]{2}:?[0-9]{2})$", r"\1%z"),
    (r"\b[A-Za-z]{3,}\b(?=[-/ ,.]*[0-9])", "%b"),
    (r"\b[0-9]{4}\b", "%Y"),
)


@lru_cache(1000)
def format_like(text: str) -> str | None:
    """A format in which a text would be a timestamp, if it is not one already; None if there is none."""
    form = "" if re.match(STAMP, text) else text.strip()
    for pattern, directive in _CLOCKS:
        form = re.sub(pattern, directive, form, count=1)
    for order in ("m", "d", "y"), ("d", "m", "y"), ("d", "y"):
        tried = form
        for name in order:
            tried = re.sub(r"\b[0-9]{1,2}\b", f"%{name}", tried, count=1)
        if re.search("(?<!%)[A-Za-z0-9]", tried):
            continue
        try:
            iso = text
            for pattern, replacement in rewrites_of(tried):
                iso = re.sub(pattern, replacement, iso)
            datetime.fromisoformat(iso)
        except ValueError:
            continue
        return tried
    return None


EXACT = 2**53  # beyond this a double cannot tell each whole number from the next

ROUNDED = "has more digits than a number can keep; declare the column as `integer` or `text`"
"""The message about a number beyond it."""

NO_NUMBER = "is not a number"

NOT_WHOLE = "is not a whole number within 64 bits"
