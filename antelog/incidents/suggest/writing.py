"""Writes proposals as a program that a person would have written, with limits by name, and a test of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.escaping import json_text
from antelog.incidents.suggest.conditions import CALENDAR, Condition, Writing, in_words, literal
from antelog.incidents.suggest.proposals import Proposal
from antelog.incidents.suggest.search import Rule
from antelog.incidents.suggest.streams import Moments, Stream, number_text
from antelog.language.durations import duration_text
from antelog.language.moments import moment
from antelog.language.printer import KEYWORDS, value_text

_VARIABLES = ("V", "W", "U", "V1", "W1", "U1")
_PLAIN = ("value", "reading", "measurement", "number")  # columns that say nothing of what they are
_NOW = re.compile(r"\w+\([^():]*, T\)")  # a fact at the rule's own time
_SURE = 0.8  # the share of right alerts, unseen, from which on a rule is critical


@dataclass(frozen=True)
class WrittenRule:
    """A proposal with its name, and the statements that it is written as."""

    proposal: Proposal
    name: str
    limits: Mapping[str, float]
    text: str
    query: str

    @property
    def inputs(self) -> frozenset[str]:
        """The names of the inputs that it uses."""
        return frozenset(re.findall(r"\b([A-Z]\w*)\(", self.text.partition(":-")[2]))


@dataclass(frozen=True)
class WrittenConditions:
    """Conditions as literals, with their limits by name, and in words."""

    literals: Sequence[str]
    limits: Mapping[str, float]
    words: str


def written_conditions(
    conditions: Sequence[Condition], writing: Writing, plan: Plan, limits: set[str], taken: Iterable[str] = ()
) -> WrittenConditions:
    """Writes conditions; `limits` has names that are taken, and gets new ones; so are variables `taken`."""
    own, literals, said = dict[str, float](), list[str](), list[str]()
    used = set(taken)
    variables = iter([each for each in _VARIABLES if not {each, f"{each}0"} & used])
    for condition in conditions:
        called, variable = number_text(condition.limit), ""
        if not condition.counted:
            called = _fresh(_limit_name(condition, writing), limits)
            own[called] = condition.limit
            variable = next(variables)
        literals.append(literal(condition, writing, called, variable))
        said.append(in_words(condition, writing, number_text(condition.limit), _span(condition, plan)))
    return WrittenConditions(literals, own, ", and ".join(said))


def written(
    found: Sequence[Proposal], writing: Writing, plan: Plan, taken: Sequence[str]
) -> list[WrittenRule]:
    """Writes rules; names that are `taken` are not used again."""
    names, limits = set(taken), {*taken, *KEYWORDS}
    rules = list[WrittenRule]()
    for each in found:
        name = _fresh(_name(each.rule, writing), names)
        own = written_conditions(each.rule.conditions, writing, plan, limits)
        head = f"{name}({writing.key}, T)" if writing.key else f"{name}(T)"
        now = [part for part in own.literals if _NOW.match(part)]
        parts = now or [writing.atom(writing.base, "T")]
        parts += [part for part in own.literals if part not in now]
        words = f"{{{writing.key}}}: {own.words}" if writing.key else own.words[0].upper() + own.words[1:]
        seen = each.unseen
        severity = "critical" if seen.right >= _SURE * (seen.right + seen.false) else "warning"
        query = f"query {head} {severity} {json_text(words)}."
        rules.append(WrittenRule(each, name, own.limits, f"{head} :- {', '.join(parts)}.", query))
    return rules


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
            parts.append(f"{'Late' if each.above else 'Early'}{'' if measure.what == 'hour' else 'InWeek'}")
            continue
        stream = writing.streams[measure.stream]
        name = stream.source.name
        kind = "" if measure.kind is None else "".join(w.title() for w in re.findall(r"\w+", measure.kind))
        if measure.what == "count":
            few = "No" if not each.above and each.limit <= 1 else "Few" if not each.above else ""
            many = "Often" if each.above and each.limit >= 1 else ""
            parts.append(f"{few}{name}{kind}{many}")
        elif measure.what == "last":
            parts.append(f"{name}{kind}")
        else:
            if len(stream.values) > 1 and measure.column not in _PLAIN:
                name = "".join(word.title() for word in measure.column.split("_"))
            rise = ("Rises" if each.above else "Drops") if measure.what == "change" else ""
            parts.append(f"{name}{rise or ('High' if each.above else 'Low')}")
    return "".join(dict.fromkeys(parts)) or "Pattern"


def _limit_name(condition: Condition, writing: Writing) -> str:
    stream = writing.streams[condition.measure.stream]
    column = condition.measure.column
    plain = column if column not in _PLAIN else stream.source.name.lower()
    if condition.measure.what == "change":
        return f"{plain}_{'rise' if condition.above else 'drop'}"
    return f"{plain}_limit"


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


@dataclass(frozen=True)
class CaseMoment:
    """A moment at which a rule holds, with the text of its key, and the ticks until the incident."""

    key: int
    tick: int
    named: str | None
    early: int


def case_of(
    rule: WrittenRule, moments: Moments, streams: Sequence[Stream], at: CaseMoment, plan: Plan
) -> str:
    """A case of a test file: what the conditions look at for an answer, and the answer."""
    scale = plan.timescale
    rows = {*_looked_at(rule.proposal.rule.conditions, streams, at), *_own(moments.base, streams, at)}
    facts = [
        (int(streams[number].tick[row]), _fact(streams[number], row, at.named, plan))
        for number, row in rows
        if streams[number].source.name in rule.inputs
    ]
    when = moment(at.tick, scale)
    terms = ([] if moments.base.key_at is None else [value_text(at.named or "")]) + [when]
    early = (
        f"{at.early} tick{'s' * (at.early != 1)}"
        if plan.tick is None
        else duration_text(at.early * plan.tick)
    )
    about = f"{'' if at.named is None else f'{at.named}, '}{when}: {early} before an incident"
    answer = f"{rule.name}({', '.join(terms)})"
    lines = [f"- name: {_yaml(about)}", "  facts:", *(f"  - {_yaml(each)}" for _, each in sorted(facts))]
    return "\n".join([*lines, "  expect:", f"  - confirmed: {_yaml(answer)}"])


def _looked_at(
    conditions: Sequence[Condition], streams: Sequence[Stream], at: CaseMoment
) -> Iterator[tuple[int, int]]:
    """The facts, as a stream and its row, that conditions look at."""
    for each in conditions:
        measure = each.measure
        if measure.what in CALENDAR:
            continue
        stream = streams[measure.stream]
        rows = np.flatnonzero((stream.key == at.key) & (stream.tick <= at.tick))
        if measure.what in ("last", "value"):
            rows = rows[-1:]
        else:
            rows = rows[stream.tick[rows] > at.tick - measure.ticks - (measure.what == "change")]
        if measure.kind is not None:
            kinds = stream.kinds[measure.column]
            rows = rows[kinds.code[rows] == kinds.texts.index(measure.kind)]
        yield from ((measure.stream, row) for row in rows.tolist())


def _own(base: Stream, streams: Sequence[Stream], at: CaseMoment) -> Iterator[tuple[int, int]]:
    number = next(number for number, each in enumerate(streams) if each is base)
    for row in np.flatnonzero((base.key == at.key) & (base.tick == at.tick))[:1].tolist():
        yield number, row


def _fact(stream: Stream, row: int, key: str | None, plan: Plan) -> str:
    terms = []
    for position, name in enumerate(stream.source.columns[:-1]):
        if position == stream.key_at:
            terms.append(value_text(key or ""))
        elif name in stream.values:
            number = float(stream.values[name][row])
            terms.append(number_text(0.0 if np.isnan(number) else number))
        elif name in stream.kinds:
            kinds = stream.kinds[name]
            terms.append(value_text(kinds.texts[int(kinds.code[row])]))
        else:
            terms.append("any")
    return f"{stream.source.name}({', '.join([*terms, moment(int(stream.tick[row]), plan.timescale)])})"


def _yaml(text: str) -> str:
    """A text in YAML: plain where it can be, else in single quotes."""
    plain = re.fullmatch(r"[A-Za-z][\w(), .+-]*(:\d\d[\w(), .+-]*)*", text)
    if plain or not text.isprintable():
        return text if plain else json_text(text)
    return "'" + text.replace("'", "''") + "'"
