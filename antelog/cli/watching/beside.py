"""The processes beside a run: the page, and the alerts.

with_page(feed, address, stack)     prints the link; the function it returns looks after the page
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from antelog.cli.show.terminal import say, say_whole
from antelog.watch.alerts.alert import AlertSetup
from antelog.watch.alerts.process import AlertProcess
from antelog.watch.web.address import PageAddress
from antelog.watch.web.serving import Page

Tend = Callable[[], None]


def with_page(feed: Path, address: PageAddress, stack: ExitStack) -> Tend:
    """Serve a page until the stack is closed; the function starts it again if it has died."""
    page = Page(feed, address)
    stack.callback(page.stop)
    say_whole(f"the page: {page.url}")
    if address.facts is not None:
        say_whole(f"facts are posted to {page.address.origin}/facts/P with the token {address.facts}")
    return lambda: page.tend(lambda note: say(f"note: {note}"))


def with_alerts(feed: Path, setup: AlertSetup, stack: ExitStack) -> Tend:
    """Send alerts until the stack is closed; the function starts their process again if it has died."""
    alerts = AlertProcess(feed, setup)
    stack.callback(alerts.stop)
    return alerts.tend
