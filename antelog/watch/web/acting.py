"""Takes acknowledgements, snoozes and notes about groups of answers over HTTP, and lists them.

    POST /api/acts  {"group": "wt2", "kind": "acknowledged", "who": "ann"}
    POST /api/acts  {"group": "wt2", "kind": "snoozed", "who": "ann", "minutes": 30}
    POST /api/acts  {"group": "wt2", "kind": "noted", "who": "ann", "note": "the crane comes at noon"}
    POST /api/acts  {"group": "wt2", "kind": "ended", "who": "ann"}
    POST /api/acts  {"group": "wt2", "kind": "acknowledged", "end": true}
    GET  /api/acts  {"acts": [{"group": "wt2", "kind": "snoozed", "who": "ann", "at": …, "until": …}]}

An acknowledgement is about the answers of the group that are open now, and ends when all of them are settled.
What is lost from sight of the group is `ended` by the run, as if it were seen again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from antelog.engine.step.wording import LOST
from antelog.run.store import acts, is_store
from antelog.run.store.acts import Act, ActKind
from antelog.watch.board.board import Board

_Text = Annotated[str, Meta(max_length=1_000)]
_FRESH = 1.0  # seconds for which the acts that were read are shown


class PostError(ValueError):
    """A posted body is not what belongs there, or lacks something."""


class PostedAct(Struct, frozen=True, forbid_unknown_fields=True):
    """An act as it is posted; with `end` the group's acts of this kind are taken back."""

    group: _Text
    kind: ActKind
    who: Annotated[str, Meta(max_length=100)] = ""
    minutes: Annotated[float, Meta(gt=0, le=7 * 24 * 60)] | None = None
    note: _Text = ""
    end: bool = False


@dataclass(eq=False)
class ActList:
    """The acts in a store, as the board shows them; read again when they may have changed."""

    store: Path | None
    board: Board
    _known: Sequence[Act] = ()
    _read: float = field(default=float("-inf"))

    @property
    def possible(self) -> bool:
        """Whether there is a store that can keep them."""
        return self.store is not None and is_store(self.store)

    def current(self) -> list[Act]:
        """The acts that have not ended."""
        now = time.monotonic()
        if self.store is not None and now > self._read + _FRESH:
            self._known = acts.current(self.store, time.time()) if self.possible else ()
            self._read = now
        return [each for each in self._known if self._goes_on(each)]

    def by_group(self) -> dict[str, list[Act]]:
        found: dict[str, list[Act]] = {}
        for each in self.current():
            found.setdefault(each.group, []).append(each)
        return found

    def post(self, body: bytes, user: str = "") -> list[Act]:
        """Keeps an act, and returns all of its group; `user` is who it is, where a proxy knows."""
        assert self.store is not None
        try:
            given = msgspec.json.decode(body, type=PostedAct)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise PostError(f"an act is a JSON object such as {_EXAMPLE}: {error}") from None
        if given.end:
            acts.withdraw(self.store, given.group, given.kind)
        else:
            acts.add(self.store, self._act(given, user or given.who.strip()))
        self._read = float("-inf")
        return self.by_group().get(given.group, [])

    def _act(self, given: PostedAct, who: str) -> Act:
        if not who:
            raise PostError("say who does it, with `who`")
        if given.kind == "snoozed" and given.minutes is None:
            raise PostError("say for how long, with `minutes`")
        if given.kind == "noted" and not given.note.strip():
            raise PostError("write a `note`")
        now, answers = time.time(), tuple[str, ...]()
        if given.kind in ("acknowledged", "ended"):
            key_of, lost = self.board.head.key_of, given.kind == "ended"
            of_group = (each for each in self.board.open.values() if key_of(each) == given.group)
            answers = tuple(each.id for each in of_group if not lost or each.now.change == LOST)
            if not answers:
                raise PostError(f"nothing is {'lost' if lost else 'open'} of `{given.group[:50]}`")
        until = None if given.minutes is None else now + 60 * given.minutes
        return Act(given.group, given.kind, who, now, until, given.note.strip(), answers)

    def _goes_on(self, act: Act) -> bool:
        if act.until is not None and act.until <= time.time():
            return False
        return not act.answers or any(each in self.board.open for each in act.answers)


_EXAMPLE = '{"group": "wt2", "kind": "acknowledged", "who": "ann"}'


def as_json(found: Sequence[Act]) -> dict[str, Any]:
    """Acts as the API has them, without the answers that they are about."""
    return {
        "acts": [
            {name: value for name, value in msgspec.structs.asdict(each).items() if name != "answers"}
            for each in found
        ]
    }
