"""Writes proposals as a program that a person would have written, with limits by name, and a test of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.engine.columns.tables import Column
from antelog.escaping import json_text
from antelog.forecast.reports.words import lead
from antelog.incidents.suggest.conditions import RuleCondition, atom, in_words, literal
from antelog.incidents.suggest.input_columns import InputColumns, number_text
from antelog.incidents.suggest.measures import CALENDAR, SearchedHistory
from antelog.incidents.suggest.searched_part import FoundRule
from antelog.language.moments import moment
from antelog.language.printer import KEYWORDS, value_text

_VARIABLES = ("V", "W", "U", "V1", "W1", "U1")
_PLAIN = ("value", "reading", "measurement", "number")  # columns that say nothing of what they are
_NOW = re.compile(r"\w+\([^():]*, T\)")  # a fact at the rule's own time
_SURE = 0.8  # the share of right alerts, unseen, from which on a rule is critical


@dataclass(frozen=True)
class WrittenRule:
    """A rule as a program has it: its literals, its limits by name, and what it says in words."""

    found: FoundRule
    name: str
    key: str | None  # the variable of the key; None: there is no key
    literals: Sequence[str]
    limits: Mapping[str, float]
    words: str

    @property
    def head(self) -> str:
        return f"{self.name}({self.key}, T)" if self.key else f"{self.name}(T)"

    @property
    def text(self) -> str:
        return f"{self.head} :- {', '.join(self.literals)}."

    @property
    def query(self) -> str:
        words = f"{{{self.key}}}: {self.words}" if self.key else self.words[0].upper() + self.words[1:]
        seen = self.found.unseen
        is_sure = seen is not None and seen.right >= _SURE * (seen.right + seen.false)
        return f"query {self.head} {'critical' if is_sure else 'warning'} {json_text(words)}."

    @property
    def limit_lines(self) -> str:
        return "".join(f"limit {name} = {number_text(value)}.\n" for name, value in self.limits.items())


def written(found: Sequence[FoundRule], history: SearchedHistory, taken: Iterable[str]) -> list[WrittenRule]:
    """Writes rules; names that are `taken` are not used again."""
    key = "X" if history.base.key_at is not None else None
    names, limits = set(taken), {*taken, *KEYWORDS}
    rules = list[WrittenRule]()
    for each in found:
        name = _fresh(_name(each, history), names)
        own = written_conditions(each, history, limits, key=key, name=name)
        now = [part for part in own.literals if _NOW.match(part)]
        parts = [*(now or [atom(history.base, key, "T")]), *(e for e in own.literals if e not in now)]
        rules.append(WrittenRule(each, name, key, parts, own.limits, own.words))
    return rules


def written_conditions(
    found: FoundRule, history: SearchedHistory, limits: set[str], taken: Iterable[str] = (), *,
    name: str, key: str | None, time: str = "T",
) -> WrittenRule:  # fmt: skip
    """Writes conditions alone; `limits` are names in use, and get new ones; so are variables `taken`."""
    own, literals, said = dict[str, float](), list[str](), list[str]()
    variables = iter([each for each in _VARIABLES if not {each, f"{each}0"} & set(taken)])
    for condition in found.conditions:
        called, variable = number_text(condition.limit), "_"
        if not condition.counted:
            called, variable = _fresh(_limit_name(condition, history), limits), next(variables)
            own[called] = condition.limit
        literals.append(literal(condition, history, called, variable, key=key, time=time))
        said.append(in_words(condition, history, number_text(condition.limit)))
    return WrittenRule(found, name, key, literals, own, ", and ".join(said))


def _fresh(name: str, taken: set[str]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}{number}" if name[0].isupper() else f"{name}_{number}"
    taken.add(found)
    return found


def _name(rule: FoundRule, history: SearchedHistory) -> str:
    """A name as people give it: `VibrationHighErrorE2`."""
    parts = [_part(each, history) for each in rule.conditions]
    return "".join(dict.fromkeys(parts)) or "Pattern"


def _part(condition: RuleCondition, history: SearchedHistory) -> str:
    measure, source = condition.measure, history.inputs[condition.measure.source]
    name, kind = source.source.name, _title(measure.kind or "")
    of_column = len(source.values) > 1 and measure.column not in _PLAIN
    series = _title(measure.column.replace("_", " ")) if of_column else name
    part: str = condition.form["name"].format(input=name, kind=kind, series=series)
    return part


def _title(text: str) -> str:
    return "".join(word.title() for word in re.findall(r"\w+", text))


def _limit_name(condition: RuleCondition, history: SearchedHistory) -> str:
    column = condition.measure.column
    plain = column if column not in _PLAIN else history.inputs[condition.measure.source].source.name.lower()
    change = "rise" if condition.above else "drop"
    return f"{plain}_{change if condition.measure.what == 'change' else 'limit'}"


def uses(rules: str, name: str) -> bool:
    """Whether rules use an input."""
    return re.search(rf"\b{name}\(", rules) is not None


def program_text(declarations: str, rules: Sequence[WrittenRule], notes: Mapping[str, str]) -> str:
    """The whole program; `notes` has what is said above each rule."""
    own = [f"% {notes[each.name]}\n{each.limit_lines}{each.text}\n{each.query}\n" for each in rules]
    return "\n".join([declarations.rstrip() + "\n", *own])


# ---- tests: the facts before one incident, and the answer that they give ----


def case_of(rule: WrittenRule, history: SearchedHistory, row: int, incident: int) -> str:
    """A case of a test file: what the conditions look at for an answer, and the answer."""
    key, tick, scale = int(history.key[row]), int(history.tick[row]), history.plan.timescale
    named = next((text for text, number in history.keys.items() if number == key), "")
    facts = {
        (int(source.tick[at]), _fact(source, at, named, history))
        for source, rows in _looked_at(rule.found.conditions, history, row)
        for at in rows.tolist()
        if uses(rule.text, source.source.name)
    }
    has_key, when = history.base.key_at is not None, moment(tick, scale)
    early = int(history.incidents.begin[incident]) - tick
    before = f"{lead(early, history.plan.tick)} before an incident" if early > 0 else "in an incident"
    about = f"{f'{named}, ' if has_key else ''}{when}: {before}"
    answer = f"{rule.name}({', '.join([*([value_text(named)] if has_key else []), when])})"
    lines = [f"- name: {_yaml(about)}", "  facts:", *(f"  - {_yaml(each)}" for _, each in sorted(facts))]
    return "\n".join([*lines, "  expect:", f"  - confirmed: {_yaml(answer)}"])


def _looked_at(
    conditions: Sequence[RuleCondition], history: SearchedHistory, row: int
) -> Iterator[tuple[InputColumns, Column]]:
    """The facts, as an input and rows of it, that conditions look at; and one at the moment itself."""
    key, tick, base = history.key[row], history.tick[row], history.base
    yield base, np.flatnonzero((base.key == key) & (base.tick == tick))[:1]
    for measure in (each.measure for each in conditions if each.measure.what not in CALENDAR):
        source = history.inputs[measure.source]
        rows = np.flatnonzero((source.key == key) & (source.tick <= tick))
        if measure.what in ("last", "value"):
            rows = rows[-1:]
        else:
            rows = rows[source.tick[rows] > tick - measure.ticks - (measure.what == "change")]
        yield source, rows if measure.kind is None else rows[source.are(measure.column, measure.kind)[rows]]


def _fact(source: InputColumns, row: int, key: str, history: SearchedHistory) -> str:
    terms = []
    for position, name in enumerate(source.source.columns[:-1]):
        if position == source.key_at:
            terms.append(value_text(key))
        elif name in source.values:
            terms.append(number_text(float(np.nan_to_num(source.values[name][row]))))
        elif name in source.kinds:
            terms.append(value_text(source.kinds[name][int(source.coded[name][row])]))
        else:
            terms.append("any")
    return (
        f"{source.source.name}({', '.join([*terms, moment(int(source.tick[row]), history.plan.timescale)])})"
    )


def _yaml(text: str) -> str:
    return "'" + text.replace("'", "''") + "'" if text.isprintable() else json_text(text)
