"""A page as a walk: its files are written, its commands are run, and what it says comes out does come out.

A block is a step:

    ```csv title="Temp.csv"     a file of that name is written
    ```sh                       commands, one after the other; those that need what a test has not are skipped
    ```python                   a program is run; with a title it is a file
    ```output                   lines that the step before printed, in that order

In the expected output, a line `…` stands for any lines, and ` …` at the end of a line for its rest.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from antelog import Program
from antelog.cli.commands import run as command
from antelog.run.settings import Settings
from antelog.watch.web.address import PageAddress
from tests.cli.trying import antelog
from tests.docs.pages import ROOT, Block, commands

SHELL = frozenset(
    {"cat", "chmod", "cp", "echo", "grep", "head", "ls", "mkdir", "mv", "rm", "sed", "sort", "touch"}
)
PLAIN_SCRIPTS = frozenset({"heartbeats.py", "examples/machine/year.py"})
ELSEWHERE = ("kafka://", "prometheus://", "jdbc:", "spark://", "yarn", "s3a://", "hdfs://")
REST = "…"


@dataclass(frozen=True)
class Step:
    """A command to run or a program's text, at its place in a page, and the output the page shows of it."""

    place: str
    words: tuple[str, ...]
    shown: tuple[str, ...] = ()

    @property
    def spark(self) -> bool:
        """Whether Spark has to be started for it, as the other scripts of these pages do."""
        script = self.words[0] == "python" and self.words[1].endswith(".py")
        export = self.words[:3] == ("antelog", "state", "export") and self.words[3].endswith("/")
        return self.pipeline or export or (script and self.words[1] not in PLAIN_SCRIPTS)

    @property
    def pipeline(self) -> bool:
        return self.words[:2] == ("antelog", "run")

    @property
    def fails(self) -> bool:
        """Whether the page shows that it fails: a test of rules does."""
        return self.words[:2] == ("antelog", "test") and any(line.startswith("✗") for line in self.shown)

    @property
    def possible(self) -> bool:
        """Whether a test can run it: it needs nothing from elsewhere, and ends."""
        endless = self.pipeline and "--stream" in self.words and "available-now" not in self.words
        endless |= self.words[:2] == ("antelog", "watch") and "--once" not in self.words
        elsewhere = any(mark in word for word in self.words for mark in ELSEWHERE)
        return self.words[0] in SHELL | {"antelog", "python"} and not elsewhere and not endless


def steps(blocks: Sequence[Block]) -> Iterator[Step | Block]:
    """The steps of a page in order; a block that is a file stands for itself."""
    waiting: list[Step] = []
    for block in blocks:
        if block.language == "output":
            last = waiting.pop()
            waiting.append(Step(last.place, last.words, (*last.shown, *block.text.splitlines())))
            continue
        yield from waiting
        waiting = []
        if block.file is not None:
            yield block
        elif block.language == "python":
            waiting = [Step(str(block), ("python", "-c", block.text))]
        elif block.language == "sh":
            waiting = [Step(str(block), tuple(each)) for each in commands(block) if each]
    yield from waiting


def run(step: Step) -> str:
    """What a step prints in the folder we are in, to standard output and then to standard error."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    words = list(step.words)
    if words[0] == "antelog" and not step.spark:
        found = antelog(*words[1:])
        assert found.exit_code == int(step.fails), f"{step.place}: {found.stderr}"
        return found.stdout + found.stderr
    if words[0] == "antelog":
        words[:1] = [sys.executable, "-c", "from antelog.cli.main import main; main(prog_name='antelog')"]
    elif words[0] == "python":
        words[0] = sys.executable
    elif not {">", ">>", "|"}.isdisjoint(words):
        words = ["sh", "-c", " ".join(w if w in (">", ">>", "|") else shlex.quote(w) for w in words)]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, f"{step.place}: {done.stderr}"
    return done.stdout + done.stderr


@contextmanager
def without_spark() -> Iterator[list[Settings]]:
    """Pipelines go up to where Spark would start, with these settings."""
    started: list[Settings] = []

    def start(_program: Program, settings: Settings, _page: PageAddress | None) -> None:
        started.append(settings)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "run_pipeline", start)
        yield started


def missing(shown: Sequence[str], printed: str) -> str | None:
    """The first line a page shows that was not printed there; None if all is as it says."""
    lines = printed.splitlines()
    at, anywhere = 0, False
    for line in shown:
        if line.strip() == REST:
            anywhere = True
            continue
        places = range(at, len(lines) if anywhere else min(at + 1, len(lines)))
        found = next((i for i in places if _matches(line, lines[i])), None)
        if found is None:
            return line
        at, anywhere = found + 1, False
    return None


def _matches(shown: str, line: str) -> bool:
    if shown.endswith(" " + REST):
        return line.startswith(shown.removesuffix(" " + REST))
    return shown.rstrip() == line.rstrip()
