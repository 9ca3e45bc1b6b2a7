"""The differences of two programs as data: in meaning, in their rules, in the answers on recorded facts.

difference = difference_of(old, new);    difference.to_dict();    text_of(difference) in `words`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

from msgspec import structs

from antelog.compile.meaning.versions import (
    Fate,
    InputDifference,
    QueryDifference,
    VersionComparison,
    compared,
)
from antelog.compile.nodes.plan import Input
from antelog.language import read
from antelog.language.syntax import Delay, Limit
from antelog.language.syntax import Input as Declaration
from antelog.program import Program
from antelog.workbench.diff.recorded import AnswerDifferences
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
