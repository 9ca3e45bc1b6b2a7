"""Explains an atom: its status at a tick, the rules that derive it, or the obstacle in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from antelog.compile.literals import Atom, StaticAtom
from antelog.compile.literals.terms import Time, text_of, variable_in
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.patterns.ways import RuleUse, Way
from antelog.compile.rules.clauses import LoweredLiteral
from antelog.engine.columns.tables import NEVER
from antelog.engine.step.lost import sighted
from antelog.language.printer import to_text
from antelog.language.vocabulary import PredicateKind
from antelog.why import evidence
from antelog.why.grounds import LAST, Grounds
from antelog.why.rows import Derivable, RankedRow, rows_of_way, search
from antelog.why.tree import FALSE, TRUE, FactLine, LiteralNode, RuleNode, Sentence, WhyAnswer, together
from antelog.why.tree import OPEN as AWAITED

CONFIRMED, OPEN, POSSIBLE, REJECTED, UNKNOWN = "confirmed", "open", "possible", "rejected", "unknown"

_MOST_NOTES = 3


@dataclass(frozen=True)
class Detail:
    """How much is shown: the levels of rules, and the derivations of an atom."""

    depth: int = 8
    most: int = 1


@dataclass(frozen=True)
class Explaining:
    """Explains atoms on some grounds; `known` has those that were searched for."""

    grounds: Grounds
    detail: Detail = Detail()
    known: dict[Atom, Derivable] = field(default_factory=dict)

    def explain(self, goal: Atom, level: int = 0) -> WhyAnswer:
        """Explains an atom; `level` is how many rules lead down to it."""
        kind = self.grounds.program.checked.vocabulary[goal.predicate].kind
        if kind is PredicateKind.INPUT:
            return self._fact(goal)
        if kind is PredicateKind.STATIC:
            return self._background(goal)
        return self._derived(goal, level)

    # ---- facts ----

    def _fact(self, goal: Atom) -> WhyAnswer:
        grounds = self.grounds
        rows = rows_of_way(grounds, Way(RuleUse.of_fact(goal), Pattern((), goal.time, (goal,), ())))
        found = min((row for each in rows for row in each.ranked(1)), key=lambda row: row.rank)
        at = grounds.at if grounds.at < LAST else grounds.last_arrival
        truth, facts = found.truth(goal), tuple[FactLine, ...]()
        summary: Sentence
        if truth.since is not None and truth.status == TRUE:
            status, summary = CONFIRMED, ("came: it arrived at ", truth.since)
            facts = evidence.fact_lines(grounds, goal.predicate, evidence.facts_of(grounds, goal), 1)
        elif goal.time.offset < grounds.kept.get(goal.predicate, 0):
            status, summary = UNKNOWN, self._too_old(goal.predicate)
        elif truth.until is not None and truth.status == AWAITED:
            status, summary = POSSIBLE, ("is not there yet; it may come until ", truth.until)
        else:
            status, summary, facts = REJECTED, ("did not come",), evidence.instead(grounds, goal)
        text, scale = evidence.literal_text(goal), grounds.program.plan.timescale
        return WhyAnswer(text, at, status, summary, facts=facts, timescale=scale)

    def _background(self, goal: Atom) -> WhyAnswer:
        grounds = self.grounds
        atom = StaticAtom(goal.predicate, goal.terms)
        there = evidence.background_facts(grounds, atom)
        status, summary = CONFIRMED, "is in the background"
        if not there:
            status, summary = REJECTED, "is not in the background"
        notes = tuple(
            (f"the rule at {grounds.location(rule.span)}: {to_text(rule)}",)
            for rule in grounds.program.source.rules
            if rule.head.predicate == goal.predicate and rule.body
        )
        text, facts = evidence.literal_text(atom), there or evidence.background_near(grounds, atom)
        return WhyAnswer(text, grounds.at, status, (summary,), facts=facts, notes=notes)

    # ---- derived atoms ----

    def _derived(self, goal: Atom, level: int) -> WhyAnswer:
        grounds, most = self.grounds, self.detail.most
        found = self._search(goal)
        asked = level == 0 and any(q.atom.predicate == goal.predicate for q in grounds.program.source.queries)
        true_at = found.confirmed_at if asked else found.true_at
        rows, total = list[RankedRow](), 0
        if found.lost is not None:
            status, summary = UNKNOWN, self._too_old(found.lost)
        elif _so(true_at, grounds.at):
            rows = found.chosen(lambda row: row.is_complete, most)
            total = sum(each.complete for each in found.rules)
            status, summary = CONFIRMED, evidence.dated("is confirmed", " since ", true_at)
        elif _so(found.false_at, grounds.at) or not found.has_rows:
            found.add_nearby(grounds, goal)
            rows, status, summary = found.nearest(), REJECTED, _why_not(found)
        elif found.supported:
            rows = found.chosen(lambda row: row.is_alive, most)
            total = sum(each.alive for each in found.rules)
            status, summary = OPEN, ("is open",)
        else:
            rows, status, summary = found.nearest(), POSSIBLE, _not_yet(found, goal, grounds.end)
        if asked and self._is_lost(goal, found, status):
            summary = (*summary, ", but it is lost from sight: nothing was seen that decides it")
        return WhyAnswer(
            evidence.literal_text(goal.replaced(rows[0].values) if rows else goal),
            grounds.at if grounds.at < LAST else _end(grounds, found),
            status,
            summary,
            tuple(self._rule(row.rows.way.use, row, level) for row in rows),
            more=max(0, total - len(rows)),
            notes=(*_unasked(goal, rows), *self._notes(goal, found)),
            timescale=grounds.program.plan.timescale,
            times=grounds.program.checked.vocabulary.times_of(goal.predicate),
        )

    def _is_lost(self, goal: Atom, found: Derivable, status: str) -> bool:
        """Returns whether an answer would be open had nothing been concluded where sources were unseen."""
        grounds = self.grounds
        if not grounds.program.plan.has_sight or found.told == NEVER or status not in (CONFIRMED, REJECTED):
            return False
        seen = replace(grounds, known=sighted(grounds.known, grounds.begin or 0))
        again = search(seen, goal, 1)
        return not _so(again.true_at if status == CONFIRMED else again.false_at, grounds.at)

    def _search(self, goal: Atom) -> Derivable:
        if goal not in self.known:
            self.known[goal] = search(self.grounds, goal, max(2, self.detail.most))
        return self.known[goal]

    def _too_old(self, name: str) -> Sentence:
        """Returns the summary of an atom that rests on facts that are not kept any more."""
        return (
            f"is too old to be explained: the engine has the facts of {name} only from ",
            self.grounds.kept[name],
            " on. `antelog why` explains it, with the recorded facts",
        )

    def _notes(self, goal: Atom, found: Derivable) -> Iterator[Sentence]:
        grounds = self.grounds
        if grounds.begin is None:
            yield ("time has not begun: there is no fact yet",)
        elif goal.time.offset < grounds.begin:
            yield ("time begins at ", grounds.begin, "; nothing is said of earlier ticks")
        frame = grounds.program.frame(goal.predicate)
        if frame is not None and not _so(found.true_at, grounds.at):
            first, last = (max(0, goal.time.offset + each) for each in (frame.first, frame.last))
            yield ("by its window, evidence lies from ", first, " to ", last)
        if found.cut:
            yield ("there are more ways to it than were looked at",)
        if found.before_zero and not found.has_rows:
            yield ("a rule does not apply here, as it would need a tick before tick 0",)
        for each in [each for each in found.rules if not each.is_about(goal)][:_MOST_NOTES]:
            source = each.rule.source
            yield (
                f"the rule at {grounds.location(source.span)} is about other values: {to_text(source.head)}",
            )

    # ---- rules ----

    def _rule(self, use: RuleUse, row: RankedRow, level: int) -> RuleNode:
        grounds, span = self.grounds, use.rule.source.span
        return RuleNode(
            " ".join(grounds.program.source.source.excerpt(span).split()),
            grounds.location(span),
            evidence.literal_text(use.rule.head.replaced(row.values)),
            tuple(
                self._followed(each, use.below[place], row, level)
                if place in use.below
                else self._leaf(each, row, level)
                for place, each in enumerate(use.rule.body)
            ),
        )

    def _followed(self, literal: LoweredLiteral, below: RuleUse, row: RankedRow, level: int) -> LiteralNode:
        """Explains a literal by the rule for its atom."""
        assert literal.goal is not None
        goal = literal.goal.replaced(row.values)
        made = self._best(goal, self._rule(below, row, level + 1), level)
        rest = [row.truth(part).status for part in literal.parts if not isinstance(part, Atom)]
        node = LiteralNode(
            evidence.literal_text(goal), to_text(literal.source), together([made.status, *rest])
        )
        between = evidence.between_node(row, literal)
        if between is not None:
            decided = between.status == FALSE or (between.status != TRUE and made.status == TRUE)
            reason = between.reason if decided else ()
            node = replace(node, text=between.text, reason=reason, facts=between.facts)
        shown = level + 1 < self.detail.depth
        return replace(node, below=made) if shown else replace(node, hidden=made.size)

    def _best(self, goal: Atom, made: RuleNode, level: int) -> RuleNode:
        """Returns the rule for an atom or, if that does not decide it, the one that does."""
        # Within a window an atom may be something else than by itself.
        framed = any(self.grounds.program.frames.values())
        if made.status == TRUE or framed or goal.variables:
            return made
        found, at = self._search(goal), self.grounds.at
        status = TRUE if _so(found.true_at, at) else FALSE if _so(found.false_at, at) else AWAITED
        return made if made.status == status else next(iter(self.explain(goal, level + 1).rules), made)

    def _leaf(self, literal: LoweredLiteral, row: RankedRow, level: int) -> LiteralNode:
        """Explains a literal that no rule is used for, and the derived atom that decides it."""
        node, atom = evidence.leaf_node(row, literal), evidence.deciding_atom(row, literal.parts[0])
        if atom is None:
            return node
        why = self.explain(atom, level + 1)
        shown = level + 1 < self.detail.depth
        return replace(node, below=why) if shown else replace(node, hidden=sum(e.size for e in why.rules))


def _unasked(goal: Atom, rows: Sequence[RankedRow]) -> Iterator[Sentence]:
    """Notes that variables of an atom have been given values."""
    asked = {variable_in(each) or "_": each for each in goal.arguments}
    names = [name for name in asked if not name.startswith("_")]
    if names and rows:
        found: list[str | int] = []
        for name in names:
            value = rows[0].values.operand(asked[name])
            found += [f"{', ' if found else ''}{name} = "]
            found += [value.offset if isinstance(value, Time) else text_of([value])]
        yield ("this is for ", *found, f"; give {', '.join(names)} a value to ask for another")


def _end(grounds: Grounds, found: Derivable) -> int:
    """Returns the tick at which all is decided that the facts there are decide."""
    ticks = (found.true_at, found.false_at)
    return max(grounds.last_arrival, *(tick for tick in ticks if -1 < tick < NEVER), 0)


def _not_yet(found: Derivable, goal: Atom, at: int) -> Sentence:
    """Returns the summary of an atom that is not reported yet."""
    if _so(found.true_at, at):
        certain = evidence.dated("is certain", " since ", found.true_at)
        return (*certain, ", and is told once its tick has come")
    if goal.time.offset > at and any(row.rows.way.use.clocked for row in found.nearest()):
        return ("is not there yet: its tick has not come",)
    if found.told <= at:
        return ("was open from ", found.told, ", and is not at the moment: another value is the latest")
    return ("is not there yet: no fact speaks for it so far",)


def _why_not(found: Derivable) -> Sentence:
    """Returns the summary of an atom that is false."""
    if not found.has_rows:
        return ("is not there: no rule has such an answer",)
    if found.told < found.false_at:
        return ("was open from ", found.told, ", and is rejected since ", found.false_at)
    return evidence.dated("is not there, and cannot come any more", " since ", found.false_at)


def _so(tick: int, at: int) -> bool:
    return tick <= at and tick != int(NEVER)
