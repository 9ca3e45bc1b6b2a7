"""Suggests rules: from facts and incidents to a program with figures and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from antelog.compile.nodes.plan import Argument, Input, Key, Plan
from antelog.errors import DataError
from antelog.files import Rejects
from antelog.incidents.alerts import CONFIRMED
from antelog.incidents.asked import lead_of
from antelog.incidents.backtest import BacktestResult, BacktestRow
from antelog.incidents.incident_list import IncidentChoice, IncidentList, read_incidents
from antelog.incidents.judging import ALL_KEYS, Lead
from antelog.incidents.library import judge
from antelog.incidents.report import rate_text, row_text
from antelog.incidents.suggest.conditions import Writing
from antelog.incidents.suggest.declaring import columns_of
from antelog.incidents.suggest.proposals import Facts, Proposal, proposals
from antelog.incidents.suggest.streams import Stream, stream_of
from antelog.incidents.suggest.writing import (
    WrittenRule,
    case_text,
    fact_of,
    facts_before,
    program_text,
    written,
)
from antelog.language.moments import moment
from antelog.language.printer import value_text
from antelog.program import parse
from antelog.run.checks import Ready
from antelog.run.replay import RecordedRows, Recording
from antelog.run.settings import BacktestOptions

_MOST_FACTS = 200  # of a test
_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True)
class Wanted:
    """How many rules are proposed at most, and how many false alarms a day each may have."""

    most: int = 5
    false_alarms: float = 0.1


@dataclass(frozen=True, eq=False)
class Suggestion:
    """A program with rules that incidents have in common, tests of them, and how they did.

    text     the program; empty if nothing is better than alarms at random
    tests    cases for `antelog test`, a real incident for each rule
    result   what `antelog.backtest` says of the program; None without one
    """

    text: str
    tests: str
    result: BacktestResult | None
    proposals: tuple[Proposal, ...]


def suggested(
    found: Ready,
    given: BacktestOptions,
    incidents: Path,
    recording: Recording,
    rejects: Rejects,
    wanted: Wanted,
    declarations: str,
    **how: Any,
) -> Suggestion:
    """Searches rules for the inputs of a program, which are added to what it declares."""
    program = found.program
    plan = _with_key(program.plan, given.key, incidents)
    lead = lead_of(given, plan)
    listed = read_incidents(incidents, plan, IncidentChoice(given.key, given.where), rejects)
    rows = RecordedRows.of(recording.reader(program.plan, rejects)).rows
    if not rows:
        raise DataError(f"there are no facts; give them with --input {plan.inputs[0].name}=FILE")
    keys = {key: number for number, key in enumerate(listed.keys)}
    at = {each.name: each.position for each in plan.key.positions} if plan.key else {}
    streams = [
        stream_of(source, rows[source.name], at.get(source.name), keys)
        for source in plan.inputs
        if source.name in rows
    ]
    facts = Facts.of(plan, streams, listed.incidents, lead)
    proposed = tuple(proposals(facts, listed.incidents, lead, wanted.most, wanted.false_alarms))
    if not proposed:
        return Suggestion("", "", None, ())
    writing = Writing(streams, bool(plan.key), facts.moments.base)
    taken = [each.name for part in (plan.inputs, plan.statics, plan.relations) for each in part]
    taken += [each.name for each in program.document.limits]
    rules = written(proposed, writing, plan, taken)
    draft = parse(program_text(declarations, rules, {each.name: "" for each in rules}), name="rules")
    asked = replace(given, query=tuple(each.name for each in rules), vary=None, split=None)
    result = judge(replace(found, program=draft), asked, incidents, recording, Rejects(), **how)
    notes = {each.name: _figures(each, result, plan) for each in rules}
    text = program_text(declarations, rules, notes)
    tests = "cases:\n\n" + "\n\n".join(_case(each, facts, listed, keys, lead) for each in rules) + "\n"
    return Suggestion(text, tests, result, proposed)


def _with_key(plan: Plan, given: str | None, incidents: Path) -> Plan:
    """The plan of inputs, with the column that all have as its key: the given one, or the incidents' own."""
    column = (given or "").rpartition("=")[2]
    named = [_values(each) for each in plan.inputs]
    common = [name for name in named[0] if all(name in own for own in named)] if named else []
    known = columns_of(incidents)
    chosen = next((each for each in common if each == column or (not column and each in known)), None)
    variable = (given or "").rpartition("=")[0]
    chosen = chosen or (variable if variable in common else None)
    if chosen is None:
        return structs.replace(plan, key=Key((), "no column is that of the incidents"))
    places = tuple(Argument(each.name, each.columns.index(chosen)) for each in plan.inputs)
    return structs.replace(plan, key=Key(places))


def _values(source: Input) -> Sequence[str]:
    return source.columns[:-1]


def _figures(rule: WrittenRule, result: BacktestResult, plan: Plan) -> str:
    """`caught 17 of 20, 0.06 false alarms a day, 6 h early (unseen: 16 of 20, 0.09 a day)`."""
    row = _row(rule, result)
    caught, _, false, early = row_text(row, plan.tick)
    unseen, seen = rule.proposal, rule.proposal.unseen
    ticks = unseen.days * (_DAY / plan.tick if plan.tick else 1000)
    rate = rate_text(replace(row.figures, false=seen.false, ticks=max(ticks, 1.0)), plan.tick)
    return (
        f"unseen: caught {len(seen.caught)} of {unseen.incidents}, {rate} false; "
        f"in all: {caught}, {false} false, {early} early"
    )


def _row(rule: WrittenRule, result: BacktestResult) -> BacktestRow:
    return next(
        row for row in result.rows if row.figures.query == rule.name and row.figures.level == CONFIRMED
    )


def _case(rule: WrittenRule, facts: Facts, listed: IncidentList, keys: Mapping[str, int], lead: Lead) -> str:
    """A test from the first incident that the rule catches."""
    rows = facts.holding(rule.proposal.rule)
    key, tick = facts.moments.key[rows], facts.moments.tick[rows]
    own = listed.incidents
    for incident in range(own.count):
        fits = (key == own.key[incident]) | (own.key[incident] == ALL_KEYS)
        before = fits & (tick <= own.begin[incident] - lead.least) & (tick >= own.begin[incident] - lead.most)
        at = np.flatnonzero(before)
        if len(at):
            return _case_at(rule, facts, keys, int(key[at[0]]), int(tick[at[0]]))
    return _case_at(rule, facts, keys, int(key[0]), int(tick[0]))


def _case_at(rule: WrittenRule, facts: Facts, keys: Mapping[str, int], key: int, tick: int) -> str:
    scale, streams = facts.plan.timescale, facts.streams
    named = next((text for text, number in keys.items() if number == key), None)
    found: list[tuple[int, str]] = []
    for stream, row in facts_before(rule.proposal.rule, streams, key, tick):
        time = int(stream.tick[row])
        found.append((time, fact_of(stream, row, named, moment(time, scale))))
    base = facts.moments.base
    at = np.flatnonzero((base.key == key) & (base.tick == tick))[:1]
    own = [(tick, fact_of(base, int(row), named, moment(tick, scale))) for row in at]
    listed = [fact for _, fact in sorted({*found, *own})][-_MOST_FACTS:]
    terms = ([] if named is None or not _keyed(base) else [value_text(named)]) + [moment(tick, scale)]
    about = moment(tick, scale) if named is None else f"{named}, {moment(tick, scale)}"
    return case_text(f"before the incident of {about}", listed, f"{rule.name}({', '.join(terms)})")


def _keyed(stream: Stream) -> bool:
    return stream.key_at is not None
