"""The ways in which the rules, as they are written, may lead to one atom.

A way takes one rule for the atom, and one for each derived atom in its body, down to what only facts, the
background and values can decide. The compiler's patterns say the same without the rules on the way; here
these stay, with whatever is needless in them.

    Malf(X, T-2) :- Shdn(X, T).    Shdn(X, T+1) :- Cool(X, T), Flag(X, T+1).
    Malf(wt2, 0): the first rule, with the second for Shdn(wt2, 2)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from antelog.compile.conditions.ordering import possible
from antelog.compile.literals import AnyLiteral, Atom, Comparison, Last, lowered
from antelog.compile.literals.literal import AskedNode, Condition
from antelog.compile.literals.lowering import Lowering
from antelog.compile.literals.substitution import Substitution
from antelog.compile.literals.terms import (
    AnswerTerm,
    Calculated,
    Const,
    Operand,
    Replacement,
    Sum,
    Time,
    Var,
    variable_in,
)
from antelog.compile.nodes.patterns import Earliest, Pattern, arranged
from antelog.compile.patterns.renaming import Readable, Suffixed
from antelog.compile.patterns.unfold import earliest_of
from antelog.compile.rules.program import EvidenceFrame
from antelog.language import Checked, syntax
from antelog.language.checks.sorts import sorts_of

MOST_WAYS = 2_000
"""The ways of one atom that are looked at."""

DEEPEST = 40
"""The rules within each other, at most."""

CUT, BEFORE_ZERO = "cut", "before zero"


@dataclass(frozen=True)
class WrittenLiteral:
    """A literal of a rule's text, and the literals of the compiler that it stands for."""

    source: syntax.Literal
    parts: tuple[AnyLiteral, ...]

    @property
    def goal(self) -> Atom | None:
        """The atom of a positive literal."""
        return next((each for each in self.parts if isinstance(each, Atom)), None)

    def replaced(self, by: Replacement) -> WrittenLiteral:
        return WrittenLiteral(self.source, tuple(each.replaced(by) for each in self.parts))


@dataclass(frozen=True)
class WrittenRule:
    """A rule as it is written: its head and the literals of its body, in the order of the text."""

    source: syntax.Rule
    head: Atom
    body: tuple[WrittenLiteral, ...]

    @classmethod
    def of(cls, rule: syntax.Rule, checked: Checked, general: frozenset[str]) -> WrittenRule:
        times = {name for name, is_time in sorts_of(rule, checked.vocabulary).items() if is_time}
        lowering = Lowering(checked.vocabulary, times, general)
        body = tuple(WrittenLiteral(each, lowered(each, lowering)) for each in rule.body)
        return cls(rule, Atom.of(rule.head, lowering), tuple(each.replaced(_Calculated()) for each in body))

    def replaced(self, by: Replacement) -> WrittenRule:
        return WrittenRule(
            self.source, self.head.replaced(by), tuple(each.replaced(by) for each in self.body)
        )

    def takes(self, last: syntax.Literal) -> bool:
        """Whether a `last` literal gives values to variables that no positive literal gives any."""
        given = {
            name
            for each in self.source.body
            if isinstance(each, syntax.Atom)
            for name in syntax.variables_of(each.terms)
        }
        (occurrence, *_) = last.atoms
        *terms, _ = occurrence.atom.terms
        return not syntax.variables_of(terms) <= given

    @property
    def natural(self) -> tuple[Time, ...]:
        """The times that have to be natural numbers."""
        of_parts = (time for each in self.body for part in each.parts for time in _natural(part))
        return (*(each for each in self.head.operands if isinstance(each, Time)), *of_parts)

    @property
    def asked(self) -> Iterator[AskedNode]:
        return (part for each in self.body for part in each.parts if isinstance(part, AskedNode))


def _natural(part: AnyLiteral) -> tuple[Time, ...]:
    # The times of comparisons need not be natural numbers.
    return () if isinstance(part, Condition) else part.natural


