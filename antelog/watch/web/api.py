"""The JSON API: the board as plain values, with the names of change lines.

    GET /api/now?query=Malf&sort=deadline&count=20
    {"tick": 8, "total": 1, "from": 0, "answers": [{"id": "9f2c…", "tick": 8, "change": "possible", …}]}

An answer is its latest change line, with the `id` that links use, and `since`, the tick of its first line.

    POST /facts/Temp  [{"device": "wt2", "level": "high", "time": 7}]   ->  {"accepted": 1}

Posted facts are stored in the inbox before they are accepted. Facts without a name of their input are set
aside by who reads them, and the answer says so; if all are, none is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from antelog.files.columns import has
from antelog.forecast.scores.scores import report_json
from antelog.run.store import names_of, post
from antelog.watch.board.answer_table import SORTS
from antelog.watch.board.feed_program import rules_behind
from antelog.watch.board.selection import Given, decided_filter, selection_of
from antelog.watch.board.tracked_answer import TrackedAnswer
from antelog.watch.web.acting import PostError
from antelog.watch.web.live_board import LiveBoard, summary


def of_now(live: LiveBoard, given: Given) -> dict[str, Any]:
    selection = selection_of(given)
    seen = live.board.tables.select(selection)
    answers = [_answer(each) for each in seen.answers]
    return {"tick": live.board.tick, "total": seen.total, "from": selection.start, "answers": answers}


def of_decided(live: LiveBoard, given: Given) -> dict[str, Any]:
    table, selection = live.board.tables.decided, selection_of(given)
    where = table.where(decided_filter(given))
    answers = [
        {**_answer(each), "open_for": each.open_for, "alerted_before": each.alerted_before}
        for each in table.answers(where, SORTS["decided"], selection.start, selection.count)
    ]
    return {"tick": live.board.tick, "total": table.count(where), "from": selection.start, "answers": answers}


def of_answer(live: LiveBoard, name: str) -> dict[str, Any] | None:
    """An answer with the lines that are kept, and the rules behind it."""
    found = live.find(name)
    if found is None:
        return None
    program = live.board.head.program
    rules = rules_behind(program, found.query, found.line) if program else []
    return {
        "id": found.id,
        "open": name in live.board.open,
        "since": found.since,
        "lines": found.all_lines,
        "rules": [{"file": each.file, "line": each.line, "text": each.text} for each in rules],
    }


def of_inputs(live: LiveBoard, _given: Given) -> dict[str, Any]:
    board = live.board
    return {
        **summary(board),
        "inputs": board.inputs.status.get("inputs", {}),
        "rejects": list(board.inputs.rejects),
    }


def of_trust(live: LiveBoard, _given: Given) -> dict[str, Any]:
    board = live.board
    found: dict[str, Any] = msgspec.json.decode(report_json(board.trust.scores(), board.head.length))
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


API: dict[str, Callable[[LiveBoard, Given], dict[str, Any]]] = {
    "now": of_now,
    "decided": of_decided,
    "inputs": of_inputs,
    "trust": of_trust,
    "plan": of_plan,
}


def _answer(answer: TrackedAnswer) -> dict[str, Any]:
    return {"id": answer.id, "since": answer.since, **answer.line}


# ---- posted facts ----


def posted(store: Path, name: str, body: bytes) -> dict[str, Any]:
    """Stores facts in the inbox of an input, on disk, and returns the answer: how many, and what is wrong."""
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
    """Which names a fact lacks, what it has, and what is expected."""
    lacks = [each for each in names if each not in fact]
    return (
        f"a fact has no {', '.join(lacks)}; it has {has(list(fact))}. Facts of {name} have "
        f"{', '.join(names)}; if yours call a column otherwise, start `antelog watch` with "
        f"--map {name}.{lacks[0]}=NAME"
    )
