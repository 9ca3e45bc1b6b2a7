"""A source for each place: what was read on the command line is opened, where it was left.

opened(FileAt(temp.csv), wanted, mark, Around(state=Path("turbines.state")))  ──▶  GrowingFile
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from antelog.errors import OutputError, UnsupportedError
from antelog.files.columns import Wanted
from antelog.files.naming import Form
from antelog.watch.feed.segments import inbox
from antelog.run.sources.growing import GrowingFile
from antelog.watch.sources.places import FileAt, Place, Posted, Standard, Topic, WholeAt
from antelog.run.sources.source import Mark, Source
from antelog.run.sources.standard import StandardInput
from antelog.run.sources.recorded import WholeFiles


@dataclass(frozen=True)
class Around:
    """Where the feed is and where the state, if there are any."""

    feed: Path | None = None
    state: Path | None = None


def opened(place: Place, wanted: Wanted, mark: Mark | None, around: Around) -> Source:
    match place:
        case FileAt(path, form):
            return GrowingFile(path, form, wanted, mark=mark)
        case WholeAt(path):
            return WholeFiles(path, wanted, mark=mark)
        case Standard():
            state = around.state
            counter = None if state is None else state.with_name(f"{state.name}.read")
            return StandardInput(wanted, mark=mark, counter=counter)
        case Posted():
            return GrowingFile(_inbox(around.feed, wanted.name), Form.JSON, wanted, mark=mark, called="http:")
        case Topic():
            from antelog.run.sources.kafka import KafkaTopic  # noqa: PLC0415 - few need the client

            return KafkaTopic(place, wanted, mark=mark)


def _inbox(feed: Path | None, name: str) -> Path:
    if feed is None:
        raise UnsupportedError(f"facts for {name} are posted to the page; leave out --no-page")
    path = inbox(feed, name)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
    return path
