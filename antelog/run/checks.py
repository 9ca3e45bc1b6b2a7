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
from antelog.diagnostics import Span, problem
from antelog.engine.step.query import DECIDED, KINDS
from antelog.errors import DataError
from antelog.files.cells import ticks
from antelog.files.columns import NUMBER, ROW
from antelog.language.checks.suggestions import did_you_mean
from antelog.program import Program
from antelog.run.address import Address, Console, Files, Jdbc, Posted, Rate, Standard
from antelog.run.door import SinkAddress, SourceAddress
from antelog.run.options import options_of
from antelog.run.settings import Settings
from antelog.run.sources.kafka import Kafka
from antelog.run.values import ANSWERS, AVAILABLE_NOW, ONCE, SettingError, refused


@dataclass(frozen=True)
class Conflict:
    """Settings that cannot be met, the first given being at fault; `$trigger` is shown as `--trigger`."""

    code: str
    settings: tuple[str, ...]
    message: str
    hint: str
    option: str = ""  # of the command line, where it is about the program

    @property
    def missing(self) -> bool:
        return self.code == "E705"

    def sentences(self, show: Callable[[str], str]) -> tuple[str, str]:
        """Message and hint, given how settings are shown."""
        names = {each.name: show(each.name) for each in options_of(Settings)}
        return Template(self.message).safe_substitute(names), Template(self.hint).safe_substitute(names)


def _conflict(name: str, /, *settings: str, option: str = "", **values: object) -> Conflict:
    """The conflict with this code and kind in `problems.toml`, such as `E704.two-outputs`."""
    found = problem(name, Span(0, 0), **values)
    return Conflict(found.code, settings, found.message, found.hint, option)


# ---- settings and one another ----


def conflicts(settings: Settings, runner: str, output: Path | None = None) -> Iterator[Conflict]:
    """All that is missing or contradicts itself, for a runner; `output` is a file of its own."""
    yield from _overwriting(settings, output)
    for column, name in settings.map.items():
        if runner == "run" and name == NUMBER:
            yield _conflict("E704.number-on-spark", "map", column=column, name=name)
        elif runner != "run" and name.startswith("@") and name not in (ROW, NUMBER):
            yield _conflict("E704.only-on-spark", "map", column=column, name=name)
    if runner in ("run", "watch") and settings.program is None:
        yield _conflict("E705.rules", "program")
    match runner:
        case "run":
            yield from _of_run(settings)
        case "watch":
            yield from _of_watch(settings)
        case "try" if "only" in settings.given and settings.snapshots:
            yield _conflict("E704.snapshots", "only")
        case _:
            return


def _of_watch(settings: Settings) -> Iterator[Conflict]:
    if not settings.inputs:
        yield _conflict("E705.followed", "input")
    if settings.accept_changes and settings.state is None:
        yield _conflict("E704.no-state", "accept_changes", "state")
    if settings.outputs and settings.form == "table":
        yield _conflict("E704.table", "output", "format")
    if len(settings.outputs) > 1:
        yield _conflict("E704.two-outputs", "output")
    if (settings.alert_on or settings.alert_where or settings.alert_template) and not settings.alerts:
        yield _conflict("E704.no-alert", "alert_on", "alert_where", "alert_template")
    if sum(isinstance(each, Standard) for each in settings.inputs.values()) > 1:
        yield _conflict("E704.standard-input", "input")
    if any(isinstance(each, SinkAddress) and each.needs_all for each in settings.outputs):
        yield from _keeping_answers(settings)


def _of_run(settings: Settings) -> Iterator[Conflict]:
    if not settings.inputs:
        yield _conflict("E705.input", "input")
    if not settings.outputs:
        yield _conflict("E705.output", "output")
    lasting = [sink for sink in _sinks(settings) if not isinstance(sink, Console)]
    if settings.stream and settings.checkpoint is None and lasting:
        yield _conflict("E705.checkpoint", "checkpoint", "output", "stream", sink=lasting[0])
    yield from _streaming(settings) if settings.stream else _reading_once(settings)
    yield from _endpoints(settings)
    yield from _keeping_answers(settings) if settings.output_mode == ANSWERS else ()
    if settings.page and settings.explanations == 0:
        yield _conflict("E704.nothing-to-show", "page", "explanations")
    if "arrival" in settings.given and settings.clock in ("event", "processing"):
        yield _conflict("E704.arrival", "arrival", "clock", clock=settings.clock)


def _streaming(settings: Settings) -> Iterator[Conflict]:
    for name, source in settings.inputs.items():
        if isinstance(source, Jdbc):
            yield _conflict("E704.table-in-stream", f"input.{name}", "stream", name=name)
    if settings.trigger in (ONCE, AVAILABLE_NOW):
        if settings.clock == "processing":
            yield _conflict("E704.endless-clock", "trigger", "clock", trigger=settings.trigger)
        elif settings.idle is not None:
            yield _conflict("E704.idle", "idle", "trigger", trigger=settings.trigger)
    if settings.until is not None:
        yield _conflict("E704.until", "until", "stream")


def _reading_once(settings: Settings) -> Iterator[Conflict]:
    for name in ("checkpoint", "trigger", "chunk", "lag", "idle", "accept_changes", "metrics"):
        if name in settings.given:
            yield _conflict("E704.of-a-stream", name, "stream", name=name)
    if settings.clock == "processing":
        yield _conflict("E704.wall-clock", "clock", "stream")
    for name, source in settings.inputs.items():
        if isinstance(source, Rate):
            yield _conflict("E704.rate", f"input.{name}", "stream", source=source)


