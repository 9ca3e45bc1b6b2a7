"""What the tests of commands with chances share: a program with an alert, and readings that stay a while."""

import numpy as np

PROGRAM = """\
input Temp(device, level, time) delay 1.
delay Temp(c, _, _) = 2.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), Temp(X, high, T+2).
query Malf(X, T) alert 50%.
"""
TICKS = 160


def readings(seed: int = 1, ticks: int = TICKS) -> str:
    """Some are late; those of c stay hot longest."""
    random = np.random.default_rng(seed)
    again = {"a": 0.5, "b": 0.7, "c": 0.9}
    hot = dict.fromkeys(again, False)
    rows = []
    for tick in range(ticks):
        for device, stays in again.items():
            hot[device] = bool(random.random() < (stays if hot[device] else 0.15))
            late = int(random.choice(2, p=[0.75, 0.25]))
            rows.append((tick + late, f"{device},{'high' if hot[device] else 'low'},{tick},{tick + late}"))
    return (
        "\n".join(["device,level,time,arrival", *(row for _, row in sorted(rows, key=lambda r: r[0]))]) + "\n"
    )
