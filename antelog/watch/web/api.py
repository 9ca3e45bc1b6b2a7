"""What programs are told: the board as plain values, by the same names as in the change lines.

    GET /api/now?query=Malf&sort=deadline&count=20
    {"tick": 8, "total": 1, "from": 0, "answers": [{"id": "9f2c…", "tick": 8, "change": "possible", …}]}

An answer is its latest change line, with the `id` that links use, and `since`, the tick it was first told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from antelog.forecast.scores.scores import report_json
from antelog.watch.board.answer import Answer
from antelog.watch.board.look import MOST, look_of
from antelog.watch.board.marks import marks
from antelog.watch.board.reasons import rules_behind
from antelog.watch.web.sight import Sight, summary
from antelog.watch.web.views.common import Scene
from antelog.watch.web.views.settled import alerted_before, chosen, told_before

Given = Mapping[str, str]


def of_now(sight: Sight, given: Given) -> dict[str, Any]:
    look = look_of(given)
    seen = sight.looking.see(look)
    answers = [_answer(each) for each in seen.answers]
    return {"tick": sight.board.tick, "total": seen.total, "from": look.start, "answers": answers}


def of_settled(sight: Sight, given: Given) -> dict[str, Any]:
    found = chosen(Scene(sight.board), given)
    look = look_of(given)
    shown = found[look.start : look.start + look.count]
    answers = [
        {**_answer(each), "told_before": told_before(each), "alerted_before": alerted_before(each)}
        for each in shown
    ]
    return {"tick": sight.board.tick, "total": len(found), "from": look.start, "answers": answers}


def of_answer(sight: Sight, name: str) -> dict[str, Any] | None:
    """One answer with all its lines that are kept, and the rules behind it."""
    found = sight.board.find(name)
    if found is None:
        return None
    program, line = sight.board.head.program, found.line
    predicates = {
        mark.predicate for at in range(len(line.get("explanations") or ())) for mark in marks(line, None, at)
    }
    rules = rules_behind(program, found.query, predicates) if program else []
    return {
        "id": found.id,
        "open": name in sight.board.open,
        "since": found.since,
        "lines": found.told,
        "rules": [{"line": each.line, "text": each.text} for each in rules],
    }


def of_inputs(sight: Sight, _given: Given) -> dict[str, Any]:
    board = sight.board
    return {
        **summary(board),
        "inputs": board.inputs.status.get("inputs", {}),
        "rejects": list(board.inputs.rejects),
    }


def of_trust(sight: Sight, _given: Given) -> dict[str, Any]:
    board = sight.board
    found: dict[str, Any] = msgspec.json.decode(report_json(board.trust.scores(), board.head.length))
    return found


def of_plan(sight: Sight, _given: Given) -> dict[str, Any]:
    board = sight.board
    changes: dict[str, dict[str, int]] = {}
    for (query, change), count in board.changes.items():
        changes.setdefault(query, {})[change] = count
    return {**summary(board), "path": board.head.path, "program": board.head.text, "changes": changes}


API: dict[str, Callable[[Sight, Given], dict[str, Any]]] = {
    "now": of_now,
    "settled": of_settled,
    "inputs": of_inputs,
    "trust": of_trust,
    "plan": of_plan,
}


def _answer(answer: Answer) -> dict[str, Any]:
    return {"id": answer.id, "since": answer.since, **answer.line}


__all__ = ["API", "MOST", "of_answer"]
