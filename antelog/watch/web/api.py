"""The API: the board as JSON, acts of people, posted facts, and metrics; see `docs/live-page.md`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from antelog.answers import CLOSED
from antelog.engine.step.wording import LOST
from antelog.files.columns import has
from antelog.forecast.scores.scores import report_json
from antelog.incidents.incident_list import KIND, NONE
from antelog.language.moments import TIME
from antelog.run.metrics import text_of
from antelog.run.store import inbox
from antelog.run.store.database import is_store
from antelog.run.store.inbox import Act, ActKind, names_of, post
from antelog.watch.alerts.samples import samples
from antelog.watch.board.answer_table import SORTS
from antelog.watch.board.board import Board
from antelog.watch.board.feed_program import rules_behind
from antelog.watch.board.judged_feed import JudgedFeed
from antelog.watch.board.selection import Given, decided_filter, first, number_of, selection_of
from antelog.watch.board.tracked_answer import TrackedAnswer
from antelog.watch.web.live_board import LiveBoard, summary
from antelog.watch.web.views.context import TickClock, ViewContext

_Text = Annotated[str, Meta(max_length=1_000)]
_EXAMPLE = '{"group": "wt2", "kind": "acknowledged", "who": "ann"}'
_INCIDENT = '{"key": "wt2", "time": "…"}'
_CHANGES = 1_000  # changes of acts that are remembered
_FRESH = 1.0  # seconds for which the acts that were read are shown


class PostError(ValueError):
    """A posted body is not what belongs there, or lacks something."""


def of_now(live: LiveBoard, given: Given) -> dict[str, Any]:
    tables, selection = live.board.tables, selection_of(given)
    answers = tables.select(selection)
    total = tables.open.count(tables.open.where(selection.filter))
    return {"total": total, "from": selection.start, **_rows(live, answers)}


def of_decided(live: LiveBoard, given: Given) -> dict[str, Any]:
    """Returns decided answers, the latest first; `from` and `to` are the times of the first and the last."""
    table, clock, wanted = live.board.tables.decided, ViewContext(live.board).clock, decided_filter(given)
    begin, end = (number_of(first(given, name), default) for name, default in (("from", 0), ("to", inf)))
    if begin or end < inf:
        last = clock.now if end == inf else clock.tick_of(end)
        wanted = replace(wanted, between=range(clock.tick_of(begin), last + 1))
    where = table.where(wanted)
    count = selection_of({**given, "from": ()}).count
    found = _rows(live, table.answers(where, SORTS["decided"], 0, count))
    return {"total": table.count(where), **found}


def of_brief(live: LiveBoard, _given: Given) -> dict[str, Any]:
    due, clock = (scene := ViewContext(live.board)).due, scene.clock
    known = {name: getattr(due, name) for name in ("number", "severity", "sentence", "rest")}
    return {"time": clock.epoch(live.board.tick), **known, **due.counts}


def of_answer(live: LiveBoard, found: TrackedAnswer) -> dict[str, Any]:
    """Returns an answer with the lines that are kept, and the rules behind it."""
    program = live.board.head.program
    rules = rules_behind(program, found.query, found.line) if program else []
    return {
        "id": found.id,
        "open": found.id in live.board.open,
        "since": found.since,
        "lines": found.all_lines,
        "rules": rules,
    }


def of_inputs(live: LiveBoard, _given: Given) -> dict[str, Any]:
    board = live.board
    return {
        **summary(board),
        "inputs": board.inputs.status.get("inputs", {}),
        "rejects": list(board.inputs.rejects),
    }


def of_trust(live: LiveBoard, _given: Given) -> dict[str, Any]:
    length = ViewContext(live.board).clock.length
    found: dict[str, Any] = msgspec.json.decode(report_json(live.board.trust.scores(), length))
    return found


def of_plan(live: LiveBoard, _given: Given) -> dict[str, Any]:
    board = live.board
    changes: dict[str, dict[str, int]] = {}
    for (query, change), count in board.changes.items():
        changes.setdefault(query, {})[change] = count
    rates = {
        "facts": {each.name: board.inputs.rates.rate(each.name) for each in board.inputs.each()},
        "changes": {query: board.rates(query) for query in changes},
    }
    source = {"path": board.head.source.name, "program": board.head.source.whole}
    return {**summary(board), **source, "changes": changes, "rates": rates}


def of_moments(live: LiveBoard, given: Given) -> dict[str, Any]:
    """Returns what became of answers `after` a tick, but for good ones; alike in `wide` ticks are one."""
    board, head, start = live.board, live.board.head, None if live.past is None else live.past.first
    clock, marks = TickClock(head.timescale, board.tick or 0), dict[tuple[str, str, int], dict[str, Any]]()
    after, wide = (int(text) if (text := first(given, name)).isdecimal() else 1 for name in ("after", "wide"))
    for each in reversed(board.decided.values() if start is not None else ()):
        kind, severity, tick = each.now.change, head.severity(each.query), each.now.tick
        if tick <= after:
            break
        if kind != CLOSED and severity != "good":
            new = {"kind": kind, "severity": severity, "tick": tick, "name": head.key_of(each)}
            mark = marks.setdefault((kind, severity, tick // max(1, wide)), {**new, "known": 0, "count": 0})
            mark |= {"known": max(mark["known"], each.open_for), "count": mark["count"] + 1}
    times = {"ends": clock.milliseconds(board.tick), "length": clock.length, "zone": clock.zone or "UTC"}
    return {"first": start, "tick": board.tick, **times, "marks": [*marks.values()]}


API: dict[str, Callable[[LiveBoard, Given], dict[str, Any]]] = {
    "now": of_now,
    "brief": of_brief,
    "decided": of_decided,
    "inputs": of_inputs,
    "trust": of_trust,
    "plan": of_plan,
    "moments": of_moments,
}


def _rows(live: LiveBoard, answers: Sequence[TrackedAnswer]) -> dict[str, Any]:
    """Lists answers as rows of plain values, with those of their variables; times are in milliseconds."""
    scene = ViewContext(live.board)
    head, epoch = scene.board.head, scene.clock.epoch
    rows: list[dict[str, Any]] = []
    for each in answers:
        now, ticks = each.now, head.ticks.get(each.query, {})
        rows.append({
            "id": each.id, "query": each.query, "severity": head.severity(each.query),
            "group": head.key_of(each), "text": head.words(each), "runbook": head.runbook(each),
            "change": now.change, "chance": now.chance, "threshold": head.threshold(each.query),
            "time": epoch(now.tick), "since": epoch(each.since), "decided_by": epoch(now.decided_by),
            "open_for": each.open_for, "alerted_before": each.alerted_before,
        })  # fmt: skip
        for name, value in each.values.items():
            rows[-1][name] = epoch(value) if ticks.get(name) == TIME else value
    return {"tick": live.board.tick, "answers": rows}


# ---- acts ----


class PostedAct(Struct, frozen=True, forbid_unknown_fields=True):
    """An act as it is posted; with `end` the group's acts of this kind are withdrawn."""

    group: _Text
    kind: ActKind
    who: Annotated[str, Meta(max_length=100)] = ""
    minutes: Annotated[float, Meta(gt=0, le=7 * 24 * 60)] | None = None
    note: _Text = ""
    end: bool = False


