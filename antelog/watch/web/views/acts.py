"""Describes acknowledgements, snoozes and notes: in a few words on a row, and in a sentence as its title."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from antelog.run.store.acts import Act
from antelog.watch.board.tracked_answer import TrackedAnswer
from antelog.watch.web.views.context import TickClock, ViewContext


@dataclass(frozen=True)
class ShownAct:
    """An act as it is shown; `title` is the whole of it."""

    kind: str
    text: str
    title: str


@dataclass(frozen=True)
class ShownGroup:
    """The group of an answer, and what people did about it."""

    name: str
    acts: Sequence[ShownAct]


def shown_group(scene: ViewContext, answer: TrackedAnswer) -> ShownGroup:
    """The group of an answer, with its acts."""
    name = scene.board.head.key_of(answer)
    return ShownGroup(name, [shown_act(each, scene.clock) for each in scene.acts.get(name, ())])


def shown_act(act: Act, clock: TickClock) -> ShownAct:
    """An act in words."""
    at = clock.hour(act.at)
    match act.kind:
        case "acknowledged":
            text = f"✓ {act.who}, until decided"
            title = f"{act.who} takes care of it, since {at}, until all of it is decided"
        case "snoozed":
            until = "" if act.until is None else clock.hour(act.until)
            text, title = f"Zz {act.who}, until {until}", f"{act.who} snoozed it at {at}, until {until}"
        case "ended":
            text, title = f"∎ {act.who}", f"{act.who} ends at {at} what is lost from sight"
        case _:
            text, title = f"✎ {act.note}", f"{act.who} at {at}: {act.note}"
    return ShownAct(act.kind, text[:80], title)
