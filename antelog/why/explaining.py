"""The explanation of an atom: what it is at a tick, by which rules, or what stands in the way of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from antelog.compile.literals import Atom, StaticAtom
from antelog.compile.literals.terms import Time, text_of, variable_in
from antelog.compile.nodes.patterns import Pattern
from antelog.engine.columns.tables import NEVER
from antelog.engine.step.lost import sighted
from antelog.language import syntax
from antelog.language.printer import to_text
from antelog.language.vocabulary import PredicateKind
from antelog.why.evidence import FactSearch, background_facts, background_near, instead
from antelog.why.grounds import LAST, Grounds
from antelog.why.nodes import NodeMaker, literal_text, location
from antelog.why.rows import FALSE, TRUE, RankedRow, rows_of_way
from antelog.why.rows import OPEN as AWAITED
from antelog.why.search import Derivable, add_nearby, search
from antelog.why.tree import AtomNode, RuleNode, Sentence, Verdict
from antelog.why.ways import BEFORE_ZERO, CUT, RuleUse, Way, WrittenLiteral, WrittenRule

CONFIRMED, OPEN, POSSIBLE, REJECTED, UNKNOWN = "confirmed", "open", "possible", "rejected", "unknown"

_MOST_NOTES = 3


@dataclass(frozen=True)
class Detail:
    """How much is shown: the levels of rules, and the derivations of an atom."""

    depth: int = 8
    most: int = 1


@dataclass(frozen=True)
class Explaining:
    """Explains atoms on some grounds."""

    grounds: Grounds
    detail: Detail = Detail()
    _known: dict[Atom, Derivable] = field(default_factory=dict)

    def explain(self, goal: Atom, level: int = 0) -> AtomNode:
        """The explanation of an atom, so many levels down."""
        kind = self.grounds.program.checked.vocabulary[goal.predicate].kind
        if kind is PredicateKind.INPUT:
            return self._fact(goal)
        if kind is PredicateKind.STATIC:
            return self._background(goal)
        return self._derived(goal, level)

    # ---- facts ----

    def _fact(self, goal: Atom) -> AtomNode:
        grounds = self.grounds
        at = grounds.at if grounds.at < LAST else grounds.last_arrival
        pattern = Pattern((), goal.time, (goal,), ())
        rows = rows_of_way(grounds, Way(RuleUse(_no_rule(goal), {}), pattern))
        found = min((row for each in rows for row in each.ranked(1)), key=lambda row: row.rank)
        truth = found.truth(goal)
        if truth.status == TRUE:
            assert truth.since is not None
            lines = FactSearch.of(grounds, goal).lines(1)
            return self._answer(goal, at, CONFIRMED, ("came: it arrived at ", truth.since), facts=lines)
        if goal.time.offset < grounds.kept.get(goal.predicate, 0):
            return AtomNode(literal_text(goal), self._old(goal.predicate, at), timescale=grounds.timescale)
        if truth.status == AWAITED:
            assert truth.until is not None
            return self._answer(goal, at, POSSIBLE, ("is not there yet; it may come until ", truth.until))
        return self._answer(goal, at, REJECTED, ("did not come",), facts=instead(grounds, goal))

    def _background(self, goal: Atom) -> AtomNode:
        grounds = self.grounds
        atom = StaticAtom(goal.predicate, goal.terms)
        there = background_facts(grounds, atom)
        verdict = Verdict(grounds.at, CONFIRMED, ("is in the background",))
        if not there:
            verdict = Verdict(grounds.at, REJECTED, ("is not in the background",))
        notes = tuple(
            (f"the rule at {location(grounds, rule.span)}: {to_text(rule)}",)
            for rule in grounds.program.source.rules
            if rule.head.predicate == goal.predicate and rule.body
        )
        return AtomNode(
            literal_text(atom), verdict, facts=there or background_near(grounds, atom), notes=notes
        )

    # ---- derived atoms ----

    def _derived(self, goal: Atom, level: int) -> AtomNode:
        grounds, most = self.grounds, self.detail.most
        found = self._search(goal)
        at = grounds.at if grounds.at < LAST else _end(grounds, found)
        asked = level == 0 and any(q.atom.predicate == goal.predicate for q in grounds.program.source.queries)
        true_at = found.confirmed_at if asked else found.true_at
        rows, total, verdict = list[RankedRow](), 0, self._unknown(found, at)
        if _so(true_at, grounds.at) and found.lost is None:
            rows = found.chosen(lambda row: row.is_complete, most)
            total = sum(each.complete for each in found.rules)
            verdict = Verdict(at, CONFIRMED, _since("is confirmed", true_at))
        elif found.lost is not None:
            pass
        elif _so(found.false_at, grounds.at) or not found.has_rows:
            add_nearby(grounds, goal, found)
            rows, verdict = found.nearest(), Verdict(at, REJECTED, _why_not(found))
        elif found.supported:
            rows = found.chosen(lambda row: row.is_alive, most)
            total = sum(each.alive for each in found.rules)
            verdict = Verdict(at, OPEN, ("is open",))
        else:
            rows, verdict = found.nearest(), Verdict(at, POSSIBLE, _not_yet(found, goal, grounds.end))
        if asked and self._is_lost(goal, found, verdict.status):
            words = ", but it is lost from sight: nothing was seen that decides it"
            verdict = replace(verdict, summary=(*verdict.summary, words))
        maker = NodeMaker(grounds, self.detail.depth, self.explain, self._status)
        return AtomNode(
            literal_text(goal.replaced(rows[0].values) if rows else goal),
            verdict,
            tuple(maker.rule(row.way.use, row, level) for row in rows),
            more=max(0, total - len(rows)),
            notes=(*_unasked(goal, rows), *self._notes(goal, found)),
            timescale=grounds.timescale,
            times=grounds.program.checked.vocabulary.times_of(goal.predicate),
        )

    def _is_lost(self, goal: Atom, found: Derivable, status: str) -> bool:
        """Whether an answer would be open had nothing been concluded where sources were unseen."""
        grounds = self.grounds
        if not grounds.program.plan.has_sight or found.told == NEVER or status not in (CONFIRMED, REJECTED):
            return False
        seen = replace(grounds, known=sighted(grounds.known, grounds.begin or 0))
        again = search(seen, goal, 1)
        return not _so(again.true_at if status == CONFIRMED else again.false_at, grounds.at)

    def _search(self, goal: Atom) -> Derivable:
        """The derivations of an atom, each looked for once."""
        if goal not in self._known:
            self._known[goal] = search(self.grounds, goal, max(2, self.detail.most))
        return self._known[goal]

    def _status(self, goal: Atom) -> str:
        """Whether an atom is true, awaited or failed."""
        found, at = self._search(goal), self.grounds.at
        return TRUE if _so(found.true_at, at) else FALSE if _so(found.false_at, at) else AWAITED

    def _unknown(self, found: Derivable, at: int) -> Verdict:
        return Verdict(at, UNKNOWN, ()) if found.lost is None else self._old(found.lost.input, at)

    def _old(self, name: str, at: int) -> Verdict:
        """The verdict on what rests on facts that are not kept any more."""
        tick = self.grounds.kept[name]
        summary = (
            f"is too old to be explained: the engine has the facts of {name} only from ", tick,
            " on. `antelog why` explains it, with the recorded facts",
        )  # fmt: skip
        return Verdict(at, UNKNOWN, summary)

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
        if CUT in found.flags:
            yield ("there are more ways to it than were looked at",)
        if BEFORE_ZERO in found.flags and not found.has_rows:
            yield ("a rule does not apply here, as it would need a tick before tick 0",)
        for each in [each for each in found.rules if not each.is_about(goal)][:_MOST_NOTES]:
            head = to_text(each.rule.source.head)
            place = location(grounds, each.rule.source.span)
            yield (f"the rule at {place} is about other values: {head}",)

    def _answer(
        self,
        goal: Atom,
        at: int,
        status: str,
        summary: Sentence,
        *,
        rules: Sequence[RuleNode] = (),
        **more: Any,
    ) -> AtomNode:
        return AtomNode(
            literal_text(goal), Verdict(at, status, summary), tuple(rules),
            timescale=self.grounds.timescale, **more,
        )  # fmt: skip


def _no_rule(goal: Atom) -> WrittenRule:
    """A rule whose body is the atom itself."""
    atom = syntax.Atom(goal.predicate, ())
    return WrittenRule(syntax.Rule(atom, ()), goal, (WrittenLiteral(atom, (goal,)),))


def _unasked(goal: Atom, rows: Sequence[RankedRow]) -> Iterator[Sentence]:
    """A note that variables of an atom have been given values."""
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
    """The tick at which all is decided that the facts there are decide."""
    ticks = (found.true_at, found.false_at)
    return max(grounds.last_arrival, *(tick for tick in ticks if -1 < tick < NEVER), 0)


def _since(what: str, tick: int) -> Sentence:
    return (what,) if tick < 0 else (f"{what} since ", tick)


def _not_yet(found: Derivable, goal: Atom, at: int) -> Sentence:
    """The summary of an atom that is not told, and may still be."""
    if _so(found.true_at, at):
        return (*_since("is certain", found.true_at), ", and is told once its tick has come")
    if goal.time.offset > at and any(row.way.use.clocked for row in found.nearest()):
        return ("is not there yet: its tick has not come",)
    if found.told <= at:
        return ("was open from ", found.told, ", and is not at the moment: another value is the latest")
    return ("is not there yet: no fact speaks for it so far",)


def _why_not(found: Derivable) -> Sentence:
    """The summary of an atom that is false."""
    if not found.has_rows:
        return ("is not there: no rule has such an answer",)
    if found.told < found.false_at:
        return ("was open from ", found.told, ", and is rejected since ", found.false_at)
    return _since("is not there, and cannot come any more", found.false_at)


def _so(tick: int, at: int) -> bool:
    return tick <= at and tick != int(NEVER)
