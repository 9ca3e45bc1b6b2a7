"""The history of each answer, built from its changes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

from antelog.answers import CLOSED, CONFIRMED, OPEN, REJECTED, state_after
from antelog.compile.nodes.plan import Plan
from antelog.engine.step.wording import LOST, meaning
from antelog.errors import DataError
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.durations import ticks_in_words
from antelog.language.moments import Timescale
from antelog.lines import IfSilent, LineLiteral, awaited, literals_of

OUTCOMES = (OPEN, CONFIRMED, REJECTED, LOST, CLOSED)
PLAIN = "info"
"""The severity of a query that has none."""
ALL_OTHERS = "all others"
"""The value of answers about all others; a text of that name has quotes."""


@dataclass(frozen=True)
class TickTimes:
    """The variables of the answer that have ticks, with their types, and the times of ticks."""

    ticks: Mapping[str, str]
    timescale: Timescale


@dataclass(frozen=True)
class Change:
    """A change of an answer: its line, and its values as texts in the language's syntax.

    A value may also be `_`, which is any, or ALL_OTHERS. `times` are known where the line says times.
    """

    line: Mapping[str, Any] = field(compare=False)
    query: str
    values: Mapping[str, str]
    times: TickTimes | None = None

    @property
    def tick(self) -> int:
        return int(self.line["tick"])

    @property
    def kind(self) -> str:
        """The meaning of the change: its kind, or that the answer was lost from sight."""
        return meaning(self.line)

    @property
    def atom(self) -> str:
        return label(self.query, self.values)

    def timed(self, times: TickTimes, text: Callable[[int], str]) -> Change:
        """Writes ticks as texts and durations in words, where values have them."""
        values = {
            name: ticks_in_words(int(value), times.ticks[name], times.timescale, text)
            if name in times.ticks and value.removeprefix("-").isdecimal()
            else value
            for name, value in self.values.items()
        }
        return replace(self, values=values)

    @property
    def words(self) -> str:
        """The words of the program, if it has some."""
        return self.line.get("text") or ""

    @property
    def severity(self) -> str:
        return self.line.get("severity") or PLAIN

    @property
    def chance(self) -> float | None:
        chance = self.line.get("chance")
        return None if chance is None else float(chance)

    @property
    def decided_by(self) -> int | None:
        found: int | None = self.line.get("decided_by")
        return found

    @property
    def silent(self) -> IfSilent | None:
        """The change of the answer if nothing more comes, and its tick."""
        return self.line.get("if_silent") or None

    @cached_property
    def evidence(self) -> Sequence[Sequence[LineLiteral]]:
        """The known literals of each explanation."""
        return [literals_of(each["evidence"]) for each in self.line.get("explanations") or ()]

    @cached_property
    def awaited(self) -> Sequence[Sequence[LineLiteral]]:
        """The awaited literals of each explanation."""
        return [awaited(each) for each in self.line.get("explanations") or ()]

    @property
    def because(self) -> Sequence[LineLiteral]:
        """The literals that were awaited in vain."""
        return literals_of(self.line.get("because"))

    @property
    def lost(self) -> Sequence[LineLiteral]:
        """The literals that were lost from sight."""
        return literals_of(self.line.get(LOST))


@dataclass(frozen=True)
class Answer:
    """An answer from its first evidence on, with its latest change.

    evidence  literals with the ticks at which they came to be known
    missing   literals that are still awaited
    chances   chances by the tick of their line
    """

    change: Change
    since: int
    until: int
    outcome: str = OPEN
    evidence: Mapping[LineLiteral, int] = field(default_factory=dict)
    missing: Sequence[LineLiteral] = ()
    chances: Mapping[int, float] = field(default_factory=dict)
    words: str = ""

    @property
    def query(self) -> str:
        return self.change.query

    @property
    def values(self) -> Mapping[str, str]:
        return self.change.values

    @property
    def atom(self) -> str:
        return self.change.atom

    @property
    def label(self) -> str:
        """The words of the program, or the atom."""
        return self.words or self.atom

    @property
    def chance(self) -> float | None:
        """The latest chance."""
        return self.chances[max(self.chances)] if self.chances else None


@dataclass(frozen=True)
class History:
    """Answers in the order of their queries, then of their first evidence; `now` is the last tick known.

    Ticks before `begin` are not shown.
    """

    answers: tuple[Answer, ...]
    now: int
    begin: int | None = None

    @property
    def first(self) -> int:
        if self.begin is not None:
            return self.begin
        return min((answer.since for answer in self.answers), default=0)

    @property
    def last(self) -> int:
        """The last tick of the history: now, or the last deadline."""
        deadlines = (each.change.decided_by for each in self.answers if each.outcome == OPEN)
        return max([self.now, *(tick for tick in deadlines if tick is not None)])

    def count(self, outcome: str) -> int:
        return sum(answer.outcome == outcome for answer in self.answers)

    def only(self, queries: Sequence[str], values: Mapping[str, str]) -> History:
        """Keeps the answers of some queries (none: all), with these values of variables."""
        _known(queries, list(dict.fromkeys(each.query for each in self.answers)), "query", "queries")
        names = dict.fromkeys(name for each in self.answers for name in each.values)
        _known(values, list(names), "variable", "variables")
        kept = []
        for answer in self.answers:
            texts = ((value, answer.values.get(name, "")) for name, value in values.items())
            fits = all(text and value in (text, text.strip('"')) for value, text in texts)
            kept += [answer] if fits and (not queries or answer.query in queries) else []
        return replace(self, answers=tuple(kept))

    def since(self, tick: int) -> History:
        """Keeps the answers that were open at a tick or later, from that tick on."""
        kept = tuple(answer for answer in self.answers if answer.until >= tick)
        return History(kept, max(self.now, tick), tick)

    def timed(self, times: Mapping[str, TickTimes], text: Callable[[int], str]) -> History:
        """Writes ticks in answers as texts, given the times of each query."""
        answers = []
        for each in self.answers:
            known = times.get(each.query)
            change = each.change if known is None else each.change.timed(known, text)
            answers.append(replace(each, change=change))
        return replace(self, answers=tuple(answers))

    def with_distinct_words(
        self, shown: Callable[[Answer], Collection[str | None]] = lambda _: ()
    ) -> History:
        """Adds to equal words of answers the values by which these differ, unless `shown` elsewhere."""
        alike: dict[tuple[str, str], list[Answer]] = {}
        for answer in self.answers:
            alike.setdefault((answer.query, answer.words), []).append(answer)
        differing = {
            key: [name for name in answers[0].values if len({each.values.get(name) for each in answers}) > 1]
            for key, answers in alike.items()
        }
        found = []
        for each in self.answers:
            words = each.words
            names = (name for name in differing[each.query, words] if name not in shown(each))
            longer = ", ".join([words, *(f"{name} = {each.values[name]}" for name in names)])
            found.append(replace(each, words=longer) if words else each)
        return replace(self, answers=tuple(found))

    def by_time(self) -> History:
        """Dates answers by their facts' own times, if no earlier tick of theirs is known."""
        found = []
        for answer in self.answers:
            until = answer.until
            evidence = {
                literal: until if literal.tick is None else min(literal.tick, until)
                for literal in answer.evidence
            }
            since = min([answer.since, *evidence.values()])
            chances = {} if answer.chance is None else {since: answer.chance}
            found.append(replace(answer, since=since, evidence=evidence, chances=chances))
        return replace(self, answers=tuple(found))


