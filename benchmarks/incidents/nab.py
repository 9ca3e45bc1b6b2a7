"""The search of `antelog suggest` on the Numenta Anomaly Benchmark, beside learners on the same columns.

A window of the labels is an incident; an alert within it, or 24 ticks before, is right. Each file is cut in
the middle of its time: what is found in the first half is judged in the second. A file alone has one to five
windows, fewer than a rule can be told from chance by. So all files are also taken together, as devices, with
values by the spread of the first quarter of each: what is found in four is judged in the fifth.

A learner scores moments. Its alarms are those at the limit at which it catches most with no more false alarms
than the rules have.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

from antelog import parse
from antelog.engine.columns.tables import NEVER
from antelog.incidents.judging import FALSE, RIGHT, Incidents, Lead
from antelog.incidents.suggest.input_columns import InputColumns, key_positions
from antelog.incidents.suggest.measures import SearchedHistory
from antelog.incidents.suggest.proposals import proposals
from antelog.incidents.suggest.search import best_rule
from antelog.incidents.suggest.searched_part import FoundRule, SearchedPart, counted, holding
from benchmarks.forecast.records import FOLDER

FILES = {
    "ambient_temperature": "realKnownCause/ambient_temperature_system_failure.csv",
    "machine_temperature": "realKnownCause/machine_temperature_system_failure.csv",
    "nyc_taxi": "realKnownCause/nyc_taxi.csv",
    "occupancy": "realTraffic/occupancy_6005.csv",
    "speed": "realTraffic/speed_7578.csv",
}
LEAD = Lead(0, 24, 24, within=True)
MOST_RULES = 3
MOST_FALSE = 5.0  # per 1,000 ticks
_ROWS = 5_000  # that a learner of rules is given
_PLAN = parse("""
input Reading(device: text, value: number, time) delay 0, one per device.
Any(X, T) :- Reading(X, _, T).
query Any(X, T).
""").plan


@dataclass(frozen=True, eq=False)
class Series:
    """Values by tick, and the windows in which something was wrong."""

    name: str
    ticks: np.ndarray
    values: np.ndarray
    windows: Sequence[tuple[int, int]]


def series() -> Iterator[Series]:
    labels = json.loads((FOLDER / "nab" / "labels" / "combined_windows.json").read_text())
    for name, path in FILES.items():
        table = pc.read_csv(FOLDER / "nab" / "data" / path)
        times = table.column("timestamp").to_numpy().astype("datetime64[s]").astype(np.int64)
        gap = int(np.median(np.diff(times)))
        windows = [
            tuple(
                int(np.datetime64(end.split(".")[0]).astype("datetime64[s]").astype(np.int64)) // gap
                for end in each
            )
            for each in labels[path]
        ]
        ticks, rows = np.unique(times // gap, return_index=True)
        first = ticks[0]
        spans = [(begin - first, end - first) for begin, end in windows]
        yield Series(name, ticks - first, table.column("value").to_numpy()[rows], spans)


def by_spread(values: np.ndarray) -> np.ndarray:
    """Values by the middle and the spread of their first quarter."""
    low, middle, high = np.quantile(values[: len(values) // 4], (0.25, 0.5, 0.75))
    scaled: np.ndarray = (values - middle) / max(high - low, 1e-9)
    return scaled


def history_of(given: Sequence[Series]) -> SearchedHistory:
    keys = dict[str, int]()
    table = pa.table(
        {
            "device": np.concatenate([np.full(len(each.ticks), each.name) for each in given]),
            "value": np.concatenate([each.values.astype(np.float64) for each in given]),
            "time": np.concatenate([each.ticks for each in given]),
        }
    )
    inputs = [InputColumns.of(_PLAN.inputs[0], table, key_positions(_PLAN)["Reading"], keys)]
    spans = [(keys[each.name], *window) for each in given for window in each.windows]
    incidents = Incidents.of(*(np.array(each, np.int64) for each in zip(*spans, strict=True)))
    return SearchedHistory.of(_PLAN, inputs, keys, incidents, LEAD).measured()


# ---- rivals ----

Scores = Callable[[np.ndarray], np.ndarray]


def learners() -> dict[str, Callable[[np.ndarray, np.ndarray], Scores]]:
    """Learners that say how likely moments come before an incident, or in one."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415 - a rival
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415

    found: dict[str, Callable[[np.ndarray, np.ndarray], Scores]] = {
        "tree": lambda x, y: _scores(DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(x, y)),
        "boosting": lambda x, y: _scores(HistGradientBoostingClassifier(random_state=0).fit(x, y)),
    }
    try:
        from imodels import RuleFitClassifier  # type: ignore[import-not-found]  # noqa: PLC0415
    except ImportError:
        return found

    def rule_fit(x: np.ndarray, y: np.ndarray) -> Scores:
        at = np.random.default_rng(0).permutation(len(y))[:_ROWS]
        return _scores(RuleFitClassifier(max_rules=30, random_state=0).fit(x[at], y[at]))

    return {**found, "RuleFit": rule_fit}


