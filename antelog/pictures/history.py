"""Changes read from tables, frames, rows and files of JSON lines, and the history of each answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from antelog.answers import CLOSED, CONFIRMED, OPEN, REJECTED, state_after
from antelog.compile.nodes.plan import Plan
from antelog.engine.step.query import STILL_OPEN
from antelog.engine.step.schema import AFTER_ANSWER, is_written
from antelog.engine.step.wording import LOST, meaning
from antelog.errors import DataError
from antelog.forecast.columns import KINDS, NAMES
from antelog.given import PATH, wrong
from antelog.language.checks.suggestions import require_known
from antelog.language.durations import ticks_in_words
from antelog.language.moments import DEFAULT_ZONE, TIME, Timescale, timed, zones
from antelog.language.printer import value_text
from antelog.lines import LABEL, IfSilent, LineLiteral, awaited, literals_of

OUTCOMES = (OPEN, CONFIRMED, REJECTED, LOST, CLOSED)
PLAIN = "info"  # the severity of a query that has none
ALL_OTHERS = "all others"  # the value of answers about all others; a text of that name has quotes


@dataclass(frozen=True)
class TickTimes:
    """The variables of the answer that have ticks, with their types, and the times of ticks."""

    ticks: Mapping[str, str]
    timescale: Timescale


@dataclass(frozen=True)
class Change:
    """A change of an answer: its line, and its values as texts in the language's syntax."""

    line: Mapping[str, Any] = field(compare=False)
    query: str
    values: Mapping[str, str]  # a value may also be `_`, which is any, or ALL_OTHERS
    times: TickTimes | None = None  # known where the line says times

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
        return self.line.get("decided_by")

    @property
    def silent(self) -> IfSilent | None:
        """The change of the answer if nothing more comes, and its tick."""
        return self.line.get("if_silent") or None

    @cached_property
    def evidence(self) -> Sequence[Sequence[LineLiteral]]:
        return [literals_of(each["evidence"]) for each in self.line.get("explanations") or ()]

    @cached_property
    def awaited(self) -> Sequence[Sequence[LineLiteral]]:
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
    """An answer from its first evidence on, with its latest change."""

    change: Change
    since: int
    until: int
    outcome: str = OPEN
    evidence: Mapping[LineLiteral, int] = field(default_factory=dict)  # since when literals are known
    missing: Sequence[LineLiteral] = ()  # the literals that are still awaited
    chances: Mapping[int, float] = field(default_factory=dict)  # by the tick of their line
    words: str = ""

    @property
    def query(self) -> str:
        return self.change.query

    @property
    def values(self) -> Mapping[str, str]:
        return self.change.values

    @property
    def label(self) -> str:
        """The words of the program, or the atom."""
        return self.words or self.change.atom

    @property
    def chance(self) -> float | None:
        return self.chances[max(self.chances)] if self.chances else None


@dataclass(frozen=True)
class History:
    """Answers in the order of their queries, then of their first evidence."""

    answers: tuple[Answer, ...]
    now: int  # the last tick known
    begin: int | None = None  # earlier ticks are not shown

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
        if known:
            require_known(name, known, f"no answer has the {what}", f"The {several} are")


_COMMON = {"tick", TIME, "change", "query", "answer", "others", *AFTER_ANSWER, *NAMES, *LABEL}


def changes_in(source: Any) -> Iterator[Change]:
    """The changes of a table, a frame, a mapping of such by query, rows, a file, or several of these."""
    match source:
        case Change():
            yield source
        case str() | PathLike() if not PATH.fits(source):
            raise wrong("the source", source, PATH.words)
        case str() | PathLike():
            with _readable(str(source)), Path(source).open(encoding="utf-8") as file:
                yield from of_lines(file, str(source))
        case Mapping() if "change" in source:
            yield of_row(source)
        case Mapping():
            yield from chain.from_iterable(of_table(_table(table), query) for query, table in source.items())
        case _ if hasattr(source, "__arrow_c_stream__"):
            yield from of_table(_table(source))
        case Iterable():
            yield from chain.from_iterable(map(changes_in, source))
        case _:
            raise _unusable(source)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Raises DataError if a source cannot be read, or is not a text."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{name}: is not UTF-8 text; a log of changes has JSON lines") from None


