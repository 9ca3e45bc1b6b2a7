"""Names of devices and texts of literals, as short as they can be and still differ."""

from __future__ import annotations

from dataclasses import dataclass

from antelog.language.printer import value_text
from antelog.watch.board.tracked_answer import TrackedAnswer
from antelog.watch.web.views.context import ViewContext

_CUT = 90
"""Characters at each end of a name that are kept."""
_SHORT, _END = 12, 14
"""Characters of names that are not cut, and at the end of others that are always shown."""


@dataclass(frozen=True)
class CutName:
    """A name in two parts: the first gives way where there is little room, the end stays."""

    start: str
    end: str


def cut(name: str) -> CutName:
    """A name cut where names of devices differ: before its last part."""
    if len(name) > 2 * _CUT:
        name = f"{name[:_CUT]}…{name[-_CUT:]}"
    if len(name) <= _SHORT:
        return CutName(name, "")
    at = max(name.rfind(each, 0, len(name) - 1) for each in "/.:-_ ")
    at = at if at > 0 else len(name) // 2
    at = max(at, len(name) - _END)
    return CutName(name[:at], name[at:])


def shorter(scene: ViewContext, answer: TrackedAnswer, text: str) -> str:
    """The text of a literal without the key, which is beside it."""
    name = scene.board.head.keys.get(answer.query)
    value = answer.values.get(name) if name else None
    if value is None:
        return text
    key = value_text(value)
    return text.replace(f"({key}, ", "(", 1) if f"({key}, " in text else text.replace(f", {key}, ", ", ", 1)


def key_name(scene: ViewContext) -> str:
    """The name of the key: the column of an input that has it, such as Device."""
    program = scene.board.head.program
    if program is None:
        return "Value"
    positions = {each.name: each.position for each in program.plan.key.positions}
    for each in program.plan.inputs:
        if each.name in positions and positions[each.name] < len(each.columns):
            return each.columns[positions[each.name]].capitalize()
    return "Value"
