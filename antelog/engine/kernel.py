"""The kernel: new facts and a tick in, a new state and the changes out.

The state is the facts that still matter; everything else is computed from them, for the answers that a step
can change. A step covers any number of ticks and dates each change, so results do not depend on how a stream
is cut into steps. The functions here call the stages in this order; no stage calls another.

    facts          admitted, and kept by tick                                  facts/
    affected       the ticks of the answers that the step can change           step/query.py
    derivations    rows of each pattern, and when their literals are true      step/pattern_rows.py, atoms.py
    lives          the derivations of each answer, and the moments of these    step/lives.py
    explanations   those that are reported, and the status of the answer       step/explanations.py
    lost           what was decided while sources were unseen                  step/lost.py
    lines          of the log                                                  step/lines.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Input, Plan
from antelog.compile.prepared.rules import prepared
from antelog.engine.columns.joins import TooLargeError, budget
from antelog.engine.columns.spans import spans_of
from antelog.engine.columns.tables import Column, Mask, distinct, marked, sorting
from antelog.engine.facts.admission import Admitted, admit
from antelog.engine.facts.frames import Frame
from antelog.engine.facts.history import Facts, History, conflicting, forgetting, fresh, rows_of, sentence
from antelog.engine.state import (
    State,
    begun,
    has_begun,
    knowledge_of,
    lighter,
    seeing,
    since,
    step_to,
    with_facts,
)
from antelog.engine.step.atoms import derivations_of
from antelog.engine.step.derivations import Knowledge
from antelog.engine.step.explanations import OPEN, Explanations, explanations
from antelog.engine.step.lines import (
    Lines,
    changes,
    joined,
    knows_open,
    lines,
    no_lines,
    open_lines,
    with_overdue,
)
from antelog.engine.step.lives import current, lives, moments_of
from antelog.engine.step.lost import LostLiterals, sighted, unsure, with_its_past
from antelog.engine.step.query import ALL_LINES, REVISED, Kinds, LineSelection, StepQuery, affected, undecided
from antelog.engine.step.remembering import remembered
from antelog.errors import DataError

_MANY = 1_000  # from this many facts on, the lines per fact are a good estimate


def admitted(
    plan: Plan, state: State, frames: Mapping[str, Frame], now: int, *, arrival: str = "arrival"
) -> tuple[State, Admitted]:
    """Admits the facts of frames up to `now`; repetitions of known facts are counted as such."""

    def conflicts(source: Input, facts: Facts) -> tuple[Mask, pa.Array]:
        lost = conflicting(source, facts, state.history, state.values)
        return lost, sentence(source, int(lost.sum()))

    batch = admit(plan, frames, state.values, state.now, now, arrival=arrival, conflicts=conflicts)
    facts = {name: fresh(state.history, name, new) for name, new in batch.facts.items()}
    counts = {
        name: replace(c, admitted=facts[name].count, repeated=c.repeated + c.admitted - facts[name].count)
        for name, c in batch.counts.items()
    }
    return seeing(plan, state, batch.types), replace(batch, facts=facts, counts=counts)


def step(
    plan: Plan, state: State, facts: Mapping[str, Facts], now: int, wanted: LineSelection = ALL_LINES
) -> tuple[State, dict[str, Lines]]:
    """Advances the state to the tick `now` with facts of `admitted`; returns the changes of queries, too."""
    found: dict[str, list[Lines]] = {query.name: [] for query in prepared(plan).queries}
    begin, functions = state.now, state.values.functions
    functions.begin_step()
    count, lines_of = sum(new.count for new in facts.values()), Counter[str]()
    reach = max((-(back or 0) for back in prepared(plan).needed.values()), default=0)
    for end, batch in batches(facts, state.history, now, state.observed.lines, reach):
        for after, parts in _with_room(plan, state, batch, end, wanted):
            state = after
            for name, changed in parts.items():
                found[name].append(changed)
                lines_of[name] += changed.table.num_rows
            if lines_of.total() > _MOST_LINES + _LINES_OF_A_FACT * count:
                raise DataError(_too_many_lines(state.now - begin, now - begin, lines_of))
    functions.check()
    whole = {name: joined(parts) for name, parts in found.items()}
    if count > _MANY:
        lines = sum(each.table.num_rows for each in whole.values()) / count
        state = replace(state, observed=replace(state.observed, lines=lines))
    return lighter(plan, state), whole


_MOST_LINES = 1_000_000  # the lines that a step may have without facts: they take some 300 MB
_LINES_OF_A_FACT = 20  # the further lines that a step may have for each of its facts


def _stepped(
    plan: Plan, state: State, facts: Mapping[str, Facts], now: int, wanted: LineSelection
) -> tuple[State, Mapping[str, Lines]]:
    """Takes a step in one piece; values of forgotten facts stay."""
    state = begun(plan, state, facts)
    if state.begin is None:
        return replace(state, now=now), _nothing_changed(plan, state, wanted.only)
    rules, ticks = prepared(plan), step_to(state, now)
    whole = with_facts(state, facts)
    known = knowledge_of(plan, whole)
    found = dict[str, Lines]()
    if wanted.only and now >= state.begin:
        new = {
            name: spans_of(distinct(facts[name].time) if name in facts else np.zeros(0, np.int64))
            for name in whole.history
        }
        about = affected(rules, [query.name for query in rules.queries], ticks, new, known.seen)
        for name, each in about.items():
            found[name] = changes_of(known, query_of(plan, state, StepQuery(name, each, ticks, wanted)))
    else:
        found = _nothing_changed(plan, state, wanted.only)
    decided = {name: remembered(known, name, now) for name in rules.cycles}
    first = {name: 0 if back is None else now + back for name, back in rules.needed.items()}
    history = forgetting(rules, whole.history, first, now)
    return replace(whole, now=now, history=history, decided=decided), found


def query_of(plan: Plan, state: State, query: StepQuery) -> StepQuery:
    """Fills in the fields of a query that follow from the rules and the state."""
    rules = prepared(plan)
    confirmed_only = set(query.wanted.only) == {"confirmed"} and not rules.relations[query.name].unguarded
    return replace(
        query,
        since=since(plan, state, query.name),
        settled=state.carried.settled.get(query.name),
        confirmed_only=confirmed_only,
        past=query.name in rules.unsteady and not confirmed_only,
        columns=state.observed.answers[query.name],
    )


def changes_of(known: Knowledge, query: StepQuery) -> Lines:
    reported = explained(known, query)
    if not known.rules.plan.has_sight or (reported.status == OPEN).all():  # nothing is decided
        return changes(known, query, reported)
    seen = sighted(known, query.step.begin)
    doubtful = unsure(seen, query, reported)
    past = with_its_past(known, query, reported, doubtful)
    again = None if past is None else explained(known, past, overdue=False)
    return changes(known, query, reported, LostLiterals(seen, doubtful, again))


def explained(known: Knowledge, query: StepQuery, *, overdue: bool = True) -> Explanations:
    """Runs the stages up to the explanations of a query's answers."""
    derivations = derivations_of(known, query)
    found = lives(known, query, derivations)
    reported = explanations(known, query, found, moments_of(query, found))
    return with_overdue(known, query, reported) if query.past and overdue else reported


