"""Rules, facts and answers at all ticks as one file of HTML, which needs no server and has no script.

    as_page(SharedDraft("turbines.alog", text, {"Temp": Table(columns, rows)}), [TickBoard(0, board), …])

Each tick is a radio button with a section behind it, so arrow keys go through time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from antelog.language.highlighting import html_lines
from antelog.watch.board.board import Board
from antelog.watch.board.selection import MOST, SEVERITIES
from antelog.watch.web.templating import render
from antelog.watch.web.views import PARTS
from antelog.watch.web.views.context import ViewContext

_ALL = {"severity": list(SEVERITIES), "group": ["none"], "from": ["0"], "count": [str(MOST)]}


@dataclass(frozen=True)
class SharedTable:
    """A table of facts as texts."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class SharedDraft:
    """The texts of a program and its facts; `begin` is the tick that is seen first."""

    name: str
    program: str
    tables: Mapping[str, SharedTable]
    begin: int | None


@dataclass(frozen=True, eq=False)
class SharedTick:
    """A tick as it is shown: its time, and the views of it."""

    tick: int
    text: str
    changes: bool
    now: Markup | None
    decided: Markup | None


def as_page(draft: SharedDraft, boards: Iterable[tuple[int, Board]], changing: Iterable[int]) -> str:
    """The page, given the board at each tick, and the ticks at which something changes."""
    changing = frozenset(changing)
    return render(
        "shared.html",
        draft=draft,
        lines=[Markup(line) for line in html_lines(draft.program)],  # which Pygments escapes
        ticks=[_shared(tick, board, tick in changing) for tick, board in boards],
    )


def _shared(tick: int, board: Board, changes: bool) -> SharedTick:
    scene = ViewContext(board, given=_ALL, live=False)
    return SharedTick(
        tick, scene.clock.short(tick), changes, PARTS["now"](scene, ""), PARTS["decided"](scene, "rows")
    )