def _endpoints(settings: Settings) -> Iterator[Conflict]:
    for name, source in settings.statics.items():
        if isinstance(source, Rate):
            yield _conflict("E704.endless-background", f"static.{name}", source=source)
    if isinstance(settings.rejects, Console):
        yield _conflict("E704.rejects", "rejects")
    sinks = _sinks(settings)
    for number, sink in enumerate(sinks):
        if sink in sinks[:number] and not isinstance(sink, Files):
            key = "rejects" if sink == settings.rejects else "output"
            yield _conflict("E704.twice", key, "output", outputs="two outputs", sink=sink)


def _keeping_answers(settings: Settings) -> Iterator[Conflict]:
    """Outputs without rows that can be replaced, and kinds of changes that leave rows out of date."""
    for sink in settings.outputs:
        if isinstance(sink, Kafka):
            yield _conflict("E704.answers-of-topic", "output_mode", "output", sink=sink)
        elif isinstance(sink, Console) or (settings.stream and isinstance(sink, Files)):
            yield _conflict("E704.answers", "output_mode", "output", sink=sink)
    lacking = [kind for kind in KINDS if kind not in settings.only]
    if lacking and set(settings.only) - DECIDED:
        yield _conflict("E704.kinds", "only", "output_mode", kind=lacking[0])


def _sinks(settings: Settings) -> list[Address]:
    return [*settings.outputs, *([] if settings.rejects is None else [settings.rejects])]


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
                yield _conflict("E704.overwritten", key, other, key=key, path=path, what=what)
        for other, before in written[:number]:
            if _is_in(Path(path), before):
                twice = "two outputs" if key == other else f"${other} and ${key}"
                yield _conflict("E704.twice", key, other, outputs=twice, sink=path)


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
                hint = _hint(plan, names, table, name, address)
                yield _conflict(f"E706.{table}", f"{table}.{name}", option=table, name=name, hint=hint)
    for option, values in _readings(settings):
        yield from _times(plan, option, values)
    yield from _maps(plan, settings.map, settings.arrival)
    yield from _numbered(plan, settings)
    if settings.model is None and not plan.declares_chances:
        for name, value in (("min_chance", settings.min_chance), ("most", settings.most)):
            if value is not None:
                yield _conflict("E706.no-chances", name, option=name)
    groups = [each.name for each in plan.statics if len(each.columns) > 1]
    if settings.group_by is not None and settings.group_by not in groups:
        found = {"name": settings.group_by, "hint": _near(settings.group_by, groups)}
        yield _conflict("E706.groups", "group_by", option="group_by", **found)
    if plan.tick is None:
        for name, wall in (("clock", settings.clock == "processing"), ("idle", settings.idle is not None)):
            if wall:
                yield _conflict("E706.wall-clock", name, option=name)
    for name, tick in (("since", settings.since), ("until", settings.until)):
        try:
            tick_of(tick, plan)
        except SettingError as error:
            yield Conflict("E706", (name,), error.message, error.hint, name)


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
            yield _conflict("E706.input", key, option=option, name=name, hint=_near(name, names))
        elif plan.tick is None:
            yield _conflict("E706.no-tick", key, option=option)


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
            yield _conflict("E706.input", key, option="map", name=predicate, hint=hint)
            continue
        all_columns = dict.fromkeys(each for known in columns.values() for each in known)
        known = columns[predicate] if dot else tuple(all_columns)
        if column not in known:
            hint = did_you_mean(column, known) or f"There are {', '.join(known)}."
            lacks = f"{predicate} has no" if dot else "no input of the program has a"
            yield _conflict("E706.column", key, option="map", lacks=lacks, column=column, hint=hint)
        elif maps[written] == ROW and column not in texts:
            yield _conflict("E706.row", key, option="map", written=written, row=ROW, column=column)


def _numbered(plan: Plan, settings: Settings) -> Iterator[Conflict]:
    """Finds columns mapped to `@number` that cannot have it: texts, and inputs whose rows have no order."""
    unordered = Posted | SourceAddress
    for source in plan.inputs:
        address, last = settings.inputs.get(source.name), source.columns[-1]
        for column, type_ in zip(source.columns, (*source.types, None), strict=True):
            maps = (each for each in (f"{source.name}.{column}", column) if settings.map.get(each) == NUMBER)
            refused = {
                f"the number of a row is a number, and {column} is a text": type_ == "text",
                f"{address} has rows of several senders, in no order": isinstance(address, unordered),
                "rows have no length, and the program has a `tick`": column == last and plan.tick is not None,
                "rows of several inputs have no common order": column == last and len(plan.inputs) > 1,
                f"{source.name} has no other column": source.columns == (last,),
            }
            for written in maps:
                for reason in [each for each, applies in refused.items() if applies][:1]:
                    said = {"written": written, "number": NUMBER, "reason": reason, "name": source.name}
                    yield _conflict("E706.number", f"input.{source.name}", option="map", last=last, **said)


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
        given, counting = pa.array([str(text)]), in_ticks_of(plan.timescale if plan else None)
        found, fault = ticks(given, "tick", counting, "tick")
    except UnicodeEncodeError:
        raise refused("no-tick", reason=f"{text!r} is not a tick") from None
    except DataError:
        raise SettingError(no_tick(f"`{text}` is a timestamp"), "Or give the number of a tick.") from None
    if fault.applies[0]:
        raise refused("no-tick", reason=fault.detail(0))
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
