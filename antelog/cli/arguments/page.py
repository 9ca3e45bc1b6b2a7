"""`--host`, `--port` and their companions: where the page is served, and who may come."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from antelog.cli.arguments.reading import Read
from antelog.errors import UnsupportedError
from antelog.run.settings import PageSettings
from antelog.run.values import SettingError
from antelog.watch.web.address import PageAddress, checked

Command = TypeVar("Command", bound=Callable[..., Any])

_SHORTEST = 16
"""So many letters are not guessed."""


def token(text: str) -> str:
    """A token in a file, `@FILE`, or in a variable, `$NAME`. Raises SettingError."""
    kind, name = text[:1], text[1:]
    if kind not in ("@", "$") or not name:
        raise SettingError(
            "a token on the command line is seen by everybody on this machine",
            "Put it into a file that only you can read, and write @FILE; or into a variable: '$NAME'.",
        )
    try:
        found = Path(name).read_text("utf-8").strip() if kind == "@" else os.environ.get(name, "").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise SettingError(f"{name} cannot be read: {reason}", "It has the token and nothing else.") from None
    if len(found) < _SHORTEST or not found.isascii() or not found.isprintable() or " " in found:
        hint = "`python -c 'import secrets; print(secrets.token_urlsafe())'` makes one."
        raise SettingError(f"{text} is no token: it has {_SHORTEST} letters or more, and no spaces", hint)
    return found


_FILE = click.Path(dir_okay=False)
_OPTIONS = (
    click.option(
        "--port", type=click.IntRange(0, 65535), default=0, metavar="N",
        help="The port of the page.  [default: one that is free]",
    ),
    click.option(
        "--host", metavar="H", default="127.0.0.1", show_default=True,
        help="The address of the page. Any but this machine's own needs --allowed-host, and a certificate or "
        "--behind-proxy.",
    ),
    click.option(
        "--allowed-host", "allowed_hosts", metavar="NAME", multiple=True,
        help="What others may call the page, as in plant.example.",
    ),
    click.option(
        "--token", type=Read("@FILE", token), metavar="@FILE",
        help="What lets one look at the page, from a file or, as '$NAME', from a variable: then it is the "
        "same after each start, as Prometheus needs it.  [default: a new one]",
    ),
    click.option("--certificate", type=_FILE, metavar="PEM", help="The certificate of the page, for https."),
    click.option("--key", type=_FILE, metavar="PEM", help="The key of the certificate."),
    click.option(
        "--behind-proxy", is_flag=True, help="A proxy before the page has a certificate, and speaks https."
    ),
)  # fmt: skip


def page_options(command: Command) -> Command:
    """All options about where the page is, for a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def page_address(settings: PageSettings, *, facts: str | None = None) -> PageAddress:
    """The address of the page; `facts` is the token of those who may post facts. Raises UsageError."""
    address = PageAddress(
        host=settings.host,
        port=settings.port,
        allowed_hosts=tuple(settings.allowed_hosts),
        certificate=None if settings.certificate is None else str(settings.certificate),
        key=None if settings.key is None else str(settings.key),
        behind_proxy=settings.behind_proxy,
        facts=facts,
    )
    if settings.token is not None:
        address = msgspec.structs.replace(address, token=settings.token)
    try:
        return checked(address)
    except UnsupportedError as error:
        raise click.UsageError(str(error)) from None


def address_of(given: Mapping[str, Any], *, facts: str | None) -> PageAddress:
    """The address of the page; `facts` is the token of those who may post facts. Raises UsageError."""
    address = PageAddress(
        host=given["host"],
        port=given["port"],
        allowed_hosts=given["allowed_hosts"],
        certificate=given["certificate"],
        key=given["key"],
        behind_proxy=given["behind_proxy"],
        facts=facts,
    )
    if given["token"] is not None:
        address = msgspec.structs.replace(address, token=given["token"])
    try:
        return checked(address)
    except UnsupportedError as error:
        raise click.UsageError(str(error)) from None
