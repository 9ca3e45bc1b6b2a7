"""Makes the rules of a program better: by other limits, and by a condition or an exception more for each.

    limit hot = 90.                              limit hot = 84.
    A(X, T) :- Temp(X, V, T), V > hot.           A(X, T) :- Temp(X, V, T), V > hot, not Service(X, T-11..T).

Limits are tried one after the other by exact runs: the first half of the facts chooses. A condition is
searched among the moments at which the query has answers, and must hold up on folds of the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from antelog.engine.columns.tables import Column
from antelog.engine.facts.frames import Frame
from antelog.files import Rejects
from antelog.incidents.alerts import CONFIRMED
from antelog.incidents.asked import asked_queries, question
from antelog.incidents.backtest import BacktestResult, run
from antelog.incidents.backtesting import judge
from antelog.incidents.incident_list import read_incidents
from antelog.incidents.judging import Figures, f1
from antelog.incidents.report import rate_text
from antelog.incidents.suggest.input_columns import APART, key_positions, number_text
from antelog.incidents.suggest.measures import SearchedHistory
from antelog.incidents.suggest.proposals import better_with
from antelog.incidents.suggest.writing import written_conditions
from antelog.language.syntax import Limit, Rule, Variable
from antelog.program import Program, parse
from antelog.run.checks import Ready
from antelog.run.options import taken
from antelog.run.replay import Recording
from antelog.run.settings import BacktestOptions, SuggestOptions

_FARTHEST = 0.3  # of its value, that a limit is moved

# A better program, and the change: its `rule` or limit, its `text`, and as `limits` what it comes to.
Step: TypeAlias = tuple[Program, Mapping[str, str]]


@dataclass(frozen=True, eq=False)
class ProgramTrial:
    """A program, and all that it and others like it are judged by."""

    found: Ready
    wanted: SuggestOptions
    incidents: Path | Frame
    recording: Recording
    how: Mapping[str, Any]
    declared: str = ""  # the declarations of inputs, where nobody has declared them

    @property
    def program(self) -> Program:
        return self.found.program

    def judge(self, program: Program, **more: Any) -> BacktestResult:
        asked = taken(BacktestOptions, self.wanted, **more)
        found = replace(self.found, program=program)
        named = {each.name for each in program.plan.inputs}
        inputs = {name: path for name, path in self.recording.inputs.items() if name in named}
        recording = replace(self.recording, inputs=inputs)
        return judge(found, asked, self.incidents, recording, Rejects(), static={}, **self.how)

    def confirmed(self, program: Program, query: str) -> Figures:
        rows = self.judge(program, query=(query,)).rows
        return next(row.figures for row in rows if row.name == (query, CONFIRMED, None))


def improved(trial: ProgramTrial, history: SearchedHistory) -> Iterator[Step]:
    """Better programs, one after the other; each has the changes before it."""
    program = trial.program
    for name in [each.name for each in program.document.limits]:
        for step in _tuned(trial, program, name):
            yield step
            program = step[0]
    for query in asked_queries(program.plan, ()):
        for number in range(len(_rules(program, query))):
            for step in _narrowed(trial, program, query, number, history):
                yield step
                program = step[0]


def _with(program: Program, text: str) -> Program:
    return replace(parse(text, name=program.source.name), functions=program.functions)


def _is_here(program: Program, part: Limit | Rule) -> bool:
    """Whether a part is in the program's own file, and not in one that it includes."""
    return part.span.end <= len(program.source.text)


# ---- limits ----