@dataclass(eq=False)
class ActList:
    """The acts in a store, read again when they may have changed."""

    store: Path | None
    board: Board
    _known: Sequence[Act] = ()
    _read: float = field(default=float("-inf"))
    _before: dict[float, Sequence[Act]] = field(default_factory=dict)  # by the time when they were read

    @property
    def possible(self) -> bool:
        return self.store is not None and is_store(self.store)

    def current(self) -> list[Act]:
        now = time.monotonic()
        if self.store is not None and now > self._read + _FRESH:
            self._known = inbox.current_acts(self.store, time.time()) if self.possible else ()
            self._read = now
            if self._known != next(reversed(self._before.values()), ()):
                self._before = dict([*self._before.items()][-_CHANGES:]) | {time.time(): self._known}
        return [each for each in self._known if _goes_on(each, self.board, time.time())]

    def by_group(self, live: LiveBoard | None = None) -> dict[str, list[Act]]:
        """The acts of each group: the current ones, or those at the moment of a board in the past."""
        acts, found = self.current(), dict[str, list[Act]]()
        if live is not None and live.then is not None:
            before = (acts for at, acts in reversed(self._before.items()) if at <= live.present)
            acts = [each for each in next(before, ()) if _goes_on(each, live.board, live.present)]
        for each in acts:
            found.setdefault(each.group, []).append(each)
        return found

    def post(self, body: bytes, user: str = "") -> list[Act]:
        """Stores an act, and returns all of its group; `user` is who it is by, where a proxy knows."""
        assert self.store is not None
        try:
            given = msgspec.json.decode(body, type=PostedAct)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise PostError(f"an act is a JSON object such as {_EXAMPLE}: {error}") from None
        if given.end:
            inbox.withdraw_act(self.store, given.group, given.kind)
        else:
            inbox.add_act(self.store, self._act(given, user or given.who.strip()))
        self._read = float("-inf")
        return self.by_group().get(given.group, [])

    def _act(self, given: PostedAct, who: str) -> Act:
        if not who:
            raise PostError("say who does it, with `who`")
        if given.kind == "snoozed" and given.minutes is None:
            raise PostError("say for how long, with `minutes`")
        if given.kind == "noted" and not given.note.strip():
            raise PostError("write a `note`")
        now, answers = time.time(), tuple[str, ...]()
        if given.kind in ("acknowledged", "ended"):
            key_of, lost = self.board.head.key_of, given.kind == "ended"
            of_group = (each for each in self.board.open.values() if key_of(each) == given.group)
            answers = tuple(each.id for each in of_group if not lost or each.now.change == LOST)
            if not answers:
                raise PostError(f"nothing is {'lost' if lost else 'open'} of `{given.group[:50]}`")
        until = None if given.minutes is None else now + 60 * given.minutes
        return Act(given.group, given.kind, who, now, until, given.note.strip(), answers)