def of_lines(lines: Iterable[str], name: str) -> Iterator[Change]:
    """The changes in JSON lines of an open file, or of its snapshots; messages call them by a name."""
    before: dict[str, dict[str, Mapping[str, Any]]] = {}
    with _readable(name):
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                yield from map(of_row, _told(row, before) if "answers" in row else [row])
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                hint = 'a line is one that `antelog try` prints, like {"tick": 0, "change": "possible", …}'
                raise DataError(f"{name}:{number}: is not a change; {hint}") from None


def _told(
    shot: Mapping[str, Any], before: dict[str, dict[str, Mapping[str, Any]]]
) -> Iterator[Mapping[str, Any]]:
    """The changes from the open answers `before` to a snapshot; those no longer listed are rejected."""
    told = {name: shot[name] for name in ("tick", "query", TIME) if name in shot}
    gone, still = before.get(shot["query"], {}), {}
    for answer in shot["answers"]:
        key = json.dumps([answer["answer"], answer.get("others")])
        known = gone.pop(key, None) is not None
        if "decided_by" in answer:
            still[key] = answer
            yield {**told, **answer, "change": "revised" if known else "possible"}
        else:
            yield {**told, **answer, "change": "confirmed"}
    yield from ({**told, **answer, "change": "rejected"} for answer in gone.values())
    before[shot["query"]] = still


def of_row(row: Mapping[str, Any]) -> Change:
    """The change in a row, as `antelog try` prints it or a pipeline writes it."""
    answer = row["answer"]
    values = json.loads(answer) if isinstance(answer, str) else answer
    return _change(row, str(row["query"]), {name: _text(value) for name, value in values.items()})


def of_table(table: pa.Table, query: str = "") -> Iterator[Change]:
    """The changes in a table of one query, or (with a column `query`) of all."""
    if "change" not in table.column_names or "tick" not in table.column_names:
        raise DataError(
            f"a table with the columns {', '.join(table.column_names) or '(none)'} has no changes; "
            "give what `engine.advance` or `engine.answers` returned"
        )
    if "query" in table.column_names and "answer" in table.column_names:
        yield from map(of_row, table.to_pylist())
        return
    ticks = {timed(name) for name in table.column_names}
    names = [name for name in table.column_names if name not in _COMMON and name not in ticks]
    written = {name for name in names if is_written(table.schema.field(name))}
    for row in table.to_pylist():
        texts = {name: row[name] if name in written and row[name] else _text(row[name]) for name in names}
        yield _change(row, query, texts)


def _change(row: Mapping[str, Any], query: str, values: Mapping[str, str]) -> Change:
    if row["change"] not in (*KINDS, STILL_OPEN):
        raise ValueError(row["change"])
    others: Sequence[str] = row.get("others") or ()
    shown = {name: ALL_OTHERS if name in others else value for name, value in values.items()}
    change = Change(row, query, shown, _times(row, int(row["tick"])))
    # All is read at once, so that a line that is none is found where it is.
    _ = change.evidence, change.awaited, change.because, change.lost, change.chance
    if silent := change.silent:
        _ = str(silent["change"]), int(silent["tick"])
    return change


def _times(row: Mapping[str, Any], tick: int) -> TickTimes | None:
    """The times of ticks in a row: a tick and its time tell how long a tick is."""
    time = row.get(TIME)
    if isinstance(time, str):
        time = datetime.fromisoformat(time)
    if time is None or not tick:
        return None
    variables = row.get("times") or (name for name in row if timed(name) in row and name not in _COMMON)
    zone = str(time.tzinfo)  # the name of a zone, whichever library it comes from, or an offset
    zone = zone if zone in zones() else DEFAULT_ZONE
    return TickTimes(dict.fromkeys(variables, TIME), Timescale.of_moment(tick, time, zone))


def _text(value: object) -> str:
    """A value in the language's syntax; `_` is any."""
    match value:
        case None:
            return "_"
        case bool():
            return str(value).lower()
        case str() | int() | float():
            return value_text(value)
        case _:
            return str(value)


def _table(source: Any) -> pa.Table:
    if not hasattr(source, "__arrow_c_stream__"):
        raise _unusable(source)
    return source if isinstance(source, pa.Table) else pa.table(source)


def _unusable(source: object) -> DataError:
    return DataError(
        f"{type(source).__name__} cannot be drawn; give a program, an engine, what `engine.advance` or "
        "`engine.answers` returned (one or a list), or the path of a log in JSON lines"
    )
