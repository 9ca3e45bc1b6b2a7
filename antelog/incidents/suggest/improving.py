"""Makes the rules of a program better: by other limits, and by a condition or an exception more for each.

    limit hot = 90.                              limit hot = 84.
    A(X, T) :- Temp(X, V, T), V > hot.           A(X, T) :- Temp(X, V, T), V > hot, not Service(X, T-11..T).

Limits are tried one after the other by exact runs: the first half of the facts chooses. A condition is
searched among the moments at which the query has answers, and must hold up on folds of the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np

from antelog.incidents.alerts import CONFIRMED
from antelog.incidents.asked import asked_queries, rewritten
from antelog.incidents.backtest import BacktestResult
from antelog.incidents.judging import ALL_KEYS, BacktestRow, f1
from antelog.incidents.report import counts_text
from antelog.incidents.suggest.input_columns import APART, key_positions, number_text
from antelog.incidents.suggest.measures import SearchedHistory
from antelog.incidents.suggest.proposals import better_with
from antelog.incidents.suggest.writing import written_conditions
from antelog.language.syntax import Limit, Rule, Variable
from antelog.program import Program

_FARTHEST = 0.3  # of its value, that a limit is moved

# A better program, and the change: its `rule` or limit, its `text`, and as `limits` what it comes to.
Step: TypeAlias = tuple[Program, Mapping[str, str]]

# Runs a program with other options of a backtest than those that are given, and judges it.
Judge: TypeAlias = Callable[..., BacktestResult]


def improved(program: Program, history: SearchedHistory, most_false: float, judge: Judge) -> Iterator[Step]:
    """Better programs, one after the other; each has the changes before it."""
    for name in [each.name for each in program.document.limits]:
        for step in _tuned(program, name, judge):
            yield step
            program = step[0]
    for query in asked_queries(program.plan, ()):
        for number in range(len(_rules(program, query))):
            for step in _narrowed(program, _rules(program, query)[number], history, most_false, judge):
                yield step
                program = step[0]


def _is_here(program: Program, part: Limit | Rule) -> bool:
    """Whether a part is in the program's own file, and not in one that it includes."""
    return part.span.end <= len(program.source.text)


# ---- limits ----


def _tuned(program: Program, name: str, judge: Judge) -> Iterator[Step]:
    """Another value of a limit, if the first half of the facts prefers it, and the second does not mind."""
    limit = next(each for each in program.document.limits if each.name == name)
    value = program.source.values.get(name, limit.value)
    reach = abs(value) * _FARTHEST or 1.0
    low, high = value - reach, value + reach
    if isinstance(value, int) and reach >= 3:
        low, high = round(low), round(high)
    varied = judge(program, vary=f"{name}={low:.6g}..{high:.6g}")
    query = varied.asked.scopes[-1]
    seen = [row.figures for row in varied.seen if row.name[:2] == (query, CONFIRMED)]
    own = min(seen, key=lambda each: abs((each.limit or 0.0) - value))
    equal = [each for each in seen if f1(each) == max(map(f1, seen))]
    best = equal[len(equal) // 2]  # in the middle, as far as can be from those that are worse
    if best.limit is None or f1(best) <= f1(own) or best.limit == value or not _is_here(program, limit):
        return
    now = judge(program, split=varied.split)
    after = next(row.figures for row in varied.rows if row.name == (query, CONFIRMED, best.limit))
    before = _confirmed(now, query).figures
    if f1(after) < f1(before):
        return
    old = number_text(value)
    own_figures, old_figures = (counts_text(each, program.plan.tick) for each in (after, before))
    figures = f"unseen half: {own_figures}; with {old}: {old_figures}"
    text, source = f"limit {name} = {number_text(best.limit)}.", program.source.text
    rest = source[limit.span.end :]
    apart = "\n" if rest.partition("\n")[0].strip() else ""  # what follows is no part of the comment
    # Limits that are set from outside stay so, but for this one.
    values = {each: number for each, number in program.source.values.items() if each != name}
    changed = f"{source[: limit.span.start]}{text}  % {figures}{apart}{rest}"
    yield rewritten(program, changed, values), {"rule": name, "text": text, "limits": figures}


# ---- one condition or exception more ----


def _narrowed(
    program: Program, rule: Rule, history: SearchedHistory, most_false: float, judge: Judge
) -> Iterator[Step]:
    """A rule with one condition more, if it does better, unseen and in all."""
    query, source, variables = rule.head.predicate, program.source.text, _variables(program, rule)
    if variables is None or not rule.body or not _is_here(program, rule):
        return
    # Where nothing settles each answer is an alert of its own.
    every = judge(program, query=(query,), settle=0)
    alerts = _confirmed(every, query).alerts
    keys = np.array([0, *(history.keys.get(each, -2) for each in every.keys)])
    codes = keys[alerts.key - ALL_KEYS] * APART + alerts.tick
    rows = np.flatnonzero(np.isin(history.code, codes))
    found = better_with(history, rows, most_false)
    if found is None or found.unseen is None:
        return
    limits, seen = set(re.findall(r"[a-z]\w*", source)), found.unseen
    own_names = re.findall(r"\b[A-Z]\w*", source[rule.span.start : rule.span.end])
    key, time = variables
    own = written_conditions(found, history, limits, own_names, name=query, key=key, time=time)
    at = rule.body[-1].span.end
    text = f"{source[rule.span.start : at]}, {', '.join(own.literals)}{source[at : rule.span.end]}"
    begin, rest = source[: rule.span.start], f"{own.limit_lines}{text}{source[rule.span.end :]}"
    values = program.source.values
    programs = (program, rewritten(program, begin + rest, values))
    before, after = (_confirmed(judge(each, query=(query,)), query).figures for each in programs)
    if f1(after) <= f1(before):
        return
    figures = (
        f"added: {own.words}; unseen: caught {len(seen.caught)} of {seen.incidents}, "
        f"{number_text(round(seen.false, 1))} false alarms; in all: {counts_text(after, program.plan.tick)}; "
        f"without it: {counts_text(before, program.plan.tick)}"
    )
    changed = rewritten(program, f"{begin}% {figures}\n{rest}", values)
    yield changed, {"rule": query, "text": text, "limits": figures}


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


def _confirmed(found: BacktestResult, query: str | None) -> BacktestRow:
    return next(row for row in found.rows if row.name == (query, CONFIRMED, None))