def times_of(plan: Plan) -> dict[str, TickTimes]:
    """The times of the ticks of each query, in a program that says how long they are."""
    scale = plan.timescale
    return {} if scale is None else {each.name: TickTimes(each.answer.ticks, scale) for each in plan.queries}


def label(query: str, values: Mapping[str, str]) -> str:
    return f"{query}({', '.join(values.values())})" if values else query


def up_to(tick: int, changes: Iterable[Change]) -> Iterator[Change]:
    """The changes of a tick and before."""
    return (change for change in changes if change.tick <= tick)


def history(changes: Iterable[Change], now: int | None = None) -> History:
    """The history of each answer. Open ones last until `now` (by default, the last change)."""
    found: dict[tuple[str, tuple[str, ...]], Answer] = {}
    queries: dict[str, int] = {}
    last = now or 0
    for change in changes:
        last = max(last, change.tick)
        queries.setdefault(change.query, len(queries))
        key = change.query, tuple(change.values.values())
        before = found.get(key)
        if before is None or before.outcome != OPEN:
            before = Answer(change, change.tick, change.tick)
        evidence = {**dict.fromkeys(chain(*change.evidence), change.tick), **before.evidence}
        missing = tuple(each for each in dict.fromkeys(chain(*change.awaited)) if each not in evidence)
        chances = before.chances if change.chance is None else {**before.chances, change.tick: change.chance}
        state = state_after(change.line)
        found[key] = Answer(
            change, before.since, change.tick, state, evidence, missing, chances, change.words
        )
    ended = (replace(each, until=last) if each.outcome == OPEN else each for each in found.values())
    return History(tuple(sorted(ended, key=lambda a: (queries[a.query], a.since, a.until))), last)


def _known(names: Iterable[str], known: Sequence[str], what: str, several: str) -> None:
    for name in names:
        if known and name not in known:
            hint = did_you_mean(name, known) or f"The {several} are {', '.join(known)}."
            raise DataError(f"no answer has the {what} {name}. {hint}")
