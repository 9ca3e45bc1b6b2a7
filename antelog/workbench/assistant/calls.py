"""Commands for an assistant: files of one folder or texts in their place, and an answer within limits."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import msgspec
from mcp.server.mcpserver.exceptions import ToolError

from antelog.escaping import shown_lines
from antelog.language.checks.suggestions import did_you_mean
from antelog.workbench.assistant import confined
from antelog.writing import temporary_folder

Options: TypeAlias = Mapping[str, str | int | float | bool | Sequence[str | int | float]]

OPTIONS = (
    *("set", "map", "time-unit", "time-zone", "time-format", "arrival", "since", "until", "at"),
    *("only", "explanations", "snapshots", "format", "most", "depth", "limit", "strict", "no-coverage"),
    *("model", "judges", "half-life", "min-chance", "pattern-limit"),
    *("settle", "within", "where", "key", "query", "vary", "split"),
)
"""The options of commands that an assistant may give: none that writes, starts, or reads another place."""

SECONDS = 60
MOST_RESULTS, MOST_NOTES = 80_000, 20_000  # bytes of what a command prints, and of what it says beside that
_MOST_FILES = 10_000
# The variables of the environment that a command gets. Passwords are in none of them.
_ENVIRONMENT = (
    *("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT"),
    *("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH"),
)


@dataclass(frozen=True)
class Place:
    """A folder to be read, the file with functions that may be run, and the seconds that a call may take."""

    folder: Path
    functions: Path | None = None
    seconds: float = SECONDS

    def path(self, given: str) -> str:
        """A path from the folder, of a file or a folder in it. Raises ToolError for others."""
        found = self.folder / given
        inside = False
        with suppress(OSError, ValueError):  # a name that no file can have
            inside = "://" not in given and found.resolve().is_relative_to(self.folder.resolve())
        if not inside or Path(given).is_absolute():
            raise ToolError(f"{given}: is not in the folder that may be read; write a path from there")
        if not found.exists():
            near = [each.name for each in found.parent.glob("*")] if found.parent.is_dir() else []
            hint = did_you_mean(found.name, near) or "Write a path from there, or the text itself."
            raise ToolError(f"{given}: there is no such file in the folder. {hint}")
        return given


@dataclass
class Call:
    """A command with its options and arguments, and texts in place of files."""

    place: Place
    command: str
    options: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    def file(self, given: str, name: str = "rules.alog") -> str:
        """The path that is given or, if it is a text, a name with which it stands for a file."""
        is_program = name.endswith(".alog")
        if "\n" not in given and (given.endswith(".alog") or not is_program):
            return self.place.path(given)
        self.texts[name] = given
        return name

    def facts(self, option: str, given: Mapping[str, str]) -> None:
        """Adds the facts of predicates: paths, or texts as CSV or JSON lines."""
        for name, value in given.items():
            if not name.isidentifier():
                raise ToolError(f"{name}: is not the name of a predicate")
            form = "jsonl" if value.lstrip().startswith("{") else "csv"
            self.options.append(f"--{option}={name}={self.file(value, f'{name}.{form}')}")

    def given(self, options: Options) -> None:
        """Adds options of the command. Raises ToolError for those that an assistant may not give."""
        for name, value in options.items():
            known = name.lstrip("-").replace("_", "-")
            if known not in OPTIONS:
                hint = did_you_mean(known, OPTIONS) or f"There are {', '.join(OPTIONS)}."
                raise ToolError(f"there is no option {name} here. {hint}")
            for each in [value] if isinstance(value, str | int | float) else value:
                if each is True:
                    self.options.append(f"--{known}")
                elif each is not False:
                    text = str(each)
                    learned = known != "model" or text == "learn"
                    self.options.append(f"--{known}={text if learned else self.place.path(text)}")

    async def answer(self, *arguments: str, standard: str = "") -> str:
        """What the command prints, then what it says beside that. Raises ToolError if it fails."""
        if self.place.functions is not None and self.command not in ("check", "format"):
            self.options.append(f"--functions={self.place.functions}")
        with ExitStack() as stack:
            here, folders = self.place.folder, [self.place.folder]
            if self.texts:
                here = stack.enter_context(overlaid(here, self.texts))
                folders.append(here)
            functions = self.place.functions
            run = None if functions is None else str(functions.resolve())
            held = confined.Confines(tuple(str(each.resolve()) for each in folders), run)
            words = [msgspec.json.encode(held).decode(), self.command, *self.options, "--", *arguments]
            return await _run(words, here, self.place.seconds, standard.encode())


async def _run(words: Sequence[str], here: Path, seconds: float, standard: bytes) -> str:
    known = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-B", "-X", "utf8", "-m", confined.__name__, *words),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=here,
        env=known,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    results, notes = _Kept(MOST_RESULTS), _Kept(MOST_NOTES)
    ends = [results.all_of(process.stdout), notes.all_of(process.stderr), process.wait()]
    status: int | None = None
    try:
        async with asyncio.timeout(seconds):
            with suppress(ConnectionError):  # it has ended before it has read all
                process.stdin.write(standard)
                await process.stdin.drain()
                process.stdin.close()
            *_, status = await asyncio.gather(*ends)
    except TimeoutError:
        notes.data += (
            f"error: ended after {seconds:g} seconds, before it was done; what it has printed is above. Give "
            "it fewer facts, or have the server started with more --seconds\n"
        ).encode()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if status == 0:
        return "\n".join(filter(None, [results.text, notes.text])) or "(it has printed nothing)"
    said = "\n".join(filter(None, [results.text, notes.text])) or f"it ended with status {status}"
    raise ToolError(f"\n{said}")  # below the line that names the tool


@dataclass
class _Kept:
    """The beginning of what a process prints; the rest is counted."""

    most: int
    data: bytearray = field(default_factory=bytearray)
    left_out: int = 0

    async def all_of(self, stream: asyncio.StreamReader) -> None:
        while piece := await stream.read(1 << 16):
            kept = piece[: max(0, self.most - len(self.data))]
            self.data += kept
            self.left_out += len(piece) - len(kept)

    @property
    def text(self) -> str:
        text = shown_lines(self.data.decode("utf-8", "replace"))
        if self.left_out:
            text += (
                f"\n… cut: {self.left_out:,} more bytes were printed. Ask for less, as with the options "
                "`only`, `since`, `until`, `most`, `explanations`, or with fewer queries.\n"
            )
        return text


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
                raise ToolError(
                    f"the folder has more than {_MOST_FILES:,} files, too many to put a text beside them; "
                    "have the server started in a smaller folder"
                )
            for name in names:
                (here / name).symlink_to(Path(where, name).absolute())
        for name, text in texts.items():
            path = copy / name
            path.unlink(missing_ok=True)
            path.write_text(text, encoding="utf-8")
        yield copy
