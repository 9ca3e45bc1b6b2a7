"""Pictures: answers over time, and programs as graphs.

    draw(source, ...)    a picture of changes, of an engine, or of a program
    Drawing              what it returns: notebooks display it, `save` writes SVG, PNG or HTML

Altair is needed only when one of these names is used, which the extra `draw` brings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from antelog.lazily import names_of

if TYPE_CHECKING:
    from antelog.pictures.answers import draw
    from antelog.pictures.drawing import Drawing

__all__ = ["Drawing", "draw"]

_FROM = {"Drawing": "drawing", "draw": "answers"}

# What draws nothing must not import Altair.
if not TYPE_CHECKING:  # a checker of types would take any name for one of these
    __getattr__ = names_of(__name__, _FROM, what="drawing", extra="draw")


def __dir__() -> list[str]:
    return __all__
