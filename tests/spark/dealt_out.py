"""Programs whose answers several buckets may know of, or whose time begins and ends for all together."""

import random
import tomllib
from pathlib import Path

from antelog.compile.nodes.plan import Input, Plan
from antelog.program import parse
from tests.spark.comparing import Fact

PROGRAMS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

_VALUES = {"text": ("a", "b", "c", "d"), "number": (0.0, 1.0, 2.0), None: ("a", "b")}


def plan_of(name: str) -> Plan:
    return parse(PROGRAMS[name]).plan


def facts_of(plan: Plan, chance: random.Random, count: int, first: int) -> list[Fact]:
    """Facts about ticks from some on, of which some come late, early, twice, or in another's slot."""
    return [_fact(chance.choice(plan.inputs), chance, first) for _ in range(count)]


def _fact(source: Input, chance: random.Random, first: int) -> Fact:
    time = first + chance.randint(0, 5)
    arrival = max(0, time + chance.choice((-1, 0, 0, 0, *range(source.delay + 2))))
    values = [chance.choice(_VALUES[each]) for each in source.types[: len(source.columns) - 1]]
    return source.name, (*values, time), arrival
