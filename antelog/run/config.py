"""Settings in a TOML file, whose keys are the options of the command; mistakes have a place and a hint."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from antelog.diagnostics import Diagnostic, Source, Span, problem
from antelog.errors import ProgramError
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.program_files import read_text
from antelog.run.options import Arity, Naming, Option, Runner, options_of
from antelog.run.values import SettingError, filled, refused
from antelog.secrets import blanked

_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
TomlPath = tuple[str, ...]
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")


@dataclass(frozen=True)
class Config:
    """The settings of a file, by their attributes, and the place of each key: `trigger`, `input.Temp`."""

    values: Mapping[str, Any]
    source: Source
    places: Mapping[str, Span]

    def has(self, key: str) -> bool:
        return _normal(key) in self.places

    def diagnostic(self, code: str, key: str, message: str, hint: str) -> Diagnostic:
        """A mistake at the place of a key, or at the beginning if the file does not have it."""
        return Diagnostic(code, message, self.places.get(_normal(key), _beginning(self.source)), hint)


def read_config(path: Path, struct: type, runner: Runner) -> Config:
    """The settings in a file. Raises ProgramError with all that is wrong in the file itself."""
    return parse_config(Source(read_text(path), str(path)), struct, replace(runner, folder=path.parent))


def parse_config(source: Source, struct: type, runner: Runner) -> Config:
    """The settings in a text, for a runner with paths relative to its folder. Raises ProgramError."""
    # Diagnostics show lines of the file, but no secrets in them.
    shown = Source(blanked(source.text), source.name)
    try:
        document = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        what, span = fault(source.text, error)
        kind = "twice" if "overwrite" in what or "declare" in what else "no-toml"
        found = problem(f"E701.{kind}", span, reason=what[:1].lower() + what[1:])
        raise ProgramError([found], shown) from None
    options = [each for each in options_of(struct, runner.name) if each.in_file]
    reader = _Reader(source, runner, {each.name: each for each in options})
    values = reader.values(document)
    if reader.diagnostics:
        raise ProgramError(reader.diagnostics, shown)
    return Config(values, shown, reader.named)


def _normal(key: str) -> str:
    """A key with underscores for hyphens in its first part: options are written either way."""
    first, stop, rest = key.partition(".")
    return first.replace("-", "_") + stop + rest


def _beginning(source: Source) -> Span:
    """The first line that is not a comment."""
    match = re.search(r"^[^\n#]*[^\s#][^\n]*", source.text, re.MULTILINE)
    return Span(*match.span()) if match else Span(0, 1)


class _Reader:
    """Reads the settings of a file, and collects the mistakes in them."""

    def __init__(self, source: Source, runner: Runner, options: Mapping[str, Option]) -> None:
        self._source = source
        self._runner = runner
        self._options = options
        self._places = places(source.text)
        self._found: dict[str, Any] = {}
        self.diagnostics: list[Diagnostic] = []
        self.named = {
            _normal(".".join(path[:2])): span for path, span in self._places.items() if len(path) < 3
        }

    def values(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a document, by the attributes of the struct."""
        for key, value in document.items():
            option = self._options.get(_normal(key))
            if option is None:
                self._unknown((key,), self._options, document)
            elif option.naming is not None:
                self._table(option, option.naming, (key,), value)
            else:
                with self._complaints((key,)):
                    self._found[option.attribute] = self._value(option, value)
        return self._found

    def _value(self, option: Option, value: object) -> Any:
        if option.arity is Arity.MANY:
            return tuple(self._one(option, each) for each in (value if isinstance(value, list) else [value]))
        if option.syntax.separator and isinstance(value, list):
            if not all(isinstance(each, str) for each in value):
                raise _wrong_type(str)
            return self._one(option, option.syntax.separator.join(value))
        return self._one(option, value)

    def _one(self, option: Option, value: object) -> Any:
        return option.syntax.read(self._written(option, value), self._runner)

    def _written(self, option: Option, value: object) -> str:
        """A value as it would be written on the command line."""
        syntax = option.syntax
        fits = isinstance(value, syntax.toml) or (float in syntax.toml and isinstance(value, int))
        if not fits or (isinstance(value, bool) and bool not in syntax.toml):
            raise _wrong_type(syntax.toml[0])
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str):
            return value if syntax.fills else filled(value)
        return str(float(value)) if float in syntax.toml and int not in syntax.toml else str(value)  # type: ignore[arg-type]  # a number

    # ---- values with names ----

    def _table(self, option: Option, naming: Naming, path: TomlPath, value: object) -> None:
        """Reads the values of `[input.Temp]`, `map = {…}` and the like."""
        if not isinstance(value, dict):
            if naming.nameless:
                with self._complaints(path):
                    self._put(option, "", self._one(option, value))
            else:
                hint = f"Write [{path[-1]}] on a line, its settings below."
                self._bad(path, "the value is not a table", hint)
            return
        for name, each in value.items():
            if naming.entry:
                self._entry(option, naming.entry, (*path, name), each)
            else:
                self._named(option, (*path, name), name, each)

    def _named(self, option: Option, path: TomlPath, name: str, value: object) -> None:
        if _is_dotted(option) and isinstance(value, dict):  # TOML takes `Temp.device = …` for a table
            for inner, each in value.items():
                self._named(option, (*path, inner), f"{name}.{inner}", each)
            return
        with self._complaints(path):
            self._put(option, name, option.named(name, self._written(option, value), self._runner))

    def _entry(self, option: Option, entry: str, path: TomlPath, value: object) -> None:
        """Reads `[input.Temp]`: a source, and other settings of this predicate."""
        given = value if isinstance(value, dict) else {entry: value}
        every = self._options.values()
        inner = {each.name: each for each in every if each.naming and option.name in each.naming.within}
        known = (entry, *inner)
        for key, each in given.items():
            if key not in known:
                self._unknown((*path, key), known, given)
            elif key in inner:
                self._inner(inner[key], (*path, key), each)
        if entry not in given:
            self._missed("E705.entry", path, name=f"{option.name}.{path[-1]}", entry=entry)
            return
        with self._complaints((*path, entry) if given is value else path):
            self._put(option, path[-1], self._one(option, given[entry]))

    def _inner(self, option: Option, path: TomlPath, value: object) -> None:
        """Reads an option within the table of a predicate, to which alone it applies."""
        predicate = path[-2]
        if not _is_dotted(option):
            with self._complaints(path):
                self._put(option, predicate, self._one(option, value))
        elif not isinstance(value, dict):
            self._bad(path, f"`{path[-1]}` is a table", 'Write map = { column = "name in the source" }.')
        else:
            for name, each in value.items():
                self._named(option, (*path, name), f"{predicate}.{name}", each)

    def _put(self, option: Option, name: str, value: Any) -> None:
        self._found.setdefault(option.attribute, {})[name] = value

    # ---- mistakes ----

    @contextmanager
    def _complaints(self, path: TomlPath) -> Iterator[None]:
        """Collects the mistake in the value of a key, and goes on behind it."""
        try:
            yield
        except SettingError as error:
            self._bad(path, error.message, error.hint)

    def _bad(self, path: TomlPath, message: str, hint: str) -> None:
        name = self._places.get(path, _beginning(self._source))
        self.diagnostics.append(
            Diagnostic("E703", f"`{path[-1]}`: {message}", value_span(self._source.text, name), hint)
        )

    def _unknown(self, path: TomlPath, known: Iterable[str], given: Mapping[str, Any]) -> None:
        hint = did_you_mean(path[-1], [name for name in known if name not in given])
        where = f"`{'.'.join(path[:-1])}`" if len(path) > 1 else "a pipeline"
        hint = hint or f"There are {', '.join(known)}."
        self._missed("E702.setting", path, where=where, name=path[-1], hint=hint)

    def _missed(self, name: str, path: TomlPath, /, **values: object) -> None:
        place = self._places.get(path, _beginning(self._source))
        self.diagnostics.append(problem(name, place, **values))


