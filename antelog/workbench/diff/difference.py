"""The differences of two programs as data: in meaning, in their rules, in the answers on recorded facts.

difference = difference_of(old, new);    difference.to_dict();    lines_of(difference) in `words`

Malf(wt2, 0): the old rules confirm it at 2, the new ones never do
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

from msgspec import structs

from antelog.compile.meanings import Fate, InputDifference, QueryDifference, VersionComparison, compared
from antelog.compile.nodes.plan import Input, Plan
from antelog.engine.step.wording import Plain, rows_of
from antelog.language import read
from antelog.language.durations import ticks_in_words
from antelog.language.printer import value_text
from antelog.language.syntax import Delay, Limit
from antelog.language.syntax import Input as Declaration
from antelog.program import Program
from antelog.run.sinks.result import Tables
from antelog.workbench.diff.rules import MatchedRules, RuleDifference, RuleSet, Written, matched


@dataclass(frozen=True)
class ProgramDifference:
    """Two programs, what they mean by query, their rules matched; and answers, if facts were given."""

    old: RuleSet
    new: RuleSet
    meaning: VersionComparison
    rules: MatchedRules
    answers: Sequence[AnswerDifferences] | None = None

    @property
    def is_same(self) -> bool:
        """Whether no answer of any query can differ, nor when it is decided."""
        return all(each.fate is Fate.SAME for each in self.meaning.queries)

    def query(self, each: QueryDifference) -> tuple[Written | None, Written | None]:
        """The statements of a query in the old and the new program."""
        old, new = (
            next((rules.written(q) for q in rules.document.queries if q.atom.predicate == each.name), None)
            for rules in (self.old, self.new)
        )
        return old, new

    def rules_of(self, each: QueryDifference) -> tuple[RuleDifference, ...]:
        """The differing rules behind a query."""
        names = self.rules.renamed
        before = frozenset(names.get(name, name) for name in self.old.behind(each.name))
        return self.rules.behind(before | self.new.behind(each.name))

    def input(self, name: str) -> tuple[list[Written], list[Written]]:
        """The declarations of an input in the old and the new program."""
        return _declarations(self.old, name), _declarations(self.new, name)

    @property
    def limits(self) -> Iterator[tuple[str, Limit | None, Limit | None]]:
        """The limits with other values, and those that one of the programs has only."""
        before, after = (
            {each.name: each for each in rules.document.limits} for rules in (self.old, self.new)
        )
        for name in {**after, **before}:
            if before.get(name) != after.get(name):
                yield name, before.get(name), after.get(name)

    def to_dict(self) -> dict[str, Any]:
        """The differences as JSON has them."""
        found: dict[str, Any] = {
            "same": self.is_same,
            "queries": [self._query(each) for each in self.meaning.queries],
            "inputs": [
                {
                    "input": each.name,
                    "different": list(aspects(each)),
                    "old": [asdict(written) for written in self.input(each.name)[0]],
                    "new": [asdict(written) for written in self.input(each.name)[1]],
                }
                for each in self.meaning.inputs
            ],
            "limits": [
                {"limit": name, "old": old and old.value, "new": new and new.value}
                for name, old, new in self.limits
            ],
            "rules": [asdict(each) for each in self.rules.different],
            "rewritten": [asdict(each) for each in rewritten(self.rules)],
            "renamed": dict(self.rules.renamed),
            "reordered": self.rules.reordered,
        }
        if self.answers is not None:
            found["answers"] = [asdict(each) for each in self.answers]
        return found

    def _query(self, each: QueryDifference) -> dict[str, Any]:
        old, new = self.query(each)
        return {
            "query": each.name,
            "change": each.fate.value,
            "old": old and asdict(old),
            "new": new and asdict(new),
            "same_as": each.twin,
            "inputs": list(each.inputs),
            "columns": _pair(each, lambda relation: list(relation.answer.names), each.has_other_columns),
            "notice": _pair(each, lambda relation: structs.asdict(relation.notice), each.has_other_notice),
            "decided_within": _pair(each, lambda relation: relation.bounds.delay, True),
            "rules": [asdict(rule) for rule in self.rules_of(each)] if each.fate is not Fate.SAME else [],
        }


def _pair(each: QueryDifference, value: Any, wanted: bool) -> dict[str, Any] | None:
    if not wanted or each.old is None or each.new is None:
        return None
    return {"old": value(each.old), "new": value(each.new)}


def difference_of(old: Program, new: Program) -> ProgramDifference:
    """The differences of two programs, without facts."""
    before, after = (RuleSet(read(each.source)) for each in (old, new))
    return ProgramDifference(before, after, compared(old.plan, new.plan), matched(before, after))


def rewritten(rules: MatchedRules) -> Iterator[RuleDifference]:
    """The rules that are the same, and that have another text, or are in another file."""
    for each in rules.same:
        old, new = each.both
        if old.text != new.text or moved(each):
            yield each


def moved(each: RuleDifference) -> bool:
    """Whether a rule is in another file; the main files of both programs count as one."""
    old, new = each.both
    if old.is_main or new.is_main:
        return old.is_main != new.is_main
    return PurePath(old.file).name != PurePath(new.file).name


_ASPECTS: Mapping[str, Callable[[Input], object]] = {
    "columns": lambda each: each.columns,
    "types": lambda each: each.types,
    "delay": lambda each: (each.delay, [(r.pattern, r.delay) for r in each.refinements]),
    "one per": lambda each: each.slot,
    "every": lambda each: each.expected,
    "chances": lambda each: (each.odds, [r.shares for r in each.refinements]),
}


def aspects(each: InputDifference) -> Iterator[str]:
    """Which parts of an input's declaration differ; none for an input that one of the programs has only."""
    old, new = each.old, each.new
    if isinstance(old, Input) and isinstance(new, Input):
        yield from (name for name, part in _ASPECTS.items() if part(old) != part(new))


