"""What makes the rules of a program better: other limits, and a condition or an exception more for each.

    limit hot = 90.                              limit hot = 84.
    A(X, T) :- Temp(X, V, T), V > hot.           A(X, T) :- Temp(X, V, T), V > hot, not Service(X, T-11..T).

Limits are tried one after the other by exact runs: the first half of the facts chooses. A condition is
searched among the moments at which the query has answers, and must hold up on folds of the time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from antelog.engine.columns.tables import Column
from antelog.engine.facts.frames import Frame
from antelog.files import Rejects
from antelog.incidents.alerts import CONFIRMED
from antelog.incidents.asked import asked_queries, question
from antelog.incidents.backtest import BacktestResult, run
from antelog.incidents.backtesting import judge
from antelog.incidents.incident_list import IncidentList, read_incidents
from antelog.incidents.judging import Figures, Lead, f1
from antelog.incidents.report import rate_text
from antelog.incidents.suggest.conditions import Writing
from antelog.incidents.suggest.proposals import Facts, better_with
from antelog.incidents.suggest.streams import APART, key_positions, number_text
from antelog.incidents.suggest.writing import written_conditions
from antelog.language.syntax import Limit, Rule, Variable
from antelog.program import Program, parse
from antelog.run.checks import Ready
from antelog.run.options import taken
from antelog.run.replay import Recording
from antelog.run.settings import BacktestOptions, SuggestOptions

_FARTHEST = 0.3  # of its value, that a limit is moved


@dataclass(frozen=True)
class Change:
    """A change of a program: of a limit or of a rule, what it comes to, and the whole program with it."""

    name: str
    text: str
    figures: str
    program: str


@dataclass(frozen=True, eq=False)
class Trial:
    """What programs are judged by."""

    found: Ready
    wanted: SuggestOptions
    incidents: Path | Frame
    recording: Recording
    how: Mapping[str, Any]

    def judge(self, program: Program, **more: Any) -> BacktestResult:
        asked = taken(BacktestOptions, self.wanted, **more)
        found = replace(self.found, program=program)
        named = {each.name for each in program.plan.inputs}
        inputs = {name: path for name, path in self.recording.inputs.items() if name in named}
        recording = replace(self.recording, inputs=inputs)
        return judge(found, asked, self.incidents, recording, Rejects(), static={}, **self.how)


def improved(
    trial: Trial, facts: Facts, listed: IncidentList, lead: Lead, keys: Mapping[str, int]
) -> list[Change]:
    """Changes that make a program better, one after the other; each has those before it."""
    program, changes = trial.found.program, list[Change]()
    for limit in list(program.document.limits):
        change = _tuned(trial, program, limit)
        if change is not None:
            changes.append(change)
            program = _parsed(program, change.program)
    for query in asked_queries(program.plan, ()):
        for number in range(len([each for each in program.document.rules if each.head.predicate == query])):
            change = _narrowed(trial, program, query, number, facts, listed, lead, keys)
            if change is not None:
                changes.append(change)
                program = _parsed(program, change.program)
    return changes


def _parsed(program: Program, text: str) -> Program:
    return replace(parse(text, name=program.source.name), functions=program.functions)


# ---- limits ----


def _tuned(trial: Trial, program: Program, limit: Limit) -> Change | None:
    """Another value of a limit, if the first half of the facts prefers it, and the second does not mind."""
    reach = abs(limit.value) * _FARTHEST or 1.0
    low, high = limit.value - reach, limit.value + reach
    if isinstance(limit.value, int) and reach >= 3:
        low, high = round(low), round(high)
    varied = trial.judge(program, vary=f"{limit.name}={low:.6g}..{high:.6g}")
    chosen = varied.chosen
    assert chosen is not None
    split = varied.split
    now = trial.judge(program, split=split)
    query, level = varied.asked.scopes[-1], CONFIRMED
    seen = [row.figures for row in varied.seen if row.figures.query == query and row.figures.level == level]
    own = min(seen, key=lambda each: abs((each.limit or 0.0) - limit.value))
    equal = [each for each in seen if f1(each) == max(map(f1, seen))]
    best = equal[len(equal) // 2]  # in the middle, as far as can be from those that are worse
    if best.limit is None or f1(best) <= f1(own) or best.limit == limit.value:
        return None
    after = next(r.figures for r in varied.rows if r.name == (query, level, best.limit))
    before = next(r.figures for r in now.rows if r.name == (query, level, None))
    if f1(after) < f1(before):
        return None
    value = number_text(best.limit)
    old = number_text(limit.value)
    figures = f"unseen half: {_told(after, program)}; with {old}: {_told(before, program)}"
    text = f"limit {limit.name} = {value}."
    source = program.source.text
    whole = f"{source[: limit.span.start]}{text}  % {figures}{source[limit.span.end :]}"
    return Change(limit.name, text, figures, whole)


def _told(found: Figures, program: Program) -> str:
    rate, _, unit = rate_text(found, program.plan.tick).partition(" ")
    return f"caught {found.caught} of {found.incidents}, {rate} false alarms {unit}"


# ---- one condition or exception more ----


def _narrowed(
    trial: Trial, program: Program, query: str, number: int, facts: Facts, listed: IncidentList,
    lead: Lead, keys: Mapping[str, int],
) -> Change | None:  # fmt: skip
    rules = [each for each in program.document.rules if each.head.predicate == query]
    rule = rules[number]
    place = _place(program, rule)
    codes = _answers(trial, program, query, keys)
    rows = np.flatnonzero(np.isin(facts.moments.code, codes))
    proposal = better_with(facts, rows, listed.incidents, lead, trial.wanted.false_alarms)
    if proposal is None or place is None:
        return None
    key, time = place
    source = program.source.text
    excerpt = source[rule.span.start : rule.span.end]
    limits = {each.name for each in program.document.limits}
    limits |= set(re.findall(r"[a-z]\w*", source))
    writing = Writing(facts.streams, facts.moments.base, key, time)
    own = written_conditions(
        proposal.rule.conditions, writing, facts.plan, limits, re.findall(r"\b[A-Z]\w*", excerpt)
    )
    body = excerpt.rstrip().removesuffix(".").rstrip()
    text = f"{body}, {', '.join(own.literals)}."
    lines = "".join(f"limit {name} = {number_text(value)}.\n" for name, value in own.limits.items())
    begin, end = source[: rule.span.start], source[rule.span.end :]
    draft = f"{begin}{lines}{text}{end}"
    before, after = (
        _confirmed(trial.judge(each, query=(query,)), query) for each in (program, _parsed(program, draft))
    )
    if f1(after) <= f1(before):
        return None
    seen = proposal.unseen
    figures = (
        f"added: {own.words}; unseen: caught {len(seen.caught)} of {proposal.incidents}, "
        f"{number_text(round(seen.false, 1))} false alarms; in all: {_told(after, program)}; "
        f"without it: {_told(before, program)}"
    )
    return Change(query, text, figures, f"{begin}% {figures}\n{lines}{text}{end}")


def _place(program: Program, rule: Rule) -> tuple[str | None, str] | None:
    """The variables of the key and of the time in the head of a rule; None if it has others there."""
    terms = rule.head.terms
    at = key_positions(program.plan).get(rule.head.predicate)
    chosen = [terms[-1], *([] if at is None else [terms[at]])]
    names = [each.name for each in chosen if isinstance(each, Variable)]
    if len(names) < len(chosen):
        return None
    return (names[1] if len(names) > 1 else None), names[0]


def _answers(trial: Trial, program: Program, query: str, keys: Mapping[str, int]) -> Column:
    """The codes of moments at which a query has answers."""
    settings = trial.found.settings
    asked = question(program, taken(BacktestOptions, trial.wanted, query=(query,)), None)
    listed = read_incidents(trial.incidents, program.plan, trial.wanted, Rejects())
    options = {"workers": settings.workers, **settings.engine(), "model": None, **trial.how, "static": {}}
    found = run([program], trial.recording, asked, listed, Rejects(), **options)
    lines = found.collectors[0].lines
    texts = list(found.collectors[0].keys)
    own = np.array([keys.get(each, -2) for each in texts] or [0], np.int64)
    key = own[np.maximum(lines.key, 0)] if key_positions(program.plan).get(query) is not None else 0
    codes: Column = np.unique((key * APART + lines.tick)[lines.confirmed])
    return codes


def _confirmed(found: BacktestResult, query: str) -> Figures:
    return next(row.figures for row in found.rows if row.name == (query, CONFIRMED, None))
