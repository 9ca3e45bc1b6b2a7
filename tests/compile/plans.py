"""Plans of programs written in a test."""

from __future__ import annotations

from hypothesis import reject

import antelog
from antelog.compile import compile_program
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Plan
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import Rules, prepared
from antelog.language import Checked


def plan_of(text: str) -> Plan:
    return antelog.parse(text).plan


def possible_plan(checked: Checked) -> Plan:
    """The plan of a random program; an example without one is not looked at."""
    plan = compile_program(checked).plan
    return reject() if plan is None else plan


def rules_of(text: str) -> Rules:
    """A program as the engine looks at it."""
    return prepared(plan_of(text))


def prepared_of(text: str, number: int = 0) -> Prepared:
    """A pattern of the first query as the engine looks at it."""
    rules = rules_of(text)
    return rules.patterns[next(rules.plan.queries).name][number]


def pattern_of(text: str, number: int = 0) -> Pattern:
    return prepared_of(text, number).pattern
