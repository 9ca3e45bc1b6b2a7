"""Texts of the command line, read: `NAME=VALUE`, and whatever a function can make of a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from antelog.run.values import SettingError
from antelog.secrets import shows_secret

SECRET_SHOWN = "antelog: a secret is shown"
"""What the context of a command has if one of its options shows a secret."""


class Read(click.ParamType[Any]):
    """A text that a function reads; what is wrong with it is a usage error."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if ctx is not None and shows_secret(str(value)):
            ctx.meta[SECRET_SHOWN] = True
        try:
            return self._read(value)
        except SettingError as error:
            return self.fail(str(error), param, ctx)


def sides(text: str) -> tuple[str, str]:
    """What stands before the first equals sign, and behind it; either may be empty."""
    left, _, right = (part.strip() for part in text.partition("="))
    return left, right


def equation(example: str) -> Callable[[str], tuple[str, str]]:
    """What reads `NAME=VALUE`, of which none may be missing."""

    def read(text: str) -> tuple[str, str]:
        name, value = sides(text)
        if not name or not value:
            raise SettingError(f"`{text}` lacks a name or a value", f"Write it like {example}.")
        return name, value

    return read
