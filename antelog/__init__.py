"""antelog: answers before they are certain.

Rules in Temporal Datalog over streams of facts that come late and out of order; answers as
soon as something supports them, with the evidence, the facts still missing, and the tick by
which they are decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from antelog.errors import (
    AntelogError,
    DataError,
    OutputError,
    PlanError,
    ProgramError,
    ProgramFileError,
    StateError,
    UnsupportedError,
)
from antelog.lazily import names_of

if TYPE_CHECKING:
    from antelog.forecast.engine import Engine
    from antelog.forecast.files.model import Model
    from antelog.notebook import load_ipython_extension, show
    from antelog.pictures import Drawing, draw
    from antelog.program import Program, load, parse
    from antelog.watch.live import live

__all__ = [
    "AntelogError",
    "DataError",
    "Drawing",
    "Engine",
    "Model",
    "OutputError",
    "PlanError",
    "Program",
    "ProgramError",
    "ProgramFileError",
    "StateError",
    "UnsupportedError",
    "draw",
    "live",
    "load",
    "load_ipython_extension",
    "parse",
    "show",
]

_FROM = {
    "Engine": "forecast.engine",
    "Model": "forecast.files.model",
    **dict.fromkeys(("Program", "load", "parse"), "program"),
    "live": "watch.live",
    **dict.fromkeys(("Drawing", "draw"), "pictures"),
    **dict.fromkeys(("load_ipython_extension", "show"), "notebook"),
}

# Reading a program needs no engine, running it no pictures, and Spark's own processes neither.
if not TYPE_CHECKING:  # a checker of types would take any name for one of these
    __getattr__ = names_of(__name__, _FROM)


def __dir__() -> list[str]:
    return __all__
