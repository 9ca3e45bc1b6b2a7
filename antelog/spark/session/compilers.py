"""How soon Java compiles the code of Spark on this machine: what `antelog run` tells its two compilers.

    start_of(sources, master)    {"spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1 …"}

Java runs code slowly at first, compiles it quickly when it is called more often, and compiles it once more,
well and at length, when it is called often. Spark plans each micro-batch anew, with much code that is
called a few hundred times. Left to itself, Java spends a third of the first minutes on compiling that well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from glob import iglob
from itertools import chain, islice
from pathlib import Path

from antelog.run.address import Files
from antelog.spark.endpoints.endpoints import Source

JAVA_OPTIONS = "spark.driver.defaultJavaOptions"
_NO_LOOKS = "-XX:MetaspaceSize=256m"
"""No looks at all of the memory because classes take some of it."""
_QUICK = f"-XX:TieredStopAtLevel=1 {_NO_LOOKS}"
"""The quick compiler only. A short run over a few facts is over before the other one pays for itself."""
_OFTEN = {"Invocation": 50_000, "MinInvocation": 6_000, "Compile": 150_000, "BackEdge": 400_000}
"""So many calls, and turns of loops, are often; ten times as many as Java takes by itself.

What is done for each row is called as often within the first hundred thousand rows, and compiled as well.
"""
LASTING = " ".join([_NO_LOOKS, *(f"-XX:Tier4{what}Threshold={count}" for what, count in _OFTEN.items())])
"""Both compilers, the second for what is called very often; for whatever may go on for longer."""
SMALL = 4 << 20
"""Bytes of files, and no more, that are read once within a minute or so."""
FEW = 1_000
"""Files, and no more, of which a look at their sizes takes no time."""


def start_of(sources: Iterable[Source], master: str) -> Mapping[str, str]:
    """Settings for reading sources once: none of their own if it may take long, or on a cluster."""
    if not master.startswith("local"):
        return {}
    return {JAVA_OPTIONS: _QUICK} if _are_small(sources) else {}


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
