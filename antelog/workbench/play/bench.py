"""The draft of a page: runs its edits, and gives the page the board of the tick that is looked at."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from msgspec import structs

from antelog.language.printer import KEYWORDS
from antelog.language.syntax import SEVERITIES
from antelog.process import Engine
from antelog.watch.web.api import PostError
from antelog.watch.web.export import Draft, Sheet, as_page
from antelog.watch.web.live_board import LiveBoard, Reader
from antelog.workbench.play.running import Course, DraftFiles, Played, PlayOptions, play

LESSONS: dict[str, Draft] = msgspec.json.decode(  # by the titles of their pages, in the order of the tutorial
    files("antelog.workbench.play").joinpath("lessons.json").read_bytes(), type=dict[str, Draft]
)


_FIRST = "A rule that waits"  # the lesson that is shown first; the one before it has no open answers


class PostedEdit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An edit that the page posts: a new draft, another tick, a lesson to open, or the wish to save."""

    program: str | None = None
    tables: dict[str, Sheet] = {}
    tick: int | None = None
    lesson: str | None = None
    save: bool = False


@dataclass(eq=False)
class PlayBench(Reader):
    """The draft of a page, and what came of it. As the reader of its board it has nothing to read."""

    files: DraftFiles
    options: PlayOptions
    folder: Path

    def __post_init__(self) -> None:
        self.live = LiveBoard(self)
        self.lesson = "" if self.files.names else _FIRST
        draft = LESSONS[self.lesson] if self.lesson else self.files.read()
        self.shown: Course | None = None
        self.tick: int | None = None
        self._engine: Engine | None = None
        self._edition = 0
        self._running = asyncio.Lock()
        self._take(self._play(draft, 0), None)

    def read(self, _limit: int) -> list[dict[str, Any]]:
        return []

    @property
    def engine(self) -> Engine | None:
        """The engine after the tick, made when somebody looks at an answer."""
        if self._engine is None and self.shown is not None and self.tick is not None:
            self._engine = self.shown.engine_at(self.tick)
        return self._engine

    # ---- for the page ----

    def state(self) -> dict[str, Any]:
        """The draft, and what came of it, as JSON."""
        draft = self.played.draft
        return {
            "program": draft.program,
            "files": self.files.names,
            "lessons": [] if self.files.names else list(LESSONS),
            "lesson": self.lesson,
            "keywords": sorted({*KEYWORDS, *SEVERITIES}),
            **self._found(),
        }

    async def post(self, body: bytes) -> dict[str, Any]:
        try:
            edit = msgspec.json.decode(body, type=PostedEdit)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise PostError(f"this is not an edit: {error}") from None
        if edit.save:
            return {"saved": await asyncio.to_thread(self.files.save, self.played.saved)}
        if edit.lesson is not None:
            if edit.lesson not in LESSONS:
                raise PostError("there is no lesson of that name")
            self.lesson = edit.lesson
            await self._edit(LESSONS[edit.lesson], None)
            return self.state()
        if edit.program is not None:
            await self._edit(Draft(edit.program, edit.tables), self.tick)
        if edit.tick is not None:
            self._look(edit.tick)
        return self._found()

    def shared(self) -> str:
        """Makes a page without a script of the draft and all its ticks."""
        played, course = self.played, self.shown
        boards = course.boards(course.ticks) if course else ()
        changing = course.changing if course else ()
        return as_page(played.draft, Path(self.options.name).name, self.tick, boards, changing)

    # ---- behind it ----

    def _found(self) -> dict[str, Any]:
        played, course = self.played, self.shown
        return {
            "problems": played.problems,
            "notes": played.notes,
            "aside": played.aside,
            "tables": {name: structs.asdict(sheet) for name, sheet in played.draft.tables.items()},
            "ticks": course.ticks if course else [],
            "labels": course.labels if course else [],
            "changing": course.changing if course else [],
            "tick": self.tick,
        }

    async def _edit(self, draft: Draft, tick: int | None) -> None:
        """Runs a draft, and gives up an earlier one that still runs."""
        self._edition += 1
        edition = self._edition
        async with self._running:
            if edition != self._edition:
                raise PostError("a newer edit has come")
            self._take(await asyncio.to_thread(self._play, draft, edition), tick)

    def _play(self, draft: Draft, edition: int) -> Played:
        with TemporaryDirectory(dir=self.folder) as folder:
            return play(draft, self.options, Path(folder), lambda: edition != self._edition)

    def _take(self, played: Played, tick: int | None) -> None:
        """Shows a course, at the same tick if it is still there. If the program has errors, views stay."""
        self.played = played
        if played.course is None:
            return
        self.shown = played.course
        self._look(played.course.begin if tick is None or tick not in played.course.ticks else tick)

    def _look(self, tick: int | None) -> None:
        course = self.shown
        if course is None:
            return
        if tick is not None and tick not in course.ticks:
            raise PostError(f"there is no tick {tick}")
        self.tick, self._engine = tick, None
        self.live.show(course.board_at(tick))
