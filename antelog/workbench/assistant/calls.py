"""Commands for an assistant: files of one folder or texts in their place, and an answer within limits."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import msgspec
from mcp.server.mcpserver.exceptions import ToolError

from antelog.errors import AntelogError
from antelog.escaping import shown_lines
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.program_files import read_text
from antelog.workbench.assistant import confined
from antelog.workbench.assistant.pages import WORDS
from antelog.writing import temporary_folder

Options: TypeAlias = Mapping[str, str | int | float | bool | Sequence[str | int | float]]

MOST_RESULTS, MOST_NOTES = 80_000, 20_000  # bytes of what a command prints, and of what it says beside that
_MOST_FILES = 10_000  # of a folder in which a text may stand for a file
_CUT = """
… cut: {:,} more bytes were printed. Ask for less, as with the options `only`, `since`, `until`, `most`,
`explanations`, or with fewer queries.
"""
_ENDED = """
error: ended after {:g} seconds, before it was done; what it has printed is above. Give it fewer facts, or
have the server started with more --seconds
"""


@dataclass(frozen=True)
class ReadableFolder:
    """A folder to be read, the file with functions that may be run, and the seconds that a call may take."""

    root: Path
    functions: Path | None = None
    seconds: float = 60

    def inside(self, given: str) -> str:
        """A path from the folder, of a file or a folder in it. Raises ToolError for others."""
        found, fits = self.root / given, False
        with suppress(OSError, ValueError):  # it is elsewhere, or a name that no file can have
            parts = found.resolve().relative_to(self.root.resolve()).parts
            fits = not any(each.startswith(".") for each in parts) and "://" not in given
        if not fits or Path(given).is_absolute():
            raise ToolError(
                f"{given}: is not in the folder that may be read, or hidden; write a path from there"
            )
        if not found.exists():
            near = [each.name for each in found.parent.glob("*")] if found.parent.is_dir() else []
            hint = did_you_mean(found.name, near) or "Write a path from there, or the text itself."
            raise ToolError(f"{given}: there is no such file in the folder. {hint}")
        return given


@dataclass
class CommandCall:
    """A command with its options, and texts that stand for files."""

    folder: ReadableFolder
    command: str
    words: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    def file(self, given: str, name: str = "rules.alog") -> str:
        """The path that is given or, if it is a text, a name with which it stands for a file."""
        if "\n" not in given and (given.endswith(".alog") or not name.endswith(".alog")):
            return self.folder.inside(given)
        self.texts[name] = given
        return name

    def text(self, given: str) -> str:
        """The text of a program, given as such or as a path."""
        name = self.file(given)
        try:
            return self.texts.pop(name) if name in self.texts else read_text(self.folder.root / name)
        except AntelogError as error:
            raise ToolError(str(error)) from None

    def facts(self, option: str, given: Mapping[str, str]) -> None:
        """Adds the facts of predicates: paths, or texts as CSV or JSON lines."""
        for name, value in given.items():
            if not name.isidentifier():
                raise ToolError(f"{name}: is not the name of a predicate")
            form = "jsonl" if value.lstrip().startswith("{") else "csv"
            self.words.append(f"--{option}={name}={self.file(value, f'{name}.{form}')}")

    def given(self, options: Options) -> None:
        """Adds options of the command. Raises ToolError for those that are not allowed."""
        for name, value in options.items():
            known = name.lstrip("-").replace("_", "-")
            if known not in WORDS["allowed"]["options"]:
                hint = did_you_mean(known, WORDS["allowed"]["options"])
                raise ToolError(f"there is no option {name} for assistants. {hint}".rstrip())
            for each in [value] if isinstance(value, str | int | float) else value:
                if known == "model" and each != "learn":
                    self.folder.inside(str(each))
                self.words += [] if each is False else [f"--{known}" if each is True else f"--{known}={each}"]

    async def answer(self, *arguments: str, standard: str = "") -> str:
        """The output of the command, then its messages. Raises ToolError if it fails."""
        root, functions = self.folder.root.resolve(), None
        if self.folder.functions is not None:
            functions = str(self.folder.functions.resolve())
            self.words += [] if self.command in ("check", "format") else [f"--functions={functions}"]
        with ExitStack() as stack:
            here = stack.enter_context(overlaid(root, self.texts)) if self.texts else root
            held = confined.Confines((str(root), str(here.resolve())), functions)
            words = [msgspec.json.encode(held).decode(), self.command, *self.words, "--", *arguments]
            said, failed = await _run(words, here, self.folder.seconds, standard.encode())
        if failed:
            raise ToolError(f"\n{said}")  # below the line that names the tool
        return said


async def _run(words: Sequence[str], here: Path, seconds: float, standard: bytes) -> tuple[str, bool]:
    """The output and the messages of a command, and whether it failed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-B", "-X", "utf8", "-m", confined.__name__, *words),
        cwd=here,
        env={name: os.environ[name] for name in WORDS["allowed"]["environment"] if name in os.environ},
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    assert process.stdin and process.stdout and process.stderr  # noqa: PT018 - they are pipes
    results, notes = bytearray(), bytearray()
    reading = _keep(process.stdout, results, MOST_RESULTS), _keep(process.stderr, notes, MOST_NOTES)
    try:
        async with asyncio.timeout(seconds):
            with suppress(ConnectionError):  # it has ended before it has read all
                process.stdin.write(standard)
                await process.stdin.drain()
                process.stdin.close()
            await asyncio.gather(*reading, process.wait())
    except TimeoutError:
        notes += _ENDED.format(seconds).encode()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    found = [shown_lines(each.decode("utf-8", "replace")) for each in (results, notes) if each]
    return "\n".join(found) or f"it has ended with status {process.returncode}", process.returncode != 0


async def _keep(stream: asyncio.StreamReader, kept: bytearray, most: int) -> None:
    """Keeps the beginning of what a process prints, and says how much more there was."""
    left_out = 0
    while piece := await stream.read(1 << 16):
        room = max(0, most - len(kept))
        kept += piece[:room]
        left_out += len(piece[room:])
    kept += _CUT.format(left_out).encode() if left_out else b""


@contextmanager
def overlaid(folder: Path, texts: Mapping[str, str]) -> Iterator[Path]:
    """A copy of a folder, made of links to its files, in which texts stand for some; it is soon removed."""
    with temporary_folder() as scratch:
        copy, count = scratch / "folder", 0
        for where, folders, names in os.walk(folder):
            folders[:] = [each for each in folders if not each.startswith(".")]
            here = copy / Path(where).relative_to(folder)
            here.mkdir()
            count += len(names)
            if count > _MOST_FILES:
                raise ToolError(f"a text can stand beside {_MOST_FILES:,} files at most; the folder has more")
            linked = [each for each in folders if Path(where, each).is_symlink()]
            for name in [*names, *linked]:
                (here / name).symlink_to(Path(where, name))
        for name, text in texts.items():
            (copy / name).unlink(missing_ok=True)
            (copy / name).write_text(text, encoding="utf-8")
        yield copy
