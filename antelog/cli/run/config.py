"""A pipeline in a TOML file, checked like a program: every mistake has its place and what to do.

    program = "turbines.alog"
    stream = true
    checkpoint = "state"
    trigger = "10s"
    output = "parquet:changes"

    [input.Temp]
    source = "kafka://localhost:9092/readings"
    map = { device = "sensor", time = "at" }
    time_unit = "ms"

Paths are those seen from the file's own folder. `${NAME}` in a text stands for the variable NAME of
the environment, so that passwords need not be written down.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from antelog.cli.arguments.units import unit
from antelog.cli.run.conflicts import Conflict
from antelog.cli.run.settings import (
    Settings,
    at_least,
    chance,
    clock,
    duration,
    master,
    setting,
    trigger,
)
from antelog.cli.run.toml_places import fault, places, value_place
from antelog.diagnostics import Diagnostic, Source, Span
from antelog.errors import ProgramError
from antelog.forecast.engine import LEARN
from antelog.language.checks.suggestions import did_you_mean
from antelog.program import read_text
from antelog.run.values import SettingError, filled, kinds
from antelog.secrets import blanked
from antelog.spark.endpoints.endpoints import SINKS, SOURCES, Sink
from antelog.spark.endpoints.endpoints import Source as FactSource

T = TypeVar("T")
_WHOLE: Mapping[str, int] = {"chunk": 1, "buckets": 1, "lag": 0, "until": 0, "most": 1}
_TEXTS: Mapping[str, Callable[[str], str]] = {
    "clock": clock, "trigger": trigger, "idle": duration, "master": master, "arrival": str,
}  # fmt: skip
_TABLES = ("input", "static", "map", "conf")
_LEARN_FROM = "learn-from"
SETTINGS = (
    "program",
    "stream",
    "checkpoint",
    "output",
    "rejects",
    "only",
    "model",
    "min_chance",
    "time_unit",
    *_TEXTS,
    *_WHOLE,
    *_TABLES,
    _LEARN_FROM,
)
_OF_SOURCES = ("source", "map")
_KNOWN = {"input": (*_OF_SOURCES, "time_unit"), "static": _OF_SOURCES, _LEARN_FROM: ("source",)}


@dataclass(frozen=True)
class Config:
    """What a file asks for, and where in it each setting stands: `trigger`, `input.Temp`, …"""

    settings: Settings
    source: Source
    places: Mapping[str, Span]

    def diagnostic(self, code: str, setting: str, message: str, hint: str) -> Diagnostic:
        """Something that is wrong with a setting, or, if it is not there, with the file."""
        return Diagnostic(code, message, self.places.get(setting, _beginning(self.source)), hint)


def read_config(path: Path) -> Config:
    """The pipeline in a file. Raises ProgramError with everything that is wrong with it by itself."""
    return parse_config(Source(read_text(path), str(path)), path.parent)


def parse_config(source: Source, folder: Path) -> Config:
    """The pipeline a text describes, with paths seen from a folder. Raises ProgramError."""
    # Diagnostics show lines of the file, but no secrets in them.
    shown = Source(blanked(source.text), source.name)
    try:
        values = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        what, span = fault(source.text, error)
        message = f"this is not TOML: {what[:1].lower()}{what[1:]}"
        hint = "Write `name = value`, texts in double quotes, and a [table] on a line of its own."
        if "overwrite" in what or "declare" in what:
            message, hint = "a setting is there twice", "Leave out one of the two."
        raise ProgramError([Diagnostic("E701", message, span, hint)], shown) from None
    reader = _Reader(source, folder)
    config = Config(reader.settings(values), shown, reader.named)
    if reader.diagnostics:
        raise ProgramError(reader.diagnostics, shown)
    return config


def conflict_diagnostic(config: Config, conflict: Conflict) -> Diagnostic:
    """A contradiction in the words of a file."""
    setting = next((each for each in conflict.settings if each in config.places), conflict.settings[0])
    code = "E705" if conflict.missing else "E704"
    return config.diagnostic(code, setting, *conflict.told(lambda name: f"`{name}`"))


def _beginning(source: Source) -> Span:
    """The first line that says something."""
    match = re.search(r"^[^\n#]*[^\s#][^\n]*", source.text, re.MULTILINE)
    return Span(*match.span()) if match else Span(0, 1)


class _Reader:
    """Goes through the settings of a file and keeps what is wrong with them."""

    def __init__(self, source: Source, folder: Path) -> None:
        self._source = source
        self._folder = folder
        self._places = places(source.text)
        self.diagnostics: list[Diagnostic] = []
        self.named = {".".join(path[:2]): span for path, span in self._places.items() if len(path) < 3}

    def settings(self, values: Mapping[str, Any]) -> Settings:
        found: dict[str, Any] = {"maps": {}, "time_units": {}}
        for name, value in values.items():
            if name not in SETTINGS:
                self._unknown((name,), SETTINGS, values)
            elif name == _LEARN_FROM:
                # Of a program with one input that need not be named.
                sources = value if isinstance(value, dict) else {"": value}
                found["learn_from"] = dict(self._sources(name, sources, found["maps"]))
            elif name == "time_unit":
                with self._complaints((name,)):
                    found["time_units"][""] = unit(self._filled(value))
            elif name not in _TABLES:
                with self._complaints((name,)):
                    found |= self._setting(name, value)
            elif not isinstance(value, dict):
                self._bad(
                    (name,), "the value is not a table", f"Write [{name}] on a line, its settings below."
                )
            elif name == "map":
                found["maps"] |= self._map((name,), value, "")
            elif name == "conf":
                found["conf"] = dict(self._flat(value, (name,)))
            else:
                found[f"{name}s"] = dict(self._sources(name, value, found["maps"]))
                if name == "input":
                    found["time_units"] |= self._units(value)
        return Settings().changed(found)

    def _setting(self, name: str, value: object) -> dict[str, Any]:
        if name == "stream":
            return {name: self._typed(value, bool, "true or false")}
        if name == "output":
            return {"outputs": tuple(self._sink(each) for each in self._list(value))}
        if name == "only":
            return {name: kinds(filled(",".join(self._list(value))))}
        if name in _WHOLE:
            return {name: at_least(_WHOLE[name], self._typed(value, int, "a whole number"))}
        if name == "min_chance":
            number = float(value) if type(value) is int else value
            return {name: chance(self._typed(number, float, "a number"))}
        text = self._text(value)
        if name == "rejects":
            return {name: self._sink(text)}
        text = filled(text)
        if name == "program":
            return {name: self._folder / text}
        if name == "checkpoint":
            return {name: self._path(text)}
        if name == "model":
            return {name: text if text == LEARN else self._folder / text}
        return {name: _TEXTS[name](text)}

    def _sources(
        self, table: str, values: Mapping[str, Any], maps: dict[str, str]
    ) -> Iterator[tuple[str, FactSource]]:
        """The source of each predicate; what its columns are called there goes to `maps`."""
        for predicate, value in values.items():
            path = (table, predicate) if predicate else (table,)
            given = value if isinstance(value, dict) else {"source": value}
            for name in given:
                known = _KNOWN[table]
                if name not in known:
                    self._unknown((*path, name), known, given)
            maps |= self._map((*path, "map"), given.get("map", {}), f"{predicate}.")
            if "source" not in given:
                span = self._places.get(path, _beginning(self._source))
                hint = 'Write source = "…": a path, kafka://…, jdbc:…#table, …'
                self.diagnostics.append(
                    Diagnostic("E705", f"`{table}.{predicate}` has no source", span, hint)
                )
                continue
            with self._complaints((*path, "source") if given is value else path):
                yield predicate, SOURCES.read(self._text(given["source"]), self._folder)

    def _units(self, values: Mapping[str, Any]) -> dict[str, str]:
        """What the times of each input count, where it is said."""
        found = {}
        for predicate, given in values.items():
            if isinstance(given, dict) and "time_unit" in given:
                with self._complaints(("input", predicate, "time_unit")):
                    found[predicate] = unit(self._filled(given["time_unit"]))
        return found

    def _map(self, path: tuple[str, ...], values: object, prefix: str) -> dict[str, str]:
        if not isinstance(values, dict):
            self._bad(path, "`map` is a table", 'Write map = { column = "name in the source" }.')
            return {}
        found: dict[str, str] = {}
        for name, value in values.items():
            if isinstance(value, dict):  # Temp.device = …, which TOML takes for a table
                found |= self._map((*path, name), value, f"{prefix}{name}.")
            else:
                with self._complaints((*path, name)):
                    found[f"{prefix}{name}"] = self._filled(value)
        return found

    def _flat(self, values: Mapping[str, Any], path: tuple[str, ...]) -> Iterable[tuple[str, str]]:
        """Settings of Spark, whose names have full stops, which TOML takes for tables within tables."""
        for name, value in values.items():
            if isinstance(value, dict):
                yield from self._flat(value, (*path, name))
            elif isinstance(value, bool):
                yield ".".join((*path[1:], name)), str(value).lower()
            elif isinstance(value, int | float):
                yield ".".join((*path[1:], name)), str(value)
            else:
                with self._complaints((*path, name)):
                    yield setting(".".join((*path[1:], name)), self._text(value))

    # ---- values ----

    def _typed(self, value: object, type_: type[T], what: str) -> T:
        if not isinstance(value, type_) or (isinstance(value, bool) and type_ is not bool):
            raise SettingError(f"the value is not {what}", f"Write {what}, without quotes.")
        return value

    def _text(self, value: object) -> str:
        if not isinstance(value, str):
            raise SettingError("the value is not a text", "Write it in double quotes.")
        return value

    def _filled(self, value: object) -> str:
        return filled(self._text(value))

    def _list(self, value: object) -> list[str]:
        return [self._text(each) for each in (value if isinstance(value, list) else [value])]

    def _sink(self, text: str) -> Sink:
        return SINKS.read(text, self._folder)

    def _path(self, text: str) -> str:
        return text if re.match(r"[a-z0-9]{2,}:", text) else str(self._folder / text)

    # ---- what is wrong ----

    @contextmanager
    def _complaints(self, path: tuple[str, ...]) -> Iterator[None]:
        """Keeps what is wrong with the value of a setting, and goes on behind it."""
        try:
            yield
        except SettingError as error:
            self._bad(path, error.message, error.hint)

    def _bad(self, path: tuple[str, ...], message: str, hint: str) -> None:
        name = self._places.get(path, _beginning(self._source))
        self.diagnostics.append(
            Diagnostic("E703", f"`{path[-1]}`: {message}", value_place(self._source.text, name), hint)
        )

    def _unknown(self, path: tuple[str, ...], known: Iterable[str], given: Mapping[str, Any]) -> None:
        hint = did_you_mean(path[-1], [name for name in known if name not in given])
        where = f"`{'.'.join(path[:-1])}`" if len(path) > 1 else "a pipeline"
        self.diagnostics.append(
            Diagnostic(
                "E702",
                f"{where} has no setting `{path[-1]}`",
                self._places.get(path, _beginning(self._source)),
                hint or f"There are {', '.join(known)}.",
            )
        )
