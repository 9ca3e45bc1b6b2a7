"""Odd first records, through the sources that go on: the good records behind them are all read."""

from __future__ import annotations

import itertools
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from random import Random
from typing import Literal

from antelog.files.naming import Form
from antelog.run.sources.growing import GrowingFile
from antelog.run.sources.kafka import Kafka, KafkaTopic
from antelog.run.sources.opening import PostedFacts, StandardInput
from antelog.run.sources.recorded import RecordedFiles
from antelog.run.sources.source import FactSource
from antelog.run.store.inbox import post
from antelog.run.store.store import Store
from tests.attack.findings import Attempt
from tests.run.sources.brokers import Broker
from tests.run.sources.taking import WANTED, taken

_ODD = [  # first records that are none, and stop nothing
    *("{}", '{"event": "start"}', '{"x": "a", "y": 1, "z": 0}', '{"device": "a"}', "[]", "[", "null", "7"),
    '"a',
    *('{"device": [], "value": {}, "time": null}', '{"device": "a", "value": 1, "time": "soon"}', "x,y,z"),
    "a;b",
    *('{"Device": "a", "value": 1, "time": 0}', '{"\\ud800": 1}', "device,time", "a,1,soon"),
    '"device,value,time',
    *("# a comment", "Traceback (most recent call last):", "time,time,device,value", "\0", "\ufeff{}"),
    *(",,", "{" * 9),
    *('{"a": ' * 2000, "x" * 100_000, "device value time", "\u2028", "'a','b','c'", "-", "NaN", "9" * 400),
]
_Maker = Callable[[Path, list[str], ExitStack], FactSource]
_GOOD = [("good", value, 7) for value in range(5)]


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """So many sources, each with a few odd records before good ones, and between them."""
    random = Random(seed)
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as folder:
        for number in range(count):
            name, made = list(_SOURCES.items())[number % len(_SOURCES)]
            odd = random.choices(_ODD, k=random.randrange(1, 4))
            path = Path(folder) / str(number)
            path.mkdir()
            yield Attempt(
                f"source {number} of seed {seed}: {name}, {odd}"[:300], partial(_read, made, path, odd)
            )


def _read(made: _Maker, folder: Path, odd: list[str]) -> None:
    """Raises AssertionError if not all of the good records come, once each."""
    with ExitStack() as stack, closing(made(folder, odd, stack)) as source:
        pieces = [*itertools.chain.from_iterable(source.poll() for _ in range(4)), *source.finish()]
    rows, _ = taken(pieces)
    found = [device for device, _ in rows if device == "good"]
    assert len(found) == len(_GOOD), f"{len(found)} of {len(_GOOD)} good records, {source.notes}"


def _json(odd: list[str]) -> list[bytes]:
    good = [json.dumps(dict(zip(WANTED.columns, row, strict=True))) for row in _GOOD]
    return [each.encode("utf-8", "surrogatepass") for each in (*odd, good[0], *odd, *good[1:])]


def _csv(odd: list[str]) -> list[bytes]:
    good = [",".join(map(str, row)) for row in _GOOD]
    lines = (*odd, ",".join(WANTED.columns), good[0], *(each for each in odd if '"' not in each), *good[1:])
    return [each.encode("utf-8", "surrogatepass") for each in lines]


def _file(folder: Path, lines: list[bytes], name: str) -> Path:
    path = folder / name
    path.write_bytes(b"\n".join([*lines, b""]))
    return path


def _piped(folder: Path, lines: list[bytes], stack: ExitStack) -> FactSource:
    descriptor = os.open(_file(folder, lines, "stdin"), os.O_RDONLY)
    stack.callback(os.close, descriptor)
    return StandardInput(WANTED, descriptor=descriptor)


def _posted(folder: Path, odd: list[str], stack: ExitStack) -> FactSource:
    store = Store(folder / "s")
    stack.callback(store.close)
    source = PostedFacts(store.inbox, WANTED)
    post(folder / "s", "Temp", [each.replace(b"\n", b" ") for each in _json(odd)])
    return source


def _topic(values: list[bytes], form: Literal["json", "csv"]) -> FactSource:
    address = Kafka("b:9092", "temp", values=form)
    return KafkaTopic(address, WANTED, make=Broker({0: [*values]}))


_SOURCES: Mapping[str, _Maker] = {
    "growing JSON": lambda at, odd, _: GrowingFile(_file(at, _json(odd), "t.jsonl"), Form.JSON, WANTED),
    "growing CSV": lambda at, odd, _: GrowingFile(_file(at, _csv(odd), "t.csv"), Form.CSV, WANTED),
    "JSON in a folder": lambda at, odd, _: RecordedFiles(_file(at, _json(odd), "t.jsonl").parent, WANTED),
    "CSV in a folder": lambda at, odd, _: RecordedFiles(_file(at, _csv(odd), "t.csv").parent, WANTED),
    "JSON on stdin": lambda at, odd, stack: _piped(at, _json(odd), stack),
    "CSV on stdin": lambda at, odd, stack: _piped(at, _csv(odd), stack),
    "posted": _posted,
    "JSON in a topic": lambda _at, odd, _: _topic(_json(odd), "json"),
    "CSV in a topic": lambda _at, odd, _: _topic(_csv(odd), "csv"),
}
