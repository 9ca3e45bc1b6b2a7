"""Odd files of tests: those of the examples, cut, mixed, and with what YAML or a rule reads otherwise."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

from tests.attack.findings import Attempt, command
from tests.attack.programs import mutated

_EXAMPLES = Path(__file__).parents[2] / "examples"
_PIECES = [
    *("\t", ":", ": ", " #", "'", '"', "[", "]", "{", "}", "&a ", "*a", "&a [*a]", "|", ">", "-", "- ", "\n"),
    *("\r\n", "@", "@ 2", "@ -1", "%", "!", "!!int ", "? ", "\u2028", "\u202e", "\x07", "\ufeff", "1e999"),
    *("9" * 20, "-5", "0..3", "T+1", "_", "X", "nothing else", "over 50%", "2024-03-04 08:00", "2024-99-99"),
    *("at: 0\n", "recorded: yes", "nothing_else: yes", "set:\n  hot: 1", "rejected at 3", "1/0", '"\\ud800"'),
    *('"\\0"', "<<: *a", "---\n", "...\n", "☃", "\\", "(", "),", "count(", "not ", "last ", " where ", "P("),
    *(" delay", "query Q(X, T).", "program: x", "functions: y", "model: learn\n", "[" * 2000, "x" * 2000),
]
_FLAGS = [[], ["--record"], ["--junit", "results.xml"], ["--no-coverage"]]


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """So many files of tests, each of them run."""
    files = sorted(_EXAMPLES.glob("*/*.test.yaml"))
    for number in range(count):
        random = Random(f"{seed}, {number}")
        file = random.choice(files)
        text = whole = file.read_text("utf-8")
        for _ in range(random.choice((1, 1, 1, 2, 4))):
            text = mutated(text, random, _PIECES, [whole])
        flags = random.choice(_FLAGS)
        name = f"file {number} of seed {seed}, of {file.stem}, {flags}"
        yield Attempt(name, partial(run, file, text, flags))


def run(file: Path, text: str, flags: list[str]) -> None:
    """Runs a text in place of a file of tests. Raises whatever the command did not catch."""
    with tempfile.TemporaryDirectory(prefix="antelog-attack-") as folder:
        shutil.copytree(file.parent, folder, dirs_exist_ok=True)
        path = Path(folder, file.name)
        path.write_bytes(text.encode())
        arguments = ["test", str(path), *(str(Path(folder, each)) if "." in each else each for each in flags)]
        if command(*arguments).exit_code == 0 and flags == ["--record"]:
            before = path.read_bytes()
            command(*arguments)
            assert path.read_bytes() == before, "recording again changes the file"
