"""A follower for `antelog watch`: from the state, if there is one, or from the beginning.

no state yet, or none asked for    a new engine; an output that is there already is not overwritten
a state                            its engine, its sources where they were left, its feed and output cut
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from antelog.cli.show.terminal import say
from antelog.errors import OutputError
from antelog.files import ARRIVAL, Rejects
from antelog.files.columns import Wanted, mapped, wanted_of
from antelog.process import Engine
from antelog.program import Program
from antelog.run.address import Posted
from antelog.telling.json_lines import Style, change_lines
from antelog.telling.shown import Shown
from antelog.watch.feed.segments import Position
from antelog.watch.feed.writer import FeedWriter
from antelog.watch.follow.clock import Timing
from antelog.watch.follow.follower import Follower, Following, How, Told
from antelog.watch.follow.output import OutputFile
from antelog.watch.follow.state import Known, State, restored
from antelog.watch.follow.telling import About, Feed, Output
from antelog.watch.follow.waiting import Waiting
from antelog.watch.sources.opening import Around, Followed, opened


@dataclass(frozen=True)
class Files:
    """Where the state is, the feed, and the output; None where there is none."""

    state: Path | None
    feed: Path | None
    output: Path | None


@dataclass(frozen=True)
class Wish:
    """What was asked for: sources, what time goes by, kinds of changes; `engine` has more for the engine.

    `maps` says what sources call columns.
    """

    places: Mapping[str, Followed]
    timing: Timing
    arrival: str
    only: tuple[str, ...]
    explanations: int | None
    once: bool
    engine: Mapping[str, Any]
    maps: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Terminal:
    """What shows changes if no output is named; what is called now and then; whether there is a page."""

    show: Callable[[Shown], None]
    tend: Callable[[], object] = lambda: None
    page: bool = False


def follower(program: Program, wish: Wish, files: Files, terminal: Terminal, stack: ExitStack) -> Follower:
    """What follows the sources. It and what it has opened are closed with the stack."""
    state = restored(files.state) if files.state is not None else None
    known = state.known if state else Known()
    engine = _engine(program, wish, files, state)
    if state is not None:
        say(f"note: going on from {files.state}, after tick {engine.now}")
    followed = {name: _following(program, name, wish, files, known) for name in wish.places}
    told = Told(
        _output(program, wish, files, known, stack) if files.output else _OnTerminal(terminal.show),
        Rejects(),
        _feed(program, engine, files.feed, known),
        wish.only,
        lambda note: say(f"note: {note}"),
    )
    how = How(wish.timing, files.state, wish.once, terminal.tend, terminal.page)
    found = Follower(engine, followed, told, how, known, state.waiting if state else Waiting())
    stack.callback(found.close)
    return found


@dataclass(frozen=True)
class _OnTerminal:
    show: Callable[[Shown], None]


def _engine(program: Program, wish: Wish, files: Files, state: State | None) -> Engine:
    # The page and the alerts see all kinds; what is printed is chosen afterwards.
    only = None if files.feed is not None else wish.only
    if state is None:
        return Engine(program, only=only, arrival=ARRIVAL, **wish.engine)
    min_chance, most = wish.engine.get("min_chance"), wish.engine.get("most")
    return Engine.from_bytes(
        state.engine, program, only=only, arrival=ARRIVAL, min_chance=min_chance, most=most
    )


def _following(program: Program, name: str, wish: Wish, files: Files, known: Known) -> Following:
    place = wish.places[name]
    wanted = _wanted(program, name, wish, place)
    marks = known.sources.get(name)
    mark = marks.mark if marks is not None and marks.place == str(place) else None
    if marks is not None and mark is None:
        say(f"note: {name} came from {marks.place} before; {place} is read from its start")
    return Following(opened(place, wanted, mark, Around(files.feed, files.state)), str(place), wanted)


def _wanted(program: Program, name: str, wish: Wish, place: Followed) -> Wanted:
    wanted = mapped(wanted_of(program.plan, name, wish.arrival), wish.maps)
    must_arrive = wish.timing.clock == "arrival" and not isinstance(place, Posted)
    return replace(wanted, must_arrive=must_arrive)


def _output(program: Program, wish: Wish, files: Files, known: Known, stack: ExitStack) -> Output:
    assert files.output is not None
    path, relations = files.output, list(program.plan.queries)
    begun = known.output[1] if known.output is not None and known.output[0] == str(path) else None
    if files.state is not None and begun is None and path.exists() and path.stat().st_size:
        raise OutputError(
            f"{path}: is there already, and the state knows nothing of it; "
            "move it away, or give another --output"
        )
    style = Style(wish.explanations)
    output = OutputFile(path, begun, lambda shown: change_lines(relations, shown, style))
    stack.callback(output.close)
    return output


def _feed(program: Program, engine: Engine, folder: Path | None, known: Known) -> Feed | None:
    if folder is None:
        return None
    position = None if known.feed is None else Position(*known.feed)
    writer = FeedWriter(folder) if position is None else FeedWriter.resume(folder, position)
    return Feed(writer, engine, About(program.source.text, program.source.name))
