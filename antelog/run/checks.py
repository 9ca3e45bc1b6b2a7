"""Checks that settings fit one another and their program, and turns timestamps in them into ticks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from string import Template

import pyarrow as pa

from antelog.arrow.ticks import in_ticks_of, no_tick
from antelog.arrow.ticks import tick_of as moment_tick
from antelog.compile.nodes.plan import Plan
from antelog.engine.step.query import DECIDED, KINDS
from antelog.errors import DataError
from antelog.files.cells import ticks
from antelog.files.columns import NUMBER, ROW
from antelog.language.checks.suggestions import did_you_mean
from antelog.program import Program
from antelog.run.address import Address, Console, Files, Jdbc, Kafka, Posted, Rate, Standard
from antelog.run.options import options_of
from antelog.run.settings import Settings
from antelog.run.values import ANSWERS, AVAILABLE_NOW, ONCE, SettingError


@dataclass(frozen=True)
class Conflict:
    """Settings that cannot be met, the first given being at fault; `$trigger` is shown as `--trigger`."""

    settings: tuple[str, ...]
    message: str
    hint: str
    missing: bool = False
    option: str = ""

    @property
    def code(self) -> str:
        return "E706" if self.option else "E705" if self.missing else "E704"

    def sentences(self, show: Callable[[str], str]) -> tuple[str, str]:
        """Message and hint, given how settings are shown."""
        names = {each.name: show(each.name) for each in options_of(Settings)}
        return Template(self.message).safe_substitute(names), Template(self.hint).safe_substitute(names)


# ---- settings and one another ----


def conflicts(settings: Settings, runner: str, output: Path | None = None) -> Iterator[Conflict]:
    """All that is missing or contradicts itself, for a runner; `output` is a file of its own."""
    yield from _overwriting(settings, output)
    for column, name in settings.map.items():
        if runner == "run" and name == NUMBER:
            message = f"{column}={name}: Spark reads rows in no order, so they have no numbers"
            hint = "Map a column that orders them; of a topic, @offset orders what is in one partition."
            yield Conflict(("map",), message, hint)
        elif runner != "run" and name.startswith("@") and name not in (ROW, NUMBER):
            message = f"{column}={name}: keys and times of messages are read on Spark"
            yield Conflict(("map",), message, "Use `antelog run`, or leave out this $map.")
    if runner in ("run", "watch") and settings.program is None:
        yield Conflict(("program",), "the rules are missing", "Name the file that has them.", missing=True)
    match runner:
        case "run":
            yield from _of_run(settings)
        case "watch":
            yield from _of_watch(settings)
        case "try" if "only" in settings.given and settings.snapshots:
            yield Conflict(("only",), "$only selects changes", "Leave it out, or leave out $snapshots.")
        case _:
            return


def _of_watch(settings: Settings) -> Iterator[Conflict]:
    if not settings.inputs:
        hint = "Give it with $input: Temp=readings.csv"
        yield Conflict(("input",), "there is nothing to follow", hint, missing=True)
    if settings.accept_changes and settings.state is None:
        message = "$accept_changes goes on from a state, and there is none"
        yield Conflict(("accept_changes", "state"), message, "Give the one of before with $state.")
    if settings.outputs and settings.form == "table":
        yield Conflict(("output", "format"), "$output has JSON lines", "Leave out $format table.")
    if len(settings.outputs) > 1:
        yield Conflict(("output",), "there are two outputs", "Leave out all but one $output.")
    if (settings.alert_on or settings.alert_where or settings.alert_template) and not settings.alerts:
        message = "$alert_on, $alert_where and $alert_template need an $alert"
        yield Conflict(("alert_on", "alert_where", "alert_template"), message, "Give one, or leave them out.")
    if sum(isinstance(each, Standard) for each in settings.inputs.values()) > 1:
        message = "standard input can be the source of one input only"
        yield Conflict(("input",), message, "Give files for the others.")


def _of_run(settings: Settings) -> Iterator[Conflict]:
    if not settings.inputs:
        hint = "Give it with $input: Temp=readings/*.csv"
        yield Conflict(("input",), "no input has a source", hint, missing=True)
    if not settings.outputs:
        hint = "Give one with $output: console, parquet:changes, kafka://host:9092/topic, …"
        yield Conflict(("output",), "there is no output", hint, missing=True)
    lasting = [sink for sink in _sinks(settings) if not isinstance(sink, Console)]
    if settings.stream and settings.checkpoint is None and lasting:
        hint = (
            "Set it to a folder of its own. Spark keeps there how far it has come, so that after a "
            "restart nothing is lost and nothing comes twice."
        )
        places = ("checkpoint", "output", "stream")
        yield Conflict(places, f"a stream to {lasting[0]} needs $checkpoint", hint, missing=True)
    yield from _streaming(settings) if settings.stream else _reading_once(settings)
    yield from _endpoints(settings)
    yield from _keeping_answers(settings) if settings.output_mode == ANSWERS else ()
    if settings.page and settings.explanations == 0:
        message = "the page shows what answers rest on, and $explanations 0 leaves that out"
        yield Conflict(("page", "explanations"), message, "Leave out one of the two.")
    if "arrival" in settings.given and settings.clock in ("event", "processing"):
        message = f"$arrival names a column that the clock `{settings.clock}` does not read"
        yield Conflict(("arrival", "clock"), message, "Leave out $arrival, or set $clock to arrival.")


def _streaming(settings: Settings) -> Iterator[Conflict]:
    for name, source in settings.inputs.items():
        if isinstance(source, Jdbc):
            message = f"the input {name} is a table of a database, which a stream cannot follow"
            hint = "Leave out $stream to read it once, or send its changes through Kafka."
            yield Conflict((f"input.{name}", "stream"), message, hint)
    if settings.trigger in (ONCE, AVAILABLE_NOW):
        trigger = f"the trigger `{settings.trigger}`"
        if settings.clock == "processing":
            message = f"{trigger} ends with the data, the clock `processing` never ends"
            hint = "Set $clock to event or arrival, or $trigger to a duration."
            yield Conflict(("trigger", "clock"), message, hint)
        elif settings.idle is not None:
            message = f"$idle waits for data, and {trigger} ends with them"
            yield Conflict(("idle", "trigger"), message, "Leave out $idle, or set $trigger to a duration.")
    if settings.until is not None:
        message = "$until ends a recording, and a stream has no end"
        yield Conflict(("until", "stream"), message, "Leave out $until or $stream.")


def _reading_once(settings: Settings) -> Iterator[Conflict]:
    for name in ("checkpoint", "trigger", "chunk", "lag", "idle", "accept_changes", "metrics"):
        if name in settings.given:
            message = f"${name} belongs to a stream, and the inputs are read once"
            yield Conflict((name, "stream"), message, f"Set $stream, or leave out ${name}.")
    if settings.clock == "processing":
        message = "the clock `processing` is that of the wall, and the inputs are read once"
        yield Conflict(("clock", "stream"), message, "Set $stream, or set $clock to event or arrival.")
    for name, source in settings.inputs.items():
        if isinstance(source, Rate):
            message = f"{source} has no end, and the inputs are read once"
            yield Conflict((f"input.{name}", "stream"), message, "Set $stream.")


def _endpoints(settings: Settings) -> Iterator[Conflict]:
    for name, source in settings.statics.items():
        if isinstance(source, Rate):
            message = f"{source} has no end, and background facts are read once"
            yield Conflict((f"static.{name}",), message, "Give a file or a table.")
    if isinstance(settings.rejects, Console):
        hint = (
            "There they are counted, and the first of them shown, in any case. To keep them all, give a "
            "folder, a topic or a table."
        )
        yield Conflict(("rejects",), "rejects cannot go to the console", hint)
    sinks = _sinks(settings)
    for number, sink in enumerate(sinks):
        if sink in sinks[:number] and not isinstance(sink, Files):
            key = "rejects" if sink == settings.rejects else "output"
            yield Conflict((key, "output"), f"two outputs go to {sink}", _APART)


def _keeping_answers(settings: Settings) -> Iterator[Conflict]:
    """Outputs without rows that can be replaced, and kinds of changes that leave rows out of date."""
    for sink in settings.outputs:
        if isinstance(sink, Console | Kafka) or (settings.stream and isinstance(sink, Files)):
            message = f"{sink} cannot have a row for each answer that its newer state replaces"
            hint = (
                "Write to delta:…, iceberg:CATALOG.TABLE or jdbc:…#table, or leave out $output_mode answers."
            )
            if isinstance(sink, Kafka):
                hint += " A topic of changes that is compacted keeps the newest of each answer."
            yield Conflict(("output_mode", "output"), message, hint)
    lacking = [kind for kind in KINDS if kind not in settings.only]
    if lacking and set(settings.only) - DECIDED:
        message = f"without {lacking[0]} in $only, rows of open answers would be out of date"
        yield Conflict(("only", "output_mode"), message, "Leave $only out, or write $only confirmed.")


def _sinks(settings: Settings) -> list[Address]:
    return [*settings.outputs, *([] if settings.rejects is None else [settings.rejects])]


_APART = "Give each an address of its own."


# ---- files that would be overwritten ----


def _overwriting(settings: Settings, output: Path | None) -> Iterator[Conflict]:
    """Files that are written and read in one run, or written twice, by whatever path."""
    written = [("output", each.path) for each in settings.outputs if isinstance(each, Files)]
    written += [("output", str(output))] if output is not None else []
    written += [("rejects", settings.rejects.path)] if isinstance(settings.rejects, Files) else []
    written += [("state", str(settings.state))] if settings.state is not None else []
    read = list(_read(settings))
    for number, (key, path) in enumerate(written):
        for other, source, what in read:
            if _is_in(Path(path), source):
                yield Conflict((key, other), f"${key} {path} is {what}, which it would overwrite", _APART)
        for other, before in written[:number]:
            if _is_in(Path(path), before):
                twice = "two outputs go" if key == other else f"${other} and ${key} go"
                yield Conflict((key, other), f"{twice} to {path}", _APART)


def _read(settings: Settings) -> Iterator[tuple[str, str, str]]:
    """Each file, folder or pattern that a run reads: its setting, its path, and its noun."""
    for table, addresses in (("input", settings.inputs), ("static", settings.statics)):
        for name, address in addresses.items():
            if isinstance(address, Files):
                yield f"{table}.{name}", address.path, f"where {name} comes from"
    files = {
        "program": (settings.program, "the file with the rules"),
        "model": (settings.model, "the file with the model"),
        "config": (settings.config, "the file with the settings"),
        "alerts": (settings.alert_file, "the file with the alerts"),
        "certificate": (settings.certificate, "the certificate"),
        "key": (settings.key, "the key"),
    }
    yield from ((key, str(path), what) for key, (path, what) in files.items() if isinstance(path, Path))


def _is_in(path: Path, source: str) -> bool:
    """Whether a path is a source: the same file, one of its folder, or one of its pattern."""
    there, others = Path(os.path.realpath(path)), Path(os.path.realpath(source))  # also of links in a circle
    if there == others or there.match(str(others)) or (others.is_dir() and there.parent == others):
        return True
    if others.is_dir():
        files = list(others.iterdir())
    elif others.exists():
        files = [others]
    else:
        files = list(Path(others.anchor).glob(str(others.relative_to(others.anchor))))
    return path.exists() and any(each.exists() and each.samefile(path) for each in files)


# ---- settings and the program ----


def misfits(plan: Plan, settings: Settings) -> Iterator[Conflict]:
    """Settings that name something the program does not have, or has no use for."""
    names = {"input": [each.name for each in plan.inputs], "static": [each.name for each in plan.statics]}
    for table, given in (("input", settings.inputs), ("static", settings.statics)):
        for name, address in given.items():
            if name not in names[table]:
                what = "input" if table == "input" else "static predicate"
                message = f"the program has no {what} {name}"
                yield Conflict(
                    (f"{table}.{name}",), message, _hint(plan, names, table, name, address), option=table
                )
    for option, values in _readings(settings):
        yield from _times(plan, option, values)
    yield from _maps(plan, settings.map, settings.arrival)
    yield from _numbered(plan, settings)
    if settings.model is None and not plan.declares_chances:
        message = "the program declares no chances, and there is no model to say which answers to leave out"
        hint = "Give a model, or `learn`, or declare a `chance` in the program."
        for name, value in (("min_chance", settings.min_chance), ("most", settings.most)):
            if value is not None:
                yield Conflict((name,), message, hint, option=name)
    groups = [each.name for each in plan.statics if len(each.columns) > 1]
    if settings.group_by is not None and settings.group_by not in groups:
        message = f"the program has no static relation {settings.group_by} of a device and its group"
        yield Conflict(("group_by",), message, _near(settings.group_by, groups), option="group_by")
    if plan.tick is None:
        message = "the program does not say how long a tick is, and the wall clock has no other ticks"
        hint = "Declare it in the program: `tick 10 seconds.`"
        if settings.clock == "processing":
            yield Conflict(("clock",), message, hint, option="clock")
        if settings.idle is not None:
            yield Conflict(("idle",), message, hint, option="idle")
    for name, tick in (("since", settings.since), ("until", settings.until)):
        try:
            tick_of(tick, plan)
        except SettingError as error:
            yield Conflict((name,), error.message, error.hint, option=name)


def _hint(plan: Plan, names: Mapping[str, list[str]], table: str, name: str, address: Address) -> str:
    other = "static" if table == "input" else "input"
    if name in names[other]:
        what = "an input" if other == "input" else "a static predicate"
        return f"It is {what}: give it under {other}, {name}={address}."
    if any(name == relation.predicate for relation in plan.relations):
        return "The rules derive it from others."
    return _near(name, names[table])


def _near(name: str, names: Sequence[str]) -> str:
    return did_you_mean(name, names) or f"Known are: {', '.join(names) or 'none'}."


def _readings(settings: Settings) -> tuple[tuple[str, Mapping[str, str]], ...]:
    given = settings.time_units, settings.time_zones, settings.time_formats
    return tuple(zip(("time_unit", "time_zone", "time_format"), given, strict=True))


def _times(plan: Plan, option: str, given: Mapping[str, str]) -> Iterator[Conflict]:
    names = [each.name for each in plan.inputs]
    for name in given:
        key = f"input.{name}" if name else option
        if name and name not in names:
            hint = _near(name, names)
            yield Conflict((key,), f"the program has no input {name}", hint, option=option)
        elif plan.tick is None:
            message = "the program does not say how long a tick is, so that all times are numbers of ticks"
            yield Conflict((key,), message, "Declare it in the program: `tick 1 minute.`", option=option)


def _maps(plan: Plan, maps: Mapping[str, str], arrival: str) -> Iterator[Conflict]:
    typed = (pair for each in plan.inputs for pair in zip(each.columns, each.types, strict=False))
    texts = {column for column, type_ in typed if type_ in (None, "text")}
    columns = {each.name: (*each.columns, arrival) for each in plan.inputs}
    columns |= {each.name: each.columns for each in plan.statics}
    for written in maps:
        predicate, dot, column = written.rpartition(".")
        key = f"input.{predicate}" if predicate else "map"
        if dot and predicate not in columns:
            hint = _near(predicate, list(columns))
            yield Conflict((key,), f"the program has no input {predicate}", hint, option="map")
            continue
        all_columns = dict.fromkeys(each for known in columns.values() for each in known)
        known = columns[predicate] if dot else tuple(all_columns)
        if column not in known:
            hint = did_you_mean(column, known) or f"There are {', '.join(known)}."
            message = f"{predicate or 'no input of the program'} has {'no' if dot else 'a'} column {column}"
            yield Conflict((key,), message, hint, option="map")
        elif maps[written] == ROW and column not in texts:
            message = f"{written}={ROW}: where a row was read is a text, and "
            message += f"{column} is not a text of an input"
            hint = "Map a column of its own: `input Login(user, id: text, time).`"
            yield Conflict((key,), message, hint, option="map")


def _numbered(plan: Plan, settings: Settings) -> Iterator[Conflict]:
    """Finds columns mapped to `@number` that cannot have it: texts, and inputs whose rows have no order."""
    for source in plan.inputs:
        address, last = settings.inputs.get(source.name), source.columns[-1]
        for column, type_ in zip(source.columns, (*source.types, None), strict=True):
            maps = (each for each in (f"{source.name}.{column}", column) if settings.map.get(each) == NUMBER)
            refused = {
                f"the number of a row is a number, and {column} is a text": type_ == "text",
                f"{address} has rows of several senders, in no order": isinstance(address, Posted | Kafka),
                "rows have no length, and the program has a `tick`": column == last and plan.tick is not None,
                "rows of several inputs have no common order": column == last and len(plan.inputs) > 1,
                f"{source.name} has no other column": source.columns == (last,),
            }
            hint = f"Map a column of its own: `input {source.name}(…, n: number, {last}).`"
            for written in maps:
                for reason in [each for each, applies in refused.items() if applies][:1]:
                    message = f"{written}={NUMBER}: {reason}"
                    yield Conflict((f"input.{source.name}",), message, hint, option="map")


def tick_of(text: int | str | date | None, plan: Plan | None) -> int | None:
    """The tick of a number or a timestamp; without a plan only a number. Raises SettingError."""
    if text is None:
        return None
    if isinstance(text, date):
        try:
            return moment_tick(text, plan.timescale if plan else None)
        except DataError as error:
            raise SettingError(str(error), "Or give the number of a tick.") from None
    try:
        given = pa.array([str(text)])
    except UnicodeEncodeError:
        raise SettingError(f"{text!r} is not a tick", "Give the number of a tick, or a timestamp.") from None
    try:
        found, fault = ticks(given, "tick", in_ticks_of(plan.timescale if plan else None), "tick")
    except DataError:
        raise SettingError(no_tick(f"`{text}` is a timestamp"), "Or give the number of a tick.") from None
    if fault.applies[0]:
        raise SettingError(fault.detail(0), "Give the number of a tick, or a timestamp.")
    return int(found.numbers[0])


@dataclass(frozen=True)
class Ready:
    """A program that says how its times are read, and settings with ticks in place of timestamps."""

    program: Program
    settings: Settings


def resolved(program: Program, settings: Settings) -> Ready:
    """Makes a program and settings that fit one another ready for a run."""
    plan = program.plan
    units, zones, formats = (
        {each.name: given[name] for each in plan.inputs for name in ("", each.name) if name in given}
        for _, given in _readings(settings)
    )
    changed = {
        name: tick_of(tick, plan)
        for name, tick in (("since", settings.since), ("until", settings.until))
        if tick is not None
    }
    return Ready(program.with_times(units, zones, formats), settings.changed(changed))
