"""Writes proposals as a program that a person would have written, with limits by name, and a test of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.escaping import json_text
from antelog.incidents.suggest.conditions import CALENDAR, Condition, Writing, in_words, literal
from antelog.incidents.suggest.proposals import Proposal
from antelog.incidents.suggest.search import Rule
from antelog.incidents.suggest.streams import Stream, number_text
from antelog.language.durations import duration_text
from antelog.language.printer import value_text

_VARIABLES = ("V", "W", "U")


@dataclass(frozen=True)
class WrittenRule:
    """A proposal with its name, and the statements that it is written as."""

    proposal: Proposal
    name: str
    limits: Mapping[str, float]
    text: str
    query: str


def written(
    found: Sequence[Proposal], writing: Writing, plan: Plan, taken: Sequence[str]
) -> list[WrittenRule]:
    """Writes rules; names that are `taken` are not used again."""
    names, limits = set(taken), set(taken)
    rules = list[WrittenRule]()
    for each in found:
        name = _fresh(_name(each.rule, writing), names)
        own = dict[str, float]()
        parts, said = list[str](), list[str]()
        for number, condition in enumerate(each.rule.conditions):
            called = number_text(condition.limit)
            if not condition.counted:
                called = _fresh(_limit_name(condition, writing), limits)
                own[called] = condition.limit
            parts.append(literal(condition, writing, called, _VARIABLES[number]))
            said.append(in_words(condition, writing, number_text(condition.limit), _span(condition, plan)))
        base = writing.atom(writing.base, "T")
        head = f"{name}(X, T)" if writing.keyed else f"{name}(T)"
        if not any(part.startswith(f"{writing.base.source.name}(") and _is_at_t(part) for part in parts):
            parts.insert(0, base)
        parts.sort(key=lambda part: not (part.startswith(f"{writing.base.source.name}(") and _is_at_t(part)))
        words = ", and ".join(said)
        query = f"query {head} warning {json_text(f'{{X}}: {words}' if writing.keyed else words)}."
        rules.append(WrittenRule(each, name, own, f"{head} :- {', '.join(parts)}.", query))
    return rules


def _is_at_t(part: str) -> bool:
    return re.match(r"\w+\([^)]*\bT\)", part) is not None


def _fresh(name: str, taken: set[str]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}{number}" if name[0].isupper() else f"{name}_{number}"
    taken.add(found)
    return found


def _name(rule: Rule, writing: Writing) -> str:
    """A name as people give it: `VibrationHighErrorE2`."""
    parts = []
    for each in rule.conditions:
        measure = each.measure
        if measure.what in CALENDAR:
            continue
        name = writing.streams[measure.stream].source.name
        kind = "" if measure.kind is None else "".join(w.title() for w in re.findall(r"\w+", measure.kind))
        if measure.what == "count":
            few = "No" if not each.above and each.limit <= 1 else "Few" if not each.above else ""
            many = "Often" if each.above and each.limit >= 1 else ""
            parts.append(f"{few}{name}{kind}{many}")
        elif measure.what == "last":
            parts.append(f"{name}{kind}")
        else:
            rise = ("Rises" if each.above else "Drops") if measure.what == "change" else ""
            parts.append(f"{name}{rise or ('High' if each.above else 'Low')}")
    return "".join(dict.fromkeys(parts)) or "Pattern"


def _limit_name(condition: Condition, writing: Writing) -> str:
    stream = writing.streams[condition.measure.stream]
    column = condition.measure.column
    plain = column if column not in ("value", "reading", "measurement") else stream.source.name.lower()
    return f"{plain}_rise" if condition.measure.what == "change" else f"{plain}_limit"


def _span(condition: Condition, plan: Plan) -> str:
    ticks = condition.measure.ticks
    if plan.tick is None:
        return f"{ticks:,} tick{'' if ticks == 1 else 's'}"
    return duration_text(min(ticks, 1 << 30) * plan.tick)


def program_text(declarations: str, rules: Sequence[WrittenRule], notes: Mapping[str, str]) -> str:
    """The whole program; `notes` has what is said above each rule."""
    return "\n".join([declarations.rstrip(), "", *_statements(rules, notes)]) + "\n"


def _statements(rules: Sequence[WrittenRule], notes: Mapping[str, str]) -> Iterator[str]:
    for number, each in enumerate(rules):
        if number:
            yield ""
        yield f"% {notes[each.name]}"
        for name, value in each.limits.items():
            yield f"limit {name} = {number_text(value)}."
        yield each.text
        yield each.query


# ---- tests: the facts before one incident, and the answer that they give ----


def facts_before(rule: Rule, streams: Sequence[Stream], key: int, tick: int) -> Iterator[tuple[Stream, int]]:
    """The facts, as rows of their streams, that the conditions of a rule look at for an answer."""
    for number, stream in enumerate(streams):
        own = [each.measure for each in rule.conditions if each.measure.stream == number]
        ticks = [each.ticks + (each.what == "change") for each in own if each.what not in CALENDAR]
        reach = max(ticks, default=0)
        rows = np.flatnonzero((stream.key == key) & (stream.tick <= tick))
        if reach > (1 << 30):  # the latest one
            yield from ((stream, int(row)) for row in rows[-1:])
        else:
            yield from ((stream, int(row)) for row in rows[stream.tick[rows] > tick - max(reach, 1)])


def fact_of(stream: Stream, row: int, key: str | None, time: str) -> str:
    terms = []
    for position, name in enumerate(stream.source.columns[:-1]):
        if position == stream.key_at:
            terms.append(value_text(key or ""))
        elif name in stream.values:
            number = float(stream.values[name][row])
            terms.append("_" if np.isnan(number) else number_text(number))
        elif name in stream.kinds:
            kinds = stream.kinds[name]
            terms.append(value_text(kinds.texts[int(kinds.code[row])]))
        else:
            terms.append('"any"')
    return f"{stream.source.name}({', '.join([*terms, time])})"


def case_text(name: str, facts: Sequence[str], answer: str) -> str:
    """A case of a test file."""
    lines = [f"- name: {json_text(name)}", "  facts:", *(f"  - {_yaml(each)}" for each in facts)]
    return "\n".join([*lines, "  expect:", f"  - confirmed: {_yaml(answer)}"])


def _yaml(text: str) -> str:
    return json_text(text) if re.search(r"[:#\"'] |: |#|\"", text) else text