def _declarations(rules: RuleSet, name: str) -> list[Written]:
    statements = (each for each in rules.document.statements if isinstance(each, Declaration | Delay))
    return [rules.written(each) for each in statements if each.name == name]


# ---- answers on recorded facts ----


_Key = tuple[Plain, ...]
"""The values of an answer, its time last, and then the places that stand for all others."""


@dataclass(frozen=True)
class Confirmed:
    """An answer as a text, and the ticks at which the old and the new rules confirm it (None: never)."""

    answer: str
    old: int | None
    new: int | None


@dataclass(frozen=True)
class AnswerDifferences:
    """The confirmed answers of a query: how many are the same, and those that differ, by time.

    `only_old` and `only_new` are confirmed by one of the programs only, `moved` at another tick; `lost` are
    those that are lost from sight for one of them only, with the tick at which it confirms them.
    """

    query: str
    same: int
    only_old: tuple[Confirmed, ...]
    only_new: tuple[Confirmed, ...]
    moved: tuple[Confirmed, ...]
    lost: tuple[Confirmed, ...]

    @property
    def count(self) -> int:
        return len(self.only_old) + len(self.only_new) + len(self.moved) + len(self.lost)


class ConfirmedAnswers:
    """The answers of each query that a program confirms, with the ticks."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.relations = {each.name: each for each in plan.queries}
        self.queries: dict[str, dict[_Key, int]] = {name: {} for name in self.relations}
        self.lost: dict[str, dict[_Key, int]] = {name: {} for name in self.relations}

    def take(self, tables: Tables) -> None:
        """Adds the confirmed answers among the lines of a step."""
        for name, table in tables.items():
            relation = self.relations[name]
            for row in rows_of(table, relation) if table.num_rows else ():
                if row["change"] == "confirmed":
                    key = (*(row[each] for each in relation.answer.names), *(row.get("others") or ()))
                    self.queries[name][key] = row["tick"]
                    if row.get("lost"):
                        self.lost[name][key] = row["tick"]


def differences(old: ConfirmedAnswers, new: ConfirmedAnswers, one: str, other: str) -> AnswerDifferences:
    """The differing answers of a query, by its names in the old program and in the new one."""
    before, after = old.queries.get(one, {}), new.queries.get(other, {})
    unseen = old.lost.get(one, {}), new.lost.get(other, {})
    source = (new, other) if other in new.queries else (old, one)

    def listed(
        keys: Iterable[_Key], known: Sequence[Mapping[_Key, int]] = (before, after)
    ) -> tuple[Confirmed, ...]:
        found = [(key, known[0].get(key), known[1].get(key)) for key in keys]
        found.sort(key=lambda each: (min(t for t in each[1:] if t is not None), str(each[0])))
        return tuple(Confirmed(_text(*source, key), *ticks) for key, *ticks in found)

    both = before.keys() & after.keys()
    moved = [key for key in both if before[key] != after[key]]
    lost = (unseen[0].keys() ^ unseen[1].keys()) & (both - {*moved})
    return AnswerDifferences(
        other if other in new.queries else one,
        len(both) - len(moved) - len(lost),
        listed(before.keys() - both),
        listed(after.keys() - both),
        listed(moved),
        listed(lost, unseen),
    )


def _text(answers: ConfirmedAnswers, query: str, key: _Key) -> str:
    """An answer in the language's own syntax, with the time of its tick if ticks have a length."""
    relation = answers.relations[query]
    names = relation.answer.names
    values = []
    for name, value in zip(names, key, strict=False):
        if name in key[len(names) :]:
            values.append("all others")
        elif value is None:
            values.append("_")
        elif name in relation.answer.ticks:
            assert isinstance(value, int)
            values.append(ticks_in_words(value, relation.answer.ticks[name], answers.plan.timescale))
        else:
            values.append(str(value).lower() if isinstance(value, bool) else value_text(value))
    return f"{query}({', '.join(values)})"
