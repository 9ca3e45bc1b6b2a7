"""Addresses of databases without the user and the secrets in them, which become options of the driver.

Spark and drivers show the address when something goes wrong, and it has no password then.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

from antelog.secrets import is_secret

_ORACLE = re.compile(r"(jdbc:oracle:\w+:)([^/@]+)/([^@]+)@")
_USER = re.compile(r"(jdbc:[\w:]+//)([^/:@?]+):([^/@?]+)@")
# In braces a semicolon is one of the value's.
_SEMICOLON = re.compile(r";(?![^{}]*\})")

Options = tuple[tuple[str, str], ...]


def apart(url: str, fill: Callable[[str], str]) -> tuple[str, Options]:
    """The address without user and secrets, and these as options under the names drivers know.

    `fill` replaces variables by their values, last: a password may have any characters.
    """
    options: dict[str, str] = {}
    if (match := _ORACLE.match(url)) is not None:
        options |= {"user": fill(match[2]), "password": fill(match[3])}
        url = f"{match[1]}@{url[match.end() :]}"
    elif (match := _USER.match(url)) is not None:
        options |= {"user": fill(unquote(match[2])), "password": fill(unquote(match[3]))}
        url = match[1] + url[match.end() :]
    base, mark, query = url.partition("?")
    if mark:
        kept = [each for each in query.split("&") if not _taken(each, options, unquote, fill)]
        url = base + (f"?{'&'.join(kept)}" if kept else "")
    else:
        base, *settings = _SEMICOLON.split(url)
        kept = [each for each in settings if not _taken(each, options, _without_braces, fill)]
        url = ";".join([base, *kept])
    return fill(url), tuple(options.items())


def _taken(
    setting: str, options: dict[str, str], read: Callable[[str], str], fill: Callable[[str], str]
) -> bool:
    """Moves `name=value` to the options if it is the user or a secret; whether it did."""
    name, sign, value = setting.partition("=")
    if not sign or not (name.lower() == "user" or is_secret(name)):
        return False
    options[name] = fill(read(value))
    return True


def _without_braces(value: str) -> str:
    return value[1:-1] if value.startswith("{") and value.endswith("}") else value
