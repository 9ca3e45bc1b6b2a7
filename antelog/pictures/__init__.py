"""Pictures: answers over time, and programs as graphs.

    draw(source, ...)    a picture of changes, of an engine, or of a program
    Drawing              what it returns: notebooks display it, `save` writes SVG, PNG or HTML

Altair is needed only when one of these names is used: `pip install 'antelog[draw]'`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from antelog.pictures.drawing import Drawing
    from antelog.pictures.entry import draw

__all__ = ["Drawing", "draw"]

_FROM = {"Drawing": "drawing", "draw": "entry"}


def __getattr__(name: str) -> Any:
    """The public names, once they are asked for: what draws nothing must not import Altair."""
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_FROM[name]}"), name)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing == __name__.partition(".")[0]:
            raise
        raise ImportError(
            f"drawing needs the package {missing}, which is not installed: pip install 'antelog[draw]'"
        ) from error
