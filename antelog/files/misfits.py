"""Messages about files with other columns than the wanted ones: what they have, and which `--map` helps.

    readings.csv: has no column device for Temp(device, level, time); it has sensor_id, level, time.
    Say which column it is, as in --map Temp.device=sensor_id

Makes a sentence that says what to do, from the wanted columns and the names in the file.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Sequence

from antelog.language.checks.suggestions import did_you_mean, similar

_SHOWN = 20
"""So many names of a file are shown."""
_TIMES = re.compile(
    r"(^|[_.])(time|ts|at|utc|date|day|week|when|sent|epoch|nanos|millis)$|(^|[_.])time[_.]|timestamp",
    re.IGNORECASE,
)
"""What times are often called."""
_ARRIVALS = re.compile(r"(^|[_.])(received|arrived|arrival|seen|ingested)($|[_.])", re.IGNORECASE)
"""What the times are often called at which rows arrived."""
_UNKNOWN = "COLUMN"
"""What stands for a name that nothing speaks for."""
_SHORTEST = 3
"""A name of fewer letters is part of too many others."""


def has(names: Sequence[str], inner: Iterable[str] = ()) -> str:
    """The columns a file has; in place of one with fields of its own, the paths of these."""
    known = _flat(names, inner)
    return ", ".join(known[:_SHOWN]) + (", …" if len(known) > _SHOWN else "") if known else "none"


def no_columns(
    owner: str, columns: Sequence[str], missing: Sequence[str], names: Sequence[str], inner: Iterable[str]
) -> str:
    """That some columns of a predicate are missing, and how to say which they are; the last may be a time."""
    inner = list(dict.fromkeys(inner))
    free = [name for name in _flat(names, inner) if name and name not in columns]
    many = len(missing) > 1
    said = f"has no column{'s' if many else ''} {', '.join(missing)} for {owner}({', '.join(columns)}); "
    found = _counterparts(missing, free, columns[-1])
    maps = " ".join(f"--map {shlex.quote(f'{owner}.{each}={found.get(each, _UNKNOWN)}')}" for each in missing)
    remedy = f"Say which column{'s they are' if many else ' it is'}, as in {maps}"
    filled = "" if len(found) == len(missing) else f", where {_UNKNOWN} is to be one of these"
    return f"{said}it has {has(names, inner)}. {remedy}{filled}"


def arrivals_of(names: Sequence[str], inner: Iterable[str]) -> str | None:
    """The column of a file that most likely says when its rows arrived."""
    return next((name for name in _flat(names, inner) if _ARRIVALS.search(name)), None)


def not_mapped(column: str, name: str, names: Sequence[str], inner: Iterable[str]) -> str:
    """That a file does not have the column that `--map` speaks of."""
    inner = list(dict.fromkeys(inner))
    hint = did_you_mean(name, _flat(names, inner)) or f"It has {has(names, inner)}."
    return f"has no column {name}, which {column} is mapped to. {hint}"


def _flat(names: Sequence[str], inner: Iterable[str]) -> list[str]:
    """The names, but for those of fields that have others within them in some row."""
    inner = list(dict.fromkeys(inner))
    around = {path[:at] for path in inner for at, letter in enumerate(path) if letter == "."}
    return [name for name in dict.fromkeys([*names, *inner]) if name not in around]


def _counterparts(missing: Sequence[str], free: Sequence[str], last: str) -> dict[str, str]:
    """For missing columns one of the file that it may be: the surest are chosen first.

    A column is proposed if its name is like the wanted one, since users paste what is proposed. If just one
    column is missing, and the file has just one left, that one is proposed whatever its name.
    """
    rules: tuple[Callable[[str, str], bool], ...] = (
        lambda column, name: name.casefold() == column.casefold(),
        lambda column, name: bool(similar(column, [name])),
        lambda column, name: column == last and bool(_TIMES.search(name)),
        lambda column, name: _is_part(column, name) or _is_part(name, column),
        lambda column, name: any(_is_short(word, column) for word in re.split("[^a-z]+", name.casefold())),
    )
    found: dict[str, str] = {}
    came = [*filter(_ARRIVALS.search, free)]
    for rule in rules:
        for column in missing:
            left = (name for name in free if name not in found.values() and name not in came)
            fitting = (name for name in left if rule(column, name.rpartition(".")[2]) or rule(column, name))
            if column not in found and (name := next(fitting, None)) is not None:
                found[column] = name
    if last in missing and last not in found and len(came) == 1:
        found[last] = came[0]
    odd = (*found.values(), *filter(_TIMES.search, free), *came)
    rest = [name for name in free if name not in odd]
    others = [column for column in missing if column not in found]
    return found | dict(zip(others, rest, strict=True)) if len(rest) == len(others) == 1 else found


def _is_part(name: str, of: str) -> bool:
    return len(name) >= _SHORTEST and name.casefold() in of.casefold()


def _is_short(word: str, of: str) -> bool:
    """Whether a word has some letters of a name, in order, from the first on: `pkg` of `package`."""
    letters = iter(of.casefold())
    return len(word) >= _SHORTEST and word[0] == of[0].casefold() and all(each in letters for each in word)