@dataclass(frozen=True)
class RuleUse:
    """A rule with values for variables; `below` has, by the place of a literal, the rule for its atom."""

    rule: WrittenRule
    below: Mapping[int, RuleUse]

    def replaced(self, by: Replacement) -> RuleUse:
        return RuleUse(
            self.rule.replaced(by), {place: each.replaced(by) for place, each in self.below.items()}
        )

    @property
    def leaves(self) -> Iterator[AnyLiteral]:
        """The literals that no rule is taken for."""
        for place, each in enumerate(self.rule.body):
            if place in self.below:
                yield from (part for part in each.parts if not isinstance(part, Atom))
                yield from self.below[place].leaves
            else:
                yield from each.parts

    @property
    def clocked(self) -> bool:
        """Whether no positive literal gives the head its time: then it is told once its tick has come."""
        source = self.rule.source
        time = syntax.variable_of(source.head.terms[-1])
        if any(isinstance(each, syntax.Comparison) and each.operator == "=" for each in source.body):
            return False
        tied = [
            place
            for place, each in enumerate(self.rule.body)
            if each.goal is not None
            and isinstance(each.source, syntax.Atom)
            and syntax.variable_of(each.source.terms[-1]) == time
        ]
        return all(place in self.below and self.below[place].clocked for place in tied)

    @property
    def taking(self) -> Iterator[Last]:
        """The `last` literals that give values to variables which nothing else in their rule gives any."""
        for literal in self.rule.body:
            for part in literal.parts:
                if isinstance(part, Last) and self.rule.takes(literal.source):
                    yield part
        for each in self.below.values():
            yield from each.taking

    @property
    def rules(self) -> Iterator[WrittenRule]:
        """All the rules that are used."""
        yield self.rule
        for each in self.below.values():
            yield from each.rules


@dataclass(frozen=True)
class Way:
    """One way to an atom: the rules, the pattern that they come to, and the bounds of a window.

    `outcomes` are the conditions that hold, or fail, whatever facts come.
    """

    use: RuleUse
    pattern: Pattern
    frame: tuple[Comparison, ...] = ()

    @property
    def outcomes(self) -> Mapping[AnyLiteral, bool]:
        conditions = (each for each in (*self.use.leaves, *self.frame) if isinstance(each, Condition))
        return {each: each.outcome for each in conditions if each.outcome is not None}

    @property
    def is_possible(self) -> bool:
        """Whether its conditions can hold together."""
        earliest = {each.variable: each.tick for each in self.pattern.earliest}
        return False not in self.outcomes.values() and possible(self.pattern.comparisons, earliest)


