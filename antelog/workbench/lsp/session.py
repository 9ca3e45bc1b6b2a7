"""The state of a language server: open texts, their programs, and the analyses of these."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path

from antelog.compile import Compiled, compile_program
from antelog.diagnostics import Diagnostic, Source, in_source_order
from antelog.language import Checked, check
from antelog.language.parser import StatementTrees, includes_of, parse
from antelog.language.program_files import gathered, text_of

MOST_PROGRAMS = 500  # the most files of a workspace that are searched for those that include others
_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})


@dataclass(frozen=True)
class OpenText:
    """A text that an editor has open; `path` is that of its file, or the URI of a text that is not in one."""

    path: str
    uri: str
    version: int | None
    text: str


@dataclass(frozen=True)
class Analysis:
    """A program at some moment: its files, checked and compiled, with all diagnostics."""

    root: str
    source: Source
    checked: Checked
    compiled: Compiled | None
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class Snapshot:
    """The open texts of a moment, the files on disk that include others, and the latest analyses."""

    texts: Mapping[str, OpenText]
    including: tuple[str, ...] = ()
    analyses: Mapping[str, Analysis] = field(default_factory=dict)

    def text(self, path: str) -> str:
        """The text of a file in the editor, or else on disk. Raises OSError or ValueError."""
        found = self.texts.get(real(path))
        return text_of(path) if found is None else found.text

    def readable(self, path: str) -> str:
        """The text of a file, empty if it cannot be read."""
        try:
            return self.text(path)
        except (OSError, ValueError):
            return ""

    def files(self, root: str) -> list[Source]:
        return [each for _, each in gathered(Source(self.readable(root), root), self.text)[0].files]

    def root_of(self, path: str) -> str:
        """The program that a file belongs to: itself, unless it has no query and another one includes it."""
        return next(iter(self.roots_of(path)), path)

    def roots_of(self, path: str) -> list[str]:
        """All programs that a file belongs to, the open ones first."""
        including = [root for root in self._including if real(path) in self._including[root]]
        including.sort(key=lambda root: (real(root) not in self.texts, root))
        return [path, *including] if "query" in self.readable(path) or not including else including

    def related_files(self, path: str) -> list[Source]:
        """The files of all programs that a file belongs to, each once."""
        found: dict[str, Source] = {}
        for root in self.roots_of(path):
            for each in self.files(root):
                found.setdefault(real(each.name), each)
        return list(found.values())

    def analysis_of(self, path: str) -> Analysis | None:
        return self.analyses.get(real(self.root_of(path)))

    @cached_property
    def _including(self) -> dict[str, frozenset[str]]:
        """The programs that include files, with these; programs that others include are left out."""
        found = {}
        open_files = [each.path for each in self.texts.values() if Path(each.path).is_absolute()]
        for path in sorted({*open_files, *self.including}):
            if _includes(self.readable(path)):
                found[path] = frozenset(real(each.name) for each in self.files(path)[1:])
        return {
            path: files for path, files in found.items() if all(real(path) not in o for o in found.values())
        }


def _programs_in(folders: Collection[str]) -> Iterator[str]:
    for folder in folders:
        for where, below, files in os.walk(folder):
            below[:] = sorted(each for each in below if not each.startswith(".") and each not in _SKIPPED)
            yield from (str(Path(where, name)) for name in sorted(files) if name.endswith(".alog"))


@lru_cache(maxsize=1024)
def _includes(text: str) -> bool:
    return bool(includes_of(text))


def real(path: str) -> str:
    """The path of a file without links, the same however it is named."""
    return os.path.realpath(path) if Path(path).is_absolute() else path


def analysed(root: str, snapshot: Snapshot, trees: StatementTrees | None = None) -> Analysis | None:
    """Reads, checks and compiles a program, with all diagnostics of `antelog check`."""
    try:
        text = snapshot.text(root)
    except (OSError, ValueError):
        return None
    source, problems = gathered(Source(text, root), snapshot.text)
    parsed = parse(source, trees)
    checked = check(parsed)
    if problems:
        return Analysis(root, source, checked, None, in_source_order([*problems, *parsed.diagnostics]))
    compiled = compile_program(checked)
    return Analysis(root, source, checked, compiled, compiled.diagnostics)


class Session:
    """The changing part: open texts and the latest analyses."""

    def __init__(self) -> None:
        self.folders: tuple[str, ...] = ()
        self._trees: dict[str, StatementTrees] = {}
        self._texts: dict[str, OpenText] = {}
        self._analyses: dict[str, Analysis] = {}
        self._including: tuple[str, ...] | None = None
        self._snapshot: Snapshot | None = None

    @property
    def snapshot(self) -> Snapshot:
        if self._snapshot is None:
            if self._including is None:
                paths = [Path(each.path) for each in self._texts.values()]
                folders = {*self.folders, *(str(each.parent) for each in paths if each.is_absolute())}
                on_disk, programs = Snapshot({}), islice(_programs_in(folders), MOST_PROGRAMS)
                including = {each for each in programs if _includes(on_disk.readable(each))}
                self._including = tuple(sorted(including))
            self._snapshot = Snapshot(dict(self._texts), self._including, dict(self._analyses))
        return self._snapshot

    def put(self, text: OpenText) -> None:
        if real(text.path) not in self._texts:
            self._including = None
        self._texts[real(text.path)] = text
        self._snapshot = None

    def close(self, path: str) -> None:
        self._texts.pop(real(path), None)
        self._snapshot = None

    def keep(self, analysis: Analysis) -> None:
        self._analyses[real(analysis.root)] = analysis
        self._snapshot = None

    def trees_of(self, root: str) -> StatementTrees:
        return self._trees.setdefault(real(root), StatementTrees())

    def forget(self) -> None:
        """Forgets what was read from disk: files there have changed."""
        self._including = None
        self._snapshot = None