def _goes_on(act: Act, board: Board, now: float) -> bool:
    if act.until is not None and act.until <= now:
        return False
    return not act.answers or any(each in board.open for each in act.answers)


def as_json(found: Sequence[Act]) -> dict[str, Any]:
    """Returns acts as in the API, without the answers that they are about."""
    known = [msgspec.structs.asdict(each) for each in found]
    return {"acts": [{name: value for name, value in each.items() if name != "answers"} for each in known]}


# ---- incidents ----


class PostedIncident(Struct, frozen=True, forbid_unknown_fields=True):
    """A row for the list: about an answer, or with a key and a time; with `false` nothing had gone wrong."""

    answer: _Text = ""
    key: _Text = ""
    time: _Text = ""
    who: Annotated[str, Meta(max_length=100)] = ""
    false: bool = False


def incident_of(body: bytes, judged: JudgedFeed, live: LiveBoard, user: str) -> dict[str, str]:
    """Reads what was posted about an incident, as `add_row` takes it. Raises PostError."""
    try:
        given = msgspec.json.decode(body, type=PostedIncident)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PostError(f"an incident is a JSON object such as {_INCIDENT}: {error}") from None
    key, at = given.key, given.time
    if given.answer:
        answer = live.find(given.answer)
        if answer is None:
            raise PostError("this answer is not kept any more; add the incident with its key and time")
        if judged.collector is not None:
            key = judged.collector.key_of(answer.query, answer.values) or ""
        at = at or ViewContext(live.board).time_of(answer)
    if not (who := user or given.who.strip()):
        raise PostError("say who does it, with `who`")
    if not at.strip():
        raise PostError("say when it was, with `time`")
    if given.false and not given.answer:
        raise PostError("a false alarm is about an `answer`")
    return {"key": key, TIME: at, "who": who, **({KIND: NONE} if given.false else {})}


# ---- posted facts ----


def posted(store: Path, name: str, body: bytes) -> dict[str, Any]:
    """Stores facts in the inbox of an input, on disk; returns how many, and what is wrong with others."""
    try:
        given = msgspec.json.decode(body, type=list[dict[str, msgspec.Raw]] | dict[str, msgspec.Raw])
        given = given if isinstance(given, list) else [given]
        plain = [{name: msgspec.json.decode(value) for name, value in each.items()} for each in given]
        facts = [*map(msgspec.json.encode, plain)]  # each on one line
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PostError(f"facts are a JSON object, or a list of them: {error}") from None
    names = names_of(store, name)
    wrong = [fact for fact in given if not fact.keys() >= {*names}] if names else []
    if wrong and len(wrong) == len(given):
        raise PostError(_lacking(name, names or (), wrong[0]))
    if names is None or not post(store, name, facts):  # nobody would read them
        raise PostError(f"facts of {name[:50]} do not come by HTTP; give --input {name[:50]}=http:")
    if not wrong:
        return {"accepted": len(facts)}
    reason = _lacking(name, names, wrong[0])
    return {"accepted": len(facts) - len(wrong), "set_aside": len(wrong), "reason": reason}


def _lacking(name: str, names: Sequence[str], fact: Mapping[str, object]) -> str:
    """Explains which names a fact lacks, what it has, and what is expected."""
    lacks = [each for each in names if each not in fact]
    return (
        f"a fact has no {', '.join(lacks)}; it has {has(list(fact))}. Facts of {name} have "
        f"{', '.join(names)}; if yours call a column otherwise, start `antelog watch` with "
        f"--map {name}.{lacks[0]}=NAME"
    )


def metrics(board: Board, alerts: Mapping[str, Mapping[str, int]]) -> bytes:
    """Writes all metrics that have values, as Prometheus reads them."""
    return text_of(samples(board, alerts))
