"""The answers of each tick, as a change log has them and as the specification says.

The specification goes through every tick from the first on, so its times begin with a tick `base`. That
changes nothing for answers about later ticks, as long as no rule looks back.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from antelog.diagnostics import Source
from antelog.language import read
from antelog.language.syntax import Value
from tests.specification import evaluate, snapshots
from tests.specification.helpers import Fact, stream_of
from tests.specification.terms import Special

Texts = frozenset[str]
Explanation = tuple[Texts, Texts]
"""Evidence and hypotheses."""

Answers = dict[tuple[str, str], frozenset[Explanation]]
"""For each query and answer, as JSON, its explanations."""

_TIME = re.compile(r"(\d+)\)$")


def logged(log: Iterable[Mapping[str, Any]], ticks: range) -> dict[int, Answers]:
    """The answers open or just confirmed at each tick, by a log whose rows have `answer` as a dict."""
    of: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in sorted(log, key=lambda row: int(row["tick"])):
        of.setdefault((row["query"], json.dumps(row["answer"])), []).append(row)
    found: dict[int, Answers] = {tick: {} for tick in ticks}
    for key, rows in of.items():
        for tick in ticks:
            last = next((row for row in reversed(rows) if row["tick"] <= tick), None)
            if last is not None and (
                last["change"] in ("possible", "revised")
                or (last["change"], last["tick"]) == ("confirmed", tick)
            ):
                found[tick][key] = frozenset(
                    (frozenset(each["evidence"]), frozenset(each["hypotheses"]))
                    for each in last["explanations"]
                )
    return found


def specified(text: str, facts: Iterable[Fact], ticks: range) -> dict[int, Answers]:
    """The same by the specification, given the facts about these ticks."""
    base = ticks.start
    moved = [
        (name, (*values[:-1], _moved(values[-1], base)), arrival - base)
        for name, values, arrival in facts
        if isinstance(values[-1], int) and values[-1] >= base and arrival < ticks.stop
    ]
    evaluation = evaluate(read(Source(text)), stream_of(moved), len(ticks) - 1)
    found: dict[int, Answers] = {tick: {} for tick in ticks}
    for report in snapshots(evaluation):
        answer = {**dict(report.answer), "T": _moved(dict(report.answer)["T"], -base)}
        found[report.tick + base][report.query, json.dumps(answer)] = frozenset(
            (_texts(each.evidence, base), _texts(each.hypotheses, base)) for each in report.explanations
        )
    return found


def _moved(time: Value | Special | None, base: int) -> int:
    assert isinstance(time, int)
    return time - base


def _texts(literals: Iterable[object], base: int) -> Texts:
    return frozenset(_TIME.sub(lambda time: f"{int(time[1]) + base})", str(each)) for each in literals)
