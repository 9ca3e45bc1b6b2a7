"""The compiler: from a checked program to a plan the engine can run."""

from __future__ import annotations

from antelog.compile.nodes.plan import Plan, from_json, to_json
from antelog.compile.passes import PATTERN_LIMIT, Compiled, compile_program

__all__ = ["PATTERN_LIMIT", "Compiled", "Plan", "compile_program", "from_json", "to_json"]
