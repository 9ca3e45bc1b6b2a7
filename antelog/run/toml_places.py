"""The spans of settings in a TOML text.

The standard library's reader tells values but no places. A statement ends on the first line up to
which the text can be read, so reading longer and longer beginnings tells which lines brought which
settings. Files of settings are short; reading one a hundred times takes no time worth mentioning.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from antelog.diagnostics import Span

Path = tuple[str, ...]
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")


def places(text: str) -> dict[Path, Span]:
    """The place of every setting of a text that can be read: that of its name, or of its table's."""
    found: dict[Path, Span] = {}
    ends = [0, *(i + 1 for i, character in enumerate(text) if character == "\n"), len(text)]
    start = 0
    for _, end in pairwise(ends):
        try:
            settings = tomllib.loads(text[:end])
        except tomllib.TOMLDecodeError:
            continue
        for path in _paths(settings):
            if path not in found:
                found[path] = _name(text, start, end, path[-1])
        start = end
    return found


def value_span(text: str, name: Span) -> Span:
    """The place of the value behind a name, as far as it is on the same line."""
    line = text[name.end :].partition("\n")[0]
    value = re.match(r"""["']?\s*=\s*("[^"]*"|'[^']*'|\[[^\]]*\]|[^,}#\s][^,}#]*)""", line)
    if value is None:
        return name
    return Span(name.end + value.start(1), name.end + value.start(1) + len(value[1].rstrip()))


def fault(text: str, error: tomllib.TOMLDecodeError) -> tuple[str, Span]:
    """The message and the span of an error in a TOML text."""
    message = str(error)
    at = _PLACE.search(message)
    if at is None:  # at the end of the text
        return message.partition(" (at")[0], _visible(text, len(text))
    lines = text.splitlines(keepends=True)
    offset = sum(map(len, lines[: int(at[1]) - 1])) + int(at[2]) - 1
    return message[: at.start()], _visible(text, offset)


def _visible(text: str, offset: int) -> Span:
    """One character of the text, at the offset or, where nothing is there to be seen, before it."""
    offset = min(offset, len(text) - 1)
    while offset > 0 and text[offset].isspace():
        offset -= 1
    return Span(max(offset, 0), max(offset, 0) + 1)


def _paths(settings: Mapping[str, Any], above: Path = ()) -> Iterator[Path]:
    for name, value in settings.items():
        yield (*above, name)
        if isinstance(value, Mapping):
            yield from _paths(value, (*above, name))


def _name(text: str, start: int, end: int, name: str) -> Span:
    """A name within a statement: bare or in quotes, in a header or before an equals sign."""
    match = re.compile(rf"""(?<![\w-]){re.escape(name)}(?=["']?\s*[=.\]])""").search(text, start, end)
    if match is None:  # written with escapes, say
        body = text[start:end]
        start += len(body) - len(body.lstrip())
        return Span(start, max(start + 1, start + len(text[start:end].partition("\n")[0].rstrip())))
    return Span(*match.span())
