"""The history of each answer, built from its changes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from antelog.compile.nodes.plan import Plan
from antelog.engine.step.wording import LOST
from antelog.errors import DataError
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.durations import ticks_in_words
from antelog.language.moments import Timescale
from antelog.lines import LineLiteral

OPEN, CONFIRMED, REJECTED, CLOSED = "open", "confirmed", "rejected", "closed"
OUTCOMES = (OPEN, CONFIRMED, REJECTED, LOST, CLOSED)
ALL_OTHERS = "all others"
"""The value that stands for all that have not been seen. A text of that name has quotes."""


@dataclass(frozen=True)
class Explanation:
    evidence: tuple[LineLiteral, ...]
    hypotheses: tuple[LineLiteral, ...]


@dataclass(frozen=True)
class AnswerOutlook:
    """The outlook of an open answer: how and when it ends in silence, and by when it is decided.

    `chances` say how likely it was said to be confirmed, by the tick at which that was said.
    """

    silent: tuple[str, int] | None = None
    decided_by: int | None = None
    chances: Mapping[int, float] = field(default_factory=dict)

    @property
    def chance(self) -> float | None:
        """The latest chance."""
        return self.chances[max(self.chances)] if self.chances else None


NO_OUTLOOK = AnswerOutlook()


@dataclass(frozen=True)
class Literals:
    """The literals of an answer's explanations.

    `evidence` has the tick at which each literal came to be known; `missing` are the literals of the
    last explanations that were still awaited, and `because` those that were awaited in vain.
    """

    evidence: Mapping[LineLiteral, int] = field(default_factory=dict)
    missing: tuple[LineLiteral, ...] = ()
    because: tuple[LineLiteral, ...] = ()


@dataclass(frozen=True)
class TickTimes:
    """The times of a change's ticks, and the variables of the answer that have ticks, with their types."""

    ticks: Mapping[str, str]
    timescale: Timescale


@dataclass(frozen=True)
class Wording:
    """How a line reads: its severity, its words if the program has some, and the times of its ticks.

    `lost` has the literals that were lost from sight, and `said` is what it means if not its change.
    """

    severity: str = "info"
    words: str = ""
    times: TickTimes | None = None
    lost: tuple[LineLiteral, ...] = ()
    said: str = ""


PLAIN = Wording()


@dataclass(frozen=True)
class Change:
    """A change of an answer, whose values are texts in the language's syntax.

    A value may also be `_`, which is any, or ALL_OTHERS.
    """

    tick: int
    kind: str
    query: str
    values: Mapping[str, str]
    explanations: tuple[Explanation, ...] = ()
    because: tuple[LineLiteral, ...] = ()
    outlook: AnswerOutlook = NO_OUTLOOK
    wording: Wording = PLAIN

    @property
    def atom(self) -> str:
        return label(self.query, self.values)


@dataclass(frozen=True)
class Answer:
    """An answer from its first evidence on."""

    query: str
    values: Mapping[str, str]
    since: int
    until: int
    outcome: str = OPEN
    literals: Literals = field(default_factory=Literals)
    outlook: AnswerOutlook = NO_OUTLOOK
    wording: Wording = PLAIN

    @cached_property
    def label(self) -> str:
        """The words of the program, or the atom."""
        return self.wording.words or self.atom

    @property
    def atom(self) -> str:
        return label(self.query, self.values)