def _tuned(trial: ProgramTrial, program: Program, name: str) -> Iterator[Step]:
    """Another value of a limit, if the first half of the facts prefers it, and the second does not mind."""
    limit = next(each for each in program.document.limits if each.name == name)
    reach = abs(limit.value) * _FARTHEST or 1.0
    low, high = limit.value - reach, limit.value + reach
    if isinstance(limit.value, int) and reach >= 3:
        low, high = round(low), round(high)
    varied = trial.judge(program, vary=f"{name}={low:.6g}..{high:.6g}")
    query = varied.asked.scopes[-1]
    seen = [row.figures for row in varied.seen if row.name[:2] == (query, CONFIRMED)]
    own = min(seen, key=lambda each: abs((each.limit or 0.0) - limit.value))
    equal = [each for each in seen if f1(each) == max(map(f1, seen))]
    best = equal[len(equal) // 2]  # in the middle, as far as can be from those that are worse
    if best.limit is None or f1(best) <= f1(own) or best.limit == limit.value or not _is_here(program, limit):
        return
    now = trial.judge(program, split=varied.split)
    after = next(row.figures for row in varied.rows if row.name == (query, CONFIRMED, best.limit))
    before = next(row.figures for row in now.rows if row.name == (query, CONFIRMED, None))
    if f1(after) < f1(before):
        return
    old = number_text(limit.value)
    figures = f"unseen half: {_counts(after, program)}; with {old}: {_counts(before, program)}"
    text, source = f"limit {name} = {number_text(best.limit)}.", program.source.text
    rest = source[limit.span.end :]
    apart = "\n" if rest.partition("\n")[0].strip() else ""  # what follows is no part of the comment
    changed = _with(program, f"{source[: limit.span.start]}{text}  % {figures}{apart}{rest}")
    yield changed, {"rule": name, "text": text, "limits": figures}


def _counts(found: Figures, program: Program) -> str:
    rate, _, unit = rate_text(found, program.plan.tick).partition(" ")
    return f"caught {found.caught} of {found.incidents}, {rate} false alarms {unit}"


# ---- one condition or exception more ----


def _narrowed(
    trial: ProgramTrial, program: Program, query: str, number: int, history: SearchedHistory
) -> Iterator[Step]:
    """A rule with one condition more, if it does better, unseen and in all."""
    rule, source = _rules(program, query)[number], program.source.text
    variables = _variables(program, rule)
    if variables is None or not rule.body or not _is_here(program, rule):
        return
    answers = _answers(trial, program, query, history)
    rows = np.flatnonzero(np.isin(history.code, answers))
    found = better_with(history, rows, trial.wanted.false_alarms)
    if found is None or found.unseen is None:
        return
    limits, seen = set(re.findall(r"[a-z]\w*", source)), found.unseen
    own_names = re.findall(r"\b[A-Z]\w*", source[rule.span.start : rule.span.end])
    key, time = variables
    own = written_conditions(found, history, limits, own_names, name=query, key=key, time=time)
    at = rule.body[-1].span.end
    text = f"{source[rule.span.start : at]}, {', '.join(own.literals)}{source[at : rule.span.end]}"
    begin, rest = source[: rule.span.start], f"{own.limit_lines}{text}{source[rule.span.end :]}"
    before, after = (trial.confirmed(each, query) for each in (program, _with(program, begin + rest)))
    if f1(after) <= f1(before):
        return
    figures = (
        f"added: {own.words}; unseen: caught {len(seen.caught)} of {seen.incidents}, "
        f"{number_text(round(seen.false, 1))} false alarms; in all: {_counts(after, program)}; "
        f"without it: {_counts(before, program)}"
    )
    yield (_with(program, f"{begin}% {figures}\n{rest}"), {"rule": query, "text": text, "limits": figures})


def _rules(program: Program, query: str) -> list[Rule]:
    return [each for each in program.document.rules if each.head.predicate == query]


def _variables(program: Program, rule: Rule) -> tuple[str | None, str] | None:
    """The variables of the key and of the time in the head of a rule; None if it has others there."""
    terms = rule.head.terms
    at = key_positions(program.plan).get(rule.head.predicate)
    chosen = [terms[-1], *([] if at is None else [terms[at]])]
    names = [each.name for each in chosen if isinstance(each, Variable)]
    if len(names) < len(chosen):
        return None
    return (names[1] if len(names) > 1 else None), names[0]


def _answers(trial: ProgramTrial, program: Program, query: str, history: SearchedHistory) -> Column:
    """The codes of moments at which a query has answers."""
    settings, wanted = trial.found.settings, trial.wanted
    asked = question(program, taken(BacktestOptions, wanted, query=(query,)), None)
    listed = read_incidents(trial.incidents, program.plan, wanted, Rejects())
    options = {"workers": settings.workers, **settings.engine(), "model": None, **trial.how, "static": {}}
    found = run([program], trial.recording, asked, listed, Rejects(), **options).collectors[0]
    own = np.array([history.keys.get(each, -2) for each in found.keys] or [0], np.int64)
    has_key = key_positions(program.plan).get(query) is not None
    key = own[np.maximum(found.lines.key, 0)] if has_key else 0
    codes: Column = np.unique((key * APART + found.lines.tick)[found.lines.confirmed])
    return codes
