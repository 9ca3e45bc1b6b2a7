"""Questions to a backtest: leads, limits and queries in words, as whole ticks and values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, floor

import numpy as np
from msgspec import structs

from antelog.compile.nodes.plan import Plan
from antelog.errors import DataError
from antelog.incidents.backtest import BacktestQuestion
from antelog.incidents.judging import Lead
from antelog.language.checks.suggestions import require_known
from antelog.language.durations import duration_text
from antelog.language.syntax import Document
from antelog.process import LEARN
from antelog.program import Program, parse
from antelog.run.checks import tick_of
from antelog.run.settings import BacktestOptions, JudgingOptions
from antelog.run.values import SettingError, length_of

MOST_VALUES = 25


def question(program: Program, given: BacktestOptions, model: object) -> BacktestQuestion:
    """The question to a program. Raises DataError if it does not fit."""
    plan = program.plan
    name, values = (None, ()) if given.vary is None else values_of(given.vary, program.document)
    is_file = model not in (None, LEARN)
    if name is not None and is_file:
        raise DataError("a model is learned for one value of each limit: with `vary=` take `model=learn`")
    try:
        split = tick_of(given.split, plan)
    except SettingError as error:
        raise DataError(f"where to split: {error}") from None
    queries, chooses = asked_queries(plan, given.query), name is not None or is_file
    return BacktestQuestion(queries, lead_of(given, plan), name, values, split, chooses)


def versions(program: Program, asked: BacktestQuestion) -> list[Program]:
    """The program, or one for each value of a limit. Raises ProgramError if a value makes none."""
    if asked.limit is None:
        return [program]
    text, values = program.source.text, program.source.values
    return [rewritten(program, text, {**values, asked.limit: each}) for each in asked.values]


def rewritten(program: Program, text: str, limits: Mapping[str, float]) -> Program:
    """A program with another text or other limits, which reads the same files in the same way."""
    own, found = program.plan, parse(text, name=program.source.name, limits=limits)
    plan = structs.replace(found.plan, coded=own.coded, readings=own.readings)
    return replace(found, plan=plan, functions=program.functions)


def lead_of(given: JudgingOptions, plan: Plan) -> Lead:
    """The lead in ticks. Raises DataError if it is not one."""
    if given.lead is None:
        raise DataError(f"say how long before an incident an alert is right, as in `lead={_example(plan)}`")
    text = given.lead
    low, _, high = (each.strip() for each in text.partition(".."))
    if not low or not high:
        raise DataError(f"`{text}` is not a lead. Write the least and the most: {_example(plan)}")
    least, most = ceil(_ticks(low, plan)), floor(_ticks(high, plan))
    if least > most:
        raise DataError(f"`{text}` holds no tick. The least comes first: {_example(plan)}")
    if most < 0:
        raise DataError.of("incidents.lead-before", lead=text, example=_example(plan))
    settle = most if given.settle is None else ceil(_ticks(str(given.settle), plan))
    if settle < 0:
        raise DataError(f"`{given.settle}`: after an incident no time can be less than none. Write 0 or more")
    return Lead(least, most, settle, given.within)


def _example(plan: Plan) -> str:
    return "1..24" if plan.tick is None else f"{_short(plan.tick)}..{_short(24 * plan.tick)}"


def _short(length: int) -> str:
    """A duration in one word: `10m`."""
    return re.sub(r" ([smhd])(?:econds?|inutes?|ours?|ays?)$", r"\1", duration_text(length)).replace(" ", "")


def _ticks(text: str, plan: Plan) -> float:
    """A length in ticks, which may be negative. Raises DataError."""
    text = text.strip()
    sign, size = (-1, text[1:]) if text.startswith("-") else (1, text)
    if plan.tick is None or size == "0":
        if size.isdecimal():
            return sign * int(size)
        raise DataError(f"`{text}` is not a number of ticks: the program does not say how long one is")
    length = length_of(re.sub(r"(?<=\d)m$", " min", size))
    if length is None:
        raise DataError(f"`{text}` is not a duration. Write one like 30m or 24 hours")
    return sign * float(length / plan.tick)


def values_of(text: str, document: Document) -> tuple[str, tuple[float, ...]]:
    """A limit and its values, `hot=70..100`. Raises DataError."""
    name, _, span = text.partition("=")
    known = [each.name for each in document.limits]
    if not known:
        raise DataError(f"the program has no limit {name}. Write `limit hot = 90.` and use `hot` in a rule.")
    require_known(name, known, "the program has no limit")
    low, dots, high = span.partition("..")
    try:
        least, most = float(low), float(high)
    except ValueError:
        least, most = 1.0, 0.0
    if not dots or not least <= most or not np.isfinite([least, most]).all():
        raise DataError(f"`{text}` is not a range of values. Write it like {name}=70..100")
    return name, _evenly(least, most)


def _evenly(least: float, most: float) -> tuple[float, ...]:
    """Returns evenly spaced values of a range; whole numbers, if both of its ends are whole."""
    if least.is_integer() and most.is_integer():
        step = ceil((most - least + 1) / MOST_VALUES)
        return tuple(range(int(least), int(most) + 1, max(step, 1)))
    return tuple(float(f"{each:.6g}") for each in np.linspace(least, most, MOST_VALUES))


def asked_queries(plan: Plan, names: Sequence[str]) -> tuple[str, ...]:
    """The queries that are judged. Raises DataError if there is none of a name, or none at all."""
    known = tuple(each.name for each in plan.queries)
    for name in names:
        require_known(name, known, "the program has no query")
    rings = (each.name for each in plan.queries if each.severity != "good" or each.alert is not None)
    found = tuple(names) or tuple(rings)
    if not found:
        raise DataError("no query would ring: all of them say that something is well. Name one with --query")
    return found