@dataclass
class Ways:
    """The search for the ways to one atom.

    Its `flags` say whether there are more than were looked at (CUT), and whether a rule does not apply, as
    one of its ticks would be before tick 0 (BEFORE_ZERO).
    """

    rules: Mapping[str, Sequence[WrittenRule]]
    frame: EvidenceFrame | None = None
    flags: set[str] = field(default_factory=set)
    _known: Substitution = field(default_factory=Substitution)
    _suffixes: int = 0

    def of(self, rule: WrittenRule, goal: Atom) -> Iterator[Way]:
        """The ways that take this rule for the atom, which has no variables."""
        count = 0
        for use in self._of_rule(rule, goal, (goal,), goal.time.offset):
            way = self._way(use, goal)
            if way is None:
                continue
            count += 1
            if count > MOST_WAYS:
                self.flags.add(CUT)
                return
            yield way

    def _of_rule(self, rule: WrittenRule, goal: Atom, path: tuple[Atom, ...], tick: int) -> Iterator[RuleUse]:
        self._suffixes += 1
        apart, known = rule.replaced(Suffixed(f"~{self._suffixes}")), self._known
        mark = known.mark()
        if _meets(apart.head, goal, known) and self._within(apart, tick):
            yield from self._below(apart, 0, {}, path, tick)
        known.undo(mark)

    def _below(
        self, rule: WrittenRule, place: int, chosen: Mapping[int, RuleUse], path: tuple[Atom, ...], tick: int
    ) -> Iterator[RuleUse]:
        """The uses of a rule, with those of rules for the literals from a place on."""
        goals = (i for i, each in enumerate(rule.body) if i >= place and self._is_derived(each.goal))
        at = next(goals, None)
        if at is None:
            yield RuleUse(rule, chosen)
            return
        goal = rule.body[at].goal
        assert goal is not None
        wanted = goal.replaced(self._known)
        if wanted in path:
            return
        if len(path) > DEEPEST:
            self.flags.add(CUT)
            return
        for each in self.rules[goal.predicate]:
            for use in self._of_rule(each, wanted, (*path, wanted), tick):
                yield from self._below(rule, at + 1, {**chosen, at: use}, path, tick)

    def _is_derived(self, goal: Atom | None) -> bool:
        return goal is not None and goal.predicate in self.rules

    def _within(self, rule: WrittenRule, tick: int) -> bool:
        """Whether the ticks of a rule are natural numbers, and those that are known in the window."""
        known = self._known
        for each in (part for literal in rule.body for part in literal.parts):
            if isinstance(each, Comparison) and each.operator == "=" and not each.calculates:
                mark = known.mark()
                if known.equate(each.left, each.right) is False:
                    known.undo(mark)  # it fails, and is shown to
        times = [known.time(time) for time in rule.natural]
        ticks = [time.offset for time in times if time.variable is None]
        if min(ticks, default=0) < 0:
            self.flags.add(BEFORE_ZERO)
            return False
        frame = self.frame
        return frame is None or all(tick + frame.first <= each <= tick + frame.last for each in ticks)

    def _way(self, use: RuleUse, goal: Atom) -> Way | None:
        known, tick = self._known, goal.time.offset
        rules = list(use.rules)
        starts = [
            (time.variable, -time.offset)
            for rule in rules
            for time in rule.natural
            if time.variable is not None
        ]
        first = earliest_of(starts, known)
        if first is None:
            self.flags.add(BEFORE_ZERO)
            return None
        bounds = tuple(
            self._bounds({known.time(time): None for rule in rules for time in rule.natural}, tick)
        )
        if any(each.outcome is False for each in bounds):
            return None
        names = _Named()
        whole = use.replaced(known).replaced(names).replaced(_Summed())
        bounds = tuple(each.replaced(names) for each in bounds)
        literals = (each for each in (*whole.leaves, *bounds) if _is_open(each))
        earliest = tuple(Earliest(names.name(variable), tick) for variable, tick in first.items())
        return Way(whole, Pattern((), goal.time, arranged(literals), earliest), bounds)

    def _bounds(self, times: Iterable[Time], tick: int) -> Iterator[Comparison]:
        """The bounds that the window sets to some times."""
        if self.frame is not None:
            for time in times:
                yield Comparison(Time(None, tick + self.frame.first), "<=", time)
                yield Comparison(time, "<=", Time(None, tick + self.frame.last))


class _Calculated(Replacement):
    """Writes sums as calculations: with a text for its variable a sum would stay as it is."""

    def operand(self, operand: Operand) -> Operand:
        if isinstance(operand, Sum):
            sign, amount = ("-", -operand.offset) if operand.offset < 0 else ("+", operand.offset)
            return Calculated(sign, (Var(operand.variable), Const(amount)))
        return super().operand(operand)


class _Summed(Replacement):
    """Writes them as sums again, of which the compiler knows more."""

    def operand(self, operand: Operand) -> Operand:
        match operand:
            case Calculated("+" | "-" as sign, (Var(name), Const(int() | float() as amount))):
                return Sum(name, -amount if sign == "-" else amount)
            case _:
                return super().operand(operand)


class _Named(Readable):
    """Readable names; those of `_` keep theirs, so that they can be told."""

    def name(self, old: str) -> str:
        if old.startswith("_") and old not in self.names:
            self.names[old] = f"_{len(self.names) + 1}"
        return super().name(old)


def _is_open(literal: AnyLiteral) -> bool:
    return not isinstance(literal, Condition) or literal.outcome is None


def _meets(head: Atom, goal: Atom, known: Substitution) -> bool:
    return known.unify_times(head.time, goal.time) and all(
        # What has no name takes that of the rule.
        known.equate(*((other, own) if _is_unnamed(other) else (own, other)))
        for own, other in zip(head.arguments, goal.arguments, strict=True)
    )


def _is_unnamed(term: AnswerTerm) -> bool:
    return (variable_in(term) or "").startswith("_")
