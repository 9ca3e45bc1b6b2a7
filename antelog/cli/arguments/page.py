"""The address of a command's page: host, port and access."""

from __future__ import annotations

import click
import msgspec

from antelog.errors import UnsupportedError
from antelog.run.settings import PageSettings
from antelog.watch.web.address import PageAddress, checked


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
