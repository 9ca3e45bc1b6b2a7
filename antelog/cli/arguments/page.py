"""`--host`, `--port` and their companions: where the page is served, and who may come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from antelog.errors import UnsupportedError
from antelog.watch.web.address import Address, checked

Command = TypeVar("Command", bound=Callable[..., Any])

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


def address_of(given: Mapping[str, Any], *, facts: str | None) -> Address:
    """The address of the page; `facts` is the token of those who may post facts. Raises UsageError."""
    address = Address(
        host=given["host"],
        port=given["port"],
        allowed_hosts=given["allowed_hosts"],
        certificate=given["certificate"],
        key=given["key"],
        behind_proxy=given["behind_proxy"],
        facts=facts,
    )
    try:
        return checked(address)
    except UnsupportedError as error:
        raise click.UsageError(str(error)) from None
