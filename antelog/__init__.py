"""antelog: answers before they are certain.

Rules in Temporal Datalog over streams of facts that come late and out of order; answers as
soon as something supports them, with the evidence, the facts still missing, and the tick by
which they are decided.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from antelog.engine.engine import Engine
from antelog.errors import (
    AntelogError,
    DataError,
    PlanError,
    ProgramError,
    ProgramFileError,
    StateError,
    UnsupportedError,
)
from antelog.program import Program, load, parse

if TYPE_CHECKING:
    from antelog.notebook import load_ipython_extension, show
    from antelog.pictures import Drawing, draw

__all__ = [
    "AntelogError",
    "DataError",
    "Drawing",
    "Engine",
    "PlanError",
    "Program",
    "ProgramError",
    "ProgramFileError",
    "StateError",
    "UnsupportedError",
    "draw",
    "load",
    "load_ipython_extension",
    "parse",
    "show",
]

_FROM = {
    **dict.fromkeys(("Drawing", "draw"), "antelog.pictures"),
    **dict.fromkeys(("load_ipython_extension", "show"), "antelog.notebook"),
}


def __getattr__(name: str) -> Any:
    """What shows results, once it is asked for: running programs needs none of it."""
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_FROM[name]), name)
