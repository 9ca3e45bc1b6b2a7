"""The rules of two programs matched: which are the same however they are written, and which differ.

Hot(X, T) :- Temp(X, V, T), V > 90.     in old.alog:4
Hot(D, T) :- 90 < W, Temp(D, W, T).     in new.alog:9: the same, written otherwise
Hot(D, T) :- 95 < W, Temp(D, W, T).     in new.alog:9: changed
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import product

from antelog.compile.meanings import NO_TIME, canonical
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.rules.clauses import clause_of, static_rule
from antelog.language import Checked
from antelog.language.moments import Timescale
from antelog.language.printer import to_text
from antelog.language.syntax import Rule, Statement, atoms_of

_ALIKE = 0.4
"""Two rules with texts as similar as this are one rule that was changed."""

_MOST_PAIRS = 40_000
"""The pairs of rules of a predicate that are looked at for this."""


@dataclass(frozen=True)
class Written:
    """A statement of a program: its file and line, and its text in the usual layout.

    `is_main`: it is in the file that was named, and in none that this includes.
    """

    file: str
    line: int
    text: str
    is_main: bool = True

    @property
    def position(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class RuleDifference:
    """A rule in both programs (None: in one of them only)."""

    predicate: str
    old: Written | None
    new: Written | None

    @property
    def both(self) -> tuple[Written, Written]:
        """The rule in the old and in the new program, of one that is in both."""
        assert self.old is not None
        assert self.new is not None
        return self.old, self.new

    @property
    def written(self) -> Written:
        """The rule where it is now, or where it was."""
        found = self.new or self.old
        assert found is not None
        return found


@dataclass(frozen=True)
class MatchedRules:
    """The rules of two programs: those that differ, and those that are the same, in the order of the new one.

    `renamed` are the predicates that are called otherwise, with their new names.
    """

    different: tuple[RuleDifference, ...]
    same: tuple[RuleDifference, ...]
    renamed: Mapping[str, str]

    @property
    def reordered(self) -> bool:
        """Whether the rules that are the same are in another order; those of included files play no part."""
        lines = defaultdict[tuple[str, str], list[int]](list)
        for each in self.same:
            old, new = each.both
            lines[old.file, new.file].append(old.line)
        return any(own != sorted(own) for own in lines.values())

    def behind(self, predicates: frozenset[str]) -> tuple[RuleDifference, ...]:
        """The differing rules of some predicates, by their new names or, if they are gone, their old ones."""
        return tuple(each for each in self.different if each.predicate in predicates)


class RuleSet:
    """The rules of a program, each with its place and its canonical form."""

    def __init__(self, checked: Checked) -> None:
        self._checked, self.document = checked, checked.document

    @property
    def timescale(self) -> Timescale | None:
        return self._checked.vocabulary.timescale

    @cached_property
    def by_head(self) -> dict[str, list[tuple[int, Rule]]]:
        """The rules of each predicate that has some, with their numbers."""
        found = defaultdict[str, list[tuple[int, Rule]]](list)
        for number, rule in enumerate(self.document.rules):
            found[rule.head.predicate].append((number, rule))
        return dict(found)

    @cached_property
    def rests_on(self) -> dict[str, frozenset[str]]:
        """For each predicate that has rules those that their bodies name."""
        return {
            head: frozenset(atom.predicate for _, rule in own for atom, _ in atoms_of(rule))
            for head, own in self.by_head.items()
        }

    def behind(self, predicate: str) -> frozenset[str]:
        """A predicate, and all that it rests on."""
        found, waiting = {predicate}, [predicate]
        while waiting:
            new = self.rests_on.get(waiting.pop(), frozenset()) - found
            found |= new
            waiting += new
        return frozenset(found)

    def written(self, statement: Statement) -> Written:
        source = self.document.source
        file, span = source.located(statement.span)
        main = file.name == source.name
        return Written(file.name, file.position(span.start)[0], to_text(statement), main)

    def forms(self, head: str, names: Mapping[str, str]) -> list[tuple[str, int, Rule]]:
        """The rules of a predicate with their numbers, each behind its canonical form with other names."""
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


def matched(old: RuleSet, new: RuleSet) -> MatchedRules:
    """The rules of two programs that belong together."""
    renamed = _renamed(old, new)
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
    return MatchedRules(
        tuple(different), tuple(each for _, each in sorted(same, key=lambda s: s[0])), renamed
    )


def _renamed(old: RuleSet, new: RuleSet) -> dict[str, str]:
    """The predicates whose rules are those of another one, which only the new program has.

    One whose rules name another that was renamed is found after that.
    """
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
    """Rules that are gone and new ones; those with similar texts are one that was changed."""
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
