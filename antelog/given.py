"""Checks of the arguments of public functions, so that an error points at the caller's line."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, ParamSpec, TypeVar

from antelog.errors import ArgumentError

P = ParamSpec("P")
R = TypeVar("R")

_LONGEST = 60  # the most characters that are shown of a value


_MOST = 10**18  # the largest number allowed, far below those that are too large for columns and floats


@dataclass(frozen=True)
class ArgumentKind:
    """An expected type of arguments: its name in words, and a test."""

    words: str
    fits: Callable[[Any], bool]


def _is_path(value: Any) -> bool:
    if not isinstance(value, str | PathLike):
        return False
    try:
        path = os.fspath(value)
        return isinstance(path, str) and b"\0" not in os.fsencode(path)
    except Exception:  # a path of somebody else's making
        return False


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number of Python or NumPy within the limit; not a truth value."""
    if isinstance(value, bool):
        return False
    try:
        return abs(operator.index(value)) <= _MOST
    except Exception:  # whatever somebody else's number raises
        return False


def _is_number(value: Any) -> bool:
    return is_whole(value) or (isinstance(value, float) and not math.isnan(value))


def _are_texts(value: Any) -> bool:
    is_flat = getattr(value, "ndim", 1) == 1  # a frame gives the names of its columns
    if isinstance(value, str | bytes) or not isinstance(value, Iterable) or not is_flat:
        return False
    try:
        len(value)  # type: ignore[arg-type]  # what can be read only once has none, nor has an array of no dimension
    except Exception:  # whatever somebody else's collection raises
        return False
    return all(isinstance(each, str) for each in value)


TEXT = ArgumentKind("a text", lambda value: isinstance(value, str))
TEXTS = ArgumentKind("a list of texts", _are_texts)
PATH = ArgumentKind("a path, as a text or a Path", _is_path)
BYTES = ArgumentKind("bytes", lambda value: isinstance(value, bytes | bytearray | memoryview))
FLAG = ArgumentKind("True or False", lambda value: isinstance(value, bool))
WHOLE = ArgumentKind("a whole number, up to 10**18", is_whole)
POSITIVE = ArgumentKind(
    "a whole number from 1 to 10**18", lambda value: is_whole(value) and operator.index(value) > 0
)
NATURAL = ArgumentKind(
    "a whole number from 0 to 10**18", lambda value: is_whole(value) and operator.index(value) >= 0
)
NUMBER = ArgumentKind("a number", _is_number)
LENGTH = ArgumentKind(
    "a finite number above 0", lambda value: _is_number(value) and value > 0 and math.isfinite(value)
)
NAMED = ArgumentKind(
    "a dictionary from names",
    lambda value: isinstance(value, Mapping) and all(isinstance(name, str) for name in value),
)
MODEL = ArgumentKind(
    'an antelog.Model, the path of one, or "learn"',
    # The check must not load what makes one.
    lambda value: _is_path(value) or (hasattr(value, "of") and hasattr(value, "half_life")),
)


def optional(kind: ArgumentKind) -> ArgumentKind:
    return ArgumentKind(f"{kind.words}, or None", lambda value: value is None or kind.fits(value))


def either(*kinds: ArgumentKind) -> ArgumentKind:
    return ArgumentKind(
        ", or ".join(kind.words for kind in kinds), lambda value: any(kind.fits(value) for kind in kinds)
    )


def one_of(*texts: str) -> ArgumentKind:
    return ArgumentKind(" or ".join(f'"{each}"' for each in texts), lambda value: value in texts)


def of(class_: type | tuple[type, ...], words: str) -> ArgumentKind:
    return ArgumentKind(words, lambda value: isinstance(value, class_))


def check(function: str, given: Mapping[str, Any], kinds: Mapping[str, ArgumentKind]) -> None:
    """Raises ArgumentError for the first argument that is not of its kind."""
    for name, kind in kinds.items():
        if name in given and not kind.fits(given[name]):
            raise wrong(f"{function}: {name}", given[name], kind.words)


def wrong(what: str, value: object, words: str) -> ArgumentError:
    return ArgumentError(f"{what} is {short_repr(value)}, of type {type(value).__name__}; give {words}")


def checked(**kinds: ArgumentKind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator that checks the arguments of a function, by their names."""

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters.values()
        names = [each.name for each in parameters if each.kind is not each.KEYWORD_ONLY]
        called = function.__qualname__.removesuffix(".__init__")

        @functools.wraps(function)
        def call(*args: P.args, **more: P.kwargs) -> R:
            check(called, {**dict(zip(names, args, strict=False)), **more}, kinds)
            return function(*args, **more)

        return call

    return wrap


def short_repr(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # an object of somebody else, which cannot say what it is
        return "something"
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