def _scores(model: Any) -> Scores:
    return lambda x: np.asarray(model.predict_proba(x)[:, 1])


def caught_by(scores: np.ndarray, test: SearchedPart, most_false: float) -> FoundRule:
    """The most that alarms over a limit catch, with at most so many false ones."""
    best = test.rule((), test.rows[:0])
    for limit in np.unique(np.quantile(scores, np.linspace(0.5, 1, 200))):
        came = test.rule((), test.rows[scores >= limit])
        if came.false <= most_false and len(came.caught) > len(best.caught):
            best = came
    return best


def compared(name: str, train: SearchedPart, test: SearchedPart) -> None:
    """Prints what the rules and each learner catch of the unseen part."""
    rows, left, history = np.zeros(0, np.int64), train, train.history
    for _ in range(MOST_RULES):
        found = best_rule(left)
        if found is None:
            break
        rows = np.union1d(rows, holding(history, found.conditions, test.rows))
        kind = left.kind.copy()
        mine = np.isin(left.number, list(found.caught))
        for first, end in zip(left.first[mine].tolist(), left.end[mine].tolist(), strict=True):
            kind[first:end] = -1  # neither right nor false
        left = replace(left, kind=kind).with_incidents(
            ~np.isin(np.arange(left.incidents), list(found.caught))
        )
    own = test.rule((), rows)
    columns = np.column_stack(list(history.numbers.values()))
    use = train.rows[np.isin(train.kind[train.rows], (RIGHT, FALSE))]
    label = (train.kind[use] == RIGHT).astype(np.int64)
    columns = np.where(np.isnan(columns), np.nanmedian(columns, axis=0), columns)
    said = [f"rules {len(own.caught)} with {own.false:.0f} false"]
    for learner, fit in learners().items() if label.any() else ():
        came = caught_by(fit(columns[use], label)(columns[test.rows]), test, own.false)
        said.append(f"{learner} {len(came.caught)} with {came.false:.0f}")
    thousands = len(test.rows) / 1000
    head = f"{name:29} of {test.incidents} unseen ({train.incidents} seen), {thousands:4.1f} thousand ticks"
    print(f"{head}: {'; '.join(said)}", flush=True)


def main() -> None:
    everything = list(series())
    for each in everything:
        history = history_of([each])
        whole = SearchedPart.of(history, history.incidents, MOST_FALSE)
        cut = int(each.ticks[-1]) // 2
        compared(
            each.name, whole.part(cut - LEAD.most, int(NEVER), outside=True), whole.part(cut, int(NEVER))
        )
        number = len(list(proposals(history, MOST_RULES, MOST_FALSE)))
        print(f"{'':22} the command proposes {number} rules from the whole file")
    history = history_of([replace(each, values=by_spread(each.values)) for each in everything])
    whole = SearchedPart.of(history, history.incidents, MOST_FALSE)
    for number, each in enumerate(everything):
        of_row = history.key == number
        of_incident = history.incidents.key[counted(history, history.incidents)] == number
        train, test = of_keys(whole, ~of_row, ~of_incident), of_keys(whole, of_row, of_incident)
        compared(f"others to {each.name}", train, test)


def of_keys(whole: SearchedPart, rows: np.ndarray, incidents: np.ndarray) -> SearchedPart:
    """The moments and the incidents of some keys."""
    return replace(whole.with_incidents(incidents), rows=whole.rows[rows[whole.rows]])
