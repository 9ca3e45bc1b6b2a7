"""Metrics for Prometheus: the board in its text format.

    antelog_open_answers{query="Malf"} 12

In comes a board and what the alerts have counted, out go lines. Counts grow from when the page began to read
its feed; Prometheus knows what to do when they begin anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from antelog.watch.board.board import Board
from antelog.watch.web.sight import summary

Labels = Mapping[str, str]

_WAITING = "waiting"


def metrics(board: Board, alerts: Mapping[str, Mapping[str, int]]) -> str:
    """All metrics. `alerts` has for each receiver how many were sent, failed and so on, and how many wait."""
    return "\n".join([*_of_answers(board), *_of_inputs(board), *_of_alerts(alerts), ""])


def alerts_in(folder: Path | None) -> dict[str, dict[str, int]]:
    """What the alerts of a feed have counted, if there are any."""
    if folder is None:
        return {}
    try:
        found = json.loads((folder / "alerts.json").read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        to: {outcome: count for outcome, count in counts.items() if isinstance(count, int)}
        for to, counts in found.items()
        if isinstance(counts, dict)
    }


def _of_answers(board: Board) -> Iterator[str]:
    if board.tick is not None:
        yield from _metric("antelog_tick", "gauge", "The tick that is reached.", [({}, board.tick)])
    open_now = [({"query": query}, count) for query, count in summary(board)["open"].items()]
    yield from _metric("antelog_open_answers", "gauge", "Answers that are open.", open_now)
    if seen := board.inputs.status.get("seen"):
        said = "Values that variables under `not` only have answers for."
        yield from _metric("antelog_seen_values", "gauge", said, [({}, seen)])
    changes = [
        ({"query": query, "change": change}, count)
        for (query, change), count in sorted(board.changes.items())
    ]
    yield from _metric("antelog_changes_total", "counter", "Changes that were told.", changes)


def _of_inputs(board: Board) -> Iterator[str]:
    known = list(board.inputs.each())
    facts = [({"input": each.name}, each.facts) for each in known]
    yield from _metric("antelog_facts_total", "counter", "Facts that came.", facts)
    rejects = [
        ({"input": each.name, "reason": reason}, count)
        for each in known
        for reason, count in sorted(each.rejects.items())
    ]
    yield from _metric("antelog_rejects_total", "counter", "Rows that were set aside.", rejects)
    holding = [({"input": each.name}, int(each.name == board.inputs.holding)) for each in known]
    yield from _metric("antelog_holding_input", "gauge", "Whether an input holds time back.", holding)


def _of_alerts(alerts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    sent = [
        ({"to": to, "outcome": outcome}, count)
        for to, counts in alerts.items()
        for outcome, count in counts.items()
        if outcome != _WAITING
    ]
    yield from _metric("antelog_alerts_total", "counter", "Alerts by what became of them.", sent)
    waiting = [({"to": to}, counts.get(_WAITING, 0)) for to, counts in alerts.items()]
    yield from _metric("antelog_alerts_waiting", "gauge", "Alerts that are still to be sent.", waiting)


def _metric(name: str, kind: str, said: str, values: Iterable[tuple[Labels, int]]) -> Iterator[str]:
    lines = [f"{name}{_labels(labels)} {value}" for labels, value in values]
    if lines:
        yield from (f"# HELP {name} {said}", f"# TYPE {name} {kind}", *lines)


def _labels(labels: Labels) -> str:
    return (
        "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"
        if labels
        else ""
    )


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
