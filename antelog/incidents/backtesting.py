"""`antelog.backtest`: how rules would have done against a list of incidents, as Arrow tables."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from antelog.arrow.ticks import begins
from antelog.engine.columns.tables import NEVER, Column
from antelog.engine.facts.frames import FileOrFrame
from antelog.engine.step.query import KINDS
from antelog.errors import DataWarning
from antelog.files import Rejects
from antelog.incidents.asked import question, versions
from antelog.incidents.backtest import BacktestResult, result_of, run
from antelog.incidents.incident_list import read_incidents
from antelog.incidents.judging import BacktestRow
from antelog.incidents.missed import with_reasons
from antelog.incidents.report import level_name, rate_of, schema_of, text, to_dict
from antelog.language.moments import timed
from antelog.program import Program
from antelog.run.checks import Ready
from antelog.run.options import takes
from antelog.run.replay import RecordedRows, Recording, ready_with, recorded, static_facts
from antelog.run.settings import BacktestOptions, BacktestSettings, naming_arguments
from antelog.run.workers.divided import engine_for

_JUDGED = ("right", "too late", "neither", "false")


@dataclass(frozen=True, eq=False)
class Backtest:
    """How rules would have done: as tables, as a text (`print(found)`), and as JSON has it (`to_dict`).

    queries     a row for each query, level and value of a limit, with its figures
    incidents   each incident: whether it counted, was caught, and what there was of it
    alerts      each alert, and whether it was right
    rejects     counts of rows that were set aside, and the first of them

    Levels are `possible`, `confirmed`, or `likely` from a `chance` on. Leads are in ticks.
    """

    result: BacktestResult
    rejects: Rejects

    @cached_property
    def queries(self) -> pa.Table:
        parts = [(self.result.rows, "judged"), (self.result.seen, "seen")]
        rows = [self._figures(row, part) for rows, part in parts for row in rows]
        return pa.Table.from_pylist(rows, _FIGURES)

    def _figures(self, row: BacktestRow, part: str) -> dict[str, Any]:
        """The row of a table; it lacks what has no number."""
        own = row.figures
        return {
            **vars(own),
            **_named(row),
            "part": part,
            "best": None if own.limit is None else row.name in self.result.best,
            "false_rate": rate_of(own, self.result.plan.tick)[0],
            **{f"lead_{name}": number for name, number in zip(_QUARTERS, own.lead or (), strict=False)},
            **{f"{of}_low": pair[0] for of, pair in own.intervals.items() if pair is not None},
            **{f"{of}_high": pair[1] for of, pair in own.intervals.items() if pair is not None},
        }

    @cached_property
    def incidents(self) -> pa.Table:
        found, own = self.result, self.result.listed.incidents
        first = np.min([row.judged.first for row in found.listed_rows], axis=0)
        caught = np.any([row.judged.caught for row in found.listed_rows], axis=0)
        return pa.table(
            {
                "key": pa.array(map(found.key, own.key.tolist()), pa.string()),
                **self._ticks("begin", own.begin),
                **self._ticks("end", own.end),
                "counted": pa.array(found.rows[0].judged.counted),
                "caught": pa.array(caught),
                "first_right": pa.array(first, mask=first == NEVER),
                "why": pa.array(map(found.why.get, range(own.count)), pa.string()),
            }
        )

    @cached_property
    def alerts(self) -> pa.Table:
        tables = [self._alerts(row) for row in self.result.rows if row.figures.query is not None]
        return pa.concat_tables(tables)

    def _alerts(self, row: BacktestRow) -> pa.Table:
        own, named = row.alerts, _named(row)
        columns = {
            name: pa.array([value] * own.count, _FIGURES.field(name).type) for name, value in named.items()
        }
        return pa.table(
            {
                **columns,
                "key": pa.array(map(self.result.key, own.key.tolist()), pa.string()),
                **self._ticks("tick", own.tick),
                "end": pa.array(own.end, mask=own.end == NEVER),
                "kind": pa.array(np.array(_JUDGED)[row.judged.kind], pa.string()),
            }
        )

    def _ticks(self, name: str, ticks: Column) -> dict[str, pa.Array]:
        scale = self.result.plan.timescale
        times = {} if scale is None else {timed(name): begins(pa.array(ticks), scale)}
        return {name: pa.array(ticks), **times}

    def to_dict(self) -> dict[str, Any]:
        return to_dict(self.result)

    def __str__(self) -> str:
        return text(self.result)


_QUARTERS = ("quarter", "median", "three_quarters")
_FIGURES = schema_of("queries")


def _named(row: BacktestRow) -> dict[str, str | float | None]:
    level = level_name(row.figures.level)
    word, chance = (level, None) if isinstance(level, str) else ("likely", level)
    return {"query": row.figures.query, "level": word, "chance": chance, "limit": row.figures.limit}


def judge(
    found: Ready,
    given: BacktestOptions,
    incidents: FileOrFrame,
    recording: Recording,
    rejects: Rejects,
    **how: Any,
) -> BacktestResult:
    """Runs a program, or versions of it, and judges it; `how` has `progress`, `note` and `static`.

    The version that comes first is run with workers.
    """
    program, settings = found.program, found.settings
    asked = question(program, given, settings.model)
    listed = read_incidents(incidents, program.plan, given, rejects)
    static = static_facts(program.plan, recording.statics, rejects, recording.maps) | dict(how.pop("static"))
    programs = versions(program, asked)
    options = {"static": static, **settings.engine(), "only": KINDS, "explanations": 0}
    runs = zip(programs, [settings.workers, *[1] * (len(programs) - 1)], strict=True)
    engines = [engine_for(each, workers, how["note"], **options) for each, workers in runs]
    view = run(engines, asked, listed, recording.reader(program.plan, rejects, how["progress"]))
    result = result_of(view, asked, listed)
    chosen = 0 if result.chosen is None else asked.values.index(result.chosen)
    return with_reasons(result, programs[chosen], RecordedRows.joined(view.batches), static)


def warned(said: str) -> None:
    """Warns whoever called a function that takes settings by keyword."""
    warnings.warn(said, DataWarning, stacklevel=4)


@takes(BacktestSettings)
def backtest(
    program: Program, inputs: Mapping[str, FileOrFrame], incidents: FileOrFrame, settings: BacktestSettings
) -> Backtest:
    """Says how rules would have done on recorded facts against a list of incidents.

    Args:
        program: the rules
        inputs: the files or frames of each input, as `antelog.replay` takes them
        incidents: a file, or a frame, with a `time`, or a `start` and an `end`, and the column of the key
        lead: how long before an incident an alert is right: `"1h..24h"`
        settle: how long after an incident no alert is false; if not given, the most of the lead
        within: whether alerts during an incident are right, too
        key: the column with the key, if the list has another name for it: `"machine"`, or `"X=machine"`
        where: values that rows of the list must have: `{"kind": "pump"}`
        query: the queries that are judged; if not given, all that do not say that something is well
        vary: a limit and its values, at most 25: `"hot=70..100"`
        split: where the unseen part begins, a tick or a moment
        model, workers, and others: as `antelog.replay` takes them

    Raises DataError for what cannot be read, for what does not fit the program, and if no incident counts.
    """
    with naming_arguments():
        rejects, found = Rejects(), ready_with("backtest", program, inputs, settings)
        how = {"progress": lambda _: None, "note": warned, "static": settings.static or {}}
        result = judge(found, settings, incidents, recorded(found, inputs), rejects, **how)
    for each in (*rejects.notes, *rejects.at_end):
        warned(each)
    return Backtest(result, rejects)
