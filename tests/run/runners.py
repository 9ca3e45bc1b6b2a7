"""Runs cases by `Engine`, `antelog try` and `antelog watch`: whole, in steps, with arrivals and without.

printed("try", case)          the lines of a command
in_steps(case, [3, 9])        the log of an engine that is advanced to ticks 3 and 9, and to the end
lines_of(case, log)           its lines
rows_of(log)                  its changes, in the form that those of Spark have
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog import Engine
from antelog.engine.columns.tables import Column
from antelog.engine.facts.admission import arrivals
from antelog.files import ARRIVAL
from antelog.run import clock
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from tests.cli.trying import antelog
from tests.run.cases import Case

Facts = Mapping[str, pa.Table]
Log = Sequence[Mapping[str, pa.Table]]


def printed(command: str, case: Case, *flags: str) -> list[str]:
    """The lines of `antelog try` or `antelog watch`."""
    done = antelog(command, *case.arguments, *flags)
    assert done.exit_code == 0, done.stderr
    return done.stdout.splitlines()


def in_steps(case: Case, ends: Iterable[int]) -> Log:
    """The log of an engine that is advanced to these ticks, and to the end."""
    engine = Engine(case.program, arrival=ARRIVAL)
    log = [
        engine.advance(now, between(case.facts, engine.now, now))
        for now in [*ends, int(case.arrivals[-1])]
        if now > engine.now
    ]
    return [*log, *to_the_end(engine)]


def in_one_step(case: Case) -> Log:
    """The log of an engine that gets the facts without their arrivals, all at once."""
    engine = Engine(case.program)
    return [engine.advance(highest(case.facts), without(case.facts)), *to_the_end(engine)]


def to_the_end(engine: Engine) -> Log:
    end = clock.end(engine.now, (engine.answers(each.name) for each in engine.plan.queries))
    return [engine.advance(end)] if end > engine.now else []


# ---- logs ----


def lines_of(case: Case, log: Log) -> list[str]:
    relations = list(case.program.plan.queries)
    texts = [change_lines(relations, StepResult(0, tables), Style()) for tables in log]
    return "".join(texts).splitlines()


def rows_of(log: Log, until: int | None = None) -> list[dict[str, Any]]:
    """The changes of a log, up to a tick, in the form that those of Spark have."""
    rows = ({"query": name, **row} for tables in log for name, t in tables.items() for row in t.to_pylist())
    return [row for row in rows if until is None or row["tick"] <= until]


# ---- facts ----


def named(facts: Facts) -> dict[str, pa.Table]:
    """Facts with the name that users give to arrivals."""
    return {
        name: t.rename_columns(["arrival" if c == ARRIVAL else c for c in t.column_names])
        for name, t in facts.items()
    }


def between(facts: Facts, after: int, now: int) -> Facts:
    """The facts that arrive after a tick, up to another."""
    found = {}
    for name, table in facts.items():
        arrival = table.column(ARRIVAL)
        found[name] = table.filter(pc.and_(pc.greater(arrival, after), pc.less_equal(arrival, now)))
    return found


def cut(facts: Facts, ends: Sequence[int]) -> list[Facts]:
    """The facts that arrive up to each of these ticks, and after them."""
    return [between(facts, after, now) for after, now in pairwise([-1, *ends, 2**60])]


def without(facts: Facts) -> Facts:
    return {name: table.drop_columns([ARRIVAL]) for name, table in facts.items()}


def arriving(facts: Facts, now: int, arrival: str = ARRIVAL) -> Facts:
    """The facts with the arrivals that the clock gives them when a tick is finished."""
    return {
        name: table.append_column(arrival, pa.array(arrivals(times_of(table), now)))
        for name, table in without(facts).items()
    }


def highest(facts: Facts) -> int:
    """The highest tick that facts are about; -1 if there are none."""
    return max(
        (int(times_of(table).max()) for table in without(facts).values() if table.num_rows), default=-1
    )


def slowest(facts: Facts) -> int:
    """The least of the ticks that inputs have come to, by their facts."""
    return min(highest({name: table}) for name, table in facts.items() if table.num_rows)


def times_of(table: pa.Table) -> Column:
    """The ticks of facts without arrivals, in their last column."""
    times: Column = table.column(table.num_columns - 1).to_numpy()
    return times


def together(parts: Sequence[Facts]) -> Facts:
    return {name: pa.concat_tables([part[name] for part in parts]) for name in parts[0]}


def dealt(facts: Facts, count: int) -> list[Facts]:
    """The facts of each input in this many parts, in any order."""
    chance = np.random.default_rng(5)
    facts = {name: t.take(pa.array(chance.permutation(t.num_rows))) for name, t in facts.items()}
    return [
        {
            name: table.slice(part * -(-table.num_rows // count), -(-table.num_rows // count))
            for name, table in facts.items()
        }
        for part in range(count)
    ]
