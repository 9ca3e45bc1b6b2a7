"""Made-up heartbeats of half an hour, the same ones each time, in the order in which they came.

python heartbeats.py 5000 many.csv
"""

import csv
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

BEGIN = datetime(2024, 3, 4, 8, tzinfo=UTC)
MINUTES = 30


def heartbeats(devices: int) -> Iterator[tuple[int, str, int]]:
    """The minute in which each heartbeat came, its device, and the minute in which it was sent."""
    chance = random.Random(7)
    for number in range(devices):
        silent = range(0)
        if chance.random() < 0.02:  # of a hundred devices two fail, some for good
            first = chance.randrange(5, 20)
            silent = range(first, first + chance.choice([4, 8, MINUTES]))
        for minute in range(MINUTES):
            if minute not in silent and chance.random() < 0.97:
                late = chance.choices([0, 1, 2], [90, 8, 2])[0]
                yield minute + late, f"d{number}", minute


def timestamp(minute: int) -> str:
    return f"{BEGIN + timedelta(minutes=minute):%Y-%m-%d %H:%M}"


def main() -> None:
    devices, path = int(sys.argv[1]), Path(sys.argv[2])
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["device", "time", "arrival"])
        for arrival, device, time in sorted(heartbeats(devices)):
            lines.writerow([device, timestamp(time), timestamp(arrival)])


if __name__ == "__main__":
    main()
