"""The search of `antelog suggest` on the Skoltech Anomaly Benchmark, beside learners on the same columns.

Each experiment is a device with eight sensors and a reading a second, in which a valve is closed or
a leak is made for some minutes: that time is an incident, and an alert within it is right. What is found in
four fifths of the experiments is judged in the rest; values are by the spread of the first quarter of each.

The files are not part of this project (GPL 3): get https://github.com/waico/SKAB and name its `data` folder.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

from antelog import parse
from antelog.incidents.judging import Incidents, Lead
from antelog.incidents.suggest.input_columns import InputColumns, key_positions
from antelog.incidents.suggest.measures import SearchedHistory
from antelog.incidents.suggest.searched_part import SearchedPart, counted
from benchmarks.incidents.nab import MOST_FALSE, by_spread, compared, of_keys

LEAD = Lead(0, 30, 60, within=True)
FOLDS = 5
SENSORS = {
    "Accelerometer1RMS": "shake1",
    "Accelerometer2RMS": "shake2",
    "Current": "current",
    "Pressure": "pressure",
    "Temperature": "temperature",
    "Thermocouple": "thermocouple",
    "Voltage": "voltage",
    "Volume Flow RateRMS": "flow",
}
_COLUMNS = ", ".join(f"{each}: number" for each in SENSORS.values())
_PLAN = parse(f"""
input Reading(device: text, {_COLUMNS}, time) delay 0, one per device.
Any(X, T) :- Reading(X, {", ".join("_" for _ in SENSORS)}, T).
query Any(X, T).
""").plan


def history_of(folder: Path) -> SearchedHistory:
    """All experiments with an anomaly, each from its own tick 0 on."""
    tables, spans = list[pa.Table](), list[tuple[int, int, int]]()
    for path in sorted(folder.glob("*/*.csv")):
        rows = pc.read_csv(path, parse_options=pc.ParseOptions(delimiter=";"))
        if "anomaly" not in rows.column_names:
            continue
        times = rows.column("datetime").to_numpy().astype("datetime64[s]").astype(np.int64)
        ticks, at = np.unique(times - times[0], return_index=True)
        wrong = np.flatnonzero(rows.column("anomaly").to_numpy()[at] > 0)
        begins = np.flatnonzero(np.diff(wrong, prepend=-2) > 1)
        ends = np.append(begins[1:], len(wrong)) - 1
        spans += [
            (len(tables), int(ticks[wrong[begin]]), int(ticks[wrong[end]]))
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
        ]
        values = {name: by_spread(rows.column(column).to_numpy()[at]) for column, name in SENSORS.items()}
        tables.append(pa.table({"device": [f"e{len(tables)}"] * len(ticks), **values, "time": ticks}))
    keys = {f"e{number}": number for number in range(len(tables))}
    inputs = [
        InputColumns.of(_PLAN.inputs[0], pa.concat_tables(tables), key_positions(_PLAN)["Reading"], keys)
    ]
    incidents = Incidents.of(*(np.array(each, np.int64) for each in zip(*spans, strict=True)))
    return SearchedHistory.of(_PLAN, inputs, keys, incidents, LEAD).measured()


def main(folder: Path) -> None:
    history = history_of(folder)
    whole = SearchedPart.of(history, history.incidents, MOST_FALSE)
    of_incident = history.incidents.key[counted(history, history.incidents)]
    order = np.random.default_rng(0).permutation(len(history.keys))
    for fold in range(FOLDS):
        chosen = order[fold::FOLDS]
        rows, incidents = np.isin(history.key, chosen), np.isin(of_incident, chosen)
        train, test = of_keys(whole, ~rows, ~incidents), of_keys(whole, rows, incidents)
        compared(f"SKAB, fold {fold + 1}", train, test)
