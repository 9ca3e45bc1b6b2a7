"""A source for each address, opened where it was left.

opened(Files("temp.csv", Form.CSV), wanted, mark, Around(state=Path("turbines.state")))  ──▶  GrowingFile
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from antelog.errors import OutputError, UnsupportedError
from antelog.files.columns import Wanted
from antelog.files.naming import Form
from antelog.run.address import Console, Files, Jdbc, Kafka, Posted, Rate, Reach, Standard, Table
from antelog.watch.feed.segments import inbox
from antelog.watch.sources.growing import GrowingFile
from antelog.watch.sources.source import Mark, Source
from antelog.watch.sources.standard import StandardInput
from antelog.watch.sources.whole import WholeFiles

Followed: TypeAlias = Files | Standard | Posted | Kafka
_ON_SPARK = "Follow it on Spark: `antelog run --stream`."
FOLLOWED: Reach[Followed] = Reach(
    "`antelog watch`",
    "read",
    (Files, Standard, Posted, Kafka),
    {
        Console: "Write - for standard input.",
        Jdbc: "Read it once on Spark, with `antelog run`, or send its changes through Kafka.",
        **dict.fromkeys((Table, Rate), _ON_SPARK),
    },
    formless=True,
)


@dataclass(frozen=True)
class Around:
    """Where the feed is and where the state, if there are any."""

    feed: Path | None = None
    state: Path | None = None


def opened(address: Followed, wanted: Wanted, mark: Mark | None, around: Around) -> Source:
    match address:
        case Files(path, form) if address.grows and form is not None:
            return GrowingFile(Path(path), form, wanted, mark=mark)
        case Files(path):
            return WholeFiles(Path(path), wanted, mark=mark)
        case Standard():
            state = around.state
            counter = None if state is None else state.with_name(f"{state.name}.read")
            return StandardInput(wanted, mark=mark, counter=counter)
        case Posted():
            return GrowingFile(_inbox(around.feed, wanted.name), Form.JSON, wanted, mark=mark, called="http:")
        case Kafka():
            from antelog.watch.sources.topic import KafkaTopic  # noqa: PLC0415 - few need the client

            return KafkaTopic(address, wanted, mark=mark)


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
