"""`antelog.suggest`: proposes rules from facts and incidents, or a better version of a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import structs

from antelog.compile.nodes.plan import Argument, Key, Plan
from antelog.engine.facts.frames import FileOrFrame
from antelog.errors import DataError
from antelog.files import Rejects
from antelog.forecast.reports.words import lead
from antelog.incidents.alerts import CONFIRMED
from antelog.incidents.asked import lead_of, rewritten
from antelog.incidents.backtest import BacktestResult
from antelog.incidents.backtesting import judge, warned
from antelog.incidents.incident_list import names_of, read_incidents
from antelog.incidents.judging import ALL_KEYS, Figures, about
from antelog.incidents.report import WORDS, counts_text, rate_of, rate_text, schema_of
from antelog.incidents.suggest.declaring import asks, declared, used_only, with_a_query, without_a_query
from antelog.incidents.suggest.improving import improved
from antelog.incidents.suggest.input_columns import InputColumns, key_positions, number_text
from antelog.incidents.suggest.measures import DAY, Done, SearchedHistory
from antelog.incidents.suggest.proposals import proposals
from antelog.incidents.suggest.searched_part import FoundRule, holding
from antelog.incidents.suggest.writing import WrittenRule, case_of, program_text, written
from antelog.program import Program, parse
from antelog.run.checks import Ready
from antelog.run.options import taken, takes
from antelog.run.replay import RecordedRows, Recording, ready_with, recorded
from antelog.run.settings import BacktestOptions, SuggestOptions, SuggestSettings, naming_arguments


@dataclass(frozen=True, eq=False)
class Suggestion:
    """A program with rules that incidents have in common, tests of them, and how they did.

    text     the program; empty if nothing is better than alarms at random
    tests    cases for `antelog test`, a real incident for each rule
    rules    a table of the rules, with their figures in all incidents and in those they were not found in
    """

    text: str
    tests: str = ""
    rows: Sequence[Mapping[str, Any]] = ()
    improves: bool = False  # whether the program had rules

    @cached_property
    def rules(self) -> pa.Table:
        return pa.Table.from_pylist(list(self.rows), schema_of("rules"))

    def __str__(self) -> str:
        return self.text or str(WORDS["suggestions"]["no_change" if self.improves else "nothing"])


def suggested(
    ready: Ready,
    wanted: SuggestOptions,
    incidents: FileOrFrame,
    recording: Recording,
    rejects: Rejects,
    *,
    searching: Done = lambda _: None,
    declarations: str = "",
    **how: Any,
) -> Suggestion:
    """Searches rules for the inputs of a program, or if it has rules for what makes them better.

    `declarations` are those of files that nobody has declared; `how` has `progress` and `note`.
    """

    def judged(program: Program, **more: Any) -> BacktestResult:
        named = {each.name for each in program.plan.inputs}
        inputs = {name: path for name, path in recording.inputs.items() if name in named}
        asked, own = taken(BacktestOptions, wanted, **more), replace(recording, inputs=inputs)
        return judge(replace(ready, program=program), asked, incidents, own, Rejects(), static={}, **how)

    program, rows = ready.program, RecordedRows.of(recording.reader(ready.program.plan, rejects)).rows
    history = _history(_with_key(program, wanted.key, incidents), wanted, incidents, rows, rejects)
    history = history.measured(lambda part: searching(part / 3))
    if asks(program):
        steps = list(improved(program, history, wanted.false_alarms, judged))
        text = steps[-1][0].source.text if steps else ""
        return Suggestion(text, rows=[change for _, change in steps], improves=True)
    found = [*proposals(history, wanted.most, wanted.false_alarms, lambda part: searching(part * 2 / 3))]
    if not found:
        return Suggestion("")
    plan = history.plan
    names = [each.name for part in (plan.inputs, plan.statics, plan.relations) for each in part]
    rules = written(found, history, [*names, *(each.name for each in program.document.limits)])
    own = without_a_query(program.source.text)
    if declarations:  # of inputs that nobody has declared those that rules use
        own = used_only(declarations, "\n".join(each.text for each in rules))
    draft = program_text(own, rules, {each.name: "" for each in rules})
    result = judged(
        rewritten(program, draft, program.source.values), query=tuple(each.name for each in rules)
    )
    text = program_text(own, rules, {each.name: _note(each, result) for each in rules})
    tests = "cases:\n\n" + "\n\n".join(_case(each, history) for each in rules) + "\n"
    return Suggestion(text, tests, [_row(each, result) for each in rules])


def _history(
    plan: Plan, wanted: SuggestOptions, incidents: FileOrFrame, rows: Mapping[str, pa.Table], rejects: Rejects
) -> SearchedHistory:
    """The facts and the incidents; nothing is measured yet. Raises DataError if they do not fit."""
    lead_, listed = lead_of(wanted, plan), read_incidents(incidents, plan, wanted, rejects)
    if not rows:
        raise DataError(f"there are no facts; give them with --input {plan.inputs[0].name}=FILE")
    keys, at = {key: number for number, key in enumerate(listed.keys)}, key_positions(plan)
    inputs = [
        InputColumns.of(source, rows[source.name], at.get(source.name), keys)
        for source in plan.inputs
        if source.name in rows
    ]
    history = SearchedHistory.of(plan, inputs, keys, listed.incidents, lead_)
    of_facts = np.unique(history.key)
    if not np.isin(listed.incidents.key, [ALL_KEYS, *of_facts]).any():
        first = min(np.array([*keys])[of_facts])
        raise DataError.of("incidents.keys", file=listed.name, own=listed.keys[0], of_facts=first)
    return history


def _with_key(program: Program, given: str | None, incidents: FileOrFrame) -> Plan:
    """The plan of inputs, with the column that all have as its key: the given one, or the incidents' own."""
    plan, at = program.plan, key_positions(program.plan) if asks(program) else {}
    column = next((each.columns[at[each.name]] for each in plan.inputs if each.name in at), "")
    if not at:
        variable, _, wanted = (given or "").rpartition("=")
        known = [wanted.lower()] if wanted else [each.lower() for each in names_of(incidents)]
        first, *others = [each.columns[:-1] for each in plan.inputs]
        common = [name for name in first if all(name in own for own in others)]
        column = next((each for each in (*known, variable) if each in common), "")
    more = [each for each in plan.inputs if each.name not in at and column in each.columns[:-1]]
    places = (*(plan.key.positions if at else ()), *(Argument(e.name, e.columns.index(column)) for e in more))
    return structs.replace(plan, key=Key(places, None if places else "no column is that of the incidents"))