def _nothing_changed(plan: Plan, state: State, only: Sequence[str]) -> dict[str, Lines]:
    opened = 0 if knows_open(only) else None
    return {query.name: no_answers(plan, state, query.name, opened) for query in plan.queries}


def no_answers(plan: Plan, state: State, query: str, opened: int | None = None) -> Lines:
    return no_lines(state.observed.answers[query].schema.empty_table(), plan.relation(query), opened)


@dataclass(frozen=True, eq=False)
class FinishedStep:
    """The state before and after a step, the facts admitted in it, and the changes of each query."""

    before: State
    after: State
    facts: Mapping[str, Facts]
    changes: Mapping[str, Lines]
    open_before: Callable[[str], Lines] | None = None  # of a query, where other processes have the facts


# ---- open answers ----


@dataclass(frozen=True, eq=False)
class Current:
    """The answers of a query after the last finished tick, each at its moments."""

    known: Knowledge
    query: StepQuery
    reported: Explanations

    @property
    def open_(self) -> Column:
        return marked(self.reported.status == OPEN)

    def keys(self, moment: Column) -> list[Column]:
        """The cells and the times of the answers of moments."""
        first = self.reported.found.by_answer.first[self.reported.at.answer[moment]]
        return [*(cells[first] for cells in self.reported.found.answer), self.reported.found.time[first]]

    def lines(self, moment: Column, kind: Kinds) -> Lines:
        return lines(self.known, self.query, self.reported, moment, kind)

    def table(self, moment: Column, kind: int = REVISED) -> pa.Table:
        return self.lines(moment, np.full(len(moment), kind)).table

    def ended(self, moment: Column, change: str, because: Sequence[str] | None = None) -> pa.Table:
        """Lines of open answers that end, and of which nothing is expected any more."""
        table = self.table(moment)
        given = {"change": change, "if_silent": None, "decided_by": None}
        for name, value in (given if because is None else {**given, "because": because}).items():
            place = table.schema.get_field_index(name)
            field = table.schema.field(place)
            table = table.set_column(place, field, pa.array([value] * table.num_rows, field.type))
        return table


def current_answers(plan: Plan, state: State, name: str, wanted: LineSelection) -> Current:
    """The answers of a query that are open now, and the confirmed ones that rules still look at."""
    last = step_to(replace(state, now=state.now - 1), state.now)
    query = query_of(plan, state, StepQuery(name, undecided(prepared(plan), name, last), last, wanted))
    query, known = replace(query, past=False), knowledge_of(plan, state)
    found = lives(known, query, derivations_of(known, query))
    return Current(known, query, explanations(known, query, found, current(found, last.now)))


def open_answers(plan: Plan, state: State, name: str, wanted: LineSelection = ALL_LINES) -> Lines:
    """The lines of answers that are open, and of those that the last tick has confirmed."""
    if not has_begun(state):
        return no_answers(plan, state, name)
    now = current_answers(plan, state, name, wanted)
    confirmed = query_of(plan, state, replace(now.query, wanted=replace(wanted, only=("confirmed",))))
    return joined([open_lines(now.known, now.query, now.reported), changes_of(now.known, confirmed)])


