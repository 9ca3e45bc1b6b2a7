"""The page of a run, and a page of changes: `antelog watch CHANGES`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path

import click
import msgspec

from antelog.cli.show.endings import stoppable
from antelog.cli.show.terminal import note, say, say_whole
from antelog.compile.nodes.plan import Plan
from antelog.diagnostics import Source
from antelog.errors import UnsupportedError
from antelog.incidents.incident_list import can_grow
from antelog.run.address import address_of
from antelog.run.options import taken
from antelog.run.settings import JudgingOptions, PageSettings
from antelog.run.sources.kafka import Kafka, Make, Messages
from antelog.run.store.database import is_store
from antelog.run.store.feed import BatchFeed, FolderFeed, about, record_of
from antelog.watch.board.judged_feed import IncidentFile
from antelog.watch.web.address import PageAddress, Tokens, checked, new_token
from antelog.watch.web.serving import Page
from antelog.writing import temporary_folder

_CHANGES = (".jsonl", ".ndjson", ".json", ".parquet")
_LOOK = 0.2

Tend = Callable[[], object]  # a function, often called, that restarts a process if it has ended


def page_address(
    settings: PageSettings, *, facts: str | None = None, acts: bool = False, plan: Plan | None = None
) -> PageAddress:
    """The address of a page, with tokens for posting `facts` and for acts; `plan` says how times are read.

    Raises UsageError, and DataError if the list of incidents cannot be used.
    """
    judged: IncidentFile | None = None
    if settings.incidents is not None:
        can_grow(settings.incidents)
        options = taken(JudgingOptions, settings, key=settings.incident_key)
        path, readings = str(settings.incidents.absolute()), () if plan is None else plan.readings
        judged = IncidentFile(path, options, readings)
    address = PageAddress(
        host=settings.host,
        port=settings.port,
        allowed_hosts=tuple(settings.allowed_hosts),
        certificate=None if settings.certificate is None else str(settings.certificate),
        key=None if settings.key is None else str(settings.key),
        behind_proxy=settings.behind_proxy,
        embed_from=tuple(settings.embed_from),
        tokens=Tokens(
            settings.token or new_token(), (settings.acts_token or new_token()) if acts else None, facts
        ),
        incidents=judged,
    )
    try:
        return checked(address)
    except UnsupportedError as error:
        raise click.UsageError(str(error)) from None


def is_changes(path: Path) -> bool:
    """Whether a path is not of a program but of changes: a topic, a folder, a file or a store."""
    return _is_topic(path) or path.is_dir() or path.suffix in _CHANGES or is_store(path)


def show_changes(path: Path, address: PageAddress) -> None:
    """Serves a page of changes until Ctrl-C or SIGTERM. Raises AntelogError."""
    with ExitStack() as stack:
        move: Callable[[], int] = lambda: 0  # noqa: E731 - files are read by the page itself
        if _is_topic(path):
            path, move = _moved(path, stack)
        until_stopped(with_page(path, address, stack).tend, move)


def until_stopped(tend: Tend, move: Callable[[], int] = lambda: 0) -> None:
    """Tends a page until Ctrl-C or SIGTERM; `move` is called again at once while it returns more than 0."""
    with stoppable() as stopping:
        while not stopping():
            tend()
            if not move():
                time.sleep(_LOOK)


def _is_topic(path: Path) -> bool:
    return str(path).startswith("kafka:")


def _moved(path: Path, stack: ExitStack) -> tuple[Path, Callable[[], int]]:
    """A feed in a temporary folder, and the function that copies new messages of a topic into it."""
    # A path has one slash where an address has two.
    topic = address_of(re.sub(r"^kafka:/+", "kafka://", str(path)))
    assert isinstance(topic, Kafka)
    folder = stack.enter_context(temporary_folder())
    pump = ChangesPump(topic, BatchFeed(FolderFeed(folder), about(Source("", str(topic)), None)))
    stack.callback(pump.close)
    return folder, pump.move


class ChangesPump:
    """Moves changes from a topic to a feed; messages that are not changes are counted in `odd`."""

    def __init__(self, topic: Kafka, feed: BatchFeed, make: Make | None = None) -> None:
        self._messages, self._feed = Messages(topic, {}, make), feed
        self.close = self._messages.close
        self._tick, self.odd = -1, 0

    def move(self) -> int:
        """Copies the new changes; returns their number. They are in order within each partition only."""
        lines: list[str] = []
        for _, rows in sorted(self._messages.take().items()):
            for each in rows:
                record = record_of(each.value or b"")
                if record is None or "change" not in record:
                    self.odd += 1
                    continue
                self._tick = max(self._tick, record["tick"])
                lines.append(msgspec.json.encode(record).decode())
        if lines:
            self._feed.write(None, lines, {"tick": self._tick, "inputs": {}})
        while self._messages.notes:
            note(self._messages.notes.pop(0))
        return len(lines)


def with_page(
    feed: Path, address: PageAddress, stack: ExitStack, posted: Iterable[str] = (), *, new_facts: bool = False
) -> Page:
    """Serves a page until the stack is closed; prints its links, and where `posted` facts go."""
    page = Page(feed, address, note)
    stack.callback(page.stop)
    say_whole(f"the page: {page.address.link}")
    if page.address.link_to_act is not None:
        say_whole(f"to act on it: {page.address.link_to_act}")
    if page.address.embed_from:
        link = f"{page.address.origin}/embed/brief?token={address.tokens.embed}"
        say_whole(f"for frames: {link}, and /embed/map")
    for name in posted:
        said = f"facts of {name} are posted to {page.address.origin}/facts/{name}"
        say_whole(f"{said} with the token {address.tokens.facts if new_facts else 'of --facts-token'}")
    say("Ctrl-C stops it")
    return page
