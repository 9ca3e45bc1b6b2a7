"""Diagnostics: errors and warnings of a program as data, and their rendering for people and programs."""

from __future__ import annotations

import tomllib
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, cached_property
from importlib.resources import files
from itertools import accumulate
from operator import itemgetter
from typing import Any

from antelog.escaping import shown


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the source, from its first character to before `end`."""

    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """A program's text and its name, with the files it `included`; offsets continue through all."""

    text: str
    name: str = "<text>"
    included: tuple[Source, ...] = ()
    values: Mapping[str, int | float] = field(default_factory=dict, hash=False)

    @cached_property
    def files(self) -> tuple[tuple[int, Source], ...]:
        """The files, each with its first offset."""
        alone = (Source(self.text, self.name), *self.included)
        starts = accumulate((len(each.text) + 1 for each in alone), initial=0)
        return tuple(zip(starts, alone, strict=False))

    @cached_property
    def whole(self) -> str:
        """The texts of all files, one after the other."""
        return "\n".join(each.text for _, each in self.files)

    def located(self, span: Span) -> tuple[Source, Span]:
        """The file of a stretch, and the stretch there."""
        if not self.included:
            return self, span
        start, file = self.files[bisect_right(self.files, span.start, key=itemgetter(0)) - 1]
        return file, Span(span.start - start, span.end - start)

    def excerpt(self, span: Span) -> str:
        return self.whole[span.start : span.end]

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(i + 1 for i, character in enumerate(self.text) if character == "\n")]

    def position(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset in its file, both counted from 1."""
        if self.included:
            file, span = self.located(Span(offset, offset))
            return file.position(span.start)
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its end."""
        start = self._line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : None if end < 0 else end].rstrip("\r")


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


CATALOGUE: Mapping[str, str] = tomllib.loads(files("antelog").joinpath("diagnostics.toml").read_text("utf-8"))


@dataclass(frozen=True)
class Note:
    """A second place of a diagnostic, with its relation to it."""

    message: str
    span: Span


@dataclass(frozen=True)
class Diagnostic:
    """An error or a warning: its place, the reason, and a remedy."""

    code: str
    message: str
    span: Span
    hint: str
    notes: tuple[Note, ...] = field(default=())

    @property
    def name(self) -> str:
        return CATALOGUE[self.code]

    @property
    def severity(self) -> Severity:
        return Severity.ERROR if self.code.startswith("E") else Severity.WARNING


@cache
def words_of(name: str) -> Mapping[str, str]:
    """The words in `problems.toml` of a problem, by its code and kind or its subject and kind."""
    subject, _, kind = name.partition(".")
    words: Mapping[str, str] = _problems()[subject][kind]
    return words


@cache
def _problems() -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads(files("antelog").joinpath("problems.toml").read_text("utf-8"))


def problem(name: str, span: Span, notes: tuple[Note, ...] = (), /, **values: object) -> Diagnostic:
    """The problem with this code and kind in `problems.toml`, such as `E101.asked-twice`."""
    code, words = name.partition(".")[0], words_of(name)
    return Diagnostic(code, words["message"].format(**values), span, words["hint"].format(**values), notes)


def in_source_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sorts errors and warnings by their places, without repetitions."""
    return tuple(sorted(dict.fromkeys(diagnostics), key=lambda d: (d.span.start, d.code, d.message)))


def errors_of(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(d for d in diagnostics if d.severity is Severity.ERROR)


def warnings_of(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(d for d in diagnostics if d.severity is Severity.WARNING)


def to_text(diagnostics: Iterable[Diagnostic], source: Source) -> str:
    """Renders diagnostics for a person: place, reason, the line with a caret, remedy."""
    return "\n\n".join(_block(d, source) for d in diagnostics)


def to_json(diagnostics: Iterable[Diagnostic], source: Source) -> list[dict[str, Any]]:
    """Renders diagnostics for a program, ready for `json.dumps`."""
    return [
        {
            "code": d.code,
            "name": d.name,
            "severity": d.severity.value,
            "message": d.message,
            "hint": d.hint,
            **_place(d.span, source),
            "notes": [{"message": n.message, **_place(n.span, source)} for n in d.notes],
        }
        for d in diagnostics
    ]


def _place(span: Span, source: Source) -> dict[str, str | int]:
    file, span = source.located(span)
    line, column = file.position(span.start)
    end_line, end_column = file.position(span.end)
    place: dict[str, str | int] = {} if file.name == source.name else {"file": file.name}
    return {**place, "line": line, "column": column, "end_line": end_line, "end_column": end_column}


def _block(d: Diagnostic, source: Source) -> str:
    file, span = source.located(d.span)
    line, column = file.position(span.start)
    name, message = shown(file.name), shown(d.message)
    heading = f"{name}:{line}:{column}: {d.severity.value} {d.code} ({d.name}): {message}"
    parts = [heading, _excerpt(span, file)]
    for note in d.notes:
        other, there = source.located(note.span)
        place = f"line {other.position(there.start)[0]}"
        place = place if other.name == file.name else f"{shown(other.name)}, {place}"
        parts += [f"  {shown(note.message)} ({place}):", _excerpt(there, other)]
    parts += [f"  {shown(text)}" for text in d.hint.split("\n") if text]
    return "\n".join(parts)


_WIDEST = 100


def _excerpt(span: Span, source: Source) -> str:
    """The line of the span with carets below it; of a very long line, the part around them."""
    line, column = source.position(span.start)
    text = source.line(line).replace("\t", " ")
    width = max(1, min(span.end - span.start, len(text) - column + 1))
    first = column - 1
    if len(text) > _WIDEST:
        cut = max(0, min(first - _WIDEST // 4, len(text) - _WIDEST))
        before, after = ("…" if cut else ""), ("…" if cut + _WIDEST < len(text) else "")
        text = before + text[cut : cut + _WIDEST] + after
        first += len(before) - cut
        width = max(1, min(width, len(text) - first))
    before, marked = shown(text[:first]), shown(text[first : first + width])
    carets = " " * max(first, len(before)) + "^" * max(1, len(marked))
    return f"  {line:>4} | {before}{marked}{shown(text[first + width :])}\n       | {carets}"
