"""The runners of the command line: which addresses each command reads and writes."""

from __future__ import annotations

from antelog.files.naming import Form
from antelog.run.address import Address, Console, Files, Jdbc, Kafka, Posted, Rate, Reach, Standard, Table
from antelog.run.options import Runner
from antelog.run.sources.opening import FOLLOWED
from antelog.spark.endpoints.endpoints import SINKS, SOURCES

RUN = Runner("run", SOURCES, SINKS)


def _replaying(name: str) -> Runner:
    """A command that replays recorded facts, from files."""
    runner = f"`antelog {name}`"
    instead: dict[type[Address], str] = {
        **dict.fromkeys((Standard, Posted), "Follow it with `antelog watch`, or give a file."),
        Kafka: "Follow it with `antelog watch`, read it on Spark with `antelog run`, or give a file.",
        **dict.fromkeys((Jdbc, Table, Rate), "Read it on Spark with `antelog run`, or give a file."),
    }
    sources = Reach(runner, "read", (Files,), instead)
    return Runner(name, sources, Reach(runner, "write", (Files,), {Console: "Give a file."}))


TRY = _replaying("try")
LEARN = _replaying("learn")
SCORE = _replaying("score")
DRAW = _replaying("draw")
DIFF = _replaying("diff")
WHY = _replaying("why")
PLAY = _replaying("play")
WRITTEN: Reach[Files | Kafka] = Reach(
    "`antelog watch`",
    "write",
    (Files, Kafka),
    {Console: "Leave it out: changes go to standard output then."},
    form=Form.JSON,
)
WATCH = Runner("watch", FOLLOWED, WRITTEN)
