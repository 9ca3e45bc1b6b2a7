"""antelog: answers before they are certain.

Rules in Temporal Datalog over streams of facts that come late and out of order; answers as
soon as something supports them, with the evidence, the facts still missing, and the tick by
which they are decided.
"""

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

__all__ = [
    "AntelogError",
    "DataError",
    "Engine",
    "PlanError",
    "Program",
    "ProgramError",
    "ProgramFileError",
    "StateError",
    "UnsupportedError",
    "load",
    "parse",
]
