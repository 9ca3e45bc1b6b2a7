"""Writes a made-up year of two machines: `year.csv` with a reading an hour, and `failures.csv`.

A bearing that wears out warms its machine for half a day and more before it fails. Now and then somebody
works beside a machine, and it is warm for an hour without a cause; and the power fails without a sign.
"""

import random
from datetime import datetime, timedelta
from pathlib import Path

BEGIN, HOURS = datetime(2025, 1, 1), 365 * 24  # noqa: DTZ001 - the program says which zone it is


def year(seed: int) -> tuple[list[str], list[str]]:
    """The lines of readings and of failures."""
    chance, readings, failures = random.Random(seed), list[str](), list[str]()
    worn = dict.fromkeys(("m1", "m2"), 0)  # the hours since a bearing began to wear out; 0: it has not
    for hour in range(HOURS):
        time = f"{BEGIN + timedelta(hours=hour):%Y-%m-%d %H:%M}"
        for machine, hours in worn.items():
            warm = 20 * (chance.random() < 0.01) + 2 * hours
            readings.append(f"{machine},{70 + warm + chance.gauss(0, 3):.1f},{time}")
            if chance.random() < 1 / 3000:
                failures.append(f"{machine},{time},power")
            if hours > 12 and chance.random() < 0.25:
                failures.append(f"{machine},{time},bearing")
                worn[machine] = 0
            elif hours or chance.random() < 1 / 400:
                worn[machine] = hours + 1
    return readings, failures


if __name__ == "__main__":
    for name, header, lines in zip(
        ("year.csv", "failures.csv"), ("machine,celsius,time", "machine,time,kind"), year(7), strict=True
    ):
        Path(name).write_text("\n".join([header, *lines, ""]), encoding="utf-8")