@dataclass(frozen=True)
class History:
    """Answers in the order of their queries, then of their first evidence; `now` is the last tick known.

    What was before the tick `begin` is not shown, if there is one.
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
        deadlines = (each.outlook.decided_by for each in self.answers if each.outcome == OPEN)
        return max([self.now, *(tick for tick in deadlines if tick is not None)])

    def count(self, outcome: str) -> int:
        return sum(answer.outcome == outcome for answer in self.answers)

    def only(self, queries: Sequence[str], values: Mapping[str, str]) -> History:
        """The answers of some queries (none: all), with these values of variables."""
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
        """The answers that were open at a tick or later, from that tick on."""
        kept = tuple(answer for answer in self.answers if answer.until >= tick)
        return History(kept, max(self.now, tick), tick)

    def timed(self, times: Mapping[str, TickTimes], text: Callable[[int], str]) -> History:
        """Ticks in answers as texts, given what is known of them for each query."""
        answers = (
            replace(each, values=timed(each.values, times[each.query], text)) if each.query in times else each
            for each in self.answers
        )
        return replace(self, answers=tuple(answers))

    def with_distinct_words(
        self, shown: Callable[[Answer], Collection[str | None]] = lambda _: ()
    ) -> History:
        """The history in which answers with the same words have the values by which they differ.

        Those of variables that are `shown` elsewhere are left out.
        """
        alike: dict[tuple[str, str], list[Answer]] = {}
        for answer in self.answers:
            alike.setdefault((answer.query, answer.wording.words), []).append(answer)
        differing = {
            key: [name for name in answers[0].values if len({each.values.get(name) for each in answers}) > 1]
            for key, answers in alike.items()
        }
        found = []
        for each in self.answers:
            words = each.wording.words
            names = (name for name in differing[each.query, words] if name not in shown(each))
            longer = ", ".join([words, *(f"{name} = {each.values[name]}" for name in names)])
            found.append(replace(each, wording=replace(each.wording, words=longer)) if words else each)
        return replace(self, answers=tuple(found))

    def by_time(self) -> History:
        """The history by the facts' own times, for answers of which no earlier tick is known."""
        found = []
        for answer in self.answers:
            until, outlook = answer.until, answer.outlook
            evidence = {
                literal: until if literal.tick is None else min(literal.tick, until)
                for literal in answer.literals.evidence
            }
            since = min([answer.since, *evidence.values()])
            outlook = replace(outlook, chances={} if outlook.chance is None else {since: outlook.chance})
            literals = replace(answer.literals, evidence=evidence)
            found.append(replace(answer, since=since, outlook=outlook, literals=literals))
        return replace(self, answers=tuple(found))


def timed(values: Mapping[str, str], times: TickTimes, text: Callable[[int], str]) -> Mapping[str, str]:
    """Values, with times as texts and durations in words, where they are known."""
    return {
        name: ticks_in_words(int(value), times.ticks[name], times.timescale, text)
        if name in times.ticks and value.removeprefix("-").isdecimal()
        else value
        for name, value in values.items()
    }


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
    """The history of each answer. Open ones last until `now`: the last change, if not given."""
    found: dict[tuple[str, tuple[str, ...]], Answer] = {}
    queries: dict[str, int] = {}
    last = now or 0
    for change in changes:
        last = max(last, change.tick)
        queries.setdefault(change.query, len(queries))
        key = change.query, tuple(change.values.values())
        before = found.get(key)
        if before is None or before.outcome != OPEN:
            before = Answer(change.query, change.values, change.tick, change.tick)
        found[key] = _after(before, change)
    ended = (replace(each, until=last) if each.outcome == OPEN else each for each in found.values())
    return History(tuple(sorted(ended, key=lambda a: (queries[a.query], a.since, a.until))), last)


def _after(answer: Answer, change: Change) -> Answer:
    known = (literal for each in change.explanations for literal in each.evidence)
    awaited = (literal for each in change.explanations for literal in each.hypotheses)
    evidence = {**dict.fromkeys(known, change.tick), **answer.literals.evidence}
    missing = tuple(literal for literal in dict.fromkeys(awaited) if literal not in evidence)
    return replace(
        answer,
        until=change.tick,
        outcome=change.wording.said or change.kind if change.kind in OUTCOMES else OPEN,
        literals=Literals(evidence, missing, change.because),
        wording=change.wording,
        outlook=replace(change.outlook, chances={**answer.outlook.chances, **change.outlook.chances}),
    )


def _known(names: Iterable[str], known: Sequence[str], what: str, several: str) -> None:
    for name in names:
        if known and name not in known:
            hint = did_you_mean(name, known) or f"The {several} are {', '.join(known)}."
            raise DataError(f"no answer has the {what} {name}. {hint}")
