"""What lets a short run on this machine start in less time: settings of Spark's, for small files read once.

    start_of(sources, master)    {"spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 …"}

Such a run is over before Java's second compiler, which looks for the fastest code, pays for itself: half of
Java's work over a few facts. What goes on for longer, as a stream or many facts, is better off with both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from glob import iglob
from itertools import chain, islice
from pathlib import Path

from antelog.spark.endpoints.endpoints import Files, Source

JAVA_OPTIONS = "spark.driver.defaultJavaOptions"
_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:MetaspaceSize=256m"
"""The quick compiler only; and no looks at all of the memory because classes take some of it."""
SMALL = 4 << 20
"""Bytes of files, and no more, that are read once within a minute or so."""
FEW = 1_000
"""Files, and no more, of which a look at their sizes takes no time."""


def start_of(sources: Iterable[Source], master: str) -> Mapping[str, str]:
    """Settings for reading sources once: none if it may take long, or does not happen in one process."""
    if not master.startswith("local"):
        return {}
    return {JAVA_OPTIONS: _OPTIONS} if _are_small(sources) else {}


def _are_small(sources: Iterable[Source]) -> bool:
    total = 0
    for source in sources:
        found = list(islice(_sizes(source.path), FEW + 1)) if isinstance(source, Files) else []
        total += sum(found)
        if not 0 < len(found) <= FEW or total > SMALL:
            return False
    return True


def _sizes(pattern: str) -> Iterator[int]:
    """The bytes of each file of this machine that is meant; nothing of any other place."""
    for path in map(Path, iglob(pattern)):  # noqa: PTH207 - a pattern may begin at the root
        for each in chain([path], path.rglob("*")):
            with suppress(OSError):
                if each.is_file():
                    yield each.stat().st_size
