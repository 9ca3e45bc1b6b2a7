"""What the tests of runs share: a time that a test moves on, a sink of lines, and readers of files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import antelog
from antelog.files import Rejects
from antelog.files.naming import Form
from antelog.run.clock import Timing
from antelog.run.driver import RunTime
from antelog.run.journal import RunState
from antelog.run.reading import InputReader, InputSource, Listeners, ReadProgress, wanted_of
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.run.sources.growing import GrowingFile
from antelog.run.sources.recorded import RecordedFiles

PROGRAM = antelog.parse(
    "tick 1 second.\ninput P(x, time) delay 2.\nQ(X, T) :- P(X, T), P(X, T+1).\nquery Q(X, T)."
)
SECOND = 1_000_000
READERS: list[InputReader] = []  # those that are open


@dataclass
class ManualTime(RunTime):
    """A time that passes only while a run sleeps; `events` happen then, one each time."""

    seconds: float = 0.0
    events: list[Callable[[], object]] = field(default_factory=list)

    def wall(self) -> int:
        return round(self.seconds * SECOND)

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        if self.events:
            self.events.pop(0)()

    def stopping(self) -> bool:
        return not self.events


@dataclass
class LineSink:
    lines: list[str] = field(default_factory=list)

    def write(self, step: StepResult) -> None:
        self.lines += lines_of(step)

    def mark(self) -> Mapping[str, Any]:
        return {"lines": len(self.lines)}

    def close(self) -> None:
        pass


def lines_of(step: StepResult) -> list[str]:
    return change_lines(list(PROGRAM.plan.queries), step, Style()).splitlines()


def growing(path: Path, timing: Timing, state: RunState | None = None) -> InputReader:
    wanted = wanted_of(PROGRAM.plan, "P")
    mark = None if state is None else state.marks.get("P")
    source = GrowingFile(path, Form.CSV, wanted, mark=mark)
    progress = None if state is None else state.progress
    return _reader({"P": InputSource(source, str(path), wanted)}, timing, progress=progress)


def recorded(paths: Sequence[Path], until: int | None = None, rejects: Rejects | None = None) -> InputReader:
    """A reader of complete files, one for each input `P`, `P1`, …"""
    inputs = {}
    for number, path in enumerate(paths):
        wanted = wanted_of(PROGRAM.plan, "P")
        inputs[f"P{number or ''}"] = InputSource(
            RecordedFiles(path, wanted, complete=True), str(path), wanted
        )
    return _reader(inputs, Timing(), rejects, recorded=True, until=until)


def _reader(
    inputs: Mapping[str, InputSource],
    timing: Timing,
    rejects: Rejects | None = None,
    progress: ReadProgress | None = None,
    **mode: Any,
) -> InputReader:
    known = Rejects() if rejects is None else rejects
    listeners = Listeners(known.notes.append)
    reader = InputReader(PROGRAM.plan, inputs, timing, known, listeners, progress or ReadProgress(), **mode)
    READERS.append(reader)
    return reader