def _is_dotted(option: Option) -> bool:
    return option.naming is not None and option.naming.dotted


def _wrong_type(expected: type) -> SettingError:
    return refused("no-text") if expected is str else refused("other-type", what=_NAMES[expected])


# ---- places ----


def places(text: str) -> dict[TomlPath, Span]:
    """The place of each setting's name: each beginning of a text that can be read ends a statement."""
    found: dict[TomlPath, Span] = {}
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
    """One character of the text, at the offset or the visible one before it."""
    offset = min(offset, len(text) - 1)
    while offset > 0 and text[offset].isspace():
        offset -= 1
    return Span(max(offset, 0), max(offset, 0) + 1)


def _paths(settings: Mapping[str, Any], above: TomlPath = ()) -> Iterator[TomlPath]:
    for name, value in settings.items():
        yield (*above, name)
        if isinstance(value, Mapping):
            yield from _paths(value, (*above, name))


def _name(text: str, start: int, end: int, name: str) -> Span:
    """The place of a name within a statement: bare or in quotes, in a header or before an equals sign."""
    match = re.compile(rf"""(?<![\w-]){re.escape(name)}(?=["']?\s*[=.\]])""").search(text, start, end)
    if match is None:  # written with escapes, say
        body = text[start:end]
        start += len(body) - len(body.lstrip())
        return Span(start, max(start + 1, start + len(text[start:end].partition("\n")[0].rstrip())))
    return Span(*match.span())
