"""The compiler: from a checked program to a plan the engine can run."""

from __future__ import annotations

from antelog.compile.nodes.plan import Plan
from antelog.compile.passes import PATTERN_LIMIT, Compiled, compile_program
from antelog.compile.show.plan_json import from_json, to_json

__all__ = ["PATTERN_LIMIT", "Compiled", "Plan", "compile_program", "from_json", "to_json"]
