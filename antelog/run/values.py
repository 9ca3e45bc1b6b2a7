"""Readers of settings from texts: each returns a value, or raises SettingError with advice."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from urllib.parse import urlsplit

from antelog.arrow.grammar import no_reading
from antelog.diagnostics import Span, problem
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.durations import microseconds
from antelog.language.syntax import Bound
from antelog.language.terms import number_of
from antelog.secrets import redacted

SILENT = "silent"  # the kind of alert that an input falls silent

ONCE, AVAILABLE_NOW = "once", "available-now"
CHANGES, ANSWERS = "changes", "answers"
AUTO = "auto"  # as many workers as this process may use cores
_SHORTEST_TOKEN = 16  # letters that make a token hard to guess


class SettingError(ValueError):
    """A setting's value cannot be used: why not, and what to write instead, without secrets."""

    def __init__(self, message: str, hint: str) -> None:
        self.message, self.hint = redacted(message), redacted(hint)
        super().__init__(f"{self.message}. {self.hint}")


def refused(kind: str, /, **values: object) -> SettingError:
    """The error with the words of this kind of `E703` in `problems.toml`."""
    found = problem(f"E703.{kind}", Span(0, 0), **values)
    return SettingError(found.message, found.hint)


def filled(text: str) -> str:
    """A text with `${NAME}` replaced by the variable NAME of the environment. Raises SettingError."""
    return re.sub(r"\$\{(\w+)\}", _variable, text)


def _variable(match: re.Match[str]) -> str:
    if match[1] not in os.environ:
        near = did_you_mean(match[1], os.environ)
        raise SettingError(f"the environment has no variable {match[1]}", near or "Set it before the start.")
    return os.environ[match[1]]


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise refused("no-whole-number", text=text, least=least) from None
        if number < least:
            raise refused("too-little", number=number, least=least)
        if most is not None and number > most:
            raise refused("too-much", number=number, most=most)
        return number

    return read


def workers(text: str) -> int | str:
    return text if text == AUTO else whole(1)(text)


def number(text: str) -> int | float:
    try:
        found = number_of(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise refused("no-number", text=text)
    return found


def _real(what: str, hint: str, fits: Callable[[float], bool]) -> Callable[[str], float]:
    """A reader of numbers that fit; `what` is their noun."""

    def read(text: str) -> float:
        with suppress(ValueError):
            if fits(number := float(text)):
                return number
        raise SettingError(f"`{text}` is not a {what}", hint)

    return read


def part_of_one(what: str) -> Callable[[str], float]:
    return _real(what, "Write one from 0 to 1, like 0.01.", lambda number: 0 <= number <= 1)


ticks_above_0 = _real(
    "number of ticks above 0", "Write how many ticks, like 500.", lambda number: 0 < number < math.inf
)


def rate_a_day(text: str) -> float:
    """A number of times a day, `0.1/day` or `0.1`."""
    read = _real("number of times a day", "Write one like 0.1/day.", lambda number: 0 <= number < math.inf)
    return read(text.removesuffix("/day").strip())


def token(text: str) -> str:
    """A token in a file, `@FILE`, or in a variable, `$NAME`."""
    kind, name = text[:1], text[1:]
    if kind not in ("@", "$") or not name:
        raise refused("token-in-sight")
    try:
        found = Path(name).read_text("utf-8").strip() if kind == "@" else os.environ.get(name, "").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise refused("token-not-read", name=name, reason=reason) from None
    if len(found) < _SHORTEST_TOKEN or not found.isascii() or not found.isprintable() or " " in found:
        raise refused("no-token", text=text, least=_SHORTEST_TOKEN)
    return found


def trigger(text: str) -> str:
    """`once`, `available-now`, or a duration in the words of Spark."""
    if text in (ONCE, AVAILABLE_NOW):
        return text
    near = did_you_mean(text, (ONCE, AVAILABLE_NOW))
    hint = near or f"Write a duration, like 10s or 5 minutes, or {ONCE}, or {AVAILABLE_NOW}."
    return f"{round(duration(text, hint) / 1_000)} milliseconds"


def pause(text: str) -> str:
    """A duration, kept as a text."""
    duration(text)
    return text


def pause_or_none(text: str) -> str:
    """A duration or 0, kept as a text."""
    return text if text == "0" else pause(text)


def web_address(text: str) -> str:
    """The address of a page, without what is secret in it."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
        raise refused("no-page", text=text)
    return text


def listening(text: str) -> tuple[str, int]:
    """The host and the port of a server; without a host it is this machine's own."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise refused("no-port", text=text)
    return host or "127.0.0.1", int(port)


def tick(text: str) -> int | str:
    """A tick: a number, or a timestamp that is resolved once the program is known."""
    return int(text) if text.isdecimal() else text


def master(text: str) -> str:
    if text.startswith("sc://"):
        raise refused("spark-connect", text=text)
    return text


def one_of(what: str, words: Collection[str], missing: str = "") -> Callable[[str], str]:
    """A reader of one of several words; `what` is their noun: `clock`."""

    def read(text: str) -> str:
        if text not in words:
            hint = did_you_mean(text, words) or f"The {what}s are {', '.join(words)}."
            raise SettingError(f"{missing or f'there is no {what}'} `{text}`", hint)
        return text

    return read


def of_times(what: str) -> Callable[[str], str]:
    """A reader of units of times since 1970, of zones, or of formats of texts."""

    def read(text: str) -> str:
        if (wrong := no_reading(what, text)) is not None:
            raise SettingError(*wrong)
        return text

    return read


def length_of(text: str) -> Fraction | None:
    """The microseconds of a duration like `30 seconds`, `10s` or `1.5 hours`; None for other texts."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", text)
    return microseconds(Bound(float(found[1]), found[2])) if found else None


def duration(text: str, hint: str = "Write one like 30s or 5 minutes.") -> int:
    """A duration in microseconds, of a millisecond or more."""
    length = length_of(text)
    if length is None:
        raise SettingError(f"`{text}` is not a duration", hint)
    if length < 1_000:
        raise SettingError(f"`{text}` is shorter than a millisecond", hint)
    return round(length)
