"""The cases of the matrix: each example, idiom and conformance case, plain and with something added."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import antelog
from antelog.errors import ProgramError
from tests.docs.pages import ROOT, Block, blocks_of, commands
from tests.recorded import FOLDER, NAMES

_KEPT = ("--input", "--static", "--map", "--functions", "--arrival", "--set")
_TIMES = ("arrival", "time")


@dataclass(frozen=True)
class MatrixCase:
    """A program, the options of a command that reads its facts, and the files by name."""

    name: str
    program: str
    options: tuple[str, ...]
    files: Mapping[str, bytes]
    model: tuple[str, ...] = ()  # the options of commands that know of chances
    added: str = "plain"  # the name of what `complete` is to add

    def complete(self) -> MatrixCase:
        """The case with what is added, which takes its program apart."""
        try:
            return ADDED[self.added](self)
        except ProgramError:
            pytest.skip("it includes others, or its functions are elsewhere")

    def write(self, folder: Path, *, half: bool = False) -> None:
        """Writes its files into a folder; with `half` only the facts before the tick in the middle."""
        inputs = {value.partition("=")[2] for value in self._given("--input")}
        before = self._middle(inputs) if half else None
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data if before is None or name not in inputs else self._cut(data, before))

    @property
    def text(self) -> str:
        """The text of its program."""
        return self.files[self.program].decode()

    @property
    def has_alerts(self) -> bool:
        """Whether an answer can become likely."""
        alerts = re.search(r"^query .* alert ", self.text, re.MULTILINE)
        return bool(alerts) and (bool(self.model) or "chance " in self.text)

    @property
    def given(self) -> list[tuple[str, str]]:
        """The options, each with its value."""
        return list(zip(self.options[::2], self.options[1::2], strict=True))

    def _given(self, option: str) -> list[str]:
        return [value for name, value in self.given if name == option]

    def _middle(self, inputs: set[str]) -> tuple[float, str]:
        ticks = sorted({tick for name in inputs for _, tick in self._dated(self.files[name])})
        return ticks[len(ticks) // 2]

    def _cut(self, data: bytes, before: tuple[float, str]) -> bytes:
        head = data.splitlines(keepends=True)[0]
        return head + b"".join(row for row, tick in self._dated(data) if tick < before)

    def _dated(self, data: bytes) -> Iterator[tuple[bytes, tuple[float, str]]]:
        """The rows of a file, each with what says when it comes: a number, or a time as text."""
        head, *rows = data.splitlines(keepends=True)
        names = next(csv.reader([head.decode()]))
        mapped = dict(value.split("=", 1) for value in self._given("--map"))
        wanted = [*self._given("--arrival"), *(mapped.get(each, each) for each in _TIMES)]
        at = next((names.index(each) for each in wanted if each in names), -1)
        for row in rows:
            text = next(csv.reader(io.StringIO(row.decode())))[at]
            yield row, (float(text), "") if re.fullmatch(r"-?\d+(\.\d+)?", text) else (0.0, text)


def _conformance() -> Iterator[MatrixCase]:
    for name in NAMES:
        files = {path.name: path.read_bytes() for path in (FOLDER / name).glob("*.[ac][ls][ov]*")}
        inputs = [f"{each[:-4]}={each}" for each in sorted(files) if each.endswith(".csv")]
        options = tuple(word for each in inputs for word in ("--input", each))
        yield MatrixCase(name, "program.alog", options, files)


def _examples() -> Iterator[MatrixCase]:
    for page in sorted((ROOT / "examples").glob("*/README.md")):
        files = {
            path.relative_to(page.parent).as_posix(): path.read_bytes()
            for path in page.parent.rglob("*.*")
            if path.suffix in (".alog", ".csv", ".py")
        }
        yield next(_tried(page.parent.name, blocks_of(page), files))


def _idioms() -> Iterator[MatrixCase]:
    page = blocks_of(ROOT / "docs" / "idioms.md")
    yield from _tried("idiom", page, {each.file: each.text.encode() for each in page if each.file})


def _tried(name: str, page: list[Block], files: Mapping[str, bytes]) -> Iterator[MatrixCase]:
    """A case for each `antelog try` of a page."""
    for words in (words for block in page if block.language == "sh" for words in commands(block)):
        if words[:2] == ["antelog", "try"]:
            options = tuple(word for pair in pairwise(words[3:]) if pair[0] in _KEPT for word in pair)
            own = name if name != "idiom" else f"idiom {Path(words[2]).stem}"
            yield MatrixCase(own, words[2], options, files)


# ---- what is added ----


def _learning(case: MatrixCase) -> MatrixCase:
    return replace(case, model=("--model", "learn"))


def _declared(case: MatrixCase) -> MatrixCase:
    """The case with chances for all its inputs."""
    plan = antelog.parse(case.text).plan
    chances = [
        f"chance {each.name}({', '.join('_' * len(each.columns))}) = 30%, again 60%."
        for each in plan.inputs
        if not plan.declares_chances
    ]
    return _with(case, "\n".join([case.text, *chances, ""]))


def _worded(case: MatrixCase) -> MatrixCase:
    """The case with words for each query that has none, which say how far it has come, and an alert."""
    text = re.sub(r'^(query [^"\n]*)\.$', r'\1 "{so_far} so far, {chance}".', case.text, flags=re.MULTILINE)
    return _with(case, re.sub(r"^(query (?!.*alert )\w+\(.*?\))", r"\1 alert 40%", text, flags=re.MULTILINE))


def _with(case: MatrixCase, text: str) -> MatrixCase:
    return replace(case, files={**case.files, case.program: text.encode()})


ADDED: Mapping[str, Callable[[MatrixCase], MatrixCase]] = {
    "plain": lambda case: case,
    "learning": _learning,
    "declared": lambda case: _worded(_declared(case)),
}


@cache
def sampled(every: int) -> list[Any]:
    """All cases as parameters of a test; of each so many, `make long` runs all but the first."""
    found = [
        replace(case, added=added) for case in (*_conformance(), *_examples(), *_idioms()) for added in ADDED
    ]
    return [
        pytest.param(case, id=f"{case.name}, {case.added}", marks=pytest.mark.long if at % every else ())
        for at, case in enumerate(found)
    ]
