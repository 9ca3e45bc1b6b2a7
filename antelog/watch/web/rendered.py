"""Views as they were rendered, once for all readers who see the same; later only what is new.

A reader names the view it has by its tag. If that is still known, the answer is the new lines, and where the
others are in the reader's view: `[0, 12, "<b>0:16</b>", 13, 400]` has lines 0 to 11, a new one, and 400 more.
"""

from __future__ import annotations

import gzip
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

import msgspec

_ADDRESSES, _EARLIER = 24, 4  # addresses whose views are kept, the latest, and views of each
_OLD = 5.0  # seconds after which a view is rendered again, as the clock of the wall goes on
_LEVEL = 6


@dataclass(frozen=True, eq=False)
class Rendering:
    """A view, what it was rendered from, and when, in seconds of any clock."""

    text: str
    stamp: Hashable
    at: float
    _changes: dict[str, bytes] = field(default_factory=dict)

    @cached_property
    def tag(self) -> str:
        return blake2b(self.text.encode(), digest_size=9).hexdigest()

    @cached_property
    def lines(self) -> Sequence[str]:
        return self.text.split("\n")

    @cached_property
    def packed(self) -> bytes:
        return packed(self.text.encode())

    def since(self, earlier: Rendering) -> bytes:
        """Packs what is new since an earlier view."""
        if earlier.tag not in self._changes:
            found = changes(earlier.lines, self.lines)
            self._changes[earlier.tag] = packed(msgspec.json.encode(found))
        return self._changes[earlier.tag]


class Renderings:
    """The latest views of each address."""

    def __init__(self) -> None:
        self._kept = OrderedDict[str, deque[Rendering]]()

    def latest(self, address: str, stamp: Hashable, make: Callable[[], str | None]) -> Rendering | None:
        """Returns the view of an address, rendered anew if it is of another stamp; None if there is none."""
        known, now = self._kept.get(address, deque(maxlen=_EARLIER)), time.monotonic()
        if not known or known[-1].stamp != stamp or now > known[-1].at + _OLD:
            text = make()
            if text is None:
                return None
            known.append(Rendering(str(text), stamp, now))  # not Markup, which is split into Markup
            self._kept[address] = known
        self._kept.move_to_end(address)
        while len(self._kept) > _ADDRESSES:
            self._kept.popitem(last=False)
        return known[-1]

    def known(self, address: str, tag: str) -> Rendering | None:
        return next((each for each in self._kept.get(address, ()) if each.tag == tag), None)


def packed(text: bytes) -> bytes:
    return gzip.compress(text, _LEVEL, mtime=0)


def changes(before: Sequence[str], after: Sequence[str]) -> list[int | str]:
    """Writes lines as new ones, and stretches of those before: where each begins, and how many it has."""
    places = {line: at for at, line in enumerate(before)}
    found: list[int | str] = []
    begin = end = -1  # the stretch of lines of before that goes on
    for line in after:
        if begin >= 0 and end < len(before) and before[end] == line:
            end += 1
            continue
        if begin >= 0:
            found += [begin, end - begin]
        begin = places.get(line, -1)
        end = begin + 1
        if begin < 0:
            found.append(line)
    return [*found, begin, end - begin] if begin >= 0 else found