def count_open(plan: Plan, state: State, name: str, wanted: LineSelection = ALL_LINES) -> int:
    if not has_begun(state):
        return 0
    now = current_answers(plan, state, name, wanted)
    return now.reported.found.count(now.reported.at.answer.take(now.open_))


# ---- large steps in pieces ----

_ENOUGH = 32_000  # a batch of this many facts is worth a step
_LINES = 64_000  # a batch that gives this many lines is worth a step
_MOST_FACTS = 500_000  # the most facts of a batch, about, which limits its memory

_OUTWEIGHS = 4  # a batch has at least this many times the kept facts, as a step may look at all of those


def batches(
    facts: Mapping[str, Facts], kept: History, now: int, lines: float, reach: int = 0
) -> Iterator[tuple[int, Mapping[str, Facts]]]:
    """Cuts facts, of so many `lines` each, into batches of `reach` ticks or more; yields their ends, too."""
    count = sum(new.count for new in facts.values())
    # The kept facts are counted only if there is something to cut, for that takes a moment.
    number = max(count // _ENOUGH, int(count * lines) // _LINES)
    if number > 1:
        number = min(number, count // max(1, _OUTWEIGHS * rows_of(kept)))
    ends = [now]
    if number > 1:
        arrival = np.sort(np.concatenate([new.arrival for new in facts.values()]))
        by_reach = int(arrival[-1] - arrival[0]) // max(1, reach)
        number = min(number, max(by_reach, count // _MOST_FACTS, 1))
        cuts = arrival[np.arange(1, number) * count // number]
        ends = [*(end for end in dict.fromkeys(cuts.tolist()) if end < now), now]
    if len(ends) == 1:
        yield now, facts
        return
    parts = {name: _cut(new, ends) for name, new in facts.items()}
    for number, end in enumerate(ends):
        yield end, {name: part[number] for name, part in parts.items()}


def _cut(facts: Facts, ends: list[int]) -> list[Facts]:
    """Splits facts into those that arrive by each of some ticks."""
    number = np.searchsorted(np.array(ends), facts.arrival)
    ordered = facts.take(sorting(number))
    counts = np.bincount(number, minlength=len(ends))
    pairs = zip(np.cumsum(counts).tolist(), counts.tolist(), strict=True)
    return [ordered.between(end - count, end) for end, count in pairs]


def _with_room(
    plan: Plan, state: State, facts: Mapping[str, Facts], now: int, wanted: LineSelection
) -> Iterator[tuple[State, Mapping[str, Lines]]]:
    """Takes a step, cut into halves until no table is too large; yields the steps in order."""
    try:
        done = _stepped(plan, state, facts, now, wanted)
    except TooLargeError:
        middle = _middle(state, facts, now)
        if middle is None:
            yield _with_more_room(plan, state, facts, now, wanted)
            return
    else:
        yield done
        return
    first = {name: new.take(new.arrival <= middle) for name, new in facts.items()}
    second = {name: new.take(new.arrival > middle) for name, new in facts.items()}
    last = state
    for last, found in _with_room(plan, state, first, middle, wanted):
        yield last, found
    yield from _with_room(plan, last, second, now, wanted)


def _with_more_room(
    plan: Plan, state: State, facts: Mapping[str, Facts], now: int, wanted: LineSelection
) -> tuple[State, Mapping[str, Lines]]:
    try:
        with budget(times=_MORE_ROOM):
            return _stepped(plan, state, facts, now, wanted)
    except TooLargeError as error:
        raise DataError(_too_large(now, error)) from None


_MORE_ROOM = 4  # a tick that cannot be cut gets so many times the budget: by default a table of 1 GB


def _middle(state: State, facts: Mapping[str, Facts], now: int) -> int | None:
    """The tick that halves the facts of a step; None if it has only one tick."""
    if now <= state.now + 1:
        return None
    arrivals = np.sort(np.concatenate([np.zeros(0, np.int64), *(new.arrival for new in facts.values())]))
    middle = int(arrivals[len(arrivals) // 2]) - 1 if len(arrivals) else (state.now + now) // 2
    return min(max(middle, state.now + 1), now - 1)


def _too_many_lines(done: int, ticks: int, lines: Counter[str]) -> str:
    ((name, _),) = lines.most_common(1)
    return (
        f"the step has {lines.total():,} lines after {done:,} of its {ticks:,} ticks, most of {name}. Is a "
        f"time wrong? Else advance in shorter steps, or give the rule of {name} a condition on a fact: then "
        "it has answers there only"
    )


def _too_large(now: int, error: TooLargeError) -> str:
    rule = f" for {error.where}" if error.where else ""
    return (
        f"tick {now} needs {error.rows:,} rows at once{rule}, which are too many. Bound the times of the "
        "rule more tightly, compare more of its values, or declare a shorter `tick`; in Python, `budget` "
        "gives it more memory"
    )
