"""The source of an address, from where it was left.

source_of(Files("temp.csv", Form.CSV), wanted, Around(mark))  ──▶  GrowingFile
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from antelog.errors import UnsupportedError
from antelog.files.columns import WantedColumns
from antelog.run.address import Console, Files, Jdbc, Kafka, Posted, Rate, Reach, Standard, Table
from antelog.run.sources.growing import GrowingFile
from antelog.run.sources.recorded import RecordedFiles
from antelog.run.sources.source import FactSource, Mark
from antelog.run.sources.standard import StandardInput
from antelog.run.store import Inbox

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
    """Settings with which a source is opened.

    mark       how far it was read
    complete   all is there that will be read: files do not grow, standard input is read to its end
    resumed    another run goes on later, and may find that a file has grown
    inbox      of the store, if there is one
    """

    mark: Mark | None = None
    complete: bool = False
    resumed: bool = False
    inbox: Inbox | None = None


def source_of(address: Followed, wanted: WantedColumns, around: Around) -> FactSource:
    """Raises UnsupportedError if it cannot be read here."""
    mark, complete = around.mark, around.complete
    match address:
        case Files(path, form) if address.grows and form is not None and (around.resumed or not complete):
            return GrowingFile(Path(path), form, wanted, mark=mark)
        case Files(path):
            return RecordedFiles(Path(path), wanted, mark=mark, complete=complete)
        case Standard():
            return StandardInput(wanted, mark=mark, complete=complete)
        case Posted():
            if around.inbox is None:
                raise UnsupportedError(f"facts for {wanted.name} are posted to the page; leave out --no-page")
            from antelog.run.sources.posted import PostedFacts  # noqa: PLC0415 - few need it

            return PostedFacts(around.inbox, wanted, mark=mark)
        case Kafka():
            from antelog.run.sources.kafka import KafkaTopic  # noqa: PLC0415 - few need the client

            return KafkaTopic(address, wanted, mark=mark)
