"""What is missing in a pipeline's settings, or contradicts itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from string import Template

from antelog.cli.run.settings import AVAILABLE_NOW, ONCE, Settings
from antelog.forecast.engine import LEARN
from antelog.run.address import Console, Files, Jdbc, Rate

SHOWN = (
    "input",
    "learn_from",
    "model",
    "output",
    "rejects",
    "stream",
    "checkpoint",
    "trigger",
    "clock",
    "arrival",
    "chunk",
    "lag",
    "idle",
    "until",
)


@dataclass(frozen=True)
class Conflict:
    """Settings that cannot be met: the first one named is the one to point at, if it was given.

    `missing` says that one of them is not there at all. In its sentences `$trigger` stands for that
    setting as its user knows it: `--trigger` on the command line, `trigger` in a file.
    """

    settings: tuple[str, ...]
    message: str
    hint: str
    missing: bool = False

    def told(self, show: Callable[[str], str]) -> tuple[str, str]:
        """Message and hint, given how settings are shown."""
        shown = {name: show(name.replace("_", "-")) for name in SHOWN}
        return Template(self.message).safe_substitute(shown), Template(self.hint).safe_substitute(shown)


def conflicts(settings: Settings) -> Iterator[Conflict]:
    """Whatever is missing, or contradicts itself, before the program is known."""
    yield from _missing(settings)
    yield from _streaming(settings) if settings.flow.stream else _reading_once(settings)
    yield from _endpoints(settings)
    yield from _history(settings)
    if settings.timing.arrival is not None and settings.timing.clock in ("event", "processing"):
        message = f"$arrival names a column that the clock `{settings.timing.clock}` does not read"
        yield Conflict(("arrival", "clock"), message, "Leave out $arrival, or set $clock to arrival.")


def _missing(settings: Settings) -> Iterator[Conflict]:
    if settings.program is None:
        yield Conflict(("program",), "the rules are missing", "Name the file that has them.", missing=True)
    if not settings.sources.inputs:
        hint = "Give it with $input: Temp=readings/*.csv"
        yield Conflict(("input",), "no input has a source", hint, missing=True)
    if not settings.sinks.outputs:
        hint = "Give one with $output: console, parquet:changes, kafka://host:9092/topic, …"
        yield Conflict(("output",), "there is no output", hint, missing=True)
    if settings.flow.stream and settings.flow.checkpoint is None:
        lasting = [sink for sink in settings.sinks.all if not isinstance(sink, Console)]
        hint = (
            "Set it to a folder of its own. Spark keeps there how far it has come, so that after a "
            "restart nothing is lost and nothing comes twice."
        )
        if lasting:
            places = ("checkpoint", "output", "stream")
            yield Conflict(places, f"a stream to {lasting[0]} needs $checkpoint", hint, missing=True)


def _streaming(settings: Settings) -> Iterator[Conflict]:
    for name, source in settings.sources.inputs.items():
        if isinstance(source, Jdbc):
            message = f"the input {name} is a table of a database, which a stream cannot follow"
            hint = "Leave out $stream to read it once, or send its changes through Kafka."
            yield Conflict((f"input.{name}", "stream"), message, hint)
    if settings.flow.trigger in (ONCE, AVAILABLE_NOW):
        trigger = f"the trigger `{settings.flow.trigger}`"
        if settings.timing.clock == "processing":
            message = f"{trigger} ends with the data, the clock `processing` never ends"
            hint = "Set $clock to event or arrival, or $trigger to a duration."
            yield Conflict(("trigger", "clock"), message, hint)
        elif settings.timing.idle is not None:
            message = f"$idle waits for data, and {trigger} ends with them"
            yield Conflict(("idle", "trigger"), message, "Leave out $idle, or set $trigger to a duration.")
    if settings.timing.until is not None:
        message = "$until ends a recording, and a stream has no end"
        yield Conflict(("until", "stream"), message, "Leave out $until or $stream.")


def _reading_once(settings: Settings) -> Iterator[Conflict]:
    flow, timing = settings.flow, settings.timing
    of_streams = {
        "checkpoint": flow.checkpoint,
        "trigger": flow.trigger,
        "chunk": flow.chunk,
        "lag": timing.lag,
        "idle": timing.idle,
    }
    for name, value in of_streams.items():
        if value is not None:
            message = f"${name} belongs to a stream, and the inputs are read once"
            yield Conflict((name, "stream"), message, f"Set $stream, or leave out ${name}.")
    if settings.timing.clock == "processing":
        message = "the clock `processing` is that of the wall, and the inputs are read once"
        yield Conflict(("clock", "stream"), message, "Set $stream, or set $clock to event or arrival.")
    for name, source in settings.sources.inputs.items():
        if isinstance(source, Rate):
            message = f"{source} has no end, and the inputs are read once"
            yield Conflict((f"input.{name}", "stream"), message, "Set $stream.")


def _history(settings: Settings) -> Iterator[Conflict]:
    if settings.sources.learn_from and settings.sinks.model not in (None, LEARN):
        message = "$learn_from learns on the way, and $model names what was learned before"
        yield Conflict(("learn-from", "model"), message, "Leave out one of the two.")
    for name, source in settings.sources.learn_from.items():
        if isinstance(source, Rate):
            message = f"{source} has no end, and what is learned from is read once"
            yield Conflict(
                (f"learn-from.{name}" if name else "learn-from",), message, "Give a file or a table."
            )


def _endpoints(settings: Settings) -> Iterator[Conflict]:
    for name, source in settings.sources.statics.items():
        if isinstance(source, Rate):
            message = f"{source} has no end, and background facts are read once"
            yield Conflict((f"static.{name}",), message, "Give a file or a table.")
    if isinstance(settings.sinks.rejects, Console):
        hint = (
            "There they are counted, and the first of them shown, in any case. To keep them all, give a "
            "folder, a topic or a table."
        )
        yield Conflict(("rejects",), "rejects cannot go to the console", hint)
    apart = "Give each a place of its own."
    sinks = settings.sinks.all
    for number, sink in enumerate(sinks):
        if sink in sinks[:number]:
            place = "rejects" if sink == settings.sinks.rejects else "output"
            yield Conflict((place, "output"), f"two outputs go to {sink}", apart)
    for name, source in settings.sources.inputs.items():
        if isinstance(source, Files) and source in sinks:
            message = f"the output goes to where {name} comes from"
            yield Conflict(("output", f"input.{name}"), message, apart)
