"""What runs beside the follower, each in a process of its own: the page, and the alerts.

with_page(feed, address, stack)     prints the link; what it gives back looks after the page
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from antelog.cli.show.terminal import say, say_whole
from antelog.errors import UnsupportedError
from antelog.watch.alerts.alert import Wanted
from antelog.watch.alerts.process import start as start_alerts
from antelog.watch.restarts import Restarts
from antelog.watch.web.address import Address
from antelog.watch.web.serving import Page
from antelog.watch.web.serving import start as start_page

_BETWEEN = 5.0
"""Seconds from the start of a page to the next, if it dies; then twice as many, and so on."""

Tend = Callable[[], None]


def with_page(feed: Path, address: Address, stack: ExitStack) -> Tend:
    """Serve a page until the stack is closed; what is called now and then to start it again if it died."""
    kept = _Kept(feed, start_page(feed, address))
    stack.callback(kept.stop)
    say_whole(f"the page: {kept.page.url}")
    if address.facts is not None:
        say_whole(f"facts are posted to {kept.page.address.origin}/facts/P with the token {address.facts}")
    return kept.tend


def with_alerts(feed: Path, wanted: Wanted, state: Path | None, stack: ExitStack) -> Tend:
    """Send alerts until the stack is closed; likewise."""
    alerts = start_alerts(feed, wanted, state)
    stack.callback(alerts.stop)
    return alerts.keep


class _Kept:
    """A page that is started again when it has died, but not time and again."""

    def __init__(self, feed: Path, page: Page) -> None:
        self._feed, self.page = feed, page
        self._restarts = Restarts(_BETWEEN)

    def tend(self) -> None:
        if self.page.alive or not self._restarts.due():
            return
        say("note: the page has ended; it is started again, at the same link")
        self.page.stop()
        try:
            self.page = start_page(self._feed, self.page.address)
        except UnsupportedError as error:
            say(f"warning: {error}")

    def stop(self) -> None:
        self.page.stop()
