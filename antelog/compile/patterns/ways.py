"""The ways in which rules lead to one atom, with the rules and literals that each pattern comes from.

Unlike the patterns of a plan, a way keeps the rules on it, and the literals that are needless.

    Malf(X, T-2) :- Shdn(X, T).    Shdn(X, T+1) :- Cool(X, T), Flag(X, T+1).
    Malf(wt2, 0): the first rule, with the second for Shdn(wt2, 2)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from antelog.compile.comparisons import possible
from antelog.compile.literals import AnyLiteral, Atom, Comparison, Last
from antelog.compile.literals.literal import Condition
from antelog.compile.literals.terms import Replacement, Substitution, Time, variable_in
from antelog.compile.nodes.patterns import Earliest, Pattern, arranged, readable, suffixed
from antelog.compile.patterns.resolve import earliest_of
from antelog.compile.rules.clauses import EvidenceFrame, LoweredLiteral, LoweredRule, undecided
from antelog.language import syntax

MOST_WAYS = 2_000  # the most ways of one atom to look at
DEEPEST = 40  # the most rules within each other


@dataclass(frozen=True)
class RuleUse:
    """A rule with values for variables; `below` has the rules for its atoms by the places of literals."""

    rule: LoweredRule
    below: Mapping[int, RuleUse]

    @classmethod
    def of_fact(cls, fact: Atom) -> RuleUse:
        """Returns a rule whose body is the fact itself."""
        atom = syntax.Atom(fact.predicate, ())
        return cls(LoweredRule(syntax.Rule(atom, ()), fact, (LoweredLiteral(atom, (fact,)),)), {})

    def replaced(self, by: Replacement) -> RuleUse:
        rule = self.rule.replaced(by)  # before those below it, which are named after it
        return RuleUse(rule, {place: each.replaced(by) for place, each in self.below.items()})

    @property
    def leaves(self) -> Iterator[AnyLiteral]:
        """The literals that no rule is used for."""
        for place, each in enumerate(self.rule.body):
            if place in self.below:
                yield from (part for part in each.parts if not isinstance(part, Atom))
                yield from self.below[place].leaves
            else:
                yield from each.parts

    @property
    def rules(self) -> Iterator[LoweredRule]:
        yield self.rule
        for each in self.below.values():
            yield from each.rules

    @property
    def clocked(self) -> bool:
        """Whether no positive literal gives the head its time: it is reported once its tick has come."""
        source = self.rule.source
        time = syntax.variable_of(source.head.terms[-1])
        if any(isinstance(each, syntax.Comparison) and each.operator == "=" for each in source.body):
            return False
        return all(
            place in self.below and self.below[place].clocked
            for place, each in enumerate(self.rule.body)
            if each.given is not None and each.goal is not None
            if syntax.variable_of(each.given.terms[-1]) == time
        )

    @property
    def taking(self) -> Iterator[Last]:
        """The `last` literals that give values to variables which no atom of their rule has."""
        for rule in self.rules:
            atoms = (each.given for each in rule.body if each.given is not None)
            given = {name for each in atoms for name in syntax.variables_of(each.terms)}
            for each in rule.body:
                source = each.source
                if (
                    isinstance(source, syntax.Last)
                    and not syntax.variables_of(source.atom.terms[:-1]) <= given
                ):
                    yield from (part for part in each.parts if isinstance(part, Last))


@dataclass(frozen=True)
class Way:
    """One way to an atom: the rules, the pattern that they come to, and the bounds of a window."""

    use: RuleUse
    pattern: Pattern
    frame: tuple[Comparison, ...] = ()

    @property
    def outcomes(self) -> Mapping[AnyLiteral, bool]:
        """The conditions that hold, or fail, whatever facts come."""
        conditions = (each for each in (*self.use.leaves, *self.frame) if isinstance(each, Condition))
        return {each: each.outcome for each in conditions if each.outcome is not None}

    @property
    def is_possible(self) -> bool:
        earliest = {each.variable: each.tick for each in self.pattern.earliest}
        return False not in self.outcomes.values() and possible(self.pattern.comparisons, earliest)


@dataclass
class Ways:
    rules: Mapping[str, Sequence[LoweredRule]]
    frame: EvidenceFrame | None = None
    cut: bool = False  # there are more than were looked at
    before_zero: bool = False  # a rule does not apply, as one of its ticks would be before tick 0
    _known: Substitution = field(default_factory=Substitution)
    _suffixes: int = 0

    def of(self, rule: LoweredRule, goal: Atom) -> Iterator[Way]:
        """Yields the ways that use this rule for the atom, whose tick is known."""
        count = 0
        for use in self._of_rule(rule, goal, (goal,), goal.time.offset):
            way = self._way(use, goal)
            if way is None:
                continue
            count += 1
            if count > MOST_WAYS:
                self.cut = True
                return
            yield way

    def _of_rule(self, rule: LoweredRule, goal: Atom, path: tuple[Atom, ...], tick: int) -> Iterator[RuleUse]:
        self._suffixes += 1
        apart, known = rule.replaced(suffixed(f"~{self._suffixes}")), self._known
        mark = known.mark()
        if _meets(apart.head, goal, known) and self._within(apart, tick):
            yield from self._below(apart, 0, {}, path, tick)
        known.undo(mark)

    def _below(
        self, rule: LoweredRule, place: int, chosen: Mapping[int, RuleUse], path: tuple[Atom, ...], tick: int
    ) -> Iterator[RuleUse]:
        """Yields the uses of a rule, with rules for the literals from a place on."""
        goals = [(i, each.goal) for i, each in enumerate(rule.body) if i >= place and each.goal is not None]
        at, goal = next((each for each in goals if each[1].predicate in self.rules), (0, None))
        if goal is None:
            yield RuleUse(rule, chosen)
            return
        wanted = goal.replaced(self._known)
        if wanted in path:
            return
        if len(path) > DEEPEST:
            self.cut = True
            return
        for each in self.rules[goal.predicate]:
            for use in self._of_rule(each, wanted, (*path, wanted), tick):
                yield from self._below(rule, at + 1, {**chosen, at: use}, path, tick)

    def _within(self, rule: LoweredRule, tick: int) -> bool:
        """Returns whether all ticks are natural numbers, and those that are known lie in the window."""
        known = self._known
        for each in rule.parts:
            if isinstance(each, Comparison) and each.operator == "=" and not each.calculates:
                mark = known.mark()
                if known.equate(each.left, each.right) is False:
                    known.undo(mark)  # it fails, and is shown to
        times = [known.time(time) for time in rule.natural]
        ticks = [time.offset for time in times if time.variable is None]
        if min(ticks, default=0) < 0:
            self.before_zero = True
            return False
        frame = self.frame
        return frame is None or all(tick + frame.first <= each <= tick + frame.last for each in ticks)

    def _way(self, use: RuleUse, goal: Atom) -> Way | None:
        known = self._known
        times = [time for rule in use.rules for time in rule.natural]
        starts = (Earliest(time.variable, -time.offset) for time in times if time.variable is not None)
        first = earliest_of(starts, known)
        if first is None:
            self.before_zero = True
            return None
        bounds = list[Comparison]()
        if self.frame is not None:
            least = Time(None, goal.time.offset + self.frame.first)
            most = Time(None, goal.time.offset + self.frame.last)
            for time in dict.fromkeys(map(known.time, times)):
                bounds += [Comparison(least, "<=", time), Comparison(time, "<=", most)]
        if any(each.outcome is False for each in bounds):
            return None
        names = readable(anonymous=True)
        whole = use.replaced(known).replaced(names)
        frame = tuple(each.replaced(names) for each in bounds)
        earliest = tuple(Earliest(names.name(variable), tick) for variable, tick in first.items())
        literals = arranged(undecided((*whole.leaves, *frame)))
        return Way(whole, Pattern((), goal.time, literals, earliest), frame)


def _meets(head: Atom, goal: Atom, known: Substitution) -> bool:
    """Unifies the head of a rule with an atom; unnamed variables take the rule's names."""
    return known.unify_times(head.time, goal.time) and all(
        known.equate(*((other, own) if (variable_in(other) or "").startswith("_") else (own, other)))
        for own, other in zip(head.arguments, goal.arguments, strict=True)
    )
