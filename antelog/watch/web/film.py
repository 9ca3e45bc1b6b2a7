"""A film: one HTML file that plays a stretch of ticks of the page without a server, and loads nothing.

A frame is the view *Now* as it was at a tick. Of each frame the file has the lines that differ from those of
the frame before, without their numbers where only these do: what a page says again and again is there once.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from markupsafe import Markup

from antelog.watch.board.selection import Given, first
from antelog.watch.web.live_board import LiveBoard
from antelog.watch.web.scrubber import of_moments, scene_of
from antelog.watch.web.templating import PACKAGE, render
from antelog.watch.web.views import PARTS

FRAMES = 361  # at most: an hour of ticks of ten seconds
_NUMBER = re.compile(r"\b[0-9a-f]{16}\b|(\d+(?:\.\d+)?)")  # not those within the ids of answers
_HOLE = "\x01"  # in place of a number
_SCRIPTS = ("track.js", "film.js")

Item = int | str | list[Any]
"""So many lines as before, without so many (below 0), the next with other numbers, or a new line and its."""


def film(live: LiveBoard, given: Given, acts: Callable[[LiveBoard], Any]) -> str:
    """Makes the film of a stretch, from one tick to another; `acts` gives those that were known then."""
    past, now = live.past, live.board.tick or 0
    assert past is not None
    marks = of_moments(live, {"span": given.get("span", ())})
    low, high = (
        min(now, max(past.first or 0, int(text))) if (text := first(given, name)).isdecimal() else otherwise
        for name, otherwise in (("from", marks["low"]), ("to", now))
    )
    step = max(1, -(-(high - low) // (FRAMES - 1)))
    ticks = [*range(low, high, step), high]
    own, reader, frames = past.copied(), past.reader(), list[str]()
    for tick in ticks:
        then = LiveBoard(reader, own.at(tick), caught_up=True, then=tick)
        scene = scene_of(then, {}, acts=acts(then), kept=True)
        frames.append(str(PARTS["now"](scene, "")))
    lines, items = packed(frames)
    known = {"ticks": ticks, "lines": lines, "frames": items}
    track = {**marks, "low": low, "marks": [each for each in marks["marks"] if low <= each["tick"] <= high]}
    content = base64.b64encode(zlib.compress(msgspec.json.encode(known | {"track": track}), 9)).decode()
    script = "".join(files(PACKAGE).joinpath("assets", name).read_text("utf-8") for name in _SCRIPTS)
    name = Path(live.board.head.source.name).name or "antelog"
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return render("film.html", title=f"{name}: film", content=content, script=Markup(script), allowed=allowed)


def packed(frames: Iterable[str]) -> tuple[list[str], list[list[Item]]]:
    """Returns the lines of all frames without their numbers, each once, and the items of each frame."""
    known: dict[str, int] = {}
    before: list[tuple[int, str]] = []
    found = []
    for frame in frames:
        lines = [_line(text, known) for text in frame.splitlines() if text.strip()]
        found.append([*_items(before, lines)])
        before = lines
    return [*known], found


def _line(text: str, known: dict[str, int]) -> tuple[int, str]:
    numbers: list[str] = []

    def hole(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        numbers.append(found[1])
        return _HOLE

    bare = _NUMBER.sub(hole, text)
    return known.setdefault(bare, len(known)), " ".join(numbers)


def _items(before: Sequence[tuple[int, str]], lines: Sequence[tuple[int, str]]) -> Iterable[Item]:
    alike = SequenceMatcher(None, [line for line, _ in before], [line for line, _ in lines], autojunk=False)
    for kind, first_old, last_old, first_new, last_new in alike.get_opcodes():
        if kind != "equal":
            if last_old > first_old:
                yield first_old - last_old
            yield from ([line, numbers] for line, numbers in lines[first_new:last_new])
            continue
        same = 0
        for old, new in zip(before[first_old:last_old], lines[first_new:last_new], strict=True):
            if old == new:
                same += 1
                continue
            if same:
                yield same
            same = 0
            yield new[1]
        if same:
            yield same