# ---- how rules did ----


def _figures(rule: WrittenRule, result: BacktestResult) -> tuple[Figures, Figures]:
    """The figures of a rule: the engine's, of all incidents; and the search's, where it is unseen."""
    own = next(row.figures for row in result.rows if row.name == (rule.name, CONFIRMED, None))
    unseen: FoundRule = rule.found.unseen or rule.found
    ticks = unseen.days * (DAY / result.plan.tick if result.plan.tick else 1000)
    caught, false = len(unseen.caught), round(unseen.false)
    return own, replace(own, caught=caught, incidents=unseen.incidents, false=false, ticks=max(ticks, 1.0))


def _note(rule: WrittenRule, result: BacktestResult) -> str:
    """`unseen: caught 16 of 20, 0.09 false alarms a day; in all: 17 of 20, 0.06 a day, median 6 h early`."""
    (own, unseen), tick = _figures(rule, result), result.plan.tick
    early = "" if own.lead is None or own.lead[1] <= 0 else f", median {lead(own.lead[1], tick)} early"
    return (
        f"unseen: {counts_text(unseen, tick)}; "
        f"in all: {own.caught} of {own.incidents}, {rate_text(own, tick)}{early}"
    )


def _row(rule: WrittenRule, result: BacktestResult) -> Mapping[str, Any]:
    own, unseen = _figures(rule, result)
    return {
        "rule": rule.name,
        "text": rule.text,
        "limits": ", ".join(f"{name} = {number_text(value)}" for name, value in rule.limits.items()),
        "caught": own.caught,
        "incidents": own.incidents,
        "false_rate": rate_of(own, result.plan.tick)[0],
        "unseen_caught": unseen.caught,
        "unseen_incidents": unseen.incidents,
        "unseen_false_rate": rate_of(unseen, result.plan.tick)[0],
    }


def _case(rule: WrittenRule, history: SearchedHistory) -> str:
    """A test from the first incident that the rule catches."""
    rows = holding(history, rule.found.conditions, np.arange(history.count))
    key, tick = history.key[rows], history.tick[rows]
    own, given = history.incidents, history.lead
    end = own.end if given.within else own.begin - given.least
    for incident in range(own.count):
        fits = about(key, int(own.key[incident]))
        fits &= (tick <= end[incident]) & (tick >= own.begin[incident] - given.most)
        if fits.any():
            return case_of(rule, history, int(rows[fits][0]), incident)
    raise AssertionError(f"{rule.name} catches nothing")


@takes(SuggestSettings)
def suggest(
    inputs: Mapping[str, FileOrFrame], incidents: FileOrFrame, settings: SuggestSettings
) -> Suggestion:
    """Proposes rules that incidents have in common, as a program with limits, words and tests.

    Args:
        inputs: the files or frames of each input, as `antelog.replay` takes them
        incidents: a file, or a frame, with a `time`, or a `start` and an `end`, and the column of the key
        lead: how long before an incident an alert is right: `"1h..24h"`
        program: declares the inputs; if it has rules, a better version of it is proposed. If not given, the
            inputs are declared as the files have them
        most: how many rules are proposed at most
        false_alarms: how many false alarms a day a rule may have; per 1,000 ticks without a `tick`
        settle, within, key, where, and others: as `antelog.backtest` takes them

    Raises DataError for what cannot be read, and for what does not fit the program.
    """
    with naming_arguments():
        rejects = Rejects()
        program, declarations = settings.program, ""
        if program is None:
            declarations, maps = declared(inputs, settings.key, incidents)
            program = parse(with_a_query(declarations), name="inputs")
            settings = replace(settings, map={**maps, **settings.map})
        found = ready_with("suggest", program, inputs, settings, most=None)
        how: dict[str, Any] = {"progress": lambda _: None, "note": warned, "declarations": declarations}
        result = suggested(found, settings, incidents, recorded(found, inputs), rejects, **how)
    for each in (*rejects.notes, *rejects.at_end):
        warned(each)
    return result
