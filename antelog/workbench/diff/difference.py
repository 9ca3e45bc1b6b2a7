"""The differences of two programs as data: in meaning, in their rules, in answers on recorded facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import product
from pathlib import PurePath
from typing import Any

from msgspec import structs

from antelog.compile import meanings
from antelog.compile.meanings import NO_TIME, Fate, QueryDifference, canonical
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Input, Plan
from antelog.compile.rules.clauses import clause_of, static_rule
from antelog.engine.step.wording import Plain, rows_of
from antelog.language import Checked, read, syntax
from antelog.language.durations import ticks_in_words
from antelog.language.graph import reachable
from antelog.language.printer import to_text, value_text
from antelog.language.syntax import Limit, Rule
from antelog.program import Program
from antelog.run.sinks.result import Tables

# ---- rules ----

_ALIKE = 0.4  # two rules with texts at least as similar are one rule that was changed
_MOST_PAIRS = 40_000  # the most pairs of rules of a predicate that are compared for this


@dataclass(frozen=True)
class Written:
    """A statement of a program in the usual layout, and its place; `is_main`: not in an included file."""

    file: str
    line: int
    text: str
    is_main: bool = True

    @property
    def position(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class RuleDifference:
    """A rule in both programs, or in one of them only."""

    predicate: str
    old: Written | None
    new: Written | None

    @property
    def both(self) -> tuple[Written, Written]:
        """The old and the new text of a rule that is in both programs."""
        assert self.old is not None
        assert self.new is not None
        return self.old, self.new

    @property
    def is_moved(self) -> bool:
        """Whether a rule is in another file; the main files of both programs count as the same."""
        old, new = self.both
        if old.is_main or new.is_main:
            return old.is_main != new.is_main
        return PurePath(old.file).name != PurePath(new.file).name

    @property
    def written(self) -> Written:
        """The rule in the new program, or else in the old one."""
        found = self.new or self.old
        assert found is not None
        return found


class RuleSet:
    """The rules of a program, with their places and canonical forms."""

    def __init__(self, checked: Checked) -> None:
        self._checked, self.document = checked, checked.document
        self.timescale = checked.vocabulary.timescale

    @cached_property
    def by_head(self) -> dict[str, list[tuple[int, Rule]]]:
        """The rules of each derived predicate, with their numbers."""
        found = defaultdict[str, list[tuple[int, Rule]]](list)
        for number, rule in enumerate(self.document.rules):
            found[rule.head.predicate].append((number, rule))
        return dict(found)

    @cached_property
    def rests_on(self) -> dict[str, set[str]]:
        """For each derived predicate, the predicates in the bodies of its rules."""
        return {
            head: {atom.predicate for _, rule in own for atom, _ in syntax.atoms_of(rule)}
            for head, own in self.by_head.items()
        }

    def written(self, statement: syntax.Statement) -> Written:
        source = self.document.source
        file, span = source.located(statement.span)
        main = file.name == source.name
        return Written(file.name, file.position(span.start)[0], to_text(statement), main)

    @property
    def helper_windows(self) -> dict[str, Written]:
        """The windows that are statements of their own, by predicate."""
        windows = (each for each in self.document.windows if isinstance(each, syntax.Window))
        return {each.name: self.written(each) for each in windows}

    def forms(self, head: str, names: Mapping[str, str]) -> list[tuple[str, int, Rule]]:
        """For each rule of a predicate its canonical form, with predicates renamed, its number and itself."""
        rules = self.by_head.get(head, ())
        return [(self._form(number, rule, names), number, rule) for number, rule in rules]

    def _form(self, number: int, rule: Rule, names: Mapping[str, str]) -> str:
        """The canonical form of a rule; empty if its conditions contradict each other."""

        def named(field: str, name: str) -> Hashable:
            return None if field == "relation" else names.get(name, name)

        vocabulary = self._checked.vocabulary
        if vocabulary.is_static(rule.head.predicate):
            static = static_rule(rule, vocabulary)
            if static is None:
                return ""
            return canonical(Pattern(static.answer, NO_TIME, static.literals), named)
        clause = clause_of(rule, number, vocabulary)
        if clause is None:
            return ""
        head = clause.head
        return canonical(Pattern(head.arguments, head.time, clause.literals, clause.earliest), named)


def _matched(
    old: RuleSet, new: RuleSet, renamed: Mapping[str, str]
) -> tuple[list[RuleDifference], list[RuleDifference]]:
    """Pairs the rules of two programs: those that differ, and those that are the same."""
    before = {renamed.get(head, head): head for head in old.by_head}
    different, same = list[RuleDifference](), list[tuple[int, RuleDifference]]()
    for head in (*new.by_head, *(head for head in before if head not in new.by_head)):
        waiting: dict[str, list[Rule]] = {}
        for form, _, rule in old.forms(before.get(head, ""), renamed):
            waiting.setdefault(form, []).append(rule)
        added = []
        for form, number, rule in new.forms(head, {}):
            if waiting.get(form):
                pair = old.written(waiting[form].pop(0)), new.written(rule)
                same.append((number, RuleDifference(head, *pair)))
            else:
                added.append(new.written(rule))
        removed = [old.written(rule) for own in waiting.values() for rule in own]
        different += _paired(head, removed, added)
    windows, others = old.helper_windows, new.helper_windows
    for name in dict.fromkeys([*windows, *others]):
        one, other = windows.get(name), others.get(name)
        if one is None or other is None or one.text != other.text:
            different.append(RuleDifference(name, one, other))
    return different, [each for _, each in sorted(same, key=lambda s: s[0])]


def _renamed(old: RuleSet, new: RuleSet) -> dict[str, str]:
    """Finds predicates with the same rules under another name, those that rest on renamed ones last."""
    found: dict[str, str] = {}
    gone = [head for head in old.by_head if head not in new.by_head]
    free = [head for head in new.by_head if head not in old.by_head]
    while True:
        for one, other in product(gone, free):
            before, after = old.forms(one, {**found, one: other}), new.forms(other, {})
            if sorted(form for form, *_ in before) == sorted(form for form, *_ in after):
                gone.remove(one)
                free.remove(other)
                found[one] = other
                break
        else:
            return found


def _paired(head: str, removed: Sequence[Written], added: Sequence[Written]) -> Iterator[RuleDifference]:
    """Pairs rules that are gone with new ones of similar texts: they were changed."""
    pairs = [(one, other) for one in removed for other in added]
    likeness = {
        (one, other): SequenceMatcher(None, one.text, other.text).ratio()
        for one, other in (pairs if len(pairs) <= _MOST_PAIRS else ())
    }
    partner: dict[Written, Written] = {}
    for (one, other), ratio in sorted(likeness.items(), key=lambda each: -each[1]):
        if ratio >= _ALIKE and one not in partner and other not in partner.values():
            partner[one] = other
    changed = {other: one for one, other in partner.items()}
    for each in added:
        yield RuleDifference(head, changed.get(each), each)
    for each in removed:
        if each not in partner:
            yield RuleDifference(head, each, None)


# ---- programs ----


@dataclass(frozen=True)
class ProgramDifference:
    """Two programs: meanings of queries, matched rules and answers; `renamed` has new names of predicates."""

    old: RuleSet
    new: RuleSet
    meaning: meanings.VersionComparison
    renamed: Mapping[str, str]
    different: Sequence[RuleDifference]
    same: Sequence[RuleDifference]
    answers: Sequence[AnswerDifferences] | None = None

    @property
    def is_same(self) -> bool:
        """Whether no answer can differ, nor the tick at which it is decided."""
        return all(each.fate is Fate.SAME for each in self.meaning.queries)

    def query(self, each: QueryDifference) -> tuple[Written | None, Written | None]:
        old, new = (
            next((rules.written(q) for q in rules.document.queries if q.atom.predicate == each.name), None)
            for rules in (self.old, self.new)
        )
        return old, new

    def rules_of(self, each: QueryDifference) -> tuple[RuleDifference, ...]:
        predicates = {self.renamed.get(name, name) for name in reachable(self.old.rests_on, each.name)}
        predicates |= reachable(self.new.rests_on, each.name)
        return tuple(rule for rule in self.different if rule.predicate in predicates)

    @property
    def rewritten(self) -> list[RuleDifference]:
        """The rules that are the same, but have another text or are in another file."""
        return [each for each in self.same if each.is_moved or each.both[0].text != each.both[1].text]

    @property
    def is_reordered(self) -> bool:
        """Whether rules of a file that are the same stand in another order."""
        lines = defaultdict[tuple[str, str], list[int]](list)
        for each in self.same:
            old, new = each.both
            lines[old.file, new.file].append(old.line)
        return any(own != sorted(own) for own in lines.values())

    def input(self, name: str) -> tuple[list[Written], list[Written]]:
        return _declarations(self.old, name), _declarations(self.new, name)

    @property
    def limits(self) -> Iterator[tuple[str, Limit | None, Limit | None]]:
        """The limits that differ in their values, or that only one of the programs has."""
        before, after = (
            {each.name: each for each in rules.document.limits} for rules in (self.old, self.new)
        )
        for name in {**after, **before}:
            if before.get(name) != after.get(name):
                yield name, before.get(name), after.get(name)

    def to_dict(self) -> dict[str, Any]:
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
            "rules": [asdict(each) for each in self.different],
            "rewritten": [asdict(each) for each in self.rewritten],
            "renamed": dict(self.renamed),
            "reordered": self.is_reordered,
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
    before, after = (RuleSet(read(each.source)) for each in (old, new))
    meaning, renamed = meanings.compared(old.plan, new.plan), _renamed(before, after)
    return ProgramDifference(before, after, meaning, renamed, *_matched(before, after, renamed))


_ASPECTS: Mapping[str, Callable[[Input], object]] = {
    "columns": lambda each: each.columns,
    "types": lambda each: each.types,
    "delay": lambda each: (each.delay, [(r.pattern, r.delay) for r in each.refinements]),
    "one per": lambda each: each.slot,
    "every": lambda each: each.expected,
    "chances": lambda each: (each.odds, [r.shares for r in each.refinements]),
}


def aspects(each: meanings.InputDifference) -> Iterator[str]:
    """The parts in which the declarations of an input differ, if both programs have it."""
    old, new = each.old, each.new
    if isinstance(old, Input) and isinstance(new, Input):
        yield from (name for name, part in _ASPECTS.items() if part(old) != part(new))


def _declarations(rules: RuleSet, name: str) -> list[Written]:
    statements = (each for each in rules.document.statements if isinstance(each, syntax.Input | syntax.Delay))
    return [rules.written(each) for each in statements if each.name == name]


# ---- answers on recorded facts ----


_Key = tuple[Plain, ...]  # the values of an answer, then the names of its variables that stand for all others


@dataclass(frozen=True)
class Confirmed:
    """An answer, and the ticks at which the old and the new rules confirm it (None: never)."""

    answer: str
    old: int | None
    new: int | None


@dataclass(frozen=True)
class AnswerDifferences:
    """The confirmed answers of a query: the number of equal ones, and those that differ, by time."""

    query: str
    same: int
    only_old: tuple[Confirmed, ...]
    only_new: tuple[Confirmed, ...]
    moved: tuple[Confirmed, ...]  # to another tick
    lost: tuple[Confirmed, ...]  # from sight, for one of the programs only


class ConfirmedAnswers:
    """The confirmed answers of each query of a program with their ticks, and those lost from sight."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.relations = {each.name: each for each in plan.queries}
        self.queries: dict[str, dict[_Key, int]] = {name: {} for name in self.relations}
        self.lost: dict[str, dict[_Key, int]] = {name: {} for name in self.relations}

    def take(self, tables: Tables) -> None:
        for name, table in tables.items():
            relation = self.relations[name]
            for row in rows_of(table, relation) if table.num_rows else ():
                if row["change"] == "confirmed":
                    key = (*(row[each] for each in relation.answer.names), *(row.get("others") or ()))
                    self.queries[name][key] = row["tick"]
                    if row.get("lost"):
                        self.lost[name][key] = row["tick"]


def differences(old: ConfirmedAnswers, new: ConfirmedAnswers, one: str, other: str) -> AnswerDifferences:
    """Compares the answers of a query that is called `one` in the old program, `other` in the new one."""
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
    """Writes an answer in the syntax of the language, with times if ticks have a length."""
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
