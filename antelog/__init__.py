"""antelog: answers before they are certain.

Rules in Temporal Datalog over streams of facts that come late and out of order; answers as
soon as something supports them, with the evidence, the facts still missing, and the tick by
which they are decided.
"""

from antelog.errors import AntelogError, PlanError, ProgramError, ProgramFileError
from antelog.program import Program, load, parse

__all__ = [
    "AntelogError",
    "PlanError",
    "Program",
    "ProgramError",
    "ProgramFileError",
    "load",
    "parse",
]
